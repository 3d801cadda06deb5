/* texels.h: chunks of memory as buffers of texels, and as buffers to store to, on a device that is a processor.
 * Lavapipe loads a texel of 16 bytes for each invocation by one instruction, but walks the invocations in a loop, with
 * a branch, for each component that it reads or writes at an address. To a buffer it writes all components in one
 * loop. */
#ifndef TEXELS_H
#define TEXELS_H

#include "device/vulkan/vk.h"

/* Descriptor sets: one for each operand, then one for the buffer that is stored to. */
enum { TEXELS_OPERANDS = 4, TEXELS_SETS };

/* Formats of a texel: four words, or one word, if the invocations of a vector read words far apart. The last binding of
 * a set is the buffer to store to. */
enum { TEXELS_FOURS, TEXELS_WORDS, TEXELS_FORMATS, TEXELS_STORED = TEXELS_FORMATS, TEXELS_BINDINGS };

struct texels {
    struct vk *vk;
    uint64_t reach[TEXELS_BINDINGS]; /* bytes from the beginning of a chunk that a binding can reach; 0: none */
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
};

/* A view of a buffer as texels, for a set of its own. */
struct texels_view {
    VkBufferView views[TEXELS_FORMATS];
    VkDescriptorSet set;
};

/* Prepares the texels. `chunks`: most buffers. Without 64-bit integers in shaders, subgroups or enough sets there are
 * no texels. */
HRESULT texels_init(struct texels *texels, struct vk *vk, uint32_t chunks, char *message, size_t message_size);
void texels_destroy(struct texels *texels);

VkResult texels_add(struct texels *texels, VkBuffer buffer, uint64_t size, struct texels_view *out);
void texels_remove(struct texels *texels, struct texels_view *view);
#endif
