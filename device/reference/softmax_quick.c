/* softmax_quick.c: what is computed here differs from what is asked for by less than a bound. Each part is computed at
 * both ends of the bound: if they round to the same FLOAT32, so does what is asked for, since rounding keeps the
 * order. */
#include "device/reference/softmax_quick.h"

#include "device/reference/powers.h"
#include "device/reference/single.h"
#include "device/reference/wide.h"

#include <math.h>
#include <string.h>

enum { LANES = 32 }; /* of which the greatest are found side by side */

/* How much rounding changes a number, relative to it. */
static const double unit = 0x1p-53;

WIDE_INLINE float find_greatest_any(const char *from, uint64_t count)
{
    float most[LANES], greatest = single_at(from, 0);
    uint64_t i = 0;
    for (int k = 0; k < LANES; k++)
        most[k] = greatest;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const float x = single_at(from, i + (uint64_t)k);
            most[k] = x > most[k] ? x : most[k];
        }
    for (; i < count; i++)
        most[0] = single_at(from, i) > most[0] ? single_at(from, i) : most[0];
    for (int k = 0; k < LANES; k++)
        greatest = most[k] > greatest ? most[k] : greatest;
    return greatest;
}

/* Returns 0 if all elements of FLOAT32 are the same at both ends. */
WIDE_INLINE uint32_t multiply_any(const double *restrict x, uint64_t count, double low, double high, float *restrict to)
{
    uint32_t others = 0;
    for (uint64_t i = 0; i < count; i++) {
        const float least = (float)(x[i] * low), most = (float)(x[i] * high);
        others |= single_bits(least) ^ single_bits(most);
        to[i] = least;
    }
    return others;
}

WIDE(float, find_greatest, (const char *from, uint64_t count), (from, count))
WIDE(uint32_t, multiply, (const double *restrict x, uint64_t count, double low, double high, float *restrict to),
     (x, count, low, high, to))

const float *softmax_quick(const char *from, uint64_t count, double *space)
{
    double *powers = space, sum = 0, sums = 0;
    float *parts = (float *)(space + count);
    if (!wide_is_fused())
        return NULL;
    const double greatest = (double)find_greatest(from, count);
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < POWERS_BLOCK ? count - i : POWERS_BLOCK;
        for (uint64_t k = 0; k < some * sizeof(float); k += 64)
            __builtin_prefetch(from + (count + i) * sizeof(float) + k);
        sum += powers_row(from + i * sizeof(float), some, greatest, powers + i);
        sums += (double)some * sum;
    }
    if (!isfinite(sum))
        return NULL;
    /* Each addition to the sum that is asked for is rounded: `sums` is at least what all sums on the way add up to.
     * Here, an element takes part in fewer additions. */
    const double additions = sums / sum + POWERS_ADDITIONS + (double)(count / POWERS_BLOCK);
    const double error = 1.01 * (2 * POWERS_ERROR + (additions + 8) * unit);
    return multiply(powers, count, 1 / sum * (1 - error), 1 / sum * (1 + error), parts) == 0 ? parts : NULL;
}
