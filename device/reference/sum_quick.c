#include "device/reference/sum_quick.h"

#include "device/reference/single.h"
#include "device/reference/wide.h"

#include <math.h>
#include <string.h>

enum {
    LANES = 16,  /* sums that go on side by side */
    BLOCK = 2048 /* elements that are read twice, from a first-level cache */
};

struct sums {
    double sum, sizes; /* rounded sums of the terms, and of their sizes */
};

WIDE_INLINE double quick_term(float value, enum row_term term)
{
    const double x = (double)value;
    if (term == ROW_ELEMENT)
        return x;
    return term == ROW_SIZE ? fabs(x) : x * x;
}

WIDE_INLINE double add_terms_up(const char *from, uint64_t count, enum row_term term)
{
    double sums[LANES] = {0}, sum = 0;
    uint64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++)
            sums[k] += quick_term(single_at(from, i + (uint64_t)k), term);
    for (; i < count; i++)
        sums[0] += quick_term(single_at(from, i), term);
    for (int k = 0; k < LANES; k++)
        sum += sums[k];
    return sum;
}

WIDE_INLINE float add_sizes_up(const char *from, uint64_t count)
{
    float sizes[2 * LANES] = {0}, sum = 0;
    uint64_t i = 0;
    for (; i + 2 * LANES <= count; i += 2 * LANES)
        for (int k = 0; k < 2 * LANES; k++)
            sizes[k] += fabsf(single_at(from, i + (uint64_t)k));
    for (; i < count; i++)
        sizes[0] += fabsf(single_at(from, i));
    for (int k = 0; k < 2 * LANES; k++)
        sum += sizes[k];
    return sum;
}

/* Adds up terms; each term has a loop of its own. */
WIDE_INLINE struct sums add_row_up_any(const char *from, uint64_t count, enum row_term term)
{
    struct sums all = {0, 0};
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < BLOCK ? count - i : BLOCK;
        const char *at = from + i * sizeof(float);
        if (term == ROW_ELEMENT) {
            all.sum += add_terms_up(at, some, ROW_ELEMENT);
            all.sizes += (double)add_sizes_up(at, some);
        } else {
            all.sizes = all.sum +=
                term == ROW_SIZE ? add_terms_up(at, some, ROW_SIZE) : add_terms_up(at, some, ROW_SQUARE);
        }
    }
    return all;
}

WIDE(struct sums, add_row_up, (const char *from, uint64_t count, enum row_term term), (from, count, term))

#if defined(__x86_64__)

#include <immintrin.h>

/* Computes the same as add_row_up() for elements, in one pass: compilers make no vectors of a loop that adds up
 * both. */
WIDE_WIDEST static struct sums add_elements_up(const char *from, uint64_t count)
{
    enum { VECTOR = 8, VECTORS = LANES / VECTOR };
    struct sums all = {0, 0};
    uint64_t i = 0;
    while (count - i >= LANES) {
        const uint64_t end = i + (count - i < BLOCK ? (count - i) / LANES * LANES : BLOCK);
        __m512d sums[VECTORS] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
        __m256 sizes[VECTORS] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        for (; i < end; i += LANES)
            for (int v = 0; v < VECTORS; v++) {
                const char *at = from + (i + (uint64_t)v * VECTOR) * sizeof(float);
                const __m256 x = _mm256_loadu_ps((const float *)(const void *)at);
                sums[v] = _mm512_add_pd(sums[v], _mm512_cvtps_pd(x));
                sizes[v] = _mm256_add_ps(sizes[v], _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x));
            }
        all.sum += _mm512_reduce_add_pd(_mm512_add_pd(sums[0], sums[1]));
        all.sizes += _mm512_reduce_add_pd(_mm512_cvtps_pd(_mm256_add_ps(sizes[0], sizes[1])));
    }
    for (; i < count; i++) {
        const double x = (double)single_at(from, i);
        all.sum += x;
        all.sizes += fabs(x);
    }
    return all;
}

static struct sums add_all_up(const char *from, uint64_t count, enum row_term term)
{
    return term == ROW_ELEMENT && wide_has_avx512() ? add_elements_up(from, count) : add_row_up(from, count, term);
}

#else

static struct sums add_all_up(const char *from, uint64_t count, enum row_term term)
{
    return add_row_up(from, count, term);
}

#endif

/* No term is rounded: a double holds the square of a FLOAT32. Each addition is rounded, by 2^-53 of a number that is at
 * most the sum of the sizes; that sum loses less than 1 of 100 to its own rounding. A term takes part in `count`
 * additions in order, and in fewer here. */
struct sum_bounds sum_quick(const char *from, uint64_t count, enum row_term term)
{
    const struct sums all = add_all_up(from, count, term);
    const double additions = (double)count + BLOCK / LANES + LANES + (double)(count / BLOCK) + 1;
    const double error = 1.05 * additions * 0x1p-53 * all.sizes;
    return (struct sum_bounds){all.sum - error, all.sum + error};
}
