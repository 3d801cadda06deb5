/* options.h: command lines. A command is one struct command with one option table, from which parsing, --help, the
 * configuration (config.h), completion (complete.h) and the manual page (cmd_manual.c) are made. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "harness/base/error.h"
#include "harness/base/pool.h"
#include "harness/base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_STRING, /* const char * */
    OPTION_UINT,   /* uint64_t, decimal or 0x… */
    OPTION_COUNT,  /* uint64_t from 1 on; 0: not given */
    OPTION_AUTO,   /* uint64_t from 1 on, or "auto": 0 */
    OPTION_LIST,   /* struct word_list: may be given several times */
    OPTION_LIMITS  /* struct option_limits: N, or PATTERN=N for some cases, which may be given several times */
};

/* A number that may be another one for cases whose names match a pattern; the last pattern that matches decides. */
struct option_limits {
    uint64_t number;
    struct word_list patterns; /* "PATTERN=N" */
};

/* Returns the N of a "PATTERN=N" that options_parse() has accepted. */
uint64_t options_limit(const char *text);

struct option {
    char letter;          /* 0: none */
    const char *name;     /* without the dashes */
    const char *argument; /* its name in --help: "FILE"; null for a flag. Determines how it is completed (complete.h) */
    enum option_kind kind;
    size_t offset;    /* of the member in the command's struct of values */
    const char *help; /* the effect, with unit and default; wrapped as needed */
};

struct command {
    const char *name;
    const char *arguments;        /* "[FILTER…]" */
    const char *summary;          /* one line */
    const char *examples;         /* lines, which --help prints first */
    const char *notes;            /* paragraphs after the options, or null */
    const struct option *options; /* ended by a null name */
    const char *flag;             /* an option without which those of `flagged` have no meaning; null: none */
    const char *flagged;  /* " one two ": a command line must not have them without it, and settings do nothing */
    size_t values_size;   /* of the struct of values, which starts zeroed */
    const void *defaults; /* initial contents of the struct of values, or null */
    bool hidden;          /* not listed by --help */
    /* Runs the command with its filled-in struct of values and the positional arguments. Returns an exit status. The
     * caller prints the text in `error`, if any, as "assay: TEXT" on standard error. */
    int (*run)(const void *values, const struct word_list *arguments, struct error *error);
};

/* A value for an option from a configuration file. */
struct option_setting {
    const struct command *command; /* null: every command that has the option */
    const char *name, *value;
    const char *file;
    unsigned line;
    unsigned rank; /* from 1; only the settings of an option with the highest rank count */
};

struct option_settings {
    struct pool pool; /* of the settings and their texts */
    struct option_setting *items;
    size_t count;
};

/* Parses `argv`, the words after the command's name, and runs the command, or prints its help for --help. Options that
 * are not given get the values that `configure` reads, unless it is null or --no-config is given; `profile` is that of
 * --profile-name, or null. Returns the exit status of the command; EXIT_USAGE: wrong options, with the nearest known
 * one for an unknown one. */
int options_run(const struct command *command, int argc, char **argv,
                int (*configure)(const char *profile, struct option_settings *out, struct error *error),
                struct error *error);

/* Returns the --profile-name of the command line that options_run() is running; null: none. */
const char *options_profile(void);

/* A parsed command line, with the command's defaults and the user's settings for options that it does not have. */
struct options_parsed {
    void *values;                /* the command's struct */
    struct word_list positional; /* the other words */
    bool *given;                 /* by place in the command's table: the command line itself names the option */
    const char *profile;         /* --profile-name; null: none */
    bool help;                   /* --help is there; what follows it was not read */
    struct pool pool;            /* text of the settings, which values point to */
};

/* Parses as options_run() does, but runs nothing. The words must outlive `out`, which the caller frees with
 * options_free(), also after an error. EXIT_USAGE as above. */
int options_parse(const struct command *command, int argc, char **argv,
                  int (*configure)(const char *profile, struct option_settings *out, struct error *error),
                  struct options_parsed *out, struct error *error);
void options_free(const struct command *command, struct options_parsed *parsed);

/* Returns the option of the name, of `length` bytes, or letter; null if the command has none. */
const struct option *options_find(const struct command *command, const char *name, size_t length);
const struct option *options_find_letter(const struct command *command, char letter);

/* Checks that `text` is a value for this kind of option; for a flag "yes" or "no". EXIT_USAGE if it is not. */
int options_check(const struct option *option, const char *text, struct error *error);

/* Returns true if the setting applies to this option of the command. */
bool options_concerns(const struct option_setting *setting, const struct command *command, const struct option *option);

/* Returns the highest rank among the settings that apply to the option of the command; 0: there are none. */
unsigned options_rank(const struct option_settings *settings, const struct command *command,
                      const struct option *option);

/* Returns the option whose name is nearest to an unknown name; null: none is near. */
const char *options_nearest_option(const struct command *command, const char *name);

/* Print the help of one command, and the list of `commands` (ended by null) with the exit statuses. */
void options_help(const struct command *command);
void options_overview(const struct command *const *commands);

/* The meanings of the exit statuses, by number. --help and the manual page list them from here. */
enum { OPTIONS_STATUSES = 7 };
extern const char *const options_statuses[OPTIONS_STATUSES];

/* The options that every command has besides its table, ended by a null name. Offsets are not set. */
extern const struct option options_common[];

#endif
