/* single.h: FLOAT32 elements in memory, which need not be aligned. */
#ifndef SINGLE_H
#define SINGLE_H

#include "device/reference/wide.h"

#include <stdint.h>
#include <string.h>

/* Returns element `number` of FLOAT32 elements that lie next to each other. */
WIDE_INLINE float single_at(const char *from, uint64_t number)
{
    float value;
    memcpy(&value, from + number * sizeof value, sizeof value);
    return value;
}

WIDE_INLINE uint32_t single_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
