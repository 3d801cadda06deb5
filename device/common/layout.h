/* layout.h: packs and unpacks strided tensors, and converts indices to INT64, which ONNX requires. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "device/common/descriptor.h"

/* Returns the bytes of the packed tensor. With 4-bit elements, the last byte may be half used. */
uint64_t layout_packed_bytes(const struct tensor *tensor);

/* Copies between a strided tensor and `packed`, which has its `tensor->count` elements in row-major order of their
 * logical coordinates, without gaps. Unpacking writes no byte between the elements. */
void layout_pack(const struct tensor *tensor, const void *strided, void *packed);
void layout_unpack(const struct tensor *tensor, const void *packed, void *strided);

/* Converts `count` packed indices to INT64. A UINT64 that does not fit becomes the largest INT64: both are out of
 * range. */
void layout_widen(DML_TENSOR_DATA_TYPE type, uint64_t count, const void *indices, int64_t *wide);

#endif
