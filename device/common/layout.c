#include "device/common/layout.h"

#include <stdint.h>
#include <string.h>

static void copy_row(uint32_t width, uint64_t count, const char *from, uint64_t from_step, char *to, uint64_t to_step)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + i * to_step * width, from + i * from_step * width, width);
}

/* Copies the rows of a tensor in row-major order: to `packed`, or from it if `unpacks`. */
static void copy_rows(const struct tensor *tensor, char *strided, char *packed, int unpacks)
{
    uint32_t coordinates[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint32_t last = tensor->rank - 1, width = tensor->element_size;
    uint64_t length = tensor->sizes[last], stride = tensor->strides[last], at = 0;

    for (uint64_t row = 0; row < tensor->count / length; row++) {
        char *start = strided + at * width;
        if (unpacks)
            copy_row(width, length, packed, 1, start, stride);
        else
            copy_row(width, length, start, stride, packed, 1);
        packed += length * width;
        for (uint32_t i = last; i-- > 0;) {
            at += tensor->strides[i];
            if (++coordinates[i] < tensor->sizes[i])
                break;
            at -= (uint64_t)tensor->sizes[i] * tensor->strides[i];
            coordinates[i] = 0;
        }
    }
}

void layout_pack(const struct tensor *tensor, const void *strided, void *packed)
{
    copy_rows(tensor, (char *)(uintptr_t)strided, packed, 0); /* only read */
}

void layout_unpack(const struct tensor *tensor, const void *packed, void *strided)
{
    copy_rows(tensor, strided, (char *)(uintptr_t)packed, 1); /* only read */
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
