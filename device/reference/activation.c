#include "device/reference/activation.h"

#include <math.h>

/* The formulas are those of the operator cards, in double, arranged so that no intermediate result overflows. */
#define FUNCTION(name, value)                                                                                          \
    static double name(double x, double a, double b)                                                                   \
    {                                                                                                                  \
        (void)a, (void)b;                                                                                              \
        return value;                                                                                                  \
    }

/* 1 / (1 + e^-x) */
static double logistic(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

/* ln(1 + e^x) */
static double soft_plus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double shrink(double x, double a, double b)
{
    if (x > b)
        return x - a;
    return x < -b ? x + a : 0;
}

/* clang-format off */
FUNCTION(clip, isnan(x) ? x : fmax(a, fmin(x, b)))
FUNCTION(identity, x)
FUNCTION(linear, a * x + b)
FUNCTION(relu, fmax(0, x))
FUNCTION(leaky_relu, x >= 0 ? x : a * x)
FUNCTION(thresholded_relu, x > a ? x : 0)
FUNCTION(hard_sigmoid, fmax(0, fmin(a * x + b, 1)))
FUNCTION(soft_sign, isinf(x) ? copysign(1, x) : x / (1 + fabs(x)))
FUNCTION(elu, x >= 0 ? x : a * expm1(x))
FUNCTION(celu, fmax(0, x) + fmin(0, a * expm1(x / a)))
FUNCTION(scaled_elu, x > 0 ? b * x : b * a * expm1(x))
FUNCTION(sigmoid, logistic(x))
FUNCTION(hyperbolic_tangent, tanh(x))
FUNCTION(scaled_tanh, a * tanh(b * x))
FUNCTION(softplus, soft_plus(a * x) / a)
FUNCTION(parametric_softplus, a * soft_plus(b * x))
FUNCTION(gelu, x * erfc(-x / sqrt(2)) / 2) /* 1 + erf(z) = erfc(-z), which stays exact where the sum is near 0 */
FUNCTION(hard_swish, x * fmax(0, fmin(a * x + b, 1)))
FUNCTION(swish, x * logistic(a * x))
/* clang-format on */

activation_function *activation_function_of(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_ACTIVATION_IDENTITY:
        return identity;
    case DML_OPERATOR_ACTIVATION_LINEAR:
        return linear;
    case DML_OPERATOR_ELEMENT_WISE_CLIP: /* as a fused activation only */
        return clip;
    case DML_OPERATOR_ACTIVATION_RELU:
        return relu;
    case DML_OPERATOR_ACTIVATION_LEAKY_RELU:
        return leaky_relu;
    case DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU:
        return thresholded_relu;
    case DML_OPERATOR_ACTIVATION_SHRINK:
        return shrink;
    case DML_OPERATOR_ACTIVATION_HARD_SIGMOID:
        return hard_sigmoid;
    case DML_OPERATOR_ACTIVATION_SOFTSIGN:
        return soft_sign;
    case DML_OPERATOR_ACTIVATION_ELU:
        return elu;
    case DML_OPERATOR_ACTIVATION_CELU:
        return celu;
    case DML_OPERATOR_ACTIVATION_SCALED_ELU:
        return scaled_elu;
    case DML_OPERATOR_ACTIVATION_SIGMOID:
        return sigmoid;
    case DML_OPERATOR_ACTIVATION_TANH:
        return hyperbolic_tangent;
    case DML_OPERATOR_ACTIVATION_SCALED_TANH:
        return scaled_tanh;
    case DML_OPERATOR_ACTIVATION_SOFTPLUS:
        return softplus;
    case DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS:
        return parametric_softplus;
    case DML_OPERATOR_ACTIVATION_GELU:
        return gelu;
    case DML_OPERATOR_ACTIVATION_HARD_SWISH:
        return hard_swish;
    case DML_OPERATOR_ACTIVATION_SWISH:
        return swish;
    default:
        return NULL;
    }
}

void activation_init(struct activation *activation, const struct descriptor *descriptor)
{
    *activation = (struct activation){.function = activation_function_of(descriptor->activation),
                                      .a = (double)descriptor->activation_attributes[0],
                                      .b = (double)descriptor->activation_attributes[1]};
}

double activation_of(const struct activation *activation, double x)
{
    return activation->function ? activation->function(x, activation->a, activation->b) : x;
}
