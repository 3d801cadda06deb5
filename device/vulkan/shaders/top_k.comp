// TOP_K, one workgroup for each sequence. Elements become keys that grow in the order of the selection. A radix select
// finds the key of the last element that is selected, digit by digit; then the indices of the selected elements
// are written in their order, and sorted by a stable radix sort. Each invocation has a run of neighbouring elements, so that
// equal elements keep their order. All passes are linear.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "top_k.glsl"

const uint LANES = gl_WorkGroupSize.x / 2u; // invocations that count: their counts take 32 KiB at most

shared uint counts[16u * LANES]; // by digit, then by invocation
shared uint sums[17];            // of the rows before each digit, and of all

uint digit_of(uvec2 key, uint digit)
{
    return (digit < 8u ? key.x >> (4u * digit) : key.y >> (4u * (digit - 8u))) & 15u;
}

// Bits of a key above a digit.
uvec2 above(uvec2 key, uint digit)
{
    uint bit = 4u * (digit + 1u);
    if (bit >= 64u)
        return uvec2(0u);
    if (bit >= 32u)
        return uvec2(0u, key.y >> (bit - 32u));
    return uvec2(key.x >> bit, key.y);
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
    wait();
}

// Turns the first `rows` rows of counts into the counts before each, as a whole. One invocation for each row, then one
// for their sums.
void scan_counts(uint rows)
{
    wait();
    for (uint row = gl_LocalInvocationID.x; row < rows; row += gl_WorkGroupSize.x) {
        uint sum = 0u;
        for (uint i = 0u; i < LANES; i++) {
            uint count = counts[row * LANES + i];
            counts[row * LANES + i] = sum;
            sum += count;
        }
        sums[row] = sum;
    }
    wait();
    if (gl_LocalInvocationID.x == 0u) {
        uint sum = 0u;
        for (uint d = 0u; d < rows; d++) {
            uint count = sums[d];
            sums[d] = sum;
            sum += count;
        }
        sums[rows] = sum;
    }
    wait();
}

// The key of the last selected element. Sets `ties`: how many elements with this key are selected.
uvec2 find_last(uint source, uint begin, uint end, out uint ties)
{
    uvec2 last = uvec2(0u);
    uint wanted = p.k;
    for (uint digit = p.digits; digit-- > 0u;) {
        clear_counts();
        for (uint i = begin; i < end; i++) {
            uvec2 key = key_at(source + i * p.source_step);
            if (above(key, digit) == above(last, digit))
                counts[digit_of(key, digit) * LANES + gl_LocalInvocationID.x]++;
        }
        scan_counts(16u);
        uint d = 15u;
        while (sums[d] >= wanted)
            d--;
        wanted -= sums[d];
        if (digit < 8u)
            last.x |= d << (4u * digit);
        else
            last.y |= d << (4u * (digit - 8u));
        wait();
    }
    ties = wanted;
    return last;
}

// Writes the indices of the selected elements, in their order.
void collect(uint source, uint begin, uint end, uvec2 last, uint ties, uint to)
{
    clear_counts();
    uint mine = min(gl_LocalInvocationID.x, LANES - 1u);
    for (uint i = begin; i < end; i++) {
        uvec2 key = key_at(source + i * p.source_step);
        counts[mine] += uint(is_less(key, last));
        counts[LANES + mine] += uint(key == last);
    }
    scan_counts(2u);
    uint less = counts[mine], equal = counts[LANES + mine];
    for (uint i = begin; i < end; i++) {
        uvec2 key = key_at(source + i * p.source_step);
        bool is_before = is_less(key, last), is_tie = key == last && equal < ties;
        if (is_before || is_tie)
            WORD_AT(p.scratch, to + less + min(equal, ties)) = i;
        less += uint(is_before);
        equal += uint(key == last);
    }
    wait();
}

// One pass of the sort: by one digit, from one half of the scratch memory to the other.
void sort_by(uint digit, uint source, uint from, uint to)
{
    uint mine = gl_LocalInvocationID.x, run = (p.k - 1u) / LANES + 1u;
    uint begin = min(p.k, mine * run), end = min(p.k, begin + run);
    clear_counts();
    for (uint i = begin; i < end; i++) {
        uint index = WORD_AT(p.scratch, from + i);
        counts[digit_of(key_at(source + index * p.source_step), digit) * LANES + mine]++;
    }
    scan_counts(16u);
    for (uint i = begin; i < end; i++) {
        uint index = WORD_AT(p.scratch, from + i);
        uint d = digit_of(key_at(source + index * p.source_step), digit);
        WORD_AT(p.scratch, to + sums[d] + counts[d * LANES + mine]++) = index;
    }
    wait();
}

void run_sequence(uint source, uint values, uint indices, uint scratch)
{
    uint run = (p.size - 1u) / LANES + 1u, ties;
    uint begin = min(p.size, gl_LocalInvocationID.x * run), end = min(p.size, begin + run);
    uvec2 last = find_last(source, begin, end, ties);
    uint from = scratch, to = scratch + p.k;
    collect(source, begin, end, last, ties, from);
    for (uint digit = 0u; digit < p.digits && p.k > 1u; digit++) {
        sort_by(digit, source, from, to);
        uint kept = from;
        from = to;
        to = kept;
    }
    for (uint i = gl_LocalInvocationID.x; i < p.k; i += gl_WorkGroupSize.x) {
        uint index = WORD_AT(p.scratch, from + i), at = indices + i * p.index_step;
        ELEMENT_AT(p.values, values + i * p.value_step) = ELEMENT_AT(p.source, source + index * p.source_step);
        if (p.wide != 0u)
            WORD_AT(p.indices, 2u * at + 1u) = 0u;
        WORD_AT(p.indices, at << p.wide) = index;
    }
    wait();
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= p.groups)
        return;
    for (uint sequence = group; sequence < p.sequences; sequence += p.groups) {
        uint rest = sequence, source = 0u, values = 0u, indices = 0u;
        for (uint d = 0u; d < RANK; d++) {
            uint next = divide(rest, p.dimensions[d]);
            uint coordinate = rest - next * p.dimensions[d].size;
            rest = next;
            source += coordinate * p.dimensions[d].stride[0];
            values += coordinate * p.dimensions[d].stride[1];
            indices += coordinate * p.dimensions[d].stride[2];
        }
        run_sequence(source, values, indices, 2u * p.k * group);
    }
}
