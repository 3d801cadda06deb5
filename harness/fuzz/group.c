/* Groups out of what was found. Where a device accepts what is illegal, the rules say which one it ignores. Where it
 * rejects what is legal, that is inferred: the limit at which descriptions lie that are rejected, and none that is
 * accepted. */
#include "harness/fuzz/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fuzz_group *add(struct fuzz_search *search, const struct fuzz_group *group, struct error *error)
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

/* The rejected ones of an operator that are kept, each once. */
struct candidates {
    const struct fuzz_tally *tally;
    const struct fuzz_finding *items[CANDIDATES_MAX];
    bool explained[CANDIDATES_MAX];
    int count;
};

/* How well a rule explains those that are left. */
struct explanation {
    int rule, covered;
    uint64_t weight; /* rejections at that limit of the rule which has most, doubled; 1 more if it is no range */
};

static bool explains(const struct fuzz_tally *tally, int place, int slot)
{
    return tally->rejected[place][slot] > 0 && tally->accepted[place][slot] == 0;
}

/* The limit of the rule at which the finding lies, and all was rejected; that of most rejections. 0: there is none. */
static uint64_t find_limit(const struct fuzz_tally *tally, int rule, const struct fuzz_finding *finding, int *place,
                           int *at)
{
    uint64_t max = 0;
    for (int i = tally->rules.first[rule]; i < tally->rules.first[rule] + tally->rules.places[rule]; i++)
        for (unsigned slots = fuzz_slots(&tally->rules, i, &finding->desc); slots; slots &= slots - 1) {
            int slot = __builtin_ctz(slots);
            uint64_t weight = 2 * tally->rejected[i][slot] + fuzz_slot_is_limit(&tally->rules, i, slot);
            if (!explains(tally, i, slot) || weight <= max)
                continue;
            max = weight;
            *place = i;
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
        int place, slot;
        uint64_t weight = c->explained[i] ? 0 : find_limit(c->tally, rule, c->items[i], &place, &slot);
        e.covered += weight > 0;
        e.weight = weight > e.weight ? weight : e.weight;
    }
    return e;
}

static bool is_better(const struct explanation *a, const struct explanation *b)
{
    return a->covered != b->covered ? a->covered > b->covered : a->weight > b->weight;
}

/* Other rules that explain as much: nothing tells them apart from outside. */
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

/* What the rule explains becomes a group; those that nothing explains if it is -1. */
static int take_group(struct fuzz_search *search, unsigned op, struct candidates *c, const struct explanation *e,
                      struct error *error)
{
    struct fuzz_group group = {
        .verdict = FUZZ_WRONG_REJECT, .op = op, .rule = e->rule, .count = e->weight / 2, .place = -1, .slot = -1};
    const struct fuzz_finding *lightest = NULL;
    if (e->rule >= 0)
        list_also(c, e, group.also, sizeof group.also);
    for (int i = 0; i < c->count; i++) {
        int place = -1, slot = -1;
        if (c->explained[i] || (e->rule >= 0 && !find_limit(c->tally, e->rule, c->items[i], &place, &slot)))
            continue;
        c->explained[i] = true;
        group.count += e->rule < 0;
        if (lightest) {
            struct fuzz_weight old = fuzz_weigh(&c->tally->rules, &lightest->desc, 0),
                               new = fuzz_weigh(&c->tally->rules, &c->items[i]->desc, 0);
            if (!fuzz_lighter(&new, &old))
                continue;
        }
        lightest = c->items[i];
        group.place = place;
        group.slot = slot;
    }
    group.original = *lightest;
    return add(search, &group, error) ? 0 : (int)error->status;
}

/* As few rules as explain all. */
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
            best = is_better(&e, &best) ? e : best;
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

/* What happens to legal descriptions, too, is no matter of rules. */
static bool is_beside_rules(const struct fuzz_tally *tally, enum fuzz_verdict verdict)
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
                                         .place = -1,
                                         .slot = -1,
                                         .original = *finding};
        if (first && is_beside_rules(tally, verdict))
            first->count += finding->count;
        else if (finding->count && !(first = add(search, &group, error)))
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
