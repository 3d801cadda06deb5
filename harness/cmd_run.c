#include "harness/cmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES_MOST = 16 };

struct values {
    struct cmd_source source;
    struct option_list devices;
    struct option_list formats;
    const char *database, *color;
    uint64_t seed, jobs, batch, timeout;
    bool verbose;
};

/* The command line as it was given, for the database. */
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

static int check_values(const struct values *v, struct error *error)
{
    if (v->devices.count == 0)
        return error_set(error, EXIT_USAGE,
                         "which device? -d NAME, as in `assay run -d reference`; "
                         "`assay devices` lists them");
    if (v->devices.count > DEVICES_MOST)
        return error_set(error, EXIT_USAGE, "at most %d devices in one run", DEVICES_MOST);
    if (v->jobs < 1 || v->jobs > 64)
        return error_set(error, EXIT_USAGE, "--jobs: expected 1 to 64");
    if (v->batch > 256)
        return error_set(error, EXIT_USAGE, "--batch: at most 256");
    if (v->timeout == 0 || v->timeout > 86400)
        return error_set(error, EXIT_USAGE, "--timeout: expected 1 to 86400 seconds");
    for (size_t i = 0; i < v->devices.count; i++) {
        char name[PATHS_SIZE], path[PATHS_SIZE];
        size_t length = strcspn(v->devices.items[i], ":");
        snprintf(name, sizeof name, "%.*s", (int)length, v->devices.items[i]);
        int result = paths_device(name, path, error);
        if (result)
            return result;
    }
    return 0;
}

static void add_total(struct runner_total *all, const struct runner_total *one)
{
    for (int status = 0; status < STATUS_COUNT; status++)
        all->counts[status] += one->counts[status];
    all->unexplained += one->unexplained;
    all->interrupted |= one->interrupted;
    if (*one->closing)
        memcpy(all->closing, one->closing, sizeof all->closing);
}

/* A run that is interrupted goes on to the other devices: their cases are said to be incomplete, too. */
static int run_devices(const struct values *v, const struct cmd_run_on *on, struct error *error)
{
    int result = 0;
    struct runner_total all = {0}, one;
    for (size_t i = 0; i < v->devices.count && result == 0; i++) {
        result = cmd_run_on(on, v->devices.items[i], &one, error);
        add_total(&all, &one);
    }
    return result ? result : cmd_run_status(&all);
}

static int run_plan(const struct values *v, const struct cmd_plan *plan, struct error *error)
{
    int result = 0;
    char *line = command_line();
    struct outputs outputs;
    struct cmd_run_on on = {.plan = plan,
                            .outputs = &outputs,
                            .database = v->database ? v->database : "",
                            .command = line ? line : "",
                            .seed = v->seed,
                            .jobs = (unsigned)v->jobs,
                            .batch = (unsigned)v->batch,
                            .timeout_ms = (unsigned)v->timeout * 1000};
    char options[2 * PATHS_SIZE + 32] = "";
    if (v->source.specs)
        snprintf(options, sizeof options, " --specs '%s'", v->source.specs);
    if (v->source.cases)
        snprintf(options + strlen(options), sizeof options - strlen(options), " --cases '%s'", v->source.cases);
    on.reproduce_options = options;
    result = outputs_open(&outputs, &v->formats, v->color, v->verbose, plan->plan.count * v->devices.count, error);
    if (result == 0 && v->database)
        result = store_open(v->database, &on.store, error);
    if (result == 0)
        result = run_devices(v, &on, error);
    bool whole = error->status == EXIT_AS_EXPECTED;
    int stored = store_close(on.store, whole ? error : NULL);
    int written = outputs_close(&outputs, whole ? NULL : error->text, error);
    free(line);
    return stored ? stored : written ? written : result;
}

static int run(const void *values, const struct option_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_plan plan;
    int result = check_values(v, error);
    if (result)
        return result;
    cmd_catch_signals();
    result = cmd_load(&v->source, arguments, &plan, error);
    if (result)
        return result;
    result = run_plan(v, &plan, error);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_LIST, offsetof(struct values, devices),
     "shipped name or path of a plugin, with :ARGUMENTS (repeatable)"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database), "add the results to this SQLite database"},
    {0, "format", "FORMAT[=FILE]", OPTION_LIST, offsetof(struct values, formats),
     "how to print results, and where (repeatable; usually human)"},
    {'j', "jobs", "N", OPTION_UINT, offsetof(struct values, jobs), "worker processes for a device (1)"},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of all tensor contents (0)"},
    {0, "timeout", "SECONDS", OPTION_UINT, offsetof(struct values, timeout), "limit for one case (10)"},
    {0, "batch", "N", OPTION_UINT, offsetof(struct values, batch), "most cases per dispatch (as the device likes)"},
    {'v', "verbose", NULL, OPTION_FLAG, offsetof(struct values, verbose), "print what passed, too"},
    {0, "color", "WHEN", OPTION_STRING, offsetof(struct values, color), "when to color (auto)"},
    CMD_SOURCE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.jobs = 1, .timeout = 10};

const struct command cmd_run = {.name = "run",
                                .arguments = "[FILTER…] -d DEVICE",
                                .summary = "run cases on devices",
                                .examples = "assay run -d reference\n"
                                            "assay run -d reference -d vulkan --db results.db\n"
                                            "assay run 'gather_nd.*' -d ./mydevice.so --format tap | prove -e cat -\n"
                                            "assay run --operator GATHER --level 3_0 -d vulkan:device=0 -j 2\n",
                                .notes = "A FILTER is the name of a case, the front part of one up to a dot, or a\n"
                                         "pattern with * and ?. A case is wanted if any FILTER matches it; --operator\n"
                                         "and --level narrow that down.\n",
                                .options = options,
                                .values_size = sizeof(struct values),
                                .defaults = &defaults,
                                .run = run};
