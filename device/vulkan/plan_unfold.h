/* plan_unfold.h: UNFOLD and FOLD. */
#ifndef PLAN_UNFOLD_H
#define PLAN_UNFOLD_H

#include "device/vulkan/plan.h"

int plan_unfold_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_unfold_lack(const struct descriptor *descriptor, const struct vk *vk);

#endif
