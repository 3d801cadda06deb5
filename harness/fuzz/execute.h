/* execute.h: dispatches an accepted description between guard pages, like a case of `assay run`. */
#ifndef FUZZ_EXECUTE_H
#define FUZZ_EXECUTE_H

#include "harness/fuzz/state.h"
#include "harness/trial/trial.h"

/* Returns true if a description can be dispatched: it has at most 512 elements a tensor, or 65,536 if `large`, and
 * index tensors with distinct indices have room for them, in memory and among the targets. */
bool fuzz_can_execute(const struct fuzz_rules *rules, const struct opdesc *desc, bool large);

/* Draws contents from a random key, which becomes their seed. */
struct fuzz_data fuzz_data_draw(uint64_t key);

/* Sets `data` to the n-th contents by simplicity, from 0 on; its seed stays. False: there are no more. */
bool fuzz_data_simple(unsigned n, struct fuzz_data *data);

/* Returns FUZZ_RIGHT_ACCEPT, FUZZ_WRONG_RESULT or FUZZ_CORRUPT; `message` names the mistake. Ends the process if the
 * device is lost. */
enum fuzz_verdict fuzz_execute(struct trial_setup *setup, const struct fuzz_rules *rules, const struct opdesc *desc,
                               const struct fuzz_data *data, char message[200]);

/* Ends the process if `result` says that the device is lost: such a device answers nothing any more. `message`, of the
 * item, or else of the device (null or ""), goes to standard error and from there into the finding. */
void fuzz_check_lost(const struct trial_setup *setup, HRESULT result, const char *message);

#endif
