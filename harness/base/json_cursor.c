#include "harness/base/json_cursor.h"

#include "harness/base/input.h"
#include "harness/base/text.h"
#include "harness/base/words.h"
#include "harness/base/json_comments.h"
#include "harness/base/json_number.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parses the text with its numbers marked. If the text is malformed, the error names places in the text as written. */
static json_t *parse(const char *text, size_t size, size_t flags, json_error_t *wrong)
{
    size_t marked_size;
    char *marked = json_number_mark(text, size, &marked_size);
    json_t *root = json_loadb(marked ? marked : text, marked ? marked_size : size, flags, wrong);
    free(marked);
    if (!root)
        root = json_loadb(text, size, flags | JSON_DECODE_INT_AS_REAL, wrong);
    return root;
}

int json_cursor_open_text(const char *name, char *text, size_t size, bool comments, struct json_cursor *out,
                          struct error *error)
{
    size_t flags = JSON_REJECT_DUPLICATES | (comments ? JSON_DISABLE_EOF_CHECK : 0);
    json_error_t wrong;
    const size_t mark = text_mark(text, size);
    text += mark;
    size -= mark;
    *out = (struct json_cursor){.file = name};
    if (comments)
        size = json_blank_comments(text, size);
    json_t *root = parse(text, size, flags, &wrong);
    if (!root)
        return error_set(error, EXIT_HARNESS, "%s:%d:%d: %s", name, wrong.line > 0 ? wrong.line : 1,
                         wrong.column > 0 ? wrong.column : 1, wrong.text);
    out->value = root;
    int result = json_cursor_object(out, error);
    if (result)
        json_cursor_close(out);
    return result;
}

int json_cursor_open(const char *file, bool comments, struct json_cursor *out, struct error *error)
{
    uint64_t size;
    *out = (struct json_cursor){.file = file};
    char *text = input_file(file, "a JSON file", INPUT_MAX, &size, error);
    if (!text)
        return EXIT_HARNESS;
    int result = json_cursor_open_text(file, text, size, comments, out, error);
    free(text);
    return result;
}

void json_cursor_close(struct json_cursor *cursor)
{
    json_decref((json_t *)(uintptr_t)cursor->value);
    cursor->value = NULL;
}

struct json_cursor json_cursor_member(const struct json_cursor *in, const char *key)
{
    return (struct json_cursor){.in = in, .file = in->file, .key = key, .value = json_object_get(in->value, key)};
}

struct json_cursor json_cursor_entry(const struct json_cursor *in, size_t index)
{
    return (struct json_cursor){.in = in, .file = in->file, .index = index, .value = json_array_get(in->value, index)};
}

/* Writes the path to a value: "commands[2].bindings". */
static void print_path(const struct json_cursor *cursor, char *text, size_t size)
{
    if (!cursor->in)
        return;
    print_path(cursor->in, text, size);
    size_t used = strlen(text);
    if (cursor->key)
        snprintf(text + used, size - used, "%s%s", used ? "." : "", cursor->key);
    else
        snprintf(text + used, size - used, "[%zu]", cursor->index);
}

int json_cursor_error(const struct json_cursor *cursor, struct error *error, const char *format, ...)
{
    char path[300] = "", what[600];
    va_list arguments;
    print_path(cursor, path, sizeof path);
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, EXIT_HARNESS, "%s: %s%s%s", cursor->file, path, *path ? ": " : "", what);
}

static const char *json_cursor_kind(const struct json_cursor *cursor)
{
    const char *number = json_number_text(cursor->value);
    if (!cursor->value)
        return "nothing";
    if (number)
        return strpbrk(number, ".eE") ? "a fraction" : "an integer";
    switch (json_typeof(cursor->value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a fraction";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

static int expected(const struct json_cursor *cursor, const char *what, struct error *error)
{
    return json_cursor_error(cursor, error, "expected %s, found %s", what, json_cursor_kind(cursor));
}

int json_cursor_object(const struct json_cursor *cursor, struct error *error)
{
    return json_is_object(cursor->value) ? 0 : expected(cursor, "an object", error);
}

int json_cursor_array(const struct json_cursor *cursor, struct error *error)
{
    return json_is_array(cursor->value) ? 0 : expected(cursor, "an array", error);
}

int json_cursor_text(const struct json_cursor *cursor, const char **out, struct error *error)
{
    *out = json_number_text(cursor->value) ? NULL : json_string_value(cursor->value);
    return *out ? 0 : expected(cursor, "a text", error);
}

bool json_cursor_is_number(const struct json_cursor *cursor)
{
    return json_is_number(cursor->value) || json_number_text(cursor->value);
}

int json_cursor_integer(const struct json_cursor *cursor, int64_t low, int64_t high, int64_t *out, struct error *error)
{
    const char *text = json_number_text(cursor->value);
    char range[80];
    bool negative;
    uint64_t magnitude;
    snprintf(range, sizeof range, "an integer from %lld to %lld", (long long)low, (long long)high);
    if (text && !json_number_integer(text, &negative, &magnitude))
        return strpbrk(text, ".eE") ? expected(cursor, range, error)
                                    : json_cursor_error(cursor, error, "expected %s, found %.60s", range, text);
    if (text && magnitude > (uint64_t)INT64_MAX + negative)
        return json_cursor_error(cursor, error, "expected %s, found %.60s", range, text);
    if (!text && !json_is_integer(cursor->value))
        return expected(cursor, range, error);
    if (!text)
        *out = json_integer_value(cursor->value);
    else
        *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (*out < low || *out > high)
        return json_cursor_error(cursor, error, "expected %s, found %lld", range, (long long)*out);
    return 0;
}

int json_cursor_known(const struct json_cursor *cursor, const char *const known[], struct error *error)
{
    const char *key;
    json_t *value;
    size_t count = 0;
    while (known[count])
        count++;
    json_object_foreach((json_t *)(uintptr_t)cursor->value, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(known[i], key) != 0)
            i++;
        const char *near = i == count ? words_nearest(key, known, count) : NULL;
        if (i == count)
            return json_cursor_error(cursor, error, "no member is named '%s'%s%s%s", key, near ? "; did you mean " : "",
                                     near ? near : "", near ? "?" : "");
    }
    return 0;
}

int json_cursor_choice(const struct json_cursor *cursor, const char *prefix, const char *const names[], int *out,
                       struct error *error)
{
    const char *text;
    size_t count = 0, length = strlen(prefix);
    if (json_cursor_text(cursor, &text, error))
        return EXIT_HARNESS;
    const char *name = strncmp(text, prefix, length) == 0 ? text + length : text;
    for (; names[count]; count++)
        if (strcmp(names[count], name) == 0) {
            *out = (int)count;
            return 0;
        }
    const char *near = words_nearest(name, names, count);
    return json_cursor_error(cursor, error, "'%s' is not known%s%s%s", text, near ? "; did you mean " : "",
                             near ? near : "", near ? "?" : "");
}

int json_cursor_path(const struct json_cursor *cursor, const char *name, char *path, size_t size, struct error *error)
{
    const char *slash = strrchr(cursor->file, '/');
    int folder = *name != '/' && slash ? (int)(slash - cursor->file) + 1 : 0;
    if ((size_t)snprintf(path, size, "%.*s%s", folder, cursor->file, name) >= size)
        return json_cursor_error(cursor, error, "the file name is too long");
    if (folder > 0 && access(path, F_OK) != 0 && access(name, F_OK) == 0)
        snprintf(path, size, "%s", name);
    return 0;
}

/* Returns true if `path` is `folder` or lies in it. Both are real paths. */
static bool json_cursor_is_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0' || strcmp(folder, "/") == 0);
}

/* Returns true if the permissions have "all", or "read=PATH" with the file at or below PATH. */
static bool may_read(const struct word_list *allow, const char *real)
{
    for (size_t i = 0; allow && i < allow->count; i++) {
        char *root = strncmp(allow->items[i], "read=", 5) == 0 ? realpath(allow->items[i] + 5, NULL) : NULL;
        bool inside = root && json_cursor_is_inside(real, root);
        free(root);
        if (inside || strcmp(allow->items[i], "all") == 0)
            return true;
    }
    return false;
}

int json_cursor_path_beside(const struct json_cursor *cursor, const char *name, const struct word_list *allow,
                            char *path, size_t size, struct error *error)
{
    const char *slash = strrchr(cursor->file, '/');
    int length = slash ? (int)(slash - cursor->file) + 1 : 0;
    char folder[PATH_MAX];
    if ((size_t)snprintf(path, size, "%.*s%s", *name == '/' ? 0 : length, cursor->file, name) >= size ||
        (size_t)snprintf(folder, sizeof folder, "%.*s", length, cursor->file) >= sizeof folder)
        return json_cursor_error(cursor, error, "the file name is too long");
    char *beside = realpath(length ? folder : ".", NULL), *real = realpath(path, NULL);
    int result = 0;
    if (!real)
        result = json_cursor_error(cursor, error, "%s: %m", path);
    else if ((*name == '/' || !beside || !json_cursor_is_inside(real, beside)) && !may_read(allow, real))
        result = json_cursor_error(
            cursor, error, "%s: expected a file in the folder of the case file; --allow read=PATH permits others",
            name);
    free(real);
    free(beside);
    return result;
}
