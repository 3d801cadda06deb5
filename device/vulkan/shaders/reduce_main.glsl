// The walk over the elements, and the sum across the invocations.
shared number firsts[ACROSS * gl_WorkGroupSize.x];
shared second seconds[ACROSS * gl_WorkGroupSize.x];

partial load_at(uint offset, uint place)
{
    if (TYPE == 0)
        return load_partial(offset);
    return of_element(load_element(offset), place);
}

// Elements that are in flight at a time. Indices are constants: a driver that does not unroll a loop would keep the
// array in memory.
#define LOAD_TERMS(COUNT)                                                                                              \
    partial t[COUNT];                                                                                                  \
    [[unroll]] for (uint u = 0u; u < COUNT; u++)                                                                       \
        t[u] = load_at(offset + offset_of_place(here.begin + i + u * step), here.begin + i + u * step);                \
    i += COUNT * step;

partial join4(partial x, partial y, partial z, partial w)
{
    return join(join(x, y), join(z, w));
}

#if WIDTH == 32
// Loads four adjacent elements, all at `place`, or from there on.
void load_four(uint offset, uint place, out partial t[4])
{
    number x[4];
    load_elements(offset, x);
    [[unroll]] for (uint c = 0u; c < 4u; c++)
        t[c] = of_element(x[c], ACROSS == 1u ? place + c : place);
}

// Loads eight terms of each of four adjacent lines: at `place`, and so on by `step`.
void load_terms(uint offset, uint place, uint step, out partial t[8][4])
{
    [[unroll]] for (uint u = 0u; u < 8u; u++)
        load_four(offset + offset_of_place(place + u * step), place + u * step, t[u]);
}

// A GPU reads the next terms while it joins these.
const bool AHEAD = TEXELS == 0;

// Joins an invocation's terms in its lines, which are adjacent.
void sums_across(lane here, uint step, uint offset, out partial sums[ACROSS])
{
    partial blocks[ACROSS], t[8][4], next[8][4];
    uint i = here.place, trees = 0u;
    [[unroll]] for (uint c = 0u; c < ACROSS; c++)
        sums[c] = blocks[c] = unit();
    if (AHEAD && i + 7u * step < here.end)
        load_terms(offset, here.begin + i, step, next);
    for (; i + 7u * step < here.end; i += 8u * step) {
        [[unroll]] for (uint q = 0u; q < ACROSS; q += 4u) {
            if (AHEAD) { // terms of four lines
                t = next;
                load_terms(offset, here.begin + (i + 15u * step < here.end ? i + 8u * step : i), step, next);
            } else {
                load_terms(offset + q, here.begin + i, step, t);
            }
            [[unroll]] for (uint c = 0u; c < 4u; c++)
                blocks[q + c] = join(blocks[q + c], join(join4(t[0][c], t[1][c], t[2][c], t[3][c]),
                                                         join4(t[4][c], t[5][c], t[6][c], t[7][c])));
        }
        trees++;
        bool full = trees % 16u == 0u;
        [[unroll]] for (uint c = 0u; c < ACROSS; c++) {
            partial sum = join(sums[c], blocks[c]), none = unit();
            sums[c].a = full ? sum.a : sums[c].a;
            sums[c].b = full ? sum.b : sums[c].b;
            blocks[c].a = full ? none.a : blocks[c].a;
            blocks[c].b = full ? none.b : blocks[c].b;
        }
    }
    for (; i < here.end; i += step) {
        [[unroll]] for (uint q = 0u; q < ACROSS; q += 4u) {
            partial t[4];
            load_four(offset + offset_of_place(here.begin + i) + q, here.begin + i, t);
            [[unroll]] for (uint c = 0u; c < 4u; c++)
                blocks[q + c] = join(blocks[q + c], t[c]);
        }
    }
    [[unroll]] for (uint c = 0u; c < ACROSS; c++)
        sums[c] = join(sums[c], blocks[c]);
}

partial sum_of_four(lane here, uint four, uint offset)
{
    partial t[4];
    uint place = here.begin + 4u * four;
    load_four(offset + place, place, t);
    return join4(t[0], t[1], t[2], t[3]);
}

// Joins an invocation's terms in its line, four by four.
partial sum_of_fours(lane here, uint step, uint offset)
{
    partial sum = unit(), block = unit();
    uint i = here.place, fours = here.end / 4u;
    for (; i + 7u * step < fours; i += 8u * step) {
        block = unit();
        [[unroll]] for (uint k = 0u; k < 8u; k += 2u)
            block = join(block, join(sum_of_four(here, i + k * step, offset),
                                     sum_of_four(here, i + (k + 1u) * step, offset)));
        sum = join(sum, block);
    }
    block = unit();
    for (; i < fours; i += step)
        block = join(block, sum_of_four(here, i, offset));
    return join(sum, block);
}
#endif

// Joins an invocation's terms in its line.
partial sum_of_lane(lane here, uint step, uint offset)
{
#if WIDTH == 32
    if (FOURS)
        return sum_of_fours(here, step, offset);
#endif
    partial sum = unit(), block = unit();
    uint i = here.place, trees = 0u;
    if (MANY) {
        while (i + 7u * step < here.end) {
            LOAD_TERMS(8u)
            block = join(block, join(join4(t[0], t[1], t[2], t[3]), join4(t[4], t[5], t[6], t[7])));
            trees++;
            if (trees % 4u == 0u) {
                sum = join(sum, block);
                block = unit();
            }
        }
        if (i + 3u * step < here.end) {
            LOAD_TERMS(4u)
            block = join(block, join4(t[0], t[1], t[2], t[3]));
        }
        sum = join(sum, block);
    }
    while (i < here.end) {
        block = unit();
        for (uint k = 0u; k < 8u && i < here.end; k++) {
            block = join(block, load_at(offset + offset_of_place(here.begin + i), here.begin + i));
            i += step;
        }
        sum = join(sum, block);
    }
    return sum;
}

void keep(uint slot, partial sum)
{
    firsts[slot] = sum.a;
    if (HAS_SECOND)
        seconds[slot] = sum.b;
}

partial kept(uint slot)
{
    partial sum;
    sum.a = firsts[slot];
    sum.b = HAS_SECOND ? seconds[slot] : second(0);
    return sum;
}

// Joins the results of the invocations of each line, eight at a time: the first invocation has the result. Neighbours
// keep theirs side by side, so that they use different banks of the shared memory.
void join_across(lane here, line_grid grid, inout partial sums[ACROSS])
{
    uint slot = gl_LocalInvocationID.x, apart = grid.lines_adjacent != 0u ? 1u << grid.lines_log : 1u;
    [[unroll]] for (uint c = 0u; c < ACROSS; c++)
        keep(c * gl_WorkGroupSize.x + slot, sums[c]);
    for (uint left = 1u << grid.places_log, next; left > 1u; left = next) {
        next = max(left / 8u, 1u);
        barrier();
        if (here.place >= next)
            continue;
        [[unroll]] for (uint c = 0u; c < ACROSS; c++) {
            [[unroll]] for (uint k = 1u; k < 8u; k++) {
                if (k * next < left)
                    sums[c] = join(sums[c], kept(c * gl_WorkGroupSize.x + slot + k * next * apart));
            }
            keep(c * gl_WorkGroupSize.x + slot, sums[c]);
        }
    }
}

void store_sum(lane here, line_grid grid, uint line, uint to, partial sum)
{
    if (TARGET_TYPE == 0)
        store_partial(here.tile * grid.line_count * ACROSS + line, sum);
    else
        store_result(to, sum);
}

void main()
{
    lane here;
    line_grid grid = p.grid;
    dimension innermost = p.line_dimensions[0]; // read with the others: a GPU waits for memory once
    read_parameters();
    if (!find_lane(grid, gl_LocalInvocationID.x, here))
        return;
    bool live = here.line < grid.line_count;
    uint rest = here.line, from = first_element, to = 0u;
    for (uint d = 0u; d < grid.line_rank; d++) {
        dimension lines = innermost;
        if (d > 0u)
            lines = p.line_dimensions[d];
        uint coordinate = take_coordinate(lines, rest);
        from += coordinate * lines.stride[0];
        to += coordinate * lines.stride[1];
    }
    partial sums[ACROSS];
#if WIDTH == 32
    if (ACROSS > 1u)
        sums_across(here, 1u << grid.places_log, live ? from : first_element, sums);
#endif
    if (ACROSS == 1u)
        sums[0] = live ? sum_of_lane(here, 1u << grid.places_log, from) : unit();
    join_across(here, grid, sums);
    if (!live || here.place != 0u)
        return;
    [[unroll]] for (uint c = 0u; c < ACROSS; c++)
        store_sum(here, grid, here.line * ACROSS + c, to + c * innermost.stride[1] / ACROSS, sums[c]);
}
