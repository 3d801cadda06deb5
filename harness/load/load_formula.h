/* load_formula.h: compiles formulas, and the results that a spec has for its outputs. Only for the load*.c files. */
#ifndef LOAD_LOAD_FORMULA_H
#define LOAD_LOAD_FORMULA_H

#include "harness/load/load_internal.h"
#include "harness/spec/result.h"

/* Adds the words of formula.lua to the table of words at the top of the stack. */
int formula_add_words(struct script *script, struct error *error);

/* Compiles the formula, or the number, at the top of the stack. */
int compile_formula(struct loader *l, struct formula *out);

/* Compiles `results` and the choices of `behaviours`. Call this after compile_rules(). */
int compile_results(struct loader *l, int op);

/* Compiles the fold at the top of the stack to a fold of l->result, or finds an equal one there: load_fold.c. */
int compile_fold(struct loader *l, uint8_t *out);

/* Compiles `fold` and `at` of the table at the top of the stack to an entry of l->fold->others: load_fold.c. */
int compile_elsewhere(struct loader *l, uint8_t *out);

#endif
