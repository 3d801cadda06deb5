#include "harness/cli/cmd_spec.h"
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/describe/field_kind.h"
#include "harness/spec/catalogue.h"
#include "harness/trial/computed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct cmd_source source;
    bool trace, check, json;
    const char *db;
};

/* The number of cases that test a rule. */
struct rule_cases {
    unsigned legal, violating;
};

static void spec_print_level(const struct spec *spec, const struct spec_level *level)
{
    printf("  %s%s%s\n", level->name, *level->pages ? "  " : "", level->pages);
    for (int g = 0; g < spec->group_count; g++) {
        char types[512] = "";
        for (unsigned type = 0; type < DATATYPE_COUNT; type++)
            if (level->types[g] >> type & 1)
                snprintf(types + strlen(types), sizeof types - strlen(types), " %s", datatype_of(type)->name);
        int column = printf("    %-8s ", spec->groups[g]);
        cmd_spec_wrap(column, column, types + (*types != '\0'));
        putchar('\n');
    }
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]))
            printf("    %s: %u to %u dimensions\n", spec->fields[i].name, level->dims[i].low, level->dims[i].high);
}

/* Writes the condition of a rule, with its source and its feature levels. Returns `out`. */
static const char *rule_sentence(const struct rule *rule, char *out, size_t size)
{
    char source[512] = "";
    if (*rule->pages || *rule->ruling)
        snprintf(source, sizeof source, " [%s%s%s]", rule->pages, *rule->pages && *rule->ruling ? ", " : "",
                 rule->ruling);
    snprintf(out, size, "%s%s%s%s%s%s", rule->text, source, rule->from ? " from " : "",
             rule->from ? level_name(rule->from) : "", rule->from ? " on" : "", rule->before ? " before " : "");
    if (rule->before)
        snprintf(out + strlen(out), size - strlen(out), "%s", level_name(rule->before));
    return out;
}

static void spec_print_rules(const struct spec *spec, const struct rule_cases *cases)
{
    char text[4096];
    printf("rules:\n  %-26s %-8s %6s %9s  %s\n", "id", "strength", "legal", "violating", "condition [source]");
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        int column = printf("  %-26s %-8s %6u %9u  ", rule->id, strength_name(rule->strength), cases[i].legal,
                            cases[i].violating);
        cmd_spec_wrap(column, column, rule_sentence(rule, text, sizeof text));
        putchar('\n');
    }
}

static int spec_print_operator(const struct cmd_plan *plan, int op)
{
    const struct spec *spec = &plan->specs.specs[op];
    struct rule_cases *rule_cases = calloc((size_t)spec->rule_count, sizeof *rule_cases);
    size_t cases = 0;
    if (!rule_cases)
        return EXIT_HARNESS;
    for (size_t i = 0; i < plan->plan.count; i++) {
        const struct testcase *c = &plan->plan.cases[i];
        cases += c->spec == spec;
        if (c->spec == spec && c->rule >= 0) {
            rule_cases[c->rule].violating += c->expect >= EXPECT_EITHER;
            rule_cases[c->rule].legal += c->expect < EXPECT_EITHER;
        }
    }
    if (spec_is_interface(spec)) {
        printf("%s, of %s; %zu cases\n", spec->name, spec->page, cases);
        spec_print_rules(spec, rule_cases);
        free(rule_cases);
        return 0;
    }
    char title[512];
    snprintf(title, sizeof title, "DML_OPERATOR_%s (%d), from feature level %s on; page %s; %zu cases", spec->name,
             (int)spec->type, level_name(spec->since), spec->page, cases);
    cmd_spec_wrap(0, 4, title);
    putchar('\n');
    puts("fields:");
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        bool tensor = field_is_tensor(field);
        printf("  %-24s %s%s%s\n", field->name, field_kinds[field->kind].word, tensor ? ", types of " : "",
               tensor ? spec->groups[field->group] : "");
    }
    puts("feature levels:");
    for (int i = 0; i < spec->level_count; i++)
        spec_print_level(spec, &spec->levels[i]);
    spec_print_rules(spec, rule_cases);
    if (spec->stage_count)
        puts("stages, which are computed before the results:");
    for (int i = 0; i < spec->stage_count; i++)
        cmd_spec_print_result(spec, &spec->stages[i].result);
    if (spec->result_count)
        puts("results; without a bound, the correctly rounded one:");
    for (int i = 0; i < spec->result_count; i++)
        cmd_spec_print_result(spec, &spec->results[i]);
    free(rule_cases);
    return 0;
}

/* Returns a word for the part of the spec that computes the documented outputs. */
static const char *meaning_of(const struct spec *spec)
{
    if (spec->has_meaning)
        return "function";
    return computed_applies(spec) ? "formula" : "-";
}

/* The sums at the end of the overview. */
struct overview {
    int operators, specs, meanings, tested;
};

static void print_spec_row(const struct cmd_plan *plan, int op, struct overview *sum)
{
    const struct spec *spec = &plan->specs.specs[op];
    size_t cases = 0;
    for (size_t i = 0; i < plan->plan.count; i++)
        cases += plan->plan.cases[i].spec == spec;
    printf("%-42s %5s %6d %6d %8s %6zu  %s\n", spec->name, level_name(spec->since), spec->level_count, spec->rule_count,
           meaning_of(spec), cases, spec->file);
    sum->operators++;
    sum->specs++;
    sum->meanings += strcmp(meaning_of(spec), "-") != 0;
    sum->tested += cases > 0;
}

/* Prints all operators, in the catalogue's order. */
static int print_overview(const struct cmd_plan *plan)
{
    const struct catalogue *catalogue = plan->specs.catalogue;
    struct overview sum = {0};
    printf("%-42s %5s %6s %6s %8s %6s  %s\n", "operator", "since", "levels", "rules", "meaning", "cases", "file");
    for (int i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *known = &catalogue->operators[i];
        int op = spec_set_find(&plan->specs, known->layout.name);
        if (op >= 0)
            print_spec_row(plan, op, &sum);
        else
            printf("%-42s %5s %6d %6s %8s %6s  -\n", known->layout.name, level_name(known->layout.since),
                   known->level_count, "-", "-", "-");
        sum.operators += op < 0;
    }
    printf("%d operators: %d with a spec, %d with a meaning, %d with cases\n", sum.operators, sum.specs, sum.meanings,
           sum.tested);
    return 0;
}

/* Finds the operators named as arguments or with --operator, and the interface if `interface`; all if none is named. */
static int spec_choose(const struct spec_set *set, const struct word_list *named, bool interface,
                       struct cmd_spec_choice *out, struct error *error)
{
    interface &= set->interface != NULL;
    *out = (struct cmd_spec_choice){.ops = calloc((size_t)set->count + named->count + 2, sizeof *out->ops),
                                    .whole = named->count == 0};
    if (!out->ops)
        return error_set(error, EXIT_HARNESS, "out of memory");
    for (int i = 0; out->whole && i < set->count; i++)
        out->ops[out->count++] = i;
    if (out->whole && interface)
        out->ops[out->count++] = set->count;
    for (size_t i = 0; i < named->count; i++) {
        int op = (interface ? spec_set_find_any : spec_set_find)(set, named->items[i]);
        if (op < 0)
            return spec_set_no_operator(set, named->items[i], EXIT_USAGE, error);
        out->ops[out->count++] = op;
    }
    return 0;
}

static int print_plan(const struct values *v, const struct cmd_plan *plan, const struct cmd_spec_choice *choice,
                      struct error *error)
{
    int result = 0;
    if (v->trace || v->check)
        return cmd_spec_trace(plan, choice, v->db, v->check, error);
    if (choice->whole)
        return print_overview(plan);
    for (int i = 0; i < choice->count && result == 0; i++)
        result = spec_print_operator(plan, choice->ops[i]);
    return result;
}

static int cmd_spec_run(const void *values, const struct word_list *arguments, struct error *error)
{
    struct values v = *(const struct values *)values;
    struct cmd_plan plan;
    struct cmd_spec_choice choice = {0};
    if (arguments->count > 0 && v.source.operators.count > 0)
        return error_set(error, EXIT_USAGE, "name operators as arguments or with --operator, not both");
    if (v.db && !v.trace)
        return error_set(error, EXIT_USAGE, "--db is for --trace");
    if (arguments->count > 0)
        v.source.operators = *arguments;
    struct cmd_source source = v.source;
    if (v.trace || v.check) /* all cases: an operator's case may test a sentence of another operator's page */
        source.operators = (struct word_list){0};
    int result =
        v.json ? cmd_load_specs(&source, &plan, error) : cmd_load(&source, &(struct word_list){0}, &plan, error);
    if (result)
        return result;
    result = spec_choose(&plan.specs, &v.source.operators, !v.json, &choice, error);
    if (result == 0 && v.json)
        cmd_spec_json(&plan.specs, &choice);
    else if (result == 0)
        result = print_plan(&v, &plan, &choice, error);
    free(choice.ops);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'t', "trace", NULL, OPTION_FLAG, offsetof(struct values, trace),
     "print page sentences with their rules, cases and verdicts"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, db),
     "with --trace: take verdicts from the last run of each device in this database"},
    {'c', "check", NULL, OPTION_FLAG, offsetof(struct values, check),
     "print only what is not traced; exit status 1 if there is something"},
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print the specs as one JSON object"},
    CMD_SOURCE_OPTIONS(struct values),
    {0}};

const struct command cmd_spec = {.name = "spec",
                                 .arguments = "[OPERATOR…]",
                                 .summary = "list all operators, or print some: fields, levels, rules, cases per rule",
                                 .examples = "assay spec\n"
                                             "assay spec GATHER_ND\n"
                                             "assay spec --trace --db results.db\n"
                                             "assay spec --trace --check\n"
                                             "assay spec --json GATHER_ND\n",
                                 .options = options,
                                 .values_size = sizeof(struct values),
                                 .run = cmd_spec_run};
