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

static int can_fuse(DML_OPERATOR_TYPE operator_type, uint32_t type, DML_FEATURE_LEVEL level)
{
    if (type == DML_OPERATOR_ELEMENT_WISE_CLIP)
        return (operator_type == DML_OPERATOR_GEMM || operator_type == DML_OPERATOR_CONVOLUTION) &&
               level >= DML_FEATURE_LEVEL_6_0;
    for (size_t i = 0; i < sizeof fusable / sizeof *fusable; i++)
        if (type == (uint32_t)fusable[i].type)
            return level >= fusable[i].since;
    return 0;
}

/* Reads the FLOATs of an activation that `field` describes; its other members are tensors, which must be null. */
static int read_members(const struct reader *reader, const char *field, const struct catalogue_operator *op,
                        const char *desc, FLOAT floats[DESCRIPTOR_MAX_ATTRIBUTES])
{
    uint32_t attributes = 0;
    for (uint32_t i = 0; i < op->field_count; i++) {
        const DML_TENSOR_DESC *tensor;
        if (op->fields[i].kind == CATALOGUE_REAL) {
            memcpy(&floats[attributes++], desc + op->fields[i].offset, sizeof(FLOAT));
            continue;
        }
        memcpy(&tensor, desc + op->fields[i].offset, sizeof tensor);
        if (tensor)
            return REJECT(reader,
                          "%s.%s is not null; the tensors of an activation within another operator must be "
                          "null.",
                          field, op->fields[i].name);
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
    if (!can_fuse(out->type, (uint32_t)activation->Type, reader->level))
        return REJECT(reader, "%s.Type is %u, which %s cannot fuse at feature level %s.", field->name,
                      (unsigned)activation->Type, reader->op->name, descriptor_text_of_level(reader, reader->level));
    if (!activation->Desc)
        return REJECT(reader, "%s.Desc is null.", field->name);
    out->activation = activation->Type;
    if (!read_members(reader, field->name, catalogue_find((uint32_t)activation->Type), activation->Desc,
                      out->activation_attributes))
        return 0;
    return check_attributes(reader, field->name, out);
}

/* Tells whether a recurrent network takes an activation. */
static int is_recurrent(uint32_t type)
{
    static const DML_OPERATOR_TYPE types[] = {
        DML_OPERATOR_ACTIVATION_ELU,         DML_OPERATOR_ACTIVATION_HARD_SIGMOID,
        DML_OPERATOR_ACTIVATION_LEAKY_RELU,  DML_OPERATOR_ACTIVATION_RELU,
        DML_OPERATOR_ACTIVATION_SCALED_TANH, DML_OPERATOR_ACTIVATION_SIGMOID,
        DML_OPERATOR_ACTIVATION_SOFTPLUS,    DML_OPERATOR_ACTIVATION_SOFTSIGN,
        DML_OPERATOR_ACTIVATION_TANH,        DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type == (uint32_t)types[i])
            return 1;
    return 0;
}

int descriptor_read_activations(const struct reader *reader, const DML_OPERATOR_DESC *activations, uint32_t count,
                                struct descriptor *out)
{
    if (!activations)
        return REJECT(reader, "ActivationDescs is null; it must have %u activations.", count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t type = (uint32_t)activations[i].Type;
        if (!is_recurrent(type))
            return REJECT(reader, "ActivationDescs[%u].Type is %u, which %s does not take.", i, type, reader->op->name);
        if (!activations[i].Desc)
            return REJECT(reader, "ActivationDescs[%u].Desc is null.", i);
        out->activations[i].type = activations[i].Type;
        if (!read_members(reader, "ActivationDescs[i]", catalogue_find(type), activations[i].Desc,
                          out->activations[i].attributes))
            return 0;
    }
    return 1;
}
