/* place.h: a place in a JSON file: its value, and the way to it, so that every error says where: "model.json:
 * commands[2].bindings: expected an object, found a number". Places are values; one leans on the one that it is in. */
#ifndef PLACE_H
#define PLACE_H

#include "harness/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place {
    const struct place *in; /* null: the file as a whole */
    const char *file;
    const char *key; /* null: an entry of an array */
    size_t index;
    const json_t *value; /* null: there is none */
};

/* Reads a file, an object in it, to `out`; a `relaxed` one may have comments and trailing commas, and anything after its end; free `out->value` by place_close(). What is no JSON is EXIT_HARNESS with line
 * and column, as is a member that occurs twice. `file` is kept. */
int place_open(const char *file, bool relaxed, struct place *out, struct error *error);
void place_close(struct place *place);

struct place place_member(const struct place *in, const char *key);
struct place place_entry(const struct place *in, size_t index);

/* "FILE: way.to[3].it: text". Returns EXIT_HARNESS. */
int place_error(const struct place *place, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What must be there, and of which type. Return 0, or EXIT_HARNESS. */
int place_object(const struct place *place, struct error *error);
int place_array(const struct place *place, struct error *error);
int place_text(const struct place *place, const char **out, struct error *error);
int place_integer(const struct place *place, int64_t low, int64_t high, int64_t *out, struct error *error);

/* All members of an object must be among `known`, ended by null: what is misspelt is not left out silently. */
int place_known(const struct place *place, const char *const known[], struct error *error);

/* The number of a text among `names`, ended by null, with or without `prefix`; "SUM", "DML_REDUCE_FUNCTION_SUM". */
int place_choice(const struct place *place, const char *prefix, const char *const names[], int *out,
                 struct error *error);

/* A file beside the one that the place is in, or, if it is not there, seen from the current folder. Errors: too long. */
int place_path(const struct place *place, const char *name, char *path, size_t size, struct error *error);

#endif
