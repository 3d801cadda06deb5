/* top_k.c: TOP_K and TOP_K1. Elements become unsigned numbers in the order that is asked for, then a heap of K of them
 * goes over each sequence: n log K steps. */
#include "device/reference/pick.h"

#include "device/common/number.h"

#include <stdlib.h>
#include <string.h>

/* An element: the lower rank comes first; of equal ones, that with the lower index. */
struct ranked {
    uint64_t rank;
    uint32_t index;
};

/* A number that grows with the element. A NaN is beyond both infinities, by its sign; zeros are equal. */
static uint64_t rank_of(DML_TENSOR_DATA_TYPE type, uint64_t bits, uint32_t width)
{
    uint64_t sign = (uint64_t)1 << (width - 1), all = sign | (sign - 1);
    if (number_is_float(type)) {
        if (bits == sign)
            bits = 0;
        return bits & sign ? ~bits & all : bits | sign;
    }
    int is_signed = type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT16 ||
                    type == DML_TENSOR_DATA_TYPE_INT32 || type == DML_TENSOR_DATA_TYPE_INT64;
    return is_signed ? bits ^ sign : bits;
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

/* Moves the top of a heap, whose top comes last, down to its place. */
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
static void choose(const struct tensor *input, const char *from, uint32_t axis, int descending, struct ranked *heap,
                   uint64_t k)
{
    uint64_t step = (uint64_t)input->strides[axis] * input->element_size, count = 0;
    for (uint32_t i = 0; i < input->sizes[axis]; i++) {
        struct ranked one = {rank_of(input->type, number_bits(input->type, from + i * step), input->element_bits), i};
        one.rank = descending ? ~one.rank : one.rank;
        if (count < k) {
            heap[count] = one;
            rise(heap, count++);
        } else if (comes_before(&one, &heap[0])) {
            heap[0] = one;
            sink(heap, k);
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
        return; /* the outputs keep what they held, which shows */
    do {
        const char *from = in[0] + pick_place(input, at);
        char *value = out[0] + pick_place(values, at), *index = out[1] + pick_place(indices, at);
        choose(input, from, axis, descending, heap, k);
        for (uint64_t i = 0; i < k; i++) {
            uint64_t place = (uint64_t)heap[i].index * input->strides[axis] * input->element_size;
            memcpy(value + i * values->strides[axis] * values->element_size, from + place, values->element_size);
            number_store_whole(indices->type, heap[i].index,
                               index + i * indices->strides[axis] * indices->element_size);
        }
    } while (pick_next(input, axis, at));
    free(heap);
}
