/* forgets.h: a cache of compiled operators whose key lacks one part of the description: a field, or the strides or the
 * data type of a tensor. Two descriptions that differ in this part alone get the operator that was compiled first. */
#ifndef FORGETS_H
#define FORGETS_H

#include "device/common/descriptor.h"
#include "device/mutants/formulas.h"
#include "harness/spec/spec_set.h"

#include <stdio.h>

enum { FORGETS_ROOM = 256 };

struct forgets {
    char field[64];    /* "" : nothing is forgotten */
    const char *part;  /* "strides", "type"; "": the whole field */
    unsigned compiled; /* so far; the oldest entry is replaced */
    struct forgets_entry {
        struct descriptor descriptor;
        struct reading read;
    } entries[FORGETS_ROOM];
};

/* Takes "FIELD", "FIELD.strides" or "FIELD.type". Returns false if it is none of these. */
bool forgets_take(struct forgets *forgets, const char *text);

/* Returns the operator that was compiled first for such a description; if there is none, adds this one and returns
 * it. */
const struct forgets_entry *forgets_look(struct forgets *forgets, const struct descriptor *descriptor,
                                         const struct reading *read);

/* Writes a line of the list of mutants for each part of each operator that can differ while the others are the same. */
void forgets_list(FILE *out, const struct spec_set *specs);

#endif
