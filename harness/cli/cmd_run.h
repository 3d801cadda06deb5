/* cmd_run.h: running a plan on one device and passing the records on; shared by `run` and `repro`. */
#ifndef CLI_CMD_RUN_H
#define CLI_CMD_RUN_H

#include "harness/cli/cmd.h"
#include "harness/run/expect.h"
#include "harness/results/reporters.h"
#include "harness/run/runner.h"
#include "harness/results/store.h"

/* What is expected of one device. */
struct cmd_run_expect {
    struct expect expect;
    char sources[4096]; /* the files, for people; "": none */
};

/* Loads `files`, before them the one that lies beside the device's library, if `beside`. As expect_load(). */
int cmd_run_expect_load(struct cmd_run_expect *e, const char *device, const struct word_list *files, bool beside,
                        struct error *error);
void cmd_run_expect_free(struct cmd_run_expect *e);

/* After a run of all that was planned: says on standard error which lines are stale, and counts them. Where the filter
 * left cases out, the whole plan is made for that. */
int cmd_run_expect_end(const struct cmd_run_expect *e, const char *device, const struct cmd_source *source,
                       size_t *stale, struct error *error);

struct cmd_run_on {
    struct runner_prestarted *prestarted; /* as in struct runner_config */
    const struct cmd_plan *plan;
    struct reporters *reporters;
    struct store *store;  /* null: no database */
    const char *database; /* its path, "" if none */
    const char *command;  /* the command line, for the store */
    const char *reproduce_options;
    uint64_t seed;
    uint64_t plan_hash; /* of the whole plan, for the store */
    bool dump;          /* records have their dump */
    bool profile;       /* says where the time goes */
    struct sandbox *sandbox;
    unsigned jobs, batch, timeout_ms, slow_ms, max_deaths; /* as in struct runner_config */
    uint64_t end_ns;
    bool resumed;                  /* the store goes on with an invocation */
    unsigned shard, shards;        /* that the plan is; 0, 0: the whole */
    const struct plan *whole;      /* of which it is one */
    unsigned retries;              /* of a case that failed and was not expected to */
    unsigned repeat;               /* attempts at every case; 0: one */
    bool flaky_ok;                 /* flaky cases do not make the run fail */
    struct cmd_run_expect *expect; /* null: nothing is expected */
    uint64_t shuffle;              /* seed of the order of execution; 0: as planned */
};

/* Runs all cases of the plan on the device. Returns 0, or the status of what went wrong with the run itself. */
int cmd_run_on(const struct cmd_run_on *run, const char *device, struct runner_total *total, struct error *error);

/* Begins or takes up the run in the store; `known`, per case of the plan, is told what there is already. */
int cmd_run_begin(const struct cmd_run_on *run, const struct store_run *stored, bool *known, struct error *error);

/* The words of the command line after "run"; to be freed with each of them. */
int cmd_run_words(char ***words, size_t *count, struct error *error);
void cmd_run_free_words(char **words, size_t count);

/* Runs the command again that `words` ended in `--resume`: with the words of the invocation that is resumed in front of
 * them, and the store open. */
int cmd_run_resume(const struct command *command, const char *database, bool force, struct store **store,
                   struct error *error);

/* Says on standard error what workers, or assay itself, spent time and memory on. */
void cmd_run_print_profile(const char *who, const struct profile *profile, uint64_t kib);

/* From now on SIGUSR1 asks what is running. */
void cmd_run_listen(void);

/* Answers on standard error, if that was asked. */
void cmd_run_answer(const char *device, uint64_t done, uint64_t planned, const struct runner_now *now, unsigned count);

void cmd_run_say_slow(const char *device, const struct runner_now *now);

/* What the cases of a run took the last time, for telling how much of it is done. */
struct cmd_run_times {
    double *ns;              /* of each case; null: nothing is known */
    double all, done, given; /* given: done by an earlier part of the run */
};

/* By the last run of the device in the store; of cases that it does not have, the mean. */
void cmd_run_times_load(struct cmd_run_times *times, struct store *store, const struct plan *plan, const char *device);
void cmd_run_times_free(struct cmd_run_times *times);

/* A case is done, or `recalled`: tells the part of the run that now is, 0 to 1, 0: not known. */
void cmd_run_times_add(struct cmd_run_times *times, size_t index, bool recalled, struct reporters *reporters);

/* Which cases of a plan are wanted, by what a database knows of them. */
struct cmd_run_wanted {
    const char *database;
    bool failed;            /* in the last run of the device: failed, or were not run */
    bool fresh;             /* no run has run them yet, on any device */
    int64_t before;         /* runs from this number on are as if they were not there; 0: none */
    unsigned shard, shards; /* of them, only those of this shard; 0, 0: all */
};

/* The wanted cases, in a plan that leans on the first one; free its `cases` where they are not those of `plan`. `hash` is
 * of all that are wanted, in whatever shard. `seed`, if 0, becomes that of the run whose failures they are. EXIT_NO_MATCH if
 * the device has no run. */
int cmd_run_choose(const struct cmd_run_wanted *wanted, const struct plan *plan, const char *device,
                   struct plan *chosen, uint64_t *hash, uint64_t *seed, struct error *error);

/* "2/3": the second shard of three; null: the whole, 0 and 0. EXIT_USAGE: anything else. */
int cmd_run_parse_shard(const char *text, unsigned *shard, unsigned *shards, struct error *error);

/* From now on Ctrl-C and the like end runs early, in good order. */
void cmd_run_catch_signals(void);

/* What a line that repeats a case needs besides its name, device and seed. */
enum { CMD_REPRODUCE_OPTIONS = 4 * PATHS_SIZE };
void cmd_run_reproduce_options(const struct cmd_source *source, char text[CMD_REPRODUCE_OPTIONS]);

/* What the outcome of all devices means for the exit status. */
int cmd_run_status(const struct runner_total *total);

#endif
