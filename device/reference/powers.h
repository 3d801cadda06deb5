/* powers.h: e^x of rows, hardly exact, and their sums in any order. */
#ifndef POWERS_H
#define POWERS_H

#include <stdint.h>

enum {
    POWERS_BLOCK = 1024,  /* at most so many at a time, */
    POWERS_ADDITIONS = 80 /* of which each takes part in fewer additions */
};

/* How much one differs from e^x, relative to that. */
#define POWERS_ERROR 0x1p-45

/* The double nearest to ln 2. */
#define POWERS_LN2 0x1.62e42fefa39efp-1

/* The powers are divided by the power of two with an exponent that is an integer, of less than this. So each is one of
 * x - exponent * POWERS_LN2, which must be at most 500. */
#define POWERS_EXPONENTS 0x1p22

/* Less is 0 in FLOAT32 beside 1, and nothing beside 1 in a sum: it is computed as if it were this. A NaN stays. */
static inline float powers_least(double exponent)
{
    return (float)(exponent * POWERS_LN2 - 105);
}

/* Of FLOAT32 that lie next to each other. Returns the sum. Meanwhile as many elements from `next` on are brought to a
 * cache, whether they are there or not. wide_is_fused() must hold. */
double powers_row(const char *from, uint64_t count, double exponent, const char *next, double *to);

#endif
