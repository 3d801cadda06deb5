/* cmd_fuzz.h: what a hunt found, for people and for programs. */
#ifndef CLI_CMD_FUZZ_H
#define CLI_CMD_FUZZ_H

#include "harness/fuzz/search.h"
#include "harness/cli/options.h"

#include <stdio.h>

/* The device, before the hunt's results; the groups, each with a line that shows it again; the confusion matrix by
 * operator and number of broken rules. `verbose`: by rule, too, and which errors were returned. */
void cmd_fuzz_print(FILE *out, const struct fuzz_search *search, bool verbose);

/* JSON lines: an object for each group, and one that sums up as the last. */
void cmd_fuzz_print_json(FILE *out, const struct fuzz_search *search);

/* What one description came to, as the rules have it and as the device has it. */
void cmd_fuzz_print_probe(FILE *out, const struct fuzz_rules *rules, const struct opdesc *desc,
                          const struct fuzz_finding *found);

/* The same as a line of JSON; `failed`: it is a failure. */
void cmd_fuzz_print_probe_json(FILE *out, const struct fuzz_rules *rules, const struct opdesc *desc,
                               const struct fuzz_finding *found, bool failed);

/* Tries the descriptions `texts`, dispatched with `data` if config->execute is not 0; without any those that config->seeds
 * has, of which what is no finding is printed only if `verbose`. EXIT_FAILURES: one is a failure. */
int cmd_fuzz_probe(const struct fuzz_search_config *config, const struct word_list *texts, const struct fuzz_data *data,
                   bool json, bool verbose, struct error *error);

/* The line that shows a finding again. */
void cmd_fuzz_reproduce(FILE *out, const struct fuzz_search *search, const struct fuzz_group *group);

/* Makes cases of findings in a database: lines of regressions.lua in the folder `cases` (null: the usual one). The ids
 * follow the word "promote". */
int cmd_fuzz_promote(const struct spec_set *specs, const char *cases, const char *database, const struct word_list *ids,
                     struct error *error);

/* "axis-range", "legal" for -1. */
const char *cmd_fuzz_rule(const struct spec *spec, int rule);

#endif
