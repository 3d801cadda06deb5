#include "device/vulkan/memory.h"

#include <stdio.h>

enum { FIRST_CHUNK = 1 << 20, LARGEST_DOUBLING = 1 << 26 };

/* On a processor, large tensors have a gap behind them: tensors whose bytes are a power of two would lie in the same
 * sets of the caches, element by element. */
enum { SPREAD = 1 << 20, GAP = 5 << 12 };

/* Returns the first memory type in the set `allowed` that has all of `flags`; -1 if there is none. */
static int find_type(const struct vk *vk, uint32_t allowed, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++) {
        if ((allowed >> i & 1) && (vk->memory.memoryTypes[i].propertyFlags & flags) == flags)
            return (int)i;
    }
    return -1;
}

static VkResult make_buffer(const struct memory *memory, uint64_t size, int is_twin, VkBuffer *out)
{
    struct vk *vk = memory->vk;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    const uint32_t families[] = {vk->family, vk->transfer_family};
    if (vk->transfer_family != vk->family) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = 2;
        info.pQueueFamilyIndices = families;
    }
    if (!is_twin)
        info.usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (!is_twin && memory->texels->layout)
        info.usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    return vk->vkCreateBuffer(vk->device, &info, NULL, out);
}

static VkResult allocate_buffer(struct vk *vk, VkBuffer buffer, uint32_t type, int is_twin, VkDeviceMemory *out)
{
    VkMemoryRequirements needs;
    vk->vkGetBufferMemoryRequirements(vk->device, buffer, &needs);
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = is_twin ? NULL : &flags,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = type};
    VkResult result = vk->vkAllocateMemory(vk->device, &info, NULL, out);
    return result < 0 ? result : vk->vkBindBufferMemory(vk->device, buffer, *out, 0);
}

static void free_chunk(struct memory *memory, struct memory_chunk *chunk)
{
    struct vk *vk = memory->vk;
    texels_remove(memory->texels, &chunk->texels);
    vk->vkDestroyBuffer(vk->device, chunk->buffer, NULL);
    vk->vkDestroyBuffer(vk->device, chunk->twin, NULL);
    vk->vkFreeMemory(vk->device, chunk->memory, NULL);
    vk->vkFreeMemory(vk->device, chunk->twin_memory, NULL);
    *chunk = (struct memory_chunk){0};
}

static VkResult make_chunk(struct memory *memory, uint64_t size, struct memory_chunk *out)
{
    struct vk *vk = memory->vk;
    *out = (struct memory_chunk){.size = size};
    VkResult result = make_buffer(memory, size, 0, &out->buffer);
    if (result >= 0)
        result = allocate_buffer(vk, out->buffer, memory->type, 0, &out->memory);
    if (result >= 0)
        result = texels_add(memory->texels, out->buffer, size, &out->texels);
    if (result >= 0 && !vk->unified)
        result = make_buffer(memory, size, 1, &out->twin);
    if (result >= 0 && !vk->unified)
        result = allocate_buffer(vk, out->twin, memory->twin_type, 1, &out->twin_memory);
    if (result >= 0) {
        VkDeviceMemory visible = vk->unified ? out->memory : out->twin_memory;
        void *host = NULL;
        result = vk->vkMapMemory(vk->device, visible, 0, VK_WHOLE_SIZE, 0, &host);
        out->host = host;
    }
    if (result < 0) {
        free_chunk(memory, out);
        return result;
    }
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = out->buffer};
    out->address = vk->vkGetBufferDeviceAddress(vk->device, &info);
    return VK_SUCCESS;
}

static void choose_types(struct memory *memory, uint32_t allowed, uint32_t twin_allowed, int *type, int *twin)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags cached = visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const struct vk *vk = memory->vk;
    *type = find_type(vk, allowed, vk->unified ? local | cached : local);
    *twin = find_type(vk, twin_allowed, cached); /* reading back uncached memory is very slow */
    if (*twin < 0)
        *twin = find_type(vk, twin_allowed, visible);
}

HRESULT memory_init(struct memory *memory, struct vk *vk, struct texels *texels, char *message, size_t message_size)
{
    *memory = (struct memory){.vk = vk, .texels = texels, .next = FIRST_CHUNK};
    uint32_t allowed[2] = {0};
    for (int is_twin = 0; is_twin < 2; is_twin++) {
        VkBuffer probe = NULL;
        VkMemoryRequirements needs;
        VkResult result = make_buffer(memory, FIRST_CHUNK, is_twin, &probe);
        if (result < 0) {
            snprintf(message, message_size, "no buffer can be created: %s", vk_text(result));
            return vk_hresult(result);
        }
        vk->vkGetBufferMemoryRequirements(vk->device, probe, &needs);
        vk->vkDestroyBuffer(vk->device, probe, NULL);
        allowed[is_twin] = needs.memoryTypeBits;
    }
    int type, twin;
    choose_types(memory, allowed[0], allowed[1], &type, &twin);
    if (type < 0 || twin < 0) {
        snprintf(message, message_size, "%s has no suitable memory for storage buffers", vk->properties.deviceName);
        return DXGI_ERROR_UNSUPPORTED;
    }
    memory->type = (uint32_t)type;
    memory->twin_type = (uint32_t)twin;
    uint64_t heap = vk->memory.memoryHeaps[vk->memory.memoryTypes[type].heapIndex].size;
    memory->limit = heap / 4 > 1ull << 33 ? 1ull << 33 : heap / 4;
    return S_OK;
}

void memory_destroy(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->count; i++)
        free_chunk(memory, &memory->chunks[i]);
    *memory = (struct memory){0};
}

uint64_t memory_max_bytes(const struct memory *memory)
{
    const struct vk *vk = memory->vk;
    uint64_t max = vk->max_buffer_bytes;
    uint64_t heap = vk->memory.memoryHeaps[vk->memory.memoryTypes[memory->type].heapIndex].size;
    if (max > heap)
        max = heap;
    if (!vk->has_int64 && max > 1ull << 31)
        max = 1ull << 31; /* shaders then index with signed 32 bits */
    return max / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

/* Frees the unused chunks at the end. Other chunks must stay: places name chunks by number. */
static void trim(struct memory *memory)
{
    while (memory->count && !memory->chunks[memory->count - 1].used) {
        struct memory_chunk *last = &memory->chunks[--memory->count];
        memory->total -= last->size;
        free_chunk(memory, last);
    }
}

/* Adds a chunk of at least `size` bytes. */
static VkResult grow(struct memory *memory, uint64_t size, int alone)
{
    if (memory->count == MEMORY_CHUNKS || memory->total + size > memory->limit) {
        if (!alone)
            return VK_INCOMPLETE;
        trim(memory);
        if (memory->count == MEMORY_CHUNKS)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    uint64_t want = memory->next > size && memory->total + memory->next <= memory->limit ? memory->next : size;
    VkResult result = make_chunk(memory, want, &memory->chunks[memory->count]);
    if (result < 0 && !alone)
        return VK_INCOMPLETE;
    if (result < 0) {
        trim(memory);
        want = size;
        result = make_chunk(memory, want, &memory->chunks[memory->count]);
    }
    if (result < 0)
        return result;
    memory->count++;
    memory->total += want;
    if (memory->next < LARGEST_DOUBLING)
        memory->next *= 2;
    return VK_SUCCESS;
}

/* Tells whether bytes at an offset would be out of the reach of a binding, though at the beginning of a chunk they
 * would be within it. */
static int leaves_reach(const struct texels *texels, uint64_t offset, uint64_t size)
{
    for (int i = 0; i < TEXELS_BINDINGS; i++) {
        if (size <= texels->reach[i] && offset + size > texels->reach[i])
            return 1;
    }
    return 0;
}

VkResult memory_take(struct memory *memory, uint32_t batch, uint64_t size, int alone, struct memory_place *out)
{
    if (size > memory_max_bytes(memory))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    uint64_t taken = (size + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    if (memory->texels->layout && taken >= SPREAD && taken + GAP <= memory_max_bytes(memory))
        taken += GAP;
    for (;;) {
        for (uint32_t i = 0; i < memory->count; i++) {
            struct memory_chunk *chunk = &memory->chunks[i];
            if (chunk->size - chunk->used < taken || (chunk->used && chunk->batch != batch) ||
                leaves_reach(memory->texels, chunk->used, size))
                continue;
            *out = (struct memory_place){i, chunk->used, chunk->address + chunk->used, chunk->host + chunk->used};
            chunk->used += taken;
            chunk->batch = batch;
            return VK_SUCCESS;
        }
        VkResult result = grow(memory, taken, alone);
        if (result != VK_SUCCESS)
            return result;
    }
}

void memory_reset(struct memory *memory, uint32_t batch)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        if (memory->chunks[i].batch == batch)
            memory->chunks[i].used = 0;
    }
}
