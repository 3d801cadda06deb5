#include "device/reference/parts.h"

#include "device/reference/normalise.h"

/* ---- dimensions */

/* Returns a bit for each dimension along which results depend on each other's elements, or whose number is no
 * coordinate. Dimensions that an output lacks may be left out. */
static uint32_t bound_dimensions(const struct descriptor *d)
{
    const uint32_t all = UINT32_MAX, axis = 1u << d->axis, but_first = all - 1;
    const uint32_t rank = d->outputs[0].rank;
    switch ((int)d->type) {
    case DML_OPERATOR_GATHER_ELEMENTS:
    case DML_OPERATOR_SCATTER_ELEMENTS:
    case DML_OPERATOR_SPLIT:
    case DML_OPERATOR_JOIN:
    case DML_OPERATOR_REVERSE_SUBSEQUENCES:
    case DML_OPERATOR_ONE_HOT:
    case DML_OPERATOR_TOP_K:
    case DML_OPERATOR_TOP_K1:
        return axis;
    case DML_OPERATOR_CUMULATIVE_SUMMATION:
        return 1u << d->desc.cumulative_sum.Axis;
    case DML_OPERATOR_CUMULATIVE_PRODUCT:
        return 1u << d->desc.cumulative_product.Axis;
    case DML_OPERATOR_DIAGONAL_MATRIX:
    case DML_OPERATOR_DIAGONAL_MATRIX1:
        return 3u << (rank - 2);
    case DML_OPERATOR_SLICE1:
    case DML_OPERATOR_SLICE_GRAD: {
        uint32_t turned = 0;
        for (uint32_t i = 0; i < rank; i++)
            turned |= (uint32_t)(d->lists[2][i] != 1) << i;
        return turned;
    }
    case DML_OPERATOR_SPACE_TO_DEPTH:
    case DML_OPERATOR_SPACE_TO_DEPTH1:
    case DML_OPERATOR_DEPTH_TO_SPACE:
    case DML_OPERATOR_DEPTH_TO_SPACE1:
    case DML_OPERATOR_UNFOLD:
    case DML_OPERATOR_FOLD:
    case DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION:
    case DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD:
    case DML_OPERATOR_VALUE_SCALE_2D:
        return but_first;
    case DML_OPERATOR_AVERAGE_POOLING:
    case DML_OPERATOR_AVERAGE_POOLING1:
    case DML_OPERATOR_AVERAGE_POOLING_GRAD:
    case DML_OPERATOR_LP_POOLING:
    case DML_OPERATOR_LP_POOLING1:
    case DML_OPERATOR_MAX_POOLING:
    case DML_OPERATOR_MAX_POOLING_GRAD:
    case DML_OPERATOR_UPSAMPLE_2D:
        return all - 3;
    case DML_OPERATOR_RNN:
    case DML_OPERATOR_GRU:
    case DML_OPERATOR_LSTM:
    case DML_OPERATOR_MULTIHEAD_ATTENTION:
    case DML_OPERATOR_MULTIHEAD_ATTENTION1:
    case DML_OPERATOR_CONVOLUTION:
    case DML_OPERATOR_CONVOLUTION_INTEGER:
    case DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION:
    case DML_OPERATOR_GEMM:
    case DML_OPERATOR_MATRIX_MULTIPLY_INTEGER:
    case DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT:
    case DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY:
    case DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING:
    case DML_OPERATOR_MAX_POOLING1:
    case DML_OPERATOR_MAX_POOLING2:
    case DML_OPERATOR_FILL_VALUE_SEQUENCE:
    case DML_OPERATOR_MAX_UNPOOLING:
    case DML_OPERATOR_RANDOM_GENERATOR:
    case DML_OPERATOR_NONZERO_COORDINATES:
    case DML_OPERATOR_SCATTER_ND:
    case DML_OPERATOR_RESAMPLE:
    case DML_OPERATOR_RESAMPLE1:
    case DML_OPERATOR_RESAMPLE2:
    case DML_OPERATOR_RESAMPLE3:
    case DML_OPERATOR_RESAMPLE_GRAD:
    case DML_OPERATOR_RESAMPLE_GRAD1:
    case DML_OPERATOR_ROI_POOLING:
    case DML_OPERATOR_ROI_ALIGN:
    case DML_OPERATOR_ROI_ALIGN1:
    case DML_OPERATOR_ROI_ALIGN_GRAD:
        return all;
    default:
        return d->slice_dimensions | normalise_axes(d);
    }
}

/* Returns true if an input's element along a dimension of size 1 stands for all coordinates. Inputs of other operators
 * have their sizes for other reasons. */
static int is_spread(const struct descriptor *d, uint32_t input)
{
    return !descriptor_is_indexed(d->type) && (!descriptor_is_move(d->type) || d->type == DML_OPERATOR_TILE) &&
           !(d->type == DML_OPERATOR_REVERSE_SUBSEQUENCES && input == 0);
}

/* Cuts all tensors along one dimension. */
static int cut_along(const struct descriptor *d, uint32_t dimension, struct parts_cut *cut)
{
    const uint32_t size = cut->size = d->outputs[0].sizes[dimension];
    for (uint32_t i = 0; i < d->output_count; i++) {
        const struct tensor *tensor = &d->outputs[i];
        cut->outputs[i] = tensor->rank > 0 ? dimension : PARTS_WHOLE;
        if (tensor->rank > 0 && (dimension >= tensor->rank || tensor->sizes[dimension] != size))
            return 0;
    }
    for (uint32_t i = 0; i < d->input_count; i++) {
        const struct tensor *tensor = &d->inputs[i];
        const int values = d->type == DML_OPERATOR_ONE_HOT && i == 1;
        cut->inputs[i] = PARTS_WHOLE;
        if (tensor->rank == 0 || values)
            continue;
        if (dimension >= tensor->rank)
            return 0;
        if (tensor->sizes[dimension] == size)
            cut->inputs[i] = dimension;
        else if (tensor->sizes[dimension] != 1 || !is_spread(d, i))
            return 0;
    }
    return 1;
}

static int cut_gather(uint32_t size, uint32_t input, uint32_t indices, uint32_t output, struct parts_cut *cut)
{
    cut->size = size;
    cut->inputs[0] = input;
    cut->inputs[1] = indices;
    cut->outputs[0] = output;
    return 1;
}

/* Cuts a GATHER. The dimensions of the output are some of the input, those of the indices, and the last ones of the
 * input. */
static int cut_blocks(const struct descriptor *d, uint32_t dimension, struct parts_cut *cut)
{
    const uint32_t rank = d->outputs[0].rank, size = d->outputs[0].sizes[dimension], taken = d->index_dimensions;
    const uint32_t before = dimension + taken; /* one more than the input's dimension, if that is before the axis */
    if (dimension > d->axis)
        return cut_gather(size, dimension, PARTS_WHOLE, dimension, cut);
    if (before > d->axis)
        return taken > 0 && cut_gather(size, PARTS_WHOLE, rank + dimension - d->axis - 1, dimension, cut);
    return before > 0 && cut_gather(size, before - 1, PARTS_WHOLE, dimension, cut);
}

/* Cuts an ND operator. The dimensions of the output are the batch, those of the indices, and the last ones of the
 * input. */
static int cut_tuples(const struct descriptor *d, uint32_t dimension, struct parts_cut *cut)
{
    const uint32_t rank = d->outputs[0].rank, size = d->outputs[0].sizes[dimension];
    const uint32_t batch = d->batch_dimension_count, lead = d->indices_dimension_count - 1;
    const uint32_t input_first = rank - d->input_dimension_count;
    const uint32_t tail_first = input_first + batch + d->inputs[1].sizes[rank - 1], lead_first = tail_first - lead;
    if (dimension >= tail_first)
        return cut_gather(size, dimension, PARTS_WHOLE, dimension, cut);
    if (dimension < lead_first)
        return 0;
    const uint32_t number = dimension - lead_first;
    return cut_gather(size, number < batch ? input_first + number : PARTS_WHOLE, rank - 1 - lead + number, dimension,
                      cut);
}

static int cut_at(const struct descriptor *d, uint32_t dimension, struct parts_cut *cut)
{
    switch ((int)d->type) {
    case DML_OPERATOR_GATHER:
        return cut_blocks(d, dimension, cut);
    case DML_OPERATOR_GATHER_ND:
    case DML_OPERATOR_GATHER_ND1:
        return cut_tuples(d, dimension, cut);
    default:
        return cut_along(d, dimension, cut);
    }
}

/* Returns true if parts begin at whole bytes: two elements of 4 bits share a byte. */
static int has_bytes(const struct descriptor *d)
{
    int has = 1;
    for (uint32_t i = 0; i < d->input_count; i++)
        has &= d->inputs[i].rank == 0 || d->inputs[i].element_size > 0;
    for (uint32_t i = 0; i < d->output_count; i++)
        has &= d->outputs[i].rank == 0 || d->outputs[i].element_size > 0;
    return has;
}

void parts_cut(const struct descriptor *d, uint32_t count, struct parts_cut *cut)
{
    enum { PLENTY = 16 }; /* so many indices for each part that one more or less hardly counts */
    const uint32_t bound = bound_dimensions(d);
    cut->size = 0;
    if (!has_bytes(d))
        return;
    for (uint32_t i = 0; i < d->outputs[0].rank && cut->size < PLENTY * count; i++) {
        struct parts_cut another;
        if (!(bound >> i & 1) && cut_at(d, i, &another) && another.size > 1 && another.size > cut->size)
            *cut = another;
    }
}

/* ---- parts */

/* Returns the first index of a part. A cache line belongs to one part, if there are many indices. */
static uint32_t first_index(const struct parts_cut *cut, uint64_t number, uint32_t count)
{
    enum { TOGETHER = 64 };
    const uint64_t place = cut->size * number / count;
    return (uint32_t)(number < count && cut->size / count >= 2 * TOGETHER ? place / TOGETHER * TOGETHER : place);
}

static uint64_t take_part(struct tensor *tensor, uint32_t dimension, uint32_t first, uint32_t end)
{
    if (dimension == PARTS_WHOLE)
        return 0;
    tensor->count = tensor->count / tensor->sizes[dimension] * (end - first);
    tensor->sizes[dimension] = end - first;
    tensor->packed = 0;
    return (uint64_t)first * tensor->strides[dimension] * tensor->element_size;
}

void parts_take(const struct descriptor *d, const struct parts_cut *cut, uint32_t number, uint32_t count,
                struct parts_part *part)
{
    const uint32_t first = first_index(cut, number, count), end = first_index(cut, number + 1, count);
    descriptor_copy(&part->descriptor, d);
    for (uint32_t i = 0; i < d->input_count; i++)
        part->inputs[i] = take_part(&part->descriptor.inputs[i], cut->inputs[i], first, end);
    for (uint32_t i = 0; i < d->output_count; i++)
        part->outputs[i] = take_part(&part->descriptor.outputs[i], cut->outputs[i], first, end);
}
