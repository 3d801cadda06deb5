/* cmd_explain.h: the parts of `assay explain`: they find the subject that an id names, and the parts of the specs that
 * carry it. */
#ifndef CLI_CMD_EXPLAIN_H
#define CLI_CMD_EXPLAIN_H

#include "harness/cli/cmd.h"
#include "harness/results/trace.h"

enum subject_kind {
    SUBJECT_RULE,     /* a rule, behaviour, feature level or example */
    SUBJECT_SENTENCE, /* a sentence of a page, or several: "3d922-104", "bed83-151..162" */
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

/* The subject that an id names. Texts live as long as the specs do. */
struct subject {
    char id[SUBJECT_ID];
    enum subject_kind kind;
    char text[1024];         /* one line; "" if the specs have none */
    const struct spec *spec; /* the subject belongs to it; null: any */
    char name[CARRIER_NAME]; /* SUBJECT_RULE: the name of the carriers */
    char page[64];           /* SUBJECT_SENTENCE, SUBJECT_PAGE: the page as sources name it */
    int first, last;         /* SUBJECT_SENTENCE */
    unsigned mistake;        /* enum explanation */
    const struct testcase *testcase;
};

/* Finds the subject that a word of the command line names, except a case. EXIT_NO_MATCH: there is none; the message
 * names the nearest id. */
int subject_find(struct subject *out, const struct spec_set *set, const char *word, struct error *error);

/* Returns true if the carrier carries the subject. */
bool subject_has(const struct subject *subject, const struct carrier *carrier);

/* Returns true if two parts of the specs, usually of different operators, say the same. */
bool subject_same_part(const struct carrier *first, const struct carrier *other);

/* Returns the sentence of the part: the text of a rule, or a description of a level or example. `text` has `size` bytes
 * and may hold the sentence. */
const char *subject_part_text(const struct carrier *carrier, char *text, size_t size);

/* Prints the subjects as one JSON object, with at most `names` cases of each kind. */
void cmd_explain_json(const struct subject *subjects, size_t count, const struct trace *trace, size_t names);

#endif
