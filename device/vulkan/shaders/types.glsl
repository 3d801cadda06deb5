// Elements of each data type in memory. An element of 8 or 16 bits is a memory access of that size. Elements of 4 bits
// share bytes, the first of two in the low half, so storing one is atomic.
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#if !INT64
#extension GL_EXT_buffer_reference_uvec2 : require
#endif

// DML_TENSOR_DATA_TYPE
const int FLOAT32 = 1, FLOAT16 = 2, UINT32 = 3, UINT16 = 4, UINT8 = 5, INT32 = 6, INT16 = 7, INT8 = 8, FLOAT64 = 9;
const int UINT64 = 10, INT64_ = 11, UINT4 = 12, INT4 = 13;

ARRAY(byte, uint8_t, 1);
ARRAY(short, uint16_t, 2);
ARRAY(pair, uvec2, 8);
ARRAY(four, uvec4, 16);
ARRAY(half, float16_t, 2);
ARRAY(halves, f16vec4, 8);
#if INT64
ARRAY(long, uint64_t, 8);
#define ADDRESS uint64_t
#define AS(NAME, p) (p)
#else
#define ADDRESS uvec2
#define AS(NAME, p) NAME##_reference(p)
#endif

// These are macros: a function that is called with several types would have no known result: see specialise.h.
#define is_signed(type)                                                                                                \
    ((type) == INT8 || (type) == INT16 || (type) == INT32 || (type) == INT64_ || (type) == INT4)

#define bits_of(type)                                                                                                  \
    ((type) == UINT4 || (type) == INT4                             ? 4                                                 \
     : (type) == UINT8 || (type) == INT8                           ? 8                                                 \
     : (type) == FLOAT16 || (type) == UINT16 || (type) == INT16    ? 16                                                \
     : (type) == FLOAT64 || (type) == UINT64 || (type) == INT64_   ? 64                                                \
                                                                   : 32)

// Returns the bits of an element of at most 32 bits, zero-extended.
uint load_word(int type, ADDRESS p, uint i)
{
    if (bits_of(type) == 4)
        return uint(AT(byte, 1, AS(byte, p), i >> 1)) >> (i & 1u) * 4u & 15u;
    if (bits_of(type) == 8)
        return uint(AT(byte, 1, AS(byte, p), i));
    if (bits_of(type) == 16)
        return uint(AT(short, 2, AS(short, p), i));
    return AT(word, 4, AS(word, p), i);
}

void store_word(int type, ADDRESS p, uint i, uint bits)
{
    if (bits_of(type) == 4) {
        uint shift = (i & 7u) * 4u;
        atomicAnd(AT(word, 4, AS(word, p), i >> 3), ~(15u << shift));
        atomicOr(AT(word, 4, AS(word, p), i >> 3), (bits & 15u) << shift);
    } else if (bits_of(type) == 8) {
        AT(byte, 1, AS(byte, p), i) = uint8_t(bits);
    } else if (bits_of(type) == 16) {
        AT(short, 2, AS(short, p), i) = uint16_t(bits);
    } else {
        AT(word, 4, AS(word, p), i) = bits;
    }
}

// Parameters and arguments for an operand of the functions that load four elements at once: its number too, if it
// consists of texels.
#if TEXELS
#include "texels.glsl"
#define OPERAND(operand, p) operand, p
#define OPERAND_PARAMETER int operand, ADDRESS p

// Returns the words of four adjacent elements of operand `operand`: see load_words.
uvec4 packed_words(int type, int operand, ADDRESS p, uint i)
{
    uvec4 texel = texel_of(operand, p, i / uint(128 / bits_of(type)));
    if (bits_of(type) == 32)
        return texel;
    texel.xy = (bits_of(type) == 16 ? i & 4u : i & 8u) != 0u ? texel.zw : texel.xy;
    if (bits_of(type) == 8 && (i & 4u) != 0u)
        texel.x = texel.y;
    return texel;
}
#else
#define OPERAND(operand, p) p
#define OPERAND_PARAMETER ADDRESS p
#endif

// Returns the bits of four adjacent elements of 8, 16 or 32 bits, from element i on, which is a multiple of 4.
uvec4 load_words(int type, OPERAND_PARAMETER, uint i)
{
#if TEXELS
    uvec4 words = packed_words(type, operand, p, i);
    if (bits_of(type) == 8)
        return words.xxxx >> uvec4(0u, 8u, 16u, 24u) & 255u;
    if (bits_of(type) == 16)
        return words.xxyy >> uvec4(0u, 16u, 0u, 16u) & 65535u;
    return words;
#else
    if (bits_of(type) == 8)
        return uvec4(AT(word, 4, AS(word, p), i >> 2)) >> uvec4(0u, 8u, 16u, 24u) & 255u;
    if (bits_of(type) == 16)
        return AT(pair, 8, AS(pair, p), i >> 2).xxyy >> uvec4(0u, 16u, 0u, 16u) & 65535u;
    return AT(four, 16, AS(four, p), i >> 2);
#endif
}

// Returns such bits side by side: in the first word, in two words, in four.
uvec4 side_by_side(int type, uvec4 bits)
{
    if (bits_of(type) == 32)
        return bits;
    if (bits_of(type) == 16) {
        bits = (bits & 65535u) << uvec4(0u, 16u, 0u, 16u);
        return uvec4(bits.xz | bits.yw, 0u, 0u);
    }
    bits = (bits & 255u) << uvec4(0u, 8u, 16u, 24u);
    return uvec4(bits.x | bits.y | bits.z | bits.w, 0u, 0u, 0u);
}

void store_words(int type, ADDRESS p, uint i, uvec4 bits)
{
    uvec4 words = side_by_side(type, bits);
    if (bits_of(type) == 8)
        AT(word, 4, AS(word, p), i >> 2) = words.x;
    else if (bits_of(type) == 16)
        AT(pair, 8, AS(pair, p), i >> 2) = words.xy;
    else
        AT(four, 16, AS(four, p), i >> 2) = words;
}

#if TEXELS
// Stores eight elements, from element i on, which is a multiple of 8, with as few accesses as possible.
void store_words(int type, ADDRESS p, uint i, uvec4 low, uvec4 high)
{
    uvec4 first = side_by_side(type, low), second = side_by_side(type, high);
    if (bits_of(type) == 8)
        store_longs(p, i >> 3, pack64(uvec2(first.x, second.x)));
    else if (bits_of(type) == 16)
        store_longs(p, i >> 3, u64vec2(pack64(first.xy), pack64(second.xy)));
    else
        store_longs(p, i >> 3,
                    u64vec4(pack64(first.xy), pack64(first.zw), pack64(second.xy), pack64(second.zw)));
}
#endif

// Returns the integer with such bits.
int sign_extended(int type, uint bits)
{
    int unused = 32 - bits_of(type);
    return is_signed(type) ? int(bits << unused) >> unused : int(bits);
}
