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

/* Prints text from a column on, and breaks lines at spaces: further ones are indented to `indent`. Returns the column
 * after it. */
int cmd_spec_wrap(int column, int indent, const char *text);

/* Prints the formula of an output or of a stage, its bounds, the choices that a device has, and the parts that have
 * names. */
void cmd_spec_print_result(const struct spec *spec, const struct spec_result *result);

/* Prints fields, tables, rules, behaviours, examples, parameters and, for all operators, rulings as one JSON object. */
void cmd_spec_json(const struct spec_set *set, const struct cmd_spec_choice *choice);

/* Prints the matrix from page sentences to verdicts, with those of the last runs in the database `db`, which may be
 * null. With `check`, prints only its problems, one per line: EXIT_FAILURES if there are any. */
int cmd_spec_trace(const struct cmd_plan *plan, const struct cmd_spec_choice *choice, const char *db, bool check,
                   struct error *error);

#endif
