// Joins values of the invocations of a line; all of them get the result. Every invocation of the workgroup must call
// these functions, in turns: 0, 1, 0 and so on, since slower invocations may still read the values joined before.
//
// No function of subgroups joins them: subgroupMax() was wrong on an H100 if most invocations had a number from
// elements behind the end of a row.

// The invocations that share a line. Each has the slot of shared memory with its own number.
struct peers {
    uint place; // place of this invocation in the line
    uint first; // slot of the first invocation
    uint apart; // slots from one to the next
    uint count; // a power of two
};

shared uint joined[2][gl_WorkGroupSize.x];

// Returns the peers of the invocation at `place` of `row`, for so many lines that are adjacent or not: see lanes.glsl.
// The place of an invocation without a line is behind all others.
peers peers_of(uint place, uint row, uint lines, uint count, bool adjacent)
{
    uint first = adjacent ? row : row * count;
    return peers(place, place >= count ? 0u : first, adjacent ? lines : 1u, count);
}

uint both(bool adds, uint x, uint y)
{
    precise float sum = uintBitsToFloat(x) + uintBitsToFloat(y);
    return adds ? floatBitsToUint(sum) : max(x, y);
}

// Joins floats: adds them, or finds the greatest. It joins eight at a time; neighbours keep theirs side by side, so
// that they use different banks of the shared memory.
uint joined_across(bool adds, uint value, uint turn, peers all)
{
    uint slot = gl_LocalInvocationID.x, left = all.count;
    joined[turn][slot] = value;
    for (; left > 8u; left /= 8u) {
        barrier();
        if (all.place >= left / 8u)
            continue;
        [[unroll]] for (uint k = 1u; k < 8u; k++)
            value = both(adds, value, joined[turn][slot + k * (left / 8u) * all.apart]);
        joined[turn][slot] = value;
    }
    barrier();
    value = joined[turn][all.first];
    [[unroll]] for (uint k = 1u; k < 8u; k++) {
        if (k < left)
            value = both(adds, value, joined[turn][all.first + k * all.apart]);
    }
    return value;
}

float sum_across(float value, uint turn, peers all)
{
    return uintBitsToFloat(joined_across(true, floatBitsToUint(value), turn, all));
}

uint greatest_across(uint value, uint turn, peers all)
{
    return joined_across(false, value, turn, all);
}
