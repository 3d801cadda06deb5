#include "harness/results/expect_update.h"

#include "harness/results/expect_cover.h"
#include "harness/run/expect_internal.h"
#include "harness/base/text.h"

#include <string.h>

enum { MESSAGE_MAX = 160 };

struct update {
    struct expect *expect;
    const struct expect_run *run;
    const struct plan *plan;
    FILE *out;
    struct expect_changes *changes;
    uint32_t *wanted; /* by case: for expect_cover_make() */
};

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

static void print_expectation(struct update *u, const char *pattern, uint32_t statuses, const char *reason)
{
    char words[128];
    expect_statuses(statuses, words, sizeof words);
    fprintf(u->out, "%s %s # ", pattern, words);
    text_print(u->out, reason);
    putc('\n', u->out);
}

/* ---- new lines */

/* What is wrong in the first case of a line: "new: wrong result (count): 1 of 4 elements are wrong". */
static void describe(const struct update *u, const struct expect_cover_line *line, char *text, size_t size)
{
    const char *message = u->run->messages[line->first];
    const char *cause = u->run->causes ? u->run->causes[line->first] : "",
               *rule = u->run->rules ? u->run->rules[line->first] : "";
    snprintf(text, size, EXPECT_NEW " %s%s%s%s%s%.*s", cause, *rule ? " (" : "", rule, *rule ? ")" : "",
             *cause || *rule ? ": " : "", MESSAGE_MAX, *message ? message : "no message");
}

/* Prints lines for the failing cases of `wanted`; null: their reasons are those of new failures. */
static size_t print_cover(struct update *u, const char *reason)
{
    struct expect_cover cover;
    char text[MESSAGE_MAX + 256];
    expect_cover_make(&cover, u->plan, u->wanted, u->run->rules);
    for (size_t i = 0; i < cover.count; i++) {
        const struct expect_cover_line *line = &cover.lines[i];
        describe(u, line, text, sizeof text);
        print_expectation(u, line->pattern, line->statuses, reason ? reason : text);
        u->changes->passing += line->passing;
    }
    size_t count = cover.count;
    expect_cover_free(&cover);
    return count;
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
        u->wanted[i] = !own                    ? COVER_FORBIDDEN
                       : has_failure(statuses) ? statuses
                       : statuses              ? COVER_PASSES | statuses
                                               : COVER_FREE;
    }
    print_cover(u, line->reason);
    u->changes->changed++;
}

static void update_line(struct update *u, const struct expect_line *line)
{
    struct fit fit = fit_of(u, line);
    bool exception = !has_failure(line->statuses); /* exempts cases from earlier lines */
    if (line->statuses == EXPECT_SKIP && fit.decided > 0) {
        keep(u, line);
    } else if (expect_is_fixed(line, fit.judged, fit.failing) && fit.unknown == 0) {
        u->changes->removed++;
    } else if (fit.decided > 0 && fit.fitting == fit.judged) {
        keep(u, line);
    } else if (fit.decided > 0 && fit.unknown > 0) {
        u->changes->partial++;
        keep(u, line);
    } else if (fit.decided > 0 && (exception || fit.failing == fit.judged)) {
        print_expectation(u, line->pattern, fit.statuses, line->reason);
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
    const struct expect_section *last = &e->sections[e->section_count - 1];
    if (expect_section_holds(last, &u->run->device) && (!u->run->alone_in_section || last->count > 0))
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
        u->wanted[i] = failing                     ? statuses
                       : may                       ? COVER_FREE
                       : free_of_lines && statuses ? COVER_PASSES | statuses
                                                   : COVER_FORBIDDEN;
        any |= failing;
    }
    if (!any)
        return;
    open_section(u);
    u->changes->added = print_cover(u, NULL);
}

void expect_update(struct expect *expect, const struct expect_run *run, const struct plan *plan, FILE *out,
                   struct expect_changes *changes)
{
    struct update u = {.expect = expect, .run = run, .plan = plan, .out = out, .changes = changes};
    *changes = (struct expect_changes){0};
    expect_use(expect, plan, &run->device);
    u.wanted = pool_alloc(&expect->pool, (plan->count + 1) * sizeof *u.wanted);
    for (size_t i = 0; i < expect->count; i++) {
        const struct expect_line *line = &expect->lines[i];
        if (line->pattern && line->applies)
            update_line(&u, line);
        else
            fprintf(out, "%s\n", line->text);
    }
    add_new(&u);
}
