/* vk.h: the Vulkan loader, an instance and a logical device, found and opened at run time. */
#ifndef VK_H
#define VK_H

#include "device/dml.h"
#include "device/vulkan/options.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/* clang-format off */
#define VK_LOADER_FUNCTIONS(X) \
    X(vkCreateInstance) X(vkEnumerateInstanceExtensionProperties) X(vkEnumerateInstanceLayerProperties)
#define VK_INSTANCE_FUNCTIONS(X) \
    X(vkCreateDevice) X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetDeviceProcAddr) \
    X(vkGetPhysicalDeviceFeatures2) X(vkGetPhysicalDeviceMemoryProperties) X(vkGetPhysicalDeviceProperties) \
    X(vkGetPhysicalDeviceProperties2) X(vkGetPhysicalDeviceQueueFamilyProperties)
#define VK_DEVICE_FUNCTIONS(X) \
    X(vkAllocateCommandBuffers) X(vkAllocateMemory) X(vkBeginCommandBuffer) X(vkBindBufferMemory) X(vkCmdBindPipeline) \
    X(vkCmdCopyBuffer) X(vkCmdDispatch) X(vkCmdPipelineBarrier) X(vkCmdPushConstants) X(vkCmdResetQueryPool) \
    X(vkCmdWriteTimestamp) X(vkCreateBuffer) X(vkCreateCommandPool) X(vkCreateComputePipelines) X(vkCreateFence) \
    X(vkCreatePipelineLayout) X(vkCreateQueryPool) X(vkCreateShaderModule) X(vkDestroyBuffer) X(vkDestroyCommandPool) \
    X(vkDestroyDevice) X(vkDestroyFence) X(vkDestroyPipeline) X(vkDestroyPipelineLayout) X(vkDestroyQueryPool) \
    X(vkDestroyShaderModule) X(vkDeviceWaitIdle) X(vkEndCommandBuffer) X(vkFreeMemory) X(vkGetBufferDeviceAddress) \
    X(vkGetBufferMemoryRequirements) X(vkGetDeviceQueue) X(vkGetQueryPoolResults) X(vkMapMemory) X(vkQueueSubmit) \
    X(vkResetCommandPool) X(vkResetFences) X(vkWaitForFences)
/* clang-format on */

struct vk {
    void *library;
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define VK_MEMBER(name) PFN_##name name;
    VK_LOADER_FUNCTIONS(VK_MEMBER)
    VK_INSTANCE_FUNCTIONS(VK_MEMBER)
    VK_DEVICE_FUNCTIONS(VK_MEMBER)
#undef VK_MEMBER
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkDebugUtilsMessengerEXT messenger;
    char trouble[512]; /* the first warning or error of a validation layer since vk_calm(), "" if none */

    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t timestamp_bits;   /* 0: the queue has no clock */
    uint64_t max_buffer_bytes; /* of one buffer in one allocation */
    uint32_t subgroup_size;
    int has_int64, has_8bit, has_16bit; /* in shaders; in memory; in memory */
    int has_subgroups;                  /* ballots and arithmetic across a subgroup */
    int unified;                        /* processor and device share memory that is as good for both */
};

/* Opens what `options` ask for. On failure `message` is one sentence and vk_close() has nothing left to do. */
HRESULT vk_open(struct vk *vk, const struct options *options, char *message, size_t message_size);
void vk_close(struct vk *vk);

/* What a failed call means to the caller of the device. */
HRESULT vk_hresult(VkResult result);
const char *vk_text(VkResult result);

/* Forgets what validation layers said. */
void vk_calm(struct vk *vk);
#endif
