#include "harness/cli/cmd_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

/* Splits the words into those that choose and those that leave out: "not FILTER", and "-FILTER" behind "--". */
static int filter_split(struct cmd_filter *out, const struct word_list *words, struct error *error)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        bool not = strcmp(word, "not") == 0;
        if (not &&i + 1 == words->count)
            return error_set(error, EXIT_USAGE, "not: expected a FILTER after it, for the cases to leave out");
        if (not )
            out->unwanted[out->filter.excluded_count++] = words->items[++i];
        else if (word[0] == '-' && word[1])
            out->unwanted[out->filter.excluded_count++] = word + 1;
        else
            out->wanted[out->filter.pattern_count++] = word;
    }
    return 0;
}

int cmd_filter_read(struct cmd_filter *out, const struct word_list *words, const struct word_list *exclude,
                    const struct word_list *case_lists, struct error *error)
{
    size_t room = words->count + exclude->count + 1;
    *out = (struct cmd_filter){.wanted = calloc(room, sizeof *out->wanted),
                               .unwanted = calloc(room, sizeof *out->unwanted)};
    if (!out->wanted || !out->unwanted)
        return error_set(error, EXIT_HARNESS, "out of memory for the filters");
    int result = filter_split(out, words, error);
    for (size_t i = 0; i < exclude->count; i++)
        out->unwanted[out->filter.excluded_count++] = exclude->items[i];
    for (size_t i = 0; i < case_lists->count && result == 0; i++)
        result = caselist_add(&out->list, case_lists->items[i], error);
    out->filter.patterns = out->wanted;
    out->filter.excluded = out->unwanted;
    out->filter.list = case_lists->count > 0 ? &out->list : NULL;
    return result;
}

void cmd_filter_free(struct cmd_filter *choice)
{
    free(choice->wanted);
    free(choice->unwanted);
    caselist_free(&choice->list);
    *choice = (struct cmd_filter){0};
}

/* ---- why no case matches */

/* The options that may leave out a case that a pattern matches. */
enum { BY_OPERATOR = 1, BY_LEVEL = 2, BY_NAME = 4, BY_ALL = 7 };

static bool filter_has_operator(const struct plan_filter *filter, const struct spec_set *specs,
                                const struct testcase *c)
{
    bool has = filter->operator_count == 0;
    for (size_t i = 0; i < filter->operator_count && !has; i++)
        has = specs->specs + spec_set_find_any(specs, filter->operators[i]) == c->spec;
    return has;
}

static bool has_level(const struct plan_filter *filter, const struct testcase *c)
{
    bool has = filter->level_count == 0;
    for (size_t i = 0; i < filter->level_count && !has; i++)
        has = spec_table(c->spec, level_find(filter->levels[i])) == c->table;
    return has;
}

static bool has_name(const struct plan_filter *filter, const char *name)
{
    const struct caselist *list = filter->list;
    bool listed = !list || list->wanted_count == 0, out = false;
    for (size_t i = 0; list && i < list->wanted_count && !listed; i++)
        listed = plan_matches(list->wanted[i], name);
    for (size_t i = 0; list && i < list->unwanted_count && !out; i++)
        out = plan_matches(list->unwanted[i], name);
    for (size_t i = 0; i < filter->excluded_count && !out; i++)
        out = plan_matches(filter->excluded[i], name);
    return listed && !out;
}

/* Returns true if a case matches the pattern and none of the restrictions in `by` leaves it out. */
static bool is_met(const struct plan *plan, const struct spec_set *specs, const struct plan_filter *filter,
                   const char *pattern, int by)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        if (plan_matches(pattern, c->name) && (!(by & BY_OPERATOR) || filter_has_operator(filter, specs, c)) &&
            (!(by & BY_LEVEL) || has_level(filter, c)) && (!(by & BY_NAME) || has_name(filter, c->name)))
            return true;
    }
    return false;
}

static int filter_blame(const struct plan_filter *filter, const char *pattern, const char *option, struct error *error)
{
    error->status = EXIT_AS_EXPECTED;
    if (strcmp(option, "--operator") == 0 && filter->operator_count == 1)
        return error_set(error, EXIT_NO_MATCH, "no case that matches '%s' has --operator %s", pattern,
                         filter->operators[0]);
    if (strcmp(option, "--level") == 0 && filter->level_count == 1)
        return error_set(error, EXIT_NO_MATCH, "no case that matches '%s' has --level %s", pattern, filter->levels[0]);
    return error_set(error, EXIT_NO_MATCH, "every case that matches '%s' is left out by %s", pattern, option);
}

/* Sets the error about one pattern. False: a case matches it. */
static bool filter_explain(const struct plan *all, const struct spec_set *specs, const struct plan_filter *filter,
                           const char *pattern, struct error *error)
{
    char near[512];
    if (is_met(all, specs, filter, pattern, BY_ALL))
        return false;
    if (is_met(all, specs, filter, pattern, 0)) {
        static const struct {
            int by;
            const char *option;
        } restrictions[] = {{BY_OPERATOR, "--operator"},
                            {BY_LEVEL, "--level"},
                            {BY_OPERATOR | BY_LEVEL, "--operator and --level"},
                            {BY_NAME, "the exclusions and case lists"}};
        const char *option = "all options together";
        for (size_t i = sizeof restrictions / sizeof *restrictions; i-- > 0;)
            if (!is_met(all, specs, filter, pattern, restrictions[i].by))
                option = restrictions[i].option;
        filter_blame(filter, pattern, option, error);
        return true;
    }
    plan_nearest(all, pattern, near, sizeof near);
    size_t used = strlen(error->text);
    if (*near)
        snprintf(error->text + used, sizeof error->text - used, "; did you mean '%s'?", near);
    return true;
}

void cmd_filter_explain(const struct cmd_filter *choice, const struct spec_set *specs, const char *specs_folder,
                        const struct plan_sources *sources, struct error *error)
{
    const struct plan_filter *filter = &choice->filter;
    const char *tier = filter->tier && strcmp(filter->tier, "all") == 0 ? NULL : filter->tier; /* all take a minute */
    const struct plan_filter every = {.tier = tier, .allow = filter->allow, .cache = filter->cache};
    struct plan_sources again = *sources;
    struct plan all;
    struct error ignored = {0};
    bool done = false;
    again.keep_going = true;
    again.wrong = NULL;
    if (plan_make_apart(&all, specs, specs_folder, &again, &every, &ignored))
        return;
    for (size_t i = 0; i < filter->pattern_count && !done; i++)
        done = filter_explain(&all, specs, filter, filter->patterns[i], error);
    plan_free(&all);
}
