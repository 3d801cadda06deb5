/* call.c: ONNX's operators differ from DirectML's in names, index types and leading sizes. All tensors of a DirectML
 * operator have the same DimensionCount, so some have leading ones, which ONNX must not get. */
#include "device/onnxruntime/call.h"
#include "device/common/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int element_types[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
    [DML_TENSOR_DATA_TYPE_FLOAT16] = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
    [DML_TENSOR_DATA_TYPE_FLOAT64] = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
    [DML_TENSOR_DATA_TYPE_UINT8] = ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8,
    [DML_TENSOR_DATA_TYPE_UINT16] = ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16,
    [DML_TENSOR_DATA_TYPE_UINT32] = ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32,
    [DML_TENSOR_DATA_TYPE_UINT64] = ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64,
    [DML_TENSOR_DATA_TYPE_INT8] = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8,
    [DML_TENSOR_DATA_TYPE_INT16] = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16,
    [DML_TENSOR_DATA_TYPE_INT32] = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
    [DML_TENSOR_DATA_TYPE_INT64] = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
};

enum { VALUES = DESCRIPTOR_MAX_INPUTS + CALL_MAX_CONSTANTS + 1 }; /* the output is the last one */

/* ---- making */

int call_element_type(DML_TENSOR_DATA_TYPE type)
{
    return (size_t)type < sizeof element_types / sizeof *element_types ? element_types[type] : 0;
}

void call_make_operand(struct operand *operand, const struct tensor *tensor, uint32_t rank)
{
    operand->tensor = *tensor;
    operand->element_type = element_types[tensor->type];
    operand->rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        operand->sizes[i] = tensor->sizes[tensor->rank - rank + i];
    operand->bytes = (size_t)tensor->count * tensor->element_size;
}

/* ONNX's indices are INT64; INT32, too, in operators other than the ND ones. */
static void make_indices(struct operand *operand, const struct tensor *tensor, uint32_t rank, int takes_int32)
{
    call_make_operand(operand, tensor, rank);
    if (takes_int32 && tensor->type == DML_TENSOR_DATA_TYPE_INT32)
        return;
    operand->element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
    operand->bytes = (size_t)tensor->count * sizeof(int64_t);
}

static void make_gather(const struct descriptor *d, struct call *call)
{
    const struct tensor *input = &d->inputs[0];
    struct operand *indices = &call->inputs[1], *output = &call->output;
    call->model = (struct model){.node = "Gather", .attributes = {{"axis", d->axis, NULL}}};
    call_make_operand(&call->inputs[0], input, input->rank);
    make_indices(indices, &d->inputs[1], d->index_dimensions, 1);
    call_make_operand(output, &d->outputs[0], 0);
    for (uint32_t i = 0; i < d->axis; i++)
        output->sizes[output->rank++] = input->sizes[i];
    for (uint32_t i = 0; i < d->index_dimensions; i++)
        output->sizes[output->rank++] = indices->sizes[i];
    for (uint32_t i = d->axis + 1; i < input->rank; i++)
        output->sizes[output->rank++] = input->sizes[i];
}

static void make_elements(const struct descriptor *d, struct call *call)
{
    int scatters = d->input_count == 3;
    call->model = (struct model){.node = scatters ? "ScatterElements" : "GatherElements",
                                 .attributes = {{"axis", d->axis, NULL}}};
    call_make_operand(&call->inputs[0], &d->inputs[0], d->inputs[0].rank);
    make_indices(&call->inputs[1], &d->inputs[1], d->inputs[1].rank, 1);
    if (scatters)
        call_make_operand(&call->inputs[2], &d->inputs[2], d->inputs[2].rank);
    call_make_operand(&call->output, &d->outputs[0], d->outputs[0].rank);
}

static void make_nd(const struct descriptor *d, struct call *call)
{
    uint32_t p = d->input_dimension_count, q = d->indices_dimension_count, b = d->batch_dimension_count;
    uint32_t shaped = q - 1 + p - b - d->inputs[1].sizes[d->inputs[1].rank - 1];
    int scatters = d->input_count == 3;
    call->model = scatters ? (struct model){.node = "ScatterND"}
                           : (struct model){.node = "GatherND", .attributes = {{"batch_dims", b, NULL}}};
    call_make_operand(&call->inputs[0], &d->inputs[0], p);
    make_indices(&call->inputs[1], &d->inputs[1], q, 0);
    if (scatters)
        call_make_operand(&call->inputs[2], &d->inputs[2], shaped);
    call_make_operand(&call->output, &d->outputs[0], scatters ? p : shaped);
}

static void make_nonzero(const struct descriptor *d, struct call *call)
{
    call->model = (struct model){.node = "NonZero"};
    call_make_operand(&call->inputs[0], &d->inputs[0], d->inputs[0].rank);
    call->output = (struct operand){.tensor = d->outputs[0], .element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64};
    call->coordinates = d->outputs[1];
}

int call_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_is_indexed(type) || elementwise_computes(type);
}

int call_make(const struct descriptor *descriptor, struct call *call, char *message, size_t message_size)
{
    *call = (struct call){.input_count = descriptor->input_count, .output_count = descriptor->output_count};
    switch ((uint32_t)descriptor->type) {
    case DML_OPERATOR_GATHER:
        make_gather(descriptor, call);
        break;
    case DML_OPERATOR_NONZERO_COORDINATES:
        make_nonzero(descriptor, call);
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
    case DML_OPERATOR_SCATTER_ELEMENTS:
        make_elements(descriptor, call);
        break;
    case DML_OPERATOR_GATHER_ND:
    case DML_OPERATOR_GATHER_ND1:
    case DML_OPERATOR_SCATTER_ND:
        make_nd(descriptor, call);
        break;
    default:
        if (!elementwise_make(descriptor, call, message, message_size))
            return 0;
    }
    for (uint32_t i = 0; i < call->input_count; i++)
        if (call->inputs[i].tensor.rank)
            call->model.input_types[call->model.input_count++] = call->inputs[i].element_type;
    for (uint32_t i = 0; i < call->constant_count; i++)
        call->model.input_types[call->model.input_count++] = call->constants[i].element_type;
    call->model.output_type = call->output.element_type;
    return 1;
}

/* ---- running */

void scratch_free(struct scratch *scratch)
{
    for (size_t i = 0; i < sizeof scratch->blocks / sizeof *scratch->blocks; i++)
        free(scratch->blocks[i].at);
    *scratch = (struct scratch){0};
}

static void *scratch_take(struct scratch *scratch, size_t block, size_t size)
{
    if (scratch->blocks[block].size < size) {
        free(scratch->blocks[block].at);
        scratch->blocks[block].at = malloc(size);
        scratch->blocks[block].size = scratch->blocks[block].at ? size : 0;
    }
    return scratch->blocks[block].at;
}

static void *address(const assay_binding *binding)
{
    return (char *)binding->base + binding->offset;
}

/* The input for ONNX: as it is if it is packed and has the right type, otherwise a copy in `scratch`. `written`: where
 * ONNX writes the output. An input in the same memory is copied, since ONNX does not say that it reads an element
 * before it writes it. Null: no memory. */
static void *provide(const struct operand *operand, void *bound, const void *written, struct scratch *scratch,
                     size_t number)
{
    const struct tensor *tensor = &operand->tensor;
    void *data = bound;
    if (!tensor->packed || bound == written) {
        data = scratch_take(scratch, 2 * number, (size_t)tensor->count * tensor->element_size);
        if (data)
            layout_pack(tensor, bound, data);
    }
    if (data && operand->element_type != element_types[tensor->type]) {
        int64_t *wide = scratch_take(scratch, 2 * number + 1, operand->bytes);
        if (wide)
            layout_widen(tensor->type, tensor->count, data, wide);
        data = wide;
    }
    return data;
}

/* Transposes ONNX's output, {rank, count}, to rows: each has the last coordinates of one element. */
static HRESULT write_coordinates(const struct call *call, const struct runtime *runtime, OrtValue *found,
                                 uint32_t *count, uint32_t *rows, char *message, size_t message_size)
{
    const struct tensor *coordinates = &call->coordinates;
    const OrtApi *api = runtime->api;
    OrtTensorTypeAndShapeInfo *info = NULL;
    int64_t sizes[2] = {0};
    size_t rank = 0;
    void *data = NULL;
    OrtStatus *status = api->GetTensorTypeAndShape(found, &info);
    if (!status)
        status = api->GetDimensionsCount(info, &rank);
    if (!status && rank == 2)
        status = api->GetDimensions(info, sizes, 2);
    if (!status)
        status = api->GetTensorMutableData(found, &data);
    if (info)
        api->ReleaseTensorTypeAndShapeInfo(info);
    if (status)
        api->ReleaseStatus(status);
    uint64_t max = call->inputs[0].tensor.count;
    if (status || rank != 2 || sizes[0] != (int64_t)call->inputs[0].rank || (uint64_t)sizes[1] > max) {
        snprintf(message, message_size, "NonZero returned %zu dimensions, {%lld,%lld}; expected {%zu,count}", rank,
                 (long long)sizes[0], (long long)sizes[1], call->inputs[0].rank);
        return E_FAIL;
    }
    uint32_t width = coordinates->sizes[coordinates->rank - 1];
    uint32_t row = coordinates->strides[coordinates->rank - 2], column = coordinates->strides[coordinates->rank - 1];
    const int64_t *from = (const int64_t *)data + (sizes[0] - width) * sizes[1];
    for (int64_t i = 0; i < sizes[1]; i++)
        for (uint32_t k = 0; k < width; k++)
            rows[(uint64_t)i * row + (uint64_t)k * column] = (uint32_t)from[k * sizes[1] + i];
    *count = (uint32_t)sizes[1];
    return S_OK;
}

static HRESULT run(const struct call *call, struct runtime *runtime, struct session *session, struct scratch *scratch,
                   const assay_dispatch_item *item, OrtValue **values, uint64_t *took, char *message,
                   size_t message_size)
{
    const struct tensor *target = &call->output.tensor;
    void *bound = address(&item->outputs[0]), *data = bound;
    OrtValue **output = &values[VALUES - 1];
    int is_nonzero = call->output_count == 2;
    struct constant constants[CALL_MAX_CONSTANTS]; /* a copy: ONNX Runtime's tensors are not constant */
    size_t count = 0;
    HRESULT result = S_OK;

    memcpy(constants, call->constants, sizeof constants);
    for (uint32_t i = 0; i < call->input_count && SUCCEEDED(result); i++) {
        const struct operand *operand = &call->inputs[i];
        if (operand->tensor.rank == 0) /* absent */
            continue;
        void *input = provide(operand, address(&item->inputs[i]), target->packed ? bound : NULL, scratch, i);
        values[count] = input ? runtime_tensor(runtime, input, operand->bytes, operand->sizes, operand->rank,
                                               operand->element_type, message, message_size)
                              : NULL;
        if (!values[count++])
            result = input ? E_FAIL : E_OUTOFMEMORY;
    }
    for (uint32_t i = 0; i < call->constant_count && SUCCEEDED(result); i++) {
        values[count] = runtime_tensor(runtime, constants[i].value, constants[i].bytes, NULL, 0,
                                       constants[i].element_type, message, message_size);
        if (!values[count++])
            result = E_FAIL;
    }
    if (SUCCEEDED(result) && !is_nonzero) {
        if (!target->packed)
            data = scratch_take(scratch, 2 * DESCRIPTOR_MAX_INPUTS, call->output.bytes);
        *output = data ? runtime_tensor(runtime, data, call->output.bytes, call->output.sizes, call->output.rank,
                                        call->output.element_type, message, message_size)
                       : NULL;
        if (!*output)
            result = data ? E_FAIL : E_OUTOFMEMORY;
    }
    if (SUCCEEDED(result))
        result = runtime_run(runtime, session, values, output, took, message, message_size);
    if (SUCCEEDED(result) && is_nonzero)
        result = write_coordinates(call, runtime, *output, bound, address(&item->outputs[1]), message, message_size);
    else if (SUCCEEDED(result) && !target->packed)
        layout_unpack(target, data, bound);
    return result;
}

HRESULT call_run(const struct call *call, struct runtime *runtime, struct session *session, struct scratch *scratch,
                 const assay_dispatch_item *item, uint64_t *took, char *message, size_t message_size)
{
    OrtValue *values[VALUES] = {0};
    HRESULT result = run(call, runtime, session, scratch, item, values, took, message, message_size);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i])
            runtime->api->ReleaseValue(values[i]);
    return result;
}
