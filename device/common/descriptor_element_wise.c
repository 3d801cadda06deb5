/* descriptor_element_wise.c: the rules of element-wise operators that no table has. */
#include "device/common/descriptor_internal.h"

int descriptor_check_nothing(const struct reader *reader, struct descriptor *d)
{
    (void)reader, (void)d;
    return 1;
}

int descriptor_check_round(const struct reader *reader, struct descriptor *d)
{
    return descriptor_check_within(reader, "RoundingMode", (uint32_t)d->desc.round.RoundingMode, 0, 2);
}

int descriptor_check_is_infinity(const struct reader *reader, struct descriptor *d)
{
    return descriptor_check_within(reader, "InfinityMode", (uint32_t)d->desc.is_infinity.InfinityMode, 0, 2);
}

static DML_TENSOR_DATA_TYPE scalar_type(const struct descriptor *d)
{
    switch ((int)d->type) {
    case DML_OPERATOR_ELEMENT_WISE_CLIP1:
        return d->desc.clip1.MinMaxDataType;
    case DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1:
        return d->desc.clip_grad1.MinMaxDataType;
    case DML_OPERATOR_FILL_VALUE_SEQUENCE:
        return d->desc.fill_sequence.ValueDataType;
    default:
        return d->desc.fill_constant.ValueDataType;
    }
}

int descriptor_check_scalar_type(const struct reader *reader, struct descriptor *d)
{
    uint32_t type = (uint32_t)scalar_type(d);
    if (type == (uint32_t)d->outputs[0].type)
        return 1;
    return REJECT(reader, "The data type of the attributes is %s; it must be the output's %s.",
                  descriptor_text_of_type(reader, type), descriptor_types[d->outputs[0].type].name);
}
