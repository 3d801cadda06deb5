/* plan_resample.h: UPSAMPLE_2D, RESAMPLE, its successors and their gradients. */
#ifndef PLAN_RESAMPLE_H
#define PLAN_RESAMPLE_H

#include "device/vulkan/plan.h"

int plan_resample_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_resample_lack(const struct descriptor *d, const struct vk *vk);

#endif
