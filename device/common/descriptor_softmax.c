/* descriptor_softmax.c: the rules of SOFTMAX and its relatives that no table has, and which relative an operator is. */
#include "device/common/descriptor_internal.h"

enum descriptor_softmax descriptor_softmax_of(DML_OPERATOR_TYPE type)
{
    switch ((int)type) {
    case DML_OPERATOR_ACTIVATION_SOFTMAX:
    case DML_OPERATOR_ACTIVATION_SOFTMAX1:
        return SOFTMAX_PART;
    case DML_OPERATOR_ACTIVATION_LOG_SOFTMAX:
    case DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1:
        return SOFTMAX_LOGARITHM;
    case DML_OPERATOR_ACTIVATION_HARDMAX:
    case DML_OPERATOR_ACTIVATION_HARDMAX1:
        return SOFTMAX_FIRST;
    default:
        return SOFTMAX_NONE;
    }
}

/* Checks that all sizes but the last two are 1. */
int descriptor_check_softmax(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0];
    for (uint32_t i = 0; i + 2 < input->rank; i++)
        if (input->sizes[i] != 1)
            return REJECT(reader, "InputTensor.Sizes[%u] is %u; all but the last two sizes must be 1.", i,
                          input->sizes[i]);
    d->slice_dimensions = 1u << (input->rank - 1);
    return 1;
}

/* Checks that all axes exist, and that no two are the same. */
int descriptor_check_softmax_axes(const struct reader *reader, struct descriptor *d)
{
    uint32_t rank = d->inputs[0].rank, count = d->desc.softmax1.AxisCount;
    const UINT *axes = d->desc.softmax1.Axes;

    if (count < 1 || count > rank)
        return REJECT(reader, "AxisCount is %u; it must be from 1 to %u, the dimensions of InputTensor.", count, rank);
    if (!axes)
        return REJECT(reader, "Axes is null; it must have %u entries.", count);
    for (uint32_t i = 0; i < count; i++) {
        if (axes[i] >= rank)
            return REJECT(reader, "Axes[%u] is %u; InputTensor has only %u dimensions.", i, axes[i], rank);
        if (d->slice_dimensions >> axes[i] & 1)
            return REJECT(reader, "Axes[%u] is %u, like another axis.", i, axes[i]);
        d->slice_dimensions |= 1u << axes[i];
    }
    return 1;
}
