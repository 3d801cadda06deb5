#include "harness/cli/cmd.h"
#include "harness/cli/cmd_json.h"
#include "harness/plan/coverage.h"
#include "harness/results/store.h"
#include "harness/base/fileuse.h"

#include <stdio.h>
#include <stdlib.h>

/* The coverage required of every operator, in hundredths of a percent. By default only pairs are planned for operators
 * without indices (spec_is_plain()): their rules and shapes hardly interact. */
enum { FLOOR_PAIRS = 10000, FLOOR_TRIPLES = 9500, FLOOR_TRIPLES_OF_PLAIN = 0 };

struct values {
    struct cmd_source source;
    const char *db;
    bool json, verbose;
};

static bool is_low(const struct coverage *c, const struct coverage_figure *figure)
{
    unsigned triples = spec_is_plain(c->spec) ? FLOOR_TRIPLES_OF_PLAIN : FLOOR_TRIPLES;
    return coverage_share(figure) < (figure->ways == 2 ? FLOOR_PAIRS : triples);
}

static void print_holes(const struct coverage *c, const struct coverage_figure *figure)
{
    char text[512];
    for (int i = 0; i < figure->hole_count; i++) {
        coverage_describe(c, figure, &figure->holes[i], text, sizeof text);
        printf("  %s: %s\n", figure->holes[i].undecided ? "undecided" : "missed", text);
    }
    uint64_t more = figure->missed + figure->undecided - (uint64_t)figure->hole_count;
    if (more > 0)
        printf("  … %llu more\n", (unsigned long long)more);
}

/* The width of the first column, which has the names of the operators that are measured. */
static int coverage_name_width(const struct values *v, const struct spec_set *specs)
{
    size_t width = strlen("operator");
    for (int op = 0; op < specs->count; op++) {
        size_t length = cmd_wants_operator(&v->source, specs, op) ? strlen(specs->specs[op].name) : 0;
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_figure(const struct coverage *c, const struct coverage_figure *figure, int width, bool verbose)
{
    unsigned share = coverage_share(figure);
    printf("%-*s %4d %11llu %10llu %7llu %9llu %10llu %3u.%02u %%%s\n", width, c->spec->name, figure->ways,
           (unsigned long long)coverage_combinable(figure), (unsigned long long)figure->covered,
           (unsigned long long)figure->missed, (unsigned long long)figure->undecided,
           (unsigned long long)figure->impossible, share / 100, share % 100, is_low(c, figure) ? "  too low" : "");
    if (verbose)
        print_holes(c, figure);
}

static uint64_t without_case(const struct coverage *c)
{
    uint64_t count = 0;
    for (int i = 0; i < c->spec->situation_count; i++)
        count += c->situations[i] == 0;
    return count;
}

/* Prints how many situations have a case, and each that has none; all of them if `verbose`. */
static void print_situations(const struct coverage *c, int width, bool verbose)
{
    uint64_t all = (uint64_t)c->spec->situation_count, missed = without_case(c);
    unsigned share = all ? (unsigned)((all - missed) * 10000 / all) : 10000;
    printf("%-*s sit. %11llu %10llu %7llu %9d %10d %3u.%02u %%%s\n", width, c->spec->name, (unsigned long long)all,
           (unsigned long long)(all - missed), (unsigned long long)missed, 0, 0, share / 100, share % 100,
           missed ? "  too low" : "");
    for (int i = 0; i < c->spec->situation_count; i++)
        if (verbose || c->situations[i] == 0)
            printf("  %s %s: %s: %llu cases\n", c->situations[i] ? "situation" : "missed situation",
                   c->spec->situations[i].when.id, c->spec->situations[i].when.text,
                   (unsigned long long)c->situations[i]);
}

static void print_situations_json(const struct coverage *c, uint64_t hash)
{
    for (int i = 0; i < c->spec->situation_count; i++) {
        printf("{\"v\":1,\"plan_hash\":\"0x%016llx\",\"operator\":\"%s\"", (unsigned long long)hash, c->spec->name);
        cmd_json_pair(",", "situation", c->spec->situations[i].when.id);
        cmd_json_pair(",", "text", c->spec->situations[i].when.text);
        printf(",\"cases\":%llu}\n", (unsigned long long)c->situations[i]);
    }
}

/* Names of operators, groups, parameters and fields are identifiers, which need no escaping. */
static void coverage_print_json(const struct coverage *c, const struct coverage_figure *figure, uint64_t hash)
{
    char text[512];
    unsigned share = coverage_share(figure);
    printf("{\"v\":1,\"plan_hash\":\"0x%016llx\",\"operator\":\"%s\",\"ways\":%d,\"combinable\":%llu,\"covered\":%llu,"
           "\"missed\":%llu,\"undecided\":%llu,\"impossible\":%llu,\"percent\":%u.%02u,\"first_holes\":[",
           (unsigned long long)hash, c->spec->name, figure->ways, (unsigned long long)coverage_combinable(figure),
           (unsigned long long)figure->covered, (unsigned long long)figure->missed,
           (unsigned long long)figure->undecided, (unsigned long long)figure->impossible, share / 100, share % 100);
    for (int i = 0; i < figure->hole_count; i++) {
        coverage_describe(c, figure, &figure->holes[i], text, sizeof text);
        printf("%s\"%s\"", i ? "," : "", text);
    }
    puts("]}");
}

static struct store_coverage stored(const struct coverage *c, const struct coverage_figure *figure, uint64_t hash)
{
    return (struct store_coverage){.version = ASSAY_VERSION,
                                   .plan_hash = hash,
                                   .operator_name = c->spec->name,
                                   .ways = figure->ways,
                                   .covered = figure->covered,
                                   .missed = figure->missed,
                                   .undecided = figure->undecided,
                                   .impossible = figure->impossible};
}

/* Measures and prints the coverage; `rows` has room for two per operator. EXIT_FAILURES: a figure is too low. */
static int measure_all(const struct values *v, const struct cmd_plan *plan, struct store_coverage *rows, size_t *count,
                       struct error *error)
{
    uint64_t hash = plan_hash(&plan->plan);
    int width = coverage_name_width(v, &plan->specs);
    bool low = false;
    if (!v->json)
        printf("%-*s %4s %11s %10s %7s %9s %10s %8s\n", width, "operator", "ways", "combinable", "covered", "missed",
               "undecided", "impossible", "share");
    for (int op = 0; op < plan->specs.count; op++) {
        struct coverage c;
        if (!cmd_wants_operator(&v->source, &plan->specs, op))
            continue;
        int result = coverage_measure(&c, &plan->specs, op, &plan->plan, error);
        if (result) {
            coverage_free(&c);
            return result;
        }
        const struct coverage_figure *figures[] = {&c.pairs, &c.triples};
        for (int i = 0; i < 2; i++) {
            if (v->json)
                coverage_print_json(&c, figures[i], hash);
            else
                print_figure(&c, figures[i], width, v->verbose);
            rows[(*count)++] = stored(&c, figures[i], hash);
            low |= is_low(&c, figures[i]);
        }
        if (v->json)
            print_situations_json(&c, hash);
        else
            print_situations(&c, width, v->verbose);
        low |= without_case(&c) > 0;
        coverage_free(&c);
    }
    return low ? EXIT_FAILURES : 0;
}

static int store_rows(const char *path, const struct store_coverage *rows, size_t count, struct error *error)
{
    struct store *store;
    int result = store_open(path, &store, error);
    if (result == 0)
        result = store_add_coverage(store, rows, count, error);
    int closed = store_close(store, error);
    return result ? result : closed;
}

static int cmd_coverage_run(const void *values, const struct word_list *arguments, struct error *error)
{
    struct values v = *(const struct values *)values;
    struct cmd_plan plan;
    struct fileuse files = {0};
    size_t count = 0;
    v.source.operators = *arguments;
    fileuse_add_plan(&files, v.source.specs, &v.source.cases);
    fileuse_add(&files, FILEUSE_STORE, "--db", v.db);
    int result = fileuse_check(&files, error);
    if (result == 0)
        result = cmd_load(&v.source, &(struct word_list){0}, &plan, error);
    if (result)
        return result;
    struct store_coverage *rows = calloc(2 * (size_t)plan.specs.count, sizeof *rows);
    result = rows ? measure_all(&v, &plan, rows, &count, error) : error_set(error, EXIT_HARNESS, "out of memory");
    if (v.db && (result == 0 || result == EXIT_FAILURES)) {
        int kept = store_rows(v.db, rows, count, error);
        result = kept ? kept : result;
    }
    free(rows);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, db), "add the figures to this SQLite database"},
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print one JSON object per line"},
    {'v', "verbose", NULL, OPTION_FLAG, offsetof(struct values, verbose),
     "list the first combinations that are not covered, and every situation with its cases"},
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, source.specs), CMD_SPECS_HELP},
    {0, "cases", "PATH", OPTION_LIST, offsetof(struct values, source.cases), CMD_CASES_HELP},
    {0}};

const struct command cmd_coverage = {
    .name = "coverage",
    .arguments = "[OPERATOR…]",
    .summary = "measure which combinations of parameters, and which situations, the planned cases cover",
    .examples = "assay coverage\n"
                "assay coverage GATHER_ND --verbose\n"
                "assay coverage --db results.db\n",
    .notes = "Counts the combinations of two and of three values of feature level, data types, shape parameters (0 "
             "to 8) and each tensor's kind of strides that occur in the descriptions of the planned cases, whatever "
             "strategy made them. Cases that must be rejected do not count.\n\n"
             "A combination that no case has is impossible if the rules' bounds prove that no legal description has "
             "it, missed if a legal description with it is found, and undecided otherwise. All combinations but the "
             "impossible ones count as combinable. Combinations with indices that are broadcast along a tuple, or that "
             "are broadcast where their targets must differ, count as impossible.\n\n"
             "Also counts the cases in each situation that the spec declares, such as a row far below zero: the line "
             "\"sit.\". Cases that must be rejected, or do not run, count for none.\n\n"
             "Exit status 1 if a situation has no case, or if less than 100 % of the pairs or 95 % of the triples of "
             "an operator are covered; "
             "triples of operators without indices do not count.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = cmd_coverage_run};
