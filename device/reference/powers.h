/* powers.h: e^x of rows, not exact to the last bits, and their sums in any order. */
#ifndef POWERS_H
#define POWERS_H

#include <stdint.h>

enum {
    POWERS_BLOCK = 1024,  /* elements that are added up at a time */
    POWERS_ADDITIONS = 80 /* an element of a block takes part in fewer additions */
};

/* The greatest relative difference from e^x. */
#define POWERS_ERROR 0x1p-45

/* The double nearest to ln 2. */
#define POWERS_LN2 0x1.62e42fefa39efp-1

/* The powers are divided by the power of two with an exponent that is an integer below this. So each is one of x -
 * exponent * POWERS_LN2, which must be at most 500. */
#define POWERS_EXPONENTS 0x1p22

/* Returns the least x that is computed as it is. The power of a lesser x is 0 in FLOAT32 beside 1, and does not change
 * a sum of 1: it is computed as if x were the least. A NaN stays. */
static inline float powers_least(double exponent)
{
    return (float)(exponent * POWERS_LN2 - 105);
}

/* Computes the powers of FLOAT32 elements that lie next to each other, and returns their sum. Meanwhile as many
 * elements from `next` on are fetched to a cache, whether they exist or not. wide_is_fused() must hold. */
double powers_row(const char *from, uint64_t count, double exponent, const char *next, double *to);

#endif
