/* Groups out of what was found. Where a device accepts what is illegal, the rules say which one it ignores. Where it
 * rejects what is legal, that is inferred: the limit at which descriptions lie that are rejected, and none that is
 * accepted. */
#include "harness/fuzz_hunt.h"

#include "harness/testcase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fuzz_group *add(struct fuzz_hunt *hunt, const struct fuzz_group *group, struct error *error)
{
    struct fuzz_group *groups = realloc(hunt->groups, (hunt->group_count + 1) * sizeof *groups);
    if (!groups) {
        error_set(error, EXIT_HARNESS, "out of memory");
        return NULL;
    }
    hunt->groups = groups;
    groups[hunt->group_count] = *group;
    return &groups[hunt->group_count++];
}

/* ---- wrong rejections */

struct explanation {
    int place, slot;
};

static bool explains(const struct fuzz_tally *tally, int place, int slot)
{
    return tally->rejects[place][slot] && tally->rejected[place][slot] > 0 && tally->accepted[place][slot] == 0;
}

static bool lies_at(const struct fuzz_tally *tally, const struct fuzz_finding *finding, int place, int slot)
{
    return fuzz_slots(&tally->rules, place, &finding->desc) >> slot & 1;
}

/* Of the limits at which all was rejected, that of most rejections which holds for the finding. False: there is none. */
static bool explain(const struct fuzz_tally *tally, const struct fuzz_finding *finding, struct explanation *out)
{
    uint64_t most = 0;
    for (int i = 0; i < tally->rules.count; i++)
        for (int slot = 0; slot < FUZZ_SLOTS; slot++)
            if (explains(tally, i, slot) && tally->rejected[i][slot] > most && lies_at(tally, finding, i, slot)) {
                most = tally->rejected[i][slot];
                *out = (struct explanation){i, slot};
            }
    return most > 0;
}

/* Other rules whose limits explain the same rejections: nothing tells them apart from outside. */
static void list_also(const struct fuzz_tally *tally, const struct explanation *e, char *text, size_t size)
{
    const struct fuzz_rules *rules = &tally->rules;
    uint64_t listed = 1ull << rules->rule[e->place];
    size_t used = 0;
    for (int i = 0; i < rules->count; i++)
        for (int slot = 0; slot < FUZZ_SLOTS; slot++) {
            if (listed >> rules->rule[i] & 1 || !explains(tally, i, slot) ||
                tally->rejected[i][slot] != tally->rejected[e->place][e->slot])
                continue;
            listed |= 1ull << rules->rule[i];
            used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s%s", used ? ", " : "",
                                     rules->spec->rules[rules->rule[i]].id);
        }
    if (used >= size)
        memcpy(text + size - 4, "\u2026", 4);
}

static struct fuzz_group *find_reject(struct fuzz_hunt *hunt, unsigned op, int rule)
{
    for (size_t i = 0; i < hunt->group_count; i++)
        if (hunt->groups[i].op == op && hunt->groups[i].rule == rule && hunt->groups[i].verdict == FUZZ_WRONG_REJECT)
            return &hunt->groups[i];
    return NULL;
}

static int group_reject(struct fuzz_hunt *hunt, unsigned op, const struct fuzz_finding *finding, struct error *error)
{
    const struct fuzz_tally *tally = hunt->tallies[op];
    struct explanation e = {-1, -1};
    bool known = explain(tally, finding, &e);
    int rule = known ? tally->rules.rule[e.place] : -1;
    struct fuzz_group *group = find_reject(hunt, op, rule);
    if (group && group->place == e.place && group->slot == e.slot) {
        struct fuzz_weight old = fuzz_weigh(&tally->rules, &group->original.desc, 0),
                           new = fuzz_weigh(&tally->rules, &finding->desc, 0);
        if (fuzz_lighter(&new, &old))
            group->original = *finding;
        return 0;
    }
    uint64_t count = known ? tally->rejected[e.place][e.slot] : 1;
    if (group) {
        group->count += count;
        return 0;
    }
    group = add(hunt,
                &(struct fuzz_group){.verdict = FUZZ_WRONG_REJECT,
                                     .op = op,
                                     .rule = rule,
                                     .count = count,
                                     .place = e.place,
                                     .slot = e.slot,
                                     .original = *finding},
                error);
    if (group && known)
        list_also(tally, &e, group->also, sizeof group->also);
    return group ? 0 : (int)error->status;
}

static int group_rejects(struct fuzz_hunt *hunt, unsigned op, struct error *error)
{
    const struct fuzz_tally *tally = hunt->tallies[op];
    int result = 0;
    for (int i = 0; i < tally->rules.count; i++)
        for (int slot = 0; slot < FUZZ_SLOTS && result == 0; slot++)
            if (tally->rejects[i][slot])
                result = group_reject(hunt, op, tally->rejects[i][slot], error);
    return result;
}

/* ---- all */

int fuzz_group_all(struct fuzz_hunt *hunt, struct error *error)
{
    int result = 0;
    for (unsigned op = 0; op < (unsigned)hunt->config->specs->count && result == 0; op++) {
        const struct fuzz_tally *tally = hunt->tallies[op];
        for (int i = 0; tally && i < FUZZ_VERDICTS * (FUZZ_RULES + 1) && result == 0; i++) {
            const struct fuzz_finding *finding = &tally->findings[i / (FUZZ_RULES + 1)][i % (FUZZ_RULES + 1)];
            const struct fuzz_group group = {.verdict = finding->verdict,
                                             .op = op,
                                             .rule = finding->rule,
                                             .count = finding->count,
                                             .place = -1,
                                             .slot = -1,
                                             .original = *finding};
            if (finding->count && !add(hunt, &group, error))
                result = (int)error->status;
        }
        if (tally && result == 0)
            result = group_rejects(hunt, op, error);
    }
    return result;
}
