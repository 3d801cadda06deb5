/* number.h: elements of tensors as numbers. */
#ifndef NUMBER_H
#define NUMBER_H

#include "device/dml.h"

/* Every value of an integer type, and sums and products of two of them. */
typedef __int128 number_integer;

int number_is_float(DML_TENSOR_DATA_TYPE type);

/* An element of at least 8 bits. 64-bit integers are rounded to a double. */
double number_real(DML_TENSOR_DATA_TYPE type, const void *at);

/* Stores a number: floats round to nearest even, beyond the largest number to infinity; integers truncate toward zero
 * and saturate, and a NaN is stored as 0. */
void number_store_real(DML_TENSOR_DATA_TYPE type, double value, void *at);

/* An element of an integer type; of a float, its bits. Storing keeps the low bits. */
number_integer number_whole(DML_TENSOR_DATA_TYPE type, const void *at);
void number_store_whole(DML_TENSOR_DATA_TYPE type, number_integer value, void *at);

/* The bits of an element, zero-extended. */
uint64_t number_bits(DML_TENSOR_DATA_TYPE type, const void *at);

#endif
