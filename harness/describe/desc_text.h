/* desc_text.h: a description in one line of text, for people, shells and databases:
 *
 *     GATHER InputTensor=FLOAT32[2,3] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1,3] Axis=0 IndexDimensions=1
 *
 * A tensor is its DataType and Sizes, then every other member that does not have its usual value: `:strides[3,1]`,
 * `:total=24` (usual: the size that sizes and strides imply), `:align=16`, `:flags=1`, `:type=0`. `null` is a null
 * pointer; `[?,?]` is a DimensionCount of 2 with a null pointer to Sizes, `[null]` a DimensionCount of 0 with one.
 *
 * An array is its elements, as many as its count field says, which must come before it: `DimensionCount=2
 * Strides=[1,2]`, `InputCount=2 InputTensors=[FLOAT32[1],FLOAT32[1]]`. If the count is higher than a description has
 * room for, there may be fewer elements; the others are 0. A FLOAT is a number, or `0x7fc00001`, its bits; a BOOL is
 * a number; an enumeration is a constant without its prefix, or a number. `ScaleBias=[2,0.5]` and `ScaleSize=[2,3]`
 * are pairs. A scalar is its value with its type, `FLOAT32(0.5)`, or `0x` and its eight bytes. An operator within an
 * operator is `ACTIVATION_ELU(Alpha=0.5)`: members that are not mentioned are 0 or null, `given` is any pointer that
 * is not null, `999()` a type without a name, `ACTIVATION_ELU(null)` a null Desc. */
#ifndef DESCRIBE_DESC_TEXT_H
#define DESCRIBE_DESC_TEXT_H

#include "harness/base/error.h"
#include "harness/spec/spec_set.h"

/* Writes and returns as snprintf() does. */
size_t desc_text_print(const struct spec *spec, const struct opdesc *desc, char *text, size_t size);

/* Returns 0, or EXIT_USAGE with the mistake in the text and its place. */
int desc_text_parse(const struct spec_set *specs, const char *text, struct opdesc *out, struct error *error);

#endif
