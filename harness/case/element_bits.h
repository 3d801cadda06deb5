/* element_bits.h: single elements by data type, as bit patterns that a random number or a number in a row selects. */
#ifndef CASE_ELEMENT_BITS_H
#define CASE_ELEMENT_BITS_H

#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <stdint.h>

/* Returns a float that is no NaN, infinity or denormal: the exponent is neither 0 nor the largest. All other bits are
 * random. */
static inline uint64_t bits_of_float(unsigned type, uint64_t random)
{
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return (random & 0x83ff) | (1 + (random >> 20) % 30) << 10;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return (random & 0x807fffff) | (1 + (random >> 32) % 254) << 23;
    default:
        return (random & 0x800fffffffffffff) | (1 + random_mix(random) % 2046) << 52;
    }
}

/* Returns such a float, or any integer. */
static inline uint64_t bits_of_any(unsigned type, uint64_t random)
{
    return datatype_of(type)->is_float ? bits_of_float(type, random) : random;
}

/* Returns zero; for a float type, either zero. */
uint64_t bits_of_zero(unsigned type, uint64_t random);

/* Ten consecutive numbers give all special values of a floating-point type, and the extremes of an integer type. */
uint64_t bits_of_special(unsigned type, uint64_t number);

/* Return bits for a type. For a float: a denormal or an ordinary value; a denormal; a signalling NaN. For an integer:
 * `ordinary`. */
uint64_t bits_of_some_denormal(unsigned type, uint64_t random, uint64_t ordinary);
uint64_t bits_of_denormal(unsigned type, uint64_t random, uint64_t ordinary);
uint64_t bits_of_signalling_nan(unsigned type, uint64_t random, uint64_t ordinary);

uint64_t bits_of_number(unsigned type, uint64_t number);

/* Returns a different nonzero value for every number: for a float type, normal numbers from the smallest on. Both
 * halves of 64 bits differ, so that no element can be put together from halves of two others. */
uint64_t bits_of_distinct(unsigned type, uint64_t number);

/* Returns a quiet NaN or an infinity. */
uint64_t bits_of_not_finite(unsigned type, uint64_t random);

/* Returns 200 and eighths above it, or an integer from 100 to 107. */
uint64_t bits_of_offset(unsigned type, uint64_t random);

/* Returns 10000, or -10000 if the sign is negative, and up to seven small steps above it; integers of 8 bits are 100
 * and -100. Unsigned integers that would be negative are the steps alone. */
uint64_t bits_of_far(unsigned type, int sign, uint64_t random);

/* Returns minus infinity; for an integer what bits_of_far() returns. */
uint64_t bits_of_minus_infinity(unsigned type);

/* Returns minus infinity or infinity; of an integer type, its least or greatest integer. */
uint64_t bits_of_end(unsigned type, bool least);

/* Returns a number of either sign far above 1024, whose square is below the largest FLOAT32; an integer is far. */
uint64_t bits_of_huge(unsigned type, uint64_t random);

/* Returns 1 or slightly more, so that a mean rounds to 1; an integer is 7 or 8. */
uint64_t bits_of_close(unsigned type, uint64_t random);

/* Returns a multiple of 2^-14 of either sign, below 1/2000; an integer is -1, 0 or 1, or not negative. */
uint64_t bits_of_small(unsigned type, uint64_t random);

/* Returns a multiple of 1/8 from -110 to 110, or such an integer; no unsigned one is negative. */
uint64_t bits_of_hundred(unsigned type, uint64_t random);

/* Returns a multiple of 1/4, or a small integer: sums, differences and products of two, and squares of differences, are
 * exact in every type. */
uint64_t bits_of_unit(unsigned type, uint64_t number, uint64_t random); /* 1 and -1; some early ones 2 and -2 */
uint64_t bits_of_dyadic(unsigned type, uint64_t random);

#endif
