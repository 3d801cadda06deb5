#include "harness/cli/cmd_fuzz.h"

#include "harness/base/dml_names.h"
#include "harness/describe/desc_text.h"
#include "harness/case/testcase.h"
#include "harness/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char *cmd_fuzz_rule(const struct spec *spec, int rule)
{
    return rule < 0 ? "legal" : spec->rules[rule].id;
}

void cmd_fuzz_reproduce(FILE *out, const struct fuzz_search *search, const struct fuzz_group *group)
{
    const struct fuzz_data *data = &group->minimum.data;
    char text[FUZZ_TEXT], device[FUZZ_TEXT];
    desc_text_print(&search->config->specs->specs[group->op], &group->minimum.desc, text, sizeof text);
    fprintf(out, "%s fuzz '%s' -d %s", program_invocation_name, text,
            text_quoted(device, sizeof device, search->config->device));
    fputs(search->config->reproduce_options, out);
    if (group->minimum.executed)
        fprintf(out, " --execute 1 --fill %s --indices %s --seed 0x%" PRIx64, fill_names[data->fill],
                index_fill_names[data->indices], data->seed);
}

static void fuzz_print_rule(FILE *out, const struct fuzz_search *search, const struct fuzz_group *group)
{
    const struct fuzz_rules *rules = &search->tallies[group->op]->rules;
    char text[64];
    if (group->rule < 0) {
        fprintf(out, "  rule       none: the description %s%s\n",
                group->minimum.broken ? "breaks open rules only" : "is legal",
                group->verdict == FUZZ_WRONG_REJECT ? ", and nothing explains the rejections" : "");
        return;
    }
    const struct rule *rule = &rules->spec->rules[group->rule];
    bool pages = *rule->pages, ruling = *rule->ruling;
    fprintf(out, "  rule       %s, %s (%s%s%s): %s\n", rule->id, strength_name(rule->strength), rule->pages,
            pages && ruling ? ", " : "", rule->ruling, rule->text);
    if (group->atom >= 0)
        fprintf(out, "  rejected   all descriptions that satisfy it in this way: %s\n",
                fuzz_slot_text(rules, group->atom, group->slot, text, sizeof text));
    if (*group->also)
        fprintf(out, "  or         %s: they explain the rejections equally well\n", group->also);
}

static void fuzz_print_group(FILE *out, const struct fuzz_search *search, const struct fuzz_group *group)
{
    const struct spec *spec = &search->config->specs->specs[group->op];
    char text[FUZZ_TEXT], name[32];
    fprintf(out, "%s %s %s: %" PRIu64 " descriptions%s\n", fuzz_verdict_names[group->verdict], spec->name,
            cmd_fuzz_rule(spec, group->rule), group->count, fuzz_group_is_failure(search, group) ? "" : ", a warning");
    fuzz_print_rule(out, search, group);
    desc_text_print(spec, &group->original.desc, text, sizeof text);
    fprintf(out, "  found      number %" PRIu64 ": %s\n", group->original.position, text);
    desc_text_print(spec, &group->minimum.desc, text, sizeof text);
    fprintf(out, "  smallest   %s, after %u steps\n", text, group->steps);
    if (group->minimum.executed)
        fprintf(out, "  contents   inputs %s, indices %s\n", fill_names[group->minimum.data.fill],
                index_fill_names[group->minimum.data.indices]);
    if (group->verdict == FUZZ_WRONG_REJECT)
        fprintf(out, "  result     %s\n", dml_error_name(group->minimum.result, name));
    if (*group->minimum.message) {
        fputs("  message    ", out);
        text_print(out, group->minimum.message);
        putc('\n', out);
    }
    fputs("  reproduce  ", out);
    cmd_fuzz_reproduce(out, search, group);
    putc('\n', out);
}

/* ---- the matrix */

static bool fuzz_print_is_seen(const struct fuzz_search *search, int verdict)
{
    bool seen = verdict <= FUZZ_WRONG_REJECT;
    for (int op = 0; op < search->config->specs->count; op++)
        for (int n = 0; search->tallies[op] && n <= FUZZ_MAX_BROKEN; n++)
            seen |= search->tallies[op]->counts.by_broken[n][verdict] > 0;
    return seen;
}

/* The width of the first column, which has the names of operators and, indented, of rules. */
static int fuzz_print_name_width(const struct fuzz_search *search)
{
    size_t width = 26; /* the longest rules' names */
    for (int op = 0; op < search->config->specs->count; op++) {
        size_t length = search->tallies[op] ? strlen(search->config->specs->specs[op].name) : 0;
        width = length > width ? length : width;
    }
    return (int)width;
}

static void fuzz_print_row(FILE *out, const struct fuzz_search *search, const char *name, int broken,
                           const uint64_t *counts)
{
    fprintf(out, "%-*s %5d%s", fuzz_print_name_width(search), name, broken, broken == FUZZ_MAX_BROKEN ? "+" : " ");
    for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
        if (fuzz_print_is_seen(search, verdict))
            fprintf(out, " %14" PRIu64, counts[verdict]);
    putc('\n', out);
}

static bool is_empty(const uint64_t *counts)
{
    uint64_t all = 0;
    for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
        all |= counts[verdict];
    return all == 0;
}

static void fuzz_print_errors(FILE *out, const struct fuzz_tally *tally, int rule)
{
    const struct fuzz_counts *counts = &tally->counts;
    for (int outcome = 1; outcome < OUTCOME_KEPT; outcome++)
        if (counts->alone[rule][outcome])
            fprintf(out, "    alone: %s %" PRIu64 "\n", outcome_name((enum outcome)outcome),
                    counts->alone[rule][outcome]);
}

/* Returns the outcome of most descriptions; 0: there are none. */
static int most_common(const uint64_t counts[OUTCOME_KEPT])
{
    int max = 0;
    for (int outcome = 1; outcome < OUTCOME_KEPT; outcome++)
        max = counts[outcome] > counts[max] ? outcome : max;
    return max;
}

/* Prints, for pairs of rules with different errors, which of the two errors the device returns if both rules are
 * broken. */
static void print_precedence(FILE *out, const struct fuzz_tally *tally)
{
    const struct fuzz_counts *c = &tally->counts;
    const struct rule *rules = tally->rules.spec->rules;
    for (int a = 0; a < FUZZ_RULES; a++)
        for (int b = a + 1; b < FUZZ_RULES; b++) {
            int of_a = most_common(c->alone[a]), of_b = most_common(c->alone[b]), of_both = most_common(c->pairs[a][b]);
            const char *winner = "neither";
            if (of_both == of_a || of_both == of_b)
                winner = rules[of_both == of_a ? a : b].id;
            if (of_a != of_b && of_both && of_a && of_b)
                fprintf(out, "  %s and %s both broken: %s, the error of %s\n", rules[a].id, rules[b].id,
                        outcome_name((enum outcome)of_both), winner);
        }
}

static void fuzz_print_operator(FILE *out, const struct fuzz_search *search, const struct fuzz_tally *tally,
                                bool verbose)
{
    const struct spec *spec = tally->rules.spec;
    for (int n = 0; n <= FUZZ_MAX_BROKEN; n++)
        if (!is_empty(tally->counts.by_broken[n]))
            fuzz_print_row(out, search, spec->name, n, tally->counts.by_broken[n]);
    for (int rule = 0; verbose && rule < tally->rules.rule_count; rule++) {
        char name[64];
        snprintf(name, sizeof name, "  %s", spec->rules[rule].id);
        for (int n = 0; n < FUZZ_MAX_BROKEN; n++)
            if (!is_empty(tally->counts.by_rule[rule][n]))
                fuzz_print_row(out, search, name, n + 1, tally->counts.by_rule[rule][n]);
        fuzz_print_errors(out, tally, rule);
    }
    if (verbose)
        print_precedence(out, tally);
}

/* Prints the rules that no description broke, and those that none broke alone. */
static void fuzz_print_unreached(FILE *out, const struct fuzz_tally *tally)
{
    const struct spec *spec = tally->rules.spec;
    for (int rule = 0; rule < tally->rules.rule_count; rule++) {
        bool any = false;
        for (int n = 0; n < FUZZ_MAX_BROKEN; n++)
            any |= !is_empty(tally->counts.by_rule[rule][n]);
        if (fuzz_can_break(&tally->rules, rule) && is_empty(tally->counts.by_rule[rule][0]))
            fprintf(out, "not reached: %s %s was never broken%s\n", spec->name, spec->rules[rule].id,
                    any ? " alone" : "");
    }
}

static uint64_t tried(const struct fuzz_search *search, uint64_t *executed)
{
    uint64_t sum = *executed = 0;
    for (int op = 0; op < search->config->specs->count; op++)
        if (search->tallies[op]) {
            sum += search->tallies[op]->counts.tried;
            *executed += search->tallies[op]->counts.executed;
        }
    return sum;
}

void cmd_fuzz_print_findings(FILE *out, const struct fuzz_search *search)
{
    for (size_t i = 0; i < search->group_count; i++)
        fuzz_print_group(out, search, &search->groups[i]);
    if (search->group_count)
        putc('\n', out);
}

void cmd_fuzz_print(FILE *out, const struct fuzz_search *search, bool verbose)
{
    const struct fuzz_search_config *config = search->config;
    uint64_t executed, all = tried(search, &executed);
    double seconds = (double)search->elapsed_ns / 1e9;
    cmd_fuzz_print_findings(out, search);
    fprintf(out, "%-*s %6s", fuzz_print_name_width(search), "operator", "broken");
    for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
        if (fuzz_print_is_seen(search, verdict))
            fprintf(out, " %14s", fuzz_verdict_names[verdict]);
    putc('\n', out);
    for (int op = 0; op < config->specs->count; op++)
        if (search->tallies[op])
            fuzz_print_operator(out, search, search->tallies[op], verbose);
    for (int op = 0; op < config->specs->count; op++)
        if (search->tallies[op])
            fuzz_print_unreached(out, search->tallies[op]);
    if (fuzz_corpus_edge_count(search))
        fprintf(out, "places of the device's code reached: %u\n", fuzz_corpus_edge_count(search));
    text_print(out, config->device);
    fprintf(out,
            ": %" PRIu64 " descriptions in %.1f s, %.0f a second, %" PRIu64 " executed, %zu findings; seed 0x%" PRIx64
            ", continue with --first %" PRIu64 "\n",
            all, seconds, seconds > 0 ? (double)all / seconds : 0, executed, search->group_count, config->seed,
            search->next);
}

void cmd_fuzz_print_probe(FILE *out, const struct fuzz_rules *rules, const struct opdesc *desc,
                          const struct fuzz_finding *found)
{
    char text[FUZZ_TEXT], name[32];
    desc_text_print(rules->spec, desc, text, sizeof text);
    fprintf(out, "%s\n", text);
    for (fuzz_broken rest = found->broken; rest; rest &= rest - 1) {
        const struct rule *rule = &rules->spec->rules[__builtin_ctzll(rest)];
        fprintf(out, "  breaks     %s, %s: %s\n", rule->id, strength_name(rule->strength), rule->text);
    }
    if (found->broken == 0)
        fprintf(out, "  legal      at feature level %s\n", level_name(rules->level));
    if (found->verdict != FUZZ_CRASH && found->verdict != FUZZ_HANG)
        fprintf(out, "  device     %s", SUCCEEDED(found->result) ? "accepts it" : dml_error_name(found->result, name));
    else
        fprintf(out, "  device     its process");
    if (*found->message) {
        fputs(found->verdict == FUZZ_CRASH ? " " : ": ", out);
        text_print(out, found->message);
    }
    fprintf(out, "\n  verdict    %s\n", fuzz_verdict_names[found->verdict]);
}
