/* products.h: GEMM, products of integer matrices, and convolutions. */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#include "device/common/dot.h"

int products_compute(DML_OPERATOR_TYPE type);

/* Runs an operator. Pointers are to the tensors' first elements; null: the tensor is absent. */
void products_run(const struct descriptor *descriptor, const char *const *inputs, char *output);

#endif
