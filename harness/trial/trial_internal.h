/* trial_internal.h: what the parts of a trial share: trial.c calls the device, trial_tensors.c makes what it is called with,
 * trial_judge.c says how it ended. */
#ifndef TRIAL_TRIAL_INTERNAL_H
#define TRIAL_TRIAL_INTERNAL_H

#include "harness/trial/compare.h"
#include "harness/trial/trial.h"

enum { TRIAL_LARGE = 256 << 20 }; /* bytes of all tensors, from which on memory may run out */

/* Ends the case. */
__attribute__((format(printf, 3, 4))) void trial_verdict(struct trial *t, enum status status, const char *format, ...);

/* Ends the case: the device does not do what it must, or (soft) should. */
__attribute__((format(printf, 4, 5))) void trial_deviates(struct trial *t, enum cause cause, bool soft,
                                                          const char *format, ...);

/* A failure that the device may plead, unless it has promised or the tensors are beyond its stated limit. */
void trial_judge_unsupported(const struct trial_setup *setup, struct trial *t, const char *text);

/* The device's own words about the last failure. */
const char *trial_message(const struct trial_setup *setup);

/* Inputs filled, outputs expected and poisoned, bindings; or the case is judged. */
void trial_make_tensors(struct trial_setup *setup, struct trial *t);

/* What the tensors of a case take, what is expected of the outputs, and a device's copy of all of them. */
uint64_t trial_bytes(const struct trial *t);

/* What outputs of this round held before the dispatch. */
enum poison trial_poison(const struct trial *t);

/* A hash of what is in a block. */
uint64_t trial_seal(const struct block *block);

#endif
