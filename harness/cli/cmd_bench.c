#include "harness/cli/cmd_bench.h"

#include "harness/base/fileuse.h"

#include <stdio.h>
#include <stdlib.h>

/* Defaults: seconds for a case, the MiB of the largest copy, seconds for a round. */
#define SECONDS 1
#define COPY_MAX 256
#define TIMEOUT 60

struct values {
    struct cmd_source source;
    struct word_list devices;
    struct origin_given origin;
    const char *database;
    bool json;
    uint64_t seconds, copy, seed, timeout;
};

static int bench_check_values(const struct values *v, struct error *error)
{
    if (v->devices.count == 0)
        return error_set(error, EXIT_USAGE, "which device? -d NAME; `assay devices` lists them");
    if (v->seconds > 3600)
        return error_set(error, EXIT_USAGE, "--seconds: expected 0 to 3600");
    if (v->copy > COPY_MAX)
        return error_set(error, EXIT_USAGE, "--copy: expected 0 to %d MiB", COPY_MAX);
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    return 0;
}

/* The shipped case files beside the usual strategies. */
static int bench_find_file(const char *name, char path[PATHS_SIZE], struct error *error)
{
    char folder[PATHS_SIZE];
    int result = paths_cases(NULL, folder, error);
    if (result == 0 && snprintf(path, PATHS_SIZE, "%s/bench/%s.json", folder, name) >= PATHS_SIZE)
        result = error_set(error, EXIT_HARNESS, "the path of the folder of cases is too long");
    return result;
}

/* Loads the cases: by default the shipped shapes, and with a filter those of every strategy, too. */
static int bench_load(const struct values *v, const struct word_list *filters, struct cmd_source *source,
                      struct cmd_plan *plan, struct error *error)
{
    static char shapes[PATHS_SIZE], usual[PATHS_SIZE];
    static const char *paths[] = {shapes, usual};
    int result = bench_find_file("transformer", shapes, error);
    if (result == 0)
        result = paths_cases(NULL, usual, error);
    *source = v->source;
    if (source->cases.count == 0) {
        bool whole = filters->count == 0 && source->case_lists.count == 0 && !source->tier;
        source->cases = (struct word_list){.items = paths, .count = whole ? 1 : 2};
    }
    return result ? result : cmd_load(source, filters, plan, error);
}

/* Loads the copies, if any is to be made. */
static int load_copies(const struct values *v, struct cmd_plan *copies, struct error *error)
{
    char path[PATHS_SIZE];
    const char *items[] = {path};
    const struct cmd_source source = {.specs = v->source.specs, .cases = {.items = items, .count = 1}};
    *copies = (struct cmd_plan){0};
    if (v->copy == 0)
        return 0;
    int result = bench_find_file("copy", path, error);
    return result ? result : cmd_load(&source, &(struct word_list){0}, copies, error);
}

static int bench_measure(const struct values *v, struct cmd_bench *bench, struct error *error)
{
    struct cmd_bench_result *results = calloc(v->devices.count, sizeof *results);
    struct runner_total total = {0};
    int result = results ? 0 : error_set(error, EXIT_HARNESS, "out of memory for the results");
    for (size_t i = 0; i < v->devices.count && result == 0 && !runner_interrupted(); i++) {
        result = cmd_bench_on(bench, v->devices.items[i], &results[i], error);
        record_add_total(&total.records, &results[i].total.records);
        total.interrupted |= results[i].total.interrupted;
    }
    if (result == 0 && v->json)
        cmd_bench_json(bench, results, v->devices.count);
    for (size_t i = 0; results && i < v->devices.count; i++)
        cmd_bench_free(&results[i]);
    free(results);
    return result ? result : runner_exit_status(&total);
}

/* The files that the command reads and writes. */
static int bench_check_files(const struct values *v, const struct cmd_source *source, struct error *error)
{
    struct fileuse files = {0};
    for (size_t i = 0; i < v->devices.count; i++)
        fileuse_add_device(&files, v->devices.items[i]);
    fileuse_add_plan(&files, source->specs, &source->cases);
    fileuse_add(&files, FILEUSE_STORE, "--db", v->database);
    return fileuse_check(&files, error);
}

/* Measures with a database, if there is to be one. */
static int measure_and_store(const struct values *v, const struct word_list *filters, struct cmd_bench *bench,
                             struct error *error)
{
    struct pool texts = {0};
    bench->scope = cmd_run_scope(&texts, bench->source, filters);
    bench->scope.purpose = "bench";
    bench->origin = v->origin;
    int result = v->database ? store_open(v->database, &bench->store, error) : 0;
    if (result == 0)
        result = bench_measure(v, bench, error);
    int closed = store_close(bench->store, error);
    pool_clear(&texts);
    return result ? result : closed;
}

static int cmd_bench_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_source source;
    struct cmd_plan plan, copies;
    char options[CMD_REPRODUCE_OPTIONS];
    struct cmd_bench bench = {.source = &source,
                              .plan = &plan,
                              .copies = &copies,
                              .reproduce_options = options,
                              .json = v->json,
                              .seed = v->seed,
                              .copy_bytes = v->copy << 20,
                              .measure_ms = v->seconds > 0 ? (unsigned)v->seconds * 1000 : 1,
                              .timeout_ms = (unsigned)v->timeout * 1000};
    int result = bench_check_values(v, error);
    if (result == 0)
        result = bench_load(v, arguments, &source, &plan, error);
    if (result)
        return result;
    cmd_run_reproduce_options(&source, options);
    result = bench_check_files(v, &source, error);
    if (result == 0)
        result = load_copies(v, &copies, error);
    if (result == 0) {
        runner_catch_signals();
        result = cmd_sandbox(&source.allow, &bench.sandbox, error);
        if (result == 0)
            result = measure_and_store(v, arguments, &bench, error);
        sandbox_free(bench.sandbox);
        cmd_unload(&copies);
    }
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_LIST, offsetof(struct values, devices), CMD_DEVICE_HELP " (repeatable)"},
    {0, "seconds", "N", OPTION_UINT, offsetof(struct values, seconds),
     "measure each case for so long; 0: as shortly as possible " CMD_DEFAULT(SECONDS)},
    {0, "copy", "MIB", OPTION_UINT, offsetof(struct values, copy),
     "size of the copy to compare with, at most; 0: make none " CMD_DEFAULT(COPY_MAX)},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database),
     "add results and samples to this SQLite database, as a run of its own for each device"},
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print one JSON object"},
    {0, "label", "TEXT", OPTION_STRING, offsetof(struct values, origin.label), "a name for the run, stored with it"},
    {0, "revision", "TEXT", OPTION_STRING, offsetof(struct values, origin.revision),
     "the revision that the device was built from (from the environment in the usual CI systems)"},
    {0, "branch", "TEXT", OPTION_STRING, offsetof(struct values, origin.branch),
     "the branch of that revision (from the environment, too)"},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of all tensor contents (default: 0)"},
    {0, "timeout", "SECONDS", OPTION_UINT, offsetof(struct values, timeout),
     "time limit for one round of runs " CMD_DEFAULT(TIMEOUT)},
    CMD_ALLOW_OPTION(struct values, source.allow),
    CMD_HALF_OPTION(struct values, source.half),
    CMD_SOURCE_OPTIONS(struct values),
    CMD_CHOICE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.seconds = SECONDS, .copy = COPY_MAX, .timeout = TIMEOUT};

const struct command cmd_bench = {
    .name = "bench",
    .arguments = "[FILTER…] -d DEVICE",
    .summary = "measure how long operators take on a device",
    .examples = "assay bench -d reference\n"
                "assay bench -d vulkan 'llm.*softmax' --seconds 5\n"
                "assay bench -d vulkan --cases mine.json\n"
                "assay bench -d ./old.so -d ./new.so --db bench.db\n"
                "assay compare bench.db#1 bench.db#2 --clock device --slower-fails\n",
    .notes =
        "Without --cases and FILTER, the cases are shapes of well-known models. Each case is judged like any other, "
        "but its compiled operator runs again and again on tensors that stay in place: first until the time of a run "
        "is steady, then for the samples. A sample is a round of runs of about 10 ms: by the device's clock their "
        "median, by the host's clock their mean. A device that has no function measure() is measured `by dispatch`, "
        "which moves the tensors each time.\n\n"
        "`device` and `host` are medians by the two clocks. `spread` is half the distance of the quartiles; outliers "
        "are further outside of them than 1.5 times their distance; both of the device's clock if it has one. `moved` "
        "counts the bytes of each tensor once; a tensor that indices select from counts no more than the largest "
        "output. "
        "`of copy` compares the GB/s with those of a copy of the largest tensor of 256, 128, 16 or 1 MiB that --copy "
        "and the device allow.\n\n" CMD_FILTER_NOTES,
    .options = options,
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = cmd_bench_run};
