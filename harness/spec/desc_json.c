#include "harness/spec/desc_json.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/base/json_elements.h"
#include "harness/base/words.h"

#include <stdio.h>
#include <string.h>

static const char *const tensor_types[] = {"INVALID", "BUFFER", NULL};
static const char *const tensor_flags[] = {"NONE", "OWNED_BY_DML", NULL};

/* ---- reading */

/* An optional member: a name or any number. `*out` stays as it is if the member is absent. */
static int read_enum(const struct json_cursor *in, const char *key, const char *prefix, const char *const names[],
                     uint32_t *out, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, key);
    int64_t number;
    int choice;
    if (!cursor.value)
        return 0;
    int result = json_cursor_is_number(&cursor) ? json_cursor_integer(&cursor, 0, UINT32_MAX, &number, error)
                                                : json_cursor_choice(&cursor, prefix, names, &choice, error);
    if (result == 0)
        *out = json_cursor_is_number(&cursor) ? (uint32_t)number : (uint32_t)choice;
    return result;
}

static int read_flags(const struct json_cursor *in, uint32_t *out, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "Flags");
    int result = 0, flag = 0;
    if (!json_is_array(cursor.value))
        return read_enum(in, "Flags", "DML_TENSOR_FLAG_", tensor_flags, out, error);
    for (size_t i = 0; result == 0 && i < json_array_size(cursor.value); i++) {
        struct json_cursor entry = json_cursor_entry(&cursor, i);
        result = json_cursor_choice(&entry, "DML_TENSOR_FLAG_", tensor_flags, &flag, error);
        *out |= (uint32_t)flag;
    }
    return result;
}

static int read_data_type(const struct json_cursor *in, uint32_t *out, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "DataType");
    int64_t number;
    unsigned type = 0;
    int result = json_cursor_is_number(&cursor) ? json_cursor_integer(&cursor, 0, UINT32_MAX, &number, error)
                                                : json_data_type_read(&cursor, &type, error);
    if (result == 0)
        *out = json_cursor_is_number(&cursor) ? (uint32_t)number : type;
    return result;
}

/* An optional number. */
static int read_number(const struct json_cursor *in, const char *key, int64_t max, int64_t *out, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, key);
    return cursor.value ? json_cursor_integer(&cursor, 0, max, out, error) : 0;
}

/* Reads Sizes or Strides, with their number to `*count`. */
static int read_list(const struct json_cursor *cursor, uint32_t list[OPDESC_MAX_DIMENSIONS], size_t *count,
                     struct error *error)
{
    int result = json_cursor_array(cursor, error);
    *count = json_array_size(cursor->value);
    if (result == 0 && *count > OPDESC_MAX_DIMENSIONS)
        return json_cursor_error(cursor, error, "expected at most %d entries, found %zu", OPDESC_MAX_DIMENSIONS,
                                 *count);
    for (size_t i = 0; result == 0 && i < *count; i++) {
        struct json_cursor entry = json_cursor_entry(cursor, i);
        int64_t number = 0;
        result = json_cursor_integer(&entry, 0, UINT32_MAX, &number, error);
        list[i] = (uint32_t)number;
    }
    return result;
}

static int read_sizes(const struct json_cursor *in, struct opdesc_tensor *t, struct error *error)
{
    struct json_cursor sizes = json_cursor_member(in, "Sizes"), strides = json_cursor_member(in, "Strides");
    size_t size_count = 0, stride_count = 0;
    int64_t dims = -1;
    int result = 0;
    t->has_sizes = !json_is_null(sizes.value);
    if (t->has_sizes)
        result = read_list(&sizes, t->sizes, &size_count, error);
    if (result == 0)
        result = read_number(in, "DimensionCount", OPDESC_MAX_DIMENSIONS, &dims, error);
    if (result == 0 && strides.value && !json_is_null(strides.value))
        result = read_list(&strides, t->strides, &stride_count, error);
    if (result)
        return result;
    t->has_strides = stride_count > 0;
    t->dims = dims >= 0 ? (uint32_t)dims : (uint32_t)size_count;
    if (t->has_sizes && size_count != t->dims)
        return json_cursor_error(&sizes, error, "expected as many sizes as DimensionCount says, %u, found %zu", t->dims,
                                 size_count);
    if (t->has_strides && stride_count != t->dims)
        return json_cursor_error(&strides, error, "expected as many strides as there are sizes, %u, found %zu", t->dims,
                                 stride_count);
    return 0;
}

static int read_tensor(const struct json_cursor *cursor, struct opdesc_tensor *t, struct error *error)
{
    static const char *const known[] = {"Type",
                                        "Desc",
                                        "DataType",
                                        "Flags",
                                        "Sizes",
                                        "DimensionCount",
                                        "Strides",
                                        "TotalTensorSizeInBytes",
                                        "GuaranteedBaseOffsetAlignment",
                                        NULL};
    *t = (struct opdesc_tensor){.present = !json_is_null(cursor->value), .type = DML_TENSOR_TYPE_BUFFER};
    if (!t->present)
        return 0;
    struct json_cursor inner = json_cursor_member(cursor, "Desc");
    const struct json_cursor *in = inner.value ? &inner : cursor;
    int64_t total = -1, alignment = 0;
    int result = json_cursor_object(cursor, error);
    if (result == 0)
        result = json_cursor_object(in, error);
    if (result == 0)
        result = json_cursor_known(in, known, error);
    if (result == 0)
        result = read_enum(cursor, "Type", "DML_TENSOR_TYPE_", tensor_types, &t->type, error);
    if (result == 0)
        result = read_data_type(in, &t->data_type, error);
    if (result == 0)
        result = read_flags(in, &t->flags, error);
    if (result == 0)
        result = read_sizes(in, t, error);
    if (result == 0)
        result = read_number(in, "TotalTensorSizeInBytes", INT64_MAX, &total, error);
    if (result == 0)
        result = read_number(in, "GuaranteedBaseOffsetAlignment", UINT32_MAX, &alignment, error);
    t->total = total >= 0 ? (uint64_t)total : (uint64_t)opdesc_implied(t);
    t->alignment = (uint32_t)alignment;
    return result;
}

/* Finds an operator by any of its names; -1: it has no spec. */
static int find_operator(const struct spec_set *specs, const char *name)
{
    int op = spec_set_find(specs, name);
    DML_OPERATOR_TYPE type = dml_operator_find(name);
    for (int i = 0; i < specs->count && op < 0 && type != DML_OPERATOR_INVALID; i++)
        if (specs->specs[i].type == type)
            op = i;
    return op;
}

static int read_operator(const struct json_cursor *cursor, const struct spec_set *specs, unsigned *op,
                         struct error *error)
{
    static const char prefix[] = "DML_OPERATOR_";
    const char *name, *names[128];
    size_t count = 0;
    if (json_cursor_text(cursor, &name, error))
        return EXIT_HARNESS;
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    int found = find_operator(specs, name);
    *op = (unsigned)found;
    if (found >= 0)
        return 0;
    for (int i = 0; i < specs->count && count < 128; i++)
        names[count++] = specs->specs[i].name;
    const char *near = words_nearest(name, names, count);
    if (dml_operator_find(name) != DML_OPERATOR_INVALID)
        return json_cursor_error(
            cursor, error, "no spec describes the operator %s; `assay spec` lists the operators that have one", name);
    return json_cursor_error(cursor, error, "no operator is named '%s'%s%s%s", name, near ? "; did you mean " : "",
                             near ? near : "", near ? "?" : "");
}

int desc_json_read(const struct json_cursor *cursor, const struct spec_set *specs, struct opdesc *desc,
                   struct error *error)
{
    const char *known[OPDESC_MAX_FIELDS + 1] = {NULL};
    struct json_cursor type = json_cursor_member(cursor, json_object_get(cursor->value, "Type") ? "Type" : "type"),
                       fields = json_cursor_member(cursor, json_object_get(cursor->value, "Desc") ? "Desc" : "desc");
    unsigned op = 0;
    int result = read_operator(&type, specs, &op, error);
    if (result == 0)
        result = json_cursor_object(&fields, error);
    if (result)
        return result;
    const struct spec *spec = &specs->specs[op];
    spec_blank(spec, desc);
    for (int i = 0; i < spec->field_count; i++)
        known[i] = spec->fields[i].name;
    result = json_cursor_known(&fields, known, error);
    for (int i = 0; i < spec->field_count && result == 0; i++) {
        struct json_cursor field = json_cursor_member(&fields, spec->fields[i].name);
        if (!field.value)
            result = json_cursor_error(&field, error, "the field is missing");
        else if (field_is_tensor(&spec->fields[i]))
            result = read_tensor(&field, OPDESC_TENSOR(desc, i), error);
        else
            result = json_cursor_integer(&field, 0, UINT32_MAX, &desc->values[i].number, error);
    }
    return result;
}

/* ---- writing */

static json_t *list_of(const uint32_t *list, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(list[i]));
    return array;
}

/* The name, or the number where there is none. */
static json_t *name_of(const char *const names[], uint32_t count, uint32_t number)
{
    return number < count ? json_string(names[number]) : json_integer(number);
}

static json_t *tensor_of(const struct opdesc_tensor *t)
{
    if (!t->present)
        return json_null();
    json_t *tensor = json_object();
    if (t->type != DML_TENSOR_TYPE_BUFFER)
        json_object_set_new(tensor, "Type", name_of(tensor_types, 2, t->type));
    json_object_set_new(tensor, "DataType",
                        t->data_type < DATATYPE_COUNT ? json_string(datatype_of(t->data_type)->name)
                                                      : json_integer(t->data_type));
    if (t->flags)
        json_object_set_new(tensor, "Flags", name_of(tensor_flags, 2, t->flags));
    if (!t->has_sizes)
        json_object_set_new(tensor, "DimensionCount", json_integer(t->dims));
    json_object_set_new(tensor, "Sizes", t->has_sizes ? list_of(t->sizes, t->dims) : json_null());
    if (t->has_strides)
        json_object_set_new(tensor, "Strides", list_of(t->strides, t->dims));
    json_object_set_new(tensor, "TotalTensorSizeInBytes", json_integer((json_int_t)t->total));
    if (t->alignment)
        json_object_set_new(tensor, "GuaranteedBaseOffsetAlignment", json_integer(t->alignment));
    return tensor;
}

bool desc_json_write(json_t *object, const struct spec *spec, const struct opdesc *desc)
{
    json_t *fields = json_object();
    char type[80];
    snprintf(type, sizeof type, "DML_OPERATOR_%s", spec->name);
    for (int i = 0; i < spec->field_count; i++)
        json_object_set_new(fields, spec->fields[i].name,
                            field_is_tensor(&spec->fields[i]) ? tensor_of(OPDESC_TENSOR(desc, i))
                                                              : json_integer(desc->values[i].number));
    return json_object_set_new(object, "type", json_string(type)) == 0 &&
           json_object_set_new(object, "desc", fields) == 0;
}

const char *desc_json_beyond(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++) {
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, i);
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        if (!t->present)
            return "a tensor that is a null pointer";
        if (!t->has_sizes)
            return "Sizes that are a null pointer";
        if (t->type > 1 || t->flags > 1 || t->data_type >= DML_TENSOR_DATA_TYPE_UINT4)
            return "an enumeration's value that has no name there";
        if (t->total == 0)
            return "a TotalTensorSizeInBytes of 0";
    }
    return NULL;
}
