/* cmd_run.h: the parts of `assay run`, some of which `repro`, `fuzz` and `compare --time` use too. */
#ifndef CLI_CMD_RUN_H
#define CLI_CMD_RUN_H

#include "harness/cli/cmd.h"
#include "harness/base/pool.h"
#include "harness/run/expect.h"
#include "harness/results/reporters.h"
#include "harness/results/session.h"
#include "harness/results/store.h"

#include <stdio.h>
#include <wordexp.h>

/* ---- expectations (cmd_run_expect.c) */

/* The expectations for one device. */
struct cmd_run_expect {
    struct expect expect;
    char sources[4096]; /* the files' names, to be printed; "": none */
};

/* Loads `files` into a zeroed `e`; with `beside`, first the expectation file beside the device's library if there is
 * one. Errors are those of expect_load(). Free with cmd_run_expect_free(), also after an error. */
int cmd_run_expect_load(struct cmd_run_expect *e, const char *device, const struct word_list *files, bool beside,
                        struct error *error);
void cmd_run_expect_free(struct cmd_run_expect *e);

/* Reports stale lines on standard error and stores their number. The caller calls it when all planned cases have run. A
 * line in doubt needs the whole plan, which is made then. */
int cmd_run_expect_end(const struct cmd_run_expect *e, const char *device, const struct cmd_source *source,
                       size_t *stale, struct error *error);

/* ---- the end of a run, and limits (cmd_run_end.c) */

/* The end of a run. */
struct cmd_run_end {
    struct runner_total all; /* the totals of all devices */
    size_t stale;            /* lines of expectation files */
    size_t found, known;     /* findings of the search that are failures: new ones, and those that a line expects */
    int status;              /* the exit status */
    const char *database;    /* the path of the database; "": there is none */
};

/* Ends the output with the verdict in one line and the next commands. It prints to standard error if no output is for
 * people and the run is incomplete. Returns the text, to be freed after reporters_close(); null: out of memory. */
char *cmd_run_conclude(const struct cmd_run_end *end, struct reporters *reporters);

/* The slowest cases of a run on one device. */
struct cmd_run_slowest {
    struct cmd_run_slow {
        char *name;
        uint64_t ns; /* inside the device's calls */
    } * items;       /* slowest first */
    unsigned count, most;
};

/* Makes room for the `most` slowest cases. False: out of memory. */
bool cmd_run_slowest_init(struct cmd_run_slowest *slowest, unsigned most);
void cmd_run_slowest_add(void *slowest, const struct record *record);                  /* as session_config.seen */
void cmd_run_slowest_print(const struct cmd_run_slowest *slowest, const char *device); /* on standard error */
void cmd_run_slowest_free(struct cmd_run_slowest *slowest);

/* Returns for each case of the plan the limit that applies to the case, times `factor`. The caller frees the array;
 * null: out of memory. */
uint32_t *cmd_run_limits(const struct option_limits *limits, const struct plan *plan, uint32_t factor);

/* ---- debugging a device (cmd_run_debugger.c) */

#define CMD_RUN_DEBUGGER_OPTION(type)                                                                                  \
    {                                                                                                                  \
        0, "debugger", "WRAPPER", OPTION_STRING, offsetof(type, debugger),                                             \
            "start the device's process under a program, such as 'gdb --args': one process, on this terminal, "        \
            "without "                                                                                                 \
            "time limits and restrictions"                                                                             \
    }

/* Splits the words of a debugger's command line as a shell does; null: none. EXIT_USAGE: the line has no words, or the
 * program does not exist. Free with wordfree(), also then. */
int cmd_run_debugger(const char *text, wordexp_t *words, struct error *error);

/* The permissions of a device under a debugger, as values of --allow: a debugger needs all of them. */
extern const struct word_list cmd_run_unrestricted;

/* ---- running on one device: session_run() of results/session.h */

/* The hooks of struct session_config that print on standard error. */
#define CMD_RUN_PRINTING .slow = cmd_run_say_slow, .watch = cmd_run_answer, .ended = cmd_run_report

/* Reports that a case is slow. */
void cmd_run_say_slow(const char *device, const struct runner_now *now);

/* Reports the cases that the workers are running if SIGUSR1 has come since the last call. */
void cmd_run_answer(const char *device, uint64_t done, uint64_t planned, const struct runner_now *now, unsigned count);

/* Reports what the device did to its process, and where the workers spent time if that was asked for. */
void cmd_run_report(const struct session_config *config, const struct runner_total *total);

/* Installs a SIGUSR1 handler: the signal asks for a report of progress. `when` is the value of --progress; null: auto.
 * EXIT_USAGE: it is another word. */
int cmd_run_listen(const char *when, struct error *error);

/* Returns true if a line that changes shows the progress of the run. */
bool cmd_run_shows_live(void);

/* Returns the scope that the options and filters ask for; its text is in the pool. The caller sets the purpose. */
struct store_scope cmd_run_scope(struct pool *pool, const struct cmd_source *source, const struct word_list *filters);

/* ---- the search that ends a run (cmd_run_search.c) */

#define CMD_RUN_SEARCH_DEFAULT UINT64_MAX /* seconds: --search was not given */

/* Returns true if each filter is the name of an operator, perhaps with ".*", so that all of its cases run; also without
 * a filter. */
bool cmd_run_names_operators(const struct word_list *filters, const struct spec_set *specs);

/* Returns the seconds of the search: `given`, or by default one second after a run of whole operators, otherwise 0. */
uint64_t cmd_run_search_seconds(uint64_t given, bool whole_operators);

/* Searches the operators of the run's cases on its device, as `assay fuzz` does; prints its findings and a line about
 * the search to `out`. Stores the search in the run's database, whose store must be closed. Adds the findings that are
 * failures to `end`. Returns 0 unless the search cannot be made. */
int cmd_run_search(const struct session_config *run, uint64_t seconds, FILE *out, struct cmd_run_end *end,
                   struct error *error);

/* Prints on standard error how much time and memory `who` used, by stage. */
void cmd_run_print_profile(const char *who, const struct profile *profile, uint64_t kib);

/* Stores the options that a command to reproduce a case needs besides name, device and seed, each with a space before
 * it: --specs, --cases, --allow, --half. */
enum { CMD_REPRODUCE_OPTIONS = 4 * PATHS_SIZE };
void cmd_run_reproduce_options(const struct cmd_source *source, char text[CMD_REPRODUCE_OPTIONS]);

/* ---- the database and --resume (cmd_run_resume.c) */

/* Stores the words of this process's command line after "assay run". Free with cmd_run_free_words(). */
int cmd_run_words(char ***words, size_t *count, struct error *error);
void cmd_run_free_words(char **words, size_t count);

/* A call of `assay run` that is resumed: its command line with the limits of the new one, and the open store. */
struct cmd_run_resumed {
    struct options_parsed options, given; /* `given`: the new command line, to whose text `options` may point */
    struct store *store;                  /* null: there is nothing to resume, since the run is complete */
    char **words[2];                      /* the words of the stored command line and of this one */
    size_t counts[2];
};

/* Finds the call of `command` that this process's command line resumes. Limits that the new command line gives replace
 * the stored ones, and --max-time is always its own. Options that would make it another run (device, filters, seed, …)
 * must be equal, unless `force` is set: EXIT_USAGE names the option that differs. EXIT_NO_MATCH: the database has no
 * such run. Free with cmd_run_resume_end(), also after an error; the caller may take the store. */
int cmd_run_resume(const struct command *command, const char *database, bool force, struct cmd_run_resumed *out,
                   struct error *error);
void cmd_run_resume_end(const struct command *command, struct cmd_run_resumed *resumed);

#endif
