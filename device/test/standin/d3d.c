/* d3d.c: the device of Direct3D 12 and the objects that hold memory. */
#include "device/test/standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ASSAY_SANITIZED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

static int has_debug_layer;  /* EnableDebugLayer() was called */
static long devices;         /* that have not been freed */
static uint64_t next_handle; /* of the next descriptor heap */

/* ---- ID3D12Resource */

STANDIN_UNKNOWN(ID3D12Resource)

static HRESULT resource_map(ID3D12Resource *self, UINT subresource, const D3D12_RANGE *range, void **out)
{
    struct standin_resource *resource = (struct standin_resource *)self;
    struct standin_device *device = standin_device_of(self);
    HRESULT result = standin_injected(device, "Map");
    if (FAILED(result))
        return result;
    if (resource->heap == D3D12_HEAP_TYPE_DEFAULT || subresource != 0) {
        standin_trouble(device, "Map: a buffer of the default heap cannot be mapped, and a buffer has one subresource");
        return E_INVALIDARG;
    }
    if (resource->base.pending > 0)
        standin_trouble(device, "Map: the GPU has not finished with the buffer; no fence was waited for");
    if (range && (range->End < range->Begin || range->End > resource->bytes))
        standin_trouble(device, "Map: the range ends behind the buffer");
    resource->is_mapped = 1;
    *out = resource->memory;
    return S_OK;
}

static void resource_unmap(ID3D12Resource *self, UINT subresource, const D3D12_RANGE *range)
{
    struct standin_resource *resource = (struct standin_resource *)self;
    (void)subresource;
    if (!resource->is_mapped)
        standin_trouble(standin_device_of(self), "Unmap: the buffer is not mapped");
    if (resource->heap == D3D12_HEAP_TYPE_READBACK && (!range || range->End != range->Begin))
        standin_trouble(standin_device_of(self), "Unmap: the host cannot write to a buffer of the readback heap");
    resource->is_mapped = 0;
}

static const ID3D12ResourceVtbl resource_table = {
    STANDIN_UNKNOWN_METHODS(ID3D12Resource),
    .Map = resource_map,
    .Unmap = resource_unmap,
};

static void free_resource(struct standin_resource *resource)
{
    if (resource->memory) {
        size_t begin = (size_t)(resource->memory - resource->allocation);
        ASAN_UNPOISON_MEMORY_REGION(resource->memory + resource->bytes,
                                    D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT - begin);
    }
    free(resource->allocation);
}

/* Returns what is wrong with the description of a buffer; null: nothing. */
static const char *buffer_fault(const D3D12_HEAP_PROPERTIES *heap, const D3D12_RESOURCE_DESC *desc,
                                D3D12_RESOURCE_STATES state)
{
    if (desc->Dimension != D3D12_RESOURCE_DIMENSION_BUFFER || desc->Height != 1 || desc->DepthOrArraySize != 1 ||
        desc->MipLevels != 1 || desc->Format != DXGI_FORMAT_UNKNOWN || desc->SampleDesc.Count != 1 ||
        desc->SampleDesc.Quality != 0 || desc->Layout != D3D12_TEXTURE_LAYOUT_ROW_MAJOR)
        return "a buffer has height, depth, mip levels and sample count 1, no format, and row-major layout";
    if (desc->Width == 0)
        return "a buffer has at least one byte";
    if (desc->Alignment != 0 && desc->Alignment != D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT)
        return "a buffer is aligned to 64 KiB";
    if (heap->CPUPageProperty != D3D12_CPU_PAGE_PROPERTY_UNKNOWN ||
        heap->MemoryPoolPreference != D3D12_MEMORY_POOL_UNKNOWN)
        return "only custom heaps have a page property and a memory pool";
    if (heap->Type == D3D12_HEAP_TYPE_UPLOAD && state != D3D12_RESOURCE_STATE_GENERIC_READ)
        return "a resource of the upload heap starts in the state GENERIC_READ";
    if (heap->Type == D3D12_HEAP_TYPE_READBACK && state != D3D12_RESOURCE_STATE_COPY_DEST)
        return "a resource of the readback heap starts in the state COPY_DEST";
    if (heap->Type == D3D12_HEAP_TYPE_DEFAULT && state != D3D12_RESOURCE_STATE_COMMON)
        return "a buffer of the default heap starts in the state COMMON";
    if (heap->Type != D3D12_HEAP_TYPE_DEFAULT && (desc->Flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS))
        return "upload and readback heaps have no unordered access";
    return NULL;
}

static HRESULT device_buffer(ID3D12Device *self, const D3D12_HEAP_PROPERTIES *heap, D3D12_HEAP_FLAGS heap_flags,
                             const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES state,
                             const D3D12_CLEAR_VALUE *clear, REFIID iid, void **out)
{
    struct standin_device *device = (struct standin_device *)self;
    *out = NULL;
    HRESULT result = standin_injected(device, "CreateCommittedResource");
    if (FAILED(result))
        return result;
    const char *fault = clear || heap_flags != D3D12_HEAP_FLAG_NONE ? "a buffer has no clear value and no heap flags"
                                                                    : buffer_fault(heap, desc, state);
    if (fault) {
        standin_trouble(device, "CreateCommittedResource: %s", fault);
        return E_INVALIDARG;
    }
    const uint64_t unit = D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT;
    if (desc->Width > STANDIN_LARGEST_BUFFER)
        return E_OUTOFMEMORY;
    struct standin_resource *resource = standin_make(sizeof *resource, STANDIN_RESOURCE, &resource_table, device);
    if (!resource)
        return E_OUTOFMEMORY;
    /* A new buffer is zero, and a sanitizer sees its end. */
    resource->allocation = calloc(1, desc->Width + unit);
    if (!resource->allocation) {
        standin_release(resource);
        return E_OUTOFMEMORY;
    }
    size_t begin = (unit - (uintptr_t)resource->allocation % unit) % unit;
    resource->memory = resource->allocation + begin;
    ASAN_POISON_MEMORY_REGION(resource->memory + desc->Width, unit - begin);
    resource->heap = heap->Type;
    resource->flags = desc->Flags;
    resource->state = state;
    resource->bytes = desc->Width;
    return standin_give(resource, iid, out);
}

/* ---- ID3D12DescriptorHeap */

STANDIN_UNKNOWN(ID3D12DescriptorHeap)

/* Handles are numbers that are no addresses: nobody may read through them. */
static struct standin_descriptors *all_descriptors[16];

static D3D12_CPU_DESCRIPTOR_HANDLE descriptors_cpu(ID3D12DescriptorHeap *self)
{
    return (D3D12_CPU_DESCRIPTOR_HANDLE){((struct standin_descriptors *)self)->handle};
}

static D3D12_GPU_DESCRIPTOR_HANDLE descriptors_gpu(ID3D12DescriptorHeap *self)
{
    struct standin_descriptors *heap = (struct standin_descriptors *)self;
    if (!heap->is_visible)
        standin_trouble(standin_device_of(self), "a heap that shaders do not see has no handle of the GPU");
    return (D3D12_GPU_DESCRIPTOR_HANDLE){heap->handle};
}

static const ID3D12DescriptorHeapVtbl descriptors_table = {
    STANDIN_UNKNOWN_METHODS(ID3D12DescriptorHeap),
    .GetCPUDescriptorHandleForHeapStart = descriptors_cpu,
    .GetGPUDescriptorHandleForHeapStart = descriptors_gpu,
};

struct standin_descriptors *standin_find_descriptors(uint64_t handle, UINT *number)
{
    for (size_t i = 0; i < sizeof all_descriptors / sizeof *all_descriptors; i++) {
        struct standin_descriptors *heap = all_descriptors[i];
        if (heap && handle >= heap->handle && (handle - heap->handle) % STANDIN_DESCRIPTOR_BYTES == 0 &&
            (handle - heap->handle) / STANDIN_DESCRIPTOR_BYTES < heap->count) {
            *number = (UINT)((handle - heap->handle) / STANDIN_DESCRIPTOR_BYTES);
            return heap;
        }
    }
    return NULL;
}

static UINT device_descriptor_bytes(ID3D12Device *self, D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    (void)self;
    return type == D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV ? STANDIN_DESCRIPTOR_BYTES : 1;
}

static HRESULT device_descriptors(ID3D12Device *self, const D3D12_DESCRIPTOR_HEAP_DESC *desc, REFIID iid, void **out)
{
    struct standin_device *device = (struct standin_device *)self;
    size_t place = 0;
    *out = NULL;
    HRESULT result = standin_injected(device, "CreateDescriptorHeap");
    if (FAILED(result))
        return result;
    while (place < sizeof all_descriptors / sizeof *all_descriptors && all_descriptors[place])
        place++;
    if (desc->NumDescriptors == 0 || place == sizeof all_descriptors / sizeof *all_descriptors)
        return E_INVALIDARG;
    struct standin_descriptors *heap = standin_make(sizeof *heap, STANDIN_DESCRIPTORS, &descriptors_table, device);
    if (!heap)
        return E_OUTOFMEMORY;
    heap->generations = calloc(desc->NumDescriptors, sizeof *heap->generations);
    heap->count = heap->generations ? desc->NumDescriptors : 0;
    heap->is_visible = (desc->Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE) != 0;
    heap->handle = ++next_handle << 32;
    all_descriptors[place] = heap;
    return standin_give(heap, iid, out);
}

/* ---- ID3D12QueryHeap */

STANDIN_UNKNOWN(ID3D12QueryHeap)

static const ID3D12QueryHeapVtbl queries_table = {STANDIN_UNKNOWN_METHODS(ID3D12QueryHeap)};

static HRESULT device_queries(ID3D12Device *self, const D3D12_QUERY_HEAP_DESC *desc, REFIID iid, void **out)
{
    struct standin_device *device = (struct standin_device *)self;
    *out = NULL;
    HRESULT result = standin_injected(device, "CreateQueryHeap");
    if (FAILED(result))
        return result;
    if (desc->Type != D3D12_QUERY_HEAP_TYPE_TIMESTAMP || desc->Count == 0)
        return E_INVALIDARG;
    struct standin_queries *queries = standin_make(sizeof *queries, STANDIN_QUERIES, &queries_table, device);
    if (!queries)
        return E_OUTOFMEMORY;
    queries->values = calloc(desc->Count, sizeof *queries->values);
    queries->is_ended = calloc(desc->Count, 1);
    queries->count = queries->values && queries->is_ended ? desc->Count : 0;
    return standin_give(queries, iid, out);
}

/* ---- ID3D12InfoQueue: an object of its own, which belongs to the device */

STANDIN_UNKNOWN(ID3D12InfoQueue)

static UINT64 messages_count(ID3D12InfoQueue *self)
{
    return standin_device_of(self)->message_count;
}

static HRESULT messages_get(ID3D12InfoQueue *self, UINT64 number, D3D12_MESSAGE *message, SIZE_T *size)
{
    struct standin_device *device = standin_device_of(self);
    if (number >= device->message_count)
        return E_INVALIDARG;
    size_t length = strlen(device->messages[number]) + 1;
    if (!message) {
        *size = sizeof *message + length;
        return S_OK;
    }
    if (*size < sizeof *message + length)
        return E_INVALIDARG;
    *message = (D3D12_MESSAGE){.Severity = D3D12_MESSAGE_SEVERITY_ERROR,
                               .pDescription = memcpy(message + 1, device->messages[number], length),
                               .DescriptionByteLength = length};
    return S_OK;
}

static void messages_clear(ID3D12InfoQueue *self)
{
    standin_device_of(self)->message_count = 0;
}

static const ID3D12InfoQueueVtbl messages_table = {
    STANDIN_UNKNOWN_METHODS(ID3D12InfoQueue),
    .GetNumStoredMessages = messages_count,
    .GetMessage = messages_get,
    .ClearStoredMessages = messages_clear,
};

/* ---- ID3D12Device */

static HRESULT device_query(ID3D12Device *self, REFIID iid, void **out)
{
    struct standin_device *device = (struct standin_device *)self;
    if (device->has_debug_layer && memcmp(iid, &IID_ID3D12InfoQueue, sizeof *iid) == 0)
        return standin_give(standin_make(sizeof(struct standin), STANDIN_MESSAGES, &messages_table, device), iid, out);
    return standin_query(self, iid, out);
}

static ULONG device_add_reference(ID3D12Device *self)
{
    return standin_add_reference(self);
}

static ULONG device_release(ID3D12Device *self)
{
    return standin_release(self);
}

static HRESULT device_queue(ID3D12Device *self, const D3D12_COMMAND_QUEUE_DESC *desc, REFIID iid, void **out)
{
    HRESULT result = standin_injected((struct standin_device *)self, "CreateCommandQueue");
    *out = NULL;
    if (FAILED(result))
        return result;
    if (desc->Type != D3D12_COMMAND_LIST_TYPE_COMPUTE)
        return E_INVALIDARG; /* the second adapter has no other queue */
    return standin_give(standin_make(sizeof(struct standin), STANDIN_QUEUE, &standin_queue_table, self), iid, out);
}

static HRESULT device_allocator(ID3D12Device *self, D3D12_COMMAND_LIST_TYPE type, REFIID iid, void **out)
{
    HRESULT result = standin_injected((struct standin_device *)self, "CreateCommandAllocator");
    *out = NULL;
    if (FAILED(result))
        return result;
    struct standin_allocator *allocator =
        standin_make(sizeof *allocator, STANDIN_ALLOCATOR, &standin_allocator_table, self);
    if (allocator)
        allocator->type = type;
    return standin_give(allocator, iid, out);
}

static HRESULT device_list(ID3D12Device *self, UINT node, D3D12_COMMAND_LIST_TYPE type,
                           ID3D12CommandAllocator *allocator, ID3D12PipelineState *pipeline, REFIID iid, void **out)
{
    struct standin_device *device = (struct standin_device *)self;
    struct standin_allocator *to = (struct standin_allocator *)allocator;
    *out = NULL;
    (void)pipeline;
    HRESULT result = standin_injected(device, "CreateCommandList");
    if (FAILED(result))
        return result;
    if (node > 1 || !standin_is(allocator, STANDIN_ALLOCATOR) || to->type != type || to->recording) {
        standin_trouble(device, "CreateCommandList: the allocator is of another type, or records another list");
        return E_INVALIDARG;
    }
    struct standin_commands *list = standin_make(sizeof *list, STANDIN_COMMANDS, &standin_commands_table, device);
    if (!list)
        return E_OUTOFMEMORY;
    list->is_open = 1;
    list->type = type;
    list->allocator = to;
    to->recording = list;
    standin_use(to);
    return standin_give(list, iid, out);
}

static HRESULT device_fence(ID3D12Device *self, UINT64 value, D3D12_FENCE_FLAGS flags, REFIID iid, void **out)
{
    HRESULT result = standin_injected((struct standin_device *)self, "CreateFence");
    *out = NULL;
    if (FAILED(result))
        return result;
    if (value != 0 || flags != D3D12_FENCE_FLAG_NONE)
        return E_INVALIDARG; /* allowed, but no test needs it */
    struct standin *fence =
        standin_make(sizeof(struct standin) + sizeof(UINT64), STANDIN_FENCE, &standin_fence_table, self);
    return standin_give(fence, iid, out);
}

static HRESULT device_removed_reason(ID3D12Device *self)
{
    return ((struct standin_device *)self)->removed;
}

static const ID3D12DeviceVtbl device_table = {
    .QueryInterface = device_query,
    .AddRef = device_add_reference,
    .Release = device_release,
    .CreateCommandQueue = device_queue,
    .CreateCommandAllocator = device_allocator,
    .CreateCommandList = device_list,
    .CreateDescriptorHeap = device_descriptors,
    .GetDescriptorHandleIncrementSize = device_descriptor_bytes,
    .CreateCommittedResource = device_buffer,
    .CreateFence = device_fence,
    .CreateQueryHeap = device_queries,
    .GetDeviceRemovedReason = device_removed_reason,
};

STANDIN_EXPORT HRESULT D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **out);
HRESULT D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **out)
{
    HRESULT result = standin_injected(NULL, "D3D12CreateDevice");
    *out = NULL;
    if (FAILED(result))
        return result;
    if (!standin_is(adapter, STANDIN_ADAPTER))
        return E_INVALIDARG;
    bool has_graphics = COM((IDXCoreAdapter *)adapter, IsAttributeSupported, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS);
    if (!has_graphics && level != D3D_FEATURE_LEVEL_1_0_CORE)
        return DXGI_ERROR_UNSUPPORTED;
    struct standin_device *device = standin_make(sizeof *device, STANDIN_DEVICE, &device_table, NULL);
    if (device) {
        device->has_debug_layer = has_debug_layer;
        devices++;
    }
    return standin_give(device, iid, out);
}

/* ---- ID3D12Debug */

STANDIN_UNKNOWN(ID3D12Debug)

static void debug_enable(ID3D12Debug *self)
{
    (void)self;
    if (devices > 0 && !has_debug_layer)
        standin_trouble(NULL, "EnableDebugLayer: devices that exist are removed");
    has_debug_layer = 1;
}

static const ID3D12DebugVtbl debug_table = {STANDIN_UNKNOWN_METHODS(ID3D12Debug), .EnableDebugLayer = debug_enable};

STANDIN_EXPORT HRESULT D3D12GetDebugInterface(REFIID iid, void **out);
HRESULT D3D12GetDebugInterface(REFIID iid, void **out)
{
    HRESULT result = standin_injected(NULL, "D3D12GetDebugInterface");
    *out = NULL;
    if (FAILED(result))
        return result;
    return standin_give(standin_make(sizeof(struct standin), STANDIN_DEBUG, &debug_table, NULL), iid, out);
}

/* ---- freeing */

void standin_free_d3d(struct standin *object)
{
    switch (object->kind) {
    case STANDIN_DEVICE:
        devices--;
        has_debug_layer = has_debug_layer && devices > 0; /* so that a test can open a device without it */
        break;
    case STANDIN_RESOURCE:
        free_resource((struct standin_resource *)object);
        break;
    case STANDIN_DESCRIPTORS:
        for (size_t i = 0; i < sizeof all_descriptors / sizeof *all_descriptors; i++)
            if (all_descriptors[i] == (struct standin_descriptors *)object)
                all_descriptors[i] = NULL;
        free(((struct standin_descriptors *)object)->generations);
        break;
    case STANDIN_QUERIES:
        free(((struct standin_queries *)object)->values);
        free(((struct standin_queries *)object)->is_ended);
        break;
    case STANDIN_COMMANDS:
        standin_free_commands((struct standin_commands *)object);
        break;
    default:
        break;
    }
}
