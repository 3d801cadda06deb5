#include "harness/results/trace.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    const struct trace *trace;
    FILE *out;
    int problems;
};

__attribute__((format(printf, 3, 4))) static void problem(struct checker *check, const struct carrier *carrier,
                                                          const char *format, ...)
{
    static const char *const kinds[] = {"rule ", "behaviour ", "", ""};
    char name[CARRIER_NAME];
    va_list arguments;
    if (carrier)
        fprintf(check->out, "%s: %s%s: ", carrier->spec->name, kinds[carrier->kind], carrier_name(carrier, name));
    va_start(arguments, format);
    vfprintf(check->out, format, arguments);
    va_end(arguments);
    fputc('\n', check->out);
    check->problems++;
}

/* ---- sentences */

static void check_sentence(struct checker *check, const struct spec *spec, int number)
{
    const struct spec_sentences *s = &spec->sentences;
    int informative = source_count_number(s->informative, number);
    const struct carrier *found = NULL;
    char name[CARRIER_NAME];
    for (int i = 0; i < check->trace->count && !found; i++)
        if (source_has_sentence(check->trace->carriers[i].pages, s->page, number))
            found = &check->trace->carriers[i];
    if (!found && informative == 0)
        problem(check, NULL, "%s: sentence %s-%d is not classified: it has no carrier and is not informative",
                spec->name, s->page, number);
    else if (found && informative > 0)
        problem(check, NULL, "%s: sentence %s-%d is informative, but %s carries it", spec->name, s->page, number,
                carrier_name(found, name));
    else if (informative > 1)
        problem(check, NULL, "%s: sentence %s-%d is informative twice", spec->name, s->page, number);
}

/* Checks that the list of informative sentences consists of numbers and ranges of the page. */
static void check_informative(struct checker *check, const struct spec *spec)
{
    const struct spec_sentences *s = &spec->sentences;
    for (const char *at = s->informative; *(at += strspn(at, ", "));) {
        size_t length = strcspn(at, ", ");
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (end > at && strncmp(end, "..", 2) == 0)
            last = strtol(end + 2, &end, 10);
        if (end != at + length || first < s->first || last > s->last || last < first)
            problem(check, NULL, "%s: informative: '%.*s' is not a sentence of %s-%d to %d", spec->name, (int)length,
                    at, s->page, s->first, s->last);
        at += length;
    }
}

/* ---- sources */

/* Returns true if a word is "DML_NAME", a sentence of device.h, or a sentence or range of a page that some spec
 * lists. */
static bool is_source(const struct spec_set *set, const char *word, size_t length)
{
    char text[64];
    if (length >= sizeof text)
        return false;
    memcpy(text, word, length);
    text[length] = '\0';
    if (strncmp(text, "DML_", 4) == 0)
        return text[4 + strspn(text + 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
    for (int i = 0; i < set->sentence_count; i++)
        if (strcmp(set->sentences[i].id, text) == 0)
            return true;
    char *dash = strrchr(text, '-');
    if (!dash || !isdigit((unsigned char)dash[1]))
        return false;
    *dash = '\0';
    for (int i = 0; i < set->count; i++) {
        const struct spec_sentences *s = &set->specs[i].sentences;
        char *end;
        if (strcmp(s->page, text) != 0)
            continue;
        long first = strtol(dash + 1, &end, 10), last = first;
        if (strncmp(end, "..", 2) == 0)
            last = strtol(end + 2, &end, 10);
        return !*end && first >= s->first && last <= s->last && first <= last;
    }
    return false;
}

static void check_sources(struct checker *check, const struct carrier *carrier)
{
    const struct spec_set *set = check->trace->set;
    if (!*carrier->pages && !*carrier->ruling)
        problem(check, carrier, "has no page and no ruling as its source");
    for (const char *at = carrier->pages; *(at += strspn(at, ", "));) {
        size_t length = strcspn(at, ", ");
        if (!is_source(set, at, length))
            problem(check, carrier, "'%.*s' is not a sentence of a page", (int)length, at);
        at += length;
    }
    for (const char *at = carrier->ruling; *(at += strspn(at, ", ")) && set->ruling_count > 0;) {
        size_t length = strcspn(at, ", ");
        int i = 0;
        while (i < set->ruling_count &&
               (strlen(set->rulings[i].id) != length || strncmp(set->rulings[i].id, at, length) != 0))
            i++;
        if (i == set->ruling_count)
            problem(check, carrier, "'%.*s' is not a ruling", (int)length, at);
        at += length;
    }
}

static void check_cases(struct checker *check, const struct carrier *carrier)
{
    const unsigned *cases = carrier->cases;
    if (*carrier_untested(carrier))
        return;
    if (cases[EVIDENCE_POSITIVE] + cases[EVIDENCE_BOUNDARY] + cases[EVIDENCE_VIOLATING] == 0)
        problem(check, carrier, "no case tests it");
    else if (carrier->kind == CARRIER_RULE && cases[EVIDENCE_VIOLATING] == 0)
        problem(check, carrier, "no case violates it");
}

static void check_ruling(struct checker *check, const struct ruling *ruling)
{
    const struct carrier *found = NULL;
    char name[CARRIER_NAME];
    for (int i = 0; i < check->trace->count && !found; i++)
        if (source_has_name(check->trace->carriers[i].ruling, ruling->id))
            found = &check->trace->carriers[i];
    if (!found && !*ruling->unused)
        problem(check, NULL, "ruling %s: it has no carrier, and no reason is given", ruling->id);
    else if (found && *ruling->unused)
        problem(check, NULL, "ruling %s: marked as not applicable, but %s of %s carries it", ruling->id,
                carrier_name(found, name), found->spec->name);
}

/* ---- the interface */

static void check_interface(struct checker *check)
{
    const struct trace *trace = check->trace;
    for (int i = 0; i < trace->set->sentence_count; i++) {
        const struct sentence *sentence = &trace->set->sentences[i];
        const struct carrier *found = NULL;
        char name[CARRIER_NAME];
        for (int c = 0; c < trace->count && !found; c++)
            if (source_has_name(trace->carriers[c].pages, sentence->id))
                found = &trace->carriers[c];
        if (!found && !*sentence->exempt)
            problem(check, NULL, "INTERFACE: sentence %s is not classified: it has no carrier, and no word says why",
                    sentence->id);
        else if (found && *sentence->exempt)
            problem(check, NULL, "INTERFACE: sentence %s %s, but %s carries it", sentence->id, sentence->exempt,
                    carrier_name(found, name));
    }
}

int trace_check(const struct trace *trace, const int *ops, int count, bool whole, FILE *out)
{
    struct checker check = {.trace = trace, .out = out};
    for (int i = 0; i < count; i++) {
        const struct spec *spec = &trace->set->specs[ops[i]];
        if (spec_is_interface(spec))
            check_interface(&check);
        check_informative(&check, spec);
        for (int n = spec->sentences.first; n <= spec->sentences.last && *spec->sentences.page; n++)
            check_sentence(&check, spec, n);
        for (int c = 0; c < trace->count; c++)
            if (trace->carriers[c].spec == spec) {
                check_sources(&check, &trace->carriers[c]);
                check_cases(&check, &trace->carriers[c]);
            }
    }
    for (int i = 0; whole && i < trace->set->ruling_count; i++)
        check_ruling(&check, &trace->set->rulings[i]);
    return check.problems;
}
