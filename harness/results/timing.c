#include "harness/results/timing.h"

#include "harness/base/statistics.h"

#include <stdlib.h>

static const char *const verdict_names[TIMING_VERDICTS] = {
    [TIMING_UNTESTED] = "untested", [TIMING_SAME] = "same", [TIMING_SLOWER] = "slower", [TIMING_FASTER] = "faster"};

const char *timing_verdict_name(enum timing_verdict verdict)
{
    return verdict_names[verdict];
}

/* Above this p-value of the fast approximation, the exact test cannot become significant and is skipped. */
static const double hopeless = 0.2;

enum { PAIRS_MAX = 1 << 20 };

/* Returns the Hodges-Lehmann ratio, which fits the Mann-Whitney test and varies less than the ratio of the medians.
 * With very many samples the two agree, and the result is `otherwise`. */
static double median_ratio(const double *before, size_t before_count, const double *after, size_t after_count,
                           double otherwise)
{
    double *ratios = NULL;
    if (before_count <= PAIRS_MAX / after_count)
        ratios = calloc(before_count * after_count, sizeof *ratios);
    if (!ratios)
        return otherwise;
    for (size_t i = 0; i < before_count; i++)
        for (size_t j = 0; j < after_count; j++)
            ratios[i * after_count + j] = after[j] / before[i];
    double median = statistics_median(ratios, before_count * after_count);
    free(ratios);
    return median;
}

void timing_test(const double *before, size_t before_count, const double *after, size_t after_count, struct timing *out)
{
    *out = (struct timing){.before = statistics_median(before, before_count),
                           .after = statistics_median(after, after_count),
                           .ratio = 1,
                           .p = 1,
                           .q = 1,
                           .before_count = before_count,
                           .after_count = after_count};
    if (before_count < TIMING_MIN_SAMPLES || after_count < TIMING_MIN_SAMPLES || !(out->before > 0) ||
        !(out->after > 0))
        return;
    out->verdict = TIMING_SAME;
    out->ratio = out->after / out->before;
    out->p = statistics_mann_whitney_approximate(before, before_count, after, after_count);
    if (out->p < hopeless) {
        out->p = statistics_mann_whitney(before, before_count, after, after_count);
        out->ratio = median_ratio(before, before_count, after, after_count, out->ratio);
    }
}

void timing_judge(struct timing *timings, size_t count, const struct timing_limits *limits)
{
    double *rates = malloc((count + 1) * sizeof *rates);
    size_t tested = 0, next = 0;
    for (size_t i = 0; rates && i < count; i++)
        if (timings[i].verdict != TIMING_UNTESTED)
            rates[tested++] = timings[i].p;
    if (rates)
        statistics_false_discovery(rates, tested);
    for (size_t i = 0; i < count; i++) {
        struct timing *t = &timings[i];
        if (t->verdict == TIMING_UNTESTED)
            continue;
        t->q = rates ? rates[next++] : 1;
        t->verdict = TIMING_SAME;
        if (t->q > limits->rate)
            continue;
        if (t->ratio >= 1 + limits->effect && t->ratio > 1)
            t->verdict = TIMING_SLOWER;
        else if (t->ratio <= 1 / (1 + limits->effect) && t->ratio < 1)
            t->verdict = TIMING_FASTER;
    }
    free(rates);
}

unsigned timing_repeats_needed(size_t count, double rate)
{
    unsigned repeats = TIMING_MIN_SAMPLES;
    while (repeats < 1000 && statistics_mann_whitney_least(repeats, repeats) * (double)count > rate)
        repeats++;
    return repeats;
}
