/* choices.h: the words that may stand for an argument, where they are few and known: "FORMAT", "EXPORT", "WHEN",
 * "SHELL", "VERDICT", "PERMISSION", "FILL", "INDICES". For --help, the manual page, completion and messages alike. */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

#include "harness/base/error.h"

enum { CHOICES_MAX = 32, CHOICES_TEXT = 512 /* all of a list */ };

/* The words for an argument as tables of options call it; what follows the first capital letters does not count:
 * "FORMAT[=FILE]". Returns how many, 0 where there is no such list. */
size_t choices_of(const char *argument, const char *words[CHOICES_MAX]);

/* Stores them as "a, b or c"; empty if there is no list. */
void choices_text(const char *argument, char *text, size_t size);

/* EXIT_USAGE where `word`, which was given as `what`, is none of them. */
int choices_check(const char *argument, const char *what, const char *word, struct error *error);

#endif
