#include "harness/base/text.h"
#include "harness/cli/cmd_expect.h"

#include "harness/results/expect_update.h"
#include "harness/base/fileuse.h"
#include "harness/base/input.h"
#include "harness/base/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 16 };

struct values {
    const char *specs, *database;
    struct word_list cases;
    uint64_t run;
};

/* A file's text, old and new. */
struct rewriting {
    const char *path;
    char *old, *new;
    size_t old_size, new_size;
    struct expect_changes changes[EXPECT_RUNS_MAX]; /* by run; the first round makes nearly all of them */
};

/* Reads the file into r->old; a missing file is read as empty. */
static int read_old(struct rewriting *r, struct error *error)
{
    uint64_t size = 0;
    r->old = input_file(r->path, "an expectation file, or no file", INPUT_MAX, &size, error);
    if (!r->old && errno == ENOENT && (r->old = strdup("")))
        *error = (struct error){0};
    r->old_size = size;
    return (int)error->status;
}

/* Makes one round of changes to `r->new`. A removed line may leave its cases to an earlier line, which then needs
 * another round. */
static int rewrite_once(struct rewriting *r, const struct expect_runs *runs, const struct plan *plan,
                        struct expect_changes *changes, struct error *error)
{
    struct expect expects[EXPECT_RUNS_MAX] = {0};
    char *text = NULL, *copy = malloc(r->new_size + 1);
    size_t size = 0;
    int result = copy ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < runs->count && result == 0; i++) {
        memcpy(copy, r->new, r->new_size + 1);
        result = expect_load_text(&expects[i], r->path, false, copy, r->new_size, error);
    }
    FILE *out = result ? NULL : open_memstream(&text, &size);
    if (out)
        expect_update(expects, runs->items, runs->count, plan, out, changes);
    if (result == 0 && (!out || fclose(out) != 0))
        result = error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < runs->count; i++)
        expect_free(&expects[i]);
    free(copy);
    if (result)
        return result;
    free(r->new);
    r->new = text;
    r->new_size = size;
    return 0;
}

static int rewrite(struct rewriting *r, const struct expect_runs *runs, const struct plan *plan, struct error *error)
{
    size_t more = 1;
    int result = 0;
    for (int round = 0; round < ROUNDS && result == 0 && more > 0; round++) {
        struct expect_changes changes[EXPECT_RUNS_MAX];
        result = rewrite_once(r, runs, plan, changes, error);
        more = 0;
        for (size_t i = 0; i < runs->count && result == 0; i++)
            more += changes[i].changed + changes[i].removed + changes[i].added;
        if (result == 0 && round == 0)
            memcpy(r->changes, changes, runs->count * sizeof *changes);
    }
    return result;
}

/* Returns true if a line that expects it decides each failing case of the run, and no line that does not decides a
 * passing one. Checks the text that is about to be written. */
static int check_new(const struct rewriting *r, const struct expect_run *run, size_t partial, const struct plan *plan,
                     struct error *error)
{
    struct expect expect = {0};
    char *text = malloc(r->new_size + 1);
    if (!text)
        return error_set(error, EXIT_HARNESS, "out of memory");
    memcpy(text, r->new, r->new_size + 1);
    int result = expect_load_text(&expect, r->path, false, text, r->new_size, error);
    if (result == 0)
        expect_use(&expect, plan, &run->device);
    for (size_t i = 0; i < plan->count && result == 0 && partial == 0; i++) {
        const char *name = plan->cases[i].name;
        const char *broken = expect_run_broken(run, i);
        if (!expect_run_fits(run, i, expect_of_result(&expect, i, name, run->statuses[i], broken)))
            result = error_set(error, EXIT_HARNESS, "%s: no pattern tells %s from other cases; it is as it was",
                               r->path, name);
    }
    expect_free(&expect);
    free(text);
    return result;
}

static int write_new(const struct rewriting *r, struct error *error)
{
    struct outfile file;
    int result = outfile_open(&file, r->path, error);
    errno = 0;
    return result == 0 ? outfile_end(&file, fwrite(r->new, 1, r->new_size, file.out) == r->new_size,
                                     "; it was not changed", error)
                       : result;
}

static void expect_report(const struct rewriting *r, const struct expect_run *run, const struct expect_changes *c,
                          const struct plan *plan)
{
    text_print(stdout, r->path);
    printf(": from run %lld on '", (long long)run->id);
    text_print(stdout, run->device.device);
    printf("', %zu of %zu cases: %zu kept, %zu changed, %zu removed, %zu added\n", run->known, plan->count, c->kept,
           c->changed, c->removed, c->added);
    if (c->partial)
        printf("%zu of the kept lines do not agree with the run, which has only some of their cases\n", c->partial);
    if (c->passing)
        printf("new lines also match %zu cases that pass: their names do not tell them from those that fail\n",
               c->passing);
    if (c->added)
        printf("replace each '%s' by a reason\n", EXPECT_NEW);
}

static int copy_old(struct rewriting *r, struct error *error)
{
    r->new = malloc(r->old_size + 1);
    if (!r->new)
        return error_set(error, EXIT_HARNESS, "out of memory");
    memcpy(r->new, r->old, r->old_size + 1);
    r->new_size = r->old_size;
    return 0;
}

static int update_runs(struct rewriting *r, const struct expect_runs *runs, const struct plan *plan,
                       struct error *error)
{
    int result = rewrite(r, runs, plan, error);
    for (size_t i = 0; i < runs->count && result == 0; i++)
        result = check_new(r, &runs->items[i], r->changes[i].partial, plan, error);
    for (size_t i = 0; i < runs->count && result == 0; i++)
        expect_report(r, &runs->items[i], &r->changes[i], plan);
    return result;
}

static int update(const struct values *v, const char *path, struct error *error)
{
    const struct cmd_source source = {.specs = v->specs, .cases = v->cases};
    struct rewriting r = {.path = path};
    struct expect_runs runs = {0};
    struct cmd_plan plan;
    struct expect lines = {0};
    struct fileuse files = {0};
    fileuse_add_plan(&files, v->specs, &v->cases);
    fileuse_add(&files, FILEUSE_SOURCE, "--db", v->database);
    fileuse_add(&files, FILEUSE_OUTPUT, "FILE", path);
    int result = fileuse_check(&files, error);
    if (result == 0)
        result = read_old(&r, error);
    if (result == 0)
        result = copy_old(&r, error);
    if (result == 0)
        result = expect_load_text(&lines, path, false, r.new, r.new_size, error);
    if (result == 0)
        result = cmd_expect_load(&source, &lines, v->database, (int64_t)v->run, &plan, &runs, error);
    bool loaded = result == 0;
    expect_free(&lines);
    free(r.new);
    r.new = NULL;
    if (loaded)
        result = copy_old(&r, error);
    if (result == 0)
        result = update_runs(&r, &runs, &plan.plan, error);
    if (result == 0 && (r.old_size != r.new_size || memcmp(r.old, r.new, r.old_size) != 0))
        result = write_new(&r, error);
    free(r.old);
    free(r.new);
    if (loaded) {
        expect_runs_free(&runs);
        cmd_unload(&plan);
    }
    return result;
}

static int cmd_expect_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    const char *what = arguments->count > 1 ? arguments->items[0] : "";
    bool checks = strcmp(what, "check") == 0;
    if (!checks && (arguments->count != 2 || strcmp(what, "update") != 0))
        return error_set(error, EXIT_USAGE,
                         "expected `assay expect update FILE --db DB` or `assay expect check FILE… --db DB`");
    if (!v->database)
        return error_set(error, EXIT_USAGE, "expect needs a run: --db DB names a database that `assay run` wrote");
    if (v->run > INT64_MAX)
        return error_set(error, EXIT_USAGE, "--run: expected the number of a run");
    if (!checks)
        return update(v, arguments->items[1], error);
    const struct cmd_source source = {.specs = v->specs, .cases = v->cases};
    return cmd_expect_check(&source, arguments->items + 1, arguments->count - 1, v->database, (int64_t)v->run, error);
}

static const struct option options[] = {
    {0, "db", "DB", OPTION_STRING, offsetof(struct values, database), "the database that has the runs"},
    {0, "run", "N", OPTION_UINT, offsetof(struct values, run),
     "number of a run, alone (default: the state of each device of the last `assay run`)"},
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), CMD_SPECS_HELP},
    {0, "cases", "PATH", OPTION_LIST, offsetof(struct values, cases), CMD_CASES_HELP},
    {0}};

const struct command cmd_expect = {
    .name = "expect",
    .arguments = "update FILE --db DB, or check FILE… --db DB",
    .summary = "update an expectation file from a run, or check a run against one",
    .examples = "assay run -d ./mydevice.so --db mine.db\n"
                "assay expect update mine.txt --db mine.db\n"
                "assay run -d ./mydevice.so --expect mine.txt\n"
                "assay expect check mine.txt --db merged.db\n",
    .notes =
        "An expectation file lists the cases that are known to fail on a device, and why:\n\n"
        "  # a comment\n"
        "  gather.values.special*  fail        # quiets NaNs, issue 12\n"
        "  gather_nd.types         fail,crash  # 64-bit indices\n"
        "  gather_nd.types.*int32* pass        # but not 32-bit ones\n"
        "  [driver=llvmpipe* level<=4_0]\n"
        "  scatter_nd.repeats      fail,pass   # now and then, issue 15\n"
        "  scatter_nd.memory       skip        # hangs the GPU, issue 16\n"
        "  gather broken=axis-range fail       # accepts each Axis, issue 17\n\n"
        "A line is PATTERN STATUS # REASON, or has several statuses separated by commas. With broken=RULE before the "
        "statuses, it matches only failures that break this rule, as a run prints it at 'broken'. Patterns are those "
        "of `assay "
        "run`: the name of a case, its front part up to a dot, or a pattern with * and ?. Statuses are pass, warn, "
        "fail, crash, timeout and device_lost, or skip alone: such a case is not run. The reason is required. If "
        "several lines match a case, the last one "
        "decides.\n\n"
        "A line [CONDITION …] begins a section, whose lines apply only to devices that meet all conditions. [] begins "
        "a "
        "section for all devices, as does the start of each file. device (as given with -d), name, driver and version "
        "(as the device reports them) take = or != and a pattern, which is matched against the whole text or the part "
        "before a colon; write ? for a space. level, the highest feature level that the device declares, takes = != < "
        "<= > >=.\n\n"
        "With --expect FILE, a case that ends with a status of its line counts as expected. A case that ends with "
        "another one, including pass, makes the run fail, and so does a stale line: one that matches no case, whose "
        "cases are all decided by later lines, or whose cases never end as it says. Skipped and unsupported cases are "
        "not judged. OPERATOR.search.RULE.KIND is the name of a finding of the search that ends a run, such as "
        "gather.search.axis-range.wrong-accept; a search need not find it again, so a line with '.search.' is never "
        "stale. A malformed line is an error that names it: exit status 3. A file NAME.expected beside a device "
        "NAME.so is used automatically, and the run says so; --no-expect ignores it.\n\n"
        "update removes lines whose cases pass now, changes lines whose cases fail with another status, and adds lines "
        "for new failures, with reasons that begin with 'new:'. Comments, order, reasons and other devices' sections "
        "stay. Like check, it handles every device of the last `assay run`; a line for all devices that fits only some "
        "of "
        "them goes to sections of these. New lines are few: patterns that match failing cases "
        "and no others or, where that takes several for one broken rule of an operator, a line with broken=RULE. Where "
        "no rule is known, patterns may also expect a pass. A new reason says how many failing cases its line has. A "
        "finding of the last search on the device, by the run or "
        "after it, has a line of its own. A "
        "line of fail,pass is stale once none of several cases fails.\n\n"
        "check prints the cases that did not end as the files say, and the stale lines: exit status 1 if "
        "there are any. The files need not be those that the run used. If a line also matches cases of other shards, a "
        "run of one shard (`assay run --shard`) cannot tell whether it is stale; a check of the run that `assay "
        "merge` makes can.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = cmd_expect_run};
