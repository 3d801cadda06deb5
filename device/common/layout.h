/* layout.h: tensors of any strides to packed ones and back, index types to the one that ONNX has. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "device/common/descriptor.h"

/* Elements in row-major order of the logical coordinates, `tensor->count` of them, one after the other in `packed`. */
void layout_pack(const struct tensor *tensor, const void *strided, void *packed);
void layout_unpack(const struct tensor *tensor, const void *packed, void *strided);

/* Indices as INT64. What does not fit, of UINT64, becomes the largest INT64: out of range as it was. */
void layout_widen(DML_TENSOR_DATA_TYPE type, uint64_t count, const void *indices, int64_t *wide);

#endif
