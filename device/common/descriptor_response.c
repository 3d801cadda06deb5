/* descriptor_response.c: the rules of LOCAL_RESPONSE_NORMALIZATION, of its gradient and of VALUE_SCALE_2D. */
#include "device/common/descriptor_internal.h"

#include <string.h>

int descriptor_check_response(const struct reader *reader, struct descriptor *d)
{
    int is_gradient = d->type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD;
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC *plain = &d->desc.response;
    const DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC *grad = &d->desc.response_grad;
    if (is_gradient)
        d->response =
            (struct descriptor_response){grad->CrossChannel != 0, grad->LocalSize, grad->Alpha, grad->Beta, grad->Bias};
    else
        d->response = (struct descriptor_response){plain->CrossChannel != 0, plain->LocalSize, plain->Alpha,
                                                   plain->Beta, plain->Bias};
    if (d->response.size == 0)
        return REJECT(reader, "LocalSize is %u; it must be at least 1.", 0u);
    return 1;
}

int descriptor_check_value_scale(const struct reader *reader, struct descriptor *d)
{
    const DML_VALUE_SCALE_2D_OPERATOR_DESC *desc = &d->desc.value_scale;
    uint32_t channels = d->inputs[0].sizes[1];
    if (desc->ChannelCount != 1 && desc->ChannelCount != DESCRIPTOR_MAX_CHANNELS)
        return REJECT(reader, "ChannelCount is %u; it must be 1 or 3.", desc->ChannelCount);
    if (desc->ChannelCount != channels)
        return REJECT(reader, "ChannelCount is %u; InputTensor has %u channels.", desc->ChannelCount, channels);
    if (!desc->Bias)
        return REJECT(reader, "Bias is null; it must have %u numbers.", channels);
    memcpy(d->channel_bias, desc->Bias, channels * sizeof *desc->Bias);
    return 1;
}
