/* plan_map.h: element-wise operators: each element of the output depends on the elements of the inputs at the same
 * coordinates. shaders/map_formulas.inc has a row for each operator. */
#ifndef PLAN_MAP_H
#define PLAN_MAP_H

#include "device/vulkan/plan.h"

/* Returns true if there is a formula for the operator. */
int plan_map_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_map_lack(const struct descriptor *descriptor, const struct vk *vk);

#endif
