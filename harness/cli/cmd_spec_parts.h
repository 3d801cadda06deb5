/* cmd_spec_parts.h: the formulas of a result, cut into parts of which each exists once. A part has a name if it is long
 * and frequent, if it is a choice within another formula, or if the spec names it; other texts say the name. */
#ifndef CLI_CMD_SPEC_PARTS_H
#define CLI_CMD_SPEC_PARTS_H

#include "harness/base/pool.h"
#include "harness/spec/spec.h"

/* An operation. Operands are parts before it. A fold has as `a` the formula of its elements, or, if it is not the value
 * of the fold, the part that is the value; an INEXACT has that as `b`. */
struct spec_part {
    uint8_t op;    /* enum formula_op */
    uint8_t field; /* as in struct formula_node */
    uint8_t steps; /* 1 + the fold at whose steps the part has its elements; 0: at the output's coordinates */
    int a, b, c;   /* -1: no operand */
    double value;
    int uses;         /* the number of parts and formulas that have it */
    int chained;      /* the number of choices that have it as their last operand */
    bool is_root;     /* it is a whole formula */
    const char *name; /* null: its text stands where it is used */
    const char *text; /* its operands by their names, if they have one */
    int binds;        /* enum spec_binding */
};

enum spec_binding { BINDS_CHOICE, BINDS_LOGIC, BINDS_COMPARISON, BINDS_SUM, BINDS_PRODUCT, BINDS_ATOM };

/* Zeroed but for `spec` and `result`, it is empty. */
struct spec_parts {
    const struct spec *spec;
    const struct spec_result *result;
    struct pool pool; /* of names and texts */
    struct spec_part *parts;
    int count, room;
    int value;   /* the result's own formula */
    int *listed; /* the parts with a name in the order in which a reader meets them */
    int listed_count;
};

/* Adds a formula, which is to be printed, with its parts. Returns its part; -1: the formula has no nodes. */
int spec_parts_add(struct spec_parts *parts, const struct formula *formula);

/* Gives names and texts to the parts of all formulas that were added. */
void spec_parts_name(struct spec_parts *parts);

void spec_parts_free(struct spec_parts *parts);

/* Returns the words of another part for part `at`: its name, or its text. */
const char *spec_part_reference(const struct spec_parts *parts, int at);

/* Sets the text of part `at`, of whose operands names and texts are known. */
void spec_part_write(struct spec_parts *parts, int at);

#endif
