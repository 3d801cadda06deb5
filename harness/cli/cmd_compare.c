#include "harness/cli/cmd_compare.h"

#include "harness/run/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defaults: cases to print, and percent. */
#define LIMIT 20
#define EFFECT 10
#define RATE 5

struct values {
    struct cmd_source source;
    struct word_list devices;
    const char *database, *clock;
    bool time, slower_fails, json;
    uint64_t repeats, effect, rate, limit, seed, timeout;
};

/* ---- runs by name */

/* The name of a run: "DB#N", "DB", or a number if --db names the database. */
struct name {
    char path[PATHS_SIZE];
    int64_t run; /* its id; 0: the last run */
};

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static int parse_name(const char *word, const char *database, struct name *name, struct error *error)
{
    const char *mark = strrchr(word, '#'), *path = word, *number = NULL;
    size_t length = strlen(word);
    if (is_number(word)) {
        number = word;
    } else if (mark && is_number(mark + 1)) {
        number = mark + 1;
        length = (size_t)(mark - word);
    } else if (mark && !mark[1]) {
        return error_set(error, EXIT_USAGE, "'%s': expected the number of a run after #", word);
    }
    if (number == word || length == 0) {
        if (!database)
            return error_set(error, EXIT_USAGE, "'%s' names a run, but no database: add --db FILE", word);
        path = database;
        length = strlen(database);
    }
    if (length >= sizeof name->path || (number && strlen(number) > 18))
        return error_set(error, EXIT_USAGE, "'%s': too long for the name of a run", word);
    memcpy(name->path, path, length);
    name->path[length] = '\0';
    name->run = number ? strtoll(number, NULL, 10) : 0;
    if (number && name->run == 0)
        return error_set(error, EXIT_USAGE, "'%s': the first run of a database is 1", word);
    return 0;
}

/* Finds the run of that name. `device`, if not null, must be its device; if the name has no number, the last run of
 * that device is taken. */
static int compare_find_run(struct history *history, const struct name *name, const char *device,
                            struct history_run *run, struct error *error)
{
    if (name->run == 0)
        return history_last_run(history, device, 0, run, error);
    int result = history_run(history, name->run, run, error);
    if (result == 0 && device && strcmp(run->device, device) != 0)
        return error_set(error, EXIT_NO_MATCH, "%s: run %lld is of device %s, not %s", name->path, (long long)name->run,
                         run->device, device);
    return result;
}

/* The two sides of a comparison. */
struct sides {
    struct history *histories[2];
    struct history_run runs[2];
    bool alone[2];  /* the results of that run alone, not the state of its device */
    bool last_runs; /* the state before the second run with that after it, over the cases that this run ran */
};

/* Finds the run before the second one in its database: of the same device, or the last of another. */
static int compare_find_before(struct sides *sides, const char *device, struct error *error)
{
    const struct history_run *after = &sides->runs[1];
    if (device && strcmp(device, after->device) != 0)
        return history_last_run(sides->histories[0], device, 0, &sides->runs[0], error);
    sides->last_runs = true;
    return history_last_run(sides->histories[0], after->device, after->id, &sides->runs[0], error);
}

static int find_runs(const struct values *v, const struct word_list *words, struct sides *sides, struct error *error)
{
    struct name names[2] = {0};
    bool two = words->count > 1;
    const char *const *devices = v->devices.items;
    const char *of_before = v->devices.count > 0 ? devices[0] : NULL,
               *of_after = v->devices.count > 0 ? devices[v->devices.count - 1] : NULL;
    int result;
    if (words->count == 0 && !v->database)
        return error_set(error, EXIT_USAGE,
                         "compare takes two runs: `assay compare before.db after.db`, `assay compare "
                         "results.db#3 results.db#4`, or --db FILE: its last two runs");
    if (words->count == 0 && snprintf(names[1].path, PATHS_SIZE, "%s", v->database) >= PATHS_SIZE)
        return error_set(error, EXIT_USAGE, "--db: the path is too long");
    if (words->count > 0 && (result = parse_name(words->items[two], v->database, &names[1], error)))
        return result;
    names[0] = names[1];
    if (two && (result = parse_name(words->items[0], v->database, &names[0], error)))
        return result;
    if ((result = history_open(names[0].path, &sides->histories[0], error)) ||
        (result = history_open(names[1].path, &sides->histories[1], error)) ||
        (result = compare_find_run(sides->histories[1], &names[1], of_after, &sides->runs[1], error)))
        return result;
    if (!two)
        return compare_find_before(sides, v->devices.count > 1 ? of_before : NULL, error);
    for (int i = 0; i < 2; i++)
        sides->alone[i] = names[i].run != 0;
    return compare_find_run(sides->histories[0], &names[0], of_before, &sides->runs[0], error);
}

/* Returns true if the run counts in the state of its device. */
static bool compare_counts(const struct history_run *run)
{
    return run->planned > 0 && !run->half &&
           (strcmp(run->purpose, "conformance") == 0 || strcmp(run->purpose, "rerun") == 0);
}

static int read_side(struct changes_side *side, const struct sides *sides, int i, const char *const *patterns,
                     size_t count, enum changes_clock clock, struct error *error)
{
    struct history *history = sides->histories[i];
    const struct history_run *run = &sides->runs[i];
    if (sides->alone[i] || !compare_counts(run))
        return changes_read(side, history, run, patterns, count, clock, error);
    return changes_read_state(side, history, run, sides->last_runs ? HISTORY_RAN : HISTORY_ALL,
                              sides->last_runs && i == 0 ? sides->runs[1].id : 0, patterns, count, clock, error);
}

struct reading_failing {
    struct cmd_compare *compare;
    struct error *error;
};

static int compare_keep_failing(void *context, const struct history_failing *failing)
{
    struct reading_failing *reading = context;
    struct cmd_compare *compare = reading->compare;
    struct pool *pool = &compare->after.pool;
    struct history_failing *more = realloc(compare->failing, (compare->failing_count + 1) * sizeof *more);
    if (!more)
        return error_set(reading->error, EXIT_HARNESS, "out of memory");
    compare->failing = more;
    more[compare->failing_count++] = (struct history_failing){.run = failing->run,
                                                              .cases = failing->cases,
                                                              .started = pool_string(pool, failing->started),
                                                              .revision = pool_string(pool, failing->revision),
                                                              .case_name = pool_string(pool, failing->case_name)};
    return 0;
}

/* Finds out since when the failures of the second run are there, if it has some. */
static int compare_read_failing(const struct sides *sides, struct cmd_compare *compare, struct error *error)
{
    struct reading_failing reading = {compare, error};
    bool fails = false;
    for (size_t i = 0; i < compare->after.count && !fails; i++)
        fails = compare->after.cases[i].bad;
    return fails ? history_failing(sides->histories[1], sides->runs[1].id, compare_keep_failing, &reading, error) : 0;
}

static int compare_read_runs(const struct values *v, const struct word_list *words, struct sides *sides,
                             struct cmd_compare *compare, struct error *error)
{
    size_t filters = words->count > 2 ? words->count - 2 : 0;
    const char *const *patterns = words->items + (words->count - filters);
    int result = find_runs(v, words, sides, error);
    if (result == 0)
        result = read_side(&compare->before, sides, 0, patterns, filters, compare->clock, error);
    if (result == 0)
        result = read_side(&compare->after, sides, 1, patterns, filters, compare->clock, error);
    if (result == 0 && filters == 0)
        result = compare_read_failing(sides, compare, error);
    if (result == 0 && compare->before.count + compare->after.count == 0)
        return error_set(error, EXIT_NO_MATCH, filters ? "no case of these runs matches" : "these runs have no cases");
    return result;
}

/* ---- figures of the comparison */

size_t cmd_compare_incomplete(const struct cmd_compare *compare)
{
    size_t count = 0;
    for (size_t i = 0; i < compare->after.count; i++)
        count += compare->after.cases[i].status == STATUS_INCOMPLETE;
    return count;
}

static int by_ratio(const void *a, const void *b)
{
    double x = (*(const struct change *const *)a)->timing.ratio, y = (*(const struct change *const *)b)->timing.ratio;
    return (x < y) - (x > y);
}

static int by_falling_ratio(const void *a, const void *b)
{
    return by_ratio(b, a);
}

const struct change **cmd_compare_by_ratio(const struct changes *changes, enum timing_verdict verdict)
{
    const struct change **found = calloc(changes->verdicts[verdict] + 1, sizeof *found);
    size_t count = 0;
    for (size_t i = 0; found && i < changes->count; i++)
        if (changes->items[i].timing.verdict == verdict)
            found[count++] = &changes->items[i];
    if (found)
        qsort(found, count, sizeof *found, verdict == TIMING_SLOWER ? by_ratio : by_falling_ratio);
    return found;
}

size_t cmd_compare_tested(const struct changes *changes)
{
    return changes->verdicts[TIMING_SAME] + changes->verdicts[TIMING_SLOWER] + changes->verdicts[TIMING_FASTER];
}

/* ---- the command */

static int compare_check_values(const struct values *v, struct cmd_compare *compare, struct error *error)
{
    if (v->clock && strcmp(v->clock, "host") != 0 && strcmp(v->clock, "device") != 0)
        return error_set(error, EXIT_USAGE, "--clock: expected host or device, not '%s'", v->clock);
    if (v->effect > 1000)
        return error_set(error, EXIT_USAGE, "--effect: expected 0 to 1000 percent");
    if (v->rate < 1 || v->rate > 50)
        return error_set(error, EXIT_USAGE, "--fdr: expected 1 to 50 percent");
    if (v->time && v->devices.count != 2)
        return error_set(error, EXIT_USAGE, "--time measures two devices: -d DEVICE -d DEVICE");
    if (v->devices.count > 2)
        return error_set(error, EXIT_USAGE, "two runs are compared: at most two devices");
    if (v->time && v->repeats != 0 && (v->repeats < TIMING_MIN_SAMPLES || v->repeats > COMPARE_REPEATS_MAX))
        return error_set(error, EXIT_USAGE, "--repeats: expected %d to %d", TIMING_MIN_SAMPLES, COMPARE_REPEATS_MAX);
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    compare->limits = (struct timing_limits){.effect = (double)v->effect / 100, .rate = (double)v->rate / 100};
    compare->clock = v->clock && strcmp(v->clock, "device") == 0 ? CLOCK_DEVICE : CLOCK_HOST;
    compare->limit = v->limit == 0 ? SIZE_MAX : (size_t)v->limit;
    if (v->limit == UINT64_MAX)
        compare->limit = v->json ? SIZE_MAX : LIMIT;
    return 0;
}

static int compare_show(const struct values *v, struct cmd_compare *compare, int measured, struct error *error)
{
    const struct changes *changes = &compare->changes;
    int result = changes_make(&compare->changes, &compare->before, &compare->after, &compare->limits, error);
    if (result)
        return result;
    (v->json ? cmd_compare_json : cmd_compare_print)(compare);
    if (measured)
        return measured;
    if (changes->kinds[CHANGE_REGRESSION] > 0 || (v->slower_fails && changes_any(changes, TIMING_SLOWER)))
        return EXIT_FAILURES;
    if (changes_in_both(changes) == 0)
        return error_set(error, EXIT_NO_MATCH, "no case is in both runs");
    if (cmd_compare_incomplete(compare) > 0 || strcmp(compare->after.run.state, "complete") != 0)
        return error_set(error, EXIT_INCOMPLETE, "the second run is not complete");
    return 0;
}

static int cmd_compare_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_compare compare = {0};
    struct sides sides = {0};
    int measured = 0, result = compare_check_values(v, &compare, error);
    if (result)
        return result;
    if (v->time) {
        struct cmd_compare_session session = {.source = &v->source,
                                              .filters = arguments,
                                              .devices = {v->devices.items[0], v->devices.items[1]},
                                              .database = v->database,
                                              .seed = v->seed,
                                              .repeats = v->repeats ? (unsigned)v->repeats : COMPARE_REPEATS,
                                              .timeout_ms = (unsigned)v->timeout * 1000};
        measured = cmd_compare_time(&session, &compare, error);
        result = measured == EXIT_INCOMPLETE && compare.after.count > 0 ? 0 : measured;
    } else {
        result = compare_read_runs(v, arguments, &sides, &compare, error);
    }
    if (result == 0)
        result = compare_show(v, &compare, measured, error);
    free(compare.failing);
    changes_free(&compare.changes);
    changes_side_free(&compare.before);
    changes_side_free(&compare.after);
    history_close(sides.histories[0]);
    history_close(sides.histories[1]);
    return result;
}

static const struct option options[] = {
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database),
     "the database in which A and B are run numbers; with --time: store runs and samples in it"},
    {'d', "device", "DEVICE", OPTION_LIST, offsetof(struct values, devices),
     "where no number is given: the state of this device; twice: of A, of B"},
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print one JSON object"},
    {0, "limit", "N", OPTION_UINT, offsetof(struct values, limit),
     "maximum number of cases to print of each kind; 0: all (default: " CMD_TEXT(LIMIT) "; with --json all)"},
    {0, "slower-fails", NULL, OPTION_FLAG, offsetof(struct values, slower_fails),
     "exit with status 1 if a case is slower, too"},
    {0, "effect", "PERCENT", OPTION_UINT, offsetof(struct values, effect),
     "ignore differences in time below this " CMD_DEFAULT(EFFECT)},
    {0, "fdr", "PERCENT", OPTION_UINT, offsetof(struct values, rate),
     "false discovery rate: accepted share of false ones among the cases reported as slower or faster " CMD_DEFAULT(
         RATE)},
    {0, "clock", "NAME", OPTION_STRING, offsetof(struct values, clock),
     "host: the time of all calls of a case; device: that of its dispatch, by the device's clock (default: host)"},
    {0, "time", NULL, OPTION_FLAG, offsetof(struct values, time), "measure two devices now, in turns"},
    {0, "repeats", "N", OPTION_UINT, offsetof(struct values, repeats),
     "with --time: samples per case and device " CMD_DEFAULT(COMPARE_REPEATS)},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed),
     "with --time: seed of all tensor contents (default: 0)"},
    CMD_TIMEOUT_OPTION(struct values, "with --time: time limit for one case"),
    CMD_ALLOW_OPTION(struct values, source.allow),
    CMD_HALF_OPTION(struct values, source.half),
    CMD_SOURCE_OPTIONS(struct values),
    CMD_CHOICE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.effect = EFFECT, .rate = RATE, .limit = UINT64_MAX, .timeout = RUNNER_TIMEOUT};

const struct command cmd_compare = {
    .name = "compare",
    .arguments = "[A] [B] [FILTER…]",
    .summary = "compare two runs: regressions, fixes, times",
    .examples = "assay compare results.db\n"
                "assay compare before.db after.db --json\n"
                "assay compare --db results.db 3 5 'gather_nd.*'\n"
                "assay compare results.db -d reference -d vulkan\n"
                "assay compare --time -d ./old.so -d ./new.so gather --db times.db\n",
    .notes =
        "A and B are FILE, the current state of a device in a database: the newest conformance verdict on each "
        "case; or FILE#N, the results of run N alone; with --db, N. With one of them or none, the state before "
        "the last run is compared with the state after it, over the cases that this run ran.\n\n"
        "A case that did not fail and now fails or is flaky is a regression: exit status 1. Times are compared only "
        "where a case has 5 samples or more on both sides; an ordinary run has one. --time takes them: it "
        "runs the cases that pass on both devices again and again, one device after the other, each case "
        "alone.\n",
    .options = options,
    .flag = "time",
    .flagged = " repeats seed timeout operator level tier specs cases allow half ",
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = cmd_compare_run};
