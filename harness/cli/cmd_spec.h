/* cmd_spec.h: the parts of the command spec. */
#ifndef CLI_CMD_SPEC_H
#define CLI_CMD_SPEC_H

#include "harness/cli/cmd.h"

/* The operators asked for, by index; all, if none is named. The caller frees. */
struct cmd_spec_choice {
    int *ops;
    int count;
    bool whole;
};

/* Fields, tables, rules, behaviours, examples, parameters and rulings as one JSON object. */
void cmd_spec_json(const struct spec_set *set, const struct cmd_spec_choice *choice);

/* The matrix from sentence to verdict; or, with `check`, what is wrong with it, a line each: EXIT_FAILURES. `db` may be
 * null. */
int cmd_spec_trace(const struct cmd_plan *plan, const struct cmd_spec_choice *choice, const char *db, bool check,
                   struct error *error);

#endif
