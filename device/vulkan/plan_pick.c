#include "device/vulkan/plan_pick.h"

#include "device/common/number.h"
#include "device/vulkan/nest.h"
#include "device/vulkan/plan_internal.h"

#include <string.h>

/* MODE of pick.comp. */
enum { DIAGONAL, REVERSE, ONE_HOT, UNPOOL };

/* Operands of a loop of pick.comp. */
enum { SOURCE, INDICES, TARGET, ALONG };

int plan_pick_computes(DML_OPERATOR_TYPE type)
{
    switch ((int)type) {
    case DML_OPERATOR_DIAGONAL_MATRIX:
    case DML_OPERATOR_DIAGONAL_MATRIX1:
    case DML_OPERATOR_REVERSE_SUBSEQUENCES:
    case DML_OPERATOR_ONE_HOT:
    case DML_OPERATOR_MAX_UNPOOLING:
    case DML_OPERATOR_RANDOM_GENERATOR:
    case DML_OPERATOR_TOP_K:
    case DML_OPERATOR_TOP_K1:
        return 1;
    default:
        return 0;
    }
}

const char *plan_pick_lack(const struct descriptor *descriptor, const struct vk *vk,
                           const struct pipeline_traits *traits)
{
    const struct tensor *output = &descriptor->outputs[0];
    if (output->element_bits == 8 && !vk->has_8bit)
        return "access to 8-bit elements";
    if (output->element_bits == 16 && !vk->has_16bit)
        return "access to 16-bit elements";
    if (descriptor->type == DML_OPERATOR_MAX_UNPOOLING && output->element_size == 8 && !vk->has_int64)
        return "stores of 64-bit elements in one piece"; /* two writes to one element could mix */
    if (descriptor->type == DML_OPERATOR_TOP_K || descriptor->type == DML_OPERATOR_TOP_K1)
        return plan_top_k_lack(descriptor, traits);
    return NULL;
}

/* Adds a launch of pick.comp over the loops of `nest`. Without indices, `indices` is null. */
static struct plan_pick *add_pick(struct plan *plan, const struct pipeline_traits *traits, uint32_t pass, uint32_t mode,
                                  uint32_t width, const struct tensor *indices, struct nest *nest)
{
    struct plan_launch *launch = plan_add_launch(plan, pass, 3, sizeof(struct plan_pick));
    struct plan_pick *p = &launch->parameters.pick;
    nest_merge(nest);
    p->count = (uint32_t)nest_count(nest);
    p->group_size = plan_group_size(traits, p->count, PIPELINE_COPY);
    nest_dimensions(nest, PLAN_DIMENSIONS, p->dimensions);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_PICK,
                                             .width = (uint16_t)width,
                                             .specials = {(uint8_t)mode, indices && indices->element_size == 8}};
    if (indices && (indices->type == DML_TENSOR_DATA_TYPE_INT32 || indices->type == DML_TENSOR_DATA_TYPE_INT64))
        p->sign = 0x80000000u;
    for (uint32_t i = 0; i < 3; i++) /* absent operands are not read */
        plan_set_address(launch, i, PLAN_OUTPUT, 0);
    return p;
}

/* Sets an operand of the launch that was added last. */
static void set_operand(struct plan *plan, uint32_t at, enum plan_operand operand)
{
    plan_set_address(&plan->launches[plan->launch_count - 1], at, operand, 0);
}

/* Adds the launch of a diagonal matrix. Rows are counted as indices, columns along the axis. `source`: null, or an
 * input of the output's sizes. */
static void plan_band(struct plan *plan, const struct pipeline_traits *traits, uint32_t pass,
                      const struct tensor *output, const struct tensor *source, int64_t begin, int64_t end,
                      const void *value)
{
    struct nest nest = {0};
    for (uint32_t d = 0; d < output->rank; d++)
        nest_add(&nest, output->sizes[d],
                 (const uint32_t[PLAN_STRIDES]){[SOURCE] = source ? source->strides[d] : 0,
                                                [INDICES] = d + 2 == output->rank,
                                                [TARGET] = output->strides[d],
                                                [ALONG] = d + 1 == output->rank});
    struct plan_pick *p = add_pick(plan, traits, pass, DIAGONAL, 8 * output->element_size, NULL, &nest);
    p->begin = (int32_t)begin;
    p->end = (int32_t)end;
    p->given = source != NULL;
    memcpy(p->value, value, output->element_size);
    if (source)
        set_operand(plan, SOURCE, PLAN_INPUT);
}

static void plan_diagonal(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *output = &d->outputs[0];
    uint64_t value = 0;
    int32_t offset = d->desc.diagonal.Offset;
    number_store_real(output->type, (double)d->desc.diagonal.Value, &value);
    if (offset == INT32_MAX) /* no diagonal is so far out, and its end does not fit into 32 bits */
        plan_band(plan, traits, 0, output, NULL, 0, 0, &value);
    else
        plan_band(plan, traits, 0, output, NULL, offset, offset + 1, &value);
}

static void plan_diagonal1(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const DML_DIAGONAL_MATRIX1_OPERATOR_DESC *desc = &d->desc.diagonal1;
    plan_band(plan, traits, 0, &d->outputs[0], d->inputs[0].rank ? &d->inputs[0] : NULL, desc->DiagonalFillBegin,
              desc->DiagonalFillEnd, desc->Value.Bytes);
}

static void plan_reverse(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *lengths = &d->inputs[1], *output = &d->outputs[0];
    struct nest nest = {0};
    for (uint32_t i = 0; i < input->rank; i++) {
        uint32_t is_axis = i == d->axis;
        nest_add(&nest, input->sizes[i],
                 (const uint32_t[PLAN_STRIDES]){[SOURCE] = is_axis ? 0 : input->strides[i],
                                                [INDICES] = is_axis ? 0 : lengths->strides[i],
                                                [TARGET] = output->strides[i],
                                                [ALONG] = is_axis});
    }
    struct plan_pick *p = add_pick(plan, traits, 0, REVERSE, 8 * input->element_size, lengths, &nest);
    p->size = input->sizes[d->axis];
    p->step = input->strides[d->axis];
    set_operand(plan, SOURCE, PLAN_INPUT);
    set_operand(plan, INDICES, PLAN_INPUT + 1);
}

static void plan_one_hot(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *indices = &d->inputs[0], *values = &d->inputs[1], *output = &d->outputs[0];
    struct nest nest = {0};
    uint32_t last = values->rank;
    for (uint32_t i = 0; i < output->rank; i++)
        nest_add(&nest, output->sizes[i],
                 (const uint32_t[PLAN_STRIDES]){[INDICES] = i == d->axis ? 0 : indices->strides[i],
                                                [TARGET] = output->strides[i],
                                                [ALONG] = i == d->axis});
    struct plan_pick *p = add_pick(plan, traits, 0, ONE_HOT, 8 * output->element_size, indices, &nest);
    while (values->sizes[last - 1] == 1) /* ends, since there are at least two values */
        last--;
    p->size = output->sizes[d->axis];
    p->step = values->strides[last - 1];
    set_operand(plan, SOURCE, PLAN_INPUT + 1);
    set_operand(plan, INDICES, PLAN_INPUT);
}

static void plan_unpool(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1], *output = &d->outputs[0];
    struct nest nest = {0}, places = {0};
    plan_band(plan, traits, 0, output, NULL, 0, 0, &(const uint64_t){0}); /* zeros */
    for (uint32_t i = 0; i < input->rank; i++)
        nest_add(&nest, input->sizes[i],
                 (const uint32_t[PLAN_STRIDES]){[SOURCE] = input->strides[i], [INDICES] = indices->strides[i]});
    for (uint32_t i = 0; i < output->rank; i++)
        nest_add(&places, output->sizes[i], (const uint32_t[PLAN_STRIDES]){output->strides[i]});
    nest_merge(&places);
    struct plan_pick *p = add_pick(plan, traits, 1, UNPOOL, 8 * input->element_size, indices, &nest);
    p->size = (uint32_t)output->count;
    nest_dimensions(&places, PLAN_DIMENSIONS, p->places);
    set_operand(plan, SOURCE, PLAN_INPUT);
    set_operand(plan, INDICES, PLAN_INPUT + 1);
}

static void plan_random(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *state = &d->inputs[0], *numbers = &d->outputs[0], *next = &d->outputs[1];
    struct plan_launch *launch = plan_add_launch(plan, 0, 3, sizeof(struct plan_random));
    struct plan_random *p = &launch->parameters.random;
    struct nest nest = {0};
    for (uint32_t i = 0; i < numbers->rank; i++)
        nest_add(&nest, numbers->sizes[i], (const uint32_t[PLAN_STRIDES]){numbers->strides[i]});
    nest_merge(&nest);
    nest_dimensions(&nest, PLAN_DIMENSIONS, p->dimensions);
    p->count = (uint32_t)numbers->count;
    uint32_t blocks = (p->count - 1) / 4 + 1;
    p->group_size = plan_group_size(traits, blocks, PIPELINE_COPY);
    p->state_stride = state->strides[state->rank - 1];
    p->given = next->rank != 0;
    p->next_stride = next->rank ? next->strides[next->rank - 1] : 0;
    launch->groups = (blocks - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_PHILOX};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
    plan_set_address(launch, 2, next->rank ? PLAN_OUTPUT + 1 : PLAN_OUTPUT, 0);
}

void plan_pick(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    switch ((int)descriptor->type) {
    case DML_OPERATOR_DIAGONAL_MATRIX:
        plan_diagonal(descriptor, traits, plan);
        break;
    case DML_OPERATOR_DIAGONAL_MATRIX1:
        plan_diagonal1(descriptor, traits, plan);
        break;
    case DML_OPERATOR_REVERSE_SUBSEQUENCES:
        plan_reverse(descriptor, traits, plan);
        break;
    case DML_OPERATOR_ONE_HOT:
        plan_one_hot(descriptor, traits, plan);
        break;
    case DML_OPERATOR_MAX_UNPOOLING:
        plan_unpool(descriptor, traits, plan);
        break;
    case DML_OPERATOR_TOP_K:
    case DML_OPERATOR_TOP_K1:
        plan_top_k(descriptor, traits, plan);
        break;
    default:
        plan_random(descriptor, traits, plan);
    }
}
