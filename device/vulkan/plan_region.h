/* plan_region.h: operators on regions of pictures. */
#ifndef PLAN_REGION_H
#define PLAN_REGION_H

#include "device/vulkan/plan.h"

int plan_region_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_region_lack(const struct vk *vk);

#endif
