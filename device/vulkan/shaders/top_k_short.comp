// TOP_K of many short sequences: one invocation for each. A heap of k indices, whose top comes last in the order of the
// selection, takes in all elements and is then sorted: n log k steps.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "top_k.glsl"

// Tells whether element `a` of a sequence comes before element `b`; among equal elements, the lower index does.
bool comes_before(uint source, uint a, uint b)
{
    uvec2 key_a = key_at(source + a * step_along), key_b = key_at(source + b * step_along);
    return is_less(key_a, key_b) || (key_a == key_b && a < b);
}

// Moves an index from the top of a heap of `count` down to its place.
void sink(uint source, uint heap, uint count, uint index)
{
    uint at = 0u;
    while (2u * at + 1u < count) {
        uint child = 2u * at + 1u, chosen = WORD_AT(p.scratch, heap + child);
        if (child + 1u < count && comes_before(source, chosen, WORD_AT(p.scratch, heap + child + 1u)))
            chosen = WORD_AT(p.scratch, heap + ++child);
        if (!comes_before(source, index, chosen))
            break;
        WORD_AT(p.scratch, heap + at) = chosen;
        at = child;
    }
    WORD_AT(p.scratch, heap + at) = index;
}

// Moves an index up from the end of a heap.
void rise(uint source, uint heap, uint at, uint index)
{
    while (at > 0u) {
        uint parent = (at - 1u) / 2u, above = WORD_AT(p.scratch, heap + parent);
        if (!comes_before(source, above, index))
            break;
        WORD_AT(p.scratch, heap + at) = above;
        at = parent;
    }
    WORD_AT(p.scratch, heap + at) = index;
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint sequence = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x, k = p.k, heap = sequence * k;
    uint rest = sequence, source = 0u, values = 0u, indices = 0u;
    if (sequence >= p.sequences)
        return;
    read_parameters();
    for (uint d = 0u; d < RANK; d++) {
        uint next = divide(rest, p.dimensions[d]);
        uint coordinate = rest - next * p.dimensions[d].size;
        rest = next;
        source += coordinate * p.dimensions[d].stride[0];
        values += coordinate * p.dimensions[d].stride[1];
        indices += coordinate * p.dimensions[d].stride[2];
    }
    for (uint i = 0u; i < p.size; i++) {
        if (i < k)
            rise(source, heap, i, i);
        else if (comes_before(source, i, WORD_AT(p.scratch, heap)))
            sink(source, heap, k, i);
    }
    for (uint count = k; count-- > 0u;) { // the last of the remaining elements is at the top
        uint index = WORD_AT(p.scratch, heap), at = indices + count * p.index_step;
        ELEMENT_AT(p.values, values + count * p.value_step) = ELEMENT_AT(p.source, source + index * step_along);
        if (p.wide != 0u)
            WORD_AT(p.indices, 2u * at + 1u) = 0u;
        WORD_AT(p.indices, at << p.wide) = index;
        if (count > 0u)
            sink(source, heap, count, WORD_AT(p.scratch, heap + count));
    }
}
