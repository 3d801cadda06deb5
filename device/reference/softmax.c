#include "device/reference/softmax.h"

#include "device/reference/exponential.h"
#include "device/reference/row.h"
#include "device/reference/softmax_quick.h"
#include "device/reference/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int softmax_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_softmax_of(type) != SOFTMAX_NONE;
}

void softmax_init(struct softmax *softmax, const struct descriptor *d)
{
    memset(softmax, 0, sizeof *softmax);
    softmax->input = d->inputs[0];
    softmax->output = d->outputs[0];
    softmax->result = descriptor_softmax_of(d->type);
    softmax->length = 1;
    for (uint32_t i = 0; i < softmax->input.rank; i++) {
        const int is_within = d->slice_dimensions >> i & 1;
        const uint32_t size = softmax->input.sizes[i];
        loops_add(is_within ? &softmax->within : &softmax->slices, size,
                  (int64_t)softmax->input.strides[i] * softmax->input.element_size,
                  (int64_t)softmax->output.strides[i] * softmax->output.element_size);
        softmax->length *= is_within ? size : 1;
    }
    loops_end(&softmax->slices);
    loops_end(&softmax->within);
}

/* ---- rows */

WIDE_INLINE void subtract_any(double *x, uint64_t count, double what)
{
    for (uint64_t i = 0; i < count; i++)
        x[i] = x[i] - what;
}

WIDE_INLINE void divide_block_any(const double *x, uint64_t count, double by, double *to)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = x[i] / by;
}

/* Returns the greatest of `greatest` and the row's numbers; NaNs are ignored. */
WIDE_INLINE void find_most_any(const double *x, uint64_t count, double *greatest)
{
    double most[ROW_LANES];
    uint64_t i = 0;
    for (int k = 0; k < ROW_LANES; k++)
        most[k] = *greatest;
    for (; i + ROW_LANES <= count; i += ROW_LANES)
        for (int k = 0; k < ROW_LANES; k++)
            most[k] = x[i + (uint64_t)k] > most[k] ? x[i + (uint64_t)k] : most[k];
    for (; i < count; i++)
        most[0] = x[i] > most[0] ? x[i] : most[0];
    for (int k = 0; k < ROW_LANES; k++)
        *greatest = most[k] > *greatest ? most[k] : *greatest;
}

WIDE(void, subtract, (double *x, uint64_t count, double what), (x, count, what))
WIDE(void, divide_block, (const double *x, uint64_t count, double by, double *to), (x, count, by, to))
WIDE(void, find_most, (const double *x, uint64_t count, double *greatest), (x, count, greatest))

/* ---- slices */

/* Slices that are computed together: their sums go on side by side. */
struct lanes {
    int count;
    const char *from[ROW_LANES];
    char *to[ROW_LANES];
    double greatest[ROW_LANES], sums[ROW_LANES];
    double *powers; /* e^(x - greatest) of each slice; null: they do not fit */
};

/* A block of each lane along the innermost loop within a slice. */
struct block {
    struct loops_place place;
    uint64_t along;         /* elements of that loop before the block */
    uint64_t number, count; /* elements of the slice before the block, and in it */
};

static struct block first_block(const struct softmax *s)
{
    const uint64_t size = loops_innermost(&s->within)->size;
    return (struct block){.count = size < ROW_BLOCK ? size : ROW_BLOCK};
}

/* Moves on to the next block. Returns 0 after the last one. */
static int next_softmax_block(const struct softmax *s, struct block *block)
{
    const uint64_t size = loops_innermost(&s->within)->size;
    block->along += block->count;
    block->number += block->count;
    if (block->along == size) {
        block->along = 0;
        if (!loops_next(&s->within, 1, &block->place))
            return 0;
    }
    block->count = size - block->along < ROW_BLOCK ? size - block->along : ROW_BLOCK;
    return 1;
}

static void load_block(const struct softmax *s, const struct lanes *lanes, int k, const struct block *block, double *x)
{
    const struct loop *loop = loops_innermost(&s->within);
    row_load(s->input.type, lanes->from[k] + block->place.input + (int64_t)block->along * loop->input, loop->input,
             block->count, x);
}

static void store_block(const struct softmax *s, const struct lanes *lanes, int k, const struct block *block,
                        const double *x)
{
    const struct loop *loop = loops_innermost(&s->within);
    row_store(&s->output, x, block->count, lanes->to[k] + block->place.output + (int64_t)block->along * loop->output,
              loop->output);
}

static void find_greatest(const struct softmax *s, struct lanes *lanes)
{
    struct block block = first_block(s);
    _Alignas(64) double x[ROW_BLOCK];
    for (int k = 0; k < lanes->count; k++)
        lanes->greatest[k] = -INFINITY;
    do
        for (int k = 0; k < lanes->count; k++) {
            load_block(s, lanes, k, &block, x);
            find_most(x, block.count, &lanes->greatest[k]);
        }
    while (next_softmax_block(s, &block));
}

/* Adds up the powers, in row-major order. */
static void sum_powers(const struct softmax *s, struct lanes *lanes)
{
    struct block block = first_block(s);
    _Alignas(64) double x[ROW_LANES][ROW_BLOCK], t[ROW_BLOCK];
    memset(lanes->sums, 0, sizeof lanes->sums);
    do {
        const double *rows[ROW_LANES];
        for (int k = 0; k < lanes->count; k++) {
            double *to = lanes->powers ? lanes->powers + (uint64_t)k * s->length + block.number : x[k];
            load_block(s, lanes, k, &block, t);
            subtract(t, block.count, lanes->greatest[k]);
            exponential_row(t, block.count, to);
            rows[k] = to;
        }
        for (int k = lanes->count; k < ROW_LANES; k++)
            rows[k] = rows[0];
        row_add_numbers_up(rows, block.count, lanes->sums);
    } while (next_softmax_block(s, &block));
}

static void write_part(const struct softmax *s, const struct lanes *lanes, int k, const struct block *block)
{
    _Alignas(64) double x[ROW_BLOCK], t[ROW_BLOCK];
    const double *powers = x;
    if (lanes->powers) {
        powers = lanes->powers + (uint64_t)k * s->length + block->number;
    } else {
        load_block(s, lanes, k, block, t);
        subtract(t, block->count, lanes->greatest[k]);
        exponential_row(t, block->count, x);
    }
    divide_block(powers, block->count, lanes->sums[k], t);
    store_block(s, lanes, k, block, t);
}

static void write_logarithm(const struct softmax *s, const struct lanes *lanes, int k, const struct block *block)
{
    _Alignas(64) double x[ROW_BLOCK];
    load_block(s, lanes, k, block, x);
    subtract(x, block->count, lanes->greatest[k]);
    subtract(x, block->count, log(lanes->sums[k]));
    store_block(s, lanes, k, block, x);
}

/* Computes the slices of all lanes. An element is read before its offset is written: the output may be the input. */
static void run_slice_lanes(const struct softmax *s, struct lanes *lanes)
{
    struct block block = first_block(s);
    find_greatest(s, lanes);
    sum_powers(s, lanes);
    do
        for (int k = 0; k < lanes->count; k++)
            if (s->result == SOFTMAX_PART)
                write_part(s, lanes, k, &block);
            else
                write_logarithm(s, lanes, k, &block);
    while (next_softmax_block(s, &block));
}

/* Writes a 1 at the first greatest element that is no NaN. */
static void run_first(const struct softmax *s, const struct lanes *lanes, int k)
{
    struct block block = first_block(s);
    _Alignas(64) double x[ROW_BLOCK];
    double greatest = 0;
    uint64_t place = 0;
    int found = 0;
    do {
        load_block(s, lanes, k, &block, x);
        for (uint64_t i = 0; i < block.count; i++)
            if (!isnan(x[i]) && (!found || x[i] > greatest)) {
                greatest = x[i];
                place = block.number + i;
                found = 1;
            }
    } while (next_softmax_block(s, &block));
    block = first_block(s);
    do {
        for (uint64_t i = 0; i < block.count; i++)
            x[i] = block.number + i == place;
        store_block(s, lanes, k, &block, x);
    } while (next_softmax_block(s, &block));
}

enum {
    LEAST_QUICK = 64, /* shorter slices are faster computed exactly */
    MOST_KEPT = 8192  /* the powers of a slice of this length fit a second-level cache */
};

static int softmax_is_quick(const struct softmax *s)
{
    const struct loop *loop = loops_innermost(&s->within);
    return s->result == SOFTMAX_PART && s->input.type == DML_TENSOR_DATA_TYPE_FLOAT32 && s->within.count == 1 &&
           loop->input == 4 && loop->output == 4 && s->length >= LEAST_QUICK;
}

void softmax_run(const struct softmax *s, const void *input, void *output)
{
    const int keeps = s->result == SOFTMAX_PART && s->length <= MOST_KEPT;
    double *powers = keeps ? malloc(ROW_LANES * s->length * sizeof *powers) : NULL;
    const int quick = powers && softmax_is_quick(s);
    struct loops_place place = {0};
    int more = 1;
    while (more) {
        struct lanes lanes = {.powers = powers};
        while (lanes.count < ROW_LANES && more) {
            const char *from = lanes.from[lanes.count] = (const char *)input + place.input;
            char *to = lanes.to[lanes.count] = (char *)output + place.output;
            lanes.count += quick && softmax_quick(&s->output, from, s->length, powers, to) ? 0 : 1;
            more = loops_next(&s->slices, 0, &place);
        }
        if (s->result != SOFTMAX_FIRST && lanes.count > 0)
            run_slice_lanes(s, &lanes);
        for (int k = 0; k < lanes.count && s->result == SOFTMAX_FIRST; k++)
            run_first(s, &lanes, k);
    }
    free(powers);
}
