/* record.h: runs batches: upload, one submission for all items, download. */
#ifndef RECORD_H
#define RECORD_H

#include "device/device.h"
#include "device/vulkan/memory.h"
#include "device/vulkan/pipeline.h"
#include "device/vulkan/plan.h"
#include "device/vulkan/transfer.h"

enum {
    RECORD_BATCH = 256,                                           /* items in one submission */
    RECORD_STAMPS = RECORD_BATCH * PLAN_LAUNCHES + PLAN_LAUNCHES, /* timestamps: one for each launch and each pass */
};

struct record_item {
    const struct plan *plan;
    const assay_dispatch_item *item;
    assay_dispatch_result *result;
    struct memory_place places[PLAN_OPERANDS];
    VkPipeline pipelines[PLAN_LAUNCHES];
    uint64_t parameters[PLAN_LAUNCHES]; /* addresses */
    uint32_t stamps[PLAN_LAUNCHES];     /* the timestamp at the end of each launch; the one before is its start */
};

/* Bytes to copy between a chunk and its twin. */
struct record_range {
    uint32_t chunk;
    uint64_t begin, end;
};

struct record {
    struct vk *vk;
    struct memory *memory;
    struct transfer *transfer;
    struct pipelines *pipelines;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool clock; /* null: the queue has no clock */

    uint32_t item_count, last_pass, in_count, out_count; /* of the batch being built */
    uint32_t stamp_count;
    uint32_t repeat; /* how often a batch runs, at least 1; the clock is read in the last one */
    int timed;       /* the clock is read now */
    VkPipeline bound;
    struct record_item items[RECORD_BATCH];
    struct record_range ins[RECORD_BATCH * (PLAN_OPERANDS + 1)], outs[RECORD_BATCH * DESCRIPTOR_MAX_OUTPUTS];
    uint64_t stamps[RECORD_STAMPS];
};

HRESULT record_init(struct record *record, struct vk *vk, struct memory *memory, struct transfer *transfer,
                    struct pipelines *pipelines, char *message, size_t message_size);
void record_destroy(struct record *record);

/* Runs `count` items; `plans[i]` is the plan of items[i], null: it has none. Sets every result, with a message if the
 * item failed. Returns S_OK unless the device as a whole failed. */
HRESULT record_run(struct record *record, const struct plan *const *plans, const assay_dispatch_item *items,
                   uint32_t count, assay_dispatch_result *out);

/* Runs an item measurement->count times on tensors that stay on the device, as measure() of device.h. `message` says
 * why it failed. */
HRESULT record_measure(struct record *record, const struct plan *plan, const assay_dispatch_item *item,
                       assay_measurement *measurement, char *message, size_t message_size);
#endif
