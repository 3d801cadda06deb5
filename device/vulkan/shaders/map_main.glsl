// The formulas of map_formulas.inc as a function, and the walk over the elements.
number compute(number x, number y, number z, number least, number most, uint mode)
{
#define ROW(NAME, FORMULA)                                                                                             \
    case NAME:                                                                                                         \
        return number(FORMULA);
    switch (OPERATOR) {
#include "map_formulas.inc"
    }
    return x;
}

// Parameters that every element needs: they are read once, since a processor that runs many invocations as one vector
// reads them for each invocation where there are loops or branches.
ADDRESS first, second, third, target;
number scale, bias;
bool is_scaled;

void read_parameters()
{
    first = p.inputs[0];
    second = p.inputs[1];
    third = p.inputs[2];
    target = p.target;
    scale = attribute_of(p.scale);
    bias = attribute_of(p.bias);
    is_scaled = p.is_scaled != 0u;
}

number scaled(number x)
{
    precise number product = x * scale + bias;
    return is_scaled ? product : x;
}

number result_of(number x, number y, number z, number least, number most, uint mode)
{
    number result = compute(INPUTS > 0 ? scaled(x) : x, y, z, least, most, mode);
#if COMPOSITES_ONLY
    result = activated(result, least, most); // called only here, as drivers compile all of it for each call
#endif
    return result;
}

// Adjacent elements are computed four by four. An invocation has RUN of them side by side, and the next ones RUN_STEP
// further on.
const uint FOURS = (TOGETHER + 3u) / 4u, RUN = TEXELS == 1 ? 8u : 4u, RUN_STEP = RUN * gl_WorkGroupSize.x;

uint place_of_four(uint f)
{
    return f / (RUN / 4u) * RUN_STEP + f % (RUN / 4u) * 4u;
}

// Computes adjacent elements from i on, up to `end`.
void compute_fours(uint i, uint end, number least, number most, uint mode)
{
    number4 x[FOURS], y[FOURS], z[FOURS], results[FOURS];
    [[unroll]] for (uint f = 0u; f < FOURS; f++) {
        uint at = min(i + place_of_four(f), end - 4u);
        x[f] = INPUTS > 0 ? load_four(TYPE0, OPERAND(0, first), at) : number4(at, at + 1u, at + 2u, at + 3u);
        y[f] = INPUTS > 1 ? load_four(TYPE1, OPERAND(1, second), at) : number4(0);
        z[f] = INPUTS > 2 ? load_four(TYPE2, OPERAND(2, third), at) : number4(0);
    }
    [[unroll]] for (uint f = 0u; f < FOURS; f++) {
        [[unroll]] for (uint u = 0u; u < 4u; u++)
            results[f][u] = result_of(x[f][u], y[f][u], z[f][u], least, most, mode);
#if TEXELS
        if (f % 2u == 1u && i + place_of_four(f) < end)
            store_eight(TARGET_TYPE, target, i + place_of_four(f - 1u), results[f - 1u], results[f]);
#else
        if (i + place_of_four(f) < end)
            store_four(TARGET_TYPE, target, i + place_of_four(f), results[f]);
#endif
    }
}

void main()
{
    dimension dimensions[RANK];
    [[unroll]] for (uint d = 0; d < RANK; d++)
        dimensions[d] = p.dimensions[d];
    read_parameters();
    number least = attribute_of(p.least), most = attribute_of(p.most);
    uint mode = p.mode, count = p.count, group_size = p.group_size;
#if COMPOSITES_ONLY
    load_scalars();
#endif

    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    uint begin = group * group_size;
    uint end = min(group_size, count - begin);
    uint first_of_lane = ADJACENT ? RUN * gl_LocalInvocationID.x : gl_LocalInvocationID.x;
    for (uint i = first_of_lane; i < end; i += TOGETHER * gl_WorkGroupSize.x) {
        if (ADJACENT) {
            compute_fours(begin + i, begin + end, least, most, mode);
            continue;
        }
        // Load all elements before the first is used, so that their memory accesses overlap.
        number x[TOGETHER], y[TOGETHER], z[TOGETHER];
        uint to[TOGETHER];
        [[unroll]] for (uint u = 0; u < TOGETHER; u++) {
            uint element = begin + min(i + u * gl_WorkGroupSize.x, end - 1u), rest = element;
            uint at[4] = uint[](0u, 0u, 0u, 0u);
            [[unroll]] for (uint d = 0; d < RANK; d++) {
                uint coordinate = rest;
                if (d + 1u < RANK) {
                    uint next = divide(rest, dimensions[d]);
                    coordinate = rest - next * dimensions[d].size;
                    rest = next;
                }
                [[unroll]] for (uint k = 0; k < 4u; k++)
                    at[k] += coordinate * dimensions[d].stride[k];
            }
            x[u] = INPUTS > 0 ? load(TYPE0, first, at[0]) : number(element);
            y[u] = INPUTS > 1 ? load(TYPE1, second, at[1]) : number(0);
            z[u] = INPUTS > 2 ? load(TYPE2, third, at[2]) : number(0);
            to[u] = at[3];
        }
        [[unroll]] for (uint u = 0; u < TOGETHER; u++) {
            number result = result_of(x[u], y[u], z[u], least, most, mode);
            if (i + u * gl_WorkGroupSize.x < end)
                store(TARGET_TYPE, target, to[u], result);
        }
    }
}
