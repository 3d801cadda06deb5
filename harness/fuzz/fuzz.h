/* fuzz.h: what the parts of the fuzzer share: what can come of a description, and what a worker keeps of many.
 *
 * The search is a row of chunks, each of FUZZ_CHUNK descriptions of one operator. What a chunk holds is a function of
 * seed, operator and the chunk's number alone, so that chunks may run in any process, in any order, and again. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "harness/spec/outcome.h"
#include "harness/spec/spec.h"

#include <stdatomic.h>

enum {
    FUZZ_CHUNK = 16384,  /* descriptions */
    FUZZ_MAX_BROKEN = 4, /* so many rules broken, or more: counted together */
    FUZZ_RULES = 48,     /* of one operator, at most 64: bits of a word */
    FUZZ_ATOMS = 128,
    FUZZ_PARTS = 64,    /* of a description that are told apart when it changes */
    FUZZ_SLOTS = 16,    /* places of an atom's limits that are told apart, see fuzz_slots() */
    FUZZ_REJECTS = 48,  /* wrongly rejected descriptions kept per chunk, each with a slot that none before it has */
    FUZZ_CORPUS = 64,   /* descriptions that are varied further */
    FUZZ_KEPT = 512,    /* of a chunk, that are worth varying later on */
    FUZZ_EDGES = 65536, /* places in a device's code that are told apart */
    FUZZ_CRASHES = 4,   /* in one chunk, of one rule: then what breaks that rule is left out of the chunk */
    FUZZ_ELEMENTS = 512 /* most of a tensor that is dispatched */
};

/* What a device did with a description, held against the rules. */
enum fuzz_verdict {
    FUZZ_RIGHT_ACCEPT,
    FUZZ_RIGHT_REJECT,
    FUZZ_WRONG_ACCEPT, /* from here on: findings */
    FUZZ_WRONG_REJECT,
    FUZZ_CRASH,
    FUZZ_HANG,
    FUZZ_CORRUPT,      /* wrote where it may not */
    FUZZ_HARMED,       /* changed what belongs to the process, or left processes behind */
    FUZZ_WRONG_RESULT, /* accepted, and then computed wrongly, or not at all */
    FUZZ_OPEN_ACCEPT,  /* breaks rules that the documents leave open, and no other */
    FUZZ_OPEN_REJECT,
    FUZZ_UNSUPPORTED, /* the device says that it cannot, and has not promised to */
    FUZZ_LEFT_OUT,    /* not tried: too many of its kind have killed the device */
    FUZZ_VERDICTS
};

extern const char *const fuzz_verdict_names[FUZZ_VERDICTS + 1]; /* "wrong accept" */
extern const char *const fuzz_verdict_keys[FUZZ_VERDICTS + 1];  /* "wrong_accept" */
bool fuzz_is_finding(enum fuzz_verdict verdict);

/* Which rules a description breaks: bit n for rule n of the spec. */
typedef uint64_t fuzz_broken;

/* A set of atoms, by position in struct fuzz_rules. */
struct fuzz_atoms {
    uint64_t words[FUZZ_ATOMS / 64];
};

/* A spec's rules at one level, made ready for many descriptions that differ little. */
struct fuzz_rules {
    const struct spec *spec;
    DML_FEATURE_LEVEL level;
    int table;        /* at the level, -1: the operator is not there yet */
    fuzz_broken open; /* the rules that are left open, and the soft ones */
    fuzz_broken soft;
    fuzz_broken all; /* that say something at the level */
    int atoms[FUZZ_ATOMS], count;
    uint8_t rule[FUZZ_ATOMS];              /* that the atom belongs to */
    uint16_t first[FUZZ_RULES];            /* position in `atoms` of a rule's first */
    uint16_t places[FUZZ_RULES];           /* and how many there are */
    struct fuzz_atoms readers[FUZZ_PARTS]; /* the atoms that read a part of a description */
};

/* False: the spec has more rules or atoms than there is room for. */
bool fuzz_rules_init(struct fuzz_rules *rules, const struct spec *spec, DML_FEATURE_LEVEL level);

/* Whether a description can break the rule: not if it only says since when the operator is there, and it is. */
bool fuzz_can_break(const struct fuzz_rules *rules, int rule);

/* What rules_check() says, and which atoms are broken. */
fuzz_broken fuzz_judge(const struct fuzz_rules *rules, const struct opdesc *desc, struct fuzz_atoms *broken_atoms);

/* The same of a description that differs little from `base`, of which `broken_atoms` are broken: looks again only at what
 * reads the parts that differ. */
fuzz_broken fuzz_judge_again(const struct fuzz_rules *rules, const struct opdesc *base,
                             const struct fuzz_atoms *broken_atoms, const struct opdesc *desc);

/* The rule that is to blame where `broken` was accepted: the first that demands rejection, else the first soft one; -1 if
 * none is broken but open ones. */
int fuzz_blame(const struct fuzz_rules *rules, fuzz_broken broken);

/* How many rules are broken that are not open, FUZZ_MAX_BROKEN at most. */
int fuzz_count(const struct fuzz_rules *rules, fuzz_broken broken);

/* Where the subject of an atom lies among what is legal: at its lower or upper limit, which of the values there are.
 * A device that rejects what is legal mostly does so at one of these. 0: the atom does not apply. */
uint16_t fuzz_slots(const struct fuzz_rules *rules, int place, const struct opdesc *desc);
bool fuzz_slot_is_limit(const struct fuzz_rules *rules, int place, int slot);
const char *fuzz_slot_text(const struct fuzz_rules *rules, int place, int slot, char *text, size_t size);

/* What a description is executed with: the contents of its inputs are a function of these. */
struct fuzz_data {
    uint64_t seed;
    uint8_t fill, indices; /* enum fill, enum index_fill */
};

/* A description that is worth a second look. */
struct fuzz_finding {
    enum fuzz_verdict verdict;
    bool executed; /* with `data` */
    struct fuzz_data data;
    int rule;           /* to blame, -1: none */
    fuzz_broken broken; /* the rules it breaks */
    uint64_t count;     /* of descriptions that are found so, of which this is the lightest */
    HRESULT result;     /* of the device */
    uint64_t position;  /* of the description: chunk * FUZZ_CHUNK + its place in there */
    struct opdesc desc;
    char message[200]; /* of the device, or how it died */
};

/* What came of the descriptions of a chunk. */
struct fuzz_counts {
    uint64_t tried, executed;
    uint64_t by_broken[FUZZ_MAX_BROKEN + 1][FUZZ_VERDICTS]; /* how many rules are broken: 0 for legal ones */
    uint64_t by_rule[FUZZ_RULES][FUZZ_MAX_BROKEN][FUZZ_VERDICTS];
    uint64_t alone[FUZZ_RULES][OUTCOME_KEPT];             /* which error where the rule alone is broken */
    uint64_t pairs[FUZZ_RULES][FUZZ_RULES][OUTCOME_KEPT]; /* and where two are, the first of lower number */
};

/* How often the device accepted and rejected legal descriptions by slot, from the first wrong rejection of a chunk on. */
struct fuzz_limits {
    uint32_t accepted[FUZZ_ATOMS][FUZZ_SLOTS];
    uint32_t rejected[FUZZ_ATOMS][FUZZ_SLOTS];
};

/* A description that reached something that none before it in the chunk had: of the rules, a set of at most two that it
 * breaks; of the device's code, a place. */
struct fuzz_kept {
    struct opdesc desc;
    uint64_t position;
    fuzz_broken broken;
    int32_t edge; /* the place, -1: it is kept for the rules */
};

/* What a worker is asked for. Descriptions follow, `seeds` of them in whole. */
struct fuzz_request {
    enum { FUZZ_SEARCH, FUZZ_PROBE } what; /* a chunk, or the one description that follows */
    uint32_t op;
    DML_FEATURE_LEVEL level;
    uint64_t seed, chunk;
    uint32_t count;    /* of the chunk: descriptions */
    uint32_t skip;     /* so many of them are not tried: they were, by a worker that died */
    fuzz_broken avoid; /* what has one of these to blame is left out */
    bool avoid_legal;  /* and legal ones */
    uint32_t execute;  /* of 65536 accepted legal ones, how many are dispatched; a probe, if not 0, with `data` */
    struct fuzz_data data;
    bool watch; /* what belongs to the process is looked at after each description, not only after all */
    uint32_t seeds;
};

/* Shared with the harness: what there is when a worker dies is not lost. */
struct fuzz_state {
    _Atomic uint32_t index; /* in the chunk, of the description that is being tried; FUZZ_CHUNK: none yet */
    fuzz_broken broken;     /* by it */
    struct opdesc desc;
    struct fuzz_counts counts;
    struct fuzz_limits limits;
    bool rejecting;            /* legal descriptions have been rejected: `limits` are counted */
    uint64_t seen[FUZZ_ATOMS]; /* slots of the rejected ones kept, a bit each */
    uint32_t finding_count;
    struct fuzz_finding findings[3 * FUZZ_RULES + FUZZ_REJECTS];
    struct fuzz_finding probed; /* the answer to FUZZ_PROBE */
    char harmed[200];           /* what the chunk changed of the process, "" if nothing */
    bool executing;             /* the description, with `data` */
    struct fuzz_data data;
    uint32_t kept_count;
    struct fuzz_kept kept[FUZZ_KEPT];
    uint64_t edges[FUZZ_EDGES / 64]; /* that were reached, in this chunk or by this probe */
};

/* Before a chunk. */
void fuzz_state_clear(struct fuzz_state *state);

/* Keeps a finding: the lightest of each verdict and rule; of legal descriptions that were rejected all that lie where none
 * did that is kept. `position` and `message` as in struct fuzz_finding. */
void fuzz_state_keep(struct fuzz_state *state, const struct fuzz_rules *rules, const struct fuzz_finding *finding,
                     const struct opdesc *desc, fuzz_broken broken);

/* Adds up. */
void fuzz_counts_add(struct fuzz_counts *to, const struct fuzz_counts *from);

/* Counts one description. `result` is the device's, `compiling`: of CompileOperator. */
void fuzz_counts_take(struct fuzz_counts *counts, const struct fuzz_rules *rules, fuzz_broken broken,
                      enum fuzz_verdict verdict, enum outcome outcome);

/* How far a description is from the simplest there is; less is simpler. */
struct fuzz_weight {
    uint64_t parts[8];
};
struct fuzz_weight fuzz_weigh(const struct fuzz_rules *rules, const struct opdesc *desc, fuzz_broken broken);
bool fuzz_lighter(const struct fuzz_weight *a, const struct fuzz_weight *b);

#endif
