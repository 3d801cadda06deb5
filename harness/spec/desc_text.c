#include "harness/spec/desc_text.h"

#include "harness/base/datatype.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- printing */

struct writer {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->used < w->size ? w->text + w->used : NULL, w->used < w->size ? w->size - w->used : 0,
                           format, arguments);
    va_end(arguments);
    w->used += length > 0 ? (size_t)length : 0;
}

static void put_list(struct writer *w, const uint32_t *items, uint32_t count)
{
    put(w, "[");
    for (uint32_t i = 0; i < count; i++)
        if (items)
            put(w, "%s%u", i ? "," : "", items[i]);
        else
            put(w, "%s?", i ? "," : "");
    put(w, "]");
}

static void put_tensor(struct writer *w, const struct opdesc_tensor *t)
{
    if (!t->present) {
        put(w, "null");
        return;
    }
    if (t->data_type < DATATYPE_COUNT)
        put(w, "%s", datatype_of(t->data_type)->name);
    else
        put(w, "%u", t->data_type);
    put_list(w, t->has_sizes ? t->sizes : NULL, t->dims);
    if (t->has_strides) {
        put(w, ":strides");
        put_list(w, t->strides, t->dims);
    }
    if (t->total != (uint64_t)opdesc_implied(t))
        put(w, ":total=%" PRIu64, t->total);
    if (t->alignment)
        put(w, ":align=%u", t->alignment);
    if (t->flags)
        put(w, ":flags=%u", t->flags);
    if (t->type != DML_TENSOR_TYPE_BUFFER)
        put(w, ":type=%u", t->type);
}

size_t desc_text_print(const struct spec *spec, const struct opdesc *desc, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    put(&w, "%s", spec->name);
    for (int i = 0; i < spec->field_count; i++) {
        put(&w, " %s=", spec->fields[i].name);
        if (field_is_tensor(&spec->fields[i]))
            put_tensor(&w, OPDESC_TENSOR(desc, i));
        else
            put(&w, "%" PRId64, desc->values[i].number);
    }
    return w.used;
}

/* ---- parsing */

static bool read_number(const char **at, uint64_t max, uint64_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return *out <= max;
}

static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* "[1,2]"; with null `items`, "[?,?]". */
static bool read_list(const char **at, uint32_t *items, uint32_t *count)
{
    uint64_t number;
    *count = 0;
    if (!take(at, "["))
        return false;
    while (!take(at, "]")) {
        if (*count == OPDESC_MAX_DIMENSIONS || (*count && !take(at, ",")))
            return false;
        if (items ? !read_number(at, UINT32_MAX, &number) : !take(at, "?"))
            return false;
        if (items)
            items[*count] = (uint32_t)number;
        ++*count;
    }
    return true;
}

static bool read_type(const char **at, uint32_t *type)
{
    char name[16];
    size_t length = strcspn(*at, "[");
    uint64_t number;
    if (**at >= '0' && **at <= '9') {
        bool good = read_number(at, UINT32_MAX, &number);
        *type = good ? (uint32_t)number : 0;
        return good;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), *at);
    int found = datatype_find(name);
    *type = strcmp(name, datatype_of(DML_TENSOR_DATA_TYPE_UNKNOWN)->name) == 0 ? 0 : (uint32_t)found;
    *at += length;
    return found >= 0 || *type == 0;
}

static bool read_tensor(const char **at, struct opdesc_tensor *t)
{
    uint64_t number;
    uint32_t count;
    bool total = false;
    *t = (struct opdesc_tensor){.type = DML_TENSOR_TYPE_BUFFER};
    if (take(at, "null"))
        return true;
    t->present = true;
    if (!read_type(at, &t->data_type))
        return false;
    t->has_sizes = strncmp(*at, "[?", 2) != 0;
    if (!read_list(at, t->has_sizes ? t->sizes : NULL, &t->dims))
        return false;
    while (take(at, ":")) {
        uint32_t *place = take(at, "align=")   ? &t->alignment
                          : take(at, "flags=") ? &t->flags
                          : take(at, "type=")  ? &t->type
                                               : NULL;
        if (place) {
            if (!read_number(at, UINT32_MAX, &number))
                return false;
            *place = (uint32_t)number;
        } else if (take(at, "total=")) {
            total = true;
            if (!read_number(at, UINT64_MAX, &t->total))
                return false;
        } else if (take(at, "strides")) {
            t->has_strides = true;
            if (!read_list(at, t->strides, &count) || count != t->dims)
                return false;
        } else {
            return false;
        }
    }
    if (!total)
        t->total = (uint64_t)opdesc_implied(t);
    return true;
}

static int read_field(const struct spec *spec, const char **at, struct opdesc *out, uint32_t *seen, struct error *error)
{
    char name[64];
    const char *begin = *at;
    size_t length = strcspn(*at, "= ");
    uint64_t number;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), *at);
    int field = spec_find_field(spec, name);
    *at += length;
    if (field < 0 || !take(at, "=") || *seen >> field & 1)
        return error_set(error, EXIT_USAGE, "'%.60s': expected a field of %s and its value, each once", begin,
                         spec->name);
    *seen |= 1u << field;
    bool tensor = field_is_tensor(&spec->fields[field]), good;
    if (tensor) {
        good = read_tensor(at, OPDESC_TENSOR(out, field));
    } else {
        good = read_number(at, UINT32_MAX, &number);
        out->values[field].number = good ? (int64_t)number : 0;
    }
    if (!good || (**at && **at != ' '))
        return error_set(error, EXIT_USAGE, "'%.60s': expected %s, found '%.20s'", begin,
                         tensor ? "a tensor, such as FLOAT32[2,3]" : "a number", *at);
    return 0;
}

int desc_text_parse(const struct spec_set *specs, const char *text, struct opdesc *out, struct error *error)
{
    char name[64];
    size_t length = strcspn(text, " ");
    uint32_t seen = 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
    int op = spec_set_find(specs, name), result = 0;
    if (op < 0)
        return error_set(error, EXIT_USAGE, "'%.60s': expected the name of an operator first", text);
    const struct spec *spec = &specs->specs[op];
    if (text[length] == '\0')
        return error_set(error, EXIT_USAGE,
                         "'%.60s' is an operator without fields; expected a description; to try only "
                         "one operator, -o %s",
                         text, spec->name);
    spec_blank(spec, out);
    for (const char *at = text + length; result == 0 && *(at += strspn(at, " "));)
        result = read_field(spec, &at, out, &seen, error);
    for (int i = 0; i < spec->field_count && result == 0; i++)
        if (!(seen >> i & 1))
            result = error_set(error, EXIT_USAGE, "the description has no %s", spec->fields[i].name);
    return result;
}
