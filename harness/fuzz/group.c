/* Groups findings by cause. If a device accepts an illegal description, the rules say which one it ignores. If it
 * rejects legal ones, the rule is inferred: one with a limit at which all descriptions are rejected and none is
 * accepted. */
#include "harness/fuzz/search.h"

#include "harness/fuzz/weigh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fuzz_group *group_add(struct fuzz_search *search, const struct fuzz_group *group, struct error *error)
{
    struct fuzz_group *groups = realloc(search->groups, (search->group_count + 1) * sizeof *groups);
    if (!groups) {
        error_set(error, EXIT_HARNESS, "out of memory");
        return NULL;
    }
    search->groups = groups;
    groups[search->group_count] = *group;
    groups[search->group_count].minimum = group->original;
    return &groups[search->group_count++];
}

/* ---- wrong rejections */

enum { CANDIDATES_MAX = FUZZ_ATOMS * FUZZ_SLOTS };

/* The wrong rejections of an operator that are kept, each once. */
struct candidates {
    const struct fuzz_tally *tally;
    const struct fuzz_finding *items[CANDIDATES_MAX];
    bool grouped[CANDIDATES_MAX];
    int count;
};

/* The evidence that a rule explains the candidates that are not grouped yet. */
struct explanation {
    int rule;
    int covered;     /* candidates that it explains */
    uint64_t weight; /* the largest find_limit() of these */
};

static bool explains(const struct fuzz_tally *tally, int atom, int slot)
{
    return tally->rejected[atom][slot] > 0 && tally->accepted[atom][slot] == 0;
}

/* Finds the slot of the rule that the finding occupies and at which everything was rejected; among several, the one
 * with most rejections. Returns twice their number, 1 more if the slot is a limit; 0: there is no such slot. */
static uint64_t find_limit(const struct fuzz_tally *tally, int rule, const struct fuzz_finding *finding, int *atom,
                           int *at)
{
    uint64_t max = 0;
    for (int i = tally->rules.first_atom[rule]; i < tally->rules.first_atom[rule] + tally->rules.atom_count[rule]; i++)
        for (unsigned slots = fuzz_slots(&tally->rules, i, &finding->desc); slots; slots &= slots - 1) {
            int slot = __builtin_ctz(slots);
            uint64_t weight = 2 * tally->rejected[i][slot] + fuzz_slot_is_limit(&tally->rules, i, slot);
            if (!explains(tally, i, slot) || weight <= max)
                continue;
            max = weight;
            *atom = i;
            *at = slot;
        }
    return max;
}

static void list_candidates(struct candidates *c)
{
    for (int i = 0; i < CANDIDATES_MAX; i++) {
        const struct fuzz_finding *item = c->tally->rejects[i / FUZZ_SLOTS][i % FUZZ_SLOTS];
        bool known = !item;
        for (int j = 0; j < c->count && !known; j++)
            known = c->items[j]->position == item->position;
        if (!known)
            c->items[c->count++] = item;
    }
}

static struct explanation weigh_rule(const struct candidates *c, int rule)
{
    struct explanation e = {.rule = rule};
    for (int i = 0; i < c->count; i++) {
        int atom, slot;
        uint64_t weight = c->grouped[i] ? 0 : find_limit(c->tally, rule, c->items[i], &atom, &slot);
        e.covered += weight > 0;
        e.weight = weight > e.weight ? weight : e.weight;
    }
    return e;
}

static bool group_is_better(const struct explanation *a, const struct explanation *b)
{
    return a->covered != b->covered ? a->covered > b->covered : a->weight > b->weight;
}

/* Lists other rules that explain as much, which cannot be told apart from outside. */
static void list_also(const struct candidates *c, const struct explanation *best, char *text, size_t size)
{
    size_t used = 0;
    for (fuzz_broken rest = c->tally->rules.all; rest; rest &= rest - 1) {
        struct explanation e = weigh_rule(c, __builtin_ctzll(rest));
        if (e.rule != best->rule && e.covered == best->covered && e.weight / 2 == best->weight / 2 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     c->tally->rules.spec->rules[e.rule].id);
    }
    if (used >= size)
        memcpy(text + size - 4, "…", 4);
}

/* Makes a group of the candidates that a rule explains, or, if the rule is -1, of those that none explains. */
static int take_group(struct fuzz_search *search, unsigned op, struct candidates *c, const struct explanation *e,
                      struct error *error)
{
    struct fuzz_group group = {
        .verdict = FUZZ_WRONG_REJECT, .op = op, .rule = e->rule, .count = e->weight / 2, .atom = -1, .slot = -1};
    const struct fuzz_finding *lightest = NULL;
    if (e->rule >= 0)
        list_also(c, e, group.also, sizeof group.also);
    for (int i = 0; i < c->count; i++) {
        int atom = -1, slot = -1;
        if (c->grouped[i] || (e->rule >= 0 && !find_limit(c->tally, e->rule, c->items[i], &atom, &slot)))
            continue;
        c->grouped[i] = true;
        group.count += e->rule < 0;
        if (lightest) {
            struct fuzz_weight old = fuzz_weigh(&c->tally->rules, &lightest->desc, 0),
                               new = fuzz_weigh(&c->tally->rules, &c->items[i]->desc, 0);
            if (!fuzz_lighter(&new, &old))
                continue;
        }
        lightest = c->items[i];
        group.atom = atom;
        group.slot = slot;
    }
    group.original = *lightest;
    return group_add(search, &group, error) ? 0 : (int)error->status;
}

/* Groups by as few rules as possible, greedily. */
static int group_rejects(struct fuzz_search *search, unsigned op, struct error *error)
{
    struct candidates *c = calloc(1, sizeof *c);
    int result = c ? 0 : error_set(error, EXIT_HARNESS, "out of memory"), left = 0;
    if (c) {
        c->tally = search->tallies[op];
        list_candidates(c);
        left = c->count;
    }
    while (result == 0 && left > 0) {
        struct explanation best = {.rule = -1, .covered = 0};
        for (fuzz_broken rest = c->tally->rules.all; rest; rest &= rest - 1) {
            struct explanation e = weigh_rule(c, __builtin_ctzll(rest));
            best = group_is_better(&e, &best) ? e : best;
        }
        left -= best.rule < 0 ? left : best.covered;
        result = take_group(search, op, c, &best, error);
    }
    free(c);
    return result;
}

/* ---- all */

void fuzz_group_clear(struct fuzz_search *search)
{
    free(search->groups);
    search->groups = NULL;
    search->group_count = 0;
}

bool fuzz_group_is_failure(const struct fuzz_search *search, const struct fuzz_group *group)
{
    const struct rule *rule = group->rule < 0 ? NULL : &search->config->specs->specs[group->op].rules[group->rule];
    return group->verdict != FUZZ_WRONG_ACCEPT || !rule || rule->strength != STRENGTH_SOFT;
}

/* Returns true if findings with this verdict also occur with legal descriptions, so that the broken rules are
 * irrelevant. */
static bool is_independent_of_rules(const struct fuzz_tally *tally, enum fuzz_verdict verdict)
{
    return (verdict == FUZZ_HARMED || verdict == FUZZ_WRONG_RESULT) && tally->findings[verdict][0].count > 0;
}

static int group_findings(struct fuzz_search *search, unsigned op, enum fuzz_verdict verdict, struct error *error)
{
    const struct fuzz_tally *tally = search->tallies[op];
    struct fuzz_group *first = NULL;
    for (int rule = -1; rule < FUZZ_RULES; rule++) {
        const struct fuzz_finding *finding = &tally->findings[verdict][rule + 1];
        const struct fuzz_group group = {.verdict = verdict,
                                         .op = op,
                                         .rule = rule,
                                         .count = finding->count,
                                         .atom = -1,
                                         .slot = -1,
                                         .original = *finding};
        if (first && is_independent_of_rules(tally, verdict))
            first->count += finding->count;
        else if (finding->count && !(first = group_add(search, &group, error)))
            return (int)error->status;
    }
    return 0;
}

int fuzz_group_all(struct fuzz_search *search, struct error *error)
{
    int result = 0;
    for (unsigned op = 0; op < (unsigned)search->config->specs->count && result == 0; op++) {
        for (int verdict = 0; search->tallies[op] && verdict < FUZZ_VERDICTS && result == 0; verdict++)
            result = group_findings(search, op, (enum fuzz_verdict)verdict, error);
        if (search->tallies[op] && result == 0)
            result = group_rejects(search, op, error);
    }
    return result;
}
