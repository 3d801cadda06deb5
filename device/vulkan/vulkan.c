/* vulkan.c: the functions of device.h. */
#include "device/device.h"
#include "device/common/descriptor.h"
#include "device/vulkan/dispatch.h"
#include "device/vulkan/measure.h"
#include "device/vulkan/memory.h"
#include "device/vulkan/nvml.h"
#include "device/vulkan/vulkan_options.h"
#include "device/vulkan/pipeline.h"
#include "device/vulkan/plan.h"
#include "device/vulkan/plan_attention.h"
#include "device/vulkan/plan_map.h"
#include "device/vulkan/plan_normalise.h"
#include "device/vulkan/plan_pick.h"
#include "device/vulkan/plan_reduce.h"
#include "device/vulkan/plan_products.h"
#include "device/vulkan/plan_recurrence.h"
#include "device/vulkan/plan_region.h"
#include "device/vulkan/plan_resample.h"
#include "device/vulkan/plan_response.h"
#include "device/vulkan/plan_softmax.h"
#include "device/vulkan/plan_unfold.h"
#include "device/vulkan/plan_window.h"
#include "device/vulkan/texels.h"
#include "device/vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "1.0"

struct assay_device {
    struct options options;
    struct vk vk;
    struct texels texels; /* no buffers, unless plans are for a processor */
    struct memory memory;
    struct transfer transfer;
    struct pipelines pipelines;
    struct dispatch dispatch;
    struct nvml nvml;
    const struct plan **plans; /* plans of the items of the current dispatch */
    uint32_t plan_capacity;
    int is_removed;
    char message[640];
};

struct assay_operator {
    struct descriptor descriptor;
};

struct assay_compiled {
    struct plan plan;
};

/* Every call starts here: it clears the last message, and fails if the device is lost. */
static HRESULT enter(assay_device *device)
{
    device->message[0] = 0;
    if (!device->is_removed)
        return S_OK;
    snprintf(device->message, sizeof device->message, "the Vulkan device was lost");
    return DXGI_ERROR_DEVICE_REMOVED;
}

/* Every call ends here: a message of a validation layer makes it fail. */
static HRESULT leave(assay_device *device, HRESULT result)
{
    if (result == DXGI_ERROR_DEVICE_REMOVED)
        device->is_removed = 1;
    if (SUCCEEDED(result) && device->vk.trouble[0]) {
        snprintf(device->message, sizeof device->message, "validation: %s", device->vk.trouble);
        result = E_FAIL;
    }
    vk_forget_trouble(&device->vk);
    return result;
}

static void vulkan_destroy_device(assay_device *device)
{
    if (!device)
        return;
    if (device->vk.device) {
        device->vk.vkDeviceWaitIdle(device->vk.device);
        nvml_close(&device->nvml);
        dispatch_destroy(&device->dispatch);
        pipelines_destroy(&device->pipelines);
        transfer_destroy(&device->transfer);
        memory_destroy(&device->memory);
        texels_destroy(&device->texels);
        vk_close(&device->vk);
    }
    free(device->plans);
    free(device);
}

/* A level is a promise: 3_0 includes NONZERO_COORDINATES and casts of 64-bit integers, 4_1 casts of 64-bit floats. */
static DML_FEATURE_LEVEL highest_level(const struct vk *vk)
{
    if (!vk->has_subgroups || !vk->has_int64)
        return DML_FEATURE_LEVEL_2_1;
    return vk->has_float64 ? DML_FEATURE_LEVEL_6_4 : DML_FEATURE_LEVEL_4_0;
}

static int plans_for_processor(const assay_device *device)
{
    if (device->options.tuning == TUNING_AUTO)
        return device->vk.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    return device->options.tuning == TUNING_CPU;
}

static HRESULT vulkan_create_device(const assay_device_config *config, assay_device **out, char *message,
                                    size_t message_size)
{
    *out = NULL;
    if (message_size)
        message[0] = 0;
    assay_device *device = calloc(1, sizeof *device);
    if (!device) {
        snprintf(message, message_size, "out of memory");
        return E_OUTOFMEMORY;
    }
    HRESULT result = vulkan_options_read(config->arguments, &device->options, message, message_size);
    if (SUCCEEDED(result))
        result = vk_open(&device->vk, &device->options, message, message_size);
    if (SUCCEEDED(result) && device->options.level > highest_level(&device->vk))
        device->options.level = highest_level(&device->vk);
    int is_processor = SUCCEEDED(result) && plans_for_processor(device);
    if (is_processor)
        result = texels_init(&device->texels, &device->vk, MEMORY_CHUNKS, message, message_size);
    if (SUCCEEDED(result))
        result = memory_init(&device->memory, &device->vk, &device->texels, message, message_size);
    if (SUCCEEDED(result))
        result = transfer_init(&device->transfer, &device->vk, &device->memory, message, message_size);
    if (SUCCEEDED(result))
        result = pipelines_init(&device->pipelines, &device->vk, &device->options, &device->texels, is_processor,
                                message, message_size);
    if (SUCCEEDED(result))
        result = dispatch_init(&device->dispatch, device->options.repeat, &device->vk, &device->memory,
                               &device->transfer, &device->pipelines, message, message_size);
    if (SUCCEEDED(result) && device->vk.trouble[0]) {
        snprintf(message, message_size, "validation: %s", device->vk.trouble);
        result = E_FAIL;
    }
    if (FAILED(result)) {
        vulkan_destroy_device(device);
        return result;
    }
    *out = device;
    return S_OK;
}

static HRESULT vulkan_describe(assay_device *device, assay_device_info *info)
{
    HRESULT result = enter(device);
    if (FAILED(result))
        return result;
    const struct vk *vk = &device->vk;
    uint32_t api = vk->properties.apiVersion;
    assay_device_info full = {
        .size = info->size,
        .feature_level = device->options.level,
        .max_tensor_bytes = memory_max_bytes(&device->memory),
        .max_batch = BATCH_ITEMS,
    };
    snprintf(full.name, sizeof full.name, "%.120s", vk->properties.deviceName);
    snprintf(full.driver, sizeof full.driver, "%.40s %.60s (Vulkan %u.%u.%u)", vk->driver.driverName,
             vk->driver.driverInfo, VK_API_VERSION_MAJOR(api), VK_API_VERSION_MINOR(api), VK_API_VERSION_PATCH(api));
    snprintf(full.version, sizeof full.version, VERSION);
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return S_OK;
}

static int has_element_bits(const struct vk *vk, uint32_t bits)
{
    return bits == 32 || ((bits == 4 || bits == 8) && vk->has_8bit) || (bits == 16 && vk->has_16bit) || bits == 64;
}

static BOOL vulkan_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    device->message[0] = 0;
    return has_element_bits(&device->vk, descriptor_element_bits(type));
}

static int vulkan_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_is_indexed(type) || descriptor_is_move(type) || plan_map_computes(type) ||
           plan_reduce_computes(type) || plan_softmax_computes(type) || plan_unfold_computes(type) ||
           plan_normalise_computes(type) || plan_pick_computes(type) || plan_response_computes(type) ||
           plan_window_computes(type) || plan_products_compute(type) || plan_resample_computes(type) ||
           plan_region_computes(type) || recurrence_computes(type) || attention_computes(type) ||
           type == DML_OPERATOR_ADAM_OPTIMIZER;
}

static BOOL vulkan_supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    device->message[0] = 0;
    return vulkan_computes(type);
}

/* Returns the feature that the operator needs and the device lacks; null if it lacks none. */
static const char *find_lack(const struct vk *vk, const struct pipeline_traits *traits,
                             const struct descriptor *descriptor)
{
    const struct tensor *input = &descriptor->inputs[0];
    if (plan_map_computes(descriptor->type))
        return plan_map_lack(descriptor, vk);
    if (plan_reduce_computes(descriptor->type))
        return plan_reduce_lack(descriptor, vk);
    if (plan_softmax_computes(descriptor->type))
        return plan_softmax_lack(descriptor, vk);
    if (plan_unfold_computes(descriptor->type))
        return plan_unfold_lack(descriptor, vk);
    if (plan_normalise_computes(descriptor->type))
        return plan_normalise_lack(descriptor, vk);
    if (plan_pick_computes(descriptor->type))
        return plan_pick_lack(descriptor, vk, traits);
    if (plan_response_computes(descriptor->type))
        return plan_response_lack(vk);
    if (plan_products_compute(descriptor->type))
        return plan_products_lack(descriptor, vk, traits);
    if (plan_window_computes(descriptor->type))
        return plan_window_lack(descriptor, vk, traits);
    if (plan_resample_computes(descriptor->type))
        return plan_resample_lack(descriptor, vk);
    if (plan_region_computes(descriptor->type))
        return plan_region_lack(vk);
    if (recurrence_computes(descriptor->type))
        return plan_recurrence_lack(descriptor, vk, traits);
    if (attention_computes(descriptor->type))
        return plan_attention_lack(descriptor, vk, traits);
    if (descriptor->type == DML_OPERATOR_ADAM_OPTIMIZER && !vk->has_16bit)
        return "access to 16-bit elements";
    if (!has_element_bits(vk, input->element_bits))
        return input->element_size == 1 ? "access to 8-bit elements" : "access to 16-bit elements";
    if (descriptor->type == DML_OPERATOR_NONZERO_COORDINATES && !vk->has_subgroups)
        return "ballots and arithmetic in subgroups";
    int is_scatter = descriptor->type == DML_OPERATOR_SCATTER_ELEMENTS || descriptor->type == DML_OPERATOR_SCATTER_ND;
    if (is_scatter && input->element_size == 8 && !vk->has_int64)
        return "stores of 64-bit elements in one piece"; /* two writes to one element could mix */
    return NULL;
}

static HRESULT vulkan_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    *out = NULL;
    HRESULT result = enter(device);
    if (FAILED(result))
        return result;
    assay_operator *op = malloc(sizeof *op); /* a descriptor is large: create_operator() fills it in place */
    if (!op)
        return E_OUTOFMEMORY;
    result = descriptor_read(desc, device->options.level, vulkan_computes, &op->descriptor, device->message,
                             sizeof device->message);
    const char *lack = SUCCEEDED(result) ? find_lack(&device->vk, &device->pipelines.traits, &op->descriptor) : NULL;
    if (lack) {
        snprintf(device->message, sizeof device->message, "the device lacks %s", lack);
        result = DXGI_ERROR_UNSUPPORTED;
    }
    if (FAILED(result)) {
        free(op);
        return result;
    }
    *out = op;
    return S_OK;
}

static void vulkan_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    free(op);
}

static HRESULT vulkan_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                       assay_compiled **out)
{
    (void)flags; /* the flags concern arithmetic and vendors' kernels: this device has neither */
    *out = NULL;
    HRESULT result = enter(device);
    if (FAILED(result))
        return result;
    assay_compiled *compiled = malloc(sizeof *compiled);
    if (!compiled)
        return E_OUTOFMEMORY;
    vulkan_plan_make(&op->descriptor, &device->pipelines.traits, &compiled->plan);
    for (uint32_t i = 0; i < compiled->plan.launch_count; i++) {
        VkPipeline pipeline;
        VkResult made = compiled->plan.launches[i].is_copy
                            ? VK_SUCCESS
                            : pipelines_get(&device->pipelines, &compiled->plan.launches[i].pipeline, &pipeline);
        if (made < 0) {
            snprintf(device->message, sizeof device->message, "the pipeline cannot be created: %s", vk_text(made));
            free(compiled);
            return leave(device, vk_hresult(made));
        }
    }
    result = leave(device, S_OK);
    if (FAILED(result)) {
        free(compiled);
        return result;
    }
    *out = compiled;
    return S_OK;
}

static void vulkan_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

static HRESULT vulkan_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                               assay_dispatch_result *out)
{
    HRESULT result = enter(device);
    if (SUCCEEDED(result) && device->plan_capacity < count) {
        const struct plan **plans = realloc(device->plans, count * sizeof(*plans));
        if (plans) {
            device->plans = plans;
            device->plan_capacity = count;
        } else {
            result = E_OUTOFMEMORY;
        }
    }
    if (FAILED(result)) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = (assay_dispatch_result){.status = result};
        return result;
    }
    for (uint32_t i = 0; i < count; i++)
        device->plans[i] = items[i].compiled ? &items[i].compiled->plan : NULL;
    result = dispatch_run(&device->dispatch, device->plans, items, count, out);
    for (uint32_t i = 0; i < count && !*device->message; i++)
        snprintf(device->message, sizeof device->message, "%s", out[i].message);
    if (result == DXGI_ERROR_DEVICE_REMOVED)
        device->is_removed = 1;
    vk_forget_trouble(&device->vk);
    return result;
}

static HRESULT vulkan_measure(assay_device *device, const assay_dispatch_item *item, assay_measurement *measurement)
{
    HRESULT result = enter(device);
    if (FAILED(result))
        return result;
    result = measure_item(&device->dispatch.batches[0], &item->compiled->plan, item, measurement, device->message,
                          sizeof device->message);
    if (SUCCEEDED(result))
        nvml_describe(&device->nvml, &device->vk, measurement->state, sizeof measurement->state);
    if (result == DXGI_ERROR_DEVICE_REMOVED)
        device->is_removed = 1;
    vk_forget_trouble(&device->vk);
    return result;
}

static const char *vulkan_message(assay_device *device)
{
    return device->message;
}

static const assay_device_api api = {
    .abi = ASSAY_DEVICE_ABI,
    .size = sizeof(assay_device_api),
    .create_device = vulkan_create_device,
    .destroy_device = vulkan_destroy_device,
    .describe = vulkan_describe,
    .supports_data_type = vulkan_supports_data_type,
    .create_operator = vulkan_create_operator,
    .destroy_operator = vulkan_destroy_operator,
    .compile_operator = vulkan_compile_operator,
    .destroy_compiled = vulkan_destroy_compiled,
    .dispatch = vulkan_dispatch,
    .message = vulkan_message,
    .supports_operator = vulkan_supports_operator,
    .measure = vulkan_measure,
};

const assay_device_api *assay_device_entry(uint32_t abi)
{
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
