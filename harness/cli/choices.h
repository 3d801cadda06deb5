/* choices.h: arguments that can only be one of a few known words, such as FORMAT or WHEN. --help, the manual page,
 * completion and error messages take the words from here; the lists themselves belong to the modules that use them. */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

#include "harness/base/error.h"

enum { CHOICES_MAX = 32, CHOICES_HELP = 1024 /* bytes that hold any help text with its words */ };

/* Stores the words for an argument and returns how many there are; 0: it has no list. `argument` is the name in the
 * option table, where only the leading capital letters count: "FORMAT[=FILE]". Null is allowed. */
size_t choices_of(const char *argument, const char *words[CHOICES_MAX]);

/* Writes the help text of an option with the words for its argument, if there are any, before a remark in parentheses:
 * "when to use color: always, never or auto (default: auto)". */
void choices_help(const char *argument, const char *help, char *text, size_t size);

/* Returns EXIT_USAGE if `word` is not one of the words; the message begins with `what` and names the nearest word. */
int choices_check(const char *argument, const char *what, const char *word, struct error *error);

#endif
