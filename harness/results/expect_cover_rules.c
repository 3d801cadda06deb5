#include "harness/results/expect_cover_internal.h"

#include "harness/plan/case_name.h"

#include <stdlib.h>
#include <string.h>

enum { OPERATORS_MIN = 3 }; /* lines about one rule that become one line about all operators */

/* The failures of an operator, or of one of its strategies, that break one rule. */
struct cover_group {
    const char *front; /* the front part of the names of the cases; not terminated */
    size_t length;
    const char *rule;
    uint32_t statuses;
    size_t failing, first; /* number of cases, and the first one */
    size_t lines;          /* lines about names whose first case is in the group */
    bool whole;            /* all cases of the operator are known */
    bool allowed;          /* the line would match no case that it must not match */
    bool chosen, merged;   /* the group gets a line; with those of other operators */
    bool written;          /* it has its line */
};

struct cover_groups {
    struct cover_group *items;
    size_t count;
    size_t *of_case; /* index of a failing case's group, + 1; 0: none */
};

/* Returns true if the name begins with the front part. */
static bool has_front(const char *name, const char *front, size_t length)
{
    return strncmp(name, front, length) == 0 && (name[length] == '.' || name[length] == '\0');
}

/* Returns true if a case whose name begins with the front part is not known. */
static bool has_unknown(const struct plan *plan, const uint32_t *wanted, const char *front, size_t length)
{
    bool any = false;
    for (size_t i = 0; i < plan->count && !any; i++)
        any = wanted[i] == COVER_UNKNOWN && has_front(plan->cases[i].name, front, length);
    return any;
}

static struct cover_group *find_cover_group(struct cover_groups *groups, const char *name, const char *rule)
{
    for (size_t i = groups->count; i-- > 0;)
        if (has_front(name, groups->items[i].front, groups->items[i].length) &&
            strcmp(groups->items[i].rule, rule) == 0)
            return &groups->items[i];
    return NULL;
}

static void find_cover_groups(struct cover_groups *groups, const struct plan *plan, const uint32_t *wanted,
                              const char *const *broken)
{
    for (size_t i = 0; i < plan->count; i++) {
        const char *name = plan->cases[i].name;
        if (!expect_cover_fails(wanted[i]) || !*broken[i])
            continue;
        struct cover_group *group = find_cover_group(groups, name, broken[i]);
        if (!group) {
            size_t length = case_name_next_front(name, 0);
            bool whole = !has_unknown(plan, wanted, name, length);
            length = whole ? length : case_name_next_front(name, length);
            group = &groups->items[groups->count++];
            *group = (struct cover_group){.front = name,
                                          .length = length,
                                          .rule = broken[i],
                                          .first = i,
                                          .whole = whole,
                                          .allowed = whole || !has_unknown(plan, wanted, name, length)};
        }
        group->statuses |= wanted[i];
        group->failing++;
        groups->of_case[i] = (size_t)(group - groups->items) + 1;
    }
    for (size_t i = 0; i < plan->count; i++) { /* failures that other lines of the file decide */
        struct cover_group *group = wanted[i] == COVER_FORBIDDEN && *broken[i]
                                        ? find_cover_group(groups, plan->cases[i].name, broken[i])
                                        : NULL;
        if (group)
            group->allowed = false;
    }
}

/* Returns true if the operator of the case tests the rule, though none of its failures breaks it. */
static bool is_sound(struct cover_groups *groups, const char *name, const char *rule, const char *tested,
                     uint32_t wanted)
{
    return (expect_cover_fails(wanted) || (wanted & COVER_PASSES)) && strcmp(tested, rule) == 0 &&
           !find_cover_group(groups, name, rule);
}

/* Merges the groups that break the rule of one, if they may have a line about all operators. */
static void merge_groups(struct cover_groups *groups, const struct cover_group *one, const struct plan *plan,
                         const uint32_t *wanted, const char *const *tested, const char *const *broken)
{
    size_t operators = 0;
    for (size_t i = 0; i < groups->count; i++)
        operators += groups->items[i].chosen && groups->items[i].whole && strcmp(groups->items[i].rule, one->rule) == 0;
    if (operators < OPERATORS_MIN)
        return;
    for (size_t i = 0; i < plan->count; i++)
        if (wanted[i] == COVER_UNKNOWN || (wanted[i] == COVER_FORBIDDEN && strcmp(broken[i], one->rule) == 0) ||
            is_sound(groups, plan->cases[i].name, one->rule, tested ? tested[i] : "", wanted[i]))
            return;
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->items[i].rule, one->rule) == 0)
            groups->items[i].chosen = groups->items[i].merged = true;
}

/* Adds the line of a group, or of all that it is merged with. */
static void add_rule_line(struct cover_groups *groups, struct cover_group *group, struct expect_cover *rules)
{
    struct expect_cover_line *line = &rules->lines[rules->count++];
    *line = (struct expect_cover_line){.broken = pool_string(&rules->pool, group->rule), .first = group->first};
    line->pattern = group->merged ? pool_string(&rules->pool, "*")
                                  : pool_format(&rules->pool, "%.*s", (int)group->length, group->front);
    for (struct cover_group *each = groups->items; each < groups->items + groups->count; each++)
        if (each == group || (group->merged && each->merged && strcmp(each->rule, group->rule) == 0)) {
            line->statuses |= each->statuses;
            line->failing += each->failing;
            each->written = true;
        }
}

void expect_cover_by_rule(const struct plan *plan, const uint32_t *wanted, const char *const *tested,
                          const char *const *broken, const struct expect_cover *names, struct expect_cover *rules,
                          bool *covered)
{
    struct cover_groups groups = {.items = calloc(plan->count + 1, sizeof *groups.items),
                                  .of_case = calloc(plan->count + 1, sizeof *groups.of_case)};
    if (groups.items && groups.of_case)
        find_cover_groups(&groups, plan, wanted, broken);
    for (size_t i = 0; i < names->count && groups.count > 0; i++) {
        size_t group = groups.of_case[names->lines[i].first];
        if (group > 0)
            groups.items[group - 1].lines++;
    }
    for (size_t i = 0; i < groups.count; i++)
        groups.items[i].chosen = groups.items[i].allowed && groups.items[i].lines > 1;
    for (size_t i = 0; i < groups.count; i++)
        if (groups.items[i].chosen && !groups.items[i].merged)
            merge_groups(&groups, &groups.items[i], plan, wanted, tested, broken);
    for (size_t i = 0; i < plan->count && groups.count > 0; i++)
        covered[i] = groups.of_case[i] > 0 && groups.items[groups.of_case[i] - 1].chosen;
    for (size_t i = 0; i < groups.count; i++)
        if (groups.items[i].chosen && !groups.items[i].written)
            add_rule_line(&groups, &groups.items[i], rules);
    free(groups.items);
    free(groups.of_case);
}
