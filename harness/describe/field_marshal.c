/* field_marshal.c: members of the documented structs, written and read. */
#include "harness/describe/field_internal.h"

#include <string.h>

/* ---- pointers */

static void put_pointer(void *member, const void *pointer)
{
    memcpy(member, &pointer, sizeof pointer);
}

static const void *pointer_in(const void *member)
{
    const void *pointer;
    memcpy(&pointer, member, sizeof pointer);
    return pointer;
}

/* Returns a valid target for a pointer that is not null, where a description keeps only that. */
static const void *something(const struct field_ref *ref)
{
    static const UINT sizes[] = {1};
    static const DML_BUFFER_TENSOR_DESC buffer = {
        .DataType = DML_TENSOR_DATA_TYPE_FLOAT32, .DimensionCount = 1, .Sizes = sizes, .TotalTensorSizeInBytes = 4};
    static const DML_TENSOR_DESC tensor = {.Type = DML_TENSOR_TYPE_BUFFER, .Desc = &buffer};
    static const uint64_t zeros[OPDESC_MAX_LIST];
    if (!field_given(ref))
        return NULL;
    return field_is_tensor(&ref->fields[ref->at]) ? (const void *)&tensor : zeros;
}

/* ---- tensors */

static void field_marshal_take_tensor(const DML_TENSOR_DESC *from, struct opdesc_tensor *t)
{
    *t = (struct opdesc_tensor){.present = from && from->Desc};
    if (!t->present)
        return;
    /* The Desc is a buffer whatever the Type is: there is no other kind, and a wrong Type breaks only its own rule. */
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

/* marshal_desc() itself writes the tensors of a description and pointers to single tensors. */
void field_marshal_tensor(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    put_pointer(member, something(ref));
}

void field_unmarshal_tensor(const struct field_ref *ref, const void *member)
{
    if (ref->desc)
        field_marshal_take_tensor(pointer_in(member), &field_items(ref)->tensor);
    else
        field_give(ref, pointer_in(member) != NULL);
}

void field_marshal_tensors(const struct field_ref *ref, struct marshal *m, void *member)
{
    put_pointer(member, ref->desc && field_given(ref) ? &m->tensors[field_value(ref)->place.item] : something(ref));
}

void field_unmarshal_tensors(const struct field_ref *ref, const void *member)
{
    const DML_TENSOR_DESC *from = pointer_in(member);
    field_give(ref, from != NULL);
    for (unsigned i = 0; from && ref->desc && i < field_count(ref); i++)
        field_marshal_take_tensor(&from[i], &field_items(ref)[i].tensor);
}

/* ---- numbers */

void field_marshal_uint(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    UINT number = (UINT)field_value(ref)->number;
    memcpy(member, &number, sizeof number);
}

void field_unmarshal_uint(const struct field_ref *ref, const void *member)
{
    UINT number;
    memcpy(&number, member, sizeof number);
    field_value(ref)->number = number;
}

void field_unmarshal_int(const struct field_ref *ref, const void *member)
{
    INT number;
    memcpy(&number, member, sizeof number);
    field_value(ref)->number = number;
}

void field_marshal_float(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    memcpy(member, &field_value(ref)->real, sizeof(FLOAT));
}

void field_unmarshal_float(const struct field_ref *ref, const void *member)
{
    memcpy(&field_value(ref)->real, member, sizeof(FLOAT));
}

void field_marshal_scalar(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    memcpy(member, field_value(ref)->bytes, sizeof(DML_SCALAR_UNION));
}

void field_unmarshal_scalar(const struct field_ref *ref, const void *member)
{
    memcpy(field_value(ref)->bytes, member, sizeof(DML_SCALAR_UNION));
}

void field_marshal_size_2d(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    memcpy(member, field_size_2d(ref), sizeof(DML_SIZE_2D));
}

void field_unmarshal_size_2d(const struct field_ref *ref, const void *member)
{
    memcpy(field_size_2d(ref), member, sizeof(DML_SIZE_2D));
}

/* ---- pointers to numbers */

void field_marshal_list(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    put_pointer(member, ref->desc && field_given(ref) ? field_items(ref)->list : something(ref));
}

void field_unmarshal_list(const struct field_ref *ref, const void *member)
{
    const void *from = pointer_in(member);
    field_give(ref, from != NULL);
    if (from && ref->desc)
        memcpy(field_items(ref)->list, from, field_count(ref) * sizeof(UINT));
}

void field_marshal_scale_bias(const struct field_ref *ref, struct marshal *m, void *member)
{
    (void)m;
    _Static_assert(sizeof(DML_SCALE_BIAS) == sizeof field_value(ref)->scale_bias, "as documented");
    put_pointer(member, field_given(ref) ? &field_value(ref)->scale_bias : NULL);
}

void field_unmarshal_scale_bias(const struct field_ref *ref, const void *member)
{
    const void *from = pointer_in(member);
    field_give(ref, from != NULL);
    if (from)
        memcpy(&field_value(ref)->scale_bias, from, sizeof(DML_SCALE_BIAS));
}

/* ---- descriptions within a description */

static void field_marshal_put_nested(const struct field_ref *outer, unsigned at, struct marshal *m)
{
    const struct opdesc_nested *nested = &field_items(outer)[at].nested;
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    memset(&m->bodies[at], 0, sizeof m->bodies[at]);
    for (int i = 0; layout && i < field_nested_count(layout); i++) {
        struct field_ref ref = field_ref_nested(outer, layout, nested, i);
        field_kind(&ref)->marshal(&ref, m, m->bodies[at].bytes + layout->fields[i].offset);
    }
    m->nested[at] = (DML_OPERATOR_DESC){.Type = (DML_OPERATOR_TYPE)nested->type,
                                        .Desc = nested->has_desc ? m->bodies[at].bytes : NULL};
}

static void field_marshal_take_nested(const struct field_ref *outer, unsigned at, const DML_OPERATOR_DESC *from)
{
    struct opdesc_nested *nested = &field_items(outer)[at].nested;
    *nested = (struct opdesc_nested){.has_desc = from->Desc, .type = (uint32_t)from->Type};
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    for (int i = 0; layout && i < field_nested_count(layout); i++) {
        struct field_ref ref = field_ref_nested(outer, layout, nested, i);
        field_kind(&ref)->unmarshal(&ref, (const unsigned char *)from->Desc + layout->fields[i].offset);
    }
}

void field_marshal_operators(const struct field_ref *ref, struct marshal *m, void *member)
{
    put_pointer(member, something(ref));
    if (!ref->desc || !field_given(ref))
        return;
    for (unsigned i = 0; i < field_value(ref)->place.room; i++)
        field_marshal_put_nested(ref, i, m);
    put_pointer(member, m->nested);
}

void field_unmarshal_operators(const struct field_ref *ref, const void *member)
{
    const DML_OPERATOR_DESC *from = pointer_in(member);
    field_give(ref, from != NULL);
    for (unsigned i = 0; from && ref->desc && i < field_count(ref); i++)
        field_marshal_take_nested(ref, i, &from[i]);
}
