/* memory.h: device memory in large chunks, kept from one batch to the next and taken from front to back.
 *
 * What the processor reads and writes is `host`, what shaders use is `address`. On a device with unified memory the two
 * are one place; elsewhere each chunk has a twin in host memory, and who takes a place has bytes copied between the two,
 * which have the same offsets in both. */
#ifndef MEMORY_H
#define MEMORY_H

#include "device/vulkan/vk.h"

enum { MEMORY_ALIGNMENT = 256, MEMORY_CHUNKS = 64 };

struct memory_chunk {
    VkBuffer buffer, twin; /* twin: null with unified memory */
    VkDeviceMemory memory, twin_memory;
    uint8_t *host;
    VkDeviceAddress address;
    uint64_t size, used; /* bytes; used: multiple of MEMORY_ALIGNMENT */
};

struct memory {
    struct vk *vk;
    uint32_t count;
    struct memory_chunk chunks[MEMORY_CHUNKS];
    uint32_t type, twin_type; /* memory types */
    uint64_t total, limit;    /* bytes held; bytes above which a batch should rather be split */
    uint64_t next;            /* size of the next chunk if nothing needs more */
};

struct memory_place {
    uint32_t chunk;
    uint64_t offset;
    uint64_t address;
    uint8_t *host;
};

/* Fails with a sentence if the device has no memory that fits the purpose. */
HRESULT memory_init(struct memory *memory, struct vk *vk, char *message, size_t message_size);
void memory_destroy(struct memory *memory);

/* Largest tensor that a chunk can hold. */
uint64_t memory_max_bytes(const struct memory *memory);

/* Takes `size` bytes for one item. `alone`: no other item holds places, so that `limit` does not matter. Otherwise
 * VK_INCOMPLETE says that there is no room beside the others: run them, reset and ask again. */
VkResult memory_take(struct memory *memory, uint64_t size, int alone, struct memory_place *out);

/* Gives back every place. Chunks stay. */
void memory_reset(struct memory *memory);
#endif
