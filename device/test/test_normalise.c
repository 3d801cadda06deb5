/* test_normalise.c: normalisations of a device and their gradients: the examples of the operator cards, absent tensors,
 * long slices, and descriptions that must be rejected.
 *
 *     test_normalise [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_boxes.h"

#include <stdlib.h>

#define OF(name) DML_OPERATOR_##name

static const double x8[] = {1, 3, 5, 7, 2, 2, 4, 8}, x4[] = {1, 3, 5, 7};
static const double near = 1e-6;

struct nested {
    const DML_TENSOR_DESC *input, *output;
    FLOAT attributes[2];
};

/* ---- MEAN_VARIANCE_NORMALIZATION and its successors */

static const double planes[] = {-1, -0.3333333, 0.3333333, 1, -0.6324555, -0.6324555, 0, 1.264911};
static const double all[] = {-0.9733285, -0.3244428, 0.3244428, 0.9733285, -0.6488857, -0.6488857, 0, 1.297771};
static const double centred[] = {-3, -1, 1, 3, -2, -2, 0, 4};
static const double scaled[] = {-1, 0.3333333, 1.666667, 3, 0.6324555, 0.6324555, 0, -1.264911};

static void four_boxes(const double *scale, const double *bias)
{
    box4(0, F32, 1, 2, 2, 2, x8);
    box4(3, F32, 1, 2, 2, 2, NULL);
    absent(1);
    absent(2);
    if (scale)
        box4(1, F32, 1, 2, 1, 1, scale);
    if (bias)
        box4(2, F32, 1, 2, 1, 1, bias);
}

static void test_first_form(void)
{
    static const double scale[] = {2, -1}, bias[] = {1, 0};
    const DML_OPERATOR_TYPE type = OF(MEAN_VARIANCE_NORMALIZATION);
    four_boxes(NULL, NULL);
    DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC desc = {t[0], t[1], t[2], t[3], 0, 1, 4, NULL};
    box_holds("planes", run_boxes(type, &desc, 3, 1), 3, planes, near);
    four_boxes(NULL, NULL);
    desc.CrossChannel = 1;
    box_holds("all channels", run_boxes(type, &desc, 3, 1), 3, all, near);
    four_boxes(NULL, NULL);
    desc.CrossChannel = desc.NormalizeVariance = 0;
    box_holds("without the variance", run_boxes(type, &desc, 3, 1), 3, centred, near);
    four_boxes(scale, bias);
    desc = (DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC){t[0], t[1], t[2], t[3], 0, 1, 4, NULL};
    box_holds("scale and bias", run_boxes(type, &desc, 3, 1), 3, scaled, near);
    struct nested nested = {.attributes = {0.5f}};
    DML_OPERATOR_DESC activation = {OF(ACTIVATION_LEAKY_RELU), &nested};
    desc.FusedActivation = &activation;
    four_boxes(scale, bias);
    box_holds("a fused activation", run_boxes(type, &desc, 3, 1), 3,
              (const double[]){-0.5, 0.3333333, 1.666667, 3, 0.6324555, 0.6324555, 0, -0.6324555}, near);
    activation.Type = OF(ACTIVATION_SOFTMAX);
    box_rejects("cannot fuse", type, &desc);
    desc.FusedActivation = NULL;
    desc.CrossChannel = 2;
    box_rejects("CrossChannel is 2", type, &desc);
    desc.CrossChannel = 0;
    box4(1, F32, 1, 2, 3, 1, NULL);
    box_rejects("ScaleTensor.Sizes[2] is 3; it must be 1 or InputTensor's 2", type, &desc);
}

static void test_axes(void)
{
    static const UINT two[] = {2, 3}, three[] = {3, 1, 2}, twice[] = {3, 3}, past[] = {4};
    static const double scale[] = {2, -1}, bias[] = {1, 0};
    const DML_OPERATOR_TYPE type = OF(MEAN_VARIANCE_NORMALIZATION1);
    four_boxes(NULL, NULL);
    DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {t[0], NULL, NULL, t[3], 2, two, 1, 4, NULL};
    box_holds("two axes", run_boxes(type, &desc, 3, 1), 3, planes, near);
    four_boxes(NULL, NULL);
    desc.Axes = three;
    desc.AxisCount = 3;
    box_holds("three axes, in any order", run_boxes(type, &desc, 3, 1), 3, all, near);
    four_boxes(scale, bias);
    desc = (DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC){t[0], t[1], t[2], t[3], 0, NULL, 1, 4, NULL};
    box_holds("no axes: the bias", run_boxes(type, &desc, 3, 1), 3, (const double[]){1, 1, 1, 1, 0, 0, 0, 0}, near);
    four_boxes(scale, NULL);
    desc = (DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC){t[0], t[1], NULL, t[3], 2, two, 1, 4, NULL};
    box_holds("a scale alone", run_boxes(type, &desc, 3, 1), 3,
              (const double[]){-2, -0.6666667, 0.6666667, 2, 0.6324555, 0.6324555, 0, -1.264911}, near);
    desc.Axes = twice;
    box_rejects("Axes[1] is 3, like another axis", type, &desc);
    desc.Axes = past;
    desc.AxisCount = 1;
    box_rejects("Axes[0] is 4", type, &desc);
    desc.AxisCount = 5;
    box_rejects("AxisCount is 5", type, &desc);
    desc.AxisCount = 1;
    desc.Axes = NULL;
    box_rejects("Axes is null", type, &desc);
    desc.Axes = two;
    go_to(DML_FEATURE_LEVEL_5_1, "level=5_1");
    box_rejects("BiasTensor is null; before feature level 5_2", type, &desc);
    go_to(DML_FEATURE_LEVEL_3_1, "level=3_1");
    box4(1, F32, 1, 1, 1, 1, NULL);
    box4(2, F32, 1, 2, 1, 1, NULL);
    desc.ScaleTensor = t[1];
    desc.BiasTensor = t[2];
    box_rejects("ScaleTensor.Sizes[1] is 1; before feature level 4_0", type, &desc);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

static void test_squares(void)
{
    static const UINT last[] = {2};
    static const double x[] = {1, 2, 2, 4}, two[] = {2}, one[] = {1};
    const DML_OPERATOR_TYPE type = OF(MEAN_VARIANCE_NORMALIZATION2);
    box1(0, F32, 4, x);
    absent(1);
    absent(2);
    box1(3, F32, 4, NULL);
    DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC desc = {t[0], NULL, NULL, t[3], 1, last, 0, 1, 2.75f, NULL};
    box_holds("squares", run_boxes(type, &desc, 3, 1), 3, (const double[]){0.3333333, 0.6666667, 0.6666667, 1.333333},
              near);
    box1(1, F32, 1, two);
    box1(2, F32, 1, one);
    box1(3, F32, 4, NULL);
    desc = (DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC){t[0], t[1], t[2], t[3], 1, last, 0, 0, 2.75f, NULL};
    box_holds("neither mean nor variance", run_boxes(type, &desc, 3, 1), 3, (const double[]){3, 5, 5, 9}, near);
    desc.UseMean = 3;
    box_rejects("UseMean is 3", type, &desc);
}

/* ---- LP_NORMALIZATION */

static void test_lp(void)
{
    static const double x[] = {1, -2, 3, -4}, squares[] = {3, 0, 4, 0}, zeros[] = {0, 0, 0, 0};
    const DML_OPERATOR_TYPE type = OF(LP_NORMALIZATION);
    box1(0, F32, 4, x);
    box1(1, F32, 4, NULL);
    DML_LP_NORMALIZATION_OPERATOR_DESC desc = {t[0], t[1], 2, 1e-12f, 1};
    box_holds("the first norm", run_boxes(type, &desc, 1, 1), 1, (const double[]){0.1, -0.2, 0.3, -0.4}, near);
    box3(0, F32, 1, 2, 2, squares);
    box3(1, F32, 1, 2, 2, NULL);
    desc.Axis = 1;
    desc.P = 2;
    box_holds("the second norm", run_boxes(type, &desc, 1, 1), 1, (const double[]){0.6, 0, 0.8, 0}, near);
    box3(0, F32, 1, 2, 2, zeros);
    box3(1, F32, 1, 2, 2, NULL);
    box_holds("zeros", run_boxes(type, &desc, 1, 1), 1, zeros, 0);
    desc.P = 3;
    box_rejects("P is 3; it must be from 1 to 2", type, &desc);
    desc.P = 1;
    desc.Axis = 3;
    box_rejects("Axis is 3", type, &desc);
}

/* ---- BATCH_NORMALIZATION and its relatives */

static void test_batch(void)
{
    static const double x[] = {1, 2, 3, 4}, mean[] = {1, 3}, variance[] = {0, 3}, scale[] = {2, 4}, bias[] = {0.5, -1};
    const DML_OPERATOR_TYPE type = OF(BATCH_NORMALIZATION);
    box4(0, F32, 1, 2, 1, 2, x);
    box4(1, F32, 1, 2, 1, 1, mean);
    box4(2, F32, 1, 2, 1, 1, variance);
    box4(3, F32, 1, 2, 1, 1, scale);
    box4(4, F32, 1, 2, 1, 1, bias);
    box4(5, F32, 1, 2, 1, 2, NULL);
    DML_BATCH_NORMALIZATION_OPERATOR_DESC desc = {t[0], t[1], t[2], t[3], t[4], t[5], 1, 1, NULL};
    box_holds("given statistics", run_boxes(type, &desc, 5, 1), 5, (const double[]){0.5, 2.5, -1, 1}, near);
    box4(5, F32, 1, 2, 1, 2, NULL);
    desc.Spatial = 0;
    box_holds("Spatial has no effect", run_boxes(type, &desc, 5, 1), 5, (const double[]){0.5, 2.5, -1, 1}, near);
    go_to(DML_FEATURE_LEVEL_3_1, "level=3_1");
    box_rejects("MeanTensor.Sizes[3] is 1; Spatial is FALSE", type, &desc);
    go_to(DML_FEATURE_LEVEL_6_4, "");
    box4(4, F32, 2, 2, 1, 1, NULL);
    box_rejects("BiasTensor.Sizes[0] is 2", type, &desc);
}

static void test_training(void)
{
    static const double two[] = {2}, one[] = {1}, added[] = {1, 1, -4, 1}, four[] = {4}, five[] = {5};
    const DML_OPERATOR_TYPE type = OF(BATCH_NORMALIZATION_TRAINING);
    struct nested nested = {.input = NULL};
    DML_OPERATOR_DESC activation = {OF(ACTIVATION_RELU), &nested};
    for (int with = 0; with < 2; with++) {
        box3(0, F32, 2, 1, 2, x4);
        box3(1, F32, 1, 1, 1, two);
        box3(2, F32, 1, 1, 1, one);
        absent(3);
        if (with)
            box3(3, F32, 2, 1, 2, added);
        box3(4, F32, 2, 1, 2, NULL);
        box3(5, F32, 1, 1, 1, NULL);
        box3(6, F32, 1, 1, 1, NULL);
        DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC desc = {
            t[0], t[1], t[2], t[3], t[4], t[5], t[6], 4, with ? &activation : NULL};
        HRESULT status = run_boxes(type, &desc, 4, 3);
        box_holds(with ? "added, then activated" : "statistics of the batch", status, 4,
                  with ? (const double[]){0, 1.333333, 0, 4} : (const double[]){-1, 0.3333333, 1.666667, 3}, near);
        box_holds("  the mean", status, 5, four, 0);
        box_holds("  the variance", status, 6, five, 0);
    }
}

static void test_batch_gradients(void)
{
    static const double gradient[] = {1, 0, 0, 3}, three[] = {3}, four[] = {4}, five[] = {5}, two[] = {2};
    static const double constant[] = {1, 0, 0, 3}, trained[] = {0.5, -0.8333333, -1.166667, 1.5};
    for (int trains = 0; trains < 2; trains++) {
        box3(0, F32, 2, 1, 2, x4);
        box3(1, F32, 2, 1, 2, gradient);
        box3(2, F32, 1, 1, 1, four);
        box3(3, F32, 1, 1, 1, five);
        box3(4, F32, 1, 1, 1, three);
        box3(5, F32, 2, 1, 2, NULL);
        box3(6, F32, 1, 1, 1, NULL);
        box3(7, F32, 1, 1, 1, NULL);
        DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC desc = {t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], 4};
        const DML_OPERATOR_TYPE type = trains ? OF(BATCH_NORMALIZATION_TRAINING_GRAD) : OF(BATCH_NORMALIZATION_GRAD);
        HRESULT status = run_boxes(type, &desc, 5, 3);
        box_holds(trains ? "gradients of the batch" : "gradients", status, 5, trains ? trained : constant, near);
        box_holds("  of the scale", status, 6, two, near);
        box_holds("  of the bias", status, 7, four, near);
        for (int i = 2; i < 8; i++)
            if (i != 5)
                box3(i, F32, 3, 1, 1, NULL);
        box_rejects("MeanTensor.Sizes[0] is 3; it must be 1 or InputTensor's 2", type, &desc);
    }
}

/* ---- long slices */

/* Tests a slice of so many elements around 100: two neighbours are 1 apart. */
static void try_long(UINT count)
{
    static const UINT axes[] = {1};
    const UINT sizes[] = {2, count};
    const UINT total = 2 * count;
    float *input = malloc(total * sizeof *input), *output = malloc(total * sizeof *output);
    DML_BUFFER_TENSOR_DESC buffer = {
        .DataType = F32, .DimensionCount = 2, .Sizes = sizes, .TotalTensorSizeInBytes = total * sizeof *input};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {&tensor, NULL, NULL, &tensor, 1, axes, 1, 1, NULL};
    const DML_OPERATOR_DESC description = {OF(MEAN_VARIANCE_NORMALIZATION1), &desc};
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    const assay_binding inputs[3] = {{input, 0, buffer.TotalTensorSizeInBytes}};
    const assay_binding outputs[] = {{output, 0, buffer.TotalTensorSizeInBytes}};
    assay_dispatch_result result = {.status = E_FAIL};
    double mean[2], variance[2], worst = 0;
    for (UINT row = 0; row < 2; row++) {
        double sum = 0, squares = 0;
        for (UINT i = 0; i < count; i++) {
            input[row * count + i] = (float)(i % 2 ? 100.5 + row : 99.5);
            sum += (double)input[row * count + i];
        }
        mean[row] = sum / count;
        for (UINT i = 0; i < count; i++)
            squares += pow((double)input[row * count + i] - mean[row], 2);
        variance[row] = squares / count;
    }
    HRESULT status = api->create_operator(device, &description, &op);
    status = status == S_OK ? api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled) : status;
    const assay_dispatch_item item = {
        .compiled = compiled, .inputs = inputs, .outputs = outputs, .input_count = 3, .output_count = 1};
    if (status == S_OK)
        status = api->dispatch(device, &item, 1, &result);
    for (UINT i = 0; i < total && status == S_OK; i++) {
        UINT row = i / count;
        double expected = ((double)input[i] - mean[row]) / sqrt(variance[row] + 1);
        worst = fmax(worst, isfinite(output[i]) ? fabs((double)output[i] - expected) : (double)INFINITY);
    }
    ok(status == S_OK && result.status == S_OK && worst <= 1e-4, "slices of %u: off by %.3g", count, worst);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    free(input);
    free(output);
}

int main(int argc, char **argv)
{
    static const UINT lengths[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 1000, 65537, 1500007};
    if (!open_boxes(argc, argv))
        return tap_done();
    test_first_form();
    test_axes();
    test_squares();
    test_lp();
    test_batch();
    test_training();
    test_batch_gradients();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        try_long(lengths[i]);
    api->destroy_device(device);
    return tap_done();
}
