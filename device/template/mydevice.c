/* mydevice.c: a small but complete device for assay: GATHER_ELEMENTS on any strides; everything else is unsupported.
 * README.md leads from here to a clean report. device.h is the contract. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

struct tensor {
    uint32_t type, bytes; /* data type; bytes of an element */
    uint32_t rank, sizes[8], strides[8];
};

struct gather {
    struct tensor input, indices, output;
    uint32_t axis;
};

struct assay_device {
    const char *message; /* sentence about the last call that failed */
};

struct assay_operator {
    struct gather gather;
};

struct assay_compiled { /* a device with kernels would keep a kernel here */
    struct gather gather;
};

/* ---- validating descriptions: each function returns a sentence about the fault; null if there is none */

static const uint8_t element_bytes[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = 4, [DML_TENSOR_DATA_TYPE_FLOAT16] = 2, [DML_TENSOR_DATA_TYPE_UINT32] = 4,
    [DML_TENSOR_DATA_TYPE_UINT16] = 2,  [DML_TENSOR_DATA_TYPE_UINT8] = 1,   [DML_TENSOR_DATA_TYPE_INT32] = 4,
    [DML_TENSOR_DATA_TYPE_INT16] = 2,   [DML_TENSOR_DATA_TYPE_INT8] = 1,    [DML_TENSOR_DATA_TYPE_FLOAT64] = 8,
    [DML_TENSOR_DATA_TYPE_UINT64] = 8,  [DML_TENSOR_DATA_TYPE_INT64] = 8,
};

static uint32_t bytes_of(uint32_t type)
{
    return type < sizeof element_bytes ? element_bytes[type] : 0;
}

static const char *read_layout(const DML_BUFFER_TENSOR_DESC *desc, struct tensor *out)
{
    uint64_t packed = 1, elements = 1, extent = 1;
    for (uint32_t i = out->rank; i-- > 0;) {
        out->sizes[i] = desc->Sizes[i];
        if (out->sizes[i] == 0)
            return "a size is 0";
        elements *= out->sizes[i];
        out->strides[i] = desc->Strides ? desc->Strides[i] : (uint32_t)packed;
        packed *= out->sizes[i];
        if (out->sizes[i] > 1)
            extent += (out->sizes[i] - 1ull) * out->strides[i];
        if (elements > UINT32_MAX || extent > UINT32_MAX)
            return "a tensor has more than 2^32-1 elements";
    }
    if (desc->TotalTensorSizeInBytes < ((extent * out->bytes + 3) & ~3ull))
        return "TotalTensorSizeInBytes is less than sizes and strides imply";
    return NULL;
}

static const char *read_tensor(const DML_TENSOR_DESC *desc, int is_output, struct tensor *out)
{
    const DML_BUFFER_TENSOR_DESC *buffer;
    if (!desc || desc->Type != DML_TENSOR_TYPE_BUFFER || !desc->Desc)
        return "a tensor is missing or not a buffer";
    buffer = desc->Desc;
    if (!buffer->Sizes)
        return "a tensor has no Sizes";
    if (buffer->DimensionCount < 1 || buffer->DimensionCount > 8)
        return "DimensionCount must be from 1 to 8";
    if (buffer->Flags > (is_output ? 0 : DML_TENSOR_FLAG_OWNED_BY_DML))
        return "Flags has a bit that this tensor must not have";
    out->type = (uint32_t)buffer->DataType;
    out->bytes = bytes_of(out->type);
    out->rank = buffer->DimensionCount;
    if (out->bytes == 0)
        return "DataType is not supported by GATHER_ELEMENTS";
    uint32_t alignment = buffer->GuaranteedBaseOffsetAlignment;
    if (alignment && ((alignment & (alignment - 1)) || alignment < out->bytes))
        return "GuaranteedBaseOffsetAlignment must be a power of two, of the element's size or more";
    return read_layout(buffer, out);
}

static int is_index_type(uint32_t type)
{
    return type == DML_TENSOR_DATA_TYPE_UINT32 || type == DML_TENSOR_DATA_TYPE_INT32 ||
           type == DML_TENSOR_DATA_TYPE_UINT64 || type == DML_TENSOR_DATA_TYPE_INT64;
}

static const char *read_gather(const DML_GATHER_ELEMENTS_OPERATOR_DESC *desc, struct gather *out)
{
    const char *wrong;
    if (!desc)
        return "the operator has no Desc";
    if ((wrong = read_tensor(desc->InputTensor, 0, &out->input)) ||
        (wrong = read_tensor(desc->IndicesTensor, 0, &out->indices)) ||
        (wrong = read_tensor(desc->OutputTensor, 1, &out->output)))
        return wrong;
    out->axis = desc->Axis;
    if (out->indices.rank != out->input.rank || out->output.rank != out->input.rank)
        return "all tensors must have the same DimensionCount";
    if (out->output.type != out->input.type)
        return "OutputTensor must have InputTensor's DataType";
    if (!is_index_type(out->indices.type))
        return "IndicesTensor must have a 32-bit or 64-bit integer type";
    for (uint32_t i = 0; i < out->input.rank; i++)
        if (out->output.sizes[i] != out->indices.sizes[i] ||
            (i != out->axis && out->indices.sizes[i] != out->input.sizes[i]))
            return "Sizes must agree, except InputTensor's at Axis";
    return NULL;
}

/* ---- running */

static int64_t read_index(uint32_t type, const void *at)
{
    int64_t index = 0;
    memcpy(&index, at, bytes_of(type)); /* little-endian */
    if (type == DML_TENSOR_DATA_TYPE_UINT64 && index < 0)
        return INT64_MAX; /* a large number, not a negative one */
    return type == DML_TENSOR_DATA_TYPE_INT32 ? (int32_t)index : index;
}

static uint64_t offset_of(const struct tensor *tensor, const uint32_t *coordinates)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        at += (uint64_t)coordinates[i] * tensor->strides[i];
    return at * tensor->bytes;
}

static void run_gather(const struct gather *g, const char *input, const char *indices, char *output)
{
    uint32_t to[8] = {0}, rank = g->output.rank;
    for (uint32_t i = 0; i < rank;) {
        uint32_t from[8], size = g->input.sizes[g->axis];
        int64_t index = read_index(g->indices.type, indices + offset_of(&g->indices, to));
        if (index < 0 || index >= size) /* the documents leave this open: read the nearest element */
            index = index < 0 ? 0 : size - 1;
        memcpy(from, to, sizeof from);
        from[g->axis] = (uint32_t)index;
        memcpy(output + offset_of(&g->output, to), input + offset_of(&g->input, from), g->output.bytes);
        for (i = 0; i < rank && ++to[rank - 1 - i] == g->output.sizes[rank - 1 - i]; i++)
            to[rank - 1 - i] = 0;
    }
}

/* ---- the functions of device.h */

static HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, size_t message_size)
{
    *out = NULL;
    if (*config->arguments) {
        strncpy(message, "mydevice has no options", message_size - 1);
        message[message_size - 1] = 0;
        return E_INVALIDARG;
    }
    *out = calloc(1, sizeof **out);
    return *out ? S_OK : E_OUTOFMEMORY;
}

static void destroy_device(assay_device *device)
{
    free(device);
}

static HRESULT describe(assay_device *device, assay_device_info *info)
{
    (void)device;
    info->feature_level = (DML_FEATURE_LEVEL)0; /* the device promises no level: unsupported is not a failure */
    strcpy(info->name, "mydevice");
    strcpy(info->version, "0.1");
    info->max_batch = 64;
    return S_OK;
}

static BOOL supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device;
    return bytes_of((uint32_t)type) != 0;
}

static BOOL supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    (void)device;
    return type == DML_OPERATOR_GATHER_ELEMENTS;
}

static HRESULT create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    struct gather gather = {0};
    *out = NULL;
    if (desc->Type != DML_OPERATOR_GATHER_ELEMENTS) {
        device->message = "only GATHER_ELEMENTS is implemented";
        return DXGI_ERROR_UNSUPPORTED;
    }
    device->message = read_gather(desc->Desc, &gather);
    if (device->message)
        return E_INVALIDARG;
    *out = malloc(sizeof **out);
    if (!*out)
        return E_OUTOFMEMORY;
    (*out)->gather = gather;
    return S_OK;
}

static void destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    free(op);
}

static HRESULT compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                assay_compiled **out)
{
    (void)flags;
    device->message = NULL;
    *out = malloc(sizeof **out);
    if (!*out)
        return E_OUTOFMEMORY;
    (*out)->gather = op->gather;
    return S_OK;
}

static void destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

static char *address(const assay_binding *binding)
{
    return (char *)binding->base + binding->offset;
}

static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out)
{
    device->message = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const assay_dispatch_item *item = &items[i];
        run_gather(&item->compiled->gather, address(&item->inputs[0]), address(&item->inputs[1]),
                   address(&item->outputs[0]));
        out[i] = (assay_dispatch_result){.status = S_OK};
    }
    return S_OK;
}

static const char *message(assay_device *device)
{
    return device->message ? device->message : "";
}

const assay_device_api *assay_device_entry(uint32_t abi)
{
    static const assay_device_api api = {
        .abi = ASSAY_DEVICE_ABI,
        .size = sizeof(assay_device_api),
        .create_device = create_device,
        .destroy_device = destroy_device,
        .describe = describe,
        .supports_data_type = supports_data_type,
        .create_operator = create_operator,
        .destroy_operator = destroy_operator,
        .compile_operator = compile_operator,
        .destroy_compiled = destroy_compiled,
        .dispatch = dispatch,
        .message = message,
        .supports_operator = supports_operator,
    };
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
