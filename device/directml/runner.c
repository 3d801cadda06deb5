#include "device/directml/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static UINT64 align_up(UINT64 value, UINT64 alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* ---- opening */

static HRESULT make_stamps(struct runner *runner)
{
    const D3D12_QUERY_HEAP_DESC desc = {.Type = D3D12_QUERY_HEAP_TYPE_TIMESTAMP, .Count = RUNNER_STAMPS};
    HRESULT result = COM(runner->gpu->device, CreateQueryHeap, &desc, &IID_ID3D12QueryHeap, (void **)&runner->stamps);
    if (SUCCEEDED(result))
        result =
            gpu_reserve(runner->gpu, &runner->stamp_values, D3D12_HEAP_TYPE_READBACK, RUNNER_STAMPS * sizeof(UINT64));
    if (SUCCEEDED(result))
        result = COM(runner->gpu->queue, GetTimestampFrequency, &runner->ticks_per_second);
    return result;
}

HRESULT runner_open(struct runner *runner, struct gpu *gpu, IDMLDevice *dml)
{
    *runner = (struct runner){.gpu = gpu, .dml = dml};
    runner->descriptor_bytes =
        COM(gpu->device, GetDescriptorHandleIncrementSize, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    HRESULT result = COM(dml, CreateCommandRecorder, &IID_IDMLCommandRecorder, (void **)&runner->recorder);
    return SUCCEEDED(result) ? make_stamps(runner) : result;
}

void runner_close(struct runner *runner)
{
    gpu_release(&runner->temporary);
    gpu_release(&runner->readback);
    gpu_release(&runner->memory);
    gpu_release(&runner->upload);
    gpu_release(&runner->stamp_values);
    com_release(runner->stamps);
    com_release(runner->table);
    com_release(runner->descriptors);
    com_release(runner->recorder);
    *runner = (struct runner){0};
}

/* ---- descriptors and bindings */

/* Every dispatch gets at least one descriptor: a binding table needs a valid handle. */
static UINT descriptors_of(DML_BINDING_PROPERTIES properties)
{
    return properties.RequiredDescriptorCount ? properties.RequiredDescriptorCount : 1;
}

static HRESULT reserve_descriptors(struct runner *runner, UINT count)
{
    if (count <= runner->descriptor_count)
        return S_OK;
    const D3D12_DESCRIPTOR_HEAP_DESC desc = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
                                             .NumDescriptors = count,
                                             .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    com_release(runner->descriptors);
    runner->descriptors = NULL;
    HRESULT result =
        COM(runner->gpu->device, CreateDescriptorHeap, &desc, &IID_ID3D12DescriptorHeap, (void **)&runner->descriptors);
    runner->descriptor_count = SUCCEEDED(result) ? count : 0;
    return result;
}

HRESULT runner_begin(struct runner *runner)
{
    HRESULT result = gpu_begin(runner->gpu);
    if (SUCCEEDED(result))
        COM(runner->gpu->list, SetDescriptorHeaps, 1, &runner->descriptors);
    return result;
}

static HRESULT set_table(struct runner *runner, IDMLDispatchable *dispatchable, UINT count, UINT *descriptor)
{
    DML_BINDING_TABLE_DESC desc = {
        .Dispatchable = dispatchable,
        .CPUDescriptorHandle = COM(runner->descriptors, GetCPUDescriptorHandleForHeapStart),
        .GPUDescriptorHandle = COM(runner->descriptors, GetGPUDescriptorHandleForHeapStart),
        .SizeInDescriptors = count,
    };
    desc.CPUDescriptorHandle.ptr += (SIZE_T)*descriptor * runner->descriptor_bytes;
    desc.GPUDescriptorHandle.ptr += (UINT64)*descriptor * runner->descriptor_bytes;
    *descriptor += count;
    if (runner->table)
        return COM(runner->table, Reset, &desc);
    return COM(runner->dml, CreateBindingTable, &desc, &IID_IDMLBindingTable, (void **)&runner->table);
}

/* Returns the binding of a part of a buffer, written to `room`; of 0 bytes: no binding. */
static DML_BINDING_DESC binding_of(DML_BUFFER_BINDING *room, const struct gpu_buffer *buffer, UINT64 offset,
                                   UINT64 bytes)
{
    if (bytes == 0)
        return (DML_BINDING_DESC){.Type = DML_BINDING_TYPE_NONE};
    *room = (DML_BUFFER_BINDING){buffer->resource, offset, bytes};
    return (DML_BINDING_DESC){DML_BINDING_TYPE_BUFFER, room};
}

/* Binds the memory that is not a tensor's. */
static void bind_extra(struct runner *runner, UINT64 temporary, const struct gpu_buffer *persistent,
                       UINT64 persistent_bytes)
{
    DML_BUFFER_BINDING rooms[2];
    const DML_BINDING_DESC scratch = binding_of(&rooms[0], &runner->temporary, 0, temporary);
    const DML_BINDING_DESC kept = binding_of(&rooms[1], persistent, 0, persistent_bytes);
    if (temporary > 0)
        COM(runner->table, BindTemporaryResource, &scratch);
    if (persistent_bytes > 0)
        COM(runner->table, BindPersistentResource, &kept);
}

/* Records a dispatch with the bindings of the table. Methods without a result report an error by removing DirectML's
 * device. */
static HRESULT record_dispatch(struct runner *runner, IDMLDispatchable *dispatchable)
{
    COM(runner->recorder, RecordDispatch, (ID3D12CommandList *)runner->gpu->list, dispatchable, runner->table);
    return FAILED(COM(runner->dml, GetDeviceRemovedReason)) ? DXGI_ERROR_DEVICE_REMOVED : S_OK;
}

/* ---- compiling and initialising */

/* Makes a buffer for each input that DirectML owns, and binds it: its start suits every alignment. A new buffer is
 * zero. */
static HRESULT bind_owned(struct runner *runner, const struct operands *operands, struct gpu_buffer *buffers)
{
    DML_BUFFER_BINDING bindings[OPERANDS_MAX] = {0};
    uint32_t owned = 0;
    for (uint32_t i = 0; i < operands->input_count; i++) {
        const struct operand *input = &operands->inputs[i];
        if (!input->is_owned || input->bytes == 0)
            continue;
        HRESULT result = gpu_reserve(runner->gpu, &buffers[i], D3D12_HEAP_TYPE_DEFAULT, input->bytes);
        if (FAILED(result))
            return result;
        bindings[i] = (DML_BUFFER_BINDING){buffers[i].resource, 0, input->bytes};
        owned++;
    }
    const DML_BUFFER_ARRAY_BINDING array = {operands->input_count, bindings};
    const DML_BINDING_DESC binding = {DML_BINDING_TYPE_BUFFER_ARRAY, &array};
    COM(runner->table, BindInputs, owned ? 1 : 0, owned ? &binding : NULL);
    return S_OK;
}

/* The outputs of an initialiser are the persistent resources of its operators. */
static HRESULT record_initialisation(struct runner *runner, assay_compiled *compiled,
                                     IDMLOperatorInitializer *initialiser, UINT64 temporary, struct gpu_buffer *owned)
{
    UINT descriptor = 0;
    DML_BUFFER_BINDING room;
    const DML_BINDING_DESC kept =
        binding_of(&room, &compiled->persistent, 0, compiled->properties.PersistentResourceSize);
    HRESULT result = set_table(runner, (IDMLDispatchable *)initialiser, runner->descriptor_count, &descriptor);
    if (SUCCEEDED(result))
        result = bind_owned(runner, &compiled->operands, owned);
    if (FAILED(result))
        return result;
    COM(runner->table, BindOutputs, 1, &kept);
    bind_extra(runner, temporary, NULL, 0);
    return record_dispatch(runner, (IDMLDispatchable *)initialiser);
}

static HRESULT initialise(struct runner *runner, assay_compiled *compiled)
{
    IDMLOperatorInitializer *initialiser = NULL;
    struct gpu_buffer owned[OPERANDS_MAX] = {0};
    DML_BINDING_PROPERTIES needs = {0};
    HRESULT result = COM(runner->dml, CreateOperatorInitializer, 1, &compiled->compiled, &IID_IDMLOperatorInitializer,
                         (void **)&initialiser);
    if (SUCCEEDED(result)) {
        needs = COM(initialiser, GetBindingProperties);
        result = reserve_descriptors(runner, descriptors_of(needs));
    }
    if (SUCCEEDED(result))
        result = gpu_reserve(runner->gpu, &runner->temporary, D3D12_HEAP_TYPE_DEFAULT, needs.TemporaryResourceSize);
    if (SUCCEEDED(result))
        result = gpu_reserve(runner->gpu, &compiled->persistent, D3D12_HEAP_TYPE_DEFAULT,
                             compiled->properties.PersistentResourceSize);
    if (SUCCEEDED(result))
        result = runner_begin(runner);
    if (SUCCEEDED(result))
        result = record_initialisation(runner, compiled, initialiser, needs.TemporaryResourceSize, owned);
    if (SUCCEEDED(result))
        result = gpu_submit(runner->gpu);
    gpu_abandon(runner->gpu);
    for (uint32_t i = 0; i < OPERANDS_MAX; i++)
        gpu_release(&owned[i]);
    com_release(initialiser);
    return result;
}

HRESULT runner_compile(struct runner *runner, IDMLOperator *op, const struct operands *operands,
                       DML_EXECUTION_FLAGS flags, assay_compiled **out)
{
    assay_compiled *compiled = calloc(1, sizeof *compiled);
    if (!compiled)
        return E_OUTOFMEMORY;
    compiled->operands = *operands;
    HRESULT result =
        COM(runner->dml, CompileOperator, op, flags, &IID_IDMLCompiledOperator, (void **)&compiled->compiled);
    if (SUCCEEDED(result)) {
        compiled->properties = COM(compiled->compiled, GetBindingProperties);
        result = initialise(runner, compiled);
    }
    if (FAILED(result)) {
        runner_free(compiled);
        return result;
    }
    *out = compiled;
    return S_OK;
}

void runner_free(assay_compiled *compiled)
{
    if (!compiled)
        return;
    gpu_release(&compiled->persistent);
    com_release(compiled->compiled);
    free(compiled);
}

/* ---- the memory of a batch */

static const char *fault_of(const struct operand *operand, const assay_binding *binding)
{
    if (operand->bytes == 0)
        return binding->base ? "a tensor is bound that the description lacks" : NULL;
    if (operand->is_owned)
        return "an input that DirectML owns cannot be bound to a dispatch";
    if (!binding->base || binding->size < operand->bytes)
        return "a binding is smaller than its tensor";
    return NULL;
}

const char *runner_fault(const assay_dispatch_item *item)
{
    const struct operands *operands = item->compiled ? &item->compiled->operands : NULL;
    const char *fault = NULL;
    if (!operands)
        return "the item has no operator";
    if (item->input_count != operands->input_count || item->output_count != operands->output_count)
        return "the number of bindings differs from the number of tensors";
    for (uint32_t i = 0; i < item->input_count && !fault; i++)
        fault = fault_of(&operands->inputs[i], &item->inputs[i]);
    for (uint32_t i = 0; i < item->output_count && !fault; i++)
        fault = fault_of(&operands->outputs[i], &item->outputs[i]);
    return fault;
}

static UINT64 place(const struct operand *operand, UINT64 *bytes)
{
    UINT64 offset = align_up(*bytes, operand->alignment);
    *bytes = offset + operand->bytes;
    return offset;
}

/* Returns the number of the output in whose memory the input is; -1: none. */
static int in_place_of(const assay_dispatch_item *item, uint32_t input)
{
    const assay_binding *in = &item->inputs[input];
    for (uint32_t i = 0; i < item->output_count && in->base; i++)
        if (item->outputs[i].base == in->base && item->outputs[i].offset == in->offset)
            return (int)i;
    return -1;
}

/* Gives each tensor of an item a place behind `*bytes`. */
static void place_item(const assay_dispatch_item *item, struct runner_places *places, UINT64 *bytes)
{
    const struct operands *operands = &item->compiled->operands;
    for (uint32_t i = 0; i < item->output_count; i++)
        places->outputs[i] = place(&operands->outputs[i], bytes);
    for (uint32_t i = 0; i < item->input_count; i++) {
        int output = in_place_of(item, i);
        places->inputs[i] = output < 0 ? place(&operands->inputs[i], bytes) : places->outputs[output];
    }
}

/* Copies tensors between the host and a mapped buffer. */
static void copy_tensors(const struct operand *operands, const assay_binding *bindings, const UINT64 *places,
                         uint32_t count, char *mapped, int to_host)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes = (size_t)operands[i].bytes;
        if (bytes == 0) /* the tensor is absent: its base is null */
            continue;
        char *host = (char *)bindings[i].base + bindings[i].offset;
        if (to_host)
            memcpy(host, mapped + places[i], bytes);
        else
            memcpy(mapped + places[i], host, bytes);
    }
}

/* Outputs are copied, too: bytes that the operator does not write keep their values. */
static HRESULT upload_items(struct runner *runner, const assay_dispatch_item *items, uint32_t count)
{
    const D3D12_RANGE nothing = {0, 0}; /* the host reads nothing */
    void *mapped = NULL;
    HRESULT result = COM(runner->upload.resource, Map, 0, &nothing, &mapped);
    if (FAILED(result))
        return result;
    for (uint32_t i = 0; i < count; i++) {
        const struct operands *operands = &items[i].compiled->operands;
        copy_tensors(operands->inputs, items[i].inputs, runner->places[i].inputs, items[i].input_count, mapped, 0);
        copy_tensors(operands->outputs, items[i].outputs, runner->places[i].outputs, items[i].output_count, mapped, 0);
    }
    COM(runner->upload.resource, Unmap, 0, NULL);
    return S_OK;
}

HRESULT runner_prepare(struct runner *runner, const assay_dispatch_item *items, uint32_t count, UINT64 *bytes)
{
    UINT64 temporary = 0;
    UINT descriptors = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const DML_BINDING_PROPERTIES *needs = &items[i].compiled->properties;
        place_item(&items[i], &runner->places[i], bytes);
        descriptors += descriptors_of(*needs);
        if (needs->TemporaryResourceSize > temporary)
            temporary = needs->TemporaryResourceSize;
    }
    HRESULT result = gpu_reserve(runner->gpu, &runner->upload, D3D12_HEAP_TYPE_UPLOAD, *bytes);
    if (SUCCEEDED(result))
        result = gpu_reserve(runner->gpu, &runner->memory, D3D12_HEAP_TYPE_DEFAULT, *bytes);
    if (SUCCEEDED(result))
        result = gpu_reserve(runner->gpu, &runner->readback, D3D12_HEAP_TYPE_READBACK, *bytes);
    if (SUCCEEDED(result))
        result = gpu_reserve(runner->gpu, &runner->temporary, D3D12_HEAP_TYPE_DEFAULT, temporary);
    if (SUCCEEDED(result))
        result = reserve_descriptors(runner, descriptors);
    return SUCCEEDED(result) ? upload_items(runner, items, count) : result;
}

HRESULT runner_fetch(struct runner *runner, const assay_dispatch_item *items, uint32_t count, UINT64 bytes)
{
    const D3D12_RANGE all = {0, (SIZE_T)bytes}, nothing = {0, 0};
    void *mapped = NULL;
    HRESULT result = COM(runner->readback.resource, Map, 0, &all, &mapped);
    if (FAILED(result))
        return result;
    for (uint32_t i = 0; i < count; i++)
        copy_tensors(items[i].compiled->operands.outputs, items[i].outputs, runner->places[i].outputs,
                     items[i].output_count, mapped, 1);
    COM(runner->readback.resource, Unmap, 0, &nothing);
    return S_OK;
}

/* ---- dispatching */

HRESULT runner_bind(struct runner *runner, const assay_dispatch_item *item, const struct runner_places *places,
                    UINT *descriptor)
{
    const assay_compiled *compiled = item->compiled;
    IDMLDispatchable *dispatchable = (IDMLDispatchable *)compiled->compiled;
    DML_BUFFER_BINDING rooms[2 * OPERANDS_MAX];
    DML_BINDING_DESC inputs[OPERANDS_MAX], outputs[OPERANDS_MAX];
    HRESULT result = set_table(runner, dispatchable, descriptors_of(compiled->properties), descriptor);
    if (FAILED(result))
        return result;
    for (uint32_t i = 0; i < item->input_count; i++)
        inputs[i] = binding_of(&rooms[i], &runner->memory, places->inputs[i], compiled->operands.inputs[i].bytes);
    for (uint32_t i = 0; i < item->output_count; i++)
        outputs[i] = binding_of(&rooms[OPERANDS_MAX + i], &runner->memory, places->outputs[i],
                                compiled->operands.outputs[i].bytes);
    COM(runner->table, BindInputs, item->input_count, inputs);
    COM(runner->table, BindOutputs, item->output_count, outputs);
    bind_extra(runner, compiled->properties.TemporaryResourceSize, &compiled->persistent,
               compiled->properties.PersistentResourceSize);
    return S_OK;
}

HRESULT runner_record(struct runner *runner, const assay_dispatch_item *item)
{
    return record_dispatch(runner, (IDMLDispatchable *)item->compiled->compiled);
}

void runner_stamp(struct runner *runner, UINT number)
{
    COM(runner->gpu->list, EndQuery, runner->stamps, D3D12_QUERY_TYPE_TIMESTAMP, number);
}

void runner_resolve_stamps(struct runner *runner, UINT count)
{
    COM(runner->gpu->list, ResolveQueryData, runner->stamps, D3D12_QUERY_TYPE_TIMESTAMP, 0, count,
        runner->stamp_values.resource, 0);
}

HRESULT runner_read_stamps(struct runner *runner, UINT count, UINT step, uint64_t *ns)
{
    const D3D12_RANGE all = {0, count * sizeof(UINT64)}, nothing = {0, 0};
    void *mapped = NULL;
    HRESULT result = COM(runner->stamp_values.resource, Map, 0, &all, &mapped);
    if (FAILED(result))
        return result;
    const UINT64 *stamps = mapped;
    for (UINT i = 0; i + 1 < count; i += step) {
        double ticks = stamps[i + 1] > stamps[i] ? (double)(stamps[i + 1] - stamps[i]) : 0;
        ns[i / step] = (uint64_t)(ticks * 1e9 / (double)runner->ticks_per_second);
    }
    COM(runner->stamp_values.resource, Unmap, 0, &nothing);
    return S_OK;
}

/* Records the items. They share the temporary memory, so each waits for the one before. */
static HRESULT record_batch(struct runner *runner, const assay_dispatch_item *items, uint32_t count, UINT64 bytes)
{
    struct gpu *gpu = runner->gpu;
    UINT descriptor = 0;
    HRESULT result = runner_begin(runner);
    if (FAILED(result))
        return result;
    COM(gpu->list, CopyBufferRegion, runner->memory.resource, 0, runner->upload.resource, 0, bytes);
    gpu_transition(gpu, &runner->memory, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    for (uint32_t i = 0; i < count && SUCCEEDED(result); i++) {
        runner_stamp(runner, 2 * i);
        result = runner_bind(runner, &items[i], &runner->places[i], &descriptor);
        if (SUCCEEDED(result))
            result = runner_record(runner, &items[i]);
        gpu_wait_for_writes(gpu);
        runner_stamp(runner, 2 * i + 1);
    }
    if (FAILED(result))
        return result;
    gpu_transition(gpu, &runner->memory, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    COM(gpu->list, CopyBufferRegion, runner->readback.resource, 0, runner->memory.resource, 0, bytes);
    runner_resolve_stamps(runner, 2 * count);
    return gpu_submit(gpu);
}

static HRESULT run_batch(struct runner *runner, const assay_dispatch_item *items, uint32_t count,
                         assay_dispatch_result *out)
{
    uint64_t ns[RUNNER_ITEMS] = {0};
    UINT64 bytes;
    HRESULT result = runner_prepare(runner, items, count, &bytes);
    if (SUCCEEDED(result))
        result = record_batch(runner, items, count, bytes);
    gpu_abandon(runner->gpu);
    if (SUCCEEDED(result))
        result = runner_fetch(runner, items, count, bytes);
    if (SUCCEEDED(result) && runner->ticks_per_second)
        result = runner_read_stamps(runner, 2 * count, 2, ns);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (assay_dispatch_result){.status = gpu_result(result), .device_ns = ns[i]};
        if (FAILED(result)) {
            char room[16];
            snprintf(out[i].message, sizeof out[i].message, "DirectML cannot run the item: %s",
                     gpu_error_name(result, room));
        }
    }
    return result;
}

/* Returns the number of items of the next batch: the first ones without a fault, whose tensors need not much memory. */
static uint32_t next_batch(const assay_dispatch_item *items, uint32_t count)
{
    const UINT64 most = 256u << 20;
    UINT64 bytes = 0;
    uint32_t n = 0;
    while (n < count && n < RUNNER_ITEMS && !runner_fault(&items[n])) {
        const struct operands *operands = &items[n].compiled->operands;
        for (uint32_t i = 0; i < operands->input_count; i++)
            bytes += operands->inputs[i].bytes;
        for (uint32_t i = 0; i < operands->output_count; i++)
            bytes += operands->outputs[i].bytes;
        if (n > 0 && bytes > most)
            break;
        n++;
    }
    return n;
}

HRESULT runner_dispatch(struct runner *runner, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out)
{
    HRESULT result = S_OK;
    for (uint32_t i = 0, batch; i < count; i += batch) {
        batch = next_batch(&items[i], count - i);
        if (batch > 0) {
            HRESULT ran = run_batch(runner, &items[i], batch, &out[i]);
            if (ran == E_OUTOFMEMORY && batch > 1) /* alone, the first item may have room */
                ran = run_batch(runner, &items[i], batch = 1, &out[i]);
            if (gpu_result(ran) == DXGI_ERROR_DEVICE_REMOVED)
                result = ran;
            continue;
        }
        out[i] = (assay_dispatch_result){.status = E_INVALIDARG};
        snprintf(out[i].message, sizeof out[i].message, "%s", runner_fault(&items[i]));
        batch = 1;
    }
    return result;
}
