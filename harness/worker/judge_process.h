/* judge_process.h: the files of a judge share its state, and the functions that talk with the device's process. */
#ifndef WORKER_JUDGE_PROCESS_H
#define WORKER_JUDGE_PROCESS_H

#include "harness/trial/link.h"
#include "harness/worker/measure.h"
#include "harness/worker/output.h"
#include "harness/worker/progress.h"
#include "harness/worker/worker.h"

struct judge {
    struct trial_setup setup;
    struct spec_set specs;
    struct plugin device, reference; /* `device` has only the device's information */
    struct link link;
    const char *arguments; /* the device's arguments */
    struct progress *progress;
    struct trial_recent recent;
    struct trial trials[EXCHANGE_CASES];  /* the cases of the batch */
    uint32_t item_trials[EXCHANGE_CASES]; /* index of each item's trial */
    assay_dispatch_result result;         /* the result of one item */
    char message[CALL_MESSAGE];
    uint64_t measure_ns; /* the judge measures an item for this time; 0: it dispatches the item once */
    struct measure_rounds rounds;
    struct measured measured; /* the samples of the last batch, which had one case */
    off_t printed_before;     /* size of the device's printed text before the batch */
    char printed[OUTPUT_TEXT + 40];
};

/* Tells the harness the judge's stage, and the case `index` of the batch that it works on. */
void judge_enter(struct judge *j, enum stage stage, size_t index);

/* ---- judge_requests.c */

/* A link calls these functions when an answer comes that the judge has not asked for, and when the device's process has
 * ended. Both end this process. */
void judge_on_forged(void *context);
void judge_on_gone(void *context);

/* Ends this process. The judge blames the device for `why`. */
_Noreturn void judge_give_up(struct judge *j, const char *why);

/* judge_ask() asks for a call for `count` cases or steps. judge_wait() waits until the device's process has made the
 * call. */
void judge_ask(struct judge *j, enum host_call call, uint32_t count);
void judge_wait(struct judge *j);

/* Copies bytes into the exchange, where the device's process reads them. Returns null if the exchange has no room. */
void *judge_copy_to_exchange(struct judge *j, const void *from, size_t size);

/* Copies a text that the device's process has written. */
void judge_copy_text(char *to, size_t size, const char *from, size_t from_size);

/* Returns the nanoseconds that the device's process claims for one of several cases, at most `limit`. All cases
 * together took `limit`, which becomes less by the result. */
uint64_t judge_claimed(uint64_t *limit, uint64_t ns);

/* Blames all cases of the batch for a denial, even if the action did not happen, and for a change of the process: the
 * judge does not know which case caused it. `when`: "they were dispatched". */
void judge_check(struct judge *j, uint32_t count, const char *when);

/* ---- judge_batch.c */

/* Decodes the cases of a batch. Returns false if the batch is malformed. */
bool judge_decode(struct judge *j, const char *batch, size_t size, uint32_t count);

/* Creates the operators of a batch and makes its tensors. Returns the number of items to dispatch, or -1 if there is no
 * room for them. */
int judge_prepare(struct judge *j, uint32_t count);

/* Runs and judges the items that judge_prepare() has counted. */
void judge_run_batch(struct judge *j, uint32_t count, uint32_t items);

/* ---- judge_sequence.c */

/* Judges the calls of a case of the interface; or the repeated calls of one operator, whose case has passed like any
 * other. */
void judge_run_sequence(struct judge *j);

/* ---- judge_results.c */

/* Sends all results in one message, and frees the dumps. Returns false if memory runs out or the harness is gone. */
bool judge_send_results(struct judge *j, uint32_t count);

/* ---- judge_open.c */

/* Prepares the judge while the device is opened, or before. */
void judge_start(struct judge *j, const struct worker_config *config, struct error *error);

/* Has the device closed. Ends this process if the device did more than close. */
void judge_close_device(struct judge *j);

#endif
