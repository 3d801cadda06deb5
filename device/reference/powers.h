/* powers.h: e^x of rows, hardly exact, and their sums in any order. */
#ifndef POWERS_H
#define POWERS_H

#include <stdint.h>

enum {
    POWERS_BLOCK = 256,   /* at most so many at a time, */
    POWERS_ADDITIONS = 64 /* of which each takes part in fewer additions */
};

/* How much one differs from e^x, relative to that. */
#define POWERS_ERROR 0x1p-45

/* Less is 0 in FLOAT32 beside 1, and nothing beside 1 in a sum: it is computed as if it were this. A NaN stays. */
#define POWERS_LEAST (-104.0)

/* Powers of x - greatest, where the FLOAT32 x lie next to each other. Returns their sum. wide_is_fused() must hold. */
double powers_row(const char *from, uint64_t count, double greatest, double *to);

#endif
