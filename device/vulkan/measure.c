#include "device/vulkan/measure.h"

#include <stdio.h>
#include <time.h>

/* Runs between two timestamps: a timestamp takes an H100 a microsecond, which is a large part of a short run. */
enum { ADJACENT = 8 };

/* Records `count` runs of the batch, with a timestamp before the first, after ADJACENT at a time and after the last. */
static void record_runs(struct batch *batch, uint32_t count)
{
    for (uint32_t run = 0; run <= count; run++) {
        if (run > 0)
            batch_record_passes(batch, 0, run == 1);
        batch->timed = 1;
        if (run % ADJACENT == 0 || run == count)
            batch_stamp(batch);
    }
}

/* Returns the time of run number `run` of `count`: the mean of the runs between two timestamps. */
static uint64_t run_ns(const struct batch *batch, uint32_t run, uint32_t count)
{
    uint32_t begin = run / ADJACENT, first = begin * ADJACENT;
    uint32_t runs = count - first < ADJACENT ? count - first : ADJACENT;
    return batch_elapsed(batch, begin, begin + 1) / runs;
}

static uint64_t host_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static VkResult submit_and_wait(struct batch *batch)
{
    VkResult result = batch_submit(batch);
    return result < 0 ? result : batch_wait(batch);
}

/* Ends a submission and begins the next one. */
static VkResult submit_and_begin(struct batch *batch)
{
    VkResult result = submit_and_wait(batch);
    if (result >= 0)
        result = batch->vk->vkResetCommandPool(batch->vk->device, batch->pool, 0);
    return result < 0 ? result : batch_begin(batch);
}

/* Keeps a GPU busy until its clocks have risen: they fall whenever it waits for the host. */
static VkResult wake(struct batch *batch, uint32_t count)
{
    const uint64_t rising_ns = 100000000;
    VkResult result = VK_SUCCESS;
    if (batch->vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return result;
    for (uint64_t start = host_ns(); result >= 0 && host_ns() - start < rising_ns;) {
        for (uint32_t run = 0; run < count; run++)
            batch_record_passes(batch, 0, run == 0);
        result = submit_and_begin(batch);
    }
    return result;
}

/* Runs the batch of one item `count` times: uploads, runs and downloads are submissions of their own, so that the time
 * of the runs includes nothing else. Sets `ns` to the runs' time by the host's clock. */
static VkResult run_measured(struct batch *batch, uint32_t count, uint64_t *ns)
{
    VkResult result = batch_begin(batch);
    if (result < 0)
        return result;
    batch_record_uploads(batch);
    result = submit_and_begin(batch);
    if (result >= 0)
        result = wake(batch, count);
    if (result < 0)
        return result;
    record_runs(batch, count);
    uint32_t stamp_count = batch->stamp_count;
    *ns = host_ns();
    result = submit_and_wait(batch);
    *ns = host_ns() - *ns;
    if (result >= 0)
        result = batch->vk->vkResetCommandPool(batch->vk->device, batch->pool, 0);
    if (result >= 0)
        result = batch_begin(batch);
    if (result < 0)
        return result;
    batch_record_downloads(batch);
    result = submit_and_wait(batch);
    batch->stamp_count = stamp_count;
    return result;
}

HRESULT measure_item(struct batch *batch, const struct plan *plan, const assay_dispatch_item *item,
                     assay_measurement *measurement, char *message, size_t message_size)
{
    struct vk *vk = batch->vk;
    assay_dispatch_result unused;
    const char *fault = batch_check(plan, item);
    if (fault) {
        snprintf(message, message_size, "%s", fault);
        return E_INVALIDARG;
    }
    if (measurement->count / ADJACENT + 2 > BATCH_STAMPS)
        return DXGI_ERROR_UNSUPPORTED;
    VkResult result = batch_add(batch, plan, item, 1, &unused);
    if (result == VK_SUCCESS)
        result = run_measured(batch, measurement->count, &measurement->host_ns);
    if (result < 0)
        snprintf(message, message_size, "the item cannot be measured: %s", vk_text(result));
    else if (vk->trouble[0])
        snprintf(message, message_size, "validation: %.200s", vk->trouble);
    HRESULT status = result >= 0 && vk->trouble[0] ? E_FAIL : vk_hresult(result);
    if (SUCCEEDED(status)) {
        status = vk_hresult(batch_download(batch, &batch->items[0]));
        for (uint32_t i = 0; i < measurement->count && batch->clock; i++)
            measurement->device_ns[i] = run_ns(batch, i, measurement->count);
    }
    if (FAILED(status))
        transfer_settle(batch->transfer);
    result = vk->vkResetCommandPool(vk->device, batch->pool, 0);
    batch_forget(batch);
    return SUCCEEDED(status) ? vk_hresult(result) : status;
}
