/* reported.c: wrong kernels after public reports. Each is a plain loop, as its author might have written it; only the
 * bug is wrong. None may use the table of mistakes or the formula engine: they would no longer be strangers to it. */
#include "device/mutants/reported.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A long double holds every 64-bit integer. */
typedef long double real;

/* ---- elements */

struct view {
    const struct tensor *t;
    uint8_t *data;
};

static struct view input(const struct descriptor *d, const assay_dispatch_item *item, uint32_t number)
{
    const assay_binding *binding = &item->inputs[number];
    return (struct view){&d->inputs[number], binding->base ? (uint8_t *)binding->base + binding->offset : NULL};
}

static struct view output(const struct descriptor *d, const assay_dispatch_item *item)
{
    return (struct view){&d->outputs[0], (uint8_t *)item->outputs[0].base + item->outputs[0].offset};
}

static uint8_t *reported_element(const struct view *v, const uint32_t *at)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < v->t->rank; i++)
        offset += (uint64_t)at[i] * v->t->strides[i];
    return v->data + offset * v->t->element_size;
}

static real reported_read_as(DML_TENSOR_DATA_TYPE type, const uint8_t *from)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        return datatype_to_double(type, from);
    uint64_t bits = datatype_bits(type, from);
    return t->is_signed ? (real)datatype_to_integer(type, from) : (real)bits;
}

/* The element of a tensor that is broadcast along dimensions of size 1. */
static real get_spread(const struct view *v, const uint32_t *at)
{
    uint32_t own[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    for (uint32_t i = 0; i < v->t->rank; i++)
        own[i] = v->t->sizes[i] > 1 ? at[i] : 0;
    return reported_read_as(v->t->type, reported_element(v, own));
}

static real get(const struct view *v, const uint32_t *at)
{
    return reported_read_as(v->t->type, reported_element(v, at));
}

static void reported_put(const struct view *v, const uint32_t *at, real value)
{
    const struct datatype *t = datatype_of(v->t->type);
    uint64_t bits = 0;
    if (t->is_float)
        datatype_from_double(v->t->type, (double)value, &bits);
    else
        bits = isnan(value) ? 0 : (uint64_t)(__int128)fminl(fmaxl(value, -0x1p100L), 0x1p100L);
    memcpy(reported_element(v, at), &bits, t->bits / 8);
}

/* Advances to the next coordinates; 0 after the last. */
static int reported_next(const struct tensor *t, uint32_t *at)
{
    uint32_t i = t->rank;
    while (i > 0 && ++at[i - 1] == t->sizes[i - 1])
        at[--i] = 0;
    return i > 0;
}

static int is_float(const struct tensor *t)
{
    return datatype_of(t->type)->is_float;
}

/* ---- kernels of one element after the other */

/* The first operand after Scale and Bias. */
static real reported_scaled(const struct descriptor *d, real x)
{
    if (!d->has_scale_bias)
        return x;
    real scale = d->scale_bias.Scale, bias = d->scale_bias.Bias;
    return is_float(&d->inputs[0]) ? x * scale + bias : x * truncl(scale) + truncl(bias);
}

/* Defines a kernel whose element is `value` of the operands a, b, c and the attributes f, g. */
#define MAP(name, condition, value)                                                                                    \
    static int name(const struct descriptor *d, const assay_dispatch_item *item)                                       \
    {                                                                                                                  \
        uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};                                                                  \
        struct view in[3], out = output(d, item);                                                                      \
        real f = d->activation_attributes[0], g = d->activation_attributes[1];                                         \
        uint64_t number = 0, count = d->outputs[0].count;                                                              \
        (void)f, (void)g, (void)count;                                                                                 \
        for (uint32_t i = 0; i < d->input_count && i < 3; i++)                                                         \
            in[i] = input(d, item, i);                                                                                 \
        if (!(condition))                                                                                              \
            return 0;                                                                                                  \
        do {                                                                                                           \
            real a = reported_scaled(d, get(&in[0], at)), b = d->input_count > 1 ? get(&in[1], at) : 0,                \
                 c = d->input_count > 2 ? get(&in[2], at) : 0;                                                         \
            (void)b, (void)c;                                                                                          \
            reported_put(&out, at, value);                                                                             \
            number++;                                                                                                  \
        } while (reported_next(&d->outputs[0], at));                                                                   \
        return 1;                                                                                                      \
    }

/* A 64-bit unsigned integer taken as a signed one. */
static real as_signed64(real x)
{
    return x >= 0x1p63L ? x - 0x1p64L : x;
}

static real as_signed32(real x)
{
    return x >= 0x1p31L ? x - 0x1p32L : x;
}

static real as_half(real x)
{
    uint16_t half;
    datatype_from_double(DML_TENSOR_DATA_TYPE_FLOAT16, (double)x, &half);
    return datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &half);
}

#define HAS_TYPE(name) (d->inputs[0].type == DML_TENSOR_DATA_TYPE_##name)
#define INTEGERS (!is_float(&d->inputs[0]))
#define NEGATIVE (datatype_of(d->inputs[0].type)->is_signed && INTEGERS)

MAP(divide_floors, NEGATIVE, b == 0 ? 0 : floorl(a / b))
MAP(divide_real, HAS_TYPE(INT32) || HAS_TYPE(UINT32), b == 0 ? 0 : (real)((float)a / (float)b))
MAP(modulus_sign, NEGATIVE, b == 0 ? 0 : a - b * floorl(a / b))
MAP(less_signed, HAS_TYPE(UINT64), as_signed64(a) < as_signed64(b))
MAP(greater_signed, HAS_TYPE(UINT32), as_signed32(a) > as_signed32(b))
MAP(maximum_signed, HAS_TYPE(UINT64) || HAS_TYPE(UINT32),
    (HAS_TYPE(UINT64) ? as_signed64(a) > as_signed64(b) : as_signed32(a) > as_signed32(b)) ? a : b)
MAP(add_half, HAS_TYPE(FLOAT32), as_half(as_half(a) + as_half(b)))
MAP(multiply_low, HAS_TYPE(INT64) || HAS_TYPE(UINT64), (real)(uint32_t)((uint64_t)(__int128)a *(uint64_t)(__int128)b))
MAP(subtract_backwards, 1, b - a)
MAP(add_int_float, HAS_TYPE(INT32) || HAS_TYPE(UINT32), (real)((float)a + (float)b))
MAP(power_by_logarithm, is_float(&d->inputs[0]), a < 0 ? NAN : powl(a, b))
MAP(round_away, d->desc.round.RoundingMode == 0, roundl(a))
MAP(cast_nearest, is_float(&d->inputs[0]) && !is_float(&d->outputs[0]), rintl(a))
MAP(cast_narrow, HAS_TYPE(FLOAT32) && !is_float(&d->outputs[0]), truncl(as_half(a)))
MAP(if_one, 1, a == 1 ? b : c)
MAP(tail_unwritten, 1, number >= count / 4 * 4 ? get(&out, at) : a * b)
MAP(sine_degrees, is_float(&d->inputs[0]), sinl(a * 3.14159265358979323846L / 180))
MAP(logarithm_two, is_float(&d->inputs[0]), log2l(a))
MAP(square_root_inverse, is_float(&d->inputs[0]), 1 / sqrtl(a))
MAP(clip_order, d->desc.clip.Min <= d->desc.clip.Max && is_float(&d->inputs[0]),
    fmaxl(a, (real)d->desc.clip.Min)) /* the upper limit is forgotten */
MAP(leaky_all, is_float(&d->inputs[0]), f *a)
MAP(leaky_default, is_float(&d->inputs[0]), a < 0 ? 0.01L * a : a)
MAP(hard_sigmoid_default, is_float(&d->inputs[0]), fmaxl(0, fminl(1, 0.2L * a + 0.5L)))
MAP(elu_alpha, is_float(&d->inputs[0]), a < 0 ? expl(a) - 1 : a)
MAP(selu_gamma, is_float(&d->inputs[0]), a > 0 ? a : f * g * (expl(a) - 1))
MAP(softplus_steepness, is_float(&d->inputs[0]), fmaxl(a *f, 0) + log1pl(expl(-fabsl(a * f))))
MAP(gelu_quick, is_float(&d->inputs[0]), a / (1 + expl(-1.702L * a)))
MAP(sigmoid_piecewise, is_float(&d->inputs[0]), fmaxl(0, fminl(1, 0.25L * a + 0.5L)))
MAP(scaled_tanh_swapped, is_float(&d->inputs[0]), g *tanhl(f *a))
MAP(softsign_square, is_float(&d->inputs[0]), a / sqrtl(1 + a * a))
MAP(threshold_below, is_float(&d->inputs[0]), a < f ? a : 0)

/* ---- softmax, over the last dimension */

static int softmax_with(const struct descriptor *d, const assay_dispatch_item *item, int shifted, int logarithm)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, last = d->inputs[0].rank - 1, size = d->inputs[0].sizes[last];
    struct view in = input(d, item, 0), out = output(d, item);
    float sum = 0, greatest = 0;
    do {
        uint32_t place[DESCRIPTOR_MAX_DIMENSIONS];
        memcpy(place, at, sizeof place);
        if (at[last] == 0) { /* a new slice */
            greatest = -INFINITY;
            sum = 0;
            for (place[last] = 0; place[last] < size; place[last]++)
                greatest = fmaxf(greatest, (float)get(&in, place));
            greatest = shifted ? greatest : 0;
            for (place[last] = 0; place[last] < size; place[last]++)
                sum += expf((float)get(&in, place) - greatest);
        }
        float own = expf((float)get(&in, at) - greatest);
        reported_put(&out, at, logarithm ? logf(own / sum) : own / sum);
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

static int softmax_unshifted(const struct descriptor *d, const assay_dispatch_item *item)
{
    return softmax_with(d, item, 0, 0);
}

static int softmax_logarithm_after(const struct descriptor *d, const assay_dispatch_item *item)
{
    return softmax_with(d, item, 1, 1);
}

/* ---- reductions */

static real folded(DML_REDUCE_FUNCTION function, real value, real x)
{
    switch (function) {
    case DML_REDUCE_FUNCTION_MAX:
        return fmaxl(value, x);
    case DML_REDUCE_FUNCTION_MIN:
        return fminl(value, x);
    case DML_REDUCE_FUNCTION_L2:
        return value + x * x;
    default:
        return value + x;
    }
}

/* Reduces with a wrong start, divisor or end. */
static int reduce_with(const struct descriptor *d, const assay_dispatch_item *item, DML_REDUCE_FUNCTION function,
                       real start, int rootless, int first_axis)
{
    struct view in = input(d, item, 0), out = output(d, item);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    if (d->desc.reduce.Function != function || d->outputs[0].rank != d->inputs[0].rank)
        return 0;
    do {
        uint32_t from[DESCRIPTOR_MAX_DIMENSIONS];
        struct tensor slice = {.rank = d->inputs[0].rank};
        uint32_t step[DESCRIPTOR_MAX_DIMENSIONS] = {0};
        real value = start;
        uint64_t count = 0, along = 1;
        int seen = 0;
        for (uint32_t i = 0; i < slice.rank; i++) {
            slice.sizes[i] = d->outputs[0].sizes[i] == 1 ? d->inputs[0].sizes[i] : 1;
            if (!seen && slice.sizes[i] > 1)
                along = slice.sizes[i], seen = 1;
        }
        do {
            for (uint32_t i = 0; i < slice.rank; i++)
                from[i] = at[i] + step[i];
            real x = get(&in, from);
            value = folded(function, value, x);
            count++;
        } while (reported_next(&slice, step));
        if (function == DML_REDUCE_FUNCTION_L2 && !rootless)
            value = sqrtl(value);
        if (function == DML_REDUCE_FUNCTION_AVERAGE)
            value /= (real)(first_axis ? along : count);
        reported_put(&out, at, value);
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

static int reduce_max_tiny(const struct descriptor *d, const assay_dispatch_item *item)
{
    return is_float(&d->inputs[0]) && reduce_with(d, item, DML_REDUCE_FUNCTION_MAX, 0x1p-126L, 0, 0);
}

static int reduce_min_zero(const struct descriptor *d, const assay_dispatch_item *item)
{
    return reduce_with(d, item, DML_REDUCE_FUNCTION_MIN, 0, 0, 0);
}

static int reduce_norm_square(const struct descriptor *d, const assay_dispatch_item *item)
{
    return is_float(&d->inputs[0]) && reduce_with(d, item, DML_REDUCE_FUNCTION_L2, 0, 1, 0);
}

static int reduce_average_axis(const struct descriptor *d, const assay_dispatch_item *item)
{
    return is_float(&d->inputs[0]) && reduce_with(d, item, DML_REDUCE_FUNCTION_AVERAGE, 0, 0, 1);
}

/* ---- normalisations */

static real activated(const struct descriptor *d, real x)
{
    return d->activation == DML_OPERATOR_ACTIVATION_RELU ? fmaxl(x, 0) : x;
}

/* BATCH_NORMALIZATION with a wrong divisor. */
static int batch_with(const struct descriptor *d, const assay_dispatch_item *item, int wrong)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct view in[5], out = output(d, item);
    real epsilon = d->desc.batch.Epsilon;
    if (d->activation != DML_OPERATOR_INVALID && d->activation != DML_OPERATOR_ACTIVATION_RELU)
        return 0;
    for (uint32_t i = 0; i < 5; i++) {
        in[i] = input(d, item, i);
        for (uint32_t n = 0; n < in[i].t->rank; n++)
            if (in[i].t->sizes[n] != d->outputs[0].sizes[n] && in[i].t->sizes[n] != 1)
                return 0;
    }
    do {
        real x = get_spread(&in[0], at), mean = get_spread(&in[1], at), variance = get_spread(&in[2], at),
             scale = get_spread(&in[3], at), bias = get_spread(&in[4], at), divisor = sqrtl(variance + epsilon);
        if (wrong == 0)
            divisor = sqrtl(variance) + epsilon;
        if (wrong == 1)
            divisor = variance + epsilon;
        if (wrong == 2)
            divisor = sqrtl(variance);
        reported_put(&out, at, activated(d, scale * (x - mean) / divisor + bias));
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

static int batch_epsilon_outside(const struct descriptor *d, const assay_dispatch_item *item)
{
    return batch_with(d, item, 0);
}

static int batch_rootless(const struct descriptor *d, const assay_dispatch_item *item)
{
    return batch_with(d, item, 1);
}

static int batch_no_epsilon(const struct descriptor *d, const assay_dispatch_item *item)
{
    return batch_with(d, item, 2);
}

/* LOCAL_RESPONSE_NORMALIZATION across channels with a wrong base. */
static int response_with(const struct descriptor *d, const assay_dispatch_item *item, int wrong)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct view in = input(d, item, 0), out = output(d, item);
    int64_t size = d->response.size, channels = d->inputs[0].sizes[1];
    if (!d->response.crosses)
        return 0;
    do {
        uint32_t place[DESCRIPTOR_MAX_DIMENSIONS];
        real sum = 0;
        memcpy(place, at, sizeof place);
        for (int64_t c = at[1] - (size - 1) / 2; c <= at[1] + size / 2; c++) {
            if (c < 0 || c >= channels)
                continue;
            place[1] = (uint32_t)c;
            sum += get(&in, place) * get(&in, place);
        }
        real base = d->response.bias + d->response.alpha / (real)size * sum;
        if (wrong == 0)
            base = d->response.bias + d->response.alpha * sum;
        if (wrong == 1)
            base = 1 + d->response.alpha / (real)size * sum;
        reported_put(&out, at, get(&in, at) / powl(base, d->response.beta));
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

static int response_undivided(const struct descriptor *d, const assay_dispatch_item *item)
{
    return response_with(d, item, 0);
}

static int response_bias_one(const struct descriptor *d, const assay_dispatch_item *item)
{
    return response_with(d, item, 1);
}

/* ---- places */

static int gather_absolute(const struct descriptor *d, const assay_dispatch_item *item)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct view in = input(d, item, 0), indices = input(d, item, 1), out = output(d, item);
    if (d->inputs[0].element_size == 0 || !datatype_of(d->inputs[1].type)->is_signed)
        return 0;
    do {
        uint32_t from[DESCRIPTOR_MAX_DIMENSIONS];
        int64_t size = d->inputs[0].sizes[d->axis],
                index = datatype_to_integer(d->inputs[1].type, reported_element(&indices, at));
        if (index < 0) /* clamped before the size is added */
            index = 0;
        else if (index >= size)
            index = size - 1;
        memcpy(from, at, sizeof from);
        from[d->axis] = (uint32_t)index;
        memcpy(reported_element(&out, at), reported_element(&in, from), d->inputs[0].element_size);
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

static int sum_inclusive(const struct descriptor *d, const assay_dispatch_item *item)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, axis = d->desc.cumulative_sum.Axis;
    struct view in = input(d, item, 0), out = output(d, item);
    if (d->desc.cumulative_sum.AxisDirection != DML_AXIS_DIRECTION_INCREASING || !is_float(&d->inputs[0]))
        return 0;
    do {
        uint32_t from[DESCRIPTOR_MAX_DIMENSIONS];
        real sum = 0;
        memcpy(from, at, sizeof from);
        for (from[axis] = 0; from[axis] <= at[axis]; from[axis]++)
            sum += get(&in, from);
        reported_put(&out, at, sum);
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

static int argmax_last(const struct descriptor *d, const assay_dispatch_item *item)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct view in = input(d, item, 0), out = output(d, item);
    uint32_t axis = DESCRIPTOR_MAX_DIMENSIONS;
    for (uint32_t i = 0; i < d->inputs[0].rank; i++)
        if (d->inputs[0].sizes[i] != d->outputs[0].sizes[i]) {
            if (axis < DESCRIPTOR_MAX_DIMENSIONS)
                return 0; /* one axis only */
            axis = i;
        }
    if (axis == DESCRIPTOR_MAX_DIMENSIONS || d->outputs[0].rank != d->inputs[0].rank)
        return 0;
    do {
        uint32_t from[DESCRIPTOR_MAX_DIMENSIONS], best = 0;
        real most = -INFINITY;
        memcpy(from, at, sizeof from);
        for (from[axis] = 0; from[axis] < d->inputs[0].sizes[axis]; from[axis]++)
            if (get(&in, from) >= most)
                most = get(&in, from), best = from[axis];
        reported_put(&out, at, best);
    } while (reported_next(&d->outputs[0], at));
    return 1;
}

/* Scale is read where the zero point should be subtracted, too late: x * scale - zero. */
static int dequantize_zero_late(const struct descriptor *d, const assay_dispatch_item *item)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct view in[3], out = output(d, item);
    if (d->input_count < 3 || d->inputs[2].rank == 0 || d->inputs[0].element_size == 0)
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        in[i] = input(d, item, i);
        for (uint32_t n = 0; n < in[i].t->rank; n++)
            if (in[i].t->sizes[n] != d->outputs[0].sizes[n])
                return 0;
    }
    do
        reported_put(&out, at, get(&in[0], at) * get(&in[1], at) - get(&in[2], at));
    while (reported_next(&d->outputs[0], at));
    return 1;
}

static int quantize_truncates(const struct descriptor *d, const assay_dispatch_item *item)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct view in[3], out = output(d, item);
    if (d->input_count < 3 || d->inputs[2].rank == 0 || d->outputs[0].element_size == 0)
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        in[i] = input(d, item, i);
        for (uint32_t n = 0; n < in[i].t->rank; n++)
            if (in[i].t->sizes[n] != d->outputs[0].sizes[n])
                return 0;
    }
    const struct datatype *t = datatype_of(d->outputs[0].type);
    real most = ldexpl(1, (int)t->bits - (t->is_signed ? 1 : 0)) - 1, least = t->is_signed ? -most - 1 : 0;
    do
        reported_put(&out, at, fmaxl(least, fminl(most, truncl(get(&in[0], at) / get(&in[1], at)) + get(&in[2], at))));
    while (reported_next(&d->outputs[0], at));
    return 1;
}

/* ---- the list */

#define EW(name) DML_OPERATOR_ELEMENT_WISE_##name
#define AC(name) DML_OPERATOR_ACTIVATION_##name
#define OP(name) DML_OPERATOR_##name

/* clang-format off */
const struct reported reported_kernels[] = {
    {"reported-divide-floors", "hard", EW(DIVIDE), "quotients of integers are rounded down", "tilelang#2973", "division-floored step-wrong", divide_floors},
    {"reported-divide-real", "hard", EW(DIVIDE), "32-bit integers are divided in FLOAT32", "taichi#969", "integer-as-float", divide_real},
    {"reported-modulus-sign", "hard", EW(MODULUS_TRUNCATE), "a remainder has the sign of the divisor", "", "neighbour step-wrong", modulus_sign},
    {"reported-less-signed", "hard", EW(LOGICAL_LESS_THAN), "UINT64 is compared as signed", "", "sign-confused", less_signed},
    {"reported-greater-signed", "hard", EW(LOGICAL_GREATER_THAN), "UINT32 is compared as signed", "", "sign-confused", greater_signed},
    {"reported-maximum-signed", "hard", EW(MAX), "unsigned integers are compared as signed", "", "sign-confused", maximum_signed},
    {"reported-add-half", "hard", EW(ADD), "FLOAT32 is added in FLOAT16", "", "float-narrowed", add_half},
    {"reported-multiply-low", "hard", EW(MULTIPLY), "the high half of a 64-bit product is 0", "", "high-half-lost", multiply_low},
    {"reported-subtract-backwards", "hard", EW(SUBTRACT), "the first operand is subtracted from the second", "", "operands-swapped", subtract_backwards},
    {"reported-add-int-float", "hard", EW(ADD), "32-bit integers are added in FLOAT32", "pytorch#123024", "integer-as-float", add_int_float},
    {"reported-power-by-logarithm", "hard", EW(POW), "a power of a negative number is a NaN", "", "power-by-logarithm nans", power_by_logarithm},
    {"reported-round-away", "hard", EW(ROUND), "halves are rounded away from 0", "", "halves-away attribute-misread step-wrong", round_away},
    {"reported-cast-nearest", "hard", OP(CAST), "a number is rounded to an integer", "onnx-mlir#75", "step-wrong", cast_nearest},
    {"reported-cast-narrow", "hard", OP(CAST), "FLOAT32 becomes an integer by way of FLOAT16", "", "float-narrowed", cast_narrow},
    {"reported-if-one", "hard", EW(IF), "a condition is true only if it is 1", "", "condition-wrong", if_one},
    {"reported-tail-unwritten", "hard", EW(MULTIPLY), "elements after the last full four are not written", "", "not-written", tail_unwritten},
    {"reported-sine-degrees", "hard", EW(SIN), "angles are taken as degrees", "", "step-wrong", sine_degrees},
    {"reported-logarithm-two", "hard", EW(LOG), "the logarithm has the base 2", "", "step-wrong", logarithm_two},
    {"reported-root-inverse", "hard", EW(SQRT), "the reciprocal of the root", "", "step-wrong", square_root_inverse},
    {"reported-clip-bottom", "hard", EW(CLIP), "the upper limit is forgotten", "", "step-missing", clip_order},
    {"reported-leaky-all", "hard", AC(LEAKY_RELU), "positive numbers are multiplied, too", "", "condition-wrong", leaky_all},
    {"reported-leaky-default", "hard", AC(LEAKY_RELU), "Alpha is always 0.01", "", "attribute-ignored", leaky_default},
    {"reported-hard-sigmoid-default", "hard", AC(HARD_SIGMOID), "Alpha is always 0.2 and Beta 0.5", "", "attribute-ignored", hard_sigmoid_default},
    {"reported-elu-alpha", "hard", AC(ELU), "Alpha is forgotten", "", "activation-ones attribute-ignored step-missing", elu_alpha},
    {"reported-selu-gamma", "hard", AC(SCALED_ELU), "Gamma multiplies only what is negative", "", "step-missing step-order", selu_gamma},
    {"reported-softplus-steepness", "hard", AC(SOFTPLUS), "the result is not divided by Steepness", "", "activation-undivided step-missing", softplus_steepness},
    {"reported-gelu-quick", "hard", AC(GELU), "x times the sigmoid of 1.702 x", "", "", gelu_quick},
    {"reported-sigmoid-piecewise", "hard", AC(SIGMOID), "a straight line with limits", "", "activation-straight", sigmoid_piecewise},
    {"reported-scaled-tanh-swapped", "hard", AC(SCALED_TANH), "Alpha and Beta change places", "", "activation-swapped attributes-swapped", scaled_tanh_swapped},
    {"reported-softsign-square", "hard", AC(SOFTSIGN), "x / sqrt(1 + x * x)", "", "", softsign_square},
    {"reported-threshold-below", "hard", AC(THRESHOLDED_RELU), "what is below the threshold passes", "", "condition-wrong operands-swapped", threshold_below},
    {"reported-softmax-unshifted", "hard", AC(SOFTMAX), "the greatest element is not subtracted", "tensorflow#10142", "powers-overflow nans", softmax_unshifted},
    {"reported-log-softmax-after", "hard", AC(LOG_SOFTMAX), "the logarithm of a part that may be 0", "", "softmax-log-of-part", softmax_logarithm_after},
    {"reported-reduce-max-tiny", "hard", OP(REDUCE), "a maximum begins with the smallest normal number", "halide#298", "fold-from-least fold-from-zero", reduce_max_tiny},
    {"reported-reduce-min-zero", "hard", OP(REDUCE), "a minimum begins with 0", "", "fold-from-zero", reduce_min_zero},
    {"reported-reduce-norm-square", "hard", OP(REDUCE), "an L2 norm without its root", "", "attribute-misread step-missing", reduce_norm_square},
    {"reported-reduce-average-axis", "hard", OP(REDUCE), "a mean is divided by the size of the first axis", "", "constant-wrong", reduce_average_axis},
    {"reported-batch-epsilon-outside", "hard", OP(BATCH_NORMALIZATION), "Epsilon is added to the root", "ncnn#311", "normal-epsilon-outside step-order", batch_epsilon_outside},
    {"reported-batch-rootless", "hard", OP(BATCH_NORMALIZATION), "the divisor has no root", "jax#442", "normal-rootless step-missing", batch_rootless},
    {"reported-batch-no-epsilon", "hard", OP(BATCH_NORMALIZATION), "Epsilon is forgotten", "ncnn#303", "normal-epsilon-ignored attribute-ignored step-missing", batch_no_epsilon},
    {"reported-response-undivided", "hard", OP(LOCAL_RESPONSE_NORMALIZATION), "Alpha is not divided by the window's size", "MIOpen#127", "response-undivided step-missing", response_undivided},
    {"reported-response-bias-one", "hard", OP(LOCAL_RESPONSE_NORMALIZATION), "Bias is always 1", "", "response-one attribute-ignored", response_bias_one},
    {"reported-gather-elements-clamped", "hard", OP(GATHER_ELEMENTS), "negative indices are clamped to 0", "openvino#30856", "negative-as-zero negative-lost", gather_absolute},
    {"reported-sum-inclusive", "hard", OP(CUMULATIVE_SUMMATION), "an exclusive sum has the element itself", "", "fold-exclusive attribute-misread", sum_inclusive},
    {"reported-argmax-last", "hard", OP(ARGMAX), "of equal elements the last is found", "", "attribute-misread equal-mixed", argmax_last},
    {"reported-dequantize-zero-late", "hard", EW(DEQUANTIZE_LINEAR), "the zero point is subtracted after the scale", "", "step-order", dequantize_zero_late},
    {"reported-quantize-truncates", "soft", EW(QUANTIZE_LINEAR), "quotients are truncated", "", "step-wrong", quantize_truncates},
};
/* clang-format on */

const unsigned reported_count = sizeof reported_kernels / sizeof *reported_kernels;

const struct reported *reported_find(const char *name)
{
    for (unsigned i = 0; i < reported_count; i++)
        if (strcmp(reported_kernels[i].name, name) == 0)
            return &reported_kernels[i];
    return NULL;
}
