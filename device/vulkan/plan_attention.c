/* plan_attention.c: attention with several heads. */
#include "device/vulkan/plan_attention.h"

#include "device/vulkan/plan_internal.h"

/* See shaders/attention.comp. */
enum plan_attention_mode { ATTENDS, WRITES_KEYS, WRITES_VALUES };

/* Returns the scores of a description. */
static uint64_t scores_of(const struct attention *a)
{
    return (uint64_t)a->batch * a->heads * a->queries * ((uint64_t)a->past + a->keys);
}

/* Returns the rounds of the loops of an invocation that computes a row of the output. */
static uint64_t attention_rounds(const struct attention *a, const struct pipeline_traits *traits)
{
    const uint64_t rows = (uint64_t)a->past + a->keys, terms = 8;
    const uint64_t own = rows / traits->group_size + 1, columns = a->value_size / traits->group_size + 1ull;
    return own * (a->head_size / terms + 3ull) + (columns + 2) * (rows / terms + 2);
}

const char *plan_attention_lack(const struct descriptor *d, const struct vk *vk, const struct pipeline_traits *traits)
{
    struct attention a;
    attention_init(&a, d);
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (traits->rounds && attention_rounds(&a, traits) > traits->rounds)
        return "loops with as many rounds as these keys need";
    return scores_of(&a) > INT32_MAX ? "scratch memory for these scores" : 0;
}

/* Adds a launch for one output. */
static void add_attention(const struct descriptor *d, const struct pipeline_traits *traits, const struct attention *a,
                          enum plan_attention_mode mode, const struct attention_view *target, struct plan *plan)
{
    enum { ADDRESSES = 10, TARGET = 8 };
    const struct attention_view *const views[PLAN_ATTENTION_TENSORS] = {
        &a->query,    &a->key,        &a->value,    &a->bias_of_query, &a->bias_of_key, &a->bias_of_value,
        &a->past_key, &a->past_value, &a->relative, &a->mask,          target};
    static const uint8_t of_address[ADDRESSES - 1] = {0, 1, 2, 3, 6, 7, 8, 9, 10}; /* the view that each address has */
    struct plan_launch *launch = plan_add_launch(plan, 0, ADDRESSES, sizeof(struct plan_attention));
    struct plan_attention *p = &launch->parameters.attention;
    const uint32_t rows = a->past + a->keys, width = mode == WRITES_KEYS ? a->head_size : a->value_size;
    p->mode = mode;
    p->count = mode == ATTENDS ? a->batch * a->heads * a->queries : a->batch * a->key_heads * rows * width;
    p->queries = a->queries;
    p->past = a->past;
    p->rows = rows;
    p->heads = a->heads;
    p->key_heads = a->key_heads;
    p->shared_by = a->heads / a->key_heads;
    p->head_size = a->head_size;
    p->value_size = a->value_size;
    p->mask_type = (uint32_t)a->mask_type;
    p->mask_starts = (uint32_t)a->mask_starts;
    p->scale = a->scale;
    p->filter = a->filter;
    for (uint32_t i = 0; i < PLAN_ATTENTION_TENSORS; i++) {
        p->given |= (uint32_t)(views[i]->number != ATTENTION_ABSENT) << i;
        p->first[i] = (uint32_t)views[i]->first;
        p->batches[i] = (uint32_t)views[i]->batch;
        p->in_heads[i] = (uint32_t)views[i]->head;
        p->in_rows[i] = (uint32_t)views[i]->row;
        p->columns[i] = (uint32_t)views[i]->column;
    }
    for (uint32_t i = 0; i < ADDRESSES; i++) {
        enum plan_operand operand = PLAN_SCRATCH; /* of an absent tensor, too */
        if (i == TARGET)
            operand = PLAN_OUTPUT + target->number;
        else if (i < TARGET && views[of_address[i]]->number != ATTENTION_ABSENT)
            operand = PLAN_INPUT + views[of_address[i]]->number;
        plan_set_address(launch, i, operand, 0);
    }
    launch->groups = mode == ATTENDS ? p->count : (p->count - 1) / traits->group_size + 1;
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_ATTENTION, .width = 32, .specials = {(uint8_t)d->outputs[ATTENTION_OUTPUT].type}};
}

void plan_attention(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    struct attention a;
    attention_init(&a, d);
    plan->bytes[PLAN_SCRATCH] = scores_of(&a) * sizeof(float);
    add_attention(d, traits, &a, ATTENDS, &a.output, plan);
    if (a.present_key.number != ATTENTION_ABSENT)
        add_attention(d, traits, &a, WRITES_KEYS, &a.present_key, plan);
    if (a.present_value.number != ATTENTION_ABSENT)
        add_attention(d, traits, &a, WRITES_VALUES, &a.present_value, plan);
}
