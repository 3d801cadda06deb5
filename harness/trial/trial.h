/* trial.h: one case on one device: its tensors are made, the device is called, the outcome is judged. Used by workers. */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "harness/trial/arena.h"
#include "harness/spec/outcome.h"
#include "harness/trial/plugin.h"
#include "harness/trial/interpretation.h"
#include "harness/trial/verdict.h"
#include "harness/case/testcase.h"

/* What trials of one worker share. */
struct trial_setup {
    struct plugin *device;    /* under test */
    struct plugin *reference; /* says what is right */
    struct arena *arena;
    bool dump;       /* trials keep their outputs as text */
    uint32_t failed; /* items of the last dispatch: there is one message for all */
};

struct trial {
    struct testcase c;
    uint64_t seed;
    struct literal literals[OPDESC_MAX_FIELDS];
    bool judged; /* status and message stand; there is nothing to dispatch */
    enum status status;
    enum cause cause;
    enum outcome outcome;
    char message[512];
    struct wrong wrong;
    char *dump; /* expected and got, for a person; null: not asked for. Freed by the caller */
    uint64_t host_ns, device_ns;
    uint64_t checksum; /* of the outputs that were compared; 0: none were */
    HRESULT created;   /* what creating or compiling returned */
    assay_operator *op;
    assay_compiled *compiled;
    int input_count, output_count;
    assay_binding inputs[OPDESC_MAX_FIELDS], outputs[OPDESC_MAX_FIELDS];
    struct block blocks[OPDESC_MAX_FIELDS];   /* per field */
    struct block expected[OPDESC_MAX_FIELDS]; /* per output field */
    struct interpretations *interpretations;  /* where the documents leave something open, or null */
    uint64_t seals[OPDESC_MAX_FIELDS];        /* hash of an input, or of what is expected of an output */
    uint64_t closing[OPDESC_MAX_FIELDS];      /* hash of an output when the last dispatch had returned; 0: none */
    unsigned round;                           /* 1: it is dispatched a second time */
    bool unsure; /* what went wrong may be another case's doing, of the same batch: to be run again alone */
};

/* Creates and compiles on the device, judging rejections; makes inputs, expected and prefilled outputs of what is to be
 * run. `c`, `seed` and `literals` are set by the caller, the rest zero. */
void trial_prepare(struct trial_setup *setup, struct trial *t);

/* Makes a case that passed ready for a second dispatch: other contents, where the case does not give them, in other
 * memory, and other poison in the outputs. False: not wanted, or the case is judged. */
bool trial_again(struct trial_setup *setup, struct trial *t);

/* Judges what dispatch did. */
void trial_judge(struct trial_setup *setup, struct trial *t, const assay_dispatch_result *result);

/* Destroys what the device made, and looks whether it wrote an output afterwards. */
void trial_finish(struct trial_setup *setup, struct trial *t);

/* What a device did that is no matter of results: fails the case, unless it has failed already. */
__attribute__((format(printf, 2, 3))) void trial_blame(struct trial *t, const char *format, ...);

#endif
