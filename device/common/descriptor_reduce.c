/* descriptor_reduce.c: the rules of reductions and of running sums and products that no table has. */
#include "device/common/descriptor_internal.h"

/* Checks that all axes exist, and that no two are the same. The output has size 1 there, and the input's sizes
 * elsewhere. */
static int check_reduced_axes(const struct reader *reader, struct descriptor *d, uint32_t count, const UINT *axes)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    uint32_t reduced = 0;

    if (count == 0)
        return REJECT(reader, "AxisCount is 0; at least one axis is needed.");
    if (count > input->rank)
        return REJECT(reader, "AxisCount is %u; InputTensor has only %u dimensions.", count, input->rank);
    if (!axes)
        return REJECT(reader, "Axes is null; it must have %u entries.", count);
    for (uint32_t i = 0; i < count; i++) {
        if (axes[i] >= input->rank)
            return REJECT(reader, "Axes[%u] is %u; InputTensor has only %u dimensions.", i, axes[i], input->rank);
        if (reduced >> axes[i] & 1)
            return REJECT(reader, "Axes[%u] is %u, like another axis.", i, axes[i]);
        reduced |= 1u << axes[i];
        d->lists[0][i] = axes[i];
    }
    for (uint32_t i = 0; i < input->rank; i++) {
        uint32_t expected = reduced >> i & 1 ? 1 : input->sizes[i];
        if (output->sizes[i] != expected)
            return REJECT(reader, "OutputTensor.Sizes[%u] is %u; it must be %u.", i, output->sizes[i], expected);
    }
    return 1;
}

int descriptor_check_reduce(const struct reader *reader, struct descriptor *d)
{
    const DML_REDUCE_OPERATOR_DESC *desc = &d->desc.reduce;
    if (!descriptor_check_within(reader, "Function", (uint32_t)desc->Function, 0, DML_REDUCE_FUNCTION_SUM_SQUARE))
        return 0;
    return check_reduced_axes(reader, d, desc->AxisCount, desc->Axes);
}

int descriptor_check_arg(const struct reader *reader, struct descriptor *d)
{
    int least = d->type == DML_OPERATOR_ARGMIN;
    uint32_t count = least ? d->desc.argmin.AxisCount : d->desc.argmax.AxisCount;
    const UINT *axes = least ? d->desc.argmin.Axes : d->desc.argmax.Axes;
    DML_AXIS_DIRECTION direction = least ? d->desc.argmin.AxisDirection : d->desc.argmax.AxisDirection;
    return descriptor_check_within(reader, "AxisDirection", (uint32_t)direction, 0, 1) &&
           check_reduced_axes(reader, d, count, axes);
}

int descriptor_check_cumulative(const struct reader *reader, struct descriptor *d)
{
    int sum = d->type == DML_OPERATOR_CUMULATIVE_SUMMATION;
    uint32_t axis = sum ? d->desc.cumulative_sum.Axis : d->desc.cumulative_product.Axis;
    BOOL exclusive = sum ? d->desc.cumulative_sum.HasExclusiveSum : d->desc.cumulative_product.HasExclusiveProduct;
    DML_AXIS_DIRECTION direction =
        sum ? d->desc.cumulative_sum.AxisDirection : d->desc.cumulative_product.AxisDirection;
    return descriptor_check_within(reader, "Axis", axis, 0, d->inputs[0].rank - 1) &&
           descriptor_check_within(reader, "AxisDirection", (uint32_t)direction, 0, 1) &&
           descriptor_check_within(reader, sum ? "HasExclusiveSum" : "HasExclusiveProduct", (uint32_t)exclusive, 0, 1);
}
