/* rule.h: what must hold of an operator description, and checking it.
 *
 * Rules are compiled from the specs when they are loaded; no Lua runs here. A rule is one thing to check, to satisfy
 * and to violate (solve.h) and to explain (its text). */
#ifndef SPEC_RULE_H
#define SPEC_RULE_H

#include "harness/spec/expr.h"

enum strength {
    STRENGTH_REJECT, /* a description that breaks the rule must be rejected */
    STRENGTH_MUST,   /* of a behaviour: results must be so */
    STRENGTH_SOFT,   /* a deviation is a warning */
    STRENGTH_OPEN    /* the documents leave it open: any outcome is accepted */
};

enum atom_kind {
    ATOM_BETWEEN, /* low <= number x <= high; a bound of -1 is absent */
    ATOM_EACH,    /* the same for every entry of list x */
    ATOM_EQUAL,   /* list x = list low */
    ATOM_ONE_OF,  /* number x is one of the values in set */
    ATOM_SINCE,   /* the operator is there at the level */
    ATOM_TYPES,   /* number x, a DataType, is in the column of the tensor's group in the level's table */
    ATOM_DIMS     /* number x, a DimensionCount, is in the tensor's range in the level's table */
};

/* One thing that must hold. A rule holds if all its atoms do; an atom that is undefined does not break its rule. */
struct atom {
    enum atom_kind kind;
    int x, low, high; /* expression nodes */
    int when;         /* atom that must hold for this one to apply (index in spec.atoms), -1: always */
    int64_t set[4];
    int set_count;
    bool powers; /* ATOM_ONE_OF: powers of two of at least `low` are in the set too */
    const char *text;
};

/* Which cases show a behaviour without naming it. Zeroed: all that expect results. */
struct evidence {
    unsigned fills;       /* of these contents: bit n for enum fill n; 0: any */
    unsigned index_fills; /* with these indices, which may be negative: bit n for enum index_fill n; 0: any */
    bool strides;         /* some tensor has strides */
    bool rejected;        /* those that expect a rejection instead */
};

struct rule {
    const char *id;       /* "axis-range" */
    const char *text;     /* the sentence for a person, made from the atoms or given */
    const char *pages;    /* where it is documented: "bed83-115, bed83-151..162, DML_GATHER", "" if nowhere */
    const char *ruling;   /* "A6, A7", "" if none */
    const char *untested; /* why no case tests it, "" if some should */
    struct evidence evidence;
    enum strength strength;
    DML_FEATURE_LEVEL from, before; /* levels at which it applies: from <= L < before; 0: no bound */
    int first_atom, atom_count;
    uint64_t accepts, reports; /* of a behaviour: bit n for enum outcome n: what is right, what is recognised besides */
    bool anywhere;             /* where it applies, no element of an output is certain */
    bool behaviour;            /* says what results are, not which descriptions are legal: it has no atoms */
};

const char *strength_name(enum strength strength);

/* Whether the rule says anything at the level. */
bool rule_applies(const struct rule *rule, DML_FEATURE_LEVEL level);

#endif
