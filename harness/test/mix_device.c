/* mix_device.c: a device of one operator that DirectML does not have, MIX: the sum of two packed FLOAT32 tensors, times
 * Weights, or its half. test_own_operator.sh has the spec. The device rejects nothing. With the argument "wrong" it
 * ignores the second weight, with "older" it says that it does not implement the operator. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

enum mix_mode { MIX_MODE_SUM, MIX_MODE_MEAN };

struct mix_desc {
    UINT Pad; /* moves the pointers that follow by a gap */
    const DML_TENSOR_DESC *ATensor;
    const DML_TENSOR_DESC *BTensor;
    const DML_TENSOR_DESC *OutputTensor;
    UINT WeightCount;
    const FLOAT *Weights;
    enum mix_mode Mode;
    FLOAT Bias;
};

struct assay_device {
    const char *arguments;
};

struct assay_operator {
    uint64_t count;
    float weights[2], bias;
    enum mix_mode mode;
};

static HRESULT mix_create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    (void)message, (void)size;
    *out = malloc(sizeof **out);
    if (*out)
        (*out)->arguments = strcmp(config->arguments, "wrong") == 0 ? "wrong" : "";
    if (*out && strcmp(config->arguments, "older") == 0)
        (*out)->arguments = "older";
    return *out ? S_OK : E_OUTOFMEMORY;
}

static void mix_destroy_device(assay_device *device)
{
    free(device);
}

static HRESULT mix_describe(assay_device *device, assay_device_info *info)
{
    (void)device;
    info->feature_level = DML_FEATURE_LEVEL_6_4;
    info->max_batch = 1;
    strcpy(info->name, "mix");
    return S_OK;
}

static BOOL mix_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device;
    return type == DML_TENSOR_DATA_TYPE_FLOAT32;
}

static HRESULT mix_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    const struct mix_desc *mix = desc->Desc;
    const DML_BUFFER_TENSOR_DESC *buffer = NULL;
    if ((uint32_t)desc->Type != 1234 || strcmp(device->arguments, "older") == 0)
        return DXGI_ERROR_UNSUPPORTED;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return E_OUTOFMEMORY;
    if (mix->OutputTensor)
        buffer = mix->OutputTensor->Desc;
    (*out)->count = 1;
    for (UINT i = 0; buffer && buffer->Sizes && i < buffer->DimensionCount && i < 8; i++)
        (*out)->count *= buffer->Sizes[i];
    for (UINT i = 0; mix->Weights && i < 2 && i < mix->WeightCount; i++)
        (*out)->weights[i] = mix->Weights[i];
    if (strcmp(device->arguments, "wrong") == 0)
        (*out)->weights[1] = 1;
    (*out)->mode = mix->Mode;
    (*out)->bias = mix->Bias;
    return S_OK;
}

static void mix_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    free(op);
}

static HRESULT mix_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                    assay_compiled **out)
{
    (void)device, (void)flags;
    assay_operator *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *op;
    *out = (assay_compiled *)copy;
    return copy ? S_OK : E_OUTOFMEMORY;
}

static void mix_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

static float *mix_address(const assay_binding *binding)
{
    return (float *)(void *)((char *)binding->base + binding->offset);
}

static HRESULT mix_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                            assay_dispatch_result *out)
{
    (void)device;
    for (uint32_t i = 0; i < count; i++) {
        const assay_operator *op = (const assay_operator *)items[i].compiled;
        const float *a = mix_address(&items[i].inputs[0]), *b = mix_address(&items[i].inputs[1]);
        float *result = mix_address(&items[i].outputs[0]);
        for (uint64_t at = 0; at < op->count; at++) {
            double sum = (double)op->weights[0] * a[at] + (double)op->weights[1] * b[at];
            result[at] = (float)((op->mode == MIX_MODE_MEAN ? sum / 2 : sum) + op->bias);
        }
        out[i].status = S_OK;
    }
    return S_OK;
}

static const char *mix_message(assay_device *device)
{
    (void)device;
    return "";
}

const assay_device_api *assay_device_entry(uint32_t abi)
{
    static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI,
                                         .size = sizeof api,
                                         .create_device = mix_create_device,
                                         .destroy_device = mix_destroy_device,
                                         .describe = mix_describe,
                                         .supports_data_type = mix_supports_data_type,
                                         .create_operator = mix_create_operator,
                                         .destroy_operator = mix_destroy_operator,
                                         .compile_operator = mix_compile_operator,
                                         .destroy_compiled = mix_destroy_compiled,
                                         .dispatch = mix_dispatch,
                                         .message = mix_message};
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
