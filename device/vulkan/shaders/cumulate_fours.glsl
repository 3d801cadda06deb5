// The walk with SUBGROUPS: a subgroup takes a line alone, each invocation four adjacent elements, without a barrier.
// AHEAD chunks of the line are in flight.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require

const uint AHEAD = 8u;

number join(number x, number y)
{
    precise number product = x * y, sum = x + y;
    return IS_PRODUCT ? product : sum;
}

// Four elements of a line.
struct run {
    number values[4];
};

run load_run(ADDRESS p, uint i)
{
    uvec4 bits = AT(four, 16, AS(four, p), i / 4u);
    run result;
    [[unroll]] for (uint k = 0u; k < 4u; k++)
        result.values[k] = number_from(bits[k]);
    return result;
}

void store_run(ADDRESS p, uint i, run r)
{
    uvec4 bits;
    [[unroll]] for (uint k = 0u; k < 4u; k++)
        bits[k] = bits_from(r.values[k]);
    AT(four, 16, AS(four, p), i / 4u) = bits;
}

// Loads the elements of this invocation in AHEAD chunks, from the chunk at `done` on.
void load_chunks(ADDRESS source, uint from, uint first, uint chunk, uint done, out run runs[AHEAD])
{
    const number unit = number(IS_PRODUCT ? 1 : 0);
    [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
        uint i = done + a * chunk;
        runs[a].values = number[4](unit, unit, unit, unit);
        if (first + i < p.grid.line_length)
            runs[a] = load_run(source, from + i);
    }
}

void main()
{
    const number unit = number(IS_PRODUCT ? 1 : 0);
    line_grid grid = p.grid;
    ADDRESS source = p.source, target = p.target;
    uvec4 all = subgroupBallot(true);
    uint chunk = 4u * subgroupBallotBitCount(all), first = 4u * subgroupBallotExclusiveBitCount(all);
    uint last = subgroupBallotFindMSB(all);
    uint line = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_NumSubgroups + gl_SubgroupID;
    for (; line < grid.line_count; line += gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumSubgroups) {
        uint rest = line, from = first, to = first;
        for (uint d = 0u; d < grid.line_rank; d++) {
            uint next = divide(rest, p.line_dimensions[d]), coordinate = rest - next * p.line_dimensions[d].size;
            from += coordinate * p.line_dimensions[d].stride[0];
            to += coordinate * p.line_dimensions[d].stride[1];
            rest = next;
        }
        number carry = unit;
        run runs[AHEAD], next[AHEAD];
        load_chunks(source, from, first, chunk, 0u, next);
        for (uint done = 0u; done < grid.line_length; done += AHEAD * chunk) {
            runs = next;
            load_chunks(source, from, first, chunk, done + AHEAD * chunk, next); // while these are added up
            [[unroll]] for (uint a = 0u; a < AHEAD; a++) {
                uint i = done + a * chunk;
                number sum = runs[a].values[0];
                [[unroll]] for (uint k = 1u; k < 4u; k++)
                    sum = join(sum, runs[a].values[k]);
                number before = IS_PRODUCT ? subgroupExclusiveMul(sum) : subgroupExclusiveAdd(sum);
                number running = join(carry, before);
                carry = join(carry, subgroupBroadcast(join(before, sum), last));
                [[unroll]] for (uint k = 0u; k < 4u; k++) {
                    number through = join(running, runs[a].values[k]);
                    runs[a].values[k] = EXCLUSIVE ? running : through;
                    running = through;
                }
                if (first + i < grid.line_length)
                    store_run(target, to + i, runs[a]);
            }
        }
    }
}
