/* rules.h: a spec's rules and the parts that each reads, prepared for judging many descriptions that differ little. */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include "harness/check/check.h"

enum {
    FUZZ_RULES = 64,    /* maximum per operator; at most 64, the bits of fuzz_broken */
    FUZZ_ATOMS = 256,   /* maximum per operator */
    FUZZ_PARTS = 64,    /* bits of fuzz_parts */
    FUZZ_MAX_BROKEN = 4 /* descriptions that break this many rules or more are counted together */
};

/* The rules that a description breaks: bit n for rule n of the spec. */
typedef uint64_t fuzz_broken;

/* Parts of a description, a bit each. A tensor field has eight parts, which all elements of an array of tensors share;
 * any other field is one part, FUZZ_GIVEN. With many fields a bit stands for parts of several. */
typedef uint64_t fuzz_parts;
enum fuzz_part {
    FUZZ_GIVEN, /* the tensor is present and has sizes */
    FUZZ_SIZES,
    FUZZ_STRIDES,
    FUZZ_DIMS,
    FUZZ_DATA_TYPE,
    FUZZ_TOTAL,
    FUZZ_ALIGNMENT,
    FUZZ_FLAGS_AND_TYPE,
    FUZZ_PARTS_OF_FIELD
};

static inline fuzz_parts fuzz_part(int field, enum fuzz_part which)
{
    return 1ull << (field * FUZZ_PARTS_OF_FIELD + (int)which) % FUZZ_PARTS;
}

/* A set of atoms, by index in fuzz_rules.atoms. */
struct fuzz_atoms {
    uint64_t words[FUZZ_ATOMS / 64];
};

static inline void fuzz_atoms_put(struct fuzz_atoms *set, int atom)
{
    set->words[atom / 64] |= 1ull << atom % 64;
}

/* A spec's rules at one feature level. */
struct fuzz_rules {
    const struct spec *spec;
    DML_FEATURE_LEVEL level;
    int table;                              /* at the level; -1: the level does not have the operator */
    fuzz_broken open;                       /* the rules of strength open, */
    fuzz_broken soft;                       /* of strength soft, */
    fuzz_broken all;                        /* and all that apply at the level */
    int rule_count;                         /* spec_legality_rules() */
    int atoms[FUZZ_ATOMS], count;           /* the atoms of these rules, as indices in the spec */
    uint8_t rule[FUZZ_ATOMS];               /* the rule of the atom */
    uint16_t first_atom[FUZZ_RULES];        /* per rule: index of its first atom in `atoms` */
    uint16_t atom_count[FUZZ_RULES];        /* per rule; 0: it does not apply at the level */
    fuzz_parts of_field[OPDESC_MAX_FIELDS]; /* per field: its parts, and those of the arrays whose elements it counts */
    struct fuzz_atoms readers[FUZZ_PARTS];  /* the atoms that read a part of a description */
    /* The parts that may change when the part of a description that a node names is set. A new DimensionCount moves
     * sizes and strides; a new count of elements concerns the whole array. */
    fuzz_parts set_at[SPEC_MAX_NODES];
    int16_t leaves[SPEC_MAX_ATOMS];          /* per atom of the spec: what solve_leaf() says of its subject; -1: none */
    int16_t total_atom[OPDESC_MAX_FIELDS];   /* per field: the atom that its total size is large enough; -1: none */
    struct fuzz_atoms repairers[FUZZ_PARTS]; /* the atoms that a change of a part may call for a repair by, */
    struct fuzz_atoms writers;               /* atoms whose repairs may set something, */
    struct fuzz_atoms settled;               /* and those whose repairs set nothing where they hold */
    fuzz_parts writes[FUZZ_ATOMS];           /* per atom: the parts that a repair may set */
};

/* Prepares the rules. False: the spec has more than FUZZ_RULES rules or FUZZ_ATOMS atoms. `spec` must outlive
 * `rules`. */
bool fuzz_rules_init(struct fuzz_rules *rules, const struct spec *spec, DML_FEATURE_LEVEL level);

/* Returns true if a description can break the rule at this level: some of it applies there. A rule that only says which
 * level introduced the operator cannot be broken at that level or above. */
bool fuzz_can_break(const struct fuzz_rules *rules, int rule);

/* Returns the rule to blame if a description that breaks `broken` is accepted: the first that demands rejection,
 * otherwise the first soft one; -1: only open rules are broken, or none. */
int fuzz_blame(const struct fuzz_rules *rules, fuzz_broken broken);

/* Returns the number of broken rules that are not open, at most FUZZ_MAX_BROKEN. */
int fuzz_count(const struct fuzz_rules *rules, fuzz_broken broken);

#endif
