#include "harness/cli/cmd_run.h"

#include "harness/base/clock.h"
#include "harness/cli/choices.h"
#include "harness/cli/cmd_progress.h"
#include "harness/host/exchange.h"
#include "harness/results/choose.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"
#include "harness/base/fileuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Defaults. */
#define SLOW 5     /* seconds */
#define DEATHS 500 /* fatal cases in a row */

enum { DEVICES_MAX = 16, ATTEMPTS_MAX = 1000, DURATIONS_MAX = 100000 };

struct values {
    struct cmd_source source;
    struct word_list devices, expect, formats;
    const char *database, *color, *progress, *flaky, *shard, *debugger;
    struct origin_given origin;
    struct option_limits timeout, retries;
    uint64_t seed, jobs, batch, slow, max_time, max_deaths, max_fail, repeat, shuffle, durations, search;
    bool failed_first, verbose, resume, force, no_expect, rerun_failed, only_new, profile;
};

/* The cases to run on one device, and the expectations for it. */
struct choice {
    struct plan plan; /* `cases` is owned unless it is that of the whole plan */
    uint64_t seed;
    uint64_t plan_hash; /* the hash of the plan before it was divided into shards */
    size_t all;         /* cases in all shards together */
    struct cmd_run_expect expect;
};

/* Returns the command line as it was given, for the database. */
static char *command_line(void)
{
    enum { MOST = 8192 };
    char *text = calloc(1, MOST);
    FILE *file = fopen("/proc/self/cmdline", "rb");
    size_t length = text && file ? fread(text, 1, MOST - 1, file) : 0;
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    if (file)
        fclose(file);
    return text;
}

static int run_check_limits(const char *option, const struct option_limits *limits, uint64_t least, uint64_t most,
                            const char *unit, struct error *error)
{
    bool good = limits->number >= least && limits->number <= most;
    for (size_t i = 0; i < limits->patterns.count; i++) {
        uint64_t number = options_limit(limits->patterns.items[i]);
        good &= number >= least && number <= most;
    }
    return good ? 0
                : error_set(error, EXIT_USAGE, "%s: expected %llu to %llu%s", option, (unsigned long long)least,
                            (unsigned long long)most, unit);
}

static int run_check_values(const struct values *v, struct error *error)
{
    if (v->devices.count == 0)
        return error_set(error, EXIT_USAGE,
                         "which device? -d NAME, as in `assay run -d reference`; "
                         "`assay devices` lists them");
    if (v->devices.count > DEVICES_MAX)
        return error_set(error, EXIT_USAGE, "at most %d devices in one run", DEVICES_MAX);
    if (v->jobs > RUNNER_JOBS_MAX)
        return error_set(error, EXIT_USAGE, "--jobs: expected 1 to %d, or auto", RUNNER_JOBS_MAX);
    if (v->debugger && v->jobs > 1)
        return error_set(error, EXIT_USAGE, "--debugger: expected one process, -j 1");
    if (v->batch > EXCHANGE_CASES)
        return error_set(error, EXIT_USAGE, "--batch: at most %d", EXCHANGE_CASES);
    int result = run_check_limits("--timeout", &v->timeout, 1, CMD_TIMEOUT_MAX, " seconds", error);
    if (result == 0)
        result = run_check_limits("--retries", &v->retries, 0, ATTEMPTS_MAX, "", error);
    if (result)
        return result;
    if (v->slow > CMD_TIMEOUT_MAX)
        return error_set(error, EXIT_USAGE, "--slow: expected at most %d seconds", CMD_TIMEOUT_MAX);
    if (v->max_time > 31536000)
        return error_set(error, EXIT_USAGE, "--max-time: expected at most 31536000 seconds, a year");
    if (v->search != CMD_RUN_SEARCH_DEFAULT && v->search > 31536000)
        return error_set(error, EXIT_USAGE, "--search: expected at most 31536000 seconds, a year");
    if (v->max_deaths > UINT32_MAX)
        return error_set(error, EXIT_USAGE, "--max-deaths: at most %u", UINT32_MAX);
    if (v->repeat > ATTEMPTS_MAX)
        return error_set(error, EXIT_USAGE, "--repeat: at most %d", ATTEMPTS_MAX);
    if (v->durations > DURATIONS_MAX)
        return error_set(error, EXIT_USAGE, "--durations: at most %d", DURATIONS_MAX);
    if ((v->retries.number || v->retries.patterns.count) && v->repeat)
        return error_set(error, EXIT_USAGE, "--retries and --repeat: expected one of them");
    if (choices_check("VERDICT", "--flaky", v->flaky, error))
        return EXIT_USAGE;
    if ((v->rerun_failed || v->only_new) && !v->database)
        return error_set(error, EXIT_USAGE, "--rerun-failed and --new need a database: --db FILE");
    if (v->failed_first && (!v->database || v->shuffle))
        return error_set(error, EXIT_USAGE,
                         v->shuffle ? "--failed-first and --shuffle: expected one of them"
                                    : "--failed-first needs a database: --db FILE");
    for (size_t i = 0; i < v->devices.count && result == 0; i++) {
        char path[PATHS_SIZE];
        result = plugin_find(v->devices.items[i], path, error);
    }
    return result;
}

static void warn_of_twins(const struct word_list *devices)
{
    for (size_t i = 1; i < devices->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(devices->items[i], devices->items[j]) == 0)
                fprintf(stderr, "assay: device '%s' is given twice: its results cannot be told apart\n",
                        devices->items[i]);
}

/* Parses "2/3", the second of three shards; null gives 0 and 0, no shard. EXIT_USAGE: anything else. */
static int parse_shard(const char *text, unsigned *shard, unsigned *shards, struct error *error)
{
    enum { MOST = 100000, DIGITS = 6 };
    char *end = NULL;
    *shard = *shards = 0;
    if (!text)
        return 0;
    if (strlen(text) <= 2 * DIGITS + 1 && strspn(text, "0123456789/") == strlen(text)) {
        *shard = (unsigned)strtoul(text, &end, 10);
        *shards = *end == '/' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
    }
    if (end && *end == '\0' && *shard >= 1 && *shard <= *shards && *shards <= MOST)
        return 0;
    return error_set(error, EXIT_USAGE, "--shard: expected M/N, as 2/3 for the second of three, not '%s'", text);
}

/* Checks the files: an output must not be a file that is read, or another output. */
static int run_check_files(const struct values *v, struct error *error)
{
    struct fileuse files = {0};
    for (size_t i = 0; i < v->devices.count; i++)
        fileuse_add_device(&files, v->devices.items[i]);
    for (size_t i = 0; i < v->expect.count; i++)
        fileuse_add(&files, FILEUSE_INPUT, "--expect", v->expect.items[i]);
    fileuse_add_plan(&files, v->source.specs, &v->source.cases);
    fileuse_add(&files, FILEUSE_STORE, "--db", v->database);
    reporters_add_files(&v->formats, &files);
    return fileuse_check(&files, error);
}

static void add_total(struct runner_total *all, const struct runner_total *one)
{
    record_add_total(&all->records, &one->records);
    all->unexplained += one->unexplained;
    all->interrupted |= one->interrupted;
    if (*one->opening)
        memcpy(all->opening, one->opening, sizeof all->opening);
    if (*one->closing)
        memcpy(all->closing, one->closing, sizeof all->closing);
}

/* Chooses the cases that each device runs, and counts them in `planned`. */
static int run_choose(const struct values *v, const struct session_config *on, struct choice *choices,
                      uint64_t *planned, struct error *error)
{
    const struct plan *plan = on->runner.plan;
    size_t all = 0;
    const struct choose_wanted wanted = {.database = v->database,
                                         .failed = v->rerun_failed,
                                         .fresh = v->only_new,
                                         .failed_first = v->failed_first,
                                         .before = on->store ? store_resumed_run(on->store) : 0,
                                         .shard = on->shard,
                                         .shards = on->shards};
    int result = 0;
    for (size_t i = 0; i < v->devices.count && result == 0; i++) {
        struct choice *c = &choices[i];
        c->seed = v->seed;
        result =
            choose_wanted_cases(&wanted, plan, v->devices.items[i], &c->plan, &c->plan_hash, &c->all, &c->seed, error);
        *planned += c->plan.count;
        all += c->all;
    }
    if (result == 0 && all == 0) {
        const char *fails = v->rerun_failed ? " fails in the current state" : "", *new = "";
        if (v->only_new)
            new = v->rerun_failed ? " or is new" : " is new";
        return error_set(error, EXIT_NO_MATCH, "%s: no such case%s%s", v->database, fails, new);
    }
    if (result == 0 && *planned == 0)
        fprintf(stderr, "assay: shard %u/%u has no cases\n", on->shard, on->shards);
    return result;
}

/* Returns true if the device is to be run. A shard without cases is run if other shards have some: `assay merge` then
 * finds it. */
static bool run_is_to_run(const struct choice *choice)
{
    return choice->all > 0;
}

/* Ends the prestarted worker, which has opened the first device: other devices cannot use it. */
static void end_ahead(struct session_config *on)
{
    runner_prestarted_free(on->runner.prestarted);
    on->runner.prestarted = NULL;
}

/* Prints about the device when its cases have ended; `seen_context` has the slowest ones. */
static void print_ended(const struct session_config *on, const struct runner_total *total)
{
    cmd_run_slowest_print(on->seen_context, on->runner.device);
    cmd_run_report(on, total);
}

static int run_on_device(const struct values *v, struct session_config *on, struct runner_total *total,
                         struct error *error)
{
    struct cmd_run_slowest slowest;
    uint32_t *timeouts = NULL, *retries = NULL;
    bool room = cmd_run_slowest_init(&slowest, (unsigned)v->durations);
    if (v->timeout.patterns.count > 0)
        room &= (timeouts = cmd_run_limits(&v->timeout, on->runner.plan, 1000)) != NULL;
    if (v->retries.number > 0 || v->retries.patterns.count > 0)
        room &= (retries = cmd_run_limits(&v->retries, on->runner.plan, 1)) != NULL;
    on->runner.timeouts_ms = timeouts;
    on->runner.retries = retries;
    on->seen_context = &slowest;
    int result = room ? session_run(on, total, error) : error_set(error, EXIT_HARNESS, "out of memory");
    cmd_run_slowest_free(&slowest);
    free(timeouts);
    free(retries);
    return result;
}

/* Runs the cases on each device. An interrupted run still goes on to the remaining devices, so that their cases are
 * recorded as incomplete. */
static int run_devices(const struct values *v, struct session_config *on, struct choice *choices,
                       struct cmd_run_end *end, struct error *error)
{
    int result = 0;
    struct runner_total one;
    on->whole = on->runner.plan;
    for (size_t i = 0; i < v->devices.count && result == 0; i++) {
        size_t stale = 0;
        if (!run_is_to_run(&choices[i])) {
            end_ahead(on);
            continue;
        }
        on->plan_hash = choices[i].plan_hash;
        on->runner.device = v->devices.items[i];
        on->runner.plan = &choices[i].plan;
        on->runner.seed = choices[i].seed;
        on->runner.expect = &choices[i].expect.expect;
        on->expect_sources = choices[i].expect.sources;
        result = run_on_device(v, on, &one, error);
        end_ahead(on);
        if (result == 0 && one.records.counts[STATUS_INCOMPLETE] == 0)
            result = cmd_run_expect_end(&choices[i].expect, v->devices.items[i], &v->source, &stale, error);
        end->stale += stale;
        add_total(&end->all, &one);
    }
    if (result == 0)
        result = end->status = runner_exit_status(&end->all);
    if (result == 0 && end->stale > 0)
        result = end->status = EXIT_FAILURES;
    return result;
}

/* Returns the stream on which the search prints: standard output beside the human format, otherwise standard error. */
static FILE *search_output(const struct word_list *formats)
{
    bool human = formats->count == 0;
    for (size_t i = 0; i < formats->count; i++)
        human |= strcmp(formats->items[i], "human") == 0;
    return human ? stdout : stderr;
}

/* Searches on each device that ran cases; adds the findings to the end of the run. The store must be closed. */
static int search_devices(const struct values *v, struct session_config *on, struct choice *choices,
                          bool whole_operators, struct cmd_run_end *end, struct error *error)
{
    uint64_t seconds = v->debugger ? 0 : cmd_run_search_seconds(v->search, whole_operators);
    int result = 0;
    for (size_t i = 0; i < v->devices.count && seconds > 0 && result == 0 && !runner_interrupted(); i++) {
        if (choices[i].plan.count == 0 || (on->runner.end_ns && clock_ns() + seconds * 1000000000u > on->runner.end_ns))
            continue;
        on->runner.device = v->devices.items[i];
        on->runner.plan = &choices[i].plan;
        on->runner.seed = choices[i].seed;
        on->runner.expect = &choices[i].expect.expect;
        result = cmd_run_search(on, seconds, search_output(&v->formats), end, error);
    }
    if (result == 0 && end->found > 0 && end->status != EXIT_INCOMPLETE)
        end->status = EXIT_FAILURES;
    return result ? result : end->status;
}

static int open_store(const struct values *v, struct session_config *on, const struct choice *choices,
                      struct error *error)
{
    unsigned runs = 0;
    char **words;
    size_t count;
    if (!v->database || on->store)
        return 0;
    for (size_t i = 0; i < v->devices.count; i++)
        runs += run_is_to_run(&choices[i]);
    int result = store_open(v->database, &on->store, error);
    if (result)
        return result;
    result = cmd_run_words(&words, &count, error);
    if (result == 0)
        result = store_begin_invocation(on->store, words, count, runs, error);
    cmd_run_free_words(words, count);
    return result;
}

/* Returns true if the run needs more than the next cases when it begins, or runs cases in another order. */
static bool needs_all_cases(const struct values *v)
{
    return v->shard || v->rerun_failed || v->only_new || v->failed_first || v->shuffle ||
           v->timeout.patterns.count + v->retries.patterns.count > 0;
}

/* Runs the cases on all devices. Ends `prestarted`. Takes the store from `resumed`, which may be null. */
static int cmd_run_execute(const struct values *v, const struct word_list *filters, const struct cmd_plan *plan,
                           struct sandbox *sandbox, struct runner_prestarted *prestarted, char *const *debugger,
                           struct cmd_run_resumed *resumed, struct error *error)
{
    int result = 0;
    char *line = command_line();
    struct pool texts = {0};
    struct choice choices[DEVICES_MAX] = {0};
    struct reporters reporters = {0};
    uint64_t planned = 0;
    struct cmd_run_end end = {.database = v->database ? v->database : ""};
    struct session_config on = {.runner = {.plan = &plan->plan,
                                           .specs = &plan->specs,
                                           .specs_folder = plan->specs_folder,
                                           .sandbox = sandbox,
                                           .prestarted = prestarted,
                                           .debugger = debugger,
                                           .batch = (unsigned)v->batch,
                                           .timeout_ms = (unsigned)v->timeout.number * 1000,
                                           .slow_ms = (unsigned)v->slow * 1000,
                                           .max_deaths = (unsigned)v->max_deaths,
                                           .end_ns = v->max_time ? clock_ns() + v->max_time * 1000000000u : 0,
                                           .max_failures = v->max_fail,
                                           .repeat = (unsigned)v->repeat,
                                           .flaky_ok = strcmp(v->flaky, "ok") == 0,
                                           .profile = v->profile},
                                .reporters = &reporters,
                                .database = v->database ? v->database : "",
                                .command = line ? line : "",
                                .shuffle = v->shuffle,
                                .resumed = resumed != NULL,
                                .store = resumed ? resumed->store : NULL,
                                .scope = cmd_run_scope(&texts, &v->source, filters),
                                .origin = v->origin,
                                .seen = cmd_run_slowest_add,
                                .slow = cmd_run_say_slow,
                                .watch = cmd_run_answer,
                                .ended = print_ended};
    if (resumed)
        resumed->store = NULL;
    on.scope.purpose = v->rerun_failed ? "rerun" : NULL;
    on.scope.whole_plan &= !v->rerun_failed && !v->only_new;
    char options[CMD_REPRODUCE_OPTIONS];
    cmd_run_reproduce_options(&v->source, options);
    on.runner.reproduce_options = options;
    result = parse_shard(v->shard, &on.shard, &on.shards, error);
    if (result == 0 && (resumed || needs_all_cases(v)) && !plan_await(&plan->plan, plan->plan.count))
        result = plan_damaged(error);
    if (result == 0)
        result = run_choose(v, &on, choices, &planned, error);
    for (size_t i = 0; i < v->devices.count && result == 0; i++)
        result = cmd_run_expect_load(&choices[i].expect, v->devices.items[i], &v->expect, !v->no_expect, error);
    if (result == 0)
        result = reporters_open(&reporters, &v->formats, v->color, v->verbose, cmd_run_shows_live(), planned, error);
    if (result == 0)
        result = open_store(v, &on, choices, error);
    reporters.stored = on.store != NULL;
    on.runner.jobs = v->debugger ? 1 : runner_jobs(v->jobs, planned / v->devices.count);
    if (result == 0)
        result = run_devices(v, &on, choices, &end, error);
    end_ahead(&on);
    bool whole = error->status == EXIT_AS_EXPECTED;
    int stored = store_close(on.store, whole ? error : NULL);
    bool whole_operators = v->source.cases.count + v->source.exclude.count + v->source.case_lists.count == 0 &&
                           cmd_run_names_operators(filters, &plan->specs) && !v->rerun_failed && !v->only_new &&
                           v->max_fail == 0;
    if (whole && !stored)
        result = search_devices(v, &on, choices, whole_operators, &end, error);
    whole = (whole && stored) || error->status == EXIT_AS_EXPECTED; /* the verdict stands if only the database failed */
    char *conclusion = whole ? cmd_run_conclude(&end, &reporters) : NULL;
    int written = reporters_close(&reporters, whole ? NULL : error->text, error);
    for (size_t i = 0; i < DEVICES_MAX; i++) {
        cmd_run_expect_free(&choices[i].expect);
        if (choices[i].plan.cases != plan->plan.cases)
            free(choices[i].plan.cases);
    }
    pool_clear(&texts);
    free(conclusion);
    free(line);
    if (stored)
        return stored;
    return written ? written : result;
}

/* Starts a worker that opens the first device while the cases are planned. */
static struct runner_prestarted *prestart(const struct values *v, const struct cmd_plan *plan, struct sandbox *sandbox)
{
    const struct runner_config config = {.device = v->devices.items[0],
                                         .specs = &plan->specs,
                                         .specs_folder = plan->specs_folder,
                                         .sandbox = sandbox,
                                         .half = v->source.half,
                                         .repeat = (unsigned)v->repeat,
                                         .profile = v->profile};
    return runner_prestart(&config);
}

static int run_now(const struct values *v, const struct word_list *arguments, struct cmd_run_resumed *resumed,
                   struct error *error)
{
    struct cmd_plan plan;
    struct cmd_source source = v->source;
    struct sandbox *sandbox = NULL;
    wordexp_t debugger = {0};
    source.later = source.unread = true;
    int result = run_check_values(v, error);
    if (result == 0)
        result = run_check_files(v, error);
    if (result == 0)
        result = cmd_run_debugger(v->debugger, &debugger, error);
    if (result == 0)
        result = cmd_run_listen(v->progress, error);
    if (result == 0)
        result = cmd_sandbox(v->debugger ? &cmd_run_unrestricted : &v->source.allow, &sandbox, error);
    if (result) {
        wordfree(&debugger);
        return result;
    }
    static struct profile profile;
    if (v->profile)
        profile_start(&profile);
    warn_of_twins(&v->devices);
    runner_catch_signals();
    profile_enter(PROFILE_PLAN);
    runner_share_processors(v->debugger ? 1 : runner_jobs(v->jobs, UINT64_MAX));
    result = cmd_load_specs(&source, &plan, error);
    struct runner_prestarted *prestarted = result || v->debugger ? NULL : prestart(v, &plan, sandbox);
    if (result == 0)
        result = cmd_load_cases(&source, arguments, &plan, error);
    profile_enter(PROFILE_OTHER);
    if (result) {
        runner_prestarted_free(prestarted);
    } else {
        result = cmd_run_execute(v, arguments, &plan, sandbox, prestarted, v->debugger ? debugger.we_wordv : NULL,
                                 resumed, error);
        if (result == 0 && plan.plan.wrong > 0)
            result = EXIT_HARNESS;
        cmd_unload(&plan);
    }
    sandbox_free(sandbox);
    wordfree(&debugger);
    profile_enter(PROFILE_OTHER);
    if (v->profile && error->status == EXIT_AS_EXPECTED)
        cmd_run_print_profile("assay itself", &profile, profile_memory(getpid()));
    return result;
}

static int resume(const struct values *v, struct error *error)
{
    struct cmd_run_resumed resumed = {0};
    int result = cmd_run_resume(&cmd_run, v->database, v->force, &resumed, error);
    if (result == 0 && resumed.store)
        result = run_now(resumed.options.values, &resumed.options.positional, &resumed, error);
    else if (result == 0)
        fprintf(stderr, "assay: %s: nothing to resume: the run is complete\n", v->database);
    cmd_run_resume_end(&cmd_run, &resumed);
    return result;
}

static int cmd_run_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    if (v->resume && !v->database)
        return error_set(error, EXIT_USAGE, "--resume: which database? --db FILE");
    if (v->force && !v->resume)
        return error_set(error, EXIT_USAGE, "--force is for --resume");
    int result = run_check_files(v, error); /* the stored options are checked once they are known */
    if (result)
        return result;
    return v->resume ? resume(v, error) : run_now(v, arguments, NULL, error);
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_LIST, offsetof(struct values, devices), CMD_DEVICE_HELP " (repeatable)"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database), "add the results to this SQLite database"},
    {0, "resume", NULL, OPTION_FLAG, offsetof(struct values, resume),
     "finish the last run in --db that ended early, with the options that it had; limits given now replace its own"},
    {0, "force", NULL, OPTION_FLAG, offsetof(struct values, force),
     "with --resume: continue even if plan, seed, device, its file or the version of assay have changed"},
    {0, "rerun-failed", NULL, OPTION_FLAG, offsetof(struct values, rerun_failed),
     "only cases that fail in the device's current state in --db, or that its last run did not come to, with their "
     "seed"},
    {0, "new", NULL, OPTION_FLAG, offsetof(struct values, only_new),
     "only cases that no conformance run in --db has run"},
    {0, "failed-first", NULL, OPTION_FLAG, offsetof(struct values, failed_first),
     "run cases first that fail in the device's current state in --db"},
    {0, "label", "TEXT", OPTION_STRING, offsetof(struct values, origin.label), "a name for the run, stored with it"},
    {0, "revision", "TEXT", OPTION_STRING, offsetof(struct values, origin.revision),
     "the revision that the device was built from (from the environment in the usual CI systems)"},
    {0, "branch", "TEXT", OPTION_STRING, offsetof(struct values, origin.branch),
     "the branch of that revision (from the environment, too)"},
    {0, "shard", "M/N", OPTION_STRING, offsetof(struct values, shard),
     "only the M-th of N parts of the cases; `assay merge` makes one run of all parts"},
    {0, "format", "FORMAT[=FILE]", OPTION_LIST, offsetof(struct values, formats),
     "output format, with =FILE to write a file (repeatable; default: human)"},
    {'j', "jobs", "N", OPTION_AUTO, offsetof(struct values, jobs),
     "worker processes per device (default: auto, as many as there are processors, up to " CMD_TEXT(
         RUNNER_JOBS_AUTO) ")"},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of all tensor contents (default: 0)"},
    {0, "timeout", "[FILTER=]SECONDS", OPTION_LIMITS, offsetof(struct values, timeout),
     "time limit for one case " CMD_DEFAULT(RUNNER_TIMEOUT) ", or for cases that match FILTER (repeatable)"},
    {0, "slow", "SECONDS", OPTION_UINT, offsetof(struct values, slow),
     "mark cases that take longer as slow; 0 marks none " CMD_DEFAULT(SLOW)},
    {0, "max-time", "SECONDS", OPTION_UINT, offsetof(struct values, max_time),
     "time limit for the run; cases not run by then are incomplete (default: no limit)"},
    {0, "max-deaths", "N", OPTION_UINT, offsetof(struct values, max_deaths),
     "stop using a device after N cases in a row that crash or hang; 0: never " CMD_DEFAULT(DEATHS)},
    {0, "max-fail", "N", OPTION_UINT, offsetof(struct values, max_fail),
     "end the run on a device after N failures; the other cases are incomplete (default: 0, never)"},
    CMD_ALLOW_OPTION(struct values, source.allow),
    CMD_RUN_DEBUGGER_OPTION(struct values),
    CMD_HALF_OPTION(struct values, source.half),
    {0, "batch", "N", OPTION_UINT, offsetof(struct values, batch),
     "maximum number of cases per dispatch (default: 0, what the device asks for, or " CMD_TEXT(RUNNER_BATCH) ")"},
    {0, "expect", "FILE", OPTION_LIST, offsetof(struct values, expect),
     "known failures; `assay expect --help` describes the file (repeatable)"},
    {0, "no-expect", NULL, OPTION_FLAG, offsetof(struct values, no_expect),
     "ignore the expectation file NAME.expected beside a device"},
    {0, "retries", "[FILTER=]N", OPTION_LIMITS, offsetof(struct values, retries),
     "try a failed case again, alone, up to N times (default: 0), or those that match FILTER (repeatable)"},
    {0, "repeat", "N", OPTION_UINT, offsetof(struct values, repeat),
     "run every case N times; its outputs must be bit for bit the same each time (default: 0, once)"},
    {0, "flaky", "VERDICT", OPTION_STRING, offsetof(struct values, flaky),
     "whether a case whose attempts disagree makes the run fail (default: fail)"},
    {0, "shuffle", "SEED", OPTION_UINT, offsetof(struct values, shuffle),
     "run cases in a random order made from SEED; results stay in plan order (default: 0, plan order)"},
    {0, "durations", "N", OPTION_UINT, offsetof(struct values, durations), "print the N slowest cases of each device"},
    {0, "search", "SECONDS", OPTION_UINT, offsetof(struct values, search),
     "afterwards, search the operators that ran for descriptions that a device judges wrongly, as `assay fuzz` does; "
     "0: do not (default: 1 after a run of whole operators, otherwise 0)"},
    {'v', "verbose", NULL, OPTION_FLAG, offsetof(struct values, verbose),
     "print every failure in full (default: " CMD_TEXT(FORMAT_FAILURES) " of a device), and all other cases, too"},
    {0, "profile", NULL, OPTION_FLAG, offsetof(struct values, profile),
     "print the time and memory that the workers and assay itself used, by stage"},
    {0, "color", "WHEN", OPTION_STRING, offsetof(struct values, color), "when to use color (default: auto)"},
    CMD_PROGRESS_OPTION(struct values),
    CMD_KEEP_GOING_OPTION(struct values),
    CMD_SOURCE_OPTIONS(struct values),
    CMD_CHOICE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.flaky = "fail",
                                       .timeout.number = RUNNER_TIMEOUT,
                                       .slow = SLOW,
                                       .max_deaths = DEATHS,
                                       .search = CMD_RUN_SEARCH_DEFAULT};

const struct command cmd_run = {.name = "run",
                                .arguments = "[FILTER…] -d DEVICE",
                                .summary = "run cases on devices",
                                .examples = "assay run -d reference\n"
                                            "assay run -d reference -d vulkan --db results.db\n"
                                            "assay run -d ./mydevice.so --format tap >run.tap; prove -e cat run.tap\n"
                                            "assay run --resume --db results.db\n"
                                            "assay run --operator GATHER --level 3_0 -d vulkan:device=0 -j 2\n",
                                .notes = CMD_FILTER_NOTES,
                                .options = options,
                                .values_size = sizeof(struct values),
                                .defaults = &defaults,
                                .run = cmd_run_run};
