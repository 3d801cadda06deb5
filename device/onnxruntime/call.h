/* call.h: an operator as a call of ONNX Runtime: its node, its shapes, and which tensors need another layout or
 * type. */
#ifndef CALL_H
#define CALL_H

#include "device/device.h"
#include "device/onnxruntime/runtime.h"
#include "device/common/descriptor.h"

/* ONNX's output of GATHER may have more dimensions than DirectML's, with leading ones. */
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
    struct tensor coordinates; /* of NONZERO_COORDINATES; the size of ONNX's output depends on the data */
};

/* Memory for packed tensors, kept between calls. Must be all zero at first. */
struct scratch {
    struct {
        void *at;
        size_t size;
    } blocks[2 * DESCRIPTOR_MAX_INPUTS + 1];
};

void scratch_free(struct scratch *scratch);

/* Fills in `call`. */
void call_make(const struct descriptor *descriptor, struct call *call);

/* Runs the call on the tensors that `item` binds. `*took`: nanoseconds that ONNX Runtime took. If it fails, `message`
 * has a sentence, mostly ONNX Runtime's own. */
HRESULT call_run(const struct call *call, struct runtime *runtime, struct session *session, struct scratch *scratch,
                 const assay_dispatch_item *item, uint64_t *took, char *message, size_t message_size);

#endif
