/* load.h: the operators of a folder of specs, compiled. */
#ifndef SPEC_LOAD_H
#define SPEC_LOAD_H

#include "harness/base/error.h"
#include "harness/base/pool.h"
#include "harness/base/script.h"
#include "harness/spec/spec.h"

/* What the project decided where the documents leave room. */
struct ruling {
    const char *id;     /* "A6" */
    const char *text;   /* in one line */
    const char *unused; /* why no rule, behaviour, example or level carries it, "" if some do */
};

struct spec_set {
    struct script *script; /* where the files were run: examples and meanings live there, see spec_push() */
    struct spec *specs;    /* by name */
    int count;
    struct ruling *rulings; /* as in specs/rulings.lua */
    int ruling_count;
    uint64_t hash; /* of the contents of the files */
    struct pool pool;
};

/* Loads every *.lua of `folder` but catalogue.lua: tensor.lua and rulings.lua, then the operators by name. A mistake in
 * a file is EXIT_HARNESS with file, line and what was expected; then `set` is empty. */
int spec_set_load(struct spec_set *set, const char *folder, struct error *error);
void spec_set_free(struct spec_set *set);

/* By documented name, in any case, with or without "DML_OPERATOR_"; -1: none. */
int spec_set_find(const struct spec_set *set, const char *name);

/* Says that no spec is named so, with the nearest name, or that a documented operator has no spec; returns `status`. */
int spec_set_no_operator(const struct spec_set *set, const char *name, enum exit_status status, struct error *error);

/* Pushes the table that the operator's file returned. */
void spec_push(const struct spec_set *set, int spec);

#endif
