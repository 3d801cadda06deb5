/* target.h: the entries of libFuzzer and AFL++ that each target has. */
#ifndef TARGET_H
#define TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Before all inputs; a target need not have it. */
int LLVMFuzzerInitialize(int *count, char ***arguments) __attribute__((weak));

#endif
