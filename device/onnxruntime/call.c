/* call.c: ONNX's operators differ from DirectML's in names, index types and leading sizes. All tensors of a DirectML
 * operator have the same DimensionCount, so some tensors have leading sizes, which ONNX must not get. */
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

/* The inputs and outputs of ONNX Runtime's node. */
struct values {
    OrtValue *inputs[DESCRIPTOR_MAX_INPUTS + CALL_MAX_CONSTANTS], *outputs[DESCRIPTOR_MAX_OUTPUTS];
    struct constant constants[CALL_MAX_CONSTANTS]; /* a copy: ONNX Runtime's tensors are not constant */
};

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

void call_make_indices(struct operand *operand, const struct tensor *tensor, uint32_t rank, int takes_int32)
{
    call_make_operand(operand, tensor, rank);
    if (takes_int32 && tensor->type == DML_TENSOR_DATA_TYPE_INT32)
        return;
    operand->element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
    operand->bytes = (size_t)tensor->count * sizeof(int64_t);
}

void *call_add_scalar(struct call *call, DML_TENSOR_DATA_TYPE type)
{
    struct constant *constant = &call->constants[call->constant_count++];
    constant->element_type = call_element_type(type);
    constant->bytes = descriptor_element_size(type);
    return constant->value;
}

int64_t *call_add_list(struct call *call, uint32_t count)
{
    struct constant *constant = &call->constants[call->constant_count++];
    constant->element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
    constant->rank = 1;
    constant->count = count;
    constant->bytes = count * sizeof(int64_t);
    return (int64_t *)constant->value;
}

static void make_gather(const struct descriptor *d, struct call *call)
{
    const struct tensor *input = &d->inputs[0];
    struct operand *indices = &call->inputs[1], *output = &call->outputs[0];
    call->model = (struct model){.node = "Gather", .attributes = {MODEL_INT("axis", d->axis)}};
    call_make_operand(&call->inputs[0], input, input->rank);
    call_make_indices(indices, &d->inputs[1], d->index_dimensions, 1);
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
                                 .attributes = {MODEL_INT("axis", d->axis)}};
    call_make_operand(&call->inputs[0], &d->inputs[0], d->inputs[0].rank);
    call_make_indices(&call->inputs[1], &d->inputs[1], d->inputs[1].rank, 1);
    if (scatters)
        call_make_operand(&call->inputs[2], &d->inputs[2], d->inputs[2].rank);
    call_make_operand(&call->outputs[0], &d->outputs[0], d->outputs[0].rank);
}

static void make_nd(const struct descriptor *d, struct call *call)
{
    uint32_t p = d->input_dimension_count, q = d->indices_dimension_count, b = d->batch_dimension_count;
    uint32_t shaped = q - 1 + p - b - d->inputs[1].sizes[d->inputs[1].rank - 1];
    int scatters = d->input_count == 3;
    call->model = scatters ? (struct model){.node = "ScatterND"}
                           : (struct model){.node = "GatherND", .attributes = {MODEL_INT("batch_dims", b)}};
    call_make_operand(&call->inputs[0], &d->inputs[0], p);
    call_make_indices(&call->inputs[1], &d->inputs[1], q, 0);
    if (scatters)
        call_make_operand(&call->inputs[2], &d->inputs[2], shaped);
    call_make_operand(&call->outputs[0], &d->outputs[0], scatters ? p : shaped);
}

static void make_nonzero(const struct descriptor *d, struct call *call)
{
    call->model = (struct model){.node = "NonZero"};
    call_make_operand(&call->inputs[0], &d->inputs[0], d->inputs[0].rank);
    call->outputs[0] = (struct operand){.tensor = d->outputs[0], .element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64};
    call->coordinates = d->outputs[1];
}

int call_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_is_indexed(type) || movement_computes(type) || elementwise_computes(type) ||
           normalisation_computes(type);
}

/* Adds the constants to the inputs of the model, behind `after` tensors. */
static void add_constants(struct call *call, uint32_t after)
{
    if (after != call->constants_after)
        return;
    for (uint32_t i = 0; i < call->constant_count; i++)
        call->model.input_types[call->model.input_count++] = call->constants[i].element_type;
}

static int make_by_rows(const struct descriptor *descriptor, struct call *call, char *message, size_t message_size)
{
    if (movement_computes(descriptor->type))
        return movement_make(descriptor, call, message, message_size);
    if (normalisation_computes(descriptor->type))
        return normalisation_make(descriptor, call, message, message_size);
    return elementwise_make(descriptor, call, message, message_size);
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
        if (!make_by_rows(descriptor, call, message, message_size))
            return 0;
    }
    if (!call->constants_after)
        call->constants_after = call->input_count;
    for (uint32_t i = 0; i < call->input_count; i++) {
        add_constants(call, i);
        if (call->inputs[i].tensor.rank)
            call->model.input_types[call->model.input_count++] = call->inputs[i].element_type;
    }
    add_constants(call, call->input_count);
    call->model.output_count = call->coordinates.rank ? 1 : (int)call->output_count;
    if (!call->outputs[call->model.output_count - 1].tensor.rank) /* the last output is absent */
        call->model.output_count--;
    for (int i = 0; i < call->model.output_count; i++)
        call->model.output_types[i] = call->outputs[i].element_type;
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

static void *call_address(const assay_binding *binding)
{
    return (char *)binding->base + binding->offset;
}

/* Returns the input for ONNX: the caller's memory if it is packed and has the right type, otherwise a copy in
 * `scratch`. `written`: where ONNX writes the output. An input in the same memory is copied, since ONNX does not say
 * that it reads an element before it writes it. Returns null if there is no memory. */
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

/* Makes ONNX Runtime's inputs: the tensors, with the constants at their positions. */
static HRESULT make_inputs(const struct call *call, struct runtime *runtime, struct scratch *scratch,
                           const assay_dispatch_item *item, struct values *values, char *message, size_t message_size)
{
    const void *written = call->outputs[0].tensor.packed ? call_address(&item->outputs[0]) : NULL;
    size_t count = 0;
    memcpy(values->constants, call->constants, call->constant_count * sizeof *values->constants);
    for (uint32_t i = 0; i <= call->input_count; i++) {
        for (uint32_t k = 0; k < call->constant_count && i == call->constants_after; k++) {
            struct constant *constant = &values->constants[k];
            values->inputs[count] = runtime_tensor(runtime, constant->value, constant->bytes, &constant->count,
                                                   constant->rank, constant->element_type, message, message_size);
            if (!values->inputs[count++])
                return E_FAIL;
        }
        const struct operand *operand = &call->inputs[i];
        if (i == call->input_count || operand->tensor.rank == 0) /* the tensor is absent */
            continue;
        void *input = provide(operand, call_address(&item->inputs[i]), written, scratch, i);
        if (!input)
            return E_OUTOFMEMORY;
        values->inputs[count] = runtime_tensor(runtime, input, operand->bytes, operand->sizes, operand->rank,
                                               operand->element_type, message, message_size);
        if (!values->inputs[count++])
            return E_FAIL;
    }
    return S_OK;
}

/* Returns the memory to which ONNX Runtime writes an output. */
static void *output_memory(const struct call *call, uint32_t output, struct scratch *scratch,
                           const assay_dispatch_item *item)
{
    const struct operand *operand = &call->outputs[output];
    return operand->tensor.packed ? call_address(&item->outputs[output])
                                  : scratch_take(scratch, 2 * DESCRIPTOR_MAX_INPUTS + output, operand->bytes);
}

static HRESULT run_session(const struct call *call, struct runtime *runtime, struct session *session,
                           struct scratch *scratch, const assay_dispatch_item *item, struct values *values,
                           uint64_t *took, char *message, size_t message_size)
{
    int is_nonzero = call->coordinates.rank != 0;
    HRESULT result = make_inputs(call, runtime, scratch, item, values, message, message_size);
    for (uint32_t i = 0; i < (uint32_t)call->model.output_count && SUCCEEDED(result) && !is_nonzero; i++) {
        const struct operand *operand = &call->outputs[i];
        void *data = output_memory(call, i, scratch, item);
        if (!data)
            return E_OUTOFMEMORY;
        values->outputs[i] = runtime_tensor(runtime, data, operand->bytes, operand->sizes, operand->rank,
                                            operand->element_type, message, message_size);
        if (!values->outputs[i])
            return E_FAIL;
    }
    if (SUCCEEDED(result))
        result = runtime_run(runtime, session, values->inputs, values->outputs, took, message, message_size);
    if (SUCCEEDED(result) && is_nonzero)
        return write_coordinates(call, runtime, values->outputs[0], call_address(&item->outputs[0]),
                                 call_address(&item->outputs[1]), message, message_size);
    for (uint32_t i = 0; i < (uint32_t)call->model.output_count && SUCCEEDED(result); i++)
        if (!call->outputs[i].tensor.packed)
            layout_unpack(&call->outputs[i].tensor, output_memory(call, i, scratch, item),
                          call_address(&item->outputs[i]));
    return result;
}

static void release(const struct runtime *runtime, OrtValue **values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i])
            runtime->api->ReleaseValue(values[i]);
}

HRESULT call_run(const struct call *call, struct runtime *runtime, struct session *session, struct scratch *scratch,
                 const assay_dispatch_item *item, uint64_t *took, char *message, size_t message_size)
{
    struct values values;
    memset(values.inputs, 0, sizeof values.inputs);
    memset(values.outputs, 0, sizeof values.outputs);
    HRESULT result = run_session(call, runtime, session, scratch, item, &values, took, message, message_size);
    release(runtime, values.inputs, sizeof values.inputs / sizeof *values.inputs);
    release(runtime, values.outputs, sizeof values.outputs / sizeof *values.outputs);
    return result;
}
