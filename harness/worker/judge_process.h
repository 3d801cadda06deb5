/* judge_process.h: what the files of a judge share: its state, and its talk with the device's process. */
#ifndef WORKER_JUDGE_PROCESS_H
#define WORKER_JUDGE_PROCESS_H

#include "harness/worker/link.h"
#include "harness/worker/measure.h"
#include "harness/worker/output.h"
#include "harness/worker/progress.h"
#include "harness/worker/worker.h"

struct judge {
    struct trial_setup setup;
    struct spec_set specs;
    struct plugin device, reference; /* of the device only what it says of itself */
    struct link link;
    const char *arguments; /* of the device */
    struct progress *progress;
    struct trial trials[EXCHANGE_CASES];  /* of the batch */
    uint32_t item_trials[EXCHANGE_CASES]; /* index of each item's trial */
    assay_dispatch_result result;         /* of one item */
    char message[CALL_MESSAGE];
    uint64_t measure_ns; /* how long an item is measured; 0: it is dispatched once */
    struct measure_rounds rounds;
    struct measured measured; /* of the last batch, which had one case */
    off_t printed_before;     /* size of what the device had printed before the batch */
    char printed[OUTPUT_TEXT + 40];
};

/* Where the judge is, for the harness: at case `index` of the batch. */
void judge_enter(struct judge *j, enum stage stage, size_t index);

/* ---- judge_requests.c */

/* For a link: an answer came that was not asked for; the device's process has ended. Both end this process. */
void judge_on_forged(void *context);
void judge_on_gone(void *context);

/* Ends the process: the device is to blame for `why`. */
_Noreturn void judge_give_up(struct judge *j, const char *why);

/* Asks for a call for `count` cases or steps, and waits until the device's process has made it. */
void judge_ask(struct judge *j, enum host_call call, uint32_t count);
void judge_wait(struct judge *j);

/* Copies what the device's process shall read. Null: there is no room. */
void *judge_copy_to_exchange(struct judge *j, const void *from, size_t size);

/* Copies a text that the device's process has written. */
void judge_copy_text(char *to, size_t size, const char *from, size_t from_size);

/* Nanoseconds that the device's process says it took for one of several cases, which all together took `limit`. */
uint64_t judge_claimed(uint64_t *limit, uint64_t ns);

/* Blames all cases of the batch, since it is not known which one did it, for a denial, although the action did not
 * happen, and for a change of the process. `when`: "they were dispatched". */
void judge_check(struct judge *j, uint32_t count, const char *when);

/* ---- judge_batch.c */

/* Decodes the cases of a batch. False: it is malformed. */
bool judge_decode(struct judge *j, const char *batch, size_t size, uint32_t count);

/* Creates the operators of a batch and makes its tensors. Returns how many cases to dispatch, or -1 if there is no
 * room. */
int judge_prepare(struct judge *j, uint32_t count);

/* Runs what judge_prepare() has left, and judges it. */
void judge_run_batch(struct judge *j, uint32_t count, uint32_t items);

/* ---- judge_sequence.c */

/* Judges the calls of a case of the interface; or those of an operator that are made again and again, when the case has
 * passed like any other. */
void judge_run_sequence(struct judge *j);

/* ---- judge_results.c */

/* Sends all results in one message; frees the dumps. False: no memory, or the harness is gone. */
bool judge_send_results(struct judge *j, uint32_t count);

/* ---- judge_open.c */

/* Gets ready while the device is opened, or before it. */
void judge_start(struct judge *j, const struct worker_config *config, struct error *error);

/* Has the device closed. Ends the process if that did more. */
void judge_close_device(struct judge *j);

#endif
