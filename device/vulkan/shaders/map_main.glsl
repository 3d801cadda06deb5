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

number scaled(number x)
{
    precise number product = x * attribute_of(p.scale) + attribute_of(p.bias);
    return p.is_scaled != 0u ? product : x;
}

number result_of(number x, number y, number z, number least, number most, uint mode)
{
    number result = compute(INPUTS > 0 ? scaled(x) : x, y, z, least, most, mode);
#if COMPOSITES_ONLY
    result = activated(result, least, most); // here alone, as drivers compile all of it wherever it is called
#endif
    return result;
}

// Reads four adjacent elements of each input.
void load_adjacent(uint i, out number x[TOGETHER], out number y[TOGETHER], out number z[TOGETHER])
{
    uvec4 first, second, third;
    if (INPUTS > 0)
        first = load_words(TYPE0, p.inputs[0], i);
    if (INPUTS > 1)
        second = load_words(TYPE1, p.inputs[1], i);
    if (INPUTS > 2)
        third = load_words(TYPE2, p.inputs[2], i);
    [[unroll]] for (uint u = 0; u < TOGETHER; u++) {
        x[u] = INPUTS > 0 ? number_of(TYPE0, first[u & 3u]) : number(i + u);
        y[u] = INPUTS > 1 ? number_of(TYPE1, second[u & 3u]) : number(0);
        z[u] = INPUTS > 2 ? number_of(TYPE2, third[u & 3u]) : number(0);
    }
}

void main()
{
    dimension dimensions[RANK];
    [[unroll]] for (uint d = 0; d < RANK; d++)
        dimensions[d] = p.dimensions[d];
    ADDRESS first = p.inputs[0], second = p.inputs[1], third = p.inputs[2], target = p.target;
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
    uint first_of_lane = ADJACENT ? TOGETHER * gl_LocalInvocationID.x : gl_LocalInvocationID.x;
    for (uint i = first_of_lane; i < end; i += TOGETHER * gl_WorkGroupSize.x) {
        // Load all elements before the first is computed with, so that their memory accesses overlap.
        number x[TOGETHER], y[TOGETHER], z[TOGETHER];
        uint to[TOGETHER];
        if (ADJACENT) {
            load_adjacent(begin + i, x, y, z);
            uvec4 results;
            [[unroll]] for (uint u = 0; u < TOGETHER; u++)
                results[u & 3u] = bits_for(TARGET_TYPE, result_of(x[u], y[u], z[u], least, most, mode));
            store_words(TARGET_TYPE, target, begin + i, results);
            continue;
        }
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
