// The walk over the elements, and the sum across the invocations.
shared number firsts[gl_WorkGroupSize.x];
shared second seconds[gl_WorkGroupSize.x];

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

// What an invocation has of its line.
partial sum_of_lane(lane here, uint step, uint offset)
{
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

void main()
{
    lane here;
    line_grid grid = p.grid;
    if (!find_lane(grid, gl_LocalInvocationID.x, here))
        return;
    read_parameters();
    bool live = here.line < grid.line_count;
    uint rest = here.line, from = p.first, to = 0u;
    for (uint d = 0u; d < grid.line_rank; d++) {
        uint coordinate = take_coordinate(p.line_dimensions[d], rest);
        from += coordinate * p.line_dimensions[d].stride[0];
        to += coordinate * p.line_dimensions[d].stride[1];
    }
    partial sum = unit();
    if (live)
        sum = sum_of_lane(here, 1u << grid.places_log, from);
    firsts[here.slot] = sum.a;
    if (HAS_SECOND)
        seconds[here.slot] = sum.b;
    for (uint apart = 1u << grid.places_log >> 1; apart > 0u; apart >>= 1) {
        barrier();
        if (here.place < apart) {
            partial other;
            other.a = firsts[here.slot + apart];
            other.b = second(0);
            if (HAS_SECOND)
                other.b = seconds[here.slot + apart];
            sum = join(sum, other);
            firsts[here.slot] = sum.a;
            if (HAS_SECOND)
                seconds[here.slot] = sum.b;
        }
    }
    if (!live || here.place != 0u)
        return;
    if (TARGET_TYPE == 0)
        store_partial(here.tile * grid.line_count + here.line, sum);
    else
        store_result(to, sum);
}
