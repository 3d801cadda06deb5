// What map_real.comp and map_function.comp share: elements and attributes as floats of WIDTH bits.
#include "reals.glsl"

number attribute_of(uvec2 bits)
{
#if WIDTH == 64
    return packDouble2x32(bits);
#else
    return uintBitsToFloat(bits.x);
#endif
}

#if FUNCTIONS
// The fused activation of x; a, b: its attributes.
number activated(number x, number a, number b)
{
#define ACTIVATES(NAME, FORMULA)                                                                                       \
    case ACTIVATION_##NAME:                                                                                            \
        return FORMULA;
    switch (ACTIVATION) {
#include "map_activations.inc"
    }
    return x;
}

#define FLOATS ROW
#define REALS(NAME, FORMULA)
#define NUMBERS(NAME, FORMULA)
#else
#define FLOATS(NAME, FORMULA)
#define REALS ROW
#define NUMBERS ROW
#endif
#define WHOLES(NAME, FORMULA)
#define BITS(NAME, FORMULA)
#include "map_main.glsl"
