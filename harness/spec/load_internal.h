/* load_internal.h: from the Lua table of an operator to a struct spec; shared by the spec_*.c files alone.
 *
 * Every compile function returns 0, or EXIT_HARNESS with the message set; after an error the Lua stack is left as it
 * is, since the whole state is thrown away. */
#ifndef SPEC_LOAD_INTERNAL_H
#define SPEC_LOAD_INTERNAL_H

#include "harness/spec/load.h"

#include <stdint.h>

enum { LOADER_MAX_DEPTH = 100 };

/* What is being compiled, for messages. The operator's table is at index `op` of the stack. */
struct loader {
    struct spec_set *set;
    lua_State *L;
    const char *file;
    struct spec *spec;
    struct error *error;
    int line;         /* of the part being compiled */
    const char *part; /* "rule \"axis-range\"" or "" */
    int atom_capacity;
    int depth; /* of the expression being compiled: a spec could tie one to itself */
};

/* Stores "file:line: part: text" and returns EXIT_HARNESS. */
int loader_fail(struct loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fields of the Lua table at index `table`; what is absent is "", 0 and false. The text lives as long as the specs. */
const char *loader_text(struct loader *l, int table, const char *key);
int loader_integer(struct loader *l, int table, const char *key);
bool loader_true(struct loader *l, int table, const char *key);

/* The expression at the top of the stack, and the one in field `key` of the table there (absent: -1). */
int compile_expression(struct loader *l, int16_t *out);
int compile_operand(struct loader *l, const char *key, int16_t *out);

/* The parts of the operator's table at index `op`, in the order in which they lean on each other. */
int compile_fields(struct loader *l, int op);
int compile_levels(struct loader *l, int op);
int compile_rules(struct loader *l, int op);

/* What follows from rules and parameters; last. */
void compile_bounds(struct loader *l);

/* Of the behaviour at the top of the stack, which cases show it. */
int compile_evidence(struct loader *l, struct evidence *out);

/* Where the rest of the operator comes from: sentences, examples, errata. After the rules. */
int compile_sources(struct loader *l, int op);

/* What specs/rulings.lua returned, at the top of the stack. */
int compile_rulings(struct loader *l);

#endif
