// The parts that the kernels that compute with floats share: elements and attributes as floats of WIDTH bits. The
// kernels for FLOAT32 and FLOAT16 only are separate, since a driver reads all of a module for each pipeline: they
// define FUNCTIONS_ONLY or COMPOSITES_ONLY as 1, the others as 0.
#include "reals.glsl"

number attribute_of(uvec2 bits)
{
#if WIDTH == 64
    return packDouble2x32(bits);
#else
    return uintBitsToFloat(bits.x);
#endif
}

#if COMPOSITES_ONLY
#define IS_HALF (TARGET_TYPE == FLOAT16)
#include "activated.glsl"

number scalars[6];

void load_scalars()
{
    const int types[6] = int[](FLOAT32, TYPE0, FLOAT32, TYPE1, FLOAT32, TARGET_TYPE);
    [[unroll]] for (int k = 0; k < 6; k++) {
        scalars[k] = 0.0;
        if (SCALARS && (p.given >> k & 1u) != 0u)
            scalars[k] = load(types[k], p.scalars[k], 0u);
    }
}
#endif

#if COMPOSITES_ONLY
#define COMPOSITES ROW
#else
#define COMPOSITES(NAME, FORMULA)
#endif
#if FUNCTIONS_ONLY
#define FLOATS ROW
#else
#define FLOATS(NAME, FORMULA)
#endif
#if FUNCTIONS_ONLY || COMPOSITES_ONLY
#define REALS(NAME, FORMULA)
#define NUMBERS(NAME, FORMULA)
#else
#define REALS ROW
#define NUMBERS ROW
#endif
#define WHOLES(NAME, FORMULA)
#define BITS(NAME, FORMULA)
#include "map_main.glsl"
