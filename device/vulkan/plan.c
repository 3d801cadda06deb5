#include "device/vulkan/plan.h"

#include "device/vulkan/nest.h"
#include "device/vulkan/plan_internal.h"
#include "device/vulkan/plan_normalise.h"
#include "device/vulkan/plan_pick.h"
#include "device/vulkan/plan_products.h"
#include "device/vulkan/plan_region.h"
#include "device/vulkan/plan_resample.h"
#include "device/vulkan/plan_response.h"
#include "device/vulkan/plan_softmax.h"
#include "device/vulkan/plan_unfold.h"
#include "device/vulkan/plan_window.h"

#include <string.h>

enum { SOURCE, INDICES, TARGET };

void plan_add_loop(struct nest *nest, uint32_t size, uint32_t source, uint32_t indices, uint32_t target)
{
    nest_add(nest, size, (const uint32_t[PLAN_STRIDES]){source, indices, target});
}

/* Widens the elements of a move if the innermost loop is a run without gaps in source and target, with one index for
 * all of it, and everything else steps by whole wide elements. Returns the bits of the new element, at most
 * `widest`. */
static uint32_t widen_move(struct nest *nest, struct plan_move *move, uint32_t width, uint32_t widest)
{
    if (!nest->rank)
        return width;
    uint32_t inner = nest->rank - 1;
    if (nest->stride[inner][SOURCE] != 1 || nest->stride[inner][INDICES] != 0 || nest->stride[inner][TARGET] != 1)
        return width;
    uint32_t steps = nest->size[inner] | move->source_start | move->target_start;
    for (uint32_t i = 0; i < inner; i++)
        steps |= nest->stride[i][SOURCE] | nest->stride[i][TARGET];
    for (uint32_t k = 0; k < move->axes; k++)
        steps |= move->axis_of[k].stride;
    uint32_t factor = 1;
    while (width * factor < widest && steps % (2 * factor) == 0)
        factor *= 2;
    for (uint32_t i = 0; i < inner; i++) {
        nest->stride[i][SOURCE] /= factor;
        nest->stride[i][TARGET] /= factor;
    }
    nest->size[inner] /= factor;
    move->source_start /= factor;
    move->target_start /= factor;
    for (uint32_t k = 0; k < move->axes; k++)
        move->axis_of[k].stride /= factor;
    return width * factor;
}

struct plan_launch *plan_add_launch(struct plan *plan, uint32_t pass, uint32_t address_count, size_t parameter_bytes)
{
    struct plan_launch *launch = &plan->launches[plan->launch_count++];
    memset(launch, 0, offsetof(struct plan_launch, parameters));
    memset(&launch->parameters, 0, parameter_bytes);
    launch->pass = pass;
    launch->address_count = address_count;
    launch->parameter_bytes = (uint32_t)parameter_bytes;
    return launch;
}

void plan_set_address(struct plan_launch *launch, uint32_t i, enum plan_operand operand, uint64_t offset)
{
    launch->address[i].operand = operand;
    launch->address[i].offset = offset;
}

void plan_set_texels(struct plan_launch *launch, uint32_t operands, uint32_t target, uint64_t bytes,
                     const struct pipeline_traits *traits)
{
    int stores = bytes <= traits->store_bytes;
    launch->texels = operands | (uint32_t)stores << target;
    launch->target = target;
    launch->pipeline.texels = stores ? PIPELINE_TEXELS | PIPELINE_STORES : PIPELINE_TEXELS;
}

uint32_t plan_group_size(const struct pipeline_traits *traits, uint64_t count, enum pipeline_move kind)
{
    const struct traits_of_move *move = &traits->move[kind];
    uint32_t invocations = move->group_log ? 1u << move->group_log : traits->group_size;
    uint64_t each = count / ((uint64_t)traits->groups_at_least * invocations);
    return invocations * (uint32_t)plan_within(each, 1, move->max_elements);
}

uint32_t plan_group_of_rounds(const struct pipeline_traits *traits, uint64_t count, enum pipeline_move kind,
                              uint64_t rounds)
{
    const uint32_t size = plan_group_size(traits, count, kind), group_log = traits->move[kind].group_log;
    const uint32_t invocations = group_log ? 1u << group_log : traits->group_size;
    const uint64_t most = traits->rounds && rounds > 0 ? traits->rounds / (rounds + 1) : UINT32_MAX;
    return invocations * (uint32_t)plan_within(size / invocations, 1, most > 1 ? most : 1);
}

uint32_t plan_each(const struct pipeline_traits *traits, uint64_t count, uint32_t length, uint32_t otherwise)
{
    uint32_t subgroup = traits->group_size / traits->subgroups_in_group, each = (length - 1) / subgroup + 1;
    if (traits->kept == 1 || !nest_is_large(count))
        return otherwise;
    return (uint32_t)plan_within(each, 4, traits->kept);
}

uint32_t plan_kept(const struct pipeline_traits *traits, uint64_t count, uint32_t length, uint32_t places_log)
{
    uint32_t each = ((length - 1) >> places_log) + 1;
    if (each > traits->kept || !nest_is_large(count))
        return 1;
    return each <= 8 ? 8 : traits->kept;
}

uint32_t plan_small_log(uint32_t lanes_log)
{
    return lanes_log > 7 ? lanes_log : 7; /* every GPU has workgroups of 128 */
}

uint32_t plan_most(const struct pipeline_traits *traits, uint64_t count, uint32_t groups)
{
    const uint64_t most = 1024; /* lavapipe ends loops after 65535 rounds in all */
    uint64_t each = count / ((uint64_t)traits->groups_at_least * traits->group_size);
    if (traits->kept == 1 || !nest_is_large(count) || groups >= traits->groups_at_least / 4)
        return (uint32_t)most;
    return (uint32_t)plan_within(each, traits->kept, most);
}

uint32_t plan_widest(const struct pipeline_traits *traits, uint64_t count, uint32_t length)
{
    const uint32_t least = 3; /* 32 bytes of FLOAT32, which memory moves at once */
    uint32_t widest = PLAN_WIDEST;
    while (widest > 1 && (uint64_t)traits->kept * (traits->group_size >> widest) < length)
        widest--;
    const int keeps = (uint64_t)traits->kept * (traits->group_size >> widest) >= length;
    return nest_is_large(count) && keeps && widest >= least ? widest : PLAN_WIDEST;
}

/* Tells whether the elements of slices lie side by side in the source and in the target, in whole groups of
 * `together`. */
static int has_adjacent_slices(const struct nest *lines, const struct nest *places, uint32_t together)
{
    int adjacent = places->rank == 1 && places->size[0] % together == 0;
    for (int k = 0; k < 2; k++) {
        adjacent = adjacent && places->stride[0][k] == 1;
        for (uint32_t d = 0; d < lines->rank; d++)
            adjacent = adjacent && lines->stride[d][k] % together == 0;
    }
    return adjacent;
}

uint8_t plan_row(const struct nest *lines, const struct nest *places, uint32_t kept)
{
    if (kept == 1 || places->rank != 1)
        return 0;
    return has_adjacent_slices(lines, places, 4) ? 4 : 1;
}

int plan_takes_rows(const struct pipeline_traits *traits, const struct nest *lines, const struct nest *places,
                    uint64_t bytes)
{
    const uint32_t longest = 1 << 16;
    uint64_t length = nest_count(places);
    return bytes <= traits->texel_bytes && nest_is_large(nest_count(lines) * length) &&
           length >= 8 * traits->group_size && length <= longest && has_adjacent_slices(lines, places, 8);
}

/* Cuts the innermost loop into strips of `width`, and puts the loop over these around loop `outer`. */
static void cut(struct nest *nest, uint32_t outer, uint32_t width)
{
    uint32_t inner = nest->rank - 1;
    memmove(&nest->size[outer + 1], &nest->size[outer], (nest->rank - outer) * sizeof *nest->size);
    memmove(&nest->stride[outer + 1], &nest->stride[outer], (nest->rank - outer) * sizeof *nest->stride);
    nest->rank++;
    nest->size[outer] = nest->size[inner + 1] / width;
    nest->size[inner + 1] = width;
    for (int k = 0; k < PLAN_STRIDES; k++)
        nest->stride[outer][k] = width * nest->stride[inner + 1][k];
}

/* Cuts a move into strips if each element has an index of its own along an axis that is not the innermost loop: there
 * the elements of neighbours lie in rows far apart, and each access fetches much more than one element. The loop over
 * the strips goes around the axis. A strip is so narrow that all of its rows stay in the cache until they are used up,
 * and at least 32 elements wide. */
static void cut_columns(struct nest *nest, const struct move *move, uint32_t cache_bytes)
{
    const uint32_t least = 32, indexed = move->is_scatter ? TARGET : SOURCE, inner = nest->rank - 1;
    uint32_t axis = 0;
    while (axis < nest->rank && (nest->stride[axis][indexed] != 0 || nest->stride[axis][INDICES] == 0))
        axis++;
    if (axis >= inner || nest->stride[inner][INDICES] == 0)
        return;
    uint64_t column = (uint64_t)move->parameters.axis_of[0].size * (move->width / 8);
    uint32_t width = nest->size[inner];
    while (width % 2 == 0 && width > least && width * column > cache_bytes)
        width /= 2;
    if (width < nest->size[inner] && width >= least)
        cut(nest, axis, width);
}

/* Cuts a gather of rows: all rows are gathered strip by strip, so that a row that several indices name is still in the
 * cache. */
static void cut_rows(struct nest *nest, const struct move *move)
{
    const uint32_t strip = 1024 / (move->width / 8), inner = nest->rank - 1;
    const uint32_t *stride = nest->stride[inner];
    if (!move->is_scatter && stride[SOURCE] == 1 && stride[INDICES] == 0 && stride[TARGET] == 1 &&
        nest->stride[inner - 1][INDICES] && nest->size[inner] > strip && nest->size[inner] % strip == 0)
        cut(nest, inner - 1, strip);
}

/* Tells whether an invocation may take eight elements at once, with their indices as texels: see shaders/move.comp. */
static int has_runs(const struct plan *plan, const struct pipeline_traits *traits, const struct move *move,
                    const struct nest *nest, uint32_t width)
{
    const uint32_t run = 8;
    const struct plan_move *p = &move->parameters;
    int side = move->is_scatter ? SOURCE : TARGET; /* the tensor that has its elements side by side */
    uint32_t inner = nest->rank - 1, odd = move->is_scatter ? p->source_start : p->target_start;
    if (!nest->rank || !move->indices || width != 32 || p->axes > 2 || (p->axes == 2 && p->index_step != 1))
        return 0;
    uint64_t source_bytes = move->is_scatter ? traits->texel_bytes : traits->word_bytes;
    if (move->indices->bytes > traits->texel_bytes || plan->bytes[move->source] > source_bytes)
        return 0;
    for (uint32_t d = 0; d < inner; d++)
        odd |= nest->stride[d][side] | nest->stride[d][INDICES];
    return (odd | nest->size[inner]) % run == 0 && nest->stride[inner][side] == 1 &&
           nest->stride[inner][INDICES] == p->axes;
}

/* Returns log2 of the size of a workgroup that copies a slice four quads at a time: at most the usual size. */
static uint32_t choose_group_log(uint32_t slice, const struct pipeline_traits *traits)
{
    uint32_t log = 6;
    while (4u << log < slice && 2u << log <= traits->group_size)
        log++;
    return log;
}

void plan_add_move(struct plan *plan, const struct pipeline_traits *traits, struct move *move, struct nest *nest)
{
    nest_merge(nest);
    uint64_t elements = nest_count(nest);
    int is_run = nest->rank == 0 || (nest->rank == 1 && nest->stride[0][SOURCE] == 1 && nest->stride[0][TARGET] == 1);
    if (!move->indices && is_run && !(traits->copies && nest_is_large(elements))) {
        struct plan_launch *copy = plan_add_launch(plan, move->pass, 2, 0);
        copy->is_copy = 1;
        copy->copy_bytes = elements * (move->width / 8);
        plan_set_address(copy, 0, move->source, (uint64_t)move->parameters.source_start * (move->width / 8));
        plan_set_address(copy, 1, move->target, (uint64_t)move->parameters.target_start * (move->width / 8));
        return;
    }
    int large = nest_is_large(elements);
    if (large && move->indices && !move->slices && nest->rank > 1 && nest->rank < PLAN_DIMENSIONS &&
        traits->cache_bytes) {
        if (move->parameters.axes == 1)
            cut_columns(nest, move, traits->cache_bytes);
        cut_rows(nest, move);
    }
    uint32_t width =
        widen_move(nest, &move->parameters, move->width, large && !move->is_backward ? traits->widest : move->width);
    uint64_t count = nest_count(nest);
    uint32_t rank = nest->rank ? nest->rank : 1;
    if (!large)
        rank = PLAN_DIMENSIONS;
    struct plan_launch *launch = plan_add_launch(plan, move->pass, move->slices ? 5 : 3, sizeof(struct plan_move));
    struct plan_move *p = &launch->parameters.move;
    *p = move->parameters;
    p->count = (uint32_t)count;
    nest_dimensions(nest, rank, p->dimensions);
    enum pipeline_move kind = width >= 128 ? PIPELINE_WIDE : PIPELINE_NARROW;
    if (!move->indices)
        kind = PIPELINE_COPY;
    else if (p->axes > 1)
        kind = PIPELINE_TUPLES;
    p->group_size = plan_group_size(traits, count, kind);
    plan_set_address(launch, 0, move->source, 0);
    plan_set_address(launch, 1, move->indices ? PLAN_INPUT + 1 : move->source, 0);
    plan_set_address(launch, 2, move->target, 0);
    uint32_t together = large ? traits->move[kind].together : 1, group_log = traits->move[kind].group_log;
    if (move->slices) {
        p->group_size = p->count / move->slices;
        group_log = choose_group_log(p->slice, traits);
        plan_set_address(launch, 3, PLAN_INPUT, 0);
        plan_set_address(launch, 4, move->target, 0);
    }
    while (group_log && together > 1 && p->group_size <= together / 2 << group_log)
        together /= 2;
    launch->groups = (p->count - 1) / p->group_size + 1;
    int texels = large && p->group_size % 8 == 0 && has_runs(plan, traits, move, nest, width);
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_MOVE,
        .width = (uint16_t)width,
        .specials = {(uint8_t)rank, p->axes > 2 ? 2 : (uint8_t)p->axes,
                     move->indices && move->indices->element_size == 8, (uint8_t)move->is_scatter, (uint8_t)together,
                     move->slices > 0, [PIPELINE_SPECIALS - 1] = (uint8_t)group_log},
    };
    if (texels) /* scattered elements are stored one by one */
        plan_set_texels(launch, 3, 2, move->is_scatter ? UINT64_MAX : plan->bytes[move->target], traits);
}

void plan_copy(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *output = &descriptor->outputs[0];
    struct move copy = {.source = PLAN_INPUT, .target = PLAN_OUTPUT, .width = 8 * input->element_size};
    struct nest nest = {0};
    for (uint32_t d = 0; d < input->rank; d++)
        plan_add_loop(&nest, input->sizes[d], input->strides[d], 0, output->strides[d]);
    plan_add_move(plan, traits, &copy, &nest);
}

uint32_t plan_tiles(uint32_t count)
{
    return (count - 1) / PIPELINE_TILE + 1;
}

/* Adds the scans that turn the counts of `tiles` tiles into the counts before each tile, in passes from 1 on. Returns
 * the next pass. One level of sums above the first is enough: 2^32 elements have 2^21 tiles, and those 2^10 sums. */
static uint32_t plan_scans(const struct pipeline_traits *traits, uint32_t tiles, struct plan *plan)
{
    uint32_t sums = plan_tiles(tiles), pass = 1;
    uint64_t upper = (uint64_t)tiles * sizeof(uint32_t);
    plan->bytes[PLAN_SCRATCH] = upper + sums * sizeof(uint32_t);
    for (uint32_t step = sums > 1 ? 0 : 1; step < (sums > 1 ? 3 : 2); step++, pass++) {
        int is_top = step == 1; /* the scan of the top level, between the reduction and the scan of the level below */
        struct plan_launch *launch = plan_add_launch(plan, pass, 3, sizeof(struct plan_scan));
        launch->parameters.scan.count = is_top && sums > 1 ? sums : tiles;
        launch->groups = is_top ? 1 : (sums - 1) / traits->subgroups_in_group + 1;
        plan_set_address(launch, 0, PLAN_SCRATCH, is_top && sums > 1 ? upper : 0);
        plan_set_address(launch, 1, PLAN_SCRATCH, upper);
        plan_set_address(launch, 2, PLAN_OUTPUT, 0);
        launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_SCAN, .specials = {step == 0}};
    }
    return pass;
}

/* Returns the bits that make an element non-zero: all, except the sign of a float, since -0 is zero. */
static uint32_t nonzero_mask(const struct tensor *tensor)
{
    int is_float = tensor->type == DML_TENSOR_DATA_TYPE_FLOAT32 || tensor->type == DML_TENSOR_DATA_TYPE_FLOAT16;
    return 0xffffffffu >> (32 - 8 * tensor->element_size + (is_float ? 1 : 0));
}

static void plan_nonzero(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *rows = &descriptor->outputs[1];
    uint32_t columns = rows->sizes[rows->rank - 1], count = (uint32_t)input->count;
    uint32_t tiles = plan_tiles(count), pass = 0;
    int is_dense = (columns == 2 || columns == 4) && rows->packed;
    int texels = input->packed && nest_is_large(count) && input->bytes <= traits->texel_bytes;
    uint32_t groups = (tiles - 1) / traits->subgroups_in_group + 1;
    int adds = tiles > 1 && groups <= traits->added;
    struct plan_nonzero p = {.count = count,
                             .mask = nonzero_mask(input),
                             .row_stride = rows->strides[rows->rank - 2],
                             .column_stride = rows->strides[rows->rank - 1],
                             .group_tiles = traits->subgroups_in_group};
    for (uint32_t d = 0; d < columns; d++) {
        p.dimensions[d] = nest_dimension(input->sizes[input->rank - 1 - d]);
        p.dimensions[d].stride[0] = input->sizes[input->rank - 1 - d] > 1 ? input->strides[input->rank - 1 - d] : 0;
    }
    for (int is_write = tiles == 1; is_write < 2; is_write++) {
        if (adds)
            plan->bytes[PLAN_SCRATCH] = (uint64_t)(tiles + groups) * sizeof(uint32_t);
        if (is_write && tiles > 1)
            pass = adds ? 1 : plan_scans(traits, tiles, plan);
        struct plan_launch *launch = plan_add_launch(plan, pass, 6, sizeof p);
        launch->parameters.nonzero = p;
        launch->groups = groups;
        plan_set_address(launch, 0, PLAN_INPUT, 0);
        plan_set_address(launch, 1, PLAN_INPUT, 0);
        plan_set_address(launch, 2, tiles > 1 ? PLAN_SCRATCH : PLAN_INPUT, 0);
        plan_set_address(launch, 3, adds ? PLAN_SCRATCH : PLAN_INPUT, adds ? tiles * sizeof(uint32_t) : 0);
        plan_set_address(launch, 4, PLAN_OUTPUT, 0);
        plan_set_address(launch, 5, PLAN_OUTPUT + 1, 0);
        launch->texels = texels ? 2 : 0;
        launch->pipeline = (struct pipeline_key){
            .kernel = is_write ? PIPELINE_NONZERO_WRITE : PIPELINE_NONZERO_COUNT,
            .width = (uint16_t)(8 * input->element_size),
            .texels = (uint8_t)texels,
            .specials = {(uint8_t)columns, input->packed != 0,
                         (uint8_t)(traits->run ? traits->run : 16 / input->element_size), is_write && !traits->run,
                         (uint8_t)is_dense, (uint8_t)adds},
        };
    }
    plan->written[PLAN_OUTPUT] = sizeof(uint32_t);
}

/* Sets the number of bytes that the operator writes. Most operators write every element of their outputs: a packed
 * output is written without gaps. */
static void set_written(const struct descriptor *descriptor, struct plan *plan)
{
    for (uint32_t i = 0; i < descriptor->output_count; i++) {
        const struct tensor *output = &descriptor->outputs[i];
        if (output->packed)
            plan->written[PLAN_OUTPUT + i] = output->count * output->element_bits / 8;
    }
}

void vulkan_plan_make(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    memset(plan, 0, offsetof(struct plan, launches));
    plan->input_count = descriptor->input_count;
    plan->output_count = descriptor->output_count;
    for (uint32_t i = 0; i < descriptor->input_count; i++)
        plan->bytes[PLAN_INPUT + i] = descriptor->inputs[i].bytes;
    for (uint32_t i = 0; i < descriptor->output_count; i++)
        plan->bytes[PLAN_OUTPUT + i] = descriptor->outputs[i].bytes;
    switch ((int)descriptor->type) {
    case DML_OPERATOR_GATHER:
    case DML_OPERATOR_GATHER_ELEMENTS:
    case DML_OPERATOR_GATHER_ND:
    case DML_OPERATOR_GATHER_ND1:
    case DML_OPERATOR_SCATTER_ELEMENTS:
    case DML_OPERATOR_SCATTER_ND:
        plan_index(descriptor, traits, plan);
        break;
    case DML_OPERATOR_NONZERO_COORDINATES:
        plan_nonzero(descriptor, traits, plan);
        return;
    case DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR:
        plan_map(descriptor, traits, plan_range(descriptor, traits, plan), plan);
        break;
    case DML_OPERATOR_CUMULATIVE_SUMMATION:
    case DML_OPERATOR_CUMULATIVE_PRODUCT:
        plan_cumulate(descriptor, traits, plan);
        break;
    case DML_OPERATOR_ADAM_OPTIMIZER:
        plan_adam(descriptor, traits, plan);
        break;
    case DML_OPERATOR_REDUCE:
    case DML_OPERATOR_ARGMIN:
    case DML_OPERATOR_ARGMAX:
        plan_reduce(descriptor, traits, plan);
        break;
    default:
        if (descriptor_is_move(descriptor->type))
            plan_rearrange(descriptor, traits, plan);
        else if (plan_softmax_computes(descriptor->type))
            plan_softmax(descriptor, traits, plan);
        else if (plan_unfold_computes(descriptor->type))
            plan_unfold(descriptor, traits, plan);
        else if (plan_normalise_computes(descriptor->type))
            plan_normalise(descriptor, traits, plan);
        else if (plan_pick_computes(descriptor->type))
            plan_pick(descriptor, traits, plan);
        else if (plan_response_computes(descriptor->type))
            plan_response(descriptor, traits, plan);
        else if (plan_products_compute(descriptor->type))
            plan_products(descriptor, traits, plan);
        else if (plan_window_computes(descriptor->type))
            plan_window(descriptor, traits, plan);
        else if (plan_resample_computes(descriptor->type))
            plan_resample(descriptor, traits, plan);
        else if (plan_region_computes(descriptor->type))
            plan_region(descriptor, traits, plan);
        else if (recurrence_computes(descriptor->type))
            plan_recurrence(descriptor, traits, plan);
        else if (attention_computes(descriptor->type))
            plan_attention(descriptor, traits, plan);
        else
            plan_map(descriptor, traits, 0, plan);
    }
    set_written(descriptor, plan);
}
