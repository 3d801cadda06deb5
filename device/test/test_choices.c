/* test_choices.c: results that the documents leave open, so that no case can demand them: those that the reference
 * device and the Vulkan device choose.
 *
 *     test_choices [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_open.h"

#include <math.h>

enum { MOST = 4, RANK = 4 };

#define OP(name) DML_OPERATOR_##name
#define F(name) DML_REDUCE_FUNCTION_##name
#define NANF ((float)NAN)
#define INFF ((float)INFINITY)

static const assay_device_api *api;
static assay_device *device;

/* A row of FLOAT32. */
struct row {
    UINT sizes[RANK];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    float x[MOST];
};

static struct row in, out;

static void row_make(struct row *row, UINT count, const float *x)
{
    *row = (struct row){.sizes = {1, 1, 1, count}};
    row->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                           .DimensionCount = RANK,
                                           .Sizes = row->sizes,
                                           .TotalTensorSizeInBytes = count * sizeof *x};
    row->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &row->buffer};
    for (UINT i = 0; x && i < count; i++)
        row->x[i] = x[i];
}

/* Runs an operator on `in`. Returns whether `out` then has the expected elements, or nearly. */
static int row_gives(DML_OPERATOR_TYPE type, const void *fields, const float *expected)
{
    const DML_OPERATOR_DESC desc = {type, fields};
    const assay_binding input = {in.x, 0, in.buffer.TotalTensorSizeInBytes},
                        output = {out.x, 0, out.buffer.TotalTensorSizeInBytes};
    assay_dispatch_item item = {.inputs = &input, .outputs = &output, .input_count = 1, .output_count = 1};
    int good = compute_once(api, device, &desc, &item) == S_OK;
    for (UINT i = 0; good && i < out.sizes[RANK - 1]; i++) {
        const float y = expected[i], got = out.x[i];
        good = isnan(y) ? isnan(got) : got == y || fabsf(got - y) <= fabsf(y) * 1e-6f;
        if (!good)
            note("element %u is %.9g, not %.9g", i, (double)got, (double)y);
    }
    return good;
}

/* ---- reductions: powers beyond the type, NaNs, and zeros of both signs */

static void test_reductions(void)
{
    static const UINT axes[] = {3};
    static const struct {
        const char *title;
        DML_REDUCE_FUNCTION function;
        UINT count;
        float x[MOST], y;
    } rows[] = {
        {"a logarithm of powers that overflow", F(LOG_SUM_EXP), 2, {1000, 1000}, 1000.693147f},
        {"a logarithm of powers that underflow", F(LOG_SUM_EXP), 2, {-1000, -1000}, -999.306853f},
        {"a logarithm of zeros", F(LOG_SUM_EXP), 3, {-INFF, -INFF, -INFF}, -INFF},
        {"a logarithm of infinities", F(LOG_SUM_EXP), 4, {INFF, 2, -INFF, INFF}, INFF},
        {"a logarithm of a NaN", F(LOG_SUM_EXP), 3, {-INFF, NANF, -INFF}, NANF},
        {"the maximum of numbers beside a NaN", F(MAX), 4, {-INFF, NANF, -3, -5}, -3},
        {"the minimum of numbers beside a NaN", F(MIN), 4, {INFF, NANF, 3, 5}, 3},
        {"the place of the maximum of numbers", F(ARGMAX), 4, {NANF, -INFF, 3, 3}, 2},
        {"the place of the minimum of numbers", F(ARGMIN), 4, {NANF, INFF, INFF, NANF}, 1},
        {"the first of two zeros that are least", F(ARGMIN), 4, {1, 0.0f, -0.0f, 2}, 1},
        {"the first of two zeros that are greatest", F(ARGMAX), 4, {-1, -0.0f, 0.0f, -2}, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int is_place = rows[i].function == F(ARGMAX) || rows[i].function == F(ARGMIN);
        float expected = rows[i].y;
        row_make(&in, rows[i].count, rows[i].x);
        row_make(&out, 1, NULL);
        if (is_place) {
            const uint32_t place = (uint32_t)expected;
            out.buffer.DataType = DML_TENSOR_DATA_TYPE_UINT32;
            memcpy(&expected, &place, sizeof place);
        }
        const DML_REDUCE_OPERATOR_DESC desc = {rows[i].function, &in.desc, &out.desc, 1, axes};
        ok(row_gives(OP(REDUCE), &desc, &expected), "%s", rows[i].title);
    }
}

/* ---- slices that are not finite, windows of an even size */

static void test_slices(void)
{
    static const float nans[] = {NANF, NANF, NANF};
    static const struct {
        const char *title;
        DML_OPERATOR_TYPE type;
        float x[3];
    } slices[] = {
        {"parts of minus infinities", OP(ACTIVATION_SOFTMAX), {-INFF, -INFF, -INFF}},
        {"parts beside an infinity", OP(ACTIVATION_SOFTMAX), {1, INFF, 1}},
        {"logarithms of parts beside an infinity", OP(ACTIVATION_LOG_SOFTMAX), {1, INFF, 1}},
    };
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        row_make(&in, 3, slices[i].x);
        row_make(&out, 3, NULL);
        const DML_ACTIVATION_SOFTMAX_OPERATOR_DESC desc = {&in.desc, &out.desc};
        ok(row_gives(slices[i].type, &desc, nans), "%s are NaNs", slices[i].title);
    }
    row_make(&in, 4, (const float[]){1, 2, 3, 4});
    row_make(&out, 4, NULL);
    const DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC desc = {&in.desc, &out.desc, 0, 2, 2, 1, 1};
    ok(row_gives(OP(LOCAL_RESPONSE_NORMALIZATION), &desc, (const float[]){1 / 6.0f, 2 / 14.0f, 3 / 26.0f, 4 / 17.0f}),
       "a window of two has an element and the next one");
}

/* ---- outputs whose elements share memory */

/* Tests rows of four elements, every other one: rows may reach into each other if they share no element. */
static void test_overlaps(void)
{
    static const struct {
        UINT apart;
        HRESULT result;
    } rows[] = {{4, E_INVALIDARG}, {5, S_OK}, {6, E_INVALIDARG}, {7, S_OK}};
    static const UINT sizes[] = {3, 4};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const UINT strides[] = {rows[i].apart, 2};
        DML_BUFFER_TENSOR_DESC packed = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                         .DimensionCount = 2,
                                         .Sizes = sizes,
                                         .TotalTensorSizeInBytes = 128},
                               strided = packed;
        strided.Strides = strides;
        const DML_TENSOR_DESC from = {DML_TENSOR_TYPE_BUFFER, &packed}, to = {DML_TENSOR_TYPE_BUFFER, &strided};
        for (int is_output = 0; is_output < 2; is_output++) {
            const DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC fields = {is_output ? &from : &to, is_output ? &to : &from};
            const DML_OPERATOR_DESC desc = {OP(ELEMENT_WISE_NEGATE), &fields};
            assay_operator *op = NULL;
            ok(api->create_operator(device, &desc, &op) == (is_output ? rows[i].result : S_OK),
               "rows of an %s that begin %u elements apart", is_output ? "output" : "input", rows[i].apart);
            api->destroy_operator(device, op);
        }
    }
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    test_reductions();
    test_slices();
    test_overlaps();
    api->destroy_device(device);
    return tap_done();
}
