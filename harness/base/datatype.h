/* datatype.h: names and properties of DML_TENSOR_DATA_TYPEs, and conversion of single elements. */
#ifndef BASE_DATATYPE_H
#define BASE_DATATYPE_H

#include "device/dml.h"

#include <stdbool.h>
#include <stddef.h>

enum { DATATYPE_COUNT = DML_TENSOR_DATA_TYPE_INT4 + 1 };

struct datatype {
    const char *name;  /* "FLOAT32" */
    const char *lower; /* "float32", as in case names */
    unsigned bits;     /* of one element; 0 for UNKNOWN */
    bool is_float;
    bool is_signed;
};

/* Never null: a number that is not a data type gives UNKNOWN. */
const struct datatype *datatype_of(unsigned type);

/* The type with a documented name such as "FLOAT32", or -1. */
int datatype_find(const char *name);

/* Writes the element at `at` as value and bits: "1.5 (0x3fc00000)", "-3 (0xfd)". Types of at least 8 bits only. */
void datatype_print(unsigned type, const void *at, char *text, size_t size);

/* Stores a number as one element: floats round to nearest even, integers are truncated to the width of the type. Types
 * of at least 8 bits only. */
void datatype_from_double(unsigned type, double value, void *at);
void datatype_from_integer(unsigned type, int64_t value, void *at);

/* One element as a number; 64-bit integers are rounded to a double. Types of at least 8 bits only. */
double datatype_to_double(unsigned type, const void *at);

/* The element's bits, zero-extended; the value of an integer type, sign-extended (a UINT64 keeps its bits). Types of at
 * least 8 bits only. */
uint64_t datatype_bits(unsigned type, const void *at);
int64_t datatype_to_integer(unsigned type, const void *at);

/* Classes of floating-point bit patterns, as datatype_bits() gives them. False for integer types. */
bool datatype_is_nan(unsigned type, uint64_t bits);
bool datatype_is_denormal(unsigned type, uint64_t bits);

#endif
