#include "harness/cli/cmd_spec.h"
#include "harness/results/trace.h"

#include <stdlib.h>
#include <string.h>

enum kind { KIND_NONE, KIND_RULE, KIND_BEHAVIOUR, KIND_EXAMPLE, KIND_INFORMATIVE, KIND_COUNT };

static const char *const kind_names[] = {"", "rule", "behaviour", "example", "informative"};

static enum kind spec_trace_kind_of(const struct carrier *carrier)
{
    if (carrier->kind == CARRIER_EXAMPLE)
        return KIND_EXAMPLE;
    return carrier->kind == CARRIER_BEHAVIOUR ? KIND_BEHAVIOUR : KIND_RULE;
}

/* The kind of a sentence is that of its strongest carrier. */
static enum kind sentence_kind(const struct trace *trace, const struct spec_sentences *s, int number)
{
    enum kind kind = source_count_number(s->informative, number) ? KIND_INFORMATIVE : KIND_NONE;
    for (int i = 0; i < trace->count; i++)
        if (source_has_sentence(trace->carriers[i].pages, s->page, number) &&
            (kind == KIND_NONE || spec_trace_kind_of(&trace->carriers[i]) < kind))
            kind = spec_trace_kind_of(&trace->carriers[i]);
    return kind;
}

/* ---- the table */

static int device_width(const char *device)
{
    int width = (int)strlen(device);
    return width < 8 ? 8 : width;
}

static void spec_trace_print_head(const struct trace *trace)
{
    printf("%-24s %-11s %-26s %-8s %8s %8s %9s", "source", "kind", "carried by", "strength", "positive", "boundary",
           "violating");
    for (int i = 0, gap = 2; i < trace->device_count; i++) {
        printf("%*s%s", gap, "", trace->devices[i]);
        gap = 2 + device_width(trace->devices[i]) - (int)strlen(trace->devices[i]);
    }
    putchar('\n');
}

static void spec_trace_print_row(const struct trace *trace, const struct spec *spec, const char *source, enum kind kind,
                                 const struct carrier *carrier)
{
    char name[CARRIER_NAME], shown[2 * CARRIER_NAME];
    const unsigned *cases = carrier->cases;
    snprintf(shown, sizeof shown, "%s%s%s", carrier_name(carrier, name), carrier->spec == spec ? "" : " of ",
             carrier->spec == spec ? "" : carrier->spec->name);
    printf("%-24s %-11s %-26s %-8s %8u %8u %9u", source, kind_names[kind], shown, carrier_strength(carrier),
           cases[EVIDENCE_POSITIVE], cases[EVIDENCE_BOUNDARY], cases[EVIDENCE_VIOLATING]);
    for (int i = 0, gap = 2; i < trace->device_count; i++) {
        const char *verdict = carrier->verdicts[i] < 0 ? "-" : status_name((enum status)carrier->verdicts[i]);
        printf("%*s%s", gap, "", verdict);
        gap = 2 + device_width(trace->devices[i]) - (int)strlen(verdict);
    }
    const char *untested = carrier_untested(carrier);
    if (*untested)
        printf("  untested: %s", untested);
    putchar('\n');
}

/* Returns true if the same parts of the specs carry both sentences. */
static bool same_carriers(const struct trace *trace, const char *page, int a, int b)
{
    for (int i = 0; i < trace->count; i++)
        if (source_has_sentence(trace->carriers[i].pages, page, a) !=
            source_has_sentence(trace->carriers[i].pages, page, b))
            return false;
    return true;
}

static void spec_trace_print_sentences(const struct trace *trace, const struct spec *spec)
{
    const struct spec_sentences *s = &spec->sentences;
    char source[64];
    for (int n = s->first, last; n <= s->last; n = last + 1) {
        enum kind kind = sentence_kind(trace, s, n);
        last = n;
        while (last < s->last && sentence_kind(trace, s, last + 1) == kind &&
               same_carriers(trace, s->page, n, last + 1))
            last++;
        if (last > n)
            snprintf(source, sizeof source, "%s-%d..%d", s->page, n, last);
        else
            snprintf(source, sizeof source, "%s-%d", s->page, n);
        bool first = true;
        for (int i = 0; i < trace->count; i++) {
            if (!source_has_sentence(trace->carriers[i].pages, s->page, n))
                continue;
            spec_trace_print_row(trace, spec, first ? source : "", first ? kind : KIND_NONE, &trace->carriers[i]);
            first = false;
        }
        if (first)
            printf("%-24s %s\n", source, kind == KIND_NONE ? "NOT CLASSIFIED" : kind_names[kind]);
    }
}

/* Returns true if the carrier encodes a sentence that has an id. */
static bool spec_trace_has_sentence(const struct spec_set *set, const struct carrier *carrier)
{
    for (int op = 0; op < set->count; op++) {
        const struct spec_sentences *s = &set->specs[op].sentences;
        for (int n = s->first; *s->page && n <= s->last; n++)
            if (source_has_sentence(carrier->pages, s->page, n))
                return true;
    }
    return false;
}

/* ---- the interface */

/* Adds up the carriers of a name: a behaviour of every operator has one for each. */
static struct carrier join_carriers(const struct trace *trace, const char *id, int first)
{
    struct carrier sum = trace->carriers[first];
    char name[CARRIER_NAME], other[CARRIER_NAME];
    const char *wanted = carrier_name(&sum, name);
    for (int i = first + 1; i < trace->count; i++) {
        const struct carrier *carrier = &trace->carriers[i];
        if (!source_has_name(carrier->pages, id) || strcmp(carrier_name(carrier, other), wanted) != 0)
            continue;
        for (int e = 0; e < EVIDENCE_KINDS; e++)
            sum.cases[e] += carrier->cases[e];
        for (int d = 0; d < trace->device_count; d++)
            if (trace_outweighs(carrier->verdicts[d], sum.verdicts[d]))
                sum.verdicts[d] = carrier->verdicts[d];
    }
    return sum;
}

/* Returns true if an earlier carrier of the sentence has the same name. */
static bool is_repeated(const struct trace *trace, const char *id, int at)
{
    char name[CARRIER_NAME], other[CARRIER_NAME];
    const char *wanted = carrier_name(&trace->carriers[at], name);
    for (int i = 0; i < at; i++)
        if (source_has_name(trace->carriers[i].pages, id) &&
            strcmp(carrier_name(&trace->carriers[i], other), wanted) == 0)
            return true;
    return false;
}

static void print_interface(const struct trace *trace)
{
    const struct spec_set *set = trace->set;
    unsigned exempt = 0;
    for (int s = 0; s < set->sentence_count; s++)
        exempt += *set->sentences[s].exempt != '\0';
    printf("interface: %s: %d sentences: %u behaviour, %u that no device can break\n", set->interface->page,
           set->sentence_count, (unsigned)set->sentence_count - exempt, exempt);
    spec_trace_print_head(trace);
    for (int s = 0; s < set->sentence_count; s++) {
        const struct sentence *sentence = &set->sentences[s];
        bool carried = false;
        printf("%s\n", sentence->text);
        for (int i = 0; i < trace->count; i++) {
            if (!source_has_name(trace->carriers[i].pages, sentence->id) || is_repeated(trace, sentence->id, i))
                continue;
            struct carrier sum = join_carriers(trace, sentence->id, i);
            spec_trace_print_row(trace, sum.spec, carried ? "" : sentence->id, carried ? KIND_NONE : KIND_BEHAVIOUR,
                                 &sum);
            carried = true;
        }
        if (!carried)
            printf("%-24s %s\n", sentence->id, *sentence->exempt ? sentence->exempt : "NOT CLASSIFIED");
    }
    putchar('\n');
}

/* ---- operators */

static void spec_trace_print_operator(const struct trace *trace, const struct spec *spec)
{
    const struct spec_sentences *s = &spec->sentences;
    unsigned kinds[KIND_COUNT] = {0};
    if (spec_is_interface(spec)) {
        print_interface(trace);
        return;
    }
    for (int n = s->first; *s->page && n <= s->last; n++)
        kinds[sentence_kind(trace, s, n)]++;
    printf("%s: ", spec->name);
    if (*s->page)
        printf("%d sentences: %u rule, %u behaviour, %u example, %u informative, %u not classified\n",
               s->last - s->first + 1, kinds[KIND_RULE], kinds[KIND_BEHAVIOUR], kinds[KIND_EXAMPLE],
               kinds[KIND_INFORMATIVE], kinds[KIND_NONE]);
    else
        printf("page %s, whose sentences have no ids\n", spec->page);
    spec_trace_print_head(trace);
    if (*s->page)
        spec_trace_print_sentences(trace, spec);
    for (int i = 0; i < trace->count; i++) {
        const struct carrier *carrier = &trace->carriers[i];
        if (carrier->spec != spec || spec_trace_has_sentence(trace->set, carrier))
            continue;
        spec_trace_print_row(trace, spec, *carrier->pages ? carrier->pages : carrier->ruling,
                             spec_trace_kind_of(carrier), carrier);
    }
    putchar('\n');
}

/* ---- rulings */

static void spec_trace_print_rulings(const struct trace *trace)
{
    for (int r = 0; r < trace->set->ruling_count; r++) {
        const struct ruling *ruling = &trace->set->rulings[r];
        const char *before = "";
        printf("%-4s %s\n     ", ruling->id, ruling->text);
        for (int i = 0; i < trace->count; i++) {
            const struct carrier *carrier = &trace->carriers[i];
            char name[CARRIER_NAME], copy[CARRIER_NAME];
            snprintf(copy, sizeof copy, "%s", carrier_name(carrier, name));
            if (!source_has_name(carrier->ruling, ruling->id))
                continue;
            /* A name that several operators share is printed once. */
            bool again = false;
            for (int j = 0; j < i && !again; j++)
                again = source_has_name(trace->carriers[j].ruling, ruling->id) &&
                        strcmp(carrier_name(&trace->carriers[j], name), copy) == 0;
            if (!again)
                printf("%s%s", before, copy);
            before = ", ";
        }
        printf("%s%s\n", *before ? "" : "no case: ", *before ? "" : ruling->unused);
    }
}

/* ---- summary */

/* Prints a note if the reason for having no case no longer holds. */
static void spec_trace_print_stale(const struct carrier *carrier)
{
    char name[CARRIER_NAME];
    if (carrier->kind <= CARRIER_BEHAVIOUR && *carrier->spec->rules[carrier->index].untested &&
        !*carrier_untested(carrier))
        printf("note: %s: %s has cases: remove its `untested`\n", carrier->spec->name, carrier_name(carrier, name));
}

static void print_summary(const struct trace *trace, const struct cmd_spec_choice *choice)
{
    unsigned kinds[KIND_COUNT] = {0}, sentences = 0, pages = 0, parts = 0, untested = 0, carried = 0;
    int interface = 0;
    for (int i = 0; i < choice->count; i++) {
        const struct spec *spec = &trace->set->specs[choice->ops[i]];
        const struct spec_sentences *s = &spec->sentences;
        interface += spec_is_interface(spec);
        pages += *s->page != '\0';
        for (int n = s->first; *s->page && n <= s->last; n++, sentences++)
            kinds[sentence_kind(trace, s, n)]++;
        for (int c = 0; c < trace->count; c++) {
            if (trace->carriers[c].spec != spec)
                continue;
            parts++;
            untested += *carrier_untested(&trace->carriers[c]) != '\0';
            spec_trace_print_stale(&trace->carriers[c]);
        }
    }
    for (int r = 0; r < trace->set->ruling_count; r++)
        carried += !*trace->set->rulings[r].unused;
    printf("pages %u, sentences %u: rule %u, behaviour %u, example %u, informative %u\n"
           "operators %d, their rules, behaviours, levels and examples %u, without a case for a reason %u; rulings %d, "
           "carried %u\n",
           pages, sentences, kinds[KIND_RULE], kinds[KIND_BEHAVIOUR], kinds[KIND_EXAMPLE], kinds[KIND_INFORMATIVE],
           choice->count - interface, parts, untested, trace->set->ruling_count, carried);
    if (interface)
        printf("interface: %d sentences of %s, %d behaviours\n", trace->set->sentence_count,
               trace->set->interface->page, trace->set->interface->rule_count);
}

int cmd_spec_trace(const struct cmd_plan *plan, const struct cmd_spec_choice *choice, const char *db, bool check,
                   struct error *error)
{
    struct trace trace;
    trace_make(&trace, &plan->specs, &plan->plan);
    int result = db ? trace_verdicts(&trace, db, error) : 0;
    if (result == 0 && check) {
        int problems = trace_check(&trace, choice->ops, choice->count, choice->whole, stdout);
        if (problems == 0)
            print_summary(&trace, choice);
        result = problems > 0 ? EXIT_FAILURES : 0;
    } else if (result == 0) {
        for (int i = 0; i < choice->count; i++)
            spec_trace_print_operator(&trace, &plan->specs.specs[choice->ops[i]]);
        if (choice->whole)
            spec_trace_print_rulings(&trace);
        print_summary(&trace, choice);
    }
    trace_free(&trace);
    return result;
}
