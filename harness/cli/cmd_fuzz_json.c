#include "harness/cli/cmd_fuzz.h"

#include "harness/base/dml_names.h"
#include "harness/describe/desc_text.h"
#include "harness/case/testcase.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

static void fuzz_json_print_key(FILE *out, const char *before, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\":", before, key);
    text_print_json(out, text);
}

static void print_description(FILE *out, const struct spec *spec, const char *key, const struct opdesc *desc)
{
    char text[FUZZ_TEXT];
    desc_text_print(spec, desc, text, sizeof text);
    fuzz_json_print_key(out, ",", key, text);
}

/* Prints the contents of the inputs of a finding that was executed. */
static void fuzz_json_print_data(FILE *out, const struct fuzz_finding *finding)
{
    if (!finding->executed)
        return;
    fuzz_json_print_key(out, ",\"data\":{", "fill", fill_names[finding->data.fill]);
    fuzz_json_print_key(out, ",", "indices", index_fill_names[finding->data.indices]);
    fprintf(out, ",\"seed\":\"0x%016" PRIx64 "\"}", finding->data.seed);
}

void cmd_fuzz_print_probe_json(FILE *out, const struct fuzz_rules *rules, const struct opdesc *desc,
                               const struct fuzz_finding *found, bool failed)
{
    const char *separator = "";
    char name[32];
    fuzz_json_print_key(out, "{\"type\":\"probe\",", "kind", fuzz_verdict_keys[found->verdict]);
    fuzz_json_print_key(out, ",", "operator", rules->spec->name);
    print_description(out, rules->spec, "description", desc);
    fuzz_json_print_key(out, ",", "feature_level", level_name(rules->level));
    fprintf(out, ",\"failure\":%s,\"broken\":[", failed ? "true" : "false");
    for (fuzz_broken rest = found->broken; rest; rest &= rest - 1, separator = ",")
        fprintf(out, "%s\"%s\"", separator, rules->spec->rules[__builtin_ctzll(rest)].id);
    putc(']', out);
    fuzz_json_print_data(out, found);
    fuzz_json_print_key(out, ",", "result", dml_error_name(found->result, name));
    fuzz_json_print_key(out, ",", "message", found->message);
    fputs("}\n", out);
}

static void fuzz_json_print_group(FILE *out, const struct fuzz_search *search, const struct fuzz_group *group)
{
    const struct spec *spec = &search->config->specs->specs[group->op];
    char name[32], *line = NULL;
    size_t size;
    fuzz_json_print_key(out, "{\"type\":\"finding\",", "kind", fuzz_verdict_keys[group->verdict]);
    fuzz_json_print_key(out, ",", "operator", spec->name);
    fuzz_json_print_key(out, ",", "rule", group->rule < 0 ? "" : spec->rules[group->rule].id);
    fuzz_json_print_key(out, ",", "strength", group->rule < 0 ? "" : strength_name(spec->rules[group->rule].strength));
    fuzz_json_print_key(out, ",", "also", group->also);
    fprintf(out, ",\"failure\":%s,\"count\":%" PRIu64 ",\"position\":%" PRIu64 ",\"steps\":%u",
            fuzz_group_is_failure(search, group) ? "true" : "false", group->count, group->original.position,
            group->steps);
    print_description(out, spec, "original", &group->original.desc);
    print_description(out, spec, "minimum", &group->minimum.desc);
    fuzz_json_print_data(out, &group->minimum);
    fuzz_json_print_key(out, ",", "result", dml_error_name(group->minimum.result, name));
    fuzz_json_print_key(out, ",", "message", group->minimum.message);
    FILE *text = open_memstream(&line, &size);
    if (text) {
        cmd_fuzz_reproduce(text, search, group);
        fclose(text);
        fuzz_json_print_key(out, ",", "reproduce", line);
    }
    free(line);
    fputs("}\n", out);
}

/* Prints the verdicts that occurred as members of an object. Returns true if there were any. */
static bool print_counts(FILE *out, const char *before, const uint64_t counts[FUZZ_VERDICTS])
{
    const char *separator = before;
    for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
        if (counts[verdict]) {
            fprintf(out, "%s\"%s\":%" PRIu64, separator, fuzz_verdict_keys[verdict], counts[verdict]);
            separator = ",";
        }
    return separator != before;
}

static void fuzz_json_print_row(FILE *out, bool *first, const struct spec *spec, int rule, int broken,
                                const uint64_t counts[FUZZ_VERDICTS])
{
    uint64_t any = 0;
    for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
        any |= counts[verdict];
    if (!any)
        return;
    fuzz_json_print_key(out, *first ? "{" : ",{", "operator", spec->name);
    fuzz_json_print_key(out, ",", "rule", rule < 0 ? "" : spec->rules[rule].id);
    fprintf(out, ",\"broken\":%d", broken);
    print_counts(out, ",", counts);
    putc('}', out);
    *first = false;
}

static void fuzz_json_print_matrix(FILE *out, const struct fuzz_search *search)
{
    bool first = true;
    fputs(",\"matrix\":[", out);
    for (int op = 0; op < search->config->specs->count; op++) {
        const struct fuzz_tally *tally = search->tallies[op];
        if (!tally)
            continue;
        for (int n = 0; n <= FUZZ_MAX_BROKEN; n++)
            fuzz_json_print_row(out, &first, tally->rules.spec, -1, n, tally->counts.by_broken[n]);
        for (int rule = 0; rule < tally->rules.rule_count; rule++)
            for (int n = 0; n < FUZZ_MAX_BROKEN; n++)
                fuzz_json_print_row(out, &first, tally->rules.spec, rule, n + 1, tally->counts.by_rule[rule][n]);
    }
    putc(']', out);
}

/* Prints which errors the device returns for descriptions that break one rule alone, or exactly two. */
static void fuzz_json_print_errors(FILE *out, const struct fuzz_search *search)
{
    const char *separator = "";
    fputs(",\"errors\":[", out);
    for (int op = 0; op < search->config->specs->count; op++) {
        const struct fuzz_tally *tally = search->tallies[op];
        for (int a = 0; tally && a < tally->rules.rule_count; a++)
            for (int b = a; b < tally->rules.rule_count; b++) {
                const uint64_t *counts = a == b ? tally->counts.alone[a] : tally->counts.pairs[a][b];
                for (int outcome = 1; outcome < OUTCOME_KEPT; outcome++) {
                    if (!counts[outcome])
                        continue;
                    fprintf(out, "%s{\"operator\":\"%s\",\"rules\":[\"%s\"", separator, tally->rules.spec->name,
                            tally->rules.spec->rules[a].id);
                    if (a != b)
                        fprintf(out, ",\"%s\"", tally->rules.spec->rules[b].id);
                    fprintf(out, "],\"outcome\":\"%s\",\"count\":%" PRIu64 "}", outcome_name((enum outcome)outcome),
                            counts[outcome]);
                    separator = ",";
                }
            }
    }
    putc(']', out);
}

static void fuzz_json_print_unreached(FILE *out, const struct fuzz_search *search)
{
    const char *separator = "";
    fputs(",\"not_reached\":[", out);
    for (int op = 0; op < search->config->specs->count; op++) {
        const struct fuzz_tally *tally = search->tallies[op];
        for (int rule = 0; tally && rule < tally->rules.rule_count; rule++) {
            uint64_t any = 0;
            for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
                any |= tally->counts.by_rule[rule][0][verdict];
            if (any || !fuzz_can_break(&tally->rules, rule))
                continue;
            fprintf(out, "%s{\"operator\":\"%s\",\"rule\":\"%s\"}", separator, tally->rules.spec->name,
                    tally->rules.spec->rules[rule].id);
            separator = ",";
        }
    }
    putc(']', out);
}

void cmd_fuzz_print_json(FILE *out, const struct fuzz_search *search)
{
    double seconds = (double)search->elapsed_ns / 1e9;
    uint64_t count = 0, executed = 0;
    for (size_t i = 0; i < search->group_count; i++)
        fuzz_json_print_group(out, search, &search->groups[i]);
    for (int op = 0; op < search->config->specs->count; op++)
        if (search->tallies[op]) {
            count += search->tallies[op]->counts.tried;
            executed += search->tallies[op]->counts.executed;
        }
    fuzz_json_print_key(out, "{\"type\":\"summary\",", "device", search->config->device);
    fuzz_json_print_key(out, ",", "feature_level", level_name(search->level));
    fprintf(out,
            ",\"seed\":\"0x%016" PRIx64 "\",\"count\":%" PRIu64 ",\"executed\":%" PRIu64
            ",\"seconds\":%.3f,\"per_second\":%.0f,\"findings\":%zu,\"interrupted\":%s,\"next\":%" PRIu64
            ",\"places\":%u",
            search->config->seed, count, executed, seconds, seconds > 0 ? (double)count / seconds : 0,
            search->group_count, search->interrupted ? "true" : "false", search->next, fuzz_corpus_edge_count(search));
    fuzz_json_print_matrix(out, search);
    fuzz_json_print_errors(out, search);
    fuzz_json_print_unreached(out, search);
    fputs("}\n", out);
}
