/* complete.h: completes command lines, for the scripts that `assay completion` prints. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "harness/cli/options.h"

/* Prints the completions of the last of `words`, one per line: commands, options and arguments. `words` are those after
 * the program's name, at least one; the last may be empty. The name of an argument in the option table says what
 * completes it:
 *     an argument with a list in choices.h  the words of the list, without anything after '='
 *     DEVICE, OPERATOR, LEVEL, COMMAND      names
 *     CASE, FILTER                          case names, up to the next dot at which they differ
 *     ID                                    ids of the findings in the database that --db names before the word
 * Prints nothing for other arguments: the shell completes files. A completion that ends in '.' or '=' is not a whole
 * word. */
void complete_print(const struct command *const *commands, char *const *words, size_t count);

#endif
