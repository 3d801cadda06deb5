/* load_formula.h: compiles formulas, and what a spec says of the elements of its outputs. Only for the load*.c
 * files. */
#ifndef LOAD_LOAD_FORMULA_H
#define LOAD_LOAD_FORMULA_H

#include "harness/load/load_internal.h"
#include "harness/spec/result.h"

/* Adds the words of formula.lua to the table of words at the top of the stack. */
int formula_add_words(struct script *script, struct error *error);

/* Compiles the formula at the top of the stack, or the number there. `whole`: operations of real numbers are errors. */
int compile_formula(struct loader *l, struct formula *out);

/* Compiles `results` and the choices of `behaviours`. Call it after compile_rules(). */
int compile_results(struct loader *l, int op);

/* Compiles the fold at the top of the stack to one of l->result, or finds an equal one there: load_fold.c. */
int compile_fold(struct loader *l, uint8_t *out);

/* Compiles `fold` and `at` of the table at the top of the stack to one of the others of l->fold: load_fold.c. */
int compile_elsewhere(struct loader *l, uint8_t *out);

#endif
