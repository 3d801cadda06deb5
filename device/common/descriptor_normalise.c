/* descriptor_normalise.c: the rules of normalisations that no table has. */
#include "device/common/descriptor_internal.h"

/* Checks that each size of the tensor is 1 or InputTensor's. An absent tensor passes. */
static int check_broadcast(const struct reader *reader, const char *name, const struct tensor *tensor,
                           const struct tensor *input)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (tensor->sizes[i] != 1 && tensor->sizes[i] != input->sizes[i])
            return REJECT(reader, "%s.Sizes[%u] is %u; it must be 1 or InputTensor's %u.", name, i, tensor->sizes[i],
                          input->sizes[i]);
    return 1;
}

/* ---- MEAN_VARIANCE_NORMALIZATION and its successors */

/* Checks Axes, which may be empty: then each element is a slice by itself. */
static int check_slice_axes(const struct reader *reader, struct descriptor *d, uint32_t count, const UINT *axes)
{
    const uint32_t rank = d->inputs[0].rank;
    uint32_t seen = 0;
    if (count > rank)
        return REJECT(reader, "AxisCount is %u; InputTensor has only %u dimensions.", count, rank);
    if (count > 0 && !axes)
        return REJECT(reader, "Axes is null; it must have %u entries.", count);
    for (uint32_t i = 0; i < count; i++) {
        if (axes[i] >= rank)
            return REJECT(reader, "Axes[%u] is %u; InputTensor has only %u dimensions.", i, axes[i], rank);
        if (seen >> axes[i] & 1)
            return REJECT(reader, "Axes[%u] is %u, like another axis.", i, axes[i]);
        seen |= 1u << axes[i];
        d->lists[0][i] = axes[i];
    }
    return 1;
}

static int check_scale_and_bias(const struct reader *reader, const struct descriptor *d, int separate)
{
    const struct tensor *input = &d->inputs[0], *scale = &d->inputs[1], *bias = &d->inputs[2];
    if (!separate && reader->level < DML_FEATURE_LEVEL_5_2 && !scale->rank != !bias->rank)
        return REJECT(reader, "%s is null; before feature level 5_2, ScaleTensor and BiasTensor are given together.",
                      scale->rank ? "BiasTensor" : "ScaleTensor");
    return check_broadcast(reader, "ScaleTensor", scale, input) && check_broadcast(reader, "BiasTensor", bias, input);
}

int descriptor_check_mean_variance(const struct reader *reader, struct descriptor *d)
{
    const DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC *desc = &d->desc.mean_variance;
    return descriptor_check_within(reader, "CrossChannel", (uint32_t)desc->CrossChannel, 0, 1) &&
           descriptor_check_within(reader, "NormalizeVariance", (uint32_t)desc->NormalizeVariance, 0, 1) &&
           check_scale_and_bias(reader, d, 0);
}

/* Checks channels, which are not broadcast before feature level 4_0. */
static int check_channels(const struct reader *reader, const struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0];
    for (uint32_t i = 1; i <= 2 && input->rank > 1; i++)
        if (d->inputs[i].rank && d->inputs[i].sizes[1] != input->sizes[1])
            return REJECT(reader, "%s.Sizes[1] is %u; before feature level 4_0 it must be InputTensor's %u.",
                          i == 1 ? "ScaleTensor" : "BiasTensor", d->inputs[i].sizes[1], input->sizes[1]);
    return 1;
}

int descriptor_check_mean_variance1(const struct reader *reader, struct descriptor *d)
{
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC *desc = &d->desc.mean_variance1;
    return check_slice_axes(reader, d, desc->AxisCount, desc->Axes) &&
           descriptor_check_within(reader, "NormalizeVariance", (uint32_t)desc->NormalizeVariance, 0, 1) &&
           check_scale_and_bias(reader, d, 0) && (reader->level >= DML_FEATURE_LEVEL_4_0 || check_channels(reader, d));
}

int descriptor_check_mean_variance2(const struct reader *reader, struct descriptor *d)
{
    const DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC *desc = &d->desc.mean_variance2;
    return check_slice_axes(reader, d, desc->AxisCount, desc->Axes) &&
           descriptor_check_within(reader, "UseMean", (uint32_t)desc->UseMean, 0, 1) &&
           descriptor_check_within(reader, "UseVariance", (uint32_t)desc->UseVariance, 0, 1) &&
           check_scale_and_bias(reader, d, 1);
}

int descriptor_check_lp(const struct reader *reader, struct descriptor *d)
{
    const DML_LP_NORMALIZATION_OPERATOR_DESC *desc = &d->desc.lp;
    return descriptor_check_within(reader, "Axis", desc->Axis, 0, d->inputs[0].rank - 1) &&
           descriptor_check_within(reader, "P", desc->P, 1, 2);
}

/* ---- BATCH_NORMALIZATION and its relatives */

/* Checks the mean or the variance if Spatial is FALSE: before feature level 4_0, Spatial says that a whole plane has
 * one of each. */
static int check_planes(const struct reader *reader, const char *name, const struct tensor *tensor,
                        const struct tensor *input)
{
    for (uint32_t i = input->rank > 1 ? input->rank - 2 : input->rank; i < input->rank; i++)
        if (tensor->sizes[i] != input->sizes[i])
            return REJECT(reader, "%s.Sizes[%u] is %u; Spatial is FALSE, so it must be InputTensor's %u.", name, i,
                          tensor->sizes[i], input->sizes[i]);
    return 1;
}

int descriptor_check_batch(const struct reader *reader, struct descriptor *d)
{
    static const char *const names[] = {"InputTensor", "MeanTensor", "VarianceTensor", "ScaleTensor", "BiasTensor"};
    const struct tensor *input = &d->inputs[0];
    BOOL spatial = d->desc.batch.Spatial;
    if (!descriptor_check_within(reader, "Spatial", (uint32_t)spatial, 0, 1))
        return 0;
    for (uint32_t i = 1; i < 5; i++)
        if (!check_broadcast(reader, names[i], &d->inputs[i], input))
            return 0;
    for (uint32_t i = 1; i <= 2 && !spatial && reader->level < DML_FEATURE_LEVEL_4_0; i++)
        if (!check_planes(reader, names[i], &d->inputs[i], input))
            return 0;
    return 1;
}

int descriptor_check_batch_training(const struct reader *reader, struct descriptor *d)
{
    return check_broadcast(reader, "ScaleTensor", &d->inputs[1], &d->inputs[0]);
}

int descriptor_check_batch_grad(const struct reader *reader, struct descriptor *d)
{
    return check_broadcast(reader, "MeanTensor", &d->inputs[2], &d->inputs[0]);
}
