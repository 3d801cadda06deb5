#include "harness/run/expect.h"

#include "harness/run/expect_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HINTS_MAX = 5 }; /* stale lines with a "did you mean": if there are more, they are hardly typing errors */

/* ---- which line decides */

/* Returns the index of the line that decides a name, whatever the result, + 1; 0: none. */
static uint32_t expect_decide(const struct expect *e, const char *name)
{
    return e->applying.count ? patterns_last(&e->applying, name) : 0;
}

/* Adds the number of cases of the plan that each line decides to `decided`; the first is that of cases without a line.
 * A line with a broken rule may decide each case that its pattern matches. */
static void expect_count(const struct expect *e, const struct plan *plan, size_t *decided)
{
    for (size_t i = 0; i < plan->count; i++) {
        decided[expect_decide(e, plan->cases[i].name)]++;
        for (size_t j = 0; j < e->by_rule_count; j++)
            decided[e->by_rule[j] + 1] += plan_matches(e->lines[e->by_rule[j]].pattern, plan->cases[i].name);
    }
}

void expect_use(struct expect *e, const struct plan *plan, const struct expect_device *device)
{
    const char **items = pool_alloc(&e->pool, (e->count + 1) * sizeof *items);
    e->by_rule = pool_alloc(&e->pool, (e->count + 1) * sizeof *e->by_rule);
    e->by_rule_count = 0;
    e->of_case = pool_alloc(&e->pool, (plan->count + 1) * sizeof *e->of_case);
    for (uint32_t i = 0; i < e->count; i++) {
        struct expect_line *line = &e->lines[i];
        line->decided = line->judged = line->failing = line->met = 0;
        line->shared = false;
        line->applies = line->pattern && expect_section_holds(&e->sections[line->section], device);
        items[i] = line->applies && !line->broken ? line->pattern : NULL;
        if (line->applies && line->broken)
            e->by_rule[e->by_rule_count++] = i;
    }
    patterns_free(&e->applying);
    if (!patterns_index(&e->applying, items, e->count))
        e->applying.count = 0;
    for (size_t i = 0; i < plan->count && e->applying.count; i++) {
        e->of_case[i] = expect_decide(e, plan->cases[i].name);
        if (e->of_case[i])
            e->lines[e->of_case[i] - 1].decided++;
    }
    for (size_t j = 0; j < e->by_rule_count; j++)
        for (size_t i = 0; i < plan->count; i++)
            e->lines[e->by_rule[j]].decided += plan_matches(e->lines[e->by_rule[j]].pattern, plan->cases[i].name);
}

void expect_use_shard(struct expect *e, const struct plan *whole)
{
    size_t *decided = calloc(e->count + 1, sizeof *decided);
    if (decided)
        expect_count(e, whole, decided);
    for (size_t i = 0; i < e->count && decided; i++)
        e->lines[i].shared = decided[i + 1] > e->lines[i].decided;
    free(decided);
}

struct expect_line *expect_find(const struct expect *e, const char *name)
{
    uint32_t line = expect_decide(e, name);
    return line ? &e->lines[line - 1] : NULL;
}

struct expect_line *expect_of_case(const struct expect *e, size_t index)
{
    return e->of_case && e->of_case[index] ? &e->lines[e->of_case[index] - 1] : NULL;
}

/* ---- judging */

static bool expect_has_failure(uint32_t statuses)
{
    bool any = false;
    for (int status = 0; status < STATUS_COUNT; status++)
        any |= (statuses >> status & 1) && status_is_failure((enum status)status);
    return any;
}

struct expect_line *expect_of_result(const struct expect *e, size_t index, const char *name, uint32_t statuses,
                                     const char *broken)
{
    struct expect_line *line = expect_of_case(e, index);
    if (!broken || !*broken || !expect_has_failure(statuses))
        return line;
    for (size_t i = e->by_rule_count; i-- > 0;) {
        struct expect_line *other = &e->lines[e->by_rule[i]];
        if (line && other < line)
            break;
        if (strcmp(other->broken, broken) == 0 && plan_matches(other->pattern, name))
            return other;
    }
    return line;
}

bool expect_is_fixed(const struct expect_line *line, size_t judged, size_t failing)
{
    return (line->statuses >> STATUS_PASS & 1) && expect_has_failure(line->statuses) && judged > 1 && failing == 0;
}

/* Returns true if the line applies to cases, and no case of the run was as the line says, or all cases that it expects
 * to fail pass now. */
static bool is_in_doubt(const struct expect_line *line)
{
    return line->applies && !line->of_search && (line->met == 0 || expect_is_fixed(line, line->judged, line->failing));
}

bool expect_skips(const struct expect *e, size_t index, char *why, size_t size)
{
    const struct expect_line *line = expect_of_case(e, index);
    if (!line || line->statuses != EXPECT_SKIP)
        return false;
    snprintf(why, size, "%s (%s:%u)", line->reason, line->file, line->number);
    return true;
}

bool expect_allows(const struct expect_line *line, uint32_t statuses)
{
    return line && (statuses & ~line->statuses) == 0;
}

void expect_statuses(uint32_t statuses, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int status = 0; status < STATUS_COUNT && used < size; status++)
        if (statuses >> status & 1)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", status_name((enum status)status));
}

void expect_judge(struct expect *e, size_t index, struct record *record)
{
    struct expect_line *line = expect_of_result(e, index, record->case_name, record->statuses, record->broken);
    char expected[128];
    bool first = !record->kept; /* the record is judged again when its turn comes */
    bool judged = EXPECT_STATUSES >> record->verdict.status & 1;
    for (size_t i = 0; i < e->by_rule_count && first && judged; i++)
        e->lines[e->by_rule[i]].judged += plan_matches(e->lines[e->by_rule[i]].pattern, record->case_name);
    if (line && line->statuses == EXPECT_SKIP)
        line->met += first;
    if (!line || line->statuses == EXPECT_SKIP || !judged)
        return;
    line->judged += first && !line->broken;
    line->failing += first && expect_has_failure(record->statuses);
    line->met += first && (record->statuses & line->statuses) != 0;
    record->reason = line->reason;
    record->standing = expect_allows(line, record->statuses) ? STANDING_EXPECTED : STANDING_UNEXPECTED;
    if (record->standing == STANDING_EXPECTED)
        return;
    expect_statuses(line->statuses, expected, sizeof expected);
    const char *ended = record->message;
    if (!*ended && record->verdict.status == STATUS_PASS)
        ended = "passed";
    snprintf(e->message, sizeof e->message, "%s; expected %s (%s:%u)", ended, expected, line->file, line->number);
    record->message = e->message;
}

/* ---- stale lines */

bool expect_in_doubt(const struct expect *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (is_in_doubt(&e->lines[i]))
            return true;
    return false;
}

/* Finds the lines, also of other devices, whose patterns match a case of a plan. The caller frees the result, which has
 * an entry per line. Null: out of memory. */
static bool *find_matching(const struct expect *e, const struct plan *plan, const struct plan *others)
{
    const char **items = calloc(e->count + 1, sizeof *items);
    bool *matching = items ? calloc(e->count + 1, sizeof *matching) : NULL;
    struct patterns patterns = {0};
    for (size_t i = 0; i < e->count && matching; i++)
        items[i] = e->lines[i].of_search ? NULL : e->lines[i].pattern;
    bool indexed = matching && patterns_index(&patterns, items, e->count);
    for (size_t i = 0; i < plan->count && indexed; i++)
        patterns_mark(&patterns, plan->cases[i].name, matching);
    for (size_t i = 0; others && i < others->count && indexed; i++)
        patterns_mark(&patterns, others->cases[i].name, matching);
    patterns_free(&patterns);
    free(items);
    if (!indexed) {
        free(matching);
        matching = NULL;
    }
    return matching;
}

/* Counts the cases that each line decides; the first number is that of the cases that no line decides. Null: out of
 * memory. */
static size_t *count_decided(const struct expect *e, const struct plan *plan, size_t *decided)
{
    if (!decided)
        decided = calloc(e->count + 1, sizeof *decided);
    if (decided)
        expect_count(e, plan, decided);
    return decided;
}

size_t expect_undecided(const struct expect *e, const struct plan *plan, const char **patterns)
{
    size_t count = 0, *decided = count_decided(e, plan, NULL);
    for (size_t i = 0; i < e->count && decided; i++)
        if (is_in_doubt(&e->lines[i]) && decided[i + 1] == 0)
            patterns[count++] = e->lines[i].pattern;
    free(decided);
    return count;
}

size_t expect_unmatched(const struct expect *e, const struct plan *plan, const char **patterns)
{
    size_t count = 0;
    bool *matching = find_matching(e, plan, NULL);
    for (size_t i = 0; i < e->count && matching; i++)
        if (e->lines[i].pattern && !e->lines[i].of_search && !matching[i]) /* a section has none */
            patterns[count++] = e->lines[i].pattern;
    free(matching);
    return count;
}

/* Describes the problem of a line that was not met and decides `decided` cases of the whole plan. False: none. */
static bool expect_explain(const struct expect_line *line, const struct plan *whole, bool matches, size_t decided,
                           bool hint, char *text, size_t size)
{
    char statuses[128], near[256] = "";
    if (decided == 0 && !matches) {
        if (hint && !strpbrk(line->pattern, "*?"))
            plan_nearest(whole, line->pattern, near, sizeof near);
        snprintf(text, size, "no case matches '%s'%s%s%s", line->pattern, *near ? "; did you mean " : "", near,
                 *near ? "?" : "");
        return true;
    }
    if (decided == 0) {
        snprintf(text, size, "later lines decide all cases that '%s' matches", line->pattern);
        return true;
    }
    expect_statuses(line->statuses, statuses, sizeof statuses);
    if (line->met > 0) {
        snprintf(text, size, "all %zu cases that '%s' decides pass now; none failed", line->judged, line->pattern);
        return !line->shared;
    }
    if (line->broken)
        snprintf(text, size, "none of the %zu cases that '%s' matches broke %s and ended as %s", line->judged,
                 line->pattern, line->broken, statuses);
    else
        snprintf(text, size, "none of the %zu cases that '%s' decides ended as %s", line->judged, line->pattern,
                 statuses);
    return line->judged > 0 && !line->shared;
}

size_t expect_stale(const struct expect *e, const struct plan *whole, const struct plan *others, bool lenient,
                    void (*report)(void *context, const struct expect_line *line, const char *what), void *context)
{
    size_t stale = 0, *decided = count_decided(e, whole, NULL);
    bool *matching = find_matching(e, whole, others);
    char text[700];
    if (decided && others)
        count_decided(e, others, decided);
    for (size_t i = 0; i < e->count && decided && matching; i++) {
        const struct expect_line *line = &e->lines[i];
        if (!is_in_doubt(line) || (lenient && line->found && decided[i + 1] == 0) ||
            !expect_explain(line, whole, matching[i], decided[i + 1], stale < HINTS_MAX, text, sizeof text))
            continue;
        report(context, line, text);
        stale++;
    }
    free(matching);
    free(decided);
    return stale;
}
