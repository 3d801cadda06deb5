/* solve_internal.h: one attempt of the solver; shared by solve.c, which draws, and solve_repair.c, which repairs. */
#ifndef SPEC_SOLVE_INTERNAL_H
#define SPEC_SOLVE_INTERNAL_H

#include "harness/base/random.h"
#include "harness/spec/solve.h"

struct solver {
    const struct spec *spec;
    const struct solve_request *request; /* null: repair only, draw nothing */
    struct random *random;               /* null where `request` is */
    const struct solve_interval *in;     /* for each node; null: unknown */
    int table;
    DML_FEATURE_LEVEL level;
    int except; /* rule to leave alone, -1: none */
    int pinned; /* node to leave alone, -1: none */
    struct opdesc *desc;
    int atoms[SPEC_MAX_ATOMS]; /* atoms whose subjects can be set, in order; filled by solver_list_atoms() */
    int atom_count;
};

/* Lists the atoms to repair, of all rules that apply but `except`. Call it once, before solver_repair(). */
void solver_list_atoms(struct solver *s);

/* Repairs by every listed atom in turn, in the order of the spec. With a request, values that a condition leaves open
 * are drawn; without one they are clamped. */
void solver_repair(struct solver *s);

#endif
