#include "harness/cli/cmd_explain.h"
#include "harness/trial/explain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const subject_kinds[SUBJECT_KINDS] = {"rule",     "sentence", "page", "ruling", "sentence of device.h",
                                                  "operator", "mistake",  "case"};

/* ---- parts of the specs */

/* Returns true if the part has the name, as reports print it ("level 3_0"), or without its first word if no rule has
 * that shorter name. */
static bool explain_find_is_named(const struct spec *spec, enum carrier_kind kind, int index, const char *name)
{
    const struct carrier carrier = {.spec = spec, .kind = kind, .index = index};
    char own[CARRIER_NAME];
    const char *whole = carrier_name(&carrier, own), *space = strchr(whole, ' ');
    return strcmp(whole, name) == 0 || (space && strcmp(space + 1, name) == 0 && spec_find_rule(spec, name) < 0);
}

static bool has_part(const struct spec *spec, const char *name)
{
    bool has = spec_find_rule(spec, name) >= 0;
    for (int i = 0; i < spec->level_count && !has && !spec_is_interface(spec); i++)
        has = explain_find_is_named(spec, CARRIER_LEVEL, i, name);
    for (int i = 0; i < spec->example_count && !has; i++)
        has = explain_find_is_named(spec, CARRIER_EXAMPLE, i, name);
    return has;
}

/* Returns true if a list of sources has one of the subject's sentences. */
static bool explain_find_has_sentence(const char *list, const struct subject *subject)
{
    bool has = false;
    for (int n = subject->first; n <= subject->last && !has; n++)
        has = source_has_sentence(list, subject->page, n);
    return has;
}

static bool has_page(const struct subject *subject, const struct carrier *carrier)
{
    const struct spec *spec = carrier->spec;
    const struct spec_sentences *s = &spec->sentences;
    return source_has_name(carrier->pages, subject->page) || strcasecmp(spec->page, subject->page) == 0 ||
           (*s->page && strcmp(s->page, subject->page) == 0);
}

bool subject_has(const struct subject *subject, const struct carrier *carrier)
{
    if (subject->spec && subject->kind != SUBJECT_CASE && carrier->spec != subject->spec)
        return false;
    switch (subject->kind) {
    case SUBJECT_RULE:
        return explain_find_is_named(carrier->spec, carrier->kind, carrier->index, subject->name);
    case SUBJECT_SENTENCE:
        return explain_find_has_sentence(carrier->pages, subject);
    case SUBJECT_PAGE:
        return has_page(subject, carrier);
    case SUBJECT_RULING:
        return source_has_name(carrier->ruling, subject->id);
    case SUBJECT_INTERFACE:
        return source_has_name(carrier->pages, subject->id);
    case SUBJECT_OPERATOR:
        return true;
    case SUBJECT_MISTAKE:
        return carrier->kind == CARRIER_BEHAVIOUR &&
               source_has_name(explanation_rules(subject->mistake), carrier->spec->rules[carrier->index].id);
    default: /* every case shows parts of the interface, which explain nothing about this case */
        return carrier->spec == subject->testcase->spec &&
               carrier_evidence(carrier, subject->testcase) != EVIDENCE_NONE;
    }
}

bool subject_same_part(const struct carrier *first, const struct carrier *other)
{
    char a[CARRIER_NAME], b[CARRIER_NAME], text[256], more[256];
    return first->kind == other->kind && strcmp(first->pages, other->pages) == 0 &&
           strcmp(first->ruling, other->ruling) == 0 && strcmp(carrier_strength(first), carrier_strength(other)) == 0 &&
           strcmp(carrier_name(first, a), carrier_name(other, b)) == 0 &&
           strcmp(subject_part_text(first, text, sizeof text), subject_part_text(other, more, sizeof more)) == 0;
}

const char *subject_part_text(const struct carrier *carrier, char *text, size_t size)
{
    const struct spec *spec = carrier->spec;
    if (carrier->kind == CARRIER_LEVEL)
        snprintf(text, size, "the data types and dimension counts of feature level %s",
                 spec->levels[carrier->index].name);
    else if (carrier->kind == CARRIER_EXAMPLE)
        snprintf(text, size, "a worked example");
    else
        return spec->rules[carrier->index].text;
    return text;
}

/* ---- ids */

/* Finds a page and the numbers of sentences on it: "bed83-104", "bed83-151..162". */
static bool find_sentence(struct subject *out, const struct spec_set *set)
{
    const char *dash = strchr(out->id, '-');
    int used = 0;
    if (!dash || (size_t)(dash - out->id) >= sizeof out->page || !isdigit((unsigned char)dash[1]))
        return false;
    snprintf(out->page, sizeof out->page, "%.*s", (int)(dash - out->id), out->id);
    if (sscanf(dash + 1, "%9d%n", &out->first, &used) != 1)
        return false;
    out->last = out->first;
    const char *rest = dash + 1 + used;
    if (*rest && (sscanf(rest, "..%9d%n", &out->last, &used) != 1 || rest[used] || out->last < out->first))
        return false;
    for (int i = 0; i < set->count; i++) {
        const struct spec_sentences *s = &set->specs[i].sentences;
        if (strcmp(s->page, out->page) != 0 || out->first < s->first || out->last > s->last)
            continue;
        out->kind = SUBJECT_SENTENCE;
        bool informative = true;
        for (int n = out->first; n <= out->last; n++)
            informative &= source_count_number(s->informative, n) > 0;
        snprintf(out->text, sizeof out->text, "%s %d%s%.*s of the page %s%s",
                 out->last > out->first ? "sentences" : "sentence", out->first, out->last > out->first ? ".." : "",
                 out->last > out->first ? 9 : 0, out->last > out->first ? strstr(dash, "..") + 2 : "",
                 set->specs[i].page, informative ? ": informative, nothing of it can be tested" : "");
        return true;
    }
    return false;
}

static bool find_page(struct subject *out, const struct spec_set *set)
{
    const char *of = NULL;
    for (int i = 0; i < spec_set_size(set) && !of; i++) {
        const struct spec *spec = &set->specs[i];
        bool named =
            strcasecmp(spec->page, out->id) == 0 || (*spec->sentences.page && !strcmp(spec->sentences.page, out->id));
        for (int r = 0; r < spec->rule_count && !named; r++)
            named = source_has_name(spec->rules[r].pages, out->id);
        for (int l = 0; l < spec->level_count && !named; l++)
            named = source_has_name(spec->levels[l].pages, out->id);
        of = named ? spec->page : NULL;
    }
    if (!of)
        return false;
    out->kind = SUBJECT_PAGE;
    snprintf(out->page, sizeof out->page, "%.*s", (int)sizeof out->page - 1, out->id);
    snprintf(out->text, sizeof out->text, "page %s", strlen(out->id) == 5 ? of : out->id);
    return true;
}

/* Returns the reason why no behaviour carries a sentence of device.h. */
static const char *reason_of(const struct sentence *sentence)
{
    static const struct {
        const char *word, *reason;
    } reasons[] = {{"says", " (it explains or defines)"},
                   {"permits", " (a device may do it, or leave it)"},
                   {"assay", " (a promise of assay)"},
                   {"rules", " (the rules of the operators say it)"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].word, sentence->exempt) == 0)
            return reasons[i].reason;
    return "";
}

static bool find_listed(struct subject *out, const struct spec_set *set)
{
    for (int i = 0; i < set->ruling_count; i++)
        if (strcmp(set->rulings[i].id, out->id) == 0) {
            const struct ruling *ruling = &set->rulings[i];
            out->kind = SUBJECT_RULING;
            snprintf(out->text, sizeof out->text, "%s%s%s", ruling->text, *ruling->unused ? "; no case: " : "",
                     ruling->unused);
            return true;
        }
    for (int i = 0; i < set->sentence_count; i++)
        if (strcmp(set->sentences[i].id, out->id) == 0) {
            out->kind = SUBJECT_INTERFACE;
            snprintf(out->text, sizeof out->text, "%s%s", set->sentences[i].text, reason_of(&set->sentences[i]));
            return true;
        }
    enum explanation mistake = explanation_find(out->id, strlen(out->id));
    if (mistake == EXPLAIN_COUNT)
        return false;
    out->kind = SUBJECT_MISTAKE;
    out->mistake = mistake;
    snprintf(out->text, sizeof out->text, "%s%s", explanation_sentence(mistake),
             *explanation_rules(mistake) ? "" : "; it breaks what the operator says of its results");
    return true;
}

/* Finds a rule or level of all operators, "axis-range" or "level 3_0", or of one operator, "GATHER/axis-range". */
static bool find_rule(struct subject *out, const struct spec_set *set)
{
    const char *slash = strchr(out->id, '/'), *name = slash ? slash + 1 : out->id;
    char operator[SUBJECT_ID];
    snprintf(operator, sizeof operator, "%.*s", slash ? (int)(slash - out->id) : 0, out->id);
    int op = slash ? spec_set_find_any(set, operator) : -1;
    bool has = false;
    if (strlen(name) >= sizeof out->name || (slash && op < 0))
        return false;
    for (int i = 0; i < spec_set_size(set) && !has; i++)
        has = (!slash || i == op) && has_part(&set->specs[i], name);
    if (!has)
        return false;
    out->kind = SUBJECT_RULE;
    out->spec = slash ? &set->specs[op] : NULL;
    snprintf(out->name, sizeof out->name, "%.*s", (int)sizeof out->name - 1, name);
    return true;
}

static bool explain_find_operator(struct subject *out, const struct spec_set *set)
{
    int op = spec_set_find_any(set, out->id);
    if (op < 0)
        return false;
    out->kind = SUBJECT_OPERATOR;
    out->spec = &set->specs[op];
    snprintf(out->text, sizeof out->text, "page %s; `assay spec %s` prints fields and tables", out->spec->page,
             out->spec->name);
    return true;
}

static int no_such_id(const struct subject *subject, const struct spec_set *set, struct error *error)
{
    size_t room = (size_t)set->ruling_count + (size_t)set->sentence_count + EXPLAIN_COUNT, count = 0;
    const char *slash = strchr(subject->id, '/'), *wanted = slash ? slash + 1 : subject->id;
    for (int i = 0; i < spec_set_size(set); i++)
        room += 1 + (size_t)set->specs[i].rule_count;
    const char **names = calloc(room, sizeof *names);
    for (int i = 0; names && i < spec_set_size(set); i++) {
        names[count++] = set->specs[i].name;
        for (int r = 0; r < set->specs[i].rule_count; r++)
            names[count++] = set->specs[i].rules[r].id;
    }
    for (int i = 0; names && i < set->ruling_count; i++)
        names[count++] = set->rulings[i].id;
    for (int i = 0; names && i < set->sentence_count; i++)
        names[count++] = set->sentences[i].id;
    for (unsigned i = 0; names && i < EXPLAIN_COUNT; i++)
        if (explanation_name(i))
            names[count++] = explanation_name(i);
    const char *near = names ? words_nearest(wanted, names, count) : NULL;
    error_set(error, EXIT_NO_MATCH, "no rule, sentence, ruling, operator or case has the id '%s'%s%s%s", subject->id,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names);
    return EXIT_NO_MATCH;
}

int subject_find(struct subject *out, const struct spec_set *set, const char *word, struct error *error)
{
    static const char around[] = "(), []\t";
    *out = (struct subject){0};
    word += strspn(word, around); /* the word may have the marks of the line that it was copied from */
    size_t length = strlen(word);
    while (length > 0 && strchr(around, word[length - 1]))
        length--;
    snprintf(out->id, sizeof out->id, "%.*s", (int)length, word);
    if (*out->id && (explain_find_operator(out, set) || find_listed(out, set) || find_rule(out, set) ||
                     find_sentence(out, set) || find_page(out, set)))
        return 0;
    return no_such_id(out, set, error);
}
