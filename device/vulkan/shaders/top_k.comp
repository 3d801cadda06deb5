// TOP_K, one workgroup for each sequence, or for each tile of a long one. Elements become keys that grow in the order
// of the selection. A radix select finds the key of the last element that is selected, digit by digit; then the indices
// of the selected elements are written in their order. Indices from tiles form a list that the next launch selects
// from; in the last launch a stable sort follows: by rank if there are few, by radix if there are many. Each invocation
// has a run of neighbouring elements, so that equal elements keep their order. All passes are linear, except the sort
// by rank.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "top_k.glsl"

layout(constant_id = 1) const bool LISTED = false; // the kernel selects from a list of indices
layout(constant_id = 2) const bool IS_LAST = true; // the kernel sorts; otherwise it writes a list

const uint LANES = gl_WorkGroupSize.x / 2u; // invocations that count
// Segments of a row of counts, and counts of a segment.
const uint SEGMENTS = gl_WorkGroupSize.x < 16u ? 1u : gl_WorkGroupSize.x / 16u;
const uint SEGMENT = (LANES - 1u) / SEGMENTS + 1u;

shared uint counts[16u * LANES]; // by digit, then by invocation
shared uint parts[16u * SEGMENTS]; // sums of the segments of the rows
shared uint sums[17];            // sums of the rows before each digit, and of all rows

uint digit_of(uvec2 key, uint digit)
{
    return (WIDTH < 64 || digit < 8u ? key.x >> (4u * digit) : key.y >> (4u * (digit - 8u))) & 15u;
}

// Returns a mask of the bits of a key above a digit.
uvec2 above(uint digit)
{
    uint bit = 4u * (digit + 1u);
    uvec2 low = uvec2(bit < 32u ? ~0u << bit : 0u, ~0u);
    uvec2 high = uvec2(0u, bit < 64u ? ~0u << (bit - 32u) : 0u);
    return bit < 32u ? low : high;
}

void wait()
{
    memoryBarrier();
    barrier();
}

void clear_counts()
{
    for (uint i = gl_LocalInvocationID.x; i < 16u * LANES; i += gl_WorkGroupSize.x)
        counts[i] = 0u;
    barrier();
}

// Turns the first `rows` rows of counts, read as one sequence, into the counts before each. An invocation has a segment
// of a row: it adds up the segments before its own.
void scan_counts(uint rows)
{
    barrier();
    for (uint part = gl_LocalInvocationID.x; part < rows * SEGMENTS; part += gl_WorkGroupSize.x) {
        uint row = part / SEGMENTS, begin = (part - row * SEGMENTS) * SEGMENT, sum = 0u;
        for (uint i = begin; i < min(begin + SEGMENT, LANES); i++)
            sum += counts[row * LANES + i];
        parts[part] = sum;
    }
    barrier();
    for (uint part = gl_LocalInvocationID.x; part < rows * SEGMENTS; part += gl_WorkGroupSize.x) {
        uint row = part / SEGMENTS, begin = (part - row * SEGMENTS) * SEGMENT, sum = 0u;
        for (uint i = row * SEGMENTS; i < part; i++)
            sum += parts[i];
        for (uint i = begin; i < min(begin + SEGMENT, LANES); i++) {
            uint count = counts[row * LANES + i];
            counts[row * LANES + i] = sum;
            sum += count;
        }
        if (part == (row + 1u) * SEGMENTS - 1u)
            sums[row] = sum;
    }
    barrier();
    if (gl_LocalInvocationID.x == 0u) {
        uint sum = 0u;
        for (uint d = 0u; d < rows; d++) {
            uint count = sums[d];
            sums[d] = sum;
            sum += count;
        }
        sums[rows] = sum;
    }
    barrier();
}

// The elements that a workgroup selects from, and an invocation's share of them.
struct tile {
    uint source; // offset of the sequence
    uint list;   // offset of its list
    uint begin;
    uint end;
};

uint index_at(tile here, uint i)
{
    return LISTED ? WORD_AT(p.given, here.list + i) : i;
}

uvec2 key_of(tile here, uint i)
{
    return key_at(here.source + index_at(here, i) * step_along);
}

// Returns the greatest key with these digits down to one.
uvec2 with_ones(uvec2 key, uint digit)
{
    uint ones = (1u << (4u * (digit & 7u))) - 1u;
    return digit < 8u ? uvec2(key.x | ones, key.y) : uvec2(~0u, key.y | ones);
}

// Returns the key of the last of `wanted` elements, or a key between it and the next one. Sets `ties`: the number of
// selected elements with this key.
uvec2 find_last(tile here, uint wanted, out uint ties)
{
    uvec2 last = uvec2(0u);
    ties = wanted;
    for (uint digit = p.digits; digit-- > 0u;) {
        clear_counts();
        uvec2 mask = above(digit);
        for (uint i = here.begin; i < here.end; i++) {
            uvec2 key = key_of(here, i);
            if ((key & mask) == last)
                counts[digit_of(key, digit) * LANES + gl_LocalInvocationID.x]++;
        }
        scan_counts(16u);
        uint d = 15u;
        while (sums[d] >= wanted)
            d--;
        wanted -= sums[d];
        bool all = wanted == sums[d + 1u] - sums[d]; // all elements with this digit are selected
        if (digit < 8u)
            last.x |= d << (4u * digit);
        else
            last.y |= d << (4u * (digit - 8u));
        barrier();
        if (all)
            return with_ones(last, digit);
    }
    ties = wanted;
    return last;
}

// Writes the indices of the selected elements, in their order.
void collect(tile here, uvec2 last, uint ties, uint to)
{
    clear_counts();
    uint mine = min(gl_LocalInvocationID.x, LANES - 1u);
    for (uint i = here.begin; i < here.end; i++) {
        uvec2 key = key_of(here, i);
        counts[mine] += uint(is_less(key, last));
        counts[LANES + mine] += uint(key == last);
    }
    scan_counts(2u);
    uint less = counts[mine], equal = counts[LANES + mine];
    for (uint i = here.begin; i < here.end; i++) {
        uvec2 key = key_of(here, i);
        bool is_before = is_less(key, last), is_tie = key == last && equal < ties;
        if (is_before || is_tie)
            WORD_AT(p.scratch, to + less + min(equal, ties)) = index_at(here, i);
        less += uint(is_before);
        equal += uint(key == last);
    }
    wait();
}

// Does one pass of the sort: by one digit, from one half of the scratch memory to the other.
void sort_by(uint digit, uint source, uint from, uint to)
{
    uint mine = gl_LocalInvocationID.x, run = (p.k - 1u) / LANES + 1u;
    uint begin = min(p.k, mine * run), end = min(p.k, begin + run);
    clear_counts();
    for (uint i = begin; i < end; i++) {
        uint index = WORD_AT(p.scratch, from + i);
        counts[digit_of(key_at(source + index * step_along), digit) * LANES + mine]++;
    }
    scan_counts(16u);
    for (uint i = begin; i < end; i++) {
        uint index = WORD_AT(p.scratch, from + i);
        uint d = digit_of(key_at(source + index * step_along), digit);
        WORD_AT(p.scratch, to + sums[d] + counts[d * LANES + mine]++) = index;
    }
    wait();
}

// Writes element number `to` of the outputs.
void write(uint source, uint index, uint values, uint indices, uint to)
{
    uint at = indices + to * p.index_step;
    ELEMENT_AT(p.values, values + to * p.value_step) = ELEMENT_AT(p.source, source + index * step_along);
    if (p.wide != 0u)
        WORD_AT(p.indices, 2u * at + 1u) = 0u;
    WORD_AT(p.indices, at << p.wide) = index;
}

// Sorts the output of collect(), if there is an invocation for each index: it counts the elements before its own.
void sort_few(uint source, uint values, uint indices, uint from)
{
    uint mine = gl_LocalInvocationID.x, index = 0u, rank = 0u;
    uvec2 key = uvec2(0u);
    if (mine < p.k) {
        index = WORD_AT(p.scratch, from + mine);
        key = key_at(source + index * step_along);
        counts[2u * mine] = key.x;
        counts[2u * mine + 1u] = key.y;
    }
    barrier();
    if (mine < p.k) {
        for (uint i = 0u; i < p.k; i++) {
            uvec2 other = uvec2(counts[2u * i], counts[2u * i + 1u]);
            rank += uint(is_less(other, key) || (other == key && i < mine));
        }
        write(source, index, values, indices, rank);
    }
    wait();
}

// Sorts the output of collect() in the first half of the scratch memory, and writes the outputs.
void sort_many(uint source, uint values, uint indices, uint scratch)
{
    uint from = scratch, to = scratch + p.k;
    for (uint digit = 0u; digit < p.digits; digit++) {
        sort_by(digit, source, from, to);
        uint kept = from;
        from = to;
        to = kept;
    }
    for (uint i = gl_LocalInvocationID.x; i < p.k; i += gl_WorkGroupSize.x)
        write(source, WORD_AT(p.scratch, from + i), values, indices, i);
    wait();
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, tiles = (p.size - 1u) / p.tile + 1u;
    if (group >= p.groups)
        return;
    read_parameters();
    for (uint task = group; task < p.sequences * tiles; task += p.groups) {
        uint sequence = task / tiles, number = task - sequence * tiles;
        uint rest = sequence, values = 0u, indices = 0u, ties;
        tile here = tile(0u, sequence * p.size, 0u, 0u);
        for (uint d = 0u; d < RANK; d++) {
            uint next = divide(rest, p.dimensions[d]);
            uint coordinate = rest - next * p.dimensions[d].size;
            rest = next;
            here.source += coordinate * p.dimensions[d].stride[0];
            values += coordinate * p.dimensions[d].stride[1];
            indices += coordinate * p.dimensions[d].stride[2];
        }
        uint first = number * p.tile, count = min(p.tile, p.size - first), run = (count - 1u) / LANES + 1u;
        here.begin = first + min(count, gl_LocalInvocationID.x * run);
        here.end = first + min(count, gl_LocalInvocationID.x * run + run);
        uvec2 last = find_last(here, min(p.k, count), ties);
        uint to = IS_LAST ? 2u * p.k * group : sequence * p.found_size + number * p.k;
        collect(here, last, ties, to);
        if (IS_LAST && p.k <= gl_WorkGroupSize.x)
            sort_few(here.source, values, indices, to);
        else if (IS_LAST)
            sort_many(here.source, values, indices, to);
    }
}
