/* plan_reduce.h: reductions and cumulative operators, which compute numbers from lines of elements. */
#ifndef PLAN_REDUCE_H
#define PLAN_REDUCE_H

#include "device/vulkan/plan.h"

int plan_reduce_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_reduce_lack(const struct descriptor *descriptor, const struct vk *vk);

#endif
