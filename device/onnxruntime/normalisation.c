/* normalisation.c: normalisations. ONNX has an operator for each kind of slices, with scales of a shape of its own. */
#include "device/onnxruntime/call.h"

#include <stdio.h>
#include <string.h>

enum { OPSET = 19 };

#define INTEGER(NAME, VALUE) ((struct model_attribute)MODEL_INT(NAME, VALUE))
#define REAL(NAME, VALUE) ((struct model_attribute)MODEL_REAL(NAME, VALUE))

/* Reasons for which ONNX cannot run a description. */
static const char no_scale[] = "ONNX's normalisations have a scale for each channel, or for each element of a slice";

/* Makes a list of a tensor with one element for each channel, as ONNX sees it. Returns 0 if the tensor has other
 * elements. */
static int make_channel_list(struct operand *operand, const struct tensor *input)
{
    const struct tensor *t = &operand->tensor;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] != (i == 1 ? input->sizes[1] : 1))
            return 0;
    operand->rank = 1;
    operand->sizes[0] = (int64_t)t->count;
    return t->rank > 1;
}

/* Makes an operand of the last sizes of a tensor from `axis` on, if they are those of the input. Returns 0 if they are
 * not. */
static int make_slice_operand(struct operand *operand, const struct tensor *input, uint32_t axis)
{
    const struct tensor *t = &operand->tensor;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] != (i < axis ? 1 : input->sizes[i]))
            return 0;
    operand->rank = t->rank - axis;
    for (uint32_t i = axis; i < t->rank; i++)
        operand->sizes[i - axis] = t->sizes[i];
    return 1;
}

static void set_order(struct call *call, int count, const int *order)
{
    memcpy(call->model.order, order, (size_t)count * sizeof *order);
    call->model.order_count = count;
}

static const char *make_batch(const struct descriptor *d, struct call *call)
{
    for (int i = 1; i < 5; i++)
        if (!make_channel_list(&call->inputs[i], &d->inputs[0]))
            return "ONNX's BatchNormalization has one mean, variance, scale and bias for each channel";
    call->model.node = "BatchNormalization";
    call->model.attributes[0] = REAL("epsilon", d->desc.batch.Epsilon);
    set_order(call, 5, (const int[]){0, 3, 4, 1, 2});
    return NULL;
}

/* Adds a list of `count` zeros. Returns 0 if there is no room for so many. */
static int add_zeros(struct call *call, const struct tensor *like, uint32_t count)
{
    struct constant *zeros = &call->constants[call->constant_count];
    size_t bytes = (size_t)count * like->element_size;
    if (bytes > sizeof zeros->value)
        return 0;
    *zeros = (struct constant){
        .element_type = call_element_type(like->type), .rank = 1, .count = (int64_t)count, .bytes = bytes};
    call->constant_count++;
    return 1;
}

/* Makes a training call. ONNX mixes the statistics with old ones; a momentum of 0 takes nothing from these. ONNX
 * Runtime writes the new statistics where it has the old ones: the memory of a cast to FLOAT32 must be theirs alone. */
static const char *make_training(const struct descriptor *d, struct call *call)
{
    uint32_t channels = d->inputs[0].rank > 1 ? d->inputs[0].sizes[1] : 1;
    if (d->inputs[3].rank)
        return "ONNX's BatchNormalization adds no tensor";
    for (int i = 0; i < 4; i++)
        if (!make_channel_list(i < 2 ? &call->inputs[1 + i] : &call->outputs[i - 1], &d->inputs[0]))
            return "ONNX's BatchNormalization has one scale and bias for each channel";
    call->model.node = "BatchNormalization";
    call->model.attributes[0] = REAL("epsilon", d->desc.batch_training.Epsilon);
    call->model.attributes[1] = REAL("momentum", 0);
    call->model.attributes[2] = INTEGER("training_mode", 1);
    if (add_zeros(call, &d->inputs[2], channels) && add_zeros(call, &d->inputs[2], channels))
        return NULL;
    if (d->inputs[2].type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return "ONNX's BatchNormalization needs old statistics, and this device has room for those of 256 channels";
    set_order(call, 5, (const int[]){0, 1, 2, 2, 2});
    return NULL;
}

static const char *make_lp(const struct descriptor *d, struct call *call)
{
    if (!(d->desc.lp.Epsilon >= 0 && d->desc.lp.Epsilon <= 1e-12f))
        return "ONNX's LpNormalization has no epsilon";
    call->model.node = "LpNormalization";
    call->model.attributes[0] = INTEGER("axis", d->desc.lp.Axis);
    call->model.attributes[1] = INTEGER("p", d->desc.lp.P);
    return NULL;
}

struct slices {
    uint32_t axes; /* a bit for each axis */
    int centred, divided;
    FLOAT epsilon;
};

static struct slices slices_of(const struct descriptor *d)
{
    const union descriptor_struct *desc = &d->desc;
    struct slices s = {.centred = 1};
    uint32_t count = 0;
    if (d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION) {
        s = (struct slices){desc->mean_variance.CrossChannel ? 0xe : 0xc, 1, desc->mean_variance.NormalizeVariance,
                            desc->mean_variance.Epsilon};
    } else if (d->type == DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1) {
        s = (struct slices){0, 1, desc->mean_variance1.NormalizeVariance, desc->mean_variance1.Epsilon};
        count = desc->mean_variance1.AxisCount;
    } else {
        s = (struct slices){0, desc->mean_variance2.UseMean, desc->mean_variance2.UseVariance,
                            desc->mean_variance2.Epsilon};
        count = desc->mean_variance2.AxisCount;
    }
    for (uint32_t i = 0; i < count; i++)
        s.axes |= 1u << d->lists[0][i];
    return s;
}

/* Returns the first of the axes if they are the last dimensions; `rank` if they are others. */
static uint32_t first_of_last(uint32_t axes, uint32_t rank)
{
    uint32_t axis = rank;
    while (axis > 0 && (axes >> (axis - 1) & 1))
        axis--;
    return axes == ((1u << rank) - 1) >> axis << axis ? axis : rank;
}

static const char *make_mean_variance(const struct descriptor *d, struct call *call)
{
    const struct slices s = slices_of(d);
    const struct tensor *input = &d->inputs[0], *scale = &d->inputs[1], *bias = &d->inputs[2];
    uint32_t rank = input->rank, axis = first_of_last(s.axes, rank);
    struct model *model = &call->model;
    if (!s.divided)
        return "ONNX's normalisations divide by the root of the variance";
    if (axis < rank && scale->rank && make_slice_operand(&call->inputs[1], input, axis) &&
        make_slice_operand(&call->inputs[2], input, axis) && (s.centred || !bias->rank)) {
        model->node = s.centred ? "LayerNormalization" : "SimplifiedLayerNormalization";
        model->attributes[0] = INTEGER("axis", axis);
        model->attributes[1] = REAL("epsilon", s.epsilon);
        return NULL;
    }
    if (s.centred && axis == 2 && rank > 2 && scale->rank && bias->rank && make_channel_list(&call->inputs[1], input) &&
        make_channel_list(&call->inputs[2], input)) {
        model->node = "InstanceNormalization";
        model->attributes[0] = REAL("epsilon", s.epsilon);
        return NULL;
    }
    if (scale->rank || bias->rank || !s.centred)
        return no_scale;
    if (s.epsilon != 0)
        return "ONNX's MeanVarianceNormalization has no epsilon";
    model->node = "MeanVarianceNormalization";
    model->attributes[0] = (struct model_attribute){.name = "axes"};
    for (uint32_t i = 0; i < rank; i++)
        if (s.axes >> i & 1)
            model->attributes[0].list[model->attributes[0].count++] = i;
    return s.axes ? NULL : "ONNX's MeanVarianceNormalization without axes normalises over others";
}

static const struct {
    DML_OPERATOR_TYPE type;
    const char *(*make)(const struct descriptor *d, struct call *call);
} rows[] = {
    {DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION, make_mean_variance},
    {DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, make_mean_variance},
    {DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2, make_mean_variance},
    {DML_OPERATOR_LP_NORMALIZATION, make_lp},
    {DML_OPERATOR_BATCH_NORMALIZATION, make_batch},
    {DML_OPERATOR_BATCH_NORMALIZATION_TRAINING, make_training},
};

enum { ROWS = sizeof rows / sizeof *rows };

static size_t find_normalisation(DML_OPERATOR_TYPE type)
{
    size_t i = 0;
    while (i < ROWS && rows[i].type != type)
        i++;
    return i;
}

int normalisation_computes(DML_OPERATOR_TYPE type)
{
    return find_normalisation(type) < ROWS;
}

int normalisation_make(const struct descriptor *d, struct call *call, char *message, size_t message_size)
{
    const char *lacks;
    call->model = (struct model){.opset = OPSET};
    for (uint32_t i = 0; i < d->input_count; i++)
        if (d->inputs[i].rank)
            call_make_operand(&call->inputs[i], &d->inputs[i], d->inputs[i].rank);
    for (uint32_t i = 0; i < d->output_count; i++)
        call_make_operand(&call->outputs[i], &d->outputs[i], d->outputs[i].rank);
    lacks = d->activation ? "ONNX fuses no activations" : rows[find_normalisation(d->type)].make(d, call);
    if (lacks)
        snprintf(message, message_size, "%s", lacks);
    return !lacks;
}
