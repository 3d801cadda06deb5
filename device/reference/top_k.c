/* top_k.c: TOP_K and TOP_K1. Elements become unsigned numbers whose order is the one asked for, then a heap of K of
 * them goes over each sequence: n log K steps. */
#include "device/reference/pick.h"

#include "device/common/number.h"
#include "device/reference/row.h"
#include "device/reference/wide.h"

#include <stdlib.h>
#include <string.h>

/* An element: the lower rank comes first; among equal ranks, the lower index does. */
struct ranked {
    uint64_t rank;
    uint32_t index;
};

enum kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT };

static enum kind kind_of(DML_TENSOR_DATA_TYPE type)
{
    if (number_is_float(type))
        return KIND_FLOAT;
    return type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT16 ||
                   type == DML_TENSOR_DATA_TYPE_INT32 || type == DML_TENSOR_DATA_TYPE_INT64
               ? KIND_SIGNED
               : KIND_UNSIGNED;
}

/* Returns a number that grows with the element. A NaN is beyond both infinities, by its sign; zeros are equal. */
WIDE_INLINE uint64_t rank_of(enum kind kind, uint64_t bits, uint32_t width)
{
    const uint64_t sign = (uint64_t)1 << (width - 1), all = sign | (sign - 1);
    if (kind == KIND_UNSIGNED)
        return bits;
    if (kind == KIND_SIGNED)
        return bits ^ sign;
    bits = bits == sign ? 0 : bits;
    return bits & sign ? ~bits & all : bits | sign;
}

/* Ranks neighbouring FLOAT32 elements, which are the most common. `flip`: all bits are set, or none. */
WIDE_INLINE void rank_singles_any(const char *from, uint64_t count, uint64_t flip, uint64_t *ranks)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, from + i * sizeof bits, sizeof bits);
        ranks[i] = rank_of(KIND_FLOAT, bits, 32) ^ flip;
    }
}

WIDE(void, rank_singles, (const char *from, uint64_t count, uint64_t flip, uint64_t *ranks), (from, count, flip, ranks))

static void rank_row(const struct tensor *input, const char *from, uint64_t step, uint64_t count, uint64_t flip,
                     uint64_t *ranks)
{
    const enum kind kind = kind_of(input->type);
    if (input->type == DML_TENSOR_DATA_TYPE_FLOAT32 && step == 4)
        rank_singles(from, count, flip, ranks);
    else
        for (uint64_t i = 0; i < count; i++)
            ranks[i] = rank_of(kind, number_bits(input->type, from + i * step), input->element_bits) ^ flip;
}

static int comes_before(const struct ranked *a, const struct ranked *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->index < b->index);
}

static void swap(struct ranked *a, struct ranked *b)
{
    struct ranked kept = *a;
    *a = *b;
    *b = kept;
}

/* Moves the top of a heap down to its place. The top is the element that comes last. */
static void sink(struct ranked *heap, uint64_t count)
{
    for (uint64_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_before(&heap[child], &heap[child + 1]))
            child++;
        if (!comes_before(&heap[at], &heap[child]))
            return;
        swap(&heap[at], &heap[child]);
    }
}

static void rise(struct ranked *heap, uint64_t at)
{
    for (; at > 0 && comes_before(&heap[(at - 1) / 2], &heap[at]); at = (at - 1) / 2)
        swap(&heap[(at - 1) / 2], &heap[at]);
}

/* Sorts the first K elements of a sequence into `heap`. */
static void sort_first(const struct tensor *input, const char *from, uint32_t axis, int descending, struct ranked *heap,
                       uint64_t k)
{
    const uint64_t step = (uint64_t)input->strides[axis] * input->element_size, size = input->sizes[axis];
    const uint64_t flip = descending ? UINT64_MAX : 0;
    _Alignas(64) uint64_t ranks[ROW_BLOCK];
    uint64_t count = 0;
    for (uint64_t first = 0, some; first < size; first += some) {
        some = size - first < ROW_BLOCK ? size - first : ROW_BLOCK;
        rank_row(input, from + first * step, step, some, flip, ranks);
        for (uint64_t i = 0; i < some; i++) {
            const struct ranked one = {ranks[i], (uint32_t)(first + i)};
            if (count < k) {
                heap[count] = one;
                rise(heap, count++);
            } else if (one.rank < heap[0].rank) { /* among equal elements, the earlier ones come first */
                heap[0] = one;
                sink(heap, k);
            }
        }
    }
    for (; count > 1; count--) {
        swap(&heap[0], &heap[count - 1]);
        sink(heap, count - 1);
    }
}

void pick_top_k(const struct descriptor *d, const char *const *in, char *const *out)
{
    const struct tensor *input = &d->inputs[0], *values = &d->outputs[0], *indices = &d->outputs[1];
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, axis = d->axis, k = values->sizes[axis];
    int descending = d->type == DML_OPERATOR_TOP_K || d->desc.top_k1.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
    struct ranked *heap = malloc(k * sizeof *heap);
    if (!heap)
        return; /* the outputs keep their contents, which makes the failure visible */
    do {
        const char *from = in[0] + pick_place(input, at);
        char *value = out[0] + pick_place(values, at), *index = out[1] + pick_place(indices, at);
        sort_first(input, from, axis, descending, heap, k);
        for (uint64_t i = 0; i < k; i++) {
            uint64_t place = (uint64_t)heap[i].index * input->strides[axis] * input->element_size;
            memcpy(value + i * values->strides[axis] * values->element_size, from + place, values->element_size);
            number_store_whole(indices->type, heap[i].index,
                               index + i * indices->strides[axis] * indices->element_size);
        }
    } while (pick_next(input, axis, at));
    free(heap);
}
