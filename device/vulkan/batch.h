/* batch.h: items that run in one submission: their tensors are uploaded, then pass after pass of all items runs, then
 * the outputs are downloaded. Items are independent, so a pass waits only for the pass before. */
#ifndef BATCH_H
#define BATCH_H

#include "device/device.h"
#include "device/vulkan/memory.h"
#include "device/vulkan/pipeline.h"
#include "device/vulkan/plan.h"
#include "device/vulkan/transfer.h"

enum {
    BATCH_ITEMS = 256,                                          /* items in a batch at most */
    BATCH_STAMPS = BATCH_ITEMS * PLAN_LAUNCHES + PLAN_LAUNCHES, /* timestamps: one for each launch and each pass */
};

struct batch_item {
    const struct plan *plan;
    const assay_dispatch_item *item;
    assay_dispatch_result *result;
    struct memory_place places[PLAN_OPERANDS];
    VkPipeline pipelines[PLAN_LAUNCHES];
    uint64_t parameters[PLAN_LAUNCHES]; /* addresses */
    uint32_t stamps[PLAN_LAUNCHES];     /* the timestamp at the end of each launch; the one before is its start */
};

/* A range of bytes to copy between a chunk and its twin. */
struct batch_range {
    uint32_t chunk;
    uint64_t begin, end;
};

struct batch {
    uint32_t number; /* number of the batch, which its chunks of memory bear */
    struct vk *vk;
    struct memory *memory;
    struct transfer *transfer;
    struct pipelines *pipelines;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool clock; /* null: the queue has no clock */

    uint32_t item_count, last_pass, in_count, out_count;
    int has_large;     /* the transfer queue uploads a tensor of the batch */
    VkResult started;  /* result of batch_start() */
    uint64_t computed; /* value that transfer->computed reaches when the batch has run */
    uint32_t stamp_count;
    int timed; /* this run writes timestamps */
    VkPipeline bound;
    struct batch_item items[BATCH_ITEMS];
    struct batch_range ins[BATCH_ITEMS * (PLAN_OPERANDS + 1)], outs[BATCH_ITEMS * DESCRIPTOR_MAX_OUTPUTS];
    uint64_t stamps[BATCH_STAMPS];
};

HRESULT batch_init(struct batch *batch, uint32_t number, struct vk *vk, struct memory *memory,
                   struct transfer *transfer, struct pipelines *pipelines, char *message, size_t message_size);
void batch_destroy(struct batch *batch);

/* Returns the fault in the bindings of an item; null if they are right. */
const char *batch_check(const struct plan *plan, const assay_dispatch_item *item);

/* Adds an item, and begins to upload its inputs. `out` is set when the batch is finished. `alone`: no other item, of
 * this batch or of another one, has memory. Returns VK_INCOMPLETE if there is no room beside the other items. */
VkResult batch_add(struct batch *batch, const struct plan *plan, const assay_dispatch_item *item, int alone,
                   assay_dispatch_result *out);

/* Runs all items `repeat` times, at least once, and returns while they run. The clock is read in the last run. */
void batch_start(struct batch *batch, uint32_t repeat);

/* Waits for a batch that has been started, downloads the outputs, sets all results, and empties the batch. Returns S_OK
 * unless the batch as a whole failed. */
HRESULT batch_finish(struct batch *batch);

/* Empties a batch without transfers on their way. */
void batch_forget(struct batch *batch);

/* ---- Steps of the functions above, for measure.c. */

VkResult batch_begin(struct batch *batch);
void batch_record_uploads(struct batch *batch);
void batch_record_passes(struct batch *batch, int timed, int first);
void batch_record_downloads(struct batch *batch);

/* Records a timestamp, if this run is timed. */
void batch_stamp(struct batch *batch);

/* Submits the recorded commands, to run after all uploads so far. */
VkResult batch_submit(struct batch *batch);

/* Waits until the batch has run, and reads the timestamps. */
VkResult batch_wait(struct batch *batch);

/* Downloads the outputs of an item. */
VkResult batch_download(struct batch *batch, struct batch_item *item);

/* Returns the nanoseconds between two timestamps. */
uint64_t batch_elapsed(const struct batch *batch, uint32_t from, uint32_t to);
#endif
