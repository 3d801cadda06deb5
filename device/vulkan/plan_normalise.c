/* plan_normalise.c: normalisations and their gradients: slices of elements, and all operands at the coordinates of the
 * input. */
#include "device/vulkan/plan_normalise.h"

#include "device/vulkan/plan_internal.h"

enum operation { MEAN_VARIANCE, TRAINING, MAGNITUDES, SQUARES, GIVEN, GRADIENT, TRAINING_GRADIENT };

/* STAGE of shaders/normalize.comp. */
enum stage { WHOLE, SUMS, PRODUCTS, RESULTS };
enum { INPUT, SECOND, SCALE, BIAS, MEAN, VARIANCE, TARGET, BIAS_TARGET, OPERANDS, SCALE_TARGET = BIAS };

int plan_normalise_computes(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION:
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1:
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2:
    case DML_OPERATOR_LP_NORMALIZATION:
    case DML_OPERATOR_BATCH_NORMALIZATION:
    case DML_OPERATOR_BATCH_NORMALIZATION_TRAINING:
    case DML_OPERATOR_BATCH_NORMALIZATION_GRAD:
    case DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD:
        return 1;
    default:
        return 0;
    }
}

const char *plan_normalise_lack(const struct descriptor *descriptor, const struct vk *vk)
{
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    return plan_activates(descriptor->activation) ? NULL : "a formula of the fused activation";
}

/* An operator in terms of the kernel's operation and operands. */
struct normalising {
    enum operation operation;
    uint32_t axes; /* a bit for each dimension that a slice is over */
    int centred, divided;
    FLOAT epsilon;
    const struct tensor *operands[OPERANDS]; /* null: the operand is absent */
    enum plan_operand memory[OPERANDS];
};

static void take_operand(struct normalising *n, const struct descriptor *d, int operand, enum plan_operand from)
{
    uint32_t output = (uint32_t)from - PLAN_OUTPUT;
    const struct tensor *tensor = from >= PLAN_OUTPUT ? &d->outputs[output] : &d->inputs[from];
    n->operands[operand] = tensor->rank ? tensor : NULL;
    n->memory[operand] = from;
}

static uint32_t normalising_axes(const struct descriptor *d, uint32_t count)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < count; i++)
        axes |= 1u << d->lists[0][i];
    return axes;
}

/* Returns a bit for each dimension in which the tensor has one element. */
static uint32_t normalising_axes_without(const struct tensor *tensor)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        axes |= (uint32_t)(tensor->sizes[i] == 1) << i;
    return axes;
}

static void read_mean_variance_attributes(const struct descriptor *d, struct normalising *n)
{
    const union descriptor_struct *desc = &d->desc;
    take_operand(n, d, SCALE, PLAN_INPUT + 1);
    take_operand(n, d, BIAS, PLAN_INPUT + 2);
    if (d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION) {
        n->axes = desc->mean_variance.CrossChannel ? 0xe : 0xc;
        n->divided = desc->mean_variance.NormalizeVariance;
        n->epsilon = desc->mean_variance.Epsilon;
    } else if (d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1) {
        n->axes = normalising_axes(d, desc->mean_variance1.AxisCount);
        n->divided = desc->mean_variance1.NormalizeVariance;
        n->epsilon = desc->mean_variance1.Epsilon;
    } else {
        n->axes = normalising_axes(d, desc->mean_variance2.AxisCount);
        n->centred = desc->mean_variance2.UseMean;
        n->divided = desc->mean_variance2.UseVariance;
        n->epsilon = desc->mean_variance2.Epsilon;
    }
}

static void read_batch(const struct descriptor *d, struct normalising *n)
{
    switch ((int)d->type) {
    case DML_OPERATOR_BATCH_NORMALIZATION:
        n->operation = GIVEN;
        n->epsilon = d->desc.batch.Epsilon;
        take_operand(n, d, MEAN, PLAN_INPUT + 1);
        take_operand(n, d, VARIANCE, PLAN_INPUT + 2);
        take_operand(n, d, SCALE, PLAN_INPUT + 3);
        take_operand(n, d, BIAS, PLAN_INPUT + 4);
        break;
    case DML_OPERATOR_BATCH_NORMALIZATION_TRAINING:
        n->operation = TRAINING;
        n->axes = normalising_axes_without(&d->inputs[1]);
        n->epsilon = d->desc.batch_training.Epsilon;
        take_operand(n, d, SCALE, PLAN_INPUT + 1);
        take_operand(n, d, BIAS, PLAN_INPUT + 2);
        take_operand(n, d, SECOND, PLAN_INPUT + 3);
        take_operand(n, d, MEAN, PLAN_OUTPUT + 1);
        take_operand(n, d, VARIANCE, PLAN_OUTPUT + 2);
        break;
    default:
        n->operation = d->type == DML_OPERATOR_BATCH_NORMALIZATION_GRAD ? GRADIENT : TRAINING_GRADIENT;
        n->axes = normalising_axes_without(&d->inputs[2]);
        n->epsilon = d->desc.batch_grad.Epsilon;
        take_operand(n, d, SECOND, PLAN_INPUT + 1);
        take_operand(n, d, MEAN, PLAN_INPUT + 2);
        take_operand(n, d, VARIANCE, PLAN_INPUT + 3);
        take_operand(n, d, SCALE, PLAN_INPUT + 4);
        take_operand(n, d, SCALE_TARGET, PLAN_OUTPUT + 1);
        take_operand(n, d, BIAS_TARGET, PLAN_OUTPUT + 2);
    }
}

static struct normalising read_description(const struct descriptor *d)
{
    struct normalising n = {.operation = MEAN_VARIANCE, .centred = 1, .divided = 1};
    take_operand(&n, d, INPUT, PLAN_INPUT);
    take_operand(&n, d, TARGET, PLAN_OUTPUT);
    if (d->type == DML_OPERATOR_LP_NORMALIZATION) {
        n.operation = d->desc.lp.P == 1 ? MAGNITUDES : SQUARES;
        n.axes = 1u << d->desc.lp.Axis;
        n.epsilon = d->desc.lp.Epsilon;
    } else if (d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION ||
               d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1 ||
               d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2) {
        read_mean_variance_attributes(d, &n);
    } else {
        read_batch(d, &n);
    }
    return n;
}

/* Adds a dimension of the input; an operand that has one element there does not step. */
static void add_dimension(const struct normalising *n, uint32_t at, struct plan_wide *dimensions, uint32_t *rank)
{
    uint32_t size = n->operands[INPUT]->sizes[at];
    if (size == 1)
        return;
    struct plan_wide *to = &dimensions[(*rank)++];
    to->first = nest_dimension(size);
    for (uint32_t k = 0; k < OPERANDS; k++) {
        const struct tensor *tensor = n->operands[k];
        uint32_t stride = tensor && tensor->sizes[at] > 1 ? tensor->strides[at] : 0;
        *(k < PLAN_STRIDES ? &to->first.stride[k] : &to->more[k - PLAN_STRIDES]) = stride;
    }
}

/* Returns log2(n), rounded down. */
static uint32_t log_below(uint64_t n)
{
    return 63 - (uint32_t)__builtin_clzll(n);
}

/* Tells whether sums about the mean follow the first sums. */
static int has_products(enum operation operation)
{
    return operation == MEAN_VARIANCE || operation == TRAINING || operation == GRADIENT ||
           operation == TRAINING_GRADIENT;
}

/* Returns the slices of INPUT and TARGET. */
static void read_slices(const struct plan_normalise *p, struct nest *lines, struct nest *places)
{
    *lines = (struct nest){.rank = p->line_rank};
    *places = (struct nest){.rank = p->place_rank};
    for (uint32_t d = 0; d < p->line_rank; d++) {
        lines->size[d] = p->lines[d].first.size;
        lines->stride[d][0] = p->lines[d].first.stride[INPUT];
        lines->stride[d][1] = p->lines[d].more[TARGET - PLAN_STRIDES];
    }
    for (uint32_t d = 0; d < p->place_rank; d++) {
        places->size[d] = p->places[d].first.size;
        places->stride[d][0] = p->places[d].first.stride[INPUT];
        places->stride[d][1] = p->places[d].more[TARGET - PLAN_STRIDES];
    }
}

/* Tells whether elements of different slices lie nearer to each other than those of one slice. */
static int has_adjacent_lines(const struct plan_normalise *p)
{
    return p->line_rank > 0 && p->place_rank > 0 && p->lines[0].first.stride[INPUT] < p->places[0].first.stride[INPUT];
}

/* Returns plan_row() for INPUT and TARGET. */
static uint8_t row_of(const struct plan_normalise *p, uint32_t kept)
{
    struct nest lines, places;
    read_slices(p, &lines, &places);
    return plan_row(&lines, &places, kept);
}

/* Returns a bit for each operand that a workgroup should read as texels, row by row; 0: it should not take rows. See
 * shaders/normalize_rows.glsl. */
static uint32_t texels_of_rows(const struct normalising *n, const struct plan_normalise *p,
                               const struct pipeline_traits *traits)
{
    struct nest lines, places;
    read_slices(p, &lines, &places);
    int has_rows = n->operation == MEAN_VARIANCE || n->operation == MAGNITUDES || n->operation == SQUARES;
    if (!has_rows || !plan_takes_rows(traits, &lines, &places, n->operands[INPUT]->bytes))
        return 0;
    uint32_t texels = 1u << INPUT;
    for (uint32_t k = SCALE; k <= BIAS; k++) {
        uint32_t step = p->places[0].first.stride[k], odd = 0;
        for (uint32_t d = 0; d < p->line_rank; d++)
            odd |= p->lines[d].first.stride[k];
        if (step == 0)
            continue;
        if (step != 1 || odd % 4 != 0 || n->operands[k]->bytes > traits->texel_bytes)
            return 0;
        texels |= 1u << k;
    }
    return texels;
}

/* Adds a launch, and returns it: it computes slices at once, or one pass over their tiles. `parameters`: all parameters
 * but addresses. `kept`: see normalize.comp. */
static struct plan_launch *add_normalise_stage(const struct descriptor *d, const struct normalising *n,
                                               const struct plan_normalise *parameters, enum stage stage, uint32_t kept,
                                               uint32_t pass, struct plan *plan)
{
    struct plan_launch *launch = plan_add_launch(plan, pass, OPERANDS + 2, sizeof(struct plan_normalise));
    struct plan_normalise *p = &launch->parameters.normalise;
    *p = *parameters;
    for (uint32_t k = 0; k < OPERANDS; k++)
        plan_set_address(launch, k, n->operands[k] ? n->memory[k] : PLAN_INPUT, 0);
    uint64_t bytes = (uint64_t)p->line_count * p->tiles * sizeof(float), room = (bytes + 15) / 16 * 16;
    for (uint32_t k = 0; k < 2; k++) /* whole slices need no sums of tiles */
        plan_set_address(launch, OPERANDS + k, stage == WHOLE ? PLAN_INPUT : PLAN_SCRATCH,
                         stage == WHOLE ? 0 : k * room);
    if (stage != WHOLE)
        plan->bytes[PLAN_SCRATCH] = 2 * room;
    launch->groups = (((p->line_count - 1) >> p->lines_log) + 1) * p->tiles;
    launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_NORMALIZE,
                                             .width = 32,
                                             .specials = {(uint8_t)n->operation, (uint8_t)d->inputs[0].type,
                                                          (uint8_t)d->activation, (uint8_t)stage, (uint8_t)kept,
                                                          row_of(p, kept), kept > 1 ? (uint8_t)p->given : 0}};
    return launch;
}

/* Adds a launch whose workgroups take a slice each. `texels`: see texels_of_rows(). */
static void add_rows(const struct descriptor *d, const struct normalising *n, struct plan_normalise *p, uint32_t texels,
                     const struct pipeline_traits *traits, struct plan *plan)
{
    p->lines_log = 0;
    p->tile = p->count;
    p->tiles = 1;
    struct plan_launch *launch = add_normalise_stage(d, n, p, WHOLE, 1, 0, plan);
    plan_set_texels(launch, texels, TARGET, d->outputs[0].bytes, traits);
    launch->pipeline.specials[6] = (uint8_t)p->given;
    launch->pipeline.specials[7] = (uint8_t)texels;
}

/* Adds the launches. A workgroup takes whole slices: one, or several short ones. Slices with more elements than its
 * invocations should have are cut into tiles: the sums of the tiles come first, then their sums about the mean. */
void plan_normalise(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct normalising n = read_description(d);
    const struct tensor *input = &d->inputs[0];
    struct plan_normalise parameters = {0}, *p = &parameters;
    p->line_count = p->count = 1;
    for (uint32_t i = input->rank; i-- > 0;) { /* innermost first */
        int inside = n.axes >> i & 1;
        *(inside ? &p->count : &p->line_count) *= input->sizes[i];
        add_dimension(&n, i, inside ? p->places : p->lines, inside ? &p->place_rank : &p->line_rank);
    }
    uint32_t each = plan_each(traits, input->count, p->count, 1), lanes = (p->count - 1) / each + 1;
    uint32_t all = log_below(traits->group_size), wanted = log_below(2ull * lanes - 1);
    p->lanes_log = wanted < all ? wanted : all;
    if (p->count == 1)
        p->lanes_log = 0;
    p->lines_adjacent = has_adjacent_lines(p) && traits->kept > 1 && nest_is_large(input->count);
    if (p->lines_adjacent) {
        uint32_t widest = plan_widest(traits, input->count, p->count),
                 most = log_below(2ull * p->lines[0].first.size - 1);
        uint32_t least = widest < most ? widest : most;
        p->lanes_log = p->lanes_log < all - least ? p->lanes_log : all - least;
    }
    p->lines_log = all - p->lanes_log;
    p->centred = n.centred != 0;
    p->divided = n.divided != 0;
    p->epsilon = n.epsilon;
    p->a = d->activation_attributes[0];
    p->b = d->activation_attributes[1];
    for (uint32_t k = 0; k < OPERANDS; k++)
        p->given |= (uint32_t)(n.operands[k] != NULL) << k;
    uint32_t texels = texels_of_rows(&n, p, traits);
    if (texels) {
        add_rows(d, &n, p, texels, traits, plan);
        return;
    }
    int keeps = p->count > 1 && n.operation != GRADIENT && n.operation != TRAINING_GRADIENT;
    uint32_t kept = keeps ? plan_kept(traits, input->count, p->count, p->lanes_log) : 1;
    uint32_t groups = ((p->line_count - 1) >> p->lines_log) + 1;
    uint64_t tile = (uint64_t)plan_most(traits, input->count, groups) << p->lanes_log;
    p->tile = tile < p->count ? (uint32_t)tile : p->count;
    p->tiles = (p->count - 1) / p->tile + 1;
    if (p->tiles == 1) {
        uint32_t group_log = kept > 1 && !p->lines_adjacent ? plan_small_log(p->lanes_log) : 0;
        if (group_log)
            p->lines_log = group_log - p->lanes_log;
        struct plan_launch *launch = add_normalise_stage(d, &n, p, WHOLE, kept, 0, plan);
        launch->pipeline.specials[PIPELINE_SPECIALS - 1] = (uint8_t)group_log;
        return;
    }
    uint32_t pass = 0;
    kept = keeps ? plan_kept(traits, input->count, p->tile, p->lanes_log) : 1;
    add_normalise_stage(d, &n, p, SUMS, kept, pass++, plan);
    if (has_products(n.operation))
        add_normalise_stage(d, &n, p, PRODUCTS, kept, pass++, plan);
    add_normalise_stage(d, &n, p, RESULTS, kept, pass, plan);
}
