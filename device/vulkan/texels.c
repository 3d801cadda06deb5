#include "device/vulkan/texels.h"

#include <stdio.h>

static const struct {
    VkFormat format;
    uint32_t bytes;
} formats[TEXELS_FORMATS] = {{VK_FORMAT_R32G32B32A32_UINT, 16}, {VK_FORMAT_R32_UINT, 4}};

static VkResult make_layout(struct texels *texels)
{
    struct vk *vk = texels->vk;
    VkDescriptorSetLayoutBinding bindings[TEXELS_FORMATS];
    for (uint32_t i = 0; i < TEXELS_FORMATS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = TEXELS_FORMATS,
                                            .pBindings = bindings};
    return vk->vkCreateDescriptorSetLayout(vk->device, &info, NULL, &texels->layout);
}

static VkResult make_pool(struct texels *texels, uint32_t chunks)
{
    struct vk *vk = texels->vk;
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, TEXELS_FORMATS * chunks};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                       .maxSets = chunks,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    return vk->vkCreateDescriptorPool(vk->device, &info, NULL, &texels->pool);
}

HRESULT texels_init(struct texels *texels, struct vk *vk, uint32_t chunks, char *message, size_t message_size)
{
    *texels = (struct texels){.vk = vk};
    if (!vk->has_int64 || !vk->has_subgroups)
        return S_OK;
    VkResult result = make_layout(texels);
    if (result >= 0)
        result = make_pool(texels, chunks);
    if (result < 0)
        snprintf(message, message_size, "buffers of texels cannot be set up: %s", vk_text(result));
    else
        for (int i = 0; i < TEXELS_FORMATS; i++)
            texels->reach[i] = (uint64_t)vk->properties.limits.maxTexelBufferElements * formats[i].bytes;
    return vk_hresult(result);
}

void texels_destroy(struct texels *texels)
{
    struct vk *vk = texels->vk;
    if (!vk)
        return;
    vk->vkDestroyDescriptorPool(vk->device, texels->pool, NULL);
    vk->vkDestroyDescriptorSetLayout(vk->device, texels->layout, NULL);
    *texels = (struct texels){0};
}

VkResult texels_add(struct texels *texels, VkBuffer buffer, uint64_t size, struct texels_view *out)
{
    struct vk *vk = texels->vk;
    *out = (struct texels_view){0};
    if (!texels->layout)
        return VK_SUCCESS;
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = texels->pool,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &texels->layout};
    VkResult result = vk->vkAllocateDescriptorSets(vk->device, &set, &out->set);
    for (uint32_t i = 0; i < TEXELS_FORMATS && result >= 0; i++) {
        uint64_t reach = texels->reach[i], whole = size / formats[i].bytes * formats[i].bytes;
        VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                       .buffer = buffer,
                                       .format = formats[i].format,
                                       .range = whole < reach ? whole : reach};
        result = vk->vkCreateBufferView(vk->device, &info, NULL, &out->views[i]);
        if (result < 0)
            break;
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = out->set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                      .pTexelBufferView = &out->views[i]};
        vk->vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    return result;
}

void texels_remove(struct texels *texels, struct texels_view *view)
{
    struct vk *vk = texels->vk;
    if (!vk)
        return;
    if (view->set)
        vk->vkFreeDescriptorSets(vk->device, texels->pool, 1, &view->set);
    for (int i = 0; i < TEXELS_FORMATS; i++)
        vk->vkDestroyBufferView(vk->device, view->views[i], NULL);
    *view = (struct texels_view){0};
}
