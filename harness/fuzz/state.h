/* state.h: the exchange between the harness and a fuzzing worker: the request, and the state in shared memory with the
 * worker's findings so far. */
#ifndef FUZZ_STATE_H
#define FUZZ_STATE_H

#include "harness/fuzz/slots.h"
#include "harness/spec/outcome.h"
#include "harness/trial/verdict.h"

#include <stdatomic.h>

enum {
    FUZZ_CHUNK = 16384, /* descriptions */
    FUZZ_BATCH = 64,    /* descriptions that are made and judged before they are tried: the code of each step stays in
                         * the processor's cache */
    FUZZ_REJECTS = 48,  /* wrong rejections kept per chunk; each has a slot that none before it has */
    FUZZ_CORPUS = 64,   /* descriptions that a chunk varies further */
    FUZZ_KEPT = 512,    /* descriptions per chunk that are worth varying later */
    FUZZ_EDGES = 65536, /* places in a device's code that are counted apart */
    FUZZ_CRASHES = 4    /* per chunk and rule to blame: then the chunk skips descriptions with that rule to blame */
};

/* The behaviour of a device with a description, compared with the rules. */
enum fuzz_verdict {
    FUZZ_RIGHT_ACCEPT,
    FUZZ_RIGHT_REJECT,
    FUZZ_WRONG_ACCEPT, /* first finding */
    FUZZ_WRONG_REJECT,
    FUZZ_CRASH,
    FUZZ_HANG,
    FUZZ_CORRUPT,      /* wrote outside the outputs */
    FUZZ_HARMED,       /* changed process state, was denied something, or left processes behind */
    FUZZ_WRONG_RESULT, /* accepted, and then computed wrongly or not at all. Last finding */
    FUZZ_OPEN_ACCEPT,  /* breaks rules that the documents leave open, and no other */
    FUZZ_OPEN_REJECT,
    FUZZ_UNSUPPORTED, /* the device says that it cannot, and has not promised to */
    FUZZ_LEFT_OUT,    /* not tried: too many like it have killed the device */
    FUZZ_VERDICTS
};

extern const char *const fuzz_verdict_names[FUZZ_VERDICTS + 1]; /* "wrong accept"; ends with null */
extern const char *const fuzz_verdict_keys[FUZZ_VERDICTS + 1];  /* "wrong_accept"; ends with null */
bool fuzz_is_finding(enum fuzz_verdict verdict);

/* Writes the name by which an expectation file lists a finding, "gather.search.axis-range.wrong-accept". `rule` is its
 * id; "": none explains the finding. */
void fuzz_finding_name(const char *operator_name, const char *rule, enum fuzz_verdict verdict, char *name, size_t size);

/* Returns the status that an expectation file lists for a finding. */
enum status fuzz_finding_status(enum fuzz_verdict verdict);

/* The data with which a description is executed. The contents of its inputs depend only on this. */
struct fuzz_data {
    uint64_t seed;
    uint8_t fill, indices; /* enum fill, enum index_fill */
};

/* A description that the device handles wrongly. */
struct fuzz_finding {
    enum fuzz_verdict verdict;
    bool executed; /* with `data` */
    struct fuzz_data data;
    int rule;           /* to blame; -1: none */
    fuzz_broken broken; /* the rules it breaks */
    uint64_t count;     /* descriptions with this verdict and rule; this one is the lightest */
    HRESULT result;     /* of the device */
    uint64_t position;  /* chunk * FUZZ_CHUNK + index in the chunk */
    struct opdesc desc;
    char message[200]; /* of the device, or how it died */
};

/* The results of many descriptions, as counts. */
struct fuzz_counts {
    uint64_t tried, executed;
    uint64_t by_broken[FUZZ_MAX_BROKEN + 1][FUZZ_VERDICTS];       /* by number of broken rules; 0: legal */
    uint64_t by_rule[FUZZ_RULES][FUZZ_MAX_BROKEN][FUZZ_VERDICTS]; /* by rule, and number of broken rules - 1 */
    uint64_t alone[FUZZ_RULES][OUTCOME_KEPT];                     /* the error, where one rule is broken */
    uint64_t pairs[FUZZ_RULES][FUZZ_RULES][OUTCOME_KEPT];         /* if two are; the lower number first */
};

/* The numbers of legal descriptions that the device accepted and rejected, per slot, from the first wrong rejection of
 * a chunk on. */
struct fuzz_limits {
    uint32_t accepted[FUZZ_ATOMS][FUZZ_SLOTS];
    uint32_t rejected[FUZZ_ATOMS][FUZZ_SLOTS];
};

/* A description worth varying later: the first one of its chunk that breaks exactly this set of at most two rules, or
 * that reaches a new place in the device's code. */
struct fuzz_kept {
    struct opdesc desc;
    uint64_t position; /* as in struct fuzz_finding */
    fuzz_broken broken;
    int32_t edge; /* the new place; -1: it is kept for the rules that it breaks */
};

/* A request to a worker; `seeds` descriptions follow. */
struct fuzz_request {
    enum { FUZZ_SEARCH, FUZZ_PROBE } what; /* a chunk, or the one description that follows */
    uint32_t op;                           /* index in the specs */
    DML_FEATURE_LEVEL level;
    uint64_t seed, chunk;
    uint32_t count;    /* descriptions of the chunk to try */
    uint32_t skip;     /* the first ones, which a worker that died has tried already */
    fuzz_broken avoid; /* skip descriptions with one of these rules to blame, */
    bool avoid_legal;  /* and those with none */
    uint32_t execute;  /* share of accepted legal descriptions to dispatch, of 65536; a probe: dispatch it if not 0 */
    struct fuzz_data data; /* for a probe */
    bool watch;            /* check process state after each description, not only at the end of the chunk */
    uint32_t seeds;
};

/* In shared memory, so that nothing is lost when a worker dies. */
struct fuzz_state {
    _Atomic uint32_t index; /* in the chunk, of the description that is being tried; FUZZ_CHUNK: none yet */
    fuzz_broken broken;     /* the rules that it breaks */
    struct opdesc descs[2 * FUZZ_BATCH]; /* see fuzz_state_desc() */
    _Atomic uint32_t kept_index;         /* of the description in `kept_desc`; FUZZ_CHUNK: of none */
    struct opdesc kept_desc;             /* the one that was tried last, once another has its place in `descs` */
    struct fuzz_counts counts;
    struct fuzz_limits limits;
    bool rejecting;            /* a legal description was rejected: `limits` are being counted */
    uint64_t seen[FUZZ_ATOMS]; /* per atom: slots of the wrong rejections kept, a bit each */
    uint32_t finding_count;
    struct fuzz_finding findings[3 * FUZZ_RULES + FUZZ_REJECTS];
    struct fuzz_finding probed; /* the answer to FUZZ_PROBE */
    char harmed[200];           /* the change that the chunk made in the process; "" if none */
    bool executing;             /* the description is being dispatched, with `data` */
    struct fuzz_data data;
    uint32_t kept_count;
    struct fuzz_kept kept[FUZZ_KEPT];
    uint64_t edges[FUZZ_EDGES / 64]; /* places reached by this chunk or probe, a bit each */
    char end[];
};

/* Returns the description with this index in the chunk, if it is in its last two batches. */
static inline struct opdesc *fuzz_state_desc(struct fuzz_state *state, uint32_t index)
{
    return &state->descs[index % (2 * FUZZ_BATCH)];
}

/* Returns the description that was tried last: number `index` of the chunk. It stays while others are made and left
 * out, so that it is known if the process ends meanwhile. */
static inline const struct opdesc *fuzz_state_tried(const struct fuzz_state *state, uint32_t index)
{
    return state->kept_index == index ? &state->kept_desc : &state->descs[index % (2 * FUZZ_BATCH)];
}

/* Prepares the state for a batch from number `first` on. */
void fuzz_state_make_room(struct fuzz_state *state, uint32_t first);

/* Copies the state of a chunk to memory that is zero. The copy has the description that was tried last, the findings
 * and the kept descriptions; pages of places that hold none, most of 8 MB, are not touched. `from` need not be sound:
 * fuzz_check_state() refuses the copy if it refuses the original. */
void fuzz_state_copy(struct fuzz_state *to, const struct fuzz_state *from);

/* Clears the results of the previous chunk. */
void fuzz_state_clear(struct fuzz_state *state);

/* Adds a finding with the verdict, data, result, position and message of `finding`; sets its other members. Keeps the
 * lightest description per verdict and rule and counts the others; keeps wrong rejections that occupy a new slot. */
void fuzz_state_keep(struct fuzz_state *state, const struct fuzz_rules *rules, const struct fuzz_finding *finding,
                     const struct opdesc *desc, fuzz_broken broken);

/* Adds `from` to `to`. */
void fuzz_counts_add(struct fuzz_counts *to, const struct fuzz_counts *from);

/* Counts one description. */
void fuzz_counts_record(struct fuzz_counts *counts, const struct fuzz_rules *rules, fuzz_broken broken,
                        enum fuzz_verdict verdict, enum outcome outcome);

#endif
