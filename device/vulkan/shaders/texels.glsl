// Operands as buffers of texels, 16 bytes each: such an operand's address is the byte where it begins in its buffer.
// See texels.h.
layout(set = 0, binding = 0) uniform usamplerBuffer texels0;
layout(set = 1, binding = 0) uniform usamplerBuffer texels1;
layout(set = 2, binding = 0) uniform usamplerBuffer texels2;
layout(set = 3, binding = 0) uniform usamplerBuffer texels3;

// Returns texel `i` of an operand.
uvec4 texel_of(int operand, uint64_t begin, uint i)
{
    int at = int(uint(begin >> 4) + i);
    if (operand == 0)
        return texelFetch(texels0, at);
    if (operand == 1)
        return texelFetch(texels1, at);
    if (operand == 2)
        return texelFetch(texels2, at);
    return texelFetch(texels3, at);
}

// The first operand's memory word by word: a processor may load words that are far apart by one instruction.
layout(set = 0, binding = 1) uniform usamplerBuffer words0;

// Returns word `i` of the first operand.
uint word_of(uint64_t begin, uint i)
{
    return texelFetch(words0, int(uint(begin >> 2) + i)).x;
}

// The target, as eight elements of 8, 16 or 32 bits: a buffer, if STORES. There a processor writes all components of an
// invocation in one round of a loop over the invocations; at an address it has a loop for each component. A buffer
// reaches less far than texels do.
layout(constant_id = 14) const bool STORES = false;

#define EIGHTS(NAME, TYPE, BYTES)                                                                                      \
    ARRAY(NAME, TYPE, BYTES);                                                                                          \
    layout(set = 4, binding = 2, scalar) buffer NAME##_target                                                          \
    {                                                                                                                  \
        TYPE values[];                                                                                                 \
    }                                                                                                                  \
    NAME##_values;                                                                                                     \
    void store_longs(uint64_t p, uint i, TYPE value)                                                                   \
    {                                                                                                                  \
        if (STORES)                                                                                                    \
            NAME##_values.values[uint(p / BYTES) + i] = value;                                                         \
        else                                                                                                           \
            AT(NAME, BYTES, p, i) = value;                                                                             \
    }

EIGHTS(eight_bytes, uint64_t, 8)
EIGHTS(eight_shorts, u64vec2, 16)
EIGHTS(eight_words, u64vec4, 32)
