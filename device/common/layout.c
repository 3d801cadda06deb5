#include "device/common/layout.h"

#include "device/common/number.h"

#include <stdint.h>
#include <string.h>

uint64_t layout_packed_bytes(const struct tensor *tensor)
{
    return (tensor->count * tensor->element_bits + 7) / 8;
}

/* Elements at `at`, `at` + `step`, … of memory. */
struct line {
    char *memory;
    uint64_t at, step;
};

static void copy_line(const struct tensor *tensor, uint64_t count, struct line from, struct line to)
{
    size_t size = tensor->element_size;
    for (uint64_t i = 0; i < count; i++, from.at += from.step, to.at += to.step)
        if (size)
            memcpy(to.memory + to.at * size, from.memory + from.at * size, size);
        else
            number_put(tensor->type, to.memory, to.at, number_get(tensor->type, from.memory, from.at));
}

/* Copies the rows of a tensor in row-major order: to `packed`, or from it if `unpacks`. */
static void copy_rows(const struct tensor *tensor, char *strided, char *packed, int unpacks)
{
    uint32_t coordinates[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint32_t last = tensor->rank - 1;
    uint64_t length = tensor->sizes[last];
    struct line inner = {packed, 0, 1}, outer = {strided, 0, tensor->strides[last]};

    for (uint64_t row = 0; row < tensor->count / length; row++) {
        copy_line(tensor, length, unpacks ? inner : outer, unpacks ? outer : inner);
        inner.at += length;
        for (uint32_t i = last; i-- > 0;) {
            outer.at += tensor->strides[i];
            if (++coordinates[i] < tensor->sizes[i])
                break;
            outer.at -= (uint64_t)tensor->sizes[i] * tensor->strides[i];
            coordinates[i] = 0;
        }
    }
}

void layout_pack(const struct tensor *tensor, const void *strided, void *packed)
{
    copy_rows(tensor, (char *)(uintptr_t)strided, packed, 0); /* the function only reads `strided` */
}

void layout_unpack(const struct tensor *tensor, const void *packed, void *strided)
{
    copy_rows(tensor, strided, (char *)(uintptr_t)packed, 1); /* the function only reads `packed` */
}

void layout_widen(DML_TENSOR_DATA_TYPE type, uint64_t count, const void *indices, int64_t *wide)
{
    for (uint64_t i = 0; i < count; i++) {
        if (type == DML_TENSOR_DATA_TYPE_UINT32)
            wide[i] = ((const uint32_t *)indices)[i];
        else if (type == DML_TENSOR_DATA_TYPE_INT32)
            wide[i] = ((const int32_t *)indices)[i];
        else if (type == DML_TENSOR_DATA_TYPE_INT64)
            wide[i] = ((const int64_t *)indices)[i];
        else
            wide[i] = ((const uint64_t *)indices)[i] > INT64_MAX ? INT64_MAX : ((const int64_t *)indices)[i];
    }
}
