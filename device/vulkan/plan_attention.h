/* plan_attention.h: attention with several heads. */
#ifndef PLAN_ATTENTION_H
#define PLAN_ATTENTION_H

#include "device/vulkan/plan.h"

/* Returns what the device lacks for the operator; null if it lacks nothing. */
const char *plan_attention_lack(const struct descriptor *descriptor, const struct vk *vk,
                                const struct pipeline_traits *traits);
#endif
