#include "harness/spec/marshal.h"

#include "harness/spec/field_kind.h"

#include <string.h>

static const DML_TENSOR_DESC *marshal_tensor(const struct opdesc_tensor *t, DML_TENSOR_DESC *out,
                                             DML_BUFFER_TENSOR_DESC *buffer)
{
    *buffer = (DML_BUFFER_TENSOR_DESC){.DataType = (DML_TENSOR_DATA_TYPE)t->data_type,
                                       .Flags = (DML_TENSOR_FLAGS)t->flags,
                                       .DimensionCount = t->dims,
                                       .Sizes = t->has_sizes ? t->sizes : NULL,
                                       .Strides = t->has_strides ? t->strides : NULL,
                                       .TotalTensorSizeInBytes = t->total,
                                       .GuaranteedBaseOffsetAlignment = t->alignment};
    *out = (DML_TENSOR_DESC){.Type = (DML_TENSOR_TYPE)t->type, .Desc = buffer};
    return t->present ? out : NULL;
}

/* Offset of the next member of the documented struct after `at`: its alignment is its size, a power of two. */
static size_t align(size_t at, enum field_kind kind)
{
    size_t bytes = field_kinds[kind].bytes;
    return (at + bytes - 1) & ~(bytes - 1);
}

void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m)
{
    size_t at = 0;
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        at = align(at, field->kind);
        if (field_is_tensor(field)) {
            const DML_TENSOR_DESC *tensor = marshal_tensor(OPDESC_TENSOR(desc, i), &m->tensors[i], &m->buffers[i]);
            memcpy(m->body + at, &tensor, sizeof tensor);
        } else {
            UINT number = (UINT)desc->values[i].number;
            memcpy(m->body + at, &number, sizeof number);
        }
        at += field_kinds[field->kind].bytes;
    }
    m->op = (DML_OPERATOR_DESC){.Type = spec->type, .Desc = m->body};
}

static void read_tensor(const DML_TENSOR_DESC *from, struct opdesc_tensor *t)
{
    *t = (struct opdesc_tensor){.present = from && from->Desc};
    if (!t->present)
        return;
    /* Reads a buffer whatever the Type is: there is no other kind, and a wrong Type then breaks only its rule. */
    const DML_BUFFER_TENSOR_DESC *buffer = from->Desc;
    t->type = (uint32_t)from->Type;
    t->data_type = (uint32_t)buffer->DataType;
    t->flags = (uint32_t)buffer->Flags;
    t->dims = buffer->DimensionCount < OPDESC_MAX_DIMENSIONS ? buffer->DimensionCount : OPDESC_MAX_DIMENSIONS;
    t->alignment = buffer->GuaranteedBaseOffsetAlignment;
    t->total = buffer->TotalTensorSizeInBytes;
    t->has_sizes = buffer->Sizes != NULL;
    t->has_strides = buffer->Strides != NULL;
    if (t->has_sizes)
        memcpy(t->sizes, buffer->Sizes, t->dims * sizeof *t->sizes);
    if (t->has_strides)
        memcpy(t->strides, buffer->Strides, t->dims * sizeof *t->strides);
}

void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc)
{
    const char *from = op->Desc;
    size_t at = 0;
    spec_blank(spec, desc);
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        const DML_TENSOR_DESC *tensor;
        UINT number;
        at = align(at, field->kind);
        if (field_is_tensor(field)) {
            memcpy(&tensor, from + at, sizeof tensor);
            read_tensor(tensor, OPDESC_TENSOR(desc, i));
        } else {
            memcpy(&number, from + at, sizeof number);
            desc->values[i].number = number;
        }
        at += field_kinds[field->kind].bytes;
    }
}
