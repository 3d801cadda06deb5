/* naive_element.c: one element: copied, or compared with zero. */
#include "device/mutants/naive.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <string.h>

static int is_one_of(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE a, DML_TENSOR_DATA_TYPE b)
{
    return type == a || type == b;
}

/* The value of a float, rounded to a narrower type and back; NaNs keep their bits. */
static uint64_t narrowed(DML_TENSOR_DATA_TYPE type, uint64_t bits, DML_TENSOR_DATA_TYPE to)
{
    uint64_t narrow = 0, wide = 0;
    if (datatype_is_nan(type, bits))
        return bits;
    datatype_from_double(to, datatype_to_double(type, &bits), &narrow);
    datatype_from_double(type, datatype_to_double(to, &narrow), &wide);
    return wide;
}

/* An integer converted to a float and back: 32-bit types to FLOAT32, 64-bit types to FLOAT64. */
static uint64_t rounded(DML_TENSOR_DATA_TYPE type, uint64_t bits)
{
    double value = datatype_to_double(type, &bits);
    if (type == DML_TENSOR_DATA_TYPE_UINT32 || type == DML_TENSOR_DATA_TYPE_INT32)
        return (uint32_t)(int64_t)(double)(float)value;
    if (type == DML_TENSOR_DATA_TYPE_UINT64)
        return value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
    return (uint64_t)(value >= 0x1p63 ? INT64_MAX : (int64_t)value);
}

static uint64_t infinity_of(DML_TENSOR_DATA_TYPE type)
{
    uint64_t bits = 0;
    datatype_from_double(type, HUGE_VAL, &bits);
    return bits;
}

static uint64_t changed_float(enum bug bug, DML_TENSOR_DATA_TYPE type, uint64_t bits)
{
    uint64_t sign = 1ull << (datatype_of(type)->bits - 1), infinity = infinity_of(type);
    uint64_t quiet = (infinity & (0 - infinity)) >> 1; /* the highest bit of the fraction */
    switch (bug) {
    case BUG_FLOAT32_HALF:
        return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? narrowed(type, bits, DML_TENSOR_DATA_TYPE_FLOAT16) : bits;
    case BUG_FLOAT64_FLOAT32:
        return type == DML_TENSOR_DATA_TYPE_FLOAT64 ? narrowed(type, bits, DML_TENSOR_DATA_TYPE_FLOAT32) : bits;
    case BUG_MINUS_ZERO_LOST:
        return bits == sign ? 0 : bits;
    case BUG_NAN_INFINITY:
        return datatype_is_nan(type, bits) ? infinity : bits;
    case BUG_INFINITY_LARGEST:
        return (bits & ~sign) == infinity ? bits - 1 : bits;
    case BUG_NAN_CANONICAL:
        return datatype_is_nan(type, bits) ? infinity | quiet : bits;
    case BUG_NAN_QUIET:
        return datatype_is_nan(type, bits) ? bits | quiet : bits;
    case BUG_DENORMALS_FLUSHED:
        return type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, bits) ? bits & sign : bits;
    case BUG_DENORMALS_16_FLUSHED:
        return type == DML_TENSOR_DATA_TYPE_FLOAT16 && datatype_is_denormal(type, bits) ? bits & sign : bits;
    case BUG_DENORMALS_64_FLUSHED:
        return type == DML_TENSOR_DATA_TYPE_FLOAT64 && datatype_is_denormal(type, bits) ? bits & sign : bits;
    default:
        return bits;
    }
}

static uint64_t changed_integer(enum bug bug, DML_TENSOR_DATA_TYPE type, uint64_t bits)
{
    const struct datatype *t = datatype_of(type);
    uint64_t top = 1ull << (t->bits - 1);
    switch (bug) {
    case BUG_INT32_FLOAT32:
        return t->bits == 32 ? rounded(type, bits) : bits;
    case BUG_INT64_FLOAT64:
        return t->bits == 64 ? rounded(type, bits) : bits;
    case BUG_LOWEST_CLIPPED:
        return t->is_signed && bits == top ? bits + 1 : bits;
    case BUG_UNSIGNED_CLIPPED:
        return !t->is_signed && bits >= top ? top - 1 : bits;
    default:
        return bits;
    }
}

void naive_move(const struct naive *n, DML_TENSOR_DATA_TYPE type, uint8_t *to, const uint8_t *from)
{
    const struct datatype *t = datatype_of(type);
    uint64_t bits = datatype_bits(type, from);
    bits = t->is_float ? changed_float(n->bug, type, bits) : changed_integer(n->bug, type, bits);
    if (t->bits == 64 && n->bug == BUG_HIGH_HALF_LOST)
        bits &= UINT32_MAX;
    if (t->bits == 64 && n->bug == BUG_HALVES_SWAPPED)
        bits = bits << 32 | bits >> 32;
    memcpy(to, &bits, t->bits / 8);
}

int naive_is_zero(const struct naive *n, DML_TENSOR_DATA_TYPE type, const uint8_t *at)
{
    const struct datatype *t = datatype_of(type);
    uint64_t bits = datatype_bits(type, at), sign = 1ull << (t->bits - 1);
    double value = datatype_to_double(type, at);
    int is_float = is_one_of(type, DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16);
    switch (n->bug) {
    case BUG_MINUS_ZERO_COUNTED:
        return bits == 0;
    case BUG_NAN_MISSED:
        return !(value < 0 || value > 0);
    case BUG_INFINITY_MISSED:
        return value == 0 || (is_float && isinf(value));
    case BUG_FRACTIONS_MISSED:
        return fabs(value) < 1;
    case BUG_NEGATIVE_MISSED:
        return value <= 0;
    case BUG_LOW_BYTE_ONLY:
        return is_float ? value == 0 : (bits & 0xff) == 0;
    case BUG_DENORMALS_MISSED:
        return value == 0 || (is_float && datatype_is_denormal(type, bits));
    default:
        return is_float ? (bits & ~sign) == 0 : bits == 0;
    }
}
