#include "harness/cli/choices.h"
#include "harness/cli/cmd_repro.h"
#include "harness/exchange/export.h"
#include "harness/base/fileuse.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    struct cmd_source source;
    const char *device, *export, *color, *debugger;
    struct word_list after;
    uint64_t seed, timeout;
    bool force, vary;
};

/* The options of the reproducing command besides the case, the device and the seed. */
static char *reproduce_options(const struct values *v)
{
    char common[CMD_REPRODUCE_OPTIONS], quoted[1024], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cmd_run_reproduce_options(&v->source, common);
    if (!out)
        return NULL;
    fputs(common, out);
    for (size_t i = 0; i < v->after.count; i++)
        fprintf(out, " --after %s", text_word(quoted, sizeof quoted, v->after.items[i]));
    return fclose(out) == 0 ? text : NULL;
}

enum { BROKEN_SIZE = 64 };

/* Notes the rule that the last case broke. */
static void repro_on_record(void *context, const struct record *record)
{
    snprintf(context, BROKEN_SIZE, "%s", record->broken);
}

/* Runs the cases of the plan, and prints their ends; then prints the last case, with the rule that the device broke. */
static int repro_run_cases(const struct values *v, const struct cmd_plan *plan, struct error *error)
{
    struct runner_total total;
    struct reporters reporters;
    struct sandbox *sandbox;
    char broken[BROKEN_SIZE] = "";
    char *options = reproduce_options(v);
    if (!options)
        return error_set(error, EXIT_HARNESS, "out of memory");
    wordexp_t debugger;
    int result = cmd_run_debugger(v->debugger, &debugger, error);
    if (result == 0)
        result = cmd_sandbox(v->debugger ? &cmd_run_unrestricted : &v->source.allow, &sandbox, error);
    if (result) {
        wordfree(&debugger);
        free(options);
        return result;
    }
    result = reporters_open(&reporters, &(struct word_list){0}, v->color, true, isatty(STDERR_FILENO), plan->plan.count,
                            error);
    struct session_config on = {.runner = {.plan = &plan->plan,
                                           .specs = &plan->specs,
                                           .specs_folder = plan->specs_folder,
                                           .device = v->device,
                                           .reproduce_options = options,
                                           .sandbox = sandbox,
                                           .debugger = v->debugger ? debugger.we_wordv : NULL,
                                           .seed = v->seed,
                                           .jobs = 1,
                                           .dump = true,
                                           .batch = 1,
                                           .timeout_ms = (unsigned)v->timeout * 1000},
                                .reporters = &reporters,
                                .database = "",
                                .command = "",
                                .scope = {.half = v->source.half},
                                .seen = repro_on_record,
                                .seen_context = broken,
                                CMD_RUN_PRINTING};
    if (result == 0)
        result = session_run(&on, &total, error);
    int closed = reporters_close(&reporters, result ? error->text : NULL, error);
    sandbox_free(sandbox);
    wordfree(&debugger);
    free(options);
    if (closed || result)
        return closed ? closed : result;
    const struct testcase *c = &plan->plan.cases[plan->plan.count - 1];
    putchar('\n');
    cmd_print_case(c, plan_case_seed(v->seed, c->name), broken);
    return runner_exit_status(&total);
}

/* Runs the cases of --after and then the case itself, one dispatch each, in one process: there is one worker. */
static int run_after(const struct values *v, const char *name, struct error *error)
{
    struct cmd_plan plan;
    struct testcase *cases = calloc(v->after.count + 1, sizeof *cases);
    int result = cases ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    if (result == 0)
        result = cmd_load(&v->source, &(struct word_list){0}, &plan, error);
    if (result) {
        free(cases);
        return result;
    }
    for (size_t i = 0; i <= v->after.count && result == 0; i++) {
        size_t index;
        result = cmd_find_case(&plan.plan, i < v->after.count ? v->after.items[i] : name, &index, error);
        if (result == 0)
            cases[i] = plan.plan.cases[index];
    }
    if (result == 0) {
        struct cmd_plan few = plan;
        few.plan.cases = cases;
        few.plan.count = v->after.count + 1;
        result = repro_run_cases(v, &few, error);
    }
    free(cases);
    cmd_unload(&plan);
    return result;
}

static int repro_vary(const struct values *v, const struct cmd_plan *plan, const struct testcase *c,
                      struct error *error)
{
    struct cmd_repro_run how = {
        .device = v->device, .seed = v->seed, .timeout_ms = (unsigned)v->timeout * 1000, .half = v->source.half};
    int result = cmd_sandbox(&v->source.allow, &how.sandbox, error);
    if (result == 0)
        result = cmd_repro_vary(&how, plan, c, error);
    sandbox_free(how.sandbox);
    return result;
}

/* A file that exists is overwritten only with --force, and never if it is one that is read. */
static int check_target(const struct values *v, const char *to, struct error *error)
{
    struct fileuse files = {0};
    struct stat status;
    fileuse_add_plan(&files, v->source.specs, &v->source.cases);
    fileuse_add(&files, FILEUSE_OUTPUT, "--export", to);
    int result = fileuse_check(&files, error);
    if (result == 0 && to && !v->force && stat(to, &status) == 0 && S_ISREG(status.st_mode))
        return error_set(error, EXIT_USAGE, "%s: exists already; --force overwrites it", to);
    return result;
}

static int export_calls(const struct values *v, const struct testcase *c, const struct spec_set *specs, const char *to,
                        struct error *error)
{
    const bool is_interface = spec_is_interface(c->spec);
    if (strcmp(v->export, "c") == 0 && is_interface)
        return export_sequence_c(c, specs, plan_case_seed(v->seed, c->name), to, error);
    return error_set(error, EXIT_USAGE, "%s: a sequence of calls can be exported only as C%s", c->name,
                     is_interface ? "" : ", and only if it is of the interface");
}

static int export_as(const char *format, const struct export *export, const struct spec_set *specs, const char *to,
                     struct error *error)
{
    if (strcmp(format, "dxdispatch") == 0)
        return export_dxdispatch(export, specs, to, error);
    if (strcmp(format, "json") == 0)
        return export_json(export, specs, to, error);
    return export_c(export, to, error);
}

/* Exports the case to `to`, a file or folder; null: standard output. */
static int export_case(const struct values *v, const char *name, const char *to, struct error *error)
{
    const struct testcase *c;
    struct cmd_plan plan;
    struct export export;
    bool folder = strcmp(v->export, "dxdispatch") == 0;
    if (choices_check("EXPORT", "--export", v->export, error))
        return EXIT_USAGE;
    if (folder && !to)
        return error_set(error, EXIT_USAGE,
                         "--export dxdispatch takes the name of a new folder after that of the case");
    if (v->source.half && !folder) /* a C file compares bits, and a case file says nothing of how it is run */
        return error_set(error, EXIT_USAGE, "--half: only the export dxdispatch can ask for half precision");
    int result = check_target(v, to, error);
    if (result == 0)
        result = cmd_load_case(&v->source, name, &plan, &c, error);
    if (result)
        return result;
    if (c->lifecycle.kind) {
        result = export_calls(v, c, &plan.specs, to, error);
        cmd_unload(&plan);
        return result;
    }
    if (c->tolerance.given && strcmp(v->export, "c") == 0) {
        result = error_set(error, EXIT_USAGE,
                           "%s: the case file gives a tolerance, which a C file does not express; export it as json",
                           c->name);
        cmd_unload(&plan);
        return result;
    }
    result = export_make(&export, c, plan_case_seed(v->seed, c->name), error);
    export.half = v->source.half;
    if (result == 0)
        result = export_as(v->export, &export, &plan.specs, to, error);
    export_free(&export);
    cmd_unload(&plan);
    return result;
}

static int cmd_repro_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    const struct testcase *c;
    struct cmd_plan plan;
    if (v->force && !v->export)
        return error_set(error, EXIT_USAGE, "--force is for --export");
    if (v->export && (arguments->count == 1 || arguments->count == 2))
        return export_case(v, arguments->items[0], arguments->count == 2 ? arguments->items[1] : NULL, error);
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "repro takes the name of one case; `assay list` prints the names");
    if (!v->device)
        return error_set(error, EXIT_USAGE, "which device? -d NAME; `assay devices` lists them");
    if (v->vary && (v->after.count > 0 || v->debugger))
        return error_set(error, EXIT_USAGE, "--vary: expected neither --after nor --debugger");
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    if (v->after.count > 0)
        return run_after(v, arguments->items[0], error);
    int result = cmd_load_case(&v->source, arguments->items[0], &plan, &c, error);
    if (result)
        return result;
    runner_catch_signals();
    if (v->vary) {
        result = repro_vary(v, &plan, c, error);
        cmd_unload(&plan);
        return result;
    }
    struct cmd_plan alone = plan; /* with this case only */
    alone.plan.cases = (struct testcase *)(uintptr_t)c;
    alone.plan.count = 1;
    result = repro_run_cases(v, &alone, error);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), CMD_DEVICE_HELP},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of the run to reproduce (default: 0)"},
    {0, "after", "CASE", OPTION_LIST, offsetof(struct values, after),
     "run this case first, in the same process (repeatable, in order)"},
    {0, "vary", NULL, OPTION_FLAG, offsetof(struct values, vary),
     "change one property of the case at a time, and print which changes end its failure"},
    CMD_TIMEOUT_OPTION(struct values, "time limit for the case"),
    CMD_ALLOW_OPTION(struct values, source.allow),
    CMD_RUN_DEBUGGER_OPTION(struct values),
    CMD_HALF_OPTION(struct values, source.half),
    {0, "export", "EXPORT", OPTION_STRING, offsetof(struct values, export),
     "do not run the case; write it to the file or folder TO (default: standard output; dxdispatch needs a folder)"},
    {0, "force", NULL, OPTION_FLAG, offsetof(struct values, force), "with --export: overwrite a file that exists"},
    {0, "color", "WHEN", OPTION_STRING, offsetof(struct values, color), "when to use color (default: auto)"},
    CMD_SOURCE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.timeout = RUNNER_TIMEOUT};

const struct command cmd_repro = {.name = "repro",
                                  .arguments = "CASE -d DEVICE, or CASE --export EXPORT [TO]",
                                  .summary = "show one case and run it alone, or export it",
                                  .examples =
                                      "assay repro gather.examples.vector.fl3_0.float32-uint32.d1a0i1 -d vulkan\n"
                                      "assay repro CASE -d ./mydevice.so --vary\n"
                                      "assay repro CASE -d ./mydevice.so --debugger 'gdb --args'\n"
                                      "assay repro CASE --export c case.c\n"
                                      "assay repro CASE --export dxdispatch folder; assay verify folder\n",
                                  .options = options,
                                  .values_size = sizeof(struct values),
                                  .defaults = &defaults,
                                  .run = cmd_repro_run};
