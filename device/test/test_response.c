/* test_response.c: LOCAL_RESPONSE_NORMALIZATION, its gradient and VALUE_SCALE_2D of a device: the examples of the
 * operator cards, windows at every border, FLOAT16, and descriptions that must be rejected. Larger pictures are
 * compared with loops over every element of every window.
 *
 *     test_response [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_boxes.h"

#define RESPONSE DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION
#define GRADIENT DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD
#define VALUES DML_OPERATOR_VALUE_SCALE_2D

static const double four[] = {1, 2, 3, 4}, nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

/* ---- examples */

static void try_response(const char *name, UINT sizes[4], const double *x, BOOL crosses, UINT size, FLOAT alpha,
                         FLOAT beta, FLOAT bias, const double *y)
{
    box4(0, F32, sizes[0], sizes[1], sizes[2], sizes[3], x);
    box4(1, F32, sizes[0], sizes[1], sizes[2], sizes[3], NULL);
    DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC desc = {t[0], t[1], crosses, size, alpha, beta, bias};
    box_holds(name, run_boxes(RESPONSE, &desc, 1, 1), 1, y, 1e-6);
}

static void test_responses(void)
{
    UINT channels[4] = {1, 4, 1, 1}, plane[4] = {1, 1, 3, 3}, both[4] = {2, 2, 1, 2}, row[4] = {1, 1, 1, 4};
    try_response("channels", channels, four, 1, 3, 3, 1, 1, (const double[]){1 / 6.0, 2 / 15.0, 0.1, 2 / 13.0});
    try_response("a root", channels, four, 1, 3, 3, 0.5f, 2, (const double[]){0.3779645, 0.5, 0.5388159, 0.7698004});
    try_response("a plane", plane, nine, 0, 3, 3, 1, 1,
                 (const double[]){0.0212766, 0.02173913, 0.04, 0.025, 0.01748252, 0.02727273, 0.04516129, 0.02941176,
                                  0.04347826});
    try_response("pixels apart", both, (const double[]){1, 2, 3, 4, 5, 6, 7, 8}, 1, 3, 3, 1, 1,
                 (const double[]){1 / 11.0, 2 / 21.0, 3 / 11.0, 4 / 21.0, 5 / 75.0, 6 / 101.0, 7 / 75.0, 8 / 101.0});
    try_response("a BOOL of 2 is true", channels, four, 2, 3, 3, 1, 1,
                 (const double[]){1 / 6.0, 2 / 15.0, 0.1, 2 / 13.0});
    try_response("an even size: one more after than before", row, four, 0, 2, 2, 1, 1,
                 (const double[]){1 / 6.0, 2 / 14.0, 3 / 26.0, 4 / 17.0});
    try_response("a window of one", row, four, 0, 1, 1, 1, 0, (const double[]){1, 0.5, 1 / 3.0, 0.25});
    try_response("a window larger than the tensor", channels, four, 1, 1000, 1000, 1, 0,
                 (const double[]){1 / 30.0, 2 / 30.0, 0.1, 4 / 30.0});
    try_response("  than any tensor", row, four, 0, UINT32_MAX, 0, 1, 2, (const double[]){0.5, 1, 1.5, 2});
}

static void try_gradient(const char *name, BOOL crosses, UINT size, const double *gradient, const double *y)
{
    box4(0, F32, 1, 4, 1, 1, four);
    box4(1, F32, 1, 4, 1, 1, gradient);
    box4(2, F32, 1, 4, 1, 1, NULL);
    DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC desc = {t[0], t[1], t[2], crosses, size, 3, 1, 1};
    box_holds(name, run_boxes(GRADIENT, &desc, 2, 1), 2, y, 1e-6);
}

static void test_response_gradients(void)
{
    try_gradient("a gradient of one", 1, 3, (const double[]){1, 0, 0, 0}, (const double[]){1 / 9.0, -1 / 9.0, 0, 0});
    try_gradient("  of all", 1, 3, (const double[]){1, 1, 1, 1},
                 (const double[]){0.09333333, -0.09333333, -0.07550296, -0.03554241});
    /* S is 1 + 3 x^2 */
    try_gradient("  without neighbours", 0, 1, (const double[]){1, 1, 1, 1},
                 (const double[]){-2 / 16.0, -11 / 169.0, -26 / 784.0, -47 / 2401.0});
    /* S is 1 + 1.5 times the squares of an element and the next: {8.5, 20.5, 38.5, 25}. */
    try_gradient("  with an even size", 1, 2, (const double[]){1, 0, 0, 0},
                 (const double[]){1 / 8.5 - 3 / 72.25, -6 / 72.25, 0, 0});
}

static void test_values(void)
{
    static const FLOAT bias[] = {0.5f, -1, 10};
    box4(0, F32, 1, 3, 1, 2, (const double[]){1, 2, 3, 4, 5, 6});
    box4(1, F32, 1, 3, 1, 2, NULL);
    DML_VALUE_SCALE_2D_OPERATOR_DESC desc = {t[0], t[1], 2, 3, bias};
    box_holds("three channels", run_boxes(VALUES, &desc, 1, 1), 1, (const double[]){2.5, 4.5, 5, 7, 20, 22}, 0);
    box4(0, F16, 2, 1, 1, 2, NULL);
    box4(1, F16, 2, 1, 1, 2, NULL);
    memcpy(boxes[0].data, (const uint16_t[]){0x3c00, 0x4000, 0x4200, 0xc400}, 8); /* 1, 2, 3, -4 */
    desc = (DML_VALUE_SCALE_2D_OPERATOR_DESC){t[0], t[1], -0.5f, 1, &bias[2]};
    box_holds("one channel of FLOAT16", run_boxes(VALUES, &desc, 1, 1), 1,
              (const double[]){0x48c0, 0x4880, 0x4840, 0x4a00}, 0); /* 9.5, 9, 8.5, 12 */
}

/* ---- larger pictures */

enum { N = 2, C = 5, H = 6, W = 7, LARGE = N * C * H * W };

static float from[2][LARGE], to[LARGE];

static size_t pixel_at(int n, int c, int h, int w)
{
    return (size_t)(((n * C + c) * H + h) * W + w);
}

/* Returns the sum over a window, or over its mirror image. */
static double window(const double *of, int crosses, int before, int after, size_t number)
{
    int w = (int)(number % W), h = (int)(number / W % H), c = (int)(number / (W * H) % C),
        n = (int)(number / (W * H * C));
    double sum = 0;
    for (int k = 0; k < C; k++)
        for (int i = 0; i < H; i++)
            for (int j = 0; j < W; j++) {
                int inside = crosses ? i == h && j == w && k >= c - before && k <= c + after
                                     : k == c && i >= h - before && i <= h + after && j >= w - before && j <= w + after;
                sum += inside ? of[pixel_at(n, k, i, j)] : 0;
            }
    return sum;
}

static HRESULT run_large(DML_OPERATOR_TYPE type, int crosses, UINT size)
{
    static const UINT sizes[] = {N, C, H, W};
    DML_BUFFER_TENSOR_DESC buffer = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                     .DimensionCount = 4,
                                     .Sizes = sizes,
                                     .TotalTensorSizeInBytes = sizeof to};
    DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC plain = {&tensor, &tensor, crosses, size, 1.5f, 0.75f, 0.5f};
    DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC derived = {&tensor, &tensor, &tensor, crosses,
                                                                   size,    1.5f,    0.75f,   0.5f};
    DML_OPERATOR_DESC desc = {type, type == GRADIENT ? (const void *)&derived : (const void *)&plain};
    assay_binding inputs[] = {{from[0], 0, sizeof to}, {from[1], 0, sizeof to}}, output = {to, 0, sizeof to};
    assay_dispatch_item item = {
        .inputs = inputs, .outputs = &output, .input_count = type == GRADIENT ? 2 : 1, .output_count = 1};
    return compute_once(api, device, &desc, &item);
}

static void test_pictures(int crosses, int size)
{
    static double squares[LARGE], bases[LARGE], terms[LARGE];
    const double alpha = 1.5, beta = 0.75, bias = 0.5;
    int before = (size - 1) / 2, after = size / 2;
    double worst = 0;
    uint32_t state = 1;
    for (size_t i = 0; i < LARGE; i++)
        for (int k = 0; k < 2; k++) {
            state = state * 1664525 + 1013904223;
            from[k][i] = (float)(int)(state >> 24) / 64 - 2;
        }
    for (size_t i = 0; i < LARGE; i++)
        squares[i] = (double)from[0][i] * (double)from[0][i];
    for (size_t i = 0; i < LARGE; i++)
        bases[i] = bias + alpha / size * window(squares, crosses, before, after, i);
    for (size_t i = 0; i < LARGE; i++)
        terms[i] = (double)from[1][i] * (double)from[0][i] / pow(bases[i], beta + 1);
    HRESULT status = run_large(RESPONSE, crosses, (UINT)size);
    for (size_t i = 0; i < LARGE; i++)
        worst = fmax(worst, fabs((double)from[0][i] / pow(bases[i], beta) - (double)to[i]));
    ok(status == S_OK && worst < 2e-6, "%s of %d: %.2g off", crosses ? "channels" : "planes", size, worst);
    status = run_large(GRADIENT, crosses, (UINT)size);
    worst = 0;
    for (size_t i = 0; i < LARGE; i++)
        worst =
            fmax(worst, fabs((double)from[1][i] / pow(bases[i], beta) -
                             2 * alpha * beta / size * (double)from[0][i] * window(terms, crosses, after, before, i) -
                             (double)to[i]));
    ok(status == S_OK && worst < 2e-5, "  the gradient: %.2g off", worst);
}

/* ---- rejections */

static void test_rejections(void)
{
    static const FLOAT bias[] = {0, 0, 0};
    box4(0, F32, 1, 3, 1, 1, four);
    box4(1, F32, 1, 3, 1, 1, NULL);
    box4(2, F32, 1, 3, 1, 2, NULL);
    DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC plain = {t[0], t[1], 1, 0, 1, 1, 1};
    box_rejects("LocalSize is 0; it must be at least 1", RESPONSE, &plain);
    plain = (DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC){t[0], t[2], 1, 1, 1, 1, 1};
    box_rejects("OutputTensor.Sizes are {1,3,1,2}", RESPONSE, &plain);
    DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC derived = {t[0], t[0], t[1], 1, 0, 1, 1, 1};
    box_rejects("LocalSize is 0", GRADIENT, &derived);
    DML_VALUE_SCALE_2D_OPERATOR_DESC values = {t[0], t[1], 1, 2, bias};
    box_rejects("ChannelCount is 2; it must be 1 or 3", VALUES, &values);
    values.ChannelCount = 1;
    box_rejects("ChannelCount is 1; InputTensor has 3 channels", VALUES, &values);
    values.ChannelCount = 3;
    values.Bias = NULL;
    box_rejects("Bias is null; it must have 3 numbers", VALUES, &values);
    go_to(DML_FEATURE_LEVEL_3_0, "level=3_0");
    derived.LocalSize = 1;
    box_rejects("was introduced at feature level 3_1", GRADIENT, &derived);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

int main(int argc, char **argv)
{
    if (!open_boxes(argc, argv))
        return tap_done();
    test_responses();
    test_response_gradients();
    test_values();
    for (int size = 1; size <= 10; size++) {
        test_pictures(0, size);
        test_pictures(1, size);
    }
    test_rejections();
    api->destroy_device(device);
    return tap_done();
}
