/* test_boxes.h: functions for tests of a few elements with known results: small tensors, a run, checks of its
 * results. */
#ifndef TEST_BOXES_H
#define TEST_BOXES_H

#include "device/test/test_open.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_TENSORS = 9, MAX_RANK = 4, ABSENT = -1 };

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
static const char *own_arguments = ""; /* arguments of the device */

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

static uint32_t box_count(const struct box *box)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < box->buffer.DimensionCount; i++)
        count *= box->sizes[i];
    return count;
}

static void box_put(int type, unsigned char *data, uint32_t at, double value)
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

static double box_get(int type, const unsigned char *data, uint32_t at)
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

/* Sets a tensor and its values; null: all bits are set. */
static void set_box(int at, int type, UINT rank, const UINT *sizes, const double *values)
{
    struct box *box = &boxes[at];
    *box =
        (struct box){.buffer = {.DataType = (DML_TENSOR_DATA_TYPE)type, .DimensionCount = rank, .Sizes = box->sizes}};
    memcpy(box->sizes, sizes, rank * sizeof *sizes);
    uint32_t count = box_count(box);
    box->buffer.TotalTensorSizeInBytes = (count * bits_of(type) + 31) / 32 * 4;
    box->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
    t[at] = &box->tensor;
    memset(box->data, 0xff, sizeof box->data);
    for (uint32_t i = 0; values && i < count; i++)
        box_put(type, box->data, i, values[i]);
}

/* Set a tensor of three dimensions, and one of four. */
static inline void box3(int at, int type, UINT a, UINT b, UINT c, const double *values)
{
    set_box(at, type, 3, (const UINT[]){a, b, c}, values);
}

static inline void box4(int at, int type, UINT a, UINT b, UINT c, UINT d, const double *values)
{
    set_box(at, type, 4, (const UINT[]){a, b, c, d}, values);
}

static inline void box1(int at, int type, UINT count, const double *values)
{
    box3(at, type, 1, 1, count, values);
}

static inline void absent(int at)
{
    boxes[at] = (struct box){.sizes = {0}};
    t[at] = NULL;
}

static HRESULT create_boxed(DML_OPERATOR_TYPE type, const void *desc, assay_operator **op)
{
    DML_OPERATOR_DESC description = {type, desc};
    return api->create_operator(device, &description, op);
}

/* Creates, compiles and runs the operator on the first `inputs` boxes, into the next `outputs`. */
static HRESULT run_boxes(DML_OPERATOR_TYPE type, const void *desc, uint32_t inputs, uint32_t outputs)
{
    DML_OPERATOR_DESC description = {type, desc};
    assay_binding bindings[MAX_TENSORS];
    for (int i = 0; i < MAX_TENSORS; i++)
        bindings[i] =
            t[i] ? (assay_binding){boxes[i].data, 0, boxes[i].buffer.TotalTensorSizeInBytes} : (assay_binding){0};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[inputs], .input_count = inputs, .output_count = outputs};
    return compute_once(api, device, &description, &item);
}

/* Checks that the box has the values, as near as `tolerance`, and that nothing behind them was written. */
static void box_holds(const char *what, HRESULT status, int at, const double *expected, double tolerance)
{
    const struct box *b = &boxes[at];
    int type = (int)b->buffer.DataType, good = status == S_OK;
    uint32_t count = box_count(b);
    for (uint32_t i = 0; i < count && good; i++) {
        double got = box_get(type, b->data, i);
        good = got == expected[i] || fabs(got - expected[i]) <= tolerance;
        if (!good)
            note("element %u is %.9g, not %.9g", i, got, expected[i]);
    }
    for (uint32_t i = (count * bits_of(type) + 7) / 8; i < sizeof b->data; i++)
        good &= b->data[i] == 0xff;
    if (!ok(good, "%s", what))
        note("0x%08x %s", (unsigned)status, api->message(device));
}

static void box_rejects(const char *what, DML_OPERATOR_TYPE type, const void *desc)
{
    assay_operator *op = NULL;
    HRESULT status = create_boxed(type, desc, &op);
    if (!ok(status == E_INVALIDARG && !op && strstr(api->message(device), what), "rejected: %s", what))
        note("0x%08x %s", (unsigned)status, api->message(device));
    api->destroy_operator(device, op);
}

/* Opens the device at another feature level. */
static inline void go_to(DML_FEATURE_LEVEL to, const char *option)
{
    char message[512], arguments[256];
    snprintf(arguments, sizeof arguments, "%s%s%s", own_arguments, *own_arguments ? "," : "", option);
    assay_device_config config = {sizeof config, arguments};
    api->destroy_device(device);
    device = NULL;
    ok(api->create_device(&config, &device, message, sizeof message) == S_OK, "a device with %s", option);
    level = to;
}

/* Opens the device that the arguments name. */
static int open_boxes(int argc, char **argv)
{
    own_arguments = argc > 2 ? argv[2] : "";
    return open_by_arguments(argc, argv, &api, &device);
}

#endif
