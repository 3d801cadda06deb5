/* directml.c: the functions of device.h. */
#include "device/common/catalogue.h"
#include "device/device.h"
#include "device/directml/adapter.h"
#include "device/directml/directml_options.h"
#include "device/directml/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "1.0"

struct assay_device {
    struct directml_options options;
    struct libraries libraries;
    struct adapter adapter;
    struct gpu gpu;
    IDMLDevice *dml;
    struct runner runner;
    DML_FEATURE_LEVEL level;
    int is_removed;
    char message[640];
};

struct assay_operator {
    IDMLOperator *op;
    struct operands operands;
};

/* Every call starts here: it clears the last message, and fails if the device is lost. */
static HRESULT directml_enter(assay_device *device)
{
    device->message[0] = 0;
    if (!device->is_removed)
        return S_OK;
    snprintf(device->message, sizeof device->message, "DirectML has removed its device");
    return DXGI_ERROR_DEVICE_REMOVED;
}

/* Every call ends here: it turns an error into one of device.h with a sentence, and makes a message of the debug layers
 * an error. `what`: the method that failed. */
static HRESULT directml_leave(assay_device *device, HRESULT result, const char *what)
{
    char room[16];
    const char *trouble = device->gpu.trouble;
    gpu_read_messages(&device->gpu);
    HRESULT reason = FAILED(result) ? COM(device->dml, GetDeviceRemovedReason) : S_OK;
    HRESULT removed = FAILED(result) ? COM(device->gpu.device, GetDeviceRemovedReason) : S_OK;
    if (FAILED(removed) || FAILED(reason)) {
        device->is_removed = 1;
        result = DXGI_ERROR_DEVICE_REMOVED;
        snprintf(device->message, sizeof device->message, "%s removed its device in %s: %s%s%s",
                 FAILED(removed) ? "Direct3D 12" : "DirectML", what,
                 gpu_error_name(FAILED(removed) ? removed : reason, room), *trouble ? ": " : "", trouble);
    } else if (FAILED(result)) {
        snprintf(device->message, sizeof device->message, "%s returned %s%s%s", what, gpu_error_name(result, room),
                 *trouble ? ": " : "", trouble);
    } else if (*trouble) {
        result = E_FAIL;
        snprintf(device->message, sizeof device->message, "validation: %s", trouble);
    }
    gpu_forget_trouble(&device->gpu);
    return gpu_result(result);
}

static void directml_destroy_device(assay_device *device)
{
    if (!device)
        return;
    runner_close(&device->runner);
    com_release(device->dml);
    gpu_close(&device->gpu);
    adapter_close(&device->adapter);
    libraries_close(&device->libraries);
    free(device);
}

/* Sets the highest feature level. DirectML names the highest one that it supports of those that it is asked about. */
static HRESULT query_level(IDMLDevice *dml, DML_FEATURE_LEVEL *level)
{
    static const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_2_0, DML_FEATURE_LEVEL_2_1,
                                               DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_3_1, DML_FEATURE_LEVEL_4_0,
                                               DML_FEATURE_LEVEL_4_1, DML_FEATURE_LEVEL_5_0, DML_FEATURE_LEVEL_5_1,
                                               DML_FEATURE_LEVEL_5_2, DML_FEATURE_LEVEL_6_0, DML_FEATURE_LEVEL_6_1,
                                               DML_FEATURE_LEVEL_6_2, DML_FEATURE_LEVEL_6_3, DML_FEATURE_LEVEL_6_4};
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {sizeof levels / sizeof *levels, levels};
    DML_FEATURE_DATA_FEATURE_LEVELS answer = {0};
    HRESULT result =
        COM(dml, CheckFeatureSupport, DML_FEATURE_FEATURE_LEVELS, sizeof query, &query, sizeof answer, &answer);
    *level = answer.MaxSupportedFeatureLevel;
    return result;
}

static HRESULT open_dml(assay_device *device, char *message, size_t message_size)
{
    char room[16];
    const DML_CREATE_DEVICE_FLAGS flags =
        device->options.validation ? DML_CREATE_DEVICE_FLAG_DEBUG : DML_CREATE_DEVICE_FLAG_NONE;
    HRESULT result = device->libraries.create_dml(device->gpu.device, flags, DML_FEATURE_LEVEL_1_0, &IID_IDMLDevice,
                                                  (void **)&device->dml);
    if (SUCCEEDED(result))
        result = query_level(device->dml, &device->level);
    if (SUCCEEDED(result))
        result = runner_open(&device->runner, &device->gpu, device->dml);
    if (FAILED(result))
        snprintf(message, message_size, "DirectML cannot be opened on \"%s\": %s", device->adapter.name,
                 gpu_error_name(result, room));
    return gpu_result(result);
}

static HRESULT directml_create_device(const assay_device_config *config, assay_device **out, char *message,
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
    HRESULT result = directml_options_read(config->arguments, &device->options, message, message_size);
    if (SUCCEEDED(result))
        result = libraries_open(&device->libraries, device->options.libraries, message, message_size);
    if (SUCCEEDED(result))
        result = adapter_open(&device->adapter, &device->libraries, device->options.adapter, message, message_size);
    if (SUCCEEDED(result))
        result = gpu_open(&device->gpu, &device->libraries, (IUnknown *)device->adapter.adapter,
                          device->adapter.has_graphics ? D3D_FEATURE_LEVEL_11_0 : D3D_FEATURE_LEVEL_1_0_CORE,
                          device->options.validation, message, message_size);
    if (SUCCEEDED(result))
        result = open_dml(device, message, message_size);
    if (FAILED(result)) {
        directml_destroy_device(device);
        return result;
    }
    *out = device;
    return S_OK;
}

/* Returns the size that every adapter with this much memory gives a resource: a larger one may fail. */
static uint64_t largest_resource(uint64_t memory)
{
    const uint64_t mebibyte = 1u << 20;
    const uint64_t least = D3D12_REQ_RESOURCE_SIZE_IN_MEGABYTES_EXPRESSION_A_TERM * mebibyte;
    const uint64_t most = D3D12_REQ_RESOURCE_SIZE_IN_MEGABYTES_EXPRESSION_C_TERM * mebibyte;
    uint64_t size = (uint64_t)((double)memory * (double)D3D12_REQ_RESOURCE_SIZE_IN_MEGABYTES_EXPRESSION_B_TERM);
    if (size < least)
        return least;
    return size < most ? size : most;
}

static HRESULT directml_describe(assay_device *device, assay_device_info *info)
{
    HRESULT result = directml_enter(device);
    if (FAILED(result))
        return result;
    assay_device_info full = {.size = info->size,
                              .feature_level = device->level,
                              .max_tensor_bytes = largest_resource(device->adapter.memory),
                              .max_batch = RUNNER_ITEMS};
    snprintf(full.name, sizeof full.name, "%s", device->adapter.name);
    snprintf(full.driver, sizeof full.driver, "DirectML, driver %s", device->adapter.version);
    snprintf(full.version, sizeof full.version, VERSION);
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return S_OK;
}

static BOOL directml_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    const DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT query = {type};
    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT answer = {0};
    if (FAILED(directml_enter(device)))
        return 0;
    HRESULT result = COM(device->dml, CheckFeatureSupport, DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT, sizeof query, &query,
                         sizeof answer, &answer);
    gpu_read_messages(&device->gpu); /* the debug layer reports numbers that are no data type */
    gpu_forget_trouble(&device->gpu);
    return SUCCEEDED(result) && answer.IsSupported;
}

static void directml_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    if (!op)
        return;
    com_release(op->op);
    free(op);
}

static HRESULT directml_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    *out = NULL;
    HRESULT result = directml_enter(device);
    if (FAILED(result))
        return result;
    if ((uint32_t)desc->Type >= CATALOGUE_FIRST_OWN) {
        snprintf(device->message, sizeof device->message, "DirectML has no operator %u", (unsigned)desc->Type);
        return DXGI_ERROR_UNSUPPORTED;
    }
    assay_operator *op = calloc(1, sizeof *op);
    if (!op)
        return E_OUTOFMEMORY;
    result = COM(device->dml, CreateOperator, desc, &IID_IDMLOperator, (void **)&op->op);
    result = directml_leave(device, result, "CreateOperator");
    if (SUCCEEDED(result) && !operands_read(desc, &op->operands)) {
        snprintf(device->message, sizeof device->message, "the operator has more than %d tensors", OPERANDS_MAX);
        result = DXGI_ERROR_UNSUPPORTED;
    }
    if (FAILED(result)) {
        directml_destroy_operator(device, op);
        return result;
    }
    *out = op;
    return S_OK;
}

static HRESULT directml_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                         assay_compiled **out)
{
    *out = NULL;
    HRESULT result = directml_enter(device);
    if (FAILED(result))
        return result;
    result = runner_compile(&device->runner, op->op, &op->operands, flags, out);
    result = directml_leave(device, result, "compiling and initialising");
    if (FAILED(result)) {
        runner_free(*out);
        *out = NULL;
    }
    return result;
}

static void directml_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    runner_free(compiled);
}

static HRESULT directml_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                 assay_dispatch_result *out)
{
    HRESULT result = directml_enter(device);
    if (SUCCEEDED(result)) {
        result = runner_dispatch(&device->runner, items, count, out);
        result = directml_leave(device, result, "a dispatch");
    }
    for (uint32_t i = 0; i < count && FAILED(result); i++)
        out[i] = (assay_dispatch_result){.status = result};
    return result;
}

static HRESULT directml_measure(assay_device *device, const assay_dispatch_item *item, assay_measurement *measurement)
{
    HRESULT result = directml_enter(device);
    if (FAILED(result))
        return result;
    const char *fault = runner_fault(item);
    if (fault) {
        snprintf(device->message, sizeof device->message, "%s", fault);
        return E_INVALIDARG;
    }
    return directml_leave(device, runner_measure(&device->runner, item, measurement), "measuring");
}

static const char *directml_message(assay_device *device)
{
    return device->message;
}

static const assay_device_api directml_api = {
    .abi = ASSAY_DEVICE_ABI,
    .size = sizeof(assay_device_api),
    .create_device = directml_create_device,
    .destroy_device = directml_destroy_device,
    .describe = directml_describe,
    .supports_data_type = directml_supports_data_type,
    .create_operator = directml_create_operator,
    .destroy_operator = directml_destroy_operator,
    .compile_operator = directml_compile_operator,
    .destroy_compiled = directml_destroy_compiled,
    .dispatch = directml_dispatch,
    .message = directml_message,
    .measure = directml_measure,
};

const assay_device_api *assay_device_entry(uint32_t abi)
{
    return abi == ASSAY_DEVICE_ABI ? &directml_api : NULL;
}
