/* transfer.h: brings large tensors to the memory of a device that has its own, and back. A tensor is cut in pieces:
 * threads copy some between the caller's memory and the staging buffer while the transfer queue moves others. The
 * threads are started for the first large tensor, and wait for the next one. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "device/common/pool.h"
#include "device/vulkan/memory.h"

#include <pthread.h>

enum {
    TRANSFER_LEAST = 32 << 20, /* bytes below which threads cost more than they save */
    TRANSFER_THREADS = 16,
    TRANSFER_PIECES = 128 /* of a tensor, at most */
};

struct transfer {
    struct vk *vk;
    struct memory *memory;
    VkSemaphore timeline; /* null: the device's memory is the host's, so there is nothing to bring */
    uint64_t value;       /* the last one that a submission, of this file or of record.c, has been told to signal */
    VkCommandPool pool;
    VkCommandBuffer commands[TRANSFER_PIECES];
    uint32_t thread_count;
    struct pool *threads; /* null: none were needed so far, or there are no more */
    pthread_mutex_t lock; /* of the queue and `value`, while threads are at work */
};

HRESULT transfer_init(struct transfer *transfer, struct vk *vk, struct memory *memory, char *message,
                      size_t message_size);
void transfer_destroy(struct transfer *transfer);

/* Whether so many bytes are worth it. Otherwise the batch's own commands copy them. */
int transfer_is_large(const struct transfer *transfer, uint64_t bytes);

/* Brings bytes of the host to a place. The device has them when the timeline has reached `value`. */
VkResult transfer_in(struct transfer *transfer, const struct memory_place *to, const void *from, uint64_t bytes);

/* Brings bytes of a place to the host, as soon as the timeline has reached `value`. */
VkResult transfer_out(struct transfer *transfer, void *to, const struct memory_place *from, uint64_t bytes);
#endif
