// The walk with TEXELS: an invocation takes a line alone, RUN elements at a time, which lie side by side. The sum of
// the elements before a run is kept as three sums, of runs, of FEW runs and of FEW times as many, so errors grow
// slowly.
const uint RUN = 16u, FEW = 16u;

number join(number x, number y)
{
    precise number product = x * y, sum = x + y;
    return IS_PRODUCT ? product : sum;
}

void main()
{
    const number unit = number(IS_PRODUCT ? 1 : 0);
    lane here;
    line_grid grid = p.grid;
    ADDRESS source = p.source, target = p.target;
    if (!find_lane(grid, gl_LocalInvocationID.x, here))
        return;
    bool live = here.line < grid.line_count;
    uint rest = min(here.line, grid.line_count - 1u), from = 0u, to = 0u;
    for (uint d = 0u; d < grid.line_rank; d++) {
        uint next = divide(rest, p.line_dimensions[d]), coordinate = rest - next * p.line_dimensions[d].size;
        from += coordinate * p.line_dimensions[d].stride[0];
        to += coordinate * p.line_dimensions[d].stride[1];
        rest = next;
    }
    number near = unit, farther = unit, far = unit;
    for (uint i = 0u; i < grid.line_length; i += RUN) {
        number before = join(far, join(farther, near)), running = unit;
        uvec4 bits[RUN / 4u];
        [[unroll]] for (uint f = 0u; f < RUN / 4u; f++)
            bits[f] = load_words(TYPE, OPERAND(0, source), from + i + 4u * f);
        [[unroll]] for (uint k = 0u; k < RUN; k++) {
            number x = number_from(bits[k / 4u][k % 4u]), through = k == 0u ? x : join(running, x);
            bits[k / 4u][k % 4u] = bits_from(join(before, EXCLUSIVE ? running : through));
            running = through;
        }
        if (live) {
            [[unroll]] for (uint f = 0u; f < RUN / 4u; f += 2u)
                store_words(TYPE, target, to + i + 4u * f, bits[f], bits[f + 1u]);
        }
        near = join(near, running);
        uint runs = i / RUN + 1u;
        bool few = runs % FEW == 0u, many = runs % (FEW * FEW) == 0u;
        farther = few ? join(farther, near) : farther;
        near = few ? unit : near;
        far = many ? join(far, farther) : far;
        farther = many ? unit : farther;
    }
}
