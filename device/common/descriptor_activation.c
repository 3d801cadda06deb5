/* descriptor_activation.c: the rules of activations, both fused ones and operators. */
#include "device/common/descriptor_internal.h"

#include <string.h>

/* The activations that every operator with a FusedActivation can fuse, with the feature level that brought them. */
static const struct {
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL since;
} fusable[] = {
    {DML_OPERATOR_ACTIVATION_ELU, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_CELU, DML_FEATURE_LEVEL_3_0},
    {DML_OPERATOR_ACTIVATION_GELU, DML_FEATURE_LEVEL_5_1},
    {DML_OPERATOR_ACTIVATION_HARD_SIGMOID, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_IDENTITY, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_LEAKY_RELU, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_LINEAR, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_RELU, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_SCALED_ELU, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_SCALED_TANH, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_SHRINK, DML_FEATURE_LEVEL_2_0},
    {DML_OPERATOR_ACTIVATION_SIGMOID, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_SOFTPLUS, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_SOFTSIGN, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_TANH, DML_FEATURE_LEVEL_1_0},
    {DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, DML_FEATURE_LEVEL_1_0},
};

static int can_fuse(uint32_t type, DML_FEATURE_LEVEL level)
{
    for (size_t i = 0; i < sizeof fusable / sizeof *fusable; i++)
        if (type == (uint32_t)fusable[i].type)
            return level >= fusable[i].since;
    return 0;
}

/* Reads the members of a fused activation: its tensors must be null; its other members are FLOATs. */
static int read_members(const struct reader *reader, const struct catalogue_field *field,
                        const struct catalogue_operator *op, const char *desc, struct descriptor *out)
{
    uint32_t attributes = 0;
    for (uint32_t i = 0; i < op->field_count; i++) {
        const DML_TENSOR_DESC *tensor;
        if (op->fields[i].kind == CATALOGUE_REAL) {
            memcpy(&out->activation_attributes[attributes++], desc + op->fields[i].offset, sizeof(FLOAT));
            continue;
        }
        memcpy(&tensor, desc + op->fields[i].offset, sizeof tensor);
        if (tensor)
            return REJECT(reader, "%s.%s is not null; the tensors of a fused activation must be null.", field->name,
                          op->fields[i].name);
    }
    return 1;
}

/* Tells whether the attributes are those of a legal activation. `field` names the member that has the fused activation;
 * null: the operator itself is the activation. */
static int check_attributes(const struct reader *reader, const char *field, const struct descriptor *d)
{
    if (d->activation == DML_OPERATOR_ACTIVATION_SOFTPLUS && reader->level < DML_FEATURE_LEVEL_6_4 &&
        !(d->activation_attributes[0] >= 1))
        return REJECT(reader, "%s%sSteepness is %g; before feature level 6_4 it must be at least 1.",
                      field ? field : "", field ? "." : "", (double)d->activation_attributes[0]);
    return 1;
}

int descriptor_check_activation(const struct reader *reader, struct descriptor *out)
{
    uint32_t attributes = 0;
    out->activation = out->type;
    for (uint32_t i = 0; i < reader->op->field_count; i++)
        if (reader->op->fields[i].kind == CATALOGUE_REAL)
            memcpy(&out->activation_attributes[attributes++], out->desc.bytes + reader->op->fields[i].offset,
                   sizeof(FLOAT));
    return check_attributes(reader, NULL, out);
}

int descriptor_read_activation(const struct reader *reader, const struct catalogue_field *field,
                               const DML_OPERATOR_DESC *activation, struct descriptor *out)
{
    if (!activation)
        return 1;
    if (!can_fuse((uint32_t)activation->Type, reader->level))
        return REJECT(reader, "%s.Type is %u, which %s cannot fuse at feature level %s.", field->name,
                      (unsigned)activation->Type, reader->op->name, descriptor_text_of_level(reader, reader->level));
    if (!activation->Desc)
        return REJECT(reader, "%s.Desc is null.", field->name);
    out->activation = activation->Type;
    if (!read_members(reader, field, catalogue_find((uint32_t)activation->Type), activation->Desc, out))
        return 0;
    return check_attributes(reader, field->name, out);
}
