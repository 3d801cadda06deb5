/* commands.c: recording commands, submitting them, and waiting for them. Nothing runs before the host waits. */
#include "device/test/standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- recording */

static void forget_commands(struct standin_command *commands, size_t count, long pending)
{
    for (size_t i = 0; i < count; i++) {
        if (commands[i].forget)
            commands[i].forget(&commands[i]);
        for (int j = 0; j < STANDIN_USES; j++) {
            if (!commands[i].uses[j])
                continue;
            commands[i].uses[j]->pending -= pending;
            standin_unuse(commands[i].uses[j]);
        }
    }
}

void standin_free_commands(struct standin_commands *list)
{
    forget_commands(list->commands, list->count, 0);
    free(list->commands);
    if (list->allocator) {
        if (list->allocator->recording == list)
            list->allocator->recording = NULL;
        standin_unuse(list->allocator);
    }
}

static struct standin_commands *open_list(ID3D12GraphicsCommandList *self, const char *method)
{
    struct standin_commands *list = (struct standin_commands *)self;
    if (list->is_open)
        return list;
    standin_trouble(standin_device_of(self), "%s: the list is closed", method);
    return NULL;
}

void standin_record(struct standin_commands *list, const struct standin_command *command)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct standin_command *commands = realloc(list->commands, capacity * sizeof *commands);
        if (!commands)
            abort();
        list->commands = commands;
        list->capacity = capacity;
    }
    list->commands[list->count++] = *command;
    for (int i = 0; i < STANDIN_USES; i++)
        if (command->uses[i])
            standin_use(command->uses[i]);
}

/* ---- what commands do */

void standin_access(struct standin_device *device, struct standin_resource *resource, D3D12_RESOURCE_STATES state,
                    const char *what)
{
    if (resource->is_mapped && resource->heap == D3D12_HEAP_TYPE_READBACK)
        standin_trouble(device, "%s: the host has mapped the buffer", what);
    if (resource->state == D3D12_RESOURCE_STATE_COMMON) /* promoted */
        resource->state = state;
    else if (resource->state != state && (resource->state & state) != state)
        standin_trouble(device, "%s: the buffer is in the state 0x%x, and must be in 0x%x: a barrier is missing", what,
                        (unsigned)resource->state, (unsigned)state);
}

static uint64_t epoch = 1; /* UAV barriers that ran */

void standin_touch(struct standin_device *device, struct standin_resource *resource, UINT64 begin, UINT64 end)
{
    if (resource->dirty_epoch == epoch && begin < resource->dirty_end && resource->dirty_begin < end)
        standin_trouble(device, "a dispatch uses what an earlier one wrote, without a UAV barrier between them");
}

void standin_dirty(struct standin_resource *resource, UINT64 begin, UINT64 end)
{
    if (resource->dirty_epoch != epoch) {
        resource->dirty_begin = begin;
        resource->dirty_end = end;
    }
    resource->dirty_epoch = epoch;
    if (begin < resource->dirty_begin)
        resource->dirty_begin = begin;
    if (end > resource->dirty_end)
        resource->dirty_end = end;
}

static void run_uav_barrier(struct standin_device *device, struct standin_command *command)
{
    (void)device;
    (void)command;
    epoch++;
}

static void run_region_copy(struct standin_device *device, struct standin_command *command)
{
    struct standin_resource *to = (struct standin_resource *)command->uses[0];
    struct standin_resource *from = (struct standin_resource *)command->uses[1];
    standin_access(device, to, D3D12_RESOURCE_STATE_COPY_DEST, "CopyBufferRegion (destination)");
    standin_access(device, from, D3D12_RESOURCE_STATE_COPY_SOURCE, "CopyBufferRegion (source)");
    memcpy(to->memory + command->numbers[0], from->memory + command->numbers[1], command->numbers[2]);
}

static void run_transition(struct standin_device *device, struct standin_command *command)
{
    struct standin_resource *resource = (struct standin_resource *)command->uses[0];
    D3D12_RESOURCE_STATES before = (D3D12_RESOURCE_STATES)command->numbers[0];
    if (resource->state != before)
        standin_trouble(device, "ResourceBarrier: the buffer is in the state 0x%x, not in StateBefore 0x%x",
                        (unsigned)resource->state, (unsigned)before);
    resource->state = (D3D12_RESOURCE_STATES)command->numbers[1];
    resource->dirty_epoch = 0;
}

static void run_stamp(struct standin_device *device, struct standin_command *command)
{
    struct standin_queries *queries = (struct standin_queries *)command->uses[0];
    struct timespec now;
    (void)device;
    clock_gettime(CLOCK_MONOTONIC, &now);
    queries->values[command->numbers[0]] = (UINT64)now.tv_sec * 1000000000u + (UINT64)now.tv_nsec;
    queries->is_ended[command->numbers[0]] = 1;
}

static void run_resolve(struct standin_device *device, struct standin_command *command)
{
    struct standin_queries *queries = (struct standin_queries *)command->uses[0];
    struct standin_resource *to = (struct standin_resource *)command->uses[1];
    UINT64 first = command->numbers[0], count = command->numbers[1];
    standin_access(device, to, D3D12_RESOURCE_STATE_COPY_DEST, "ResolveQueryData");
    for (UINT64 i = first; i < first + count; i++)
        if (!queries->is_ended[i])
            standin_trouble(device, "ResolveQueryData: query %llu has not ended", (unsigned long long)i);
    memcpy(to->memory + command->numbers[2], queries->values + first, count * sizeof *queries->values);
    memset(queries->is_ended + first, 0, count);
}

/* The submitted commands whose effects the host has not waited for. */
struct submission {
    struct standin_command *commands; /* null: a signal */
    size_t count;
    struct standin *allocator, *fence;
    UINT64 value;
};
static struct submission submissions[64];
static size_t submission_count;

/* ---- ID3D12GraphicsCommandList */

STANDIN_UNKNOWN(ID3D12GraphicsCommandList)

static HRESULT list_close(ID3D12GraphicsCommandList *self)
{
    struct standin_device *device = standin_device_of(self);
    struct standin_commands *list = open_list(self, "Close");
    if (!list)
        return E_FAIL;
    list->is_open = 0;
    list->allocator->recording = NULL;
    return standin_injected(device, "Close");
}

static HRESULT list_reset(ID3D12GraphicsCommandList *self, ID3D12CommandAllocator *allocator,
                          ID3D12PipelineState *pipeline)
{
    struct standin_commands *list = (struct standin_commands *)self;
    struct standin_allocator *to = (struct standin_allocator *)allocator;
    struct standin_device *device = standin_device_of(self);
    (void)pipeline;
    HRESULT result = standin_injected(device, "ResetList");
    if (FAILED(result))
        return result;
    if (list->is_open || !standin_is(to, STANDIN_ALLOCATOR) || to->recording || to->type != list->type) {
        standin_trouble(device, "Reset: the list is open, or its allocator is of another type or records another list");
        return E_FAIL;
    }
    forget_commands(list->commands, list->count, 0);
    list->count = 0;
    standin_use(to);
    standin_unuse(list->allocator);
    list->allocator = to;
    to->recording = list;
    list->heap = NULL;
    list->is_open = 1;
    return S_OK;
}

static void list_copy(ID3D12GraphicsCommandList *self, ID3D12Resource *to, UINT64 to_offset, ID3D12Resource *from,
                      UINT64 from_offset, UINT64 bytes)
{
    struct standin_device *device = standin_device_of(self);
    struct standin_commands *list = open_list(self, "CopyBufferRegion");
    struct standin_resource *target = (struct standin_resource *)to, *source = (struct standin_resource *)from;
    if (!list)
        return;
    if (!standin_is(to, STANDIN_RESOURCE) || !standin_is(from, STANDIN_RESOURCE) || to == from ||
        to_offset + bytes > target->bytes || from_offset + bytes > source->bytes) {
        standin_trouble(device, "CopyBufferRegion: the range is not within two different buffers");
        return;
    }
    standin_record(list, &(struct standin_command){.run = run_region_copy,
                                                   .uses = {&target->base, &source->base},
                                                   .numbers = {to_offset, from_offset, bytes}});
}

static void record_barrier(struct standin_commands *list, const D3D12_RESOURCE_BARRIER *barrier)
{
    struct standin_device *device = standin_device_of(list);
    struct standin_resource *resource = (struct standin_resource *)barrier->Transition.pResource;
    D3D12_RESOURCE_STATES before = barrier->Transition.StateBefore, after = barrier->Transition.StateAfter;
    if (barrier->Flags != D3D12_RESOURCE_BARRIER_FLAG_NONE)
        standin_trouble(device, "ResourceBarrier: no test needs split barriers");
    if (barrier->Type == D3D12_RESOURCE_BARRIER_TYPE_UAV && !barrier->UAV.pResource) {
        standin_record(list, &(struct standin_command){.run = run_uav_barrier});
        return;
    }
    if (barrier->Type != D3D12_RESOURCE_BARRIER_TYPE_TRANSITION || !standin_is(resource, STANDIN_RESOURCE) ||
        before == after)
        standin_trouble(device, "ResourceBarrier: a transition needs a resource and two different states");
    else if (resource->heap != D3D12_HEAP_TYPE_DEFAULT)
        standin_trouble(device, "ResourceBarrier: resources of upload and readback heaps keep their state");
    else if (before == D3D12_RESOURCE_STATE_UNORDERED_ACCESS &&
             !(resource->flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS))
        standin_trouble(device, "ResourceBarrier: the resource has no unordered access");
    else
        standin_record(list, &(struct standin_command){.run = run_transition,
                                                       .uses = {&resource->base},
                                                       .numbers = {(UINT64)before, (UINT64)after}});
}

static void list_barrier(ID3D12GraphicsCommandList *self, UINT count, const D3D12_RESOURCE_BARRIER *barriers)
{
    struct standin_commands *list = open_list(self, "ResourceBarrier");
    for (UINT i = 0; i < count && list; i++)
        record_barrier(list, &barriers[i]);
}

static void list_heaps(ID3D12GraphicsCommandList *self, UINT count, ID3D12DescriptorHeap *const *heaps)
{
    struct standin_commands *list = open_list(self, "SetDescriptorHeaps");
    if (!list)
        return;
    if (count != 1 || !standin_is(heaps[0], STANDIN_DESCRIPTORS) ||
        !((struct standin_descriptors *)heaps[0])->is_visible) {
        standin_trouble(standin_device_of(self), "SetDescriptorHeaps: one heap of each type, which shaders see");
        return;
    }
    list->heap = (struct standin_descriptors *)heaps[0];
}

static void list_stamp(ID3D12GraphicsCommandList *self, ID3D12QueryHeap *heap, D3D12_QUERY_TYPE type, UINT number)
{
    struct standin_commands *list = open_list(self, "EndQuery");
    struct standin_queries *queries = (struct standin_queries *)heap;
    if (!list)
        return;
    if (!standin_is(heap, STANDIN_QUERIES) || type != D3D12_QUERY_TYPE_TIMESTAMP || number >= queries->count) {
        standin_trouble(standin_device_of(self), "EndQuery: the heap has no such timestamp");
        return;
    }
    standin_record(list, &(struct standin_command){.run = run_stamp, .uses = {&queries->base}, .numbers = {number}});
}

static void list_resolve(ID3D12GraphicsCommandList *self, ID3D12QueryHeap *heap, D3D12_QUERY_TYPE type, UINT first,
                         UINT count, ID3D12Resource *buffer, UINT64 offset)
{
    struct standin_commands *list = open_list(self, "ResolveQueryData");
    struct standin_queries *queries = (struct standin_queries *)heap;
    struct standin_resource *to = (struct standin_resource *)buffer;
    if (!list)
        return;
    if (!standin_is(heap, STANDIN_QUERIES) || type != D3D12_QUERY_TYPE_TIMESTAMP || first + count > queries->count ||
        !standin_is(buffer, STANDIN_RESOURCE) || offset % 8 || offset + 8ull * count > to->bytes) {
        standin_trouble(standin_device_of(self), "ResolveQueryData: the queries or the 8-byte places are not there");
        return;
    }
    standin_record(list, &(struct standin_command){.run = run_resolve,
                                                   .uses = {&queries->base, &to->base},
                                                   .numbers = {first, count, offset}});
}

const ID3D12GraphicsCommandListVtbl standin_commands_table = {
    STANDIN_UNKNOWN_METHODS(ID3D12GraphicsCommandList),
    .Close = list_close,
    .Reset = list_reset,
    .CopyBufferRegion = list_copy,
    .ResourceBarrier = list_barrier,
    .SetDescriptorHeaps = list_heaps,
    .EndQuery = list_stamp,
    .ResolveQueryData = list_resolve,
};

/* ---- ID3D12CommandAllocator */

STANDIN_UNKNOWN(ID3D12CommandAllocator)

static HRESULT allocator_reset(ID3D12CommandAllocator *self)
{
    struct standin_allocator *allocator = (struct standin_allocator *)self;
    HRESULT result = standin_injected(standin_device_of(self), "ResetAllocator");
    if (FAILED(result))
        return result;
    if (allocator->recording || allocator->base.pending > 0) {
        standin_trouble(standin_device_of(self), "Reset: a list records to the allocator, or the GPU executes one");
        return E_FAIL;
    }
    return S_OK;
}

const ID3D12CommandAllocatorVtbl standin_allocator_table = {
    STANDIN_UNKNOWN_METHODS(ID3D12CommandAllocator),
    .Reset = allocator_reset,
};

/* ---- ID3D12CommandQueue and ID3D12Fence */

static struct submission *next_submission(void)
{
    if (submission_count == sizeof submissions / sizeof *submissions)
        abort(); /* a test that never waits */
    submissions[submission_count] = (struct submission){0};
    return &submissions[submission_count++];
}

static void drop_submissions(const struct standin_device *device);

static HRESULT queue_query(ID3D12CommandQueue *self, REFIID iid, void **out)
{
    return standin_query(self, iid, out);
}

static ULONG queue_add_reference(ID3D12CommandQueue *self)
{
    return standin_add_reference(self);
}

/* Commands that a removed device has not run never run. */
static ULONG queue_release(ID3D12CommandQueue *self)
{
    const struct standin_device *device = standin_device_of(self);
    if (((struct standin *)self)->references == 1 && FAILED(device->removed))
        drop_submissions(device);
    return standin_release(self);
}

static void queue_execute(ID3D12CommandQueue *self, UINT count, ID3D12CommandList *const *lists)
{
    struct standin_commands *list = count == 1 ? (struct standin_commands *)lists[0] : NULL;
    struct standin_device *device = standin_device_of(self);
    if (FAILED(device->removed))
        return;
    if (!standin_is(list, STANDIN_COMMANDS) || list->is_open) {
        standin_trouble(device, "ExecuteCommandLists: the list is open");
        return;
    }
    struct submission *submission = next_submission();
    *submission = (struct submission){list->commands, list->count, &list->allocator->base, NULL, 0};
    standin_use(submission->allocator);
    submission->allocator->pending++;
    for (size_t i = 0; i < list->count; i++)
        for (int j = 0; j < STANDIN_USES && list->commands[i].uses[j]; j++) {
            struct standin *used = list->commands[i].uses[j];
            if (!standin_is(used, used->kind))
                standin_trouble(device, "ExecuteCommandLists: a command uses an object that has been released");
            used->pending++;
        }
    list->commands = NULL; /* a list that is submitted twice would do nothing: no test needs it */
    list->count = list->capacity = 0;
}

static HRESULT queue_signal(ID3D12CommandQueue *self, ID3D12Fence *fence, UINT64 value)
{
    HRESULT result = standin_injected(standin_device_of(self), "Signal");
    if (FAILED(result))
        return result;
    struct submission *submission = next_submission();
    submission->fence = (struct standin *)fence;
    submission->value = value;
    standin_use(fence);
    return S_OK;
}

static HRESULT queue_frequency(ID3D12CommandQueue *self, UINT64 *frequency)
{
    HRESULT result = standin_injected(standin_device_of(self), "GetTimestampFrequency");
    *frequency = 1000000000u;
    return result;
}

const ID3D12CommandQueueVtbl standin_queue_table = {
    .QueryInterface = queue_query,
    .AddRef = queue_add_reference,
    .Release = queue_release,
    .ExecuteCommandLists = queue_execute,
    .Signal = queue_signal,
    .GetTimestampFrequency = queue_frequency,
};

STANDIN_UNKNOWN(ID3D12Fence)

static UINT64 *fence_value(struct standin *fence)
{
    return (UINT64 *)(fence + 1);
}

/* A buffer is in the state COMMON again, and its writes are done, when its commands are. */
static void decay(struct standin *object)
{
    struct standin_resource *resource = (struct standin_resource *)object;
    if (!object || object->kind != STANDIN_RESOURCE)
        return;
    resource->dirty_epoch = 0;
    if (resource->heap == D3D12_HEAP_TYPE_DEFAULT)
        resource->state = D3D12_RESOURCE_STATE_COMMON;
}

/* Ends submission number `number`, which has run or never will. */
static void end_submission(size_t number)
{
    struct submission *ended = &submissions[number];
    forget_commands(ended->commands, ended->count, 1);
    free(ended->commands);
    if (ended->allocator) {
        ended->allocator->pending--;
        standin_unuse(ended->allocator);
    }
    if (ended->fence)
        standin_unuse(ended->fence);
    submission_count--;
    memmove(ended, ended + 1, (submission_count - number) * sizeof *submissions);
}

static void drop_submissions(const struct standin_device *device)
{
    for (size_t i = submission_count; i-- > 0;) {
        void *of = submissions[i].fence ? submissions[i].fence : submissions[i].allocator;
        if (standin_device_of(of) == device)
            end_submission(i);
    }
}

static void run_oldest(void)
{
    struct submission *oldest = &submissions[0];
    struct standin_device *device = standin_device_of(oldest->fence ? oldest->fence : oldest->allocator);
    for (size_t i = 0; i < oldest->count && SUCCEEDED(device->removed); i++)
        oldest->commands[i].run(device, &oldest->commands[i]);
    for (size_t i = 0; i < oldest->count; i++)
        for (int j = 0; j < STANDIN_USES; j++)
            decay(oldest->commands[i].uses[j]);
    if (oldest->fence)
        *fence_value(oldest->fence) = oldest->value;
    end_submission(0);
}

static HRESULT fence_wait(ID3D12Fence *self, UINT64 value, HANDLE event)
{
    struct standin *fence = (struct standin *)self;
    struct standin_device *device = standin_device_of(self);
    HRESULT result = standin_injected(device, "SetEventOnCompletion");
    if (FAILED(result))
        return result;
    if (event)
        return E_INVALIDARG; /* no test needs it */
    while (*fence_value(fence) < value && submission_count > 0)
        run_oldest();
    if (FAILED(device->removed))
        *fence_value(fence) = UINT64_MAX;
    if (*fence_value(fence) >= value)
        return S_OK;
    standin_trouble(device, "SetEventOnCompletion: nobody signals the fence");
    return E_FAIL;
}

static UINT64 fence_completed(ID3D12Fence *self)
{
    return *fence_value((struct standin *)self);
}

const ID3D12FenceVtbl standin_fence_table = {
    STANDIN_UNKNOWN_METHODS(ID3D12Fence),
    .SetEventOnCompletion = fence_wait,
    .GetCompletedValue = fence_completed,
};
