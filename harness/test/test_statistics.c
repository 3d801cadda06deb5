/* Statistics compared with published values, values counted by hand, and simulations. */
#include "harness/base/statistics.h"
#include "harness/base/random.h"
#include "harness/results/timing.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>

static int near(double got, double expected, double by, const char *what)
{
    int good = fabs(got - expected) <= by;
    if (!ok(good, "%s", what))
        note("got %.9g, expected %.9g", got, expected);
    return good;
}

static double p_of(const double *x, size_t n, const double *y, size_t m)
{
    return statistics_mann_whitney(x, n, y, m);
}

#define P(x, y) p_of(x, sizeof(x) / sizeof *(x), y, sizeof(y) / sizeof *(y))

static void test_published(void)
{
    static const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10};
    near(P(low, high), 2.0 / 252, 1e-15, "five below five: 2 of C(10, 5)");
    near(P(high, low), 2.0 / 252, 1e-15, "swapping the sets changes nothing");
    near(statistics_mann_whitney_least(5, 5), 2.0 / 252, 1e-12, "the smallest p-value for these sizes");
    /* Mann and Whitney 1947, table for n = 4: P(U <= 1) for m = 4 is .029. */
    static const double a[] = {1, 2, 3, 5}, b[] = {4, 6, 7, 8};
    near(P(a, b), 2 * .029, .001, "U = 1 of 4 and 4, as published in 1947");
    /* Permeability constants of the human chorioamnion, Hollander and Wolfe 1973, page 69: one-sided .1272. */
    static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
                        weeks[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    near(P(term, weeks), 2 * .1272, .0001, "permeability constants: 0.2544");
    /* Ranks 1 3 3 | 3 5.5 5.5: 3 of 20 splits have a sum of at most 7. */
    static const double tied[] = {1, 2, 2}, other[] = {2, 3, 3};
    near(P(tied, other), 2 * 3.0 / 20, 1e-15, "ties count as they are");
    static const double same[] = {7, 7, 7, 7, 7, 7};
    near(P(same, same), 1, 0, "equal values do not differ");
    near(statistics_mann_whitney_approximate(same, 6, same, 6), 1, 0,
         "equal values do not differ in the approximation");
    near(statistics_mann_whitney(low, 5, low, 0), 1, 0, "an empty set does not differ");
}

/* Counts the splits one by one. */
static double by_enumeration(const double *values, unsigned n, unsigned taken)
{
    double twice[16], observed = 0, below = 0, above = 0, all = 0;
    for (unsigned i = 0; i < n; i++) {
        twice[i] = 1;
        for (unsigned j = 0; j < n; j++)
            twice[i] += (unsigned)(values[j] < values[i]) + (unsigned)(values[j] <= values[i]);
        observed += i < taken ? twice[i] : 0;
    }
    for (unsigned set = 0; set < 1u << n; set++) {
        double sum = 0;
        if ((unsigned)__builtin_popcount(set) != taken)
            continue;
        for (unsigned i = 0; i < n; i++)
            sum += set >> i & 1 ? twice[i] : 0;
        all++;
        below += sum <= observed;
        above += sum >= observed;
    }
    return fmin(1, 2 * fmin(below, above) / all);
}

static void test_against_enumeration(void)
{
    struct random random = {.key = 1};
    int wrong = 0, different = 0;
    for (int round = 0; round < 300; round++) {
        double values[12];
        unsigned n = 4 + random_below(&random, 9), taken = 1 + random_below(&random, n - 1),
                 range = 2 + random_below(&random, 20);
        for (unsigned i = 0; i < n; i++)
            values[i] = random_below(&random, range); /* with ties */
        double p = statistics_mann_whitney(values, taken, values + taken, n - taken);
        wrong += fabs(p - by_enumeration(values, n, taken)) > 1e-12;
        different += p < 1;
    }
    ok(wrong == 0 && different > 200, "300 small sets, with ties: all as counted one by one (%d wrong)", wrong);
}

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Returns a number that is skewed like times: a floor, a tail and occasional interruptions. */
static double a_time(struct random *random)
{
    return 1000 - 60 * log(1 - uniform(random)) + (random_below(random, 20) == 0 ? 5000 : 0);
}

static void test_approximation(void)
{
    struct random random = {.key = 2};
    double worst = 0;
    for (int round = 0; round < 200; round++) {
        double x[20], y[20];
        for (int i = 0; i < 20; i++) {
            x[i] = random_below(&random, 50);
            y[i] = random_below(&random, 50) + (uint32_t)round % 10;
        }
        double p = statistics_mann_whitney(x, 20, y, 20), q = statistics_mann_whitney_approximate(x, 20, y, 20);
        worst = fmax(worst, fabs(p - q));
    }
    ok(worst < 0.01, "the normal approximation is near the exact value (off by %.4f)", worst);
    double far[64];
    for (int i = 0; i < 64; i++)
        far[i] = i;
    near(statistics_mann_whitney(far, 32, far + 32, 32), statistics_mann_whitney_least(32, 32), 1e-15,
         "the smallest p-value of large sets");
}

static void test_false_discovery(void)
{
    /* Benjamini and Hochberg 1995, section 4.1: at 0.05 the first four are discoveries. */
    double p[] = {.0344, .0001, .0004, .0019, .0201, .0095, .0278, .0298, .0459, .3240, .4262, .5719, .6528, .7590, 1};
    statistics_false_discovery(p, 15);
    near(p[1], .0015, 1e-12, "the false discovery rate of the smallest p-value");
    near(p[5], .0095 * 15 / 4, 1e-12, "the rate of the fourth");
    near(p[4], .0201 * 15 / 5, 1e-12, "the rate of the fifth");
    near(p[14], 1, 0, "the rate of the last");
    int found = 0;
    for (int i = 0; i < 15; i++)
        found += p[i] <= 0.05;
    ok(found == 4, "four discoveries, as published");
    double dip[] = {.04, .041, .042};
    statistics_false_discovery(dip, 3);
    near(dip[0], .042, 1e-12, "a smaller p-value has no larger rate");
    statistics_false_discovery(dip, 0);
}

static void test_median(void)
{
    static const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
    near(statistics_median(odd, 3), 3, 0, "the median of three");
    near(statistics_median(even, 4), 2.5, 0, "the median of four");
    near(statistics_median(odd, 0), 0, 0, "the median of nothing");
}

enum { CASES = 400, REPEATS = 15 };

/* Verdicts for up to CASES cases; `slow` of them take `factor` times as long on the second side. */
static void test_statistics_measure(struct random *random, int count, int slow, double factor,
                                    const struct timing_limits *limits, size_t verdicts[TIMING_VERDICTS], int *right)
{
    static double before[CASES][REPEATS], after[CASES][REPEATS];
    static struct timing timings[CASES];
    for (int c = 0; c < count; c++) {
        for (int r = 0; r < REPEATS; r++) {
            before[c][r] = a_time(random);
            after[c][r] = a_time(random) * (c < slow ? factor : 1);
        }
        timing_test(before[c], REPEATS, after[c], REPEATS, &timings[c]);
    }
    timing_judge(timings, (size_t)count, limits);
    for (int c = 0; c < count; c++) {
        verdicts[timings[c].verdict]++;
        *right += c < slow && timings[c].verdict == (factor > 1 ? TIMING_SLOWER : TIMING_FASTER);
    }
}

static void test_simulation(void)
{
    struct random random = {.key = 3};
    const struct timing_limits any = {.effect = 0, .rate = 0.05}, usual = {.effect = 0.1, .rate = 0.05};
    int sessions = 0, small = 0, right = 0, none = 0;
    for (int session = 0; session < 200; session++) {
        size_t verdicts[TIMING_VERDICTS] = {0};
        test_statistics_measure(&random, CASES / 4, 0, 1, &any, verdicts, &none);
        sessions += verdicts[TIMING_SLOWER] + verdicts[TIMING_FASTER] > 0;
        struct random few = {.key = (uint64_t)session + 1000};
        double x[8], y[8];
        for (int i = 0; i < 8; i++) {
            x[i] = a_time(&few);
            y[i] = a_time(&few);
        }
        small += statistics_mann_whitney(x, 8, y, 8) <= 0.05;
    }
    /* 200 draws at 0.05: 10 expected, more than 20 once in a thousand times; the seed is fixed. */
    ok(sessions <= 20, "without differences, %d of 200 sessions report one (at most 5 %% expected)", sessions);
    ok(small <= 20 && small > 0, "a single test at 5 %% is wrong %d times of 200", small);
    size_t verdicts[TIMING_VERDICTS] = {0};
    test_statistics_measure(&random, CASES, 40, 1.2, &usual, verdicts, &right);
    ok(right >= 36, "40 of 400 cases take 20 %% longer: %d are found", right);
    ok(verdicts[TIMING_SLOWER] + verdicts[TIMING_FASTER] - (size_t)right <= 3, "few other cases are reported");
    right = 0;
    verdicts[TIMING_SLOWER] = verdicts[TIMING_FASTER] = 0;
    test_statistics_measure(&random, CASES, 40, 1 / 1.2, &usual, verdicts, &right);
    ok(right >= 36, "40 cases are faster: %d are found", right);
    right = 0;
    verdicts[TIMING_SLOWER] = verdicts[TIMING_FASTER] = 0;
    test_statistics_measure(&random, CASES, 400, 1.05, &usual, verdicts, &right);
    ok(verdicts[TIMING_SLOWER] <= 4, "5 %% is below the smallest effect: %zu are slower", verdicts[TIMING_SLOWER]);
}

static void test_timing(void)
{
    static const double before[] = {100, 101, 102, 103, 104, 105}, after[] = {150, 151, 152, 153, 154, 155};
    const struct timing_limits limits = {.effect = 0.1, .rate = 0.05};
    struct timing t[3];
    timing_test(before, 6, after, 6, &t[0]);
    timing_test(after, 6, before, 6, &t[1]);
    timing_test(before, 4, after, 6, &t[2]);
    ok(t[2].verdict == TIMING_UNTESTED, "four samples are too few for a verdict");
    timing_judge(t, 3, &limits);
    ok(t[0].verdict == TIMING_SLOWER && t[1].verdict == TIMING_FASTER && t[2].verdict == TIMING_UNTESTED,
       "slower, faster, untested");
    near(t[0].ratio, (152. / 102 + 153. / 103) / 2, 0.02, "the median of the ratios");
    near(t[0].q, 2.0 / 924, 1e-12, "untested cases do not count as tests");
    const struct timing_limits strict = {.effect = 0.6, .rate = 0.05};
    timing_judge(t, 2, &strict);
    ok(t[0].verdict == TIMING_SAME && t[1].verdict == TIMING_SAME,
       "a difference below the smallest effect does not count");
    ok(timing_repeats_needed(1, 0.05) == 5 && timing_repeats_needed(16731, 0.05) == 11,
       "11 repeats find a single slow case among 16731");
}

static void test_quartiles(void)
{
    static const double values[] = {7, 1, 3, 5, 2, 4, 6, 8}, one[] = {4}, far[] = {10, 11, 12, 13, 14, 17.1, 6.9, 40};
    double quartiles[3];
    statistics_quartiles(values, 8, quartiles);
    near(quartiles[0], 2.75, 0, "the first quartile of 1 to 8");
    near(quartiles[1], 4.5, 0, "the second is the median");
    near(quartiles[2], 6.25, 0, "the third");
    ok(statistics_outliers(values, 8, quartiles) == 0, "no value is far outside");
    statistics_quartiles(one, 1, quartiles);
    ok(quartiles[0] >= 4 && quartiles[2] <= 4, "all quartiles of one value are that value");
    statistics_quartiles(one, 0, quartiles);
    ok(quartiles[1] <= 0 && quartiles[1] >= 0, "without values they are 0");
    statistics_quartiles(far, 7, quartiles); /* 10.5, 12, 13.5: beyond 6 and 18 */
    ok(statistics_outliers(far, 7, quartiles) == 0, "values at less than 1.5 distances are none");
    ok(statistics_outliers(far, 8, (const double[]){10.5, 12, 13.5}) == 1, "a value at more is an outlier");
    ok(statistics_outliers(far, 8, (const double[]){11, 12, 13}) == 3, "on both sides");
}

int main(void)
{
    test_quartiles();
    test_median();
    test_published();
    test_against_enumeration();
    test_approximation();
    test_false_discovery();
    test_timing();
    test_simulation();
    return tap_done();
}
