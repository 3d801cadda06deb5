/* plan_recurrence.h: recurrent networks. */
#ifndef PLAN_RECURRENCE_H
#define PLAN_RECURRENCE_H

#include "device/vulkan/plan.h"

/* Returns what the device lacks for the operator; null if it lacks nothing. */
const char *plan_recurrence_lack(const struct descriptor *descriptor, const struct vk *vk,
                                 const struct pipeline_traits *traits);
#endif
