/* gpu.h: a Direct3D 12 device with one queue, of whose work the host waits for every submission. */
#ifndef GPU_H
#define GPU_H

#include "device/directml/libraries.h"

struct gpu {
    ID3D12Device *device;
    ID3D12InfoQueue *messages; /* of the debug layer; null without it */
    ID3D12CommandQueue *queue;
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList *list;
    ID3D12Fence *fence;
    UINT64 fence_value;
    int is_recording;
    char trouble[512]; /* the first error of the debug layer since gpu_forget_trouble() */
};

/* Opens a device on `adapter`. gpu_close() accepts what a failure leaves. */
HRESULT gpu_open(struct gpu *gpu, const struct libraries *libraries, IUnknown *adapter, D3D_FEATURE_LEVEL level,
                 int validation, char *message, size_t message_size);
void gpu_close(struct gpu *gpu);

/* A buffer, which grows. `resource` is null if it has 0 bytes. */
struct gpu_buffer {
    ID3D12Resource *resource;
    UINT64 bytes;
};

/* Makes room for `bytes`; contents are lost. The GPU must not use the buffer. A buffer of the default heap can be bound
 * to an operator, and is zero when it is new. */
HRESULT gpu_reserve(struct gpu *gpu, struct gpu_buffer *buffer, D3D12_HEAP_TYPE heap, UINT64 bytes);
void gpu_release(struct gpu_buffer *buffer);

/* Records commands: gpu_begin(), commands, gpu_submit(), which returns when the GPU is done. If recording fails between
 * both, gpu_abandon() ends it. */
HRESULT gpu_begin(struct gpu *gpu);
HRESULT gpu_submit(struct gpu *gpu);
void gpu_abandon(struct gpu *gpu);

/* Records that accesses of `buffer` change from one state to another. */
void gpu_transition(struct gpu *gpu, const struct gpu_buffer *buffer, D3D12_RESOURCE_STATES before,
                    D3D12_RESOURCE_STATES after);

/* Records that later dispatches wait for the writes of earlier ones. */
void gpu_wait_for_writes(struct gpu *gpu);

/* Takes the messages of the debug layer. */
void gpu_read_messages(struct gpu *gpu);
void gpu_forget_trouble(struct gpu *gpu);

/* Returns the result for device.h of an error of Direct3D 12 or DirectML. gpu_error_name() returns the name of an
 * error, or its number in `room`. */
HRESULT gpu_result(HRESULT result);
const char *gpu_error_name(HRESULT result, char room[16]);

#endif
