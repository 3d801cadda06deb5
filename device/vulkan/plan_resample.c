/* plan_resample.c: UPSAMPLE_2D, RESAMPLE and its successors. */
#include "device/vulkan/plan_resample.h"

#include "device/vulkan/plan_internal.h"

/* Strides of a dimension. */
enum { SOURCE, TARGET };

int plan_resample_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UPSAMPLE_2D || type == DML_OPERATOR_RESAMPLE || type == DML_OPERATOR_RESAMPLE1 ||
           type == DML_OPERATOR_RESAMPLE2 || type == DML_OPERATOR_RESAMPLE3;
}

const char *plan_resample_lack(const struct vk *vk)
{
    return vk->has_8bit && vk->has_16bit ? NULL : "access to 8-bit and 16-bit elements";
}

void plan_resample(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    const struct descriptor_resampling *r = &d->resampling;
    const int is_whole = d->type == DML_OPERATOR_UPSAMPLE_2D;
    struct plan_launch *launch = plan_add_launch(plan, 0, 2, sizeof(struct plan_resample));
    struct plan_resample *p = &launch->parameters.resample;
    for (uint32_t i = 0; i < PLAN_RESAMPLE_RANK; i++) {
        const uint32_t missing = PLAN_RESAMPLE_RANK - output->rank;
        p->dimensions[i] = nest_dimension(i < missing ? 1 : output->sizes[i - missing]);
        p->whole_scales[i] = nest_dimension(!is_whole || i < missing ? 1 : d->lists[0][i - missing]);
        p->sizes[i] = i < missing ? 1 : input->sizes[i - missing];
        p->scales[i] = 1;
        if (i < missing)
            continue;
        p->scales[i] = (float)r->scales[i - missing];
        p->input_offsets[i] = (float)r->input_offsets[i - missing];
        p->output_offsets[i] = (float)r->output_offsets[i - missing];
        p->dimensions[i].stride[SOURCE] = input->strides[i - missing];
        p->dimensions[i].stride[TARGET] = output->strides[i - missing];
    }
    p->count = (uint32_t)output->count;
    p->group_size = plan_group_size(traits, p->count, PIPELINE_COPY);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_RESAMPLE,
        .width = 32,
        .specials = {(uint8_t)output->type, r->is_linear != 0, (uint8_t)is_whole, (uint8_t)r->rounding}};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
}
