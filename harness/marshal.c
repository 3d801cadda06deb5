#include "harness/marshal.h"

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
        if (spec->fields[i].kind == FIELD_UINT) {
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
