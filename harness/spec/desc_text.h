/* desc_text.h: a description in one line of text, for people, shells and databases:
 *
 *     GATHER InputTensor=FLOAT32[2,3] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1,3] Axis=0 IndexDimensions=1
 *
 * A tensor is its DataType and Sizes, then every other member that does not have its usual value: `:strides[3,1]`,
 * `:total=24` (usual: what sizes and strides imply), `:align=16`, `:flags=1`, `:type=0`. `null` is a null pointer to a
 * tensor; `[?,?]` is a DimensionCount of 2 with a null pointer to Sizes. */
#ifndef SPEC_DESC_TEXT_H
#define SPEC_DESC_TEXT_H

#include "harness/base/error.h"
#include "harness/spec/load.h"

/* Writes and returns as snprintf() does. */
size_t desc_text_print(const struct spec *spec, const struct opdesc *desc, char *text, size_t size);

/* Returns 0, or EXIT_USAGE with what is wrong in the text and where. */
int desc_text_parse(const struct spec_set *specs, const char *text, struct opdesc *out, struct error *error);

#endif
