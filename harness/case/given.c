#include "harness/case/given.h"

#include "harness/base/datatype.h"
#include "harness/base/real.h"

#include <math.h>

/* Returns the distance of two integers, which a double may not hold, rounded to a double. */
static double given_apart(const struct datatype *type, unsigned number, uint64_t a, uint64_t b)
{
    const int64_t x = datatype_to_integer(number, &a), y = datatype_to_integer(number, &b);
    const bool less = type->is_signed ? x < y : (uint64_t)x < (uint64_t)y;
    return (double)(less ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y);
}

static bool is_flushed_pair(unsigned type, uint64_t a, uint64_t b)
{
    const bool is_zero = datatype_to_double(type, &a) == 0 || datatype_to_double(type, &b) == 0;
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && is_zero &&
           (datatype_is_denormal(type, a) || datatype_is_denormal(type, b));
}

struct given_distance given_distance_of(const struct given_tolerance *tolerance, unsigned type, uint64_t a, uint64_t b)
{
    const struct datatype *t = datatype_of(type);
    const double x = datatype_to_double(type, &a), y = datatype_to_double(type, &b), most = fmax(fabs(x), fabs(y));
    if (a == b || (isnan(x) && isnan(y)) || (t->is_float && (x == y || is_flushed_pair(type, a, b))))
        return (struct given_distance){0, 0};
    if (!isfinite(x) || !isfinite(y))
        return (struct given_distance){INFINITY, INFINITY};
    const double unit = t->is_float ? real_spacing(type, most) : 1;
    const double apart = t->is_float ? fabs(x - y) : given_apart(t, type, a, b);
    const double bound = fmax(tolerance->absolute + tolerance->relative * most, tolerance->ulps * unit);
    return (struct given_distance){.ulps = apart / unit, .share = bound > 0 ? apart / bound : INFINITY};
}
