/* descriptor_product.c: the rules of GEMM and of products of integer matrices. */
#include "device/common/descriptor_internal.h"

#include "device/common/dot.h"

static int check_matrix_size(const struct reader *reader, const char *name, const struct tensor *tensor,
                             uint32_t dimension, uint32_t size)
{
    return tensor->sizes[dimension] == size || REJECT(reader, "%s.Sizes[%u] is %u; the other matrices call for %u.",
                                                      name, dimension, tensor->sizes[dimension], size);
}

/* Checks the sizes of matrices of equal rank. ta, tb: A or B is transposed. */
static int check_matrices(const struct reader *reader, const struct tensor *a, const struct tensor *b,
                          const struct tensor *y, uint32_t ta, uint32_t tb)
{
    const uint32_t rows = y->rank - 2, columns = y->rank - 1;
    for (uint32_t i = 0; i < rows; i++)
        if (!check_matrix_size(reader, "BTensor", b, i, a->sizes[i]) ||
            !check_matrix_size(reader, "OutputTensor", y, i, a->sizes[i]))
            return 0;
    return check_matrix_size(reader, "BTensor", b, tb ? columns : rows, a->sizes[ta ? rows : columns]) &&
           check_matrix_size(reader, "OutputTensor", y, rows, a->sizes[ta ? columns : rows]) &&
           check_matrix_size(reader, "OutputTensor", y, columns, b->sizes[tb ? rows : columns]);
}

int descriptor_check_gemm(const struct reader *reader, struct descriptor *d)
{
    const DML_GEMM_OPERATOR_DESC *gemm = &d->desc.gemm;
    return descriptor_check_within(reader, "TransA", (uint32_t)gemm->TransA, 0, DML_MATRIX_TRANSFORM_TRANSPOSE) &&
           descriptor_check_within(reader, "TransB", (uint32_t)gemm->TransB, 0, DML_MATRIX_TRANSFORM_TRANSPOSE) &&
           check_matrices(reader, &d->inputs[0], &d->inputs[1], &d->outputs[0], (uint32_t)gemm->TransA,
                          (uint32_t)gemm->TransB);
}

int descriptor_check_parameter(const struct reader *reader, const struct tensor *tensor, uint32_t number,
                               uint32_t from_end, uint32_t size)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (tensor->sizes[i] != 1 && (i + from_end != tensor->rank || tensor->sizes[i] != size))
            return from_end == 0
                       ? REJECT(reader, "The sizes of input %u are %s; all must be 1.", number,
                                descriptor_text_of_sizes(reader, tensor->sizes, tensor->rank))
                       : REJECT(reader, "The sizes of input %u are %s; all must be 1, or number %u from the end %u.",
                                number, descriptor_text_of_sizes(reader, tensor->sizes, tensor->rank), from_end, size);
    return 1;
}

int descriptor_check_product(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *y = &d->outputs[0];
    struct dot dot;
    dot_init(&dot, d);
    if (!check_matrices(reader, &d->inputs[dot.inputs[DOT_A]], &d->inputs[dot.inputs[DOT_B]], y, 0, 0))
        return 0;
    for (uint32_t k = DOT_A_ZERO; k < DOT_ROLES; k++) {
        const uint32_t from_end = k == DOT_B_ZERO || k == DOT_B_SCALE ? 1 : 2;
        if (dot.inputs[k] != DOT_ABSENT && !descriptor_check_parameter(reader, &d->inputs[dot.inputs[k]], dot.inputs[k],
                                                                       from_end, y->sizes[y->rank - from_end]))
            return 0;
    }
    return 1;
}
