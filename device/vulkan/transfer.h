/* transfer.h: uploads large tensors to the memory of a device that has its own, and downloads them. A tensor is cut in
 * pieces: threads copy some pieces between the caller's memory and the staging buffer while the transfer queue moves
 * others. The threads are started for the first large tensor, and wait for the next one. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "device/common/pool.h"
#include "device/vulkan/memory.h"

#include <pthread.h>

enum {
    TRANSFER_LEAST = 32 << 20, /* bytes below which threads cost more than they save */
    TRANSFER_THREADS = 16,
    TRANSFER_PIECES = 128 /* pieces of a tensor at most, and pieces on their way at most */
};

struct transfer {
    struct vk *vk;
    struct memory *memory;
    VkSemaphore timeline; /* null: the device's memory is the host's, so nothing is transferred */
    uint64_t value;       /* pieces submitted; the timeline counts the pieces that have moved */
    VkSemaphore computed; /* counts the submissions that have run; null: as above */
    uint64_t computed_value;
    VkCommandPool pool;
    VkCommandBuffer commands[TRANSFER_PIECES]; /* command buffers of the last pieces, in a ring */
    uint32_t thread_count;
    struct pool *threads; /* null: not needed so far, or the system has no more threads */
    pthread_mutex_t lock; /* protects the queue, the commands and `value`, while threads are at work */
};

HRESULT transfer_init(struct transfer *transfer, struct vk *vk, struct memory *memory, char *message,
                      size_t message_size);
void transfer_destroy(struct transfer *transfer);

/* Tells whether so many bytes are worth a transfer. Otherwise the batch's own commands copy them. */
int transfer_is_large(const struct transfer *transfer, uint64_t bytes);

/* Uploads bytes of the host to a place. The device has them when the timeline has reached `value`; the host may change
 * its own at once. */
VkResult transfer_in(struct transfer *transfer, const struct memory_place *to, const void *from, uint64_t bytes);

/* Downloads bytes of a place to the host, as soon as `computed` has reached `after`. */
VkResult transfer_out(struct transfer *transfer, void *to, const struct memory_place *from, uint64_t bytes,
                      uint64_t after);

/* Waits until no transfer is on its way. */
void transfer_settle(const struct transfer *transfer);
#endif
