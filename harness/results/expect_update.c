#include "harness/results/expect_update.h"

#include "harness/results/expect_cover.h"
#include "harness/run/expect_internal.h"
#include "harness/base/text.h"

#include <string.h>

enum { MESSAGE_MAX = 160 };

/* The change that a line gets. */
enum action {
    KEEP,
    KEEP_PARTIAL, /* the line does not fit, but some of its cases are not known */
    REMOVE,
    RESTATUS, /* the line gets the statuses that its cases have now */
    SPLIT     /* lines about the failing cases of the line take its place */
};

/* The update for one device. */
struct update {
    struct expect *expect;
    const struct expect_run *run;
    const struct plan *plan;
    FILE *out;
    struct expect_changes *changes;
    const struct expect_line **of_case; /* by case: the line that decides it, with its result; null: none */
    uint32_t *wanted;                   /* by case: the argument of expect_cover_make() */
    enum action *actions;               /* the action for each line that applies */
    bool *moved; /* by line: it applies to several devices, but stays true for some: it goes to their sections */
};

/* Returns true if the case belongs to a tier that the run did not include. */
static bool is_of_other_tier(const struct update *u, size_t index)
{
    return u->run->statuses[index] == 0 && *u->plan->cases[index].tier;
}

static bool expect_update_has_failure(uint32_t statuses)
{
    bool any = false;
    for (int status = 0; status < STATUS_COUNT; status++)
        any |= (statuses >> status & 1) && status_is_failure((enum status)status);
    return any;
}

/* Returns the statuses of a case that an expectation file may list; 0: the case was not judged. */
static uint32_t judged(const struct update *u, size_t index)
{
    return u->run->statuses[index] & EXPECT_STATUSES;
}

/* Prints a line. `broken` null: it names no broken rule. */
static void print_expectation(struct update *u, const char *pattern, const char *broken, uint32_t statuses,
                              const char *reason)
{
    char words[128];
    expect_statuses(statuses, words, sizeof words);
    fprintf(u->out, "%s %s%s%s%s # ", pattern, broken ? "broken=" : "", broken ? broken : "", broken ? " " : "", words);
    text_print(u->out, reason);
    putc('\n', u->out);
}

/* ---- new lines */

/* Describes the failures of a line by the first: "new: 2 cases: wrong result (count): 1 of 4 elements are wrong". */
static void expect_update_describe(const struct update *u, const struct expect_cover_line *line, char *text,
                                   size_t size)
{
    const char *message = u->run->messages[line->first];
    const char *cause = u->run->causes ? u->run->causes[line->first] : "",
               *rule = u->run->rules ? u->run->rules[line->first] : "";
    rule = line->broken ? "" : rule; /* the line names the broken one */
    snprintf(text, size, EXPECT_NEW " %zu case%s: %s%s%s%s%s%.*s", line->failing, line->failing == 1 ? "" : "s", cause,
             *rule ? " (" : "", rule, *rule ? ")" : "", *cause || *rule ? ": " : "", MESSAGE_MAX,
             *message ? message : "no message");
}

/* Prints lines with the reason for the failing cases of `wanted`; null: their reasons are those of new failures. */
static size_t print_cover(struct update *u, const char *reason)
{
    struct expect_cover cover;
    char text[MESSAGE_MAX + 256];
    expect_cover_make(&cover, u->plan, u->wanted, u->run->rules, u->run->broken);
    for (size_t i = 0; i < cover.count; i++) {
        const struct expect_cover_line *line = &cover.lines[i];
        expect_update_describe(u, line, text, sizeof text);
        print_expectation(u, line->pattern, line->broken, line->statuses, reason ? reason : text);
        u->changes->passing += line->passing;
    }
    size_t count = cover.count;
    expect_cover_free(&cover);
    return count;
}

/* ---- lines */

/* The ends of the cases that a line decides. */
struct fit {
    size_t decided; /* number of cases; the next numbers count some of them */
    size_t unknown; /* not in the run */
    size_t failing, fitting, judged;
    uint32_t statuses; /* the statuses of all cases */
};

static struct fit fit_of(const struct update *u, const struct expect_line *line)
{
    struct fit fit = {0};
    size_t tiered = 0, of_other_tiers = 0;
    for (size_t i = 0; i < u->plan->count; i++) {
        bool may = line->broken && plan_matches(line->pattern, u->plan->cases[i].name); /* a failure would be its own */
        fit.unknown += may && u->run->statuses[i] == 0 && !is_of_other_tier(u, i);
        if (u->of_case[i] != line)
            continue;
        uint32_t statuses = judged(u, i);
        fit.decided++;
        of_other_tiers += is_of_other_tier(u, i);
        tiered += statuses && *u->plan->cases[i].tier;
        fit.unknown += u->run->statuses[i] == 0 && !is_of_other_tier(u, i);
        fit.judged += statuses != 0;
        fit.fitting += statuses != 0 && expect_allows(line, statuses);
        fit.failing += expect_update_has_failure(statuses);
        fit.statuses |= statuses;
    }
    fit.unknown += tiered ? of_other_tiers : 0; /* the run included tiers */
    return fit;
}

static enum action expect_update_choose(const struct expect_line *line, const struct fit *fit)
{
    bool exception = !expect_update_has_failure(line->statuses); /* exempts cases from earlier lines */
    if (line->of_search || (line->statuses == EXPECT_SKIP && fit->decided > 0))
        return KEEP;
    if (expect_is_fixed(line, fit->judged, fit->failing) && fit->unknown == 0)
        return REMOVE;
    if (line->broken && fit->decided == 0)
        return fit->unknown > 0 ? KEEP_PARTIAL : REMOVE;
    if (fit->decided > 0 && fit->fitting == fit->judged)
        return KEEP;
    if (fit->decided > 0 && fit->unknown > 0)
        return KEEP_PARTIAL;
    if (fit->decided > 0 && (exception || fit->failing == fit->judged))
        return RESTATUS;
    return fit->failing > 0 ? SPLIT : REMOVE;
}

static void count_action(struct expect_changes *changes, enum action action)
{
    changes->kept += action == KEEP || action == KEEP_PARTIAL;
    changes->partial += action == KEEP_PARTIAL;
    changes->removed += action == REMOVE;
    changes->changed += action == RESTATUS || action == SPLIT;
}

/* Returns the use of a case for patterns, by its statuses that an expectation file may list. */
static uint32_t cover_use(uint32_t statuses)
{
    if (expect_update_has_failure(statuses))
        return statuses;
    return statuses ? COVER_PASSES | statuses : COVER_FREE;
}

/* Prints lines about the cases of a line that fail. */
static void expect_update_split(struct update *u, const struct expect_line *line)
{
    for (size_t i = 0; i < u->plan->count; i++) {
        bool own = u->of_case[i] == line;
        uint32_t statuses = judged(u, i);
        u->wanted[i] = u->run->statuses[i] ? COVER_FORBIDDEN : COVER_UNKNOWN;
        if (own)
            u->wanted[i] = cover_use(statuses);
    }
    print_cover(u, line->reason);
}

/* Prints the lines that take the place of a line. */
static void act(struct update *u, const struct expect_line *line, enum action action)
{
    if (action == KEEP || action == KEEP_PARTIAL)
        fprintf(u->out, "%s\n", line->text);
    else if (action == RESTATUS)
        print_expectation(u, line->pattern, line->broken, fit_of(u, line).statuses, line->reason);
    else if (action == SPLIT)
        expect_update_split(u, line);
}

/* Returns true if a line decides all cases that it matches: it may then stand at the end. */
static bool decides_all(const struct update *u, const struct expect_line *line)
{
    for (size_t i = 0; i < u->plan->count && line->broken; i++)
        if (u->of_case[i] != line && strcmp(expect_run_broken(u->run, i), line->broken) == 0 &&
            plan_matches(line->pattern, u->plan->cases[i].name))
            return false;
    if (line->broken)
        return true;
    for (size_t i = 0; i < u->plan->count; i++)
        if (u->of_case[i] != line && plan_matches(line->pattern, u->plan->cases[i].name))
            return false;
    return true;
}

/* Updates one line for all devices that it applies to. If they disagree on it, it goes to sections of their own. */
static void update_line(struct update *updates, size_t count, size_t index)
{
    struct update *first = NULL;
    bool agree = true, partial = false;
    uint32_t statuses = 0;
    for (size_t i = 0; i < count; i++) {
        struct update *u = &updates[i];
        const struct expect_line *line = &u->expect->lines[index];
        if (!line->pattern || !line->applies)
            continue;
        const struct fit fit = fit_of(u, line);
        enum action action = u->actions[index] = expect_update_choose(line, &fit);
        agree &= !first || (first->actions[index] == action && action != SPLIT &&
                            (action != RESTATUS || statuses == fit.statuses));
        partial |= action == KEEP_PARTIAL;
        statuses = fit.statuses;
        first = first ? first : u;
    }
    for (size_t i = 0; i < count; i++) {
        struct update *u = &updates[i];
        if (!u->expect->lines[index].pattern || !u->expect->lines[index].applies)
            continue;
        if (partial) /* for the other devices, too: cases that are not known may disagree */
            u->actions[index] = u->actions[index] == KEEP ? KEEP : KEEP_PARTIAL;
        else if (!agree)
            u->moved[index] = u->actions[index] != REMOVE;
        count_action(u->changes, u->actions[index]);
    }
    if (!first)
        fprintf(updates->out, "%s\n", updates->expect->lines[index].text);
    else if (agree || partial)
        act(first, &first->expect->lines[index], partial ? KEEP : first->actions[index]);
}

/* ---- new failures */

/* Returns true if lines about one device may stand at the end of the file: its last section applies to this device, and
 * to no other of the update. */
static bool is_own_section(const struct update *updates, size_t count, size_t own, const struct expect_section *section)
{
    for (size_t i = 0; i < count; i++)
        if (expect_section_holds(section, &updates[i].run->device) != (i == own))
            return false;
    return true;
}

/* Prints a pattern that matches the text: '?' for each byte that has a meaning in the file or would begin a new line of
 * it, or that could control a terminal. */
static void expect_update_print_pattern(FILE *out, const char *text)
{
    while (*text) {
        uint32_t code;
        size_t length = text_sequence(text, &code);
        bool plain = length > 0 && !text_is_control(code) && !strchr(" []#", *text);
        for (size_t left = length ? length : 1; left > 0; left--, text++)
            putc(plain ? *text : '?', out);
    }
}

static void open_section(const struct update *u)
{
    fputs("[device=", u->out);
    expect_update_print_pattern(u->out, u->run->device.device);
    fputs("]\n", u->out);
}

/* Prints the lines that other devices made move here. */
static void add_moved(struct update *u)
{
    for (size_t i = 0; i < u->expect->count; i++) {
        const struct expect_line *line = &u->expect->lines[i];
        if (u->moved[i])
            act(u, line, decides_all(u, line) ? u->actions[i] : SPLIT);
    }
}

/* Sets `wanted` to the failures that no line decides. False: there are none. */
static bool want_new(struct update *u)
{
    bool any = false;
    for (size_t i = 0; i < u->plan->count; i++) {
        bool free_of_lines = u->of_case[i] == NULL;
        uint32_t statuses = judged(u, i);
        bool failing = free_of_lines && expect_update_has_failure(statuses);
        bool may = free_of_lines && !statuses && (u->run->statuses[i] || is_of_other_tier(u, i));
        u->wanted[i] = u->run->statuses[i] ? COVER_FORBIDDEN : COVER_UNKNOWN;
        if (free_of_lines && (statuses || may))
            u->wanted[i] = cover_use(statuses);
        any |= failing;
    }
    return any;
}

/* Returns true if no line expects the finding. */
static bool is_new_finding(const struct update *u, const struct expect_finding *finding)
{
    return !expect_allows(expect_find(u->expect, finding->name), finding->status);
}

static void add_findings(struct update *u)
{
    char text[MESSAGE_MAX + 64];
    for (size_t i = 0; i < u->run->finding_count; i++) {
        const struct expect_finding *finding = &u->run->findings[i];
        if (!is_new_finding(u, finding))
            continue;
        snprintf(text, sizeof text, EXPECT_NEW " found by the search: %.*s", MESSAGE_MAX, finding->message);
        print_expectation(u, finding->name, NULL, finding->status, text);
        u->changes->added++;
    }
}

/* Adds the lines of one device at the end. Returns true if there are any. */
static bool add_lines(struct update *u, bool in_section)
{
    bool any = want_new(u);
    for (size_t i = 0; i < u->run->finding_count; i++)
        any |= is_new_finding(u, &u->run->findings[i]);
    for (size_t i = 0; i < u->expect->count; i++)
        any |= u->moved[i];
    if (!any)
        return false;
    if (!in_section)
        open_section(u);
    add_moved(u);
    if (want_new(u))
        u->changes->added = print_cover(u, NULL);
    add_findings(u);
    return true;
}

void expect_update(struct expect *expects, const struct expect_run *runs, size_t count, const struct plan *plan,
                   FILE *out, struct expect_changes *changes)
{
    struct update updates[EXPECT_RUNS_MAX];
    for (size_t i = 0; i < count; i++) {
        struct pool *pool = &expects[i].pool;
        changes[i] = (struct expect_changes){0};
        expect_use(&expects[i], plan, &runs[i].device);
        updates[i] = (struct update){.expect = &expects[i],
                                     .run = &runs[i],
                                     .plan = plan,
                                     .out = out,
                                     .changes = &changes[i],
                                     .of_case = pool_alloc(pool, (plan->count + 1) * sizeof *updates->of_case),
                                     .wanted = pool_alloc(pool, (plan->count + 1) * sizeof *updates->wanted),
                                     .actions = pool_alloc(pool, (expects[i].count + 1) * sizeof *updates->actions),
                                     .moved = pool_alloc(pool, expects[i].count + 1)};
        for (size_t c = 0; c < plan->count; c++)
            updates[i].of_case[c] = expect_of_result(&expects[i], c, plan->cases[c].name, runs[i].statuses[c],
                                                     expect_run_broken(&runs[i], c));
    }
    for (size_t i = 0; i < expects->count; i++)
        update_line(updates, count, i);
    const struct expect_section *last = &expects->sections[expects->section_count - 1];
    bool opened = false;
    for (size_t i = 0; i < count; i++)
        opened |= add_lines(&updates[i], !opened && is_own_section(updates, count, i, last));
}
