/* dml.c: DirectML over the reference device. */
#include "device/test/standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dml {
    struct standin base; /* its parent is the device of Direct3D */
    HRESULT removed;     /* invalid calls of methods without a result; S_OK: no */
    const assay_device_api *api;
    assay_device *reference;
};

struct dml_operator {
    struct standin base;
    assay_operator *op;
    struct descriptor descriptor;
};

struct dml_compiled {
    struct standin base;
    assay_compiled *compiled;
    struct descriptor descriptor;
    DML_EXECUTION_FLAGS flags;
    uint64_t number; /* of all compiled operators; written to its persistent resource */
    int is_initialised;
    const unsigned char *persistent; /* where that is */
};

struct dml_initialiser {
    struct standin base;
    struct dml_compiled *compiled;
};

struct dml_region {
    struct standin_resource *resource; /* null: nothing is bound */
    UINT64 offset, bytes;
};

enum { TENSORS = DESCRIPTOR_MAX_INPUTS };

struct dml_table {
    struct standin base;
    struct standin *dispatchable;
    struct standin_descriptors *heap;
    UINT first, count;
    int has_inputs, has_outputs;
    struct dml_region inputs[TENSORS], outputs[TENSORS], temporary, persistent;
};

static struct dml *dml_of(void *object)
{
    struct standin *each = object;
    while (each && each->kind != STANDIN_DML)
        each = each->parent;
    return (struct dml *)each;
}

/* Reports an invalid call of a method without a result: DirectML's device is removed, that of Direct3D is not. */
#define DML_TROUBLE(object, ...)                                                                                       \
    do {                                                                                                               \
        struct dml *dml_ = dml_of(object);                                                                             \
        struct standin_device *device_ = standin_device_of(object);                                                    \
        HRESULT before_ = device_->removed;                                                                            \
        standin_trouble(device_, __VA_ARGS__);                                                                         \
        device_->removed = before_;                                                                                    \
        dml_->removed = E_INVALIDARG;                                                                                  \
    } while (0)

static HRESULT dml_injected(void *object, const char *method)
{
    struct dml *dml = dml_of(object);
    HRESULT result = standin_injected(standin_device_of(object), method);
    if (FAILED(dml->removed))
        return DXGI_ERROR_DEVICE_REMOVED;
    return result;
}

/* ---- what a dispatchable needs: sizes that no alignment suits, so that a caller must round */

static UINT64 persistent_bytes(const struct dml_compiled *compiled)
{
    int has_owned = 0;
    for (uint32_t i = 0; i < compiled->descriptor.input_count; i++)
        has_owned |= compiled->descriptor.inputs[i].rank && compiled->descriptor.inputs[i].owned;
    return has_owned || compiled->descriptor.type % 2 == 0 ? 300 + 4 * (UINT64)compiled->descriptor.type : 0;
}

static UINT64 temporary_bytes(const struct dml_compiled *compiled)
{
    return compiled->descriptor.type % 3 ? 1000 + 4 * (UINT64)compiled->descriptor.type : 0;
}

static DML_BINDING_PROPERTIES properties_of(struct standin *dispatchable)
{
    if (dispatchable->kind == STANDIN_INITIALISER)
        return (DML_BINDING_PROPERTIES){.RequiredDescriptorCount = 3, .TemporaryResourceSize = 520};
    const struct dml_compiled *compiled = (struct dml_compiled *)dispatchable;
    return (DML_BINDING_PROPERTIES){
        .RequiredDescriptorCount = compiled->descriptor.input_count + compiled->descriptor.output_count + 2,
        .TemporaryResourceSize = temporary_bytes(compiled),
        .PersistentResourceSize = persistent_bytes(compiled),
    };
}

/* ---- bindings */

STANDIN_UNKNOWN(IDMLBindingTable)

/* Reads a binding of a buffer, and checks it as far as it does not depend on a tensor. */
static struct dml_region read_range(struct dml_table *table, const DML_BUFFER_BINDING *binding, UINT64 alignment,
                                    const char *what)
{
    struct standin_resource *resource = (struct standin_resource *)binding->Buffer;
    const struct dml_region region = {resource, binding->Offset, binding->SizeInBytes};
    if (!resource)
        return (struct dml_region){0};
    if (!standin_is(resource, STANDIN_RESOURCE))
        DML_TROUBLE(table, "%s: the resource has been released", what);
    else if (resource->heap != D3D12_HEAP_TYPE_DEFAULT)
        DML_TROUBLE(table, "%s: the buffer is not of the default heap", what);
    else if (!(resource->flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS))
        DML_TROUBLE(table, "%s: the buffer has no unordered access", what);
    else if (binding->SizeInBytes == 0 || binding->Offset > resource->bytes ||
             binding->SizeInBytes > resource->bytes - binding->Offset)
        DML_TROUBLE(table, "%s: the range is not within the buffer", what);
    else if (binding->Offset % alignment)
        DML_TROUBLE(table, "%s: the offset %llu is no multiple of %llu", what, (unsigned long long)binding->Offset,
                    (unsigned long long)alignment);
    else
        return region;
    return (struct dml_region){0};
}

static struct dml_region read_binding(struct dml_table *table, const DML_BINDING_DESC *binding, UINT64 alignment,
                                      const char *what)
{
    if (!binding || binding->Type == DML_BINDING_TYPE_NONE)
        return (struct dml_region){0};
    if (binding->Type == DML_BINDING_TYPE_BUFFER && binding->Desc)
        return read_range(table, binding->Desc, alignment, what);
    DML_TROUBLE(table, "%s: the binding must be a buffer", what);
    return (struct dml_region){0};
}

/* DirectML writes descriptors: those that a recorded dispatch refers to change. */
static void write_descriptors(struct dml_table *table)
{
    for (UINT i = table->first; i < table->first + table->count; i++)
        table->heap->generations[i]++;
}

/* Reads the bindings of a compiled operator's tensors. */
static int read_bindings(struct dml_table *table, const struct tensor *tensors, uint32_t tensor_count, UINT count,
                         const DML_BINDING_DESC *bindings, struct dml_region *regions, const char *what)
{
    memset(regions, 0, TENSORS * sizeof *regions);
    if (count != tensor_count) {
        DML_TROUBLE(table, "%s: %u bindings for %u tensors", what, count, tensor_count);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        UINT64 alignment = tensors[i].rank && tensors[i].alignment > DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT
                               ? tensors[i].alignment
                               : DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
        int must = tensors[i].rank > 0 && !tensors[i].owned;
        regions[i] = read_binding(table, &bindings[i], alignment, what);
        if (FAILED(dml_of(table)->removed))
            return 0;
        if (must != (regions[i].resource != NULL))
            DML_TROUBLE(table, "%s: tensor %u %s", what, i, must ? "is not bound" : "must not be bound");
        else if (must && regions[i].bytes < tensors[i].bytes)
            DML_TROUBLE(table, "%s: the range of tensor %u is smaller than the tensor", what, i);
    }
    return SUCCEEDED(dml_of(table)->removed);
}

/* Reads the tensors that DirectML owns. Returns 0 after trouble. */
static int read_owned(struct dml_table *table, const struct descriptor *descriptor, UINT count,
                      const DML_BINDING_DESC *bindings)
{
    const DML_BUFFER_ARRAY_BINDING *array = count == 1 && bindings ? bindings->Desc : NULL;
    uint32_t owned = 0;
    memset(table->inputs, 0, sizeof table->inputs);
    for (uint32_t i = 0; i < descriptor->input_count; i++)
        owned += descriptor->inputs[i].rank && descriptor->inputs[i].owned;
    if (count == 0 && !bindings && owned == 0)
        return 1;
    if (count != 1 || !bindings || bindings->Type != DML_BINDING_TYPE_BUFFER_ARRAY || !array ||
        array->BindingCount != descriptor->input_count) {
        DML_TROUBLE(table, "BindInputs: an initialiser needs an array with an element for each input");
        return 0;
    }
    for (uint32_t i = 0; i < array->BindingCount; i++) {
        const struct tensor *tensor = &descriptor->inputs[i];
        int must = tensor->rank && tensor->owned;
        UINT64 alignment = must && tensor->alignment > DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT
                               ? tensor->alignment
                               : DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT;
        table->inputs[i] = read_range(table, &array->Bindings[i], alignment, "BindInputs (initialiser)");
        if (must != (table->inputs[i].resource != NULL) || (must && table->inputs[i].bytes < tensor->bytes)) {
            DML_TROUBLE(table, "BindInputs: an initialiser gets the tensors that DirectML owns, whole, and no others");
            return 0;
        }
    }
    return 1;
}

static void table_inputs(IDMLBindingTable *self, UINT count, const DML_BINDING_DESC *bindings)
{
    struct dml_table *table = (struct dml_table *)self;
    if (FAILED(dml_of(table)->removed))
        return;
    write_descriptors(table);
    if (table->dispatchable->kind == STANDIN_INITIALISER) {
        const struct dml_compiled *compiled = ((struct dml_initialiser *)table->dispatchable)->compiled;
        table->has_inputs = read_owned(table, &compiled->descriptor, count, bindings);
        return;
    }
    const struct descriptor *descriptor = &((struct dml_compiled *)table->dispatchable)->descriptor;
    table->has_inputs =
        read_bindings(table, descriptor->inputs, descriptor->input_count, count, bindings, table->inputs, "BindInputs");
}

static void table_outputs(IDMLBindingTable *self, UINT count, const DML_BINDING_DESC *bindings)
{
    struct dml_table *table = (struct dml_table *)self;
    if (FAILED(dml_of(table)->removed))
        return;
    write_descriptors(table);
    if (table->dispatchable->kind == STANDIN_INITIALISER) {
        const struct dml_compiled *compiled = ((struct dml_initialiser *)table->dispatchable)->compiled;
        UINT64 needed = persistent_bytes(compiled);
        memset(table->outputs, 0, sizeof table->outputs);
        if (count == 1)
            table->outputs[0] =
                read_binding(table, bindings, DML_PERSISTENT_BUFFER_ALIGNMENT, "BindOutputs (initialiser)");
        if (count != 1 || (needed > 0) != (table->outputs[0].resource != NULL) || table->outputs[0].bytes < needed)
            DML_TROUBLE(table, "BindOutputs: an initialiser writes the persistent resource of each operator");
        table->has_outputs = 1;
        return;
    }
    const struct descriptor *descriptor = &((struct dml_compiled *)table->dispatchable)->descriptor;
    table->has_outputs = read_bindings(table, descriptor->outputs, descriptor->output_count, count, bindings,
                                       table->outputs, "BindOutputs");
}

static void table_temporary(IDMLBindingTable *self, const DML_BINDING_DESC *binding)
{
    struct dml_table *table = (struct dml_table *)self;
    write_descriptors(table);
    table->temporary = read_binding(table, binding, DML_TEMPORARY_BUFFER_ALIGNMENT, "BindTemporaryResource");
}

static void table_persistent(IDMLBindingTable *self, const DML_BINDING_DESC *binding)
{
    struct dml_table *table = (struct dml_table *)self;
    write_descriptors(table);
    if (table->dispatchable->kind == STANDIN_INITIALISER)
        DML_TROUBLE(table, "BindPersistentResource: an initialiser's persistent resources are its outputs");
    table->persistent = read_binding(table, binding, DML_PERSISTENT_BUFFER_ALIGNMENT, "BindPersistentResource");
}

static void forget_table(struct dml_table *table)
{
    if (table->dispatchable)
        standin_unuse(table->dispatchable);
    if (table->heap)
        standin_unuse(table->heap);
    memset((char *)table + sizeof table->base, 0, sizeof *table - sizeof table->base);
}

static HRESULT table_reset(IDMLBindingTable *self, const DML_BINDING_TABLE_DESC *desc)
{
    struct dml_table *table = (struct dml_table *)self;
    struct standin *dispatchable = (struct standin *)desc->Dispatchable;
    UINT first = 0, gpu_first = 0;
    HRESULT result = dml_injected(self, "ResetTable");
    if (FAILED(result))
        return result;
    struct standin_descriptors *heap = standin_find_descriptors(desc->CPUDescriptorHandle.ptr, &first);
    int is_dispatchable = standin_is(dispatchable, STANDIN_COMPILED) || standin_is(dispatchable, STANDIN_INITIALISER);
    if (!is_dispatchable || !heap || standin_find_descriptors(desc->GPUDescriptorHandle.ptr, &gpu_first) != heap ||
        gpu_first != first || !heap->is_visible || desc->SizeInDescriptors > heap->count - first ||
        desc->SizeInDescriptors < properties_of(dispatchable).RequiredDescriptorCount) {
        standin_trouble(standin_device_of(self), "a binding table needs a dispatchable and as many descriptors as it "
                                                 "requires, within a heap that shaders see");
        return E_INVALIDARG;
    }
    forget_table(table);
    table->dispatchable = dispatchable;
    table->heap = heap;
    table->first = first;
    table->count = desc->SizeInDescriptors;
    standin_use(dispatchable);
    standin_use(heap);
    return S_OK;
}

static const struct IDMLBindingTableVtbl table_table = {
    STANDIN_UNKNOWN_METHODS(IDMLBindingTable),
    .BindInputs = table_inputs,
    .BindOutputs = table_outputs,
    .BindTemporaryResource = table_temporary,
    .BindPersistentResource = table_persistent,
    .Reset = table_reset,
};

/* ---- recording and running dispatches */

/* A recorded dispatch: a copy of the bindings, and how often the descriptors had been written. */
struct recorded {
    struct dml_table table;
    uint64_t *generations;
};

static void forget_recorded(struct standin_command *command)
{
    struct recorded *recorded = command->data;
    free(recorded->generations);
    free(recorded);
}

/* Makes the access of a dispatch to a range. `writes`: it is an output or temporary memory. */
static void touch_region(struct standin_device *device, const struct dml_region *region, UINT64 bytes)
{
    if (!region->resource || FAILED(device->removed))
        return;
    standin_access(device, region->resource, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, "RecordDispatch");
    standin_touch(device, region->resource, region->offset, region->offset + bytes);
}

static void dirty_region(const struct dml_region *region, UINT64 bytes)
{
    if (region->resource)
        standin_dirty(region->resource, region->offset, region->offset + bytes);
}

static unsigned char *memory_at(const struct dml_region *region)
{
    return region->resource->memory + region->offset;
}

static void check_descriptors(struct standin_device *device, const struct recorded *recorded)
{
    const struct dml_table *table = &recorded->table;
    if (memcmp(recorded->generations, table->heap->generations + table->first,
               table->count * sizeof *recorded->generations))
        standin_trouble(device, "descriptors of a dispatch were written again before it ran");
}

/* The temporary memory is filled with other bytes at every dispatch: nothing may depend on them. */
static void use_temporary(struct standin_device *device, const struct dml_region *temporary, UINT64 bytes)
{
    touch_region(device, temporary, bytes);
    if (temporary->resource && SUCCEEDED(device->removed))
        memset(memory_at(temporary), 0xa5, bytes);
    dirty_region(temporary, bytes);
}

static void run_initialiser(struct standin_device *device, struct standin_command *command)
{
    struct recorded *recorded = command->data;
    struct dml_table *table = &recorded->table;
    struct dml_compiled *compiled = ((struct dml_initialiser *)table->dispatchable)->compiled;
    UINT64 bytes = persistent_bytes(compiled);
    check_descriptors(device, recorded);
    use_temporary(device, &table->temporary, properties_of(table->dispatchable).TemporaryResourceSize);
    for (uint32_t i = 0; i < compiled->descriptor.input_count; i++)
        touch_region(device, &table->inputs[i], compiled->descriptor.inputs[i].bytes);
    touch_region(device, &table->outputs[0], bytes);
    dirty_region(&table->outputs[0], bytes);
    if (bytes > 0 && SUCCEEDED(device->removed)) {
        memset(memory_at(&table->outputs[0]), (int)(compiled->number & 0xff), bytes);
        memcpy(memory_at(&table->outputs[0]), &compiled->number, sizeof compiled->number);
        compiled->persistent = memory_at(&table->outputs[0]);
    }
    if (compiled->is_initialised)
        standin_trouble(device, "an operator is initialised twice");
    compiled->is_initialised = 1;
}

static void check_persistent(struct standin_device *device, const struct dml_compiled *compiled,
                             const struct dml_region *region)
{
    UINT64 bytes = persistent_bytes(compiled);
    int is_good = compiled->is_initialised;
    touch_region(device, region, bytes);
    if (bytes > 0 && is_good && SUCCEEDED(device->removed)) {
        const unsigned char *memory = memory_at(region);
        is_good = memory == compiled->persistent && !memcmp(memory, &compiled->number, sizeof compiled->number);
        for (UINT64 i = sizeof compiled->number; i < bytes; i++)
            is_good = is_good && memory[i] == (compiled->number & 0xff);
    }
    if (!is_good)
        standin_trouble(device, "an operator is dispatched that is not initialised, or whose persistent resource "
                                "has moved or changed");
}

static int regions_overlap(const struct dml_region *a, UINT64 a_bytes, const struct dml_region *b, UINT64 b_bytes)
{
    return a->resource && a->resource == b->resource && a->offset < b->offset + b_bytes &&
           b->offset < a->offset + a_bytes;
}

/* Returns what is wrong with the places of the tensors; null: nothing. */
static const char *find_overlap(const struct dml_table *table, const struct descriptor *descriptor)
{
    for (uint32_t i = 0; i < descriptor->output_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (regions_overlap(&table->outputs[i], descriptor->outputs[i].bytes, &table->outputs[j],
                                descriptor->outputs[j].bytes))
                return "two outputs overlap";
        for (uint32_t j = 0; j < descriptor->input_count; j++)
            if (regions_overlap(&table->outputs[i], descriptor->outputs[i].bytes, &table->inputs[j],
                                descriptor->inputs[j].bytes) &&
                table->outputs[i].offset != table->inputs[j].offset)
                return "an input overlaps an output, and is not in place";
    }
    return NULL;
}

static assay_binding reference_binding(const struct dml_region *region)
{
    if (!region->resource)
        return (assay_binding){0};
    return (assay_binding){region->resource->memory, region->offset, region->bytes};
}

static void run_operator(struct standin_device *device, struct standin_command *command)
{
    struct recorded *recorded = command->data;
    struct dml_table *table = &recorded->table;
    struct dml_compiled *compiled = (struct dml_compiled *)table->dispatchable;
    const struct descriptor *descriptor = &compiled->descriptor;
    struct dml *dml = dml_of(compiled);
    assay_binding inputs[TENSORS], outputs[TENSORS];
    const char *overlap = find_overlap(table, descriptor);
    if (overlap)
        standin_trouble(device, "RecordDispatch: %s", overlap);
    check_descriptors(device, recorded);
    check_persistent(device, compiled, &table->persistent);
    use_temporary(device, &table->temporary, temporary_bytes(compiled));
    for (uint32_t i = 0; i < descriptor->input_count; i++) {
        touch_region(device, &table->inputs[i], descriptor->inputs[i].bytes);
        inputs[i] = reference_binding(&table->inputs[i]);
    }
    for (uint32_t i = 0; i < descriptor->output_count; i++) {
        touch_region(device, &table->outputs[i], descriptor->outputs[i].bytes);
        outputs[i] = reference_binding(&table->outputs[i]);
    }
    for (uint32_t i = 0; i < descriptor->output_count; i++)
        dirty_region(&table->outputs[i], descriptor->outputs[i].bytes);
    if (FAILED(device->removed))
        return;
    const assay_dispatch_item item = {compiled->compiled, inputs, outputs, descriptor->input_count,
                                      descriptor->output_count};
    assay_dispatch_result result = {.status = E_FAIL};
    if (FAILED(dml->api->dispatch(dml->reference, &item, 1, &result)) || FAILED(result.status))
        standin_trouble(device, "the reference device cannot run the operator: %s", result.message);
}

STANDIN_UNKNOWN(IDMLCommandRecorder)

/* Adds an object to those that a command uses. */
static void add_use(struct standin_command *command, void *object)
{
    for (int i = 0; i < STANDIN_USES && object; i++) {
        if (command->uses[i] == object)
            return;
        if (!command->uses[i]) {
            command->uses[i] = object;
            return;
        }
    }
    if (object)
        abort(); /* a test that binds more resources */
}

static void add_table(struct standin_command *command, const struct dml_table *table)
{
    add_use(command, table->dispatchable);
    add_use(command, table->heap);
    add_use(command, table->temporary.resource);
    add_use(command, table->persistent.resource);
    for (int i = 0; i < TENSORS; i++) {
        add_use(command, table->inputs[i].resource);
        add_use(command, table->outputs[i].resource);
    }
    if (table->dispatchable->kind == STANDIN_INITIALISER)
        add_use(command, ((struct dml_initialiser *)table->dispatchable)->compiled);
}

/* Returns what is missing before a dispatch; null: nothing. */
static const char *recording_fault(const struct standin_commands *list, const struct dml_table *table,
                                   const struct standin *dispatchable)
{
    if (!standin_is(list, STANDIN_COMMANDS) || !list->is_open)
        return "the list is closed";
    if (!standin_is(table, STANDIN_TABLE) || table->dispatchable != dispatchable)
        return "the binding table is for another dispatchable";
    if (list->heap != table->heap)
        return "the list has not the descriptor heap of the bindings";
    DML_BINDING_PROPERTIES needs = properties_of(table->dispatchable);
    if (!table->has_inputs || !table->has_outputs)
        return "inputs or outputs are not bound";
    if (needs.TemporaryResourceSize > table->temporary.bytes)
        return "the temporary resource is missing or too small";
    if (needs.PersistentResourceSize > table->persistent.bytes)
        return "the persistent resource is missing or too small";
    return NULL;
}

static void recorder_dispatch(IDMLCommandRecorder *self, ID3D12CommandList *to, IDMLDispatchable *dispatchable,
                              IDMLBindingTable *bindings)
{
    struct standin_commands *list = (struct standin_commands *)to;
    struct dml_table *table = (struct dml_table *)bindings;
    if (FAILED(dml_injected(self, "RecordDispatch"))) {
        if (SUCCEEDED(dml_of(self)->removed))
            dml_of(self)->removed = E_OUTOFMEMORY; /* an error on request, of a method without a result */
        return;
    }
    const char *fault = recording_fault(list, table, (struct standin *)dispatchable);
    if (fault) {
        DML_TROUBLE(self, "RecordDispatch: %s", fault);
        return;
    }
    struct recorded *recorded = malloc(sizeof *recorded);
    uint64_t *generations = malloc(table->count * sizeof *generations + 1);
    if (!recorded || !generations)
        abort();
    memcpy(generations, table->heap->generations + table->first, table->count * sizeof *generations);
    *recorded = (struct recorded){*table, generations};
    struct standin_command command = {
        .run = table->dispatchable->kind == STANDIN_INITIALISER ? run_initialiser : run_operator,
        .forget = forget_recorded,
        .data = recorded,
    };
    add_table(&command, table);
    standin_record(list, &command);
}

static const struct IDMLCommandRecorderVtbl recorder_table = {
    STANDIN_UNKNOWN_METHODS(IDMLCommandRecorder),
    .RecordDispatch = recorder_dispatch,
};

/* ---- operators */

STANDIN_UNKNOWN(IDMLOperator)
static const struct IDMLOperatorVtbl operator_table = {STANDIN_UNKNOWN_METHODS(IDMLOperator)};

STANDIN_UNKNOWN(IDMLCompiledOperator)

static DML_BINDING_PROPERTIES compiled_properties(IDMLCompiledOperator *self)
{
    return properties_of((struct standin *)self);
}

static const struct IDMLCompiledOperatorVtbl compiled_table = {
    STANDIN_UNKNOWN_METHODS(IDMLCompiledOperator),
    .GetBindingProperties = compiled_properties,
};

STANDIN_UNKNOWN(IDMLOperatorInitializer)

static DML_BINDING_PROPERTIES initialiser_properties(IDMLOperatorInitializer *self)
{
    return properties_of((struct standin *)self);
}

static const struct IDMLOperatorInitializerVtbl initialiser_table = {
    STANDIN_UNKNOWN_METHODS(IDMLOperatorInitializer),
    .GetBindingProperties = initialiser_properties,
};

/* ---- IDMLDevice */

STANDIN_UNKNOWN(IDMLDevice)

static HRESULT answer_levels(const DML_FEATURE_QUERY_FEATURE_LEVELS *query, DML_FEATURE_DATA_FEATURE_LEVELS *answer)
{
    answer->MaxSupportedFeatureLevel = 0;
    for (UINT i = 0; i < query->RequestedFeatureLevelCount; i++)
        if (query->RequestedFeatureLevels[i] <= DML_FEATURE_LEVEL_6_4 &&
            query->RequestedFeatureLevels[i] > answer->MaxSupportedFeatureLevel)
            answer->MaxSupportedFeatureLevel = query->RequestedFeatureLevels[i];
    return answer->MaxSupportedFeatureLevel ? S_OK : DXGI_ERROR_UNSUPPORTED;
}

static HRESULT dml_check(IDMLDevice *self, DML_FEATURE feature, UINT query_size, const void *query, UINT answer_size,
                         void *answer)
{
    struct dml *dml = (struct dml *)self;
    HRESULT result = dml_injected(self, "CheckFeatureSupport");
    if (FAILED(result))
        return result;
    if (feature == DML_FEATURE_FEATURE_LEVELS && query_size == sizeof(DML_FEATURE_QUERY_FEATURE_LEVELS) &&
        answer_size == sizeof(DML_FEATURE_DATA_FEATURE_LEVELS))
        return answer_levels(query, answer);
    if (feature != DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT ||
        query_size != sizeof(DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT) ||
        answer_size != sizeof(DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT))
        return E_INVALIDARG;
    DML_TENSOR_DATA_TYPE type = ((const DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT *)query)->DataType;
    if (descriptor_element_bits(type) == 0)
        return E_INVALIDARG;
    ((DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT *)answer)->IsSupported =
        dml->api->supports_data_type(dml->reference, type);
    return S_OK;
}

static int every_operator(DML_OPERATOR_TYPE type)
{
    (void)type;
    return 1;
}

static HRESULT dml_make_operator(IDMLDevice *self, const DML_OPERATOR_DESC *desc, REFIID iid, void **out)
{
    struct dml *dml = (struct dml *)self;
    struct standin_device *device = standin_device_of(dml);
    *out = NULL;
    HRESULT result = dml_injected(self, "CreateOperator");
    if (FAILED(result))
        return result;
    struct dml_operator *op = standin_make(sizeof *op, STANDIN_OPERATOR, &operator_table, dml);
    if (!op)
        return E_OUTOFMEMORY;
    result = dml->api->create_operator(dml->reference, desc, &op->op);
    if (SUCCEEDED(result))
        result = descriptor_read(desc, DML_FEATURE_LEVEL_6_4, every_operator, &op->descriptor, NULL, 0);
    if (SUCCEEDED(result))
        return standin_give(op, iid, out);
    if (device->has_debug_layer && device->message_count < sizeof device->messages / sizeof *device->messages)
        snprintf(device->messages[device->message_count++], sizeof *device->messages, "CreateOperator: %s",
                 dml->api->message(dml->reference));
    standin_release(op);
    return result;
}

static HRESULT dml_compile(IDMLDevice *self, IDMLOperator *from, DML_EXECUTION_FLAGS flags, REFIID iid, void **out)
{
    static uint64_t count;
    struct dml *dml = (struct dml *)self;
    struct dml_operator *op = (struct dml_operator *)from;
    *out = NULL;
    HRESULT result = dml_injected(self, "CompileOperator");
    if (FAILED(result))
        return result;
    if (!standin_is(op, STANDIN_OPERATOR))
        return E_INVALIDARG;
    struct dml_compiled *compiled = standin_make(sizeof *compiled, STANDIN_COMPILED, &compiled_table, dml);
    if (!compiled)
        return E_OUTOFMEMORY;
    descriptor_copy(&compiled->descriptor, &op->descriptor);
    compiled->flags = flags;
    compiled->number = ++count;
    result = dml->api->compile_operator(dml->reference, op->op, flags, &compiled->compiled);
    if (SUCCEEDED(result))
        return standin_give(compiled, iid, out);
    standin_release(compiled);
    return result;
}

static HRESULT dml_initialiser(IDMLDevice *self, UINT count, IDMLCompiledOperator *const *operators, REFIID iid,
                               void **out)
{
    *out = NULL;
    HRESULT result = dml_injected(self, "CreateOperatorInitializer");
    if (FAILED(result))
        return result;
    if (count != 1 || !standin_is(operators[0], STANDIN_COMPILED))
        return E_INVALIDARG;
    struct dml_initialiser *initialiser =
        standin_make(sizeof *initialiser, STANDIN_INITIALISER, &initialiser_table, self);
    if (initialiser) {
        initialiser->compiled = (struct dml_compiled *)operators[0];
        standin_use(initialiser->compiled);
    }
    return standin_give(initialiser, iid, out);
}

static HRESULT dml_recorder(IDMLDevice *self, REFIID iid, void **out)
{
    *out = NULL;
    HRESULT result = dml_injected(self, "CreateCommandRecorder");
    if (FAILED(result))
        return result;
    return standin_give(standin_make(sizeof(struct standin), STANDIN_RECORDER, &recorder_table, self), iid, out);
}

static HRESULT dml_make_table(IDMLDevice *self, const DML_BINDING_TABLE_DESC *desc, REFIID iid, void **out)
{
    *out = NULL;
    HRESULT result = dml_injected(self, "CreateBindingTable");
    if (FAILED(result))
        return result;
    struct dml_table *table = standin_make(sizeof *table, STANDIN_TABLE, &table_table, self);
    if (!table)
        return E_OUTOFMEMORY;
    result = table_reset((IDMLBindingTable *)table, desc);
    if (SUCCEEDED(result))
        return standin_give(table, iid, out);
    standin_release(table);
    return result;
}

static HRESULT dml_removed_reason(IDMLDevice *self)
{
    const struct dml *dml = (struct dml *)self;
    HRESULT reason = standin_device_of(self)->removed;
    return FAILED(dml->removed) ? dml->removed : reason;
}

static const struct IDMLDeviceVtbl dml_table = {
    STANDIN_UNKNOWN_METHODS(IDMLDevice),          .CheckFeatureSupport = dml_check,
    .CreateOperator = dml_make_operator,          .CompileOperator = dml_compile,
    .CreateOperatorInitializer = dml_initialiser, .CreateCommandRecorder = dml_recorder,
    .CreateBindingTable = dml_make_table,         .GetDeviceRemovedReason = dml_removed_reason,
};

STANDIN_EXPORT HRESULT DMLCreateDevice1(ID3D12Device *on, DML_CREATE_DEVICE_FLAGS flags, DML_FEATURE_LEVEL lowest,
                                        REFIID iid, void **out);
HRESULT DMLCreateDevice1(ID3D12Device *on, DML_CREATE_DEVICE_FLAGS flags, DML_FEATURE_LEVEL lowest, REFIID iid,
                         void **out)
{
    struct standin_device *device = (struct standin_device *)on;
    char message[256] = "";
    const assay_device_config config = {sizeof config, ""};
    *out = NULL;
    HRESULT result = standin_injected(device, "DMLCreateDevice1");
    if (FAILED(result))
        return result;
    if (!standin_is(on, STANDIN_DEVICE) || lowest > DML_FEATURE_LEVEL_6_4)
        return lowest > DML_FEATURE_LEVEL_6_4 ? DXGI_ERROR_UNSUPPORTED : E_INVALIDARG;
    if ((flags & DML_CREATE_DEVICE_FLAG_DEBUG) && !device->has_debug_layer)
        return DXGI_ERROR_SDK_COMPONENT_MISSING;
    struct dml *dml = standin_make(sizeof *dml, STANDIN_DML, &dml_table, device);
    if (!dml)
        return E_OUTOFMEMORY;
    dml->api = assay_device_entry(ASSAY_DEVICE_ABI);
    result = dml->api->create_device(&config, &dml->reference, message, sizeof message);
    if (SUCCEEDED(result))
        return standin_give(dml, iid, out);
    standin_release(dml);
    return result;
}

void standin_free_dml(struct standin *object)
{
    struct dml *dml = dml_of(object);
    switch (object->kind) {
    case STANDIN_DML:
        dml->api->destroy_device(dml->reference);
        break;
    case STANDIN_OPERATOR:
        dml->api->destroy_operator(dml->reference, ((struct dml_operator *)object)->op);
        break;
    case STANDIN_COMPILED:
        dml->api->destroy_compiled(dml->reference, ((struct dml_compiled *)object)->compiled);
        break;
    case STANDIN_INITIALISER:
        standin_unuse(((struct dml_initialiser *)object)->compiled);
        break;
    case STANDIN_TABLE:
        forget_table((struct dml_table *)object);
        break;
    default:
        break;
    }
}
