/* execute.h: what was accepted is run between guards, as a case of `assay run`. */
#ifndef FUZZ_EXECUTE_H
#define FUZZ_EXECUTE_H

#include "harness/fuzz/fuzz.h"
#include "harness/trial/trial.h"

/* Whether it is small enough, and has room for the indices that it needs. */
bool fuzz_can_execute(const struct fuzz_rules *rules, const struct opdesc *desc);

/* Contents, as the key has it. */
struct fuzz_data fuzz_data_draw(uint64_t key);

/* Contents number `n`, the simplest first; the seed stays. False: there are no more. */
bool fuzz_data_simple(unsigned n, struct fuzz_data *data);

/* FUZZ_RIGHT_ACCEPT, or what went wrong, with a message; a device that is lost ends the process. */
enum fuzz_verdict fuzz_execute(struct trial_setup *setup, const struct fuzz_rules *rules, const struct opdesc *desc,
                               const struct fuzz_data *data, char message[200]);

/* A device that is lost answers nothing any more: this process is at its end. */
void fuzz_check_lost(HRESULT result);

#endif
