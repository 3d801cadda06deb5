#include "harness/describe/marshal.h"

#include "harness/describe/field_kind.h"

#include <stddef.h>
#include <string.h>

size_t marshal_size(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++)
        if (spec->fields[i].kind == FIELD_OPERATOR || spec->fields[i].kind == FIELD_OPERATORS)
            return sizeof(struct marshal);
    return offsetof(struct marshal, buffers) + desc->tensor_count * sizeof(DML_BUFFER_TENSOR_DESC);
}

/* Returns `pointer`, or null if it is not given. The function has no branch, since the processor could not predict
 * it. */
static const void *given(bool is_given, const void *pointer)
{
    return (const void *)((uintptr_t)pointer & -(uintptr_t)is_given);
}

/* Stores all tensors, also absent ones and those past the counts of arrays. */
static void put_tensors(const struct opdesc *desc, struct marshal *m)
{
    for (int i = 0; i < desc->tensor_count; i++) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        DML_BUFFER_TENSOR_DESC *buffer = &m->buffers[i];
        buffer->DataType = (DML_TENSOR_DATA_TYPE)t->data_type;
        buffer->Flags = (DML_TENSOR_FLAGS)t->flags;
        buffer->DimensionCount = t->dims;
        buffer->Sizes = given(t->has_sizes, t->sizes);
        buffer->Strides = given(t->has_strides, t->strides);
        buffer->TotalTensorSizeInBytes = t->total;
        buffer->GuaranteedBaseOffsetAlignment = t->alignment;
        m->tensors[i] = (DML_TENSOR_DESC){.Type = (DML_TENSOR_TYPE)t->type, .Desc = given(t->present, buffer)};
    }
}

void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m)
{
    put_tensors(desc, m);
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        unsigned char *member = m->body + field->offset;
        if (field->kind <= FIELD_OUTPUT) { /* most fields are tensors */
            const unsigned item = desc->values[i].place.item;
            const void *tensor = given(desc->items[item].tensor.present, &m->tensors[item]);
            memcpy(member, &tensor, sizeof tensor);
        } else if (field->kind == FIELD_UINT) { /* many others are UINTs */
            const UINT number = (UINT)desc->values[i].number;
            memcpy(member, &number, sizeof number);
        } else {
            struct field_ref ref = field_ref(spec, desc, i);
            field_kinds[field->kind].marshal(&ref, m, member);
        }
    }
    m->op = (DML_OPERATOR_DESC){.Type = spec->type, .Desc = m->body};
}

void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc)
{
    const unsigned char *body = op->Desc;
    spec_blank(spec, desc);
    struct field_ref ref = field_ref(spec, desc, 0);
    for (; ref.at < spec->field_count; ref.at++)
        field_kind(&ref)->unmarshal(&ref, body + spec->fields[ref.at].offset);
}
