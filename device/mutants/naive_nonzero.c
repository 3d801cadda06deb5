/* naive_nonzero.c: NONZERO_COORDINATES. */
#include "device/mutants/naive.h"

#include "harness/base/datatype.h"

#include <stdlib.h>
#include <string.h>

struct rows {
    const struct naive *n;
    struct memory input, count, coordinates;
    uint32_t width; /* of a row, in coordinates */
    uint32_t total; /* rows so far */
};

static uint32_t naive_nonzero_cut(const struct naive *n, uint32_t coordinate)
{
    uint16_t half;
    double wide;
    if (n->bug == BUG_COORDINATES_8_BITS)
        return coordinate & 0xff;
    if (n->bug != BUG_COORDINATES_HALF)
        return coordinate;
    datatype_from_double(DML_TENSOR_DATA_TYPE_FLOAT16, (double)coordinate, &half);
    wide = datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &half);
    return wide > 4e9 ? UINT32_MAX : (uint32_t)wide;
}

/* Returns true if the bug is about how threads find their elements. Such bugs examine the input; other bugs skip
 * coordinates. */
static int is_about_threads(enum bug bug)
{
    return bug >= BUG_GROUPS_16 && bug <= BUG_RECIPROCAL_HALF;
}

/* Value i of the row of the element at `at`; -1: do not write it. */
static int64_t naive_nonzero_value_of(const struct rows *r, const uint32_t *at, uint64_t number, uint32_t i)
{
    uint32_t rank = r->input.tensor->rank, first = rank - r->width, ones = 0;
    switch (r->n->bug) {
    case BUG_COORDINATES_FIRST:
        first = 0;
        break;
    case BUG_COORDINATES_EFFECTIVE:
        while (ones + 1 < rank && r->input.tensor->sizes[ones] == 1)
            ones++;
        if (ones + i >= rank)
            return -1;
        first = ones;
        break;
    case BUG_COORDINATES_FLAT:
        return i + 1 == r->width ? (int64_t)number : 0;
    default:
        break;
    }
    return naive_nonzero_cut(r->n, at[first + i]);
}

static void naive_nonzero_write_row(struct rows *r, const uint32_t *at, uint64_t number)
{
    const struct tensor *t = r->coordinates.tensor;
    uint32_t to[DESCRIPTOR_MAX_DIMENSIONS] = {0}, row = r->total++, rank = r->input.tensor->rank;
    for (uint32_t i = 0; i < r->width; i++) {
        int64_t value = naive_nonzero_value_of(r, at, number, i);
        uint32_t bits = (uint32_t)value;
        uint64_t place = (uint64_t)row * r->width + i;
        if (r->n->bug == BUG_COORDINATES_TRANSPOSED)
            place = (uint64_t)i * t->sizes[t->rank - 2] + row;
        if (r->n->bug == BUG_COORDINATES_FULL)
            place = (uint64_t)row * rank + i;
        to[t->rank - 2] = (uint32_t)(place / r->width);
        to[t->rank - 1] = (uint32_t)(place % r->width);
        if (value >= 0 && place < t->count && (is_about_threads(r->n->bug) || !naive_skips(r->n, t, place, to)))
            memcpy(naive_at(&r->coordinates, to), &bits, sizeof bits);
    }
}

/* Advances `at`; bugs use another order: column-major, or the smallest stride first. */
static int naive_nonzero_step(const struct rows *r, uint32_t *at)
{
    const struct tensor *t = r->input.tensor;
    uint32_t order[DESCRIPTOR_MAX_DIMENSIONS];
    if (r->n->bug != BUG_COLUMN_MAJOR && r->n->bug != BUG_MEMORY_ORDER)
        return naive_step(t, at);
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t dimension = r->n->bug == BUG_COLUMN_MAJOR ? i : t->rank - 1 - i, place = i;
        for (; r->n->bug == BUG_MEMORY_ORDER && place > 0 && t->strides[order[place - 1]] > t->strides[dimension];
             place--)
            order[place] = order[place - 1];
        order[place] = dimension;
    }
    for (uint32_t i = 0; i < t->rank; i++) {
        if (++at[order[i]] < t->sizes[order[i]])
            return 1;
        at[order[i]] = 0;
    }
    return 0;
}

static int is_repeated(const struct tensor *t, const uint32_t *at)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1 && t->strides[i] == 0 && at[i] > 0)
            return 1;
    return 0;
}

static int is_found(const struct rows *r, const uint32_t *at, uint64_t number)
{
    const struct tensor *t = r->input.tensor;
    if (r->n->bug == BUG_LAST_SKIPPED && number + 1 == t->count)
        return 0;
    if (is_about_threads(r->n->bug) && naive_skips(r->n, t, number, at))
        return 0;
    if (r->n->bug == BUG_BROADCAST_ONCE && is_repeated(t, at))
        return 0;
    if (r->n->bug == BUG_COUNT_CAPPED && r->total == 1024)
        return 0;
    return !naive_is_zero(t->type, naive_at(&r->input, at));
}

static void naive_nonzero_scan(struct rows *r)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t number = 0;
    do {
        if (is_found(r, at, number))
            naive_nonzero_write_row(r, at, number);
        number++;
    } while (naive_nonzero_step(r, at));
}

/* Scans chunks of 64 elements from the last to the first. */
static void scan_chunks(struct rows *r)
{
    const struct tensor *t = r->input.tensor;
    uint64_t chunks = (t->count + 63) / 64;
    for (uint64_t chunk = chunks; chunk-- > 0;)
        for (uint64_t number = chunk * 64; number < chunk * 64 + 64 && number < t->count; number++) {
            uint32_t at[DESCRIPTOR_MAX_DIMENSIONS];
            uint64_t rest = number;
            for (uint32_t i = t->rank; i-- > 0; rest /= t->sizes[i])
                at[i] = (uint32_t)(rest % t->sizes[i]);
            if (is_found(r, at, number))
                naive_nonzero_write_row(r, at, number);
        }
}

void naive_nonzero(const struct naive *n)
{
    struct rows r = {
        .n = n, .input = naive_input(n, 0), .count = naive_output(n, 0), .coordinates = naive_output(n, 1)};
    const uint32_t zero[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    r.width = r.coordinates.tensor->sizes[r.coordinates.tensor->rank - 1];
    if (n->bug == BUG_CHUNKS_UNORDERED)
        scan_chunks(&r);
    else
        naive_nonzero_scan(&r);
    uint32_t count = r.total;
    if (n->bug == BUG_COUNT_PLUS_ONE)
        count++;
    if (n->bug == BUG_COUNT_OF_VALUES)
        count *= r.width;
    if (count > 0 || n->bug != BUG_COUNT_NOT_ZERO)
        memcpy(naive_at(&r.count, zero), &count, sizeof count);
}
