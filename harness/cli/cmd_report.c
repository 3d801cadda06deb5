#include "harness/cli/cmd.h"
#include "harness/base/outfile.h"
#include "harness/results/report.h"
#include "harness/base/fileuse.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The options. The members from html to codequality are the files of the forms; "-": standard output. */
struct values {
    struct word_list baselines;
    const char *html, *markdown, *junit, *csv, *json, *causes, *github, *codequality;
    const char *issues;
};

static const struct option options[] = {
    {0, "html", "FILE", OPTION_STRING, offsetof(struct values, html), "write the dashboard, one self-contained file"},
    {0, "markdown", "FILE", OPTION_STRING, offsetof(struct values, markdown),
     "write summary, failures and support matrix as Markdown (default: to standard output, without other forms)"},
    {0, "junit", "FILE", OPTION_STRING, offsetof(struct values, junit),
     "write JUnit XML, like `assay run --format junit`"},
    {0, "csv", "FILE", OPTION_STRING, offsetof(struct values, csv), "write one line per case, for spreadsheets"},
    {0, "json", "FILE", OPTION_STRING, offsetof(struct values, json), "write the data of the dashboard"},
    {0, "causes", "FILE", OPTION_STRING, offsetof(struct values, causes),
     "write failures and warnings by cause, a tab-separated line per cause"},
    {0, "github", "FILE", OPTION_STRING, offsetof(struct values, github),
     "write annotations for GitHub Actions, which reads them on standard output: -"},
    {0, "codequality", "FILE", OPTION_STRING, offsetof(struct values, codequality),
     "write Code Quality of GitLab, in JSON"},
    {0, "baseline", "RUN", OPTION_LIST, offsetof(struct values, baselines),
     "compare its device's current state with this run, as DB#N (repeatable; default: the state before the last run)"},
    {0, "issues", "URL", OPTION_STRING, offsetof(struct values, issues),
     "in the dashboard, make links of #12 and issue 12 in reasons and labels: the address of an issue, with {} for its "
     "number"},
    {0}};

static const char *report_path_of(const struct values *v, const struct report_form *form)
{
    for (const struct option *option = options; option->name; option++)
        if (strcmp(option->name, form->name) == 0)
            return *(const char *const *)((const char *)v + option->offset);
    return NULL;
}

static int write_form(const struct report *report, const struct report_form *form, const char *path,
                      struct error *error)
{
    struct outfile file;
    int result = outfile_open(&file, strcmp(path, "-") == 0 ? NULL : path, error);
    if (result)
        return result;
    errno = 0;
    result = form->write(report, file.out, error);
    outfile_failed(&file); /* notes errno, which may change before the file is closed */
    if (!outfile_close(&file, result == 0) && result == 0)
        result = outfile_error(&file, "", error);
    outfile_free(&file);
    return result;
}

static int check_paths(const struct values *v, struct error *error)
{
    const struct report_form *to_output = NULL;
    for (const struct report_form *const *form = report_forms; *form; form++) {
        const char *path = report_path_of(v, *form);
        if (!path)
            continue;
        if (!*path)
            return error_set(error, EXIT_USAGE, "--%s: expected the name of a file, or - for standard output",
                             (*form)->name);
        if (strcmp(path, "-") == 0 && to_output)
            return error_set(error, EXIT_USAGE, "--%s and --%s: only one can go to standard output", to_output->name,
                             (*form)->name);
        if (strcmp(path, "-") == 0)
            to_output = *form;
        for (const struct report_form *const *other = report_forms; other < form; other++)
            if (report_path_of(v, *other) && strcmp(path, report_path_of(v, *other)) == 0)
                return error_set(error, EXIT_USAGE, "--%s and --%s: '%s' is named twice", (*other)->name, (*form)->name,
                                 path);
    }
    return 0;
}

/* --issues becomes an address in the page: nothing in it may mean something else there, or be no address. */
static int check_issues(const struct values *v, struct error *error)
{
    static const char *const starts[] = {"https://", "http://"};
    const char *url = v->issues, *place = url ? strstr(url, "{}") : NULL;
    size_t start = 0;
    if (!url)
        return 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(url, starts[i], strlen(starts[i])) == 0)
            start = strlen(starts[i]);
    bool good = start && place && strspn(url + start, "/{}") == 0;
    for (const char *c = url; *c && good; c++)
        good = c == place || c == place + 1 || (*c > ' ' && *c < 0x7f && !strchr("\"<>\\^`{|}", *c));
    if (!good)
        return error_set(error, EXIT_USAGE,
                         "--issues: expected an address that begins with http:// or https:// and has {} once, for the "
                         "number of the issue, not '%s'",
                         url);
    if (!v->html && !v->json)
        return error_set(error, EXIT_USAGE, "--issues is for the dashboard: it takes --html or --json");
    return 0;
}

/* Writes the forms that have a path, or Markdown if none has. */
static int write_forms(const struct values *v, const struct report *report, struct error *error)
{
    bool any = false;
    int result = 0;
    for (const struct report_form *const *form = report_forms; *form && result == 0; form++)
        if (report_path_of(v, *form)) {
            any = true;
            result = write_form(report, *form, report_path_of(v, *form), error);
        }
    if (result == 0 && !any)
        result = write_form(report, &report_markdown, "-", error);
    return result;
}

static int report_check_files(const struct values *v, const struct word_list *databases, struct error *error)
{
    struct fileuse files = {0};
    char name[32];
    for (size_t i = 0; i < databases->count; i++)
        fileuse_add(&files, FILEUSE_SOURCE, "a database of the report", databases->items[i]);
    for (const struct report_form *const *form = report_forms; *form; form++) {
        const char *path = report_path_of(v, *form);
        snprintf(name, sizeof name, "--%s", (*form)->name);
        fileuse_add(&files, FILEUSE_OUTPUT, name, path && strcmp(path, "-") != 0 ? path : NULL);
    }
    return fileuse_check(&files, error);
}

static int cmd_report_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct report report = {0};
    struct cmd_plan plan = {0};
    const bool page = v->html || v->json;
    if (arguments->count == 0)
        return error_set(error, EXIT_USAGE, "report takes a database: `assay report results.db`");
    int result = check_paths(v, error);
    if (result == 0)
        result = check_issues(v, error);
    if (result == 0)
        result = report_check_files(v, arguments, error);
    if (result == 0)
        result =
            report_open(&report, arguments->items, arguments->count, v->baselines.items, v->baselines.count, error);
    if (result == 0 && page) {
        result = cmd_load(&(struct cmd_source){0}, &(struct word_list){0}, &plan, error);
        report.specs = result == 0 ? &plan.specs : NULL;
        report.plan = &plan.plan;
        report.issues = v->issues;
    }
    if (result == 0)
        result = write_forms(v, &report, error);
    if (report.specs)
        cmd_unload(&plan);
    report_close(&report);
    return result;
}

const struct command cmd_report = {
    .name = "report",
    .arguments = "DB…",
    .summary = "report on results databases: dashboard, Markdown, JUnit, CSV, JSON, annotations",
    .examples = "assay report results.db --html report.html\n"
                "assay report results.db                        # Markdown, to read\n"
                "assay report night*.db --junit junit.xml --csv results.csv\n"
                "assay report results.db --baseline results.db#3 --html report.html\n"
                "assay report results.db --html report.html --issues 'https://tracker.example/{}'\n",
    .notes =
        "Shows the current state of each device, the newest conformance verdict on each case, and what its last run\n"
        "changed. Several databases are\n"
        "read as one. The same databases give the same bytes. Exit status: 0 however the runs ended; 3 for a\n"
        "database that cannot be read or a file that cannot be written; 4 for a run that is not there.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = cmd_report_run};
