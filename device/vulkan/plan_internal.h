/* plan_internal.h: what the files that make plans share. */
#ifndef PLAN_INTERNAL_H
#define PLAN_INTERNAL_H

#include "device/vulkan/plan.h"

/* Adds a launch, whose parameters are all 0. */
struct plan_launch *plan_add_launch(struct plan *plan, uint32_t pass, uint32_t address_count, size_t parameter_bytes);

void plan_set_address(struct plan_launch *launch, uint32_t i, enum plan_operand operand, uint64_t offset);

/* Elements for each workgroup of a launch over `count` elements. */
uint32_t plan_group_size(const struct pipeline_traits *traits, uint64_t count, enum pipeline_move kind);

/* Adds a copy of the first input to the output, element by element. */
void plan_copy(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* Tiles of PIPELINE_TILE that `count` elements take. */
uint32_t plan_tiles(uint32_t count);

/* ---- plan_map.c */

/* Adds the kernel of an element-wise operator, or a copy in pass 0. */
void plan_map(const struct descriptor *descriptor, const struct pipeline_traits *traits, uint32_t pass,
              struct plan *plan);

/* ---- plan_range.c */

/* Adds the kernels that write scale and zero point of DYNAMIC_QUANTIZE_LINEAR, in passes from 0 on. Returns the next
 * pass. */
uint32_t plan_range(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

#endif
