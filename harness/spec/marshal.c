#include "harness/spec/marshal.h"

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

void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m)
{
    size_t at = 0;
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i])) {
            UINT value = (UINT)desc->fields[i].number;
            memcpy(m->body + at, &value, sizeof value);
            at += sizeof value;
            continue;
        }
        const DML_TENSOR_DESC *pointer = marshal_tensor(&desc->fields[i].tensor, &m->tensors[i], &m->buffers[i]);
        at = (at + _Alignof(void *) - 1) / _Alignof(void *) * _Alignof(void *);
        memcpy(m->body + at, &pointer, sizeof pointer);
        at += sizeof pointer;
    }
    m->op = (DML_OPERATOR_DESC){.Type = spec->type, .Desc = m->body};
}

static void read_tensor(const DML_TENSOR_DESC *from, struct opdesc_tensor *t)
{
    *t = (struct opdesc_tensor){.present = from && from->Desc};
    if (!t->present)
        return;
    /* Whatever the Type says: there is no other kind of tensor, and this way only the rule on types is broken. */
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

/* The documented struct has the fields in the order of the spec, each at its natural alignment. */
void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc)
{
    const char *from = op->Desc;
    size_t at = 0;
    for (int i = 0; i < spec->field_count; i++) {
        const DML_TENSOR_DESC *tensor;
        UINT number;
        size_t size = !field_is_tensor(&spec->fields[i]) ? sizeof number : sizeof tensor;
        at = (at + size - 1) / size * size;
        if (!field_is_tensor(&spec->fields[i])) {
            memcpy(&number, from + at, size);
            desc->fields[i].number = number;
        } else {
            memcpy(&tensor, from + at, size);
            read_tensor(tensor, &desc->fields[i].tensor);
        }
        at += size;
    }
}
