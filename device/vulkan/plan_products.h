/* plan_products.h: GEMM, products of integer matrices, convolutions. */
#ifndef PLAN_PRODUCTS_H
#define PLAN_PRODUCTS_H

#include "device/vulkan/plan.h"

int plan_products_compute(DML_OPERATOR_TYPE type);

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
const char *plan_products_lack(const struct descriptor *descriptor, const struct vk *vk,
                               const struct pipeline_traits *traits);

#endif
