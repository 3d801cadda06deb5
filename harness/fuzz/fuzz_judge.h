/* fuzz_judge.h: finds the rules that a description breaks. If a description differs little from a base, judging it,
 * repairing it and making it break a rule look at the differences alone. */
#ifndef FUZZ_FUZZ_JUDGE_H
#define FUZZ_FUZZ_JUDGE_H

#include "harness/fuzz/rules.h"
#include "harness/solve/solve.h"

/* Returns the rules that a description breaks, as rules_check() finds them. */
fuzz_broken fuzz_judge(const struct fuzz_rules *rules, const struct opdesc *desc);

/* The atoms of a base, from which other descriptions differ little. */
struct fuzz_judged {
    struct fuzz_atoms broken; /* by the base */
    struct fuzz_atoms open;   /* that do not hold for it: they are broken, or undefined */
};
void fuzz_judge_base(const struct fuzz_rules *rules, const struct opdesc *base, struct fuzz_judged *out);

/* Return the parts in which two descriptions differ, in all fields or in one. */
fuzz_parts fuzz_difference_of_field(const struct fuzz_rules *rules, int field, const struct opdesc *a,
                                    const struct opdesc *b);
fuzz_parts fuzz_difference(const struct fuzz_rules *rules, const struct opdesc *a, const struct opdesc *b);

/* Does the same as fuzz_judge() for a description that differs from the base in no other parts than `parts`: checks
 * only the atoms that read these. `least`: a tensor that is known to have the least total size that it may have; -1: no
 * tensor is known to. */
fuzz_broken fuzz_judge_again(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                             int least, const struct opdesc *desc);

/* Repairs a description that differs from the base in `parts` as solve_repair() does without exception, but leaves out
 * the atoms that hold for the base and read nothing that differs from it or has been set. The level has the
 * operator. */
void fuzz_repair(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                 struct opdesc *desc);

/* Makes a move and repairs the parts that depend on it, as solve_violate() does, but looks only at the differences from
 * `base`, which breaks no rule. False: this move does not break `rule` alone, and the contents of `desc` are
 * unspecified. The level has the operator. */
bool fuzz_violate(const struct fuzz_rules *rules, const struct opdesc *base, const struct fuzz_judged *judged, int rule,
                  const struct solve_move *move, struct opdesc *desc);

#endif
