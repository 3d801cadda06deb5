/* sequence_internal.h: the files of a sequence share these structures and functions. sequence.c judges the calls,
 * sequence_growth.c judges the resources that the process uses, sequence_run.c makes the calls, sequence_shrink.c
 * leaves some out, sequence_print.c prints them as C. */
#ifndef SEQUENCE_SEQUENCE_INTERNAL_H
#define SEQUENCE_SEQUENCE_INTERNAL_H

#include "harness/describe/marshal.h"
#include "harness/sequence/sequence.h"

#include <stdio.h>

/* The places of the tensors of a compiled operator's last dispatch. */
struct last_dispatch {
    bool given;
    struct block blocks[OPDESC_MAX_TENSORS];
    assay_binding inputs[OPDESC_MAX_TENSORS], outputs[OPDESC_MAX_TENSORS];
};

/* The failure of a run of the calls. */
struct sequence_failure {
    bool failed, refused; /* refused: the device refuses to create or to compile an operator */
    enum status status;
    enum promise promise;
    size_t step;
    char text[300];
    struct wrong wrong;
    uint64_t contents; /* seed of the tensors of the item that failed; 0: no item did */
    uint8_t desc;      /* the description of that item */
};

struct sequence {
    const struct sequence_context *x;
    uint64_t seed;
    struct testcase descs[LIFECYCLE_DESCS];
    struct opdesc desc_memory[LIFECYCLE_DESCS];
    bool usable[LIFECYCLE_DESCS];
    struct lifecycle_step steps[LIFECYCLE_STEPS];
    size_t count;
    uint64_t contents; /* seed of the tensors of all items; 0: each has its own */
    bool to_the_end;   /* a run goes on after a failure, to end the process; it destroys nothing */
    /* The state of a run: */
    struct lifecycle_model model;
    struct lifecycle_step pending[STEPS_MAX]; /* steps that the judge has not asked for yet */
    size_t pending_at[STEPS_MAX];             /* their places in `steps` */
    uint32_t pending_count;
    struct trial items[LIFECYCLE_ITEMS];
    struct last_dispatch last[STEP_OBJECTS]; /* the last dispatch of each compiled operator */
    struct step_usage usage;                 /* the result of the last STEP_MEASURE, STEP_CLOSE or sequence_repeat() */
    bool cannot_open;      /* the device cannot be opened once more, since it is part of the program */
    uint32_t repeat_count; /* steps that sequence_repeat() makes */
    uint64_t repeat_ns;    /* nanoseconds that the device has worked on all of them */
    struct sequence_failure failure;
};

/* Gives step `i` without what shrinking leaves out of it. Returns false if the whole step is left out. */
bool sequence_step(const struct sequence *s, size_t i, struct lifecycle_step *step);

/* Makes the calls that are not left out, and destroys the objects that they leave. Sets `failure`. */
void sequence_run(struct sequence *s);

/* Makes one call by itself, outside of a run: STEP_MEASURE. */
void sequence_measure(struct sequence *s);

/* Lays out the calls that are not left out, with tensors for all of them at once. Returns false if the calls are too
 * many. */
bool sequence_lay_out(struct sequence *s);

/* Makes the laid out calls `times` times, sets `usage`, and adds to `repeat_ns`. Returns false if a call failed. */
bool sequence_repeat(struct sequence *s, uint32_t times);

/* Makes the calls again and again, and checks that the process does not use more and more resources. Sets `failure`. */
void sequence_grow(struct sequence *s);

/* Shrinks the failing calls to fewer calls that still fail. */
void sequence_shrink(struct sequence *s);

/* Tries the next part of calls that have ended a process. Returns only if there is none: the stage says why. */
void sequence_try_part(struct sequence *s);

/* Returns the promise that the remaining calls break. */
enum promise sequence_broken_promise(const struct sequence *s);

/* Prints the calls that are not left out, as C. */
void sequence_print(const struct sequence *s, FILE *out);

#endif
