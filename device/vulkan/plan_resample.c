/* plan_resample.c: UPSAMPLE_2D, RESAMPLE, its successors and their gradients. */
#include "device/vulkan/plan_resample.h"

#include "device/vulkan/plan_internal.h"

#include <math.h>
#include <string.h>

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

/* ---- gradients along a dimension */

/* The gradients that elements get along a dimension: the first element those before it, too, the last one those behind
 * it. There may be fewer, as coordinates are rounded to FLOAT32. */
struct gradients {
    uint32_t most;          /* of any element */
    uint32_t inside;        /* of an element between the first and the last one */
    uint32_t first, places; /* the first element that gets any, and the number of elements up to the last one */
};

static uint32_t whole_within(double value, uint32_t least, uint32_t most)
{
    if (value < least)
        return least;
    return value < most ? (uint32_t)value : most;
}

static struct gradients gradients_along(const struct descriptor *d, uint32_t dimension)
{
    const struct descriptor_resampling *r = &d->resampling;
    const uint32_t size = d->outputs[0].sizes[dimension], count = d->inputs[0].sizes[dimension];
    const double scale = r->scales[dimension], before = r->input_offsets[dimension],
                 after = r->output_offsets[dimension];
    const double slack = 2 + (count + fabs(after) + fabs(before) * scale) * 0x1p-19;
    const double low = -after / scale - before, high = (count - 1.0 - after) / scale - before;
    const double at_begin = (1 + before) * scale + after, at_end = count - ((size - 2.0 + before) * scale + after);
    const double longer = at_begin > at_end ? at_begin : at_end;
    struct gradients along = {.inside = size > 1 ? whole_within(2 * scale + slack, 1, count) : count};
    along.most = whole_within(longer + slack, along.inside, count);
    along.first = whole_within(low - slack / scale - 1, 0, size - 1);
    along.places = whole_within(high + slack / scale + 2, along.first, size - 1) - along.first + 1;
    return along;
}

/* ---- stages */

enum parts { NO_PARTS, MAKES_PARTS, ADDS_PARTS };

/* A launch. It adds up gradients along some dimensions, and keeps the others as its source has them. */
struct stage {
    uint64_t sizes[PLAN_RESAMPLE_RANK]; /* the target's */
    int order[PLAN_RESAMPLE_RANK];      /* the number of the tensors' dimension for each of the kernel's; -1: none */
    uint32_t kept;                      /* so many of the kernel's first dimensions are kept */
    enum parts parts;                   /* sums along the kernel's last dimension have parts */
    struct plan_resample_parts cut;
    uint64_t rounds; /* of the loops for an element; 0: few */
};

enum { MOST_STAGES = 2 * PLAN_RESAMPLE_RANK };

/* Rounds of the loops for an element: to find its gradients, and to pass over the longest dimension. */
enum { SEARCHING = 2 * 32 * PLAN_RESAMPLE_RANK, PASSING = 4 * PLAN_RESAMPLE_RANK + 1 };

enum { TERMS = 4 }; /* gradients in a round */

/* The most rounds for an element. Lavapipe ends the loops of an invocation after 65,535 in all; and long before, few
 * elements that take long leave most of a device idle. */
enum { MOST_ROUNDS = 8192 };

/* Returns the most gradients along a dimension for a part of a sum: so many that adding up the parts takes few enough
 * rounds, too. */
static uint32_t length_of_part(const struct gradients *along)
{
    const uint32_t least = 4096, most_parts = 1 << 16;
    return along->most / most_parts > least ? along->most / most_parts : least;
}

/* Returns the dimension among `n` along which elements get the most gradients. */
static uint32_t find_longest(const struct gradients *along, const uint32_t *dimensions, uint32_t n)
{
    uint32_t longest = dimensions[0];
    for (uint32_t i = 1; i < n; i++)
        longest = along[dimensions[i]].most > along[longest].most ? dimensions[i] : longest;
    return longest;
}

/* Returns the rounds for an element of a stage along `n` dimensions, or for a part of its sum along the longest one. */
static uint64_t rounds_along(const struct gradients *along, const uint32_t *dimensions, uint32_t n, int in_parts)
{
    const struct gradients *longest = &along[find_longest(along, dimensions, n)];
    const uint32_t length = in_parts ? length_of_part(longest) : longest->most;
    uint64_t passes = 1;
    for (uint32_t i = 0; i < n; i++)
        passes *= &along[dimensions[i]] == longest ? 1 : along[dimensions[i]].most;
    return SEARCHING + passes * (PASSING + (length < longest->most ? length : longest->most) / TERMS);
}

/* Sets the kernel's dimensions: those that are kept, those that the tensors lack, the others, the longest one last. */
static void order_dimensions(struct stage *stage, const uint32_t *dimensions, uint32_t n, uint32_t longest,
                             uint32_t rank)
{
    uint32_t summed = 0, k = 0;
    for (uint32_t i = 0; i < n; i++)
        summed |= 1u << dimensions[i];
    for (uint32_t i = 0; i < rank; i++)
        if (!(summed >> i & 1))
            stage->order[k++] = (int)i;
    stage->kept = k;
    while (k < PLAN_RESAMPLE_RANK - n)
        stage->order[k++] = -1;
    for (uint32_t i = 0; i < rank; i++)
        if (summed >> i & 1 && i != longest)
            stage->order[k++] = (int)i;
    stage->order[k] = (int)longest;
}

/* Replaces a stage by one that makes parts of its sums along dimension `i` and one that adds them up. Elements without
 * gradients along it have no parts. */
static void cut_sums(const struct gradients *along, uint32_t i, struct stage *stages)
{
    const uint32_t length = length_of_part(along);
    struct stage *makes = &stages[0], *adds = &stages[1];
    struct plan_resample_parts *p = &makes->cut;
    p->first_place = along->first;
    p->places = along->places;
    p->parts = (along->inside - 1) / length + 1;
    p->more = (along->most - 1) / length / p->parts;
    *adds = *makes;
    makes->parts = MAKES_PARTS;
    makes->sizes[i] = (p->places + 2ull * p->more) * p->parts;
    adds->parts = ADDS_PARTS;
    adds->rounds = PASSING + (1ull + 2 * p->more) * p->parts / TERMS;
    adds->kept = PLAN_RESAMPLE_RANK;
}

/* Sorts the dimensions: first those that shrink most, so that no stage has a larger target than necessary. */
static void sort_dimensions(const struct descriptor *d, uint32_t *dimensions)
{
    const uint32_t *from = d->inputs[0].sizes, *to = d->outputs[0].sizes;
    for (uint32_t i = 0; i < d->inputs[0].rank; i++) {
        uint32_t k = i;
        for (; k > 0 && (uint64_t)from[i] * to[dimensions[k - 1]] > (uint64_t)from[dimensions[k - 1]] * to[i]; k--)
            dimensions[k] = dimensions[k - 1];
        dimensions[k] = i;
    }
}

/* Returns the number of dimensions, of `n`, for a stage: as many as it has rounds for. Along one that grows no parts of
 * sums are made, since most of its elements get no gradients, but each would take memory for its parts. */
static uint32_t count_together(const struct descriptor *d, const struct gradients *along, const uint32_t *dimensions,
                               uint32_t n)
{
    uint32_t k = 1;
    for (; k < n; k++) {
        const int grows = d->outputs[0].sizes[dimensions[k]] > d->inputs[0].sizes[dimensions[k]];
        if (rounds_along(along, dimensions, k + 1, !grows) > MOST_ROUNDS)
            break;
    }
    return k;
}

/* Finds the launches of gradients: one along all dimensions, unless that takes too many rounds; then each along as many
 * dimensions as it has rounds for, or two, if sums along one dimension are made in parts. Returns their number. */
static uint32_t find_sums(const struct descriptor *d, struct stage *stages)
{
    const uint32_t rank = d->inputs[0].rank;
    struct gradients along[PLAN_RESAMPLE_RANK];
    uint32_t dimensions[PLAN_RESAMPLE_RANK], count = 0;
    uint64_t sizes[PLAN_RESAMPLE_RANK] = {0};
    for (uint32_t i = 0; i < rank; i++) {
        along[i] = gradients_along(d, i);
        sizes[i] = d->inputs[0].sizes[i];
    }
    sort_dimensions(d, dimensions);
    for (uint32_t begin = 0, n; begin < rank; begin += n) {
        const uint32_t *from = &dimensions[begin];
        n = count_together(d, along, from, rank - begin);
        const uint32_t longest = find_longest(along, from, n);
        const int in_parts = rounds_along(along, from, n, 0) > MOST_ROUNDS;
        struct stage *stage = &stages[count];
        for (uint32_t i = 0; i < n; i++)
            sizes[from[i]] = d->outputs[0].sizes[from[i]];
        *stage = (struct stage){.rounds = rounds_along(along, from, n, in_parts)};
        memcpy(stage->sizes, sizes, sizeof sizes);
        order_dimensions(stage, from, n, longest, rank);
        if (in_parts)
            cut_sums(&along[longest], longest, stage);
        count += in_parts ? 2 : 1;
    }
    return count;
}

/* Finds the launches of an operator. Returns their number. */
static uint32_t find_stages(const struct descriptor *d, struct stage *stages)
{
    const uint32_t rank = d->inputs[0].rank;
    uint32_t dimensions[PLAN_RESAMPLE_RANK];
    struct stage *stage = &stages[0];
    if (is_resample_gradient(d->type))
        return find_sums(d, stages);
    *stage = (struct stage){.rounds = 0};
    for (uint32_t i = 0; i < rank; i++) {
        dimensions[i] = i;
        stage->sizes[i] = d->outputs[0].sizes[i];
    }
    order_dimensions(stage, dimensions, rank, rank - 1, rank);
    return 1;
}

static uint64_t target_count(const struct stage *stage, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= stage->sizes[i];
    return count;
}

/* Only gradients of almost 2^32 elements need larger scratch memory than the kernel can count. */
const char *plan_resample_lack(const struct descriptor *d, const struct vk *vk)
{
    struct stage stages[MOST_STAGES];
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    for (uint32_t i = find_stages(d, stages); i-- > 0;)
        if (target_count(&stages[i], d->inputs[0].rank) > UINT32_MAX)
            return "scratch memory for these sums";
    return NULL;
}

/* ---- launches */

/* A tensor that a launch reads or writes. */
struct view {
    enum plan_operand operand;
    uint64_t offset;
    DML_TENSOR_DATA_TYPE type;
    uint32_t strides[PLAN_RESAMPLE_RANK];
};

static struct view view_of_tensor(const struct tensor *tensor, enum plan_operand operand)
{
    struct view view = {.operand = operand, .type = tensor->type};
    memcpy(view.strides, tensor->strides, tensor->rank * sizeof *view.strides);
    return view;
}

/* Takes scratch memory for the target of a stage. */
static struct view take_scratch(const struct stage *stage, uint32_t rank, struct plan *plan)
{
    struct view view = {
        .operand = PLAN_SCRATCH, .offset = plan->bytes[PLAN_SCRATCH], .type = DML_TENSOR_DATA_TYPE_FLOAT32};
    uint32_t step = 1;
    for (uint32_t i = rank; i-- > 0; step *= (uint32_t)stage->sizes[i])
        view.strides[i] = step;
    plan->bytes[PLAN_SCRATCH] += (target_count(stage, rank) * sizeof(float) + PLAN_QUAD - 1) / PLAN_QUAD * PLAN_QUAD;
    return view;
}

static void add_stage(const struct descriptor *d, const struct pipeline_traits *traits, const struct stage *stage,
                      const struct view *source, const struct view *target, struct plan *plan)
{
    const int is_gradient = is_resample_gradient(d->type), is_whole = d->type == DML_OPERATOR_UPSAMPLE_2D;
    const struct tensor *input = &d->inputs[0], *around = is_gradient ? &d->outputs[0] : input; /* has the neighbours */
    const struct descriptor_resampling *r = &d->resampling;
    struct plan_launch *launch = plan_add_launch(plan, plan->launch_count, 2, sizeof(struct plan_resample));
    struct plan_resample *p = &launch->parameters.resample;
    for (uint32_t k = 0; k < PLAN_RESAMPLE_RANK; k++) {
        const int i = stage->order[k];
        p->dimensions[k] = nest_dimension(i < 0 ? 1 : (uint32_t)stage->sizes[i]);
        p->whole_scales[k] = nest_dimension(!is_whole || i < 0 ? 1 : d->lists[0][i]);
        p->sizes[k] = i < 0 ? 1 : around->sizes[i];
        p->counts[k] = i < 0 ? 1 : input->sizes[i];
        p->scales[k] = 1;
        if (i < 0)
            continue;
        p->scales[k] = (float)r->scales[i];
        p->input_offsets[k] = (float)r->input_offsets[i];
        p->output_offsets[k] = (float)r->output_offsets[i];
        p->dimensions[k].stride[SOURCE] = source->strides[i];
        p->dimensions[k].stride[TARGET] = target->strides[i];
    }
    p->cut = stage->cut;
    p->count = (uint32_t)target_count(stage, input->rank);
    p->group_size = plan_group_of_rounds(traits, p->count, PIPELINE_COPY, stage->rounds);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_RESAMPLE,
        .width = 32,
        .specials = {(uint8_t)source->type, (uint8_t)target->type, r->is_linear != 0, (uint8_t)is_whole,
                     (uint8_t)r->rounding, (uint8_t)is_gradient, (uint8_t)stage->kept, (uint8_t)stage->parts}};
    plan_set_address(launch, 0, source->operand, source->offset);
    plan_set_address(launch, 1, target->operand, target->offset);
}

void plan_resample(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    struct stage stages[MOST_STAGES];
    const uint32_t count = find_stages(d, stages);
    struct view source = view_of_tensor(&d->inputs[0], PLAN_INPUT);
    for (uint32_t i = 0; i < count; i++) {
        const struct view target = i + 1 < count ? take_scratch(&stages[i], d->inputs[0].rank, plan)
                                                 : view_of_tensor(&d->outputs[0], PLAN_OUTPUT);
        add_stage(d, traits, &stages[i], &source, &target, plan);
        source = target;
    }
}
