// The activation ACTIVATION of x, an operator of its own or fused into another; a, b: its attributes.
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
