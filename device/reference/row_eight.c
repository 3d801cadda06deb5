#include "device/reference/row_eight.h"

#include "device/reference/wide.h"

#if defined(__x86_64__)

#include <immintrin.h>

enum { EIGHT = ROW_LANES };

/* Loads eight elements of each row, and transposes them: elements with the same number lie side by side. Loading
 * element by element would take twice as many steps. */
WIDE_WIDEST WIDE_INLINE void load_turned(const char *const from[EIGHT], uint64_t number, __m256 turned[EIGHT])
{
    __m256 x[EIGHT], twos[EIGHT], fours[EIGHT];
    for (int k = 0; k < EIGHT; k++)
        x[k] = _mm256_loadu_ps((const float *)(const void *)(from[k] + number * sizeof(float)));
    for (int k = 0; k < EIGHT; k += 2) {
        twos[k] = _mm256_unpacklo_ps(x[k], x[k + 1]);
        twos[k + 1] = _mm256_unpackhi_ps(x[k], x[k + 1]);
    }
    for (int k = 0; k < EIGHT; k += 4)
        for (int i = 0; i < 2; i++) {
            fours[k + 2 * i] = _mm256_shuffle_ps(twos[k + i], twos[k + i + 2], 0x44);
            fours[k + 2 * i + 1] = _mm256_shuffle_ps(twos[k + i], twos[k + i + 2], 0xee);
        }
    for (int k = 0; k < EIGHT / 2; k++) {
        turned[k] = _mm256_permute2f128_ps(fours[k], fours[k + 4], 0x20);
        turned[k + 4] = _mm256_permute2f128_ps(fours[k], fours[k + 4], 0x31);
    }
}

WIDE_WIDEST WIDE_INLINE __m512d add_terms(const char *const from[EIGHT], uint64_t count, enum row_term term,
                                          __m512d means, __m512d sums)
{
    for (uint64_t i = 0; i < count; i += EIGHT) {
        __m256 turned[EIGHT];
        load_turned(from, i, turned);
        for (int k = 0; k < EIGHT; k++) {
            const __m512d x = _mm512_cvtps_pd(turned[k]), centre = _mm512_sub_pd(x, means);
            const __m512d other = term == ROW_SIZE ? _mm512_abs_pd(x) : _mm512_mul_pd(centre, centre);
            sums = _mm512_add_pd(sums, term == ROW_ELEMENT ? x : other);
        }
    }
    return sums;
}

/* Adds up rows; each term has a loop of its own. */
WIDE_WIDEST static void add_eight_up(const char *const rows[EIGHT], uint64_t count, enum row_term term,
                                     const double means[EIGHT], double sums[EIGHT])
{
    const char *const from[EIGHT] = {rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]};
    const __m512d mean = _mm512_loadu_pd(means);
    __m512d sum = _mm512_loadu_pd(sums);
    if (term == ROW_ELEMENT)
        sum = add_terms(from, count, ROW_ELEMENT, mean, sum);
    else if (term == ROW_SIZE)
        sum = add_terms(from, count, ROW_SIZE, mean, sum);
    else
        sum = add_terms(from, count, ROW_SQUARE, mean, sum);
    _mm512_storeu_pd(sums, sum);
}

uint64_t row_eight(const char *const from[ROW_LANES], uint64_t count, enum row_term term, const double means[ROW_LANES],
                   double sums[ROW_LANES])
{
    const uint64_t added = wide_has_avx512() ? count / EIGHT * EIGHT : 0;
    if (added > 0)
        add_eight_up(from, added, term, means, sums);
    return added;
}

#else

uint64_t row_eight(const char *const from[ROW_LANES], uint64_t count, enum row_term term, const double means[ROW_LANES],
                   double sums[ROW_LANES])
{
    (void)from, (void)count, (void)term, (void)means, (void)sums;
    return 0;
}

#endif
