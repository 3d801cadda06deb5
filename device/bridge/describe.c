/* describe.c: writes any operator of the catalogue: it treats members by their kind, never by their name. */
#include "device/bridge/describe.h"
#include "device/common/layout.h"

#include <math.h>
#include <string.h>

static const char *const type_names[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = "FLOAT32", [DML_TENSOR_DATA_TYPE_FLOAT16] = "FLOAT16",
    [DML_TENSOR_DATA_TYPE_UINT32] = "UINT32",   [DML_TENSOR_DATA_TYPE_UINT16] = "UINT16",
    [DML_TENSOR_DATA_TYPE_UINT8] = "UINT8",     [DML_TENSOR_DATA_TYPE_INT32] = "INT32",
    [DML_TENSOR_DATA_TYPE_INT16] = "INT16",     [DML_TENSOR_DATA_TYPE_INT8] = "INT8",
    [DML_TENSOR_DATA_TYPE_FLOAT64] = "FLOAT64", [DML_TENSOR_DATA_TYPE_UINT64] = "UINT64",
    [DML_TENSOR_DATA_TYPE_INT64] = "INT64",     [DML_TENSOR_DATA_TYPE_UINT4] = "UINT4",
    [DML_TENSOR_DATA_TYPE_INT4] = "INT4",
};
enum { TYPES = sizeof type_names / sizeof *type_names };

const char *describe_type(DML_TENSOR_DATA_TYPE type)
{
    return (uint32_t)type < TYPES ? type_names[type] : NULL;
}

int describe_find_type(const char *name)
{
    for (int i = 0; i < TYPES && name; i++)
        if (type_names[i] && !strcmp(type_names[i], name))
            return i;
    return -1;
}

uint32_t describe_find_operator(const char *name)
{
    for (uint32_t type = 1; type <= DML_OPERATOR_UNFOLD; type++) {
        const struct catalogue_operator *op = catalogue_find(type);
        if (op && !strcmp(op->name, name))
            return type;
    }
    return 0;
}

/* ---- members */

int describe_is_tensor(const struct catalogue_field *field)
{
    return field->kind <= CATALOGUE_OUTPUTS;
}

int describe_is_output(const struct catalogue_field *field)
{
    return field->kind == CATALOGUE_OUTPUT || field->kind == CATALOGUE_OUTPUTS;
}

static uint32_t number_at(const void *desc, const struct catalogue_field *field)
{
    uint32_t value;
    memcpy(&value, (const char *)desc + field->offset, sizeof value);
    return value;
}

static const void *pointer_at(const void *desc, const struct catalogue_field *field)
{
    const void *value;
    memcpy(&value, (const char *)desc + field->offset, sizeof value);
    return value;
}

static uint32_t length_at(const struct catalogue_operator *op, const struct catalogue_field *field, const void *desc)
{
    return field->count < 0 ? 0 : number_at(desc, &op->fields[field->count]);
}

uint32_t describe_tensor_count(const struct catalogue_operator *op, const struct catalogue_field *field,
                               const void *desc)
{
    if (field->kind == CATALOGUE_INPUTS || field->kind == CATALOGUE_OUTPUTS)
        return length_at(op, field, desc);
    return describe_is_tensor(field) ? 1 : 0;
}

/* Returns a number as JSON, which has no NaN and no infinities: they are text, which Python's float() and JavaScript's
 * Number() read. */
static json_t *real(float value)
{
    if (isnan(value))
        return json_string("NaN");
    if (isinf(value))
        return json_string(value < 0 ? "-Infinity" : "Infinity");
    return json_real((double)value);
}

static json_t *number(const struct catalogue_field *field, uint32_t value)
{
    return json_integer(field->is_signed ? (json_int_t)(int32_t)value : (json_int_t)value);
}

static json_t *numbers(const uint32_t *values, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *scale_bias(const DML_SCALE_BIAS *value)
{
    return value ? json_pack("{s:o, s:o}", "Scale", real(value->Scale), "Bias", real(value->Bias)) : json_null();
}

static json_t *size_2d(const void *at)
{
    DML_SIZE_2D size;
    memcpy(&size, at, sizeof size);
    return json_pack("{s:I, s:I}", "Width", (json_int_t)size.Width, "Height", (json_int_t)size.Height);
}

/* Returns the bytes of a scalar of the data type. No number is exact for all types: a NaN has a payload. */
static json_t *scalar(const unsigned char *at, DML_TENSOR_DATA_TYPE type)
{
    const char *name = describe_type(type);
    json_t *bytes = json_array();
    for (uint32_t i = 0; i < (descriptor_element_bits(type) + 7) / 8; i++)
        json_array_append_new(bytes, json_integer(at[i]));
    return json_pack("{s:o, s:o}", "DataType", name ? json_string(name) : json_null(), "Bytes", bytes);
}

static json_t *tensor_as_json(const struct tensor *t, int packed)
{
    uint64_t bytes = packed ? layout_packed_bytes(t) : t->bytes;
    if (t->rank == 0)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:I}", "DataType", type_names[t->type], "Sizes", numbers(t->sizes, t->rank),
                     "Strides", packed ? json_null() : numbers(t->strides, t->rank), "TotalTensorSizeInBytes",
                     (json_int_t)bytes);
}

/* ---- descriptions */

static json_t *nested(const DML_OPERATOR_DESC *desc);

static json_t *element_as_json(const struct catalogue_field *field, const void *array, uint32_t i)
{
    switch (field->kind) {
    case CATALOGUE_NUMBERS:
        return number(field, ((const uint32_t *)array)[i]);
    case CATALOGUE_REALS:
        return real(((const float *)array)[i]);
    default:
        return nested((const DML_OPERATOR_DESC *)array + i);
    }
}

/* Returns a member that is no tensor. */
static json_t *attribute(const struct catalogue_operator *op, const struct catalogue_field *field, const void *desc)
{
    const unsigned char *at = (const unsigned char *)desc + field->offset;
    uint32_t length = length_at(op, field, desc);
    const void *from = field->kind == CATALOGUE_NUMBERS || field->kind == CATALOGUE_REALS ||
                               field->kind == CATALOGUE_SCALE_BIAS || field->kind == CATALOGUE_OPERATOR ||
                               field->kind == CATALOGUE_OPERATORS
                           ? pointer_at(desc, field)
                           : NULL;
    json_t *array = NULL;
    float value;

    switch ((enum catalogue_kind)field->kind) {
    case CATALOGUE_NUMBER:
        return number(field, number_at(desc, field));
    case CATALOGUE_REAL:
        memcpy(&value, at, sizeof value);
        return real(value);
    case CATALOGUE_SCALE_BIAS:
        return scale_bias(from);
    case CATALOGUE_SIZE_2D:
        return size_2d(at);
    case CATALOGUE_SCALAR:
        return scalar(at, (DML_TENSOR_DATA_TYPE)number_at(desc, &op->fields[field->typed_by]));
    case CATALOGUE_OPERATOR:
        return nested(from);
    default:
        break;
    }
    if (!from)
        return json_null();
    array = json_array();
    for (uint32_t i = 0; i < length; i++)
        json_array_append_new(array, element_as_json(field, from, i));
    return array;
}

/* Returns the description within a description: an activation, whose own tensors are null. */
static json_t *nested(const DML_OPERATOR_DESC *desc)
{
    const struct catalogue_operator *op = desc ? catalogue_find((uint32_t)desc->Type) : NULL;
    json_t *members = json_object();
    for (uint32_t i = 0; op && desc->Desc && i < op->field_count; i++) {
        const struct catalogue_field *field = &op->fields[i];
        json_object_set_new(members, field->name,
                            describe_is_tensor(field) ? json_null() : attribute(op, field, desc->Desc));
    }
    if (op && desc->Desc)
        return json_pack("{s:s, s:o}", "Type", op->name, "Desc", members);
    json_decref(members);
    return json_null();
}

/* Returns the tensors of a member. `*next`: the first of them. */
static json_t *tensors(const struct catalogue_operator *op, const struct catalogue_field *field, const void *desc,
                       const struct tensor **next, int packed)
{
    uint32_t count = describe_tensor_count(op, field, desc);
    json_t *array;
    if (field->kind == CATALOGUE_INPUT || field->kind == CATALOGUE_OUTPUT)
        return tensor_as_json((*next)++, packed);
    array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, tensor_as_json((*next)++, packed));
    return array;
}

json_t *describe_operator(const DML_OPERATOR_DESC *desc, const struct descriptor *descriptor, int packed)
{
    const struct catalogue_operator *op = catalogue_find((uint32_t)desc->Type);
    const struct tensor *inputs = descriptor->inputs, *outputs = descriptor->outputs;
    json_t *members = json_object(), *names[2] = {json_array(), json_array()};
    for (uint32_t i = 0; i < op->field_count; i++) {
        const struct catalogue_field *field = &op->fields[i];
        if (!describe_is_tensor(field)) {
            json_object_set_new(members, field->name, attribute(op, field, desc->Desc));
            continue;
        }
        const struct tensor **next = describe_is_output(field) ? &outputs : &inputs;
        json_object_set_new(members, field->name, tensors(op, field, desc->Desc, next, packed));
        json_array_append_new(names[describe_is_output(field)], json_string(field->name));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "Type", op->name, "Desc", members, "Inputs", names[0], "Outputs",
                     names[1]);
}
