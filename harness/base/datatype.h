/* datatype.h: what there is to know of a DML_TENSOR_DATA_TYPE. */
#ifndef BASE_DATATYPE_H
#define BASE_DATATYPE_H

#include "device/dml.h"

#include <stdbool.h>
#include <stddef.h>

enum { DATATYPE_COUNT = DML_TENSOR_DATA_TYPE_INT4 + 1 };

struct datatype {
    const char *name;  /* "FLOAT32" */
    const char *lower; /* "float32": as in case names */
    unsigned bits;     /* of one element; 0 for UNKNOWN */
    bool is_float;
    bool is_signed;
};

/* Of any number: one that is no data type gives that of UNKNOWN. */
const struct datatype *datatype_of(unsigned type);

/* The number of a documented name, or -1. */
int datatype_find(const char *name);

/* One element at `at`, as a person reads it: "1.5 (0x3fc00000)", "-3 (0xfd)". */
void datatype_print(unsigned type, const void *at, char *text, size_t size);

/* One element from a number: rounded to nearest even for floats, truncated to the width for integers. Types of at least
 * 8 bits only. */
void datatype_from_double(unsigned type, double value, void *at);
void datatype_from_integer(unsigned type, int64_t value, void *at);

/* One element of at least 8 bits as a number; integers of 64 bits lose what a double cannot hold. */
double datatype_to_double(unsigned type, const void *at);

/* The element's bits, zero-extended; and for integer types its value, sign-extended (uint64 as its bits). */
uint64_t datatype_bits(unsigned type, const void *at);
int64_t datatype_to_integer(unsigned type, const void *at);

/* Classes of floating-point bit patterns; false for integer types. */
bool datatype_is_nan(unsigned type, uint64_t bits);
bool datatype_is_denormal(unsigned type, uint64_t bits);

#endif
