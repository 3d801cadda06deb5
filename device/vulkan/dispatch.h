/* dispatch.h: runs the items of a dispatch in batches. Two batches are on their way: while one runs on the device, the
 * host downloads the outputs of the one before and uploads the inputs of the next one. */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "device/vulkan/batch.h"

struct dispatch {
    uint32_t repeat;                 /* number of runs of each batch, at least 1 */
    struct batch batches[2];         /* a dispatch of one batch uses the first one */
    struct batch *built, *on_device; /* the batch that items are added to; the running batch, null: none runs */
};

/* Prepares a dispatch. `repeat`: number of runs of each batch, at least 1; only the last run is timed. */
HRESULT dispatch_init(struct dispatch *dispatch, uint32_t repeat, struct vk *vk, struct memory *memory,
                      struct transfer *transfer, struct pipelines *pipelines, char *message, size_t message_size);
void dispatch_destroy(struct dispatch *dispatch);

/* Runs `count` items. `plans[i]` is the plan of items[i]; null: it has no plan. Sets every result, with a message if
 * the item failed. Returns S_OK unless the device as a whole failed. */
HRESULT dispatch_run(struct dispatch *dispatch, const struct plan *const *plans, const assay_dispatch_item *items,
                     uint32_t count, assay_dispatch_result *out);
#endif
