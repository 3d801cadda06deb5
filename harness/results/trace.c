#include "harness/results/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of sources */

/* Takes the next word off a list. False at its end. */
static bool next_word(const char **at, const char **word, size_t *length)
{
    *at += strspn(*at, ", ");
    *word = *at;
    *length = strcspn(*at, ", ");
    *at += *length;
    return *length > 0;
}

/* Reads "104" or "104..110". */
static bool read_range(const char *word, size_t length, int *first, int *last)
{
    char *end;
    if (length == 0 || !isdigit((unsigned char)*word))
        return false;
    *first = *last = (int)strtol(word, &end, 10);
    if (end == word + length)
        return true;
    if (strncmp(end, "..", 2) != 0 || !isdigit((unsigned char)end[2]))
        return false;
    *last = (int)strtol(end + 2, &end, 10);
    return end == word + length && *last > *first;
}

bool source_has_sentence(const char *list, const char *page, int number)
{
    const char *word;
    size_t length, prefix = strlen(page);
    int first, last;
    while (next_word(&list, &word, &length))
        if (length > prefix && strncmp(word, page, prefix) == 0 && word[prefix] == '-' &&
            read_range(word + prefix + 1, length - prefix - 1, &first, &last) && first <= number && number <= last)
            return true;
    return false;
}

int source_count_number(const char *list, int number)
{
    const char *word;
    size_t length;
    int first, last, count = 0;
    while (next_word(&list, &word, &length))
        count += read_range(word, length, &first, &last) && first <= number && number <= last;
    return count;
}

bool source_has_name(const char *list, const char *name)
{
    const char *word;
    size_t length;
    while (next_word(&list, &word, &length))
        if (strlen(name) == length && strncmp(word, name, length) == 0)
            return true;
    return false;
}

/* ---- carriers */

const char *carrier_name(const struct carrier *carrier, char *text)
{
    if (carrier->kind == CARRIER_LEVEL) {
        snprintf(text, CARRIER_NAME, "level %s", carrier->spec->levels[carrier->index].name);
        return text;
    }
    if (carrier->kind == CARRIER_EXAMPLE) {
        snprintf(text, CARRIER_NAME, "example %s", carrier->spec->examples[carrier->index].id);
        return text;
    }
    return carrier->spec->rules[carrier->index].id;
}

const char *carrier_strength(const struct carrier *carrier)
{
    if (carrier->kind == CARRIER_RULE || carrier->kind == CARRIER_BEHAVIOUR)
        return strength_name(carrier->spec->rules[carrier->index].strength);
    return carrier->kind == CARRIER_LEVEL ? "reject" : "must";
}

const char *carrier_untested(const struct carrier *carrier)
{
    const unsigned *cases = carrier->cases;
    bool tested = cases[EVIDENCE_POSITIVE] + cases[EVIDENCE_BOUNDARY] + cases[EVIDENCE_VIOLATING] > 0;
    return tested || carrier->kind > CARRIER_BEHAVIOUR ? "" : carrier->spec->rules[carrier->index].untested;
}

static bool has_strides(const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (c->desc->items[i].tensor.has_strides)
            return true;
    return false;
}

/* Returns true if the behaviour allows other values than that of a formula: the judge applies it to every result. */
static bool trace_is_choice(const struct spec *spec, int rule)
{
    for (int i = 0; i < spec->result_count; i++)
        for (int j = 0; j < spec->results[i].choice_count; j++)
            if (spec->results[i].choices[j].rule == rule)
                return true;
    return false;
}

/* Returns true if a case shows a behaviour of the interface, which cases of all operators can show. */
static bool shows_interface(const struct rule *rule, const struct testcase *c)
{
    const struct evidence *e = &rule->evidence;
    if (*rule->untested)
        return false;
    if (e->lifecycle || spec_is_interface(c->spec))
        return e->lifecycle && spec_is_interface(c->spec);
    return c->expect == (e->rejected ? EXPECT_REJECTED : EXPECT_RESULTS);
}

/* Returns true if a case is evidence for a behaviour although it names another rule or none. */
static bool trace_shows(int behaviour, const struct testcase *c)
{
    const struct rule *rule = &c->spec->rules[behaviour];
    const struct evidence *e = &rule->evidence;
    DML_FEATURE_LEVEL level = c->spec->levels[c->table].level;
    if ((rule->strength == STRENGTH_OPEN && !trace_is_choice(c->spec, behaviour)) || level < rule->from ||
        (rule->before && level >= rule->before))
        return false;
    if (e->rejected)
        return c->expect == EXPECT_REJECTED;
    return c->rule < 0 && c->expect == EXPECT_RESULTS && (!e->fills || e->fills >> c->fill & 1) &&
           (!e->index_fills || (c->negative_indices && e->index_fills >> c->index_fill & 1)) &&
           (!e->strides || has_strides(c)) && (!e->in_place || c->in_place);
}

/* Returns true if the case is of the example: the planner names the cases of an example after it. */
static bool is_of_example(const struct testcase *c, const char *id)
{
    size_t length = strlen(id);
    const char *at = c->literals ? strstr(c->name, ".examples.") : NULL;
    return at && strncmp(at + 10, id, length) == 0 && at[10 + length] == '.';
}

/* Returns true if the case tests a value that the table of its feature level excludes. */
static bool is_outside_table(const struct testcase *c)
{
    const struct rule *rule = c->rule < 0 ? NULL : &c->spec->rules[c->rule];
    if (!rule || rule->atom_count == 0)
        return false;
    enum atom_kind kind = c->spec->atoms[rule->first_atom].kind;
    return kind == ATOM_SINCE || kind == ATOM_TYPES || kind == ATOM_DIMS;
}

static bool tests(const struct carrier *carrier, const struct testcase *c)
{
    if (spec_is_interface(carrier->spec))
        return (c->spec == carrier->spec && c->rule == carrier->index) ||
               shows_interface(&carrier->spec->rules[carrier->index], c);
    switch (carrier->kind) {
    case CARRIER_RULE:
        return c->rule == carrier->index;
    case CARRIER_BEHAVIOUR:
        return c->rule == carrier->index || trace_shows(carrier->index, c);
    case CARRIER_LEVEL:
        return c->table == carrier->index && (c->expect != EXPECT_REJECTED || is_outside_table(c));
    default:
        return is_of_example(c, c->spec->examples[carrier->index].id);
    }
}

enum evidence_kind carrier_evidence(const struct carrier *carrier, const struct testcase *c)
{
    if (!tests(carrier, c))
        return EVIDENCE_NONE;
    /* A rejection does not violate a behaviour: where a rejection is evidence, the behaviour demands it. */
    if (c->expect >= EXPECT_EITHER && carrier->kind != CARRIER_BEHAVIOUR)
        return EVIDENCE_VIOLATING;
    return strcmp(c->strategy, "limits") == 0 ? EVIDENCE_BOUNDARY : EVIDENCE_POSITIVE;
}

static int trace_first_of(const struct trace *trace, const struct spec *spec)
{
    return trace->first[spec - trace->set->specs];
}

int trace_next(const struct trace *trace, const struct testcase *c, int at)
{
    const struct spec *own = c->spec, *interface = trace->set->interface;
    int next = at < 0 ? trace_first_of(trace, own) : at + 1;
    if (next < trace->count && trace->carriers[next].spec == own)
        return next;
    if (interface && own != interface && next < trace_first_of(trace, interface))
        next = trace_first_of(trace, interface);
    return next < trace->count && trace->carriers[next].spec == interface ? next : -1;
}

static void add_carrier(struct trace *trace, const struct spec *spec, enum carrier_kind kind, int index,
                        const char *pages, const char *ruling)
{
    struct carrier *carrier = &trace->carriers[trace->count++];
    *carrier = (struct carrier){.spec = spec, .kind = kind, .index = index, .pages = pages, .ruling = ruling};
    for (int i = 0; i < TRACE_MAX_DEVICES; i++)
        carrier->verdicts[i] = -1;
}

/* Counts the cases that are evidence for each carrier. */
static void count_cases(struct trace *trace)
{
    for (size_t i = 0; i < trace->plan->count; i++) {
        const struct testcase *c = &trace->plan->cases[i];
        for (int j = -1; (j = trace_next(trace, c, j)) >= 0;)
            trace->carriers[j].cases[carrier_evidence(&trace->carriers[j], c)]++;
    }
}

void trace_make(struct trace *trace, const struct spec_set *set, const struct plan *plan)
{
    size_t room = 1;
    *trace = (struct trace){.set = set, .plan = plan};
    int specs = spec_set_size(set);
    for (int i = 0; i < specs; i++)
        room += (size_t)(set->specs[i].rule_count + set->specs[i].level_count + set->specs[i].example_count);
    trace->carriers = pool_alloc(&trace->pool, room * sizeof *trace->carriers);
    trace->first = pool_alloc(&trace->pool, ((size_t)specs + 1) * sizeof *trace->first);
    for (int op = 0; op < specs; op++) {
        const struct spec *spec = &set->specs[op];
        trace->first[op] = trace->count;
        for (int i = 0; i < spec->rule_count; i++)
            add_carrier(trace, spec, spec->rules[i].behaviour ? CARRIER_BEHAVIOUR : CARRIER_RULE, i,
                        spec->rules[i].pages, spec->rules[i].ruling);
        for (int i = 0; i < spec->level_count && !spec_is_interface(spec); i++)
            add_carrier(trace, spec, CARRIER_LEVEL, i, spec->levels[i].pages, spec->levels[i].ruling);
        for (int i = 0; i < spec->example_count; i++)
            add_carrier(trace, spec, CARRIER_EXAMPLE, i, spec->examples[i].pages, spec->examples[i].ruling);
    }
    count_cases(trace);
}

void trace_free(struct trace *trace)
{
    pool_clear(&trace->pool);
    *trace = (struct trace){0};
}
