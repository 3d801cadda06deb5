/* call.h: an operator as a call of ONNX Runtime: its node, its shapes, and the tensors that need another layout or
 * type. */
#ifndef CALL_H
#define CALL_H

#include "device/device.h"
#include "device/onnxruntime/runtime.h"
#include "device/common/descriptor.h"

/* ONNX's output of GATHER may have more dimensions than DirectML's: leading ones. */
enum { CALL_MAX_RANK = 2 * DESCRIPTOR_MAX_DIMENSIONS, CALL_MAX_CONSTANTS = 4, CALL_MAX_NUMBERS = 64 };

/* A tensor as ONNX sees it. */
struct operand {
    struct tensor tensor; /* DirectML's description */
    int element_type;     /* ONNXTensorElementDataType */
    size_t rank;
    int64_t sizes[CALL_MAX_RANK];
    size_t bytes; /* packed, of element_type */
};

/* An attribute that ONNX has as an input: a tensor of rank 0, or a list of INT64. */
struct constant {
    int element_type;
    size_t rank;
    int64_t count; /* elements of a list */
    size_t bytes;
    _Alignas(8) unsigned char value[8 * CALL_MAX_NUMBERS];
};

struct call {
    struct model model;
    uint32_t input_count, output_count;
    uint32_t constant_count, constants_after; /* constants follow that many of the tensors; 0: all */
    struct constant constants[CALL_MAX_CONSTANTS];
    struct operand inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS];
    struct tensor coordinates; /* output of NONZERO_COORDINATES; the size of ONNX's only output depends on the data */
};

/* Memory for packed tensors, kept between calls. Must be all zero at first. */
struct scratch {
    struct {
        void *at;
        size_t size;
    } blocks[2 * DESCRIPTOR_MAX_INPUTS + DESCRIPTOR_MAX_OUTPUTS];
};

void scratch_free(struct scratch *scratch);

/* Returns true if ONNX has the operator. */
int call_computes(DML_OPERATOR_TYPE type);

/* Fills in `call`. Returns 0, with a sentence in `message`, if ONNX lacks a feature of the description. */
int call_make(const struct descriptor *descriptor, struct call *call, char *message, size_t message_size);

/* Returns the ONNXTensorElementDataType of a data type; 0 if there is none. */
int call_element_type(DML_TENSOR_DATA_TYPE type);

/* Makes an operand of the tensor's last `rank` sizes; the sizes before are 1. */
void call_make_operand(struct operand *operand, const struct tensor *tensor, uint32_t rank);

/* Makes an operand of indices. ONNX's are INT64; INT32, too, in some operators. */
void call_make_indices(struct operand *operand, const struct tensor *tensor, uint32_t rank, int takes_int32);

/* Return memory for the value of another constant: a tensor of rank 0, and a list. */
void *call_add_scalar(struct call *call, DML_TENSOR_DATA_TYPE type);
int64_t *call_add_list(struct call *call, uint32_t count);

/* movement.c: the same functions for operators that are neither element-wise nor normalisations. */
int movement_computes(DML_OPERATOR_TYPE type);
int movement_make(const struct descriptor *descriptor, struct call *call, char *message, size_t message_size);

/* elementwise.c: the same functions for element-wise operators. */
int elementwise_computes(DML_OPERATOR_TYPE type);
int elementwise_make(const struct descriptor *descriptor, struct call *call, char *message, size_t message_size);

/* normalisation.c: the same functions for normalisations. */
int normalisation_computes(DML_OPERATOR_TYPE type);
int normalisation_make(const struct descriptor *descriptor, struct call *call, char *message, size_t message_size);

/* Runs the call on the tensors that `item` binds. `*took`: nanoseconds that ONNX Runtime took. If it fails, `message`
 * has a sentence, mostly ONNX Runtime's own. */
HRESULT call_run(const struct call *call, struct runtime *runtime, struct session *session, struct scratch *scratch,
                 const assay_dispatch_item *item, uint64_t *took, char *message, size_t message_size);

#endif
