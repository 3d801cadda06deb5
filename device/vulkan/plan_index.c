#include "device/vulkan/plan_internal.h"

static void set_indices(struct move *move, const struct tensor *indices)
{
    move->indices = indices;
    if (indices->type == DML_TENSOR_DATA_TYPE_INT32 || indices->type == DML_TENSOR_DATA_TYPE_INT64)
        move->parameters.sign = 0x80000000u;
}

static void add_axis(struct move *move, uint32_t size, uint32_t stride)
{
    move->parameters.axis_of[move->parameters.axes].size = size;
    move->parameters.axis_of[move->parameters.axes].stride = stride;
    move->parameters.axes++;
}

/* Returns the stride of dimension `d`; negative dimensions are padding of size 1. */
static uint32_t stride_at(const struct tensor *tensor, int64_t d)
{
    return d < 0 ? 0 : tensor->strides[d];
}

/* GATHER: the output is input before the axis ++ the last dimensions of the indices ++ input after the axis, aligned
 * right. */
static void plan_gather(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *indices = &descriptor->inputs[1];
    const struct tensor *output = &descriptor->outputs[0];
    uint32_t width = descriptor->index_dimensions;
    struct move move = {.source = PLAN_INPUT, .target = PLAN_OUTPUT, .width = 8 * input->element_size};
    struct nest nest = {0};
    int64_t to = (int64_t)output->rank - (int64_t)(input->rank - 1 + width); /* dimensions below 0 have size 1 */
    set_indices(&move, indices);
    add_axis(&move, input->sizes[descriptor->axis], input->strides[descriptor->axis]);
    for (uint32_t d = 0; d < descriptor->axis; d++)
        plan_add_loop(&nest, input->sizes[d], input->strides[d], 0, stride_at(output, to++));
    for (uint32_t d = indices->rank - width; d < indices->rank; d++)
        plan_add_loop(&nest, indices->sizes[d], 0, indices->strides[d], stride_at(output, to++));
    for (uint32_t d = descriptor->axis + 1; d < input->rank; d++)
        plan_add_loop(&nest, input->sizes[d], input->strides[d], 0, stride_at(output, to++));
    plan_add_move(plan, traits, &move, &nest);
}

/* Adds a loop by the strides of the tensor that the indices address (`indexed`), of the indices, and of the other
 * tensor. */
static void add_indexed_loop(struct nest *nest, const struct move *move, uint32_t size, uint32_t indexed,
                             uint32_t indices, uint32_t other)
{
    if (move->is_scatter)
        plan_add_loop(nest, size, other, indices, indexed);
    else
        plan_add_loop(nest, size, indexed, indices, other);
}

/* GATHER_ELEMENTS and SCATTER_ELEMENTS: `other` has the sizes of the indices. */
static void plan_elements(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct move *move,
                          const struct tensor *indexed, const struct tensor *other, struct plan *plan)
{
    const struct tensor *indices = &descriptor->inputs[1];
    struct nest nest = {0};
    set_indices(move, indices);
    add_axis(move, indexed->sizes[descriptor->axis], indexed->strides[descriptor->axis]);
    for (uint32_t d = 0; d < indices->rank; d++) {
        uint32_t stride = d == descriptor->axis ? 0 : indexed->strides[d];
        add_indexed_loop(&nest, move, indices->sizes[d], stride, indices->strides[d], other->strides[d]);
    }
    plan_add_move(plan, traits, move, &nest);
}

/* Adds the axes of the tuples of an ND operator. Returns the first dimension behind them. */
static uint32_t add_tuple(const struct descriptor *descriptor, const struct tensor *indexed, struct move *move)
{
    const struct tensor *indices = &descriptor->inputs[1];
    uint32_t last = indices->rank - 1;
    uint32_t first = indexed->rank - descriptor->input_dimension_count + descriptor->batch_dimension_count;
    uint32_t tail = first + indices->sizes[last];
    set_indices(move, indices);
    move->parameters.index_step = indices->strides[last];
    for (uint32_t d = first; d < tail; d++)
        add_axis(move, indexed->sizes[d], indexed->strides[d]);
    return tail;
}

/* GATHER_ND, GATHER_ND1 and SCATTER_ND: `other` has the leading sizes of the indices ++ the last sizes of `indexed`. */
static void plan_nd(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct move *move,
                    const struct tensor *indexed, const struct tensor *other, struct plan *plan)
{
    const struct tensor *indices = &descriptor->inputs[1];
    uint32_t first = indexed->rank - descriptor->input_dimension_count; /* dimension at which coordinates begin */
    uint32_t lead = indices->rank - descriptor->indices_dimension_count, last = indices->rank - 1;
    uint32_t batch_end = first + descriptor->batch_dimension_count, tail = add_tuple(descriptor, indexed, move);
    uint32_t at = other->rank - (last - lead) - (indexed->rank - tail);
    struct nest nest = {0};
    for (uint32_t d = lead; d < last; d++, at++) {
        uint32_t stride = first + d - lead < batch_end ? indexed->strides[first + d - lead] : 0;
        add_indexed_loop(&nest, move, indices->sizes[d], stride, indices->strides[d], other->strides[at]);
    }
    for (uint32_t d = tail; d < indexed->rank; d++, at++)
        add_indexed_loop(&nest, move, indexed->sizes[d], indexed->strides[d], 0, other->strides[at]);
    plan_add_move(plan, traits, move, &nest);
}

/* Returns the number of slices of the output, one after the other, that a workgroup each should copy before it scatters
 * into it: the updates of SCATTER_ELEMENTS for a slice must follow one another. 0: scatter without slices. */
static uint32_t count_slices(const struct descriptor *descriptor, const struct pipeline_traits *traits)
{
    const uint64_t least = 1024, shortest = 1 << 10, longest = 1 << 16; /* number of slices; bytes of a slice */
    const struct tensor *input = &descriptor->inputs[0], *output = &descriptor->outputs[0];
    uint64_t slices = 1;
    if (descriptor->type != DML_OPERATOR_SCATTER_ELEMENTS || !traits->copies || !nest_is_large(output->count) ||
        !input->packed || !output->packed)
        return 0;
    for (uint32_t d = 0; d < descriptor->axis; d++)
        slices *= input->sizes[d];
    uint64_t bytes = output->count / slices * output->element_size;
    if (descriptor->inputs[2].count > 2 * output->count) /* a workgroup of a slice would have too much to do */
        return 0;
    return slices >= least && bytes >= shortest && bytes <= longest && bytes % PLAN_QUAD == 0 ? (uint32_t)slices : 0;
}

/* Tells whether the updates of SCATTER_ND are rows of `bytes` each, and so many that copying the overwritten rows takes
 * longer than finding the update of each row. */
static int has_rows(const struct descriptor *descriptor, const struct pipeline_traits *traits, uint64_t bytes)
{
    const uint64_t least = 64, part = 16; /* bytes of a row; least share of the output that is updated */
    const struct tensor *indices = &descriptor->inputs[1], *updates = &descriptor->inputs[2];
    const struct tensor *output = &descriptor->outputs[0];
    return traits->copies && nest_is_large(output->count) && bytes >= least && bytes % PLAN_QUAD == 0 &&
           descriptor->inputs[0].packed && indices->packed && updates->packed && output->packed &&
           updates->count >= output->count / part;
}

/* Adds the kernels of SCATTER_ND with rows, if has_rows() is true: each update notes its number for its row; then each
 * row is copied from its update or from the input. Returns true if they were added. */
static int plan_rows(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *indices = &descriptor->inputs[1], *output = &descriptor->outputs[0];
    struct move move = {0};
    uint32_t length = 1; /* elements of a row */
    if (descriptor->type != DML_OPERATOR_SCATTER_ND)
        return 0;
    for (uint32_t d = add_tuple(descriptor, output, &move); d < output->rank; d++)
        length *= output->sizes[d];
    uint64_t row_bytes = (uint64_t)length * output->element_size;
    if (!has_rows(descriptor, traits, row_bytes))
        return 0;
    uint32_t rows = (uint32_t)(output->count / length), quads = (uint32_t)(row_bytes / PLAN_QUAD);
    plan->bytes[PLAN_SCRATCH] = (uint64_t)rows * sizeof(uint32_t);
    for (uint32_t pass = 0; pass < 2; pass++) {
        enum pipeline_move kind = pass ? PIPELINE_WIDE : PIPELINE_COPY;
        struct plan_launch *launch = plan_add_launch(plan, pass, 5, sizeof(struct plan_rows));
        struct plan_rows *p = &launch->parameters.rows;
        p->update_count = (uint32_t)(indices->count / move.parameters.axes);
        p->count = pass ? rows * quads : p->update_count;
        p->group_size = plan_group_size(traits, p->count, kind);
        p->sign = move.parameters.sign;
        p->axes = move.parameters.axes;
        p->row = nest_dimension(quads);
        for (uint32_t k = 0; k < p->axes; k++) {
            p->axis_of[k] = move.parameters.axis_of[k];
            p->axis_of[k].stride /= length;
        }
        launch->groups = (p->count - 1) / p->group_size + 1;
        for (uint32_t i = 0; i < 3; i++)
            plan_set_address(launch, i, PLAN_INPUT + i, 0);
        plan_set_address(launch, 3, PLAN_OUTPUT, 0);
        plan_set_address(launch, 4, PLAN_SCRATCH, 0);
        launch->pipeline = (struct pipeline_key){
            .kernel = PIPELINE_SCATTER_ROWS,
            .width = 128,
            .specials = {indices->element_size == 8, pass == 1, traits->move[kind].together,
                         [PIPELINE_SPECIALS - 1] = traits->move[kind].group_log},
        };
    }
    return 1;
}

static void plan_scatter(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *updates = &descriptor->inputs[2];
    const struct tensor *output = &descriptor->outputs[0];
    struct move move = {.source = PLAN_INPUT + 2,
                        .target = PLAN_OUTPUT,
                        .is_scatter = 1,
                        .width = 8 * input->element_size,
                        .slices = count_slices(descriptor, traits)};
    if (move.slices) {
        move.parameters.slice = (uint32_t)(output->count * output->element_size / PLAN_QUAD / move.slices);
        plan_elements(descriptor, traits, &move, output, updates, plan);
        return;
    }
    if (plan_rows(descriptor, traits, plan))
        return;
    plan_copy(descriptor, traits, plan);
    move.pass = 1;
    if (descriptor->type == DML_OPERATOR_SCATTER_ND)
        plan_nd(descriptor, traits, &move, output, updates, plan);
    else
        plan_elements(descriptor, traits, &move, output, updates, plan);
}

void plan_index(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *output = &descriptor->outputs[0];
    struct move gather = {.source = PLAN_INPUT, .target = PLAN_OUTPUT, .width = 8 * input->element_size};
    switch ((int)descriptor->type) {
    case DML_OPERATOR_GATHER:
        plan_gather(descriptor, traits, plan);
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
        plan_elements(descriptor, traits, &gather, input, output, plan);
        break;
    case DML_OPERATOR_GATHER_ND:
    case DML_OPERATOR_GATHER_ND1:
        plan_nd(descriptor, traits, &gather, input, output, plan);
        break;
    default:
        plan_scatter(descriptor, traits, plan);
    }
}
