/* catalogue.h: all documented operators, with and without a spec, as specs/catalogue.lua describes them; and the
 * operators of one's own, which spec files describe. */
#ifndef SPEC_CATALOGUE_H
#define SPEC_CATALOGUE_H

#include "harness/spec/spec.h"

enum {
    CATALOGUE_OWN = 1000, /* the lowest number of an operator of one's own: DirectML stays below it */
    CATALOGUE_OWN_LAST = INT32_MAX,
    CATALOGUE_MAX_OWN = 1000,   /* most operators of one's own */
    CATALOGUE_MAX_CONSTANT = 31 /* highest value of a constant: sets of them have 32 bits */
};

struct catalogue {
    struct catalogue_entry {
        struct spec_layout layout;
        DML_FEATURE_LEVEL page_since; /* the level that the page wrongly names as the first; 0: the page is right */
        int level_count;              /* number of feature levels that have their own table */
        /* bit n is set if field n, an input, may have the memory of an output of the same type and layout; several
         * inputs may at once if `in_place_together` is true */
        uint32_t in_place;
        bool in_place_together;
    } * operators;  /* the documented ones by DML_OPERATOR_TYPE: operators[0] is type 1; then those of one's own, by
                    * ascending number */
    int count;      /* of all operators */
    int documented; /* of those that are documented */
    struct spec_enum *enums;
    int enum_count;
};

/* Returns true if an operator with this number is one's own: no document describes it, and no feature level promises
 * it. */
static inline bool catalogue_is_own(uint32_t type)
{
    return type >= CATALOGUE_OWN;
}

/* Returns what precedes the name of the page of an operator: nothing of DirectML documents one's own. */
static inline const char *catalogue_page_prefix(uint32_t type)
{
    return catalogue_is_own(type) ? "" : "DML_";
}

/* Returns true if a name can be that of a member or, if `is_upper`, of an operator: an identifier of C that is not too
 * long. */
bool catalogue_is_name(const char *name, bool is_upper);

/* Return the entry of an operator; null if no operator has the number `type`, or this name. */
const struct catalogue_entry *catalogue_entry(const struct catalogue *catalogue, uint32_t type);
const struct catalogue_entry *catalogue_named(const struct catalogue *catalogue, const char *name);

/* Returns the layout of an operator's struct; null if no operator has the number `type`. */
const struct spec_layout *catalogue_layout(const struct catalogue *catalogue, uint32_t type);

#endif
