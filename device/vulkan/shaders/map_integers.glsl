// What map_int.comp and map_uint.comp share: elements and attributes as integers of WIDTH bits. Storing keeps the low
// bits.
#include "map_whole.glsl"

number attribute_of(uvec2 bits)
{
#if WIDTH == 64
    return number(pack64(bits));
#else
    return number(bits.x);
#endif
}

// The number that the bits of an element of at most 32 bits are, and the bits of such an element.
number number_of(int type, uint bits)
{
    return number(sign_extended(type, bits));
}

uint bits_for(int type, number value)
{
    return uint(value);
}

number load(int type, ADDRESS p, uint i)
{
#if WIDTH == 64
    if (bits_of(type) == 64)
        return number(AT(long, 8, p, i));
    // Not number(low): Mesa 22.3 compares what was converted from 32 bits wrongly with constants.
    int low = sign_extended(type, load_word(type, p, i));
    return number(pack64(uvec2(uint(low), is_signed(type) ? uint(low >> 31) : 0u)));
#else
    return number(sign_extended(type, load_word(type, p, i)));
#endif
}

void store(int type, ADDRESS p, uint i, number value)
{
#if WIDTH == 64
    if (bits_of(type) == 64) {
        AT(long, 8, p, i) = uint64_t(value);
        return;
    }
#endif
    store_word(type, p, i, uint(value));
}

#define WHOLES ROW
#define NUMBERS ROW
#define FLOATS(NAME, FORMULA)
#define REALS(NAME, FORMULA)
#define COMPOSITES(NAME, FORMULA)
#define COMPOSITES_ONLY 0
#if SIGNED
#define BITS(NAME, FORMULA)
#else
#define BITS ROW
#endif
#include "map_main.glsl"
