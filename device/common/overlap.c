/* overlap.c: looks for two coordinates with the same offset. If the extent is small, a bit stands for each offset:
 * every step along a dimension sets the bits of the steps before it again, shifted. If the extent is larger, offsets
 * are listed for all dimensions but the largest, and sorted. Two listed offsets lead to a shared element if a whole
 * number of steps along the largest dimension, fewer than its size, goes from one to the other. */
#include "device/common/overlap.h"

#include "device/common/descriptor.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OFFSETS = 1 << 22, FEW_PLACES = 1 << 20, WORD = 64 };

struct dimension {
    uint32_t size, stride;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the dimensions of size 2 and more by stride and drops, from the largest down, those that step over all smaller
 * ones. Returns how many are left. */
static uint32_t find_tangle(uint32_t rank, const uint32_t *sizes, const uint32_t *strides, struct dimension *out)
{
    uint64_t reach = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < rank; i++) {
        if (sizes[i] == 1)
            continue;
        uint32_t at = count++;
        for (; at > 0 && out[at - 1].stride > strides[i]; at--)
            out[at] = out[at - 1];
        out[at] = (struct dimension){sizes[i], strides[i]};
        reach += (sizes[i] - 1ull) * strides[i];
    }
    for (; count > 0; count--) {
        reach -= (out[count - 1].size - 1ull) * out[count - 1].stride;
        if (out[count - 1].stride <= reach || out[count - 1].stride == 0)
            break;
    }
    return count;
}

/* Lists the offsets of `count` dimensions, each as its remainder by `stride`, then its quotient: both have 32 bits. */
static void list_offsets(const struct dimension *dimensions, uint32_t count, uint32_t stride, uint64_t *out)
{
    uint64_t filled = 1;

    out[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t k = filled; k < filled * dimensions[i].size; k++)
            out[k] = out[k - filled] + dimensions[i].stride;
        filled *= dimensions[i].size;
    }
    for (uint64_t k = 0; k < filled; k++)
        out[k] = out[k] % stride << 32 | out[k] / stride;
}

/* Sets the bits of `from` again, `distance` places further on. Returns true if one of them is set already. */
static int take_again(const uint64_t *from, uint64_t words, uint64_t distance, uint64_t *taken)
{
    const unsigned shift = distance % WORD;
    uint64_t shared = 0, carry = 0;
    taken += distance / WORD;
    for (uint64_t i = 0; i < words; i++) {
        const uint64_t shifted = from[i] << shift | carry;
        carry = from[i] >> 1 >> (WORD - 1 - shift);
        shared |= taken[i] & shifted;
        taken[i] |= shifted;
    }
    shared |= taken[words] & carry;
    taken[words] |= carry;
    return shared != 0;
}

/* Returns 1 if two elements share one of `places` places, 0 if not, -1 if out of memory. */
static int share_few(const struct dimension *dimensions, uint32_t count, uint64_t places)
{
    const uint64_t room = (places + WORD - 1) / WORD + 1;
    uint64_t *taken = calloc(2 * room, sizeof *taken), *from = taken + room, extent = 1;
    int shared = 0;
    if (!taken)
        return -1;
    taken[0] = 1;
    for (uint32_t i = 0; i < count && !shared; i++) {
        const uint64_t words = (extent + WORD - 1) / WORD;
        memcpy(from, taken, words * sizeof *from);
        for (uint64_t k = 1; k < dimensions[i].size && !shared; k++)
            shared = take_again(from, words, k * dimensions[i].stride, taken);
        extent += (dimensions[i].size - 1ull) * dimensions[i].stride;
    }
    free(taken);
    return shared;
}

/* Returns 1 if two elements share a place, 0 if not, -1 if out of memory. `count`: elements in all dimensions but the
 * last. */
static int share_many(const struct dimension *dimensions, uint32_t last, uint64_t count)
{
    const struct dimension steps = dimensions[last];
    uint64_t *offsets;
    int shared = 0;
    if (count > MAX_OFFSETS)
        return 1;
    offsets = malloc(count * sizeof *offsets);
    if (!offsets)
        return -1;
    list_offsets(dimensions, last, steps.stride, offsets);
    qsort(offsets, count, sizeof *offsets, by_value);
    for (uint64_t k = 1; k < count && !shared; k++)
        shared = offsets[k] >> 32 == offsets[k - 1] >> 32 && offsets[k] - offsets[k - 1] < steps.size;
    free(offsets);
    return shared;
}

int overlap_check(uint32_t rank, const uint32_t *sizes, const uint32_t *strides)
{
    struct dimension tangle[DESCRIPTOR_MAX_DIMENSIONS];
    uint64_t extent = 1, count = 1;
    uint32_t left = find_tangle(rank, sizes, strides, tangle), largest = 0;

    if (left == 0)
        return 0;
    if (tangle[0].stride == 0)
        return 1;
    for (uint32_t i = 0; i < left; i++) {
        extent += (tangle[i].size - 1ull) * tangle[i].stride;
        largest = tangle[i].size > tangle[largest].size ? i : largest;
    }
    for (uint32_t i = 0; i < left; i++) {
        count *= tangle[i].size; /* at most 2^32 before: no overflow */
        if (count > extent)      /* more elements than there are places */
            return 1;
    }
    if (extent <= FEW_PLACES)
        return share_few(tangle, left, extent);
    const struct dimension steps = tangle[largest];
    tangle[largest] = tangle[left - 1];
    tangle[left - 1] = steps;
    return share_many(tangle, left - 1, count / steps.size);
}
