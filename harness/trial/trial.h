/* trial.h: one test case on one device: makes its tensors, judges the outcome. For worker processes.
 *
 * The device may be in a process of its own; then the caller makes its calls:
 *
 *     (the caller creates)
 *     trial_judge_created()     may already judge the case
 *     trial_make_tensors()      may judge the case, too
 *     (the caller dispatches)   only if the case is not judged
 *     trial_collect()           at once: later writes of the device count for nothing
 *     trial_judge()
 *     trial_prepare_second()    if true: dispatch, trial_collect() and trial_judge() once more
 *     (the caller destroys)
 *     trial_end()               always
 *
 * Or it is in this process:
 *
 *     trial_prepare()           creates, compiles, makes tensors
 *     (the caller dispatches)   and so on, until
 *     trial_finish()            destroys and ends */
#ifndef TRIAL_TRIAL_H
#define TRIAL_TRIAL_H

#include "harness/host/calls.h"
#include "harness/trial/arena.h"
#include "harness/spec/outcome.h"
#include "harness/trial/trial_memo.h"
#include "harness/trial/plugin.h"
#include "harness/trial/interpretation.h"
#include "harness/trial/verdict.h"
#include "harness/case/testcase.h"

/* The last descriptions that a device got: a wrong result may be that of one of them. */
enum { TRIAL_RECENT = 256 };
struct trial_recent {
    uint32_t count; /* of all; number n is at n % TRIAL_RECENT */
    struct trial_described {
        const struct spec *spec;
        struct opdesc desc;
    } list[TRIAL_RECENT];
};

/* Adds the description of a case that expects results. */
void trial_remember(struct trial_recent *recent, const struct testcase *c);

/* The trials of one worker share these settings. */
struct trial_setup {
    /* The device under test. If it is in another process, `api` is null, and only `info` and `data_types` count. */
    struct plugin *device;
    struct plugin *reference; /* computes the expected outputs */
    struct arena *arena;
    struct trial_memo *memo; /* null: cases are not repeated */
    bool unexplained;        /* wrong results get no diagnosis, which expects the bindings of trial_make_tensors() */
    bool dump;               /* trials keep their outputs as text */
    bool half;               /* devices may compute FLOAT32 results in FLOAT16, and are told so */
    uint64_t limit_ms;       /* the time of a case: the diagnosis of a wrong result ends before; 0: 1000 */
    struct trial_recent *recent; /* null: no descriptions are kept */
    const char *message;         /* the device's sentence, which calls_dispatch() has set; null: "" */
};

/* Returns the flags that operators are compiled with. */
DML_EXECUTION_FLAGS trial_flags(const struct trial_setup *setup);

struct trial {
    struct testcase c;
    uint64_t seed;
    struct trial_memo_key key; /* zeroed: nothing of it is kept in the setup's memo */
    bool judged;               /* the verdict and the message are set; there is nothing to dispatch */
    struct verdict verdict;    /* the caller adds up host_ns: creating, compiling, the first dispatch, destroying */
    struct symptoms symptoms;
    char message[512];
    char *dump;                  /* outputs, expected and got, as text; null: not asked for. The caller frees it */
    bool half;                   /* the setup's `half` when the operator was created */
    HRESULT created;             /* the result of creating or compiling */
    struct call_objects objects; /* the objects of a device in this process */
    struct interpretations *interpretations; /* null: the documents leave nothing open */
    unsigned dispatch_index;                 /* 0: first dispatch, 1: second */
    bool borrows;                            /* the interpretations are the memo's */
    bool made;                               /* trial_make_tensors() has been called for this dispatch */
    bool collected;                          /* `got` is set for this dispatch */
    bool unproven;    /* an output held the expected bytes before, by chance: a second dispatch tells */
    char remark[256]; /* about the outputs that a case file gives, which only a soft rule or bound allows; "": none */
    bool rerun_alone; /* another case of its batch may have caused the failure: run it again, alone */
    int input_count, output_count;
    /* Most cases use only the first few entries. trial_clear() leaves the others as they are. */
    struct literal literals[OPDESC_MAX_TENSORS]; /* per item, if the case has any */
    assay_binding inputs[OPDESC_MAX_TENSORS], outputs[OPDESC_MAX_TENSORS];
    /* Per field: the device's memory; for an input with the memory of an output, a copy that the device does not
     * get. */
    struct block blocks[OPDESC_MAX_TENSORS];
    struct block expected[OPDESC_MAX_TENSORS]; /* per output field */
    struct block got[OPDESC_MAX_TENSORS];      /* per output field: a copy, from when the dispatch ended */
    uint64_t input_hashes[OPDESC_MAX_TENSORS]; /* per input field, before the dispatch */
};

/* Zeroes the members that a trial of the description needs, except `c`, `seed`, `key` and `literals`. */
void trial_clear(struct trial *t, const struct opdesc *desc);

/* Judges the device's answer to the description. The caller has set `c`, `seed`, `key` and `literals`, after
 * trial_clear() or zeroing all. A case that is to be dispatched stays unjudged. */
void trial_judge_created(const struct trial_setup *setup, struct trial *t, const struct call_answer *answer);

/* Returns the bytes that the tensors of a case take: inputs, outputs, expected outputs, the copy of the outputs, and a
 * copy of all inputs and outputs in the device. */
uint64_t trial_bytes(const struct trial *t);

/* Makes inputs, expected outputs, and outputs that hold random bytes. May be called before trial_judge_created(), whose
 * verdict then counts. Judges the case if that is impossible. */
void trial_make_tensors(struct trial_setup *setup, struct trial *t);

/* Copies the outputs. Returns false, and judges the case, if memory runs out. */
bool trial_collect(struct trial_setup *setup, struct trial *t);

/* Prepares a second dispatch of a case that passed and wants one: the contents of inputs are new except where the case
 * gives them, the memory is new, and the outputs hold other bytes before. The inputs keep their contents if the first
 * dispatch does not show that the device wrote each output: its bytes equal those that it held before. Returns false if
 * there is no second dispatch, or if the case is judged. */
bool trial_prepare_second(struct trial_setup *setup, struct trial *t);

/* Judges a dispatch: its result, the outputs, the memory around them. Collects the outputs unless that was done. The
 * case is judged afterwards. */
void trial_judge(struct trial_setup *setup, struct trial *t, const assay_dispatch_result *result);

/* Frees the memory of the case, and fails the case if the device wrote an output after its dispatch had returned. */
void trial_end(struct trial *t);

/* ---- a device in this process */

void trial_prepare(struct trial_setup *setup, struct trial *t);
void trial_finish(struct trial_setup *setup, struct trial *t);

/* Fails the case for a deed of the device apart from its results (CAUSE_CONDUCT). Has no effect on a case that has
 * failed. */
__attribute__((format(printf, 3, 4))) void trial_blame(struct trial *t, enum promise broken, const char *format, ...);

#endif
