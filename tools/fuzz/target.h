/* target.h: the entry points that libFuzzer and AFL++ call. */
#ifndef TARGET_H
#define TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Tries one input: aborts if something is wrong. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Called once, before all inputs. Optional in a target. Returns 0 if it succeeds. */
int LLVMFuzzerInitialize(int *count, char ***arguments) __attribute__((weak));

#endif
