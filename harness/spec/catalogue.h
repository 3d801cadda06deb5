/* catalogue.h: all documented operators, with and without a spec, from specs/catalogue.lua. Only commands that list
 * them read it, since that takes some milliseconds. */
#ifndef SPEC_CATALOGUE_H
#define SPEC_CATALOGUE_H

#include "device/dml.h"
#include "harness/base/error.h"
#include "harness/base/pool.h"

struct catalogue_operator {
    const char *name; /* "GATHER_ND" */
    DML_FEATURE_LEVEL since;
    int level_count; /* number of feature levels that have their own table */
};

struct catalogue {
    struct catalogue_operator *operators; /* in the order of the file */
    int count;
    struct pool pool;
};

/* Reads catalogue.lua of `folder`; a folder without one gives an empty catalogue. A mistake in the file is
 * EXIT_HARNESS with the file and what was expected; then `out` is empty. Free with catalogue_free(). */
int catalogue_load(struct catalogue *out, const char *folder, struct error *error);
void catalogue_free(struct catalogue *catalogue);

#endif
