/* plan_cumulate.c: cumulative sums and products. */
#include "device/common/number.h"
#include "device/vulkan/plan_internal.h"

/* Parameters that the launches of an operator share. */
struct cumulation {
    int is_product, is_float;
    uint32_t number_size; /* bytes of the kernels' numbers */
};

/* Adds the kernel that cumulates each tile of each line. The caller sets addresses and places. */
static struct plan_launch *add_cumulation(const struct cumulation *c, const struct plan_grid *grid,
                                          const struct nest *lines, DML_TENSOR_DATA_TYPE type, int is_exclusive,
                                          uint32_t pass, struct plan *plan)
{
    struct plan_launch *launch = plan_add_launch(plan, pass, 3, sizeof(struct plan_cumulate));
    struct plan_cumulate *p = &launch->parameters.cumulate;
    p->grid = *grid;
    nest_dimensions(lines, PLAN_DIMENSIONS, p->line_dimensions);
    launch->groups = grid->line_groups * ((grid->line_length - 1) / grid->tile + 1);
    launch->pipeline = (struct pipeline_key){
        .kernel = c->is_float ? PIPELINE_CUMULATE_REAL : PIPELINE_CUMULATE_WHOLE,
        .width = c->number_size == 8 ? 64 : 32,
        .specials = {(uint8_t)c->is_product, (uint8_t)type, (uint8_t)is_exclusive},
    };
    return launch;
}

/* Tells whether the elements of each line lie side by side, in runs of `run` that begin at a multiple of it. */
static int are_runs(const struct nest *lines, const struct nest *places, uint32_t run)
{
    uint32_t odd = places->size[0];
    for (uint32_t d = 0; d < lines->rank; d++)
        odd |= lines->stride[d][0] | lines->stride[d][1];
    return odd % run == 0 && places->rank == 1 && places->stride[0][0] == 1 && places->stride[0][1] == 1;
}

/* Tells whether an invocation should take a line alone, as texels: there are enough lines, and the elements of each
 * line lie side by side, in whole runs. See shaders/cumulate_lines.glsl. */
static int takes_lines(const struct descriptor *descriptor, const struct nest *lines, const struct nest *places,
                       const struct pipeline_traits *traits)
{
    const uint32_t run = 16, enough = 16, longest = 1 << 16;
    const struct tensor *input = &descriptor->inputs[0];
    return input->bytes <= traits->texel_bytes && input->element_size <= 4 && nest_is_large(input->count) &&
           descriptor->desc.cumulative_sum.AxisDirection == DML_AXIS_DIRECTION_INCREASING &&
           are_runs(lines, places, run) && places->size[0] <= longest &&
           nest_count(lines) >= enough * traits->group_size;
}

/* Tells whether a subgroup should take a line alone: there are enough lines, and they are not so short that invocations
 * idle or so long that errors grow. See shaders/cumulate_fours.glsl. */
static int takes_fours(const struct descriptor *descriptor, const struct nest *lines, const struct nest *places,
                       const struct pipeline_traits *traits)
{
    const uint32_t shortest = 256, longest = 1 << 16;
    return traits->scans && descriptor->inputs[0].element_size == 4 &&
           descriptor->desc.cumulative_sum.AxisDirection == DML_AXIS_DIRECTION_INCREASING &&
           are_runs(lines, places, 4) && places->size[0] >= shortest && places->size[0] <= longest &&
           nest_count(lines) >= traits->groups_at_least;
}

/* Returns a grid with a power of two of whole lines for each workgroup. */
static struct plan_grid share_lines(const struct nest *lines, const struct nest *places, uint32_t each)
{
    uint32_t count = (uint32_t)nest_count(lines);
    return (struct plan_grid){
        .line_count = count,
        .line_groups = (count - 1) / each + 1,
        .lines_log = (uint32_t)__builtin_ctz(each),
        .lines_adjacent = 1,
        .line_length = places->size[0],
        .line_rank = lines->rank,
    };
}

/* Returns the elements that an invocation takes at a time: see shaders/cumulate.glsl. */
static uint32_t each_of(const struct cumulation *c)
{
    return c->number_size == 8 ? 2 : 4;
}

/* Returns the elements of a line that a workgroup takes: all, if there are enough lines, and loops may have so many
 * rounds. With tiles, the input is read twice. */
static uint32_t cumulate_choose_tile(const struct cumulation *c, const struct plan_grid *grid,
                                     const struct pipeline_traits *traits)
{
    const uint64_t few = 8, least = 4, most = 1024; /* chunks */
    uint64_t chunk = (uint64_t)each_of(c) << grid->places_log;
    uint64_t wanted = (traits->groups_at_least - 1) / grid->line_groups + 1, chunks = grid->line_length / chunk;
    const uint64_t rounds = grid->places_log + 2; /* rounds of loops, for a chunk */
    int is_short = !traits->rounds || (chunks + 1) * rounds <= traits->rounds;
    if ((wanted <= 4 && is_short) || chunks <= few)
        return grid->line_length;
    uint64_t each = plan_within(chunks / wanted, least, most);
    return chunk * each < grid->line_length ? (uint32_t)(chunk * each) : grid->line_length;
}

/* Adds the kernels that write, for each tile of each line, the sum of all tiles before it, in passes 0 and 1. */
static void add_sums(const struct cumulation *c, const struct plan_level *level, const struct pipeline_traits *traits,
                     struct plan *plan)
{
    const struct plan_grid *grid = &level->grid;
    uint32_t tiles = (grid->line_length - 1) / grid->tile + 1;
    struct nest lines = {0}, places = {0};
    plan->bytes[PLAN_SCRATCH] = (uint64_t)tiles * grid->line_count * c->number_size;
    struct plan_launch *sums = plan_add_level(level, 0, plan);
    for (uint32_t i = 0; i < 4; i++)
        plan_set_address(sums, i, i < 2 ? PLAN_INPUT : PLAN_SCRATCH, 0);
    nest_add(&lines, grid->line_count, (const uint32_t[PLAN_STRIDES]){1, 1});
    nest_add(&places, tiles, (const uint32_t[PLAN_STRIDES]){grid->line_count, grid->line_count});
    struct plan_grid upper = plan_choose_grid(&lines, &places, each_of(c), PLAN_WIDEST, traits);
    upper.tile = tiles;
    struct plan_launch *before = add_cumulation(c, &upper, &lines, DML_TENSOR_DATA_TYPE_UNKNOWN, 1, 1, plan);
    before->parameters.cumulate.source_step = before->parameters.cumulate.target_step = grid->line_count;
    for (uint32_t i = 0; i < 3; i++)
        plan_set_address(before, i, PLAN_SCRATCH, 0);
}

void plan_cumulate(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *output = &descriptor->outputs[0];
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC *desc = &descriptor->desc.cumulative_sum; /* the product's, too */
    uint32_t axis = desc->Axis, last = input->sizes[axis] - 1;
    struct cumulation c = {
        .is_product = descriptor->type == DML_OPERATOR_CUMULATIVE_PRODUCT,
        .is_float = number_is_float(input->type),
        .number_size = input->element_size == 8 ? 8 : 4,
    };
    struct nest lines = {0}, places = {0};
    for (uint32_t d = 0; d < input->rank; d++)
        nest_add(d == axis ? &places : &lines, input->sizes[d],
                 (const uint32_t[PLAN_STRIDES]){input->strides[d], output->strides[d]});
    nest_merge(&lines);
    int is_texels = takes_lines(descriptor, &lines, &places, traits);
    int is_fours = takes_fours(descriptor, &lines, &places, traits);
    struct plan_grid grid;
    if (is_texels)
        grid = share_lines(&lines, &places, traits->group_size);
    else if (is_fours)
        grid = share_lines(&lines, &places, traits->subgroups_in_group);
    else
        grid = plan_choose_grid(&lines, &places, each_of(&c), PLAN_WIDEST, traits);
    grid.tile = is_texels || is_fours ? grid.line_length : cumulate_choose_tile(&c, &grid, traits);
    int is_tiled = grid.tile < grid.line_length, is_back = desc->AxisDirection == DML_AXIS_DIRECTION_DECREASING;
    uint32_t steps[2] = {input->strides[axis], output->strides[axis]}, firsts[2] = {0};
    for (int i = 0; i < 2 && is_back; i++) {
        firsts[i] = last * steps[i];
        steps[i] = 0 - steps[i];
    }
    if (is_tiled) {
        places.stride[0][0] = steps[0];
        struct plan_level level = {
            .lines = &lines,
            .places = &places,
            .function = c.is_product ? DML_REDUCE_FUNCTION_MULTIPLY : DML_REDUCE_FUNCTION_SUM,
            .type = input->type,
            .is_float = c.is_float,
            .number_size = c.number_size,
            .first = firsts[0],
            .grid = grid,
            .texel_bytes = traits->texel_bytes,
            .bytes = input->bytes,
        };
        add_sums(&c, &level, traits, plan);
    }
    struct plan_launch *launch =
        add_cumulation(&c, &grid, &lines, input->type, desc->HasExclusiveSum != 0, is_tiled ? 2 : 0, plan);
    struct plan_cumulate *p = &launch->parameters.cumulate;
    p->source_first = firsts[0];
    p->source_step = steps[0];
    p->target_first = firsts[1];
    p->target_step = steps[1];
    p->is_tiled = (uint32_t)is_tiled;
    if (is_texels)
        plan_set_texels(launch, 1, 1, output->bytes, traits);
    if (is_fours)
        launch->pipeline.kernel = c.is_float ? PIPELINE_CUMULATE_REAL_FOURS : PIPELINE_CUMULATE_WHOLE_FOURS;
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
    plan_set_address(launch, 2, is_tiled ? PLAN_SCRATCH : PLAN_INPUT, 0);
}
