/* operands.h: the tensors of an operator, in the order in which DirectML and device.h bind them. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "device/dml.h"

enum { OPERANDS_MAX = 64 }; /* inputs or outputs */

struct operand {
    UINT64 bytes;   /* TotalTensorSizeInBytes; 0: the tensor is absent */
    UINT alignment; /* of an offset: a multiple of DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT */
    int is_owned;   /* DML_TENSOR_FLAG_OWNED_BY_DML */
};

struct operands {
    uint32_t input_count, output_count; /* absent tensors count, too */
    struct operand inputs[OPERANDS_MAX], outputs[OPERANDS_MAX];
};

/* Reads the tensors of a description that DirectML has accepted. Returns 0 if the operator is unknown, or if there are
 * too many tensors. */
int operands_read(const DML_OPERATOR_DESC *desc, struct operands *out);

#endif
