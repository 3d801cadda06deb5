/* rules.h: a spec's rules, prepared for judging many descriptions that differ little. */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include "harness/spec/solve.h"

enum {
    FUZZ_RULES = 64,    /* maximum per operator; at most 64, the bits of fuzz_broken */
    FUZZ_ATOMS = 192,   /* maximum per operator */
    FUZZ_PARTS = 64,    /* bits of fuzz_parts */
    FUZZ_SLOTS = 16,    /* per atom, see fuzz_slots() */
    FUZZ_MAX_BROKEN = 4 /* descriptions that break this many rules or more are counted together */
};

/* The rules that a description breaks: bit n for rule n of the spec. */
typedef uint64_t fuzz_broken;

/* Parts of a description, a bit each. Of a tensor field eight are told apart, those of an array of tensors not by
 * element; any other field is one, FUZZ_GIVEN. With many fields a bit stands for parts of several. */
typedef uint64_t fuzz_parts;
enum fuzz_part {
    FUZZ_GIVEN, /* whether the tensor is present and has sizes */
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

/* A spec's rules at one feature level. */
struct fuzz_rules {
    const struct spec *spec;
    DML_FEATURE_LEVEL level;
    int table;                              /* at the level; -1: the level does not have the operator */
    fuzz_broken open;                       /* the rules of strength open, */
    fuzz_broken soft;                       /* of strength soft, */
    fuzz_broken all;                        /* and all that apply at the level */
    int atoms[FUZZ_ATOMS], count;           /* the atoms of these rules, as indices in the spec */
    uint8_t rule[FUZZ_ATOMS];               /* that the atom belongs to */
    uint16_t first_atom[FUZZ_RULES];        /* per rule: index of its first atom in `atoms` */
    uint16_t atom_count[FUZZ_RULES];        /* per rule; 0: it does not apply at the level */
    fuzz_parts of_field[OPDESC_MAX_FIELDS]; /* per field: its parts, and those of the arrays whose elements it counts */
    struct fuzz_atoms readers[FUZZ_PARTS];  /* the atoms that read a part of a description */
    fuzz_parts repairs[FUZZ_ATOMS];         /* per atom: the parts whose change may call for a repair by it, */
    fuzz_parts writes[FUZZ_ATOMS];          /* and those that this may set */
};

/* False: the spec has more than FUZZ_RULES rules or FUZZ_ATOMS atoms. `spec` must outlive `rules`. */
bool fuzz_rules_init(struct fuzz_rules *rules, const struct spec *spec, DML_FEATURE_LEVEL level);

/* Whether a description can break the rule at this level: some of it applies there. A rule that only says which level
 * introduced the operator cannot be broken at that level or above. */
bool fuzz_can_break(const struct fuzz_rules *rules, int rule);

/* The rules that a description breaks, as rules_check() finds them. */
fuzz_broken fuzz_judge(const struct fuzz_rules *rules, const struct opdesc *desc);

/* The atoms of a base, which other descriptions differ little from. */
struct fuzz_judged {
    struct fuzz_atoms broken; /* by the base */
    struct fuzz_atoms open;   /* that do not hold for it: they are broken, or undefined */
};
void fuzz_judge_base(const struct fuzz_rules *rules, const struct opdesc *base, struct fuzz_judged *out);

/* The parts in which two descriptions differ, in all fields or in one. */
fuzz_parts fuzz_difference_of_field(const struct fuzz_rules *rules, int field, const struct opdesc *a,
                                    const struct opdesc *b);
fuzz_parts fuzz_difference(const struct fuzz_rules *rules, const struct opdesc *a, const struct opdesc *b);

/* fuzz_judge() for a description that differs from the base in no other parts than `parts`: checks only the atoms that
 * read these. */
fuzz_broken fuzz_judge_again(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                             const struct opdesc *desc);

/* Repairs a description that differs from the base in `parts` as solve_repair() does without exception, but leaves out
 * the atoms that hold for the base and read nothing that differs from it or has been set. Returns the parts in which it
 * may differ then. The level has the operator. */
fuzz_parts fuzz_repair(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                       struct opdesc *desc);

/* Makes a move and repairs what follows from it, as solve_violate() does, but looks only at what differs from `base`,
 * which breaks nothing. False: this move does not break `rule` alone, and the contents of `desc` are unspecified. The
 * level has the operator. */
bool fuzz_violate(const struct fuzz_rules *rules, const struct opdesc *base, const struct fuzz_judged *judged, int rule,
                  const struct solve_move *move, struct opdesc *desc);

/* The parts that may change where the part of a description that a node names is set. A new DimensionCount moves sizes
 * and strides, a new count of elements is about all of the array. */
fuzz_parts fuzz_parts_set_at(const struct fuzz_rules *rules, int node);

/* The rule to blame if a description that breaks `broken` is accepted: the first that demands rejection, else the first
 * soft one; -1: only open rules are broken, or none. */
int fuzz_blame(const struct fuzz_rules *rules, fuzz_broken broken);

/* The number of broken rules that are not open, at most FUZZ_MAX_BROKEN. */
int fuzz_count(const struct fuzz_rules *rules, fuzz_broken broken);

/* ---- slots: where the subject of an atom lies in its legal range, such as at the lower or upper limit, or which of
 * the legal values it has. Wrong rejections mostly happen at one of these. `atom` is an index in rules->atoms. */

/* The slots that a description occupies, a bit each; 0: the atom does not apply. */
uint16_t fuzz_slots(const struct fuzz_rules *rules, int atom, const struct opdesc *desc);

/* Whether a slot is a limit or a single value, and not the range between the limits. */
bool fuzz_slot_is_limit(const struct fuzz_rules *rules, int atom, int slot);

/* Writes words for a slot to `text`, "at the lower limit", and returns it. */
const char *fuzz_slot_text(const struct fuzz_rules *rules, int atom, int slot, char *text, size_t size);

/* ---- weights: how complex a description is, compared part by part; lighter is simpler */

struct fuzz_weight {
    uint64_t parts[8];
};
struct fuzz_weight fuzz_weigh(const struct fuzz_rules *rules, const struct opdesc *desc, fuzz_broken broken);
bool fuzz_lighter(const struct fuzz_weight *a, const struct fuzz_weight *b);

#endif
