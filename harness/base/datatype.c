#include "harness/base/datatype.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct datatype table[DATATYPE_COUNT] = {
    [DML_TENSOR_DATA_TYPE_UNKNOWN] = {"UNKNOWN", "unknown", 0, false, false},
    [DML_TENSOR_DATA_TYPE_FLOAT32] = {"FLOAT32", "float32", 32, true, true},
    [DML_TENSOR_DATA_TYPE_FLOAT16] = {"FLOAT16", "float16", 16, true, true},
    [DML_TENSOR_DATA_TYPE_UINT32] = {"UINT32", "uint32", 32, false, false},
    [DML_TENSOR_DATA_TYPE_UINT16] = {"UINT16", "uint16", 16, false, false},
    [DML_TENSOR_DATA_TYPE_UINT8] = {"UINT8", "uint8", 8, false, false},
    [DML_TENSOR_DATA_TYPE_INT32] = {"INT32", "int32", 32, false, true},
    [DML_TENSOR_DATA_TYPE_INT16] = {"INT16", "int16", 16, false, true},
    [DML_TENSOR_DATA_TYPE_INT8] = {"INT8", "int8", 8, false, true},
    [DML_TENSOR_DATA_TYPE_FLOAT64] = {"FLOAT64", "float64", 64, true, true},
    [DML_TENSOR_DATA_TYPE_UINT64] = {"UINT64", "uint64", 64, false, false},
    [DML_TENSOR_DATA_TYPE_INT64] = {"INT64", "int64", 64, false, true},
    [DML_TENSOR_DATA_TYPE_UINT4] = {"UINT4", "uint4", 4, false, false},
    [DML_TENSOR_DATA_TYPE_INT4] = {"INT4", "int4", 4, false, true},
};

const struct datatype *datatype_of(unsigned type)
{
    return type < DATATYPE_COUNT ? &table[type] : &table[DML_TENSOR_DATA_TYPE_UNKNOWN];
}

int datatype_find(const char *name)
{
    for (int i = 0; i < DATATYPE_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

uint64_t datatype_bits(unsigned type, const void *at)
{
    return element_get(datatype_of(type)->bits, at, 0);
}

int64_t datatype_to_integer(unsigned type, const void *at)
{
    const struct datatype *t = datatype_of(type);
    uint64_t bits = datatype_bits(type, at);
    if (!t->is_signed || t->bits >= 64 || t->bits == 0)
        return (int64_t)bits;
    unsigned shift = 64 - t->bits;
    return (int64_t)(bits << shift) >> shift;
}

/* This file converts half floats by hand, since not every compiler has _Float16 on every machine. */
static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value;
    if (exponent == 31)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent)
        value = (double)((int64_t)(1024 + fraction) << exponent) * 0x1p-25;
    else
        value = fraction * 0x1p-24;
    return bits & 0x8000 ? -value : value;
}

static uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return sign | 0x7e00;
    if (size == 0) /* frexp() would give 0 the exponent of 1 */
        return sign;
    if (size >= 65520) /* half way from the largest half to the next power of two */
        return sign | 0x7c00;
    frexp(size, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    double step = (double)(1 << (exponent + 14)) * 0x1p-24;
    unsigned steps = (unsigned)nearbyint(size / step); /* nearbyint() rounds halves to even */
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + steps));
}

double datatype_to_double(unsigned type, const void *at)
{
    float f;
    double d;
    uint16_t h;
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        memcpy(&f, at, sizeof f);
        return (double)f;
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        memcpy(&h, at, sizeof h);
        return half_to_double(h);
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        memcpy(&d, at, sizeof d);
        return d;
    case DML_TENSOR_DATA_TYPE_UINT64:
        return (double)datatype_bits(type, at);
    default:
        return (double)datatype_to_integer(type, at);
    }
}

void datatype_from_integer(unsigned type, int64_t value, void *at)
{
    if (datatype_of(type)->is_float)
        datatype_from_double(type, (double)value, at);
    else
        element_put(datatype_of(type)->bits, at, 0, (uint64_t)value);
}

void datatype_from_double(unsigned type, double value, void *at)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        float f = (float)value;
        memcpy(at, &f, sizeof f);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        uint16_t h = half_from_double(value);
        memcpy(at, &h, sizeof h);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT64) {
        memcpy(at, &value, sizeof value);
    } else {
        bool fits = value >= -0x1p63 && value < 0x1p63;
        datatype_from_integer(type, fits ? (int64_t)value : INT64_MIN, at);
    }
}

static uint64_t fraction_mask(unsigned type)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return 0x3ff;
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x7fffff : 0xfffffffffffff;
}

static uint64_t exponent_mask(unsigned type)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return 0x7c00;
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 0x7f800000 : 0x7ff0000000000000;
}

bool datatype_is_nan(unsigned type, uint64_t bits)
{
    return datatype_of(type)->is_float && (bits & exponent_mask(type)) == exponent_mask(type) &&
           (bits & fraction_mask(type)) != 0;
}

bool datatype_is_denormal(unsigned type, uint64_t bits)
{
    return datatype_of(type)->is_float && (bits & exponent_mask(type)) == 0 && (bits & fraction_mask(type)) != 0;
}

void datatype_print(unsigned type, const void *at, char *text, size_t size)
{
    const struct datatype *t = datatype_of(type);
    static const int decimals[] = {[2] = 5, [4] = 9, [8] = 17}; /* by bytes of a float */
    int digits = (int)t->bits / 4;
    uint64_t bits = datatype_bits(type, at);
    if (t->is_float)
        snprintf(text, size, "%.*g (0x%0*" PRIx64 ")", decimals[t->bits / 8], datatype_to_double(type, at), digits,
                 bits);
    else if (t->is_signed)
        snprintf(text, size, "%" PRId64 " (0x%0*" PRIx64 ")", datatype_to_integer(type, at), digits, bits);
    else
        snprintf(text, size, "%" PRIu64 " (0x%0*" PRIx64 ")", bits, digits, bits);
}
