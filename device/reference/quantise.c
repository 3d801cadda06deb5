#include "device/reference/quantise.h"

#include "device/common/number.h"

#include <math.h>

/* ---- formulas */

/* Rounds to the nearest integer; a tie goes to the even one. */
static double nearest(double value)
{
    double near = round(value);
    return fabs(value - trunc(value)) == 0.5 ? 2 * round(value / 2) : near;
}

static double clamp(const struct quantise *quantise, double value)
{
    if (value < quantise->least)
        return quantise->least;
    return value > quantise->most ? quantise->most : value;
}

/* Returns a quotient in FLOAT32: ONNX's examples have ties that are none in double. */
static double scaled_number(const struct quantise *quantise, double value, double scale, double zero_point)
{
    return clamp(quantise, nearest((double)(float)(value / scale)) + zero_point);
}

/* Quantises a number. in: the number, the scale, the zero point. */
static double quantize(const struct quantise *quantise, const double *in)
{
    return scaled_number(quantise, in[0], in[1], in[2]);
}

static double dequantize(const struct quantise *quantise, const double *in)
{
    (void)quantise;
    return (in[0] - in[2]) * in[1]; /* the difference of two 32-bit integers is exact */
}

/* Adds two quantised numbers. in: three each for A and B, and scale and zero point of the output. */
static double add_quantised(const struct quantise *quantise, const double *in)
{
    double sum = dequantize(quantise, in) + dequantize(quantise, in + 3);
    return scaled_number(quantise, sum, in[6], in[7]);
}

quantise_kernel *quantise_kernel_of(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR:
    case DML_OPERATOR_QUANTIZE:
    case DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR:
        return quantize;
    case DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR:
    case DML_OPERATOR_DEQUANTIZE:
        return dequantize;
    case DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD:
        return add_quantised;
    default:
        return NULL;
    }
}

void quantise_init(struct quantise *quantise, const struct descriptor *descriptor)
{
    DML_TENSOR_DATA_TYPE type = descriptor->outputs[0].type;
    int is_signed = type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT4;
    int bits = (int)descriptor_element_bits(type);
    quantise->kernel = quantise_kernel_of(descriptor->type);
    quantise->input_count = descriptor->input_count;
    quantise->output_count = descriptor->output_count;
    for (uint32_t i = 0; i < descriptor->input_count; i++)
        quantise->inputs[i] = descriptor->inputs[i];
    for (uint32_t i = 0; i < descriptor->output_count; i++)
        quantise->outputs[i] = descriptor->outputs[i];
    quantise->least = is_signed ? -ldexp(1, bits - 1) : 0;
    quantise->most = ldexp(1, is_signed ? bits - 1 : bits) - 1;
    quantise->is_dynamic = descriptor->type == DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR;
}

/* ---- elements */

/* Returns the offset of the element of `tensor` for the coordinates of `whole`: one element serves a block. */
static uint64_t block_offset(const struct tensor *tensor, const struct tensor *whole, const uint32_t *coordinates)
{
    uint64_t offset = 0;
    for (uint32_t d = 0; d < tensor->rank; d++)
        offset += (uint64_t)(coordinates[d] / (whole->sizes[d] / tensor->sizes[d])) * tensor->strides[d];
    return offset;
}

static double read_real(const struct tensor *tensor, const void *memory, uint64_t offset)
{
    uint64_t bits = number_get(tensor->type, memory, offset);
    return number_real(tensor->type, &bits);
}

static void write_real(const struct tensor *tensor, void *memory, uint64_t offset, double value)
{
    uint64_t bits = 0;
    number_store_real(tensor->type, value, &bits);
    number_put(tensor->type, memory, offset, bits);
}

/* Advances to the next element, row-major. Returns 0 after the last one. */
static int step_coordinates(const struct tensor *tensor, uint32_t *coordinates)
{
    for (uint32_t d = tensor->rank; d-- > 0;) {
        if (++coordinates[d] < tensor->sizes[d])
            return 1;
        coordinates[d] = 0;
    }
    return 0;
}

/* Chooses scale and zero point so that zero and all elements of the input are in range, and stores them. */
static void choose_scale(const struct quantise *quantise, const void *input, void *const *outputs, double *in)
{
    uint32_t coordinates[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    const struct tensor *tensor = &quantise->inputs[0];
    double least = 0, most = 0;
    do {
        double x = read_real(tensor, input, block_offset(tensor, tensor, coordinates));
        least = x < least ? x : least;
        most = x > most ? x : most;
    } while (step_coordinates(tensor, coordinates));
    write_real(&quantise->outputs[1], outputs[1], 0, (most - least) / (quantise->most - quantise->least));
    in[1] = read_real(&quantise->outputs[1], outputs[1], 0);
    write_real(&quantise->outputs[2], outputs[2], 0, clamp(quantise, nearest(quantise->least - least / in[1])));
    in[2] = read_real(&quantise->outputs[2], outputs[2], 0);
}

void quantise_run(const struct quantise *quantise, const void *const *inputs, void *const *outputs)
{
    uint32_t coordinates[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    const struct tensor *output = &quantise->outputs[0];
    double in[DESCRIPTOR_MAX_INPUTS] = {0};
    if (quantise->is_dynamic)
        choose_scale(quantise, inputs[0], outputs, in);
    do {
        for (uint32_t i = 0; i < quantise->input_count; i++)
            if (inputs[i])
                in[i] =
                    read_real(&quantise->inputs[i], inputs[i], block_offset(&quantise->inputs[i], output, coordinates));
        if (quantise->inputs[0].type == DML_TENSOR_DATA_TYPE_INT32 && quantise->kernel == quantize)
            in[0] = (double)(float)in[0];
        write_real(output, outputs[0], block_offset(output, output, coordinates), quantise->kernel(quantise, in));
    } while (step_coordinates(output, coordinates));
}
