#include "device/vulkan/dispatch.h"

#include <stdio.h>

HRESULT dispatch_init(struct dispatch *dispatch, uint32_t repeat, struct vk *vk, struct memory *memory,
                      struct transfer *transfer, struct pipelines *pipelines, char *message, size_t message_size)
{
    HRESULT result = S_OK;
    dispatch->repeat = repeat;
    for (uint32_t i = 0; i < 2 && SUCCEEDED(result); i++)
        result = batch_init(&dispatch->batches[i], i, vk, memory, transfer, pipelines, message, message_size);
    return result;
}

void dispatch_destroy(struct dispatch *dispatch)
{
    for (int i = 0; i < 2; i++)
        batch_destroy(&dispatch->batches[i]);
}

/* Finishes the running batch. */
static HRESULT land(struct dispatch *dispatch)
{
    struct batch *batch = dispatch->on_device;
    dispatch->on_device = NULL;
    return batch ? batch_finish(batch) : S_OK;
}

/* Starts the batch that has been built, before it finishes the one that was started before. */
static HRESULT dispatch_launch(struct dispatch *dispatch)
{
    struct batch *batch = dispatch->built;
    if (!batch->item_count)
        return S_OK;
    batch_start(batch, dispatch->repeat);
    HRESULT status = land(dispatch);
    dispatch->on_device = batch;
    dispatch->built = &dispatch->batches[batch == dispatch->batches];
    return status;
}

/* Adds an item. If it has no room beside other items, these are run first. */
static VkResult dispatch_add(struct dispatch *dispatch, const struct plan *plan, const assay_dispatch_item *item,
                             assay_dispatch_result *out, HRESULT *status)
{
    for (;;) {
        int alone = !dispatch->built->item_count && !dispatch->on_device;
        VkResult result = batch_add(dispatch->built, plan, item, alone, out);
        if (result != VK_INCOMPLETE)
            return result;
        *status = dispatch->built->item_count ? dispatch_launch(dispatch) : land(dispatch);
        if (FAILED(*status))
            return VK_SUCCESS;
    }
}

/* Adds an item whose bindings are right. A batch with a large tensor starts at once, and runs while the next item's
 * tensors are uploaded. */
static HRESULT dispatch_run_item(struct dispatch *dispatch, const struct plan *plan, const assay_dispatch_item *item,
                                 assay_dispatch_result *out)
{
    HRESULT status = S_OK;
    VkResult result = dispatch_add(dispatch, plan, item, out, &status);
    if (result < 0) {
        snprintf(out->message, sizeof out->message, "the item cannot be run: %s", vk_text(result));
        out->status = vk_hresult(result);
    }
    if (SUCCEEDED(status) && dispatch->built->has_large)
        status = dispatch_launch(dispatch);
    return status;
}

HRESULT dispatch_run(struct dispatch *dispatch, const struct plan *const *plans, const assay_dispatch_item *items,
                     uint32_t count, assay_dispatch_result *out)
{
    HRESULT status = S_OK;
    dispatch->built = dispatch->batches;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (assay_dispatch_result){.status = E_FAIL};
    for (uint32_t i = 0; i < count && SUCCEEDED(status); i++) {
        const char *fault = plans[i] ? batch_check(plans[i], &items[i]) : "the compiled operator is null";
        if (fault) {
            snprintf(out[i].message, sizeof out[i].message, "%s", fault);
            out[i].status = E_INVALIDARG;
        } else {
            status = dispatch_run_item(dispatch, plans[i], &items[i], &out[i]);
        }
    }
    HRESULT before = dispatch_launch(dispatch), last = land(dispatch);
    for (uint32_t i = 0; i < count && FAILED(status); i++) {
        if (out[i].status != E_FAIL)
            continue;
        out[i].status = status; /* items that were not reached */
        snprintf(out[i].message, sizeof out[i].message, "not run, since an earlier item of the batch failed");
    }
    if (FAILED(status))
        return status;
    return FAILED(before) ? before : last;
}
