// The parts that map_int.comp and map_uint.comp share: elements and attributes as integers of WIDTH bits. Storing keeps
// the low bits.
#include "map_whole.glsl"

number attribute_of(uvec2 bits)
{
#if WIDTH == 64
    return number(pack64(bits));
#else
    return number(bits.x);
#endif
}

// Loads four adjacent elements of at most 32 bits: see load_words.
number4 load_four(int type, OPERAND_PARAMETER, uint i)
{
    uvec4 bits = load_words(type, OPERAND(operand, p), i);
    [[unroll]] for (uint u = 0u; u < 4u; u++)
        bits[u] = uint(sign_extended(type, bits[u]));
    return number4(ivec4(bits));
}

#if TEXELS
void store_eight(int type, ADDRESS p, uint i, number4 low, number4 high)
{
    store_words(type, p, i, uvec4(low), uvec4(high));
}
#else
void store_four(int type, ADDRESS p, uint i, number4 values)
{
    store_words(type, p, i, uvec4(values));
}
#endif

number load(int type, ADDRESS p, uint i)
{
#if WIDTH == 64
    if (bits_of(type) == 64)
        return number(AT(long, 8, p, i));
    // A conversion number(low) would be wrong: Mesa 22.3 compares numbers converted from 32 bits wrongly with
    // constants.
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
