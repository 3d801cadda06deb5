/* code_coverage.h: which places of a device's code a description reaches, where the device counts that: built with clang's
 * -fsanitize-coverage=inline-8bit-counters. Of other devices nothing is known, and nothing is lost by it. */
#ifndef FUZZ_CODE_COVERAGE_H
#define FUZZ_CODE_COVERAGE_H

#include "harness/fuzz/fuzz.h"

/* Forgets what was counted until now. */
void code_coverage_clear(void);

/* What was counted since is added to `edges`, and forgotten. Returns the first place that was not there; -1: there is
 * none. */
int32_t code_coverage_take(uint64_t edges[FUZZ_EDGES / 64]);

#endif
