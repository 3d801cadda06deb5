/* plan_rearrange.c: operators that move elements to coordinates that attributes alone decide. Slices, parts, blocks and
 * tiles are moves by strides; paddings, and tiles of many dimensions, fold coordinates. */
#include "device/common/number.h"
#include "device/vulkan/plan_internal.h"

#include <string.h>

static struct move move_of(const struct descriptor *d)
{
    return (struct move){.source = PLAN_INPUT, .target = PLAN_OUTPUT, .width = d->outputs[0].element_bits};
}

/* ---- moves by strides */

static void plan_slice(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    struct move move = move_of(d);
    struct nest nest = {0};
    for (uint32_t i = 0; i < input->rank; i++) {
        move.parameters.source_start += input->sizes[i] > 1 ? d->lists[0][i] * input->strides[i] : 0;
        plan_add_loop(&nest, output->sizes[i], d->lists[2][i] * input->strides[i], 0, output->strides[i]);
    }
    plan_add_move(plan, traits, &move, &nest);
}

/* Adds a move between windows of `whole` and `part`. `pass`: the move's pass; if it is not 0, the move writes the
 * windows. */
static void plan_windows(const struct descriptor *d, const struct pipeline_traits *traits, const struct tensor *whole,
                         const struct tensor *part, uint32_t pass, struct plan *plan)
{
    struct move move = move_of(d);
    struct nest nest = {0};
    uint32_t start = 0;
    move.pass = pass;
    for (uint32_t i = 0; i < whole->rank; i++) {
        int is_backward = (int32_t)d->lists[2][i] < 0;
        uint32_t first = d->lists[0][i] + (is_backward ? d->lists[1][i] - 1 : 0);
        uint32_t leap = d->lists[2][i] * whole->strides[i]; /* modulo 2^32 */
        if (whole->sizes[i] > 1)
            start += first * whole->strides[i];
        if (part->sizes[i] > 1)
            move.is_backward |= is_backward;
        plan_add_loop(&nest, part->sizes[i], pass ? part->strides[i] : leap, 0, pass ? leap : part->strides[i]);
    }
    *(pass ? &move.parameters.target_start : &move.parameters.source_start) = start;
    plan_add_move(plan, traits, &move, &nest);
}

/* Adds a move for each part of `whole`, one after the other along the axis. */
static void plan_parts(const struct descriptor *d, const struct pipeline_traits *traits, const struct tensor *whole,
                       const struct tensor *parts, uint32_t count, int is_split, struct plan *plan)
{
    uint32_t start = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct move move = move_of(d);
        struct nest nest = {0};
        *(is_split ? &move.target : &move.source) += k;
        *(is_split ? &move.parameters.source_start : &move.parameters.target_start) = start;
        for (uint32_t i = 0; i < whole->rank; i++)
            plan_add_loop(&nest, parts[k].sizes[i], is_split ? whole->strides[i] : parts[k].strides[i], 0,
                          is_split ? parts[k].strides[i] : whole->strides[i]);
        plan_add_move(plan, traits, &move, &nest);
        start += whole->sizes[d->axis] > 1 ? parts[k].sizes[d->axis] * whole->strides[d->axis] : 0;
    }
}

static void plan_blocks(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    int to_space = d->type == DML_OPERATOR_DEPTH_TO_SPACE || d->type == DML_OPERATOR_DEPTH_TO_SPACE1;
    int has_order = d->type == DML_OPERATOR_DEPTH_TO_SPACE1 || d->type == DML_OPERATOR_SPACE_TO_DEPTH1;
    int depth_last = has_order && d->desc.space_to_depth1.Order == DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH;
    const struct tensor *deep = to_space ? &d->inputs[0] : &d->outputs[0];
    const struct tensor *flat = to_space ? &d->outputs[0] : &d->inputs[0];
    uint32_t block = d->desc.space_to_depth1.BlockSize, channels = flat->sizes[1];
    uint32_t place = (depth_last ? 1 : channels) * deep->strides[1];
    const uint32_t loops[][3] = {
        /* size, stride of the flat tensor, stride of the deep one */
        {flat->sizes[0], flat->strides[0], deep->strides[0]},
        {channels, flat->strides[1], (depth_last ? block * block : 1) * deep->strides[1]},
        {deep->sizes[2], block * flat->strides[2], deep->strides[2]},
        {block, flat->strides[2], block * place},
        {deep->sizes[3], block * flat->strides[3], deep->strides[3]},
        {block, flat->strides[3], place},
    };
    struct move move = move_of(d);
    struct nest nest = {0};
    for (uint32_t i = 0; i < sizeof loops / sizeof *loops; i++)
        plan_add_loop(&nest, loops[i][0], loops[i][to_space ? 2 : 1], 0, loops[i][to_space ? 1 : 2]);
    plan_add_move(plan, traits, &move, &nest);
}

/* ---- folded coordinates */

/* Adds the kernel that writes the whole output. `before`: the number of elements before the input, in each dimension;
 * null: all elements are `value`. */
static void plan_fold(const struct descriptor *d, const struct pipeline_traits *traits, DML_PADDING_MODE mode,
                      const uint32_t *before, const void *value, struct plan *plan)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    struct nest nest = {0};
    for (uint32_t i = 0; i < output->rank; i++) {
        uint32_t loop[PLAN_STRIDES] = {input->strides[i], before ? before[i] : 0, output->strides[i],
                                       before ? input->sizes[i] : 0};
        nest_add(&nest, output->sizes[i], loop);
    }
    struct plan_launch *launch = plan_add_launch(plan, 0, 2, sizeof(struct plan_fold));
    struct plan_fold *p = &launch->parameters.fold;
    p->count = (uint32_t)output->count;
    p->group_size = plan_group_size(traits, output->count, PIPELINE_NARROW);
    if (value)
        memcpy(p->value, value, sizeof p->value);
    nest_dimensions(&nest, PLAN_DIMENSIONS, p->dimensions);
    for (uint32_t i = nest.rank; i < PLAN_DIMENSIONS; i++)
        p->dimensions[i].stride[3] = before || nest.rank ? 1 : 0;
    launch->groups = (p->count - 1) / p->group_size + 1;
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
    launch->pipeline = (struct pipeline_key){
        .kernel = PIPELINE_FOLD, .width = (uint16_t)output->element_bits, .specials = {(uint8_t)mode}};
}

/* Adds a move with two loops for each dimension and its repeats, unless these are too many loops. */
static void plan_tile(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    static const uint32_t nothing[DESCRIPTOR_MAX_DIMENSIONS];
    static const uint64_t zero;
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    struct move move = move_of(d);
    struct nest nest = {0};
    for (uint32_t i = 0; i < input->rank; i++) {
        uint32_t size = input->sizes[i];
        plan_add_loop(&nest, output->sizes[i] / size, 0, 0, size * output->strides[i]);
        plan_add_loop(&nest, size, input->strides[i], 0, output->strides[i]);
    }
    nest_merge(&nest);
    if (nest.rank <= PLAN_DIMENSIONS)
        plan_add_move(plan, traits, &move, &nest);
    else
        plan_fold(d, traits, DML_PADDING_MODE_WRAP, nothing, &zero, plan);
}

static void plan_padding(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    uint64_t value = 0;
    DML_PADDING_MODE mode =
        d->type == DML_OPERATOR_PADDING1 ? d->desc.padding1.PaddingMode : d->desc.padding.PaddingMode;
    if (d->type == DML_OPERATOR_PADDING1)
        memcpy(&value, d->desc.padding1.PaddingValue.Bytes, sizeof value);
    else
        number_store_real(d->outputs[0].type, (double)d->desc.padding.PaddingValue, &value);
    plan_fold(d, traits, mode, d->lists[0], &value, plan);
}

void plan_rearrange(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    static const uint64_t zero;

    switch ((int)d->type) {
    case DML_OPERATOR_SLICE:
        plan_slice(d, traits, plan);
        break;
    case DML_OPERATOR_SLICE1:
        plan_windows(d, traits, &d->inputs[0], &d->outputs[0], 0, plan);
        break;
    case DML_OPERATOR_SLICE_GRAD:
        plan_fold(d, traits, DML_PADDING_MODE_CONSTANT, NULL, &zero, plan);
        plan_windows(d, traits, &d->outputs[0], &d->inputs[0], 1, plan);
        break;
    case DML_OPERATOR_SPLIT:
        plan_parts(d, traits, &d->inputs[0], d->outputs, d->output_count, 1, plan);
        break;
    case DML_OPERATOR_JOIN:
        plan_parts(d, traits, &d->outputs[0], d->inputs, d->input_count, 0, plan);
        break;
    case DML_OPERATOR_TILE:
        plan_tile(d, traits, plan);
        break;
    case DML_OPERATOR_PADDING:
    case DML_OPERATOR_PADDING1:
        plan_padding(d, traits, plan);
        break;
    default:
        plan_blocks(d, traits, plan);
    }
}
