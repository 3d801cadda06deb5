#include "harness/spec/opdesc.h"

#include "harness/base/datatype.h"

#include <string.h>

/* Returns the product of sizes whose partial products exceed 64 bits: a later size may be 0. */
static int64_t huge_product(const struct opdesc_tensor *t)
{
    for (uint32_t i = 0; i < t->dims; i++)
        if (t->sizes[i] == 0)
            return 0;
    return INT64_MAX;
}

int64_t opdesc_elements(const struct opdesc_tensor *t)
{
    int64_t product = 1;
    if (!t->has_sizes)
        return 0;
    for (uint32_t i = 0; i < t->dims; i++)
        if (__builtin_mul_overflow(product, (int64_t)t->sizes[i], &product))
            return huge_product(t);
    return product;
}

int64_t opdesc_extent(const struct opdesc_tensor *t)
{
    uint64_t last = 0;
    if (!t->has_strides || !t->has_sizes)
        return opdesc_elements(t);
    for (uint32_t i = 0; i < t->dims; i++) /* no overflow of the product: both factors are below 2^32 */
        if (__builtin_add_overflow(last, (uint64_t)(t->sizes[i] - (t->sizes[i] > 0)) * t->strides[i], &last))
            return INT64_MAX;
    return last >= INT64_MAX ? INT64_MAX : (int64_t)last + 1;
}

int64_t opdesc_implied(const struct opdesc_tensor *t)
{
    int64_t bits;
    if (__builtin_mul_overflow(opdesc_extent(t), (int64_t)datatype_of(t->data_type)->bits, &bits))
        bits = INT64_MAX;
    return (int64_t)(((uint64_t)bits + 31) / 32 * 4);
}

uint32_t opdesc_effective_rank(const struct opdesc_tensor *t)
{
    uint32_t leading = 0;
    while (leading < t->dims && t->sizes[leading] == 1)
        leading++;
    return t->dims - leading;
}

void opdesc_strides(const struct opdesc_tensor *t, uint32_t strides[OPDESC_MAX_DIMENSIONS])
{
    uint64_t packed = 1;
    if (t->has_strides) {
        memcpy(strides, t->strides, sizeof t->strides);
        return;
    }
    for (uint32_t i = t->dims; i-- > 0; packed *= t->sizes[i])
        strides[i] = (uint32_t)packed;
}

void opdesc_resize(struct opdesc_tensor *t, uint32_t dims)
{
    uint32_t sizes[OPDESC_MAX_DIMENSIONS], strides[OPDESC_MAX_DIMENSIONS];
    if (dims == t->dims)
        return;
    for (uint32_t i = 0; i < dims; i++) {
        int64_t from = (int64_t)i - dims + t->dims;
        sizes[i] = from < 0 ? 1 : t->sizes[from];
        strides[i] = from < 0 ? 0 : t->strides[from];
    }
    t->dims = dims;
    memcpy(t->sizes, sizes, dims * sizeof *sizes);
    memcpy(t->strides, strides, dims * sizeof *strides);
}
