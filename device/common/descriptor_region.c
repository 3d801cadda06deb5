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

/* Stores where the samples lie. `bins` has an element for each bin. */
static void set_samples(struct descriptor *d, uint32_t regions, const struct tensor *picture, const struct tensor *bins)
{
    struct descriptor_region *r = &d->region;
    r->regions = regions;
    r->batches = regions + 1;
    r->batch_count = picture->sizes[0];
    for (uint32_t i = 0; i < 2; i++) {
        r->bins[i] = bins->sizes[2 + i];
        r->picture[i] = picture->sizes[2 + i];
    }
}

/* Stores what all descriptions say. */
#define READ_REGION(desc)                                                                                              \
    {                                                                                                                  \
        .scales = {(desc)->SpatialScaleY, (desc)->SpatialScaleX}, .input_offset = 0.5f, .output_offset = -0.5f,        \
        .fewest = (desc)->MinimumSamplesPerOutput, .most = (desc)->MaximumSamplesPerOutput,                            \
        .is_max = (desc)->ReductionFunction == DML_REDUCE_FUNCTION_MAX,                                                \
        .is_linear = (desc)->InterpolationMode == DML_INTERPOLATION_MODE_LINEAR                                        \
    }

static int check_functions(const struct reader *reader, DML_REDUCE_FUNCTION reduction, DML_INTERPOLATION_MODE mode)
{
    if (reduction != DML_REDUCE_FUNCTION_AVERAGE && reduction != DML_REDUCE_FUNCTION_MAX)
        return REJECT(reader, "ReductionFunction is %u; it must be AVERAGE or MAX.", (uint32_t)reduction);
    return descriptor_check_within(reader, "InterpolationMode", (uint32_t)mode, 0, DML_INTERPOLATION_MODE_LINEAR);
}

/* Checks the regions, their batches, and the first two sizes of the tensor `bins`, whose name is `name`. */
static int check_regions(const struct reader *reader, const struct descriptor *d, const struct tensor *bins,
                         const char *name, uint32_t channels)
{
    const struct tensor *regions = &d->inputs[d->region.regions], *batches = &d->inputs[d->region.batches];
    const uint32_t count = regions->sizes[regions->rank - 2];
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
           check_region_size(reader, name, 0, bins->sizes[0], count) &&
           check_region_size(reader, name, 1, bins->sizes[1], channels);
}

int descriptor_check_roi_align(const struct reader *reader, struct descriptor *d)
{
    const DML_ROI_ALIGN_OPERATOR_DESC *align = &d->desc.roi_align;
    const DML_ROI_ALIGN1_OPERATOR_DESC *align1 = &d->desc.roi_align1;
    const int is_first = d->type == DML_OPERATOR_ROI_ALIGN;
    if (!check_functions(reader, align->ReductionFunction, align->InterpolationMode)) /* at one place in both */
        return 0;
    if (is_first) {
        d->region = (struct descriptor_region)READ_REGION(align);
        d->region.outside = align->OutOfBoundsInputValue;
    } else {
        d->region = (struct descriptor_region)READ_REGION(align1);
        d->region.input_offset = align1->InputPixelOffset;
        d->region.output_offset = align1->OutputPixelOffset;
        d->region.outside = align1->OutOfBoundsInputValue;
        d->region.corners = align1->AlignRegionsToCorners != 0;
    }
    set_samples(d, 1, &d->inputs[0], &d->outputs[0]);
    return check_regions(reader, d, &d->outputs[0], "OutputTensor", d->inputs[0].sizes[1]);
}

int descriptor_check_roi_align_grad(const struct reader *reader, struct descriptor *d)
{
    const DML_ROI_ALIGN_GRAD_OPERATOR_DESC *desc = &d->desc.roi_align_grad;
    const struct tensor *input = &d->inputs[0], *bins = &d->inputs[1];
    const struct tensor *gradient = &d->outputs[0], *moved = &d->outputs[1];
    if (!check_functions(reader, desc->ReductionFunction, desc->InterpolationMode))
        return 0;
    d->region = (struct descriptor_region)READ_REGION(desc);
    d->region.input_offset = desc->InputPixelOffset;
    d->region.output_offset = desc->OutputPixelOffset;
    d->region.corners = desc->AlignRegionsToCorners != 0;
    if (gradient->rank == 0 && moved->rank == 0)
        return REJECT(reader, "OutputGradientTensor and OutputROIGradientTensor are null; one must be given.");
    if (input->rank == 0 && (moved->rank > 0 || d->region.is_max))
        return REJECT(reader, "InputTensor is null; it must be given for %s.",
                      moved->rank > 0 ? "OutputROIGradientTensor" : "ReductionFunction MAX");
    set_samples(d, 2, gradient->rank > 0 ? gradient : input, bins);
    if (input->rank > 0 && gradient->rank > 0 &&
        !check_region_size(reader, "OutputGradientTensor", 1, gradient->sizes[1], bins->sizes[1]))
        return 0;
    return check_regions(reader, d, bins, "InputGradientTensor", (input->rank > 0 ? input : gradient)->sizes[1]);
}
