#include "harness/run/causes_internal.h"

#include "harness/base/text.h"
#include "harness/load/load.h"
#include "harness/trial/explain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Copies a message without the parts that differ from case to case: numbers, and the names of tensors. */
static char *generalised(const char *message)
{
    char *text = strdup(message), *to = text;
    for (const char *at = message; text && *at;) {
        size_t word = 0;
        while (isalnum((unsigned char)at[word]) || at[word] == '_')
            word++;
        bool tensor = word >= 6 && strncmp(at + word - 6, "Tensor", 6) == 0;
        bool number = word > 0 && isdigit((unsigned char)*at);
        if (tensor || number) {
            *to++ = '#';
            at += word;
        } else if (word) {
            memmove(to, at, word);
            to += word;
            at += word;
        } else {
            *to++ = *at++;
        }
    }
    if (text)
        *to = '\0';
    return text;
}

static char *causes_key_of(const struct record *record)
{
    char text[1400];
    if (record->verdict.cause == CAUSE_RESULT) {
        snprintf(text, sizeof text, "result %s %s", record->operator_name, record_text(record->broken));
        return strdup(text);
    }
    char *message = generalised(record->message);
    if (message && record->verdict.cause == CAUSE_CRASH)
        /* The touched address and the printed text differ from case to case. */
        message[strcspn(message, "(;")] = '\0';
    snprintf(text, sizeof text, "%s %.1200s", cause_name(record->verdict.cause), message ? message : "");
    free(message);
    return strdup(text);
}

/* Returns the index of an operator; adds a new operator. */
static size_t causes_find_operator(struct causes *causes, const char *name)
{
    size_t i = 0;
    while (i < causes->operator_count && strcmp(causes->operators[i], name) != 0)
        i++;
    if (i < causes->operator_count)
        return i;
    char **operators = realloc(causes->operators, (i + 1) * sizeof *operators), *copy = strdup(name);
    causes->operators = operators ? operators : causes->operators;
    causes->failed |= !operators || !copy;
    if (!operators || !copy) {
        free(copy);
        return 0;
    }
    causes->operators[i] = copy;
    return causes->operator_count++;
}

void causes_add(struct causes *causes, const struct record *record, size_t number)
{
    bool failure = record_is_failure(record);
    if (!failure && (record->verdict.status != STATUS_WARN || record->standing == STANDING_EXPECTED))
        return;
    if (causes->count == causes->room) {
        size_t room = causes->room ? causes->room * 2 : 64;
        struct cause_item *items = realloc(causes->items, room * sizeof *items);
        causes->failed |= !items;
        if (!items)
            return;
        causes->items = items;
        causes->room = room;
    }
    struct cause_item *item = &causes->items[causes->count++];
    *item = (struct cause_item){.number = number,
                                .warning = !failure,
                                .cause = record->verdict.cause,
                                .explanations = record->symptoms.diagnosis.explanations,
                                .explanation = record->symptoms.diagnosis.cause,
                                .evidence = record->symptoms.diagnosis.wrong_elements,
                                .name = strdup(record->case_name),
                                .broken = strdup(record_text(record->broken)),
                                .tensor = strdup(record->symptoms.wrong.tensor),
                                .operator_index = causes_find_operator(causes, record->operator_name),
                                .message = strdup(record->message),
                                .reproduce = strdup(record->reproduce),
                                .shared = strdup(record->symptoms.diagnosis.shared),
                                .key = causes_key_of(record)};
    causes->failed |= !item->name || !item->broken || !item->tensor || !item->message || !item->reproduce ||
                      !item->shared || !item->key;
}

void causes_free(struct causes *causes)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause_item *item = &causes->items[i];
        char *const texts[] = {item->name,      item->broken, item->tensor, item->message,
                               item->reproduce, item->shared, item->key};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            free(texts[t]);
    }
    for (size_t i = 0; i < causes->operator_count; i++)
        free(causes->operators[i]);
    free(causes->operators);
    free(causes->items);
    *causes = (struct causes){0};
}

/* ---- which failures belong together */

static bool is_open(const struct grouping *g, size_t item)
{
    return g->of[item] == 0 && g->causes->items[item].warning == g->warnings;
}

static bool causes_holds(const struct grouping *g, size_t item, int explanation)
{
    return explanation_is_in(&g->causes->items[item].explanations, (enum explanation)explanation);
}

/* Returns the explanation that explains most of the open items, and among equals the one that the judge took for the
 * cause of most; EXPLAIN_COUNT if none explains any. One that only describes the wrong elements must explain twice as
 * many as one that predicts them. */
static enum explanation best_explanation(const struct grouping *g, const explanation_set *banned)
{
    uint64_t counts[EXPLAIN_COUNT] = {0};
    int best = EXPLAIN_COUNT;
    for (size_t i = 0; i < g->causes->count; i++)
        for (int e = 0; e < EXPLAIN_COUNT && is_open(g, i); e++)
            if (causes_holds(g, i, e) && !explanation_is_in(banned, (enum explanation)e))
                counts[e] += ((uint64_t)1 << 32) + (g->causes->items[i].explanation == e);
    for (int e = 0; e < EXPLAIN_COUNT; e++) {
        bool weak = explanation_is_observed((enum explanation)e) && best < EXPLAIN_COUNT &&
                    !explanation_is_observed((enum explanation)best);
        uint64_t needed = best < EXPLAIN_COUNT ? counts[best] : 0;
        if (counts[e] > 0 && (weak ? counts[e] >> 32 >= 2 * (needed >> 32) : counts[e] > needed))
            best = e;
    }
    return (enum explanation)best;
}

/* Returns true if an explanation is more than a coincidence. Many cases have one wrong element, which many mistakes
 * predict: then the mistake must explain a large part of the wrong results of its operators. These include results that
 * are in a group, unless some cases have many wrong elements: a coincidence is likelier than a second mistake. */
static bool is_credible(const struct grouping *g, enum explanation explanation)
{
    enum { EVIDENCE = 4, STRONG = 8, STRONG_CASES = 3 };
    uint64_t explained = 0, others = 0, grouped = 0, evidence = 0, strong = 0, results = 0;
    bool observed = explanation_is_observed(explanation), predicted = false;
    /* The operators with items that the explanation explains. */
    bool *concerned = calloc(g->causes->operator_count + 1, sizeof *concerned);
    for (size_t i = 0; concerned && i < g->causes->count; i++)
        if (is_open(g, i) && causes_holds(g, i, (int)explanation))
            concerned[g->causes->items[i].operator_index] = true;
    for (size_t i = 0; concerned && i < g->causes->count; i++) {
        const struct cause_item *item = &g->causes->items[i];
        results += item->cause == CAUSE_RESULT;
        if (item->warning != g->warnings || item->cause != CAUSE_RESULT || !concerned[item->operator_index])
            continue;
        if (!causes_holds(g, i, (int)explanation)) {
            others += is_open(g, i);
            grouped += !is_open(g, i);
        } else if (is_open(g, i)) {
            explained++;
            predicted |= explanations_predict(&item->explanations);
            strong += item->evidence >= STRONG;
            evidence += item->evidence < STRONG ? item->evidence : STRONG;
        }
    }
    free(concerned);
    if (strong < STRONG_CASES)
        others += grouped;
    const bool several = explained >= 2 || results == 1, most = explained >= 2 * others;
    /* A result that warns is near the right one, or any result is right: so many mistakes predict it, and it has much
     * in common by chance. */
    if (observed) /* a mistake that predicts so few elements is as likely as a description of them */
        return (g->warnings ? most : explained * 2 >= others) && (!predicted || evidence >= EVIDENCE);
    return (strong >= STRONG_CASES && (most || !g->warnings)) || (several && most && evidence >= EVIDENCE);
}

static void group_by_explanation(struct grouping *g)
{
    explanation_set banned = {{0}};
    enum explanation e;
    while ((e = best_explanation(g, &banned)) != EXPLAIN_COUNT) {
        explanation_add(&banned, e);
        if (!is_credible(g, e))
            continue;
        g->explanations[++g->groups] = e;
        for (size_t i = 0; i < g->causes->count; i++)
            if (is_open(g, i) && causes_holds(g, i, (int)e))
                g->of[i] = g->groups;
    }
}

static size_t causes_size_of(const struct grouping *g, size_t group)
{
    size_t size = 0;
    for (size_t i = 0; i < g->causes->count; i++)
        size += g->of[i] == group;
    return size;
}

/* Returns true if some failure of the group is of the operator. */
static bool causes_has_operator(const struct grouping *g, size_t group, size_t operator)
{
    for (size_t i = 0; i < g->causes->count; i++)
        if (g->of[i] == group && g->causes->items[i].operator_index == operator)
            return true;
    return false;
}

/* Returns true if the group names a mistake that predicts its results. */
static bool causes_is_predicted(const struct grouping *g, size_t group)
{
    return g->explanations[group] != EXPLAIN_COUNT && !explanation_is_observed(g->explanations[group]);
}

/* Moves the items of small groups to the largest group, which counts them as not explained by it. An explanation of
 * very few failures beside a large group is more likely a coincidence than a second fault. Wrong results that nothing
 * explains move, too, if there are not many; so do results that an explanation only describes, if the largest group
 * predicts its own. */
static void fold_small_groups(struct grouping *g, size_t first)
{
    enum { SMALL = 20, SMALL_UNPREDICTED = 3 };
    size_t largest = 0, largest_size = 0;
    for (size_t group = first; group <= g->groups; group++) {
        size_t size = causes_size_of(g, group);
        if (g->explanations[group] != EXPLAIN_COUNT && size > largest_size) {
            largest = group;
            largest_size = size;
        }
    }
    for (size_t group = first; group <= g->groups; group++) {
        bool described = g->explanations[group] != EXPLAIN_COUNT && !causes_is_predicted(g, group);
        bool unpredicted = g->explanations[group] == EXPLAIN_COUNT || (described && causes_is_predicted(g, largest));
        size_t factor = unpredicted ? SMALL_UNPREDICTED : SMALL;
        bool small = group != largest && causes_size_of(g, group) * factor <= largest_size;
        for (size_t i = 0; i < g->causes->count && small; i++)
            small = g->of[i] != group || (g->causes->items[i].cause == CAUSE_RESULT &&
                                          causes_has_operator(g, largest, g->causes->items[i].operator_index));
        for (size_t i = 0; i < g->causes->count && small; i++)
            if (g->of[i] == group) {
                g->of[i] = largest;
                g->folded[i] = true;
            }
    }
}

static void group_by_key(struct grouping *g)
{
    for (size_t i = 0; i < g->causes->count; i++) {
        if (!is_open(g, i))
            continue;
        g->explanations[++g->groups] = EXPLAIN_COUNT;
        for (size_t j = g->causes->count; j-- > i;)
            if (is_open(g, j) && strcmp(g->causes->items[i].key, g->causes->items[j].key) == 0)
                g->of[j] = g->groups;
    }
}

/* Splits unexplained groups as long as properties separate their cases. */
static void split_groups(struct grouping *g, const struct cause_names *names, size_t case_count, size_t first)
{
    size_t *numbers = calloc(g->causes->count + 1, sizeof *numbers),
           *items = calloc(g->causes->count + 1, sizeof *items);
    bool *apart = calloc(g->causes->count + 1, sizeof *apart);
    for (size_t group = first; numbers && items && apart && group <= g->groups; group++) {
        size_t count = 0;
        for (size_t i = 0; i < g->causes->count && g->explanations[group] == EXPLAIN_COUNT; i++)
            if (g->of[i] == group && g->causes->items[i].cause == CAUSE_RESULT &&
                g->causes->items[i].number < case_count) {
                items[count] = i;
                numbers[count++] = g->causes->items[i].number;
            }
        if (causes_split(names, numbers, count, apart) == 0)
            continue;
        g->explanations[++g->groups] = EXPLAIN_COUNT;
        for (size_t i = 0; i < count; i++)
            if (apart[i])
                g->of[items[i]] = g->groups;
        group--; /* the rest may be of several faults, too */
    }
    free(numbers);
    free(items);
    free(apart);
}

/* ---- all groups */

static int causes_by_size(const void *a, const void *b)
{
    const struct cause_group *x = a, *y = b;
    if (x->warnings != y->warnings)
        return x->warnings - y->warnings;
    if (x->cases != y->cases)
        return (x->cases < y->cases) - (x->cases > y->cases);
    return strcmp(x->first_case, y->first_case);
}

/* Notes the group of each item, once the groups have their order. */
static void note_groups(const struct grouping *g, const struct cause_group *groups, size_t count)
{
    size_t *places = calloc(g->groups + 1, sizeof *places); /* places by number */
    g->causes->failed |= !places;
    for (size_t i = 0; places && i < count; i++)
        places[groups[i].number] = i + 1;
    for (size_t i = 0; places && i < g->causes->count; i++)
        g->causes->items[i].group = g->folded[i] ? 0 : places[g->of[i]];
    free(places);
}

size_t causes_group(struct causes *causes, struct cause_case *cases, size_t case_count, struct cause_group **groups)
{
    struct grouping g = {.causes = causes};
    size_t done = 0;
    bool *in = calloc(case_count + 1, sizeof *in);
    struct cause_names *names = causes->count > 0 && case_count > 0 ? causes_names_new(cases, case_count) : NULL;
    g.of = calloc(causes->count + 1, sizeof *g.of);
    g.folded = calloc(causes->count + 1, sizeof *g.folded);
    g.explanations = calloc(causes->count + 1, sizeof *g.explanations);
    *groups = NULL;
    for (int warnings = 0; warnings < 2 && g.of && g.folded && g.explanations && !causes->failed; warnings++) {
        g.warnings = warnings;
        size_t first = g.groups + 1;
        group_by_explanation(&g);
        group_by_key(&g);
        if (names)
            split_groups(&g, names, case_count, first);
        fold_small_groups(&g, first);
        struct cause_group *larger = in ? realloc(*groups, (g.groups + 1) * sizeof *larger) : NULL;
        *groups = larger ? larger : *groups;
        for (; larger && done < g.groups; done++) {
            larger[done] = (struct cause_group){.cases = 0};
            causes_describe(&g, done + 1, &larger[done]);
            larger[done].number = done + 1;
            memset(in, 0, case_count * sizeof *in);
            for (size_t i = 0; i < causes->count; i++)
                if (g.of[i] == done + 1 && !g.folded[i] && causes->items[i].number < case_count)
                    in[causes->items[i].number] = true;
            if (names)
                causes_separate(&larger[done], names, in, causes->seed);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; *groups && i < g.groups; i++)
        if ((*groups)[i].cases > 0)
            (*groups)[kept++] = (*groups)[i];
    if (*groups)
        qsort(*groups, kept, sizeof **groups, causes_by_size);
    if (*groups)
        note_groups(&g, *groups, kept);
    causes_names_free(names);
    free(in);
    free(g.of);
    free(g.folded);
    free(g.explanations);
    return *groups ? kept : 0;
}

bool causes_member(const struct causes *causes, size_t *next, const char **case_name, size_t *group)
{
    while (*next < causes->count && causes->items[*next].group == 0)
        ++*next;
    if (*next == causes->count)
        return false;
    *case_name = causes->items[*next].name;
    *group = causes->items[*next].group - 1;
    return true;
}
