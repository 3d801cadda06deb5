/* plan_normalise.h: normalisations and their gradients. */
#ifndef PLAN_NORMALISE_H
#define PLAN_NORMALISE_H

#include "device/vulkan/plan.h"

int plan_normalise_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_normalise_lack(const struct descriptor *descriptor, const struct vk *vk);

#endif
