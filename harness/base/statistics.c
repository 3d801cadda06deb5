#include "harness/base/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct value {
    double value;
    size_t place; /* index before sorting */
    bool first;   /* the value is from the first set */
};

static int compare_values(const void *a, const void *b)
{
    double x = ((const struct value *)a)->value, y = ((const struct value *)b)->value;
    return (x > y) - (x < y);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void statistics_quartiles(const double *values, size_t count, double quartiles[3])
{
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    for (int i = 0; i < 3; i++)
        quartiles[i] = 0;
    if (!sorted)
        return;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    for (int i = 0; i < 3; i++) {
        double place = (double)(count - 1) * (i + 1) / 4;
        size_t below = (size_t)place, above = below + 1 < count ? below + 1 : below;
        quartiles[i] = sorted[below] + (sorted[above] - sorted[below]) * (place - (double)below);
    }
    free(sorted);
}

double statistics_median(const double *values, size_t count)
{
    double quartiles[3];
    statistics_quartiles(values, count, quartiles);
    return quartiles[1];
}

size_t statistics_outliers(const double *values, size_t count, const double quartiles[3])
{
    double far = 1.5 * (quartiles[2] - quartiles[0]);
    size_t outliers = 0;
    for (size_t i = 0; i < count; i++)
        outliers += values[i] < quartiles[0] - far || values[i] > quartiles[2] + far;
    return outliers;
}

/* Both sets, sorted together. */
struct ranking {
    struct value *values;
    uint32_t *twice; /* rank of each, times two: equal values share their mean rank */
    size_t count;
    uint64_t sum; /* sum of `twice` over the first set */
    double ties;  /* sum of t³ - t over groups of t equal values */
};

static bool rank(struct ranking *r, const double *x, size_t x_count, const double *y, size_t y_count)
{
    *r = (struct ranking){.count = x_count + y_count};
    r->values = malloc((r->count + 1) * sizeof *r->values);
    r->twice = malloc((r->count + 1) * sizeof *r->twice);
    if (!r->values || !r->twice)
        return false;
    for (size_t i = 0; i < r->count; i++)
        r->values[i] = (struct value){.value = i < x_count ? x[i] : y[i - x_count], .first = i < x_count};
    qsort(r->values, r->count, sizeof *r->values, compare_values);
    for (size_t i = 0, end; i < r->count; i = end) {
        for (end = i + 1; end < r->count && r->values[end].value <= r->values[i].value; end++)
            ;
        double t = (double)(end - i);
        r->ties += t * t * t - t;
        for (size_t j = i; j < end; j++) {
            r->twice[j] = (uint32_t)(i + 1 + end);
            r->sum += r->values[j].first ? r->twice[j] : 0;
        }
    }
    return true;
}

static void statistics_forget(struct ranking *r)
{
    free(r->values);
    free(r->twice);
}

static double approximate(const struct ranking *r, size_t x_count, size_t y_count)
{
    double n = (double)r->count, xy = (double)x_count * (double)y_count;
    double variance = xy / 12 * (n + 1 - r->ties / (n * (n - 1)));
    double off = fabs((double)r->sum / 2 - (double)x_count * (n + 1) / 2) - 0.5;
    if (!(variance > 0) || off <= 0)
        return 1;
    return erfc(off / sqrt(2 * variance));
}

/* Counts, for each sum of ranks, the ways to take k values with that sum. Row k of `table` is for k values, up to
 * `taken`; the function sets the first element of row 0. With STATISTICS_EXACT_MAX values, counts stay below 2^53. */
static void count_sums(const struct ranking *r, size_t taken, size_t max, double *table)
{
    size_t width = max + 1;
    table[0] = 1;
    for (size_t i = 0; i < r->count; i++) {
        size_t max_k = i + 1 < taken ? i + 1 : taken;
        for (size_t k = max_k; k > 0; k--) {
            double *row = table + k * width, *less = row - width;
            for (size_t sum = r->twice[i]; sum <= max; sum++)
                row[sum] += less[sum - r->twice[i]];
        }
    }
}

static double exact(const struct ranking *r, size_t x_count)
{
    size_t max = r->count * (r->count + 1);
    double *table = calloc((x_count + 1) * (max + 1), sizeof *table), all = 0, below = 0, above = 0;
    if (!table)
        return -1;
    count_sums(r, x_count, max, table);
    for (size_t sum = 0; sum <= max; sum++) {
        double ways = table[x_count * (max + 1) + sum];
        all += ways;
        below += sum <= r->sum ? ways : 0;
        above += sum >= r->sum ? ways : 0;
    }
    free(table);
    double p = 2 * fmin(below, above) / all;
    return p < 1 ? p : 1;
}

static double mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count, bool exactly)
{
    struct ranking ranking;
    double p = -1;
    if (x_count == 0 || y_count == 0)
        return 1;
    if (x_count > y_count) /* counting is cheaper for the smaller set */
        return mann_whitney(y, y_count, x, x_count, exactly);
    bool ranked = rank(&ranking, x, x_count, y, y_count);
    if (ranked && exactly && ranking.count <= STATISTICS_EXACT_MAX)
        p = exact(&ranking, x_count);
    if (ranked && p < 0)
        p = approximate(&ranking, x_count, y_count);
    statistics_forget(&ranking);
    return p < 0 ? 1 : p;
}

double statistics_mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count)
{
    return mann_whitney(x, x_count, y, y_count, true);
}

double statistics_mann_whitney_approximate(const double *x, size_t x_count, const double *y, size_t y_count)
{
    return mann_whitney(x, x_count, y, y_count, false);
}

double statistics_mann_whitney_least(size_t x_count, size_t y_count)
{
    double n = (double)(x_count + y_count), x = (double)x_count, y = (double)y_count;
    if (x_count == 0 || y_count == 0)
        return 1;
    if (x_count + y_count > STATISTICS_EXACT_MAX)
        return erfc((x * y / 2 - 0.5) / sqrt(x * y * (n + 1) / 6));
    double p = 2 * exp(lgamma(x + 1) + lgamma(y + 1) - lgamma(n + 1));
    return p < 1 ? p : 1;
}

void statistics_false_discovery(double *p, size_t count)
{
    struct value *sorted = malloc((count + 1) * sizeof *sorted);
    double least = 1;
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = (struct value){.value = p[i], .place = i};
    if (sorted)
        qsort(sorted, count, sizeof *sorted, compare_values);
    for (size_t i = count; i-- > 0;) {
        if (!sorted) { /* out of memory: use the stricter Bonferroni correction */
            p[i] = fmin(1, p[i] * (double)count);
            continue;
        }
        least = fmin(least, sorted[i].value * (double)count / (double)(i + 1));
        p[sorted[i].place] = least;
    }
    free(sorted);
}
