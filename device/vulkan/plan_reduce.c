#include "device/vulkan/plan_reduce.h"

#include "device/common/number.h"
#include "device/vulkan/plan_internal.h"

enum { SOURCE, TARGET };

/* log2 of the number of neighbours on a GPU that take four lines each. */
enum { QUADS_LOG = 3 };

/* The factor by which the device needs fewer workgroups if invocations take several lines: they have so much in
 * flight. */
enum { ACROSS_GROUPS = 16 };

int plan_reduce_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_REDUCE || type == DML_OPERATOR_ARGMIN || type == DML_OPERATOR_ARGMAX ||
           type == DML_OPERATOR_CUMULATIVE_SUMMATION || type == DML_OPERATOR_CUMULATIVE_PRODUCT;
}

const char *plan_reduce_lack(const struct descriptor *descriptor, const struct vk *vk)
{
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    return descriptor->inputs[0].element_size == 8 && !vk->has_int64 ? "64-bit integers" : NULL;
}

/* ---- how workgroups share the elements */

/* Returns log2(n), rounded up. */
static uint32_t log_above(uint64_t n)
{
    return n > 1 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 0;
}

static uint32_t least_of(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* Returns the number of lines, one after the other, whose elements lie nearer to each other than the elements of one
 * line; 0: no lines are adjacent. */
static uint32_t count_adjacent(const struct nest *lines, const struct nest *places)
{
    if (!lines->rank)
        return 0;
    uint32_t inner = lines->rank - 1;
    if (!places->rank)
        return lines->size[inner];
    return lines->stride[inner][SOURCE] < places->stride[places->rank - 1][SOURCE] ? lines->size[inner] : 0;
}

struct plan_grid plan_choose_grid(const struct nest *lines, const struct nest *places, uint32_t each, uint32_t widest,
                                  const struct pipeline_traits *traits)
{
    uint32_t all = log_above(traits->group_size + 1ull) - 1, adjacent = count_adjacent(lines, places);
    uint64_t line_count = nest_count(lines), length = nest_count(places);
    uint32_t lines_log = adjacent ? least_of(least_of(log_above(adjacent), widest), all) : 0;
    uint32_t places_log = least_of(all - lines_log, log_above((length - 1) / each + 1));
    lines_log = least_of(all - places_log, log_above(line_count));
    places_log = least_of(all - lines_log, log_above(length));
    return (struct plan_grid){
        .line_count = (uint32_t)line_count,
        .line_groups = (uint32_t)((line_count - 1) >> lines_log) + 1,
        .lines_log = lines_log,
        .places_log = places_log,
        .lines_adjacent = adjacent != 0,
        .line_length = (uint32_t)length,
        .line_rank = lines->rank,
    };
}

/* Returns the elements of a line that a workgroup takes: all, unless that leaves the device without work, with fewer
 * than `groups` workgroups, or makes long sums, of more than `most` elements for each invocation. */
static uint32_t reduce_choose_tile(const struct plan_grid *grid, uint32_t groups, uint64_t most)
{
    const uint64_t least = 16, few = 64; /* elements for each invocation */
    uint64_t places = 1ull << grid->places_log;
    uint64_t wanted = (groups - 1) / grid->line_groups + 1;
    uint64_t each = grid->line_length / (places * wanted) / 4 * 4;
    if (grid->line_length <= few * places)
        return grid->line_length;
    each = plan_within(each, least, most);
    return places * each < grid->line_length ? (uint32_t)(places * each) : grid->line_length;
}

/* ---- levels */

static int is_index(DML_REDUCE_FUNCTION function)
{
    return function == DML_REDUCE_FUNCTION_ARGMIN || function == DML_REDUCE_FUNCTION_ARGMAX;
}

static int is_order(DML_REDUCE_FUNCTION function)
{
    return is_index(function) || function == DML_REDUCE_FUNCTION_MIN || function == DML_REDUCE_FUNCTION_MAX;
}

/* Tells whether the elements of each line lie side by side, in fours, and all lines begin at a multiple of four. */
static int lies_in_fours(const struct plan_level *level)
{
    const struct nest *lines = level->lines, *places = level->places;
    uint32_t odd = level->first | level->grid.line_length | level->grid.tile;
    for (uint32_t d = 0; d < lines->rank; d++)
        odd |= lines->stride[d][SOURCE];
    return odd % 4 == 0 && places->rank == 1 && places->stride[0][SOURCE] == 1;
}

/* Tells whether a kernel may read the source as texels. */
static int may_be_texels(const struct plan_level *level)
{
    return level->type && level->number_size == 4 && level->bytes <= level->texel_bytes;
}

/* Tells whether a kernel may read four adjacent elements at once: as texels, or from the memory of a GPU. */
static int may_read_fours(const struct plan_level *level)
{
    return may_be_texels(level) || (level->type && level->number_size == 4 && !level->texel_bytes);
}

/* Returns the adjacent lines that an invocation may take at once, 16 or 4, if there are so many; 0: it may not. A GPU
 * takes 4, except for LOG_SUM_EXP: its powers take longer than the memory, and need more invocations. */
static uint32_t choose_across(const struct plan_level *level, const struct pipeline_traits *traits)
{
    const struct nest *lines = level->lines, *places = level->places;
    uint32_t odd = level->first;
    int texels = may_be_texels(level);
    if (!may_read_fours(level) || (!texels && level->function == DML_REDUCE_FUNCTION_LOG_SUM_EXP) ||
        !count_adjacent(lines, places) || lines->stride[lines->rank - 1][SOURCE] != 1)
        return 0;
    for (uint32_t d = 0; d + 1 < lines->rank; d++)
        odd |= lines->stride[d][SOURCE];
    for (uint32_t d = 0; d < places->rank; d++)
        odd |= places->stride[d][SOURCE];
    uint32_t size = lines->size[lines->rank - 1];
    for (uint32_t across = texels ? 16 : 4; across >= 4 && odd % 4 == 0; across /= 4) {
        if (size % across == 0 && size / across >= (texels ? traits->group_size : 1u << QUADS_LOG))
            return across;
    }
    return 0;
}

struct plan_launch *plan_add_level(const struct plan_level *level, uint32_t pass, struct plan *plan)
{
    const struct plan_grid *grid = &level->grid;
    struct plan_launch *launch = plan_add_launch(plan, pass, 4, sizeof(struct plan_reduce));
    struct plan_reduce *p = &launch->parameters.reduce;
    int is_large = nest_is_large((uint64_t)grid->line_count * grid->line_length * (level->across ? level->across : 1));
    int is_real = level->is_float && !is_order(level->function);
    p->grid = *grid;
    p->first = level->first;
    p->place_rank = level->places->rank;
    p->total = level->total;
    p->prefers_last = level->prefers_last;
    nest_dimensions(level->lines, PLAN_DIMENSIONS, p->line_dimensions);
    nest_dimensions(level->places, PLAN_DIMENSIONS, p->place_dimensions);
    launch->groups = grid->line_groups * ((grid->line_length - 1) / grid->tile + 1);
    int fours = is_large && !level->across && may_read_fours(level) && lies_in_fours(level);
    launch->texels = is_large && may_be_texels(level) && (level->across || fours);
    launch->pipeline = (struct pipeline_key){
        .kernel = is_real ? PIPELINE_REDUCE_REAL : PIPELINE_REDUCE_WHOLE,
        .width = level->number_size == 8 ? 64 : 32,
        .texels = (uint8_t)launch->texels,
        .specials = {is_large ? (uint8_t)level->places->rank : 0, (uint8_t)level->function, (uint8_t)level->type,
                     (uint8_t)level->target_type, (uint8_t)is_large, level->across ? (uint8_t)level->across : 1,
                     (uint8_t)fours},
    };
    return launch;
}

/* Merges each `across` adjacent lines into one. */
static void merge_lines(struct nest *lines, uint32_t across)
{
    uint32_t inner = lines->rank - 1;
    lines->size[inner] /= across;
    for (int k = 0; k < PLAN_STRIDES; k++)
        lines->stride[inner][k] *= across;
}

/* Makes the lines and places of the next level, over the partial results of `tiles` tiles of each line. */
static void climb(struct nest *lines, struct nest *places, uint32_t tiles)
{
    uint32_t step = 1;
    for (uint32_t i = lines->rank; i-- > 0; step *= lines->size[i])
        lines->stride[i][SOURCE] = step;
    *places = (struct nest){0};
    nest_add(places, tiles, (const uint32_t[PLAN_STRIDES]){step});
}

/* Offsets of partial results in the scratch memory: first parts before second ones. */
struct partials {
    uint64_t firsts, seconds;
};

static struct partials take_partials(struct plan *plan, uint64_t count, uint32_t number_size)
{
    struct partials partials;
    partials.firsts = plan->bytes[PLAN_SCRATCH];
    partials.seconds = partials.firsts + count * number_size;
    plan->bytes[PLAN_SCRATCH] = (partials.seconds + count * sizeof(uint32_t) + 15) / 16 * 16;
    return partials;
}

static DML_REDUCE_FUNCTION function_of(const struct descriptor *descriptor, uint32_t *prefers_last)
{
    const union descriptor_struct *desc = &descriptor->desc;
    DML_AXIS_DIRECTION direction = DML_AXIS_DIRECTION_INCREASING;
    DML_REDUCE_FUNCTION function = desc->reduce.Function;
    if (descriptor->type == DML_OPERATOR_ARGMIN) {
        function = DML_REDUCE_FUNCTION_ARGMIN;
        direction = desc->argmin.AxisDirection;
    } else if (descriptor->type == DML_OPERATOR_ARGMAX) {
        function = DML_REDUCE_FUNCTION_ARGMAX;
        direction = desc->argmax.AxisDirection;
    }
    *prefers_last = direction == DML_AXIS_DIRECTION_DECREASING;
    return function;
}

/* Adds the levels. Reduced dimensions are those that the output lacks: a reduced dimension of size 1 makes no
 * difference. */
void plan_reduce(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *output = &descriptor->outputs[0];
    struct nest lines = {0}, places = {0};
    for (uint32_t d = 0; d < input->rank; d++) {
        const uint32_t strides[PLAN_STRIDES] = {input->strides[d], output->strides[d]};
        nest_add(input->sizes[d] == output->sizes[d] ? &lines : &places, input->sizes[d], strides);
    }
    nest_merge(&lines);
    nest_merge(&places);
    struct plan_level level = {
        .lines = &lines,
        .places = &places,
        .type = input->type,
        .is_float = number_is_float(input->type),
        .number_size = input->element_size == 8 ? 8 : 4,
        .total = (uint32_t)nest_count(&places),
        .texel_bytes = traits->texel_bytes,
        .bytes = input->bytes,
    };
    struct partials from = {0};
    int is_large = nest_is_large(input->count);
    level.function = function_of(descriptor, &level.prefers_last);
    for (uint32_t pass = 0, is_last = 0; !is_last; pass++) {
        level.across = is_large ? choose_across(&level, traits) : 0;
        struct nest wide = lines;
        level.lines = &wide;
        if (level.across)
            merge_lines(&wide, level.across);
        int quads = level.across && !may_be_texels(&level);
        level.grid =
            plan_choose_grid(&wide, &places, is_large ? traits->summed : 8, quads ? QUADS_LOG : PLAN_WIDEST, traits);
        level.grid.tile = level.across ? reduce_choose_tile(&level.grid, traits->groups_at_least / ACROSS_GROUPS, 4096)
                                       : reduce_choose_tile(&level.grid, traits->groups_at_least, 1024);
        uint32_t tiles = (level.grid.line_length - 1) / level.grid.tile + 1;
        is_last = tiles == 1;
        level.target_type = is_last ? output->type : DML_TENSOR_DATA_TYPE_UNKNOWN;
        struct plan_launch *launch = plan_add_level(&level, pass, plan);
        plan_set_address(launch, 0, pass ? PLAN_SCRATCH : PLAN_INPUT, from.firsts);
        plan_set_address(launch, 1, pass ? PLAN_SCRATCH : PLAN_INPUT, from.seconds);
        plan_set_address(launch, 2, PLAN_OUTPUT, 0);
        plan_set_address(launch, 3, PLAN_OUTPUT, 0);
        if (is_last)
            break;
        from = take_partials(plan, nest_count(&lines) * tiles, level.number_size);
        plan_set_address(launch, 2, PLAN_SCRATCH, from.firsts);
        plan_set_address(launch, 3, PLAN_SCRATCH, from.seconds);
        level.type = DML_TENSOR_DATA_TYPE_UNKNOWN;
        climb(&lines, &places, tiles);
        level.lines = &lines;
    }
}
