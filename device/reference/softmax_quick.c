/* softmax_quick.c: the computed sum differs from the exact one by less than a bound. Each part is computed at both ends
 * of the bound: if both round to the same FLOAT32, so does the exact part, since rounding keeps the order. */
#include "device/reference/softmax_quick.h"

#include "device/common/double_bits.h"
#include "device/reference/powers.h"
#include "device/reference/row.h"
#include "device/reference/single.h"
#include "device/reference/stream.h"
#include "device/reference/wide.h"

#include <math.h>
#include <string.h>

enum { LANES = 32 }; /* number of running maxima side by side */

/* The greatest relative change of a number by rounding. */
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

/* Returns 0 if all FLOAT32 elements are the same at both ends. */
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

/* Returns the least power of two with the exponent of x: half a unit in the last place of x is `unit` times it. */
static double power_below(double x)
{
    return double_of_bits(double_bits(x) >> 52 << 52);
}

#if defined(__x86_64__)

#include <immintrin.h>

enum { VECTOR = 8 };

/* Computes the same as multiply(), where stream_takes_eights(). */
WIDE_WIDEST static int multiply_and_stream(const double *x, uint64_t count, double low, double high, char *to)
{
    __m256i others = _mm256_setzero_si256();
    for (uint64_t i = 0; i < count; i += VECTOR) {
        const __m512d powers = _mm512_loadu_pd(x + i);
        const __m256i least = _mm256_castps_si256(_mm512_cvtpd_ps(_mm512_mul_pd(powers, _mm512_set1_pd(low))));
        const __m256i most = _mm256_castps_si256(_mm512_cvtpd_ps(_mm512_mul_pd(powers, _mm512_set1_pd(high))));
        others = _mm256_or_si256(others, _mm256_xor_si256(least, most));
        _mm256_stream_si256((__m256i *)(void *)(to + i * sizeof(float)), least);
    }
    return !_mm256_testz_si256(others, others);
}

#else

static int multiply_and_stream(const double *x, uint64_t count, double low, double high, char *to)
{
    (void)x, (void)count, (void)low, (void)high, (void)to;
    return 1;
}

#endif

int softmax_quick(const struct tensor *output, const char *from, uint64_t count, double *space, char *to)
{
    double *powers = space, sum = 0, sums = 0;
    float *parts = (float *)(space + count);
    if (!wide_is_fused())
        return 0;
    const double exponent = rint((double)find_greatest(from, count) / POWERS_LN2);
    if (!(fabs(exponent) < POWERS_EXPONENTS))
        return 0;
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < POWERS_BLOCK ? count - i : POWERS_BLOCK;
        const char *at = from + i * sizeof(float);
        sum += powers_row(at, some, exponent, at + count * sizeof(float), powers + i);
        sums += (double)some * power_below(1.01 * sum);
    }
    if (!isfinite(sum))
        return 0;
    /* Each addition to the exact sum is rounded, by `unit` times a power of two of `sums`. Here, an element takes part
     * in fewer additions. */
    const double additions = sums / sum + POWERS_ADDITIONS + (double)(count / POWERS_BLOCK);
    const double error = 1.01 * (2 * POWERS_ERROR + (additions + 8) * unit);
    const double low = 1 / sum * (1 - error), high = 1 / sum * (1 + error);
    if (to != from && stream_takes_eights(output->bytes, count, to))
        return multiply_and_stream(powers, count, low, high, to) == 0;
    if (multiply(powers, count, low, high, parts) != 0)
        return 0;
    row_copy(output, (const char *)parts, count, to);
    return 1;
}
