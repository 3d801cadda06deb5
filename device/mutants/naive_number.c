/* naive_number.c: the bugs of one element: another function, a worse one, a wrong conversion of the result. */
#include "device/mutants/naive_number.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <string.h>

/* ---- other operators */

#define EW(name) DML_OPERATOR_ELEMENT_WISE_##name

struct replacement {
    DML_OPERATOR_TYPE of, by;
};

static const struct replacement neighbours[] = {
    {EW(LOGICAL_GREATER_THAN), EW(LOGICAL_GREATER_THAN_OR_EQUAL)},
    {EW(LOGICAL_LESS_THAN), EW(LOGICAL_LESS_THAN_OR_EQUAL)},
    {EW(LOGICAL_GREATER_THAN_OR_EQUAL), EW(LOGICAL_GREATER_THAN)},
    {EW(LOGICAL_LESS_THAN_OR_EQUAL), EW(LOGICAL_LESS_THAN)},
    {EW(LOGICAL_EQUALS), EW(LOGICAL_LESS_THAN_OR_EQUAL)},
    {EW(LOGICAL_AND), EW(LOGICAL_OR)},
    {EW(LOGICAL_OR), EW(LOGICAL_XOR)},
    {EW(LOGICAL_XOR), EW(LOGICAL_OR)},
    {EW(LOGICAL_NOT), EW(IDENTITY)},
    {EW(MODULUS_TRUNCATE), EW(MODULUS_FLOOR)},
    {EW(MODULUS_FLOOR), EW(MODULUS_TRUNCATE)},
    {EW(MAX), EW(MIN)},
    {EW(MIN), EW(MAX)},
    {EW(CEIL), EW(FLOOR)},
    {EW(FLOOR), EW(CEIL)},
    {EW(ROUND), EW(FLOOR)},
    {EW(SIN), EW(COS)},
    {EW(COS), EW(SIN)},
    {EW(SINH), EW(COSH)},
    {EW(COSH), EW(SINH)},
    {EW(ASIN), EW(ACOS)},
    {EW(ACOS), EW(ASIN)},
    {EW(ASINH), EW(ACOSH)},
    {EW(ACOSH), EW(ASINH)},
    {EW(BIT_AND), EW(BIT_OR)},
    {EW(BIT_OR), EW(BIT_XOR)},
    {EW(BIT_XOR), EW(BIT_OR)},
    {EW(BIT_NOT), EW(LOGICAL_NOT)},
    {EW(BIT_SHIFT_LEFT), EW(BIT_SHIFT_RIGHT)},
    {EW(BIT_SHIFT_RIGHT), EW(BIT_SHIFT_LEFT)},
    {EW(IS_NAN), EW(IS_INFINITY)},
    {EW(IS_INFINITY), EW(IS_NAN)},
    {EW(MEAN), EW(ADD)},
    {EW(ADD), EW(SUBTRACT)},
    {EW(SUBTRACT), EW(ADD)},
};

static const struct replacement bitwise[] = {{EW(LOGICAL_AND), EW(BIT_AND)},
                                             {EW(LOGICAL_OR), EW(BIT_OR)},
                                             {EW(LOGICAL_XOR), EW(BIT_XOR)},
                                             {EW(LOGICAL_NOT), EW(BIT_NOT)}};

static DML_OPERATOR_TYPE replaced(const struct replacement *table, size_t count, DML_OPERATOR_TYPE type)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].of == type)
            return table[i].by;
    return type;
}

const struct map_kernel *naive_kernel(const struct naive *n, const struct map *map)
{
    DML_OPERATOR_TYPE type = n->d->type;
    if (n->bug == BUG_NEIGHBOUR)
        type = replaced(neighbours, sizeof neighbours / sizeof *neighbours, type);
    if (n->bug == BUG_BITWISE)
        type = replaced(bitwise, sizeof bitwise / sizeof *bitwise, type);
    return type == n->d->type ? map->kernel : map_kernel_of(type);
}

int naive_is_arithmetic(DML_OPERATOR_TYPE type)
{
    static const DML_OPERATOR_TYPE types[] = {
        EW(SQRT),   EW(RECIP), EW(EXP),     EW(LOG), EW(SIN),         EW(COS),      EW(TAN),
        EW(ASIN),   EW(ACOS),  EW(ATAN),    EW(ERF), EW(SINH),        EW(COSH),     EW(TANH),
        EW(ASINH),  EW(ACOSH), EW(ATANH),   EW(ADD), EW(SUBTRACT),    EW(MULTIPLY), EW(DIFFERENCE_SQUARE),
        EW(DIVIDE), EW(MEAN),  EW(ATAN_YX), EW(POW), EW(CONSTANT_POW)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == type)
            return 1;
    return 0;
}

/* ---- real numbers */

/* A comparison as the opposite one, negated. */
static double compared_negated(DML_OPERATOR_TYPE type, double a, double b)
{
    switch (type) {
    case EW(LOGICAL_GREATER_THAN):
        return !(a <= b);
    case EW(LOGICAL_LESS_THAN):
        return !(a >= b);
    case EW(LOGICAL_GREATER_THAN_OR_EQUAL):
        return !(a < b);
    case EW(LOGICAL_LESS_THAN_OR_EQUAL):
        return !(a > b);
    default:
        return !(a < b || a > b);
    }
}

static double interpolated(const struct map *map, double x)
{
    double low = floor(x * 8) / 8, high = low + 0.125, at_low = map->kernel->real(map, &low);
    if (isnan(x) || isinf(x) || low == x)
        return map->kernel->real(map, &x);
    return at_low + (map->kernel->real(map, &high) - at_low) * (x - low) * 8;
}

static double decided_by_comparison(DML_OPERATOR_TYPE type, const struct map *map, const double *x)
{
    if (type == EW(MAX))
        return x[0] > x[1] ? x[0] : x[1];
    if (type == EW(MIN))
        return x[0] < x[1] ? x[0] : x[1];
    double above = x[0] > map->least ? x[0] : map->least;
    return type == EW(THRESHOLD) || above < map->most ? above : map->most;
}

static double rounded(enum bug bug, const struct map *map, const double *x)
{
    if (bug == BUG_THROUGH_INT32)
        return fabs(x[0]) < 0x1p31 ? (double)(int32_t)map->kernel->real(map, x) : copysign(0x1p31, x[0]);
    if (map->mode != DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN)
        return map->kernel->real(map, x);
    return bug == BUG_HALF_ADDED ? (double)floorf((float)x[0] + 0.5f) : round(x[0]);
}

static double raised(DML_OPERATOR_TYPE type, const struct map *map, const double *x)
{
    double exponent = type == EW(POW) ? x[1] : map->least;
    return exponent == 0 ? 1 : exp2(exponent * log2(x[0]));
}

static double tanh_by_quotient(double x)
{
    float power = expf(2 * (float)x);
    return (double)((power - 1) / (power + 1));
}

static double without_zero_sign(DML_OPERATOR_TYPE type, double x)
{
    if (type == EW(NEGATE))
        return 0 - x;
    return x < 0 ? -x : x;
}

static double clipped_by_max_last(const struct map *map, double x)
{
    return fmin(fmax(x, map->least), map->most);
}

double naive_real(const struct naive *n, const struct map *map, const double *x)
{
    DML_OPERATOR_TYPE type = n->d->type;
    switch (n->bug) {
    case BUG_LOW_BIT: {
        double low[MAP_MAX_INPUTS] = {fmod(x[0], 2), fmod(x[1], 2), x[2]};
        return map->kernel->real(map, low);
    }
    case BUG_COMPARED_NEGATED:
        return compared_negated(type, x[0], x[1]);
    case BUG_COMPARED_BITS:
        return memcmp(&x[0], &x[1], sizeof x[0]) == 0;
    case BUG_NAN_POSITIVE:
        return isnan(x[0]) && !signbit(x[0]);
    case BUG_FUNCTION_TABLE:
        return interpolated(map, x[0]);
    case BUG_NAN_SECOND:
        return decided_by_comparison(type, map, x);
    case BUG_HALVES_AWAY:
    case BUG_HALF_ADDED:
    case BUG_THROUGH_INT32:
        return rounded(n->bug, map, x);
    case BUG_SQUARES_SUBTRACTED:
        return x[0] * x[0] - x[1] * x[1];
    case BUG_ANGLE_OF_QUOTIENT:
        return atan(x[0] / x[1]);
    case BUG_POWER_BY_LOGARITHM:
        return raised(type, map, x);
    case BUG_ROOT_BY_INVERSE:
        return x[0] * (1 / sqrt(x[0]));
    case BUG_TANH_BY_QUOTIENT:
        return tanh_by_quotient(x[0]);
    case BUG_MAGNITUDE_OF_SIGN:
        return fabs(map->kernel->real(map, x));
    case BUG_SIGN_BY_COMPARISON:
        return without_zero_sign(type, x[0]);
    case BUG_LIMITS_PASS:
        return x[0] < map->least || x[0] > map->most ? 0 : x[1];
    case BUG_LIMITS_MAX_LAST:
        return clipped_by_max_last(map, x[0]);
    default:
        return naive_activation(n, map, x);
    }
}

/* ---- integers */

static number_integer divided_down(DML_OPERATOR_TYPE type, const number_integer *x)
{
    number_integer over = type == EW(MEAN) ? x[0] + x[1] : x[0], by = type == EW(MEAN) ? 2 : x[1];
    if (by == 0)
        return -1;
    return over / by - (over % by != 0 && (over < 0) != (by < 0));
}

static number_integer shifted(const struct naive *n, const struct map *map, const number_integer *x)
{
    number_integer width = (number_integer)map->output.element_size * 8, by = x[1] % width, left = width - by;
    number_integer masked[] = {x[0], by};
    if (n->bug == BUG_SHIFT_MASKED)
        return map->kernel->whole(map, masked);
    return n->d->type == EW(BIT_SHIFT_LEFT) ? x[0] << by | x[0] >> left : x[0] >> by | x[0] << left;
}

static number_integer clipped_whole_max_last(const struct map *map, number_integer x)
{
    number_integer above = x > map->least_whole ? x : map->least_whole;
    return above < map->most_whole ? above : map->most_whole;
}

number_integer naive_whole(const struct naive *n, const struct map *map, const number_integer *x)
{
    number_integer result;
    switch (n->bug) {
    case BUG_LOW_BIT: {
        number_integer low[MAP_MAX_INPUTS] = {x[0] & 1, n->d->type == EW(IF) ? x[1] : x[1] & 1, x[2]};
        return map->kernel->whole(map, low);
    }
    case BUG_DIVISION_FLOORED:
        return divided_down(n->d->type, x);
    case BUG_HALVED_FIRST:
        return x[0] / 2 + x[1] / 2;
    case BUG_SQUARES_SUBTRACTED:
        return (number_integer)((unsigned __int128)x[0] * (unsigned __int128)x[0] -
                                (unsigned __int128)x[1] * (unsigned __int128)x[1]);
    case BUG_ROTATED:
    case BUG_SHIFT_MASKED:
        return shifted(n, map, x);
    case BUG_MAGNITUDE_OF_SIGN:
        result = map->kernel->whole(map, x);
        return result < 0 ? -result : result;
    case BUG_LIMITS_PASS:
        return x[0] < map->least_whole || x[0] > map->most_whole ? 0 : x[1];
    case BUG_LIMITS_MAX_LAST:
        return clipped_whole_max_last(map, x[0]);
    default:
        return map->kernel->whole(map, x);
    }
}

/* ---- results */

static double through(DML_TENSOR_DATA_TYPE type, double value)
{
    uint8_t element[8];
    number_store_real(type, value, element);
    return number_real(type, element);
}

/* The number next to zero of the same sign if `value` was rounded away from zero. */
static double truncated(DML_TENSOR_DATA_TYPE type, double value)
{
    uint8_t element[8] = {0};
    double nearest = through(type, value);
    if (isnan(value) || isinf(nearest) || fabs(nearest) <= fabs(value))
        return nearest;
    number_store_real(type, nearest, element);
    uint64_t bits = number_bits(type, element) - 1;
    memcpy(element, &bits, sizeof element);
    return number_real(type, element);
}

static double changed_float(enum bug bug, DML_TENSOR_DATA_TYPE type, double value)
{
    const struct datatype *t = datatype_of(type);
    uint8_t element[8] = {0};
    number_store_real(type, value, element);
    switch (bug) {
    case BUG_HALF_TRUNCATED:
        return t->bits == 16 ? truncated(type, value) : value;
    case BUG_FLOAT_TRUNCATED:
        return t->bits == 32 ? truncated(type, value) : value;
    case BUG_RESULT_FLUSHED:
        return datatype_is_denormal(type, number_bits(type, element)) ? copysign(0, value) : value;
    default:
        return value;
    }
}

void naive_store_real(const struct naive *n, DML_TENSOR_DATA_TYPE type, double value, uint8_t *to)
{
    int is_float = number_is_float(type);
    if (is_float)
        number_store_real(type, changed_float(n->bug, type, value), to);
    else if (n->bug == BUG_CAST_WRAPS && fabs(value) < 0x1p100)
        number_store_whole(type, (number_integer)value, to);
    else
        number_store_real(type, n->bug == BUG_CAST_ROUNDED ? rint(value) : value, to);
}

static number_integer naive_number_saturated(DML_TENSOR_DATA_TYPE type, number_integer value)
{
    const struct datatype *t = datatype_of(type);
    number_integer most = ((number_integer)1 << (t->bits - (t->is_signed ? 1 : 0))) - 1;
    number_integer least = t->is_signed ? -most - 1 : 0;
    if (value < least)
        return least;
    return value > most ? most : value;
}

void naive_store_whole(const struct naive *n, DML_TENSOR_DATA_TYPE type, number_integer value, uint8_t *to)
{
    if (n->bug == BUG_SATURATED && !number_is_float(type))
        value = naive_number_saturated(type, value);
    number_store_whole(type, value, to);
}
