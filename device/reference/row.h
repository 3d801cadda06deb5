/* row.h: converts rows of elements to numbers and back, as number.h does with single elements. */
#ifndef ROW_H
#define ROW_H

#include "device/common/descriptor.h"
#include "device/common/number.h"

enum {
    ROW_BLOCK = 256, /* numbers that are computed together: a few such blocks fit the first-level cache */
    ROW_LANES = 8,   /* rows that are added up side by side */
    ROW_BESIDE = 4   /* rows that are added to a row of sums at a time */
};

/* Load and store a row. `step`: bytes from one element to the next. `tensor`: the tensor that the row is a part of. At
 * most ROW_BLOCK elements are stored at a time. */
void row_load(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, double *to);
void row_store(const struct tensor *tensor, const double *from, uint64_t count, char *to, int64_t step);

/* Returns how many of the `left` elements of a row are best computed and stored next. */
uint64_t row_block(const struct tensor *tensor, uint64_t left);

/* Load and store integers, or the bits of floats. */
void row_load_whole(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, number_integer *to);
void row_load_bits(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, number_integer *to);
void row_store_whole(const struct tensor *tensor, const number_integer *from, uint64_t count, char *to, int64_t step);

/* Copies elements that lie next to each other. The memory may be the same, but not overlap otherwise. */
void row_copy(const struct tensor *tensor, const char *from, uint64_t count, char *to);

/* The term that an element contributes to a sum: the element, its size, or the square of its distance from a mean. */
enum row_term { ROW_ELEMENT, ROW_SIZE, ROW_SQUARE };

/* Adds up rows of real numbers, each in its order. An addition waits for the one before it, so that several rows take
 * hardly longer than one. Rows may be the same. */
void row_add_up(DML_TENSOR_DATA_TYPE type, const char *const from[ROW_LANES], int64_t step, uint64_t count,
                enum row_term term, const double means[ROW_LANES], double sums[ROW_LANES]);

/* Does the same with rows of numbers. */
void row_add_numbers_up(const double *const from[ROW_LANES], uint64_t count, double sums[ROW_LANES]);

/* Adds rows to a row of sums, at most ROW_BESIDE of them one after the other. */
void row_add_beside(DML_TENSOR_DATA_TYPE type, const char *const *from, int rows, int64_t step, uint64_t count,
                    enum row_term term, double *sums);

/* Does the same with a row of numbers. */
void row_add_numbers_beside(const double *from, uint64_t count, double *sums);

#endif
