/* test_normalise_quick.c: if elements lie next to each other, a normalisation of the reference device divides by bounds
 * of a root. The elements are the same as in a layout with gaps. */
#include "device/reference/normalise.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 19, LENGTH = 2500, STEP = 2, APART = STEP * ROWS * LENGTH };

static float in[ROWS * LENGTH], scale[LENGTH], bias[LENGTH], apart[APART];
static _Alignas(64) float out[ROWS * LENGTH];

static struct tensor rows_tensor(uint32_t rows, uint32_t length, uint32_t step)
{
    return (struct tensor){.type = DML_TENSOR_DATA_TYPE_FLOAT32,
                           .element_size = 4,
                           .element_bits = 32,
                           .rank = 2,
                           .sizes = {rows, length},
                           .strides = {length * step, step},
                           .count = (uint64_t)rows * length,
                           .bytes = (uint64_t)rows * length * step * 4};
}

/* Normalises. `bytes`: claimed size of the output's tensor; large tensors are written past the caches. */
static void normalise_rows(uint32_t length, int divided, float epsilon, uint32_t step, uint64_t bytes, float *to)
{
    static struct descriptor d;
    const char *const inputs[] = {(const char *)in, (const char *)scale, (const char *)bias};
    char *const outputs[] = {(char *)to};
    d = (struct descriptor){.type = DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2, .input_count = 3, .output_count = 1};
    d.inputs[0] = rows_tensor(ROWS, length, 1);
    d.inputs[1] = d.inputs[2] = rows_tensor(1, length, 1);
    d.outputs[0] = rows_tensor(ROWS, length, step);
    d.outputs[0].bytes = bytes;
    d.lists[0][0] = 1;
    d.desc.mean_variance2 = (DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC){
        .AxisCount = 1, .UseMean = 1, .UseVariance = divided, .Epsilon = epsilon};
    normalise_kernel_of(d.type)(&d, inputs, outputs);
}

static int is_same(uint32_t length, int divided, float epsilon)
{
    int same = 1;
    for (uint64_t bytes = 4096; bytes <= UINT64_C(1) << 30; bytes <<= 18) {
        normalise_rows(length, divided, epsilon, 1, bytes, out);
        normalise_rows(length, divided, epsilon, STEP, bytes, apart);
        for (uint32_t i = 0; i < ROWS * length; i++)
            same &= memcmp(&out[i], &apart[i * STEP], sizeof *out) == 0;
    }
    return same;
}

static void fill_random(float *to, uint32_t count, float size)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = ((float)(random_number() % 2000001) * 0x1p-20f - 1) * size;
}

static void fill_all(void)
{
    fill_random(in, ROWS * LENGTH, 100);
    fill_random(scale, LENGTH, 4);
    fill_random(bias, LENGTH, 1);
}

int main(void)
{
    static const uint32_t lengths[] = {1, 2, 7, 63, 64, 257, 1024, LENGTH};
    static const float special[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e-45f, -0.0f};
    int same = 1;
    fill_all();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        same &= is_same(lengths[i], 1, 1e-5f) && is_same(lengths[i], 0, 0);
    ok(same, "slices of all lengths");
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        fill_all();
        in[LENGTH + 5] = in[3 * LENGTH + 2000] = scale[1500] = bias[700] = special[i];
        ok(is_same(LENGTH, 1, 1e-5f), "with %g in slices, scale and bias", (double)special[i]);
    }
    fill_all();
    for (uint32_t i = 0; i < LENGTH; i++)
        in[i] = 7, in[LENGTH + i] = 0;
    ok(is_same(LENGTH, 1, 0), "slices without a variance");
    /* The variance is 49^2. 147 times the scale, divided by 49, is a number halfway between two elements; the greater
     * one is even, and the product with 1 / 49, rounded, is less than the number. */
    scale[0] = scale[1] = 11184809;
    memset(bias, 0, sizeof bias);
    for (uint32_t length = 18; length <= 72; length *= 4) { /* 72: in vectors of eight */
        memset(in, 0, sizeof in);
        for (uint32_t i = 0; i < ROWS * length; i += 18)
            in[i] = 147, in[i + 1] = -147;
        ok(is_same(length, 1, 0) && out[0] == 33554428 && out[1] == -33554428,
           "quotients halfway between two elements, in slices of %u", length);
    }
    return tap_done();
}
