/* call.h: an operator as a call of ONNX Runtime: which node, which shapes, which tensors need another layout or type. */
#ifndef CALL_H
#define CALL_H

#include "device/device.h"
#include "device/onnxruntime/runtime.h"
#include "device/common/descriptor.h"

/* The dimensions of GATHER's output may be more than DimensionCount, with ones in front. */
enum { CALL_MAX_RANK = 2 * DESCRIPTOR_MAX_DIMENSIONS };

/* A tensor as ONNX sees it. */
struct operand {
    struct tensor tensor; /* as DirectML describes it */
    int element_type;     /* ONNXTensorElementDataType */
    size_t rank;
    int64_t sizes[CALL_MAX_RANK];
    size_t bytes; /* packed, of element_type */
};

struct call {
    struct model model;
    uint32_t input_count, output_count;
    struct operand inputs[DESCRIPTOR_MAX_INPUTS], output;
    struct tensor coordinates; /* of NONZERO_COORDINATES, whose output has a size that only the data tells */
};

/* Memory for packed tensors, kept between calls. All zero at first. */
struct scratch {
    struct {
        void *at;
        size_t size;
    } blocks[2 * DESCRIPTOR_MAX_INPUTS + 1];
};

void scratch_free(struct scratch *scratch);

void call_make(const struct descriptor *descriptor, struct call *call);

/* Runs it on the tensors that `item` binds. */
HRESULT call_run(const struct call *call, struct runtime *runtime, struct session *session, struct scratch *scratch,
                 const assay_dispatch_item *item, uint64_t *took, char *message, size_t message_size);

#endif
