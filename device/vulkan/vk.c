#include "device/vulkan/vk.h"

#include "device/vulkan/execution_modes.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* Sets a pointer to a function. C has no cast from an object pointer to a function pointer; POSIX and Vulkan promise
 * the same representation. */
#define SET_FUNCTION(target, value)                                                                                    \
    do {                                                                                                               \
        PFN_vkVoidFunction function_ = (value);                                                                        \
        memcpy(&(target), &function_, sizeof(target));                                                                 \
    } while (0)

HRESULT vk_hresult(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return E_OUTOFMEMORY;
    case VK_ERROR_DEVICE_LOST:
        return DXGI_ERROR_DEVICE_REMOVED;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_LAYER_NOT_PRESENT:
        return DXGI_ERROR_UNSUPPORTED;
    default:
        return result < 0 ? E_FAIL : S_OK;
    }
}

const char *vk_text(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "initialization failed";
    case VK_ERROR_DEVICE_LOST:
        return "the device is lost";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "no driver was found";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
        return "an extension is missing";
    case VK_ERROR_FEATURE_NOT_PRESENT:
        return "a feature is missing";
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "a layer is missing";
    default:
        return "an unknown error";
    }
}

void vk_forget_trouble(struct vk *vk)
{
    vk->trouble[0] = 0;
}

/* Keeps the first message of validation layers, which call it: later messages tend to follow from the first. */
static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct vk *vk = user;
    (void)severity;
    (void)types;
    if (!vk->trouble[0])
        snprintf(vk->trouble, sizeof vk->trouble, "%s", data->pMessage ? data->pMessage : "a message without text");
    return VK_FALSE;
}

static HRESULT load_library(struct vk *vk, char *message, size_t message_size)
{
    vk->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!vk->library) {
        snprintf(message, message_size, "the Vulkan loader is missing: %s", dlerror());
        return DXGI_ERROR_UNSUPPORTED;
    }
    void *entry = dlsym(vk->library, "vkGetInstanceProcAddr");
    memcpy(&vk->vkGetInstanceProcAddr, &entry, sizeof entry);
    int complete = entry != NULL;
#define LOAD(name)                                                                                                     \
    if (complete)                                                                                                      \
        SET_FUNCTION(vk->name, vk->vkGetInstanceProcAddr(NULL, #name));                                                \
    complete = complete && vk->name;
    VK_LOADER_FUNCTIONS(LOAD)
#undef LOAD
    if (complete)
        return S_OK;
    snprintf(message, message_size, "libvulkan.so.1 is not a Vulkan loader: it lacks an entry point");
    return DXGI_ERROR_UNSUPPORTED;
}

static int has_layer(struct vk *vk, const char *name)
{
    uint32_t count = 0;
    vk->vkEnumerateInstanceLayerProperties(&count, NULL);
    VkLayerProperties *layers = calloc(count ? count : 1, sizeof *layers);
    int found = 0;
    if (layers && vk->vkEnumerateInstanceLayerProperties(&count, layers) >= 0) {
        for (uint32_t i = 0; i < count && !found; i++)
            found = !strcmp(layers[i].layerName, name);
    }
    free(layers);
    return found;
}

static int has_instance_extension(struct vk *vk, const char *name)
{
    uint32_t count = 0;
    vk->vkEnumerateInstanceExtensionProperties(NULL, &count, NULL);
    VkExtensionProperties *extensions = calloc(count ? count : 1, sizeof *extensions);
    int found = 0;
    if (extensions && vk->vkEnumerateInstanceExtensionProperties(NULL, &count, extensions) >= 0) {
        for (uint32_t i = 0; i < count && !found; i++)
            found = !strcmp(extensions[i].extensionName, name);
    }
    free(extensions);
    return found;
}

static VkResult open_messenger(struct vk *vk)
{
    PFN_vkCreateDebugUtilsMessengerEXT create;
    SET_FUNCTION(create, vk->vkGetInstanceProcAddr(vk->instance, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = vk,
    };
    return create ? create(vk->instance, &info, NULL, &vk->messenger) : VK_SUCCESS;
}

static HRESULT open_instance(struct vk *vk, int validation, char *message, size_t message_size)
{
    const char *layer = VALIDATION_LAYER, *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (validation && !has_layer(vk, layer)) {
        snprintf(message, message_size, "the layer " VALIDATION_LAYER " is not installed");
        return DXGI_ERROR_UNSUPPORTED;
    }
    int debug_utils = has_instance_extension(vk, extension);
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "assay", .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .enabledLayerCount = validation ? 1 : 0,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = debug_utils ? 1 : 0,
        .ppEnabledExtensionNames = &extension,
    };
    VkResult result = vk->vkCreateInstance(&info, NULL, &vk->instance);
    if (result < 0) {
        vk->instance = NULL; /* some loaders write to it before they fail */
        snprintf(message, message_size, "the Vulkan instance cannot be created: %s", vk_text(result));
        return result == VK_ERROR_INITIALIZATION_FAILED ? DXGI_ERROR_UNSUPPORTED : vk_hresult(result);
    }
    int complete = 1;
#define LOAD(name)                                                                                                     \
    SET_FUNCTION(vk->name, vk->vkGetInstanceProcAddr(vk->instance, #name));                                            \
    complete = complete && vk->name;
    VK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    if (!complete) {
        snprintf(message, message_size, "the Vulkan loader lacks functions of Vulkan 1.1");
        return DXGI_ERROR_UNSUPPORTED;
    }
    result = debug_utils ? open_messenger(vk) : VK_SUCCESS;
    if (result < 0)
        snprintf(message, message_size, "the debug messenger cannot be created: %s", vk_text(result));
    return vk_hresult(result);
}

/* Returns the first queue family with compute; -1 if there is none. */
static int compute_family(struct vk *vk, VkPhysicalDevice physical, uint32_t *timestamp_bits)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vk->vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            *timestamp_bits = families[i].timestampValidBits;
            return (int)i;
        }
    }
    return -1;
}

/* Returns the queue family that only moves bytes, beside kernels that run; otherwise `family`. */
static uint32_t find_transfer_family(struct vk *vk, VkPhysicalDevice physical, uint32_t family)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vk->vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if ((flags & VK_QUEUE_TRANSFER_BIT) && !(flags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)))
            return i;
    }
    return family;
}

/* Reads the properties of a physical device into `vk`. Returns the feature that the device lacks; null if it lacks
 * none. */
static const char *examine(struct vk *vk, VkPhysicalDevice physical)
{
    vk->physical = physical;
    vk->vkGetPhysicalDeviceProperties(physical, &vk->properties);
    if (vk->properties.apiVersion < VK_API_VERSION_1_2)
        return "Vulkan 1.2";
    int family = compute_family(vk, physical, &vk->timestamp_bits);
    if (family < 0)
        return "a compute queue";
    vk->family = (uint32_t)family;
    vk->transfer_family = find_transfer_family(vk, physical, vk->family);

    VkPhysicalDeviceMaintenance4Properties buffers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, .maxBufferSize = UINT64_MAX};
    VkPhysicalDeviceMaintenance3Properties limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
        .pNext = vk->properties.apiVersion >= VK_API_VERSION_1_3 ? &buffers : NULL};
    VkPhysicalDeviceFloatControlsProperties floats = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, .pNext = &limits};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                   .pNext = &floats};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &subgroup};
    vk->driver =
        (VkPhysicalDeviceDriverProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &id};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &vk->driver};
    vk->vkGetPhysicalDeviceProperties2(physical, &properties);
    vk->driver.pNext = NULL;
    memcpy(vk->uuid, id.deviceUUID, sizeof vk->uuid);

    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR};
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .pNext = &control_flow};
    VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                   .pNext = &features12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
    vk->vkGetPhysicalDeviceFeatures2(physical, &features);
    vk->modes = execution_modes_of(&floats, &control_flow);

    const VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    vk->has_subgroups = (subgroup.supportedOperations & needed) == needed &&
                        (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    vk->subgroup_size = subgroup.subgroupSize;
    vk->max_buffer_bytes =
        limits.maxMemoryAllocationSize < buffers.maxBufferSize ? limits.maxMemoryAllocationSize : buffers.maxBufferSize;
    vk->has_int64 = features.features.shaderInt64 == VK_TRUE;
    vk->has_float64 = features.features.shaderFloat64 == VK_TRUE;
    vk->has_8bit = features12.storageBuffer8BitAccess == VK_TRUE;
    vk->has_16bit = features11.storageBuffer16BitAccess == VK_TRUE;
    if (!features12.bufferDeviceAddress)
        return "the feature bufferDeviceAddress";
    if (!features12.scalarBlockLayout)
        return "the feature scalarBlockLayout";
    return NULL;
}

static int is_wanted(const char *wanted, uint32_t number, const char *name)
{
    if (!*wanted)
        return 1;
    if (strspn(wanted, "0123456789") == strlen(wanted))
        return strtoul(wanted, NULL, 10) == number;
    return strstr(name, wanted) != NULL;
}

/* Sets `vk` to the first physical device that matches `wanted` and has all features. */
static HRESULT choose_physical_device(struct vk *vk, const char *wanted, char *message, size_t message_size)
{
    VkPhysicalDevice all[32];
    uint32_t count = 32;
    VkResult result = vk->vkEnumeratePhysicalDevices(vk->instance, &count, all);
    if (result < 0 || !count) {
        snprintf(message, message_size, "no Vulkan device was found: %s",
                 result < 0 ? vk_text(result) : "the drivers report none");
        return result == VK_ERROR_OUT_OF_HOST_MEMORY ? E_OUTOFMEMORY : DXGI_ERROR_UNSUPPORTED;
    }
    int length = *wanted ? snprintf(message, message_size, "no suitable Vulkan device matches \"%s\"; found", wanted)
                         : snprintf(message, message_size, "no Vulkan device is suitable; found");
    for (uint32_t i = 0; i < count; i++) {
        const char *lack = examine(vk, all[i]);
        if (!lack && is_wanted(wanted, i, vk->properties.deviceName)) {
            message[0] = 0;
            return S_OK;
        }
        size_t at = length > 0 && (size_t)length < message_size ? (size_t)length : message_size;
        length += snprintf(message + at, message_size - at, "%s %u: %s%s%s%s", i ? "," : "", i,
                           vk->properties.deviceName, lack ? " (lacks " : "", lack ? lack : "", lack ? ")" : "");
    }
    return DXGI_ERROR_UNSUPPORTED;
}

/* Tells whether a memory type is local to the device and the processor can use it at full speed, too. */
static int is_unified(const struct vk *vk)
{
    const VkMemoryPropertyFlags all = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (vk->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
        return 0;
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++) {
        if ((vk->memory.memoryTypes[i].propertyFlags & all) == all)
            return 1;
    }
    return 0;
}

static HRESULT open_logical_device(struct vk *vk, char *message, size_t message_size)
{
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR control_flow = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
        .shaderSubgroupUniformControlFlow = VK_TRUE};
    const char *extension = VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME;
    const int reconverges = (vk->modes & MODE_RECONVERGES) != 0;
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .pNext = reconverges ? &control_flow : NULL,
                                                   .storageBuffer8BitAccess = vk->has_8bit ? VK_TRUE : VK_FALSE,
                                                   .scalarBlockLayout = VK_TRUE,
                                                   .timelineSemaphore = VK_TRUE,
                                                   .bufferDeviceAddress = VK_TRUE};
    VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                   .pNext = &features12,
                                                   .storageBuffer16BitAccess = vk->has_16bit ? VK_TRUE : VK_FALSE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &features11,
                                          .features = {.shaderInt64 = vk->has_int64 ? VK_TRUE : VK_FALSE,
                                                       .shaderFloat64 = vk->has_float64 ? VK_TRUE : VK_FALSE}};
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queues[2];
    uint32_t queue_count = vk->transfer_family == vk->family ? 1 : 2;
    for (uint32_t i = 0; i < queue_count; i++)
        queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = i ? vk->transfer_family : vk->family,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = queue_count,
                               .pQueueCreateInfos = queues,
                               .enabledExtensionCount = reconverges ? 1 : 0,
                               .ppEnabledExtensionNames = &extension};
    VkResult result = vk->vkCreateDevice(vk->physical, &info, NULL, &vk->device);
    if (result < 0) {
        vk->device = NULL;
        snprintf(message, message_size, "%s cannot be opened: %s", vk->properties.deviceName, vk_text(result));
        return vk_hresult(result);
    }
    int complete = 1;
#define LOAD(name)                                                                                                     \
    SET_FUNCTION(vk->name, vk->vkGetDeviceProcAddr(vk->device, #name));                                                \
    complete = complete && vk->name;
    VK_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    if (!complete) {
        snprintf(message, message_size, "%s lacks functions of Vulkan 1.2", vk->properties.deviceName);
        return DXGI_ERROR_UNSUPPORTED;
    }
    vk->vkGetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
    vk->vkGetDeviceQueue(vk->device, vk->transfer_family, 0, &vk->transfer_queue);
    return S_OK;
}

HRESULT vk_open(struct vk *vk, const struct options *options, char *message, size_t message_size)
{
    *vk = (struct vk){0};
    HRESULT result = load_library(vk, message, message_size);
    if (SUCCEEDED(result))
        result = open_instance(vk, options->validation, message, message_size);
    if (SUCCEEDED(result))
        result = choose_physical_device(vk, options->device, message, message_size);
    if (SUCCEEDED(result)) {
        vk->vkGetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);
        vk->unified = !options->staging && is_unified(vk);
        result = open_logical_device(vk, message, message_size);
    }
    if (FAILED(result))
        vk_close(vk);
    return result;
}

void vk_close(struct vk *vk)
{
    if (vk->vkDestroyDevice)
        vk->vkDestroyDevice(vk->device, NULL);
    if (vk->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy;
        SET_FUNCTION(destroy, vk->vkGetInstanceProcAddr(vk->instance, "vkDestroyDebugUtilsMessengerEXT"));
        destroy(vk->instance, vk->messenger, NULL);
    }
    if (vk->vkDestroyInstance)
        vk->vkDestroyInstance(vk->instance, NULL);
    if (vk->library)
        dlclose(vk->library);
    *vk = (struct vk){0};
}
