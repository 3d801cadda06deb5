/* dispatch.h: runs the items of a dispatch in batches. Two are on their way: while one runs on the device, the host
 * brings the outputs of the one before and the inputs of the next one. */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "device/vulkan/batch.h"

struct dispatch {
    uint32_t repeat;                 /* how often a batch runs, at least 1 */
    struct batch batches[2];         /* the first one serves a dispatch of one batch */
    struct batch *built, *on_device; /* the batch that items are added to; the one that runs, null: none */
};

/* `repeat`: how often each batch runs, at least once; the clock is read in the last run. */
HRESULT dispatch_init(struct dispatch *dispatch, uint32_t repeat, struct vk *vk, struct memory *memory,
                      struct transfer *transfer, struct pipelines *pipelines, char *message, size_t message_size);
void dispatch_destroy(struct dispatch *dispatch);

/* Runs `count` items; `plans[i]` is the plan of items[i], null: it has none. Sets every result, with a message if the
 * item failed. Returns S_OK unless the device as a whole failed. */
HRESULT dispatch_run(struct dispatch *dispatch, const struct plan *const *plans, const assay_dispatch_item *items,
                     uint32_t count, assay_dispatch_result *out);
#endif
