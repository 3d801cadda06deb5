#include "harness/trial/rewrites.h"

#include "harness/base/datatype.h"

#include <math.h>

static bool rewrites_is_float(unsigned type)
{
    return datatype_of(type)->is_float;
}

static uint64_t rewrites_sign_of(unsigned type)
{
    return (uint64_t)1 << (datatype_of(type)->bits - 1);
}

static uint64_t rewrites_of(unsigned type, double value)
{
    uint64_t bits = 0;
    datatype_from_double(type, value, &bits);
    return bits;
}

/* Returns the highest bit of the fraction, which quiet NaNs have. */
static uint64_t quiet_bit(unsigned type)
{
    uint64_t infinity = rewrites_of(type, HUGE_VAL);
    return (infinity & (0 - infinity)) >> 1;
}

uint64_t rewrite_minus_zero_to_one(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && bits == rewrites_sign_of(type) ? rewrites_of(type, 1) : bits;
}

uint64_t rewrite_minus_zero_to_zero(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && bits == rewrites_sign_of(type) ? 0 : bits;
}

uint64_t rewrite_denormal_to_zero(unsigned type, uint64_t bits)
{
    return datatype_is_denormal(type, bits) ? bits & rewrites_sign_of(type) : bits;
}

uint64_t rewrite_denormal_to_plus_zero(unsigned type, uint64_t bits)
{
    return datatype_is_denormal(type, bits) ? 0 : bits;
}

uint64_t rewrite_quiet(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? bits | quiet_bit(type) : bits;
}

uint64_t rewrite_canonical(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? rewrites_of(type, HUGE_VAL) | quiet_bit(type) : bits;
}

uint64_t rewrite_nan_to_infinity(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? rewrites_of(type, HUGE_VAL) : bits;
}

uint64_t rewrite_infinity_to_largest(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && (bits & ~rewrites_sign_of(type)) == rewrites_of(type, HUGE_VAL) ? bits - 1 : bits;
}

uint64_t rewrite_nan_to_zero(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? 0 : bits;
}

uint64_t rewrite_negative_nan_to_zero(unsigned type, uint64_t bits)
{
    return bits & rewrites_sign_of(type) ? rewrite_nan_to_zero(type, bits) : bits;
}

uint64_t rewrite_infinity_to_zero(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && (bits & ~rewrites_sign_of(type)) == rewrites_of(type, HUGE_VAL) ? 0 : bits;
}

uint64_t rewrite_fraction_to_zero(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && fabs(datatype_to_double(type, &bits)) < 1 ? 0 : bits;
}

uint64_t rewrite_negative_to_zero(unsigned type, uint64_t bits)
{
    return (rewrites_is_float(type) || datatype_of(type)->is_signed) && datatype_to_double(type, &bits) < 0 ? 0 : bits;
}

uint64_t rewrite_nonpositive_to_zero(unsigned type, uint64_t bits)
{
    return datatype_to_double(type, &bits) > 0 || (rewrites_is_float(type) && isnan(datatype_to_double(type, &bits)))
               ? bits
               : 0;
}

uint64_t rewrite_low_byte(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) ? bits : bits & 0xff;
}

uint64_t rewrite_lowest_to_next(unsigned type, uint64_t bits)
{
    return !rewrites_is_float(type) && datatype_of(type)->is_signed && bits == rewrites_sign_of(type) ? bits + 1 : bits;
}

uint64_t rewrite_clip_unsigned(unsigned type, uint64_t bits)
{
    return !rewrites_is_float(type) && !datatype_of(type)->is_signed && bits >= rewrites_sign_of(type)
               ? rewrites_sign_of(type) - 1
               : bits;
}

uint64_t rewrite_narrow(unsigned type, uint64_t bits)
{
    unsigned to = type == DML_TENSOR_DATA_TYPE_FLOAT64 ? DML_TENSOR_DATA_TYPE_FLOAT32 : DML_TENSOR_DATA_TYPE_FLOAT16;
    if (!rewrites_is_float(type) || type == to || datatype_is_nan(type, bits))
        return bits;
    uint64_t less = rewrites_of(to, datatype_to_double(type, &bits));
    return rewrites_of(type, datatype_to_double(to, &less));
}

uint64_t rewrite_half(unsigned type, uint64_t bits)
{
    if (!rewrites_is_float(type) || datatype_is_nan(type, bits))
        return bits;
    uint64_t less = rewrites_of(DML_TENSOR_DATA_TYPE_FLOAT16, datatype_to_double(type, &bits));
    return rewrites_of(type, datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &less));
}

/* Converts an integer to FLOAT64 if `wide` is set, otherwise to FLOAT32, and back. */
static uint64_t through_float(unsigned type, uint64_t bits, bool wide)
{
    const struct datatype *t = datatype_of(type);
    double value = datatype_to_double(type, &bits);
    if (rewrites_is_float(type))
        return bits;
    value = wide ? value : (double)(float)value;
    if (!t->is_signed)
        return value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
    return (uint64_t)(value >= 0x1p63 ? INT64_MAX : (int64_t)value);
}

uint64_t rewrite_through_float32(unsigned type, uint64_t bits)
{
    return through_float(type, bits, false);
}

uint64_t rewrite_through_float64(unsigned type, uint64_t bits)
{
    return through_float(type, bits, true);
}

uint64_t rewrite_low_half(unsigned type, uint64_t bits)
{
    return datatype_of(type)->bits == 64 ? bits & UINT32_MAX : bits;
}

uint64_t rewrite_swap_halves(unsigned type, uint64_t bits)
{
    return datatype_of(type)->bits == 64 ? bits << 32 | bits >> 32 : bits;
}

uint64_t rewrite_swap_bytes(unsigned type, uint64_t bits)
{
    return __builtin_bswap64(bits) >> (64 - datatype_of(type)->bits);
}

uint64_t rewrite_truth_negated(unsigned type, uint64_t bits)
{
    (void)type;
    return bits < 2 ? bits ^ 1 : bits;
}

uint64_t rewrite_truth_ones(unsigned type, uint64_t bits)
{
    return bits == 1 ? UINT64_MAX >> (64 - datatype_of(type)->bits) : bits;
}

uint64_t rewrite_infinity_to_nan(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && isinf(datatype_to_double(type, &bits)) ? bits | quiet_bit(type) : bits;
}

uint64_t rewrite_infinity_positive(unsigned type, uint64_t bits)
{
    return rewrites_is_float(type) && isinf(datatype_to_double(type, &bits)) ? bits & ~rewrites_sign_of(type) : bits;
}

uint64_t rewrite_short(unsigned type, uint64_t bits)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && !datatype_is_nan(type, bits) ? bits & 0xffff0000 : bits;
}

/* ---- rewrites for one type only */

uint64_t rewrite_float32_half(unsigned type, uint64_t bits)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? rewrite_half(type, bits) : bits;
}

uint64_t rewrite_float64_float32(unsigned type, uint64_t bits)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT64 ? rewrite_narrow(type, bits) : bits;
}

uint64_t rewrite_denormals_16(unsigned type, uint64_t bits)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? rewrite_denormal_to_zero(type, bits) : bits;
}

uint64_t rewrite_denormals_64(unsigned type, uint64_t bits)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT64 ? rewrite_denormal_to_zero(type, bits) : bits;
}

uint64_t rewrite_int32_float32(unsigned type, uint64_t bits)
{
    return datatype_of(type)->bits == 32 ? rewrite_through_float32(type, bits) : bits;
}

uint64_t rewrite_int64_float64(unsigned type, uint64_t bits)
{
    return datatype_of(type)->bits == 64 ? rewrite_through_float64(type, bits) : bits;
}
