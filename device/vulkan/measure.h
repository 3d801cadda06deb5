/* measure.h: the times of many runs of one item. */
#ifndef MEASURE_H
#define MEASURE_H

#include "device/vulkan/batch.h"

/* Runs an item measurement->count times on tensors that stay on the device, like measure() of device.h. The batch is
 * empty before and after. If it fails, `message` says why. */
HRESULT measure_item(struct batch *batch, const struct plan *plan, const assay_dispatch_item *item,
                     assay_measurement *measurement, char *message, size_t message_size);
#endif
