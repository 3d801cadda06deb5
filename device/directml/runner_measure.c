#include "device/directml/runner.h"

#include <time.h>

static uint64_t measure_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Copies all tensors to the GPU's memory, or back. Between submissions a buffer is in the state COMMON again. */
static HRESULT transfer_all(struct runner *runner, const struct gpu_buffer *to, const struct gpu_buffer *from,
                            UINT64 bytes)
{
    HRESULT result = gpu_begin(runner->gpu);
    if (FAILED(result))
        return result;
    COM(runner->gpu->list, CopyBufferRegion, to->resource, 0, from->resource, 0, bytes);
    return gpu_submit(runner->gpu);
}

static HRESULT run_repeatedly(struct runner *runner, const assay_dispatch_item *item, uint32_t count)
{
    UINT descriptor = 0;
    HRESULT result = runner_begin(runner);
    if (SUCCEEDED(result))
        result = runner_bind(runner, item, &runner->places[0], &descriptor);
    if (FAILED(result))
        return result;
    runner_stamp(runner, 0);
    for (uint32_t i = 0; i < count && SUCCEEDED(result); i++) {
        result = runner_record(runner, item);
        gpu_wait_for_writes(runner->gpu);
        runner_stamp(runner, i + 1);
    }
    if (FAILED(result))
        return result;
    runner_resolve_stamps(runner, count + 1);
    return gpu_submit(runner->gpu);
}

HRESULT runner_measure(struct runner *runner, const assay_dispatch_item *item, assay_measurement *measurement)
{
    UINT64 bytes;
    if (measurement->count >= RUNNER_STAMPS)
        return DXGI_ERROR_UNSUPPORTED;
    HRESULT result = runner_prepare(runner, item, 1, &bytes);
    if (SUCCEEDED(result))
        result = transfer_all(runner, &runner->memory, &runner->upload, bytes);
    measurement->host_ns = measure_clock_ns();
    if (SUCCEEDED(result))
        result = run_repeatedly(runner, item, measurement->count);
    measurement->host_ns = measure_clock_ns() - measurement->host_ns;
    if (SUCCEEDED(result))
        result = transfer_all(runner, &runner->readback, &runner->memory, bytes);
    gpu_abandon(runner->gpu);
    if (SUCCEEDED(result))
        result = runner_fetch(runner, item, 1, bytes);
    if (SUCCEEDED(result) && runner->ticks_per_second)
        result = runner_read_stamps(runner, measurement->count + 1, 1, measurement->device_ns);
    return result;
}
