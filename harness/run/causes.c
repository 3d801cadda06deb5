#include "harness/run/causes_internal.h"

#include "harness/base/text.h"
#include "harness/trial/explain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One failure or warning. */
struct cause_item {
    size_t number; /* of its case */
    bool warning;
    enum cause cause;
    uint64_t explanations;
    char *name, *broken, *tensor, *operator_name, *message, *reproduce, *shared;
    char *key;    /* what groups it if no explanation does */
    size_t group; /* 0: none yet */
};

/* Copies a message without what differs from case to case: numbers, and the names of tensors. */
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

static char *key_of(const struct record *record)
{
    char text[1400];
    if (record->cause == CAUSE_RESULT)
        return strdup("result");
    char *message = generalised(record->message);
    if (message && record->cause == CAUSE_CRASH)
        message[strcspn(message, "(;")] = '\0'; /* what was touched, or printed, differs from case to case */
    snprintf(text, sizeof text, "%s %.1200s", cause_name(record->cause), message ? message : "");
    free(message);
    return strdup(text);
}

void causes_add(struct causes *causes, const struct record *record, size_t number)
{
    bool failure = record_is_failure(record);
    if (!failure && (record->status != STATUS_WARN || record->standing == STANDING_EXPECTED))
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
                                .cause = record->cause,
                                .explanations = explanations_parse(record_text(record->explanations)),
                                .name = strdup(record->case_name),
                                .broken = strdup(record_text(record->broken)),
                                .tensor = strdup(record->wrong.tensor),
                                .operator_name = strdup(record->operator_name),
                                .message = strdup(record->message),
                                .reproduce = strdup(record->reproduce),
                                .shared = strdup(record_text(record->shared)),
                                .key = key_of(record)};
    causes->failed |= !item->name || !item->broken || !item->tensor || !item->operator_name || !item->message ||
                      !item->reproduce || !item->shared || !item->key;
}

void causes_free(struct causes *causes)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause_item *item = &causes->items[i];
        char *const texts[] = {item->name,    item->broken,    item->tensor, item->operator_name,
                               item->message, item->reproduce, item->shared, item->key};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            free(texts[t]);
    }
    free(causes->items);
    *causes = (struct causes){0};
}

/* ---- which failures belong together */

struct grouping {
    const struct causes *causes;
    bool warnings;
    bool *folded;                   /* per item: its group does not explain it */
    size_t *of;                     /* per item: its group, from 1 on; 0: none yet */
    size_t groups;                  /* so far */
    enum explanation *explanations; /* per group; EXPLAIN_COUNT: none */
};

static bool is_open(const struct grouping *g, size_t item)
{
    return g->of[item] == 0 && g->causes->items[item].warning == g->warnings;
}

/* The explanation that explains most of the open items; EXPLAIN_COUNT if none explains any. One that only describes the
 * wrong elements must explain more than twice as many as one that predicts them. */
static enum explanation best_explanation(const struct grouping *g)
{
    uint64_t counts[EXPLAIN_COUNT] = {0};
    int best = EXPLAIN_COUNT;
    for (size_t i = 0; i < g->causes->count; i++)
        for (int e = 0; e < EXPLAIN_COUNT && is_open(g, i); e++)
            if (g->causes->items[i].explanations >> e & 1)
                counts[e] += explanation_is_observed((enum explanation)e) ? 1 : 2;
    for (int e = 0; e < EXPLAIN_COUNT; e++)
        if (counts[e] > 0 && (best == EXPLAIN_COUNT || counts[e] > counts[best]))
            best = e;
    return (enum explanation)best;
}

static void group_by_explanation(struct grouping *g)
{
    enum explanation e;
    while ((e = best_explanation(g)) != EXPLAIN_COUNT) {
        g->explanations[++g->groups] = e;
        for (size_t i = 0; i < g->causes->count; i++)
            if (is_open(g, i) && g->causes->items[i].explanations >> e & 1)
                g->of[i] = g->groups;
    }
}

static size_t size_of(const struct grouping *g, size_t group)
{
    size_t size = 0;
    for (size_t i = 0; i < g->causes->count; i++)
        size += g->of[i] == group;
    return size;
}

/* Whether some failure of the group is of the same operator. */
static bool has_operator(const struct grouping *g, size_t group, const char *operator_name)
{
    for (size_t i = 0; i < g->causes->count; i++)
        if (g->of[i] == group && strcmp(g->causes->items[i].operator_name, operator_name) == 0)
            return true;
    return false;
}

/* An explanation of very few failures beside a large group is more likely a coincidence than a second fault: these, and
 * wrong results that nothing explains, if there are not many, are counted with the largest group, as not explained by
 * it. */
static void fold_small_groups(struct grouping *g, size_t first)
{
    enum { SMALL = 20, SMALL_UNEXPLAINED = 3 };
    size_t largest = 0, largest_size = 0;
    for (size_t group = first; group <= g->groups; group++) {
        size_t size = size_of(g, group);
        if (g->explanations[group] != EXPLAIN_COUNT && size > largest_size) {
            largest = group;
            largest_size = size;
        }
    }
    for (size_t group = first; group <= g->groups; group++) {
        size_t factor = g->explanations[group] == EXPLAIN_COUNT ? SMALL_UNEXPLAINED : SMALL;
        bool small = group != largest && size_of(g, group) * factor <= largest_size;
        for (size_t i = 0; i < g->causes->count && small; i++)
            small = g->of[i] != group || (g->causes->items[i].cause == CAUSE_RESULT &&
                                          has_operator(g, largest, g->causes->items[i].operator_name));
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

/* ---- describing a group */

/* Appends the texts of the items of a group to `out`, each once, the most frequent first; at most `max`. */
static void list_texts(const struct grouping *g, size_t group, size_t member, char *out, size_t size)
{
    enum { TEXTS_MAX = 16, SHOWN = 4 };
    const char *texts[TEXTS_MAX];
    uint64_t counts[TEXTS_MAX] = {0};
    size_t count = 0, used = 0, shown = 0;
    for (size_t i = 0; i < g->causes->count; i++) {
        const char *text = *(char *const *)((const char *)&g->causes->items[i] + member);
        size_t t = 0;
        if (g->of[i] != group || g->folded[i] || !*text)
            continue;
        while (t < count && strcmp(texts[t], text) != 0)
            t++;
        if (t == count && count == TEXTS_MAX)
            continue;
        texts[t] = text;
        counts[t]++;
        count += t == count;
    }
    *out = '\0';
    for (; shown < SHOWN; shown++) {
        size_t best = count;
        for (size_t t = 0; t < count; t++)
            if (counts[t] > 0 && (best == count || counts[t] > counts[best]))
                best = t;
        if (best == count || used + strlen(texts[best]) + 8 > size)
            break;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", texts[best]);
        counts[best] = 0;
    }
    if (shown < count && used + 6 < size)
        snprintf(out + used, size - used, ", …");
}

static void describe(const struct grouping *g, size_t number, struct cause_group *group)
{
    const struct cause_item *first = NULL;
    bool same_shared = true;
    for (size_t i = 0; i < g->causes->count; i++) {
        if (g->of[i] != number)
            continue;
        if (g->folded[i]) {
            group->besides++;
            continue;
        }
        group->cases++;
        first = first ? first : &g->causes->items[i];
        same_shared &= strcmp(first->shared, g->causes->items[i].shared) == 0;
    }
    if (!first)
        return;
    group->warnings = g->warnings;
    group->first_case = first->name;
    group->reproduce = first->reproduce;
    list_texts(g, number, offsetof(struct cause_item, broken), group->broken, sizeof group->broken);
    list_texts(g, number, offsetof(struct cause_item, tensor), group->tensors, sizeof group->tensors);
    if (g->explanations[number] != EXPLAIN_COUNT) {
        group->name = explanation_name(g->explanations[number]);
        snprintf(group->title, sizeof group->title, "%s", explanation_sentence(g->explanations[number]));
    } else if (first->cause == CAUSE_RESULT) {
        group->name = "unexplained";
        snprintf(group->title, sizeof group->title, "unexplained wrong results%s%s",
                 same_shared && *first->shared ? ": " : "", same_shared ? first->shared : "");
    } else {
        group->name = cause_name(first->cause);
        char message[sizeof group->title - 40];
        text_visible(message, sizeof message, first->message);
        snprintf(group->title, sizeof group->title, "%s: %s", group->name, message);
    }
}

static int by_size(const void *a, const void *b)
{
    const struct cause_group *x = a, *y = b;
    if (x->warnings != y->warnings)
        return x->warnings - y->warnings;
    if (x->cases != y->cases)
        return (x->cases < y->cases) - (x->cases > y->cases);
    return strcmp(x->first_case, y->first_case);
}

size_t causes_group(const struct causes *causes, const struct cause_case *cases, size_t case_count,
                    struct cause_group **groups)
{
    struct grouping g = {.causes = causes};
    size_t done = 0;
    bool *in = calloc(case_count + 1, sizeof *in);
    g.of = calloc(causes->count + 1, sizeof *g.of);
    g.folded = calloc(causes->count + 1, sizeof *g.folded);
    g.explanations = calloc(causes->count + 1, sizeof *g.explanations);
    *groups = NULL;
    for (int warnings = 0; warnings < 2 && g.of && g.folded && g.explanations && !causes->failed; warnings++) {
        g.warnings = warnings;
        size_t first = g.groups + 1;
        group_by_explanation(&g);
        group_by_key(&g);
        fold_small_groups(&g, first);
        struct cause_group *larger = in ? realloc(*groups, (g.groups + 1) * sizeof *larger) : NULL;
        *groups = larger ? larger : *groups;
        for (; larger && done < g.groups; done++) {
            larger[done] = (struct cause_group){.name = ""};
            describe(&g, done + 1, &larger[done]);
            memset(in, 0, case_count * sizeof *in);
            for (size_t i = 0; i < causes->count; i++)
                if (g.of[i] == done + 1 && !g.folded[i] && causes->items[i].number < case_count)
                    in[causes->items[i].number] = true;
            if (case_count > 0)
                causes_separate(&larger[done], cases, in, case_count);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; *groups && i < g.groups; i++)
        if ((*groups)[i].cases > 0)
            (*groups)[kept++] = (*groups)[i];
    if (*groups)
        qsort(*groups, kept, sizeof **groups, by_size);
    free(in);
    free(g.of);
    free(g.folded);
    free(g.explanations);
    return *groups ? kept : 0;
}

/* ---- printing */

static void print_part(FILE *out, const char *indent, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "%s         %-9s  ", indent, key);
    text_print(out, text);
    putc('\n', out);
}

void causes_print(FILE *out, const char *indent, const struct cause_group *groups, size_t count)
{
    uint64_t totals[2] = {0}, numbers[2] = {0};
    for (size_t i = 0; i < count; i++) {
        totals[groups[i].warnings] += groups[i].cases + groups[i].besides;
        numbers[groups[i].warnings]++;
    }
    for (size_t i = 0; i < count; i++) {
        const struct cause_group *group = &groups[i];
        uint64_t total = totals[group->warnings], number = numbers[group->warnings];
        if (i == 0 || groups[i - 1].warnings != group->warnings) {
            fprintf(out, "%s%" PRIu64 " %s%s, ", indent, total, group->warnings ? "warning" : "failure",
                    total == 1 ? "" : "s");
            fprintf(out, number == 1 ? "one cause:\n" : "%" PRIu64 " causes:\n", number);
        }
        fprintf(out, "%s%7" PRIu64 "  ", indent, group->cases);
        text_print(out, group->title);
        putc('\n', out);
        print_part(out, indent, "broken", group->broken);
        print_part(out, indent, "tensors", group->tensors);
        if (*group->where) {
            fprintf(out, "%s         %-9s  all ", indent, "where");
            text_print(out, group->where);
            fprintf(out, ": %" PRIu64 " of the %" PRIu64 " such cases\n", group->cases, group->such);
        }
        if (group->besides > 0)
            fprintf(out, "%s         %-9s  %" PRIu64 " more failures of these operators, which that does not explain\n",
                    indent, "besides", group->besides);
        print_part(out, indent, "first", group->reproduce);
    }
}
