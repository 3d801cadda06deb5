/* plan_recurrence.c: recurrent networks. */
#include "device/vulkan/plan_recurrence.h"

#include "device/vulkan/plan_internal.h"

/* Returns the parts of the scratch memory: the state before and after a step; GRU also has z, and r, LSTM the cell. */
static uint32_t parts_of(const struct descriptor *d)
{
    switch (d->type) {
    case DML_OPERATOR_GRU:
        return 4;
    case DML_OPERATOR_LSTM:
        return 3;
    default:
        return 2;
    }
}

/* The launches of a network: their workgroups, and the most steps of each. */
struct recurrence_launches {
    uint32_t group_log;
    uint64_t steps;
};

/* Chooses as many invocations as usual for a workgroup or, if a step has too many rounds of loops then, more. Lavapipe
 * limits the rounds; it also counts the round that ends a loop, and runs each loop of that round once. */
static struct recurrence_launches choose_launches(const struct recurrence *r, const struct pipeline_traits *traits)
{
    const uint64_t terms = 8, row = r->gates * (r->input_size / terms + r->hidden / terms + 4) + 11;
    struct recurrence_launches found = {.steps = r->time};
    for (uint32_t size = traits->group_size;; size = 1u << found.group_log) {
        const uint64_t rows = (r->hidden - 1ull) / size + 1;
        const uint64_t step = rows * (row + 1) + 10, other = 5 * rows + 10;
        if (traits->rounds)
            found.steps = traits->rounds > other ? (traits->rounds - other) / step : 0;
        if (found.steps * PLAN_LAUNCHES >= r->time || found.group_log == traits->large_log)
            return found;
        found.group_log = traits->large_log;
    }
}

const char *plan_recurrence_lack(const struct descriptor *d, const struct vk *vk, const struct pipeline_traits *traits)
{
    struct recurrence r;
    recurrence_init(&r, d);
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (choose_launches(&r, traits).steps * PLAN_LAUNCHES < r.time)
        return "loops with as many rounds as these sequences need";
    return (uint64_t)r.direction_count * r.batch * r.hidden > INT32_MAX / parts_of(d)
               ? "scratch memory for these states"
               : 0;
}

/* Adds a launch for the steps from `begin` to before `past`. The state stays in the scratch memory. */
static void add_steps(const struct descriptor *d, const struct recurrence *r, uint32_t group_log, uint32_t begin,
                      uint32_t past, struct plan *plan)
{
    enum { TENSORS = RECURRENCE_INPUTS + RECURRENCE_OUTPUTS };
    struct plan_launch *launch = plan_add_launch(plan, plan->launch_count, TENSORS + 1, sizeof(struct plan_recurrence));
    struct plan_recurrence *p = &launch->parameters.recurrence;
    p->count = r->direction_count * r->batch;
    p->batch = r->batch;
    p->time = r->time;
    p->input_size = r->input_size;
    p->hidden = r->hidden;
    p->activations = r->activations;
    p->first_backward = (uint32_t)r->first_backward;
    p->begin = begin;
    p->past = past;
    p->kept = parts_of(d) * r->hidden;
    p->linear = (uint32_t)r->linear_before_reset;
    p->clips = (uint32_t)r->clips;
    p->couples = (uint32_t)r->couples;
    p->threshold = r->threshold;
    plan->bytes[PLAN_SCRATCH] = (uint64_t)p->count * p->kept * sizeof(float);
    for (uint32_t i = 0; i < TENSORS; i++) {
        const int is_output = i >= RECURRENCE_INPUTS;
        const uint32_t result = is_output ? i - RECURRENCE_INPUTS : 0;
        const struct tensor *tensor = is_output ? recurrence_output(d, (enum recurrence_result)result)
                                                : recurrence_input(d, (enum recurrence_role)i);
        p->given |= (uint32_t)(tensor != 0) << i;
        for (uint32_t k = 0; tensor && k < RECURRENCE_RANK; k++)
            p->strides[i][k] = tensor->strides[k];
        enum plan_operand operand = PLAN_SCRATCH; /* of an absent tensor */
        if (tensor)
            operand = is_output ? PLAN_OUTPUT + result : PLAN_INPUT + recurrence_number(d, (enum recurrence_role)i);
        plan_set_address(launch, i, operand, 0);
    }
    plan_set_address(launch, TENSORS, PLAN_SCRATCH, 0);
    for (uint32_t i = 0; i < r->activations * r->direction_count; i++) {
        p->kinds[i] = (uint32_t)d->activations[i].type;
        for (uint32_t k = 0; k < DESCRIPTOR_MAX_ATTRIBUTES; k++)
            p->attributes[i][k] = d->activations[i].attributes[k];
    }
    launch->groups = p->count;
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_RECURRENCE,
        .width = 32,
        .specials = {(uint8_t)d->inputs[0].type, (uint8_t)r->gates, [PIPELINE_SPECIALS - 1] = (uint8_t)group_log}};
}

void plan_recurrence(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    struct recurrence r;
    recurrence_init(&r, d);
    const struct recurrence_launches launches = choose_launches(&r, traits);
    for (uint64_t begin = 0; begin < r.time; begin += launches.steps) {
        const uint64_t past = begin + launches.steps;
        add_steps(d, &r, launches.group_log, (uint32_t)begin, past < r.time ? (uint32_t)past : r.time, plan);
    }
}
