/* pick.h: operators that write elements one by one: each has a function of its own over whole tensors. */
#ifndef PICK_H
#define PICK_H

#include "device/common/descriptor.h"

/* Runs an operator. Pointers are to the tensors' first elements, null for absent ones. */
typedef void pick_kernel(const struct descriptor *d, const char *const *in, char *const *out);

/* Returns the kernel of an operator; null if it picks no elements. */
pick_kernel *pick_kernel_of(DML_OPERATOR_TYPE type);

/* ---- shared by the files with these functions */

pick_kernel pick_random; /* philox.c */
pick_kernel pick_top_k;  /* top_k.c */
pick_kernel pick_adam;   /* adam.c */

/* Advances `at` in row-major order of the tensor's coordinates, except along dimension `axis`; returns 0 after the last
 * ones. If `axis` is no dimension, every coordinate is visited. */
int pick_next(const struct tensor *t, uint32_t axis, uint32_t *at);

/* Returns the offset of the element at these coordinates, in bytes. */
uint64_t pick_place(const struct tensor *t, const uint32_t *at);

#endif
