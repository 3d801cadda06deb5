/* cmd_spec.h: the parts of `assay spec`. */
#ifndef CLI_CMD_SPEC_H
#define CLI_CMD_SPEC_H

#include "harness/cli/cmd.h"

/* The operators to print. */
struct cmd_spec_choice {
    int *ops; /* indices in the set of specs; freed by the caller */
    int count;
    bool whole; /* all operators, since none was named */
};

/* Prints fields, tables, rules, behaviours, examples, parameters and, for all operators, rulings as one JSON object. */
void cmd_spec_json(const struct spec_set *set, const struct cmd_spec_choice *choice);

/* Prints the matrix from page sentences to verdicts, with those of the last runs in the database `db`, which may be
 * null. With `check`, prints only its problems, one per line: EXIT_FAILURES if there are any. */
int cmd_spec_trace(const struct cmd_plan *plan, const struct cmd_spec_choice *choice, const char *db, bool check,
                   struct error *error);

#endif
