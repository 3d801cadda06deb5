/* options.h: command lines. A command is one struct command with one option table, from which parsing, --help and later
 * completion and manual page all come. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "harness/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_STRING, /* const char * */
    OPTION_UINT,   /* uint64_t, decimal or 0x… */
    OPTION_LIST    /* struct option_list: may be given several times */
};

struct option_list {
    const char **items;
    size_t count;
};

struct option {
    char letter;          /* 0: none */
    const char *name;     /* without the dashes */
    const char *argument; /* what --help calls it: "FILE"; null for a flag */
    enum option_kind kind;
    size_t offset;    /* of the member in the command's struct of values */
    const char *help; /* one line */
};

struct command {
    const char *name;
    const char *arguments;        /* "[FILTER…]" */
    const char *summary;          /* one line */
    const char *examples;         /* lines, printed first by --help */
    const char *notes;            /* paragraphs after the options, or null */
    const struct option *options; /* ended by a null name */
    size_t values_size;           /* of the struct that `offset` points into; it starts zeroed */
    const void *defaults;         /* copied into it first, or null */
    bool hidden;                  /* not listed by --help */
    /* Runs the command: `values` as filled in, then the positional arguments. Returns an exit status; on an error the
     * text in `error` is printed as "assay: TEXT" on standard error by the caller. */
    int (*run)(const void *values, const struct option_list *arguments, struct error *error);
};

/* Parses `argv` (after the command's name) by the command's table and runs it. Handles --help. An unknown option names
 * the nearest known one: EXIT_USAGE. */
int options_run(const struct command *command, int argc, char **argv, struct error *error);

/* Prints the help of one command, or the list of `commands` (ended by null) with the exit statuses. */
void options_help(const struct command *command);
void options_overview(const struct command *const *commands);

/* The nearest of `names` (`count` of them) to `word` by edit distance without regard to case, or null if none is near
 * enough to be what was meant. */
const char *options_nearest(const char *word, const char *const *names, size_t count);

#endif
