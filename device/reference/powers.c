#include "device/reference/powers.h"

#include "device/common/double_bits.h"
#include "device/reference/single.h"
#include "device/reference/wide.h"

#include <string.h>

enum { LANES = 16 }; /* sums that go on side by side */

/* What is added to it is rounded to an integer, in the low bits. */
static const double shift = 0x1.8p52;

/* e^x is 2^k e^r, with |r| <= ln 2 / 2. The polynomial differs from e^r by 2^-45.7. */
WIDE_INLINE double power_of(double x)
{
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

WIDE_INLINE void compute_powers_any(const char *from, uint64_t count, double greatest, double *to)
{
    for (uint64_t i = 0; i < count; i++) {
        const double x = (double)single_at(from, i) - greatest;
        to[i] = power_of(x < POWERS_LEAST ? POWERS_LEAST : x);
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

WIDE(void, compute_powers, (const char *from, uint64_t count, double greatest, double *to), (from, count, greatest, to))
WIDE(double, add_up, (const double *x, uint64_t count), (x, count))

#if defined(__x86_64__)

#include <immintrin.h>

enum { PARTS = 16, VECTOR = 8 };

/* The bits of 2^(i / 16), less i << 48. */
static const uint64_t table[PARTS] = {
    0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
    0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
    0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
    0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da,
};

#define AVX512 __attribute__((target("avx512vl,avx512dq,fma")))

/* e^x is 2^(k / 16) e^r, with |r| <= ln 2 / 32: a power of two from a table in two registers, and half the polynomial.
 * That differs from e^r by 2^-47.6, and k times ln 2 / 16, for |k| <= 2401, from what it stands for by 2^-47.3. */
AVX512 WIDE_INLINE __m512d powers_of(__m512d x, __m512i low, __m512i high)
{
    const __m512d to_integer = _mm512_set1_pd(shift);
    const __m512d shifted = _mm512_fmadd_pd(x, _mm512_set1_pd(0x1.71547652b82fep4), to_integer);
    const __m512d k = _mm512_sub_pd(shifted, to_integer);
    const __m512d r = _mm512_fnmadd_pd(k, _mm512_set1_pd(0x1.62e42fefa39efp-5), x);
    const __m512i number = _mm512_castpd_si512(shifted);
    const __m512i power = _mm512_add_epi64(_mm512_permutex2var_epi64(low, number, high), _mm512_slli_epi64(number, 48));
    __m512d e = _mm512_fmadd_pd(_mm512_set1_pd(0x1.110fe5360efd3p-7), r, _mm512_set1_pd(0x1.5557621bf75b6p-5));
    e = _mm512_fmadd_pd(e, r, _mm512_set1_pd(0x1.5555555a1dee8p-3));
    e = _mm512_fmadd_pd(e, r, _mm512_set1_pd(0x1.fffffffd0ba3ap-2));
    e = _mm512_fmadd_pd(e, r, _mm512_set1_pd(0x1.fffffffffff59p-1));
    e = _mm512_fmadd_pd(e, r, _mm512_set1_pd(0x1.0000000000014p+0));
    return _mm512_mul_pd(e, _mm512_castsi512_pd(power));
}

/* Stores the powers of these lanes. Returns them, and 0 in the others. */
AVX512 WIDE_INLINE __m512d compute_lanes(const char *from, __mmask8 lanes, double greatest, __m512i low, __m512i high,
                                         double *to)
{
    const __m512d x = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, from));
    const __m512d below = _mm512_sub_pd(x, _mm512_set1_pd(greatest));
    const __m512d powers = powers_of(_mm512_max_pd(_mm512_set1_pd(POWERS_LEAST), below), low, high);
    _mm512_mask_storeu_pd(to, lanes, powers);
    return _mm512_maskz_mov_pd(lanes, powers);
}

AVX512 static double compute_and_add_up(const char *from, uint64_t count, double greatest, double *to)
{
    const __m512i low = _mm512_loadu_si512(table), high = _mm512_loadu_si512(table + VECTOR);
    __m512d sum = _mm512_setzero_pd();
    uint64_t i = 0;
    for (; i + VECTOR <= count; i += VECTOR)
        sum = _mm512_add_pd(sum, compute_lanes(from + i * sizeof(float), UINT8_MAX, greatest, low, high, to + i));
    const __mmask8 rest = (__mmask8)((1u << (count - i)) - 1);
    return _mm512_reduce_add_pd(
        _mm512_add_pd(sum, compute_lanes(from + i * sizeof(float), rest, greatest, low, high, to + i)));
}

double powers_row(const char *from, uint64_t count, double greatest, double *to)
{
    if (wide_has_avx512())
        return compute_and_add_up(from, count, greatest, to);
    compute_powers(from, count, greatest, to);
    return add_up(to, count);
}

#else

double powers_row(const char *from, uint64_t count, double greatest, double *to)
{
    compute_powers(from, count, greatest, to);
    return add_up(to, count);
}

#endif
