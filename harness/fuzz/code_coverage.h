/* code_coverage.h: the places of a device's code that a description reaches. Only a device that was built with clang's
 * -fsanitize-coverage=inline-8bit-counters reports them; other devices never reach a place. */
#ifndef FUZZ_CODE_COVERAGE_H
#define FUZZ_CODE_COVERAGE_H

#include "harness/fuzz/state.h"

/* Resets the counters. */
void code_coverage_clear(void);

/* Adds the places reached since the last call to `edges` and resets the counters. Returns the first place that was not
 * in `edges`; -1: none. */
int32_t code_coverage_take(uint64_t edges[FUZZ_EDGES / 64]);

#endif
