/* plan_response.c: LOCAL_RESPONSE_NORMALIZATION, its gradient, and VALUE_SCALE_2D. */
#include "device/vulkan/plan_response.h"

#include "device/vulkan/plan_internal.h"

#include <string.h>

/* MODE of response.comp. */
enum { NORMALISE, BASES, DERIVE, SCALE };

enum { SOURCE, GRADIENT, TARGET, NUMBER, RANK = 4 };

int plan_response_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION ||
           type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD || type == DML_OPERATOR_VALUE_SCALE_2D;
}

const char *plan_response_lack(const struct vk *vk)
{
    return vk->has_8bit && vk->has_16bit ? NULL : "access to 8-bit and 16-bit elements";
}

static void set_dimensions(const struct descriptor *d, struct plan_response *p)
{
    uint32_t number = 1;
    for (uint32_t i = RANK; i-- > 0;) {
        struct plan_dimension *dimension = &p->dimensions[i];
        *dimension = nest_dimension(d->inputs[0].sizes[i]);
        dimension->stride[SOURCE] = d->inputs[0].strides[i];
        dimension->stride[GRADIENT] = d->input_count > 1 ? d->inputs[1].strides[i] : 0;
        dimension->stride[TARGET] = d->outputs[0].strides[i];
        dimension->stride[NUMBER] = number;
        number *= d->inputs[0].sizes[i];
    }
}

static void response_set_attributes(const struct descriptor *d, struct plan_response *p)
{
    const struct descriptor_response *response = &d->response;
    if (d->type == DML_OPERATOR_VALUE_SCALE_2D) {
        p->alpha = d->desc.value_scale.Scale;
        memcpy(p->channel_bias, d->channel_bias, sizeof p->channel_bias);
        return;
    }
    p->alpha = response->alpha / (float)response->size;
    p->beta = response->beta;
    p->bias = response->bias;
    p->crosses = response->crosses != 0;
    p->factor = (float)(2 * (double)response->alpha * (double)response->beta / response->size);
    for (uint32_t i = response->crosses ? 1 : 2; i < (response->crosses ? 2 : RANK); i++) {
        p->before[i] = (response->size - 1) / 2;
        p->after[i] = response->size / 2;
    }
}

static void add_launch(const struct descriptor *d, const struct pipeline_traits *traits, uint32_t pass, uint8_t mode,
                       struct plan *plan)
{
    struct plan_launch *launch = plan_add_launch(plan, pass, 4, sizeof(struct plan_response));
    struct plan_response *p = &launch->parameters.response;
    int has_bases = mode == BASES || mode == DERIVE;
    set_dimensions(d, p);
    response_set_attributes(d, p);
    p->count = (uint32_t)d->outputs[0].count;
    p->group_size = plan_group_size(traits, p->count, PIPELINE_COPY);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_RESPONSE, .width = 32, .specials = {mode, (uint8_t)d->outputs[0].type}};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, d->input_count > 1 ? PLAN_INPUT + 1 : PLAN_INPUT, 0); /* absent: not read */
    plan_set_address(launch, 2, has_bases ? PLAN_SCRATCH : PLAN_OUTPUT, 0);
    plan_set_address(launch, 3, PLAN_OUTPUT, 0);
}

void plan_response(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    if (d->type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD) {
        plan->bytes[PLAN_SCRATCH] = d->outputs[0].count * sizeof(float);
        add_launch(d, traits, 0, BASES, plan);
        add_launch(d, traits, 1, DERIVE, plan);
    } else {
        add_launch(d, traits, 0, d->type == DML_OPERATOR_VALUE_SCALE_2D ? SCALE : NORMALISE, plan);
    }
}
