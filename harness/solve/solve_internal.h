/* solve_internal.h: one attempt of the solver. solve.c draws, solve_repair.c repairs one condition after the other, and
 * solve_steer.c finds the part to set. */
#ifndef SOLVE_SOLVE_INTERNAL_H
#define SOLVE_SOLVE_INTERNAL_H

#include "harness/base/random.h"
#include "harness/solve/solve.h"

#include <string.h>

enum { RULES_OF_TABLES = 3 /* of every spec: the first ones, which the loader adds */ };

enum { SOLVE_NARROW = 64 /* an interval of fewer values gives a drawn number; a wider one gives the nearest */ };

/* The wanted range of each entry of a list; a number has one entry. */
struct solve_ranges {
    int count;
    struct solve_interval at[EXPR_MAX_LIST];
};

struct solver {
    const struct spec *spec;
    const struct solve_request *request; /* null: repair only, without drawing */
    struct random *random;               /* null if `request` is null */
    const struct solve_interval *in;     /* for each node; null: unknown */
    int table;
    DML_FEATURE_LEVEL level;
    int except;  /* rule to leave alone, -1: none */
    int pinned;  /* node to leave alone, -1: none */
    int element; /* the current element of arrays */
    struct opdesc *desc;
    int atom_count;
    int atoms[SPEC_MAX_ATOMS]; /* atoms whose subjects can be set, in order; filled by solver_list_atoms() */
};

/* Initialises a solver that only repairs, without atoms: the array for them is not touched, which would take time. */
static inline void solver_init(struct solver *s, const struct spec *spec, int table, int except, struct opdesc *desc)
{
    memset(s, 0, offsetof(struct solver, atoms));
    s->spec = spec;
    s->table = table;
    s->level = spec->levels[table].level;
    s->except = except;
    s->pinned = -1;
    s->desc = desc;
}

/* Lists the atoms to repair, of all applicable rules but `except`. Call this once, before solver_repair(). */
void solver_list_atoms(struct solver *s);

/* Repairs by every listed atom in turn, in the order of the spec. With a request, the solver draws values that a
 * condition leaves open; without one it clamps them. */
void solver_repair(struct solver *s);

/* Repairs by one atom, and does not change parts that follow from its subject. Returns false if it set no part, since
 * the atom holds or cannot be repaired; true if it may have set one. */
bool solver_repair_atom(struct solver *s, int atom);

/* Sets a FLOAT, or entry `at` of an array of FLOATs, that the node names. */
void solve_set_real(const struct expr *node, struct opdesc *desc, int at, float value);

/* Returns true if a repair may set a part that the condition depends on. */
bool solver_can_repair(const struct spec *spec, const struct atom *a);

/* Returns true if a node must keep its value: it is pinned, or a parameter of the request. */
bool solver_is_pinned(const struct solver *s, int node);

/* Sets a part of the description that the node depends on, so that the node gets into the ranges. Returns false if it
 * cannot. */
bool solver_steer(struct solver *s, int node, const struct solve_ranges *wanted);

/* Returns true if the node depends on a part that solver_steer() may set. */
bool solver_steerable(const struct spec *spec, int node);

#endif
