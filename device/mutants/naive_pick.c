/* naive_pick.c: diagonals, reversed subsequences, one-hot vectors, unpooling. */
#include "device/mutants/naive.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <string.h>

/* ---- diagonals */

static int64_t apart_of(const struct naive *n, const struct tensor *t, const uint32_t *at)
{
    int64_t row = at[t->rank - 2], column = at[t->rank - 1];
    return n->bug == BUG_DIAGONAL_MIRRORED ? row - column : column - row;
}

static int is_in_later_batch(const struct tensor *t, const uint32_t *at)
{
    for (uint32_t i = 0; i + 2 < t->rank; i++)
        if (at[i] > 0)
            return 1;
    return 0;
}

static int is_in_band(const struct naive *n, int64_t apart, int64_t begin, int64_t end)
{
    end += n->bug == BUG_BAND_CLOSED && begin <= end;
    if (begin > end && n->bug == BUG_BAND_EMPTY)
        return 0;
    if (begin > end && n->bug == BUG_BAND_SORTED)
        return apart >= end && apart < begin;
    return begin <= end ? apart >= begin && apart < end : apart < end || apart >= begin;
}

/* Reads the value that is filled in: bits of the output's type. */
static void read_value(const struct naive *n, uint8_t value[8])
{
    DML_TENSOR_DATA_TYPE type = n->d->outputs[0].type;
    double given = (double)n->d->desc.diagonal.Value;
    if (n->d->type == DML_OPERATOR_DIAGONAL_MATRIX1) {
        memcpy(value, n->d->desc.diagonal1.Value.Bytes, 8);
        return;
    }
    if (!datatype_of(type)->is_float)
        given = n->bug == BUG_DIAGONAL_ROUNDED ? round(given) : trunc(given);
    datatype_from_double(type, given, value);
}

static void naive_pick_fill_diagonals(const struct naive *n)
{
    int first_form = n->d->type == DML_OPERATOR_DIAGONAL_MATRIX;
    int64_t begin = first_form ? n->d->desc.diagonal.Offset : n->d->desc.diagonal1.DiagonalFillBegin;
    int64_t end = first_form ? begin + 1 : n->d->desc.diagonal1.DiagonalFillEnd;
    struct memory output = naive_output(n, 0), input = {0};
    const struct tensor *t = output.tensor;
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint8_t value[8];
    int has_input = n->d->input_count > 0 && n->d->inputs[0].rank > 0 && n->bug != BUG_BAND_ZEROS;
    if (has_input)
        input = naive_input(n, 0);
    read_value(n, value);
    do {
        int64_t apart = apart_of(n, t, at), columns = t->sizes[t->rank - 1];
        int inside = is_in_band(n, apart, begin, end);
        if (n->bug == BUG_DIAGONAL_WRAPS)
            inside |= is_in_band(n, apart + columns, begin, end);
        if (n->bug == BUG_DIAGONAL_BATCH)
            inside &= !is_in_later_batch(t, at);
        if (inside)
            memcpy(naive_at(&output, at), value, t->element_size);
        else if (has_input)
            naive_move(t->type, naive_at(&output, at), naive_at(&input, at));
        else
            memset(naive_at(&output, at), 0, t->element_size);
    } while (naive_step(t, at));
}

/* ---- subsequences */

/* The number at these coordinates of the lengths or indices, whose size along the axis is 1. */
static uint64_t naive_pick_number_at(const struct naive *n, const struct memory *numbers, const uint32_t *at,
                                     int only_first)
{
    uint32_t own[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    if (!only_first)
        memcpy(own, at, numbers->tensor->rank * sizeof *own);
    own[n->d->axis] = 0;
    return datatype_bits(numbers->tensor->type, naive_at(numbers, own));
}

static void naive_pick_reverse(const struct naive *n)
{
    struct memory input = naive_input(n, 0), lengths = naive_input(n, 1), output = naive_output(n, 0);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, from[DESCRIPTOR_MAX_DIMENSIONS], axis = n->d->axis;
    uint64_t size = input.tensor->sizes[axis];
    do {
        uint64_t length = naive_pick_number_at(n, &lengths, at, n->bug == BUG_REVERSE_FIRST), place = at[axis];
        if (n->bug == BUG_REVERSE_LOW_HALF)
            length = (uint32_t)length;
        if (n->bug == BUG_REVERSE_LONG_KEPT && length > size)
            length = 0;
        if (length > size || n->bug == BUG_REVERSE_ALL)
            length = size;
        if (n->bug == BUG_REVERSE_SHORT && length > 0)
            length--;
        memcpy(from, at, sizeof from);
        if (n->bug == BUG_REVERSE_LAST)
            from[axis] = (uint32_t)(place >= size - length ? 2 * size - length - 1 - place : place);
        else if (place < length)
            from[axis] = (uint32_t)(length - 1 - place);
        naive_move(input.tensor->type, naive_at(&output, at), naive_at(&input, from));
        if (n->bug == BUG_REVERSE_ZEROS && place >= length)
            memset(naive_at(&output, at), 0, output.tensor->element_size);
    } while (naive_step(output.tensor, at));
}

/* ---- one-hot vectors */

/* The place that an index marks; -1: none. */
static int64_t marked_place(const struct naive *n, DML_TENSOR_DATA_TYPE type, uint64_t bits, int64_t size)
{
    int is_signed = datatype_of(type)->is_signed, wide = datatype_of(type)->bits == 64;
    int64_t index = is_signed && !wide ? (int32_t)(uint32_t)bits : (int64_t)bits;
    int negative = is_signed && index < 0, beyond = !is_signed && bits > INT64_MAX;
    if (n->bug == BUG_HOT_LOW_HALF && wide) {
        index = is_signed ? (int32_t)(uint32_t)bits : (int64_t)(bits & UINT32_MAX);
        negative = index < 0;
        beyond = 0;
    }
    if (negative && n->bug == BUG_HOT_NEGATIVE_LOST)
        return -1;
    if (negative)
        index += size;
    if (n->bug == BUG_HOT_WRAPPED)
        return beyond ? (int64_t)(bits % (uint64_t)size) : (index % size + size) % size;
    if (!beyond && index >= 0 && index < size)
        return index;
    if (n->bug != BUG_HOT_CLAMPED)
        return -1;
    return !beyond && index < 0 ? 0 : size - 1;
}

static void naive_pick_one_hot(const struct naive *n)
{
    struct memory indices = naive_input(n, 0), values = naive_input(n, 1), output = naive_output(n, 0);
    const struct tensor *t = output.tensor;
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, first[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint32_t second[DESCRIPTOR_MAX_DIMENSIONS] = {0}, axis = n->d->axis;
    naive_step(values.tensor, second);
    for (uint64_t i = 2; n->bug == BUG_HOT_LAST_VALUES && i < values.tensor->count; i++) {
        memcpy(first, second, sizeof first);
        naive_step(values.tensor, second);
    }
    do {
        uint64_t bits = naive_pick_number_at(n, &indices, at, n->bug == BUG_HOT_FIRST);
        int on = marked_place(n, indices.tensor->type, bits, t->sizes[axis]) == at[axis];
        on ^= n->bug == BUG_HOT_SWAPPED;
        naive_move(t->type, naive_at(&output, at), naive_at(&values, on ? second : first));
    } while (naive_step(t, at));
}

/* ---- unpooling */

/* The coordinates of the place that an index of the element at `at` names. Returns 0 if there is none. */
static int naive_pick_find_place(const struct naive *n, const struct tensor *t, uint64_t number, const uint32_t *at,
                                 uint32_t *to)
{
    uint64_t plane = (uint64_t)t->sizes[2] * t->sizes[3];
    if (number >= t->count)
        return 0;
    for (uint32_t i = t->rank; i-- > 0; number /= t->sizes[i])
        to[i] = (uint32_t)(number % t->sizes[i]);
    if (n->bug == BUG_UNPOOL_BY_CHANNEL || n->bug == BUG_UNPOOL_BY_BATCH) {
        to[0] = at[0] < t->sizes[0] ? at[0] : 0;
        if (n->bug == BUG_UNPOOL_BY_CHANNEL)
            to[1] = at[1] < t->sizes[1] ? at[1] : 0;
    }
    if (n->bug == BUG_UNPOOL_COLUMNS) {
        uint64_t within = (to[2] * (uint64_t)t->sizes[3] + to[3]) % plane;
        to[2] = (uint32_t)(within % t->sizes[2]);
        to[3] = (uint32_t)(within / t->sizes[2]);
    }
    return 1;
}

static void naive_pick_unpool(const struct naive *n)
{
    struct memory input = naive_input(n, 0), indices = naive_input(n, 1), output = naive_output(n, 0);
    const struct tensor *t = output.tensor;
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, to[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    do
        if (n->bug != BUG_UNPOOL_KEPT)
            memset(naive_at(&output, to), 0, t->element_size);
    while (naive_step(t, to));
    do {
        uint64_t number = datatype_bits(indices.tensor->type, naive_at(&indices, at));
        if (!naive_pick_find_place(n, t, number, at, to))
            continue;
        uint8_t *place = naive_at(&output, to), old[8], sum = 0;
        if (n->bug == BUG_UNPOOL_BY_MEMORY)
            place = output.data + number * t->element_size;
        memcpy(old, place, t->element_size);
        naive_move(t->type, place, naive_at(&input, at));
        for (uint32_t i = 0; n->bug == BUG_UNPOOL_ADDED && i < t->element_size; i++) {
            sum = (uint8_t)(old[i] + place[i]);
            place[i] = sum;
        }
    } while (naive_step(input.tensor, at));
}

/* ---- all of them */

typedef void runner(const struct naive *n);

static runner *runner_of(DML_OPERATOR_TYPE type)
{
    switch ((int)type) {
    case DML_OPERATOR_DIAGONAL_MATRIX:
    case DML_OPERATOR_DIAGONAL_MATRIX1:
        return naive_pick_fill_diagonals;
    case DML_OPERATOR_REVERSE_SUBSEQUENCES:
        return naive_pick_reverse;
    case DML_OPERATOR_ONE_HOT:
        return naive_pick_one_hot;
    case DML_OPERATOR_MAX_UNPOOLING:
        return naive_pick_unpool;
    case DML_OPERATOR_RANDOM_GENERATOR:
        return naive_philox;
    case DML_OPERATOR_TOP_K:
    case DML_OPERATOR_TOP_K1:
        return naive_top_k;
    default:
        return NULL;
    }
}

int naive_picks(DML_OPERATOR_TYPE type)
{
    return runner_of(type) != NULL;
}

void naive_pick(const struct naive *n)
{
    runner_of(n->d->type)(n);
}
