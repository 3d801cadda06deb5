#include "harness/case/element_bits.h"

#include <math.h>

uint64_t bits_of_zero(unsigned type, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    return t->is_float && random & 1 ? (uint64_t)1 << (t->bits - 1) : 0;
}

uint64_t bits_of_special(unsigned type, uint64_t number)
{
    static const uint64_t halves[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d55, 0x3c00, 0x7bff, 0x0400};
    static const uint64_t singles[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0xffc12345, 0x7fa00001, 0x3f800000, 0x7f7fffff, 0x00800000};
    static const uint64_t doubles[] = {0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                       0x7ff8000000000000, 0xfff8123456789abc, 0x7ff4000000000001, 0x3ff0000000000000,
                                       0x7fefffffffffffff, 0x0010000000000000};
    unsigned pick = (unsigned)(number % 10);
    uint64_t top = (uint64_t)1 << (datatype_of(type)->bits - 1);
    const uint64_t integers[] = {0, 1, UINT64_MAX, top, top - 1, top + 1, 2, 0x55555555aaaaaaaa, top >> 1, 0};
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return halves[pick];
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return singles[pick];
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        return doubles[pick];
    default:
        return integers[pick];
    }
}

static unsigned element_bits_fraction(unsigned type)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return 10;
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 23 : 52;
}

uint64_t bits_of_some_denormal(unsigned type, uint64_t random, uint64_t ordinary)
{
    const struct datatype *t = datatype_of(type);
    unsigned fraction = element_bits_fraction(type);
    uint64_t sign = (random >> 8 & 1) << (t->bits - 1), max = ((uint64_t)1 << fraction) - 1;
    if (!t->is_float || random % 4 == 0)
        return ordinary;
    const uint64_t magnitudes[] = {0, 1, max, random_mix(random) & max};
    return sign | magnitudes[random % 4];
}

uint64_t bits_of_denormal(unsigned type, uint64_t random, uint64_t ordinary)
{
    if (!datatype_of(type)->is_float)
        return ordinary;
    uint64_t sign = (random >> 63) << (datatype_of(type)->bits - 1),
             max = ((uint64_t)1 << element_bits_fraction(type)) - 1;
    const uint64_t some = random_mix(random) % max + 1, magnitudes[] = {1, max, some, some};
    return sign | magnitudes[random % 4];
}

/* The highest bit of the fraction is 0, and another one is 1. */
uint64_t bits_of_signalling_nan(unsigned type, uint64_t random, uint64_t ordinary)
{
    if (!datatype_of(type)->is_float)
        return ordinary;
    unsigned bits = datatype_of(type)->bits, fraction = element_bits_fraction(type);
    uint64_t exponent = ((uint64_t)1 << (bits - 1 - fraction)) - 1, payload = ((uint64_t)1 << (fraction - 1)) - 1;
    return (random >> 63) << (bits - 1) | exponent << fraction | (random & payload) | 1;
}

uint64_t bits_of_not_finite(unsigned type, uint64_t random)
{
    unsigned bits = datatype_of(type)->bits, fraction = element_bits_fraction(type);
    uint64_t infinity = ((uint64_t)1 << (bits - 1)) - ((uint64_t)1 << fraction), half = (uint64_t)1 << (fraction - 1);
    return (random >> 63) << (bits - 1) | infinity | (random >> 62 & 1 ? half : 0);
}

uint64_t bits_of_number(unsigned type, uint64_t number)
{
    uint64_t bits = 0;
    datatype_from_integer(type, (int64_t)number, &bits);
    return bits;
}

uint64_t bits_of_distinct(unsigned type, uint64_t number)
{
    uint64_t high = datatype_of(type)->bits == 64 ? number << 32 : 0;
    static const struct {
        unsigned type;
        uint64_t first;
    } smallest[] = {{DML_TENSOR_DATA_TYPE_FLOAT16, 0x0400},
                    {DML_TENSOR_DATA_TYPE_FLOAT32, 0x00800000},
                    {DML_TENSOR_DATA_TYPE_FLOAT64, 0x0010000000000000}};
    for (size_t i = 0; i < sizeof smallest / sizeof *smallest; i++)
        if (smallest[i].type == type)
            return smallest[i].first + number + high;
    return 1 + number + high;
}

uint64_t bits_of_unit(unsigned type, uint64_t number, uint64_t random)
{
    enum { APART = 128, PAST = 1024 }; /* at most 8 of them: products stay in the range of a FLOAT16 */
    bool two = number % APART == 5 && number < PAST;
    uint64_t bits = 0;
    datatype_from_integer(type, (two ? 2 : 1) * (datatype_of(type)->is_signed && random & 1 ? -1 : 1), &bits);
    return bits;
}

uint64_t bits_of_offset(unsigned type, uint64_t random)
{
    uint64_t bits = 0;
    if (datatype_of(type)->is_float)
        datatype_from_double(type, 200 + (double)(random >> 61) / 8, &bits);
    else
        datatype_from_integer(type, 100 + (int64_t)(random >> 61), &bits);
    return bits;
}

/* Returns the bits of a number that the type has; of an integer type, the integer. */
static uint64_t bits_of_double(unsigned type, double number)
{
    uint64_t bits = 0;
    if (datatype_of(type)->is_float)
        datatype_from_double(type, number, &bits);
    else
        datatype_from_integer(type, (int64_t)number, &bits);
    return bits;
}

static bool has_negatives(unsigned type)
{
    return datatype_of(type)->is_float || datatype_of(type)->is_signed;
}

uint64_t bits_of_far(unsigned type, int sign, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    double far = t->bits == 8 ? 100 : 10000, step = 1;
    if (t->is_float)
        step = t->bits == 16 ? 8 : 0.5; /* 8 is the spacing of FLOAT16 there */
    if (sign < 0)
        far = has_negatives(type) ? -far : 0;
    return bits_of_double(type, far + step * (double)(random >> 61));
}

uint64_t bits_of_minus_infinity(unsigned type)
{
    return datatype_of(type)->is_float ? bits_of_double(type, -INFINITY) : bits_of_far(type, -1, 0);
}

uint64_t bits_of_end(unsigned type, bool least)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        return bits_of_double(type, least ? -INFINITY : INFINITY);
    uint64_t all = UINT64_MAX >> (64 - t->bits), half = (uint64_t)1 << (t->bits - 1);
    if (!t->is_signed)
        return least ? 0 : all;
    return least ? half : half - 1;
}

uint64_t bits_of_huge(unsigned type, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    double huge = t->bits == 16 ? 30000 : 0x1p60;
    if (!t->is_float)
        return bits_of_far(type, 1, random);
    return bits_of_double(type, random >> 63 ? -huge : huge);
}

uint64_t bits_of_close(unsigned type, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    if (!t->is_float)
        return bits_of_double(type, 7 + (double)(random >> 63));
    return bits_of_double(type,
                          t->bits == 16 ? 1 + 0x1p-10 * (double)(random >> 63) : 1 + 0x1p-13 * (double)(random >> 61));
}

uint64_t bits_of_small(unsigned type, uint64_t random)
{
    int steps = (int)(random % 15) - 7;
    if (datatype_of(type)->is_float)
        return bits_of_double(type, 0x1p-14 * steps);
    return bits_of_double(type, has_negatives(type) ? steps % 2 : steps & 1);
}

uint64_t bits_of_hundred(unsigned type, uint64_t random)
{
    double number = ((double)(random % 1761) - 880) / 8;
    return bits_of_double(type, has_negatives(type) ? number : fabs(number));
}

uint64_t bits_of_dyadic(unsigned type, uint64_t random)
{
    enum { INTEGERS = 11, FOURTHS = 22 }; /* 11 * 11 is below 128; (22 + 22) * (22 + 22) has 11 bits, as a FLOAT16 */
    const struct datatype *t = datatype_of(type);
    uint64_t bits = 0;
    int most = t->is_float ? FOURTHS : INTEGERS, least = t->is_signed ? -most : 0;
    int number = least + (int)((random >> 32) * (uint64_t)(most - least + 1) >> 32);
    if (t->is_float)
        datatype_from_double(type, number / 4.0, &bits);
    else
        datatype_from_integer(type, number, &bits);
    return bits;
}
