#include "device/vulkan/transfer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 8 << 20 };

/* A tensor on its way. */
struct job {
    struct transfer *transfer;
    const struct memory_place *place;
    uint8_t *bytes; /* of the caller; not written on the way in */
    uint64_t size;
    int is_in;
    uint64_t after;            /* what the timeline has reached before the first piece moves on the device */
    atomic_uint_fast64_t next; /* the next piece */
    atomic_int result;         /* the first failure */
};

struct worker {
    struct job *job;
    uint32_t number;
    pthread_t thread;
};

HRESULT transfer_init(struct transfer *transfer, struct vk *vk, struct memory *memory, char *message,
                      size_t message_size)
{
    *transfer = (struct transfer){.vk = vk, .memory = memory};
    pthread_mutex_init(&transfer->lock, NULL);
    if (vk->unified)
        return S_OK;
    VkSemaphoreTypeCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT |
                                             VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = vk->transfer_family};
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = TRANSFER_THREADS};
    VkResult result = vk->vkCreateSemaphore(vk->device, &semaphore, NULL, &transfer->timeline);
    if (result >= 0)
        result = vk->vkCreateCommandPool(vk->device, &pool, NULL, &transfer->pool);
    commands.commandPool = transfer->pool;
    if (result >= 0)
        result = vk->vkAllocateCommandBuffers(vk->device, &commands, transfer->commands);
    if (result < 0)
        snprintf(message, message_size, "the commands of transfers cannot be created: %s", vk_text(result));
    return vk_hresult(result);
}

void transfer_destroy(struct transfer *transfer)
{
    struct vk *vk = transfer->vk;
    if (!vk)
        return;
    vk->vkDestroyCommandPool(vk->device, transfer->pool, NULL);
    vk->vkDestroySemaphore(vk->device, transfer->timeline, NULL);
    pthread_mutex_destroy(&transfer->lock);
    memset(transfer, 0, sizeof *transfer);
}

int transfer_is_large(const struct transfer *transfer, uint64_t bytes)
{
    return transfer->timeline && bytes >= TRANSFER_LEAST;
}

/* Records the copy of a piece. On the way out the host reads it next. */
static VkResult record_piece(const struct job *job, VkCommandBuffer commands, uint64_t begin, uint64_t size)
{
    struct vk *vk = job->transfer->vk;
    const struct memory_chunk *chunk = &job->transfer->memory->chunks[job->place->chunk];
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    VkBufferCopy region = {job->place->offset + begin, job->place->offset + begin, size};
    VkResult result = vk->vkBeginCommandBuffer(commands, &info);
    if (result < 0)
        return result;
    vk->vkCmdCopyBuffer(commands, job->is_in ? chunk->twin : chunk->buffer, job->is_in ? chunk->buffer : chunk->twin, 1,
                        &region);
    if (!job->is_in)
        vk->vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host,
                                 0, NULL, 0, NULL);
    return vk->vkEndCommandBuffer(commands);
}

/* Moves a piece on the device. The timeline reaches `value` at its end. */
static VkResult submit_piece(struct job *job, VkCommandBuffer commands, uint64_t begin, uint64_t size, uint64_t *value)
{
    struct transfer *transfer = job->transfer;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    pthread_mutex_lock(&transfer->lock);
    VkResult result = record_piece(job, commands, begin, size);
    *value = transfer->value + 1;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &job->after,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = value};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &values,
                         .waitSemaphoreCount = 1,
                         .pWaitSemaphores = &transfer->timeline,
                         .pWaitDstStageMask = &stage,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &commands,
                         .signalSemaphoreCount = 1,
                         .pSignalSemaphores = &transfer->timeline};
    if (result >= 0)
        result = transfer->vk->vkQueueSubmit(transfer->vk->transfer_queue, 1, &info, NULL);
    if (result >= 0)
        transfer->value = *value;
    pthread_mutex_unlock(&transfer->lock);
    return result;
}

static VkResult wait_for(const struct transfer *transfer, uint64_t value)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &transfer->timeline,
                                .pValues = &value};
    return transfer->vk->vkWaitSemaphores(transfer->vk->device, &info, UINT64_MAX);
}

/* Takes pieces until there are none. A worker has one piece on the device at a time. */
static void *bring_pieces(void *argument)
{
    const struct worker *worker = argument;
    struct job *job = worker->job;
    VkCommandBuffer commands = job->transfer->commands[worker->number];
    uint64_t value = 0, begin;
    VkResult result = VK_SUCCESS;
    while (result >= 0 && (begin = atomic_fetch_add(&job->next, 1) * PIECE) < job->size) {
        uint64_t size = job->size - begin < PIECE ? job->size - begin : PIECE;
        if (job->is_in) {
            memcpy(job->place->host + begin, job->bytes + begin, size);
            result = value ? wait_for(job->transfer, value) : VK_SUCCESS; /* its commands are free again */
            if (result >= 0)
                result = submit_piece(job, commands, begin, size, &value);
        } else {
            result = submit_piece(job, commands, begin, size, &value);
            if (result >= 0)
                result = wait_for(job->transfer, value);
            if (result >= 0)
                memcpy(job->bytes + begin, job->place->host + begin, size);
        }
    }
    if (result >= 0 && job->is_in && value)
        result = wait_for(job->transfer, value);
    if (result < 0)
        atomic_store(&job->result, result);
    return NULL;
}

/* Brings all pieces, with as many threads as there are processors for them. */
static VkResult bring(struct job *job)
{
    struct worker workers[TRANSFER_THREADS];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = 1, wanted = processors < TRANSFER_THREADS ? (uint32_t)processors : TRANSFER_THREADS;
    job->after = job->transfer->value;
    for (; count < wanted; count++) {
        workers[count] = (struct worker){.job = job, .number = count};
        if (pthread_create(&workers[count].thread, NULL, bring_pieces, &workers[count]))
            break;
    }
    workers[0] = (struct worker){.job = job};
    bring_pieces(&workers[0]);
    while (--count > 0)
        pthread_join(workers[count].thread, NULL);
    return (VkResult)atomic_load(&job->result);
}

VkResult transfer_in(struct transfer *transfer, const struct memory_place *to, const void *from, uint64_t bytes)
{
    struct job job = {
        .transfer = transfer, .place = to, .bytes = (uint8_t *)(uintptr_t)from, .size = bytes, .is_in = 1};
    return bring(&job);
}

VkResult transfer_out(struct transfer *transfer, void *to, const struct memory_place *from, uint64_t bytes)
{
    struct job job = {.transfer = transfer, .place = from, .bytes = to, .size = bytes};
    return bring(&job);
}
