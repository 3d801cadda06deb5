/* plan_region.c: operators on regions of pictures. */
#include "device/vulkan/plan_region.h"

#include "device/vulkan/plan_internal.h"

int plan_region_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_ROI_POOLING || type == DML_OPERATOR_ROI_ALIGN || type == DML_OPERATOR_ROI_ALIGN1 ||
           type == DML_OPERATOR_ROI_ALIGN_GRAD;
}

const char *plan_region_lack(const struct vk *vk)
{
    return vk->has_8bit && vk->has_16bit ? NULL : "access to 8-bit and 16-bit elements";
}

/* Sets the dimensions of a tensor, outermost first, whose strides are those of other tensors; null: none. A tensor of
 * fewer dimensions lacks the outermost ones. */
static void set_region_dimensions(struct plan_dimension *out, const struct tensor *walked, const struct tensor *first,
                                  const struct tensor *second)
{
    const uint32_t missing = PLAN_REGION_RANK - walked->rank;
    for (uint32_t i = 0; i < PLAN_REGION_RANK; i++) {
        out[i] = nest_dimension(i < missing ? 1 : walked->sizes[i - missing]);
        if (i >= missing && first)
            out[i].stride[0] = first->strides[i - missing];
        if (i >= missing && second)
            out[i].stride[1] = second->strides[i - missing];
    }
}

/* Sets how workgroups share the elements of the output, and the addresses of the launch. */
static void set_launch(struct plan_launch *launch, const struct pipeline_traits *traits, const struct tensor *output,
                       const enum plan_operand *operands, uint32_t operand_count, uint32_t *count, uint32_t *group_size)
{
    *count = (uint32_t)output->count;
    *group_size = plan_group_size(traits, output->count, PIPELINE_COPY);
    launch->groups = (*count - 1) / *group_size + 1;
    for (uint32_t i = 0; i < operand_count; i++)
        plan_set_address(launch, i, operands[i], 0);
}

static void plan_pooled(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    static const enum plan_operand operands[] = {PLAN_INPUT, PLAN_INPUT + 1, PLAN_OUTPUT};
    const struct tensor *input = &d->inputs[0], *regions = &d->inputs[1], *output = &d->outputs[0];
    struct plan_launch *launch = plan_add_launch(plan, 0, 3, sizeof(struct plan_region));
    struct plan_region *p = &launch->parameters.region;
    set_region_dimensions(p->dimensions, output, input, output);
    for (uint32_t i = 0; i < PLAN_REGION_RANK; i++)
        p->sizes[i] = input->sizes[i];
    p->region_stride = regions->strides[regions->rank - 2];
    p->entry_stride = regions->strides[regions->rank - 1];
    p->scale = d->desc.roi_pooling.SpatialScale;
    launch->pipeline =
        (struct pipeline_key){.kernel = PIPELINE_REGION, .width = 32, .specials = {(uint8_t)output->type}};
    set_launch(launch, traits, output, operands, 3, &p->count, &p->group_size);
}

/* Sets how the samples of regions lie, and the pipeline. */
static void set_region_samples(const struct descriptor *d, enum pipeline_kernel kernel, int of_regions,
                               struct plan_launch *launch, struct plan_samples *p)
{
    const struct descriptor_region *r = &d->region;
    const struct tensor *regions = &d->inputs[r->regions], *batches = &d->inputs[r->batches];
    p->sizes[0] = r->batch_count;
    for (uint32_t i = 0; i < 2; i++) {
        p->sizes[2 + i] = r->picture[i];
        p->scales[i] = r->scales[i];
    }
    p->region_stride = regions->strides[regions->rank - 2];
    p->entry_stride = regions->strides[regions->rank - 1];
    p->batch_stride = batches->strides[batches->rank - 1];
    p->fewest = r->fewest;
    p->most = r->most;
    p->input_offset = r->input_offset;
    p->output_offset = r->output_offset;
    launch->pipeline =
        (struct pipeline_key){.kernel = (uint8_t)kernel,
                              .width = 32,
                              .specials = {(uint8_t)regions->type, (uint8_t)batches->type, r->is_max != 0,
                                           r->is_linear != 0, r->corners != 0, (uint8_t)of_regions}};
}

static void plan_aligned(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    static const enum plan_operand operands[] = {PLAN_INPUT, PLAN_INPUT + 1, PLAN_INPUT + 2, PLAN_OUTPUT};
    const struct tensor *output = &d->outputs[0];
    struct plan_launch *launch = plan_add_launch(plan, 0, 4, sizeof(struct plan_align));
    struct plan_align *p = &launch->parameters.align;
    set_region_dimensions(p->dimensions, output, &d->inputs[0], output);
    set_region_samples(d, PIPELINE_ALIGN, 0, launch, &p->samples);
    p->outside = d->region.outside;
    set_launch(launch, traits, output, operands, 4, &p->count, &p->group_size);
}

/* Adds the launch of one of the two outputs, if that is given. */
static void plan_gradient(const struct descriptor *d, const struct pipeline_traits *traits, uint32_t number,
                          struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *bins = &d->inputs[1], *output = &d->outputs[number];
    /* without a picture the kernel reads none, but an address needs a tensor */
    const enum plan_operand operands[] = {input->rank > 0 ? PLAN_INPUT : PLAN_INPUT + 1, PLAN_INPUT + 2, PLAN_INPUT + 3,
                                          PLAN_OUTPUT + number, PLAN_INPUT + 1};
    if (output->rank == 0)
        return;
    struct plan_launch *launch = plan_add_launch(plan, 0, 5, sizeof(struct plan_align_gradient));
    struct plan_align_gradient *p = &launch->parameters.align_gradient;
    set_region_dimensions(p->dimensions, bins, input->rank > 0 ? input : NULL, bins);
    set_region_dimensions(p->made, output, output, NULL);
    set_region_samples(d, PIPELINE_ALIGN_GRADIENT, number == 1, launch, &p->samples);
    set_launch(launch, traits, output, operands, 5, &p->count, &p->group_size);
}

void plan_region(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    if (d->type == DML_OPERATOR_ROI_POOLING) {
        plan_pooled(d, traits, plan);
    } else if (d->type == DML_OPERATOR_ROI_ALIGN_GRAD) {
        plan_gradient(d, traits, 0, plan);
        plan_gradient(d, traits, 1, plan);
    } else {
        plan_aligned(d, traits, plan);
    }
}
