/* sequence_internal.h: what the files of a sequence share. sequence.c judges, sequence_growth.c what the process uses,
 * sequence_run.c makes the calls, sequence_shrink.c leaves some out, sequence_print.c prints them as C. */
#ifndef WORKER_SEQUENCE_INTERNAL_H
#define WORKER_SEQUENCE_INTERNAL_H

#include "harness/describe/marshal.h"
#include "harness/worker/sequence.h"

#include <stdio.h>

/* Where the tensors of a compiled operator's last dispatch were. */
struct last_dispatch {
    bool given;
    struct block blocks[OPDESC_MAX_TENSORS];
    assay_binding inputs[OPDESC_MAX_TENSORS], outputs[OPDESC_MAX_TENSORS];
};

/* How a run of the calls has failed. */
struct sequence_failure {
    bool failed;
    enum status status;
    enum promise promise;
    size_t step;
    char text[300];
    struct wrong wrong;
    uint64_t contents; /* seed of the tensors of the item that failed; 0: no item did */
    uint8_t desc;      /* of that item */
};

struct sequence {
    const struct sequence_context *x;
    uint64_t seed;
    struct testcase descs[LIFECYCLE_DESCS];
    struct opdesc desc_memory[LIFECYCLE_DESCS];
    bool usable[LIFECYCLE_DESCS];
    struct lifecycle_step steps[LIFECYCLE_STEPS];
    size_t count;
    bool left_out[LIFECYCLE_STEPS];
    uint64_t contents; /* seed of the tensors of all items; 0: each has its own */
    bool to_the_end;   /* whatever fails: the calls are to end the process, and nothing is destroyed after them */
    /* of a run */
    struct lifecycle_model model;
    struct lifecycle_step pending[STEPS_MAX]; /* not asked for yet */
    size_t pending_at[STEPS_MAX];             /* their places in `steps` */
    uint32_t pending_count;
    struct trial items[LIFECYCLE_ITEMS];
    struct last_dispatch last[STEP_OBJECTS]; /* by compiled operator */
    struct step_usage usage;                 /* of the last STEP_MEASURE, STEP_CLOSE or sequence_repeat() */
    bool cannot_open;                        /* another device, since it is a device of the program */
    uint32_t repeat_count;                   /* steps that sequence_repeat() makes */
    uint64_t repeat_ns;                      /* how long the device has worked on all of them */
    struct sequence_failure failure;
};

/* Makes the calls that are not left out, and destroys what they leave. Sets `failure`. */
void sequence_run(struct sequence *s);

/* Makes one call by itself, outside of a run: STEP_MEASURE. */
void sequence_measure(struct sequence *s);

/* Lays out the calls that are not left out, with tensors for all of them at once. False: they are too many. */
bool sequence_lay_out(struct sequence *s);

/* Makes what is laid out `times` times, sets `usage`, and adds to `repeat_ns`. False: a call failed. */
bool sequence_repeat(struct sequence *s, uint32_t times);

/* Makes the calls again and again: what the process uses must not become more and more. Sets `failure`. */
void sequence_grow(struct sequence *s);

/* Shrinks the calls, which fail, to fewer that fail. */
void sequence_shrink(struct sequence *s);

/* The same where they end the device's process: asks for a part of them, or takes the answers that there are. */
enum parts_end {
    PARTS_SHRUNK,
    PARTS_SURVIVED, /* all calls together do not end a new process */
    PARTS_SLOW      /* the calls that are left only take long: they do not hang for the time of a case */
};
enum parts_end sequence_shrink_parts(struct sequence *s);

/* The promise that the calls which are left show to be broken. */
enum promise sequence_broken_promise(const struct sequence *s);

/* Prints the calls that are not left out, as C. */
void sequence_print(const struct sequence *s, FILE *out);

#endif
