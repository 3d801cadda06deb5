/* datatype.h: names and properties of DML_TENSOR_DATA_TYPEs, elements in memory, and conversion of single elements. */
#ifndef BASE_DATATYPE_H
#define BASE_DATATYPE_H

#include "device/dml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DATATYPE_COUNT = DML_TENSOR_DATA_TYPE_INT4 + 1 };

struct datatype {
    const char *name;  /* "FLOAT32" */
    const char *lower; /* "float32", as in case names */
    unsigned bits;     /* width of one element; 0 for UNKNOWN */
    bool is_float;
    bool is_signed;
};

/* Returns the row of UNKNOWN for a number that is not a data type; never null. */
const struct datatype *datatype_of(unsigned type);

/* Returns the type with a documented name such as "FLOAT32", or -1. */
int datatype_find(const char *name);

/* ---- elements in memory
 *
 * An element has an index, which counts elements, and a width, which is datatype.bits: 4, 8, 16, 32 or 64; 0 is no
 * element. Two elements of 4 bits share a byte; the first is in the low bits. Bits are zero-extended. */

static inline uint64_t element_get(unsigned width, const void *memory, uint64_t index)
{
    const uint8_t *at = (const uint8_t *)memory;
    uint64_t bits = 0; /* every supported machine is little-endian */
    switch (width) {
    case 4:
        return at[index / 2] >> index % 2 * 4 & 15;
    case 8:
        return at[index];
    case 16:
        memcpy(&bits, at + index * 2, 2);
        return bits;
    case 32:
        memcpy(&bits, at + index * 4, 4);
        return bits;
    case 64:
        memcpy(&bits, at + index * 8, 8);
        return bits;
    default:
        return 0;
    }
}

/* Writes the low `width` bits of an element, and changes no others. */
static inline void element_put(unsigned width, void *memory, uint64_t index, uint64_t bits)
{
    uint8_t *at = (uint8_t *)memory;
    unsigned shift = index % 2 * 4;
    switch (width) {
    case 4:
        at[index / 2] = (uint8_t)((at[index / 2] & 0xf0 >> shift) | (bits & 15) << shift);
        break;
    case 8:
        at[index] = (uint8_t)bits;
        break;
    case 16:
        memcpy(at + index * 2, &bits, 2);
        break;
    case 32:
        memcpy(at + index * 4, &bits, 4);
        break;
    case 64:
        memcpy(at + index * 8, &bits, 8);
        break;
    default:
        break;
    }
}

/* Returns the bytes that the first `count` elements take: the last byte may be half used. */
static inline uint64_t elements_bytes(unsigned width, uint64_t count)
{
    return width == 4 ? count / 2 + count % 2 : count * (width / 8);
}

/* Returns true if the first `count` elements are equal; `count` is not 0. */
static inline bool elements_equal(unsigned width, const void *a, const void *b, uint64_t count)
{
    uint64_t whole = width == 4 ? count / 2 : count * (width / 8);
    return memcmp(a, b, whole) == 0 &&
           (width != 4 || count % 2 == 0 || element_get(width, a, count - 1) == element_get(width, b, count - 1));
}

/* ---- one element, at the address `at`; one of 4 bits is in the low half of its byte */

/* Writes the element as value and bits: "1.5 (0x3fc00000)", "-3 (0xfd)". */
void datatype_print(unsigned type, const void *at, char *text, size_t size);

/* Stores a number as one element. A float rounds to nearest even. An integer is truncated to the width of the type;
 * NaN, or a number that no int64_t holds, counts as INT64_MIN. */
void datatype_from_double(unsigned type, double value, void *at);
void datatype_from_integer(unsigned type, int64_t value, void *at);

/* Returns one element as a number; a 64-bit integer is rounded to a double. */
double datatype_to_double(unsigned type, const void *at);

/* datatype_bits() returns the element's bits, zero-extended. datatype_to_integer() returns the value of an integer
 * type, sign-extended (a UINT64 keeps its bits). */
uint64_t datatype_bits(unsigned type, const void *at);
int64_t datatype_to_integer(unsigned type, const void *at);

/* Return true if the bits, as datatype_bits() gives them, are of that class; false for integer types. */
bool datatype_is_nan(unsigned type, uint64_t bits);
bool datatype_is_denormal(unsigned type, uint64_t bits);

#endif
