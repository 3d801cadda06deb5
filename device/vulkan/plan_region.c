/* plan_region.c: operators on regions of pictures. */
#include "device/vulkan/plan_region.h"

#include "device/vulkan/plan_internal.h"

/* Strides of a dimension. */
enum { SOURCE, TARGET };

int plan_region_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_ROI_POOLING || type == DML_OPERATOR_ROI_ALIGN || type == DML_OPERATOR_ROI_ALIGN1;
}

const char *plan_region_lack(const struct vk *vk)
{
    return vk->has_8bit && vk->has_16bit ? NULL : "access to 8-bit and 16-bit elements";
}

static void plan_pooled(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *regions = &d->inputs[1], *output = &d->outputs[0];
    struct plan_launch *launch = plan_add_launch(plan, 0, 3, sizeof(struct plan_region));
    struct plan_region *p = &launch->parameters.region;
    for (uint32_t i = 0; i < PLAN_REGION_RANK; i++) {
        p->dimensions[i] = nest_dimension(output->sizes[i]);
        p->dimensions[i].stride[SOURCE] = input->strides[i];
        p->dimensions[i].stride[TARGET] = output->strides[i];
        p->sizes[i] = input->sizes[i];
    }
    p->region_stride = regions->strides[regions->rank - 2];
    p->entry_stride = regions->strides[regions->rank - 1];
    p->scale = d->desc.roi_pooling.SpatialScale;
    p->count = (uint32_t)output->count;
    p->group_size = plan_group_size(traits, p->count, PIPELINE_COPY);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline =
        (struct pipeline_key){.kernel = PIPELINE_REGION, .width = 32, .specials = {(uint8_t)output->type}};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_INPUT + 1, 0);
    plan_set_address(launch, 2, PLAN_OUTPUT, 0);
}

static void plan_aligned(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *regions = &d->inputs[1], *batches = &d->inputs[2];
    const struct tensor *output = &d->outputs[0];
    const struct descriptor_region *r = &d->region;
    struct plan_launch *launch = plan_add_launch(plan, 0, 4, sizeof(struct plan_align));
    struct plan_align *p = &launch->parameters.align;
    for (uint32_t i = 0; i < PLAN_REGION_RANK; i++) {
        p->dimensions[i] = nest_dimension(output->sizes[i]);
        p->dimensions[i].stride[SOURCE] = input->strides[i];
        p->dimensions[i].stride[TARGET] = output->strides[i];
        p->sizes[i] = input->sizes[i];
    }
    p->region_stride = regions->strides[regions->rank - 2];
    p->entry_stride = regions->strides[regions->rank - 1];
    p->batch_stride = batches->strides[batches->rank - 1];
    p->fewest = r->fewest;
    p->most = r->most;
    p->scales[0] = r->scales[0];
    p->scales[1] = r->scales[1];
    p->input_offset = r->input_offset;
    p->output_offset = r->output_offset;
    p->outside = r->outside;
    p->count = (uint32_t)output->count;
    p->group_size = plan_group_size(traits, p->count, PIPELINE_COPY);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_ALIGN,
                                             .width = 32,
                                             .specials = {(uint8_t)output->type, (uint8_t)batches->type, r->is_max != 0,
                                                          r->is_linear != 0, r->corners != 0}};
    for (uint32_t i = 0; i < 3; i++)
        plan_set_address(launch, i, PLAN_INPUT + i, 0);
    plan_set_address(launch, 3, PLAN_OUTPUT, 0);
}

void plan_region(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    if (d->type == DML_OPERATOR_ROI_POOLING)
        plan_pooled(d, traits, plan);
    else
        plan_aligned(d, traits, plan);
}
