/* cmd_fuzz.h: the parts of `assay fuzz`. */
#ifndef CLI_CMD_FUZZ_H
#define CLI_CMD_FUZZ_H

#include "harness/fuzz/search.h"
#include "harness/cli/options.h"

#include <stdio.h>

/* Prints the groups of findings, each with a command that reproduces it, then the confusion matrix by operator and
 * number of broken rules, and a line about the device and the search. `verbose`: the matrix also by rule, and which
 * errors the device returned. */
void cmd_fuzz_print(FILE *out, const struct fuzz_search *search, bool verbose);

/* Prints only the groups of findings. */
void cmd_fuzz_print_findings(FILE *out, const struct fuzz_search *search);

/* Prints JSON lines: an object for each group and, as the last, the summary. */
void cmd_fuzz_print_json(FILE *out, const struct fuzz_search *search);

/* Prints one description: the rules that it breaks, the answer of the device, and the verdict. */
void cmd_fuzz_print_probe(FILE *out, const struct fuzz_rules *rules, const struct opdesc *desc,
                          const struct fuzz_finding *found);

/* Prints the same as a line of JSON; `failed`: the finding is a failure, not a warning. */
void cmd_fuzz_print_probe_json(FILE *out, const struct fuzz_rules *rules, const struct opdesc *desc,
                               const struct fuzz_finding *found, bool failed);

/* Tries the descriptions `texts` one by one and prints each; dispatches them with `data` if config->execute is not 0.
 * Without texts, tries config->seeds instead; those kept only to be varied are printed if they are findings or
 * `verbose`. EXIT_FAILURES: there was a failure; EXIT_NO_MATCH: no texts and no seeds. */
int cmd_fuzz_probe(const struct fuzz_search_config *config, const struct word_list *texts, const struct fuzz_data *data,
                   bool json, bool verbose, struct error *error);

/* Prints the command that reproduces a finding, without a line break. */
void cmd_fuzz_reproduce(FILE *out, const struct fuzz_search *search, const struct fuzz_group *group);

/* Makes cases of findings in a database: adds them to regressions.lua in the folder `cases` (null: the default one).
 * `ids` is the word "promote", followed by the ids. */
int cmd_fuzz_promote(const struct spec_set *specs, const char *specs_folder, const char *cases, const char *database,
                     const struct word_list *ids, struct error *error);

/* Returns the id of a rule, by its index: "axis-range"; "legal" for -1. */
const char *cmd_fuzz_rule(const struct spec *spec, int rule);

#endif
