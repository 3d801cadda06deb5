/* nest.h: a nest of loops over the elements of tensors, and its form in the parameters of kernels. */
#ifndef NEST_H
#define NEST_H

#include "device/vulkan/plan.h"

/* A loop nest being built, outermost loop first: the sizes of the loops, and the step of each operand. */
struct nest {
    uint32_t rank;
    uint32_t size[2 * DESCRIPTOR_MAX_DIMENSIONS];
    uint32_t stride[2 * DESCRIPTOR_MAX_DIMENSIONS][PLAN_STRIDES];
};

/* Adds a loop, unless it runs only once. */
void nest_add(struct nest *nest, uint32_t size, const uint32_t stride[PLAN_STRIDES]);

/* Merges adjacent loops where every operand allows it. */
void nest_merge(struct nest *nest);

uint64_t nest_count(const struct nest *nest);

/* Tells whether a pipeline for this number of dimensions, with widened elements, pays. Small cases of all shapes share
 * a few pipelines that walk 8 dimensions. */
int nest_is_large(uint64_t count);

/* Returns a dimension of `size`, without strides. */
struct plan_dimension nest_dimension(uint32_t size);

/* Fills in `rank` dimensions, innermost first, at least as many as the nest has. */
void nest_dimensions(const struct nest *nest, uint32_t rank, struct plan_dimension *out);

#endif
