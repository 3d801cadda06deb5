// Cumulative sums and products of floats, in 32 bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cumulate.glsl"
#include "reals.glsl"

number load_sum(ADDRESS p, uint i)
{
    return uintBitsToFloat(AT(word, 4, AS(word, p), i));
}

number load_element(ADDRESS p, uint i)
{
    if (TYPE == FLOAT16)
        return from_half(uint(AT(short, 2, AS(short, p), i)));
    return load_sum(p, i);
}

void store_element(ADDRESS p, uint i, number x)
{
    if (TYPE == FLOAT16)
        AT(short, 2, AS(short, p), i) = uint16_t(to_half(x));
    else
        AT(word, 4, AS(word, p), i) = floatBitsToUint(x);
}

#if TEXELS || SUBGROUPS
number number_from(uint bits)
{
    return TYPE == FLOAT16 ? from_half(bits) : uintBitsToFloat(bits);
}

uint bits_from(number x)
{
    return bits_for(TYPE, x);
}

#if TEXELS
#include "cumulate_lines.glsl"
#else
#include "cumulate_fours.glsl"
#endif
#else
#include "cumulate_main.glsl"
#endif
