#include "harness/results/expect_update.h"

#include "harness/run/expect_internal.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

/* What a new pattern must do about a case: not match it, match it or not, or match it with a set of statuses, which is
 * any other value. */
enum { MUST_NOT = 0, MAY = 1 << 30 };

struct update {
    struct expect *expect;
    const struct expect_run *run;
    const struct plan *plan;
    FILE *out;
    struct expect_changes *changes;
    uint32_t *sorted; /* case indices, in the order of compare_names() */
    uint32_t *wanted; /* by case: MUST_NOT, MAY, or the statuses to expect */
};

/* Compares names so that all names with a common front part are adjacent: the dot sorts before all other characters. */
static int compare_names(const void *a, const void *b, void *context)
{
    const struct plan *plan = context;
    const char *x = plan->cases[*(const uint32_t *)a].name, *y = plan->cases[*(const uint32_t *)b].name;
    while (*x && *x == *y)
        x++, y++;
    int left = *x == '.' ? 1 : (unsigned char)*x, right = *y == '.' ? 1 : (unsigned char)*y;
    return left - right;
}

/* Whether the case belongs to a tier that the run did not include. */
static bool is_of_other_tier(const struct update *u, size_t index)
{
    return u->run->statuses[index] == 0 && *u->plan->cases[index].tier;
}

static bool has_failure(uint32_t statuses)
{
    bool any = false;
    for (int status = 0; status < STATUS_COUNT; status++)
        any |= (statuses >> status & 1) && status_is_failure((enum status)status);
    return any;
}

/* The statuses of a case that an expectation file may list; 0: it was not judged. */
static uint32_t judged(const struct update *u, size_t index)
{
    return u->run->statuses[index] & EXPECT_STATUSES;
}

static void print_expectation(struct update *u, const char *pattern, size_t length, uint32_t statuses,
                              const char *reason, const char *message)
{
    char words[128];
    expect_statuses(statuses, words, sizeof words);
    fprintf(u->out, "%.*s %s # ", (int)length, pattern, words);
    text_print(u->out, reason);
    if (message) {
        putc(' ', u->out);
        text_print(u->out, *message ? message : "no message");
    }
    putc('\n', u->out);
}

/* ---- patterns: the shortest front parts of names that match no other case */

struct group {
    uint32_t statuses;  /* of the wanted cases; MAY: they differ */
    uint32_t first;     /* a wanted case */
    size_t wanted, may; /* numbers of cases */
    bool forbidden;     /* a case must not be matched */
};

/* Summarizes the cases sorted[low] to sorted[high - 1]. */
static struct group look_at(const struct update *u, size_t low, size_t high)
{
    struct group g = {0};
    for (size_t i = low; i < high; i++) {
        uint32_t wanted = u->wanted[u->sorted[i]];
        g.forbidden |= wanted == MUST_NOT;
        g.may += wanted == MAY;
        if (wanted == MUST_NOT || wanted == MAY)
            continue;
        if (g.wanted++ == 0) {
            g.first = u->sorted[i];
            g.statuses = wanted;
        } else if (g.statuses != wanted) {
            g.statuses = MAY;
        }
    }
    return g;
}

static const char *part_at(const struct update *u, size_t place, size_t length)
{
    const char *rest = u->plan->cases[u->sorted[place]].name + length;
    return rest + (*rest == '.');
}

/* Prints expectations for the wanted cases among sorted[low] to sorted[high - 1], which share the first `length` bytes
 * of their names. An empty `reason` stands for that of new failures. Returns the number of lines. */
static size_t print_groups(struct update *u, size_t low, size_t high, size_t length, const char *reason)
{
    struct group g = look_at(u, low, high);
    if (g.wanted == 0)
        return 0;
    const char *name = u->plan->cases[g.first].name;
    const char *message = *reason ? NULL : u->run->messages[g.first], *why = *reason ? reason : EXPECT_NEW;
    if (g.wanted == 1) {
        print_expectation(u, name, strlen(name), g.statuses, why, message);
        return 1;
    }
    size_t printed = 0, parts = 0, low_part = low;
    bool whole = length > 0 && g.statuses != MAY && !g.forbidden && g.may <= g.wanted;
    for (size_t i = low + 1; i <= high; i++) { /* splits the range by the next part of the names */
        const char *part = part_at(u, low_part, length), *next = i < high ? part_at(u, i, length) : "";
        size_t size = strcspn(part, ".");
        if (i < high && strncmp(part, next, size) == 0 && (next[size] == '.' || next[size] == '\0'))
            continue;
        struct group below = whole ? look_at(u, low_part, i) : g;
        parts += below.wanted > 0;
        if (!whole || below.wanted == g.wanted)
            printed +=
                print_groups(u, low_part, i, (size_t)(part + size - u->plan->cases[u->sorted[low_part]].name), reason);
        low_part = i;
    }
    if (!whole || parts < 2)
        return printed;
    print_expectation(u, name, length, g.statuses, why, message);
    return 1;
}

/* ---- lines */

/* How the cases that a line decides ended. */
struct fit {
    size_t decided; /* number of cases; the following count some of them */
    size_t unknown; /* not in the run */
    size_t failing, fitting, judged;
    uint32_t statuses; /* of all cases */
};

static struct fit fit_of(const struct update *u, const struct expect_line *line)
{
    struct fit fit = {0};
    size_t tiered = 0, of_other_tiers = 0;
    for (size_t i = 0; i < u->plan->count; i++) {
        if (expect_of_case(u->expect, i) != line)
            continue;
        uint32_t statuses = judged(u, i);
        fit.decided++;
        of_other_tiers += is_of_other_tier(u, i);
        tiered += statuses && *u->plan->cases[i].tier;
        fit.unknown += u->run->statuses[i] == 0 && !is_of_other_tier(u, i);
        fit.judged += statuses != 0;
        fit.fitting += statuses != 0 && expect_allows(line, statuses);
        fit.failing += has_failure(statuses);
        fit.statuses |= statuses;
    }
    fit.unknown += tiered ? of_other_tiers : 0; /* the run included tiers */
    return fit;
}

static void keep(struct update *u, const struct expect_line *line)
{
    fprintf(u->out, "%s\n", line->text);
    u->changes->kept++;
}

/* Replaces a line by lines about those of its cases that still fail. */
static void split(struct update *u, const struct expect_line *line)
{
    for (size_t i = 0; i < u->plan->count; i++) {
        bool own = expect_of_case(u->expect, i) == line;
        uint32_t statuses = judged(u, i);
        u->wanted[i] = !own ? MUST_NOT : has_failure(statuses) ? statuses : statuses ? MUST_NOT : MAY;
    }
    print_groups(u, 0, u->plan->count, 0, line->reason);
    u->changes->changed++;
}

static void update_line(struct update *u, const struct expect_line *line)
{
    struct fit fit = fit_of(u, line);
    bool exception = !has_failure(line->statuses); /* exempts cases from earlier lines */
    if (fit.decided > 0 && fit.fitting == fit.judged) {
        keep(u, line);
    } else if (fit.decided > 0 && fit.unknown > 0) {
        u->changes->partial++;
        keep(u, line);
    } else if (fit.decided > 0 && (exception || fit.failing == fit.judged)) {
        print_expectation(u, line->pattern, strlen(line->pattern), fit.statuses, line->reason, NULL);
        u->changes->changed++;
    } else if (fit.failing > 0) {
        split(u, line);
    } else {
        u->changes->removed++;
    }
}

/* ---- new failures */

/* Begins a section for the device, unless the last section of the file applies to it. */
static void open_section(struct update *u)
{
    const struct expect *e = u->expect;
    if (expect_section_holds(&e->sections[e->section_count - 1], &u->run->device))
        return;
    fputs("[device=", u->out);
    for (const char *c = u->run->device.device; *c; c++)
        putc(strchr(" \t[]#", *c) ? '?' : *c, u->out);
    fputs("]\n", u->out);
}

static void add_new(struct update *u)
{
    bool any = false;
    for (size_t i = 0; i < u->plan->count; i++) {
        bool free_of_lines = expect_of_case(u->expect, i) == NULL;
        uint32_t statuses = judged(u, i);
        bool failing = free_of_lines && has_failure(statuses);
        bool may = free_of_lines && !statuses && (u->run->statuses[i] || is_of_other_tier(u, i));
        u->wanted[i] = failing ? statuses : may ? MAY : MUST_NOT;
        any |= failing;
    }
    if (!any)
        return;
    open_section(u);
    u->changes->added = print_groups(u, 0, u->plan->count, 0, "");
}

void expect_update(struct expect *expect, const struct expect_run *run, const struct plan *plan, FILE *out,
                   struct expect_changes *changes)
{
    struct update u = {.expect = expect, .run = run, .plan = plan, .out = out, .changes = changes};
    *changes = (struct expect_changes){0};
    expect_use(expect, plan, &run->device);
    u.sorted = pool_alloc(&expect->pool, (plan->count + 1) * sizeof *u.sorted);
    u.wanted = pool_alloc(&expect->pool, (plan->count + 1) * sizeof *u.wanted);
    for (uint32_t i = 0; i < plan->count; i++)
        u.sorted[i] = i;
    qsort_r(u.sorted, plan->count, sizeof *u.sorted, compare_names, (void *)(uintptr_t)plan);
    for (size_t i = 0; i < expect->count; i++) {
        const struct expect_line *line = &expect->lines[i];
        if (line->pattern && line->applies)
            update_line(&u, line);
        else
            fprintf(out, "%s\n", line->text);
    }
    add_new(&u);
}
