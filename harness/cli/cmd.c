#include "harness/cli/cmd.h"

#include "harness/base/input.h"
#include "harness/cli/cmd_filter.h"
#include "harness/load/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *const cmd_all[] = {
    &cmd_devices,    &cmd_adapter,  &cmd_list,    &cmd_mustpass, &cmd_show,        &cmd_run,
    &cmd_repro,      &cmd_dispatch, &cmd_verify,  &cmd_bench,    &cmd_bisect,      &cmd_status,
    &cmd_merge,      &cmd_compare,  &cmd_report,  &cmd_bundle,   &cmd_fingerprint, &cmd_fuzz,
    &cmd_expect,     &cmd_spec,     &cmd_explain, &cmd_coverage, &cmd_config,      &cmd_manual,
    &cmd_completion, &cmd_complete, &cmd_worker,  &cmd_host,     &cmd_plan_cache,  NULL};

int cmd_sandbox(const struct word_list *allow, struct sandbox **out, struct error *error)
{
    int result = sandbox_new(allow, out, error);
    if (result == 0 && *sandbox_missing(*out))
        fprintf(stderr, "assay: devices are less restricted than they should be: %s\n", sandbox_missing(*out));
    return result;
}

int cmd_check_timeout(uint64_t seconds, struct error *error)
{
    return seconds >= 1 && seconds <= CMD_TIMEOUT_MAX
               ? 0
               : error_set(error, EXIT_USAGE, "--timeout: expected 1 to %d seconds", CMD_TIMEOUT_MAX);
}

int cmd_load_specs(const struct cmd_source *source, struct cmd_plan *out, struct error *error)
{
    memset(out, 0, sizeof *out);
    int result = paths_folder("specs", source->specs, out->specs_folder, error);
    return result ? result : spec_set_open_apart(&out->specs, out->specs_folder, error);
}

static void say_wrong(const char *text)
{
    fprintf(stderr, "assay: %s\n", text);
}

/* Finds the folders and files of cases that --cases names, or the usual folder. */
static int find_cases(const struct cmd_source *source, struct cmd_plan *out, struct plan_sources *sources,
                      struct error *error)
{
    char checked[PATHS_SIZE];
    out->usual_cases = out->cases_folder;
    *sources = (struct plan_sources){.paths = source->cases.items,
                                     .count = source->cases.count,
                                     .keep_going = source->keep_going,
                                     .unread = source->unread,
                                     .wrong = source->quiet ? NULL : say_wrong};
    if (source->cases.count == 0) {
        sources->paths = &out->usual_cases;
        sources->count = 1;
        return paths_cases(NULL, out->cases_folder, error);
    }
    int result = 0;
    for (size_t i = 0; i < source->cases.count && result == 0; i++)
        if (strcmp(source->cases.items[i], "-") != 0)
            result = paths_cases(source->cases.items[i], checked, error);
        else
            result = input_read(&sources->input, &sources->input_size, error);
    return result;
}

static bool has_input(const struct word_list *paths)
{
    bool has = false;
    for (size_t i = 0; i < paths->count && !has; i++)
        has = strcmp(paths->items[i], "-") == 0;
    return has;
}

/* Reads the options that choose cases. */
static int read_filter(const struct cmd_source *source, const struct word_list *words, struct cmd_filter *choice,
                       struct error *error)
{
    *choice = (struct cmd_filter){0};
    if (has_input(&source->case_lists) && has_input(&source->cases))
        return error_set(error, EXIT_USAGE, "--case-list - and --cases - cannot both read standard input");
    int result = cmd_filter_read(choice, words, &source->exclude, &source->case_lists, error);
    choice->filter.operators = source->operators.items;
    choice->filter.operator_count = source->operators.count;
    choice->filter.levels = source->levels.items;
    choice->filter.level_count = source->levels.count;
    choice->filter.tier = source->tier;
    choice->filter.may_miss = source->may_miss;
    choice->filter.allow = &source->allow;
    choice->filter.later = source->later;
    return result;
}

int cmd_load(const struct cmd_source *source, const struct word_list *words, struct cmd_plan *out, struct error *error)
{
    int result = cmd_load_specs(source, out, error);
    return result ? result : cmd_load_cases(source, words, out, error);
}

int cmd_load_cases(const struct cmd_source *source, const struct word_list *words, struct cmd_plan *out,
                   struct error *error)
{
    struct cmd_filter choice = {0};
    struct plan_sources sources;
    char kept[PATHS_SIZE];
    int result = read_filter(source, words, &choice, error);
    paths_built("plan", kept);
    choice.filter.cache = kept;
    if (result == 0)
        result = find_cases(source, out, &sources, error);
    if (result == 0)
        result = plan_make_apart(&out->plan, &out->specs, out->specs_folder, &sources, &choice.filter, error);
    if (result == EXIT_NO_MATCH && choice.filter.pattern_count)
        cmd_filter_explain(&choice, &out->specs, out->specs_folder, &sources, error);
    cmd_filter_free(&choice);
    if (result)
        cmd_unload(out);
    return result;
}

int cmd_load_tiers(const struct cmd_source *source, const struct word_list *patterns, struct cmd_plan *plan,
                   struct error *error)
{
    struct cmd_source tiers = *source;
    struct cmd_filter choice = {0};
    struct plan_sources sources;
    struct plan more;
    tiers.tier = "all";
    tiers.may_miss = true;
    int result = read_filter(&tiers, patterns, &choice, error);
    if (result == 0)
        result = find_cases(&tiers, plan, &sources, error);
    if (result == 0)
        result = plan_make_apart(&more, &plan->specs, plan->specs_folder, &sources, &choice.filter, error);
    if (result == 0)
        plan_add_tiers(&plan->plan, &more);
    cmd_filter_free(&choice);
    return result;
}

bool cmd_wants_operator(const struct cmd_source *source, const struct spec_set *specs, int op)
{
    bool wanted = source->operators.count == 0;
    for (size_t i = 0; i < source->operators.count; i++)
        wanted |= spec_set_find(specs, source->operators.items[i]) == op;
    return wanted;
}

void cmd_unload(struct cmd_plan *plan)
{
    plan_free(&plan->plan);
    spec_set_free(&plan->specs);
}

static int no_such_case(const struct plan *plan, const char *name, struct error *error)
{
    const char **names = calloc(plan->count, sizeof *names);
    for (size_t i = 0; names && i < plan->count; i++)
        names[i] = plan->cases[i].name;
    const char *near = names ? words_nearest(name, names, plan->count) : NULL;
    error_set(error, EXIT_NO_MATCH, "no case is named '%s'%s%s%s; `assay list` prints the names", name,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names);
    return EXIT_NO_MATCH;
}

int cmd_find_case(const struct plan *plan, const char *name, size_t *index, struct error *error)
{
    for (*index = 0; *index < plan->count; ++*index)
        if (strcmp(plan->cases[*index].name, name) == 0)
            return 0;
    return no_such_case(plan, name, error);
}

/* Plans the cases whose names begin with `start`, up to a dot; all if it is empty. EXIT_NO_MATCH, without setting the
 * error: there are none. */
static int load_below(const struct cmd_source *source, const char *start, struct cmd_plan *out, struct error *error)
{
    struct error missing = {0};
    int result = cmd_load(source, &(struct word_list){.items = &start, .count = *start ? 1 : 0}, out, &missing);
    if (result == 0 && out->plan.count == 0) {
        cmd_unload(out);
        result = EXIT_NO_MATCH;
    }
    if (result && result != EXIT_NO_MATCH)
        error_set(error, missing.status, "%s", missing.text);
    return result;
}

int cmd_load_case(const struct cmd_source *source, const char *name, struct cmd_plan *out, const struct testcase **c,
                  struct error *error)
{
    /* Plans as little as possible: the case alone, from the kept plan if it is there. If there is no such case, a name
     * is suggested from its operator's cases or all cases: those of the usual tier, since all tiers take a minute. */
    char lead[64] = "";
    bool whole = !strpbrk(name, "*?");
    if (whole)
        snprintf(lead, sizeof lead, "%.*s", (int)strcspn(name, "."), name);
    const char *every = source->tier ? source->tier : "all";
    const struct {
        const char *start, *tier;
    } tries[] = {
        {whole ? name : "", source->tier}, {whole ? name : "", every}, {lead, source->tier}, {"", source->tier}};
    struct cmd_source wide = *source;
    wide.exclude = wide.case_lists = (struct word_list){0};
    wide.may_miss = wide.unread = true;
    int result = EXIT_NO_MATCH;
    for (size_t i = 0; i < sizeof tries / sizeof *tries && result == EXIT_NO_MATCH; i++) {
        wide.tier = tries[i].tier;
        result = load_below(&wide, tries[i].start, out, error);
        for (size_t j = 0; result == 0 && j < out->plan.count; j++)
            if (strcmp(out->plan.cases[j].name, name) == 0) {
                *c = &out->plan.cases[j];
                if (!(*c)->unread)
                    return 0;
                result = error_set(error, EXIT_HARNESS, "%s", (*c)->unread->why);
                cmd_unload(out);
                return result;
            }
        if (result == 0 && i < 2 && whole) { /* `name` is only the leading part of these cases' names */
            cmd_unload(out);
            result = EXIT_NO_MATCH;
        }
    }
    if (result == EXIT_NO_MATCH)
        return error_set(error, EXIT_NO_MATCH, "no case has these operators and levels");
    if (result)
        return result;
    result = no_such_case(&out->plan, name, error);
    cmd_unload(out);
    return result;
}
