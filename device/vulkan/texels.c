#include "device/vulkan/texels.h"

#include <stdio.h>

static const struct {
    VkFormat format;
    uint32_t bytes;
} formats[TEXELS_FORMATS] = {{VK_FORMAT_R32G32B32A32_UINT, 16}, {VK_FORMAT_R32_UINT, 4}};

static VkDescriptorType type_of(uint32_t binding)
{
    return binding == TEXELS_STORED ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
}

static VkResult make_layout(struct texels *texels)
{
    struct vk *vk = texels->vk;
    VkDescriptorSetLayoutBinding bindings[TEXELS_BINDINGS];
    for (uint32_t i = 0; i < TEXELS_BINDINGS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = type_of(i),
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = TEXELS_BINDINGS,
                                            .pBindings = bindings};
    return vk->vkCreateDescriptorSetLayout(vk->device, &info, NULL, &texels->layout);
}

static VkResult make_pool(struct texels *texels, uint32_t chunks)
{
    struct vk *vk = texels->vk;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, TEXELS_FORMATS * chunks},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, chunks}};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                       .maxSets = chunks,
                                       .poolSizeCount = sizeof sizes / sizeof *sizes,
                                       .pPoolSizes = sizes};
    return vk->vkCreateDescriptorPool(vk->device, &info, NULL, &texels->pool);
}

HRESULT texels_init(struct texels *texels, struct vk *vk, uint32_t chunks, char *message, size_t message_size)
{
    *texels = (struct texels){.vk = vk};
    const VkPhysicalDeviceLimits *limits = &vk->properties.limits;
    if (!vk->has_int64 || !vk->has_subgroups || limits->maxBoundDescriptorSets < TEXELS_SETS ||
        limits->maxPerStageDescriptorStorageBuffers < TEXELS_SETS)
        return S_OK;
    VkResult result = make_layout(texels);
    if (result >= 0)
        result = make_pool(texels, chunks);
    if (result < 0)
        snprintf(message, message_size, "buffers of texels cannot be set up: %s", vk_text(result));
    for (int i = 0; i < TEXELS_FORMATS && result >= 0; i++)
        texels->reach[i] = (uint64_t)limits->maxTexelBufferElements * formats[i].bytes;
    if (result >= 0)
        texels->reach[TEXELS_STORED] = limits->maxStorageBufferRange;
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
                                      .descriptorType = type_of(i),
                                      .pTexelBufferView = &out->views[i]};
        vk->vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
    if (result >= 0) {
        const uint64_t reach = texels->reach[TEXELS_STORED];
        const VkDescriptorBufferInfo info = {.buffer = buffer, .range = size < reach ? size : reach};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = out->set,
                                      .dstBinding = TEXELS_STORED,
                                      .descriptorCount = 1,
                                      .descriptorType = type_of(TEXELS_STORED),
                                      .pBufferInfo = &info};
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
