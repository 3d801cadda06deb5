#include "harness/base/real.h"

#include "harness/base/datatype.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The bits of precision of a type, and the exponents of its smallest normal and of its largest number. */
struct format {
    int precision, least, greatest;
};

static struct format format_of(unsigned type)
{
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return (struct format){11, -14, 15};
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return (struct format){FLT_MANT_DIG, FLT_MIN_EXP - 1, FLT_MAX_EXP - 1};
    default:
        return (struct format){DBL_MANT_DIG, DBL_MIN_EXP - 1, DBL_MAX_EXP - 1};
    }
}

/* Formulas ask for a power at every element, and ldexp() would take longer than the rest of this file. */
static double power_of_2(int exponent)
{
    if (exponent < DBL_MIN_EXP - 1 || exponent > DBL_MAX_EXP - 1)
        return ldexp(1, exponent);
    uint64_t bits = (uint64_t)(exponent + DBL_MAX_EXP - 1) << (DBL_MANT_DIG - 1);
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

double real_spacing(unsigned type, double value)
{
    struct format format = format_of(type);
    int exponent = format.least;
    if (isnan(value))
        return value;
    if (isinf(value))
        exponent = format.greatest;
    else if (value != 0)
        exponent = ilogb(value);
    if (exponent < format.least)
        exponent = format.least;
    if (exponent > format.greatest)
        exponent = format.greatest;
    return power_of_2(exponent - format.precision + 1);
}

double real_largest(unsigned type)
{
    struct format format = format_of(type);
    return (2 - power_of_2(1 - format.precision)) * power_of_2(format.greatest);
}

double real_smallest_normal(unsigned type)
{
    return power_of_2(format_of(type).least);
}

double real_roundoff(unsigned type)
{
    return power_of_2(-format_of(type).precision);
}

double real_round(unsigned type, double value)
{
    unsigned char element[sizeof(double)];
    datatype_from_double(type, value, element);
    return datatype_to_double(type, element);
}
