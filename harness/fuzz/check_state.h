/* check_state.h: validates a worker's state, which is in memory that a device can write, before the harness uses it. */
#ifndef FUZZ_CHECK_STATE_H
#define FUZZ_CHECK_STATE_H

#include "harness/fuzz/state.h"

/* Returns true if the state can be that of a chunk or probe of the operator with these rules. If so, reading it stays
 * within its arrays. */
bool fuzz_check_state(const struct fuzz_rules *rules, const struct fuzz_state *state);
bool fuzz_check_finding(const struct fuzz_rules *rules, const struct fuzz_finding *finding);

#endif
