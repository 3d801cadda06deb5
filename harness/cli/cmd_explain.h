/* cmd_explain.h: the parts of `assay explain`: what an id stands for, and which parts of the specs carry it. */
#ifndef CLI_CMD_EXPLAIN_H
#define CLI_CMD_EXPLAIN_H

#include "harness/cli/cmd.h"
#include "harness/results/trace.h"

enum subject_kind {
    SUBJECT_RULE,     /* a rule, behaviour, feature level or example */
    SUBJECT_SENTENCE, /* of a page: "3d922-104", "bed83-151..162" */
    SUBJECT_PAGE,
    SUBJECT_RULING,
    SUBJECT_INTERFACE, /* a sentence of device.h */
    SUBJECT_OPERATOR,
    SUBJECT_MISTAKE, /* an explanation of wrong results (trial/explain.h) */
    SUBJECT_CASE,
    SUBJECT_KINDS
};

/* "rule", "sentence", … */
extern const char *const subject_kinds[SUBJECT_KINDS];

enum { SUBJECT_ID = 256 };

/* What an id stands for. Texts live as long as the specs do. */
struct subject {
    char id[SUBJECT_ID];
    enum subject_kind kind;
    char text[1024];         /* one line; "" if the specs have none */
    const struct spec *spec; /* that it belongs to; null: any */
    char name[CARRIER_NAME]; /* SUBJECT_RULE: of the carriers */
    char page[64];           /* SUBJECT_SENTENCE, SUBJECT_PAGE: as sources name it */
    int first, last;         /* SUBJECT_SENTENCE */
    unsigned mistake;        /* enum explanation */
    const struct testcase *testcase;
};

/* Finds what a word of the command line stands for, a case excepted. EXIT_NO_MATCH, with the nearest id. */
int subject_find(struct subject *out, const struct spec_set *set, const char *word, struct error *error);

/* Whether a part of the specs carries it. */
bool subject_has(const struct subject *subject, const struct carrier *carrier);

/* Parts of several operators that say the same: `first`, and those of the other operators. */
bool subject_same_part(const struct carrier *first, const struct carrier *other);

/* The sentence of the part: of a rule its text; of a level or example, what it is. `text` has `size` bytes and may hold
 * it. */
const char *subject_part_text(const struct carrier *carrier, char *text, size_t size);

/* Prints the subjects as one JSON object, with at most `names` cases of each kind. */
void cmd_explain_json(const struct subject *subjects, size_t count, const struct trace *trace, size_t names);

#endif
