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

bool is_signed(int type)
{
    return type == INT8 || type == INT16 || type == INT32 || type == INT64_ || type == INT4;
}

int bits_of(int type)
{
    return type == UINT4 || type == INT4                         ? 4
           : type == UINT8 || type == INT8                       ? 8
           : type == FLOAT16 || type == UINT16 || type == INT16  ? 16
           : type == FLOAT64 || type == UINT64 || type == INT64_ ? 64
                                                                 : 32;
}

// The bits of an element of at most 32 bits, zero-extended.
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

// The bits of four adjacent elements of 8, 16 or 32 bits, from element i on, which is a multiple of 4.
uvec4 load_words(int type, ADDRESS p, uint i)
{
    if (bits_of(type) == 8)
        return uvec4(AT(word, 4, AS(word, p), i >> 2)) >> uvec4(0u, 8u, 16u, 24u) & 255u;
    if (bits_of(type) == 16)
        return AT(pair, 8, AS(pair, p), i >> 2).xxyy >> uvec4(0u, 16u, 0u, 16u) & 65535u;
    return AT(four, 16, AS(four, p), i >> 2);
}

void store_words(int type, ADDRESS p, uint i, uvec4 bits)
{
    if (bits_of(type) == 8) {
        bits = (bits & 255u) << uvec4(0u, 8u, 16u, 24u);
        AT(word, 4, AS(word, p), i >> 2) = bits.x | bits.y | bits.z | bits.w;
    } else if (bits_of(type) == 16) {
        bits = (bits & 65535u) << uvec4(0u, 16u, 0u, 16u);
        AT(pair, 8, AS(pair, p), i >> 2) = bits.xz | bits.yw;
    } else {
        AT(four, 16, AS(four, p), i >> 2) = bits;
    }
}

// The integer that such bits are.
int sign_extended(int type, uint bits)
{
    int unused = 32 - bits_of(type);
    return is_signed(type) ? int(bits << unused) >> unused : int(bits);
}
