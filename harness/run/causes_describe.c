/* Describes and prints a group of failures. */
#include "harness/run/causes_internal.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* Writes the texts of the items of a group to `out`, each once, the most frequent first, and only the first few.
 * `folded`: also those of items that the group does not explain. */
static void list_texts(const struct grouping *g, size_t group, size_t member, bool folded, char *out, size_t size)
{
    enum { TEXTS_MAX = 16, SHOWN = 4 };
    const char *texts[TEXTS_MAX];
    uint64_t counts[TEXTS_MAX] = {0};
    size_t count = 0, used = 0, shown = 0;
    for (size_t i = 0; i < g->causes->count; i++) {
        const char *text = *(char *const *)((const char *)&g->causes->items[i] + member);
        size_t t = 0;
        if (g->of[i] != group || (g->folded[i] && !folded) || !*text)
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

/* Appends the sentences of a set of explanations: the first three. */
static void append_sentences(const explanation_set *set, char *text, size_t size)
{
    enum { SENTENCES_MAX = 3 };
    int count = 0;
    for (int e = 0; e < EXPLAIN_COUNT; e++) {
        size_t used = strlen(text);
        if (!explanation_is_in(set, (enum explanation)e))
            continue;
        if (count < SENTENCES_MAX)
            snprintf(text + used, size - used, "%s%s", count ? "; or " : "", explanation_sentence((enum explanation)e));
        count++;
    }
    size_t used = strlen(text);
    if (count > SENTENCES_MAX)
        snprintf(text + used, size - used, "; or one of %d others that predict the same", count - SENTENCES_MAX);
}

/* Names the chosen explanation and, if it predicts, all others that predict and hold for the same cases: nothing tells
 * them apart. An explanation that only describes the wrong elements is true beside any of them, and so is one that says
 * less than a known mistake. */
static void name_explanations(enum explanation chosen, const explanation_set *all, struct cause_group *group)
{
    explanation_set set = {{0}};
    size_t length = 0;
    explanation_add(&set, chosen);
    for (int i = 0; i < EXPLAIN_COUNT && !explanation_is_observed(chosen); i++) {
        const enum explanation e = (enum explanation)i;
        if (explanation_is_in(all, e) && !explanation_is_observed(e) &&
            (explanation_is_known(e) || !explanation_is_known(chosen)))
            explanation_add(&set, e);
    }
    for (int i = 0; i < EXPLAIN_COUNT && length < sizeof group->name; i++)
        if (explanation_is_in(&set, (enum explanation)i))
            length += (size_t)snprintf(group->name + length, sizeof group->name - length, "%s%s", length ? "|" : "",
                                       explanation_name((enum explanation)i));
    append_sentences(&set, group->title, sizeof group->title);
}

static void name_unexplained(const char *shared, const explanation_set *all, struct cause_group *group)
{
    strcpy(group->name, "unexplained");
    snprintf(group->title, sizeof group->title, "unexplained wrong results%s%s", *shared ? ": " : "", shared);
    if (!explanations_are_none(all)) {
        strcat(group->title, "; too few to tell, but these would fit: ");
        append_sentences(all, group->title, sizeof group->title);
    }
}

void causes_describe(const struct grouping *g, size_t number, struct cause_group *group)
{
    const struct cause_item *first = NULL;
    bool same_shared = true;
    explanation_set all;
    memset(&all, 0xff, sizeof all);
    for (size_t i = 0; i < g->causes->count; i++) {
        const struct cause_item *item = &g->causes->items[i];
        if (g->of[i] != number)
            continue;
        if (g->folded[i]) {
            group->besides++;
            continue;
        }
        group->cases++;
        explanations_intersect(&all, &item->explanations);
        first = first ? first : item;
        same_shared &= strcmp(first->shared, item->shared) == 0;
    }
    if (!first)
        return;
    group->warnings = g->warnings;
    group->first_case = first->name;
    group->reproduce = first->reproduce;
    list_texts(g, number, offsetof(struct cause_item, broken), true, group->broken, sizeof group->broken);
    list_texts(g, number, offsetof(struct cause_item, tensor), false, group->tensors, sizeof group->tensors);
    if (g->explanations[number] != EXPLAIN_COUNT) {
        name_explanations(g->explanations[number], &all, group);
    } else if (first->cause == CAUSE_RESULT) {
        name_unexplained(same_shared ? first->shared : "", &all, group);
    } else {
        char message[sizeof group->title - 40];
        const char *name = *cause_name(first->cause) ? cause_name(first->cause) : "flaky"; /* its last attempt passed */
        text_visible(message, sizeof message, first->message);
        snprintf(group->name, sizeof group->name, "%s", name);
        snprintf(group->title, sizeof group->title, "%s: %s", name, message);
    }
}

/* ---- printing */

static void causes_describe_print_part(FILE *out, const char *indent, const char *key, const char *text)
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
        causes_describe_print_part(out, indent, "broken", group->broken);
        causes_describe_print_part(out, indent, "tensors", group->tensors);
        if (*group->where) {
            fprintf(out, "%s         %-9s  all ", indent, "where");
            text_print(out, group->where);
            fprintf(out, "; none of the others: %" PRIu64 " of the %" PRIu64 " such cases\n", group->cases,
                    group->such);
        }
        if (group->besides > 0)
            fprintf(out, "%s         %-9s  %" PRIu64 " more failures of these operators, which that does not explain\n",
                    indent, "besides", group->besides);
        causes_describe_print_part(out, indent, "first", group->reproduce);
    }
}

void causes_print_json(FILE *out, const struct cause_group *group)
{
    const struct {
        const char *key, *text;
    } texts[] = {{"cause", group->name},      {"title", group->title}, {"broken", group->broken},
                 {"tensors", group->tensors}, {"where", group->where}, {"reproduce", group->reproduce}};
    fprintf(out, "\"kind\":\"%s\",\"cases\":%" PRIu64 ",\"besides\":%" PRIu64 ",\"such\":%" PRIu64,
            group->warnings ? "warning" : "failure", group->cases, group->besides, group->such);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(out, ",\"%s\":", texts[i].key);
        text_print_json(out, texts[i].text);
    }
}
