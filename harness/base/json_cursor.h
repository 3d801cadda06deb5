/* json_cursor.h: a place in a JSON file: its value, and the way to it, so that every error says where: "model.json:
 * commands[2].bindings: expected an object, found a number". Places are values; one leans on the one that it is in. */
#ifndef BASE_JSON_CURSOR_H
#define BASE_JSON_CURSOR_H

#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_cursor {
    const struct json_cursor *in; /* null: the file as a whole */
    const char *file;
    const char *key; /* null: an entry of an array */
    size_t index;
    const json_t *value; /* null: there is none */
};

/* Reads a file, an object in it, to `out`; a `relaxed` one may have comments and trailing commas, and anything after its end; free `out->value` by json_cursor_close(). What is no JSON is EXIT_HARNESS with line
 * and column, as is a member that occurs twice. `file` is kept. */
int json_cursor_open(const char *file, bool relaxed, struct json_cursor *out, struct error *error);
void json_cursor_close(struct json_cursor *cursor);

struct json_cursor json_cursor_member(const struct json_cursor *in, const char *key);
struct json_cursor json_cursor_entry(const struct json_cursor *in, size_t index);

/* "FILE: way.to[3].it: text". Returns EXIT_HARNESS. */
int json_cursor_error(const struct json_cursor *cursor, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What must be there, and of which type. Return 0, or EXIT_HARNESS. */
int json_cursor_object(const struct json_cursor *cursor, struct error *error);
int json_cursor_array(const struct json_cursor *cursor, struct error *error);
int json_cursor_text(const struct json_cursor *cursor, const char **out, struct error *error);
int json_cursor_integer(const struct json_cursor *cursor, int64_t low, int64_t high, int64_t *out, struct error *error);

/* All members of an object must be among `known`, ended by null: what is misspelt is not left out silently. */
int json_cursor_known(const struct json_cursor *cursor, const char *const known[], struct error *error);

/* The number of a text among `names`, ended by null, with or without `prefix`; "SUM", "DML_REDUCE_FUNCTION_SUM". */
int json_cursor_choice(const struct json_cursor *cursor, const char *prefix, const char *const names[], int *out,
                       struct error *error);

/* A file beside the one that the place is in, or, if it is not there, seen from the current folder. Errors: too long. */
int json_cursor_path(const struct json_cursor *cursor, const char *name, char *path, size_t size, struct error *error);

#endif
