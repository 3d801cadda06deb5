/* load_internal.h: compiles the Lua table of an operator to a struct spec; only for the load*.c files.
 *
 * Every compile function returns 0, or EXIT_HARNESS with the error set. After an error the Lua stack is left as it is,
 * since the caller discards the whole state. */
#ifndef LOAD_LOAD_INTERNAL_H
#define LOAD_LOAD_INTERNAL_H

#include "harness/load/load.h"

#include <stdint.h>

enum { LOADER_MAX_DEPTH = 100 };

/* The compilation of one file. `op`, a parameter below, is the stack index of the operator's table. */
struct loader {
    struct spec_set *set;
    lua_State *L;
    const char *file;
    struct spec *spec;
    struct error *error;
    int line;                          /* line of the part being compiled, for messages */
    const char *part;                  /* "rule \"axis-range\"" or "" */
    struct expr nodes[SPEC_MAX_NODES]; /* those of the operator, until its spec keeps as many as there are */
    struct atom atoms[SPEC_MAX_ATOMS];
    uint32_t activation;        /* the fused activation of the formula; 0: none */
    struct spec_result *result; /* the result that the formula may add folds to; null: none */
    struct spec_fold *fold;     /* the fold that the formula is of; null: none */
    int depth;                  /* nesting of the expression: a spec could make one contain itself */
};

/* Does what spec_set_load() does with a set that is empty but for its pool. */
int spec_set_load_into(struct spec_set *set, const char *folder, struct error *error);

/* Stores "file:line: part: text" and returns EXIT_HARNESS. */
int loader_fail(struct loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Return fields of the Lua table at index `table`; an absent one is "", 0 or false. The text lives as long as the
 * specs. */
const char *loader_text(struct loader *l, int table, const char *key);
int loader_integer(struct loader *l, int table, const char *key);
bool loader_true(struct loader *l, int table, const char *key);

/* Compile the expression at the top of the stack, or in field `key` of the table there (absent: -1). */
int compile_expression(struct loader *l, int16_t *out);
int compile_operand(struct loader *l, const char *key, int16_t *out);

/* Return the index to which the table at the top of the stack was compiled for `owner`, whose expressions, folds or
 * nodes share parts; -1 if it was not compiled. Remember that index. Forget all of the owner's. */
int loader_recall(struct loader *l, const void *owner);
void loader_remember(struct loader *l, const void *owner, int index);
void loader_forget(struct loader *l, const void *owner);

/* Stores the index of an equal node, or of a new one. */
int loader_add_node(struct loader *l, struct expr node, int16_t *out);

/* Returns the field that "Name", or "Name[2]" or "Name[i]" for an array, names, and stores the expr.value of the
 * element. Returns -1, with the error set, if there is none. */
int loader_find_field(struct loader *l, const char *text, int64_t *element);

/* Returns true if the node exists and is of a kind: 'n' a number, 'l' a list, 'e' either, 'r' FLOATs. */
bool loader_is_kind(const struct loader *l, int node, char kind);

/* Compiles the conditions of the rule at the top of the stack, in its field "atoms", to consecutive atoms. */
int compile_atoms(struct loader *l, struct rule *rule);

/* Compiles the feature level in field `key` of the table at the top of the stack, 0 if absent. */
int compile_level_bound(struct loader *l, const char *key, DML_FEATURE_LEVEL *out);

/* Compile the parts of the operator's table. Call them in this order, since each depends on the earlier ones. */
int compile_fields(struct loader *l, int op);
int compile_levels(struct loader *l, int op);
int compile_rules(struct loader *l, int op);

/* Compiles the situations. Call this after compile_rules(). */
int compile_situations(struct loader *l, int op);

/* Gives every level at which a condition begins or ends to apply a table of its own, so that the rules of all levels
 * between two tables are the same. Call this after compile_rules(). */
void compile_level_breaks(struct spec *spec);

/* Compiles the types that no table lists and that have rules of their own. Call this after compile_level_breaks(). */
int compile_beyond(struct loader *l, int op);

/* Collects the bounds that the rules put on numbers. Call this last. */
void compile_bounds(struct loader *l);

/* compile_contents() compiles the words `fill` and `indices` of the table at the top of the stack, compile_evidence()
 * `shown_by` of the behaviour there: the cases that test it. */
int compile_contents(struct loader *l, const char *before, struct evidence *out);
int compile_evidence(struct loader *l, struct evidence *out);

/* Compiles { low, high }, at the top of the stack. */
int compile_domain(struct loader *l, const char *name, struct spec_domain *out);

/* Compiles sentences and examples. Call this after compile_rules(). */
int compile_sources(struct loader *l, int op);

/* Compiles the table that catalogue.lua returned, at the top of the stack. `file` is for messages. */
int compile_catalogue(struct loader *l, const char *file);

/* loader_open_structs() pushes the function by which the word `struct` adds to the catalogue, until
 * loader_close_structs(): a script may outlive its loader. */
void loader_open_structs(struct loader *l);
void loader_close_structs(struct loader *l);

/* Compiles the behaviour at the top of the stack to the next rule of l->spec, which has room for it. */
int compile_behaviour(struct loader *l);

/* Compiles the table of specs/rulings.lua at the top of the stack. */
int compile_rulings(struct loader *l);

/* Compiles the table of specs/interface.lua at the top of the stack to l->spec, which follows the operators. */
int compile_interface(struct loader *l);

#endif
