/* plan_resample.c: UPSAMPLE_2D, RESAMPLE, its successors and their gradients. */
#include "device/vulkan/plan_resample.h"

#include "device/vulkan/plan_internal.h"

/* Strides of a dimension. */
enum { SOURCE, TARGET };

static int is_resample_gradient(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_RESAMPLE_GRAD || type == DML_OPERATOR_RESAMPLE_GRAD1;
}

int plan_resample_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UPSAMPLE_2D || type == DML_OPERATOR_RESAMPLE || type == DML_OPERATOR_RESAMPLE1 ||
           type == DML_OPERATOR_RESAMPLE2 || type == DML_OPERATOR_RESAMPLE3 || is_resample_gradient(type);
}

/* Returns the most gradients that an element gets along a dimension: the first element those before it, too, the last
 * one those behind it. */
static uint64_t most_gradients(const struct descriptor *d, uint32_t dimension)
{
    const struct descriptor_resampling *r = &d->resampling;
    const double size = d->outputs[0].sizes[dimension], count = d->inputs[0].sizes[dimension];
    const double scale = r->scales[dimension], before = r->input_offsets[dimension],
                 after = r->output_offsets[dimension];
    const double slack = 2 + count * 0x1p-10; /* coordinates are rounded */
    const double first = (1 + before) * scale + after, last = count - ((size - 2 + before) * scale + after);
    double most = 2 * scale;
    most = first > most ? first : most;
    most = last > most ? last : most;
    return most + slack < count && size > 1 ? (uint64_t)(most + slack) : d->inputs[0].sizes[dimension];
}

/* Returns the dimension along which elements get the most gradients, which the kernel takes last. */
static uint32_t longest_dimension(const struct descriptor *d)
{
    uint32_t longest = d->inputs[0].rank - 1;
    for (uint32_t i = longest; i-- > 0;)
        if (most_gradients(d, i) > most_gradients(d, longest))
            longest = i;
    return longest;
}

/* Returns the rounds of the loops for an element: to find its gradients, to pass over the longest dimension for each of
 * the others, and one for four gradients there. */
static uint64_t rounds_of_gradients(const struct descriptor *d)
{
    enum { SEARCHES = 2 * 32 * PLAN_RESAMPLE_RANK, PASSING = 4 * PLAN_RESAMPLE_RANK, TERMS = 4 };
    const uint32_t longest = longest_dimension(d);
    uint64_t passes = 1;
    for (uint32_t i = 0; i < d->inputs[0].rank; i++)
        passes *= i == longest ? 1 : most_gradients(d, i);
    return SEARCHES + passes * (PASSING + most_gradients(d, longest) / TERMS + 1);
}

const char *plan_resample_lack(const struct descriptor *d, const struct vk *vk, const struct pipeline_traits *traits)
{
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (is_resample_gradient(d->type) && traits->rounds && rounds_of_gradients(d) > traits->rounds)
        return "loops with as many rounds as these sums need";
    return NULL;
}

/* Returns the number of the tensors' dimension that is number `k` of the kernel's; -1: it is missing. */
static int resample_dimension(const struct descriptor *d, uint32_t k)
{
    const uint32_t rank = d->outputs[0].rank, missing = PLAN_RESAMPLE_RANK - rank;
    const uint32_t last = is_resample_gradient(d->type) ? longest_dimension(d) : rank - 1;
    if (k < missing)
        return -1;
    if (k == PLAN_RESAMPLE_RANK - 1)
        return (int)last;
    return k - missing == last ? (int)rank - 1 : (int)(k - missing);
}

void plan_resample(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    const struct tensor *around = is_resample_gradient(d->type) ? output : input; /* its elements are neighbours */
    const struct descriptor_resampling *r = &d->resampling;
    const int is_whole = d->type == DML_OPERATOR_UPSAMPLE_2D;
    struct plan_launch *launch = plan_add_launch(plan, 0, 2, sizeof(struct plan_resample));
    struct plan_resample *p = &launch->parameters.resample;
    for (uint32_t k = 0; k < PLAN_RESAMPLE_RANK; k++) {
        const int i = resample_dimension(d, k);
        p->dimensions[k] = nest_dimension(i < 0 ? 1 : output->sizes[i]);
        p->whole_scales[k] = nest_dimension(!is_whole || i < 0 ? 1 : d->lists[0][i]);
        p->sizes[k] = i < 0 ? 1 : around->sizes[i];
        p->counts[k] = i < 0 ? 1 : input->sizes[i];
        p->scales[k] = 1;
        if (i < 0)
            continue;
        p->scales[k] = (float)r->scales[i];
        p->input_offsets[k] = (float)r->input_offsets[i];
        p->output_offsets[k] = (float)r->output_offsets[i];
        p->dimensions[k].stride[SOURCE] = input->strides[i];
        p->dimensions[k].stride[TARGET] = output->strides[i];
    }
    p->count = (uint32_t)output->count;
    p->group_size = is_resample_gradient(d->type)
                        ? plan_group_of_rounds(traits, p->count, PIPELINE_COPY, rounds_of_gradients(d))
                        : plan_group_size(traits, p->count, PIPELINE_COPY);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline =
        (struct pipeline_key){.kernel = PIPELINE_RESAMPLE,
                              .width = 32,
                              .specials = {(uint8_t)output->type, r->is_linear != 0, (uint8_t)is_whole,
                                           (uint8_t)r->rounding, (uint8_t)is_resample_gradient(d->type)}};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
}
