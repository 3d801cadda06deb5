/* options.h: command lines. A command is one struct command with one option table, from which parsing, --help, the
 * configuration, completion (complete.h) and the manual page (manual.h) all come. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "harness/base/error.h"
#include "harness/base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_STRING, /* const char * */
    OPTION_UINT,   /* uint64_t, decimal or 0x… */
    OPTION_LIST    /* struct word_list: may be given several times */
};

struct option {
    char letter;          /* 0: none */
    const char *name;     /* without the dashes */
    const char *argument; /* what --help calls it: "FILE"; null for a flag. Says what completes it, too (complete.h) */
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
    int (*run)(const void *values, const struct word_list *arguments, struct error *error);
};

/* A default that a user has set in a file. */
struct option_setting {
    const struct command *command; /* null: of every command that has the option */
    const char *name, *value;
    const char *file;
    unsigned line;
    unsigned rank; /* of the settings of an option, those of the highest rank count */
};

struct option_settings {
    struct option_setting *items;
    size_t count;
};

/* Parses `argv` (after the command's name) by the command's table and runs it. Options that are not there are as
 * `configure` says, unless --no-config is there; it may be null. Handles --help. An unknown option names the nearest
 * known one: EXIT_USAGE. */
int options_run(const struct command *command, int argc, char **argv,
                int (*configure)(struct option_settings *out, struct error *error), struct error *error);

/* The option of the name, of `length` bytes, or letter; null if the command has none. */
const struct option *options_find(const struct command *command, const char *name, size_t length);
const struct option *options_find_letter(const struct command *command, char letter);

/* Whether `text` is a value of the kind that the option takes: for a flag "yes" or "no". EXIT_USAGE if not. */
int options_check(const struct option *option, const char *text, struct error *error);

/* Whether the setting is about this option of the command. */
bool options_concerns(const struct option_setting *setting, const struct command *command, const struct option *option);

/* The highest rank that settings of the option have for the command; 0: it is not set. Ranks start at 1. */
unsigned options_rank(const struct option_settings *settings, const struct command *command,
                      const struct option *option);

/* The nearest option to a name that there is not, or null. */
const char *options_nearest_option(const struct command *command, const char *name);

/* Prints the help of one command, or the list of `commands` (ended by null) with the exit statuses. */
void options_help(const struct command *command);
void options_overview(const struct command *const *commands);

/* What exit statuses mean, by number. */
enum { OPTIONS_STATUSES = 7 };
extern const char *const options_statuses[OPTIONS_STATUSES];

/* What every command has besides its table, ended by a null name. Only letter, name and help are set. */
extern const struct option options_common[];

#endif
