/* plan_window.h: operators with a window that moves over spatial dimensions: poolings. */
#ifndef PLAN_WINDOW_H
#define PLAN_WINDOW_H

#include "device/vulkan/plan.h"

int plan_window_computes(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_window_lack(const struct descriptor *descriptor, const struct vk *vk,
                             const struct pipeline_traits *traits);

#endif
