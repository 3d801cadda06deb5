/* plan_softmax.h: SOFTMAX, LOG_SOFTMAX and HARDMAX, with and without Axes. */
#ifndef PLAN_SOFTMAX_H
#define PLAN_SOFTMAX_H

#include "device/vulkan/plan.h"

int plan_softmax_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_softmax_lack(const struct descriptor *descriptor, const struct vk *vk);

#endif
