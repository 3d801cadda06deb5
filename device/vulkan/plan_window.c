/* plan_window.c: poolings and their gradients. */
#include "device/vulkan/plan_window.h"

#include "device/vulkan/plan_internal.h"

/* MODE of pooling.comp. */
enum { MAXIMUM, AVERAGE, NORM, QUANTISED, SHARES, PASSED, NO_POOLING };

static uint8_t window_mode(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_MAX_POOLING:
    case DML_OPERATOR_MAX_POOLING1:
    case DML_OPERATOR_MAX_POOLING2:
        return MAXIMUM;
    case DML_OPERATOR_AVERAGE_POOLING:
    case DML_OPERATOR_AVERAGE_POOLING1:
        return AVERAGE;
    case DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING:
        return QUANTISED;
    case DML_OPERATOR_AVERAGE_POOLING_GRAD:
        return SHARES;
    case DML_OPERATOR_MAX_POOLING_GRAD:
        return PASSED;
    case DML_OPERATOR_LP_POOLING:
    case DML_OPERATOR_LP_POOLING1:
        return NORM;
    default:
        return NO_POOLING;
    }
}

int plan_window_computes(DML_OPERATOR_TYPE type)
{
    return window_mode(type) != NO_POOLING;
}

/* Tells whether a coordinate of the padded input, or of a window that goes past it, may not fit into 31 bits. */
static int is_far_away(const struct descriptor *d)
{
    const struct tensor *over = window_mode(d->type) == SHARES ? &d->outputs[0] : &d->inputs[0];
    for (uint32_t i = 0; i + 2 < over->rank; i++)
        if ((uint64_t)over->sizes[i + 2] + d->lists[WINDOW_START][i] + d->lists[WINDOW_END][i] +
                d->lists[WINDOW_STRIDES][i] >
            INT32_MAX)
            return 1;
    return 0;
}

/* Returns the rounds of the loops for an element: one for each element of its window in the input, at most. */
static uint64_t rounds_of_window(const struct descriptor *d)
{
    uint64_t rounds = 1;
    for (uint32_t i = 0; i + 2 < d->inputs[0].rank; i++) {
        const uint32_t window = d->lists[WINDOW_SIZES][i], size = d->inputs[0].sizes[i + 2];
        rounds *= window < size ? window : size;
    }
    return rounds;
}

const char *plan_window_lack(const struct descriptor *descriptor, const struct vk *vk,
                             const struct pipeline_traits *traits)
{
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (traits->rounds && rounds_of_window(descriptor) > traits->rounds)
        return "loops with as many rounds as this window needs";
    return is_far_away(descriptor) && !vk->has_int64 ? "64-bit integers" : NULL;
}

/* Returns the number of the tensors' dimension that is number `k` of the kernel's: missing ones are before the spatial
 * dimensions that there are. -1: it is missing. */
static int dimension_at(const struct tensor *tensor, uint32_t k)
{
    const uint32_t missing = PLAN_WINDOW_RANK - tensor->rank;
    if (k < 2)
        return (int)k;
    return k < 2 + missing ? -1 : (int)(k - missing);
}

/* A tensor of a launch, and where it is; null: there is none. */
struct window_operand {
    const struct tensor *tensor;
    enum plan_operand operand;
};

/* The tensors of a launch, in the order of a dimension's strides. */
enum { SOURCE, TARGET, NUMBERS, WINDOW_OPERANDS };

static void set_window(const struct descriptor *d, const struct window_operand *operands, const struct tensor *computed,
                       struct plan_pooling *p)
{
    const struct tensor *source = operands[SOURCE].tensor;
    for (uint32_t k = 0; k < PLAN_WINDOW_RANK; k++) {
        const int i = dimension_at(computed, k);
        struct plan_window *window = k < 2 ? NULL : &p->spatials[k - 2];
        p->dimensions[k] = nest_dimension(i < 0 ? 1 : computed->sizes[i]);
        if (window)
            *window = (struct plan_window){1, 1, 1, 1, 0};
        if (i < 0)
            continue;
        for (uint32_t n = 0; n < WINDOW_OPERANDS; n++)
            if (operands[n].tensor)
                p->dimensions[k].stride[n] = operands[n].tensor->strides[i];
        if (window)
            *window =
                (struct plan_window){source->sizes[i], d->lists[WINDOW_SIZES][i - 2], d->lists[WINDOW_STRIDES][i - 2],
                                     d->lists[WINDOW_GAPS][i - 2], d->lists[WINDOW_START][i - 2]};
    }
}

/* Sets the scales and zero points, inputs 1 to 4: one for all channels, or one for each. */
static void set_channels(const struct descriptor *d, struct plan_pooling *p)
{
    const uint32_t from_end = d->inputs[0].rank - 1;
    for (uint32_t i = 0; i < PLAN_CHANNEL_VALUES; i++) {
        const struct tensor *tensor = &d->inputs[i + 1];
        p->given |= (uint32_t)(tensor->rank > 0) << i;
        if (tensor->rank >= from_end && tensor->sizes[tensor->rank - from_end] > 1)
            p->steps[i] = tensor->strides[tensor->rank - from_end];
    }
}

/* Adds a launch that computes an element for each of the tensor `computed`. */
static void add_pooling(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan,
                        uint32_t pass, uint8_t mode, const struct window_operand *operands,
                        const struct tensor *computed)
{
    const struct tensor *target = operands[TARGET].tensor, *numbers = operands[NUMBERS].tensor;
    struct plan_launch *launch =
        plan_add_launch(plan, pass, WINDOW_OPERANDS + PLAN_CHANNEL_VALUES, sizeof(struct plan_pooling));
    struct plan_pooling *p = &launch->parameters.pooling;
    set_window(d, operands, computed, p);
    p->count = (uint32_t)computed->count;
    p->group_size = plan_group_of_rounds(traits, p->count, PIPELINE_COPY, rounds_of_window(d));
    p->plane = (uint32_t)(d->inputs[0].count / d->inputs[0].sizes[0] / d->inputs[0].sizes[1]);
    p->power = d->window.power;
    p->includes_padding = (uint32_t)d->window.includes_padding;
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline =
        (struct pipeline_key){.kernel = PIPELINE_POOLING,
                              .width = 32,
                              .specials = {mode, (uint8_t)operands[SOURCE].tensor->type,
                                           numbers ? (uint8_t)numbers->type : 0, target ? (uint8_t)target->type : 0}};
    for (uint32_t i = 0; i < WINDOW_OPERANDS; i++)
        plan_set_address(launch, i, operands[i].tensor ? operands[i].operand : operands[SOURCE].operand, 0);
    for (uint32_t i = 0; i < PLAN_CHANNEL_VALUES; i++) {
        const int given = mode == QUANTISED && d->inputs[i + 1].rank > 0;
        plan_set_address(launch, WINDOW_OPERANDS + i, PLAN_INPUT + (given ? i + 1 : 0), 0);
    }
    if (mode == QUANTISED)
        set_channels(d, p);
}

/* Computes a gradient in two passes: the numbers of the greatest elements of all windows, and the sums. */
static void add_maximum_gradient(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    struct tensor numbers = d->inputs[1];
    struct window_operand operands[WINDOW_OPERANDS] = {
        {&d->inputs[0], PLAN_INPUT}, {NULL, 0}, {&numbers, PLAN_SCRATCH}};
    uint32_t step = 1;
    numbers.type = DML_TENSOR_DATA_TYPE_UINT32;
    for (uint32_t i = numbers.rank; i-- > 0; step *= numbers.sizes[i])
        numbers.strides[i] = step;
    plan->bytes[PLAN_SCRATCH] = numbers.count * sizeof(uint32_t);
    add_pooling(d, traits, plan, 0, MAXIMUM, operands, &numbers);
    operands[SOURCE] = (struct window_operand){&d->inputs[1], PLAN_INPUT + 1};
    operands[TARGET] = (struct window_operand){&d->outputs[0], PLAN_OUTPUT};
    add_pooling(d, traits, plan, 1, PASSED, operands, &d->outputs[0]);
}

void plan_window(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const int has_numbers = d->output_count > 1 && d->outputs[1].rank > 0;
    const struct window_operand operands[WINDOW_OPERANDS] = {
        {&d->inputs[0], PLAN_INPUT},
        {&d->outputs[0], PLAN_OUTPUT},
        {has_numbers ? &d->outputs[1] : NULL, PLAN_OUTPUT + 1},
    };
    if (window_mode(d->type) == PASSED)
        add_maximum_gradient(d, traits, plan);
    else
        add_pooling(d, traits, plan, 0, window_mode(d->type), operands, &d->outputs[0]);
}
