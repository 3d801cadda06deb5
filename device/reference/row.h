/* row.h: rows of elements as numbers, what number.h does with single ones. */
#ifndef ROW_H
#define ROW_H

#include "device/common/number.h"

enum { ROW_BLOCK = 256 }; /* numbers that are computed together: a few such blocks fit the first-level cache */

/* `step`: bytes from one element to the next. */
void row_load(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, double *to);
void row_store(DML_TENSOR_DATA_TYPE type, const double *from, uint64_t count, char *to, int64_t step);

/* Elements of integers; of floats, their bits. */
void row_load_whole(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, number_integer *to);
void row_load_bits(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, number_integer *to);
void row_store_whole(DML_TENSOR_DATA_TYPE type, const number_integer *from, uint64_t count, char *to, int64_t step);

#endif
