/* catalogue.h: all documented operators, with and without a spec, as specs/catalogue.lua describes them. */
#ifndef SPEC_CATALOGUE_H
#define SPEC_CATALOGUE_H

#include "harness/spec/spec.h"

struct catalogue {
    struct catalogue_entry {
        struct spec_layout layout;
        DML_FEATURE_LEVEL page_since; /* the level that the page wrongly names as the first; 0: the page is right */
        int level_count;              /* number of feature levels that have their own table */
        /* bit n is set if field n, an input, may have the memory of an output of the same type and layout; several
         * inputs may at once if `in_place_together` is true */
        uint32_t in_place;
        bool in_place_together;
    } * operators; /* by DML_OPERATOR_TYPE: operators[0] is type 1 */
    int count;
    struct spec_enum *enums;
    int enum_count;
};

/* Returns the layout of an operator's struct; null if no operator has the number `type`. */
const struct spec_layout *catalogue_layout(const struct catalogue *catalogue, uint32_t type);

#endif
