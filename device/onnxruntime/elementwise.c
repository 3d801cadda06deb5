/* elementwise.c: element-wise operators: a row each. The tensors of an operator have the same sizes, so that ONNX gets
 * lists. */
#include "device/common/number.h"
#include "device/onnxruntime/call.h"

#include <stdio.h>
#include <string.h>

enum { OPSET = 18 };

/* Adapts a call to a description where a row cannot say how. Returns null, or the feature that ONNX lacks. */
typedef const char *adapt(const struct descriptor *d, struct model *model);

struct row {
    DML_OPERATOR_TYPE type;
    const char *node;
    unsigned truths;       /* see struct model */
    int gives_truth;       /* the output is a truth value, which is cast */
    int opset;             /* 0: OPSET */
    const char *domain;    /* null: ONNX's own domain */
    const char *limits[2]; /* members that ONNX has as inputs, of the tensor's type */
    const char *reals[2];  /* ONNX's names of an activation's attributes, in the order of its struct */
    const char *exponent;  /* such a member, of type FLOAT32 */
    struct model_attribute attribute;
    adapt *adapt;
};

/* ---- adaptations to descriptions */

static const char *adapt_round(const struct descriptor *d, struct model *model)
{
    (void)model;
    return d->desc.round.RoundingMode == DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN ? NULL : "ONNX rounds halves to even";
}

static const char *adapt_infinity(const struct descriptor *d, struct model *model)
{
    DML_IS_INFINITY_MODE mode = d->desc.is_infinity.InfinityMode;
    model->attributes[0] = (struct model_attribute)MODEL_INT("detect_positive", mode != DML_IS_INFINITY_MODE_NEGATIVE);
    model->attributes[1] = (struct model_attribute)MODEL_INT("detect_negative", mode != DML_IS_INFINITY_MODE_POSITIVE);
    return NULL;
}

static const char *adapt_floor(const struct descriptor *d, struct model *model)
{
    (void)model;
    return number_is_float(d->inputs[0].type) ? "ONNX's Mod of floats truncates" : NULL;
}

static const char *adapt_cast(const struct descriptor *d, struct model *model)
{
    model->attributes[0].value = call_element_type(d->outputs[0].type);
    return NULL;
}

/* Adapts quantisation. Each element has its own scale, so it is an axis of its own. Without a zero point, an attribute
 * says the type; the version of ONNX that has the attribute wants x of the scale's type. */
static const char *adapt_quantize(const struct descriptor *d, struct model *model)
{
    int has_zero_point = d->inputs[2].rank != 0;
    if (number_is_float(d->inputs[0].type)) {
        if (!has_zero_point)
            model->attributes[1] =
                (struct model_attribute)MODEL_INT("output_dtype", call_element_type(d->outputs[0].type));
        return NULL;
    }
    model->opset = MODEL_OPSET;
    return has_zero_point ? NULL : "ONNX quantises integers to UINT8 if there is no zero point";
}

static const char *adapt_softplus(const struct descriptor *d, struct model *model)
{
    (void)model;
    return d->activation_attributes[0] == 1 ? NULL : "ONNX's Softplus has no steepness";
}

static const char *adapt_hard_swish(const struct descriptor *d, struct model *model)
{
    (void)model;
    return d->activation_attributes[0] == 1.0f / 6 && d->activation_attributes[1] == 0.5f
               ? NULL
               : "ONNX's HardSwish has no attributes";
}

/* ---- rows */

#define ROW(dml, onnx) .type = DML_OPERATOR_##dml, .node = onnx

static const struct row rows[] = {
    {ROW(ELEMENT_WISE_IDENTITY, "Identity")},
    {ROW(ELEMENT_WISE_ABS, "Abs")},
    {ROW(ELEMENT_WISE_NEGATE, "Neg")},
    {ROW(ELEMENT_WISE_SIGN, "Sign")},
    {ROW(ELEMENT_WISE_CEIL, "Ceil")},
    {ROW(ELEMENT_WISE_FLOOR, "Floor")},
    {ROW(ELEMENT_WISE_ROUND, "Round"), .adapt = adapt_round},
    {ROW(ELEMENT_WISE_SQRT, "Sqrt")},
    {ROW(ELEMENT_WISE_RECIP, "Reciprocal")},
    {ROW(ELEMENT_WISE_EXP, "Exp")},
    {ROW(ELEMENT_WISE_LOG, "Log")},
    {ROW(ELEMENT_WISE_SIN, "Sin")},
    {ROW(ELEMENT_WISE_COS, "Cos")},
    {ROW(ELEMENT_WISE_TAN, "Tan")},
    {ROW(ELEMENT_WISE_ASIN, "Asin")},
    {ROW(ELEMENT_WISE_ACOS, "Acos")},
    {ROW(ELEMENT_WISE_ATAN, "Atan")},
    {ROW(ELEMENT_WISE_SINH, "Sinh")},
    {ROW(ELEMENT_WISE_COSH, "Cosh")},
    {ROW(ELEMENT_WISE_TANH, "Tanh")},
    {ROW(ELEMENT_WISE_ASINH, "Asinh")},
    {ROW(ELEMENT_WISE_ACOSH, "Acosh")},
    {ROW(ELEMENT_WISE_ATANH, "Atanh")},
    {ROW(ELEMENT_WISE_ERF, "Erf")},
    {ROW(ELEMENT_WISE_IS_NAN, "IsNaN"), .gives_truth = 1},
    {ROW(ELEMENT_WISE_IS_INFINITY, "IsInf"), .gives_truth = 1, .adapt = adapt_infinity},
    {ROW(ELEMENT_WISE_ADD, "Add")},
    {ROW(ELEMENT_WISE_SUBTRACT, "Sub")},
    {ROW(ELEMENT_WISE_MULTIPLY, "Mul")},
    {ROW(ELEMENT_WISE_DIVIDE, "Div")},
    {ROW(ELEMENT_WISE_MEAN, "Mean")},
    {ROW(ELEMENT_WISE_MAX, "Max")},
    {ROW(ELEMENT_WISE_MIN, "Min")},
    {ROW(ELEMENT_WISE_MODULUS_TRUNCATE, "Mod"), .attribute = MODEL_INT("fmod", 1)},
    {ROW(ELEMENT_WISE_MODULUS_FLOOR, "Mod"), .adapt = adapt_floor},
    {ROW(ELEMENT_WISE_POW, "Pow")},
    {ROW(ELEMENT_WISE_CONSTANT_POW, "Pow"), .exponent = "Exponent"},
    {ROW(ELEMENT_WISE_CLIP, "Clip"), .limits = {"Min", "Max"}},
    {ROW(ELEMENT_WISE_CLIP1, "Clip"), .limits = {"Min", "Max"}},
    {ROW(ELEMENT_WISE_THRESHOLD, "Max"), .limits = {"Min"}},
    {ROW(ELEMENT_WISE_LOGICAL_AND, "And"), .truths = 3, .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_OR, "Or"), .truths = 3, .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_XOR, "Xor"), .truths = 3, .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_NOT, "Not"), .truths = 1, .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_EQUALS, "Equal"), .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_GREATER_THAN, "Greater"), .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_LESS_THAN, "Less"), .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, "GreaterOrEqual"), .gives_truth = 1},
    {ROW(ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, "LessOrEqual"), .gives_truth = 1},
    {ROW(ELEMENT_WISE_IF, "Where"), .truths = 1},
    {ROW(ELEMENT_WISE_BIT_AND, "BitwiseAnd")},
    {ROW(ELEMENT_WISE_BIT_OR, "BitwiseOr")},
    {ROW(ELEMENT_WISE_BIT_XOR, "BitwiseXor")},
    {ROW(ELEMENT_WISE_BIT_NOT, "BitwiseNot")},
    {ROW(ELEMENT_WISE_BIT_SHIFT_LEFT, "BitShift"), .attribute = MODEL_TEXT("direction", "LEFT")},
    {ROW(ELEMENT_WISE_BIT_SHIFT_RIGHT, "BitShift"), .attribute = MODEL_TEXT("direction", "RIGHT")},
    {ROW(ELEMENT_WISE_QUANTIZE_LINEAR, "QuantizeLinear"), .opset = 21, .attribute = MODEL_INT("axis", 0),
     .adapt = adapt_quantize},
    {ROW(ELEMENT_WISE_DEQUANTIZE_LINEAR, "DequantizeLinear"), .opset = 21, .attribute = MODEL_INT("axis", 0)},
    {ROW(ACTIVATION_IDENTITY, "Identity")},
    {ROW(ACTIVATION_RELU, "Relu")},
    {ROW(ACTIVATION_LEAKY_RELU, "LeakyRelu"), .reals = {"alpha"}},
    {ROW(ACTIVATION_PARAMETERIZED_RELU, "PRelu")},
    {ROW(ACTIVATION_THRESHOLDED_RELU, "ThresholdedRelu"), .reals = {"alpha"}},
    {ROW(ACTIVATION_SHRINK, "Shrink"), .reals = {"bias", "lambd"}},
    {ROW(ACTIVATION_HARD_SIGMOID, "HardSigmoid"), .reals = {"alpha", "beta"}},
    {ROW(ACTIVATION_HARD_SWISH, "HardSwish"), .adapt = adapt_hard_swish},
    {ROW(ACTIVATION_SOFTSIGN, "Softsign")},
    {ROW(ACTIVATION_ELU, "Elu"), .reals = {"alpha"}},
    {ROW(ACTIVATION_CELU, "Celu"), .reals = {"alpha"}},
    {ROW(ACTIVATION_SCALED_ELU, "Selu"), .reals = {"alpha", "gamma"}},
    {ROW(ACTIVATION_SIGMOID, "Sigmoid")},
    {ROW(ACTIVATION_TANH, "Tanh")},
    {ROW(ACTIVATION_SOFTPLUS, "Softplus"), .adapt = adapt_softplus},
    {ROW(ACTIVATION_GELU, "Gelu"), .opset = 20},
    {ROW(ACTIVATION_SWISH, "QuickGelu"), .domain = "com.microsoft", .reals = {"alpha"}},
    {ROW(CAST, "Cast"), .attribute = MODEL_INT("to", 0), .adapt = adapt_cast},
};

static const struct row *find_elementwise(DML_OPERATOR_TYPE type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

int elementwise_computes(DML_OPERATOR_TYPE type)
{
    return find_elementwise(type) != NULL;
}

/* ---- making */

/* Adds a member as a constant: a FLOAT becomes a number of the type; a DML_SCALAR_UNION has the type. */
static void add_member(struct call *call, const struct descriptor *d, const char *name, DML_TENSOR_DATA_TYPE type)
{
    const struct catalogue_operator *op = catalogue_find((uint32_t)d->type);
    for (uint32_t i = 0; i < op->field_count; i++) {
        const struct catalogue_field *field = &op->fields[i];
        float value;
        if (strcmp(field->name, name) != 0)
            continue;
        if (field->kind == CATALOGUE_SCALAR) {
            memcpy(call_add_scalar(call, type), d->desc.bytes + field->offset, descriptor_element_size(type));
        } else {
            memcpy(&value, d->desc.bytes + field->offset, sizeof value);
            number_store_real(type, (double)value, call_add_scalar(call, type));
        }
    }
}

/* Adds Scale or Bias. Integers wrap: -3 added to an unsigned number subtracts 3. */
static void add_factor(struct call *call, DML_TENSOR_DATA_TYPE type, float value)
{
    if (number_is_float(type))
        number_store_real(type, (double)value, call_add_scalar(call, type));
    else
        number_store_whole(type, (number_integer)value, call_add_scalar(call, type));
}

/* Tells whether a number is an integer: ONNX's numbers have the tensor's type. */
static int is_integer(float value)
{
    return value >= -0x1p24f && value <= 0x1p24f && value == (float)(int32_t)value;
}

static void make_whole_list(struct operand *operand, const struct tensor *tensor)
{
    call_make_operand(operand, tensor, 0);
    operand->rank = 1;
    operand->sizes[0] = (int64_t)tensor->count;
}

int elementwise_make(const struct descriptor *d, struct call *call, char *message, size_t message_size)
{
    const struct row *row = find_elementwise(d->type);
    const char *lacks;
    DML_TENSOR_DATA_TYPE type = d->inputs[0].type;
    call->model = (struct model){.node = row->node,
                                 .domain = row->domain,
                                 .attributes = {row->attribute},
                                 .opset = row->opset ? row->opset : OPSET,
                                 .has_scale_bias = d->has_scale_bias,
                                 .truths = row->truths,
                                 .casts = row->gives_truth ? 1 : 0};
    for (size_t i = 0; i < 2 && row->reals[i]; i++)
        call->model.attributes[i] = (struct model_attribute)MODEL_REAL(row->reals[i], d->activation_attributes[i]);
    lacks = row->adapt ? row->adapt(d, &call->model) : NULL;
    if (!lacks && d->has_scale_bias && !number_is_float(type) &&
        !(is_integer(d->scale_bias.Scale) && is_integer(d->scale_bias.Bias)))
        lacks = "ONNX scales integers by integers only";
    if (lacks) {
        snprintf(message, message_size, "%s", lacks);
        return 0;
    }
    for (uint32_t i = 0; i < d->input_count; i++)
        if (d->inputs[i].rank)
            make_whole_list(&call->inputs[i], &d->inputs[i]);
    make_whole_list(&call->outputs[0], &d->outputs[0]);
    for (size_t i = 0; i < 2 && row->limits[i]; i++)
        add_member(call, d, row->limits[i], type);
    if (row->exponent)
        add_member(call, d, row->exponent, DML_TENSOR_DATA_TYPE_FLOAT32);
    if (d->has_scale_bias) {
        add_factor(call, type, d->scale_bias.Scale);
        add_factor(call, type, d->scale_bias.Bias);
    }
    return 1;
}
