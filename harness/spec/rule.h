/* rule.h: a rule that operator descriptions must keep. The loader compiles rules; no Lua runs here. A rule can be
 * checked (check.h), satisfied and violated (solve.h) and explained (its text). */
#ifndef SPEC_RULE_H
#define SPEC_RULE_H

#include "harness/spec/expr.h"

enum strength {
    STRENGTH_REJECT, /* a description that breaks the rule must be rejected */
    STRENGTH_MUST,   /* a behaviour: a deviation is a failure */
    STRENGTH_SOFT,   /* a deviation is a warning */
    STRENGTH_OPEN    /* the documents leave it open: any declared outcome is accepted, and recorded */
};

enum atom_kind {
    ATOM_BETWEEN,    /* low <= number x <= high; a bound of -1 is absent */
    ATOM_EACH,       /* every entry of list x is within the bounds; a bound may be a list with one entry for each */
    ATOM_EQUAL,      /* list x = list low */
    ATOM_ONE_OF,     /* number x, or every entry of list x, is one of the values in set */
    ATOM_MEMBER,     /* number x, or every entry of list x, occurs in list low */
    ATOM_DISTINCT,   /* no two entries of list x are equal */
    ATOM_DIVIDES,    /* x is a multiple of low; as numbers, or entry by entry if either is a list */
    ATOM_BROADCASTS, /* every entry of list x is 1 or the entry of list low at the same place */
    ATOM_ANY,        /* one of the parts holds at least */
    ATOM_ALL,        /* all of the parts hold */
    ATOM_EVERY,      /* all of the parts hold for each element of the array */
    ATOM_ORDERED,    /* attribute x is at most attribute low: FLOATs, or scalars of one type (ordered.h) */
    ATOM_REALS,      /* FLOAT x, or every entry of the FLOAT array x, is in the range of reals */
    ATOM_SINCE,      /* the operator exists at the level */
    ATOM_TYPES,      /* number x, a DataType, is in the column of the tensor's group in the level's table */
    ATOM_DIMS        /* number x, a DimensionCount, is in the tensor's range in the level's table */
};

/* One condition. A rule holds if all its atoms do; an undefined atom does not break its rule. */
struct atom {
    enum atom_kind kind;
    int x, low, high; /* expression nodes, -1: none */
    int when;         /* index of the atom that must hold for this one to apply; -1: this one always applies */
    int part_count, set_count;
    const int16_t *parts; /* indices of the atoms that are parts of this one */
    const int64_t *set;
    bool repairable; /* a repair may set a part that the atom depends on */
    int array;       /* ATOM_EVERY: the field that is the array */
    struct real_range {
        double low, high;
        bool above_low, below_high; /* the limit itself is not allowed */
    } reals;
    bool powers;                    /* ATOM_ONE_OF: the set also has all powers of two of at least `low` */
    DML_FEATURE_LEVEL from, before; /* levels at which the atom applies, as for a rule */
    const char *text;               /* a sentence: "Axis must be below InputTensor.DimensionCount" */
};

/* The cases that test a behaviour without naming it. A zeroed struct means all cases that expect results. */
struct evidence {
    uint64_t fills;       /* contents of inputs: bit n for enum fill n; 0: any contents */
    uint64_t index_fills; /* indices, where they may be negative: bit n for enum index_fill n; 0: any indices */
    bool strides;         /* only cases in which some tensor has strides */
    bool in_place;        /* only cases in which some input has the memory of an output */
    bool rejected;        /* cases that expect a rejection instead */
    bool lifecycle;       /* cases of the interface instead */
};

struct rule {
    const char *id;       /* "axis-range" */
    const char *text;     /* a sentence for the user, given in the spec or made from the atoms */
    const char *pages;    /* pages that document the rule: "bed83-115, bed83-151..162, DML_GATHER", "" if none */
    const char *ruling;   /* "A6, A7", "" if none */
    const char *untested; /* the reason that no case tests it, "" if some case should */
    struct evidence evidence;
    enum strength strength;
    DML_FEATURE_LEVEL from, before; /* levels at which the rule applies: from <= L < before; 0: no bound */
    int first_atom, atom_count;
    uint64_t accepts, reports; /* bit n for enum outcome n: accepted outcomes; others that reports name */
    bool anywhere;             /* where the behaviour applies, no element of an output has a known value */
    bool bounded;              /* the documents say that reads stay inside the tensors */
    bool behaviour;            /* the rule is about results, not about the legality of descriptions: it has no atoms */
};

/* Returns "reject", "must", "soft" or "open". */
const char *strength_name(enum strength strength);

/* Returns true if the range of ATOM_REALS contains the number. */
bool atom_allows(const struct atom *atom, float x);

/* Returns true if from <= level < before, where 0 is no bound. */
static inline bool levels_include(DML_FEATURE_LEVEL from, DML_FEATURE_LEVEL before, DML_FEATURE_LEVEL level)
{
    return (from == 0 || level >= from) && (before == 0 || level < before);
}

/* Returns true if descriptions at the level are checked against the rule; never for a behaviour. */
static inline bool rule_applies(const struct rule *rule, DML_FEATURE_LEVEL level)
{
    return !rule->behaviour && levels_include(rule->from, rule->before, level);
}

#endif
