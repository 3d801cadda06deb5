/* search.h: the search as the harness runs it: chunks to workers, deaths charged to descriptions, findings grouped and
 * shrunk. */
#ifndef FUZZ_SEARCH_H
#define FUZZ_SEARCH_H

#include "harness/fuzz/client.h"
#include "harness/spec/load.h"

enum { FUZZ_TEXT = 1024 };

/* A description to vary, of an operator: an earlier finding, or what reached something new. */
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
    const char *reproduce_options; /* for the line that shows a finding again: " --specs …", "" for none */
    int ops[256], op_count;        /* operators to try, as indices of specs */
    uint64_t seed, count;          /* count: descriptions, 0: no limit */
    uint64_t seconds;              /* 0: no limit */
    uint64_t first;                /* chunk to start with */
    uint64_t shard, shards;        /* every shards-th chunk, from the shard-th on; 0 of 1: all */
    uint32_t execute;              /* of 65536 */
    unsigned jobs, timeout_ms;
    const struct fuzz_seed *seeds;
    size_t seed_count;
    void (*progress)(void *context, uint64_t tried, uint64_t elapsed_ns); /* now and then; null: nobody looks */
    /* Every few seconds, so that a search that is killed loses no more: what there is, not shrunk. Null: no need. */
    int (*checkpoint)(void *context, struct fuzz_search *search, struct error *error);
    void *context;
};

/* Findings with one verdict and one rule to blame, and the smallest that shows it. */
struct fuzz_group {
    enum fuzz_verdict verdict;
    unsigned op;
    int rule;        /* to blame, -1: none */
    uint64_t count;  /* of the descriptions found */
    int place, slot; /* of what is legal and rejected: where its subject lies (fuzz_slots()), -1: nothing explains it */
    char also[200];  /* ids of rules that explain it as well, "" */
    struct fuzz_finding original, minimum;
    unsigned steps; /* from the one to the other */
};

/* What was found of one operator. */
struct fuzz_tally {
    struct fuzz_rules rules;
    struct fuzz_counts counts;
    uint64_t accepted[FUZZ_ATOMS][FUZZ_SLOTS], rejected[FUZZ_ATOMS][FUZZ_SLOTS]; /* as in struct fuzz_limits */
    struct fuzz_finding *rejects[FUZZ_ATOMS][FUZZ_SLOTS];                        /* the lightest there, or null */
    struct fuzz_finding findings[FUZZ_VERDICTS][FUZZ_RULES + 1];                 /* by rule + 1; count 0: none */
    struct fuzz_kept *kept;        /* that reached something new, first in the search, by position */
    size_t kept_count, kept_known; /* so many of them are seeds */
};

struct fuzz_search {
    const struct fuzz_search_config *config;
    assay_device_info info;
    DML_FEATURE_LEVEL level;     /* that descriptions are judged by */
    struct fuzz_tally **tallies; /* by index in specs, null: not tried */
    struct fuzz_group *groups;
    size_t group_count;
    uint64_t next; /* chunk, where a later hunt goes on */
    uint64_t tried;
    uint64_t elapsed_ns; /* of the search, without shrinking */
    bool interrupted;
    uint64_t *edges; /* places of the device's code that were reached, a bit each, as in struct fuzz_state */
};

/* Searches, groups, shrinks. Returns 0 whatever is found. */
int fuzz_search_run(const struct fuzz_search_config *config, struct fuzz_search *search, struct error *error);
void fuzz_search_free(struct fuzz_search *search);

/* Whether the group is a failure, not a warning: the rule to blame is a soft one. */
bool fuzz_group_is_failure(const struct fuzz_search *search, const struct fuzz_group *group);

/* Parts of the above: groups out of tallies (fuzz_group.c), whose smallest descriptions are the original ones, and the
 * smallest of a group (fuzz_shrink.c). */
int fuzz_group_all(struct fuzz_search *search, struct error *error);
void fuzz_group_clear(struct fuzz_search *search);
/* What was kept of a chunk, or is a seed; and how many places of the code are known (fuzz_corpus_add.c). */
int fuzz_corpus_add(struct fuzz_search *search, unsigned op, const struct fuzz_state *state, struct error *error);
int fuzz_corpus_add_seed(struct fuzz_search *search, const struct fuzz_seed *seed, struct error *error);
void fuzz_corpus_add_edges(struct fuzz_search *search, const struct fuzz_state *state);
unsigned fuzz_corpus_edge_count(const struct fuzz_search *search);

int fuzz_shrink(struct fuzz_search *search, struct fuzz_client *client, struct fuzz_group *group, struct error *error);

#endif
