/* movement.c: operators that are not element-wise: a row each. ONNX has their lists of numbers as inputs. */
#include "device/common/number.h"
#include "device/onnxruntime/call.h"

#include <stdio.h>
#include <string.h>

enum { OPSET = 19, OPSET_PRODUCT = 26, OPSET_SCALER = 9 /* the last one with ImageScaler */ };

/* Makes a call for a description where a row cannot say how; the operands have all dimensions. Returns null, or the
 * feature that ONNX lacks. */
typedef const char *make(const struct descriptor *d, struct call *call);

struct row {
    DML_OPERATOR_TYPE type;
    const char *node;
    make *make;
    int opset; /* 0: OPSET */
};

static void set_attribute(struct call *call, size_t number, struct model_attribute attribute)
{
    call->model.attributes[number] = attribute;
}

#define INTEGER(NAME, VALUE) ((struct model_attribute)MODEL_INT(NAME, VALUE))
#define INTEGERS(NAME, ...) ((struct model_attribute)MODEL_INTS(NAME, __VA_ARGS__))
#define REAL(NAME, VALUE) ((struct model_attribute)MODEL_REAL(NAME, VALUE))
#define TEXT(NAME, VALUE) ((struct model_attribute)MODEL_TEXT(NAME, VALUE))

static void add_numbers(struct call *call, const uint32_t *from, uint32_t count)
{
    int64_t *list = call_add_list(call, count);
    for (uint32_t i = 0; i < count; i++)
        list[i] = from[i];
}

/* Casts indices: ONNX gives the number of an element as INT64, and the model casts it to the type of the output. */
static void cast_numbers(struct call *call, uint32_t output)
{
    if (call->outputs[output].element_type != ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
        call->model.casts |= 1u << output;
}

/* ---- views */

static void pack_strides(struct tensor *tensor)
{
    uint64_t stride = 1;
    tensor->packed = 1;
    for (uint32_t i = tensor->rank; i-- > 0; stride *= tensor->sizes[i])
        if (tensor->sizes[i] > 1 && tensor->strides[i] != stride)
            tensor->packed = 0;
}

/* Returns the tensor with some axes, a bit each, behind the others. */
static struct tensor turn(const struct tensor *from, uint32_t axes)
{
    struct tensor to = *from;
    uint32_t count = 0;
    for (uint32_t last = 0; last < 2; last++)
        for (uint32_t i = 0; i < from->rank; i++)
            if ((axes >> i & 1) == last) {
                to.sizes[count] = from->sizes[i];
                to.strides[count++] = from->strides[i];
            }
    pack_strides(&to);
    return to;
}

/* Makes an operand rows: ONNX sees it as a matrix. */
static void make_rows(struct operand *operand, uint64_t rows, uint64_t columns)
{
    operand->rank = 2;
    operand->sizes[0] = (int64_t)rows;
    operand->sizes[1] = (int64_t)columns;
}

/* ---- moves of elements */

/* Makes a slice: starts, ends, axes and steps. An end below 0 would count from the end of the axis. */
static const char *make_slice(const struct descriptor *d, struct call *call)
{
    uint32_t rank = d->inputs[0].rank;
    int64_t *starts = call_add_list(call, rank), *ends = call_add_list(call, rank), *axes = call_add_list(call, rank),
            *steps = call_add_list(call, rank);
    for (uint32_t i = 0; i < rank; i++) {
        int backwards = d->type == DML_OPERATOR_SLICE1 && (int32_t)d->lists[2][i] < 0;
        steps[i] = backwards ? (int32_t)d->lists[2][i] : (int64_t)d->lists[2][i];
        starts[i] = d->lists[0][i] + (backwards ? d->lists[1][i] - 1 : 0);
        ends[i] = starts[i] + steps[i] * d->outputs[0].sizes[i];
        if (ends[i] < 0)
            ends[i] = INT64_MIN;
        axes[i] = i;
    }
    return NULL;
}

static const char *make_split(const struct descriptor *d, struct call *call)
{
    int64_t *sizes = call_add_list(call, d->output_count);
    for (uint32_t i = 0; i < d->output_count; i++)
        sizes[i] = d->outputs[i].sizes[d->axis];
    set_attribute(call, 0, INTEGER("axis", d->axis));
    return NULL;
}

static const char *make_join(const struct descriptor *d, struct call *call)
{
    set_attribute(call, 0, INTEGER("axis", d->axis));
    return NULL;
}

static const char *make_tile(const struct descriptor *d, struct call *call)
{
    add_numbers(call, d->lists[0], d->inputs[0].rank);
    return NULL;
}

static const char *make_padding(const struct descriptor *d, struct call *call)
{
    static const char *const modes[] = {[DML_PADDING_MODE_CONSTANT] = "constant",
                                        [DML_PADDING_MODE_EDGE] = "edge",
                                        [DML_PADDING_MODE_REFLECTION] = "reflect",
                                        [DML_PADDING_MODE_WRAP] = "wrap"};
    int has_type = d->type == DML_OPERATOR_PADDING1;
    DML_PADDING_MODE mode = has_type ? d->desc.padding1.PaddingMode : d->desc.padding.PaddingMode;
    DML_TENSOR_DATA_TYPE type = d->outputs[0].type;
    uint32_t rank = d->inputs[0].rank;
    int64_t *pads = call_add_list(call, 2 * rank);
    for (uint32_t i = 0; i < rank; i++) {
        pads[i] = d->lists[0][i];
        pads[rank + i] = d->lists[1][i];
    }
    if (!modes[mode])
        return "ONNX's Pad has no symmetric mode";
    for (uint32_t i = 0; i < 2 * rank && mode == DML_PADDING_MODE_REFLECTION; i++)
        if (pads[i] >= d->inputs[0].sizes[i % rank])
            return "ONNX Runtime's Pad reflects only once";
    set_attribute(call, 0, TEXT("mode", modes[mode]));
    if (mode == DML_PADDING_MODE_CONSTANT && has_type)
        memcpy(call_add_scalar(call, type), &d->desc.padding1.PaddingValue, descriptor_element_size(type));
    else if (mode == DML_PADDING_MODE_CONSTANT)
        number_store_real(type, (double)d->desc.padding.PaddingValue, call_add_scalar(call, type));
    return NULL;
}

static const char *make_blocks(const struct descriptor *d, struct call *call)
{
    int has_order = d->type == DML_OPERATOR_DEPTH_TO_SPACE1 || d->type == DML_OPERATOR_SPACE_TO_DEPTH1;
    int depth_last = has_order && d->desc.space_to_depth1.Order == DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH;
    set_attribute(call, 0, INTEGER("blocksize", d->desc.space_to_depth1.BlockSize));
    if (d->type == DML_OPERATOR_DEPTH_TO_SPACE || d->type == DML_OPERATOR_DEPTH_TO_SPACE1)
        set_attribute(call, 1, TEXT("mode", depth_last ? "CRD" : "DCR"));
    else if (depth_last)
        return "ONNX's SpaceToDepth has one order only";
    return NULL;
}

/* Makes a reversal. A sequence is a row; if it is the first axis, a column. */
static const char *make_reverse(const struct descriptor *d, struct call *call)
{
    uint64_t length = d->inputs[0].sizes[d->axis], others = d->inputs[0].count / length, before = 1;
    struct operand *const operands[2] = {&call->inputs[0], &call->outputs[0]};
    for (uint32_t i = 0; i < d->axis; i++)
        before *= d->inputs[0].sizes[i];
    set_attribute(call, 0, INTEGER("time_axis", before != 1));
    set_attribute(call, 1, INTEGER("batch_axis", before == 1));
    for (size_t i = 0; i < 2; i++) {
        if (before != 1)
            operands[i]->tensor = turn(&operands[i]->tensor, 1u << d->axis);
        make_rows(operands[i], before == 1 ? length : others, before == 1 ? others : length);
    }
    call_make_indices(&call->inputs[1], &d->inputs[1], 0, 0);
    call->inputs[1].rank = 1;
    call->inputs[1].sizes[0] = (int64_t)others;
    return NULL;
}

/* Makes a one-hot tensor. ONNX's values are a list of two; its indices lack the axis, but have a dimension. */
static const char *make_one_hot(const struct descriptor *d, struct call *call)
{
    struct operand *indices = &call->inputs[0], *values = &call->inputs[1];
    uint32_t last = values->tensor.rank - 1;
    while (values->tensor.sizes[last] == 1)
        last--;
    values->tensor = (struct tensor){.type = values->tensor.type,
                                     .element_size = values->tensor.element_size,
                                     .element_bits = values->tensor.element_bits,
                                     .rank = 1,
                                     .sizes = {2},
                                     .strides = {values->tensor.strides[last]},
                                     .count = 2};
    pack_strides(&values->tensor);
    call_make_operand(values, &values->tensor, 1);
    call_make_indices(indices, &d->inputs[0], d->inputs[0].rank, 0);
    if (indices->rank == 1)
        make_rows(&call->outputs[0], 1, d->outputs[0].count);
    else
        indices->rank--;
    for (uint32_t i = d->axis; i + 1 < d->inputs[0].rank; i++)
        indices->sizes[i] = indices->sizes[i + 1];
    set_attribute(call, 0, INTEGER("axis", d->inputs[0].rank == 1 ? 1 : d->axis));
    call_add_list(call, 1)[0] = d->outputs[0].sizes[d->axis];
    call->constants_after = 1;
    return NULL;
}

/* Makes an unpooling. Windows and paddings give the size of the output, in which the indices count. Paddings must be
 * below the window, so that both ends are padded if the output is smaller. */
static const char *make_unpooling(const struct descriptor *d, struct call *call)
{
    int64_t height = (int64_t)d->outputs[0].sizes[2] - d->inputs[0].sizes[2], less_high = height < 0 ? -height : 0;
    int64_t width = (int64_t)d->outputs[0].sizes[3] - d->inputs[0].sizes[3], less_wide = width < 0 ? -width : 0;
    set_attribute(call, 0,
                  INTEGERS("kernel_shape", 2, 1 + (height < 0 ? -height : height), 1 + (width < 0 ? -width : width)));
    set_attribute(call, 1, INTEGERS("pads", 4, less_high, less_wide, less_high, less_wide));
    call_make_indices(&call->inputs[1], &d->inputs[1], d->inputs[1].rank, 0);
    return NULL;
}

/* Makes a diagonal matrix. Trilu sets the elements on one side of a diagonal to 0. Diagonals are counted from -lowest
 * to highest. */
static const char *make_diagonal(const struct descriptor *d, struct call *call)
{
    const struct tensor *output = &d->outputs[0];
    int64_t begin = d->desc.diagonal1.DiagonalFillBegin, end = d->desc.diagonal1.DiagonalFillEnd;
    int64_t lowest = 1 - (int64_t)output->sizes[output->rank - 2],
            highest = (int64_t)output->sizes[output->rank - 1] - 1;
    int fills_below = begin <= end ? begin <= lowest : begin > highest;
    int fills_above = begin <= end ? end > highest : end <= lowest;
    int64_t k = fills_below ? end : begin - 1;
    if (d->inputs[0].rank == 0 || number_bits(output->type, &d->desc.diagonal1.Value) != 0)
        return "ONNX's Trilu has an input, in which it writes zeros";
    if (!fills_below && !fills_above)
        return "ONNX's Trilu writes on one side of a diagonal";
    set_attribute(call, 0, INTEGER("upper", fills_below));
    memcpy(call_add_scalar(call, DML_TENSOR_DATA_TYPE_INT64), &k, sizeof k);
    return NULL;
}

/* ---- reductions and running sums */

static const char *make_cumulative(const struct descriptor *d, struct call *call)
{
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC *cumulative = &d->desc.cumulative_sum; /* the product's, too */
    int64_t axis = cumulative->Axis;
    set_attribute(call, 0, INTEGER("exclusive", cumulative->HasExclusiveSum));
    set_attribute(call, 1, INTEGER("reverse", cumulative->AxisDirection == DML_AXIS_DIRECTION_DECREASING));
    memcpy(call_add_scalar(call, DML_TENSOR_DATA_TYPE_INT64), &axis, sizeof axis);
    return NULL;
}

static const char *make_top_k(const struct descriptor *d, struct call *call)
{
    int least = d->type == DML_OPERATOR_TOP_K1 && d->desc.top_k1.AxisDirection == DML_AXIS_DIRECTION_INCREASING;
    set_attribute(call, 0, INTEGER("axis", d->axis));
    set_attribute(call, 1, INTEGER("largest", !least));
    call_add_list(call, 1)[0] = d->outputs[0].sizes[d->axis];
    cast_numbers(call, 1);
    return NULL;
}

/* Makes an index of an extreme. ONNX has one axis: several axes become one, behind the others. */
static const char *make_place(const struct descriptor *d, struct call *call, uint32_t axis_count, int takes_last)
{
    struct operand *input = &call->inputs[0], *output = &call->outputs[0];
    uint32_t axes = 0;
    for (uint32_t i = 0; i < axis_count; i++)
        axes |= 1u << d->lists[0][i];
    if (axis_count > 1) {
        input->tensor = turn(&input->tensor, axes);
        make_rows(input, output->tensor.count, input->tensor.count / output->tensor.count);
        make_rows(output, output->tensor.count, 1);
    }
    set_attribute(call, 0, INTEGER("axis", axis_count > 1 ? 1 : d->lists[0][0]));
    set_attribute(call, 1, INTEGER("select_last_index", takes_last));
    cast_numbers(call, 0);
    return NULL;
}

static const char *make_argmin(const struct descriptor *d, struct call *call)
{
    return make_place(d, call, d->desc.argmin.AxisCount, d->desc.argmin.AxisDirection == DML_AXIS_DIRECTION_DECREASING);
}

static const char *make_argmax(const struct descriptor *d, struct call *call)
{
    return make_place(d, call, d->desc.argmax.AxisCount, d->desc.argmax.AxisDirection == DML_AXIS_DIRECTION_DECREASING);
}

static const char *make_reduce(const struct descriptor *d, struct call *call)
{
    static const char *const nodes[] = {
        [DML_REDUCE_FUNCTION_ARGMAX] = "ArgMax",
        [DML_REDUCE_FUNCTION_ARGMIN] = "ArgMin",
        [DML_REDUCE_FUNCTION_AVERAGE] = "ReduceMean",
        [DML_REDUCE_FUNCTION_L1] = "ReduceL1",
        [DML_REDUCE_FUNCTION_L2] = "ReduceL2",
        [DML_REDUCE_FUNCTION_LOG_SUM] = "ReduceLogSum",
        [DML_REDUCE_FUNCTION_LOG_SUM_EXP] = "ReduceLogSumExp",
        [DML_REDUCE_FUNCTION_MAX] = "ReduceMax",
        [DML_REDUCE_FUNCTION_MIN] = "ReduceMin",
        [DML_REDUCE_FUNCTION_MULTIPLY] = "ReduceProd",
        [DML_REDUCE_FUNCTION_SUM] = "ReduceSum",
        [DML_REDUCE_FUNCTION_SUM_SQUARE] = "ReduceSumSquare",
    };
    DML_REDUCE_FUNCTION function = d->desc.reduce.Function;
    call->model.node = nodes[function];
    if (function == DML_REDUCE_FUNCTION_ARGMAX || function == DML_REDUCE_FUNCTION_ARGMIN)
        return make_place(d, call, d->desc.reduce.AxisCount, 0);
    add_numbers(call, d->lists[0], d->desc.reduce.AxisCount);
    return NULL;
}

/* Makes a softmax. ONNX has one axis: several axes become one, behind the others, also in the output. */
static const char *make_softmax(const struct descriptor *d, struct call *call)
{
    struct operand *const operands[2] = {&call->inputs[0], &call->outputs[0]};
    uint32_t axes = d->slice_dimensions, axis = 0;
    uint64_t length = 1;
    for (uint32_t i = 0; i < d->inputs[0].rank; i++)
        if (axes >> i & 1) {
            length *= d->inputs[0].sizes[i];
            axis = i;
        }
    int is_several = axes != 1u << axis;
    for (size_t i = 0; is_several && i < 2; i++) {
        operands[i]->tensor = turn(&operands[i]->tensor, axes);
        make_rows(operands[i], d->inputs[0].count / length, length);
    }
    set_attribute(call, 0, INTEGER("axis", is_several ? 1 : axis));
    return NULL;
}

/* ---- pictures */

static struct model_attribute integers(const char *name, const uint32_t *from, uint32_t count)
{
    struct model_attribute attribute = {.name = name, .count = count};
    for (uint32_t i = 0; i < count; i++)
        attribute.list[i] = from[i];
    return attribute;
}

/* Makes a fold, or its inverse. The sizes of the picture and of the window are inputs. */
static const char *make_fold(const struct descriptor *d, struct call *call)
{
    uint32_t count = d->outputs[0].rank - 2, pads[2 * DESCRIPTOR_MAX_DIMENSIONS];
    memcpy(pads, d->lists[3], count * sizeof *pads);
    memcpy(pads + count, d->lists[4], count * sizeof *pads);
    set_attribute(call, 0, integers("strides", d->lists[1], count));
    set_attribute(call, 1, integers("dilations", d->lists[2], count));
    set_attribute(call, 2, integers("pads", pads, 2 * count));
    add_numbers(call, d->outputs[0].sizes + 2, count);
    add_numbers(call, d->lists[0], count);
    return NULL;
}

/* Sets the first four attributes: those of the windows that move over the spatial dimensions. */
static void set_windows(const struct descriptor *d, struct call *call)
{
    const uint32_t count = d->inputs[0].rank - 2;
    uint32_t pads[2 * DESCRIPTOR_MAX_DIMENSIONS];
    memcpy(pads, d->lists[WINDOW_START], count * sizeof *pads);
    memcpy(pads + count, d->lists[WINDOW_END], count * sizeof *pads);
    set_attribute(call, 0, integers("kernel_shape", d->lists[WINDOW_SIZES], count));
    set_attribute(call, 1, integers("strides", d->lists[WINDOW_STRIDES], count));
    set_attribute(call, 2, integers("pads", pads, 2 * count));
    set_attribute(call, 3, integers("dilations", d->lists[WINDOW_GAPS], count));
}

/* Makes a pooling. ONNX rounds the sizes of the output in all dimensions alike. */
static const char *make_pooling(const struct descriptor *d, struct call *call)
{
    const uint32_t count = d->inputs[0].rank - 2;
    uint32_t rounds_up = 0, rounds_down = 0, below = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t gap = d->lists[WINDOW_GAPS][i], stride = d->lists[WINDOW_STRIDES][i];
        const uint64_t rest = (uint64_t)d->inputs[0].sizes[i + 2] + d->lists[WINDOW_START][i] +
                              d->lists[WINDOW_END][i] - gap * (d->lists[WINDOW_SIZES][i] - 1) - 1;
        rounds_up |= d->outputs[0].sizes[i + 2] > rest / stride + 1;
        below &= d->lists[WINDOW_START][i] < d->lists[WINDOW_SIZES][i] &&
                 d->lists[WINDOW_END][i] < d->lists[WINDOW_SIZES][i];
        rounds_down |= rest % stride > 0 && d->outputs[0].sizes[i + 2] == rest / stride + 1;
    }
    if (!below)
        return "ONNX Runtime's poolings need paddings below the size of the window";
    if (rounds_up && rounds_down)
        return "ONNX rounds all sizes up or all sizes down";
    set_windows(d, call);
    const size_t at = call->model.domain ? 3 : 4; /* QLinearAveragePool has no dilations */
    set_attribute(call, at, INTEGER("ceil_mode", rounds_up));
    if (strstr(call->model.node, "AveragePool"))
        set_attribute(call, at + 1, INTEGER("count_include_pad", d->window.includes_padding));
    else if (strcmp(call->model.node, "LpPool") == 0)
        set_attribute(call, 5, INTEGER("p", d->window.power));
    else if (d->output_count > 1 && d->outputs[1].rank > 0)
        cast_numbers(call, 1);
    return NULL;
}

/* Makes a pooling of integers, whose scales and zero points are scalars. */
static const char *make_quantised_pooling(const struct descriptor *d, struct call *call)
{
    call->model.domain = "com.microsoft";
    for (uint32_t i = 1; i < d->input_count; i++) {
        if (!d->inputs[i].rank)
            return "ONNX Runtime's QLinearAveragePool gets all zero points from this device";
        if (d->inputs[i].count > 1)
            return "ONNX Runtime's QLinearAveragePool has one scale for all channels";
        call_make_operand(&call->inputs[i], &d->inputs[i], 0);
    }
    for (uint32_t i = 0; i + 2 < d->inputs[0].rank; i++)
        if (d->lists[WINDOW_GAPS][i] > 1)
            return "ONNX Runtime's QLinearAveragePool has no dilations";
    if (d->inputs[0].type != d->outputs[0].type)
        return "ONNX Runtime's QLinearAveragePool gives the type of its input";
    return make_pooling(d, call);
}

static const char *make_response(const struct descriptor *d, struct call *call)
{
    const struct descriptor_response *response = &d->response;
    if (!response->crosses)
        return "ONNX's LRN sums over channels only";
    if (response->size % 2 == 0)
        return "ONNX Runtime's LRN needs an odd size";
    set_attribute(call, 0, INTEGER("size", response->size));
    set_attribute(call, 1, REAL("alpha", response->alpha));
    set_attribute(call, 2, REAL("beta", response->beta));
    set_attribute(call, 3, REAL("bias", response->bias));
    return NULL;
}

enum { PICTURE_RANK = 4 };

/* Makes an operand pictures of one channel: between those of other dimensions ONNX Runtime interpolates, too. */
static void make_picture(struct operand *operand, const struct tensor *tensor)
{
    call_make_operand(operand, tensor, PICTURE_RANK);
    operand->sizes[0] = (int64_t)(tensor->count / tensor->sizes[tensor->rank - 2] / tensor->sizes[tensor->rank - 1]);
    operand->sizes[1] = 1;
}

/* Makes a Resize. The sizes of the output are its last input, after two that are absent. */
static const char *make_upsample(const struct descriptor *d, struct call *call)
{
    static const int order[] = {0, -1, -1, 1};
    const int is_linear = d->desc.upsample.InterpolationMode == DML_INTERPOLATION_MODE_LINEAR;
    set_attribute(call, 0, TEXT("mode", is_linear ? "linear" : "nearest"));
    make_picture(&call->inputs[0], &d->inputs[0]);
    make_picture(&call->outputs[0], &d->outputs[0]);
    memcpy(call_add_list(call, PICTURE_RANK), call->outputs[0].sizes, PICTURE_RANK * sizeof *call->outputs[0].sizes);
    call->model.order_count = sizeof order / sizeof *order;
    memcpy(call->model.order, order, sizeof order);
    return NULL;
}

static const char *make_roi_pooling(const struct descriptor *d, struct call *call)
{
    const DML_SIZE_2D size = d->desc.roi_pooling.PooledSize;
    if (!(d->desc.roi_pooling.SpatialScale > 0))
        return "ONNX Runtime needs a SpatialScale above 0";
    set_attribute(call, 0, INTEGERS("pooled_shape", 2, size.Height, size.Width));
    set_attribute(call, 1, REAL("spatial_scale", d->desc.roi_pooling.SpatialScale));
    call_make_operand(&call->inputs[1], &d->inputs[1], 2);
    return NULL;
}

static const char *make_value_scale(const struct descriptor *d, struct call *call)
{
    struct model_attribute bias = {.name = "bias", .real_count = d->inputs[0].sizes[1]};
    memcpy(bias.reals, d->channel_bias, bias.real_count * sizeof *bias.reals);
    set_attribute(call, 0, REAL("scale", d->desc.value_scale.Scale));
    set_attribute(call, 1, bias);
    return NULL;
}

/* ---- products of matrices */

static int has_one_matrix(const struct tensor *tensor)
{
    return tensor->count == (uint64_t)tensor->sizes[tensor->rank - 2] * tensor->sizes[tensor->rank - 1];
}

/* Makes a GEMM: Gemm of one matrix, or MatMul of many. */
static const char *make_gemm(const struct descriptor *d, struct call *call)
{
    const DML_GEMM_OPERATOR_DESC *gemm = &d->desc.gemm;
    const int is_plain = gemm->TransA == DML_MATRIX_TRANSFORM_NONE && gemm->TransB == DML_MATRIX_TRANSFORM_NONE &&
                         gemm->Alpha == 1 && !d->inputs[2].rank;
    if (d->activation)
        return "ONNX fuses no activations";
    if (!has_one_matrix(&d->inputs[0])) {
        call->model.node = "MatMul";
        return is_plain ? NULL : "ONNX's MatMul has no transforms, no Alpha and no C";
    }
    for (uint32_t i = 0; i < 3; i++)
        if (d->inputs[i].rank)
            call_make_operand(&call->inputs[i], &d->inputs[i], 2);
    call_make_operand(&call->outputs[0], &d->outputs[0], 2);
    set_attribute(call, 0, INTEGER("transA", gemm->TransA == DML_MATRIX_TRANSFORM_TRANSPOSE));
    set_attribute(call, 1, INTEGER("transB", gemm->TransB == DML_MATRIX_TRANSFORM_TRANSPOSE));
    set_attribute(call, 2, REAL("alpha", gemm->Alpha));
    set_attribute(call, 3, REAL("beta", gemm->Beta));
    return NULL;
}

/* Makes a scale or a zero point a list. */
static void make_parameter(const struct descriptor *d, struct call *call, uint32_t input)
{
    if (d->inputs[input].rank)
        call_make_operand(&call->inputs[input], &d->inputs[input], 1);
}

/* Makes a product of integers: the zero points follow both factors. */
static const char *make_integer_product(const struct descriptor *d, struct call *call)
{
    static const int order[] = {0, 2, 1, 3};
    const int of_first = d->inputs[1].rank > 0, of_second = d->inputs[3].rank > 0;
    if (of_first && d->inputs[1].count > 1)
        return "ONNX Runtime's MatMulInteger has one zero point of A";
    if (of_second && !of_first)
        return "ONNX Runtime's MatMulInteger needs the zero point of A";
    if (of_second && d->inputs[3].count > 1 && !has_one_matrix(&d->inputs[2]))
        return "ONNX Runtime's MatMulInteger has one zero point of several matrices B";
    if (has_one_matrix(&d->inputs[2])) {
        call_make_operand(&call->inputs[0], &d->inputs[0], 2);
        call_make_operand(&call->inputs[2], &d->inputs[2], 2);
        call_make_operand(&call->outputs[0], &d->outputs[0], 2);
    }
    make_parameter(d, call, 1);
    make_parameter(d, call, 3);
    call->model.order_count = of_first ? 3 + of_second : 0;
    memcpy(call->model.order, order, sizeof order);
    return NULL;
}

static const char *make_quantised_product(const struct descriptor *d, struct call *call)
{
    static const uint32_t parameters[] = {1, 2, 4, 5, 6, 7};
    const DML_TENSOR_DATA_TYPE first = d->inputs[0].type, second = d->inputs[3].type;
    for (uint32_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        const struct tensor *tensor = &d->inputs[parameters[i]];
        const int is_second = parameters[i] == 4 || parameters[i] == 5;
        if (!tensor->rank)
            return "ONNX's QLinearMatMul needs all zero points";
        if (tensor->count > 1 && !is_second)
            return "ONNX Runtime's QLinearMatMul has one scale of A and of the output";
        make_parameter(d, call, parameters[i]);
    }
    if (d->inputs[4].count != d->inputs[5].count)
        return "ONNX Runtime's QLinearMatMul has as many zero points of B as scales";
    if (d->outputs[0].type != first || (first == DML_TENSOR_DATA_TYPE_INT8 && second != first))
        return "ONNX Runtime's QLinearMatMul of these types";
    return NULL;
}

/* Makes a convolution of integers: the zero points follow both factors. */
static const char *make_integer_convolution(const struct descriptor *d, struct call *call)
{
    static const int order[] = {0, 2, 1, 3};
    const int of_input = d->inputs[1].rank > 0, of_filter = d->inputs[3].rank > 0;
    if (of_filter && !of_input)
        return "ONNX Runtime's ConvInteger needs the zero point of the input";
    if (of_filter && d->inputs[3].count > 1)
        return "ONNX Runtime's ConvInteger has one zero point of the filter";
    set_windows(d, call);
    set_attribute(call, 4, INTEGER("group", d->window.groups));
    make_parameter(d, call, 1);
    make_parameter(d, call, 3);
    call->model.order_count = of_input ? 3 + of_filter : 0;
    memcpy(call->model.order, order, sizeof order);
    return NULL;
}

/* Makes a quantised convolution. ONNX has the bias last. */
static const char *make_quantised_convolution(const struct descriptor *d, struct call *call)
{
    static const int order[] = {0, 1, 2, 3, 4, 5, 7, 8, 6};
    static const uint32_t parameters[] = {1, 2, 4, 5, 6, 7, 8};
    const int has_bias = d->inputs[6].rank > 0;
    for (uint32_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        struct operand *operand = &call->inputs[parameters[i]];
        if (parameters[i] != 6 && !operand->tensor.rank)
            return "ONNX's QLinearConv needs all zero points";
        operand->rank = operand->tensor.rank > 0; /* a list, of channels */
        operand->sizes[0] = (int64_t)operand->tensor.count;
    }
    set_windows(d, call);
    set_attribute(call, 4, INTEGER("group", d->window.groups));
    call->model.order_count = has_bias ? 9 : 0;
    memcpy(call->model.order, order, sizeof order);
    return NULL;
}

/* ---- rows */

#define ROW(dml, onnx, function) .type = DML_OPERATOR_##dml, .node = onnx, .make = function

static const struct row rows[] = {
    {ROW(SLICE, "Slice", make_slice)},
    {ROW(SLICE1, "Slice", make_slice)},
    {ROW(SPLIT, "Split", make_split)},
    {ROW(JOIN, "Concat", make_join)},
    {ROW(TILE, "Tile", make_tile)},
    {ROW(PADDING, "Pad", make_padding)},
    {ROW(PADDING1, "Pad", make_padding)},
    {ROW(SPACE_TO_DEPTH, "SpaceToDepth", make_blocks)},
    {ROW(SPACE_TO_DEPTH1, "SpaceToDepth", make_blocks)},
    {ROW(DEPTH_TO_SPACE, "DepthToSpace", make_blocks)},
    {ROW(DEPTH_TO_SPACE1, "DepthToSpace", make_blocks)},
    {ROW(REVERSE_SUBSEQUENCES, "ReverseSequence", make_reverse)},
    {ROW(ONE_HOT, "OneHot", make_one_hot)},
    {ROW(MAX_UNPOOLING, "MaxUnpool", make_unpooling)},
    {ROW(DIAGONAL_MATRIX1, "Trilu", make_diagonal)},
    {ROW(CUMULATIVE_SUMMATION, "CumSum", make_cumulative)},
    {ROW(CUMULATIVE_PRODUCT, "CumProd", make_cumulative), .opset = OPSET_PRODUCT},
    {ROW(TOP_K, "TopK", make_top_k)},
    {ROW(TOP_K1, "TopK", make_top_k)},
    {ROW(ARGMIN, "ArgMin", make_argmin)},
    {ROW(ARGMAX, "ArgMax", make_argmax)},
    {ROW(REDUCE, NULL, make_reduce)},
    {ROW(FOLD, "Col2Im", make_fold)},
    {ROW(MAX_POOLING, "MaxPool", make_pooling)},
    {ROW(MAX_POOLING1, "MaxPool", make_pooling)},
    {ROW(MAX_POOLING2, "MaxPool", make_pooling)},
    {ROW(AVERAGE_POOLING, "AveragePool", make_pooling)},
    {ROW(AVERAGE_POOLING1, "AveragePool", make_pooling)},
    {ROW(QUANTIZED_LINEAR_AVERAGE_POOLING, "QLinearAveragePool", make_quantised_pooling)},
    {ROW(LP_POOLING, "LpPool", make_pooling)},
    {ROW(LP_POOLING1, "LpPool", make_pooling)},
    {ROW(LOCAL_RESPONSE_NORMALIZATION, "LRN", make_response)},
    {ROW(GEMM, "Gemm", make_gemm)},
    {ROW(MATRIX_MULTIPLY_INTEGER, "MatMulInteger", make_integer_product)},
    {ROW(QUANTIZED_LINEAR_MATRIX_MULTIPLY, "QLinearMatMul", make_quantised_product)},
    {ROW(CONVOLUTION_INTEGER, "ConvInteger", make_integer_convolution)},
    {ROW(QUANTIZED_LINEAR_CONVOLUTION, "QLinearConv", make_quantised_convolution)},
    {ROW(UPSAMPLE_2D, "Resize", make_upsample)},
    {ROW(ROI_POOLING, "MaxRoiPool", make_roi_pooling)},
    {ROW(VALUE_SCALE_2D, "ImageScaler", make_value_scale), .opset = OPSET_SCALER},
    {ROW(ACTIVATION_SOFTMAX, "Softmax", make_softmax)},
    {ROW(ACTIVATION_SOFTMAX1, "Softmax", make_softmax)},
    {ROW(ACTIVATION_LOG_SOFTMAX, "LogSoftmax", make_softmax)},
    {ROW(ACTIVATION_LOG_SOFTMAX1, "LogSoftmax", make_softmax)},
    {ROW(ACTIVATION_HARDMAX, "Hardmax", make_softmax)},
    {ROW(ACTIVATION_HARDMAX1, "Hardmax", make_softmax)},
};

static const struct row *find_movement(DML_OPERATOR_TYPE type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

int movement_computes(DML_OPERATOR_TYPE type)
{
    return find_movement(type) != NULL;
}

int movement_make(const struct descriptor *d, struct call *call, char *message, size_t message_size)
{
    const struct row *row = find_movement(d->type);
    const char *lacks;
    call->model = (struct model){.node = row->node, .opset = row->opset ? row->opset : OPSET};
    for (uint32_t i = 0; i < d->input_count; i++)
        if (d->inputs[i].rank)
            call_make_operand(&call->inputs[i], &d->inputs[i], d->inputs[i].rank);
    for (uint32_t i = 0; i < d->output_count; i++)
        call_make_operand(&call->outputs[i], &d->outputs[i], d->outputs[i].rank);
    lacks = row->make(d, call);
    if (lacks)
        snprintf(message, message_size, "%s", lacks);
    return !lacks;
}
