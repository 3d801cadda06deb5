/* naive_number.h: what operators that compute numbers make of the operands of one element, and how they store it. */
#ifndef NAIVE_NUMBER_H
#define NAIVE_NUMBER_H

#include "device/mutants/naive.h"
#include "device/reference/map.h"

/* The operator's row of the reference device's table; with some bugs that of another operator. */
const struct map_kernel *naive_kernel(const struct naive *n, const struct map *map);

/* Returns true if the operator computes with real numbers: it does more than to copy, to compare or to convert. */
int naive_is_arithmetic(DML_OPERATOR_TYPE type);

/* The same with the bugs of activations. */
double naive_activation(const struct naive *n, const struct map *map, const double *x);

double naive_real(const struct naive *n, const struct map *map, const double *x);
number_integer naive_whole(const struct naive *n, const struct map *map, const number_integer *x);

void naive_store_real(const struct naive *n, DML_TENSOR_DATA_TYPE type, double value, uint8_t *to);
void naive_store_whole(const struct naive *n, DML_TENSOR_DATA_TYPE type, number_integer value, uint8_t *to);

#endif
