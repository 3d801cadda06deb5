#include "device/common/dot.h"

#include <string.h>

#define NO DOT_ABSENT

static const struct {
    DML_OPERATOR_TYPE type;
    enum dot_result result;
    uint8_t inputs[DOT_ROLES]; /* A, B, C, zero points of A and B, scales of A and B, scale and zero point */
} dot_operators[] = {
    {DML_OPERATOR_GEMM, DOT_REAL, {0, 1, 2, NO, NO, NO, NO, NO, NO}},
    {DML_OPERATOR_MATRIX_MULTIPLY_INTEGER, DOT_WHOLE, {0, 2, NO, 1, 3, NO, NO, NO, NO}},
    {DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT, DOT_SCALED, {0, 3, 6, 2, 5, 1, 4, NO, NO}},
    {DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY, DOT_QUANTISED, {0, 3, NO, 2, 5, 1, 4, 6, 7}},
    {DML_OPERATOR_CONVOLUTION, DOT_REAL, {0, 1, 2, NO, NO, NO, NO, NO, NO}},
    {DML_OPERATOR_CONVOLUTION_INTEGER, DOT_WHOLE, {0, 2, NO, 1, 3, NO, NO, NO, NO}},
    {DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION, DOT_QUANTISED, {0, 3, 6, 2, 5, 1, 4, 7, 8}},
};

static size_t find_dot(DML_OPERATOR_TYPE type)
{
    size_t i = 0;
    while (i < sizeof dot_operators / sizeof *dot_operators && dot_operators[i].type != type)
        i++;
    return i;
}

enum dot_result dot_result_of(DML_OPERATOR_TYPE type)
{
    const size_t i = find_dot(type);
    return i < sizeof dot_operators / sizeof *dot_operators ? dot_operators[i].result : DOT_NONE;
}

const uint8_t *dot_inputs_of(DML_OPERATOR_TYPE type)
{
    return dot_operators[find_dot(type)].inputs;
}

/* Returns the step of an index that has a number of its own in the tensor; 0: all have the same. */
static uint32_t step_along(const struct tensor *tensor, uint32_t from_end)
{
    return tensor->rank < from_end || tensor->sizes[tensor->rank - from_end] == 1
               ? 0
               : tensor->strides[tensor->rank - from_end];
}

/* Matrices are the last two dimensions; those before are in front. */
static void set_matrices(struct dot *dot, const struct descriptor *d)
{
    const struct tensor *y = &d->outputs[0], *a = &d->inputs[dot->inputs[DOT_A]], *b = &d->inputs[dot->inputs[DOT_B]];
    const struct tensor *c = dot->inputs[DOT_C] == NO ? NULL : &d->inputs[dot->inputs[DOT_C]];
    const int is_gemm = d->type == DML_OPERATOR_GEMM;
    const uint32_t rank = y->rank, rows = rank - 2, columns = rank - 1;
    const uint32_t ta = is_gemm && d->desc.gemm.TransA == DML_MATRIX_TRANSFORM_TRANSPOSE;
    const uint32_t tb = is_gemm && d->desc.gemm.TransB == DML_MATRIX_TRANSFORM_TRANSPOSE;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t k = DOT_RANK - rank + i;
        dot->sizes[k] = y->sizes[i];
        dot->output[k] = y->strides[i];
        dot->c[k] = c && c->rank ? c->strides[i] : 0;
        dot->a[k] = i < rows ? a->strides[i] : 0;
        dot->b[k] = i < rows ? b->strides[i] : 0;
    }
    dot->a[DOT_RANK - 2] = a->strides[ta ? columns : rows];
    dot->b[DOT_RANK - 1] = b->strides[tb ? rows : columns];
    dot->channels = a->sizes[ta ? rows : columns];
    dot->channel_a = a->strides[ta ? rows : columns];
    dot->channel_b = b->strides[tb ? columns : rows];
    dot->per_group = dot->sizes[1];
    dot->rest_a = dot->a[1];
    dot->rest_b = dot->b[1];
    for (uint32_t k = DOT_A_ZERO; k < DOT_ROLES; k++) {
        const int of_b = k == DOT_B_ZERO || k == DOT_B_SCALE;
        dot->dimensions[k] = of_b ? DOT_RANK - 1 : DOT_RANK - 2;
        const uint32_t along = of_b ? 1 : 2;
        dot->steps[k] = dot->inputs[k] == NO ? 0 : step_along(&d->inputs[dot->inputs[k]], along);
    }
    dot->alpha = is_gemm ? d->desc.gemm.Alpha : 1;
    dot->beta = is_gemm ? d->desc.gemm.Beta : 1;
}

/* Returns the step of the channel, of which a scale or a zero point has one number, or one for each. */
static uint32_t step_of_channel(const struct tensor *tensor)
{
    uint32_t step = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        step = tensor->sizes[i] == 1 ? step : tensor->strides[i];
    return step;
}

static void set_convolution(struct dot *dot, const struct descriptor *d)
{
    const struct tensor *y = &d->outputs[0], *a = &d->inputs[dot->inputs[DOT_A]], *b = &d->inputs[dot->inputs[DOT_B]];
    const struct tensor *c = dot->inputs[DOT_C] == NO ? NULL : &d->inputs[dot->inputs[DOT_C]];
    const uint32_t rank = y->rank, groups = d->window.groups;
    for (uint32_t i = 0; i < DOT_SPATIAL; i++)
        dot->windows[i].stride = 1;
    dot->backward = d->window.backward;
    dot->flipped = d->window.flipped;
    dot->sizes[0] = y->sizes[0];
    dot->sizes[1] = y->sizes[1];
    dot->output[0] = y->strides[0];
    dot->output[1] = y->strides[1];
    dot->a[0] = a->strides[0];
    dot->c[1] = c && c->rank ? c->strides[1] : 0;
    dot->channels = a->sizes[1] / groups;
    dot->per_group = y->sizes[1] / groups;
    dot->group_a = dot->channels * a->strides[1];
    dot->group_b = (dot->backward ? dot->channels : dot->per_group) * b->strides[0];
    dot->rest_b = b->strides[dot->backward];
    dot->channel_a = a->strides[1];
    dot->channel_b = b->strides[!dot->backward];
    for (uint32_t i = 2; i < rank; i++) {
        const uint32_t k = DOT_RANK - rank + i;
        dot->sizes[k] = y->sizes[i];
        dot->output[k] = y->strides[i];
        dot->windows[k - 2] = (struct dot_window){a->sizes[i],
                                                  b->sizes[i],
                                                  d->lists[WINDOW_STRIDES][i - 2],
                                                  d->lists[WINDOW_GAPS][i - 2],
                                                  d->lists[WINDOW_START][i - 2],
                                                  a->strides[i],
                                                  b->strides[i]};
    }
    for (uint32_t k = DOT_A_ZERO; k < DOT_ROLES; k++) {
        dot->dimensions[k] = 1;
        dot->steps[k] = dot->inputs[k] == NO ? 0 : step_of_channel(&d->inputs[dot->inputs[k]]);
    }
    dot->alpha = dot->beta = 1;
}

void dot_init(struct dot *dot, const struct descriptor *d)
{
    const size_t number = find_dot(d->type);
    *dot = (struct dot){.result = dot_operators[number].result};
    memcpy(dot->inputs, dot_operators[number].inputs, sizeof dot->inputs);
    for (uint32_t i = 0; i < DOT_RANK; i++)
        dot->sizes[i] = 1;
    for (uint32_t i = 0; i < DOT_SPATIAL; i++)
        dot->windows[i] = (struct dot_window){1, 1, 0, 1, 0, 0, 0};
    if (d->window.groups > 0)
        set_convolution(dot, d);
    else
        set_matrices(dot, d);
    for (uint32_t k = 0; k < DOT_ROLES; k++) /* what the description leaves out */
        if (dot->inputs[k] != NO && d->inputs[dot->inputs[k]].rank == 0)
            dot->inputs[k] = NO;
}
