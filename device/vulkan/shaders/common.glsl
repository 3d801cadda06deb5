// Definitions for all kernels. A kernel gets one pointer, to its block of parameters, which begins with the addresses.
//
// The compiler's command line defines WIDTH, the bits of an element; INT64, nonzero if shaders may use 64-bit integers;
// and TEXELS, nonzero if the first operands are buffers of texels: see texels.glsl. An offset in elements fits 32 bits,
// since no tensor has more than 2^32 - 1 elements; an address needs 64 bits.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#if INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

// ARRAY(NAME, TYPE, BYTES) declares arrays of TYPE in memory: POINTER(NAME) is the type of an address, AT(NAME, BYTES,
// p, i) is element i. Without 64-bit integers the index is signed, so tensors must have fewer than 2^31 elements.
#if INT64
#define ARRAY(NAME, TYPE, BYTES)                                                                                       \
    layout(buffer_reference, scalar, buffer_reference_align = BYTES) buffer NAME##_reference                           \
    {                                                                                                                  \
        TYPE value;                                                                                                    \
    }
#define AT(NAME, BYTES, p, i) NAME##_reference((p) + uint64_t(i) * uint64_t(BYTES)).value
#define POINTER(NAME) uint64_t

#else
#define ARRAY(NAME, TYPE, BYTES)                                                                                       \
    layout(buffer_reference, scalar, buffer_reference_align = BYTES) buffer NAME##_reference                           \
    {                                                                                                                  \
        TYPE values[];                                                                                                 \
    }
#define AT(NAME, BYTES, p, i) (p).values[i]
#define POINTER(NAME) NAME##_reference
#endif

const uint TILE = 2048u; // elements or numbers for one subgroup; PIPELINE_TILE in C

ARRAY(word, uint, 4);
#define WORD_AT(p, i) AT(word, 4, p, i)

// One dimension that a kernel walks, with the constants that divide by its size: see divide().
struct dimension {
    uint size;
    uint magic;
    uint shift1;
    uint shift2;
    uint stride[4]; // stride of each operand, in elements
};

// Returns n / d.size for any n, exactly: Granlund and Montgomery, "Division by invariant integers using
// multiplication".
uint divide(uint n, dimension d)
{
    uint high, low;
    umulExtended(n, d.magic, high, low);
    return (high + ((n - high) >> d.shift1)) >> d.shift2;
}
