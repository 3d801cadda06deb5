// What the invocations of a line have, joined across them; all of them get the result. Every invocation of the workgroup
// must call these functions, in turns: 0, 1, 0 and so on, since slower ones may still read what was joined before.
//
// No function of subgroups joins them: subgroupMax() of numbers that most invocations had from elements behind the end of
// a row was wrong on an H100.

// The invocations that share the line of this one. Each has a slot of shared memory, of its own number.
struct peers {
    uint place; // of this one in the line
    uint first; // slot of the first one
    uint apart; // slots from one to the next
    uint count; // a power of two
};

shared uint joined[2][gl_WorkGroupSize.x];

// Of the invocation at `place` of `row`, of so many lines that are adjacent or not: see lanes.glsl. One that has no line is
// behind all places.
peers peers_of(uint place, uint row, uint lines, uint count, bool adjacent)
{
    return peers(place, place >= count ? 0u : adjacent ? row : row * count, adjacent ? lines : 1u, count);
}

uint both(bool adds, uint x, uint y)
{
    precise float sum = uintBitsToFloat(x) + uintBitsToFloat(y);
    return adds ? floatBitsToUint(sum) : max(x, y);
}

// Joins floats that it adds, or finds the greatest number. It joins eight at a time; neighbours keep theirs side by side,
// so that they use different banks of the shared memory.
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
