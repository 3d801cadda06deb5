/* check.h: a worker's state lies in memory that a device can write: before it is believed it is looked at. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include "harness/fuzz/fuzz.h"

/* Whether it can be the state of a chunk, or of a probe, of the operator of these rules: whoever reads it then reads within
 * its arrays. */
bool fuzz_check_state(const struct fuzz_rules *rules, const struct fuzz_state *state);
bool fuzz_check_finding(const struct fuzz_rules *rules, const struct fuzz_finding *finding);

#endif
