/* This file has the table of explanations, sets of them, and their text in results. */
#include "harness/trial/explain.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *sentence, *rules;
    bool observed;
} infos[EXPLAIN_COUNT] = {
#define INFO_PREDICTED(identifier, name, sentence, rules) [EXPLAIN_##identifier] = {name, sentence, rules, false},
#define INFO_OBSERVED(identifier, name, sentence, rules) [EXPLAIN_##identifier] = {name, sentence, rules, true},
    EXPLANATIONS(INFO_PREDICTED, INFO_OBSERVED)};

_Static_assert(EXPLAIN_COUNT <= 64 * EXPLANATION_WORDS, "a set has a bit for each explanation");

const char *explanation_name(enum explanation explanation)
{
    if (explanation_is_known(explanation))
        return known_mistakes[explanation].changes ? known_mistakes[explanation].name : NULL;
    return infos[explanation].name;
}

const char *explanation_sentence(enum explanation explanation)
{
    return explanation_is_known(explanation) ? known_mistakes[explanation].sentence : infos[explanation].sentence;
}

const char *explanation_rules(enum explanation explanation)
{
    return explanation_is_known(explanation) || explanation == EXPLAIN_COUNT ? "" : infos[explanation].rules;
}

bool explanation_is_observed(enum explanation explanation)
{
    return infos[explanation].observed;
}

enum explanation explanation_find(const char *name, size_t length)
{
    int e = 0;
    for (; e < EXPLAIN_COUNT; e++) {
        const char *other = explanation_name((enum explanation)e);
        if (other && strlen(other) == length && memcmp(other, name, length) == 0)
            break;
    }
    return (enum explanation)e;
}

bool explanations_predict(const explanation_set *set)
{
    bool some = false;
    for (int e = 0; e < EXPLAIN_COUNT; e++)
        some |= explanation_is_in(set, (enum explanation)e) && !infos[e].observed;
    return some;
}

bool explanations_are_none(const explanation_set *set)
{
    uint64_t any = 0;
    for (int i = 0; i < EXPLANATION_WORDS; i++)
        any |= set->words[i];
    return any == 0;
}

void explanations_intersect(explanation_set *set, const explanation_set *other)
{
    for (int i = 0; i < EXPLANATION_WORDS; i++)
        set->words[i] &= other->words[i];
}

static size_t append_name(char *text, size_t used, int explanation)
{
    const char *name = explanation_name((enum explanation)explanation);
    if (used + strlen(name) + 2 < EXPLANATIONS_SIZE)
        used += (size_t)sprintf(text + used, "%s%s", used ? ", " : "", name);
    return used;
}

const char *explanations_print(const struct diagnosis *diagnosis, char text[EXPLANATIONS_SIZE])
{
    size_t used = 0;
    *text = '\0';
    if (explanation_is_in(&diagnosis->explanations, (enum explanation)diagnosis->cause))
        used = append_name(text, used, diagnosis->cause);
    for (int e = 0; e < EXPLAIN_COUNT; e++)
        if (explanation_is_in(&diagnosis->explanations, (enum explanation)e) && e != diagnosis->cause)
            used = append_name(text, used, e);
    return text;
}

void explanations_parse(const char *text, struct diagnosis *diagnosis)
{
    bool first = true; /* it is the cause */
    diagnosis->explanations = (explanation_set){{0}};
    while (*text) {
        size_t length = strcspn(text, ", ");
        enum explanation e = explanation_find(text, length);
        if (e < EXPLAIN_COUNT) {
            diagnosis->cause = first ? (uint16_t)e : diagnosis->cause;
            explanation_add(&diagnosis->explanations, e);
            first = false;
        }
        text += length;
        text += strspn(text, ", ");
    }
}
