#include "harness/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *const cmd_all[] = {
    &cmd_devices, &cmd_list,   &cmd_show,       &cmd_run,     &cmd_repro,  &cmd_dispatch,    &cmd_verify,
    &cmd_bisect,  &cmd_status, &cmd_merge,      &cmd_compare, &cmd_report, &cmd_fingerprint, &cmd_fuzz,
    &cmd_expect,  &cmd_spec,   &cmd_coverage,   &cmd_config,  &cmd_manual, &cmd_completion,  &cmd_complete,
    &cmd_worker,  &cmd_host,   &cmd_plan_cache, NULL};

int cmd_sandbox(const struct word_list *allow, struct sandbox **out, struct error *error)
{
    int result = sandbox_new(allow, out, error);
    if (result == 0 && *sandbox_missing(*out))
        fprintf(stderr, "assay: devices are less restricted than they should be: %s\n", sandbox_missing(*out));
    return result;
}

int cmd_load_specs(const struct cmd_source *source, struct cmd_plan *out, struct error *error)
{
    memset(out, 0, sizeof *out);
    int result = paths_folder("specs", source->specs, out->specs_folder, error);
    return result ? result : spec_set_load(&out->specs, out->specs_folder, error);
}

/* For a filter that matches no case: finds the nearest case name, or leading part of one with as many dots; "" if none
 * is near. Keeps a ".*" at the end. */
static void nearest_filter(const struct plan *plan, const char *pattern, char *near, size_t size)
{
    size_t length = strlen(pattern), dots = 0, count = 0;
    bool star = length > 2 && !strcmp(pattern + length - 2, ".*");
    char *bare = strndup(pattern, star ? length - 2 : length), **fronts = calloc(plan->count, sizeof *fronts);
    *near = '\0';
    for (const char *dot = bare; dot && (dot = strchr(dot, '.')); dot++)
        dots++;
    for (size_t i = 0; bare && fronts && i < plan->count; i++) {
        const char *end = plan->cases[i].name;
        for (size_t skipped = 0; *end && (*end != '.' || skipped++ < dots);)
            end++;
        size_t width = (size_t)(end - plan->cases[i].name);
        bool again = count && !strncmp(fronts[count - 1], plan->cases[i].name, width) && !fronts[count - 1][width];
        if (!again && (fronts[count] = strndup(plan->cases[i].name, width)))
            count++;
    }
    const char *found = bare ? words_nearest(bare, (const char *const *)fronts, count) : NULL;
    if (found)
        snprintf(near, size, "%s%s", found, star ? ".*" : "");
    for (size_t i = 0; i < count; i++)
        free(fronts[i]);
    free(fronts);
    free(bare);
}

/* Adds "did you mean" to the error that no case matches. */
static void suggest_filter(const struct cmd_plan *in, const struct plan_sources *sources, struct plan_filter filter,
                           struct error *error)
{
    struct plan_sources again = *sources;
    struct plan all;
    struct error ignored = {0};
    char near[512] = "";
    const struct word_list patterns = {filter.patterns, filter.pattern_count};
    filter.pattern_count = 0;
    again.keep_going = true;
    again.wrong = NULL;
    if (plan_make_from(&all, &in->specs, &again, &filter, &ignored))
        return;
    for (size_t i = 0; i < patterns.count && !*near; i++) {
        size_t hits = 0;
        for (size_t j = 0; j < all.count && !hits; j++)
            hits += plan_matches(patterns.items[i], all.cases[j].name);
        if (hits == 0)
            nearest_filter(&all, patterns.items[i], near, sizeof near);
    }
    size_t used = strlen(error->text);
    if (*near)
        snprintf(error->text + used, sizeof error->text - used, "; did you mean '%s'?", near);
    plan_free(&all);
}

/* Standard input can be read only once, but a command may plan several times. */
static int read_input(struct plan_sources *sources, struct error *error)
{
    static char *text;
    static size_t size;
    char block[65536];
    size_t got;
    FILE *all = text ? NULL : open_memstream(&text, &size);
    while (all && (got = fread(block, 1, sizeof block, stdin)) > 0)
        fwrite(block, 1, got, all);
    if (all && fclose(all) != 0)
        return error_set(error, EXIT_HARNESS, "standard input: out of memory");
    if (ferror(stdin) || !text)
        return error_set(error, EXIT_HARNESS, "standard input: %m");
    sources->input = text;
    sources->input_size = size;
    return 0;
}

static void say_wrong(const char *text)
{
    fprintf(stderr, "assay: %s\n", text);
}

/* Where --cases says that cases are. */
static int find_cases(const struct cmd_source *source, struct cmd_plan *out, struct plan_sources *sources,
                      struct error *error)
{
    char checked[PATHS_SIZE];
    out->usual_cases = out->cases_folder;
    *sources = (struct plan_sources){.paths = source->cases.items,
                                     .count = source->cases.count,
                                     .keep_going = source->keep_going,
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
            result = read_input(sources, error);
    return result;
}

int cmd_load(const struct cmd_source *source, const struct word_list *patterns, struct cmd_plan *out,
             struct error *error)
{
    struct plan_filter filter = {.patterns = patterns->items,
                                 .pattern_count = patterns->count,
                                 .operators = source->operators.items,
                                 .operator_count = source->operators.count,
                                 .levels = source->levels.items,
                                 .level_count = source->levels.count,
                                 .tier = source->tier,
                                 .allow = &source->allow};
    char kept[PATHS_SIZE];
    int result = cmd_load_specs(source, out, error);
    paths_plan_cache(kept);
    filter.cache = kept;
    struct plan_sources sources;
    if (result == 0)
        result = find_cases(source, out, &sources, error);
    if (result == 0)
        result = plan_make_from(&out->plan, &out->specs, &sources, &filter, error);
    if (result == EXIT_NO_MATCH && patterns->count)
        suggest_filter(out, &sources, filter, error);
    if (result)
        cmd_unload(out);
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
    if (plan->specs.script)
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
    if (result && result != EXIT_NO_MATCH)
        error_set(error, missing.status, "%s", missing.text);
    return result;
}

int cmd_load_case(const struct cmd_source *source, const char *name, struct cmd_plan *out, const struct testcase **c,
                  struct error *error)
{
    /* Plans as little as possible: the case alone; to suggest a name if there is no such case, its operator's cases or
     * all cases. */
    char lead[64] = "";
    bool whole = !strpbrk(name, "*?");
    if (whole)
        snprintf(lead, sizeof lead, "%.*s", (int)strcspn(name, "."), name);
    const char *starts[] = {whole ? name : "", lead, ""};
    struct cmd_source every = *source;
    every.tier = source->tier ? source->tier : "all";
    int result = EXIT_NO_MATCH;
    for (size_t i = 0; i < 3 && result == EXIT_NO_MATCH; i++) {
        result = load_below(&every, starts[i], out, error);
        for (size_t j = 0; result == 0 && j < out->plan.count; j++)
            if (strcmp(out->plan.cases[j].name, name) == 0) {
                *c = &out->plan.cases[j];
                return 0;
            }
        if (result == 0 && i == 0 && whole) { /* `name` is only the leading part of these cases' names */
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
