#include "harness/worker/measure.h"

#include "harness/base/clock.h"
#include "harness/base/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROUND_NS = 10000000, /* length of a round, about: long against a message, short enough for many rounds */
    WARM_UP_SHARE = 4,   /* warming up takes at most this part of the time, */
    WARM_UP_LEAST = 6,   /* but it may have so many rounds: they grow to their length before two can agree */
    CLOCK_SLACK = 2      /* a device's clock may run faster than the harness's */
};

static const double steady_share = 0.02; /* two rounds agree if they differ by less */

/* Returns the median of the times that the device reports for its runs, and sets their sum. */
static uint64_t device_median(const struct call_measured *said, uint32_t count, uint64_t *sum)
{
    double times[CALL_RUNS];
    *sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        times[i] = (double)said->device_ns[i];
        *sum = said->device_ns[i] > UINT64_MAX - *sum ? UINT64_MAX : *sum + said->device_ns[i];
    }
    double median = statistics_median(times, count);
    return median < 1e18 ? (uint64_t)llround(median) : (uint64_t)1e18;
}

/* Makes a round. No reported time counts for more than the time that the round took. `spent` becomes the time of the
 * runs alone. Returns false if a run failed. */
static bool make_round(struct measure_rounds *r, uint32_t count, struct measure_sample *sample, uint64_t *spent,
                       uint64_t *took)
{
    uint64_t sum;
    *took = r->run(r->context, count, &r->said);
    if (FAILED(r->said.result.status))
        return false;
    *spent = r->said.by_dispatch || r->said.host_ns > *took ? *took : r->said.host_ns;
    uint64_t median = device_median(&r->said, count, &sum);
    if (sum / CLOCK_SLACK > *took && sum > r->claimed_ns) {
        r->claimed_ns = sum;
        r->took_ns = *took;
    }
    sample->host_ns = *spent / count;
    sample->device_ns = median < *took ? median : *took;
    return true;
}

/* Returns the number of runs that make a round long enough: ROUND_NS, or as long as the time that a round spends
 * besides its runs. */
static uint32_t runs_of_round(uint32_t count, uint64_t spent, uint64_t took)
{
    uint64_t wanted = took - spent > ROUND_NS ? took - spent : ROUND_NS, one = spent / count > 0 ? spent / count : 1;
    uint64_t runs = wanted / one;
    if (runs < 1)
        return 1;
    return runs < CALL_RUNS ? (uint32_t)runs : CALL_RUNS;
}

static double time_of(const struct measure_sample *sample)
{
    return (double)(sample->device_ns ? sample->device_ns : sample->host_ns);
}

/* Makes rounds until two long enough rounds in a row agree, or until `end` has passed and at least `least` rounds were
 * made. */
static bool measure_warm_up(struct measure_rounds *r, uint64_t end, uint32_t least, struct measured *out)
{
    struct measure_sample sample, before = {0};
    uint64_t spent, took;
    uint32_t rounds = 0;
    out->runs = 1;
    do {
        if (!make_round(r, out->runs, &sample, &spent, &took))
            return false;
        uint32_t runs = runs_of_round(out->runs, spent, took);
        bool grows = runs / 2 >= out->runs; /* the time of a few runs says little */
        out->steady = !grows && time_of(&before) > 0 &&
                      fabs(time_of(&sample) - time_of(&before)) < steady_share * time_of(&before);
        out->runs = runs;
        before = grows ? (struct measure_sample){0} : sample;
    } while (!out->steady && (++rounds < least || clock_ns() < end));
    return true;
}

bool measure_make(struct measure_rounds *r, uint64_t ns, struct measured *out)
{
    uint64_t start = clock_ns(), spent, took;
    r->claimed_ns = r->took_ns = 0;
    out->count = 0;
    if (!measure_warm_up(r, start + ns / WARM_UP_SHARE, ns ? WARM_UP_LEAST : 0, out))
        return false;
    while (out->count < MEASURE_MOST && (out->count < MEASURE_LEAST || clock_ns() < start + ns))
        if (!make_round(r, out->runs, &out->samples[out->count++], &spent, &took)) {
            out->count = 0;
            return false;
        }
    out->by_dispatch = r->said.by_dispatch != 0;
    snprintf(out->state, sizeof out->state, "%.*s", (int)strnlen(r->said.state, sizeof r->said.state - 1),
             r->said.state);
    return true;
}
