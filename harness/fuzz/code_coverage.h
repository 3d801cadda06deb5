/* code_coverage.h: which places of a device's code a description reaches. Only a device that was built with clang's
 * -fsanitize-coverage=inline-8bit-counters reports that; for others nothing is ever reached. */
#ifndef FUZZ_CODE_COVERAGE_H
#define FUZZ_CODE_COVERAGE_H

#include "harness/fuzz/state.h"

/* Resets the counters. */
void code_coverage_clear(void);

/* Adds the places reached since the last call to `edges` and resets the counters. Returns the first place that was not
 * in `edges`; -1: none. */
int32_t code_coverage_take(uint64_t edges[FUZZ_EDGES / 64]);

#endif
