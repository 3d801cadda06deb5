/* plan_adam.c: ADAM_OPTIMIZER. */
#include "device/vulkan/plan_internal.h"

enum { INPUTS = 4, STEP = INPUTS, OUTPUTS = 3 };

void plan_adam(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = &d->desc.adam;
    const struct tensor *output = &d->outputs[0];
    struct plan_launch *launch = plan_add_launch(plan, 0, INPUTS + OUTPUTS + 1, sizeof(struct plan_adam));
    struct plan_adam *p = &launch->parameters.adam;
    for (uint32_t i = 0; i < PLAN_DIMENSIONS; i++) {
        const uint32_t dimension = output->rank - 1 - i;
        p->dimensions[i].first = nest_dimension(i < output->rank ? output->sizes[dimension] : 1);
        for (uint32_t k = 0; k < INPUTS && i < output->rank; k++)
            p->dimensions[i].first.stride[k] = d->inputs[k].strides[dimension];
        for (uint32_t k = 0; k < OUTPUTS && i < output->rank; k++)
            p->dimensions[i].more[k] = d->outputs[k].strides[dimension];
    }
    p->learning_rate = desc->LearningRate;
    p->beta1 = desc->Beta1;
    p->beta2 = desc->Beta2;
    p->epsilon = desc->Epsilon;
    p->count = (uint32_t)output->count;
    p->group_size = plan_group_size(traits, p->count, PIPELINE_COPY);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_ADAM, .width = 32, .specials = {(uint8_t)output->type, (uint8_t)d->inputs[STEP].type}};
    for (uint32_t k = 0; k < INPUTS; k++)
        plan_set_address(launch, k, PLAN_INPUT + k, 0);
    for (uint32_t k = 0; k < OUTPUTS; k++)
        plan_set_address(launch, INPUTS + k, PLAN_OUTPUT + k, 0);
    plan_set_address(launch, INPUTS + OUTPUTS, PLAN_INPUT + STEP, 0);
}
