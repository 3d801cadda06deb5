/* test_map_reals.c: element-wise operators of a device on floats, with every attribute, ScaleBias, random and special
 * values, against C's functions in double precision. Limits are the soft ones of the operator cards, so that the hard
 * ones hold with a margin.
 *
 *     test_map_reals [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_map_values.h"

/* ---- operators on real numbers */

/* Returns 0 for denormals, otherwise the number. */
static double flushed(double x)
{
    return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

typedef double real_formula(const double *x);

/* The attributes of the run, whose names depend on the operator: Min or Exponent, Max, RoundingMode or InfinityMode. */
static struct attributes {
    double least, most;
    uint32_t mode;
} now;

#define REAL(name, value)                                                                                              \
    static double name(const double *x)                                                                                \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
REAL(real_acos, acos(x[0]))
REAL(real_asin, asin(x[0]))
REAL(real_atan, atan(x[0]))
REAL(real_cos, cos(x[0]))
REAL(real_sin, sin(x[0]))
REAL(real_tan, tan(x[0]))
REAL(real_exp, exp(x[0]))
REAL(real_log, log(x[0]))
REAL(real_sqrt, sqrt(x[0]))
REAL(real_erf, erf(x[0]))
REAL(real_sinh, sinh(x[0]))
REAL(real_cosh, cosh(x[0]))
REAL(real_tanh, tanh(x[0]))
REAL(real_asinh, asinh(x[0]))
REAL(real_acosh, acosh(x[0]))
REAL(real_atanh, atanh(x[0]))
REAL(real_fabs, fabs(x[0]))
REAL(real_ceil, ceil(x[0]))
REAL(real_floor, floor(x[0]))
REAL(real_negate, -x[0])
REAL(real_sign, (x[0] > 0) - (x[0] < 0))
REAL(real_recip, 1 / x[0])
REAL(real_add, x[0] + x[1])
REAL(real_subtract, x[0] - x[1])
REAL(real_multiply, x[0] * x[1])
REAL(real_divide, x[0] / x[1])
REAL(real_mean, (x[0] + x[1]) / 2)
REAL(real_max, fmax(x[0], x[1]))
REAL(real_min, fmin(x[0], x[1]))
REAL(real_difference_square, (x[0] - x[1]) * (x[0] - x[1]))
REAL(real_atan_yx, atan2(x[0], x[1]))
REAL(real_modulus_truncate, isinf(x[1]) ? (double)NAN : fmod(x[0], x[1]))
REAL(real_modulus_floor, isinf(x[1]) ? (double)NAN : x[0] - x[1] * floor(x[0] / x[1]))
REAL(real_pow, pow(x[0], x[1]))
REAL(real_is_nan, isnan(x[0]) != 0)
REAL(real_equals, x[0] == x[1])
REAL(real_greater, x[0] > x[1])
REAL(real_less, x[0] < x[1])
REAL(real_greater_equal, x[0] >= x[1])
REAL(real_less_equal, x[0] <= x[1])
REAL(real_identity, x[0])
REAL(real_clip, fmax(fmin(x[0], now.most), now.least))
REAL(real_threshold, fmax(x[0], now.least))
REAL(real_clip_grad, x[0] <= now.least || x[0] >= now.most ? 0 : x[1])
REAL(real_constant_pow, pow(x[0], now.least))
REAL(real_is_infinity, isinf(x[0]) && (now.mode == 0 || (now.mode == 1) == (x[0] > 0)))

static double real_round(const double *x)
{
    if (now.mode == 0)
        return nearbyint(x[0]);
    return now.mode == 1 ? trunc(x[0]) : round(x[0]);
}

/* A soft limit: a number of ULP, or an absolute difference. */
struct limit {
    double ulps, absolute;
};

struct real_row {
    const char *name;
    DML_OPERATOR_TYPE type;
    uint32_t inputs;    /* inputs before the output */
    double least, most; /* limits of random inputs */
    real_formula *formula;
    struct limit single, half;
};

/* clang-format off */
#define EXACT {0, 0}, {0, 0}
#define HALF_ULP {0.5, 0}, {0.5, 0}
/* clang-format on */

static const struct real_row real_rows[] = {
    {ROW(ABS), 1, -1e4, 1e4, real_fabs, EXACT},
    {ROW(NEGATE), 1, -1e4, 1e4, real_negate, EXACT},
    {ROW(SIGN), 1, -1e4, 1e4, real_sign, EXACT},
    {ROW(CEIL), 1, -1e4, 1e4, real_ceil, EXACT},
    {ROW(FLOOR), 1, -1e4, 1e4, real_floor, EXACT},
    {ROW(SQRT), 1, 0, 6e4, real_sqrt, {1, 0}, {1, 0}},
    {ROW(RECIP), 1, -6e4, 6e4, real_recip, {2, 0}, {2, 0}},
    {ROW(EXP), 1, -100, 100, real_exp, {32, 0}, {1, 0}},
    {ROW(LOG), 1, 0, 6e4, real_log, {3, 0x1p-21}, {2, 0x1p-10}},
    {ROW(SIN), 1, -314, 314, real_sin, {0, 0x1p-11}, {0, 0x1p-10}},
    {ROW(COS), 1, -314, 314, real_cos, {0, 0x1p-11}, {0, 0x1p-10}},
    {ROW(TAN), 1, -1.4, 1.4, real_tan, {32, 0x1p-11}, {1, 0x1p-10}},
    {ROW(ASIN), 1, -1, 1, real_asin, {4096, 0x1p-11}, {5, 0x1p-10}},
    {ROW(ACOS), 1, -1, 1, real_acos, {4096, 0x1p-11}, {5, 0x1p-10}},
    {ROW(ATAN), 1, -1e3, 1e3, real_atan, {4096, 0}, {5, 0}},
    {ROW(SINH), 1, -95, 95, real_sinh, {32, 0x1p-17}, {2, 0x1p-10}},
    {ROW(COSH), 1, -95, 95, real_cosh, {32, 0x1p-17}, {2, 0x1p-10}},
    {ROW(TANH), 1, -20, 20, real_tanh, {16, 0x1p-18}, {16, 0x1p-10}},
    {ROW(ASINH), 1, -1e4, 1e4, real_asinh, {32, 0x1p-17}, {2, 0x1p-9}},
    {ROW(ACOSH), 1, 1, 1e4, real_acosh, {32, 0x1p-17}, {2, 0x1p-9}},
    {ROW(ATANH), 1, -1, 1, real_atanh, {32, 0x1p-17}, {2, 0x1p-9}},
    {ROW(ERF), 1, -5, 5, real_erf, {0, 0x1p-17}, {0, 0x1p-10}},
    {ROW(IDENTITY), 1, -6e4, 6e4, real_identity, EXACT},
    {ROW(ADD), 2, -6e4, 6e4, real_add, HALF_ULP},
    {ROW(SUBTRACT), 2, -6e4, 6e4, real_subtract, HALF_ULP},
    {ROW(MULTIPLY), 2, -300, 300, real_multiply, HALF_ULP},
    {ROW(DIVIDE), 2, -6e4, 6e4, real_divide, {2, 0}, {2, 0}},
    {ROW(MEAN), 2, -3e4, 3e4, real_mean, {1, 0}, {1, 0}},
    {ROW(MAX), 2, -6e4, 6e4, real_max, EXACT},
    {ROW(MIN), 2, -6e4, 6e4, real_min, EXACT},
    {ROW(DIFFERENCE_SQUARE), 2, -100, 100, real_difference_square, {2, 0}, {2, 0}},
    {ROW(ATAN_YX), 2, -1e3, 1e3, real_atan_yx, {4096, 0x1p-11}, {5, 0x1p-9}},
    {ROW(MODULUS_TRUNCATE), 2, -100, 100, real_modulus_truncate, {2, 0x1p-16}, {2, 0}},
    {ROW(MODULUS_FLOOR), 2, -100, 100, real_modulus_floor, {2, 0x1p-16}, {2, 0x1p-3}},
    {ROW(POW), 2, -30, 30, real_pow, {32, 0}, {2, 0}},
    {ROW(CLIP), 1, -9, 9, real_clip, EXACT},
    {ROW(CLIP1), 1, -9, 9, real_clip, EXACT},
    {ROW(CLIP_GRAD), 2, -9, 9, real_clip_grad, EXACT},
    {ROW(CLIP_GRAD1), 2, -9, 9, real_clip_grad, EXACT},
    {ROW(THRESHOLD), 1, -9, 9, real_threshold, EXACT},
    {ROW(ROUND), 1, -9, 9, real_round, EXACT},
    {ROW(CONSTANT_POW), 1, -30, 30, real_constant_pow, {32, 0}, {2, 0}},
    {ROW(IS_INFINITY), 1, -1, 1, real_is_infinity, EXACT},
    {ROW(IS_NAN), 1, -1, 1, real_is_nan, EXACT},
    {ROW(LOGICAL_EQUALS), 2, -2, 2, real_equals, EXACT},
    {ROW(LOGICAL_GREATER_THAN), 2, -2, 2, real_greater, EXACT},
    {ROW(LOGICAL_LESS_THAN), 2, -2, 2, real_less, EXACT},
    {ROW(LOGICAL_GREATER_THAN_OR_EQUAL), 2, -2, 2, real_greater_equal, EXACT},
    {ROW(LOGICAL_LESS_THAN_OR_EQUAL), 2, -2, 2, real_less_equal, EXACT},
};

/* Tells whether the cards leave a case open: then the test only checks that it neither fails nor disturbs others. */
static int is_open(const struct real_row *row, const double *x, double y)
{
    switch (row->type) {
    case DML_OPERATOR_ELEMENT_WISE_ATAN_YX:
        return x[0] == 0 && x[1] == 0;
    case DML_OPERATOR_ELEMENT_WISE_MAX:
    case DML_OPERATOR_ELEMENT_WISE_MIN:
        return isnan(x[0]) || isnan(x[1]);
    case DML_OPERATOR_ELEMENT_WISE_CLIP:
    case DML_OPERATOR_ELEMENT_WISE_CLIP1:
    case DML_OPERATOR_ELEMENT_WISE_THRESHOLD:
        return isnan(x[0]);
    case DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE:
    case DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR:
        return isinf(x[1]) || fabs(x[0] / x[1]) >= 16;
    case DML_OPERATOR_ELEMENT_WISE_SINH:
    case DML_OPERATOR_ELEMENT_WISE_COSH:
        return isfinite(x[0]) && fabs(x[0]) > 88.73 && fabs(x[0]) < 89.41;
    case DML_OPERATOR_ELEMENT_WISE_MEAN:
        return isfinite(y) && fabs(y) >= 0x1p127;
    default:
        return 0;
    }
}

/* Returns the error in ULP; infinite if it is beyond the limit. */
static double error_of(const struct real_row *row, DML_TENSOR_DATA_TYPE type, double y, double got)
{
    const struct limit *limit = type == TYPE(FLOAT16) ? &row->half : &row->single;
    double ulp = spacing(type, y), largest = type == TYPE(FLOAT16) ? 65504 : 0x1.fffffep127;
    double overflow = largest + spacing(type, largest); /* infinities count as this number */
    if (isnan(y) || isnan(got))
        return isnan(y) && isnan(got) ? 0 : INF;
    y = fabs(y) > overflow ? copysign(overflow, y) : y;
    got = fabs(got) > overflow ? copysign(overflow, got) : got;
    double distance = fabs(got - y);
    return distance <= fmax(limit->ulps * ulp, limit->absolute) ? distance / ulp : INF;
}

/* Returns the documented struct of an operator of the boxes, with the attributes `now`. */
static const void *describe_boxes(const struct real_row *row, const DML_SCALE_BIAS *scale_bias)
{
    static _Alignas(16) unsigned char desc[CATALOGUE_MAX_SIZE];
    const struct catalogue_operator *op = catalogue_find((uint32_t)row->type);
    DML_TENSOR_DATA_TYPE type = boxes[INPUTS].buffer.DataType;
    uint32_t inputs = 0, numbers = 0;
    for (uint32_t i = 0; i < op->field_count; i++) {
        const struct catalogue_field *field = &op->fields[i];
        unsigned char *to = desc + field->offset;
        const DML_TENSOR_DESC *tensor = field->kind == CATALOGUE_OUTPUT ? &boxes[INPUTS].tensor : NULL;
        double number = numbers ? now.most : now.least;
        if (field->kind == CATALOGUE_INPUT)
            tensor = &boxes[inputs++].tensor;
        if (tensor)
            memcpy(to, &tensor, sizeof tensor);
        else if (field->kind == CATALOGUE_SCALE_BIAS)
            memcpy(to, &scale_bias, sizeof scale_bias);
        else if (field->kind == CATALOGUE_SCALAR)
            number_store_real(type, number, to);
        else if (field->kind == CATALOGUE_REAL)
            memcpy(to, &(float){(float)number}, sizeof(float));
        else
            memcpy(to, strstr(field->name, "Mode") ? (const void *)&now.mode : (const void *)&type, sizeof type);
        numbers += field->kind == CATALOGUE_SCALAR || field->kind == CATALOGUE_REAL;
    }
    return desc;
}

/* Tells whether the operator has a field of a kind. */
static int has_field(const struct real_row *row, int kind)
{
    const struct catalogue_operator *op = catalogue_find((uint32_t)row->type);
    for (uint32_t i = 0; i < op->field_count; i++)
        if (op->fields[i].kind == kind)
            return 1;
    return 0;
}

/* Returns the least error of an element: FLOAT32 denormals of inputs and outputs may be flushed. */
static double best_error(const struct real_row *row, DML_TENSOR_DATA_TYPE out, const double *kept, double got)
{
    double best = INF;
    for (int flush = 0; flush < 4; flush++) {
        double x[INPUTS] = {0};
        for (uint32_t k = 0; k < row->inputs; k++)
            x[k] = flush & 1 ? flushed(kept[k]) : kept[k];
        double y = row->formula(x), error;
        unsigned char rounded[8] = {0};
        if (row->single.ulps == 0.5) { /* correctly rounded */
            number_store_real(out, y, rounded);
            y = number_real(out, rounded);
        }
        double expected = flush & 2 ? flushed(y) : y;
        error = is_open(row, x, y) ? 0 : error_of(row, out, expected, got);
        best = error < best ? error : best;
    }
    return best;
}

/* Checks an operator. With ScaleBias, inputs are multiples of 1/8, so that the scaled input is exact. */
static void check_real(const struct real_row *row, DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE out,
                       const DML_SCALE_BIAS *scale_bias)
{
    double worst = 0;
    int wrong = 0;
    for (uint32_t k = 0; k < row->inputs; k++) {
        value_box_init(&boxes[k], type);
        fill_input(k, row->least, row->most, !scale_bias);
        for (uint32_t i = 0; i < COUNT && scale_bias; i++)
            number_store_real(type, fmod(round(8 * number_real(type, at(&boxes[k], i))) / 8, 64), at(&boxes[k], i));
    }
    value_box_init(&boxes[INPUTS], out);
    HRESULT result = run_inputs(row->type, describe_boxes(row, scale_bias), row->inputs);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        double x[INPUTS] = {0}, got = number_real(out, at(&boxes[INPUTS], i));
        for (uint32_t k = 0; k < row->inputs; k++)
            x[k] = number_real(type, at(&boxes[k], i));
        if (scale_bias)
            x[0] = x[0] * (double)scale_bias->Scale + (double)scale_bias->Bias;
        double error = best_error(row, out, x, got);
        if (error == INF && wrong++ < 5)
            note("%.9g %.9g: %.9g, not %.9g", x[0], x[1], got, row->formula(x));
        worst = error > worst && error < INF ? error : worst;
    }
    if (!ok(result == S_OK && !wrong, "%s: type %d%s, attributes %g %g %u: at most %.2f ULP", row->name, (int)type,
            scale_bias ? ", scaled" : "", now.least, now.most, now.mode, worst))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_types(const struct real_row *row)
{
    static const DML_SCALE_BIAS scale_bias = {0.5f, 0.25f};
    uint32_t outputs = field_types(row->type, row->inputs);
    int is_condition = !(outputs & 1u << TYPE(FLOAT32));
    for (int t = TYPE(FLOAT32); t <= TYPE(FLOAT16); t++) {
        DML_TENSOR_DATA_TYPE type = (DML_TENSOR_DATA_TYPE)t;
        check_real(row, type, is_condition ? TYPE(UINT8) : type, NULL);
        if (is_condition && outputs & 1u << TYPE(UINT32))
            check_real(row, type, TYPE(UINT32), NULL);
        if (has_field(row, CATALOGUE_SCALE_BIAS))
            check_real(row, type, type, &scale_bias);
    }
}

static void check_reals(void)
{
    static const struct attributes sets[] = {{-2.5, 3, 0}, {-1, 0.5, 1}, {2, 4, 2}, {0.5, 1, 0}, {-3, -1, 1}};
    for (size_t i = 0; i < sizeof real_rows / sizeof *real_rows; i++) {
        const struct real_row *row = &real_rows[i];
        int has_attributes = has_field(row, CATALOGUE_REAL) || has_field(row, CATALOGUE_SCALAR) ||
                             row->formula == real_round || row->formula == real_is_infinity;
        for (size_t k = 0; k < (has_attributes ? sizeof sets / sizeof *sets : 1); k++) {
            now = sets[k];
            check_types(row);
        }
    }
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    check_reals();
    api->destroy_device(device);
    return tap_done();
}
