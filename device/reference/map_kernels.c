/* map_kernels.c: the formula of each element-wise operator, written from the operator cards, apart from the formulas in
 * specs/. */
#include "device/reference/map.h"
#include "device/reference/single.h"
#include "device/reference/wide.h"

#include <math.h>
#include <string.h>

/* Makes functions of rows from a function of elements. */
#define REAL_ROW(name)                                                                                                 \
    WIDE_INLINE void name##_row_any(const struct map *map, const double *const *x, uint64_t count, double *to)         \
    {                                                                                                                  \
        const double *a = x[0], *b = x[1];                                                                             \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            to[i] = name(map, (const double[]){a[i], b[i]});                                                           \
    }                                                                                                                  \
    WIDE_INLINE void name##_singles_any(const struct map *map, const char *const *x, uint64_t count,                   \
                                        float *restrict to)                                                            \
    {                                                                                                                  \
        const char *a = x[0], *b = x[1];                                                                               \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            to[i] = (float)name(map, (const double[]){(double)single_at(a, i), (double)single_at(b, i)});              \
    }                                                                                                                  \
    WIDE(void, name##_row, (const struct map *map, const double *const *x, uint64_t count, double *to),                \
         (map, x, count, to))                                                                                          \
    WIDE(void, name##_singles, (const struct map *map, const char *const *x, uint64_t count, float *restrict to),      \
         (map, x, count, to))
#define WHOLE_ROW(name)                                                                                                \
    static void name##_row(const struct map *map, const number_integer *const *x, uint64_t count, number_integer *to)  \
    {                                                                                                                  \
        const number_integer *a = x[0], *b = x[1], *c = x[2];                                                          \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            to[i] = name(map, (const number_integer[]){a[i], b[i], c[i]});                                             \
    }

#define REAL(name, value)                                                                                              \
    WIDE_INLINE double name(const struct map *map, const double *x)                                                    \
    {                                                                                                                  \
        (void)map, (void)x;                                                                                            \
        return value;                                                                                                  \
    }                                                                                                                  \
    REAL_ROW(name)
#define WHOLE(name, value)                                                                                             \
    static number_integer name(const struct map *map, const number_integer *x)                                         \
    {                                                                                                                  \
        (void)map, (void)x;                                                                                            \
        return value;                                                                                                  \
    }                                                                                                                  \
    WHOLE_ROW(name)
#define BOTH(name, value) REAL(name##_real, value) WHOLE(name##_whole, value)

/* ---- one operand */

BOTH(identity, x[0])
REAL(abs_real, fabs(x[0]))
WHOLE(abs_whole, x[0] < 0 ? -x[0] : x[0])
BOTH(negate, -x[0])
BOTH(sign, (x[0] > 0) - (x[0] < 0))
REAL(ceil_real, ceil(x[0]))
REAL(floor_real, floor(x[0]))
REAL(acos_real, acos(x[0]))
REAL(asin_real, asin(x[0]))
REAL(atan_real, atan(x[0]))
REAL(cos_real, cos(x[0]))
REAL(sin_real, sin(x[0]))
REAL(tan_real, tan(x[0]))
REAL(exp_real, exp(x[0]))
REAL(log_real, log(x[0]))
REAL(sqrt_real, sqrt(x[0]))
REAL(recip_real, 1 / x[0])
REAL(erf_real, erf(x[0]))
REAL(sinh_real, sinh(x[0]))
REAL(cosh_real, cosh(x[0]))
REAL(tanh_real, tanh(x[0]))
REAL(asinh_real, asinh(x[0]))
REAL(acosh_real, acosh(x[0]))
REAL(atanh_real, atanh(x[0]))
REAL(is_nan_real, isnan(x[0]) != 0)
REAL(is_infinity_real, isinf(x[0]) && (map->mode == DML_IS_INFINITY_MODE_EITHER ||
                                       (map->mode == DML_IS_INFINITY_MODE_POSITIVE) == (x[0] > 0)))
REAL(constant_pow_real, pow(x[0], map->least))

static double round_real(const struct map *map, const double *x)
{
    if (map->mode == DML_ROUNDING_MODE_TOWARD_ZERO)
        return trunc(x[0]);
    if (map->mode == DML_ROUNDING_MODE_TOWARD_INFINITY)
        return round(x[0]);
    double nearest = round(x[0]);
    if (fabs(x[0] - trunc(x[0])) == 0.5) /* a tie: the even neighbour */
        nearest = 2 * round(x[0] / 2);
    return copysign(nearest, x[0]);
}
REAL_ROW(round_real)

/* ---- bounds */

static double clip_real(const struct map *map, const double *x)
{
    double below = x[0] < map->most ? x[0] : map->most;
    return below > map->least ? below : map->least;
}
REAL_ROW(clip_real)

static number_integer clip_whole(const struct map *map, const number_integer *x)
{
    number_integer below = x[0] < map->most_whole ? x[0] : map->most_whole;
    return below > map->least_whole ? below : map->least_whole;
}
WHOLE_ROW(clip_whole)

REAL(threshold_real, x[0] > map->least ? x[0] : map->least)
WHOLE(threshold_whole, x[0] > map->least_whole ? x[0] : map->least_whole)
REAL(clip_grad_real, x[0] <= map->least || x[0] >= map->most ? 0 : x[1])
WHOLE(clip_grad_whole, x[0] <= map->least_whole || x[0] >= map->most_whole ? 0 : x[1])

/* ---- activations */

REAL(activation_real, activation_of(&map->activation, x[0]))
WHOLE(relu_whole, x[0] > 0 ? x[0] : 0)

static number_integer shrink_whole(const struct map *map, const number_integer *x)
{
    if (x[0] > map->most_whole)
        return x[0] - map->least_whole;
    return x[0] < -map->most_whole ? x[0] + map->least_whole : 0;
}
WHOLE_ROW(shrink_whole)

REAL(parameterized_relu_real, x[0] < 0 ? x[0] * x[1] : x[0])
WHOLE(parameterized_relu_whole, x[0] < 0 ? x[0] * x[1] : x[0])
BOTH(relu_grad, x[0] > 0 ? x[1] : 0)

/* ---- two operands */

BOTH(add, x[0] + x[1])
REAL(add1_real, activation_of(&map->activation, x[0] + x[1]))
BOTH(subtract, x[0] - x[1])
REAL(multiply_real, x[0] * x[1])
WHOLE(multiply_whole, (number_integer)((unsigned __int128)x[0] * (unsigned __int128)x[1]))
REAL(divide_real, x[0] / x[1])
WHOLE(divide_whole, x[1] == 0 ? -1 : x[0] / x[1]) /* the quotient by 0 has all bits set, as Direct3D says */
BOTH(mean, (x[0] + x[1]) / 2)
/* MAX and MIN return the number if the other operand is a NaN, and the first operand if both are zeros: fmax() and
 * fmin() leave the order of zeros open. */
REAL(max_real, isnan(x[0]) || x[1] > x[0] ? x[1] : x[0])
WHOLE(max_whole, x[0] > x[1] ? x[0] : x[1])
REAL(min_real, isnan(x[0]) || x[1] < x[0] ? x[1] : x[0])
WHOLE(min_whole, x[0] < x[1] ? x[0] : x[1])
REAL(difference_square_real, (x[0] - x[1]) * (x[0] - x[1]))
WHOLE(difference_square_whole, (number_integer)((unsigned __int128)(x[0] - x[1]) * (unsigned __int128)(x[0] - x[1])))
REAL(atan_yx_real, atan2(x[0], x[1]))
REAL(modulus_truncate_real, isinf(x[1]) ? (double)NAN : fmod(x[0], x[1]))
WHOLE(modulus_truncate_whole, x[1] == 0 ? 0 : x[0] % x[1])

static double modulus_floor_real(const struct map *map, const double *x)
{
    double rest = modulus_truncate_real(map, x);
    return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}
REAL_ROW(modulus_floor_real)

static number_integer modulus_floor_whole(const struct map *map, const number_integer *x)
{
    number_integer rest = modulus_truncate_whole(map, x);
    return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}
WHOLE_ROW(modulus_floor_whole)

REAL(pow_real, pow(x[0], x[1]))

static number_integer pow_whole(const struct map *map, const number_integer *x)
{
    unsigned __int128 result = 1, square = (unsigned __int128)x[0];
    (void)map;
    if (x[1] < 0 && x[0] != 1 && x[0] != -1) /* 1 / x^|e|, toward zero */
        return 0;
    if (x[1] < 0)
        return x[0] == -1 && (x[1] & 1) ? -1 : 1;
    for (number_integer e = x[1]; e > 0; e >>= 1, square *= square)
        if (e & 1)
            result *= square;
    return (number_integer)result;
}
WHOLE_ROW(pow_whole)

/* ---- conditions */

BOTH(logical_not, x[0] == 0)
BOTH(logical_and, x[0] != 0 && x[1] != 0)
BOTH(logical_or, x[0] != 0 || x[1] != 0)
BOTH(logical_xor, (x[0] != 0) != (x[1] != 0))
BOTH(equals, x[0] == x[1])
BOTH(greater, x[0] > x[1])
BOTH(less, x[0] < x[1])
BOTH(greater_equal, x[0] >= x[1])
BOTH(less_equal, x[0] <= x[1])
WHOLE(if_bits, x[0] != 0 ? x[1] : x[2])

/* ---- bits */

WHOLE(bit_and_bits, x[0] & x[1])
WHOLE(bit_or_bits, x[0] | x[1])
WHOLE(bit_xor_bits, x[0] ^ x[1])
WHOLE(bit_not_bits, ~x[0])
WHOLE(bit_count_bits, __builtin_popcountll((uint64_t)x[0]))
WHOLE(shift_left_whole, x[1] >= 64 ? 0 : (number_integer)((unsigned __int128)x[0] << x[1]))
WHOLE(shift_right_whole, x[1] >= 64 ? 0 : x[0] >> x[1])
WHOLE(fill_constant_bits, map->least_whole)
REAL(fill_sequence_real, map->least + x[0] * map->most)
WHOLE(fill_sequence_whole, map->least_whole + x[0] * map->most_whole)

/* clang-format off */
#define REALS(name) .real = name##_real, .reals = name##_real_row, .singles = name##_real_singles
#define WHOLES(name) .whole = name##_whole, .wholes = name##_whole_row
#define OF_REALS(name) {REALS(name)}
#define OF_BOTH(name) {REALS(name), WHOLES(name)}
#define OF_INTEGERS(name) {WHOLES(name)}
#define OF_BITS(name) {.whole = name##_bits, .wholes = name##_bits_row, .bits = 1}

static const struct map_kernel kernels[] = {
    [DML_OPERATOR_ELEMENT_WISE_IDENTITY] = {REALS(identity), WHOLES(identity), .bits = 1},
    [DML_OPERATOR_ELEMENT_WISE_ABS] = OF_BOTH(abs),
    [DML_OPERATOR_ELEMENT_WISE_NEGATE] = OF_BOTH(negate),
    [DML_OPERATOR_ELEMENT_WISE_SIGN] = OF_BOTH(sign),
    [DML_OPERATOR_ELEMENT_WISE_CEIL] = OF_REALS(ceil),
    [DML_OPERATOR_ELEMENT_WISE_FLOOR] = OF_REALS(floor),
    [DML_OPERATOR_ELEMENT_WISE_ROUND] = OF_REALS(round),
    [DML_OPERATOR_ELEMENT_WISE_ACOS] = OF_REALS(acos),
    [DML_OPERATOR_ELEMENT_WISE_ASIN] = OF_REALS(asin),
    [DML_OPERATOR_ELEMENT_WISE_ATAN] = OF_REALS(atan),
    [DML_OPERATOR_ELEMENT_WISE_COS] = OF_REALS(cos),
    [DML_OPERATOR_ELEMENT_WISE_SIN] = OF_REALS(sin),
    [DML_OPERATOR_ELEMENT_WISE_TAN] = OF_REALS(tan),
    [DML_OPERATOR_ELEMENT_WISE_EXP] = OF_REALS(exp),
    [DML_OPERATOR_ELEMENT_WISE_LOG] = OF_REALS(log),
    [DML_OPERATOR_ELEMENT_WISE_SQRT] = OF_REALS(sqrt),
    [DML_OPERATOR_ELEMENT_WISE_RECIP] = OF_REALS(recip),
    [DML_OPERATOR_ELEMENT_WISE_ERF] = OF_REALS(erf),
    [DML_OPERATOR_ELEMENT_WISE_SINH] = OF_REALS(sinh),
    [DML_OPERATOR_ELEMENT_WISE_COSH] = OF_REALS(cosh),
    [DML_OPERATOR_ELEMENT_WISE_TANH] = OF_REALS(tanh),
    [DML_OPERATOR_ELEMENT_WISE_ASINH] = OF_REALS(asinh),
    [DML_OPERATOR_ELEMENT_WISE_ACOSH] = OF_REALS(acosh),
    [DML_OPERATOR_ELEMENT_WISE_ATANH] = OF_REALS(atanh),
    [DML_OPERATOR_ELEMENT_WISE_IS_NAN] = OF_REALS(is_nan),
    [DML_OPERATOR_ELEMENT_WISE_IS_INFINITY] = OF_REALS(is_infinity),
    [DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW] = OF_REALS(constant_pow),
    [DML_OPERATOR_ELEMENT_WISE_CLIP] = OF_BOTH(clip),
    [DML_OPERATOR_ELEMENT_WISE_CLIP1] = OF_BOTH(clip),
    [DML_OPERATOR_ELEMENT_WISE_THRESHOLD] = OF_BOTH(threshold),
    [DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD] = OF_BOTH(clip_grad),
    [DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1] = OF_BOTH(clip_grad),
    [DML_OPERATOR_ELEMENT_WISE_ADD] = OF_BOTH(add),
    [DML_OPERATOR_ELEMENT_WISE_ADD1] = OF_REALS(add1),
    [DML_OPERATOR_ELEMENT_WISE_SUBTRACT] = OF_BOTH(subtract),
    [DML_OPERATOR_ELEMENT_WISE_MULTIPLY] = OF_BOTH(multiply),
    [DML_OPERATOR_ELEMENT_WISE_DIVIDE] = OF_BOTH(divide),
    [DML_OPERATOR_ELEMENT_WISE_MEAN] = OF_BOTH(mean),
    [DML_OPERATOR_ELEMENT_WISE_MAX] = OF_BOTH(max),
    [DML_OPERATOR_ELEMENT_WISE_MIN] = OF_BOTH(min),
    [DML_OPERATOR_ELEMENT_WISE_DIFFERENCE_SQUARE] = OF_BOTH(difference_square),
    [DML_OPERATOR_ELEMENT_WISE_ATAN_YX] = OF_REALS(atan_yx),
    [DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE] = OF_BOTH(modulus_truncate),
    [DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR] = OF_BOTH(modulus_floor),
    [DML_OPERATOR_ELEMENT_WISE_POW] = OF_BOTH(pow),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT] = OF_BOTH(logical_not),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND] = OF_BOTH(logical_and),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR] = OF_BOTH(logical_or),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR] = OF_BOTH(logical_xor),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS] = OF_BOTH(equals),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN] = OF_BOTH(greater),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN] = OF_BOTH(less),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL] = OF_BOTH(greater_equal),
    [DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL] = OF_BOTH(less_equal),
    [DML_OPERATOR_ELEMENT_WISE_IF] = OF_BITS(if),
    [DML_OPERATOR_ELEMENT_WISE_BIT_AND] = OF_BITS(bit_and),
    [DML_OPERATOR_ELEMENT_WISE_BIT_OR] = OF_BITS(bit_or),
    [DML_OPERATOR_ELEMENT_WISE_BIT_XOR] = OF_BITS(bit_xor),
    [DML_OPERATOR_ELEMENT_WISE_BIT_NOT] = OF_BITS(bit_not),
    [DML_OPERATOR_ELEMENT_WISE_BIT_COUNT] = OF_BITS(bit_count),
    [DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT] = OF_INTEGERS(shift_left),
    [DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT] = OF_INTEGERS(shift_right),
    [DML_OPERATOR_ACTIVATION_ELU] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_HARD_SIGMOID] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_LEAKY_RELU] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_LINEAR] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_SCALED_ELU] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_SCALED_TANH] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_SIGMOID] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_SOFTPLUS] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_SOFTSIGN] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_TANH] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_CELU] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_GELU] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_SWISH] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_HARD_SWISH] = OF_REALS(activation),
    [DML_OPERATOR_ACTIVATION_IDENTITY] = {REALS(identity), WHOLES(identity), .bits = 1},
    [DML_OPERATOR_ACTIVATION_RELU] = {REALS(activation), WHOLES(relu)},
    [DML_OPERATOR_ACTIVATION_SHRINK] = {REALS(activation), WHOLES(shrink)},
    [DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU] = OF_BOTH(parameterized_relu),
    [DML_OPERATOR_ACTIVATION_RELU_GRAD] = OF_BOTH(relu_grad),
    [DML_OPERATOR_CAST] = OF_BOTH(identity),
    [DML_OPERATOR_FILL_VALUE_CONSTANT] = OF_BITS(fill_constant),
    [DML_OPERATOR_FILL_VALUE_SEQUENCE] = OF_BOTH(fill_sequence),
};
/* clang-format on */

const struct map_kernel *map_kernel_of(DML_OPERATOR_TYPE type)
{
    const struct map_kernel *kernel = (size_t)type < sizeof kernels / sizeof *kernels ? &kernels[type] : NULL;
    return kernel && (kernel->real || kernel->whole) ? kernel : NULL;
}
