#include "harness/describe/tensor_json.h"

#include "harness/base/datatype.h"
#include "harness/base/json_elements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const tensor_types[] = {"INVALID", "BUFFER", NULL};
static const char *const tensor_flags[] = {"NONE", "OWNED_BY_DML", NULL};

/* ---- reading */

/* Reads an optional member: a name or any number. `*out` stays as it is if the member is absent. */
static int tensor_json_read_enum(const struct json_cursor *in, const char *key, const char *prefix,
                                 const char *const names[], uint32_t *out, struct error *error)
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

static int tensor_json_read_flags(const struct json_cursor *in, uint32_t *out, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "Flags");
    int result = 0, flag = 0;
    if (!json_is_array(cursor.value))
        return tensor_json_read_enum(in, "Flags", "DML_TENSOR_FLAG_", tensor_flags, out, error);
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

/* Reads an optional number. */
static int tensor_json_read_number(const struct json_cursor *in, const char *key, int64_t max, int64_t *out,
                                   struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, key);
    return cursor.value ? json_cursor_integer(&cursor, 0, max, out, error) : 0;
}

/* Reads Sizes or Strides, and stores their number in `*count`. */
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

static int tensor_json_read_sizes(const struct json_cursor *in, struct opdesc_tensor *t, struct error *error)
{
    struct json_cursor sizes = json_cursor_member(in, "Sizes"), strides = json_cursor_member(in, "Strides");
    size_t size_count = 0, stride_count = 0;
    int64_t dims = -1;
    int result = 0;
    t->has_sizes = !json_is_null(sizes.value);
    if (t->has_sizes)
        result = read_list(&sizes, t->sizes, &size_count, error);
    if (result == 0)
        result = tensor_json_read_number(in, "DimensionCount", OPDESC_MAX_DIMENSIONS, &dims, error);
    if (result == 0 && strides.value && !json_is_null(strides.value))
        result = read_list(&strides, t->strides, &stride_count, error);
    if (result)
        return result;
    t->has_strides = strides.value && !json_is_null(strides.value);
    t->dims = dims >= 0 ? (uint32_t)dims : (uint32_t)size_count;
    if (t->has_sizes && size_count != t->dims)
        return json_cursor_error(&sizes, error, "expected as many sizes as DimensionCount says, %u, found %zu", t->dims,
                                 size_count);
    if (t->has_strides && stride_count != t->dims)
        return json_cursor_error(&strides, error, "expected as many strides as there are sizes, %u, found %zu", t->dims,
                                 stride_count);
    return 0;
}

/* Reads an optional number of up to 64 bits; a number above the largest JSON integer is a text. */
static int read_total(const struct json_cursor *in, uint64_t *out, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "TotalTensorSizeInBytes");
    const char *text = json_string_value(cursor.value);
    int64_t number = 0;
    char *end;
    if (!cursor.value)
        return 0;
    if (!text || json_cursor_is_number(&cursor)) {
        int result = json_cursor_integer(&cursor, 0, INT64_MAX, &number, error);
        *out = (uint64_t)number;
        return result;
    }
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end ? 0 : json_cursor_error(&cursor, error, "expected a number");
}

int tensor_json_read(const struct json_cursor *cursor, struct opdesc_tensor *t, struct error *error)
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
    int64_t alignment = 0;
    int result = json_cursor_object(cursor, error);
    if (result == 0)
        result = json_cursor_object(in, error);
    if (result == 0)
        result = json_cursor_known(in, known, error);
    if (result == 0)
        result = tensor_json_read_enum(cursor, "Type", "DML_TENSOR_TYPE_", tensor_types, &t->type, error);
    if (result == 0)
        result = read_data_type(in, &t->data_type, error);
    if (result == 0)
        result = tensor_json_read_flags(in, &t->flags, error);
    if (result == 0)
        result = tensor_json_read_sizes(in, t, error);
    if (result == 0)
        t->total = (uint64_t)opdesc_implied(t);
    if (result == 0)
        result = read_total(in, &t->total, error);
    if (result == 0)
        result = tensor_json_read_number(in, "GuaranteedBaseOffsetAlignment", UINT32_MAX, &alignment, error);
    t->alignment = (uint32_t)alignment;
    return result;
}

/* ---- writing */

static json_t *tensor_json_list_of(const uint32_t *list, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(list[i]));
    return array;
}

/* Returns the name of a number, or the number if it has none. */
static json_t *tensor_json_name_of(const char *const names[], uint32_t count, uint32_t number)
{
    return number < count ? json_string(names[number]) : json_integer(number);
}

json_t *tensor_json_write(const struct opdesc_tensor *t)
{
    if (!t->present)
        return json_null();
    json_t *tensor = json_object();
    if (t->type != DML_TENSOR_TYPE_BUFFER)
        json_object_set_new(tensor, "Type", tensor_json_name_of(tensor_types, 2, t->type));
    json_object_set_new(tensor, "DataType",
                        t->data_type < DATATYPE_COUNT ? json_string(datatype_of(t->data_type)->name)
                                                      : json_integer(t->data_type));
    if (t->flags)
        json_object_set_new(tensor, "Flags", tensor_json_name_of(tensor_flags, 2, t->flags));
    if (!t->has_sizes)
        json_object_set_new(tensor, "DimensionCount", json_integer(t->dims));
    json_object_set_new(tensor, "Sizes", t->has_sizes ? tensor_json_list_of(t->sizes, t->dims) : json_null());
    if (t->has_strides)
        json_object_set_new(tensor, "Strides", tensor_json_list_of(t->strides, t->dims));
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, t->total);
    json_object_set_new(tensor, "TotalTensorSizeInBytes",
                        t->total <= INT64_MAX ? json_integer((json_int_t)t->total) : json_string(text));
    if (t->alignment)
        json_object_set_new(tensor, "GuaranteedBaseOffsetAlignment", json_integer(t->alignment));
    return tensor;
}
