/* make.h: descriptions, many and cheap: a legal one is drawn by the solver now and then, and varied hundreds of times.
 * What is made is a function of the key and of what the rules say of what was made before: of a device no more than what code it
 * reaches. */
#ifndef FUZZ_MAKE_H
#define FUZZ_MAKE_H

#include "harness/fuzz/fuzz.h"
#include "harness/base/random.h"
#include "harness/spec/solve.h"

enum { FUZZ_ROUND = 256 }; /* variants of one base */

struct fuzz_maker {
    const struct fuzz_rules *rules;
    unsigned op;
    int table; /* that legal descriptions are drawn from */
    struct random random;
    struct opdesc corpus[FUZZ_CORPUS];
    int corpus_count, corpus_next;
    uint64_t seen[256];         /* sets of broken rules that have come up: bits by hash */
    uint32_t alone[FUZZ_RULES]; /* how often the rule alone was broken */
    int target;                 /* the rule that has been broken alone least: this round goes for it */
    struct solve_move moves[SOLVE_MAX_MOVES];
    int move_count;
};

/* `seeds` descriptions, which may be illegal, are varied besides those that are drawn. */
void fuzz_maker_init(struct fuzz_maker *maker, const struct fuzz_rules *rules, unsigned op, uint64_t key,
                     const struct opdesc *seeds, uint32_t seed_count);

/* A description to vary, legal or out of the corpus. */
void fuzz_maker_base(struct fuzz_maker *maker, struct opdesc *base);

/* Variant number `n` of a round. */
void fuzz_maker_vary(struct fuzz_maker *maker, const struct opdesc *base, uint32_t n, struct opdesc *out);

/* What the rules say of a variant, and whether it reached `new_code` of the device: steers what comes next. True: nothing
 * like it has come up. */
bool fuzz_maker_learn(struct fuzz_maker *maker, const struct opdesc *desc, fuzz_broken broken, bool new_code);

#endif
