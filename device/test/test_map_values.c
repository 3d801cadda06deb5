/* test_map_values.c: element-wise operators of a device, each with each of its data types: random and special values
 * against C's functions in double precision and against integers of 128 bits. Limits are the soft ones of the operator
 * cards, so that the hard ones hold with a margin.
 *
 *     test_map_values [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/common/descriptor.h"
#include "device/common/number.h"
#include "device/test/test_open.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT = 1024, INPUTS = 3 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name
#define INF ((double)INFINITY)

static const assay_device_api *api;
static assay_device *device;
static uint64_t seed = 1;

static uint64_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (seed ^ seed >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* ---- tensors and a run */

struct box {
    UINT sizes[1];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    _Alignas(16) unsigned char data[8 * COUNT];
};

static struct box boxes[INPUTS + 1]; /* the output is the last */

static void box_init(struct box *box, DML_TENSOR_DATA_TYPE type)
{
    box->sizes[0] = COUNT;
    box->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                           .DimensionCount = 1,
                                           .Sizes = box->sizes,
                                           .TotalTensorSizeInBytes = COUNT * descriptor_element_size(type)};
    box->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
}

static void *at(struct box *box, uint32_t i)
{
    return box->data + i * descriptor_element_size(box->buffer.DataType);
}

static HRESULT run(DML_OPERATOR_TYPE type, const void *desc, uint32_t inputs)
{
    DML_OPERATOR_DESC description = {type, desc};
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding bindings[INPUTS + 1];
    assay_dispatch_result result = {.status = E_FAIL};
    for (uint32_t i = 0; i <= INPUTS; i++)
        bindings[i] = (assay_binding){boxes[i].data, 0, sizeof boxes[i].data};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[INPUTS], .input_count = inputs, .output_count = 1};
    HRESULT status = api->create_operator(device, &description, &op);
    if (status == S_OK)
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    item.compiled = compiled;
    if (status == S_OK)
        status = api->dispatch(device, &item, 1, &result);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return status == S_OK ? result.status : status;
}

/* ---- values */

static const double specials[] = {
    0,      -0.0,    1,        -1,       0.5,       -0.5,      2,        -2, INF,  -INF,  (double)NAN,    65504,
    -65504, 0x1p-24, -0x1p-20, 0x1p-149, -0x1p-130, 0x1.8p127, -0x1p127, 3,  -2.5, 0.999, 0x1.fffffep127, 1e-3};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Fills in an input: pairs of special values first, then numbers of all magnitudes from `least` to `most`; `least` is
 * negative if there are numbers of both signs. Integers: all bits random, small numbers, the limits. */
static void fill(uint32_t input, double least, double most, int with_specials)
{
    struct box *box = &boxes[input];
    DML_TENSOR_DATA_TYPE type = box->buffer.DataType;
    uint32_t width = 8 * descriptor_element_size(type);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t bits = draw();
        if (!number_is_float(type)) {
            bits = i % 4 == 0   ? bits
                   : i % 4 == 1 ? bits % 11 - 5
                   : i % 4 == 2 ? (1ull << (width - 1)) - (bits & 1)
                                : bits >> bits % 64;
            memcpy(at(box, i), &bits, descriptor_element_size(type));
            continue;
        }
        double value;
        if (with_specials && i < SPECIALS * SPECIALS)
            value = specials[input ? i / SPECIALS : i % SPECIALS];
        else if (bits & 1) /* all magnitudes */
            value = ldexp(most, -(int)(bits >> 1 & 15)) * ldexp((double)(bits >> 11), -53) *
                    (least < 0 && bits & 32 ? -1 : 1);
        else
            value = least + (most - least) * ldexp((double)(bits >> 11), -53);
        number_store_real(type, value < least ? least : value, at(box, i));
        if (with_specials && i < SPECIALS * SPECIALS)
            number_store_real(type, value, at(box, i));
    }
}

static double flushed(double x)
{
    return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

/* The spacing of the output type's numbers at `y`. */
static double spacing(DML_TENSOR_DATA_TYPE type, double y)
{
    int half = type == TYPE(FLOAT16), least = half ? -14 : -126;
    int exponent = y == 0 || !isfinite(y) ? least : ilogb(y);
    return ldexp(1, (exponent < least ? least : exponent) - (half ? 10 : 23));
}

/* ---- operators on real numbers */

typedef double real_formula(const double *x);
typedef double real_limit(const double *x, double y); /* absolute */

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

/* The soft limits: so many ULP, or so much. */
struct limit {
    double ulps, absolute;
};

struct real_row {
    const char *name;
    DML_OPERATOR_TYPE type;
    uint32_t inputs;
    double least, most; /* of random inputs */
    real_formula *formula;
    struct limit single, half;
};

#define ROW(name) #name, DML_OPERATOR_ELEMENT_WISE_##name
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
    {ROW(IS_NAN), 1, -1, 1, real_is_nan, EXACT},
    {ROW(LOGICAL_EQUALS), 2, -2, 2, real_equals, EXACT},
    {ROW(LOGICAL_GREATER_THAN), 2, -2, 2, real_greater, EXACT},
    {ROW(LOGICAL_LESS_THAN), 2, -2, 2, real_less, EXACT},
    {ROW(LOGICAL_GREATER_THAN_OR_EQUAL), 2, -2, 2, real_greater_equal, EXACT},
    {ROW(LOGICAL_LESS_THAN_OR_EQUAL), 2, -2, 2, real_less_equal, EXACT},
};

/* Cases that the cards leave open: only that they neither fail nor disturb others is tested. */
static int is_open(const struct real_row *row, const double *x, double y)
{
    switch (row->type) {
    case DML_OPERATOR_ELEMENT_WISE_ATAN_YX:
        return x[0] == 0 && x[1] == 0;
    case DML_OPERATOR_ELEMENT_WISE_MAX:
    case DML_OPERATOR_ELEMENT_WISE_MIN:
        return isnan(x[0]) || isnan(x[1]);
    case DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE:
    case DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR:
        return isinf(x[1]) || fabs(x[0] / x[1]) >= 16 || fabs(x[1]) < 0x1p-126;
    case DML_OPERATOR_ELEMENT_WISE_SINH:
    case DML_OPERATOR_ELEMENT_WISE_COSH:
        return isfinite(x[0]) && fabs(x[0]) > 88.73 && fabs(x[0]) < 89.41;
    case DML_OPERATOR_ELEMENT_WISE_MEAN:
        return isfinite(y) && fabs(y) >= 0x1p127;
    default:
        return 0;
    }
}

/* The error in ULP; infinite if it is beyond the limit. */
static double error_of(const struct real_row *row, DML_TENSOR_DATA_TYPE type, double y, double got)
{
    const struct limit *limit = type == TYPE(FLOAT16) ? &row->half : &row->single;
    double ulp = spacing(type, y), largest = type == TYPE(FLOAT16) ? 65504 : 0x1.fffffep127;
    double overflow = largest + spacing(type, largest); /* infinities count as this */
    if (isnan(y) || isnan(got))
        return isnan(y) && isnan(got) ? 0 : INF;
    y = fabs(y) > overflow ? copysign(overflow, y) : y;
    got = fabs(got) > overflow ? copysign(overflow, got) : got;
    double distance = fabs(got - y);
    return distance <= fmax(limit->ulps * ulp, limit->absolute) ? distance / ulp : INF;
}

static void check_real(const struct real_row *row, DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE out)
{
    const DML_TENSOR_DESC *desc[8] = {NULL};
    double worst = 0;
    int wrong = 0;
    for (uint32_t k = 0; k < row->inputs; k++) {
        box_init(&boxes[k], type);
        fill(k, row->least, row->most, 1);
        desc[k] = &boxes[k].tensor;
    }
    box_init(&boxes[INPUTS], out);
    desc[row->inputs] = &boxes[INPUTS].tensor;
    HRESULT result = run(row->type, desc, row->inputs);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        double x[INPUTS] = {0}, kept[INPUTS] = {0};
        double got = number_real(out, at(&boxes[INPUTS], i)), best = INF;
        for (uint32_t k = 0; k < row->inputs; k++)
            kept[k] = number_real(type, at(&boxes[k], i));
        for (int flush = 0; flush < 4; flush++) { /* FLOAT32 denormals may be flushed, inputs and outputs */
            for (uint32_t k = 0; k < row->inputs; k++)
                x[k] = flush & 1 ? flushed(kept[k]) : kept[k];
            double y = row->formula(x), error;
            unsigned char rounded[8] = {0};
            if (row->single.ulps == 0.5) { /* correctly rounded */
                number_store_real(out, y, rounded);
                y = number_real(out, rounded);
            }
            error = is_open(row, x, y) ? 0 : error_of(row, out, flush & 2 ? flushed(y) : y, got);
            best = error < best ? error : best;
        }
        if (best == INF && wrong++ < 5)
            note("%.9g %.9g: %.9g, not %.9g", kept[0], kept[1], got, row->formula(kept));
        worst = best > worst && best < INF ? best : worst;
    }
    if (!ok(result == S_OK && !wrong, "%s: type %d: at most %.2f ULP", row->name, (int)type, worst))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_reals(void)
{
    for (size_t i = 0; i < sizeof real_rows / sizeof *real_rows; i++) {
        const struct real_row *row = &real_rows[i];
        int is_condition = row->formula == real_is_nan ||
                           (row->type >= DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS &&
                            row->type <= DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN) ||
                           row->formula == real_greater_equal || row->formula == real_less_equal;
        for (int t = TYPE(FLOAT32); t <= TYPE(FLOAT16); t++) {
            DML_TENSOR_DATA_TYPE type = (DML_TENSOR_DATA_TYPE)t;
            check_real(row, type, is_condition ? TYPE(UINT8) : type);
            if (is_condition)
                check_real(row, type, TYPE(UINT32));
        }
    }
}

/* ---- operators on integers */

typedef number_integer whole_formula(const number_integer *x);

#define WHOLE(name, value)                                                                                             \
    static number_integer name(const number_integer *x)                                                                \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
WHOLE(whole_first, x[0])
WHOLE(whole_abs, x[0] < 0 ? -x[0] : x[0])
WHOLE(whole_negate, -x[0])
WHOLE(whole_sign, (x[0] > 0) - (x[0] < 0))
WHOLE(whole_add, x[0] + x[1])
WHOLE(whole_subtract, x[0] - x[1])
WHOLE(whole_multiply, (number_integer)((unsigned __int128)x[0] * (unsigned __int128)x[1]))
WHOLE(whole_divide, x[1] ? x[0] / x[1] : 0)
WHOLE(whole_mean, (x[0] + x[1]) / 2)
WHOLE(whole_max, x[0] > x[1] ? x[0] : x[1])
WHOLE(whole_min, x[0] < x[1] ? x[0] : x[1])
WHOLE(whole_difference_square, (number_integer)((unsigned __int128)(x[0] - x[1]) * (unsigned __int128)(x[0] - x[1])))
WHOLE(whole_truncate, x[1] ? x[0] % x[1] : 0)
WHOLE(whole_floor, x[1] ? (x[0] % x[1] + x[1]) % x[1] : 0)
WHOLE(whole_not, !x[0])
WHOLE(whole_and, x[0] && x[1])
WHOLE(whole_or, x[0] || x[1])
WHOLE(whole_xor, !x[0] != !x[1])
WHOLE(whole_equals, x[0] == x[1])
WHOLE(whole_greater, x[0] > x[1])
WHOLE(whole_less, x[0] < x[1])
WHOLE(whole_greater_equal, x[0] >= x[1])
WHOLE(whole_less_equal, x[0] <= x[1])
WHOLE(whole_if, x[0] ? x[1] : x[2])
WHOLE(whole_bit_and, x[0] & x[1])
WHOLE(whole_bit_or, x[0] | x[1])
WHOLE(whole_bit_xor, x[0] ^ x[1])
WHOLE(whole_bit_not, ~x[0])
WHOLE(whole_bit_count, __builtin_popcountll((uint64_t)x[0]))
WHOLE(whole_left, x[1] < 64 ? (number_integer)((unsigned __int128)x[0] << x[1]) : 0)
WHOLE(whole_right, x[1] < 64 ? x[0] >> x[1] : 0)

static number_integer whole_pow(const number_integer *x)
{
    unsigned __int128 result = 1;
    if (x[1] < 0)
        return x[0] == 1 ? 1 : x[0] == -1 ? (x[1] % 2 ? -1 : 1) : 0;
    for (int bit = 31; bit >= 0; bit--)
        result = result * result * (x[1] >> bit & 1 ? (unsigned __int128)x[0] : 1);
    return (number_integer)result;
}

struct whole_row {
    const char *name;
    DML_OPERATOR_TYPE type;
    uint32_t inputs;
    whole_formula *formula;
    int is_condition, are_bits;
};

static const struct whole_row whole_rows[] = {
    {ROW(ABS), 1, whole_abs, 0, 0},
    {ROW(NEGATE), 1, whole_negate, 0, 0},
    {ROW(SIGN), 1, whole_sign, 0, 0},
    {ROW(ADD), 2, whole_add, 0, 0},
    {ROW(SUBTRACT), 2, whole_subtract, 0, 0},
    {ROW(MULTIPLY), 2, whole_multiply, 0, 0},
    {ROW(DIVIDE), 2, whole_divide, 0, 0},
    {ROW(MEAN), 2, whole_mean, 0, 0},
    {ROW(MAX), 2, whole_max, 0, 0},
    {ROW(MIN), 2, whole_min, 0, 0},
    {ROW(DIFFERENCE_SQUARE), 2, whole_difference_square, 0, 0},
    {ROW(MODULUS_TRUNCATE), 2, whole_truncate, 0, 0},
    {ROW(MODULUS_FLOOR), 2, whole_floor, 0, 0},
    {ROW(LOGICAL_NOT), 1, whole_not, 0, 0},
    {ROW(LOGICAL_AND), 2, whole_and, 0, 0},
    {ROW(LOGICAL_OR), 2, whole_or, 0, 0},
    {ROW(LOGICAL_XOR), 2, whole_xor, 0, 0},
    {ROW(LOGICAL_EQUALS), 2, whole_equals, 1, 0},
    {ROW(LOGICAL_GREATER_THAN), 2, whole_greater, 1, 0},
    {ROW(LOGICAL_LESS_THAN), 2, whole_less, 1, 0},
    {ROW(LOGICAL_GREATER_THAN_OR_EQUAL), 2, whole_greater_equal, 1, 0},
    {ROW(LOGICAL_LESS_THAN_OR_EQUAL), 2, whole_less_equal, 1, 0},
    {ROW(BIT_SHIFT_LEFT), 2, whole_left, 0, 0},
    {ROW(BIT_SHIFT_RIGHT), 2, whole_right, 0, 0},
    {ROW(IDENTITY), 1, whole_first, 0, 1},
    {ROW(IF), 3, whole_if, 0, 1},
    {ROW(BIT_AND), 2, whole_bit_and, 0, 1},
    {ROW(BIT_OR), 2, whole_bit_or, 0, 1},
    {ROW(BIT_XOR), 2, whole_bit_xor, 0, 1},
    {ROW(BIT_NOT), 1, whole_bit_not, 0, 1},
    {ROW(BIT_COUNT), 1, whole_bit_count, 1, 1},
};

/* The data types of a tensor, one bit each, at the newest feature level. */
static uint32_t types_of(DML_OPERATOR_TYPE type, uint32_t field)
{
    return catalogue_find((uint32_t)type)->tables[0].supports[field].types;
}

/* Random bits, for a tensor that is copied or looked at by its bits. */
static void fill_bits(uint32_t input)
{
    struct box *box = &boxes[input];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t bits = draw() >> draw() % 64;
        memcpy(at(box, i), &bits, descriptor_element_size(box->buffer.DataType));
    }
}

static void check_whole(const struct whole_row *row, DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE out)
{
    const DML_TENSOR_DESC *desc[8] = {NULL};
    int wrong = 0;
    for (uint32_t k = 0; k < row->inputs; k++) {
        box_init(&boxes[k], row->inputs == 3 && k == 0 ? TYPE(UINT8) : type);
        if (row->are_bits)
            fill_bits(k);
        else
            fill(k, 0, 0, 0);
        desc[k] = &boxes[k].tensor;
    }
    box_init(&boxes[INPUTS], out);
    desc[row->inputs] = &boxes[INPUTS].tensor;
    HRESULT result = run(row->type, desc, row->inputs);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        number_integer x[INPUTS] = {0};
        uint64_t expected = 0;
        for (uint32_t k = 0; k < row->inputs; k++)
            x[k] = row->are_bits ? (number_integer)number_bits(boxes[k].buffer.DataType, at(&boxes[k], i))
                                 : number_whole(type, at(&boxes[k], i));
        number_store_whole(out, row->formula(x), &expected);
        int is_open = row->type == DML_OPERATOR_ELEMENT_WISE_DIVIDE && x[1] == 0;
        uint64_t got = number_bits(out, at(&boxes[INPUTS], i));
        if (got != expected && !is_open && wrong++ < 5)
            note("%lld %lld: 0x%llx, not 0x%llx", (long long)x[0], (long long)x[1], (unsigned long long)got,
                 (unsigned long long)expected);
    }
    if (!ok(result == S_OK && !wrong, "%s: type %d to %d", row->name, (int)type, (int)out))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_wholes(void)
{
    for (size_t i = 0; i < sizeof whole_rows / sizeof *whole_rows; i++) {
        const struct whole_row *row = &whole_rows[i];
        uint32_t types = types_of(row->type, row->inputs == 3 ? 1 : 0);
        for (int t = TYPE(FLOAT32); t <= TYPE(INT64); t++) {
            DML_TENSOR_DATA_TYPE type = (DML_TENSOR_DATA_TYPE)t;
            if (!(types >> t & 1) || (number_is_float(type) && !row->are_bits))
                continue;
            check_whole(row, type, row->is_condition ? TYPE(UINT8) : type);
            if (row->is_condition)
                check_whole(row, type, TYPE(UINT32));
        }
    }
}

/* ---- powers of integers, conversions */

static int is_near(DML_TENSOR_DATA_TYPE type, double y, double got, double ulps)
{
    if (isnan(y))
        return isnan(got);
    return got == y || fabs(got - y) <= ulps * spacing(type, y) || (isinf(got) && fabs(y) >= 65504) ||
           (got == 0 && fabs(y) < 0x1p-126);
}

/* The range of an integer type. */
static int is_inside(DML_TENSOR_DATA_TYPE type, double y)
{
    int is_signed = type == TYPE(INT8) || type == TYPE(INT16) || type == TYPE(INT32) || type == TYPE(INT64);
    int width = 8 * (int)descriptor_element_size(type) - is_signed;
    return trunc(y) < ldexp(1, width) && (is_signed ? trunc(y) >= -ldexp(1, width) : y > -1);
}

static void check_pow(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE exponent)
{
    int wrong = 0, whole = !number_is_float(type) && !number_is_float(exponent);
    box_init(&boxes[0], type);
    box_init(&boxes[1], exponent);
    box_init(&boxes[INPUTS], type);
    fill(0, -20, 20, 0);
    fill(1, -8, 8, 0);
    DML_ELEMENT_WISE_POW_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, &boxes[INPUTS].tensor, NULL};
    HRESULT result = run(DML_OPERATOR_ELEMENT_WISE_POW, &desc, 2);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        double x = number_real(type, at(&boxes[0], i)), e = number_real(exponent, at(&boxes[1], i)), y = pow(x, e);
        double got = number_real(type, at(&boxes[INPUTS], i));
        int good;
        if (whole) {
            uint64_t expected = 0;
            number_integer pair[] = {number_whole(type, at(&boxes[0], i)), number_whole(exponent, at(&boxes[1], i))};
            number_store_whole(type, whole_pow(pair), &expected);
            good = number_bits(type, at(&boxes[INPUTS], i)) == expected;
        } else if (number_is_float(type)) {
            good = is_near(type, y, got, type == TYPE(FLOAT16) ? 2 : 32);
        } else {
            good = isnan(y) || !is_inside(type, y) || !is_inside(type, y + 1) || fabs(got - trunc(y)) <= 1;
        }
        if (!good && wrong++ < 5)
            note("%.9g ^ %.9g: %.12g, not %.12g", x, e, got, y);
    }
    if (!ok(result == S_OK && !wrong, "POW: type %d to the power of %d", (int)type, (int)exponent))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_cast(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE out)
{
    int wrong = 0;
    box_init(&boxes[0], type);
    box_init(&boxes[INPUTS], out);
    fill(0, -300, 300, number_is_float(type));
    DML_CAST_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[INPUTS].tensor};
    HRESULT result = run(DML_OPERATOR_CAST, &desc, 1);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        double x = number_real(type, at(&boxes[0], i)), got = number_real(out, at(&boxes[INPUTS], i));
        unsigned char rounded[8];
        int good;
        if (type == out) {
            good = !memcmp(at(&boxes[0], i), at(&boxes[INPUTS], i), descriptor_element_size(type));
        } else if (number_is_float(out)) { /* rounded to nearest even; 64-bit integers may be rounded twice */
            number_store_real(out, x, rounded);
            good = is_near(out, number_real(out, rounded), got, descriptor_element_size(type) == 8 ? 1 : 0) ||
                   (isnan(x) && isnan(got)) || (type == TYPE(FLOAT32) && fabs(x) < 0x1p-126 && got == 0);
        } else if (!number_is_float(type)) {
            number_store_whole(out, number_whole(type, at(&boxes[0], i)), rounded); /* modulo 2^width */
            good = !memcmp(rounded, at(&boxes[INPUTS], i), descriptor_element_size(out));
        } else {
            number_store_real(out, x, rounded); /* saturated */
            good = !memcmp(rounded, at(&boxes[INPUTS], i), descriptor_element_size(out));
        }
        if (!good && wrong++ < 5)
            note("%.17g: %.17g", x, got);
    }
    if (!ok(result == S_OK && !wrong, "CAST: type %d to %d", (int)type, (int)out))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_pairs(void)
{
    for (int a = TYPE(FLOAT32); a <= TYPE(INT64); a++) {
        for (int b = TYPE(FLOAT32); b <= TYPE(INT64); b++) {
            uint32_t both = 1u << a | 1u << b;
            if ((types_of(DML_OPERATOR_CAST, 0) & both) == both)
                check_cast((DML_TENSOR_DATA_TYPE)a, (DML_TENSOR_DATA_TYPE)b);
            if ((types_of(DML_OPERATOR_ELEMENT_WISE_POW, 0) & both) == both)
                check_pow((DML_TENSOR_DATA_TYPE)a, (DML_TENSOR_DATA_TYPE)b);
        }
    }
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    check_reals();
    check_wholes();
    check_pairs();
    api->destroy_device(device);
    return tap_done();
}
