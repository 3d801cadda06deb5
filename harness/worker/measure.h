/* measure.h: measures the time that one dispatch of an operator takes, in samples. A sample is a round of runs, one
 * after the other on the same tensors. Rounds are dropped until two in a row agree, since caches, clocks and drivers
 * have to warm up; then rounds are kept until the time is over. */
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

/* The nanoseconds that one run of a round took. */
struct measure_sample {
    uint64_t host_ns;   /* the mean, by a clock of the host */
    uint64_t device_ns; /* the median, by the device's clock; 0: it has none */
};

struct measured {
    char state[sizeof((assay_measurement *)0)->state]; /* the last state that the device reported, zero-terminated */
    uint8_t by_dispatch;                               /* the device does not measure: the harness called dispatch() */
    uint8_t steady;                                    /* two rounds agreed before the first sample */
    uint32_t runs;                                     /* the runs of a sample */
    uint32_t count;                                    /* the number of samples; 0: nothing was measured */
    struct measure_sample samples[MEASURE_MOST];
};

/* Returns the size of the used part of the structure, in bytes. */
static inline size_t measured_size(const struct measured *measured)
{
    return offsetof(struct measured, samples) + measured->count * sizeof *measured->samples;
}

/* The caller's function that runs a round, and the results of the rounds. */
struct measure_rounds {
    /* Has the item run `count` times, and sets `said` to the answer of the device's process. Returns the nanoseconds
     * that the runs took by a clock that the device cannot reach. */
    uint64_t (*run)(void *context, uint32_t count, struct call_measured *said);
    void *context;
    /* Set by measure_make(): */
    struct call_measured said; /* the device's answer about the last round */
    /* The longest impossible time that a device claimed for the runs of a round, and the time that the round took; 0:
     * no claim was impossible. */
    uint64_t claimed_ns, took_ns;
};

/* Measures for `ns` nanoseconds. Returns false if a run failed; then rounds->said has its result. */
bool measure_make(struct measure_rounds *rounds, uint64_t ns, struct measured *out);

#endif
