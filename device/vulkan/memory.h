/* memory.h: device memory in large chunks, which are kept from one batch to the next and handed out from front to back.
 *
 * The processor reads and writes `host`, shaders use `address`. On a device with unified memory both are the same
 * bytes. Elsewhere each chunk has a staging buffer in host memory, its twin, with the same offsets; a caller that takes
 * a place must copy bytes between the two. */
#ifndef MEMORY_H
#define MEMORY_H

#include "device/vulkan/texels.h"
#include "device/vulkan/vk.h"

enum { MEMORY_ALIGNMENT = 256, MEMORY_CHUNKS = 64 };

struct memory_chunk {
    VkBuffer buffer, twin; /* twin: null with unified memory */
    VkDeviceMemory memory, twin_memory;
    uint8_t *host;
    VkDeviceAddress address;
    struct texels_view texels;
    uint64_t size, used; /* bytes; used: multiple of MEMORY_ALIGNMENT */
    uint32_t batch;      /* number of the batch whose places the chunk holds, if any are used */
};

struct memory {
    struct vk *vk;
    struct texels *texels;
    uint32_t count;
    struct memory_chunk chunks[MEMORY_CHUNKS];
    uint32_t type, twin_type; /* memory types */
    uint64_t total, limit;    /* bytes held; limit: above it, items wait for others */
    uint64_t next;            /* bytes of the next chunk, unless a tensor needs more */
};

struct memory_place {
    uint32_t chunk;
    uint64_t offset;
    uint64_t address;
    uint8_t *host;
};

/* Prepares the memory. Fails, with a sentence in `message`, if the device has no suitable memory type. */
HRESULT memory_init(struct memory *memory, struct vk *vk, struct texels *texels, char *message, size_t message_size);
void memory_destroy(struct memory *memory);

/* Returns the bytes of the largest tensor that a chunk can hold. */
uint64_t memory_max_bytes(const struct memory *memory);

/* Takes `size` bytes for one item of a batch. Each chunk serves one batch at a time. `alone`: no other item holds
 * places, so `limit` does not apply. Otherwise VK_INCOMPLETE means that there is no room beside the other items: run
 * them, reset and ask again. A place lies within the reach of texels if it fits. */
VkResult memory_take(struct memory *memory, uint32_t batch, uint64_t size, int alone, struct memory_place *out);

/* Gives back all places of a batch. Chunks are kept. */
void memory_reset(struct memory *memory, uint32_t batch);
#endif
