/* search.h: a fuzzing search: gives chunks to workers, blames deaths on descriptions, groups and shrinks findings. */
#ifndef FUZZ_SEARCH_H
#define FUZZ_SEARCH_H

#include "harness/fuzz/client.h"
#include "harness/load/load.h"

enum { FUZZ_TEXT = 1024 }; /* size of a description as text */

/* A description of an earlier search: a finding, or one of its corpus. */
struct fuzz_seed {
    unsigned op;
    struct opdesc desc;
    bool executed; /* with `data` */
    struct fuzz_data data;
    enum fuzz_seed_why { FUZZ_SEED_FINDING, FUZZ_SEED_RULES, FUZZ_SEED_CODE } why;
};

struct fuzz_search;

struct fuzz_search_config {
    const struct spec_set *specs;
    const char *specs_folder, *device;
    struct sandbox *sandbox;
    const char *reproduce_options; /* for the reproduce command: " --specs …", "" for none */
    int ops[256], op_count;        /* operators to try, as indices of specs */
    uint64_t seed;
    uint64_t count;         /* descriptions; 0: no limit */
    uint64_t seconds;       /* 0: no limit */
    uint64_t first;         /* chunk to start with */
    uint32_t chunk;         /* descriptions to try of each chunk; 0: all FUZZ_CHUNK */
    uint64_t shard, shards; /* every shards-th chunk, from the shard-th on; 0 of 1: all */
    uint32_t execute;       /* share of accepted legal descriptions to dispatch, of 65536 */
    unsigned jobs, timeout_ms;
    bool half; /* devices may compute in FLOAT16 what is FLOAT32, and are told so */
    const struct fuzz_seed *seeds;
    size_t seed_count;
    void (*progress)(void *context, uint64_t tried, uint64_t elapsed_ns); /* called now and then; null is allowed */
    /* Called every few seconds with the findings so far, grouped and not shrunk, so that a search that is killed loses
     * little. Null is allowed. */
    int (*checkpoint)(void *context, struct fuzz_search *search, struct error *error);
    void *context;
};

/* Findings with one verdict and one rule to blame. */
struct fuzz_group {
    enum fuzz_verdict verdict;
    unsigned op;
    int rule;       /* to blame; -1: none */
    uint64_t count; /* of the findings */
    int atom, slot; /* of wrong rejections: where all is rejected (fuzz_slots()); -1: nothing explains them */
    char also[200]; /* ids of rules that explain them equally well; "" */
    struct fuzz_finding original, minimum; /* the lightest found, and what it shrank to */
    unsigned steps;                        /* from the one to the other */
    const char *known;                     /* the reason in the expectation file that lists it; null: none does */
};

/* The results for one operator. */
struct fuzz_tally {
    struct fuzz_rules rules;
    struct fuzz_counts counts;
    uint64_t accepted[FUZZ_ATOMS][FUZZ_SLOTS], rejected[FUZZ_ATOMS][FUZZ_SLOTS]; /* as in struct fuzz_limits */
    struct fuzz_finding *rejects[FUZZ_ATOMS][FUZZ_SLOTS];        /* per slot: the lightest wrong rejection, or null */
    struct fuzz_finding findings[FUZZ_VERDICTS][FUZZ_RULES + 1]; /* by rule + 1; count 0: none */
    struct fuzz_kept *kept;                                      /* the corpus: seeds, then what the search added */
    size_t kept_count, kept_seeds;                               /* all of them, and the seeds */
};

struct fuzz_search {
    const struct fuzz_search_config *config;
    assay_device_info info;
    DML_FEATURE_LEVEL level;     /* the rules that judge descriptions */
    int ops[256], op_count;      /* the operators to try that the device says it implements */
    struct fuzz_tally **tallies; /* by index in specs; null: not tried */
    struct fuzz_group *groups;
    size_t group_count;
    uint64_t next; /* the chunk that a later search continues with */
    uint64_t tried;
    uint64_t elapsed_ns; /* without shrinking */
    bool interrupted;
    uint64_t *edges; /* places of the device's code that were reached, a bit each, as in struct fuzz_state */
};

/* Searches, groups and shrinks. Returns 0 whatever the findings are; nonzero if the search could not be done. Free
 * `search` with fuzz_search_free() in any case. */
int fuzz_search_run(const struct fuzz_search_config *config, struct fuzz_search *search, struct error *error);
void fuzz_search_free(struct fuzz_search *search);

/* Returns true if the group fails the search. A device that accepts a description which breaks only a soft rule gets a
 * warning. */
bool fuzz_group_is_failure(const struct fuzz_search *search, const struct fuzz_group *group);

/* ---- parts of fuzz_search_run() */

/* group.c: makes groups of the tallies; their minimum is the original. */
int fuzz_group_all(struct fuzz_search *search, struct error *error);
void fuzz_group_clear(struct fuzz_search *search);

/* corpus.c: adds the descriptions that a chunk kept, a seed, and reached places of code; counts these places. */
int fuzz_corpus_add(struct fuzz_search *search, unsigned op, const struct fuzz_state *state, struct error *error);
int fuzz_corpus_add_seed(struct fuzz_search *search, const struct fuzz_seed *seed, struct error *error);
void fuzz_corpus_add_edges(struct fuzz_search *search, const struct fuzz_state *state);
unsigned fuzz_corpus_edge_count(const struct fuzz_search *search);

/* fuzz_shrink.c: finds the group's minimum. */
int fuzz_shrink(struct fuzz_search *search, struct fuzz_client *client, struct fuzz_group *group, struct error *error);

#endif
