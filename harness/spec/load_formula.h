/* load_formula.h: compiles formulas, and what a spec says of the elements of its outputs. Only for the load*.c
 * files. */
#ifndef SPEC_LOAD_FORMULA_H
#define SPEC_LOAD_FORMULA_H

#include "harness/spec/load_internal.h"
#include "harness/spec/result.h"

/* Adds the words of formula.lua to the table of words at the top of the stack. */
int formula_add_words(struct script *script, struct error *error);

/* Compiles the formula at the top of the stack, or the number there. `whole`: operations of real numbers are errors. */
int compile_formula(struct loader *l, struct formula *out);

/* Compiles `results` and the choices of `behaviours`. Call it after compile_rules(). */
int compile_results(struct loader *l, int op);

#endif
