#include "device/directml/gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- errors */

static const struct {
    HRESULT result, as; /* `as`: for device.h */
    const char *name;
} gpu_errors[] = {
    {E_INVALIDARG, E_INVALIDARG, "E_INVALIDARG"},
    {E_OUTOFMEMORY, E_OUTOFMEMORY, "E_OUTOFMEMORY"},
    {E_NOTIMPL, E_FAIL, "E_NOTIMPL"},
    {E_NOINTERFACE, E_FAIL, "E_NOINTERFACE"},
    {DXGI_ERROR_INVALID_CALL, E_FAIL, "DXGI_ERROR_INVALID_CALL"},
    {DXGI_ERROR_UNSUPPORTED, DXGI_ERROR_UNSUPPORTED, "DXGI_ERROR_UNSUPPORTED"},
    {DXGI_ERROR_DEVICE_REMOVED, DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_REMOVED"},
    {DXGI_ERROR_DEVICE_HUNG, DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_HUNG"},
    {DXGI_ERROR_DEVICE_RESET, DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_RESET"},
    {DXGI_ERROR_DRIVER_INTERNAL_ERROR, DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DRIVER_INTERNAL_ERROR"},
    {DXGI_ERROR_SDK_COMPONENT_MISSING, DXGI_ERROR_UNSUPPORTED, "DXGI_ERROR_SDK_COMPONENT_MISSING"},
};
enum { GPU_ERRORS = sizeof gpu_errors / sizeof *gpu_errors };

HRESULT gpu_result(HRESULT result)
{
    if (SUCCEEDED(result))
        return S_OK;
    for (int i = 0; i < GPU_ERRORS; i++)
        if (gpu_errors[i].result == result)
            return gpu_errors[i].as;
    return E_FAIL;
}

const char *gpu_error_name(HRESULT result, char room[16])
{
    for (int i = 0; i < GPU_ERRORS; i++)
        if (gpu_errors[i].result == result)
            return gpu_errors[i].name;
    snprintf(room, 16, "0x%08x", (unsigned)result);
    return room;
}

/* ---- the device */

/* The debug layer must be on before the device is made. */
static HRESULT enable_debug_layer(const struct libraries *libraries)
{
    ID3D12Debug *debug = NULL;
    HRESULT result = libraries->get_debug(&IID_ID3D12Debug, (void **)&debug);
    if (SUCCEEDED(result))
        COM(debug, EnableDebugLayer);
    com_release(debug);
    return result;
}

/* The queue computes only: adapters without graphics have no other. */
static HRESULT make_queue(struct gpu *gpu)
{
    const D3D12_COMMAND_LIST_TYPE type = D3D12_COMMAND_LIST_TYPE_COMPUTE;
    const D3D12_COMMAND_QUEUE_DESC desc = {.Type = type};
    HRESULT result = COM(gpu->device, CreateCommandQueue, &desc, &IID_ID3D12CommandQueue, (void **)&gpu->queue);
    if (SUCCEEDED(result))
        result = COM(gpu->device, CreateCommandAllocator, type, &IID_ID3D12CommandAllocator, (void **)&gpu->allocator);
    if (SUCCEEDED(result))
        result = COM(gpu->device, CreateCommandList, 0, type, gpu->allocator, NULL, &IID_ID3D12GraphicsCommandList,
                     (void **)&gpu->list);
    if (SUCCEEDED(result))
        result = COM(gpu->list, Close); /* a list is made open */
    if (SUCCEEDED(result))
        result = COM(gpu->device, CreateFence, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&gpu->fence);
    return result;
}

HRESULT gpu_open(struct gpu *gpu, const struct libraries *libraries, IUnknown *adapter, D3D_FEATURE_LEVEL level,
                 int validation, char *message, size_t message_size)
{
    char room[16];
    *gpu = (struct gpu){0};
    HRESULT result = validation ? enable_debug_layer(libraries) : S_OK;
    if (FAILED(result)) {
        snprintf(message, message_size, "the debug layer of Direct3D 12 is not there: %s",
                 gpu_error_name(result, room));
        return gpu_result(result);
    }
    result = libraries->create_device(adapter, level, &IID_ID3D12Device, (void **)&gpu->device);
    if (SUCCEEDED(result) && validation)
        result = COM(gpu->device, QueryInterface, &IID_ID3D12InfoQueue, (void **)&gpu->messages);
    if (SUCCEEDED(result))
        result = make_queue(gpu);
    if (FAILED(result))
        snprintf(message, message_size, "Direct3D 12 cannot open the adapter: %s", gpu_error_name(result, room));
    return gpu_result(result);
}

void gpu_close(struct gpu *gpu)
{
    com_release(gpu->fence);
    com_release(gpu->list);
    com_release(gpu->allocator);
    com_release(gpu->queue);
    com_release(gpu->messages);
    com_release(gpu->device);
    *gpu = (struct gpu){0};
}

/* ---- buffers */

HRESULT gpu_reserve(struct gpu *gpu, struct gpu_buffer *buffer, D3D12_HEAP_TYPE heap, UINT64 bytes)
{
    /* Direct3D gives every buffer a multiple of this. */
    const UINT64 unit = D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT;
    const D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    const D3D12_RESOURCE_DESC desc = {
        .Dimension = D3D12_RESOURCE_DIMENSION_BUFFER,
        .Width = (bytes + unit - 1) / unit * unit,
        .Height = 1,
        .DepthOrArraySize = 1,
        .MipLevels = 1,
        .SampleDesc = {.Count = 1},
        .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR,
        .Flags =
            heap == D3D12_HEAP_TYPE_DEFAULT ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS : D3D12_RESOURCE_FLAG_NONE,
    };
    static const D3D12_RESOURCE_STATES states[] = {
        [D3D12_HEAP_TYPE_DEFAULT] = D3D12_RESOURCE_STATE_COMMON,
        [D3D12_HEAP_TYPE_UPLOAD] = D3D12_RESOURCE_STATE_GENERIC_READ,
        [D3D12_HEAP_TYPE_READBACK] = D3D12_RESOURCE_STATE_COPY_DEST,
    };
    if (buffer->bytes >= bytes)
        return S_OK;
    gpu_release(buffer);
    HRESULT result = COM(gpu->device, CreateCommittedResource, &properties, D3D12_HEAP_FLAG_NONE, &desc, states[heap],
                         NULL, &IID_ID3D12Resource, (void **)&buffer->resource);
    if (SUCCEEDED(result))
        buffer->bytes = desc.Width;
    return result;
}

void gpu_release(struct gpu_buffer *buffer)
{
    com_release(buffer->resource);
    *buffer = (struct gpu_buffer){0};
}

/* ---- commands */

HRESULT gpu_begin(struct gpu *gpu)
{
    HRESULT result = COM(gpu->allocator, Reset);
    if (SUCCEEDED(result))
        result = COM(gpu->list, Reset, gpu->allocator, NULL);
    gpu->is_recording = SUCCEEDED(result);
    return result;
}

static HRESULT wait_for_gpu(struct gpu *gpu)
{
    HRESULT result = COM(gpu->queue, Signal, gpu->fence, ++gpu->fence_value);
    if (SUCCEEDED(result))
        result = COM(gpu->fence, SetEventOnCompletion, gpu->fence_value, NULL); /* without an event, it waits itself */
    return result;
}

HRESULT gpu_submit(struct gpu *gpu)
{
    ID3D12CommandList *list = (ID3D12CommandList *)gpu->list;
    gpu->is_recording = 0;
    HRESULT result = COM(gpu->list, Close);
    if (FAILED(result))
        return result;
    COM(gpu->queue, ExecuteCommandLists, 1, &list);
    result = wait_for_gpu(gpu);
    if (FAILED(result))
        wait_for_gpu(gpu); /* the caller releases what the GPU may still use */
    /* The fence of a removed device signals, too. */
    return FAILED(COM(gpu->device, GetDeviceRemovedReason)) ? DXGI_ERROR_DEVICE_REMOVED : result;
}

void gpu_abandon(struct gpu *gpu)
{
    if (gpu->is_recording)
        COM(gpu->list, Close);
    gpu->is_recording = 0;
}

void gpu_transition(struct gpu *gpu, const struct gpu_buffer *buffer, D3D12_RESOURCE_STATES before,
                    D3D12_RESOURCE_STATES after)
{
    const D3D12_RESOURCE_BARRIER barrier = {
        .Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
        .Transition = {buffer->resource, D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES, before, after},
    };
    COM(gpu->list, ResourceBarrier, 1, &barrier);
}

void gpu_wait_for_writes(struct gpu *gpu)
{
    const D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV}; /* of every resource */
    COM(gpu->list, ResourceBarrier, 1, &barrier);
}

/* ---- messages */

/* DirectML tries vendors' kernels that a driver may lack: the layer reports each of them. */
static int is_trouble(const D3D12_MESSAGE *message)
{
    return message->Severity <= D3D12_MESSAGE_SEVERITY_ERROR &&
           message->ID != D3D12_MESSAGE_ID_META_COMMAND_UNSUPPORTED_PARAMS;
}

void gpu_read_messages(struct gpu *gpu)
{
    if (!gpu->messages)
        return;
    UINT64 count = COM(gpu->messages, GetNumStoredMessages);
    for (UINT64 i = 0; i < count && !*gpu->trouble; i++) {
        SIZE_T size = 0;
        COM(gpu->messages, GetMessage, i, NULL, &size);
        D3D12_MESSAGE *message = size ? malloc(size) : NULL;
        if (message && SUCCEEDED(COM(gpu->messages, GetMessage, i, message, &size)) && is_trouble(message))
            snprintf(gpu->trouble, sizeof gpu->trouble, "%.*s", (int)message->DescriptionByteLength,
                     message->pDescription);
        free(message);
    }
    COM(gpu->messages, ClearStoredMessages);
}

void gpu_forget_trouble(struct gpu *gpu)
{
    *gpu->trouble = 0;
}
