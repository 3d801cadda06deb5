/* test_activation.c: activations of a device, as operators and fused into ELEMENT_WISE_ADD1: the examples of the
 * operator cards, integers, and descriptions that must be rejected.
 *
 *     test_activation [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_boxes.h"

enum { COUNT = 7 };

static const double x[COUNT] = {-4, -2, -0.5, 0, 0.5, 2, 4};

struct known {
    DML_OPERATOR_TYPE type;
    float attributes[2];
    double y[COUNT];
};

static const struct known cases[] = {
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
    {DML_OPERATOR_ACTIVATION_SIGMOID, {0}, {0.01798621, 0.1192029, 0.3775407, 0.5, 0.6224593, 0.8807971, 0.9820138}},
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

static const struct known alone[] = {
    {DML_OPERATOR_ACTIVATION_HARD_SWISH, {0.25f, 0.5f}, {0, 0, -0.1875, 0, 0.3125, 2, 4}},
    {DML_OPERATOR_ACTIVATION_SWISH, {1.5f}, {-0.009890493, -0.09485175, -0.1604107, 0, 0.3395893, 1.905148, 3.99011}},
};

/* The struct of every activation of one element: tensors, then FLOATs. */
struct desc {
    const DML_TENSOR_DESC *input, *output;
    FLOAT attributes[2];
};

/* ---- operators */

static void try_alone(const struct known *known)
{
    char name[64];
    box1(0, F32, COUNT, x);
    box1(1, F32, COUNT, NULL);
    struct desc desc = {t[0], t[1], {known->attributes[0], known->attributes[1]}};
    snprintf(name, sizeof name, "activation %d", (int)known->type);
    box_holds(name, run_boxes(known->type, &desc, 1, 1), 1, known->y, 1e-6);
    box1(1, F32, COUNT - 1, NULL);
    box_rejects("OutputTensor.Sizes are", known->type, &desc);
}

static void test_operators(void)
{
    static const double low_steepness[COUNT] = {0.253856, 0.626523, 1.151879, 1.386294, 1.651879, 2.626523, 4.253856};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        try_alone(&cases[i]);
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        try_alone(&alone[i]);
    box1(1, F32, COUNT, NULL);
    struct desc desc = {t[0], t[1], {0.5f, 0}};
    box_holds("a Steepness below 1", run_boxes(DML_OPERATOR_ACTIVATION_SOFTPLUS, &desc, 1, 1), 1, low_steepness, 1e-6);
    go_to(DML_FEATURE_LEVEL_6_3, "level=6_3");
    box_rejects("Steepness is 0.5", DML_OPERATOR_ACTIVATION_SOFTPLUS, &desc);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

static void test_integers(void)
{
    box1(0, I32, 7, (const double[]){-9, -4, -3, 0, 3, 4, 9});
    box1(1, I32, 7, NULL);
    struct desc desc = {t[0], t[1], {2, 3.5f}};
    box_holds("SHRINK of INT32", run_boxes(DML_OPERATOR_ACTIVATION_SHRINK, &desc, 1, 1), 1,
              (const double[]){-7, -2, 0, 0, 0, 2, 7}, 0);
    box1(0, U8, 3, (const double[]){0, 5, 200});
    box1(1, U8, 3, NULL);
    desc = (struct desc){t[0], t[1], {-3, -1}};
    box_holds("  of UINT8, with results below 0", run_boxes(DML_OPERATOR_ACTIVATION_SHRINK, &desc, 1, 1), 1,
              (const double[]){3, 8, 203}, 0);
    box1(0, I8, 4, (const double[]){-128, -1, 0, 127});
    box1(1, I8, 4, NULL);
    desc = (struct desc){t[0], t[1], {0, 0}};
    box_holds("RELU of INT8", run_boxes(DML_OPERATOR_ACTIVATION_RELU, &desc, 1, 1), 1, (const double[]){0, 0, 0, 127},
              0);
}

static void test_two_inputs(void)
{
    box1(0, F32, 4, (const double[]){-2, -1, 0, 3});
    box1(1, F32, 4, (const double[]){0.5, -4, 7, 9});
    box1(2, F32, 4, NULL);
    DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC relu = {t[0], t[1], t[2]};
    box_holds("PARAMETERIZED_RELU", run_boxes(DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU, &relu, 2, 1), 2,
              (const double[]){-1, 4, 0, 3}, 0);
    box1(2, F32, 4, NULL);
    DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC grad = {t[0], t[1], t[2]};
    box_holds("RELU_GRAD", run_boxes(DML_OPERATOR_ACTIVATION_RELU_GRAD, &grad, 2, 1), 2, (const double[]){0, 0, 0, 9},
              0);
    box1(1, F32, 3, NULL);
    box_rejects("InputGradientTensor.Sizes are", DML_OPERATOR_ACTIVATION_RELU_GRAD, &grad);
}

/* ---- fused */

static void test_fused(void)
{
    struct desc nested;
    DML_OPERATOR_DESC activation;
    DML_ELEMENT_WISE_ADD1_OPERATOR_DESC desc;
    static const double ones[COUNT] = {1, 1, 1, 1, 1, 1, 1};
    double less[COUNT];
    for (int i = 0; i < COUNT; i++)
        less[i] = x[i] - 1;
    box1(0, F32, COUNT, less);
    box1(1, F32, COUNT, ones);
    box1(2, F32, COUNT, NULL);
    desc = (DML_ELEMENT_WISE_ADD1_OPERATOR_DESC){t[0], t[1], t[2], NULL};
    box_holds("ADD1", run_boxes(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, 2, 1), 2, x, 0);
    desc.FusedActivation = &activation;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64];
        nested.input = nested.output = NULL;
        memcpy(nested.attributes, cases[i].attributes, sizeof nested.attributes);
        activation = (DML_OPERATOR_DESC){cases[i].type, &nested};
        box1(2, F32, COUNT, NULL);
        snprintf(name, sizeof name, "ADD1 with activation %d", (int)cases[i].type);
        box_holds(name, run_boxes(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, 2, 1), 2, cases[i].y, 1e-6);
        nested.output = t[2];
        box_rejects("FusedActivation.OutputTensor is not null", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
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
        box_rejects("which ELEMENT_WISE_ADD1 cannot fuse", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    }
    activation = (DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_ELU, NULL};
    box_rejects("FusedActivation.Desc is null", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    activation = (DML_OPERATOR_DESC){DML_OPERATOR_ACTIVATION_SOFTPLUS, &nested};
    nested.attributes[0] = 0.5f;
    box1(2, F32, COUNT, NULL);
    box_holds("a Steepness below 1", run_boxes(DML_OPERATOR_ELEMENT_WISE_ADD1, &desc, 2, 1), 2,
              (const double[]){0.253856, 0.626523, 1.151879, 1.386294, 1.651879, 2.626523, 4.253856}, 1e-6);
    go_to(DML_FEATURE_LEVEL_6_3, "level=6_3");
    box_rejects("FusedActivation.Steepness is 0.5", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    go_to(DML_FEATURE_LEVEL_5_0, "level=5_0");
    activation.Type = DML_OPERATOR_ACTIVATION_GELU;
    box_rejects("cannot fuse at feature level 5_0", DML_OPERATOR_ELEMENT_WISE_ADD1, &desc);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

int main(int argc, char **argv)
{
    if (!open_boxes(argc, argv))
        return tap_done();
    test_operators();
    test_integers();
    test_two_inputs();
    test_fused();
    api->destroy_device(device);
    return tap_done();
}
