/* spec_set.h: all specs of a folder. load/load.h loads them. */
#ifndef SPEC_SPEC_SET_H
#define SPEC_SPEC_SET_H

#include "harness/base/error.h"
#include "harness/base/pool.h"
#include "harness/base/script.h"
#include "harness/spec/catalogue.h"
#include "harness/spec/spec.h"

/* A decision of the project on a point that the documents leave open. */
struct ruling {
    const char *id;     /* "A6" */
    const char *text;   /* one line */
    const char *unused; /* the reason that no rule, behaviour, example or level refers to it, "" if one does */
};

/* A sentence of device.h. */
struct sentence {
    const char *id; /* "D6" */
    const char *text;
    const char *exempt; /* the reason that no behaviour carries it: "says", "permits", "assay", "rules"; "" if one
                         * does */
};

struct spec_set {
    struct script *script; /* the sandbox that ran the files; it holds examples and meanings, see spec_push(). Null:
                            * another process ran them */
    struct catalogue *catalogue; /* all documented operators, and those of one's own */
    struct spec *specs;          /* sorted by name */
    int count;
    struct spec *interface; /* the interface of device.h, from specs/interface.lua: behaviours without an operator. It
                             * follows the operators in `specs`, but `count` leaves it out. Null: the folder has no such
                             * file */
    struct sentence *sentences; /* the sentences of device.h, in order */
    int sentence_count;
    struct ruling *rulings; /* the decisions in specs/rulings.lua */
    int ruling_count;
    uint64_t hash; /* hash of the contents of the files */
    struct pool pool;
    const char *folder; /* folder of the files */
    int kept; /* descriptor + 1 of the file that the set was read from, see spec_image_take(); 0: it was loaded */
};

/* Returns the number of specs, counting the interface, which comes last. */
static inline int spec_set_size(const struct spec_set *set)
{
    return set->count + (set->interface != NULL);
}

/* Returns the index of an operator by its name, in any case, with or without "DML_OPERATOR_"; -1 if there is
 * none. */
int spec_set_find(const struct spec_set *set, const char *name);

/* Does the same, and returns the index of the interface, spec_set.count, for its name. */
int spec_set_find_any(const struct spec_set *set, const char *name);

/* Sets the error that no spec has this name. The message says that the operator is documented but has no spec, or gives
 * the nearest name. Returns `status`. */
int spec_set_no_operator(const struct spec_set *set, const char *name, enum exit_status status, struct error *error);

#endif
