/* descriptor_quantise.c: the rules of operators that quantise, unless a table has them. */
#include "device/common/descriptor_internal.h"

#include <string.h>

static int check_one_element(const struct reader *reader, uint32_t field)
{
    const struct tensor *tensor = reader->tensors[field];
    if (!tensor || tensor->count == 1)
        return 1;
    return REJECT(reader, "%s.Sizes are %s; all must be 1.", reader->op->fields[field].name,
                  descriptor_text_of_sizes(reader, tensor->sizes, tensor->rank));
}

/* Checks the type of the scale: FLOAT32 for integers, and the input's own type for floats. */
int descriptor_check_quantize_linear(const struct reader *reader, struct descriptor *d)
{
    DML_TENSOR_DATA_TYPE input = d->inputs[0].type, scale = d->inputs[1].type;
    DML_TENSOR_DATA_TYPE wanted = input == DML_TENSOR_DATA_TYPE_INT32 ? DML_TENSOR_DATA_TYPE_FLOAT32 : input;
    if (scale == wanted)
        return 1;
    return REJECT(reader, "ScaleTensor.DataType is %s; for an InputTensor of %s it must be %s.",
                  descriptor_types[scale].name, descriptor_types[input].name, descriptor_types[wanted].name);
}

int descriptor_check_quantized_add(const struct reader *reader, struct descriptor *d)
{
    static const uint32_t scalars[] = {1, 2, 4, 5, 6, 7}; /* the scales and zero points of A, B and the output */
    (void)d;
    for (uint32_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (!check_one_element(reader, scalars[i]))
            return 0;
    return 1;
}

int descriptor_check_dynamic_quantize(const struct reader *reader, struct descriptor *d)
{
    (void)d;
    return check_one_element(reader, 2) && check_one_element(reader, 3);
}

/* Checks that the scale has one element for each block of the input, and that all blocks are of one size. */
static int check_blocks(const struct reader *reader, const struct tensor *input, const struct tensor *scale)
{
    for (uint32_t i = 0; i < input->rank; i++)
        if (scale->sizes[i] > input->sizes[i] || input->sizes[i] % scale->sizes[i] != 0)
            return REJECT(reader, "QuantizationTensors[0].Sizes[%u] is %u; it must divide InputTensor's %u.", i,
                          scale->sizes[i], input->sizes[i]);
    return 1;
}

static int is_scale_type(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 || type == DML_TENSOR_DATA_TYPE_FLOAT16;
}

/* Checks the scale and the zero point. `real`: the tensor that is not quantised, whose type the scale has; `quantised`:
 * the tensor whose type the zero point has. */
static int check_quantisation(const struct reader *reader, const struct descriptor *d, const struct tensor *real,
                              const struct tensor *quantised)
{
    const struct tensor *input = &d->inputs[0], *scale = &d->inputs[1], *zero_point = &d->inputs[2];
    uint32_t count = d->input_count - 1, type = (uint32_t)d->desc.quantize.QuantizationType;
    if (!descriptor_check_within(reader, "QuantizationType", type, DML_QUANTIZATION_TYPE_SCALE,
                                 DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT))
        return 0;
    if (count != type)
        return REJECT(reader, "QuantizationTensorCount is %u; a QuantizationType of %u has %u tensors.", count, type,
                      type);
    if (!is_scale_type(scale->type) || scale->type != real->type)
        return REJECT(reader,
                      "QuantizationTensors[0].DataType is %s; the scale must be %s, like the unquantised tensor.",
                      descriptor_types[scale->type].name, descriptor_types[real->type].name);
    if (!check_blocks(reader, input, scale))
        return 0;
    if (count == 1)
        return 1;
    if (zero_point->type != quantised->type)
        return REJECT(reader,
                      "QuantizationTensors[1].DataType is %s; the zero point must be %s, like the quantised tensor.",
                      descriptor_types[zero_point->type].name, descriptor_types[quantised->type].name);
    if (memcmp(zero_point->sizes, scale->sizes, scale->rank * sizeof *scale->sizes) != 0)
        return REJECT(reader, "QuantizationTensors[1].Sizes are %s; they must be those of the scale, %s.",
                      descriptor_text_of_sizes(reader, zero_point->sizes, zero_point->rank),
                      descriptor_text_of_sizes(reader, scale->sizes, scale->rank));
    return 1;
}

int descriptor_check_quantize(const struct reader *reader, struct descriptor *d)
{
    return check_quantisation(reader, d, &d->inputs[0], &d->outputs[0]);
}

int descriptor_check_dequantize(const struct reader *reader, struct descriptor *d)
{
    return check_quantisation(reader, d, &d->outputs[0], &d->inputs[0]);
}
