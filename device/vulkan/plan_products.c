/* plan_products.c: GEMM, products of integer matrices, convolutions. */
#include "device/vulkan/plan_products.h"

#include "device/vulkan/plan_internal.h"

#include <string.h>

int plan_products_compute(DML_OPERATOR_TYPE type)
{
    return dot_result_of(type) != DOT_NONE;
}

/* Tells whether a coordinate of the padded input may not fit into 31 bits. */
static int needs_long_coordinates(const struct dot *dot)
{
    int needs = 0;
    for (uint32_t i = 0; i < DOT_SPATIAL; i++) {
        const struct dot_window *w = &dot->windows[i];
        const uint64_t reach = (uint64_t)w->gap * (w->window - 1), moves = (uint64_t)w->stride * dot->sizes[i + 2];
        needs |= reach + moves + w->padding + dot->sizes[i + 2] + w->size > INT32_MAX;
    }
    return needs;
}

/* Returns the rounds of the loops for an element: for each step of the window, one for four channels. */
static uint64_t products_rounds(const struct dot *dot)
{
    uint64_t rounds = (uint64_t)dot->channels / 4 + 2;
    for (uint32_t i = 0; i < DOT_SPATIAL; i++)
        rounds *= dot->windows[i].window;
    return rounds;
}

const char *plan_products_lack(const struct descriptor *d, const struct vk *vk, const struct pipeline_traits *traits)
{
    struct dot dot;
    dot_init(&dot, d);
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (d->activation != DML_OPERATOR_ELEMENT_WISE_CLIP && !plan_activates(d->activation))
        return "a formula of the fused activation";
    if (traits->rounds && products_rounds(&dot) > traits->rounds)
        return "loops with as many rounds as these sums need";
    return needs_long_coordinates(&dot) && !vk->has_int64 ? "64-bit integers" : NULL;
}

static void set_products(const struct descriptor *d, const struct dot *dot, struct plan_products *p)
{
    for (uint32_t i = 0; i < DOT_RANK; i++) {
        p->dimensions[i] = nest_dimension(dot->sizes[i]);
        p->dimensions[i].stride[0] = i == 1 ? 0 : dot->a[i];
        p->dimensions[i].stride[1] = i == 1 ? 0 : dot->b[i];
        p->dimensions[i].stride[2] = dot->c[i];
        p->dimensions[i].stride[3] = dot->output[i];
    }
    p->group = nest_dimension(dot->per_group);
    p->group.stride[0] = dot->group_a;
    p->group.stride[1] = dot->group_b;
    p->group.stride[2] = dot->rest_a;
    p->group.stride[3] = dot->rest_b;
    p->channels = dot->channels;
    p->channel_a = dot->channel_a;
    p->channel_b = dot->channel_b;
    p->flipped = (uint32_t)dot->flipped;
    p->backward = (uint32_t)dot->backward;
    p->alpha = dot->alpha;
    p->beta = dot->beta;
    p->first = d->activation_attributes[0];
    p->second = d->activation_attributes[1];
    memcpy(p->axes, dot->dimensions, sizeof p->axes);
    memcpy(p->steps, dot->steps, sizeof p->steps);
    memcpy(p->windows, dot->windows, sizeof p->windows);
}

void plan_products(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    struct plan_launch *launch = plan_add_launch(plan, 0, DOT_ROLES + 1, sizeof(struct plan_products));
    struct plan_products *p = &launch->parameters.products;
    uint8_t present[2] = {0, 0}, types[DOT_ROLES] = {0};
    struct dot dot;
    dot_init(&dot, d);
    set_products(d, &dot, p);
    for (uint32_t k = 0; k < DOT_ROLES; k++) {
        const int given = dot.inputs[k] != DOT_ABSENT;
        plan_set_address(launch, k, PLAN_INPUT + (given ? dot.inputs[k] : 0), 0);
        types[k] = given ? (uint8_t)d->inputs[dot.inputs[k]].type : DML_TENSOR_DATA_TYPE_FLOAT32;
        if (k < 8)
            present[0] |= (uint8_t)(given << k);
        else
            present[1] |= (uint8_t)given;
    }
    plan_set_address(launch, DOT_ROLES, PLAN_OUTPUT, 0);
    p->count = (uint32_t)d->outputs[0].count;
    p->group_size = plan_group_of_rounds(traits, p->count, PIPELINE_COPY, products_rounds(&dot));
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_PRODUCTS,
                                             .width = 32,
                                             .specials = {(uint8_t)dot.result, types[DOT_A], types[DOT_B],
                                                          (uint8_t)d->outputs[0].type, (uint8_t)d->activation,
                                                          present[0], types[DOT_A_SCALE], types[DOT_C], present[1]}};
}
