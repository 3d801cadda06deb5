#include "harness/cli/cmd_explain.h"

#include <stdlib.h>
#include <string.h>

enum { SUBJECTS_MAX = 64, NAMES_SHOWN = 2, NAMES_JSON = 10, OPERATORS_SHOWN = 12 };

struct values {
    struct cmd_source source;
    bool json, verbose;
};

/* ---- printing */

/* Prints the texts of the rulings that a list names, one a line. */
static void explain_print_rulings(const struct trace *trace, const char *list)
{
    for (int i = 0; i < trace->set->ruling_count; i++)
        if (source_has_name(list, trace->set->rulings[i].id))
            printf("    ruling     %s: %s\n", trace->set->rulings[i].id, trace->set->rulings[i].text);
}

/* Prints the texts of the sentences of device.h that a list names, one a line. */
static void explain_print_sentences(const struct trace *trace, const char *list)
{
    for (int i = 0; i < trace->set->sentence_count; i++)
        if (source_has_name(list, trace->set->sentences[i].id))
            printf("    device.h   %s: %s\n", trace->set->sentences[i].id, trace->set->sentences[i].text);
}

/* Returns the consequence for a device that breaks the carrier. */
static const char *consequence(const struct carrier *carrier)
{
    const char *strength = carrier_strength(carrier);
    if (strcmp(strength, "open") == 0)
        return "the documents leave it open: what a device does is recorded";
    if (strcmp(strength, "soft") == 0)
        return "a deviation is a warning";
    if (carrier->kind == CARRIER_RULE || carrier->kind == CARRIER_LEVEL)
        return "a device must reject a description that breaks it";
    return "a deviation is a failure";
}

/* Prints the cases that test a part of one operator or of several, by the way in which they test it. */
static void explain_print_cases(const struct trace *trace, int first, const bool *chosen, size_t names)
{
    static const char *const kinds[] = {
        [EVIDENCE_POSITIVE] = "legal", [EVIDENCE_BOUNDARY] = "at a limit", [EVIDENCE_VIOLATING] = "violating"};
    unsigned counts[EVIDENCE_KINDS] = {0};
    size_t shown[EVIDENCE_KINDS] = {0};
    for (int i = first; i < trace->count; i++)
        for (int k = EVIDENCE_POSITIVE; k < EVIDENCE_KINDS && chosen[i]; k++)
            counts[k] += trace->carriers[i].cases[k];
    const char *untested = carrier_untested(&trace->carriers[first]);
    printf("    cases      %u legal, %u at a limit, %u violating%s%s\n", counts[EVIDENCE_POSITIVE],
           counts[EVIDENCE_BOUNDARY], counts[EVIDENCE_VIOLATING], *untested ? "; untested: " : "", untested);
    for (size_t n = 0; n < trace->plan->count; n++) {
        const struct testcase *c = &trace->plan->cases[n];
        for (int j = -1; (j = trace_next(trace, c, j)) >= 0;) {
            enum evidence_kind kind = chosen[j] ? carrier_evidence(&trace->carriers[j], c) : EVIDENCE_NONE;
            if (kind != EVIDENCE_NONE && shown[kind]++ < names)
                printf("      %-10s %s\n", kinds[kind], c->name);
        }
    }
}

static void explain_print_operators(const struct trace *trace, int first, const bool *chosen)
{
    int count = 0;
    for (int i = first; i < trace->count; i++)
        count += chosen[i];
    if (count == 1)
        return;
    printf("    operators  %d:", count);
    for (int i = first, shown = 0; i < trace->count && shown <= OPERATORS_SHOWN; i++)
        if (chosen[i])
            printf(" %s", shown++ < OPERATORS_SHOWN ? trace->carriers[i].spec->name : "…");
    putchar('\n');
}

/* Prints a part of the specs, and of the operators whose parts say the same. */
static void explain_print_part(const struct trace *trace, int first, const bool *chosen, const struct subject *subject,
                               size_t names)
{
    static const char *const kinds[] = {
        [CARRIER_RULE] = "rule ", [CARRIER_BEHAVIOUR] = "behaviour ", [CARRIER_LEVEL] = "", [CARRIER_EXAMPLE] = ""};
    const struct carrier *carrier = &trace->carriers[first];
    const struct rule *rule = carrier->kind <= CARRIER_BEHAVIOUR ? &carrier->spec->rules[carrier->index] : NULL;
    char name[CARRIER_NAME], text[256];
    printf("  %s%s of %s, %s: %s\n    %s", kinds[carrier->kind], carrier_name(carrier, name), carrier->spec->name,
           carrier_strength(carrier), consequence(carrier), subject_part_text(carrier, text, sizeof text));
    if (rule && rule->from)
        printf("; from feature level %s on", level_name(rule->from));
    if (rule && rule->before)
        printf("; before feature level %s", level_name(rule->before));
    putchar('\n');
    explain_print_operators(trace, first, chosen);
    if (!spec_is_interface(carrier->spec) && *carrier->pages)
        printf("    page       %s\n", carrier->pages);
    explain_print_rulings(trace, carrier->ruling);
    explain_print_sentences(trace, carrier->pages);
    if (subject->kind != SUBJECT_CASE)
        explain_print_cases(trace, first, chosen, names);
}

static void print_subject(const struct subject *subject, const struct trace *trace, size_t names)
{
    bool *done = calloc((size_t)trace->count + 1, sizeof *done),
         *chosen = calloc((size_t)trace->count + 1, sizeof *chosen);
    printf("%s, %s%s%s\n", subject->id, subject_kinds[subject->kind], *subject->text ? ": " : "", subject->text);
    for (int i = 0; done && chosen && i < trace->count; i++) {
        if (done[i] || !subject_has(subject, &trace->carriers[i]))
            continue;
        memset(chosen, 0, (size_t)trace->count * sizeof *chosen);
        for (int j = i; j < trace->count; j++)
            if (!done[j] && subject_has(subject, &trace->carriers[j]) &&
                subject_same_part(&trace->carriers[i], &trace->carriers[j]))
                done[j] = chosen[j] = true;
        explain_print_part(trace, i, chosen, subject, names);
    }
    free(done);
    free(chosen);
}

/* ---- finding */

/* Loads the cases of the operators that the subjects are about; all if some part belongs to the interface, which every
 * case may show. */
static int load_cases(const struct values *v, const struct subject *subjects, size_t count, struct cmd_plan *specs,
                      struct cmd_plan *out, struct error *error)
{
    const struct spec_set *set = &specs->specs;
    struct trace trace;
    struct cmd_source source = v->source;
    const char **names = calloc((size_t)set->count + 1, sizeof *names);
    if (!names)
        return error_set(error, EXIT_HARNESS, "out of memory");
    source.operators = (struct word_list){.items = names};
    source.may_miss = true;
    bool interface = false;
    trace_make(&trace, set, &specs->plan);
    for (int i = 0; i < trace.count; i++) {
        const struct spec *spec = trace.carriers[i].spec;
        bool wanted = source.operators.count > 0 && names[source.operators.count - 1] == spec->name;
        for (size_t s = 0; s < count && !wanted; s++)
            if (subject_has(&subjects[s], &trace.carriers[i])) {
                names[source.operators.count++] = spec->name;
                interface |= spec_is_interface(spec);
                wanted = true;
            }
    }
    trace_free(&trace);
    if (interface)
        source.operators.count = 0;
    int result = cmd_load(&source, &(struct word_list){0}, out, error);
    free(names);
    return result;
}

/* Explains parts of the specs: `subjects` have been found in `specs`. */
static int explain_parts(const struct values *v, struct subject *subjects, const struct word_list *words,
                         struct cmd_plan *specs, struct error *error)
{
    struct cmd_plan plan;
    struct trace trace;
    int result = load_cases(v, subjects, words->count, specs, &plan, error);
    if (result)
        return result;
    for (size_t i = 0; i < words->count && result == 0; i++)
        result = subject_find(&subjects[i], &plan.specs, words->items[i], error);
    trace_make(&trace, &plan.specs, &plan.plan);
    if (result == 0 && v->json)
        cmd_explain_json(subjects, words->count, &trace, v->verbose ? SIZE_MAX : NAMES_JSON);
    for (size_t i = 0; i < words->count && result == 0 && !v->json; i++) {
        fputs(i ? "\n" : "", stdout);
        print_subject(&subjects[i], &trace, v->verbose ? SIZE_MAX : NAMES_SHOWN);
    }
    trace_free(&trace);
    cmd_unload(&plan);
    return result;
}

/* Explains one case: prints the carriers that it is evidence for. */
static int explain_case(const struct values *v, const char *name, struct error *error)
{
    struct cmd_plan plan;
    struct trace trace;
    struct subject subject = {.kind = SUBJECT_CASE};
    int result = cmd_load_case(&v->source, name, &plan, &subject.testcase, error);
    if (result)
        return result;
    const struct testcase *c = subject.testcase;
    snprintf(subject.id, sizeof subject.id, "%s", name);
    snprintf(subject.text, sizeof subject.text, "expected: %s; `assay show` prints it%s%s", testcase_expected(c),
             c->rule >= 0 ? "; it is made for " : "", c->rule >= 0 ? c->spec->rules[c->rule].id : "");
    trace_make(&trace, &plan.specs, &plan.plan);
    if (v->json)
        cmd_explain_json(&subject, 1, &trace, 0);
    else
        print_subject(&subject, &trace, 0);
    trace_free(&trace);
    cmd_unload(&plan);
    return 0;
}

static int cmd_explain_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct subject subjects[SUBJECTS_MAX];
    struct cmd_plan specs;
    if (arguments->count == 0 || arguments->count > SUBJECTS_MAX)
        return error_set(error, EXIT_USAGE,
                         "explain takes 1 to %d ids: of rules, sentences, rulings, operators; or a case", SUBJECTS_MAX);
    for (size_t i = 0; i < arguments->count; i++)
        if (strchr(arguments->items[i], '.') && !strstr(arguments->items[i], ".."))
            return arguments->count == 1
                       ? explain_case(v, arguments->items[i], error)
                       : error_set(error, EXIT_USAGE, "%s: a case is explained alone", arguments->items[i]);
    int result = cmd_load_specs(&v->source, &specs, error);
    if (result)
        return result;
    for (size_t i = 0; i < arguments->count && result == 0; i++)
        result = subject_find(&subjects[i], &specs.specs, arguments->items[i], error);
    if (result == 0)
        result = explain_parts(v, subjects, arguments, &specs, error);
    cmd_unload(&specs);
    return result;
}

static const struct option options[] = {
    {'v', "verbose", NULL, OPTION_FLAG, offsetof(struct values, verbose), "name every case, not the first few"},
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print one JSON object"},
    CMD_SOURCE_OPTIONS(struct values),
    {0}};

const struct command cmd_explain = {
    .name = "explain",
    .arguments = "TOPIC…",
    .summary = "print what an id stands for: its text, its page and rulings, the cases that test it",
    .examples = "assay explain GATHER/axis-range\n"
                "assay explain 3d922-104 A37 D12\n"
                "assay explain negative-lost\n"
                "assay explain gather.examples.vector.fl3_0.float32-uint32.d1a0i1\n",
    .notes =
        "A TOPIC is what any output names: a case, a rule, behaviour, feature level or example (axis-range of all "
        "operators, "
        "GATHER/axis-range), a sentence of a page (3d922-104), a page (DML_GATHER), a ruling (A37), a sentence of "
        "device.h (D12), an operator, or the mistake that a wrong result fits (negative-lost). Several may be given, "
        "but a case only alone; also with the commas and brackets of the line that they are copied from. Unknown ids: "
        "exit status 4.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = cmd_explain_run};
