/* measure.h: how long one dispatch of an operator takes, in samples. A sample is a round of runs, one after the other
 * on the same tensors. Rounds are thrown away until two in a row agree, since caches, clocks and drivers have to warm
 * up; then they are kept until the time is over. */
#ifndef WORKER_MEASURE_H
#define WORKER_MEASURE_H

#include "harness/host/calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MEASURE_LEAST = 5,  /* samples, however long they take: fewer are not compared (results/timing.h) */
    MEASURE_MOST = 1000 /* samples */
};

/* One round: nanoseconds that one of its runs took. */
struct measure_sample {
    uint64_t host_ns;   /* the mean, by a clock of the host */
    uint64_t device_ns; /* the median, by the device's clock; 0: it has none */
};

struct measured {
    char state[sizeof((assay_measurement *)0)->state]; /* as there; the last that the device said, zero-terminated */
    uint8_t by_dispatch;                               /* the device does not measure: dispatch() was called */
    uint8_t steady;                                    /* two rounds agreed before the first sample */
    uint32_t runs;                                     /* of a sample */
    uint32_t count;                                    /* samples; 0: nothing was measured */
    struct measure_sample samples[MEASURE_MOST];
};

/* Bytes of the part that is used. */
static inline size_t measured_size(const struct measured *measured)
{
    return offsetof(struct measured, samples) + measured->count * sizeof *measured->samples;
}

/* How rounds are made. */
struct measure_rounds {
    /* Has the item run `count` times, and sets `said` to what the device's process says of it. Returns the nanoseconds
     * that it took by a clock that the device cannot reach. */
    uint64_t (*run)(void *context, uint32_t count, struct call_measured *said);
    void *context;
    /* Set by measure_make(): */
    struct call_measured said;    /* of the last round */
    uint64_t claimed_ns, took_ns; /* the most that a device said its runs took together, and the round that this was;
                                   * 0: no more than it can be */
};

/* Measures for `ns` nanoseconds. False: a run failed; rounds->said has its result. */
bool measure_make(struct measure_rounds *rounds, uint64_t ns, struct measured *out);

#endif
