/* desc_text.h: a description in one line of text, for people, shells and databases:
 *
 *     GATHER InputTensor=FLOAT32[2,3] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1,3] Axis=0 IndexDimensions=1
 *
 * A tensor is its DataType and Sizes, then what is not as usual: `:strides[3,1]`, `:total=24` (usual: what sizes and
 * strides imply), `:align=16`, `:flags=1`, `:type=0`. `null` is a tensor that is not given; `[?,?]` are two sizes
 * behind a null pointer. */
#ifndef SPEC_DESC_TEXT_H
#define SPEC_DESC_TEXT_H

#include "harness/base/error.h"
#include "harness/spec/load.h"

/* As snprintf(). */
size_t desc_text_print(const struct spec *spec, const struct opdesc *desc, char *text, size_t size);

/* EXIT_USAGE: what is wrong with the text, and where. */
int desc_text_parse(const struct spec_set *specs, const char *text, struct opdesc *out, struct error *error);

#endif
