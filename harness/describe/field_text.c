/* field_text.c: members of a description as text. */
#include "harness/describe/field_internal.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/spec/catalogue.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces */

void text_put(struct text_writer *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool room = out->used < out->size;
    int length = vsnprintf(room ? out->text + out->used : NULL, room ? out->size - out->used : 0, format, arguments);
    va_end(arguments);
    out->used += length > 0 ? (size_t)length : 0;
}

bool text_take(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

bool text_take_number(const char **at, uint64_t max, uint64_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return *out <= max;
}

void text_take_name(const char **at, char *name, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strspn(*at, letters);
    snprintf(name, size, "%.*s", length < size ? (int)length : 0, *at);
    *at += length;
}

void text_put_float(struct text_writer *out, uint32_t bits)
{
    float value, back;
    char text[32];
    memcpy(&value, &bits, sizeof value);
    for (int digits = 6; digits <= 9; digits += 3) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        back = strtof(text, NULL);
        if (memcmp(&back, &bits, sizeof back) == 0) {
            text_put(out, "%s", text);
            return;
        }
    }
    text_put(out, "0x%08" PRIx32, bits);
}

bool text_take_float(const char **at, uint32_t *bits)
{
    char *end;
    if (strncmp(*at, "0x", 2) == 0) {
        unsigned long long number = strtoull(*at + 2, &end, 16);
        bool good = end - *at == 10;
        *bits = (uint32_t)number;
        *at = end;
        return good;
    }
    if (strchr(" \t\n", **at)) /* strtof() would skip a blank; '\0' also matches here */
        return false;
    float value = strtof(*at, &end);
    bool good = end > *at;
    memcpy(bits, &value, sizeof value);
    *at = end;
    return good;
}

static bool take_null(const struct field_ref *ref, const char **at)
{
    bool null = text_take(at, "null");
    field_give(ref, !null);
    return null;
}

/* ---- tensors */

static void put_sizes(struct text_writer *out, const uint32_t *items, uint32_t count)
{
    text_put(out, "[");
    for (uint32_t i = 0; i < count; i++)
        if (items)
            text_put(out, "%s%u", i ? "," : "", items[i]);
        else
            text_put(out, "%s?", i ? "," : "");
    text_put(out, "]");
}

static void put_tensor(struct text_writer *out, const struct opdesc_tensor *t)
{
    if (!t->present) {
        text_put(out, "null");
        return;
    }
    if (t->data_type < DATATYPE_COUNT)
        text_put(out, "%s", datatype_of(t->data_type)->name);
    else
        text_put(out, "%u", t->data_type);
    if (t->dims == 0 && !t->has_sizes)
        text_put(out, "[null]");
    else
        put_sizes(out, t->has_sizes ? t->sizes : NULL, t->dims);
    if (t->has_strides) {
        text_put(out, ":strides");
        put_sizes(out, t->strides, t->dims);
    }
    if (t->total != (uint64_t)opdesc_implied(t))
        text_put(out, ":total=%" PRIu64, t->total);
    if (t->alignment)
        text_put(out, ":align=%u", t->alignment);
    if (t->flags)
        text_put(out, ":flags=%u", t->flags);
    if (t->type != DML_TENSOR_TYPE_BUFFER)
        text_put(out, ":type=%u", t->type);
}

/* Takes "[1,2]"; if `items` is null, "[?,?]". */
static bool take_sizes(const char **at, uint32_t *items, uint32_t *count)
{
    uint64_t number;
    *count = 0;
    if (!text_take(at, "["))
        return false;
    while (!text_take(at, "]")) {
        if (*count == OPDESC_MAX_DIMENSIONS || (*count && !text_take(at, ",")))
            return false;
        if (items ? !text_take_number(at, UINT32_MAX, &number) : !text_take(at, "?"))
            return false;
        if (items)
            items[*count] = (uint32_t)number;
        ++*count;
    }
    return true;
}

static bool take_type(const char **at, uint32_t *type)
{
    char name[16];
    uint64_t number;
    if (**at >= '0' && **at <= '9') {
        bool good = text_take_number(at, UINT32_MAX, &number);
        *type = good ? (uint32_t)number : 0;
        return good;
    }
    text_take_name(at, name, sizeof name);
    int found = datatype_find(name);
    *type = found > 0 ? (uint32_t)found : 0;
    return found >= 0;
}

/* Takes the name of a member that is a uint32_t, and returns the member. Null: the text has no such name. */
static uint32_t *take_member(const char **at, struct opdesc_tensor *t)
{
    if (text_take(at, "align="))
        return &t->alignment;
    if (text_take(at, "flags="))
        return &t->flags;
    return text_take(at, "type=") ? &t->type : NULL;
}

static bool field_text_take_tensor(const char **at, struct opdesc_tensor *t)
{
    uint64_t number;
    uint32_t count;
    bool total = false;
    *t = (struct opdesc_tensor){.type = DML_TENSOR_TYPE_BUFFER};
    if (text_take(at, "null"))
        return true;
    t->present = true;
    if (!take_type(at, &t->data_type))
        return false;
    bool null = text_take(at, "[null]"); /* a DimensionCount of 0, and no Sizes */
    t->has_sizes = !null && strncmp(*at, "[?", 2) != 0;
    if (!null && !take_sizes(at, t->has_sizes ? t->sizes : NULL, &t->dims))
        return false;
    while (text_take(at, ":")) {
        uint32_t *place = take_member(at, t);
        if (place) {
            if (!text_take_number(at, UINT32_MAX, &number))
                return false;
            *place = (uint32_t)number;
        } else if (text_take(at, "total=")) {
            total = true;
            if (!text_take_number(at, UINT64_MAX, &t->total))
                return false;
        } else if (text_take(at, "strides")) {
            t->has_strides = true;
            if (!take_sizes(at, t->strides, &count) || count != t->dims)
                return false;
        } else {
            return false;
        }
    }
    if (!total)
        t->total = (uint64_t)opdesc_implied(t);
    return true;
}

void field_print_tensor(const struct field_ref *ref, struct text_writer *out)
{
    if (ref->desc)
        put_tensor(out, &field_items(ref)->tensor);
    else
        text_put(out, field_given(ref) ? "given" : "null");
}

bool field_parse_tensor(const struct field_ref *ref, const char **at)
{
    if (ref->desc)
        return field_text_take_tensor(at, &field_items(ref)->tensor);
    return take_null(ref, at) || text_take(at, "given");
}

/* ---- arrays */

/* Returns the number of elements to print: the array's count. If the count exceeds the room, trailing zeros are left
 * out. */
static unsigned printed_count(const struct field_ref *ref)
{
    const struct opdesc_place *place = &field_value(ref)->place;
    const uint32_t *list = field_items(ref)->list;
    unsigned count = field_count(ref);
    if (place->count_field == OPDESC_NO_FIELD || ref->values[place->count_field].number <= place->room)
        return count;
    while (field_kind(ref)->items == 1 && count > 0 && list[count - 1] == 0)
        count--;
    return count;
}

static bool print_null(const struct field_ref *ref, struct text_writer *out)
{
    if (field_given(ref) && ref->desc)
        return false;
    text_put(out, field_given(ref) ? "given" : "null");
    return true;
}

/* Reads the elements of an array one by one with `take`. The count must have been read. */
static bool parse_array(const struct field_ref *ref, const char **at,
                        bool (*take)(const struct field_ref *ref, unsigned element, const char **at))
{
    unsigned count = 0;
    if (take_null(ref, at) || (!ref->desc && text_take(at, "given")))
        return true;
    if (!ref->desc || !text_take(at, "["))
        return false;
    for (; !text_take(at, "]"); count++)
        if (count == field_value(ref)->place.room || (count && !text_take(at, ",")) || !take(ref, count, at))
            return false;
    return field_fits(ref, count);
}

void field_print_tensors(const struct field_ref *ref, struct text_writer *out)
{
    if (print_null(ref, out))
        return;
    text_put(out, "[");
    for (unsigned i = 0; i < printed_count(ref); i++) {
        text_put(out, i ? "," : "");
        put_tensor(out, &field_items(ref)[i].tensor);
    }
    text_put(out, "]");
}

static bool take_one_tensor(const struct field_ref *ref, unsigned element, const char **at)
{
    return field_text_take_tensor(at, &field_items(ref)[element].tensor);
}

bool field_parse_tensors(const struct field_ref *ref, const char **at)
{
    return parse_array(ref, at, take_one_tensor);
}

static bool take_uint(const struct field_ref *ref, unsigned element, const char **at)
{
    uint64_t number = 0;
    bool negative = field_value(ref)->place.is_signed && text_take(at, "-");
    bool good = text_take_number(at, negative ? 1u << 31 : UINT32_MAX, &number);
    field_items(ref)->list[element] = negative ? 0u - (uint32_t)number : (uint32_t)number;
    return good && (negative || !field_value(ref)->place.is_signed || number <= INT32_MAX);
}

void field_print_list(const struct field_ref *ref, struct text_writer *out)
{
    if (print_null(ref, out))
        return;
    text_put(out, "[");
    for (unsigned i = 0; i < printed_count(ref); i++)
        text_put(out, "%s%" PRId64, i ? "," : "", opdesc_entry(ref->desc, ref->at, i));
    text_put(out, "]");
}

bool field_parse_list(const struct field_ref *ref, const char **at)
{
    return parse_array(ref, at, take_uint);
}

void field_print_floats(const struct field_ref *ref, struct text_writer *out)
{
    if (print_null(ref, out))
        return;
    text_put(out, "[");
    for (unsigned i = 0; i < printed_count(ref); i++) {
        text_put(out, i ? "," : "");
        text_put_float(out, field_items(ref)->list[i]);
    }
    text_put(out, "]");
}

static bool take_one_float(const struct field_ref *ref, unsigned element, const char **at)
{
    return text_take_float(at, &field_items(ref)->list[element]);
}

bool field_parse_floats(const struct field_ref *ref, const char **at)
{
    return parse_array(ref, at, take_one_float);
}

/* ---- numbers */

void field_print_uint(const struct field_ref *ref, struct text_writer *out)
{
    text_put(out, "%" PRId64, field_value(ref)->number);
}

bool field_parse_uint(const struct field_ref *ref, const char **at)
{
    uint64_t number = 0;
    bool good = text_take_number(at, UINT32_MAX, &number);
    field_value(ref)->number = good ? (int64_t)number : 0;
    return good;
}

bool field_parse_int(const struct field_ref *ref, const char **at)
{
    uint64_t number = 0;
    bool negative = text_take(at, "-"), good = text_take_number(at, INT32_MAX + (uint64_t)negative, &number);
    if (!good)
        number = 0;
    field_value(ref)->number = negative ? -(int64_t)number : (int64_t)number;
    return good;
}

void field_print_enum(const struct field_ref *ref, struct text_writer *out)
{
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    const char *name = spec_constant_name(constants, field_value(ref)->number);
    if (name)
        text_put(out, "%s", name);
    else
        field_print_uint(ref, out);
}

bool field_parse_enum(const struct field_ref *ref, const char **at)
{
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    char name[64];
    if (**at >= '0' && **at <= '9')
        return field_parse_uint(ref, at);
    text_take_name(at, name, sizeof name);
    return spec_constant_find(constants, name, &field_value(ref)->number);
}

void field_print_float(const struct field_ref *ref, struct text_writer *out)
{
    uint32_t bits;
    memcpy(&bits, &field_value(ref)->real, sizeof bits);
    text_put_float(out, bits);
}

bool field_parse_float(const struct field_ref *ref, const char **at)
{
    uint32_t bits = 0;
    bool good = text_take_float(at, &bits);
    memcpy(&field_value(ref)->real, &bits, sizeof bits);
    return good;
}

void field_print_scale_bias(const struct field_ref *ref, struct text_writer *out)
{
    uint32_t bits[2];
    memcpy(bits, &field_value(ref)->scale_bias, sizeof bits);
    text_put(out, field_given(ref) ? "[" : "null");
    for (int i = 0; i < 2 && field_given(ref); i++) {
        text_put_float(out, bits[i]);
        text_put(out, i ? "]" : ",");
    }
}

bool field_parse_scale_bias(const struct field_ref *ref, const char **at)
{
    uint32_t bits[2] = {0};
    if (take_null(ref, at))
        return true;
    bool good = text_take(at, "[") && text_take_float(at, &bits[0]) && text_take(at, ",") &&
                text_take_float(at, &bits[1]) && text_take(at, "]");
    memcpy(&field_value(ref)->scale_bias, bits, sizeof bits);
    return good;
}

void field_print_size_2d(const struct field_ref *ref, struct text_writer *out)
{
    const uint32_t *size = field_size_2d(ref);
    text_put(out, "[%u,%u]", size[0], size[1]);
}

bool field_parse_size_2d(const struct field_ref *ref, const char **at)
{
    uint64_t width = 0, height = 0;
    bool good = text_take(at, "[") && text_take_number(at, UINT32_MAX, &width) && text_take(at, ",") &&
                text_take_number(at, UINT32_MAX, &height) && text_take(at, "]");
    field_size_2d(ref)[0] = (uint32_t)width;
    field_size_2d(ref)[1] = (uint32_t)height;
    return good;
}

/* A scalar of a data type is its value, "FLOAT32(1.5)"; other bytes are in hexadecimal, the first byte first. */
void field_print_scalar(const struct field_ref *ref, struct text_writer *out)
{
    const uint8_t *bytes = field_value(ref)->bytes;
    unsigned type = field_scalar_type(ref);
    union opdesc_value back = {0};
    char text[40] = "";
    if (type && datatype_of(type)->is_float)
        snprintf(text, sizeof text, "%.17g", datatype_to_double(type, bytes));
    else if (type == DML_TENSOR_DATA_TYPE_UINT64)
        snprintf(text, sizeof text, "%" PRIu64, datatype_bits(type, bytes));
    else if (type)
        snprintf(text, sizeof text, "%" PRId64, datatype_to_integer(type, bytes));
    if (type && datatype_of(type)->is_float)
        datatype_from_double(type, strtod(text, NULL), back.bytes);
    else if (type)
        element_put(datatype_of(type)->bits, back.bytes, 0, datatype_bits(type, bytes));
    if (type && memcmp(back.bytes, bytes, sizeof back.bytes) == 0) {
        text_put(out, "%s(%s)", datatype_of(type)->name, text);
        return;
    }
    text_put(out, "0x");
    for (int i = 0; i < 8; i++)
        text_put(out, "%02x", bytes[i]);
}

bool field_parse_scalar(const struct field_ref *ref, const char **at)
{
    uint8_t *bytes = field_value(ref)->bytes;
    char name[16], *end;
    if (text_take(at, "0x")) {
        for (int i = 0; i < 8; i++, *at += 2) {
            unsigned byte;
            if (!strchr("0123456789abcdef", (*at)[0]) || !(*at)[0] || sscanf(*at, "%2x", &byte) != 1 || !(*at)[1])
                return false;
            bytes[i] = (uint8_t)byte;
        }
        return true;
    }
    text_take_name(at, name, sizeof name);
    int type = datatype_find(name);
    if (type <= 0 || datatype_of((unsigned)type)->bits < 8 || !text_take(at, "("))
        return false;
    const struct datatype *t = datatype_of((unsigned)type);
    memset(bytes, 0, sizeof field_value(ref)->bytes);
    if (t->is_float)
        datatype_from_double((unsigned)type, strtod(*at, &end), bytes);
    else
        datatype_from_integer((unsigned)type, t->is_signed ? strtoll(*at, &end, 10) : (int64_t)strtoull(*at, &end, 10),
                              bytes);
    bool good = end > *at;
    *at = end;
    return good && text_take(at, ")");
}

/* ---- descriptions within a description */

static void field_text_put_nested(const struct field_ref *outer, const struct opdesc_nested *nested,
                                  struct text_writer *out)
{
    const char *name = dml_operator_name((DML_OPERATOR_TYPE)nested->type), *comma = "";
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    if (name)
        text_put(out, "%s(", name);
    else
        text_put(out, "%u(", nested->type);
    for (int i = 0; layout && i < field_nested_count(layout); i++) {
        struct field_ref ref = field_ref_nested(outer, layout, nested, i);
        if (field_kind(&ref)->is_pointer && !field_given(&ref))
            continue; /* a missing member is null */
        text_put(out, "%s%s=", comma, layout->fields[i].name);
        field_kind(&ref)->print(&ref, out);
        comma = ",";
    }
    text_put(out, nested->has_desc ? ")" : "null)");
}

static bool field_text_take_nested(const struct field_ref *outer, unsigned element, const char **at)
{
    struct opdesc_nested *nested = &field_items(outer)[element].nested;
    char name[64];
    uint64_t number;
    *nested = (struct opdesc_nested){.has_desc = true};
    if (**at >= '0' && **at <= '9') {
        if (!text_take_number(at, UINT32_MAX, &number))
            return false;
        nested->type = (uint32_t)number;
    } else {
        text_take_name(at, name, sizeof name);
        nested->type = (uint32_t)dml_operator_find(name);
        if (nested->type == DML_OPERATOR_INVALID)
            return false;
    }
    if (!text_take(at, "("))
        return false;
    nested->has_desc = !text_take(at, "null");
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    for (bool first = true; !text_take(at, ")"); first = false) {
        if (!layout || (!first && !text_take(at, ",")))
            return false;
        const char *begin = *at;
        text_take_name(at, name, sizeof name);
        struct field_ref ref = field_ref_nested(outer, layout, nested, 0);
        while (ref.at < field_nested_count(layout) && strcmp(layout->fields[ref.at].name, name) != 0)
            ref.at++;
        if (ref.at == field_nested_count(layout) || !text_take(at, "=")) {
            *at = begin;
            return false;
        }
        if (!field_kind(&ref)->parse(&ref, at))
            return false;
    }
    return true;
}

void field_print_operators(const struct field_ref *ref, struct text_writer *out)
{
    if (print_null(ref, out))
        return;
    text_put(out, "[");
    for (unsigned i = 0; i < field_count(ref); i++) {
        text_put(out, i ? "," : "");
        field_text_put_nested(ref, &field_items(ref)[i].nested, out);
    }
    text_put(out, "]");
}

bool field_parse_operators(const struct field_ref *ref, const char **at)
{
    return parse_array(ref, at, field_text_take_nested);
}

void field_print_operator(const struct field_ref *ref, struct text_writer *out)
{
    if (!print_null(ref, out))
        field_text_put_nested(ref, &field_items(ref)->nested, out);
}

bool field_parse_operator(const struct field_ref *ref, const char **at)
{
    if (take_null(ref, at))
        return true;
    return ref->desc ? field_text_take_nested(ref, 0, at) : text_take(at, "given");
}
