/* plan_pick.h: operators that pick elements by numbers, and random numbers. */
#ifndef PLAN_PICK_H
#define PLAN_PICK_H

#include "device/vulkan/plan.h"

int plan_pick_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_pick_lack(const struct descriptor *descriptor, const struct vk *vk,
                           const struct pipeline_traits *traits);

#endif
