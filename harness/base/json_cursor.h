/* json_cursor.h: a value in a JSON file together with the path to it, so that every error names its place: "model.json:
 * commands[2].bindings: expected an object, found a number". Cursors are plain values; a cursor points to its parent
 * cursor, which must outlive it. */
#ifndef BASE_JSON_CURSOR_H
#define BASE_JSON_CURSOR_H

#include "harness/base/error.h"
#include "harness/base/words.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_cursor {
    const struct json_cursor *in; /* the enclosing value; null: the cursor is the whole file */
    const char *file;
    const char *key; /* name of a member; null: the cursor is entry `index` of an array */
    size_t index;
    const json_t *value; /* null: the file has no such value */
};

/* Reads a file that holds a JSON object. With `comments` it may have comments, trailing commas and anything after the
 * end of the object. Returns 0, or EXIT_HARNESS with line and column for text that is not JSON or has a member twice.
 * On success, free `out` with json_cursor_close(). `file` must outlive `out`. */
int json_cursor_open(const char *file, bool comments, struct json_cursor *out, struct error *error);
/* Does the same with `size` bytes of text, which it may change; `name` stands for the file in errors. The text is not
 * needed afterwards. */
int json_cursor_open_text(const char *name, char *text, size_t size, bool comments, struct json_cursor *out,
                          struct error *error);
void json_cursor_close(struct json_cursor *cursor);

/* Returns the cursor of a member or entry. Its value is null if there is no such member or entry, or `in` is not an
 * object or array. `key` must outlive the cursor. */
struct json_cursor json_cursor_member(const struct json_cursor *in, const char *key);
struct json_cursor json_cursor_entry(const struct json_cursor *in, size_t index);

/* Sets the error "FILE: path.to[3].value: text". Returns EXIT_HARNESS. */
int json_cursor_error(const struct json_cursor *cursor, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Require a value of a type. An integer must be from `low` to `high`; the file may write it as a fraction that is
 * whole. Return 0, or EXIT_HARNESS with the error set. */
int json_cursor_object(const struct json_cursor *cursor, struct error *error);
int json_cursor_array(const struct json_cursor *cursor, struct error *error);
int json_cursor_text(const struct json_cursor *cursor, const char **out, struct error *error);
int json_cursor_integer(const struct json_cursor *cursor, int64_t low, int64_t high, int64_t *out, struct error *error);

/* Returns true if the value is a number. Call this rather than the JSON library: json_number.h gives the reason. */
bool json_cursor_is_number(const struct json_cursor *cursor);

/* Requires all members of an object to be among `known`, ended by null, so that misspelt members are not ignored.
 * Returns 0 or EXIT_HARNESS. */
int json_cursor_known(const struct json_cursor *cursor, const char *const known[], struct error *error);

/* Requires a text that is one of `names`, ended by null, with or without `prefix`: "SUM", "DML_REDUCE_FUNCTION_SUM".
 * Stores its index. Returns 0 or EXIT_HARNESS. */
int json_cursor_choice(const struct json_cursor *cursor, const char *prefix, const char *const names[], int *out,
                       struct error *error);

/* Writes the path of file `name` beside the JSON file or, if that does not exist, relative to the current folder.
 * Returns 0, or EXIT_HARNESS if the path is too long. */
int json_cursor_path(const struct json_cursor *cursor, const char *name, char *path, size_t size, struct error *error);

/* Writes the path of file `name`. The path must be relative and lie in the folder of the JSON file or below, symbolic
 * links followed, unless `allow` (null: empty) has "all", or "read=PATH" with the file at or below PATH. Returns 0 or
 * EXIT_HARNESS. */
int json_cursor_path_beside(const struct json_cursor *cursor, const char *name, const struct word_list *allow,
                            char *path, size_t size, struct error *error);

#endif
