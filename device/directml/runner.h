/* runner.h: compiles, initialises and dispatches operators of DirectML. */
#ifndef RUNNER_H
#define RUNNER_H

#include "device/device.h"
#include "device/directml/gpu.h"
#include "device/directml/operands.h"

enum { RUNNER_ITEMS = 16, RUNNER_STAMPS = 4096 };

struct assay_compiled {
    IDMLCompiledOperator *compiled;
    DML_BINDING_PROPERTIES properties;
    struct gpu_buffer persistent; /* written by initialisation, bound at every dispatch */
    struct operands operands;
};

/* The places of an item's tensors in `memory`. A tensor in place has the place of its output. */
struct runner_places {
    UINT64 inputs[OPERANDS_MAX], outputs[OPERANDS_MAX];
};

struct runner {
    struct gpu *gpu;
    IDMLDevice *dml;
    IDMLCommandRecorder *recorder;
    IDMLBindingTable *table; /* null before the first dispatch */
    ID3D12DescriptorHeap *descriptors;
    UINT descriptor_count, descriptor_bytes;
    ID3D12QueryHeap *stamps;
    struct gpu_buffer stamp_values;
    UINT64 ticks_per_second;
    /* Tensors of a batch: as the host writes them, as operators use them, as the host reads them. */
    struct gpu_buffer upload, memory, readback;
    struct gpu_buffer temporary;
    struct runner_places places[RUNNER_ITEMS];
};

/* Every function that returns an HRESULT returns the error of Direct3D 12 or DirectML (see gpu_result()). */
HRESULT runner_open(struct runner *runner, struct gpu *gpu, IDMLDevice *dml);
void runner_close(struct runner *runner); /* accepts what a failure leaves */

/* Compiles and initialises an operator. Tensors that DirectML owns are zeros: device.h does not give their contents. */
HRESULT runner_compile(struct runner *runner, IDMLOperator *op, const struct operands *operands,
                       DML_EXECUTION_FLAGS flags, assay_compiled **out);
void runner_free(assay_compiled *compiled);

/* Dispatches items; sets all results. Returns an error if the device failed, not if an item did. */
HRESULT runner_dispatch(struct runner *runner, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out);

/* The functions of runner_measure.c: measure() of device.h. */
HRESULT runner_measure(struct runner *runner, const assay_dispatch_item *item, assay_measurement *measurement);

/* ---- for runner_measure.c: the parts of a dispatch */

/* Returns the reason why an item cannot be dispatched; null if it can. */
const char *runner_fault(const assay_dispatch_item *item);

/* Makes room for items, and copies their tensors to `upload`. */
HRESULT runner_prepare(struct runner *runner, const assay_dispatch_item *items, uint32_t count, UINT64 *bytes);

/* Binds an item. Its descriptors begin at `*descriptor`, which becomes that of the next item. */
HRESULT runner_bind(struct runner *runner, const assay_dispatch_item *item, const struct runner_places *places,
                    UINT *descriptor);

/* Begins a list of commands that uses the descriptors. Records a dispatch of the bound item. */
HRESULT runner_begin(struct runner *runner);
HRESULT runner_record(struct runner *runner, const assay_dispatch_item *item);
void runner_stamp(struct runner *runner, UINT number);
void runner_resolve_stamps(struct runner *runner, UINT count);

/* Reads the differences of adjacent stamps in nanoseconds: number 0, 2, 4 … of `count`, or all with `step` 1. */
HRESULT runner_read_stamps(struct runner *runner, UINT count, UINT step, uint64_t *ns);

/* Copies outputs from `readback` to the host. */
HRESULT runner_fetch(struct runner *runner, const assay_dispatch_item *items, uint32_t count, UINT64 bytes);

#endif
