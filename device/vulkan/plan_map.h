/* plan_map.h: element-wise operators: each element of the output from the elements of the inputs at the same
 * coordinates. shaders/map_formulas.inc has a row for each of them. */
#ifndef PLAN_MAP_H
#define PLAN_MAP_H

#include "device/vulkan/plan.h"

/* Whether there is a formula for the operator. */
int plan_map_computes(DML_OPERATOR_TYPE type);

/* What the operator needs and the device lacks; null: nothing. */
const char *plan_map_lack(const struct descriptor *descriptor, const struct vk *vk);

#endif
