// What every kernel needs. A kernel gets one pointer, to its block of parameters; a block begins with the addresses.
//
// WIDTH, bits of an element, and INT64, whether shaders may compute with 64 bits, come from the command line. Elements
// are bit patterns: nothing here computes with floats. An offset in elements fits 32 bits (no tensor has more than
// 2^32 - 1), an address takes 64.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#if INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

// ARRAY(NAME, TYPE, BYTES): NAME_pointer is the address of an array of TYPE, NAME_AT(p, i) its element i.
// Without 64-bit integers the index is a signed one, so that tensors must stay below 2^31 elements.
#if INT64
#define ARRAY(NAME, TYPE, BYTES)                                                                                       \
    layout(buffer_reference, scalar, buffer_reference_align = BYTES) buffer NAME##_reference                           \
    {                                                                                                                  \
        TYPE value;                                                                                                    \
    }
#define AT(NAME, BYTES, p, i) NAME##_reference((p) + uint64_t(i) * uint64_t(BYTES)).value
#define POINTER(NAME) uint64_t
#define IS_NULL(p) ((p) == 0ul)
#else
#define ARRAY(NAME, TYPE, BYTES)                                                                                       \
    layout(buffer_reference, scalar, buffer_reference_align = BYTES) buffer NAME##_reference                           \
    {                                                                                                                  \
        TYPE values[];                                                                                                 \
    }
#define AT(NAME, BYTES, p, i) (p).values[i]
#define POINTER(NAME) NAME##_reference
#endif

const uint TILE = 2048u; // numbers that one subgroup works through; PIPELINE_TILE in C

ARRAY(word, uint, 4);
#define WORD_AT(p, i) AT(word, 4, p, i)

// One dimension of what a kernel walks, with the numbers that divide by its size: see divide().
struct dimension {
    uint size;
    uint magic;
    uint shift1;
    uint shift2;
    uint stride[3]; // what its operands step by, in elements
    uint unused;
};

// n / d.size for any n, exactly: Granlund and Montgomery, "Division by invariant integers using multiplication".
uint divide(uint n, dimension d)
{
    uint high, low;
    umulExtended(n, d.magic, high, low);
    return (high + ((n - high) >> d.shift1)) >> d.shift2;
}
