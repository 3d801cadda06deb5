#include "device/reference/powers.h"

#include "device/common/double_bits.h"
#include "device/reference/single.h"
#include "device/reference/wide.h"

#include <string.h>

enum { LANES = 16 }; /* sums that go on side by side */

/* An addend for rounding: its sum with a number has the nearest integer in its low bits. */
static const double shift = 0x1.8p52;

/* Computes e^x as 2^k e^r, with |r| <= ln 2 / 2. The polynomial differs from e^r by 2^-45.7. The addend of k is taken
 * off again with the exponent, so that this takes no time. */
WIDE_INLINE double power_of(double x, double exponent)
{
    const double to_integer = shift - exponent;
    const double shifted = __builtin_fma(x, 1 / POWERS_LN2, to_integer), k = shifted - to_integer;
    const double r = __builtin_fma(k, -POWERS_LN2, x);
    const double square = r * r;
    double even = 0x1.a16e43f3db2ccp-16, odd = 0x1.710176a3dde7bp-19; /* two chains are shorter than one */
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

WIDE_INLINE void compute_powers_any(const char *from, uint64_t count, double exponent, double least, double *to)
{
    for (uint64_t i = 0; i < count; i++) {
        const double x = (double)single_at(from, i);
        to[i] = power_of(x < least ? least : x, exponent);
    }
}

WIDE_INLINE double add_powers_up_any(const double *x, uint64_t count)
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

WIDE(void, compute_powers, (const char *from, uint64_t count, double exponent, double least, double *to),
     (from, count, exponent, least, to))
WIDE(double, add_powers_up, (const double *x, uint64_t count), (x, count))

#if defined(__x86_64__)

#include <immintrin.h>

enum { PARTS = 16, VECTOR = 8, VECTORS = 2 };

/* The bits of 2^(i / 16) times the first coefficient of a polynomial, less i << 48. */
static const uint64_t table[PARTS] = {
    0x3f8110fe5360efd3, 0x3f80d26ce223d25c, 0x3f809c6bd09b35bc, 0x3f806f5c2f56265d,
    0x3f804ba35b07730f, 0x3f8031ab2d3ac19e, 0x3f8021e22f31b106, 0x3f801cbbcf017a60,
    0x3f8022b0970a967d, 0x3f80343e67e50f95, 0x3f8051e8b4dd5471, 0x3f807c38c31e9def,
    0x3f80b3bdeba9413d, 0x3f80f90de034a122, 0x3f814cc4f31dd7f5, 0x3f8157c33142d57b,
};

struct constants {
    __m512d to_integer;
    __m512i low, high; /* the table */
    __m256 least;
};

#define EACH for (int v = 0; v < VECTORS; v++)

/* Stores the powers of these lanes, and adds them to `sums`.
 *
 * e^x is 2^(k / 16) e^r, with |r| <= ln 2 / 32: a power of two from a table in two registers, and half the polynomial.
 * The polynomial differs from e^r by 2^-47.6, and k times ln 2 / 16, for |k| <= 2450 beyond the exponent, from its
 * exact value by 2^-47.2. The table has the polynomial's first coefficient, so that the polynomial begins with a sum.
 *
 * A step waits for the one before it. So each step handles several vectors, one after the other. */
WIDE_WIDEST WIDE_INLINE void compute_lanes(const char *from, uint32_t lanes, struct constants c, double *to,
                                           __m512d sums[VECTORS])
{
    __m512d x[VECTORS], shifted[VECTORS], e[VECTORS];
    __m512i power[VECTORS];
    EACH
    {
        const __m256 singles = _mm256_maskz_loadu_ps((__mmask8)(lanes >> v * VECTOR), from + v * VECTOR * 4);
        x[v] = _mm512_cvtps_pd(_mm256_max_ps(c.least, singles));
        shifted[v] = _mm512_fmadd_pd(x[v], _mm512_set1_pd(PARTS / POWERS_LN2), c.to_integer);
    }
    EACH
    {
        const __m512d k = _mm512_sub_pd(shifted[v], c.to_integer);
        const __m512i number = _mm512_castpd_si512(shifted[v]);
        power[v] = _mm512_permutex2var_epi64(c.low, number, c.high);
        power[v] = _mm512_add_epi64(power[v], _mm512_slli_epi64(number, 48));
        x[v] = _mm512_fnmadd_pd(k, _mm512_set1_pd(POWERS_LN2 / PARTS), x[v]);
    }
    EACH e[v] = _mm512_add_pd(x[v], _mm512_set1_pd(0x1.40034b627c74bp+2));
    EACH e[v] = _mm512_fmadd_pd(e[v], x[v], _mm512_set1_pd(0x1.40015f6aa4633p+4));
    EACH e[v] = _mm512_fmadd_pd(e[v], x[v], _mm512_set1_pd(0x1.e0020f16775c6p+5));
    EACH e[v] = _mm512_fmadd_pd(e[v], x[v], _mm512_set1_pd(0x1.e0020f193c6c4p+6));
    EACH e[v] = _mm512_fmadd_pd(e[v], x[v], _mm512_set1_pd(0x1.e0020f193c786p+6));
    EACH e[v] = _mm512_mul_pd(e[v], _mm512_castsi512_pd(power[v]));
    EACH
    {
        const __mmask8 some = (__mmask8)(lanes >> v * VECTOR);
        _mm512_mask_storeu_pd(to + v * VECTOR, some, e[v]);
        sums[v] = _mm512_mask_add_pd(sums[v], some, sums[v], e[v]);
    }
}

WIDE_WIDEST static double compute_and_add_up(const char *from, uint64_t count, double exponent, const char *next,
                                             double *to)
{
    enum { TOGETHER = VECTOR * VECTORS };
    const struct constants constants = {_mm512_set1_pd(shift - PARTS * exponent), _mm512_loadu_si512(table),
                                        _mm512_loadu_si512(table + VECTOR), _mm256_set1_ps(powers_least(exponent))};
    __m512d sums[VECTORS] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
    uint64_t i = 0;
    for (; i + TOGETHER <= count; i += TOGETHER) {
        __builtin_prefetch(next + i * sizeof(float));
        compute_lanes(from + i * sizeof(float), UINT16_MAX, constants, to + i, sums);
    }
    if (i < count)
        compute_lanes(from + i * sizeof(float), (1u << (count - i)) - 1, constants, to + i, sums);
    return _mm512_reduce_add_pd(_mm512_add_pd(sums[0], sums[1]));
}

#endif

/* Computes a few elements at a time, so that fetches to a cache do not wait for each other. */
static double compute_then_add_up(const char *from, uint64_t count, double exponent, const char *next, double *to)
{
    enum { FEW = 256, LINE = 64 };
    double sum = 0;
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < FEW ? count - i : FEW;
        for (uint64_t k = 0; k < some * sizeof(float); k += LINE)
            __builtin_prefetch(next + i * sizeof(float) + k);
        compute_powers(from + i * sizeof(float), some, exponent, (double)powers_least(exponent), to + i);
        sum += add_powers_up(to + i, some);
    }
    return sum;
}

double powers_row(const char *from, uint64_t count, double exponent, const char *next, double *to)
{
#if defined(__x86_64__)
    if (wide_has_avx512())
        return compute_and_add_up(from, count, exponent, next, to);
#endif
    return compute_then_add_up(from, count, exponent, next, to);
}
