/* make.h: makes many descriptions cheaply: the solver draws a legal one now and then, which is varied hundreds of
 * times. The descriptions depend only on the key, the seeds and fuzz_maker_learn(): a device's answers never steer
 * them, only the code that it reaches. */
#ifndef FUZZ_MAKE_H
#define FUZZ_MAKE_H

#include "harness/base/random.h"
#include "harness/fuzz/fuzz_judge.h"
#include "harness/fuzz/state.h"

enum { FUZZ_ROUND = 256 }; /* variants of one base */

struct fuzz_maker {
    const struct fuzz_rules *rules;
    unsigned op;
    int table; /* of the spec, that legal descriptions are drawn from */
    struct random random;
    struct fuzz_judged judged; /* the base */
    int element;               /* of an array of tensors, that the change in progress is about */
    int corpus_count, corpus_next, move_count;
    uint64_t seen[256];                /* sets of broken rules that have occurred: bits by hash */
    uint32_t alone[FUZZ_RULES];        /* the times that the rule alone was broken or targeted */
    int target;                        /* the rule with the fewest of these: this round tries to break it */
    struct opdesc corpus[FUZZ_CORPUS]; /* ring buffer */
    struct solve_move moves[SOLVE_MAX_MOVES];
};

/* The corpus begins with `seed_count` descriptions, which may be illegal. */
void fuzz_maker_init(struct fuzz_maker *maker, const struct fuzz_rules *rules, unsigned op, uint64_t key,
                     const struct opdesc *seeds, uint32_t seed_count);

/* Begins a round: makes a description to vary, a legal one or one of the corpus, and judges it. */
void fuzz_maker_base(struct fuzz_maker *maker, struct opdesc *base);

/* The difference between a variant and its base. */
struct fuzz_variant {
    fuzz_parts parts; /* in no others */
    int least;        /* a tensor whose total size is the least, see fuzz_judge_again() */
    bool violates;    /* it breaks the target and no other rule, which is known already */
};

/* Makes variant `n` of a round; variant 0 is the base itself. */
struct fuzz_variant fuzz_maker_vary(struct fuzz_maker *maker, const struct opdesc *base, uint32_t n,
                                    struct opdesc *out);

/* Returns the rules that a variant breaks. */
fuzz_broken fuzz_maker_judge(const struct fuzz_maker *maker, struct fuzz_variant variant, const struct opdesc *desc);

/* Records which rules a variant breaks and whether it reached `new_code` of the device. True: it is new in either
 * way, and is now in the corpus. */
bool fuzz_maker_learn(struct fuzz_maker *maker, const struct opdesc *desc, fuzz_broken broken, bool new_code);

#endif
