/* test_map.c: element-wise operators of a device: the worked examples of the pages and of the operator cards, strides,
 * in place.
 *
 *     test_map [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE [some]]]
 *
 * Without a path, the device is the reference device. With a further argument, operators that the device lacks are
 * skipped. */
#include "device/test/test_open.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 9, MAX_TENSORS = 4, ABSENT = -1 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name
#define F32 TYPE(FLOAT32)
#define F16 TYPE(FLOAT16)
#define NANF ((double)NAN)
#define INFF ((double)INFINITY)

static const assay_device_api *api;
static assay_device *device;
static int may_lack; /* operators that the device lacks are skipped */

static uint32_t width(int type)
{
    static const unsigned char widths[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8};
    return widths[type];
}

/* Returns the FLOAT16 with a value that is a normal number of FLOAT16 or an infinity. */
static uint16_t to_half(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* from a half to 1 */
    unsigned bits = (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 1023);
    if (isinf(value))
        bits = 0x7c00;
    else if (value == 0)
        bits = 0;
    return (uint16_t)(bits | (signbit(value) ? 0x8000 : 0));
}

static double number_of(uint16_t half)
{
    int exponent = half >> 10 & 31;
    double size = exponent ? ldexp(1024 + (half & 1023), exponent - 25) : ldexp(half & 1023, -24);
    if (exponent == 31)
        size = INFF;
    return half >> 15 ? -size : size;
}

static void store_value(int type, double value, unsigned char *at)
{
    float single = (float)value;
    int64_t whole = type == F32 || type == F16 || type == TYPE(FLOAT64) ? 0 : (int64_t)value;
    if (type == F32) {
        memcpy(at, &single, sizeof single);
    } else if (type == TYPE(FLOAT64)) {
        memcpy(at, &value, sizeof value);
    } else if (type == F16) {
        uint16_t half = to_half(value);
        memcpy(at, &half, sizeof half);
    } else {
        memcpy(at, &whole, width(type));
    }
}

static double load_value(int type, const unsigned char *at)
{
    float single;
    double value;
    uint64_t bits = 0;
    if (type == F32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    if (type == TYPE(FLOAT64)) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (type == F16) {
        uint16_t half;
        memcpy(&half, at, sizeof half);
        return number_of(half);
    }
    memcpy(&bits, at, width(type));
    int is_signed = type == TYPE(INT8) || type == TYPE(INT16) || type == TYPE(INT32) || type == TYPE(INT64);
    unsigned shift = 64 - 8 * width(type);
    return is_signed ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

/* A tensor of one dimension. */
struct box {
    UINT sizes[1], strides[1];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    _Alignas(16) unsigned char data[8 * MAX_ELEMENTS];
};

static struct box boxes[MAX_TENSORS];
static const DML_TENSOR_DESC *t[MAX_TENSORS];

static void map_box_init(int at, int type, uint32_t count, const double *values)
{
    struct box *box = &boxes[at];
    *box = (struct box){.sizes = {count}};
    box->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = (DML_TENSOR_DATA_TYPE)type,
                                           .DimensionCount = 1,
                                           .Sizes = box->sizes,
                                           .TotalTensorSizeInBytes = (count * width(type) + 3) / 4 * 4};
    box->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
    t[at] = &box->tensor;
    for (uint32_t i = 0; values && i < count; i++)
        store_value(type, values[i], box->data + i * width(type));
}

/* Creates, compiles and runs the operator on the first `inputs` boxes, into the next one. */
static HRESULT run_values(DML_OPERATOR_TYPE type, const void *desc, uint32_t inputs)
{
    DML_OPERATOR_DESC description = {type, desc};
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding bindings[MAX_TENSORS];
    assay_dispatch_result result = {.status = E_FAIL};
    for (int i = 0; i < MAX_TENSORS; i++)
        bindings[i] = (assay_binding){boxes[i].data, 0, sizeof boxes[i].data};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[inputs], .input_count = inputs, .output_count = 1};
    HRESULT created = api->create_operator(device, &description, &op);
    if (created == S_OK)
        created = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    item.compiled = compiled;
    if (created == S_OK)
        created = api->dispatch(device, &item, 1, &result);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return created == S_OK ? result.status : created;
}

static int lacks(const char *what, HRESULT result)
{
    if (!may_lack || result != DXGI_ERROR_UNSUPPORTED)
        return 0;
    skip_rest("%s: %s", what, api->message(device));
    return 1;
}

/* Checks that the description is rejected. */
static void map_rejects(const char *what, HRESULT result)
{
    if (!lacks(what, result))
        ok(result == E_INVALIDARG, "%s", what);
}

/* Checks that results are equal, or as near as `tolerance`. */
static void map_holds(const char *what, HRESULT result, int at, int type, uint32_t count, const double *expected,
                      double tolerance)
{
    int good = result == S_OK;
    if (lacks(what, result))
        return;
    for (uint32_t i = 0; i < count && good; i++) {
        double got = load_value(type, boxes[at].data + i * width(type));
        int same = isnan(expected[i]) ? isnan(got) : got == expected[i] || fabs(got - expected[i]) <= tolerance;
        if (!same)
            note("element %u is %.9g, not %.9g", i, got, expected[i]);
        good &= same;
    }
    if (!ok(good, "%s", what))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

/* ---- operators without attributes */

struct example {
    const char *name;
    DML_OPERATOR_TYPE type;
    int a, b, c, out; /* types; ABSENT: no such input */
    uint32_t count;
    double x[3][MAX_ELEMENTS], y[MAX_ELEMENTS];
    double tolerance;
};

#define ROW(name) #name, DML_OPERATOR_##name
#define U8 TYPE(UINT8)
#define U16 TYPE(UINT16)
#define U32 TYPE(UINT32)
#define I8 TYPE(INT8)
#define I32 TYPE(INT32)
#define I64 TYPE(INT64)

static const struct example examples[] = {
    {ROW(ELEMENT_WISE_ABS), I8, ABSENT, ABSENT, I8, 2, {{-127, 5}}, {127, 5}, 0},
    {ROW(ELEMENT_WISE_NEGATE), I32, ABSENT, ABSENT, I32, 3, {{1, -2, 0}}, {-1, 2, 0}, 0},
    {ROW(ELEMENT_WISE_SIGN), F32, ABSENT, ABSENT, F32, 4, {{-2.5, -0.0, 0.0, 3}}, {-1, 0, 0, 1}, 0},
    {ROW(ELEMENT_WISE_CEIL), F32, ABSENT, ABSENT, F32, 3, {{-0.5, 1.2, INFF}}, {0, 2, INFF}, 0},
    {ROW(ELEMENT_WISE_FLOOR), F16, ABSENT, ABSENT, F16, 3, {{-0.5, 1.5, 2048}}, {-1, 1, 2048}, 0},
    {ROW(ELEMENT_WISE_SQRT), F32, ABSENT, ABSENT, F32, 3, {{4, -1, INFF}}, {2, NANF, INFF}, 0},
    {ROW(ELEMENT_WISE_RECIP), F32, ABSENT, ABSENT, F32, 3, {{4, 0.0, -0.0}}, {0.25, INFF, -INFF}, 0},
    {ROW(ELEMENT_WISE_EXP), F32, ABSENT, ABSENT, F32, 3, {{0, -INFF, 100}}, {1, 0, INFF}, 0},
    {ROW(ELEMENT_WISE_EXP), F16, ABSENT, ABSENT, F16, 2, {{11.125, 1}}, {INFF, 2.71828}, 1e-3},
    {ROW(ELEMENT_WISE_LOG), F32, ABSENT, ABSENT, F32, 3, {{1, 0, -1}}, {0, -INFF, NANF}, 0},
    {ROW(ELEMENT_WISE_SIN), F32, ABSENT, ABSENT, F32, 2, {{0.5, INFF}}, {0.479425539, NANF}, 1e-7},
    {ROW(ELEMENT_WISE_COS), F32, ABSENT, ABSENT, F32, 1, {{0.5}}, {0.877582562}, 1e-7},
    {ROW(ELEMENT_WISE_TAN), F32, ABSENT, ABSENT, F32, 1, {{0.5}}, {0.546302490}, 1e-7},
    {ROW(ELEMENT_WISE_ASIN), F32, ABSENT, ABSENT, F32, 2, {{0.5, 2}}, {0.523598776, NANF}, 1e-7},
    {ROW(ELEMENT_WISE_ACOS), F32, ABSENT, ABSENT, F32, 2, {{0.5, 1}}, {1.04719755, 0}, 1e-7},
    {ROW(ELEMENT_WISE_ATAN), F32, ABSENT, ABSENT, F32, 2, {{0.5, INFF}}, {0.463647609, 1.57079633}, 1e-7},
    {ROW(ELEMENT_WISE_SINH), F32, ABSENT, ABSENT, F32, 1, {{0.5}}, {0.521095305}, 1e-7},
    {ROW(ELEMENT_WISE_COSH), F32, ABSENT, ABSENT, F32, 1, {{0.5}}, {1.12762597}, 1e-7},
    {ROW(ELEMENT_WISE_TANH), F32, ABSENT, ABSENT, F32, 2, {{0.5, INFF}}, {0.462117157, 1}, 1e-7},
    {ROW(ELEMENT_WISE_ASINH), F32, ABSENT, ABSENT, F32, 1, {{-4096}}, {-9.01091338}, 1e-6},
    {ROW(ELEMENT_WISE_ACOSH), F32, ABSENT, ABSENT, F32, 2, {{2, 0.5}}, {1.31695790, NANF}, 1e-7},
    {ROW(ELEMENT_WISE_ATANH), F32, ABSENT, ABSENT, F32, 2, {{0.5, 1}}, {0.549306144, INFF}, 1e-7},
    {ROW(ELEMENT_WISE_ERF), F32, ABSENT, ABSENT, F32, 1, {{0.5}}, {0.520499878}, 1e-7},
    {ROW(ELEMENT_WISE_IS_NAN), F32, ABSENT, ABSENT, U8, 4, {{NANF, 1, INFF, -INFF}}, {1, 0, 0, 0}, 0},
    {ROW(ELEMENT_WISE_ADD), U32, U32, ABSENT, U32, 1, {{4294967295}, {2}}, {1}, 0},
    {ROW(ELEMENT_WISE_ADD), I8, I8, ABSENT, I8, 1, {{100}, {27}}, {127}, 0},
    {ROW(ELEMENT_WISE_ADD), F16, F16, ABSENT, F16, 1, {{2048}, {1}}, {2048}, 0},
    {ROW(ELEMENT_WISE_SUBTRACT), U32, U32, ABSENT, U32, 1, {{3}, {5}}, {4294967294}, 0},
    {ROW(ELEMENT_WISE_MULTIPLY), F32, F32, ABSENT, F32, 2, {{2, 0}, {3, INFF}}, {6, NANF}, 0},
    {ROW(ELEMENT_WISE_MULTIPLY), I32, I32, ABSENT, I32, 1, {{65536}, {65537}}, {65536}, 0},
    {ROW(ELEMENT_WISE_DIVIDE), I32, I32, ABSENT, I32, 3, {{-7, 7, -7}, {2, -2, -2}}, {-3, -3, 3}, 0},
    {ROW(ELEMENT_WISE_DIVIDE), F32, F32, ABSENT, F32, 2, {{1, -1}, {0, 0}}, {INFF, -INFF}, 0},
    {ROW(ELEMENT_WISE_MEAN), F32, F32, ABSENT, F32, 2, {{1, 2.5}, {2, -0.5}}, {1.5, 1}, 0},
    {ROW(ELEMENT_WISE_MEAN), I32, I32, ABSENT, I32, 3, {{4, -6, -3}, {2, -2, 0}}, {3, -4, -1}, 0},
    {ROW(ELEMENT_WISE_MAX), F32, F32, ABSENT, F32, 3, {{1, -2, INFF}, {3, -5, 0}}, {3, -2, INFF}, 0},
    {ROW(ELEMENT_WISE_MAX), I64, I64, ABSENT, I64, 1, {{-1}, {1099511627776}}, {1099511627776}, 0},
    {ROW(ELEMENT_WISE_MIN), U8, U8, ABSENT, U8, 1, {{200}, {100}}, {100}, 0},
    {ROW(ELEMENT_WISE_DIFFERENCE_SQUARE), F32, F32, ABSENT, F32, 2, {{3, 1.5}, {5, -0.5}}, {4, 4}, 0},
    {ROW(ELEMENT_WISE_DIFFERENCE_SQUARE), U32, U32, ABSENT, U32, 1, {{3}, {5}}, {4}, 0},
    {ROW(ELEMENT_WISE_ATAN_YX),
     F32,
     F32,
     ABSENT,
     F32,
     4,
     {{1, 1, -1, 0}, {1, -1, 0, 2}},
     {0.7853982, 2.3561945, -1.5707964, 0},
     1e-6},
    {ROW(ELEMENT_WISE_MODULUS_FLOOR),
     F32,
     F32,
     ABSENT,
     F32,
     4,
     {{-7, 7, 5.5, -5.5}, {3, -3, -2, 2}},
     {2, -2, -0.5, 0.5},
     0},
    {ROW(ELEMENT_WISE_MODULUS_TRUNCATE),
     F32,
     F32,
     ABSENT,
     F32,
     4,
     {{-7, 7, 5.5, -5.5}, {3, -3, -2, 2}},
     {-1, 1, 1.5, -1.5},
     0},
    {ROW(ELEMENT_WISE_MODULUS_FLOOR), I32, I32, ABSENT, I32, 2, {{-7, 7}, {3, -3}}, {2, -2}, 0},
    {ROW(ELEMENT_WISE_POW), F32, F32, ABSENT, F32, 4, {{2, -2, -8, -8}, {3, 3, 2, 0.5}}, {8, -8, 64, NANF}, 0},
    {ROW(ELEMENT_WISE_POW), I32, I32, ABSENT, I32, 3, {{3, 2, -1}, {5, -1, -3}}, {243, 0, -1}, 0},
    {ROW(ELEMENT_WISE_POW), U8, F32, ABSENT, U8, 1, {{7}, {2}}, {49}, 0},
    {ROW(ELEMENT_WISE_LOGICAL_AND), U8, U8, ABSENT, U8, 4, {{0, 2, 5, 0}, {0, 1, 0, 255}}, {0, 1, 0, 0}, 0},
    {ROW(ELEMENT_WISE_LOGICAL_OR), U8, U8, ABSENT, U8, 4, {{0, 2, 5, 0}, {0, 1, 0, 255}}, {0, 1, 1, 1}, 0},
    {ROW(ELEMENT_WISE_LOGICAL_XOR), U8, U8, ABSENT, U8, 4, {{0, 2, 5, 0}, {0, 1, 0, 255}}, {0, 0, 1, 1}, 0},
    {ROW(ELEMENT_WISE_LOGICAL_NOT), U8, ABSENT, ABSENT, U8, 4, {{0, 2, 5, 0}}, {1, 0, 0, 1}, 0},
    {ROW(ELEMENT_WISE_LOGICAL_EQUALS),
     F32,
     F32,
     ABSENT,
     U32,
     4,
     {{1, 2, NANF, -0.0}, {1, 3, NANF, 0}},
     {1, 0, 0, 1},
     0},
    {ROW(ELEMENT_WISE_LOGICAL_GREATER_THAN),
     F32,
     F32,
     ABSENT,
     U8,
     4,
     {{1, 2, NANF, -0.0}, {1, 3, NANF, 0}},
     {0, 0, 0, 0},
     0},
    {ROW(ELEMENT_WISE_LOGICAL_LESS_THAN),
     F32,
     F32,
     ABSENT,
     U8,
     4,
     {{1, 2, NANF, -0.0}, {1, 3, NANF, 0}},
     {0, 1, 0, 0},
     0},
    {ROW(ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL),
     F32,
     F32,
     ABSENT,
     U8,
     4,
     {{1, 2, NANF, -0.0}, {1, 3, NANF, 0}},
     {1, 0, 0, 1},
     0},
    {ROW(ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL),
     F32,
     F32,
     ABSENT,
     U8,
     4,
     {{1, 2, NANF, -0.0}, {1, 3, NANF, 0}},
     {1, 1, 0, 1},
     0},
    {ROW(ELEMENT_WISE_LOGICAL_GREATER_THAN), I64, I64, ABSENT, U8, 1, {{-1}, {0}}, {0}, 0},
    {ROW(ELEMENT_WISE_IF), U8, F32, F32, F32, 4, {{1, 0, 2, 1}, {1, 2, 3, 4}, {9, 8, 7, 6}}, {1, 8, 3, 4}, 0},
    {ROW(ELEMENT_WISE_BIT_AND), U8, U8, ABSENT, U8, 2, {{12, 255}, {10, 1}}, {8, 1}, 0},
    {ROW(ELEMENT_WISE_BIT_OR), U8, U8, ABSENT, U8, 1, {{12}, {10}}, {14}, 0},
    {ROW(ELEMENT_WISE_BIT_XOR),
     U8,
     U8,
     ABSENT,
     U8,
     4,
     {{0, 128, 42, 255}, {255, 255, 255, 255}},
     {255, 127, 213, 0},
     0},
    {ROW(ELEMENT_WISE_BIT_NOT), U8, ABSENT, ABSENT, U8, 4, {{0, 128, 42, 255}}, {255, 127, 213, 0}, 0},
    {ROW(ELEMENT_WISE_BIT_COUNT), U32, ABSENT, ABSENT, U32, 4, {{0, 123, 456, 789}}, {0, 6, 4, 5}, 0},
    {ROW(ELEMENT_WISE_BIT_SHIFT_LEFT), U8, U8, ABSENT, U8, 3, {{1, 255, 3}, {7, 1, 0}}, {128, 254, 3}, 0},
    {ROW(ELEMENT_WISE_BIT_SHIFT_RIGHT), U16, U16, ABSENT, U16, 2, {{32768, 5}, {15, 1}}, {1, 2}, 0},
    {ROW(CAST), F32, ABSENT, ABSENT, I32, 4, {{-1.7, 1.7, 2.5, -0.9}}, {-1, 1, 2, 0}, 0},
    {ROW(CAST), F32, ABSENT, ABSENT, F16, 3, {{2049, 2051, 1.00048828125}}, {2048, 2052, 1}, 0},
    {ROW(CAST), I32, ABSENT, ABSENT, F32, 1, {{16777217}}, {16777216}, 0},
    {ROW(CAST), U16, ABSENT, ABSENT, I32, 1, {{65535}}, {65535}, 0},
};

static void test_map_examples(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        const int types[] = {e->a, e->b, e->c};
        uint32_t inputs = 0;
        for (; inputs < 3 && types[inputs] != ABSENT; inputs++)
            map_box_init((int)inputs, types[inputs], e->count, e->x[inputs]);
        map_box_init((int)inputs, e->out, e->count, NULL);
        /* Structs of one, two or three inputs and an output; members that follow are null. */
        const DML_TENSOR_DESC *desc[8] = {t[0], t[1], inputs > 1 ? t[2] : NULL, inputs > 2 ? t[3] : NULL};
        map_holds(e->name, run_values(e->type, desc, inputs), (int)inputs, e->out, e->count, e->y, e->tolerance);
    }
}

/* ---- attributes */

static void test_attributes(void)
{
    static const double nine[] = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
    static const double halves[] = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -2.4, 2.6};
    static const double clipped[] = {-2.5, -2.5, -2, -1, 0, 1, 2, 2.5, 2.5};
    static const double rounded[3][8] = {
        {-2, -2, 0, 0, 2, 2, -2, 3}, {-2, -1, 0, 0, 1, 2, -2, 2}, {-3, -2, -1, 1, 2, 3, -2, 3}};
    static const double special[] = {NANF, 1, INFF, -INFF};
    static const double infinite[3][4] = {{0, 0, 1, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    static const DML_SCALE_BIAS two_ten = {2, 10};

    map_box_init(0, F32, 9, nine);
    map_box_init(1, F32, 9, NULL);
    map_holds("CLIP",
              run_values(DML_OPERATOR_ELEMENT_WISE_CLIP,
                         &(DML_ELEMENT_WISE_CLIP_OPERATOR_DESC){t[0], t[1], NULL, -2.5f, 2.5f}, 1),
              1, F32, 9, clipped, 0);
    map_box_init(0, I32, 4, (const double[]){-3, -1, 2, 3});
    map_box_init(1, I32, 4, NULL);
    map_holds("CLIP of integers truncates its bounds",
              run_values(DML_OPERATOR_ELEMENT_WISE_CLIP,
                         &(DML_ELEMENT_WISE_CLIP_OPERATOR_DESC){t[0], t[1], NULL, -1.9f, 2.9f}, 1),
              1, I32, 4, (const double[]){-1, -1, 2, 2}, 0);
    map_box_init(0, F16, 5, (const double[]){1, 2, 3, 4, 5});
    map_box_init(1, F16, 5, NULL);
    DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC clip1 = {.InputTensor = t[0],
                                                  .OutputTensor = t[1],
                                                  .MinMaxDataType = F16,
                                                  .Min = {.UInt16 = 0x4000},
                                                  .Max = {.UInt16 = 0x4400}};
    map_holds("CLIP1 of halves", run_values(DML_OPERATOR_ELEMENT_WISE_CLIP1, &clip1, 1), 1, F16, 5,
              (const double[]){2, 2, 3, 4, 4}, 0);
    clip1.MinMaxDataType = F32;
    map_rejects("CLIP1 rejects bounds of another type", run_values(DML_OPERATOR_ELEMENT_WISE_CLIP1, &clip1, 1));
    map_box_init(0, F32, 3, (const double[]){-1, 0.5, 2});
    map_box_init(1, F32, 3, NULL);
    map_holds("THRESHOLD",
              run_values(DML_OPERATOR_ELEMENT_WISE_THRESHOLD,
                         &(DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC){t[0], t[1], NULL, 0.5f}, 1),
              1, F32, 3, (const double[]){0.5, 0.5, 2}, 0);
    map_box_init(0, F32, 5, (const double[]){-2, -1, 0, 2, 3});
    map_box_init(1, F32, 5, (const double[]){1, 2, 3, 4, 5});
    map_box_init(2, F32, 5, NULL);
    map_holds("CLIP_GRAD",
              run_values(DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD,
                         &(DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC){t[0], t[1], t[2], -1, 2}, 2),
              2, F32, 5, (const double[]){0, 0, 3, 0, 0}, 0);
    for (UINT mode = 0; mode <= 3; mode++) {
        map_box_init(0, F32, 8, halves);
        map_box_init(1, F32, 8, NULL);
        DML_ELEMENT_WISE_ROUND_OPERATOR_DESC round = {t[0], t[1], (DML_ROUNDING_MODE)mode};
        HRESULT result = run_values(DML_OPERATOR_ELEMENT_WISE_ROUND, &round, 1);
        if (mode < 3)
            map_holds("ROUND", result, 1, F32, 8, rounded[mode], 0);
        else
            map_rejects("ROUND rejects mode 3", result);
        map_box_init(0, F32, 4, special);
        map_box_init(1, U8, 4, NULL);
        DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC infinity = {t[0], t[1], (DML_IS_INFINITY_MODE)mode};
        result = run_values(DML_OPERATOR_ELEMENT_WISE_IS_INFINITY, &infinity, 1);
        if (mode < 3)
            map_holds("IS_INFINITY", result, 1, U8, 4, infinite[mode], 0);
        else
            map_rejects("IS_INFINITY rejects mode 3", result);
    }
    map_box_init(0, F32, 2, (const double[]){0.49999997, 8388609});
    map_box_init(1, F32, 2, NULL);
    map_holds("ROUND of numbers for which floor(x + 0.5) is wrong",
              run_values(DML_OPERATOR_ELEMENT_WISE_ROUND,
                         &(DML_ELEMENT_WISE_ROUND_OPERATOR_DESC){t[0], t[1], DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN},
                         1),
              1, F32, 2, (const double[]){0, 8388609}, 0);
    map_box_init(0, F32, 3, (const double[]){1, 2, 3});
    map_box_init(1, F32, 3, NULL);
    map_holds("IDENTITY with scale and bias",
              run_values(DML_OPERATOR_ELEMENT_WISE_IDENTITY,
                         &(DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){t[0], t[1], &two_ten}, 1),
              1, F32, 3, (const double[]){12, 14, 16}, 0);
    map_holds("CONSTANT_POW with scale and bias before the power",
              run_values(DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW,
                         &(DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC){t[0], t[1], &two_ten, 2}, 1),
              1, F32, 3, (const double[]){144, 196, 256}, 0);
    map_box_init(0, F32, 3, NULL);
    DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill = {t[0], F32, {.Float32 = 13}};
    map_holds("FILL_VALUE_CONSTANT", run_values(DML_OPERATOR_FILL_VALUE_CONSTANT, &fill, 0), 0, F32, 3,
              (const double[]){13, 13, 13}, 0);
}

/* ---- layout */

static void test_layout(void)
{
    static const uint32_t nan_bits = 0xffc01234;
    map_box_init(0, F32, 1, NULL);
    map_box_init(1, F32, 1, NULL);
    memcpy(boxes[0].data, &nan_bits, sizeof nan_bits);
    ok(run_values(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &(DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){t[0], t[1], NULL},
                  1) == S_OK &&
           memcmp(boxes[0].data, boxes[1].data, 4) == 0,
       "IDENTITY keeps the bits of a NaN");

    UINT sizes[] = {2, 3}, columns[] = {1, 2};
    map_box_init(0, F32, 6, (const double[]){0, 1, 2, 3, 4, 5});
    map_box_init(1, F32, 6, NULL);
    for (int i = 0; i < 2; i++) {
        boxes[i].buffer.DimensionCount = 2;
        boxes[i].buffer.Sizes = sizes;
    }
    boxes[0].buffer.Strides = columns;
    map_holds(
        "IDENTITY re-lays a tensor by strides",
        run_values(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &(DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC){t[0], t[1], NULL}, 1),
        1, F32, 6, (const double[]){0, 2, 4, 1, 3, 5}, 0);
    UINT broadcast[] = {0, 1};
    boxes[0].buffer.Strides = broadcast;
    map_holds("an input may be broadcast",
              run_values(DML_OPERATOR_ELEMENT_WISE_ABS, &(DML_ELEMENT_WISE_ABS_OPERATOR_DESC){t[0], t[1], NULL}, 1), 1,
              F32, 6, (const double[]){0, 1, 2, 0, 1, 2}, 0);
    map_box_init(0, F32, 3, (const double[]){1, 2, 3});
    map_box_init(1, F32, 4, NULL);
    map_rejects("other sizes are rejected",
                run_values(DML_OPERATOR_ELEMENT_WISE_ABS, &(DML_ELEMENT_WISE_ABS_OPERATOR_DESC){t[0], t[1], NULL}, 1));
    map_box_init(0, U8, 4, NULL);
    map_box_init(1, U8, 4, NULL);
    map_rejects("ABS rejects unsigned types",
                run_values(DML_OPERATOR_ELEMENT_WISE_ABS, &(DML_ELEMENT_WISE_ABS_OPERATOR_DESC){t[0], t[1], NULL}, 1));
}

int main(int argc, char **argv)
{
    may_lack = argc > 3;
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    test_map_examples();
    test_attributes();
    test_layout();
    api->destroy_device(device);
    return tap_done();
}
