/* descriptor_resample.c: the rules of resampling. */
#include "device/common/descriptor_internal.h"

#include <math.h>

int descriptor_check_upsample(const struct reader *reader, struct descriptor *d)
{
    const DML_UPSAMPLE_2D_OPERATOR_DESC *desc = &d->desc.upsample;
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    if (!descriptor_check_within(reader, "InterpolationMode", (uint32_t)desc->InterpolationMode, 0,
                                 DML_INTERPOLATION_MODE_LINEAR))
        return 0;
    d->resampling.is_linear = desc->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR;
    for (uint32_t i = 0; i < input->rank; i++)
        d->lists[0][i] = 1;
    d->lists[0][input->rank - 2] = desc->ScaleSize.Height;
    d->lists[0][input->rank - 1] = desc->ScaleSize.Width;
    for (uint32_t i = 0; i < input->rank; i++) {
        if (d->lists[0][i] == 0)
            return REJECT(reader, "ScaleSize has a %u; both numbers must be at least 1.", 0u);
        if (output->sizes[i] != (uint64_t)input->sizes[i] * d->lists[0][i])
            return REJECT(reader, "OutputTensor.Sizes[%u] is %u; it must be %llu.", i, output->sizes[i],
                          (unsigned long long)input->sizes[i] * d->lists[0][i]);
        d->resampling.scales[i] = d->lists[0][i];
        d->resampling.input_offsets[i] = 0.5;
        d->resampling.output_offsets[i] = -0.5;
    }
    return 1;
}

/* The fields of the description, in which RESAMPLE has no offsets. */
struct resample_fields {
    DML_INTERPOLATION_MODE mode;
    UINT count;
    const FLOAT *scales, *input_offsets, *output_offsets;
};

static struct resample_fields resample_fields_of(const struct descriptor *d)
{
    const DML_RESAMPLE_OPERATOR_DESC *first = &d->desc.resample;
    const DML_RESAMPLE1_OPERATOR_DESC *second = &d->desc.resample1;
    const DML_RESAMPLE2_OPERATOR_DESC *third = &d->desc.resample2;
    switch (d->type) {
    case DML_OPERATOR_RESAMPLE:
        return (struct resample_fields){first->InterpolationMode, first->ScaleCount, first->Scales, NULL, NULL};
    case DML_OPERATOR_RESAMPLE1:
    case DML_OPERATOR_RESAMPLE_GRAD:
        return (struct resample_fields){second->InterpolationMode, second->DimensionCount, second->Scales,
                                        second->InputPixelOffsets, second->OutputPixelOffsets};
    default:
        return (struct resample_fields){third->InterpolationMode, third->DimensionCount, third->Scales,
                                        third->InputPixelOffsets, third->OutputPixelOffsets};
    }
}

/* Returns true if RoundingDirection, a field, decides which element is the nearest. */
static int has_direction(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_RESAMPLE2 || type == DML_OPERATOR_RESAMPLE3 || type == DML_OPERATOR_RESAMPLE_GRAD1;
}

/* Stores the number of a dimension. Returns 0 if it is not finite. */
static int read_finite(const struct reader *reader, const char *field, uint32_t i, FLOAT from, double *to)
{
    *to = from;
    return isfinite(from) || REJECT(reader, "%s[%u] must be finite.", field, i);
}

int descriptor_check_resample(const struct reader *reader, struct descriptor *d)
{
    const struct resample_fields fields = resample_fields_of(d);
    struct descriptor_resampling *r = &d->resampling;
    if (!descriptor_check_within(reader, "InterpolationMode", (uint32_t)fields.mode, 0, DML_INTERPOLATION_MODE_LINEAR))
        return 0;
    r->is_linear = fields.mode == DML_INTERPOLATION_MODE_LINEAR;
    if (has_direction(d->type)) {
        const DML_AXIS_DIRECTION direction = d->desc.resample2.RoundingDirection;
        if (!descriptor_check_within(reader, "RoundingDirection", (uint32_t)direction, 0,
                                     DML_AXIS_DIRECTION_DECREASING))
            return 0;
        r->rounding = direction == DML_AXIS_DIRECTION_INCREASING ? DESCRIPTOR_ROUNDS_UP : DESCRIPTOR_ROUNDS_DOWN;
    }
    if (fields.count != d->inputs[0].rank)
        return REJECT(reader, "The arrays have %u entries; they must have %u, the DimensionCount of the tensors.",
                      fields.count, d->inputs[0].rank);
    if (!fields.scales || (d->type != DML_OPERATOR_RESAMPLE && (!fields.input_offsets || !fields.output_offsets)))
        return REJECT(reader, "%s is null; it must have %u entries.", fields.scales ? "An array of offsets" : "Scales",
                      fields.count);
    for (uint32_t i = 0; i < fields.count; i++) {
        r->input_offsets[i] = 0.5;
        r->output_offsets[i] = -0.5;
        if (!read_finite(reader, "Scales", i, fields.scales[i], &r->scales[i]) ||
            (fields.input_offsets &&
             (!read_finite(reader, "InputPixelOffsets", i, fields.input_offsets[i], &r->input_offsets[i]) ||
              !read_finite(reader, "OutputPixelOffsets", i, fields.output_offsets[i], &r->output_offsets[i]))))
            return 0;
        if (r->scales[i] <= 0)
            return REJECT(reader, "Scales[%u] must be above 0.", i);
    }
    return 1;
}
