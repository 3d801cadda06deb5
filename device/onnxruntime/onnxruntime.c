/* onnxruntime.c: the functions of device.h. */
#include "device/device.h"
#include "device/onnxruntime/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assay_device {
    struct options options;
    struct runtime runtime;
    struct scratch scratch;
    char message[640];
};

struct assay_operator {
    struct descriptor descriptor;
};

struct assay_compiled {
    struct call call;
    struct session *session;
};

static void onnxruntime_destroy_device(assay_device *device)
{
    if (!device)
        return;
    runtime_close(&device->runtime);
    scratch_free(&device->scratch);
    free(device);
}

static HRESULT onnxruntime_create_device(const assay_device_config *config, assay_device **out, char *message,
                                         size_t message_size)
{
    *out = NULL;
    if (message_size)
        message[0] = 0;
    assay_device *device = calloc(1, sizeof *device);
    if (!device)
        return E_OUTOFMEMORY;
    HRESULT result = onnxruntime_options_read(config->arguments, &device->options, message, message_size);
    if (SUCCEEDED(result))
        result = runtime_open(&device->runtime, &device->options, message, message_size);
    if (FAILED(result)) {
        onnxruntime_destroy_device(device);
        return result;
    }
    *out = device;
    return S_OK;
}

/* Describes the device. It claims no level: ONNX Runtime decides which types have a kernel, and NonZero has few. */
static HRESULT onnxruntime_describe(assay_device *device, assay_device_info *info)
{
    assay_device_info full = {
        .size = info->size, .name = "ONNX Runtime, CPU", .max_batch = 64, .flags = ASSAY_DEVICE_SHARED_VALIDATION};
    device->message[0] = 0;
    snprintf(full.driver, sizeof full.driver, "ONNX Runtime %.40s, opset %d, %d thread%s", device->runtime.version,
             MODEL_OPSET, device->options.threads, device->options.threads == 1 ? "" : "s");
    snprintf(full.version, sizeof full.version, "1");
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return S_OK;
}

static BOOL onnxruntime_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    device->message[0] = 0;
    return descriptor_element_size(type) != 0;
}

static BOOL onnxruntime_supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    device->message[0] = 0;
    return call_computes(type);
}

/* Creates an operator, and rejects descriptions that are not legal at the newest level. ONNX Runtime would accept some
 * of them, and has no notion of flags, alignments, strides and sizes in bytes. */
static HRESULT onnxruntime_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    struct descriptor descriptor;
    *out = NULL;
    device->message[0] = 0;
    HRESULT result = descriptor_read(desc, DML_FEATURE_LEVEL_6_4, call_computes, &descriptor, device->message,
                                     sizeof device->message);
    if (FAILED(result))
        return result;
    *out = malloc(sizeof **out);
    if (!*out)
        return E_OUTOFMEMORY;
    (*out)->descriptor = descriptor;
    return S_OK;
}

static void onnxruntime_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    free(op);
}

static HRESULT onnxruntime_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                            assay_compiled **out)
{
    (void)flags; /* the flags concern arithmetic and vendors' kernels: this device has neither */
    *out = NULL;
    device->message[0] = 0;
    assay_compiled *compiled = malloc(sizeof *compiled);
    if (!compiled)
        return E_OUTOFMEMORY;
    HRESULT result = DXGI_ERROR_UNSUPPORTED;
    if (call_make(&op->descriptor, &compiled->call, device->message, sizeof device->message))
        result = runtime_session(&device->runtime, &compiled->call.model, &compiled->session, device->message,
                                 sizeof device->message);
    if (FAILED(result)) {
        free(compiled);
        return result;
    }
    *out = compiled;
    return S_OK;
}

static void onnxruntime_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

static int onnxruntime_is_bound(const assay_dispatch_item *item)
{
    const assay_compiled *compiled = item->compiled;
    return compiled && item->input_count == compiled->call.input_count &&
           item->output_count == compiled->call.output_count;
}

static HRESULT onnxruntime_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                    assay_dispatch_result *out)
{
    device->message[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (assay_dispatch_result){.status = E_INVALIDARG};
        if (onnxruntime_is_bound(&items[i]))
            out[i].status =
                call_run(&items[i].compiled->call, &device->runtime, items[i].compiled->session, &device->scratch,
                         &items[i], &out[i].device_ns, out[i].message, sizeof out[i].message);
    }
    return S_OK;
}

static const char *onnxruntime_message(assay_device *device)
{
    return device->message;
}

static const assay_device_api api = {
    .abi = ASSAY_DEVICE_ABI,
    .size = sizeof(assay_device_api),
    .create_device = onnxruntime_create_device,
    .destroy_device = onnxruntime_destroy_device,
    .describe = onnxruntime_describe,
    .supports_data_type = onnxruntime_supports_data_type,
    .create_operator = onnxruntime_create_operator,
    .destroy_operator = onnxruntime_destroy_operator,
    .compile_operator = onnxruntime_compile_operator,
    .destroy_compiled = onnxruntime_destroy_compiled,
    .dispatch = onnxruntime_dispatch,
    .message = onnxruntime_message,
    .supports_operator = onnxruntime_supports_operator,
};

const assay_device_api *assay_device_entry(uint32_t abi)
{
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
