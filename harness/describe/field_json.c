/* field_json.c: members of a description in JSON, in DxDispatch's forms. */
#include "harness/describe/field_internal.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/base/json_elements.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/tensor_json.h"

#include <stdio.h>
#include <string.h>

/* Returns the JSON of a pointer in a nested description, which keeps only whether it is null. */
static json_t *pointer_to_json(const struct field_ref *ref)
{
    return field_given(ref) ? json_true() : json_null();
}

/* Returns true if the value is null, or is the JSON of a pointer in a nested description. */
static bool pointer_from_json(const struct field_ref *ref, const struct json_cursor *cursor)
{
    bool null = !cursor->value || json_is_null(cursor->value);
    field_give(ref, !null);
    return null || !ref->desc;
}

/* ---- arrays */

static json_t *array_to_json(const struct field_ref *ref,
                             json_t *(*element)(const struct field_ref *ref, unsigned element))
{
    if (!ref->desc || !field_given(ref))
        return pointer_to_json(ref);
    json_t *array = json_array();
    for (unsigned i = 0; array && i < field_count(ref); i++)
        json_array_append_new(array, element(ref, i));
    return array;
}

static int array_from_json(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error,
                           int (*element)(const struct field_ref *ref, unsigned element,
                                          const struct json_cursor *cursor, struct error *error))
{
    if (pointer_from_json(ref, cursor))
        return 0;
    int result = json_cursor_array(cursor, error);
    size_t count = json_array_size(cursor->value);
    if (result == 0 && !field_fits(ref, count))
        return json_cursor_error(cursor, error, "expected as many entries as %s says, at most %u, found %zu",
                                 ref->fields[ref->fields[ref->at].count_field].name, field_value(ref)->place.room,
                                 count);
    for (unsigned i = 0; result == 0 && i < count; i++) {
        struct json_cursor entry = json_cursor_entry(cursor, i);
        result = element(ref, i, &entry, error);
    }
    return result;
}

/* ---- tensors */

json_t *field_to_json_tensor(const struct field_ref *ref)
{
    return ref->desc ? tensor_json_write(&field_items(ref)->tensor) : pointer_to_json(ref);
}

int field_from_json_tensor(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    if (ref->desc)
        return tensor_json_read(cursor, &field_items(ref)->tensor, error);
    pointer_from_json(ref, cursor);
    return 0;
}

static json_t *one_tensor_to_json(const struct field_ref *ref, unsigned element)
{
    return tensor_json_write(&field_items(ref)[element].tensor);
}

static int one_tensor_from_json(const struct field_ref *ref, unsigned element, const struct json_cursor *cursor,
                                struct error *error)
{
    return tensor_json_read(cursor, &field_items(ref)[element].tensor, error);
}

json_t *field_to_json_tensors(const struct field_ref *ref)
{
    return array_to_json(ref, one_tensor_to_json);
}

int field_from_json_tensors(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return array_from_json(ref, cursor, error, one_tensor_from_json);
}

/* ---- numbers */

json_t *field_to_json_uint(const struct field_ref *ref)
{
    return json_integer(field_value(ref)->number);
}

int field_from_json_uint(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return json_cursor_integer(cursor, 0, UINT32_MAX, &field_value(ref)->number, error);
}

int field_from_json_int(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return json_cursor_integer(cursor, INT32_MIN, INT32_MAX, &field_value(ref)->number, error);
}

json_t *field_to_json_bool(const struct field_ref *ref)
{
    int64_t number = field_value(ref)->number;
    return number == 0 || number == 1 ? json_boolean(number) : json_integer(number);
}

int field_from_json_bool(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    if (!json_is_boolean(cursor->value))
        return field_from_json_uint(ref, cursor, error);
    field_value(ref)->number = json_is_true(cursor->value);
    return 0;
}

json_t *field_to_json_enum(const struct field_ref *ref)
{
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    const char *name = spec_constant_name(constants, field_value(ref)->number);
    if (!name)
        return field_to_json_uint(ref);
    char text[128];
    snprintf(text, sizeof text, "%s_%s", constants->name, name);
    return json_string(text);
}

int field_from_json_enum(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    enum { CONSTANTS_MAX = 32 };
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    const char *names[CONSTANTS_MAX + 1] = {NULL};
    char prefix[80];
    int choice = 0;
    if (json_cursor_is_number(cursor))
        return field_from_json_uint(ref, cursor, error);
    for (int i = 0; i < constants->count && i < CONSTANTS_MAX; i++)
        names[i] = constants->constants[i].name;
    snprintf(prefix, sizeof prefix, "%s_", constants->name);
    int result = json_cursor_choice(cursor, prefix, names, &choice, error);
    if (result == 0)
        field_value(ref)->number = constants->constants[choice].value;
    return result;
}

/* Reads one element of a data type, in any form of json_elements.h. */
static int field_json_read_element(const struct json_cursor *cursor, unsigned type, void *to, struct error *error)
{
    json_t *list = json_pack("[O]", cursor->value);
    struct json_cursor whole = *cursor;
    struct json_elements elements = {0};
    const struct json_wanted wanted = {.count = 1};
    whole.value = list;
    int result = list ? json_elements_read(&whole, type, &wanted, &elements, error)
                      : json_cursor_error(cursor, error, "expected a number");
    if (result == 0) {
        element_put(datatype_of(type)->bits, to, 0, datatype_bits(type, elements.data));
        free(elements.data);
    }
    json_decref(list);
    return result;
}

json_t *field_to_json_float(const struct field_ref *ref)
{
    return json_element_write(DML_TENSOR_DATA_TYPE_FLOAT32, &field_value(ref)->real);
}

int field_from_json_float(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return field_json_read_element(cursor, DML_TENSOR_DATA_TYPE_FLOAT32, &field_value(ref)->real, error);
}

/* A scalar is a value of its data type; bytes without such a value are a text in hexadecimal, as in desc_text.h. */
json_t *field_to_json_scalar(const struct field_ref *ref)
{
    const uint8_t *bytes = field_value(ref)->bytes;
    unsigned type = field_scalar_type(ref);
    union opdesc_value low = {0};
    element_put(datatype_of(type)->bits, low.bytes, 0, datatype_bits(type, bytes));
    if (type && memcmp(low.bytes, bytes, sizeof low.bytes) == 0)
        return json_element_write(type, bytes);
    char text[32] = "bytes:";
    for (int i = 0; i < 8; i++)
        snprintf(text + 6 + 2 * i, sizeof text - 6 - 2 * (size_t)i, "%02x", bytes[i]);
    return json_string(text);
}

int field_from_json_scalar(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    uint8_t *bytes = field_value(ref)->bytes;
    unsigned type = field_scalar_type(ref);
    const char *text = json_string_value(cursor->value), *at = text;
    char hexadecimal[24];
    if (text && text_take(&at, "bytes:") && strlen(at) == 16) {
        snprintf(hexadecimal, sizeof hexadecimal, "0x%s", at);
        at = hexadecimal;
        return field_parse_scalar(ref, &at) ? 0 : json_cursor_error(cursor, error, "expected 16 hexadecimal digits");
    }
    memset(bytes, 0, sizeof field_value(ref)->bytes);
    if (!type)
        return json_cursor_error(cursor, error,
                                 "expected \"bytes:\" and 16 hexadecimal digits, since %s is no data "
                                 "type of at least 8 bits",
                                 ref->fields[ref->fields[ref->at].typed_by].name);
    return field_json_read_element(cursor, type, bytes, error);
}

/* ---- lists and pairs of numbers */

static json_t *entry_to_json(const struct field_ref *ref, unsigned element)
{
    return json_integer(opdesc_entry(ref->desc, ref->at, element));
}

static int entry_from_json(const struct field_ref *ref, unsigned element, const struct json_cursor *cursor,
                           struct error *error)
{
    bool is_signed = field_value(ref)->place.is_signed;
    int64_t number = 0;
    int result =
        json_cursor_integer(cursor, is_signed ? INT32_MIN : 0, is_signed ? INT32_MAX : UINT32_MAX, &number, error);
    field_items(ref)->list[element] = (uint32_t)number;
    return result;
}

json_t *field_to_json_list(const struct field_ref *ref)
{
    return array_to_json(ref, entry_to_json);
}

int field_from_json_list(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return array_from_json(ref, cursor, error, entry_from_json);
}

static json_t *float_to_json(const struct field_ref *ref, unsigned element)
{
    return json_element_write(DML_TENSOR_DATA_TYPE_FLOAT32, &field_items(ref)->list[element]);
}

static int float_from_json(const struct field_ref *ref, unsigned element, const struct json_cursor *cursor,
                           struct error *error)
{
    return field_json_read_element(cursor, DML_TENSOR_DATA_TYPE_FLOAT32, &field_items(ref)->list[element], error);
}

json_t *field_to_json_floats(const struct field_ref *ref)
{
    return array_to_json(ref, float_to_json);
}

int field_from_json_floats(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return array_from_json(ref, cursor, error, float_from_json);
}

/* Reads an object with two members. */
static int read_pair(const struct json_cursor *cursor, const char *const names[3], struct json_cursor members[2],
                     struct error *error)
{
    int result = json_cursor_object(cursor, error);
    if (result == 0)
        result = json_cursor_known(cursor, names, error);
    for (int i = 0; i < 2 && result == 0; i++) {
        members[i] = json_cursor_member(cursor, names[i]);
        if (!members[i].value)
            result = json_cursor_error(&members[i], error, "the member is missing");
    }
    return result;
}

json_t *field_to_json_scale_bias(const struct field_ref *ref)
{
    if (!field_given(ref))
        return json_null();
    return json_pack("{s:o, s:o}", "Scale",
                     json_element_write(DML_TENSOR_DATA_TYPE_FLOAT32, &field_value(ref)->scale_bias.scale), "Bias",
                     json_element_write(DML_TENSOR_DATA_TYPE_FLOAT32, &field_value(ref)->scale_bias.bias));
}

int field_from_json_scale_bias(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    static const char *const names[] = {"Scale", "Bias", NULL};
    struct json_cursor members[2];
    bool null = !cursor->value || json_is_null(cursor->value);
    field_give(ref, !null);
    int result = null ? 0 : read_pair(cursor, names, members, error);
    if (!null && result == 0)
        result = field_json_read_element(&members[0], DML_TENSOR_DATA_TYPE_FLOAT32, &field_value(ref)->scale_bias.scale,
                                         error);
    if (!null && result == 0)
        result = field_json_read_element(&members[1], DML_TENSOR_DATA_TYPE_FLOAT32, &field_value(ref)->scale_bias.bias,
                                         error);
    return result;
}

json_t *field_to_json_size_2d(const struct field_ref *ref)
{
    const uint32_t *size = field_size_2d(ref);
    return json_pack("{s:I, s:I}", "Width", (json_int_t)size[0], "Height", (json_int_t)size[1]);
}

int field_from_json_size_2d(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    static const char *const names[] = {"Width", "Height", NULL};
    struct json_cursor members[2];
    int64_t number = 0;
    int result = read_pair(cursor, names, members, error);
    for (int i = 0; i < 2 && result == 0; i++) {
        result = json_cursor_integer(&members[i], 0, UINT32_MAX, &number, error);
        field_size_2d(ref)[i] = (uint32_t)number;
    }
    return result;
}

/* ---- descriptions within a description */

static json_t *nested_to_json(const struct field_ref *outer, unsigned element)
{
    const struct opdesc_nested *nested = &field_items(outer)[element].nested;
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    const char *name = dml_operator_name((DML_OPERATOR_TYPE)nested->type);
    json_t *object = json_object(), *desc = nested->has_desc ? json_object() : json_null();
    char text[80];
    snprintf(text, sizeof text, "DML_OPERATOR_%s", name ? name : "");
    json_object_set_new(object, "Type", name ? json_string(text) : json_integer(nested->type));
    for (int i = 0; layout && i < field_nested_count(layout); i++) {
        struct field_ref ref = field_ref_nested(outer, layout, nested, i);
        if (!field_kind(&ref)->is_pointer || field_given(&ref))
            json_object_set_new(desc, layout->fields[i].name, field_kind(&ref)->to_json(&ref));
    }
    json_object_set_new(object, "Desc", desc);
    return object;
}

static int read_nested_type(const struct json_cursor *cursor, uint32_t *type, struct error *error)
{
    static const char prefix[] = "DML_OPERATOR_";
    const char *name;
    int64_t number = 0;
    if (json_cursor_is_number(cursor)) {
        int result = json_cursor_integer(cursor, 0, UINT32_MAX, &number, error);
        *type = (uint32_t)number;
        return result;
    }
    if (json_cursor_text(cursor, &name, error))
        return EXIT_HARNESS;
    *type = (uint32_t)dml_operator_find(name + (strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0));
    return *type != DML_OPERATOR_INVALID ? 0 : json_cursor_error(cursor, error, "no operator is named '%s'", name);
}

static int nested_from_json(const struct field_ref *outer, unsigned element, const struct json_cursor *cursor,
                            struct error *error)
{
    const char *known[OPDESC_NESTED_FIELDS + 1] = {NULL};
    struct opdesc_nested *nested = &field_items(outer)[element].nested;
    int result = json_cursor_object(cursor, error);
    struct json_cursor type = json_cursor_member(cursor, json_object_get(cursor->value, "Type") ? "Type" : "type"),
                       desc = json_cursor_member(cursor, json_object_get(cursor->value, "Desc") ? "Desc" : "desc");
    *nested = (struct opdesc_nested){.has_desc = !json_is_null(desc.value)};
    if (result == 0)
        result = read_nested_type(&type, &nested->type, error);
    const struct spec_layout *layout = result == 0 ? field_nested_layout(outer, nested) : NULL;
    for (int i = 0; layout && i < field_nested_count(layout); i++)
        known[i] = layout->fields[i].name;
    if (result == 0 && desc.value && nested->has_desc)
        result = json_cursor_object(&desc, error);
    if (result == 0 && desc.value && nested->has_desc)
        result = json_cursor_known(&desc, known, error);
    for (int i = 0; layout && i < field_nested_count(layout) && result == 0; i++) {
        struct field_ref ref = field_ref_nested(outer, layout, nested, i);
        struct json_cursor member = json_cursor_member(&desc, known[i]);
        if (!member.value)
            continue; /* a missing member is null or 0 */
        result = field_kind(&ref)->from_json(&ref, &member, error);
    }
    return result;
}

json_t *field_to_json_operators(const struct field_ref *ref)
{
    return array_to_json(ref, nested_to_json);
}

int field_from_json_operators(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return array_from_json(ref, cursor, error, nested_from_json);
}

json_t *field_to_json_operator(const struct field_ref *ref)
{
    return ref->desc && field_given(ref) ? nested_to_json(ref, 0) : pointer_to_json(ref);
}

int field_from_json_operator(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error)
{
    return pointer_from_json(ref, cursor) ? 0 : nested_from_json(ref, 0, cursor, error);
}
