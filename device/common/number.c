#include "device/common/number.h"

#include "device/common/descriptor.h"
#include "device/common/half.h"

#include <math.h>
#include <string.h>

int number_is_float(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 || type == DML_TENSOR_DATA_TYPE_FLOAT32 ||
           type == DML_TENSOR_DATA_TYPE_FLOAT64;
}

static int number_is_signed(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT16 ||
           type == DML_TENSOR_DATA_TYPE_INT32 || type == DML_TENSOR_DATA_TYPE_INT64 ||
           type == DML_TENSOR_DATA_TYPE_INT4;
}

uint64_t number_get(DML_TENSOR_DATA_TYPE type, const void *memory, uint64_t index)
{
    uint32_t size = descriptor_element_size(type);
    const unsigned char *at = memory;
    uint64_t bits = 0;
    if (size == 0)
        return at[index / 2] >> index % 2 * 4 & 15;
    memcpy(&bits, at + index * size, size);
    return bits;
}

void number_put(DML_TENSOR_DATA_TYPE type, void *memory, uint64_t index, uint64_t bits)
{
    uint32_t size = descriptor_element_size(type);
    unsigned char *at = memory;
    unsigned shift = index % 2 * 4;
    if (size == 0)
        at[index / 2] = (unsigned char)((at[index / 2] & 0xf0 >> shift) | (bits & 15) << shift);
    else
        memcpy(at + index * size, &bits, size);
}

uint64_t number_bits(DML_TENSOR_DATA_TYPE type, const void *at)
{
    return number_get(type, at, 0);
}

number_integer number_whole(DML_TENSOR_DATA_TYPE type, const void *at)
{
    uint64_t bits = number_bits(type, at);
    uint32_t width = descriptor_element_bits(type);
    if (number_is_signed(type) && bits >> (width - 1))
        return (number_integer)bits - ((number_integer)1 << width);
    return (number_integer)bits;
}

void number_store_whole(DML_TENSOR_DATA_TYPE type, number_integer value, void *at)
{
    number_put(type, at, 0, (uint64_t)value);
}

double number_real(DML_TENSOR_DATA_TYPE type, const void *at)
{
    float single;
    double value;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    if (type == DML_TENSOR_DATA_TYPE_FLOAT64) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return half_to_real((uint16_t)number_bits(type, at));
    return (double)number_whole(type, at);
}

static number_integer saturated(DML_TENSOR_DATA_TYPE type, double value)
{
    uint32_t width = descriptor_element_bits(type);
    number_integer least = number_is_signed(type) ? -((number_integer)1 << (width - 1)) : 0;
    number_integer most = ((number_integer)1 << (number_is_signed(type) ? width - 1 : width)) - 1;
    if (isnan(value))
        return 0;
    if (value <= (double)least)
        return least;
    return value >= (double)most ? most : (number_integer)value;
}

double number_nearest_even(double value)
{
    return fabs(value - trunc(value)) == 0.5 ? 2 * round(value / 2) : round(value);
}

int64_t number_truncated(double value)
{
    return (int64_t)saturated(DML_TENSOR_DATA_TYPE_INT64, value);
}

void number_store_real(DML_TENSOR_DATA_TYPE type, double value, void *at)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        float single = (float)value;
        memcpy(at, &single, sizeof single);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT64) {
        memcpy(at, &value, sizeof value);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT16) {
        uint16_t half = half_from_real(value);
        memcpy(at, &half, sizeof half);
    } else {
        number_store_whole(type, saturated(type, value), at);
    }
}
