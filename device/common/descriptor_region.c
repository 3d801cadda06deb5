/* descriptor_region.c: the rules of operators on regions of pictures. */
#include "device/common/descriptor_internal.h"

static int check_region_size(const struct reader *reader, const char *tensor, uint32_t dimension, uint32_t size,
                             uint32_t wanted)
{
    return size == wanted || REJECT(reader, "%s.Sizes[%u] is %u; it must be %u.", tensor, dimension, size, wanted);
}

int descriptor_check_roi_pooling(const struct reader *reader, struct descriptor *d)
{
    const DML_ROI_POOLING_OPERATOR_DESC *desc = &d->desc.roi_pooling;
    const struct tensor *input = &d->inputs[0], *regions = &d->inputs[1], *output = &d->outputs[0];
    const uint32_t region[] = {1, 1, regions->sizes[2], 5};
    const uint32_t bins[] = {regions->sizes[2], input->sizes[1], desc->PooledSize.Height, desc->PooledSize.Width};
    for (uint32_t i = 0; i < 4; i++)
        if (!check_region_size(reader, "ROITensor", i, regions->sizes[i], region[i]) ||
            !check_region_size(reader, "OutputTensor", i, output->sizes[i], bins[i]))
            return 0;
    return 1;
}

/* Stores what both descriptions say. */
static void read_region(struct descriptor *d)
{
    const DML_ROI_ALIGN_OPERATOR_DESC *align = &d->desc.roi_align;
    const DML_ROI_ALIGN1_OPERATOR_DESC *align1 = &d->desc.roi_align1;
    const int is_first = d->type == DML_OPERATOR_ROI_ALIGN;
    const DML_REDUCE_FUNCTION reduction = is_first ? align->ReductionFunction : align1->ReductionFunction;
    const DML_INTERPOLATION_MODE mode = is_first ? align->InterpolationMode : align1->InterpolationMode;
    d->region = (struct descriptor_region){
        .scales = {is_first ? align->SpatialScaleY : align1->SpatialScaleY,
                   is_first ? align->SpatialScaleX : align1->SpatialScaleX},
        .input_offset = is_first ? 0.5f : align1->InputPixelOffset,
        .output_offset = is_first ? -0.5f : align1->OutputPixelOffset,
        .outside = is_first ? align->OutOfBoundsInputValue : align1->OutOfBoundsInputValue,
        .fewest = is_first ? align->MinimumSamplesPerOutput : align1->MinimumSamplesPerOutput,
        .most = is_first ? align->MaximumSamplesPerOutput : align1->MaximumSamplesPerOutput,
        .is_max = reduction == DML_REDUCE_FUNCTION_MAX,
        .is_linear = mode == DML_INTERPOLATION_MODE_LINEAR,
        .corners = !is_first && align1->AlignRegionsToCorners,
    };
}

int descriptor_check_roi_align(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *regions = &d->inputs[1], *batches = &d->inputs[2];
    const uint32_t count = regions->sizes[regions->rank - 2];
    const DML_REDUCE_FUNCTION reduction = d->desc.roi_align.ReductionFunction; /* at one place in both descriptions */
    if (reduction != DML_REDUCE_FUNCTION_AVERAGE && reduction != DML_REDUCE_FUNCTION_MAX)
        return REJECT(reader, "ReductionFunction is %u; it must be AVERAGE or MAX.", (uint32_t)reduction);
    if (!descriptor_check_within(reader, "InterpolationMode", (uint32_t)d->desc.roi_align.InterpolationMode, 0,
                                 DML_INTERPOLATION_MODE_LINEAR))
        return 0;
    read_region(d);
    for (uint32_t i = 0; i + 2 < regions->rank; i++)
        if (!check_region_size(reader, "ROITensor", i, regions->sizes[i], 1))
            return 0;
    for (uint32_t i = 0; i < batches->rank; i++)
        if (!check_region_size(reader, "BatchIndicesTensor", i, batches->sizes[i], i + 1 < batches->rank ? 1 : count))
            return 0;
    if (d->region.fewest < 1 || d->region.most < d->region.fewest)
        return REJECT(reader, "The bins have from %u to %u samples; both must be at least 1, and in order.",
                      d->region.fewest, d->region.most);
    return check_region_size(reader, "ROITensor", regions->rank - 1, regions->sizes[regions->rank - 1], 4) &&
           check_region_size(reader, "OutputTensor", 0, d->outputs[0].sizes[0], count) &&
           check_region_size(reader, "OutputTensor", 1, d->outputs[0].sizes[1], input->sizes[1]);
}
