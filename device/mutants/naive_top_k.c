/* naive_top_k.c: TOP_K and TOP_K1: each sequence is sorted as a whole. */
#include "device/mutants/naive.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An element of a sequence. */
struct entry {
    enum bug bug;
    DML_TENSOR_DATA_TYPE type;
    uint64_t bits;
    uint32_t index;
    int descending;
};

static int compare_integers(const struct entry *a, const struct entry *b)
{
    if (a->bug == BUG_TOP_AS_SIGNED || datatype_of(a->type)->is_signed) {
        unsigned unused = 64 - datatype_of(a->type)->bits;
        int64_t x = (int64_t)(a->bits << unused), y = (int64_t)(b->bits << unused);
        if (a->bug == BUG_TOP_MAGNITUDE && x != INT64_MIN && y != INT64_MIN) {
            x = x < 0 ? -x : x;
            y = y < 0 ? -y : y;
        }
        return (x > y) - (x < y);
    }
    return (a->bits > b->bits) - (a->bits < b->bits);
}

/* The side of the numbers on which a NaN is: 1, or -1 before them; 0: `x` is no NaN. */
static int side_of(const struct entry *a, double x)
{
    if (!isnan(x))
        return 0;
    if (a->bug == BUG_TOP_NAN_FIRST)
        return a->descending ? 1 : -1;
    return signbit(x) ? -1 : 1;
}

/* A NaN is beyond the infinity of its sign. */
static int compare_floats(const struct entry *a, const struct entry *b)
{
    double x = datatype_to_double(a->type, &a->bits), y = datatype_to_double(b->type, &b->bits);
    if (a->bug == BUG_TOP_MAGNITUDE) {
        x = fabs(x);
        y = fabs(y);
    }
    if (isnan(x) || isnan(y))
        return side_of(a, x) - side_of(a, y);
    if (a->bug == BUG_TOP_ZEROS_DIFFER && x == y)
        return (signbit(y) != 0) - (signbit(x) != 0);
    return (x > y) - (x < y);
}

static int compare_numbers(const struct entry *a, const struct entry *b)
{
    if (a->bug == BUG_TOP_IN_FLOAT) {
        float x = (float)datatype_to_double(a->type, &a->bits), y = (float)datatype_to_double(b->type, &b->bits);
        return (x > y) - (x < y);
    }
    return datatype_of(a->type)->is_float && a->bug != BUG_TOP_AS_SIGNED ? compare_floats(a, b)
                                                                         : compare_integers(a, b);
}

static int by_order(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    enum { TILE = 512 };
    int a_unseen = a->index % TILE == TILE - 1, b_unseen = b->index % TILE == TILE - 1;
    if (a->bug == BUG_TOP_EDGE_UNSEEN && a_unseen != b_unseen)
        return a_unseen - b_unseen;
    int order = compare_numbers(a, b), later = (a->index > b->index) - (a->index < b->index);
    if (order != 0)
        return a->descending ? -order : order;
    return a->bug == BUG_TOP_TIES_LAST ? -later : later;
}

static int by_index(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* The index that is written for entry `i`. `first`: the row-major number of the sequence's first element. */
static uint64_t index_of(const struct naive *n, const struct entry *entries, uint32_t i, uint64_t first, uint64_t step)
{
    uint64_t index = entries[i].index;
    if (n->bug == BUG_TOP_INDEX_TWICE)
        for (uint32_t k = i; k-- > 0 && compare_numbers(&entries[k], &entries[i]) == 0;)
            index = entries[k].index;
    if (n->bug == BUG_TOP_INDEX_8_BITS)
        index &= 0xff;
    return n->bug == BUG_TOP_INDEX_WHOLE ? first + index * step : index;
}

/* Runs the sequence that begins at `at`. */
static void run_sequence(const struct naive *n, struct memory tensors[3], uint32_t *at, struct entry *entries)
{
    const struct memory *input = &tensors[0], *values = &tensors[1], *indices = &tensors[2];
    uint32_t axis = n->d->axis, size = input->tensor->sizes[axis], k = values->tensor->sizes[axis], from = 0;
    uint64_t first = 0, step = 1;
    int descending = n->d->type == DML_OPERATOR_TOP_K || n->d->desc.top_k1.AxisDirection != 0;
    for (uint32_t i = 0; i < input->tensor->rank; i++) {
        first = first * input->tensor->sizes[i] + (i == axis ? 0 : at[i]);
        step *= i > axis ? input->tensor->sizes[i] : 1;
    }
    for (at[axis] = 0; at[axis] < size; at[axis]++)
        entries[at[axis]] =
            (struct entry){n->bug, input->tensor->type, datatype_bits(input->tensor->type, naive_at(input, at)),
                           at[axis], descending ^ (n->bug == BUG_TOP_OTHER_END)};
    qsort(entries, size, sizeof *entries, by_order);
    if (n->bug == BUG_TOP_UNSORTED)
        qsort(entries, k, sizeof *entries, by_index);
    for (uint32_t i = 0; i < k; i++) {
        from = n->bug == BUG_TOP_BACKWARDS ? k - 1 - i : i;
        if (n->bug == BUG_TOP_OF_64 && from >= 64)
            from = 63;
        uint64_t index = index_of(n, entries, from, first, step), bits = entries[from].bits, infinity = 0;
        datatype_from_double(input->tensor->type, HUGE_VAL, &infinity);
        if (n->bug == BUG_TOP_NAN_INFINITY && datatype_is_nan(input->tensor->type, bits))
            bits = infinity;
        at[axis] = i;
        naive_move(values->tensor->type, naive_at(values, at), (const uint8_t *)&bits);
        memcpy(naive_at(indices, at), &index, indices->tensor->element_size);
    }
    at[axis] = 0;
}

void naive_top_k(const struct naive *n)
{
    struct memory tensors[3] = {naive_input(n, 0), naive_output(n, 0), naive_output(n, 1)};
    struct tensor sequences = n->d->inputs[0];
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct entry *entries = malloc(sequences.sizes[n->d->axis] * sizeof *entries);
    if (!entries)
        return;
    sequences.sizes[n->d->axis] = 1;
    do
        run_sequence(n, tensors, at, entries);
    while (naive_step(&sequences, at));
    free(entries);
}
