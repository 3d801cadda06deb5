#include "device/vulkan/nest.h"

#include <string.h>

void nest_add(struct nest *nest, uint32_t size, const uint32_t stride[PLAN_STRIDES])
{
    if (size == 1)
        return;
    nest->size[nest->rank] = size;
    memcpy(nest->stride[nest->rank], stride, sizeof nest->stride[0]);
    nest->rank++;
}

void nest_merge(struct nest *nest)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < nest->rank; i++) {
        uint64_t size = nest->size[i];
        int fits = 1;
        for (int k = 0; k < PLAN_STRIDES; k++)
            fits = fits && nest->stride[last][k] == size * nest->stride[i][k];
        if (fits) {
            nest->size[last] *= nest->size[i];
        } else {
            last++;
            nest->size[last] = nest->size[i];
        }
        memcpy(nest->stride[last], nest->stride[i], sizeof nest->stride[i]);
    }
    if (nest->rank)
        nest->rank = last + 1;
}

uint64_t nest_count(const struct nest *nest)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < nest->rank; i++)
        count *= nest->size[i];
    return count;
}

int nest_is_large(uint64_t count)
{
    return count >= 1u << 16;
}

struct plan_dimension nest_dimension(uint32_t size)
{
    uint32_t log = size > 1 ? 32 - (uint32_t)__builtin_clz(size - 1) : 0; /* log2(size), rounded up */
    uint64_t magic = (((1ull << log) - size) << 32) / size + 1;
    return (struct plan_dimension){
        .size = size, .magic = (uint32_t)magic, .shift1 = log ? 1 : 0, .shift2 = log ? log - 1 : 0};
}

void nest_dimensions(const struct nest *nest, uint32_t rank, struct plan_dimension *out)
{
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t from = nest->rank - 1 - d;
        out[d] = nest_dimension(d < nest->rank ? nest->size[from] : 1);
        if (d < nest->rank)
            memcpy(out[d].stride, nest->stride[from], sizeof nest->stride[from]);
    }
}
