// Returns x * y * z, the largest times the smallest first, so that no intermediate product overflows or underflows.
number product_of(number x, number y, number z)
{
    number least = abs(x) < abs(y) ? x : y, most = abs(x) < abs(y) ? y : x;
    number small = abs(z) < abs(least) ? z : least, rest = abs(z) < abs(least) ? least : z;
    number large = abs(rest) > abs(most) ? rest : most, middle = abs(rest) > abs(most) ? most : rest;
    precise number product = large * small, result = product * middle;
    return result;
}

// Returns the activation ACTIVATION of x, which is an operator of its own or fused into another; a, b: its attributes.
// IS_HALF: the results are FLOAT16.
number activated(number x, number a, number b)
{
#define ACTIVATES(NAME, FORMULA)                                                                                       \
    case ACTIVATION_##NAME:                                                                                            \
        return FORMULA;
    switch (ACTIVATION) {
#include "map_activations.inc"
    }
#undef ACTIVATES
    return x;
}
