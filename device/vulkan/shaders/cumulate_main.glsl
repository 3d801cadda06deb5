// The walk over the chunks of a tile.
shared number items[gl_WorkGroupSize.x * EACH + gl_WorkGroupSize.x * EACH / 32u];
shared number sums[gl_WorkGroupSize.x];

number join(number x, number y)
{
    precise number product = x * y, sum = x + y;
    return IS_PRODUCT ? product : sum;
}

// Returns the slot of an item: neighbours that are EACH apart lie in different banks.
uint item(uint i)
{
    return i + i / 32u;
}

// Parameters that are read once, since a processor reads them for each invocation.
ADDRESS source;
uint source_step, from, places;

// Reads the elements of the chunk that begins `done` elements behind the beginning of the tile.
void read_chunk(lane here, bool live, uint done, out number values[EACH])
{
    [[unroll]] for (uint k = 0u; k < EACH; k++) {
        uint place = done + here.place + k * places;
        values[k] = number(IS_PRODUCT ? 1 : 0);
        if (live && place < here.end)
            values[k] = load_element(source, from + (here.begin + place) * source_step);
    }
}

void main()
{
    const number unit = number(IS_PRODUCT ? 1 : 0);
    lane here;
    line_grid grid = p.grid;
    if (!find_lane(grid, gl_LocalInvocationID.x, here))
        return;
    ADDRESS target = p.target;
    uint target_step = p.target_step;
    bool live = here.line < grid.line_count;
    places = 1u << grid.places_log;
    uint chunk = places * EACH, row = here.row * chunk;
    source = p.source;
    source_step = p.source_step;
    from = p.source_first;
    uint rest = here.line, to = p.target_first;
    for (uint d = 0u; d < grid.line_rank; d++) {
        uint next = divide(rest, p.line_dimensions[d]), coordinate = rest - next * p.line_dimensions[d].size;
        from += coordinate * p.line_dimensions[d].stride[0];
        to += coordinate * p.line_dimensions[d].stride[1];
        rest = next;
    }
    bool works = gl_LocalInvocationID.x < places << grid.lines_log;
    number carry = unit;
    if (live && p.is_tiled != 0u)
        carry = load_sum(p.before, here.tile * grid.line_count + here.line);
    number mine[EACH], next[EACH];
    read_chunk(here, live, 0u, next);
    for (uint done = 0u; done < here.end; done += chunk) {
        uint behind = here.end - done, first = here.begin + done;
        [[unroll]] for (uint k = 0u; k < EACH; k++)
            mine[k] = next[k];
        read_chunk(here, live && behind > chunk, done + chunk, next); // the loads overlap with the sums of this chunk
        [[unroll]] for (uint k = 0u; k < EACH; k++) {
            if (works)
                items[item(row + here.place + k * places)] = mine[k];
        }
        barrier();
        number sum = unit;
        [[unroll]] for (uint k = 0u; k < EACH; k++) {
            if (works)
                mine[k] = items[item(row + here.place * EACH + k)];
            sum = k == 0u ? mine[k] : join(sum, mine[k]);
        }
        if (works)
            sums[here.slot] = sum;
        for (uint apart = 1u; apart < places; apart <<= 1) {
            barrier();
            bool adds = works && here.place >= apart;
            if (adds)
                sum = join(sums[here.slot - apart], sum);
            barrier();
            if (adds)
                sums[here.slot] = sum;
        }
        barrier();
        number running = carry;
        if (works && here.place > 0u)
            running = join(carry, sums[here.slot - 1u]);
        if (works)
            carry = join(carry, sums[here.slot - here.place + places - 1u]);
        [[unroll]] for (uint k = 0u; k < EACH; k++) {
            number through = join(running, mine[k]);
            if (works)
                items[item(row + here.place * EACH + k)] = EXCLUSIVE ? running : through;
            running = through;
        }
        barrier();
        [[unroll]] for (uint k = 0u; k < EACH; k++) {
            uint place = here.place + k * places;
            if (live && place < behind)
                store_element(target, to + (first + place) * target_step,
                             items[item(row + place)]);
        }
    }
}
