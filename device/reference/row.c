#include "device/reference/row.h"

#include "device/common/half.h"
#include "device/reference/row_eight.h"
#include "device/reference/single.h"
#include "device/reference/stream.h"
#include "device/reference/wide.h"

#include <math.h>
#include <string.h>

/* ---- real numbers */

WIDE_INLINE void load_singles_any(const char *from, uint64_t count, double *to)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (double)single_at(from, i);
}

WIDE_INLINE void load_halves_any(const char *from, uint64_t count, double *to)
{
    for (uint64_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, from + i * sizeof half, sizeof half);
        to[i] = half_to_real(half);
    }
}

WIDE_INLINE void store_singles_any(const double *from, uint64_t count, char *to)
{
    for (uint64_t i = 0; i < count; i++) {
        float value = (float)from[i];
        memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

WIDE_INLINE void store_halves_any(const double *from, uint64_t count, char *to)
{
    for (uint64_t i = 0; i < count; i++) {
        uint16_t half = half_from_real(from[i]);
        memcpy(to + i * sizeof half, &half, sizeof half);
    }
}

WIDE(void, load_singles, (const char *from, uint64_t count, double *to), (from, count, to))
WIDE(void, load_halves, (const char *from, uint64_t count, double *to), (from, count, to))
WIDE(void, store_singles, (const double *from, uint64_t count, char *to), (from, count, to))
WIDE(void, store_halves, (const double *from, uint64_t count, char *to), (from, count, to))

void row_load(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, double *to)
{
    if (step == 0) {
        const double value = number_real(type, from);
        for (uint64_t i = 0; i < count; i++)
            to[i] = value;
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT32 && step == 4) {
        load_singles(from, count, to);
    } else if (type == DML_TENSOR_DATA_TYPE_FLOAT16 && step == 2) {
        load_halves(from, count, to);
    } else {
        for (uint64_t i = 0; i < count; i++)
            to[i] = number_real(type, from + (int64_t)i * step);
    }
}

static void store_row(DML_TENSOR_DATA_TYPE type, const double *from, uint64_t count, char *to, int64_t step)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32 && step == 4)
        store_singles(from, count, to);
    else if (type == DML_TENSOR_DATA_TYPE_FLOAT16 && step == 2)
        store_halves(from, count, to);
    else
        for (uint64_t i = 0; i < count; i++)
            number_store_real(type, from[i], to + (int64_t)i * step);
}

/* Returns true if elements are written past the caches: neighbours in a large tensor go by way of a block in the
 * first-level cache. */
static int is_streamed(const struct tensor *tensor, int64_t step)
{
    return stream_is_large(tensor->bytes) && step > 0 && step == tensor->element_size;
}

/* Returns the elements of the next block. Blocks that are written past the caches are short, so that reading goes on
 * meanwhile. */
uint64_t row_block(const struct tensor *tensor, uint64_t left)
{
    enum { STREAMED = ROW_BLOCK / 4 };
    const uint64_t most = stream_is_large(tensor->bytes) ? STREAMED : ROW_BLOCK;
    return left < most ? left : most;
}

void row_store(const struct tensor *tensor, const double *from, uint64_t count, char *to, int64_t step)
{
    const int streams = is_streamed(tensor, step);
    _Alignas(64) char block[ROW_BLOCK * sizeof *from];
    store_row(tensor->type, from, count, streams ? block : to, step);
    if (streams)
        stream_copy(to, block, count * tensor->element_size);
}

void row_copy(const struct tensor *tensor, const char *from, uint64_t count, char *to)
{
    if (is_streamed(tensor, tensor->element_size))
        stream_copy(to, from, count * tensor->element_size);
    else
        memmove(to, from, count * tensor->element_size);
}

/* ---- sums */

WIDE_INLINE double row_term_of(double x, enum row_term term, double mean)
{
    const double centre = x - mean;
    if (term == ROW_ELEMENT)
        return x;
    return term == ROW_SIZE ? fabs(x) : centre * centre;
}

/* Adds up a row. The sums are in registers; each term has a loop of its own. */
#define ADD_UP(value, term)                                                                                            \
    for (uint64_t i = 0; i < count; i++)                                                                               \
        for (int k = 0; k < ROW_LANES; k++)                                                                            \
    s[k] += row_term_of(value, term, mean[k])
#define ADD_UP_ANY(value)                                                                                              \
    double s[ROW_LANES], mean[ROW_LANES];                                                                              \
    memcpy(s, sums, sizeof s);                                                                                         \
    memcpy(mean, means, sizeof mean);                                                                                  \
    if (term == ROW_ELEMENT)                                                                                           \
        ADD_UP(value, ROW_ELEMENT);                                                                                    \
    else if (term == ROW_SIZE)                                                                                         \
        ADD_UP(value, ROW_SIZE);                                                                                       \
    else                                                                                                               \
        ADD_UP(value, ROW_SQUARE);                                                                                     \
    memcpy(sums, s, sizeof s)

WIDE_INLINE void add_singles_up_any(const char *const from[ROW_LANES], uint64_t count, enum row_term term,
                                    const double means[ROW_LANES], double sums[ROW_LANES])
{
    const char *at[ROW_LANES];
    memcpy(at, from, sizeof at);
    ADD_UP_ANY((double)single_at(at[k], i));
}

WIDE_INLINE void add_numbers_up_any(const double *const x[ROW_LANES], uint64_t count, enum row_term term,
                                    const double means[ROW_LANES], double sums[ROW_LANES])
{
    const double *at[ROW_LANES];
    memcpy(at, x, sizeof at);
    ADD_UP_ANY(at[k][i]);
}

WIDE(void, add_singles_up,
     (const char *const from[ROW_LANES], uint64_t count, enum row_term term, const double means[ROW_LANES],
      double sums[ROW_LANES]),
     (from, count, term, means, sums))
WIDE(void, add_numbers_up,
     (const double *const x[ROW_LANES], uint64_t count, enum row_term term, const double means[ROW_LANES],
      double sums[ROW_LANES]),
     (x, count, term, means, sums))

void row_add_up(DML_TENSOR_DATA_TYPE type, const char *const from[ROW_LANES], int64_t step, uint64_t count,
                enum row_term term, const double means[ROW_LANES], double sums[ROW_LANES])
{
    _Alignas(64) double x[ROW_LANES][ROW_BLOCK];
    const double *rows[ROW_LANES];
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32 && step == 4) {
        const uint64_t added = row_eight(from, count, term, means, sums);
        const char *rest[ROW_LANES];
        for (int k = 0; k < ROW_LANES; k++)
            rest[k] = from[k] + added * sizeof(float);
        add_singles_up(rest, count - added, term, means, sums);
        return;
    }
    for (uint64_t i = 0, some; i < count; i += some) {
        some = count - i < ROW_BLOCK ? count - i : ROW_BLOCK;
        for (int k = 0; k < ROW_LANES; k++) {
            row_load(type, from[k] + (int64_t)i * step, step, some, x[k]);
            rows[k] = x[k];
        }
        add_numbers_up(rows, some, term, means, sums);
    }
}

void row_add_numbers_up(const double *const from[ROW_LANES], uint64_t count, double sums[ROW_LANES])
{
    static const double zeros[ROW_LANES];
    add_numbers_up(from, count, ROW_ELEMENT, zeros, sums);
}

/* ---- sums of adjacent columns */

/* Adds several rows each time that the sums are loaded and stored. */
WIDE_INLINE void add_singles_to(const char *const from[ROW_BESIDE], uint64_t count, enum row_term term,
                                double *restrict sums)
{
    const char *a = from[0], *b = from[1], *c = from[2], *d = from[3];
    for (uint64_t i = 0; i < count; i++) {
        double sum = sums[i] + row_term_of((double)single_at(a, i), term, 0);
        sum += row_term_of((double)single_at(b, i), term, 0);
        sum += row_term_of((double)single_at(c, i), term, 0);
        sums[i] = sum + row_term_of((double)single_at(d, i), term, 0);
    }
}

WIDE_INLINE void add_numbers_to(const double *restrict x, uint64_t count, enum row_term term, double *restrict sums)
{
    for (uint64_t i = 0; i < count; i++)
        sums[i] += row_term_of(x[i], term, 0);
}

/* Adds rows to sums; each term has a loop of its own. */
#define ADD_BESIDE(add)                                                                                                \
    if (term == ROW_ELEMENT)                                                                                           \
        add(from, count, ROW_ELEMENT, sums);                                                                           \
    else if (term == ROW_SIZE)                                                                                         \
        add(from, count, ROW_SIZE, sums);                                                                              \
    else                                                                                                               \
        add(from, count, ROW_SQUARE, sums)

WIDE_INLINE void add_singles_beside_any(const char *const from[ROW_BESIDE], uint64_t count, enum row_term term,
                                        double *sums)
{
    ADD_BESIDE(add_singles_to);
}

WIDE_INLINE void add_numbers_beside_any(const double *from, uint64_t count, enum row_term term, double *sums)
{
    ADD_BESIDE(add_numbers_to);
}

WIDE(void, add_singles_beside, (const char *const from[ROW_BESIDE], uint64_t count, enum row_term term, double *sums),
     (from, count, term, sums))
WIDE(void, add_numbers_beside, (const double *from, uint64_t count, enum row_term term, double *sums),
     (from, count, term, sums))

void row_add_beside(DML_TENSOR_DATA_TYPE type, const char *const *from, int rows, int64_t step, uint64_t count,
                    enum row_term term, double *sums)
{
    _Alignas(64) double x[ROW_BLOCK];
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32 && step == 4 && rows == ROW_BESIDE) {
        add_singles_beside(from, count, term, sums);
        return;
    }
    for (int k = 0; k < rows; k++)
        for (uint64_t i = 0, some; i < count; i += some) {
            some = count - i < ROW_BLOCK ? count - i : ROW_BLOCK;
            row_load(type, from[k] + (int64_t)i * step, step, some, x);
            add_numbers_beside(x, some, term, sums + i);
        }
}

void row_add_numbers_beside(const double *from, uint64_t count, double *sums)
{
    add_numbers_beside(from, count, ROW_ELEMENT, sums);
}

/* ---- integers */

#define LOAD(c_type)                                                                                                   \
    for (uint64_t i = 0; i < count; i++) {                                                                             \
        c_type value;                                                                                                  \
        memcpy(&value, from + (int64_t)i * step, sizeof value);                                                        \
        to[i] = value;                                                                                                 \
    }                                                                                                                  \
    break

void row_load_whole(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, number_integer *to)
{
    switch (type) {
    case DML_TENSOR_DATA_TYPE_INT8:
        LOAD(int8_t);
    case DML_TENSOR_DATA_TYPE_INT16:
        LOAD(int16_t);
    case DML_TENSOR_DATA_TYPE_INT32:
        LOAD(int32_t);
    case DML_TENSOR_DATA_TYPE_INT64:
        LOAD(int64_t);
    default:
        row_load_bits(type, from, step, count, to);
    }
}

void row_load_bits(DML_TENSOR_DATA_TYPE type, const char *from, int64_t step, uint64_t count, number_integer *to)
{
    switch (descriptor_element_size(type)) {
    case 1:
        LOAD(uint8_t);
    case 2:
        LOAD(uint16_t);
    case 4:
        LOAD(uint32_t);
    default:
        LOAD(uint64_t);
    }
}

#define STORE(c_type)                                                                                                  \
    for (uint64_t i = 0; i < count; i++) {                                                                             \
        c_type value = (c_type)from[i];                                                                                \
        memcpy(to + (int64_t)i * step, &value, sizeof value);                                                          \
    }                                                                                                                  \
    break

static void store_whole(DML_TENSOR_DATA_TYPE type, const number_integer *from, uint64_t count, char *to, int64_t step)
{
    switch (descriptor_element_size(type)) {
    case 1:
        STORE(uint8_t);
    case 2:
        STORE(uint16_t);
    case 4:
        STORE(uint32_t);
    default:
        STORE(uint64_t);
    }
}

void row_store_whole(const struct tensor *tensor, const number_integer *from, uint64_t count, char *to, int64_t step)
{
    const int streams = is_streamed(tensor, step);
    _Alignas(64) char block[ROW_BLOCK * sizeof(uint64_t)];
    store_whole(tensor->type, from, count, streams ? block : to, step);
    if (streams)
        stream_copy(to, block, count * tensor->element_size);
}
