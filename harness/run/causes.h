/* causes.h: finds the causes of the failures of a run: groups with one explanation each, and the properties that
 * separate the failing cases of a group from all others. */
#ifndef RUN_CAUSES_H
#define RUN_CAUSES_H

#include "harness/run/record.h"
#include "harness/trial/explain.h"

#include <stdio.h>

/* The failures and warnings of one run on one device. */
struct causes {
    uint64_t seed; /* the seed of the run, if test cases are known */
    struct cause_item *items;
    size_t count, room;
    char **operators; /* names of the operators that items are about */
    size_t operator_count;
    bool failed; /* memory ran out */
};

/* Adds a last record that is a failure or a warning; ignores all others. `number` is the number of its case in
 * causes_group(). */
void causes_add(struct causes *causes, const struct record *record, size_t number);
void causes_free(struct causes *causes);

/* A case of the run. */
struct cause_case {
    const char *name;
    bool ran;                        /* not skipped, unsupported or missing */
    const struct testcase *testcase; /* null: not known */
    bool scanned;                    /* this member and the next are for the module: zero */
    uint32_t contents;
};

/* Failures, or warnings, that have the same cause as far as anyone can tell. */
struct cause_group {
    bool warnings;                /* the cases warn; otherwise they fail */
    uint64_t cases;               /* cases in the group */
    uint64_t besides;             /* a few wrong results of the same operators that the group does not explain */
    char name[EXPLANATIONS_SIZE]; /* the name of the explanation, several with '|' between them if all hold for the
                                   * same cases; "unexplained"; or the name of the enum cause: "wrong accept" */
    char title[400];              /* a sentence for a person */
    char broken[160];             /* ids of the rules that are broken, the most frequent first */
    char tensors[128];            /* the tensors that have the first wrong elements */
    char where[400];              /* properties that only failing cases share: "FLOAT16, with -0.0"; "": none */
    uint64_t such;                /* cases that ran and have all these properties; 0: `where` is "" */
    const char *first_case;       /* valid as long as the causes */
    const char *reproduce;
    size_t number; /* for the module */
};

/* Groups the failures that were added: each explanation takes the failures that it explains, the one that explains most
 * first. An explanation that may hold by chance takes none: it holds for few of the wrong results of its operators, and
 * these have few wrong elements. The largest group comes first. `cases` are all cases of the run. Sets `*groups`,
 * which the caller frees. Returns the number of groups; 0: none, or out of memory. */
size_t causes_group(struct causes *causes, struct cause_case *cases, size_t case_count, struct cause_group **groups);

/* Finds the next failure or warning, from item `*next` on, that is in a group. `*group` is the group's place in the
 * array of the last causes_group(). An item that no group explains, and that a group only mentions as besides, is left
 * out. False: there is none. The text is valid as long as the causes. */
bool causes_member(const struct causes *causes, size_t *next, const char **case_name, size_t *group);

/* Prints the members of a JSON object about a group. */
void causes_print_json(FILE *out, const struct cause_group *group);

/* Prints the groups for a person, each line after `indent`. */
void causes_print(FILE *out, const char *indent, const struct cause_group *groups, size_t count);

#endif
