#include "device/vulkan/transfer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_PIECE = 8 << 20 };

/* A tensor on its way. */
struct job {
    struct transfer *transfer;
    const struct memory_place *place;
    uint8_t *bytes; /* the caller's memory; an upload only reads it */
    uint64_t size;
    uint64_t piece; /* bytes of a piece; the last one may have fewer */
    uint32_t count; /* number of pieces */
    int is_in;
    uint64_t after;            /* downloads: value that `computed` reaches before the first piece moves */
    uint64_t before;           /* downloads: the timeline's value at which the first piece starts */
    atomic_uint_fast32_t next; /* number of the next piece */
    atomic_int result;         /* the first failure; VK_SUCCESS: none */
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
                                            .commandBufferCount = TRANSFER_PIECES};
    VkResult result = vk->vkCreateSemaphore(vk->device, &semaphore, NULL, &transfer->timeline);
    if (result >= 0)
        result = vk->vkCreateSemaphore(vk->device, &semaphore, NULL, &transfer->computed);
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
    pool_free(transfer->threads);
    vk->vkDestroyCommandPool(vk->device, transfer->pool, NULL);
    vk->vkDestroySemaphore(vk->device, transfer->computed, NULL);
    vk->vkDestroySemaphore(vk->device, transfer->timeline, NULL);
    pthread_mutex_destroy(&transfer->lock);
    memset(transfer, 0, sizeof *transfer);
}

int transfer_is_large(const struct transfer *transfer, uint64_t bytes)
{
    return transfer->timeline && bytes >= TRANSFER_LEAST;
}

static uint64_t begin_of(const struct job *job, uint32_t i)
{
    return i * job->piece;
}

static uint64_t piece_bytes(const struct job *job, uint32_t i)
{
    uint64_t rest = job->size - begin_of(job, i);
    return rest < job->piece ? rest : job->piece;
}

static VkResult wait_for_value(const struct transfer *transfer, uint64_t value)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &transfer->timeline,
                                .pValues = &value};
    return transfer->vk->vkWaitSemaphores(transfer->vk->device, &info, UINT64_MAX);
}

/* Records the copy of piece i. After a download, the host reads it next. */
static VkResult record_piece(const struct job *job, uint32_t i, VkCommandBuffer commands)
{
    struct vk *vk = job->transfer->vk;
    const struct memory_chunk *chunk = &job->transfer->memory->chunks[job->place->chunk];
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    uint64_t at = job->place->offset + begin_of(job, i);
    VkBufferCopy region = {at, at, piece_bytes(job, i)};
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

/* Submits pieces from number `first` on in the device's order, each with the oldest commands of the ring. */
static VkResult submit_pieces(struct job *job, uint32_t first, uint32_t count)
{
    struct transfer *transfer = job->transfer;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    uint64_t values[TRANSFER_PIECES];
    VkTimelineSemaphoreSubmitInfo orders[TRANSFER_PIECES];
    VkSubmitInfo pieces[TRANSFER_PIECES];
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&transfer->lock);
    uint64_t last = transfer->value + count;
    if (last > TRANSFER_PIECES)
        result = wait_for_value(transfer, last - TRANSFER_PIECES);
    for (uint32_t i = 0; i < count && result >= 0; i++) {
        VkCommandBuffer *commands = &transfer->commands[(transfer->value + i) % TRANSFER_PIECES];
        values[i] = transfer->value + i + 1;
        orders[i] = (VkTimelineSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                    .waitSemaphoreValueCount = 1,
                                                    .pWaitSemaphoreValues = &job->after,
                                                    .signalSemaphoreValueCount = 1,
                                                    .pSignalSemaphoreValues = &values[i]};
        pieces[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .pNext = &orders[i],
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &transfer->computed,
                                   .pWaitDstStageMask = &stage,
                                   .commandBufferCount = 1,
                                   .pCommandBuffers = commands,
                                   .signalSemaphoreCount = 1,
                                   .pSignalSemaphores = &transfer->timeline};
        result = record_piece(job, first + i, *commands);
    }
    if (result >= 0)
        result = transfer->vk->vkQueueSubmit(transfer->vk->transfer_queue, count, pieces, NULL);
    if (result >= 0)
        transfer->value = last;
    pthread_mutex_unlock(&transfer->lock);
    return result;
}

/* Takes pieces until there are none. The pieces of a download have all been submitted. */
static void bring_pieces(void *context, uint32_t number)
{
    struct job *job = context;
    (void)number;
    VkResult result = VK_SUCCESS;
    for (uint32_t i; result >= 0 && (i = (uint32_t)atomic_fetch_add(&job->next, 1)) < job->count;) {
        uint8_t *staged = job->place->host + begin_of(job, i), *own = job->bytes + begin_of(job, i);
        if (job->is_in) {
            memcpy(staged, own, piece_bytes(job, i));
            result = submit_pieces(job, i, 1);
        } else {
            result = wait_for_value(job->transfer, job->before + i + 1);
            if (result >= 0)
                memcpy(own, staged, piece_bytes(job, i));
        }
    }
    if (result < 0)
        atomic_store(&job->result, result);
}

static uint32_t thread_count(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1)
        return 1;
    return processors < TRANSFER_THREADS ? (uint32_t)processors : TRANSFER_THREADS;
}

/* Transfers all pieces, with as many threads as there are processors for them. */
static VkResult bring(struct job *job)
{
    struct transfer *transfer = job->transfer;
    if (!transfer->threads) {
        transfer->thread_count = thread_count();
        transfer->threads = pool_new(transfer->thread_count);
    }
    job->piece = ((job->size - 1) / TRANSFER_PIECES / LEAST_PIECE + 1) * LEAST_PIECE;
    job->count = (uint32_t)((job->size - 1) / job->piece) + 1;
    job->before = transfer->value;
    VkResult result = job->is_in ? VK_SUCCESS : submit_pieces(job, 0, job->count);
    if (result >= 0 && transfer->threads)
        pool_run(transfer->threads, transfer->thread_count, bring_pieces, job);
    else if (result >= 0)
        bring_pieces(job, 0);
    result = result < 0 ? result : (VkResult)atomic_load(&job->result);
    if (result < 0)
        transfer_settle(transfer); /* the memory may be used again */
    return result;
}

VkResult transfer_in(struct transfer *transfer, const struct memory_place *to, const void *from, uint64_t bytes)
{
    struct job job = {
        .transfer = transfer, .place = to, .bytes = (uint8_t *)(uintptr_t)from, .size = bytes, .is_in = 1};
    return bring(&job);
}

VkResult transfer_out(struct transfer *transfer, void *to, const struct memory_place *from, uint64_t bytes,
                      uint64_t after)
{
    struct job job = {.transfer = transfer, .place = from, .bytes = to, .size = bytes, .after = after};
    return bring(&job);
}

void transfer_settle(const struct transfer *transfer)
{
    if (transfer->timeline)
        wait_for_value(transfer, transfer->value);
}
