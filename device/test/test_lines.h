/* test_lines.h: functions for the tests of reductions and cumulative operators: tensors of any layout with random
 * elements, a run, sums to compare with. */
#ifndef TEST_LINES_H
#define TEST_LINES_H

#include "device/common/descriptor.h"
#include "device/common/number.h"
#include "device/test/test_open.h"

#include <math.h>
#include <stdlib.h>

enum { RANK = DML_TENSOR_DIMENSION_COUNT_MAX1, GAP = 0xa5 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name

static const assay_device_api *api;
static assay_device *device;
static uint64_t seed = 1;

static uint64_t lines_draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (seed ^ seed >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint32_t lines_below(uint32_t limit)
{
    return (uint32_t)((lines_draw() >> 32) * limit >> 32);
}

/* A tensor: its description and memory. */
struct box {
    UINT sizes[RANK], strides[RANK];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    uint32_t rank, width; /* bytes of an element */
    uint64_t count;
    uint32_t *offsets; /* offset of each element, in row-major order */
    unsigned char *data;
};

/* Moves `at`, coordinates that begin with zeros, to the next element in row-major order. Returns its offset by these
 * strides; `offset` is the current one. */
static uint64_t next_offset(uint32_t rank, const UINT *sizes, const uint64_t *strides, UINT *at, uint64_t offset)
{
    for (uint32_t d = rank; d-- > 0;) {
        offset += strides[d];
        if (++at[d] < sizes[d])
            break;
        offset -= strides[d] * sizes[d];
        at[d] = 0;
    }
    return offset;
}

/* Makes a tensor with random strides and gaps, unless `packed`; `repeats`: some strides may be 0. Memory is filled with
 * GAP. */
static void line_box_init(struct box *box, DML_TENSOR_DATA_TYPE type, uint32_t rank, const UINT *sizes, int packed,
                          int repeats)
{
    uint32_t order[RANK];
    UINT at[RANK] = {0};
    uint64_t strides[RANK], stride = 1, extent = 1, offset = 0;
    *box = (struct box){.rank = rank, .width = descriptor_element_size(type), .count = 1};
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t other = packed ? d : lines_below(d + 1);
        order[d] = order[other];
        order[other] = d;
        box->sizes[d] = sizes[d];
        box->count *= sizes[d];
    }
    for (uint32_t d = rank; d-- > 0;) {
        int is_repeated = !packed && repeats && lines_below(6) == 0;
        box->strides[order[d]] = is_repeated ? 0 : (UINT)stride;
        if (!is_repeated)
            stride = stride * sizes[order[d]] + (!packed && lines_below(4) == 0 ? lines_below(3) : 0);
    }
    for (uint32_t d = 0; d < rank; d++) {
        strides[d] = box->strides[d];
        extent += (sizes[d] - 1ull) * strides[d];
    }
    box->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                           .DimensionCount = rank,
                                           .Sizes = box->sizes,
                                           .Strides = packed ? NULL : box->strides,
                                           .TotalTensorSizeInBytes = (extent * box->width + 3) / 4 * 4};
    box->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
    box->data = malloc(box->buffer.TotalTensorSizeInBytes);
    box->offsets = malloc(box->count * sizeof *box->offsets);
    if (!box->data || !box->offsets)
        exit(1);
    memset(box->data, GAP, box->buffer.TotalTensorSizeInBytes);
    for (uint64_t i = 0; i < box->count; i++, offset = next_offset(rank, sizes, strides, at, offset))
        box->offsets[i] = (uint32_t)offset;
}

static void box_free(struct box *box)
{
    free(box->data);
    free(box->offsets);
}

static void *box_element(const struct box *box, uint64_t i)
{
    return box->data + (uint64_t)box->offsets[i] * box->width;
}

/* Checks that bytes between the elements are unchanged. */
static int gaps_hold(const struct box *box)
{
    uint64_t bytes = box->buffer.TotalTensorSizeInBytes;
    unsigned char *touched = calloc(1, bytes);
    int good = touched != NULL;
    for (uint64_t i = 0; good && i < box->count; i++)
        memset(touched + (uint64_t)box->offsets[i] * box->width, 1, box->width);
    for (uint64_t i = 0; good && i < bytes; i++)
        good = touched[i] || box->data[i] == GAP;
    free(touched);
    return good;
}

/* Runs an operator on one tensor. */
static HRESULT run_lines(DML_OPERATOR_TYPE type, const void *desc, const struct box *in, const struct box *out)
{
    DML_OPERATOR_DESC description = {type, desc};
    assay_binding input = {in->data, 0, in->buffer.TotalTensorSizeInBytes},
                  output = {out->data, 0, out->buffer.TotalTensorSizeInBytes};
    assay_dispatch_item item = {.inputs = &input, .outputs = &output, .input_count = 1, .output_count = 1};
    return compute_once(api, device, &description, &item);
}

/* Returns how far a result of `n` additions or multiplications in tiles, then rounded to the type, may be from `value`;
 * `size`: the sum of the sizes of the terms. */
static double allowance(DML_TENSOR_DATA_TYPE type, double n, double value, double size)
{
    double rounding = type == TYPE(FLOAT16) ? 0x1p-11 * fabs(value) + 0x1p-25 : 0x1p-24 * fabs(value) + 0x1p-149;
    double steps = n < 80 ? n : 80; /* additions on the way of an element to the result */
    return rounding + steps * 0x1p-24 * size;
}

/* Returns the same for a product of `n` factors: every multiplication counts. */
static inline double allowance_of_product(DML_TENSOR_DATA_TYPE type, double n, double value)
{
    return allowance(type, 0, value, 0) + n * 0x1p-24 * fabs(value);
}

/* Tells whether the result is as near as allowed. */
static int sum_is_near(DML_TENSOR_DATA_TYPE type, double got, double expected, double allowed)
{
    double largest = type == TYPE(FLOAT16) ? 65504 : (double)0x1.fffffep127f;
    if (isnan(expected) || isnan(got))
        return isnan(expected) && isnan(got);
    if (isinf(got) && isinf(expected))
        return got == expected;
    if (isinf(got))
        return (got > 0) == (expected > 0) && fabs(expected) + allowed >= largest;
    return fabs(got - expected) <= allowed;
}

/* Draws random sizes of a tensor with about `most` elements at most. */
static uint32_t draw_sizes(UINT *sizes, uint32_t most)
{
    uint32_t rank = 1 + lines_below(RANK), count = 1;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t limit = 1;
        if (most / count >= 2)
            limit = lines_below(3) ? 1 + lines_below(5) : 1 + lines_below(most / count);
        sizes[d] = limit > most / count ? 1 : limit;
        count *= sizes[d];
    }
    for (uint32_t d = rank; d-- > 1;) {
        uint32_t other = lines_below(d + 1);
        UINT size = sizes[d];
        sizes[d] = sizes[other];
        sizes[other] = size;
    }
    return rank;
}

#endif
