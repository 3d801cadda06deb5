/* complete.h: what may stand next on a command line, for shells to offer. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "harness/cli/options.h"

/* Prints, one a line, what the last of `words` (after the program's name; at least one, maybe empty) may become: commands,
 * options, and by what tables of options call an argument:
 *     FORMAT, EXPORT, WHEN, SHELL, VERDICT, FILL, INDICES
 *                                           the words there are; PERMISSION, too, up to their '='
 *     DEVICE, OPERATOR, LEVEL, COMMAND      names
 *     CASE, FILTER                          names of cases, up to the next dot that tells two apart
 * Nothing for other arguments: the shell knows files. What ends in a dot or '=' goes on. */
void complete_print(const struct command *const *commands, char *const *words, size_t count);

#endif
