/* test_vulkan_model.h: random cases of all operators, and the outputs that a naive model expects. Only test_vulkan.c
 * includes this.
 *
 * The model writes the expected elements over a copy of the output's initial bytes, and all bytes are compared: bytes
 * that a device does not write must keep their value, and this device writes only elements. */
#ifndef TEST_VULKAN_MODEL_H
#define TEST_VULKAN_MODEL_H

#include "device/device.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 8, EDGE = 64, FILL = 0xA5 };

static uint64_t seed = 1;

static uint64_t random64(void)
{
    uint64_t z = seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint32_t model_below(uint64_t n)
{
    return (uint32_t)(random64() % n);
}

/* A tensor, its description, and its bytes between two guards. */
struct array {
    DML_TENSOR_DATA_TYPE type;
    uint32_t bytes_each, rank, sizes[RANKS], strides[RANKS];
    uint64_t count, bytes, offset;
    uint8_t *base, *data, *before; /* before: the contents of `base` when the device got it */
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
};

enum layout { PACKED, PADDED, BROADCAST };

static uint32_t type_bytes(DML_TENSOR_DATA_TYPE type)
{
    static const uint8_t sizes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8};
    return sizes[type];
}

/* Sets the strides: packed; with gaps and in any order; or with broadcast dimensions, too. */
static void array_lay_out(struct array *a, enum layout layout)
{
    uint32_t order[RANKS];
    uint64_t run = 1, last = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        order[i] = a->rank - 1 - i;
    for (uint32_t i = a->rank; layout != PACKED && i > 1; i--) {
        uint32_t k = model_below(i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    a->count = 1;
    for (uint32_t i = 0; i < a->rank; i++) {
        uint32_t d = order[i];
        a->strides[d] = layout == BROADCAST && model_below(2) ? 0 : (uint32_t)run;
        last += (uint64_t)(a->sizes[d] - 1) * a->strides[d];
        if (a->strides[d])
            run = run * a->sizes[d] + (layout == PACKED ? 0 : model_below(3));
        if (layout != PACKED && a->sizes[d] == 1)
            a->strides[d] = model_below(100); /* never used */
        a->count *= a->sizes[d];
    }
    a->bytes = ((last + 1) * a->bytes_each + 3) / 4 * 4 + (model_below(4) ? 0 : 4 * model_below(9));
}

static void array_make(struct array *a, DML_TENSOR_DATA_TYPE type, enum layout layout)
{
    a->type = type;
    a->bytes_each = type_bytes(type);
    array_lay_out(a, layout);
    a->offset = EDGE + 16 * model_below(4);
    a->base = malloc(a->offset + a->bytes + EDGE);
    a->before = malloc(a->offset + a->bytes + EDGE);
    if (!a->base || !a->before)
        abort();
    a->data = a->base + a->offset;
    memset(a->base, FILL, a->offset + a->bytes + EDGE);
    a->buffer = (DML_BUFFER_TENSOR_DESC){
        type, DML_TENSOR_FLAG_NONE, a->rank, a->sizes, layout == PACKED && model_below(2) ? NULL : a->strides, a->bytes,
        0};
    a->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &a->buffer};
}

static void array_fill(struct array *a)
{
    for (uint64_t i = 0; i < a->bytes; i += 8) {
        uint64_t bits = random64();
        memcpy(a->data + i, &bits, a->bytes - i < 8 ? a->bytes - i : 8);
    }
}

static void array_remember(struct array *a)
{
    memcpy(a->before, a->base, a->offset + a->bytes + EDGE);
}

static void array_free(struct array *a)
{
    free(a->base);
    free(a->before);
}

static uint8_t *array_element(const struct array *a, const uint32_t *coordinates)
{
    uint64_t at = 0;
    for (uint32_t d = 0; d < a->rank; d++)
        at += (uint64_t)coordinates[d] * (a->sizes[d] > 1 ? a->strides[d] : 0);
    return a->data + at * a->bytes_each;
}

/* Advances coordinates in row-major order; returns 0 after the last ones. */
static int next_coordinates(const uint32_t *sizes, uint32_t rank, uint32_t *coordinates)
{
    for (uint32_t d = rank; d-- > 0;) {
        if (++coordinates[d] < sizes[d])
            return 1;
        coordinates[d] = 0;
    }
    return 0;
}

/* One operator with its tensors. `indexed`: a gather's input, a scatter's output. `other`: a gather's output, a
 * scatter's updates. */
struct test {
    DML_OPERATOR_TYPE type;
    uint32_t axis, width, p, q, batch;
    struct array inputs[3], outputs[2];
    uint32_t input_count, output_count;
    uint8_t *expected[2];
    assay_compiled *compiled;
    assay_binding in[3], out[2];
};

static int test_is_scatter(const struct test *test)
{
    return test->type == DML_OPERATOR_SCATTER_ELEMENTS || test->type == DML_OPERATOR_SCATTER_ND;
}

static struct array *indexed(struct test *test)
{
    return test_is_scatter(test) ? &test->outputs[0] : &test->inputs[0];
}

static struct array *other(struct test *test)
{
    return test_is_scatter(test) ? &test->inputs[2] : &test->outputs[0];
}

static uint64_t index_value(const struct array *indices, const uint32_t *c, int *is_negative)
{
    const uint8_t *at = array_element(indices, c);
    uint64_t value = 0;
    int64_t sign;
    memcpy(&value, at, indices->bytes_each);
    sign = indices->bytes_each == 8 ? (int64_t)value : (int32_t)(uint32_t)value;
    *is_negative =
        (indices->type == DML_TENSOR_DATA_TYPE_INT32 || indices->type == DML_TENSOR_DATA_TYPE_INT64) && sign < 0;
    return *is_negative ? (uint64_t)sign : value;
}

/* Returns an index, wrapped once and clamped; `good`: it was in range. */
static uint32_t resolve(const struct array *indices, const uint32_t *c, uint32_t size, int *good)
{
    int negative;
    uint64_t value = index_value(indices, c, &negative);
    if (negative)
        value += size;
    if (negative && value >> 63) {
        *good = 0;
        return 0;
    }
    if (value >= size) {
        *good = 0;
        return size - 1;
    }
    return (uint32_t)value;
}

/* Sets, for coordinates `c` of the other tensor, the coordinates in the indices (except the tuple's), and in the
 * indexed tensor. */
static int locate_indexed(struct test *test, const uint32_t *c, uint32_t *ic, uint32_t *xc)
{
    const struct array *x = indexed(test), *indices = &test->inputs[1], *o = other(test);
    uint32_t rank = x->rank;
    int good = 1;
    memset(ic, 0, RANKS * sizeof *ic);
    memset(xc, 0, RANKS * sizeof *xc);
    if (test->type == DML_OPERATOR_GATHER) {
        int64_t at = (int64_t)o->rank - (int64_t)(rank - 1 + test->width);
        for (uint32_t d = 0; d < test->axis; d++, at++)
            xc[d] = at < 0 ? 0 : c[at];
        for (uint32_t d = rank - test->width; d < rank; d++, at++)
            ic[d] = at < 0 ? 0 : c[at];
        for (uint32_t d = test->axis + 1; d < rank; d++, at++)
            xc[d] = at < 0 ? 0 : c[at];
        xc[test->axis] = resolve(indices, ic, x->sizes[test->axis], &good);
    } else if (test->type == DML_OPERATOR_GATHER_ELEMENTS || test->type == DML_OPERATOR_SCATTER_ELEMENTS) {
        memcpy(ic, c, rank * sizeof *ic);
        memcpy(xc, c, rank * sizeof *xc);
        xc[test->axis] = resolve(indices, ic, x->sizes[test->axis], &good);
    } else {
        uint32_t tuple = indices->sizes[rank - 1], tail = test->p - test->batch - tuple;
        uint32_t at = rank - (test->q - 1) - tail;
        for (uint32_t d = 0; d < test->q - 1; d++)
            ic[rank - test->q + d] = c[at + d];
        for (uint32_t d = 0; d < test->batch; d++)
            xc[rank - test->p + d] = c[at + d];
        for (uint32_t k = 0; k < tuple; k++) {
            uint32_t d = rank - test->p + test->batch + k;
            ic[rank - 1] = k;
            xc[d] = resolve(indices, ic, x->sizes[d], &good);
        }
        for (uint32_t d = rank - tail; d < rank; d++)
            xc[d] = c[d];
    }
    return good;
}

/* Ensures that no two updates of a scatter go to one element: puts the later one's index out of range. */
static void part_updates(struct test *test)
{
    struct array *x = indexed(test), *indices = &test->inputs[1], *o = other(test);
    uint8_t *taken = calloc(x->count, 1);
    uint32_t c[RANKS] = {0}, ic[RANKS], xc[RANKS];
    do {
        uint64_t at = 0, bad = indices->bytes_each == 8 && model_below(2) ? 1ull << 32 : 0x7ffffff0u;
        if (!locate_indexed(test, c, ic, xc))
            continue;
        for (uint32_t d = 0; d < x->rank; d++)
            at = at * x->sizes[d] + xc[d];
        if (taken[at])
            memcpy(array_element(indices, ic), &bad, indices->bytes_each);
        taken[at] = 1;
    } while (next_coordinates(o->sizes, o->rank, c));
    free(taken);
}

static uint64_t pick_index(uint32_t size, int is_signed)
{
    static const uint64_t odd[] = {0x7fffffffu, 0x80000000u, 0xffffffffu,        1ull << 32,
                                   ~0ull,       1ull << 63,  0xffffffff00000000u};
    uint64_t value = model_below(size);
    if (!model_below(16))
        return odd[model_below(sizeof odd / sizeof *odd)] + model_below(2);
    if (!model_below(16))
        return is_signed && model_below(2) ? 0u - (uint64_t)size - model_below(2) : (uint64_t)size + model_below(2);
    return is_signed && model_below(3) == 0 ? value - size : value;
}

static void fill_indices(struct test *test)
{
    struct array *indices = &test->inputs[1];
    struct array *x = indexed(test);
    int is_signed = indices->type == DML_TENSOR_DATA_TYPE_INT32 || indices->type == DML_TENSOR_DATA_TYPE_INT64;
    int is_nd = test->p != 0;
    uint32_t c[RANKS] = {0};
    do {
        uint32_t d = is_nd ? x->rank - test->p + test->batch + c[indices->rank - 1] : test->axis;
        uint64_t value = pick_index(x->sizes[d], is_signed);
        memcpy(array_element(indices, c), &value, indices->bytes_each);
    } while (next_coordinates(indices->sizes, indices->rank, c));
    if (test_is_scatter(test))
        part_updates(test);
}

/* Draws sizes whose product is about `most` or less. */
static void pick_sizes(uint32_t *sizes, uint32_t rank, uint64_t max)
{
    for (uint32_t d = 0; d < rank; d++)
        sizes[d] = 1;
    for (uint32_t turn = 0; turn < rank && max > 1; turn++) {
        uint32_t d = model_below(rank), size = 1 + model_below(max > 40 && model_below(3) ? 40 : max);
        if (sizes[d] == 1 && model_below(8)) {
            sizes[d] = model_below(4) ? size : (size + 7) / 8 * 8;
            max /= sizes[d];
        }
    }
}

static uint64_t product(const uint32_t *sizes, uint32_t begin, uint32_t end)
{
    uint64_t all = 1;
    for (uint32_t d = begin; d < end; d++)
        all *= sizes[d];
    return all;
}

static void shape_gather(struct test *test, uint64_t max)
{
    struct array *x = &test->inputs[0], *indices = &test->inputs[1], *o = &test->outputs[0];
    uint32_t rank = x->rank, full[2 * RANKS], n = 0;
    pick_sizes(x->sizes, rank, max);
    test->axis = model_below(rank);
    test->width = model_below(test->axis + 2);
    for (uint32_t d = 0; d + 1 < test->width; d++)
        x->sizes[d] = 1;
    uint64_t rest = product(x->sizes, 0, rank) / x->sizes[test->axis];
    pick_sizes(indices->sizes, rank, model_below(2) ? 8 : max / rest + 1);
    for (uint32_t d = 0; d < rank - test->width; d++)
        indices->sizes[d] = 1;
    for (uint32_t d = 0; d < test->axis; d++)
        full[n++] = x->sizes[d];
    for (uint32_t d = rank - test->width; d < rank; d++)
        full[n++] = indices->sizes[d];
    for (uint32_t d = test->axis + 1; d < rank; d++)
        full[n++] = x->sizes[d];
    for (uint32_t d = 0; d < rank; d++)
        o->sizes[rank - 1 - d] = d < n ? full[n - 1 - d] : 1;
}

static void shape_elements(struct test *test, uint64_t max)
{
    struct array *x = &test->inputs[0], *indices = &test->inputs[1];
    uint32_t rank = x->rank;
    pick_sizes(x->sizes, rank, max);
    test->axis = model_below(rank);
    memcpy(indices->sizes, x->sizes, sizeof x->sizes);
    indices->sizes[test->axis] = 1 + model_below(2 * x->sizes[test->axis]);
    memcpy(test_is_scatter(test) ? test->inputs[2].sizes : test->outputs[0].sizes, indices->sizes, sizeof x->sizes);
}

static void shape_nd(struct test *test, uint64_t max)
{
    struct array *x = &test->inputs[0], *indices = &test->inputs[1];
    struct array *o = test_is_scatter(test) ? &test->inputs[2] : &test->outputs[0];
    uint32_t rank = x->rank, tuple, tail;
    pick_sizes(x->sizes, rank, max);
    do {
        test->p = 1 + model_below(rank);
        test->q = 1 + model_below(rank);
        test->batch = 0;
        if (test->type == DML_OPERATOR_GATHER_ND1)
            test->batch = model_below(test->p < test->q ? test->p : test->q);
        tuple = 1 + model_below(test->p - test->batch);
        tail = test->p - test->batch - tuple;
    } while (test->q - 1 + tail > rank);
    uint64_t rest =
        product(x->sizes, rank - test->p, rank - test->p + test->batch) * product(x->sizes, rank - tail, rank);
    pick_sizes(indices->sizes, rank, model_below(2) ? 8 : max / rest + 1);
    indices->sizes[rank - 1] = tuple;
    for (uint32_t d = 0; d < rank; d++) {
        if (d < rank - test->p)
            x->sizes[d] = 1;
        if (d < rank - test->q)
            indices->sizes[d] = 1;
        o->sizes[d] = 1;
    }
    for (uint32_t d = 0; d < test->batch; d++)
        indices->sizes[rank - test->q + d] = x->sizes[rank - test->p + d];
    for (uint32_t d = 0; d + 1 < test->q; d++)
        o->sizes[rank - tail - (test->q - 1) + d] = indices->sizes[rank - test->q + d];
    for (uint32_t d = 0; d < tail; d++)
        o->sizes[rank - 1 - d] = x->sizes[rank - 1 - d];
}

static enum layout pick_layout(int may_broadcast)
{
    uint32_t n = model_below(may_broadcast ? 4 : 3);
    if (n < 2)
        return PACKED;
    return n == 2 ? PADDED : BROADCAST;
}

static void expect_moves(struct test *test)
{
    struct array *x = indexed(test), *o = other(test), *to = &test->outputs[0];
    uint32_t c[RANKS] = {0}, ic[RANKS], xc[RANKS];
    uint8_t *data = to->data;
    memcpy(test->expected[0], to->data, to->bytes);
    to->data = test->expected[0]; /* the model writes to it */
    if (test_is_scatter(test)) {
        do
            memcpy(array_element(to, c), array_element(&test->inputs[0], c), to->bytes_each);
        while (next_coordinates(to->sizes, to->rank, c));
    }
    do {
        int good = locate_indexed(test, c, ic, xc);
        if (!test_is_scatter(test))
            memcpy(array_element(o, c), array_element(x, xc), x->bytes_each);
        else if (good)
            memcpy(array_element(x, xc), array_element(o, c), x->bytes_each);
    } while (next_coordinates(o->sizes, o->rank, c));
    to->data = data;
}

static void make_moves(struct test *test, uint64_t max)
{
    static const DML_TENSOR_DATA_TYPE data[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16,
                                                DML_TENSOR_DATA_TYPE_UINT32,  DML_TENSOR_DATA_TYPE_UINT16,
                                                DML_TENSOR_DATA_TYPE_UINT8,   DML_TENSOR_DATA_TYPE_INT32,
                                                DML_TENSOR_DATA_TYPE_INT16,   DML_TENSOR_DATA_TYPE_INT8,
                                                DML_TENSOR_DATA_TYPE_UINT64,  DML_TENSOR_DATA_TYPE_INT64};
    static const DML_TENSOR_DATA_TYPE index[] = {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32,
                                                 DML_TENSOR_DATA_TYPE_UINT64, DML_TENSOR_DATA_TYPE_INT64};
    uint32_t rank = 1 + model_below(RANKS);
    DML_TENSOR_DATA_TYPE type = data[model_below(sizeof data / sizeof *data)];
    test->input_count = test_is_scatter(test) ? 3 : 2;
    test->output_count = 1;
    for (uint32_t i = 0; i < 3; i++)
        test->inputs[i].rank = rank;
    test->outputs[0].rank = rank;
    if (test->type == DML_OPERATOR_GATHER)
        shape_gather(test, max);
    else if (test->type == DML_OPERATOR_GATHER_ELEMENTS || test->type == DML_OPERATOR_SCATTER_ELEMENTS)
        shape_elements(test, max);
    else
        shape_nd(test, max);
    if (test_is_scatter(test))
        memcpy(test->outputs[0].sizes, test->inputs[0].sizes, sizeof test->inputs[0].sizes);
    array_make(&test->inputs[0], type, pick_layout(1));
    array_make(&test->inputs[1], index[model_below(4)], pick_layout(!test_is_scatter(test)));
    if (test_is_scatter(test))
        array_make(&test->inputs[2], type, pick_layout(1));
    array_make(&test->outputs[0], type, pick_layout(0));
    for (uint32_t i = 0; i < test->input_count; i++)
        array_fill(&test->inputs[i]);
    fill_indices(test);
    test->expected[0] = malloc(test->outputs[0].bytes);
    expect_moves(test);
}

/* Draws 0, -0, the smallest denormal or any bits. */
static uint32_t pick_value(uint32_t density)
{
    uint32_t any = (uint32_t)random64(), zero = model_below(2) ? 0 : 0x80008080u;
    if (model_below(100) >= density)
        return zero;
    return model_below(4) ? any : 1;
}

static int element_is_nonzero(DML_TENSOR_DATA_TYPE type, const uint8_t *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, type_bytes(type));
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32)
        bits &= 0x7fffffffu;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        bits &= 0x7fffu;
    return bits != 0;
}

static void expect_nonzero(struct test *test)
{
    struct array *x = &test->inputs[0], *rows = &test->outputs[1];
    uint32_t c[RANKS] = {0}, rc[RANKS] = {0}, n = rows->sizes[rows->rank - 1], found = 0;
    uint8_t *data = rows->data;
    memcpy(test->expected[0], test->outputs[0].data, test->outputs[0].bytes);
    memcpy(test->expected[1], data, rows->bytes);
    rows->data = test->expected[1];
    do {
        if (!element_is_nonzero(x->type, array_element(x, c)))
            continue;
        rc[rows->rank - 2] = found++;
        for (rc[rows->rank - 1] = 0; rc[rows->rank - 1] < n; rc[rows->rank - 1]++)
            memcpy(array_element(rows, rc), &c[x->rank - n + rc[rows->rank - 1]], sizeof *c);
    } while (next_coordinates(x->sizes, x->rank, c));
    rows->data = data;
    memcpy(test->expected[0], &found, sizeof found);
}

static void make_nonzero_test(struct test *test, uint64_t max, uint32_t density)
{
    static const DML_TENSOR_DATA_TYPE data[] = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16,
                                                DML_TENSOR_DATA_TYPE_UINT32,  DML_TENSOR_DATA_TYPE_UINT16,
                                                DML_TENSOR_DATA_TYPE_UINT8,   DML_TENSOR_DATA_TYPE_INT32,
                                                DML_TENSOR_DATA_TYPE_INT16,   DML_TENSOR_DATA_TYPE_INT8};
    struct array *x = &test->inputs[0], *count = &test->outputs[0], *rows = &test->outputs[1];
    uint32_t effective = 0;
    test->input_count = 1;
    test->output_count = 2;
    x->rank = 1 + model_below(RANKS);
    pick_sizes(x->sizes, x->rank, max);
    for (uint32_t d = 0; d < x->rank && !effective; d++)
        effective = x->sizes[d] > 1 ? x->rank - d : 0;
    array_make(x, data[model_below(sizeof data / sizeof *data)], pick_layout(1));
    for (uint64_t i = 0; i + 4 <= x->bytes; i += 4) {
        uint32_t value = pick_value(density);
        memcpy(x->data + i, &value, sizeof value);
    }
    count->rank = 1 + model_below(RANKS);
    rows->rank = 2 + model_below(RANKS - 1);
    for (uint32_t d = 0; d < RANKS; d++)
        count->sizes[d] = rows->sizes[d] = 1;
    uint32_t least = effective ? effective : 1;
    rows->sizes[rows->rank - 2] = (uint32_t)x->count;
    rows->sizes[rows->rank - 1] = least + model_below(x->rank - least + 1);
    array_make(count, DML_TENSOR_DATA_TYPE_UINT32, PACKED);
    array_make(rows, DML_TENSOR_DATA_TYPE_UINT32, pick_layout(0));
    test->expected[0] = malloc(count->bytes);
    test->expected[1] = malloc(rows->bytes);
    expect_nonzero(test);
}
#endif
