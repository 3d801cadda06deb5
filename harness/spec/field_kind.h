/* field_kind.h: the kinds of members that the documented operator structs have, and all that the program does with a
 * member of each kind. Nothing else tells kinds apart, but for whether a field is a tensor (spec.h).
 *
 * A kind's functions work on members of an operator description and of a description nested in one. */
#ifndef SPEC_FIELD_KIND_H
#define SPEC_FIELD_KIND_H

#include "harness/spec/spec.h"

extern const struct field_kind_traits {
    const char *word; /* in specs/catalogue.lua: "uints" */
    uint8_t bytes;    /* of the member in the documented struct */
    uint8_t alignment;
    bool is_pointer; /* may be null */
    bool is_array;   /* a pointer to as many elements as its count field says */
    uint8_t items;   /* that it takes in a struct opdesc; 0: none, the value is in the field */
    uint8_t room;    /* the most elements, or entries of a list */
} field_kinds[FIELD_KINDS];

/* Makes from the fields the description in which every number is 0 and every pointer is null, with the places of all
 * items, the tensors first; and spec->tensor_fields. Returns what is wrong, or null. */
const char *spec_lay_out(struct spec *spec, struct opdesc *blank);

#endif
