#include "device/vulkan/record.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

HRESULT record_init(struct record *record, struct vk *vk, struct memory *memory, struct transfer *transfer,
                    struct pipelines *pipelines, char *message, size_t message_size)
{
    memset(record, 0, sizeof *record);
    record->vk = vk;
    record->memory = memory;
    record->transfer = transfer;
    record->pipelines = pipelines;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = vk->family};
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkQueryPoolCreateInfo clock = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                   .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                   .queryCount = RECORD_STAMPS};
    VkResult result = vk->vkCreateCommandPool(vk->device, &pool, NULL, &record->pool);
    commands.commandPool = record->pool;
    if (result >= 0)
        result = vk->vkAllocateCommandBuffers(vk->device, &commands, &record->commands);
    if (result >= 0)
        result = vk->vkCreateFence(vk->device, &fence, NULL, &record->fence);
    if (result >= 0 && vk->timestamp_bits)
        result = vk->vkCreateQueryPool(vk->device, &clock, NULL, &record->clock);
    if (result < 0)
        snprintf(message, message_size, "the command buffer cannot be created: %s", vk_text(result));
    return vk_hresult(result);
}

void record_destroy(struct record *record)
{
    struct vk *vk = record->vk;
    if (!vk)
        return;
    vk->vkDestroyQueryPool(vk->device, record->clock, NULL);
    vk->vkDestroyFence(vk->device, record->fence, NULL);
    vk->vkDestroyCommandPool(vk->device, record->pool, NULL);
    memset(record, 0, sizeof *record);
}

/* Notes bytes of a place to copy between the twins. Adjacent ranges become one copy. */
static void note_range(struct record *record, struct record_range *ranges, uint32_t *count,
                       const struct memory_place *place, uint64_t begin, uint64_t end)
{
    if (record->vk->unified || begin == end)
        return;
    struct record_range range = {place->chunk, place->offset + begin, place->offset + end};
    if (*count) {
        struct record_range *last = &ranges[*count - 1];
        uint64_t padded = (last->end + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
        if (last->chunk == range.chunk && padded == range.begin) {
            last->end = range.end;
            return;
        }
    }
    ranges[(*count)++] = range;
}

static const char *check_bindings(const struct plan *plan, const assay_dispatch_item *item)
{
    if (item->input_count != plan->input_count || item->output_count != plan->output_count)
        return "the number of bindings differs from the operator's";
    for (uint32_t i = 0; i < item->input_count; i++) {
        if (!plan->bytes[PLAN_INPUT + i]) /* an optional tensor that is absent */
            continue;
        if (!item->inputs[i].base || item->inputs[i].size < plan->bytes[PLAN_INPUT + i])
            return "an input's binding is null or smaller than its tensor";
    }
    for (uint32_t i = 0; i < item->output_count; i++) {
        if (!plan->bytes[PLAN_OUTPUT + i])
            continue;
        if (!item->outputs[i].base || item->outputs[i].size < plan->bytes[PLAN_OUTPUT + i])
            return "an output's binding is null or smaller than its tensor";
    }
    return NULL;
}

static VkResult take_places(struct record *record, struct record_item *item, struct memory_place *parameters)
{
    const struct plan *plan = item->plan;
    int alone = record->item_count == 0;
    uint64_t parameter_bytes = 0;
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < PLAN_OPERANDS && result == VK_SUCCESS; i++) {
        if (plan->bytes[i])
            result = memory_take(record->memory, plan->bytes[i], alone, &item->places[i]);
    }
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        item->parameters[i] = parameter_bytes;
        parameter_bytes += (plan->launches[i].parameter_bytes + 15u) & ~15u;
    }
    if (parameter_bytes && result == VK_SUCCESS)
        result = memory_take(record->memory, parameter_bytes, alone, parameters);
    return result;
}

static uint8_t *bytes_of(const assay_binding *binding)
{
    return (uint8_t *)binding->base + binding->offset;
}

/* Brings bytes to a place, or copies them to its twin and notes the range. */
static VkResult upload_bytes(struct record *record, const struct memory_place *place, const uint8_t *from,
                             uint64_t begin, uint64_t end)
{
    if (transfer_is_large(record->transfer, end - begin)) {
        struct memory_place rest = {place->chunk, place->offset + begin, place->address + begin, place->host + begin};
        return transfer_in(record->transfer, &rest, from + begin, end - begin);
    }
    memcpy(place->host + begin, from + begin, end - begin);
    note_range(record, record->ins, &record->in_count, place, begin, end);
    return VK_SUCCESS;
}

static VkResult upload(struct record *record, struct record_item *item)
{
    const struct plan *plan = item->plan;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < plan->input_count && result >= 0; i++) {
        if (plan->bytes[PLAN_INPUT + i])
            result = upload_bytes(record, &item->places[PLAN_INPUT + i], bytes_of(&item->item->inputs[i]), 0,
                                  plan->bytes[PLAN_INPUT + i]);
    }
    for (uint32_t i = 0; i < plan->output_count && result >= 0; i++) {
        struct memory_place *place = &item->places[PLAN_OUTPUT + i];
        uint64_t begin = plan->written[PLAN_OUTPUT + i], end = plan->bytes[PLAN_OUTPUT + i];
        if (!end)
            continue;
        result = upload_bytes(record, place, bytes_of(&item->item->outputs[i]), begin, end);
        if (!transfer_is_large(record->transfer, end))
            note_range(record, record->outs, &record->out_count, place, 0, end);
    }
    return result;
}

static void upload_parameters(struct record *record, struct record_item *item, const struct memory_place *place)
{
    const struct plan *plan = item->plan;
    uint64_t end = 0;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct plan_launch *launch = &plan->launches[i];
        if (!launch->parameter_bytes)
            continue;
        uint8_t *to = place->host + item->parameters[i];
        memcpy(to, &launch->parameters, launch->parameter_bytes);
        for (uint32_t k = 0; k < launch->address_count; k++) {
            const struct memory_place *at = &item->places[launch->address[k].operand];
            uint64_t begin = launch->texels >> k & 1 ? at->offset : at->address;
            uint64_t address = begin + launch->address[k].offset;
            memcpy(to + k * sizeof address, &address, sizeof address);
        }
        end = item->parameters[i] + launch->parameter_bytes;
        item->parameters[i] += place->address;
    }
    if (end)
        note_range(record, record->ins, &record->in_count, place, 0, end);
}

/* Adds an item to the batch. VK_INCOMPLETE: it does not fit beside the other items. */
static VkResult add_item(struct record *record, const struct plan *plan, const assay_dispatch_item *item,
                         assay_dispatch_result *result)
{
    struct record_item *slot = &record->items[record->item_count];
    struct memory_place parameters = {0};
    slot->plan = plan;
    slot->item = item;
    slot->result = result;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const struct plan_launch *launch = &plan->launches[i];
        if (launch->is_copy)
            continue;
        VkResult made = pipelines_get(record->pipelines, &launch->pipeline, &slot->pipelines[i]);
        if (made < 0)
            return made;
    }
    VkResult taken = take_places(record, slot, &parameters);
    if (taken != VK_SUCCESS)
        return taken;
    VkResult uploaded = upload(record, slot);
    if (uploaded < 0)
        return uploaded;
    upload_parameters(record, slot, &parameters);
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        if (plan->launches[i].pass > record->last_pass)
            record->last_pass = plan->launches[i].pass;
    }
    record->item_count++;
    return VK_SUCCESS;
}

static void barrier(struct record *record, VkPipelineStageFlags from, VkAccessFlags from_access,
                    VkPipelineStageFlags to, VkAccessFlags to_access)
{
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = from_access, .dstAccessMask = to_access};
    record->vk->vkCmdPipelineBarrier(record->commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static const VkPipelineStageFlags work_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static const VkAccessFlags work_reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
static const VkAccessFlags work_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

static void copy_ranges(struct record *record, const struct record_range *ranges, uint32_t count, int is_in)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct memory_chunk *chunk = &record->memory->chunks[ranges[i].chunk];
        VkBufferCopy region = {ranges[i].begin, ranges[i].begin, ranges[i].end - ranges[i].begin};
        record->vk->vkCmdCopyBuffer(record->commands, is_in ? chunk->twin : chunk->buffer,
                                    is_in ? chunk->buffer : chunk->twin, 1, &region);
    }
}

/* Drivers that run on the processor execute one command after the other: there the top of the pipe is as good as the
 * bottom, and costs no flush. */
static void stamp(struct record *record)
{
    int is_processor = record->vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (!record->timed)
        return;
    if (record->clock)
        record->vk->vkCmdWriteTimestamp(
            record->commands, is_processor ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
            record->clock, record->stamp_count);
    record->stamp_count++;
}

/* Binds the chunks of the first operands. */
static void bind_texels(struct record *record, const struct record_item *item, const struct plan_launch *launch)
{
    VkDescriptorSet sets[TEXELS_OPERANDS];
    for (uint32_t k = 0; k < TEXELS_OPERANDS; k++)
        sets[k] = record->memory->chunks[item->places[launch->address[k].operand].chunk].texels.set;
    record->vk->vkCmdBindDescriptorSets(record->commands, VK_PIPELINE_BIND_POINT_COMPUTE, record->pipelines->layout, 0,
                                        TEXELS_OPERANDS, sets, 0, NULL);
}

static void record_launch(struct record *record, struct record_item *item, uint32_t number)
{
    struct vk *vk = record->vk;
    const struct plan_launch *launch = &item->plan->launches[number];
    if (launch->is_copy) {
        const struct memory_place *from = &item->places[launch->address[0].operand];
        const struct memory_place *to = &item->places[launch->address[1].operand];
        VkBufferCopy region = {from->offset + launch->address[0].offset, to->offset + launch->address[1].offset,
                               launch->copy_bytes};
        vk->vkCmdCopyBuffer(record->commands, record->memory->chunks[from->chunk].buffer,
                            record->memory->chunks[to->chunk].buffer, 1, &region);
    } else {
        if (record->bound != item->pipelines[number])
            vk->vkCmdBindPipeline(record->commands, VK_PIPELINE_BIND_POINT_COMPUTE, item->pipelines[number]);
        record->bound = item->pipelines[number];
        vk->vkCmdPushConstants(record->commands, record->pipelines->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               sizeof item->parameters[number], &item->parameters[number]);
        if (launch->pipeline.texels)
            bind_texels(record, item, launch);
        uint32_t max = vk->properties.limits.maxComputeWorkGroupCount[0];
        uint32_t x = launch->groups < max ? launch->groups : max;
        vk->vkCmdDispatch(record->commands, x, (launch->groups - 1) / x + 1, 1);
    }
    item->stamps[number] = record->stamp_count;
    stamp(record);
}

static void record_passes(struct record *record, int timed, int first)
{
    record->timed = timed;
    for (uint32_t pass = 0; pass <= record->last_pass; pass++) {
        if (pass || !first)
            barrier(record, work_stages, work_writes, work_stages, work_reads | work_writes);
        stamp(record);
        for (uint32_t i = 0; i < record->item_count; i++) {
            for (uint32_t k = 0; k < record->items[i].plan->launch_count; k++) {
                if (record->items[i].plan->launches[k].pass == pass)
                    record_launch(record, &record->items[i], k);
            }
        }
    }
}

static VkResult begin(struct record *record)
{
    struct vk *vk = record->vk;
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    record->bound = NULL;
    record->stamp_count = 0;
    VkResult result = vk->vkBeginCommandBuffer(record->commands, &info);
    if (result >= 0 && record->clock)
        vk->vkCmdResetQueryPool(record->commands, record->clock, 0, RECORD_STAMPS);
    return result;
}

static void record_uploads(struct record *record)
{
    copy_ranges(record, record->ins, record->in_count, 1);
    if (record->in_count)
        barrier(record, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, work_stages,
                work_reads | work_writes);
}

static void record_downloads(struct record *record)
{
    if (record->out_count) {
        barrier(record, work_stages, work_writes, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
        copy_ranges(record, record->outs, record->out_count, 0);
    }
    barrier(record, work_stages, work_writes, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

/* Runs what has been recorded, and reads the clock's stamps. */
static VkResult submit(struct record *record)
{
    struct vk *vk = record->vk;
    struct transfer *transfer = record->transfer;
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    uint64_t before = transfer->value, after = before + 1;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &before,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &after};
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &record->commands};
    if (transfer->timeline) { /* after all that has been brought in; before what is brought out */
        info.pNext = &values;
        info.waitSemaphoreCount = info.signalSemaphoreCount = 1;
        info.pWaitSemaphores = info.pSignalSemaphores = &transfer->timeline;
        info.pWaitDstStageMask = &stages;
    }
    VkResult result = vk->vkEndCommandBuffer(record->commands);
    if (result >= 0)
        result = vk->vkQueueSubmit(vk->queue, 1, &info, record->fence);
    if (result < 0)
        return result;
    transfer->value = after;
    result = vk->vkWaitForFences(vk->device, 1, &record->fence, VK_TRUE, UINT64_MAX);
    if (result < 0)
        return result;
    result = vk->vkResetFences(vk->device, 1, &record->fence);
    if (result >= 0 && record->clock && record->stamp_count)
        result = vk->vkGetQueryPoolResults(vk->device, record->clock, 0, record->stamp_count, sizeof record->stamps,
                                           record->stamps, sizeof *record->stamps,
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    return result;
}

/* Nanoseconds between two readings of a clock of `timestamp_bits` bits, which may wrap around. */
static uint64_t elapsed(const struct vk *vk, uint64_t begin, uint64_t end)
{
    uint64_t ticks = end - begin;
    if (vk->timestamp_bits < 64)
        ticks &= (1ull << vk->timestamp_bits) - 1;
    return (uint64_t)((double)ticks * (double)vk->properties.limits.timestampPeriod);
}

static VkResult download(struct record *record, struct record_item *item)
{
    const struct plan *plan = item->plan;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < plan->output_count && result >= 0; i++) {
        const struct memory_place *place = &item->places[PLAN_OUTPUT + i];
        uint64_t bytes = plan->bytes[PLAN_OUTPUT + i];
        if (transfer_is_large(record->transfer, bytes))
            result = transfer_out(record->transfer, bytes_of(&item->item->outputs[i]), place, bytes);
        else if (bytes)
            memcpy(bytes_of(&item->item->outputs[i]), place->host, bytes);
    }
    return result;
}

/* The batch has been run. */
static HRESULT finish_item(struct record *record, struct record_item *item)
{
    VkResult result = download(record, item);
    item->result->status = vk_hresult(result);
    if (result < 0)
        snprintf(item->result->message, sizeof item->result->message, "the outputs cannot be read: %s",
                 vk_text(result));
    for (uint32_t i = 0; i < item->plan->launch_count && record->clock; i++)
        item->result->device_ns +=
            elapsed(record->vk, record->stamps[item->stamps[i] - 1], record->stamps[item->stamps[i]]);
    return item->result->status;
}

/* Runs all uploads, then pass after pass of all items, then all downloads. Items are independent, so a pass waits only
 * for the pass before. */
static VkResult run_batch(struct record *record)
{
    VkResult result = begin(record);
    if (result < 0)
        return result;
    record_uploads(record);
    for (uint32_t round = 1; round <= record->repeat; round++)
        record_passes(record, round == record->repeat, round == 1);
    record_downloads(record);
    return submit(record);
}

static void forget_batch(struct record *record)
{
    memory_reset(record->memory);
    record->item_count = record->last_pass = record->in_count = record->out_count = 0;
}

/* Runs the batch and starts a new one. */
static HRESULT flush(struct record *record)
{
    char message[sizeof record->items[0].result->message] = "";
    struct vk *vk = record->vk;
    HRESULT status = S_OK, removed = S_OK;
    if (record->item_count) {
        VkResult result = run_batch(record);
        status = vk_hresult(result);
        if (FAILED(status))
            snprintf(message, sizeof message, "a batch of %u items failed: %s", record->item_count, vk_text(result));
        if (SUCCEEDED(status) && vk->trouble[0]) {
            status = E_FAIL;
            snprintf(message, sizeof message, "validation: %.200s", vk->trouble);
        }
        for (uint32_t i = 0; i < record->item_count; i++) {
            if (FAILED(status)) {
                record->items[i].result->status = status;
                memcpy(record->items[i].result->message, message, sizeof message);
            } else {
                HRESULT finished = finish_item(record, &record->items[i]);
                removed = finished == DXGI_ERROR_DEVICE_REMOVED ? finished : removed;
            }
        }
        if (SUCCEEDED(status))
            status = removed;
        result = vk->vkResetCommandPool(vk->device, record->pool, 0);
        if (SUCCEEDED(status))
            status = vk_hresult(result);
    }
    forget_batch(record);
    return status;
}

HRESULT record_run(struct record *record, const struct plan *const *plans, const assay_dispatch_item *items,
                   uint32_t count, assay_dispatch_result *out)
{
    HRESULT status = S_OK;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (assay_dispatch_result){.status = E_FAIL};
    for (uint32_t i = 0; i < count && SUCCEEDED(status); i++) {
        const char *fault = plans[i] ? check_bindings(plans[i], &items[i]) : "the compiled operator is null";
        if (fault) {
            snprintf(out[i].message, sizeof out[i].message, "%s", fault);
            out[i].status = E_INVALIDARG;
            continue;
        }
        if (record->item_count == RECORD_BATCH)
            status = flush(record);
        VkResult result = FAILED(status) ? VK_SUCCESS : add_item(record, plans[i], &items[i], &out[i]);
        if (result == VK_INCOMPLETE) {
            status = flush(record);
            result = FAILED(status) ? VK_SUCCESS : add_item(record, plans[i], &items[i], &out[i]);
        }
        if (result < 0) {
            snprintf(out[i].message, sizeof out[i].message, "the item cannot be run: %s", vk_text(result));
            out[i].status = vk_hresult(result);
        }
    }
    HRESULT last = flush(record);
    for (uint32_t i = 0; i < count && FAILED(status); i++) {
        if (out[i].status != E_FAIL)
            continue;
        out[i].status = status; /* items that were not reached */
        snprintf(out[i].message, sizeof out[i].message, "not run, since an earlier item of the batch failed");
    }
    return FAILED(status) ? status : last;
}

/* ---- measuring */

/* Records `count` runs of the batch, with a stamp before the first and after each. */
static void record_runs(struct record *record, uint32_t count)
{
    for (uint32_t run = 0; run <= count; run++) {
        if (run > 0)
            record_passes(record, 0, run == 1);
        record->timed = 1;
        stamp(record);
    }
}

static uint64_t host_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ends a submission of record_measure() and begins the next one. */
static VkResult submit_and_begin(struct record *record)
{
    VkResult result = submit(record);
    if (result >= 0)
        result = record->vk->vkResetCommandPool(record->vk->device, record->pool, 0);
    return result < 0 ? result : begin(record);
}

/* Keeps a GPU busy until its clocks have risen: they fall whenever it waits for the host. */
static VkResult wake(struct record *record, uint32_t count)
{
    const uint64_t rising_ns = 100000000;
    VkResult result = VK_SUCCESS;
    if (record->vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return result;
    for (uint64_t start = host_ns(); result >= 0 && host_ns() - start < rising_ns;) {
        for (uint32_t run = 0; run < count; run++)
            record_passes(record, 0, run == 0);
        result = submit_and_begin(record);
    }
    return result;
}

/* Runs the batch of one item `count` times: uploads, runs and downloads are submissions of their own, so that the time
 * of the runs is theirs alone. Sets `ns` to that of the host's clock. */
static VkResult run_measured(struct record *record, uint32_t count, uint64_t *ns)
{
    VkResult result = begin(record);
    if (result < 0)
        return result;
    record_uploads(record);
    result = submit_and_begin(record);
    if (result >= 0)
        result = wake(record, count);
    if (result < 0)
        return result;
    record_runs(record, count);
    uint32_t stamp_count = record->stamp_count;
    *ns = host_ns();
    result = submit(record);
    *ns = host_ns() - *ns;
    if (result >= 0)
        result = record->vk->vkResetCommandPool(record->vk->device, record->pool, 0);
    if (result >= 0)
        result = begin(record);
    if (result < 0)
        return result;
    record_downloads(record);
    result = submit(record);
    record->stamp_count = stamp_count;
    return result;
}

HRESULT record_measure(struct record *record, const struct plan *plan, const assay_dispatch_item *item,
                       assay_measurement *measurement, char *message, size_t message_size)
{
    struct vk *vk = record->vk;
    assay_dispatch_result unused;
    const char *fault = check_bindings(plan, item);
    if (fault) {
        snprintf(message, message_size, "%s", fault);
        return E_INVALIDARG;
    }
    if (measurement->count >= RECORD_STAMPS)
        return DXGI_ERROR_UNSUPPORTED;
    VkResult result = add_item(record, plan, item, &unused);
    if (result == VK_SUCCESS)
        result = run_measured(record, measurement->count, &measurement->host_ns);
    if (result < 0)
        snprintf(message, message_size, "the item cannot be measured: %s", vk_text(result));
    else if (vk->trouble[0])
        snprintf(message, message_size, "validation: %.200s", vk->trouble);
    HRESULT status = result >= 0 && vk->trouble[0] ? E_FAIL : vk_hresult(result);
    if (SUCCEEDED(status)) {
        status = vk_hresult(download(record, &record->items[0]));
        for (uint32_t i = 0; i < measurement->count && record->clock; i++)
            measurement->device_ns[i] = elapsed(vk, record->stamps[i], record->stamps[i + 1]);
    }
    result = vk->vkResetCommandPool(vk->device, record->pool, 0);
    forget_batch(record);
    return SUCCEEDED(status) ? vk_hresult(result) : status;
}
