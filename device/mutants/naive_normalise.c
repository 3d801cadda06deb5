/* naive_normalise.c: normalisations and their gradients: slice after slice, with what bugs make of them. */
#include "device/common/number.h"
#include "device/mutants/naive_number.h"
#include "device/reference/activation.h"

#include <math.h>
#include <string.h>

enum { RANK = DESCRIPTOR_MAX_DIMENSIONS };

/* The parts of an operator. Tensors that it lacks have rank 0. */
struct normalising {
    const struct naive *n;
    struct memory input, second, scale, bias, mean, variance, added;
    uint32_t axes; /* dimensions of a slice, a bit each */
    int centred, divided;
    double epsilon;
    struct activation activation;
};

#define OF(name) DML_OPERATOR_##name

int naive_normalises(DML_OPERATOR_TYPE type)
{
    return type == OF(MEAN_VARIANCE_NORMALIZATION) || type == OF(MEAN_VARIANCE_NORMALIZATION1) ||
           type == OF(MEAN_VARIANCE_NORMALIZATION2) || type == OF(LP_NORMALIZATION) ||
           type == OF(BATCH_NORMALIZATION) || type == OF(BATCH_NORMALIZATION_TRAINING) ||
           type == OF(BATCH_NORMALIZATION_GRAD) || type == OF(BATCH_NORMALIZATION_TRAINING_GRAD);
}

/* ---- elements */

static struct memory take(const struct naive *n, uint32_t number)
{
    static const struct tensor none;
    return n->d->inputs[number].rank ? naive_input(n, number) : (struct memory){.tensor = &none};
}

/* The element that stands for these coordinates; that of the next channel with `next`. */
static double naive_normalise_element(const struct memory *m, const uint32_t *at, int next, double otherwise)
{
    uint32_t own[RANK] = {0};
    uint8_t bytes[8];
    if (!m->tensor->rank)
        return otherwise;
    for (uint32_t i = 0; i < m->tensor->rank; i++)
        own[i] = m->tensor->sizes[i] == 1 ? 0 : at[i];
    for (uint32_t i = 0; next && i < m->tensor->rank; i++)
        if (m->tensor->sizes[i] > 1) {
            own[i] = (own[i] + 1) % m->tensor->sizes[i];
            break;
        }
    naive_move(m->tensor->type, bytes, naive_at(m, own));
    return number_real(m->tensor->type, bytes);
}

static double read(const struct memory *m, const uint32_t *at)
{
    return naive_normalise_element(m, at, 0, 0);
}

static double naive_normalise_in_half(const struct normalising *z, double value)
{
    uint8_t bytes[8];
    if (z->n->bug != BUG_NORMAL_IN_HALF || z->input.tensor->type != DML_TENSOR_DATA_TYPE_FLOAT16)
        return value;
    number_store_real(DML_TENSOR_DATA_TYPE_FLOAT16, value, bytes);
    return number_real(DML_TENSOR_DATA_TYPE_FLOAT16, bytes);
}

/* ---- slices */

/* Moves on along the dimensions of a slice, or along the others. */
static int naive_normalise_step(const struct tensor *t, uint32_t axes, int inside, uint32_t *at)
{
    for (uint32_t i = t->rank; i-- > 0;) {
        if ((int)(axes >> i & 1) != inside)
            continue;
        if (++at[i] < t->sizes[i])
            return 1;
        at[i] = 0;
    }
    return 0;
}

static double count_of(const struct normalising *z)
{
    double count = 1;
    for (uint32_t i = 0; i < z->input.tensor->rank; i++)
        count *= z->axes >> i & 1 ? z->input.tensor->sizes[i] : 1;
    return count;
}

/* Returns true if a bug leaves element `number` of a slice out of the sums. */
static int naive_normalise_is_dropped(const struct normalising *z, double number)
{
    double count = count_of(z), rest = count - number;
    if (z->n->bug == BUG_NORMAL_TAIL_DROPPED)
        return number >= floor(count / 4) * 4;
    return z->n->bug == BUG_NORMAL_LAST_DROPPED && count > 32 && rest == 1;
}

typedef double summand(const struct normalising *z, const uint32_t *at, double mean);

static double sum(const struct normalising *z, const uint32_t *start, summand *of, double mean)
{
    uint32_t at[RANK];
    double total = 0, number = 0;
    memcpy(at, start, sizeof at);
    do
        total = naive_normalise_is_dropped(z, number++)
                    ? total
                    : naive_normalise_in_half(z, total + naive_normalise_in_half(z, of(z, at, mean)));
    while (naive_normalise_step(z->input.tensor, z->axes, 1, at));
    return total;
}

static double naive_normalise_plain(const struct normalising *z, const uint32_t *at, double mean)
{
    return read(&z->input, at) - mean;
}

static double magnitude(const struct normalising *z, const uint32_t *at, double mean)
{
    return fabs(naive_normalise_plain(z, at, mean));
}

static double square(const struct normalising *z, const uint32_t *at, double mean)
{
    double centre = naive_normalise_plain(z, at, mean);
    return centre * centre;
}

static double of_gradient(const struct normalising *z, const uint32_t *at, double mean)
{
    (void)mean;
    return read(&z->second, at);
}

static double naive_normalise_product(const struct normalising *z, const uint32_t *at, double mean)
{
    return read(&z->second, at) * naive_normalise_plain(z, at, mean);
}

static double variance_of(const struct normalising *z, const uint32_t *start, double mean)
{
    double count = count_of(z);
    switch (z->n->bug) {
    case BUG_NORMAL_UNBIASED:
        return sum(z, start, square, mean) / (count - 1);
    case BUG_NORMAL_NOT_CENTRED:
        return sum(z, start, square, 0) / count;
    case BUG_NORMAL_ONE_PASS:
        return (double)((float)(sum(z, start, square, 0) / count) - (float)mean * (float)mean);
    case BUG_NORMAL_ABOUT_MEAN:
        return sum(z, start, square, sum(z, start, naive_normalise_plain, 0) / count) / count;
    default:
        return sum(z, start, square, mean) / count;
    }
}

static double root_of(const struct normalising *z, double variance)
{
    switch (z->n->bug) {
    case BUG_NORMAL_EPSILON_OUTSIDE:
        return sqrt(variance) + z->epsilon;
    case BUG_NORMAL_EPSILON_IGNORED:
        return sqrt(variance);
    case BUG_NORMAL_ROOTLESS:
        return variance + z->epsilon;
    default:
        return sqrt(variance + z->epsilon);
    }
}

/* ---- what becomes of an element */

static double activate(const struct normalising *z, double x)
{
    const struct activation *a = &z->activation;
    if (!a->function || z->n->bug == BUG_NORMAL_ACTIVATION_NONE)
        return x;
    return z->n->bug == BUG_NORMAL_ACTIVATION_SWAPPED ? a->function(x, a->b, a->a) : a->function(x, a->a, a->b);
}

static double finish(const struct normalising *z, const uint32_t *at, double normal)
{
    enum bug bug = z->n->bug;
    int next = bug == BUG_NORMAL_CHANNEL;
    double scale = bug == BUG_NORMAL_SCALE_IGNORED ? 1 : naive_normalise_element(&z->scale, at, next, 1);
    double bias = bug == BUG_NORMAL_BIAS_IGNORED ? 0 : naive_normalise_element(&z->bias, at, next, 0);
    double added = bug == BUG_NORMAL_ADDED_LOST ? 0 : naive_normalise_element(&z->added, at, 0, 0);
    switch (bug) {
    case BUG_NORMAL_BIAS_FIRST:
        return activate(z, scale * (normal + bias) + added);
    case BUG_NORMAL_SCALE_BIAS_SWAPPED:
        return activate(z, bias * normal + scale + added);
    case BUG_NORMAL_ACTIVATION_EARLY:
        return activate(z, scale * normal + added) + bias;
    case BUG_NORMAL_ADDED_LAST:
        return activate(z, scale * normal + bias) + added;
    default:
        return activate(z, scale * normal + bias + added);
    }
}

/* The number of an element, row-major. */
static uint64_t naive_normalise_number_of(const struct tensor *t, const uint32_t *at)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        number = number * t->sizes[i] + at[i];
    return number;
}

static void naive_normalise_put(const struct normalising *z, uint32_t output, const uint32_t *at, double value)
{
    const struct naive *n = z->n;
    struct memory to = naive_output(n, output);
    if (!naive_skips(n, to.tensor, naive_normalise_number_of(to.tensor, at), at))
        naive_store_real(n, to.tensor->type, value, naive_at(&to, at));
}

/* ---- the operators */

static void of_slices(const struct normalising *z)
{
    int trains = z->n->d->type == OF(BATCH_NORMALIZATION_TRAINING), swaps = z->n->bug == BUG_NORMAL_SWAPPED;
    uint32_t at[RANK] = {0};
    do {
        double mean = z->centred ? sum(z, at, naive_normalise_plain, 0) / count_of(z) : 0;
        double variance = variance_of(z, at, mean);
        double root = z->divided ? root_of(z, variance) : 1, stored = variance;
        if (z->n->bug == BUG_NORMAL_EPSILON_STORED)
            stored += z->epsilon;
        do {
            int is_first = 1; /* the slice's first element in the statistics, even if a bug makes slices larger */
            for (uint32_t i = 0; trains && i < z->input.tensor->rank; i++)
                is_first &= z->scale.tensor->sizes[i] > 1 || at[i] == 0;
            if (trains && is_first) {
                naive_normalise_put(z, 1, at, swaps ? stored : mean);
                naive_normalise_put(z, 2, at, swaps ? mean : stored);
            }
            naive_normalise_put(z, 0, at, finish(z, at, naive_normalise_plain(z, at, mean) / root));
        } while (naive_normalise_step(z->input.tensor, z->axes, 1, at));
    } while (naive_normalise_step(z->input.tensor, z->axes, 0, at));
}

static void of_rows(const struct normalising *z)
{
    int first = (z->n->d->desc.lp.P == 1) != (z->n->bug == BUG_NORMAL_P);
    double epsilon = z->n->bug == BUG_NORMAL_EPSILON_IGNORED ? 0 : z->epsilon;
    uint32_t at[RANK] = {0};
    do {
        double norm = first ? sum(z, at, magnitude, 0) : sum(z, at, square, 0);
        if (!first && z->n->bug != BUG_NORMAL_ROOTLESS)
            norm = sqrt(norm);
        norm = norm < epsilon ? epsilon : norm;
        do
            naive_normalise_put(z, 0, at, naive_normalise_plain(z, at, 0) / norm);
        while (naive_normalise_step(z->input.tensor, z->axes, 1, at));
    } while (naive_normalise_step(z->input.tensor, z->axes, 0, at));
}

static void of_given(const struct normalising *z)
{
    uint32_t at[RANK] = {0};
    do {
        double mean = read(&z->mean, at), variance = read(&z->variance, at);
        if (z->n->bug == BUG_NORMAL_SWAPPED)
            naive_normalise_put(z, 0, at, finish(z, at, naive_normalise_plain(z, at, variance) / root_of(z, mean)));
        else
            naive_normalise_put(z, 0, at, finish(z, at, naive_normalise_plain(z, at, mean) / root_of(z, variance)));
    } while (naive_step(z->input.tensor, at));
}

/* The gradients of scale and bias, at a place of theirs. */
static void put_sums(const struct normalising *z, const uint32_t *at, double of_scale, double of_bias)
{
    int swaps = z->n->bug == BUG_NORMAL_GRADIENTS_SWAPPED;
    double count = z->n->bug == BUG_NORMAL_GRADIENT_AVERAGED ? count_of(z) : 1;
    naive_normalise_put(z, 1, at, (swaps ? of_bias : of_scale) / count);
    naive_normalise_put(z, 2, at, (swaps ? of_scale : of_bias) / count);
}

static void of_gradients(const struct normalising *z)
{
    enum bug bug = z->n->bug;
    int trains = (z->n->d->type == OF(BATCH_NORMALIZATION_TRAINING_GRAD)) != (bug == BUG_NORMAL_GRADIENT_CONSTANT);
    uint32_t at[RANK] = {0};
    do {
        double mean = read(bug == BUG_NORMAL_SWAPPED ? &z->variance : &z->mean, at);
        double variance = read(bug == BUG_NORMAL_SWAPPED ? &z->mean : &z->variance, at);
        double root = root_of(z, variance), total = sum(z, at, of_gradient, 0);
        double centred = sum(z, at, naive_normalise_product, mean);
        double of_scale = bug == BUG_NORMAL_GRADIENT_UNCENTRED ? sum(z, at, naive_normalise_product, 0) : centred;
        do {
            int is_first = 1;
            double scale = bug == BUG_NORMAL_SCALE_IGNORED
                               ? 1
                               : naive_normalise_element(&z->scale, at, bug == BUG_NORMAL_CHANNEL, 1);
            double gradient = read(&z->second, at);
            double spread = naive_normalise_plain(z, at, mean) * (centred / count_of(z)) / (root * root);
            for (uint32_t i = 0; i < z->input.tensor->rank; i++)
                is_first &= z->mean.tensor->sizes[i] > 1 || at[i] == 0;
            if (is_first)
                put_sums(z, at, bug == BUG_NORMAL_GRADIENT_UNDIVIDED ? of_scale : of_scale / root, total);
            if (trains && bug != BUG_NORMAL_GRADIENT_MEAN)
                gradient -= total / count_of(z);
            if (trains && bug != BUG_NORMAL_GRADIENT_SPREAD)
                gradient -= bug == BUG_NORMAL_GRADIENT_SIGN ? -spread : spread;
            naive_normalise_put(z, 0, at, scale * gradient / root);
        } while (naive_normalise_step(z->input.tensor, z->axes, 1, at));
    } while (naive_normalise_step(z->input.tensor, z->axes, 0, at));
}

/* ---- descriptions */

static uint32_t axes_of(const struct descriptor *d, uint32_t count)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < count; i++)
        axes |= 1u << d->lists[0][i];
    return axes;
}

static uint32_t axes_without(const struct tensor *t)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        axes |= (uint32_t)(t->sizes[i] == 1) << i;
    return axes;
}

static void read_mean_variance(struct normalising *z, const struct descriptor *d)
{
    const union descriptor_struct *desc = &d->desc;
    z->scale = take(z->n, 1);
    z->bias = take(z->n, 2);
    if (d->type == OF(MEAN_VARIANCE_NORMALIZATION)) {
        z->axes = desc->mean_variance.CrossChannel ? 14 : 12;
        z->divided = desc->mean_variance.NormalizeVariance;
        z->epsilon = (double)desc->mean_variance.Epsilon;
    } else if (d->type == OF(MEAN_VARIANCE_NORMALIZATION1)) {
        z->axes = axes_of(d, desc->mean_variance1.AxisCount);
        z->divided = desc->mean_variance1.NormalizeVariance;
        z->epsilon = (double)desc->mean_variance1.Epsilon;
    } else {
        z->axes = axes_of(d, desc->mean_variance2.AxisCount);
        z->centred = desc->mean_variance2.UseMean;
        z->divided = desc->mean_variance2.UseVariance;
        z->epsilon = (double)desc->mean_variance2.Epsilon;
    }
    if (z->n->bug == BUG_NORMAL_SWITCHES)
        z->centred = z->divided = 1;
}

static void naive_normalise_read_description(struct normalising *z, const struct descriptor *d)
{
    z->input = take(z->n, 0);
    z->centred = z->divided = 1;
    activation_init(&z->activation, d);
    switch ((int)d->type) {
    case OF(LP_NORMALIZATION):
        z->axes = 1u << d->desc.lp.Axis;
        z->epsilon = (double)d->desc.lp.Epsilon;
        break;
    case OF(BATCH_NORMALIZATION):
        z->mean = take(z->n, 1);
        z->variance = take(z->n, 2);
        z->scale = take(z->n, 3);
        z->bias = take(z->n, 4);
        z->epsilon = (double)d->desc.batch.Epsilon;
        break;
    case OF(BATCH_NORMALIZATION_TRAINING):
        z->scale = take(z->n, 1);
        z->bias = take(z->n, 2);
        z->added = take(z->n, 3);
        z->axes = axes_without(&d->inputs[1]);
        z->epsilon = (double)d->desc.batch_training.Epsilon;
        break;
    case OF(BATCH_NORMALIZATION_GRAD):
    case OF(BATCH_NORMALIZATION_TRAINING_GRAD):
        z->second = take(z->n, 1);
        z->mean = take(z->n, 2);
        z->variance = take(z->n, 3);
        z->scale = take(z->n, 4);
        z->axes = axes_without(&d->inputs[2]);
        z->epsilon = (double)d->desc.batch_grad.Epsilon;
        break;
    default:
        read_mean_variance(z, d);
    }
}

/* With another bug, slices are over other dimensions. */
static void misread_axes(struct normalising *z)
{
    const struct tensor *t = z->input.tensor;
    uint32_t all = (1u << t->rank) - 1, real = z->axes;
    for (uint32_t i = 0; i < t->rank; i++)
        real &= t->sizes[i] == 1 ? ~(1u << i) : ~0u;
    if (z->n->bug == BUG_NORMAL_AXES)
        z->axes = real & (real - 1);
    if (z->n->bug == BUG_NORMAL_AXES_ALL)
        z->axes = all;
}

void naive_normalise(const struct naive *n)
{
    static const struct tensor none;
    const struct memory absent = {.tensor = &none};
    struct normalising z = {
        .n = n, .second = absent, .scale = absent, .bias = absent, .mean = absent, .variance = absent, .added = absent};
    naive_normalise_read_description(&z, n->d);
    misread_axes(&z);
    switch ((int)n->d->type) {
    case OF(LP_NORMALIZATION):
        of_rows(&z);
        break;
    case OF(BATCH_NORMALIZATION):
        of_given(&z);
        break;
    case OF(BATCH_NORMALIZATION_GRAD):
    case OF(BATCH_NORMALIZATION_TRAINING_GRAD):
        of_gradients(&z);
        break;
    default:
        of_slices(&z);
    }
}
