/* trial.h: one test case on one device: makes its tensors, calls the device, judges the outcome. For worker processes.
 *
 *     trial_prepare()           creates, compiles, makes tensors; may already judge the case
 *     (the caller dispatches)   only if the case is not judged
 *     trial_judge()
 *     trial_prepare_second()    if true: dispatch and trial_judge() once more
 *     trial_finish()            always */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "harness/trial/arena.h"
#include "harness/spec/outcome.h"
#include "harness/trial/plugin.h"
#include "harness/trial/interpretation.h"
#include "harness/trial/verdict.h"
#include "harness/case/testcase.h"

/* What the trials of one worker share. */
struct trial_setup {
    struct plugin *device;    /* under test */
    struct plugin *reference; /* computes the expected outputs */
    struct arena *arena;
    bool dump;           /* trials keep their outputs as text */
    bool shared_message; /* several items of the last dispatch failed: message() may be about any of them */
};

struct trial {
    struct testcase c;
    uint64_t seed;
    struct literal literals[OPDESC_MAX_FIELDS];
    bool judged; /* status, cause and message are set; there is nothing to dispatch */
    enum status status;
    enum cause cause;
    enum outcome outcome;
    char message[512];
    struct wrong wrong;
    struct diagnosis diagnosis; /* of a wrong result */
    char *dump;                 /* outputs, expected and got, as text; null: not asked for. The caller frees it */
    uint64_t host_ns;           /* creating, compiling, destroying; the worker adds the first dispatch */
    uint64_t device_ns;         /* the first dispatch, by the device's clock; 0: it has none */
    uint64_t checksum;          /* identifies the wrong bits of the compared outputs; 0: none were compared */
    HRESULT created;            /* what creating or compiling returned */
    assay_operator *op;
    assay_compiled *compiled;
    int input_count, output_count;
    assay_binding inputs[OPDESC_MAX_FIELDS], outputs[OPDESC_MAX_FIELDS];
    struct block blocks[OPDESC_MAX_FIELDS];    /* per field: what the device gets */
    struct block expected[OPDESC_MAX_FIELDS];  /* per output field */
    struct interpretations *interpretations;   /* if the documents leave the results open; otherwise null */
    uint64_t hashes_before[OPDESC_MAX_FIELDS]; /* per field, before: of an input, or of an expected output */
    uint64_t hashes_after[OPDESC_MAX_FIELDS];  /* per output field, after the last dispatch; 0: none yet */
    unsigned dispatch_index;                   /* 0: first dispatch, 1: second */
    bool rerun_alone; /* another case of its batch may have caused the failure: run it again, alone */
};

/* Creates and compiles on the device. If that does not decide the case, makes inputs, expected outputs, and outputs
 * that hold poison. The caller has set `c`, `seed` and `literals`, and zeroed the rest. */
void trial_prepare(struct trial_setup *setup, struct trial *t);

/* Prepares a second dispatch of a case that passed and wants one: other contents except where the case gives them,
 * other memory, other poison in the outputs. False: there is none, or the case is judged. */
bool trial_prepare_second(struct trial_setup *setup, struct trial *t);

/* Judges a dispatch: its result, the outputs, the memory around them. The case is judged afterwards. */
void trial_judge(struct trial_setup *setup, struct trial *t, const assay_dispatch_result *result);

/* Destroys what the device created, and fails the case if the device wrote an output after its dispatch had
 * returned. */
void trial_finish(struct trial_setup *setup, struct trial *t);

/* Fails the case for what the device did apart from its results (CAUSE_CONDUCT). Has no effect on a case that has
 * failed. */
__attribute__((format(printf, 2, 3))) void trial_blame(struct trial *t, const char *format, ...);

#endif
