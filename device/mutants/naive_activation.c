/* naive_activation.c: activations with the bugs of bugs_activations.h. */
#include "device/mutants/naive_number.h"

#include <math.h>

#define A(name) DML_OPERATOR_ACTIVATION_##name

static double naive_activation_logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double naive_activation_soft_plus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

/* The function without bugs, with other attributes. */
static double naive_activation_plain(const struct activation *activation, double a, double b, double x)
{
    return activation->function ? activation->function(x, a, b) : x;
}

static double one_lost(DML_OPERATOR_TYPE type, double a, double b, double x)
{
    switch (type) {
    case A(ELU):
        return x >= 0 ? x : a * exp(x);
    case A(CELU):
        return fmax(0, x) + fmin(0, a * exp(x / a));
    case A(SCALED_ELU):
        return x > 0 ? b * x : b * a * exp(x);
    case A(SIGMOID):
        return exp(x);
    case A(SOFTPLUS):
        return x;
    case A(PARAMETRIC_SOFTPLUS):
        return a * b * x;
    case A(GELU):
        return 0.5 * x * erf(x / sqrt(2));
    case A(SOFTSIGN):
        return x / fabs(x);
    default: /* SWISH */
        return x * exp(a * x);
    }
}

static double mirrored(DML_OPERATOR_TYPE type, double a, double b, const double *x)
{
    switch (type) {
    case A(LEAKY_RELU):
        return x[0] < 0 ? x[0] : a * x[0];
    case A(PARAMETERIZED_RELU):
        return x[0] < 0 ? x[0] : x[1] * x[0];
    case A(ELU):
        return x[0] < 0 ? x[0] : a * expm1(x[0]);
    case A(SCALED_ELU):
        return x[0] <= 0 ? b * x[0] : b * a * expm1(x[0]);
    default: /* RELU_GRAD */
        return x[0] > 0 ? 0 : x[1];
    }
}

static double inclusive(DML_OPERATOR_TYPE type, double a, double b, const double *x)
{
    switch (type) {
    case A(THRESHOLDED_RELU):
        return x[0] >= a ? x[0] : 0;
    case A(SHRINK):
        if (x[0] >= b)
            return x[0] - a;
        return x[0] <= -b ? x[0] + a : 0;
    default: /* RELU_GRAD */
        return x[0] >= 0 ? x[1] : 0;
    }
}

/* Without the upper, or the lower, limit. */
static double unlimited(DML_OPERATOR_TYPE type, int top, double a, double b, double x)
{
    double line = top ? fmax(0, a * x + b) : fmin(a * x + b, 1);
    switch (type) {
    case A(HARD_SIGMOID):
        return line;
    case A(HARD_SWISH):
        return x * line;
    case A(CELU):
        return fmax(0, x) + a * expm1(x / a);
    default: /* RELU */
        return x;
    }
}

static double literal(DML_OPERATOR_TYPE type, double a, double b, double x)
{
    double factor = type == A(SOFTPLUS) ? a : b;
    float t = (float)(type == A(TANH) ? x : factor * x);
    float power = expf(type == A(SOFTPLUS) || type == A(PARAMETRIC_SOFTPLUS) ? t : -2 * t);
    switch (type) {
    case A(TANH):
        return (double)((1 - power) / (1 + power));
    case A(SCALED_TANH):
        return a * (double)((1 - power) / (1 + power));
    case A(SOFTPLUS):
        return (double)logf(1 + power) / a;
    default:
        return a * (double)logf(1 + power);
    }
}

static double straight(DML_OPERATOR_TYPE type, double a, double b, double x)
{
    double slope = 2 / sqrt(acos(-1)); /* of erf */
    switch (type) {
    case A(SIGMOID):
        return fmax(0, fmin(0.25 * x + 0.5, 1));
    case A(TANH):
        return fmax(-1, fmin(x, 1));
    case A(SCALED_TANH):
        return a * fmax(-1, fmin(b * x, 1));
    case A(GELU):
        return 0.5 * x * (1 + fmax(-1, fmin(slope * x / sqrt(2), 1)));
    default: /* SWISH */
        return x * fmax(0, fmin(0.25 * a * x + 0.5, 1));
    }
}

static double outside(DML_OPERATOR_TYPE type, double a, double b, double x)
{
    switch (type) {
    case A(SWISH):
        return a * x * naive_activation_logistic(x);
    case A(SCALED_TANH):
        return a * b * tanh(x);
    default:
        return a * b * naive_activation_soft_plus(x);
    }
}

double naive_activation(const struct naive *n, const struct map *map, const double *x)
{
    const struct activation *activation = &map->activation;
    DML_OPERATOR_TYPE type = n->d->type;
    double a = activation->a, b = activation->b, sum = x[0];
    if (type == DML_OPERATOR_ELEMENT_WISE_ADD1)
        sum += x[1];
    switch (n->bug) {
    case BUG_ACTIVATION_SWAPPED:
        return naive_activation_plain(activation, b, a, sum);
    case BUG_ACTIVATION_ONES:
        return naive_activation_plain(activation, 1, 1, sum);
    case BUG_ACTIVATION_FIRST:
        return naive_activation_plain(activation, a, b, x[0]) + x[1];
    case BUG_ACTIVATION_NONE:
        return sum;
    case BUG_ACTIVATION_MIRRORED:
        return mirrored(type, a, b, x);
    case BUG_ACTIVATION_INCLUSIVE:
        return inclusive(type, a, b, x);
    case BUG_ACTIVATION_ONE_LOST:
        return one_lost(type, a, b, sum);
    case BUG_ACTIVATION_NO_TOP:
    case BUG_ACTIVATION_NO_BOTTOM:
        return unlimited(type, n->bug == BUG_ACTIVATION_NO_TOP, a, b, sum);
    case BUG_ACTIVATION_LITERAL:
        return literal(type, a, b, sum);
    case BUG_ACTIVATION_STRAIGHT:
        return straight(type, a, b, sum);
    case BUG_ACTIVATION_BY_TANH:
        return 0.5 * sum * (1 + tanh(sqrt(2 / acos(-1)) * (sum + 0.044715 * sum * sum * sum)));
    case BUG_ACTIVATION_OUTSIDE:
        return outside(type, a, b, sum);
    case BUG_ACTIVATION_UNDIVIDED:
        return type == A(CELU) ? fmax(0, sum) + fmin(0, a * expm1(sum)) : naive_activation_soft_plus(a * sum);
    case BUG_ACTIVATION_ONE_SIDED:
        return sum > b || sum < -b ? sum - a : 0;
    default:
        return map->kernel->real(map, x);
    }
}
