/* texels.h: chunks of memory as buffers of texels, on a device that is a processor. Lavapipe loads a texel of 16 bytes
 * for each invocation by one instruction, but walks the invocations in a loop, with a branch, for each component that
 * it reads at an address. */
#ifndef TEXELS_H
#define TEXELS_H

#include "device/vulkan/vk.h"

enum { TEXELS_OPERANDS = 4 };

/* What a texel is: four words, or one, which any invocation of a vector may have elsewhere. */
enum { TEXELS_FOURS, TEXELS_WORDS, TEXELS_FORMATS };

struct texels {
    struct vk *vk;
    uint64_t reach[TEXELS_FORMATS]; /* bytes from the beginning of a chunk that are texels, too; 0: none */
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
};

/* A buffer's texels, for a set of their own. */
struct texels_view {
    VkBufferView views[TEXELS_FORMATS];
    VkDescriptorSet set;
};

/* `chunks`: buffers at most. Without 64-bit integers in shaders, or without subgroups, there are no texels. */
HRESULT texels_init(struct texels *texels, struct vk *vk, uint32_t chunks, char *message, size_t message_size);
void texels_destroy(struct texels *texels);

VkResult texels_add(struct texels *texels, VkBuffer buffer, uint64_t size, struct texels_view *out);
void texels_remove(struct texels *texels, struct texels_view *view);
#endif
