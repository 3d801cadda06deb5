/* number.h: elements of tensors as numbers. */
#ifndef NUMBER_H
#define NUMBER_H

#include "device/dml.h"

/* Every value of an integer type, and sums and products of two of them. */
typedef __int128 number_integer;

int number_is_float(DML_TENSOR_DATA_TYPE type);

/* Return and set the bits, zero-extended, of the element with this index in memory. Two elements of 4 bits share a
 * byte. Putting changes no other element. */
uint64_t number_get(DML_TENSOR_DATA_TYPE type, const void *memory, uint64_t index);
void number_put(DML_TENSOR_DATA_TYPE type, void *memory, uint64_t index, uint64_t bits);

/* The functions below take one element at an address; a 4-bit element is in the low half of its byte. */

/* Returns an element as a real number. 64-bit integers are rounded to a double. */
double number_real(DML_TENSOR_DATA_TYPE type, const void *at);

/* Stores a number: floats round to nearest even, and numbers beyond the largest float become infinity; integers
 * truncate toward zero and saturate, and a NaN is stored as 0. */
void number_store_real(DML_TENSOR_DATA_TYPE type, double value, void *at);

/* Returns the nearest integer; of two, the even one. */
double number_nearest_even(double value);

/* Returns a number as INT64: truncated toward zero, saturated. */
int64_t number_truncated(double value);

/* Return and set an element of an integer type, or the bits of a float. Storing keeps the low bits. */
number_integer number_whole(DML_TENSOR_DATA_TYPE type, const void *at);
void number_store_whole(DML_TENSOR_DATA_TYPE type, number_integer value, void *at);

/* Returns the bits of an element, zero-extended. */
uint64_t number_bits(DML_TENSOR_DATA_TYPE type, const void *at);

#endif
