/* operands.c: the catalogue says where an operator's struct has tensors. Nothing here validates: DirectML does. */
#include "device/directml/operands.h"
#include "device/common/catalogue.h"

#include <string.h>

static struct operand operand_of(const DML_TENSOR_DESC *tensor)
{
    struct operand operand = {.alignment = DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT};
    const DML_BUFFER_TENSOR_DESC *buffer = tensor ? tensor->Desc : NULL;
    if (!buffer || tensor->Type != DML_TENSOR_TYPE_BUFFER)
        return operand;
    operand.bytes = buffer->TotalTensorSizeInBytes;
    operand.is_owned = (buffer->Flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
    /* Both alignments are powers of two. */
    if (buffer->GuaranteedBaseOffsetAlignment > operand.alignment)
        operand.alignment = buffer->GuaranteedBaseOffsetAlignment;
    return operand;
}

/* Appends the tensors of a field. Returns 0 if there is no room. */
static int append(const DML_OPERATOR_DESC *desc, const struct catalogue_operator *op,
                  const struct catalogue_field *field, struct operand *operands, uint32_t *count)
{
    const DML_TENSOR_DESC *tensors;
    uint32_t length = 1;
    memcpy(&tensors, (const char *)desc->Desc + field->offset, sizeof tensors);
    if (field->kind == CATALOGUE_INPUTS || field->kind == CATALOGUE_OUTPUTS)
        memcpy(&length, (const char *)desc->Desc + op->fields[field->count].offset, sizeof length);
    if (length > OPERANDS_MAX - *count)
        return 0;
    for (uint32_t i = 0; i < length; i++)
        operands[(*count)++] = operand_of(tensors ? &tensors[i] : NULL);
    return 1;
}

int operands_read(const DML_OPERATOR_DESC *desc, struct operands *out)
{
    const struct catalogue_operator *op = catalogue_find((uint32_t)desc->Type);
    out->input_count = out->output_count = 0;
    if (!op || !desc->Desc)
        return 0;
    for (uint32_t i = 0; i < op->field_count; i++) {
        const struct catalogue_field *field = &op->fields[i];
        int is_input = field->kind == CATALOGUE_INPUT || field->kind == CATALOGUE_INPUTS;
        int is_output = field->kind == CATALOGUE_OUTPUT || field->kind == CATALOGUE_OUTPUTS;
        if (is_input && !append(desc, op, field, out->inputs, &out->input_count))
            return 0;
        if (is_output && !append(desc, op, field, out->outputs, &out->output_count))
            return 0;
    }
    return 1;
}
