#include "harness/cli/cmd.h"
#include "harness/results/history.h"
#include "harness/base/input.h"
#include "harness/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { RUNS_MAX = 64 };

struct sums {
    int64_t done, failures;
};

static int status_add_result(void *context, const struct history_result *result)
{
    struct sums *sums = context;
    sums->done += result->status != STATUS_INCOMPLETE;
    sums->failures += result->failure;
    return 0;
}

/* Returns true if a running assay is writing to the database, on which it then holds a lock. */
static bool status_is_written(const char *path)
{
    int file = input_open(path, "a database", INT64_MAX, NULL, NULL);
    bool held = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (file >= 0)
        close(file);
    return held;
}

static int print_running(void *context, const struct history_running *running)
{
    (void)context;
    printf("  worker %d: ", running->worker);
    text_print(stdout, running->case_name);
    if (running->cases > 1)
        printf(" and %" PRId64 " more", running->cases - 1);
    printf(", for %.1f s\n", running->seconds);
    return 0;
}

static void status_print_about(const char *what, const char *text)
{
    if (!*text)
        return;
    printf(", %s", what);
    text_print(stdout, text);
}

static int status_print_run(struct history *history, const struct history_run *run, bool alive, struct error *error)
{
    struct sums sums = {0};
    bool running = strcmp(run->state, "running") == 0;
    int result = history_results(history, run->id, status_add_result, &sums, error);
    if (result)
        return result;
    text_print(stdout, run->device);
    if (run->shards > 1)
        printf(", shard %u/%u", run->shard, run->shards);
    fputs(": ", stdout);
    text_print(stdout, running && !alive ? "ended early" : run->state);
    printf(", %" PRId64 " of %" PRId64 " cases, %" PRId64 " failures", sums.done, run->planned, sums.failures);
    fputs("; begun ", stdout);
    text_print(stdout, run->started);
    status_print_about("ended ", run->ended);
    if (strcmp(run->purpose, "conformance") != 0)
        status_print_about("made for ", run->purpose);
    status_print_about("", run->half ? "with --half" : "");
    status_print_about("label ", run->label);
    status_print_about("revision ", run->revision);
    status_print_about("build ", *run->device_build ? run->device_build : run->device_hash);
    puts(run->partial ? ", partial" : "");
    return running ? history_running(history, run->id, print_running, NULL, error) : 0;
}

/* Prints the current state of each device. */
static int print_current(struct history *history, struct error *error)
{
    struct history_run runs[RUNS_MAX];
    int count = 0, result = history_last_runs(history, runs, RUNS_MAX, &count, error);
    for (int i = count - 1; i >= 0 && result == 0; i--) {
        struct history_summary summary;
        char partial[200];
        result = history_summary(history, runs[i].id, &summary, error);
        history_describe(&runs[i], &summary, partial, sizeof partial);
        fputs("current state of ", stdout);
        text_print(stdout, runs[i].device);
        printf(": %" PRId64 " cases, %" PRId64 " failures%s%s\n", summary.cases, summary.failures, *partial ? "; " : "",
               partial);
    }
    return result;
}

static int cmd_status_run(const void *values, const struct word_list *arguments, struct error *error)
{
    struct history_run runs[RUNS_MAX];
    struct history *history;
    int count = 0, called = 0, complete = 0; /* runs; those of `assay run`; the complete ones of them */
    (void)values;
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "status takes a database: assay status results.db");
    const char *path = arguments->items[0];
    bool alive = status_is_written(path);
    int result = history_open(path, &history, error);
    if (result == 0)
        result = history_last_call(history, runs, RUNS_MAX, &count, error);
    for (int i = 0; i < count && result == 0; i++) {
        result = status_print_run(history, &runs[i], alive, error);
        called += runs[i].invocation != 0;
        complete += runs[i].invocation && strcmp(runs[i].state, "complete") == 0;
    }
    if (result == 0)
        result = print_current(history, error);
    if (result == 0 && !alive && (complete < called || history_runs_wanted(history) > called)) {
        fputs("`assay run --resume --db ", stdout);
        text_print(stdout, path);
        puts("` finishes it");
        result = EXIT_INCOMPLETE;
    }
    history_close(history);
    return result;
}

static const struct option options[] = {{0}};

const struct command cmd_status = {.name = "status",
                                   .arguments = "DB",
                                   .summary = "print the progress of the last run in a database",
                                   .examples = "assay status results.db\n"
                                               "watch assay status results.db\n",
                                   .notes = "Prints the last `assay run` of the database, from whatever terminal, and "
                                            "the later runs of other commands: how "
                                            "many cases are done, which failed, and which case each worker is judging. "
                                            "Then prints the current state of each "
                                            "device: its newest conformance verdict on each "
                                            "case. "
                                            "A run that ended early has exit status 5. A running `assay run` says the "
                                            "same on standard error when it gets SIGUSR1.\n",
                                   .options = options,
                                   .values_size = 1,
                                   .run = cmd_status_run};
