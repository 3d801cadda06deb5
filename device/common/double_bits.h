/* double_bits.h: a double as its bits, and back. */
#ifndef DOUBLE_BITS_H
#define DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
