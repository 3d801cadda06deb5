/* Finds the cases that the filter wants, and those that need not even be planned. */
#include "harness/plan/plan_internal.h"

#include "harness/base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool glob(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool plan_matches(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    if (!strpbrk(pattern, "*?"))
        return length && strncmp(pattern, name, length) == 0 &&
               (name[length] == '\0' || name[length] == '.' || pattern[length - 1] == '.');
    return glob(pattern, name);
}

void plan_nearest(const struct plan *plan, const char *pattern, char *near, size_t size)
{
    size_t length = strlen(pattern), count = 0;
    bool star = length > 2 && !strcmp(pattern + length - 2, ".*");
    char *bare = strndup(pattern, star ? length - 2 : length), **fronts = calloc(plan->count + 1, sizeof *fronts);
    *near = '\0';
    for (size_t i = 0; bare && fronts && i < plan->count; i++) {
        const char *name = plan->cases[i].name;
        size_t front = case_name_front(name, bare);
        bool again = count && !strncmp(fronts[count - 1], name, front) && !fronts[count - 1][front];
        if (!again && (fronts[count] = strndup(name, front)))
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

/* Returns true if the glob can match a text that begins with `start`. */
static bool glob_reaches(const char *pattern, const char *start)
{
    while (*start && *pattern != '*')
        if (*pattern == '?' || *pattern == *start) {
            pattern++;
            start++;
        } else {
            return false;
        }
    return true;
}

bool plan_may_match(const char *pattern, const char *start)
{
    size_t length = strlen(pattern), known = strlen(start);
    if (strpbrk(pattern, "*?"))
        return glob_reaches(pattern, start);
    return length > known ? strncmp(pattern, start, known) == 0 && pattern[known] == '.' : plan_matches(pattern, start);
}

static bool index_names(struct planner *p)
{
    const struct plan_filter *filter = p->filter;
    const struct caselist *list = filter->list;
    p->listed_hit = calloc(list ? list->wanted_count + 1 : 1, sizeof *p->listed_hit);
    return p->listed_hit && patterns_index(&p->wanted, filter->patterns, filter->pattern_count) &&
           patterns_index(&p->excluded, filter->excluded, filter->excluded_count) &&
           (!list || (patterns_index(&p->listed, list->wanted, list->wanted_count) &&
                      patterns_index(&p->unlisted, list->unwanted, list->unwanted_count)));
}

void planner_free_filter(struct planner *p)
{
    patterns_free(&p->wanted);
    patterns_free(&p->excluded);
    patterns_free(&p->listed);
    patterns_free(&p->unlisted);
    free(p->listed_hit);
}

int planner_take_filter(struct planner *p, struct error *error)
{
    const struct spec_set *specs = p->specs;
    const struct plan_filter *filter = p->filter;
    for (size_t i = 0; i < filter->operator_count; i++)
        if (spec_set_find_any(specs, filter->operators[i]) < 0)
            return spec_set_no_operator(specs, filter->operators[i], EXIT_USAGE, error);
    for (size_t i = 0; i < filter->level_count; i++)
        if (!level_find(filter->levels[i])) {
            const char *near = words_nearest(filter->levels[i], level_names, SPEC_MAX_LEVELS);
            if (near && *near != *filter->levels[i])
                near = NULL; /* of so few characters, two that differ are too many */
            return error_set(error, EXIT_USAGE, "no feature level is named '%s'%s%s%s; known: 1_0 to 6_4",
                             filter->levels[i], near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        }
    return index_names(p) ? 0 : error_set(error, EXIT_HARNESS, "out of memory for the patterns on case names");
}

bool planner_wants_start(const struct planner *p, const char *start)
{
    return (p->wanted.count == 0 || patterns_may_match(&p->wanted, start)) &&
           (p->listed.count == 0 || patterns_may_match(&p->listed, start));
}

bool planner_wants_operator(const struct planner *p)
{
    bool wanted = p->filter->operator_count == 0;
    for (size_t i = 0; i < p->filter->operator_count && !wanted; i++)
        wanted = spec_set_find_any(p->specs, p->filter->operators[i]) == p->op;
    return wanted;
}

bool planner_wants_strategy(const struct planner *p)
{
    char start[CASE_NAME_SIZE];
    planner_name_front(p, "", "", start);
    return planner_wants_start(p, start);
}

bool planner_chooses_names(const struct planner *p)
{
    return p->wanted.count + p->excluded.count + p->listed.count + p->unlisted.count > 0;
}

bool planner_wants_name(const struct planner *p, const char *name)
{
    bool listed = p->listed.count == 0 || patterns_mark(&p->listed, name, p->listed_hit);
    return listed && (p->wanted.count == 0 || patterns_last(&p->wanted, name) > 0) &&
           (p->excluded.count == 0 || patterns_last(&p->excluded, name) == 0) &&
           (p->unlisted.count == 0 || patterns_last(&p->unlisted, name) == 0);
}

bool planner_wants_tier(const struct planner *p, const char *tier)
{
    const char *wanted = p->filter->tier;
    return wanted ? strcmp(wanted, "all") == 0 || (*tier && strcmp(wanted, tier) == 0) : !*tier;
}

bool planner_wants_level(const struct planner *p, int table)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (p->filter->level_count == 0)
        return true;
    for (size_t i = 0; i < p->filter->level_count; i++)
        if (spec_table(spec, level_find(p->filter->levels[i])) == table)
            return true;
    return false;
}

/* Unless something else restricts the choice, the plan has seen all cases that the list could name. */
static int check_list(const struct planner *p, struct error *error)
{
    const struct plan_filter *filter = p->filter;
    bool restricted = filter->pattern_count > 0 || filter->operator_count > 0 || filter->level_count > 0;
    for (size_t i = 0; i < p->listed.count && !restricted; i++)
        if (!p->listed_hit[i])
            return error_set(error, EXIT_NO_MATCH, "%s:%u: no case matches '%s'", filter->list->wanted_at[i].file,
                             filter->list->wanted_at[i].number, filter->list->wanted[i]);
    return 0;
}

int planner_check_matches(const struct planner *p, struct error *error)
{
    int result = check_list(p, error);
    if (result)
        return result;
    for (size_t i = 0; i < p->filter->pattern_count && !p->filter->may_miss; i++) {
        bool hit = false;
        for (size_t j = 0; j < p->plan->count && !hit; j++)
            hit = plan_matches(p->filter->patterns[i], p->plan->cases[j].name);
        if (!hit)
            return error_set(
                error, EXIT_NO_MATCH,
                "no case matches '%s'; `assay list` prints the names, `assay list --tier all` those of all tiers",
                p->filter->patterns[i]);
    }
    if (p->filter->may_miss)
        return 0;
    if (p->plan->count == 0 && p->empty_file)
        return error_set(error, EXIT_NO_MATCH, "%s has no cases", p->empty_file);
    if (p->plan->count == 0)
        return error_set(error, EXIT_NO_MATCH, "%s",
                         p->excluded.count + p->listed.count + p->unlisted.count > 0
                             ? "the exclusions or the case list leave out all cases"
                             : "no case has these operators and levels");
    return 0;
}
