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
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) {
        uint rest = begin + i;
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
        number x = number(begin + i), y = number(0), z = number(0);
        if (INPUTS > 0)
            x = scaled(load(TYPE0, first, at[0]));
        if (INPUTS > 1)
            y = load(TYPE1, second, at[1]);
        if (INPUTS > 2)
            z = load(TYPE2, third, at[2]);
        number result = compute(x, y, z, least, most, mode);
#if COMPOSITES_ONLY
        result = activated(result, least, most); // here alone, as drivers compile all of it wherever it is called
#endif
        store(TARGET_TYPE, target, at[3], result);
    }
}
