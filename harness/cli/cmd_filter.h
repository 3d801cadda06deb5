/* cmd_filter.h: the cases that the words of a command line choose: FILTER…, not FILTER, --exclude, --case-list; and the
 * reason if they choose none. */
#ifndef CLI_CMD_FILTER_H
#define CLI_CMD_FILTER_H

#include "harness/plan/caselist.h"
#include "harness/plan/plan.h"

struct cmd_filter {
    struct plan_filter filter; /* points to the members below and the words; the caller sets what is no name */
    const char **wanted, **unwanted;
    struct caselist list;
};

/* Reads the choice. EXIT_USAGE: "not" without a filter, or a case list that is wrong. Free with cmd_filter_free(), also
 * after an error. */
int cmd_filter_read(struct cmd_filter *out, const struct word_list *words, const struct word_list *exclude,
                    const struct word_list *case_lists, struct error *error);
void cmd_filter_free(struct cmd_filter *choice);

/* Replaces the error that no case matches a pattern by one with the reason: the option that leaves out all of its
 * cases, or the nearest name. */
void cmd_filter_explain(const struct cmd_filter *choice, const struct spec_set *specs, const char *specs_folder,
                        const struct plan_sources *sources, struct error *error);

#endif
