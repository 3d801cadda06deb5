/* plan_response.h: LOCAL_RESPONSE_NORMALIZATION, its gradient, and VALUE_SCALE_2D. */
#ifndef PLAN_RESPONSE_H
#define PLAN_RESPONSE_H

#include "device/vulkan/plan.h"

int plan_response_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operators need and the device lacks; null if it lacks none. */
const char *plan_response_lack(const struct vk *vk);

#endif
