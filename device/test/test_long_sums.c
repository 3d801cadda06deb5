/* test_long_sums.c: gradients of resampling where one element gets so many gradients that a device may add them up in
 * parts: each result is the one of a naive model, exactly where FLOAT32 has room for it.
 *
 *     test_long_sums [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/common/half.h"
#include "device/test/random.h"
#include "device/test/test_open.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANK = 4 };

static const assay_device_api *api;
static assay_device *device;

/* A description; its gradients are whole numbers from -1 to 1. */
struct sums {
    DML_TENSOR_DATA_TYPE type;
    UINT rank, from[RANK], steps[RANK], to[RANK]; /* sizes and strides of the input, sizes of the output */
    FLOAT scales[RANK], before[RANK], after[RANK];
    DML_INTERPOLATION_MODE mode;
    DML_AXIS_DIRECTION direction;
    UINT elements;   /* in the memory of the input */
    uint64_t one_in; /* one in so many gradients is not 0 */
};

static UINT count_elements(const UINT *sizes, UINT rank)
{
    UINT count = 1;
    for (UINT i = 0; i < rank; i++)
        count *= sizes[i];
    return count;
}

/* ---- the model */

/* Two elements of the output along a dimension, and their weights. */
struct shares {
    UINT at[2];
    double weight[2];
};

static struct shares shares_of(const struct sums *s, UINT place, UINT i)
{
    double x = (place - (double)s->after[i]) / s->scales[i] - s->before[i];
    if (s->mode == DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR)
        x = s->direction == DML_AXIS_DIRECTION_INCREASING ? ceil(x) : floor(x);
    x = fmin(fmax(x, 0), s->to[i] - 1);
    const UINT first = (UINT)x;
    return (struct shares){{first, first + 1 < s->to[i] ? first + 1 : first}, {1 - (x - first), x - first}};
}

/* Adds a gradient to each element that has a share in it, and its magnitude to that of the sum. */
static void share_out(const struct sums *s, const struct shares *shares, double gradient, double *sums, double *sizes)
{
    for (UINT corner = 0; corner < 1u << s->rank; corner++) {
        double weight = 1;
        UINT at = 0;
        for (UINT i = 0; i < s->rank; i++) {
            weight *= shares[i].weight[corner >> i & 1];
            at = at * s->to[i] + shares[i].at[corner >> i & 1];
        }
        sums[at] += weight * gradient;
        sizes[at] += fabs(weight * gradient);
    }
}

static void model(const struct sums *s, const float *gradients, double *sums, double *sizes)
{
    UINT place[RANK] = {0};
    struct shares shares[RANK];
    for (UINT n = count_elements(s->from, s->rank), k = s->rank; n > 0; n--, k = s->rank) {
        UINT at = 0;
        for (UINT i = 0; i < s->rank; i++) {
            shares[i] = shares_of(s, place[i], i);
            at += place[i] * s->steps[i];
        }
        if (gradients[at] != 0)
            share_out(s, shares, gradients[at], sums, sizes);
        while (k-- > 0 && ++place[k] == s->from[k])
            place[k] = 0;
    }
}

/* ---- the device */

/* Returns a tensor's memory: `values` with its type. */
static void *encode(DML_TENSOR_DATA_TYPE type, const float *values, UINT count)
{
    uint16_t *halves = malloc(count * sizeof *halves + 4);
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32 || !halves) {
        free(halves);
        float *copy = malloc(count * sizeof *copy);
        return copy ? memcpy(copy, values, count * sizeof *copy) : NULL;
    }
    for (UINT i = 0; i < count; i++)
        halves[i] = half_from_real(values[i]);
    return halves;
}

static HRESULT compute_gradient(const struct sums *s, void *in, void *out)
{
    const UINT size = s->type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 4 : 2, count = count_elements(s->to, s->rank);
    const DML_BUFFER_TENSOR_DESC buffers[2] = {{.DataType = s->type,
                                                .DimensionCount = s->rank,
                                                .Sizes = s->from,
                                                .Strides = s->steps,
                                                .TotalTensorSizeInBytes = (s->elements * size + 3ull) / 4 * 4},
                                               {.DataType = s->type,
                                                .DimensionCount = s->rank,
                                                .Sizes = s->to,
                                                .TotalTensorSizeInBytes = (count * size + 3ull) / 4 * 4}};
    const DML_TENSOR_DESC input = {DML_TENSOR_TYPE_BUFFER, &buffers[0]}, output = {DML_TENSOR_TYPE_BUFFER, &buffers[1]};
    const DML_RESAMPLE_GRAD1_OPERATOR_DESC desc = {&input,  &output,   s->mode,   s->direction,
                                                   s->rank, s->scales, s->before, s->after};
    const assay_binding from = {.base = in, .size = buffers[0].TotalTensorSizeInBytes},
                        to = {.base = out, .size = buffers[1].TotalTensorSizeInBytes};
    assay_dispatch_item item = {.inputs = &from, .outputs = &to, .input_count = 1, .output_count = 1};
    return compute_once(api, device, &(DML_OPERATOR_DESC){DML_OPERATOR_RESAMPLE_GRAD1, &desc}, &item);
}

static double element(DML_TENSOR_DATA_TYPE type, const void *out, UINT i)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? ((const float *)out)[i] : half_to_real(((const uint16_t *)out)[i]);
}

static const char *text_of(const struct sums *s)
{
    static char text[400];
    size_t length = 0;
    for (UINT i = 0; i < s->rank; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%u to %u by %g, offsets %g and %g", i ? "; " : "",
                             s->from[i], s->to[i], (double)s->scales[i], (double)s->before[i], (double)s->after[i]);
    snprintf(text + length, sizeof text - length, "; type %d, mode %d, direction %d", (int)s->type, (int)s->mode,
             (int)s->direction);
    return text;
}

/* Checks the operator. Without strides, the input is packed. */
static void check(struct sums *s)
{
    const UINT count = count_elements(s->to, s->rank);
    UINT last = 0;
    for (UINT i = s->rank, step = 1; i-- > 0; step *= s->from[i]) {
        s->steps[i] = s->elements ? s->steps[i] : step;
        last += (s->from[i] - 1) * s->steps[i];
    }
    s->elements = last + 1;
    float *gradients = calloc(s->elements, sizeof *gradients);
    double *sums = calloc(count, sizeof *sums), *sizes = calloc(count, sizeof *sizes);
    for (UINT i = 0; gradients && i < s->elements; i++)
        gradients[i] = random_number() % s->one_in ? 0 : 1 - 2 * (float)(random_number() % 2);
    void *in = gradients ? encode(s->type, gradients, s->elements) : NULL, *out = calloc(count + 1, sizeof(float));
    if (!in || !out || !sums || !sizes)
        exit(1);
    model(s, gradients, sums, sizes);
    const HRESULT result = compute_gradient(s, in, out);
    const double epsilon = s->type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x1p-20 : 0x1p-10;
    UINT wrong = 0;
    for (UINT i = 0; i < count; i++) {
        const double got = element(s->type, out, i),
                     exact = s->type == DML_TENSOR_DATA_TYPE_FLOAT32 ? sums[i] : half_to_real(half_from_real(sums[i]));
        wrong += got != exact && !(s->mode && fabs(got - exact) <= epsilon * sizes[i]);
    }
    ok(result == S_OK && !wrong, "%s: status 0x%08x, %u of %u wrong", text_of(s), (unsigned)result, wrong, count);
    free(gradients);
    free(sums);
    free(sizes);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    static const struct sums cases[] = {
        {.rank = 3, .from = {2, 2, 59600}, .to = {1, 1, 1}, .scales = {1, 1, 1}},
        {.rank = 1, .from = {700003}, .to = {1}, .scales = {1}},                                /* one element */
        {.rank = 1, .from = {800011}, .to = {4}, .scales = {262144}},                           /* inside */
        {.rank = 1, .from = {800011}, .to = {4}, .scales = {262144}, .mode = 1, .one_in = 999}, /* overlapping */
        {.rank = 1, .from = {800011}, .to = {5000}, .scales = {4}, .after = {500000}},          /* before */
        {.rank = 1, .from = {800011}, .to = {5000}, .scales = {4}, .mode = 1, .one_in = 100},   /* behind */
        {.rank = 1, .from = {300000}, .to = {200000}, .scales = {150000}, .before = {-77}},     /* mostly none */
        {.rank = 2, .from = {90001, 3}, .to = {2, 7}, .scales = {1, 2}, .before = {-0.5F, 0.25F}, .mode = 1},
        {.rank = 2, .from = {3, 90001}, .to = {9, 1}, .scales = {0.25F, 1}},
        {.rank = 2, .from = {65537, 20}, .steps = {0, 2}, .elements = 1, .to = {2, 3}, .scales = {1, 8}},
        {.rank = 4, .from = {20, 22, 24, 26}, .to = {1, 2, 1, 2}, .scales = {1, 16, 1, 16}},
        {.rank = 4, .from = {26, 24, 22, 20}, .to = {2, 1, 2, 3}, .scales = {16, 1, 16, 8}, .mode = 1, .one_in = 9},
        {.rank = 4, .from = {1, 7, 60013, 1}, .to = {2, 2, 2, 2}, .scales = {1, 2, 8, 1}, .before = {0, 0, -1, 0}},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct sums s = cases[i / 2];
        s.type = i % 2 ? DML_TENSOR_DATA_TYPE_FLOAT16 : DML_TENSOR_DATA_TYPE_FLOAT32;
        s.direction = i % 4 / 2 ? DML_AXIS_DIRECTION_INCREASING : DML_AXIS_DIRECTION_DECREASING;
        s.one_in = s.one_in ? s.one_in : 2;
        check(&s);
    }
    api->destroy_device(device);
    return tap_done();
}
