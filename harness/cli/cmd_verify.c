#include "harness/cli/cmd_run.h"
#include "harness/exchange/export.h"
#include "harness/exchange/recorded.h"
#include "harness/base/fileuse.h"

#include <stdio.h>
#include <unistd.h>

struct values {
    const char *specs, *database, *color, *level;
    struct word_list formats;
    bool quiet, half;
};

static int verify_judge(const struct values *v, const char *folder, const struct cmd_plan *plan, struct error *error)
{
    char device[PATHS_SIZE + 32], options[CMD_REPRODUCE_OPTIONS], file[PATHS_SIZE + 16];
    struct runner_total total;
    struct reporters reporters;
    struct store *store = NULL;
    struct sandbox *sandbox;
    int result = cmd_sandbox(&(struct word_list){0}, &sandbox, error);
    if (result)
        return result;
    result = reporters_open(&reporters, &v->formats, v->color, true, isatty(STDERR_FILENO), plan->plan.count, error);
    struct session_config on = {.runner = {.plan = &plan->plan,
                                           .specs = &plan->specs,
                                           .specs_folder = plan->specs_folder,
                                           .device = device,
                                           .reproduce_options = options,
                                           .sandbox = sandbox,
                                           .jobs = 1,
                                           .dump = v->formats.count == 0 && !v->quiet,
                                           .batch = 1,
                                           .timeout_ms = 60000},
                                .reporters = &reporters,
                                .database = v->database ? v->database : "",
                                .command = "assay verify",
                                .scope = {.half = v->half},
                                CMD_RUN_PRINTING};
    snprintf(device, sizeof device, "recorded:%s%s%s%s", v->level ? "level=" : "", v->level ? v->level : "",
             v->level ? "," : "", folder);
    snprintf(file, sizeof file, "%s/" EXPORT_CASE, folder);
    const char *cases = file;
    const struct cmd_source source = {.specs = v->specs, .cases = {.items = &cases, .count = 1}, .half = v->half};
    cmd_run_reproduce_options(&source, options);
    if (result == 0 && v->database)
        result = store_open(v->database, &store, error);
    on.store = store;
    if (result == 0)
        result = session_run(&on, &total, error);
    sandbox_free(sandbox);
    int stored = store_close(store, result == 0 ? error : NULL);
    int closed = reporters_close(&reporters, result ? error->text : NULL, error);
    if (result == 0)
        result = stored ? stored : closed;
    return result ? result : runner_exit_status(&total);
}

/* Runs the case of the folder on the device that repeats the recorded results, and judges it like any other. */
static int cmd_verify_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_plan plan;
    struct recorded recorded;
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "verify takes one folder, which `assay repro --export dxdispatch` wrote");
    if (v->level && !level_find(v->level))
        return error_set(error, EXIT_USAGE, "--level: expected a feature level, such as 5_0, not '%s'", v->level);
    struct fileuse files = {0};
    fileuse_add_plan(&files, v->specs, NULL);
    fileuse_add(&files, FILEUSE_INPUT, "FOLDER", arguments->items[0]);
    fileuse_add(&files, FILEUSE_STORE, "--db", v->database);
    reporters_add_files(&v->formats, &files);
    int result = fileuse_check(&files, error);
    if (result == 0)
        result = cmd_load_specs(&(struct cmd_source){.specs = v->specs}, &plan, error);
    if (result)
        return result;
    result = recorded_load(&recorded, arguments->items[0], &plan.specs, error);
    recorded.c.dispatch_twice = false; /* the recording has one dispatch */
    plan.plan.cases = &recorded.c;
    plan.plan.count = 1;
    if (result == 0)
        result = verify_judge(v, arguments->items[0], &plan, error);
    plan.plan = (struct plan){0};
    recorded_free(&recorded);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'l', "level", "LEVEL", OPTION_STRING, offsetof(struct values, level),
     "highest feature level of the recorded implementation (default: 6_4)"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database), "add the result to this SQLite database"},
    {0, "format", "FORMAT[=FILE]", OPTION_LIST, offsetof(struct values, formats),
     "output format, with =FILE to write a file (repeatable; default: human)"},
    {'q', "quiet", NULL, OPTION_FLAG, offsetof(struct values, quiet), "do not print the outputs, expected and got"},
    {0, "color", "WHEN", OPTION_STRING, offsetof(struct values, color), "when to use color (default: auto)"},
    CMD_HALF_OPTION(struct values, half),
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), CMD_SPECS_HELP},
    {0}};

const struct command cmd_verify = {.name = "verify",
                                   .arguments = "FOLDER",
                                   .summary = "judge results that DxDispatch recorded on Windows",
                                   .examples = "assay repro CASE --export dxdispatch folder\n"
                                               "assay verify folder\n",
                                   .notes = "FOLDER contains case.json, the .npy files of the outputs that DxDispatch\n"
                                            "wrote, and its printed output in dxdispatch.txt, which is required for\n"
                                            "cases that test only whether the operator is accepted.\n",
                                   .options = options,
                                   .values_size = sizeof(struct values),
                                   .run = cmd_verify_run};
