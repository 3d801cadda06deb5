#include "device/vulkan/batch.h"

#include <stdio.h>
#include <string.h>

HRESULT batch_init(struct batch *batch, uint32_t number, struct vk *vk, struct memory *memory,
                   struct transfer *transfer, struct pipelines *pipelines, char *message, size_t message_size)
{
    memset(batch, 0, sizeof *batch);
    batch->number = number;
    batch->vk = vk;
    batch->memory = memory;
    batch->transfer = transfer;
    batch->pipelines = pipelines;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                    .queueFamilyIndex = vk->family};
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkQueryPoolCreateInfo clock = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                   .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                   .queryCount = BATCH_STAMPS};
    VkResult result = vk->vkCreateCommandPool(vk->device, &pool, NULL, &batch->pool);
    commands.commandPool = batch->pool;
    if (result >= 0)
        result = vk->vkAllocateCommandBuffers(vk->device, &commands, &batch->commands);
    if (result >= 0)
        result = vk->vkCreateFence(vk->device, &fence, NULL, &batch->fence);
    if (result >= 0 && vk->timestamp_bits)
        result = vk->vkCreateQueryPool(vk->device, &clock, NULL, &batch->clock);
    if (result < 0)
        snprintf(message, message_size, "the command buffer cannot be created: %s", vk_text(result));
    return vk_hresult(result);
}

void batch_destroy(struct batch *batch)
{
    struct vk *vk = batch->vk;
    if (!vk)
        return;
    vk->vkDestroyQueryPool(vk->device, batch->clock, NULL);
    vk->vkDestroyFence(vk->device, batch->fence, NULL);
    vk->vkDestroyCommandPool(vk->device, batch->pool, NULL);
    memset(batch, 0, sizeof *batch);
}

/* Notes a range of bytes to copy between the chunk and its twin. Adjacent ranges become one copy. */
static void note_range(struct batch *batch, struct batch_range *ranges, uint32_t *count,
                       const struct memory_place *place, uint64_t begin, uint64_t end)
{
    if (batch->vk->unified || begin == end)
        return;
    struct batch_range range = {place->chunk, place->offset + begin, place->offset + end};
    if (*count) {
        struct batch_range *last = &ranges[*count - 1];
        uint64_t padded = (last->end + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
        if (last->chunk == range.chunk && padded == range.begin) {
            last->end = range.end;
            return;
        }
    }
    ranges[(*count)++] = range;
}

const char *batch_check(const struct plan *plan, const assay_dispatch_item *item)
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

static VkResult take_places(struct batch *batch, struct batch_item *item, int alone, struct memory_place *parameters)
{
    const struct plan *plan = item->plan;
    uint64_t parameter_bytes = 0;
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < PLAN_OPERANDS && result == VK_SUCCESS; i++) {
        if (plan->bytes[i])
            result = memory_take(batch->memory, batch->number, plan->bytes[i], alone, &item->places[i]);
    }
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        item->parameters[i] = parameter_bytes;
        parameter_bytes += (plan->launches[i].parameter_bytes + 15u) & ~15u;
    }
    if (parameter_bytes && result == VK_SUCCESS)
        result = memory_take(batch->memory, batch->number, parameter_bytes, alone, parameters);
    return result;
}

static uint8_t *bound_bytes(const assay_binding *binding)
{
    return (uint8_t *)binding->base + binding->offset;
}

/* Uploads bytes to a place in device memory, or copies them to its twin and notes the range. */
static VkResult upload_bytes(struct batch *batch, const struct memory_place *place, const uint8_t *from, uint64_t begin,
                             uint64_t end)
{
    if (transfer_is_large(batch->transfer, end - begin)) {
        struct memory_place rest = {place->chunk, place->offset + begin, place->address + begin, place->host + begin};
        return transfer_in(batch->transfer, &rest, from + begin, end - begin);
    }
    memcpy(place->host + begin, from + begin, end - begin);
    note_range(batch, batch->ins, &batch->in_count, place, begin, end);
    return VK_SUCCESS;
}

static VkResult upload(struct batch *batch, struct batch_item *item)
{
    const struct plan *plan = item->plan;
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < PLAN_OPERANDS; i++) {
        if (i != PLAN_SCRATCH && transfer_is_large(batch->transfer, plan->bytes[i]))
            batch->has_large = 1;
    }
    for (uint32_t i = 0; i < plan->input_count && result >= 0; i++) {
        if (plan->bytes[PLAN_INPUT + i])
            result = upload_bytes(batch, &item->places[PLAN_INPUT + i], bound_bytes(&item->item->inputs[i]), 0,
                                  plan->bytes[PLAN_INPUT + i]);
    }
    for (uint32_t i = 0; i < plan->output_count && result >= 0; i++) {
        struct memory_place *place = &item->places[PLAN_OUTPUT + i];
        uint64_t begin = plan->written[PLAN_OUTPUT + i], end = plan->bytes[PLAN_OUTPUT + i];
        if (!end)
            continue;
        result = upload_bytes(batch, place, bound_bytes(&item->item->outputs[i]), begin, end);
        if (!transfer_is_large(batch->transfer, end))
            note_range(batch, batch->outs, &batch->out_count, place, 0, end);
    }
    return result;
}

static void upload_parameters(struct batch *batch, struct batch_item *item, const struct memory_place *place)
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
        note_range(batch, batch->ins, &batch->in_count, place, 0, end);
}

/* Returns the places of a batch that has no item. Transfers for an item that failed may still be on their way. */
static void forget_places(struct batch *batch)
{
    transfer_settle(batch->transfer);
    memory_reset(batch->memory, batch->number);
    batch->has_large = 0;
}

static VkResult get_pipelines(struct batch *batch, struct batch_item *item)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < item->plan->launch_count && result >= 0; i++) {
        if (!item->plan->launches[i].is_copy)
            result = pipelines_get(batch->pipelines, &item->plan->launches[i].pipeline, &item->pipelines[i]);
    }
    return result;
}

VkResult batch_add(struct batch *batch, const struct plan *plan, const assay_dispatch_item *item, int alone,
                   assay_dispatch_result *out)
{
    struct batch_item *slot = &batch->items[batch->item_count];
    struct memory_place parameters = {0};
    const uint32_t in_count = batch->in_count, out_count = batch->out_count;
    if (batch->item_count == BATCH_ITEMS)
        return VK_INCOMPLETE;
    slot->plan = plan;
    slot->item = item;
    slot->result = out;
    VkResult result = get_pipelines(batch, slot);
    if (result == VK_SUCCESS)
        result = take_places(batch, slot, alone, &parameters);
    if (result == VK_SUCCESS)
        result = upload(batch, slot);
    if (result != VK_SUCCESS) {
        batch->in_count = in_count;
        batch->out_count = out_count;
        if (!batch->item_count)
            forget_places(batch);
        return result;
    }
    upload_parameters(batch, slot, &parameters);
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        if (plan->launches[i].pass > batch->last_pass)
            batch->last_pass = plan->launches[i].pass;
    }
    batch->item_count++;
    return VK_SUCCESS;
}

static void barrier(struct batch *batch, VkPipelineStageFlags from, VkAccessFlags from_access, VkPipelineStageFlags to,
                    VkAccessFlags to_access)
{
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = from_access, .dstAccessMask = to_access};
    batch->vk->vkCmdPipelineBarrier(batch->commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static const VkPipelineStageFlags work_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static const VkAccessFlags work_reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
static const VkAccessFlags work_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

static void copy_ranges(struct batch *batch, const struct batch_range *ranges, uint32_t count, int is_in)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct memory_chunk *chunk = &batch->memory->chunks[ranges[i].chunk];
        VkBufferCopy region = {ranges[i].begin, ranges[i].begin, ranges[i].end - ranges[i].begin};
        batch->vk->vkCmdCopyBuffer(batch->commands, is_in ? chunk->twin : chunk->buffer,
                                   is_in ? chunk->buffer : chunk->twin, 1, &region);
    }
}

/* Writes a timestamp. Drivers that run on the processor execute one command after the other: there the top of the pipe
 * is as good as the bottom, and costs no flush. */
void batch_stamp(struct batch *batch)
{
    int is_processor = batch->vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (!batch->timed)
        return;
    if (batch->clock)
        batch->vk->vkCmdWriteTimestamp(
            batch->commands, is_processor ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
            batch->clock, batch->stamp_count);
    batch->stamp_count++;
}

/* Binds the chunks of the first operands, and the chunk of the operand that is stored to. */
static void bind_texels(struct batch *batch, const struct batch_item *item, const struct plan_launch *launch)
{
    VkDescriptorSet sets[TEXELS_SETS];
    for (uint32_t k = 0; k < TEXELS_SETS; k++) {
        uint32_t at = k < TEXELS_OPERANDS ? k : launch->target;
        sets[k] = batch->memory->chunks[item->places[launch->address[at].operand].chunk].texels.set;
    }
    batch->vk->vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, batch->pipelines->layout, 0,
                                       TEXELS_SETS, sets, 0, NULL);
}

static void record_launch(struct batch *batch, struct batch_item *item, uint32_t number)
{
    struct vk *vk = batch->vk;
    const struct plan_launch *launch = &item->plan->launches[number];
    if (launch->is_copy) {
        const struct memory_place *from = &item->places[launch->address[0].operand];
        const struct memory_place *to = &item->places[launch->address[1].operand];
        VkBufferCopy region = {from->offset + launch->address[0].offset, to->offset + launch->address[1].offset,
                               launch->copy_bytes};
        vk->vkCmdCopyBuffer(batch->commands, batch->memory->chunks[from->chunk].buffer,
                            batch->memory->chunks[to->chunk].buffer, 1, &region);
    } else {
        if (batch->bound != item->pipelines[number])
            vk->vkCmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, item->pipelines[number]);
        batch->bound = item->pipelines[number];
        vk->vkCmdPushConstants(batch->commands, batch->pipelines->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               sizeof item->parameters[number], &item->parameters[number]);
        if (launch->pipeline.texels)
            bind_texels(batch, item, launch);
        uint32_t max = vk->properties.limits.maxComputeWorkGroupCount[0];
        uint32_t x = launch->groups < max ? launch->groups : max;
        vk->vkCmdDispatch(batch->commands, x, (launch->groups - 1) / x + 1, 1);
    }
    item->stamps[number] = batch->stamp_count;
    batch_stamp(batch);
}

void batch_record_passes(struct batch *batch, int timed, int first)
{
    batch->timed = timed;
    for (uint32_t pass = 0; pass <= batch->last_pass; pass++) {
        if (pass || !first)
            barrier(batch, work_stages, work_writes, work_stages, work_reads | work_writes);
        batch_stamp(batch);
        for (uint32_t i = 0; i < batch->item_count; i++) {
            for (uint32_t k = 0; k < batch->items[i].plan->launch_count; k++) {
                if (batch->items[i].plan->launches[k].pass == pass)
                    record_launch(batch, &batch->items[i], k);
            }
        }
    }
}

VkResult batch_begin(struct batch *batch)
{
    struct vk *vk = batch->vk;
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    batch->bound = NULL;
    batch->stamp_count = 0;
    VkResult result = vk->vkBeginCommandBuffer(batch->commands, &info);
    if (result >= 0 && batch->clock)
        vk->vkCmdResetQueryPool(batch->commands, batch->clock, 0, BATCH_STAMPS);
    return result;
}

void batch_record_uploads(struct batch *batch)
{
    copy_ranges(batch, batch->ins, batch->in_count, 1);
    if (batch->in_count)
        barrier(batch, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, work_stages,
                work_reads | work_writes);
}

void batch_record_downloads(struct batch *batch)
{
    if (batch->out_count) {
        barrier(batch, work_stages, work_writes, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
        copy_ranges(batch, batch->outs, batch->out_count, 0);
    }
    barrier(batch, work_stages, work_writes, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

VkResult batch_submit(struct batch *batch)
{
    struct vk *vk = batch->vk;
    struct transfer *transfer = batch->transfer;
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    uint64_t computed = transfer->computed_value + 1;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &transfer->value,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &computed};
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &batch->commands};
    if (transfer->timeline) { /* waits for all uploads, and comes before the downloads */
        info.pNext = &values;
        info.waitSemaphoreCount = info.signalSemaphoreCount = 1;
        info.pWaitSemaphores = &transfer->timeline;
        info.pSignalSemaphores = &transfer->computed;
        info.pWaitDstStageMask = &stages;
    }
    VkResult result = vk->vkEndCommandBuffer(batch->commands);
    if (result >= 0)
        result = vk->vkQueueSubmit(vk->queue, 1, &info, batch->fence);
    if (result >= 0)
        batch->computed = transfer->computed_value = computed;
    return result;
}

VkResult batch_wait(struct batch *batch)
{
    struct vk *vk = batch->vk;
    VkResult result = vk->vkWaitForFences(vk->device, 1, &batch->fence, VK_TRUE, UINT64_MAX);
    if (result >= 0)
        result = vk->vkResetFences(vk->device, 1, &batch->fence);
    if (result >= 0 && batch->clock && batch->stamp_count)
        result = vk->vkGetQueryPoolResults(vk->device, batch->clock, 0, batch->stamp_count, sizeof batch->stamps,
                                           batch->stamps, sizeof *batch->stamps,
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    return result;
}

uint64_t batch_elapsed(const struct batch *batch, uint32_t from, uint32_t to)
{
    const struct vk *vk = batch->vk;
    uint64_t ticks = batch->stamps[to] - batch->stamps[from];
    if (vk->timestamp_bits < 64)
        ticks &= (1ull << vk->timestamp_bits) - 1;
    return (uint64_t)((double)ticks * (double)vk->properties.limits.timestampPeriod);
}

VkResult batch_download(struct batch *batch, struct batch_item *item)
{
    const struct plan *plan = item->plan;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < plan->output_count && result >= 0; i++) {
        const struct memory_place *place = &item->places[PLAN_OUTPUT + i];
        uint64_t bytes = plan->bytes[PLAN_OUTPUT + i];
        if (transfer_is_large(batch->transfer, bytes))
            result = transfer_out(batch->transfer, bound_bytes(&item->item->outputs[i]), place, bytes, batch->computed);
        else if (bytes)
            memcpy(bound_bytes(&item->item->outputs[i]), place->host, bytes);
    }
    return result;
}

/* Sets the result of an item whose batch has run. */
static HRESULT finish_item(struct batch *batch, struct batch_item *item)
{
    VkResult result = batch_download(batch, item);
    item->result->status = vk_hresult(result);
    if (result < 0)
        snprintf(item->result->message, sizeof item->result->message, "the outputs cannot be read: %s",
                 vk_text(result));
    for (uint32_t i = 0; i < item->plan->launch_count && batch->clock; i++)
        item->result->device_ns += batch_elapsed(batch, item->stamps[i] - 1, item->stamps[i]);
    return item->result->status;
}

void batch_start(struct batch *batch, uint32_t repeat)
{
    batch->started = batch_begin(batch);
    if (batch->started < 0)
        return;
    batch_record_uploads(batch);
    for (uint32_t round = 1; round <= repeat; round++)
        batch_record_passes(batch, round == repeat, round == 1);
    batch_record_downloads(batch);
    batch->started = batch_submit(batch);
}

void batch_forget(struct batch *batch)
{
    memory_reset(batch->memory, batch->number);
    batch->item_count = batch->last_pass = batch->in_count = batch->out_count = 0;
    batch->has_large = 0;
}

HRESULT batch_finish(struct batch *batch)
{
    char message[sizeof batch->items[0].result->message] = "";
    struct vk *vk = batch->vk;
    HRESULT removed = S_OK;
    VkResult result = batch->started < 0 ? batch->started : batch_wait(batch);
    HRESULT status = vk_hresult(result);
    if (FAILED(status)) {
        snprintf(message, sizeof message, "a batch of %u items failed: %s", batch->item_count, vk_text(result));
        transfer_settle(batch->transfer);
    }
    if (SUCCEEDED(status) && vk->trouble[0]) {
        status = E_FAIL;
        snprintf(message, sizeof message, "validation: %.200s", vk->trouble);
    }
    for (uint32_t i = 0; i < batch->item_count; i++) {
        if (FAILED(status)) {
            batch->items[i].result->status = status;
            memcpy(batch->items[i].result->message, message, sizeof message);
        } else {
            HRESULT finished = finish_item(batch, &batch->items[i]);
            removed = finished == DXGI_ERROR_DEVICE_REMOVED ? finished : removed;
        }
    }
    if (SUCCEEDED(status))
        status = removed;
    result = vk->vkResetCommandPool(vk->device, batch->pool, 0);
    batch_forget(batch);
    return SUCCEEDED(status) ? vk_hresult(result) : status;
}
