/* vk.h: the Vulkan loader, an instance and a logical device, loaded and opened at run time. */
#ifndef VK_H
#define VK_H

#include "device/dml.h"
#include "device/vulkan/vulkan_options.h"

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
    X(vkAllocateCommandBuffers) X(vkAllocateDescriptorSets) X(vkAllocateMemory) X(vkBeginCommandBuffer) \
    X(vkBindBufferMemory) X(vkCmdBindDescriptorSets) X(vkCmdBindPipeline) X(vkCmdCopyBuffer) X(vkCmdDispatch) \
    X(vkCmdPipelineBarrier) X(vkCmdPushConstants) X(vkCmdResetQueryPool) X(vkCmdWriteTimestamp) X(vkCreateBuffer) \
    X(vkCreateBufferView) X(vkCreateCommandPool) X(vkCreateComputePipelines) X(vkCreateDescriptorPool) \
    X(vkCreateDescriptorSetLayout) X(vkCreateFence) X(vkCreatePipelineLayout) X(vkCreateQueryPool) \
    X(vkCreateSemaphore) X(vkCreateShaderModule) X(vkDestroyBuffer) X(vkDestroyBufferView) X(vkDestroyCommandPool) \
    X(vkDestroyDescriptorPool) X(vkDestroyDescriptorSetLayout) X(vkDestroyDevice) X(vkDestroyFence) \
    X(vkDestroyPipeline) X(vkDestroyPipelineLayout) X(vkDestroyQueryPool) X(vkDestroySemaphore) \
    X(vkDestroyShaderModule) X(vkDeviceWaitIdle) X(vkEndCommandBuffer) X(vkFreeDescriptorSets) X(vkFreeMemory) \
    X(vkGetBufferDeviceAddress) X(vkGetBufferMemoryRequirements) X(vkGetDeviceQueue) X(vkGetQueryPoolResults) \
    X(vkMapMemory) X(vkQueueSubmit) X(vkResetCommandPool) X(vkResetFences) X(vkUpdateDescriptorSets) \
    X(vkWaitForFences) X(vkWaitSemaphores)
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
    VkQueue queue, transfer_queue; /* the transfer queue may be the same */
    uint32_t family, transfer_family;
    VkDebugUtilsMessengerEXT messenger;
    char trouble[512]; /* the first warning or error of a validation layer since vk_forget_trouble(); "": none */

    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceDriverProperties driver;
    uint8_t uuid[VK_UUID_SIZE];
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t timestamp_bits;   /* 0: the queue has no clock */
    uint64_t max_buffer_bytes; /* most bytes of a buffer in one allocation */
    uint32_t subgroup_size;
    int has_int64, has_float64; /* shaders may use 64-bit numbers */
    int has_8bit, has_16bit;    /* shaders may use 8-bit and 16-bit storage */
    int has_subgroups;          /* shaders may use ballots and arithmetic across a subgroup */
    unsigned modes;             /* MODE_… of execution_modes.h */
    int unified;                /* processor and device share memory that is fast for both */
};

/* Opens the device that `options` ask for. If it fails, it writes a sentence to `message` and leaves nothing to
 * close. */
HRESULT vk_open(struct vk *vk, const struct options *options, char *message, size_t message_size);
void vk_close(struct vk *vk);

/* Returns the HRESULT for a Vulkan result. */
HRESULT vk_hresult(VkResult result);

/* Returns a Vulkan error for a person: "out of device memory". Never null. */
const char *vk_text(VkResult result);

/* Clears `trouble`. */
void vk_forget_trouble(struct vk *vk);
#endif
