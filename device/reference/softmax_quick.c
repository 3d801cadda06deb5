/* softmax_quick.c: what is computed here differs from what is asked for by less than a bound. Each part is computed at
 * both ends of the bound: if they round to the same FLOAT32, so does what is asked for, since rounding keeps the
 * order. */
#include "device/reference/softmax_quick.h"

#include "device/common/double_bits.h"
#include "device/reference/wide.h"

#include <stddef.h>
#include <string.h>

enum { LANES = 16 }; /* sums that go on side by side */

/* How much rounding changes a number, relative to it. */
static const double unit = 0x1p-53;

/* How much power_of() differs from e^x, relative to it: the polynomial, by 2^-45.7, and its rounding. */
static const double power_error = 0x1p-45;

/* e^x is 2^k e^r, with |r| <= ln 2 / 2. */
WIDE_INLINE double power_of(double x)
{
    const double shift = 0x1.8p52; /* what is added to it is rounded to an integer, in the low bits */
    const double shifted = __builtin_fma(x, 0x1.71547652b82fep0, shift), k = shifted - shift;
    const double r = __builtin_fma(k, -0x1.abc9e3b39803fp-56, __builtin_fma(k, -0x1.62e42fefa39efp-1, x));
    const double square = r * r;
    double even = 0x1.a16e43f3db2ccp-16, odd = 0x1.710176a3dde7bp-19; /* two chains: shorter than one */
    even = __builtin_fma(even, square, 0x1.6c163bdba6f8cp-10);
    odd = __builtin_fma(odd, square, 0x1.a01b73aa5fad3p-13);
    even = __builtin_fma(even, square, 0x1.5555557df50fbp-5);
    odd = __builtin_fma(odd, square, 0x1.1111108e187a7p-7);
    even = __builtin_fma(even, square, 0x1.fffffffff13c7p-2);
    odd = __builtin_fma(odd, square, 0x1.5555555589fadp-3);
    even = __builtin_fma(even, square, 1);
    odd = __builtin_fma(odd, square, 1);
    const double e = __builtin_fma(odd, r, even);
    return double_of_bits(double_bits(e) + (double_bits(shifted) << 52));
}

WIDE_INLINE float single_at(const char *from, uint64_t number)
{
    float value;
    memcpy(&value, from + number * sizeof value, sizeof value);
    return value;
}

WIDE_INLINE float find_greatest_any(const char *from, uint64_t count)
{
    float most[2 * LANES], greatest = single_at(from, 0);
    uint64_t i = 0;
    for (int k = 0; k < 2 * LANES; k++)
        most[k] = greatest;
    for (; i + 2 * LANES <= count; i += 2 * LANES)
        for (int k = 0; k < 2 * LANES; k++) {
            const float x = single_at(from, i + (uint64_t)k);
            most[k] = x > most[k] ? x : most[k];
        }
    for (; i < count; i++)
        most[0] = single_at(from, i) > most[0] ? single_at(from, i) : most[0];
    for (int k = 0; k < 2 * LANES; k++)
        greatest = most[k] > greatest ? most[k] : greatest;
    return greatest;
}

/* Below e^-700, powers count as that: it is 0 in FLOAT32, and nothing beside 1 in the sum. A NaN stays. */
WIDE_INLINE void compute_powers_any(const char *from, uint64_t count, double greatest, double *powers)
{
    for (uint64_t i = 0; i < count; i++) {
        const double below = (double)single_at(from, i) - greatest;
        powers[i] = power_of(below < -700 ? -700 : below);
    }
}

WIDE_INLINE double add_up_any(const double *x, uint64_t count)
{
    double sums[LANES] = {0}, sum = 0;
    uint64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++)
            sums[k] += x[i + (uint64_t)k];
    for (; i < count; i++)
        sums[0] += x[i];
    for (int k = 0; k < LANES; k++)
        sum += sums[k];
    return sum;
}

/* Returns how many elements of FLOAT32 are not the same at both ends. */
WIDE_INLINE uint64_t multiply_any(const double *restrict x, uint64_t count, double low, double high, float *restrict to)
{
    uint32_t others = 0;
    for (uint64_t i = 0; i < count; i++) {
        const float least = (float)(x[i] * low), most = (float)(x[i] * high);
        others += least == most ? 0 : 1;
        to[i] = least;
    }
    return others;
}

WIDE(float, find_greatest, (const char *from, uint64_t count), (from, count))
WIDE(void, compute_powers, (const char *from, uint64_t count, double greatest, double *powers),
     (from, count, greatest, powers))
WIDE(double, add_up, (const double *x, uint64_t count), (x, count))
WIDE(uint64_t, multiply, (const double *restrict x, uint64_t count, double low, double high, float *restrict to),
     (x, count, low, high, to))

const float *softmax_quick(const char *from, uint64_t count, double *space)
{
    enum { BLOCK = 256 };
    double *powers = space, sum = 0, sums = 0;
    float *parts = (float *)(space + count);
    if (!wide_is_fused())
        return NULL;
    const double greatest = (double)find_greatest(from, count);
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < BLOCK ? count - i : BLOCK;
        for (uint64_t k = 0; k < some * sizeof(float); k += 64)
            __builtin_prefetch(from + (count + i) * sizeof(float) + k);
        compute_powers(from + i * sizeof(float), some, greatest, powers + i);
        sum += add_up(powers + i, some);
        sums += (double)some * sum;
    }
    /* Each addition to the sum that is asked for is rounded: `sums` is at least what all sums on the way add up to.
     * Here, an element takes part in fewer than BLOCK / LANES + LANES + count / BLOCK additions. */
    const double additions = sums / sum + BLOCK / LANES + LANES + (double)(count / BLOCK);
    const double error = 1.01 * (2 * power_error + (additions + 8) * unit);
    const int is_sure = multiply(powers, count, 1 / sum * (1 - error), 1 / sum * (1 + error), parts) == 0;
    return is_sure ? parts : NULL;
}
