// RANDOM_GENERATOR: Philox 4x32-10. An invocation makes one block of four words at a time, and writes those that the
// output has room for. The first invocation writes the next state.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x_id = 0) in;

const uint RANK = 8u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(word) state;
    POINTER(word) numbers;
    POINTER(word) next_state;
    uint count;      // numbers
    uint group_size; // blocks for each workgroup
    uint state_stride;
    uint next_stride;
    uint given; // nonzero if the next state is asked for
    uint unused;
    dimension dimensions[8]; // innermost first; stride of the numbers
};

layout(push_constant) uniform push
{
    parameters p;
};

#include "offset.glsl"

// Returns the counter, its lowest word first, `blocks` further on.
uvec4 counter_at(uint blocks)
{
    uvec4 counter;
    uint carry = blocks;
    for (uint i = 0u; i < 4u; i++)
        counter[i] = uaddCarry(WORD_AT(p.state, i * p.state_stride), carry, carry);
    return counter;
}

uvec4 philox(uvec4 c, uvec2 key)
{
    for (uint i = 0u; i < 10u; i++) {
        uint high0, low0, high1, low1;
        umulExtended(0xD2511F53u, c.x, high0, low0);
        umulExtended(0xCD9E8D57u, c.z, high1, low1);
        c = uvec4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

void main()
{
    uint count = p.count, blocks = (count - 1u) / 4u + 1u, group_size = p.group_size;
    uvec2 key = uvec2(WORD_AT(p.state, 4u * p.state_stride), WORD_AT(p.state, 5u * p.state_stride));
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (blocks - 1u) / group_size)
        return;
    uint begin = group * group_size, end = min(group_size, blocks - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) {
        uvec4 words = philox(counter_at(begin + i), key);
        uint first = 4u * (begin + i);
        for (uint k = 0u; k < min(4u, count - first); k++)
            WORD_AT(p.numbers, offset_of(first + k)) = words[k];
    }
    if (p.given != 0u && group == 0u && gl_LocalInvocationID.x == 0u) {
        uvec4 counter = counter_at(blocks);
        for (uint i = 0u; i < 4u; i++)
            WORD_AT(p.next_state, i * p.next_stride) = counter[i];
        WORD_AT(p.next_state, 4u * p.next_stride) = key.x;
        WORD_AT(p.next_state, 5u * p.next_stride) = key.y;
    }
}
