/* test_quantise.c: operators of a device that quantise, fuse activations or number elements: the examples of the
 * operator cards, elements of 4 bits, and what is rejected.
 *
 *     test_quantise [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_open.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_TENSORS = 9, MAX_RANK = 3, ABSENT = -1 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name
#define F32 TYPE(FLOAT32)
#define F16 TYPE(FLOAT16)
#define U8 TYPE(UINT8)
#define I8 TYPE(INT8)
#define U4 TYPE(UINT4)
#define I4 TYPE(INT4)
#define I32 TYPE(INT32)

static const assay_device_api *api;
static assay_device *device;
static DML_FEATURE_LEVEL level;
static const char *own_arguments = ""; /* of the device */

static unsigned bits_of(int type)
{
    static const unsigned char widths[] = {0, 32, 16, 32, 16, 8, 32, 16, 8, 64, 64, 64, 4, 4};
    return widths[type];
}

/* A tensor of packed elements. Halves hold small multiples of 1/16. */
struct box {
    UINT sizes[MAX_RANK];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    _Alignas(16) unsigned char data[8 * MAX_ELEMENTS];
};

static struct box boxes[MAX_TENSORS];
static const DML_TENSOR_DESC *t[MAX_TENSORS];

static uint32_t count_of(const struct box *box)
{
    return box->sizes[0] * box->sizes[1] * box->sizes[2];
}

static void put(int type, unsigned char *data, uint32_t at, double value)
{
    float single = (float)value;
    int64_t whole = (int64_t)value;
    if (type == F32)
        memcpy(data + 4 * at, &single, sizeof single);
    else if (bits_of(type) == 4)
        data[at / 2] = (unsigned char)((data[at / 2] & (at % 2 ? 0x0f : 0xf0)) | (whole & 15) << at % 2 * 4);
    else
        memcpy(data + bits_of(type) / 8 * at, &whole, bits_of(type) / 8);
}

static double get(int type, const unsigned char *data, uint32_t at)
{
    float single;
    uint64_t bits = 0;
    if (type == F32) {
        memcpy(&single, data + 4 * at, sizeof single);
        return (double)single;
    }
    if (bits_of(type) == 4)
        bits = data[at / 2] >> at % 2 * 4 & 15;
    else
        memcpy(&bits, data + bits_of(type) / 8 * at, bits_of(type) / 8);
    unsigned shift = 64 - bits_of(type);
    return type == I8 || type == I4 || type == I32 ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

/* Sets a tensor of three dimensions, and the values that it holds; null: all bits are set. */
static void box3(int at, int type, UINT a, UINT b, UINT c, const double *values)
{
    struct box *box = &boxes[at];
    *box = (struct box){.sizes = {a, b, c}};
    uint32_t count = count_of(box);
    box->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = (DML_TENSOR_DATA_TYPE)type,
                                           .DimensionCount = MAX_RANK,
                                           .Sizes = box->sizes,
                                           .TotalTensorSizeInBytes = (count * bits_of(type) + 31) / 32 * 4};
    box->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
    t[at] = &box->tensor;
    memset(box->data, 0xff, sizeof box->data);
    for (uint32_t i = 0; values && i < count; i++)
        put(type, box->data, i, values[i]);
}

static void box(int at, int type, UINT count, const double *values)
{
    box3(at, type, 1, 1, count, values);
}

static void absent(int at)
{
    boxes[at] = (struct box){.sizes = {0}};
    t[at] = NULL;
}

static HRESULT create(DML_OPERATOR_TYPE type, const void *desc, assay_operator **op)
{
    DML_OPERATOR_DESC description = {type, desc};
    return api->create_operator(device, &description, op);
}

/* Creates, compiles and runs the operator on the first `inputs` boxes, into the next `outputs`. */
static HRESULT run(DML_OPERATOR_TYPE type, const void *desc, uint32_t inputs, uint32_t outputs)
{
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding bindings[MAX_TENSORS];
    assay_dispatch_result result = {.status = E_FAIL};
    for (int i = 0; i < MAX_TENSORS; i++)
        bindings[i] =
            t[i] ? (assay_binding){boxes[i].data, 0, boxes[i].buffer.TotalTensorSizeInBytes} : (assay_binding){0};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[inputs], .input_count = inputs, .output_count = outputs};
    HRESULT status = create(type, desc, &op);
    if (status == S_OK)
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    item.compiled = compiled;
    if (status == S_OK)
        status = api->dispatch(device, &item, 1, &result);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return status == S_OK ? result.status : status;
}

/* The box holds the values, as near as `tolerance`, and nothing behind them was written. */
static void holds(const char *what, HRESULT status, int at, const double *expected, double tolerance)
{
    const struct box *b = &boxes[at];
    int type = (int)b->buffer.DataType, good = status == S_OK;
    uint32_t count = count_of(b);
    for (uint32_t i = 0; i < count && good; i++) {
        double got = get(type, b->data, i);
        good = got == expected[i] || fabs(got - expected[i]) <= tolerance;
        if (!good)
            note("element %u is %.9g, not %.9g", i, got, expected[i]);
    }
    for (uint32_t i = (count * bits_of(type) + 7) / 8; i < sizeof b->data; i++)
        good &= b->data[i] == 0xff;
    if (!ok(good, "%s", what))
        note("0x%08x %s", (unsigned)status, api->message(device));
}

static void rejects(const char *what, DML_OPERATOR_TYPE type, const void *desc)
{
    assay_operator *op = NULL;
    HRESULT status = create(type, desc, &op);
    if (!ok(status == E_INVALIDARG && !op && strstr(api->message(device), what), "rejected: %s", what))
        note("0x%08x %s", (unsigned)status, api->message(device));
    api->destroy_operator(device, op);
}

/* Goes to a device of another feature level. */
static void go_to(DML_FEATURE_LEVEL to, const char *option)
{
    char message[512], arguments[256];
    snprintf(arguments, sizeof arguments, "%s%s%s", own_arguments, *own_arguments ? "," : "", option);
    assay_device_config config = {sizeof config, arguments};
    api->destroy_device(device);
    device = NULL;
    ok(api->create_device(&config, &device, message, sizeof message) == S_OK, "a device with %s", option);
    level = to;
}

static const double x4[] = {-2.549168, -4.7948575, 8.413617, 6.1086235};

/* ---- full-size scales */

static void test_linear(void)
{
    DML_OPERATOR_TYPE quantize = DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR,
                      dequantize = DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR;
    box(0, F32, 4, x4);
    box(1, F32, 4, (const double[]){9.343093, 0.28006873, 4.617085, 1.1202748});
    box(2, U8, 4, (const double[]){128, 128, 128, 128});
    box(3, U8, 4, NULL);
    holds("QUANTIZE_LINEAR", run(quantize, t, 3, 1), 3, (const double[]){128, 111, 130, 133}, 0);
    put(F32, boxes[1].data, 2, -4.617085);
    holds("  a negative scale", run(quantize, t, 3, 1), 3, (const double[]){128, 111, 126, 133}, 0);
    box(0, F32, 6, (const double[]){0.5, 1.5, 2.5, -0.5, 1000, -1000});
    box(1, F32, 6, (const double[]){1, 1, 1, 1, 1, 1});
    absent(2);
    box(3, I8, 6, NULL);
    holds("  ties to even, out of range, no zero point", run(quantize, t, 3, 1), 3,
          (const double[]){0, 2, 2, 0, 127, -128}, 0);
    box(0, F32, 1, (const double[]){16});
    box(1, F16, 1, (const double[]){0});
    box(3, U8, 1, NULL);
    rejects("ScaleTensor.DataType is FLOAT16", quantize, t);
    box(0, I32, 1, (const double[]){7});
    rejects("for an InputTensor of INT32 it must be FLOAT32", quantize, t);

    box(0, U8, 4, (const double[]){0, 3, 128, 255});
    box(1, F32, 4, (const double[]){2, 2, 2, 2});
    box(2, U8, 4, (const double[]){128, 128, 128, 128});
    box(3, F32, 4, NULL);
    holds("DEQUANTIZE_LINEAR", run(dequantize, t, 3, 1), 3, (const double[]){-256, -250, 0, 254}, 0);
    absent(2);
    holds("  no zero point", run(dequantize, t, 3, 1), 3, (const double[]){0, 6, 256, 510}, 0);
    go_to(DML_FEATURE_LEVEL_6_1, "level=6_1");
    rejects("ZeroPointTensor is null", dequantize, t);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

static void test_add(void)
{
    DML_OPERATOR_TYPE type = DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD;
    box(0, U8, 4, (const double[]){128, 130, 132, 255});
    box(1, F32, 1, (const double[]){0.5});
    box(2, U8, 1, (const double[]){128});
    box(3, I8, 4, (const double[]){0, 10, -20, 127});
    box(4, F32, 1, (const double[]){0.25});
    absent(5);
    box(6, F32, 1, (const double[]){0.5});
    box(7, U8, 1, (const double[]){3});
    box(8, U8, 4, NULL);
    holds("QUANTIZED_LINEAR_ADD", run(type, t, 8, 1), 8, (const double[]){3, 10, 0, 193}, 0);
    for (int at = 1; at < 8; at++) {
        char what[64];
        static const char *const names[] = {"", "AScaleTensor",      "AZeroPointTensor",     "", "BScaleTensor",
                                            "", "OutputScaleTensor", "OutputZeroPointTensor"};
        if (!*names[at])
            continue;
        boxes[at].sizes[2] = 4;
        boxes[at].buffer.TotalTensorSizeInBytes = 16;
        snprintf(what, sizeof what, "%s.Sizes are {1,1,4}; all must be 1", names[at]);
        rejects(what, type, t);
        boxes[at].sizes[2] = 1;
    }
    boxes[3].sizes[2] = 2;
    rejects("BTensor.Sizes are {1,1,2}", type, t);
}

/* ---- scales that the device chooses */

static void test_dynamic(void)
{
    DML_OPERATOR_TYPE type = DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR;
    static const double x[] = {0, 2, -3, -2.5, 1.34, 0.5}, negative[] = {-1, -2.1, -1.3, -2.5, -3.34, -4};
    static const double positive[] = {1, 2.1, 1.3, 2.5, 3.34, 4, 1.5, 2.6, 3.9, 4, 3, 2.345};
    static const struct {
        const char *name;
        int type;
        UINT count;
        const double *x;
        double y[12], scale[1], zero_point[1];
    } cases[] = {
        {"DYNAMIC_QUANTIZE_LINEAR", U8, 6, x, {153, 255, 0, 26, 221, 179}, {0.019607844}, {153}},
        {"  INT8", I8, 6, x, {25, 127, -128, -102, 93, 51}, {0.019607844}, {25}},
        {"  all negative", U8, 6, negative, {191, 121, 172, 96, 42, 0}, {0.015686275}, {255}},
        {"  all positive",
         U8,
         12,
         positive,
         {64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149},
         {0.015686275},
         {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        box(0, F32, cases[i].count, cases[i].x);
        box(1, cases[i].type, cases[i].count, NULL);
        box(2, F32, 1, NULL);
        box(3, cases[i].type, 1, NULL);
        HRESULT status = run(type, t, 1, 3);
        holds(cases[i].name, status, 1, cases[i].y, 0);
        holds("  its scale", status, 2, cases[i].scale, 2e-9);
        holds("  its zero point", status, 3, cases[i].zero_point, 0);
    }
    boxes[2].sizes[1] = 2;
    boxes[2].buffer.TotalTensorSizeInBytes = 8;
    rejects("OutputScaleTensor.Sizes are {1,2,1}; all must be 1", type, t);
}

/* ---- blocks, and elements of 4 bits */

/* A description of tensors 0, 1, 2 as input, scale and zero point, and the next as output. */
struct blocks {
    DML_TENSOR_DESC tensors[2];
    DML_QUANTIZE_OPERATOR_DESC desc;
};

static const void *blocks(struct blocks *out, UINT count)
{
    *out = (struct blocks){
        .tensors = {{DML_TENSOR_TYPE_BUFFER, &boxes[1].buffer}, {DML_TENSOR_TYPE_BUFFER, &boxes[2].buffer}}};
    out->desc = (DML_QUANTIZE_OPERATOR_DESC){t[0], (DML_QUANTIZATION_TYPE)count, count, out->tensors, t[count + 1]};
    return &out->desc;
}

static void test_blocks(void)
{
    struct blocks b;
    box3(0, F32, 1, 4, 1, x4);
    box3(1, F32, 1, 2, 1, (const double[]){0.28006873, -4.617085});
    box3(2, U8, 1, 2, 1, (const double[]){128, 189});
    box3(3, U8, 1, 4, 1, NULL);
    holds("QUANTIZE", run(DML_OPERATOR_QUANTIZE, blocks(&b, 2), 3, 1), 3, (const double[]){119, 111, 187, 188}, 0);

    static const double rows[] = {4.7948575, 3.2343435, 2.7948575, 5.7948575, 0, 7.2343435,
                                  4.7948575, 3.2343435, 2.7948575, 5.7948575, 0, 7.2343435};
    box3(0, F32, 1, 3, 4, rows);
    box3(1, F32, 1, 1, 2, (const double[]){1.1202748, 2.1202748});
    box3(2, I4, 1, 1, 2, (const double[]){-6, -5});
    box3(3, I4, 1, 3, 4, NULL);
    holds("  INT4, blocks in two dimensions", run(DML_OPERATOR_QUANTIZE, blocks(&b, 2), 3, 1), 3,
          (const double[]){-2, -3, -4, -2, -6, 0, -3, -3, -4, -1, -5, -2}, 0);
    box(0, F32, 5, (const double[]){-100, 100, 1, 2, 3});
    box(1, F32, 1, (const double[]){1});
    box(2, U4, 5, NULL);
    holds("  an odd number of UINT4, without a zero point", run(DML_OPERATOR_QUANTIZE, blocks(&b, 1), 2, 1), 2,
          (const double[]){0, 15, 1, 2, 3}, 0);

    box(0, U4, 4, (const double[]){0, 8, 15, 3});
    ok(boxes[0].data[0] == 0x80 && boxes[0].data[1] == 0x3f, "the first of two elements is in the low half");
    box(1, F32, 2, (const double[]){0.5, 2});
    box(2, U4, 2, (const double[]){8, 0});
    box(3, F32, 4, NULL);
    holds("DEQUANTIZE", run(DML_OPERATOR_DEQUANTIZE, blocks(&b, 2), 3, 1), 3, (const double[]){-4, 0, 30, 6}, 0);
    boxes[1].sizes[2] = boxes[2].sizes[2] = 1;
    holds("  one block", run(DML_OPERATOR_DEQUANTIZE, blocks(&b, 2), 3, 1), 3, (const double[]){-4, 0, 3.5, -2.5}, 0);
}

static void test_block_rules(void)
{
    struct blocks b;
    DML_OPERATOR_TYPE type = DML_OPERATOR_DEQUANTIZE;
    box(0, U4, 4, NULL);
    box(1, F32, 2, NULL);
    box(2, U4, 2, NULL);
    box(3, F32, 4, NULL);
    blocks(&b, 2);
    b.desc.QuantizationType = (DML_QUANTIZATION_TYPE)3;
    rejects("QuantizationType is 3; it must be from 1 to 2", type, &b.desc);
    b.desc.QuantizationType = DML_QUANTIZATION_TYPE_NONE;
    rejects("QuantizationType is 0; it must be from 1 to 2", type, &b.desc);
    b.desc.QuantizationType = DML_QUANTIZATION_TYPE_SCALE;
    rejects("QuantizationTensorCount is 2", type, &b.desc);
    blocks(&b, 1);
    b.desc.OutputTensor = t[3];
    b.desc.QuantizationTensorCount = 0;
    rejects("QuantizationTensorCount is 0", type, &b.desc);
    b.desc.QuantizationTensorCount = 8;
    rejects("at most 7 tensors", type, &b.desc);
    b.desc.QuantizationTensorCount = 1;
    b.desc.QuantizationTensors = NULL;
    rejects("QuantizationTensors is null", type, &b.desc);
    blocks(&b, 2);
    b.tensors[1].Desc = NULL;
    rejects("QuantizationTensors[1].Desc is null", type, &b.desc);
    blocks(&b, 2);
    boxes[1].buffer.DataType = U8;
    rejects("QuantizationTensors[0].DataType is UINT8; the scale must be FLOAT32", type, &b.desc);
    boxes[1].buffer.DataType = F16;
    rejects("QuantizationTensors[0].DataType is FLOAT16; the scale must be FLOAT32", type, &b.desc);
    boxes[1].buffer.DataType = F32;
    boxes[2].buffer.DataType = I4;
    rejects("QuantizationTensors[1].DataType is INT4; the zero point must be UINT4", type, &b.desc);
    boxes[2].buffer.DataType = U4;
    boxes[2].sizes[2] = 1;
    rejects("QuantizationTensors[1].Sizes are {1,1,1}", type, &b.desc);
    box(1, F32, 3, NULL);
    box(2, U4, 3, NULL);
    rejects("QuantizationTensors[0].Sizes[2] is 3; it must divide InputTensor's 4", type, &b.desc);
    box(1, F32, 8, NULL);
    rejects("QuantizationTensors[0].Sizes[2] is 8", type, &b.desc);
    box(1, F32, 2, NULL);
    box(2, U4, 2, NULL);
    boxes[2].buffer.DimensionCount = 2;
    rejects("QuantizationTensors.DimensionCount is 2", type, &b.desc);
    boxes[2].buffer.DimensionCount = 3;
    boxes[0].buffer.TotalTensorSizeInBytes = 0;
    rejects("need at least 4", type, &b.desc);
}

/* ---- fused activations */

static void test_activations(void)
{
    enum { COUNT = 7 };
    static const double x[COUNT] = {-4, -2, -0.5, 0, 0.5, 2, 4};
    static const struct {
        DML_OPERATOR_TYPE type;
        float attributes[2];
        double y[COUNT];
    } cases[] = {
        {DML_OPERATOR_ACTIVATION_IDENTITY, {0}, {-4, -2, -0.5, 0, 0.5, 2, 4}},
        {DML_OPERATOR_ACTIVATION_LINEAR, {2, 1}, {-7, -3, 0, 1, 2, 5, 9}},
        {DML_OPERATOR_ACTIVATION_RELU, {0}, {0, 0, 0, 0, 0.5, 2, 4}},
        {DML_OPERATOR_ACTIVATION_LEAKY_RELU, {0.25f}, {-1, -0.5, -0.125, 0, 0.5, 2, 4}},
        {DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, {0.5f}, {0, 0, 0, 0, 0, 2, 4}},
        {DML_OPERATOR_ACTIVATION_SHRINK, {0.25f, 0.5f}, {-3.75, -1.75, 0, 0, 0, 1.75, 3.75}},
        {DML_OPERATOR_ACTIVATION_HARD_SIGMOID, {0.25f, 0.5f}, {0, 0, 0.375, 0.5, 0.625, 1, 1}},
        {DML_OPERATOR_ACTIVATION_SOFTSIGN, {0}, {-0.8, -0.6666667, -0.3333333, 0, 0.3333333, 0.6666667, 0.8}},
        {DML_OPERATOR_ACTIVATION_ELU, {2}, {-1.963369, -1.729329, -0.7869387, 0, 0.5, 2, 4}},
        {DML_OPERATOR_ACTIVATION_CELU, {2}, {-1.729329, -1.264241, -0.4423984, 0, 0.5, 2, 4}},
        {DML_OPERATOR_ACTIVATION_SCALED_ELU, {2, 0.5f}, {-0.9816844, -0.8646647, -0.3934693, 0, 0.25, 1, 2}},
        {DML_OPERATOR_ACTIVATION_SIGMOID,
         {0},
         {0.01798621, 0.1192029, 0.3775407, 0.5, 0.6224593, 0.8807971, 0.9820138}},
        {DML_OPERATOR_ACTIVATION_TANH, {0}, {-0.9993293, -0.9640276, -0.4621172, 0, 0.4621172, 0.9640276, 0.9993293}},
        {DML_OPERATOR_ACTIVATION_SCALED_TANH,
         {1.5f, 0.5f},
         {-1.446041, -1.142391, -0.367378, 0, 0.367378, 1.142391, 1.446041}},
        {DML_OPERATOR_ACTIVATION_SOFTPLUS,
         {2},
         {0.0001677032, 0.009074964, 0.1566308, 0.3465736, 0.6566308, 2.009075, 4.000168}},
        {DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS,
         {1.5f, 0.5f},
         {0.190392, 0.4698925, 0.8639091, 1.039721, 1.238909, 1.969893, 3.190392}},
        {DML_OPERATOR_ACTIVATION_GELU, {0}, {-0.000126685, -0.04550026, -0.1542688, 0, 0.3457312, 1.9545, 3.999873}},
    };
    struct {
        const DML_TENSOR_DESC *input, *output;
        FLOAT attributes[2];
    } nested;
    DML_OPERATOR_DESC activation;
    DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc;
    static const double ones[COUNT] = {1, 1, 1, 1, 1, 1, 1};
    double less[COUNT];
    for (int i = 0; i < COUNT; i++)
        less[i] = x[i] - 1;
    box(0, F32, COUNT, less);
    box(1, F32, COUNT, ones);
    box(2, F32, COUNT, NULL);
    desc = (DML_ELEMENT_WISE_ADD1_OPERATOR_DESC){t[0], t[1], t[2], NULL};
    holds("ADD1", run(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, 2, 1), 2, x, 0);
    desc.FusedActivation = &activation;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64];
        nested.input = nested.output = NULL;
        memcpy(nested.attributes, cases[i].attributes, sizeof nested.attributes);
        activation = (DML_OPERATOR_DESC){cases[i].type, &nested};
        box(2, F32, COUNT, NULL);
        snprintf(name, sizeof name, "ADD1 with activation %d", (int)cases[i].type);
        holds(name, run(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, 2, 1), 2, cases[i].y, 1e-6);
        nested.output = t[2];
        rejects("FusedActivation.OutputTensor is not null", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    }
    nested.output = NULL;
    static const DML_OPERATOR_TYPE never[] = {DML_OPERATOR_INVALID,
                                              DML_OPERATOR_ELEMENT_WISE_CLIP,
                                              DML_OPERATOR_ACTIVATION_SOFTMAX,
                                              DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU,
                                              DML_OPERATOR_ACTIVATION_HARDMAX,
                                              DML_OPERATOR_ACTIVATION_SWISH,
                                              (DML_OPERATOR_TYPE)999};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        activation.Type = never[i];
        rejects("which ELEMENT_WISE_ADD1 cannot fuse", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    }
    activation = (DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_ELU, NULL};
    rejects("FusedActivation.Desc is null", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    activation = (DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_SOFTPLUS, &nested};
    nested.attributes[0] = 0.5f;
    box(2, F32, COUNT, NULL);
    holds("a Steepness below 1", run(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, 2, 1), 2,
          (const double[]){0.253856, 0.626523, 1.151879, 1.386294, 1.651879, 2.626523, 4.253856}, 1e-6);
    go_to(DML_FEATURE_LEVEL_6_3, "level=6_3");
    rejects("FusedActivation.Steepness is 0.5", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    go_to(DML_FEATURE_LEVEL_5_0, "level=5_0");
    activation.Type = DML_OPERATOR_ACTIVATION_GELU;
    rejects("cannot fuse at feature level 5_0", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

/* ---- elements by number */

static void test_sequence(void)
{
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC desc = {.ValueDataType = F32};
    desc.ValueStart.Float32 = 3;
    desc.ValueDelta.Float32 = 2;
    box(0, F32, 3, NULL);
    desc.OutputTensor = t[0];
    holds("FILL_VALUE_SEQUENCE", run(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0, (const double[]){3, 5, 7}, 0);
    desc.ValueDataType = U8;
    rejects("The data type of the attributes is UINT8", DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc);
    desc.ValueStart.UInt8 = 10;
    desc.ValueDelta.UInt8 = 0xfe;
    box3(0, U8, 1, 2, 2, NULL);
    holds("  UINT8 wraps", run(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0, (const double[]){10, 8, 6, 4}, 0);
    UINT strides[] = {1, 1, 2}; /* columns first: the number of an element is that of its coordinates */
    boxes[0].buffer.Strides = strides;
    memset(boxes[0].data, 0xff, sizeof boxes[0].data);
    holds("  strides change nothing", run(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0,
          (const double[]){10, 6, 8, 4}, 0);
    desc.ValueDataType = F32;
    desc.ValueStart.Float32 = 3.2f;
    desc.ValueDelta.Float32 = 1.5f;
    box(0, F32, 5, NULL);
    holds("  FLOAT32", run(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0, (const double[]){3.2, 4.7, 6.2, 7.7, 9.2},
          5e-7);
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    own_arguments = argc > 2 ? argv[2] : "";
    test_linear();
    test_add();
    test_dynamic();
    test_blocks();
    test_block_rules();
    test_activations();
    test_sequence();
    api->destroy_device(device);
    return tap_done();
}
