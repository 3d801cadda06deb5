/* half.h: converts FLOAT16 to and from double, without branches, so that loops over rows use vectors. */
#ifndef HALF_H
#define HALF_H

#include "device/common/double_bits.h"

/* A half has 10 bits of fraction, below an exponent with a bias of 15; a double has 52, with a bias of 1023. A NaN
 * loses its payload. */
static inline double half_to_real(uint16_t half)
{
    const uint64_t size = half & 0x7fff, sign = (uint64_t)(half & 0x8000) << 48;
    const uint64_t normal = (size << 42) + ((uint64_t)(1023 - 15) << 52);
    const uint64_t small = double_bits((double)(int32_t)size * 0x1p-24);
    const uint64_t special = size == 0x7c00 ? 0x7ff0000000000000 : 0x7ff8000000000000;
    const uint64_t finite = size < 0x400 ? small : normal;
    return double_of_bits(sign | (size < 0x7c00 ? finite : special));
}

/* Rounds to nearest even; numbers beyond the largest FLOAT16 become infinity. */
static inline uint16_t half_from_real(double value)
{
    const uint64_t bits = double_bits(value), size = bits & 0x7fffffffffffffff;
    /* The unit in the last place of 0x1p28 is that of the smallest half, so the sum is rounded to such units. */
    const uint64_t small = double_bits(double_of_bits(size) + 0x1p28) - double_bits(0x1p28);
    /* The addend carries into bit 42 if the bits below are more than half of it, or half and bit 42 is odd. */
    const uint64_t normal = ((size + 0x1ffffffffff + (size >> 42 & 1)) >> 42) - ((uint64_t)(1023 - 15) << 10);
    const uint64_t finite = size < double_bits(0x1p-14) ? small : normal;
    const uint64_t number = size >= double_bits(65520) ? 0x7c00 : finite; /* half way to the next power of two */
    return (uint16_t)(bits >> 48 & 0x8000) | (uint16_t)(size > 0x7ff0000000000000 ? 0x7e00 : number);
}

#endif
