// TOP_K of rows on a processor, which reads them as texels: a workgroup of one subgroup takes a sequence. An invocation
// has RUN elements side by side, and the next ones behind those of the others. In the first pass it keeps the least key
// of each place of a run. The last selected key is at most number k of all these keys, and few elements are below that
// bound. The second pass collects those few, and they are sorted by rank. If there are too many, the last key is found
// bit by bit.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "top_k.glsl"
#include "texels.glsl"

const uint RUN = 16u; // at least twice k divided by the number of invocations
const uint MOST = 16u; // elements that an invocation sorts; as many places
const uint ROOM = MOST * gl_WorkGroupSize.x;

shared uint found[ROOM], keys[ROOM]; // collected elements: indices, in order, and keys

POINTER(word) sequences; // the address of the same elements: p.given
uint source, size, run_step;

uint first_of_lane()
{
    return RUN * gl_SubgroupInvocationID;
}

void load_run(uint i, out uint run[RUN])
{
    [[unroll]] for (uint f = 0u; f < RUN; f += 4u) {
        uvec4 texel = texel_of(0, elements, (source + i + f) / 4u);
        [[unroll]] for (uint u = 0u; u < 4u; u++)
            run[f + u] = key_from(uvec2(texel[u], 0u)).x;
    }
}

// Returns the greatest key with fewer than `wanted` keys below it, among the least keys of all places.
uint bound_of(uint least[RUN], uint wanted)
{
    uint bound = 0u;
    for (uint bit = 0x80000000u; bit > 0u; bit >>= 1) {
        uint tried = bound | bit, below = 0u;
        [[unroll]] for (uint k = 0u; k < RUN; k++)
            below += uint(least[k] < tried);
        bound = subgroupAdd(below) < wanted ? tried : bound;
    }
    return bound;
}

// Returns the same among all keys of the sequence. Without `live` it ends at once.
uint last_key(uint wanted, bool live)
{
    uint bound = 0u;
    for (uint bit = live ? 0x80000000u : 0u; bit > 0u; bit >>= 1) {
        uint tried = bound | bit, below = 0u;
        for (uint i = first_of_lane(); i < size; i += run_step) {
            uint run[RUN];
            load_run(i, run);
            [[unroll]] for (uint k = 0u; k < RUN; k++)
                below += uint(run[k] < tried);
        }
        bound = subgroupAdd(below) < wanted ? tried : bound;
    }
    return bound;
}

// Collects the elements before `end` with keys from `least` to `most`, behind `count` elements collected so far, as
// long as there is room.
void collect(uint end, uint least, uint most, inout uint count)
{
    for (uint begin = 0u; begin < end; begin += run_step) {
        uint run[RUN], hits = 0u, i = begin + first_of_lane();
        load_run(min(i, size - RUN), run);
        [[unroll]] for (uint k = 0u; k < RUN; k++)
            hits |= uint(run[k] >= least && run[k] <= most) << k;
        hits = i < size ? hits : 0u;
        uint mine = uint(bitCount(hits)), to = count + subgroupExclusiveAdd(mine);
        count += subgroupAdd(mine);
        for (; hits != 0u && to < ROOM; hits &= hits - 1u, to++)
            found[to] = i + uint(findLSB(hits));
    }
}

// The offsets of a sequence's results.
struct outputs {
    POINTER(element) values;
    POINTER(word) indices;
    uint value; // offset of the first value
    uint index;
    uint value_step;
    uint index_step;
    uint wide;
};

// Writes the first `k` of `count` collected elements in the order of their keys; equal keys keep their order.
void write_sorted(uint count, uint k, outputs to)
{
    uint mine[MOST], own[MOST], ranks[MOST];
    [[unroll]] for (uint m = 0u; m < MOST; m++) {
        uint place = m * gl_WorkGroupSize.x + gl_SubgroupInvocationID;
        mine[m] = place < count ? found[place] : 0u;
        own[m] = key_from(uvec2(WORD_AT(sequences, source + mine[m]), 0u)).x;
        keys[place] = own[m];
        ranks[m] = place < count ? 0u : k;
    }
    barrier();
    for (uint i = 0u; i < count; i++) {
        uint other = keys[i];
        [[unroll]] for (uint m = 0u; m < MOST; m++) {
            uint place = m * gl_WorkGroupSize.x + gl_SubgroupInvocationID;
            ranks[m] += uint(other < own[m]) + uint(other == own[m] && i < place);
        }
    }
    [[unroll]] for (uint m = 0u; m < MOST; m++) {
        uint at = to.index + ranks[m] * to.index_step;
        if (ranks[m] < k) {
            ELEMENT_AT(to.values, to.value + ranks[m] * to.value_step) = WORD_AT(sequences, source + mine[m]);
            WORD_AT(to.indices, at << to.wide) = mine[m];
            if (to.wide != 0u)
                WORD_AT(to.indices, 2u * at + 1u) = 0u;
        }
    }
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, rest = group;
    outputs to = outputs(p.values, p.indices, 0u, 0u, p.value_step, p.index_step, p.wide);
    uint k = p.k, count = 0u;
    read_parameters();
    sequences = p.given;
    size = p.size;
    source = 0u;
    run_step = RUN * gl_WorkGroupSize.x;
    for (uint d = 0u; d < RANK; d++) {
        uint next = divide(rest, p.dimensions[d]), coordinate = rest - next * p.dimensions[d].size;
        rest = next;
        source += coordinate * p.dimensions[d].stride[0];
        to.value += coordinate * p.dimensions[d].stride[1];
        to.index += coordinate * p.dimensions[d].stride[2];
    }
    if (group >= p.sequences)
        return;
    uint least[RUN];
    [[unroll]] for (uint k = 0u; k < RUN; k++)
        least[k] = 0xffffffffu;
    for (uint i = first_of_lane(); i < size; i += run_step) {
        uint run[RUN];
        load_run(i, run);
        [[unroll]] for (uint k = 0u; k < RUN; k++)
            least[k] = min(least[k], run[k]);
    }
    collect(size, 0u, bound_of(least, k), count);
    bool crowded = count > ROOM;
    uint last = last_key(k, crowded), end = crowded ? size : 0u;
    count = crowded ? 0u : count;
    collect(last > 0u ? end : 0u, 0u, last - 1u, count);
    collect(end, last, last, count);
    barrier();
    write_sorted(min(count, ROOM), k, to);
}
