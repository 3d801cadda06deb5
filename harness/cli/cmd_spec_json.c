#include "harness/cli/cmd_spec.h"
#include "harness/cli/cmd_json.h"
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/base/text.h"
#include "harness/describe/field_kind.h"

#include <stdio.h>
#include <string.h>

static void print_fields(const struct spec *spec)
{
    printf(",\n  \"fields\": [");
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        cmd_json_pair(i ? ",\n    {" : "\n    {", "name", field->name);
        cmd_json_pair(", ", "kind", field_kinds[field->kind].word);
        if (field_is_tensor(field))
            cmd_json_pair(", ", "group", spec->groups[field->group]);
        if (field->optional == DML_FEATURE_LEVEL_1_0)
            printf(", \"optional\": true");
        else if (field->optional)
            cmd_json_pair(", ", "optional", level_name(field->optional));
        printf("}");
    }
    printf("]");
}

static void print_levels(const struct spec *spec)
{
    printf(",\n  \"levels\": [");
    for (int i = 0; i < spec->level_count; i++) {
        const struct spec_level *level = &spec->levels[i];
        const char *comma = "";
        cmd_json_pair(i ? ",\n    {" : "\n    {", "level", level->name);
        printf(", \"types\": {");
        for (int g = 0; g < spec->group_count; g++) {
            text_print_json(stdout, spec->groups[g]);
            printf(": [");
            for (unsigned type = 0, first = 1; type < DATATYPE_COUNT; type++)
                if (level->types[g] >> type & 1) {
                    printf("%s\"%s\"", first ? "" : ", ", datatype_of(type)->name);
                    first = 0;
                }
            printf("]%s", g + 1 < spec->group_count ? ", " : "");
        }
        printf("}, \"dims\": {");
        for (int f = 0; f < spec->field_count; f++) {
            if (!field_is_tensor(&spec->fields[f]))
                continue;
            fputs(comma, stdout);
            text_print_json(stdout, spec->fields[f].name);
            printf(": [%u, %u]", level->dims[f].low, level->dims[f].high);
            comma = ", ";
        }
        cmd_json_words("}, ", "page", level->pages);
        cmd_json_words(", ", "ruling", level->ruling);
        putchar('}');
    }
    printf("]");
}

/* Returns true if the condition only says that tensors are given. */
static bool is_of_given(const struct spec *spec, int atom)
{
    const struct atom *a = &spec->atoms[atom];
    bool all = a->kind == ATOM_ALL && a->part_count > 0;
    if (a->kind == ATOM_BETWEEN)
        return spec->nodes[a->x].op == EXPR_PRESENT;
    for (int i = 0; i < a->part_count && all; i++)
        all = is_of_given(spec, a->parts[i]);
    return all;
}

/* Returns the property, such as "DimensionCount", that must be the same for two tensors, as far as they are given,
 * according to the atom; null if the atom says something else. */
static const char *same_of(const struct spec *spec, const struct atom *a, const char **one, const char **other)
{
    if ((a->when >= 0 && !is_of_given(spec, a->when)) || a->x < 0 || a->low < 0 ||
        (a->kind == ATOM_BETWEEN && a->low != a->high) || (a->kind != ATOM_BETWEEN && a->kind != ATOM_EQUAL))
        return NULL;
    const struct expr *x = &spec->nodes[a->x], *y = &spec->nodes[a->low];
    if (x->op != y->op || (x->op != EXPR_DIMS && x->op != EXPR_DATA_TYPE && x->op != EXPR_SIZES))
        return NULL;
    *one = spec->fields[x->field].name;
    *other = spec->fields[y->field].name;
    if (x->op == EXPR_DIMS)
        return "DimensionCount";
    return x->op == EXPR_DATA_TYPE ? "DataType" : "Sizes";
}

/* Prints the two tensors that the atom, or each part of one about every element of an array, makes agree. */
static void print_same_atom(const struct spec *spec, const struct atom *a, const char **comma)
{
    const char *one, *other, *property = same_of(spec, a, &one, &other);
    for (int i = 0; a->kind == ATOM_EVERY && i < a->part_count; i++)
        print_same_atom(spec, &spec->atoms[a->parts[i]], comma);
    if (!property)
        return;
    printf("%s{\"property\": \"%s\", \"tensors\": [", *comma, property);
    text_print_json(stdout, other);
    printf(", ");
    text_print_json(stdout, one);
    printf("]}");
    *comma = ", ";
}

static void print_same(const struct spec *spec, const struct rule *rule)
{
    const char *comma = "";
    printf(", \"same\": [");
    for (int i = 0; i < rule->atom_count; i++)
        print_same_atom(spec, &spec->atoms[rule->first_atom + i], &comma);
    putchar(']');
}

static void spec_json_print_rules(const struct spec *spec, bool behaviours)
{
    const char *comma = "";
    printf(",\n  \"%s\": [", behaviours ? "behaviours" : "rules");
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        if (rule->behaviour != behaviours)
            continue;
        printf("%s\n    {", comma);
        cmd_json_pair("", "id", rule->id);
        cmd_json_pair(", ", "strength", strength_name(rule->strength));
        cmd_json_pair(", ", "text", rule->text);
        cmd_json_words(", ", "page", rule->pages);
        cmd_json_words(", ", "ruling", rule->ruling);
        if (rule->from)
            cmd_json_pair(", ", "from", level_name(rule->from));
        if (rule->before)
            cmd_json_pair(", ", "before", level_name(rule->before));
        if (!behaviours)
            print_same(spec, rule);
        putchar('}');
        comma = ",";
    }
    printf("]");
}

static void print_choice(const struct spec *spec, const struct spec_choice *choice)
{
    cmd_json_pair("{", "rule", spec->rules[choice->rule].id);
    cmd_json_pair(", ", "when", choice->when.text);
    printf(", \"anything\": %s, \"outcomes\": {", choice->anything ? "true" : "false");
    for (int i = 0; i < choice->count; i++)
        cmd_json_pair(i ? ", " : "", choice->alternatives[i].outcome, choice->alternatives[i].value.text);
    printf("}}");
}

/* Prints the formulas of the outputs: their elements, the tolerances of a device, and its choices. */
static void print_results(const struct spec *spec)
{
    printf(",\n  \"results\": [");
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        const char *comma = "";
        cmd_json_pair(i ? ",\n    {" : "\n    {", "output", spec->fields[result->field].name);
        cmd_json_pair(", ", "formula", result->value.text);
        if (result->activation)
            cmd_json_pair(", ", "activation", dml_operator_name((DML_OPERATOR_TYPE)result->activation));
        printf(", \"tolerances\": {");
        for (unsigned type = 0; type < DATATYPE_COUNT; type++) {
            const struct tolerance *tolerance = &result->tolerances[type];
            if (!tolerance->must.count)
                continue;
            printf("%s\"%s\": ", comma, datatype_of(type)->name);
            cmd_json_pair("{", "soft", tolerance->soft.count ? tolerance->soft.text : "0");
            cmd_json_pair(", ", "must", tolerance->must.text);
            putchar('}');
            comma = ", ";
        }
        printf("}, \"choices\": [");
        for (int n = 0; n < result->choice_count; n++) {
            fputs(n ? ", " : "", stdout);
            print_choice(spec, &result->choices[n]);
        }
        printf("]}");
    }
    putchar(']');
}

static void spec_json_print_rest(const struct spec *spec)
{
    printf(",\n  \"examples\": [");
    for (int i = 0; i < spec->example_count; i++) {
        cmd_json_pair(i ? ",\n    {" : "\n    {", "id", spec->examples[i].id);
        cmd_json_words(", ", "page", spec->examples[i].pages);
        cmd_json_words(", ", "ruling", spec->examples[i].ruling);
        putchar('}');
    }
    printf("],\n  \"parameters\": [");
    for (int i = 0; i < spec->parameter_count; i++) {
        printf("%s", i ? ", " : "");
        text_print_json(stdout, spec->parameters[i].name);
    }
    printf("]");
    if (spec->page_since)
        printf(",\n  \"errata\": {\"since\": \"%s\"}", level_name(spec->page_since));
    const struct spec_sentences *s = &spec->sentences;
    if (*s->page) {
        cmd_json_pair(",\n  \"sentences\": {", "page", s->page);
        printf(", \"first\": %d, \"last\": %d", s->first, s->last);
        cmd_json_words(", ", "informative", s->informative);
        putchar('}');
    }
}

static void spec_json_print_operator(const struct spec *spec)
{
    cmd_json_pair(" {", "name", spec->name);
    printf(", \"type\": %d, \"since\": \"%s\"", (int)spec->type, level_name(spec->since));
    cmd_json_pair(", ", "page", spec->page);
    cmd_json_pair(", ", "file", spec->file);
    print_fields(spec);
    print_levels(spec);
    spec_json_print_rules(spec, false);
    spec_json_print_rules(spec, true);
    if (spec->result_count)
        print_results(spec);
    spec_json_print_rest(spec);
    printf("}");
}

void cmd_spec_json(const struct spec_set *set, const struct cmd_spec_choice *choice)
{
    printf("{\"operators\": [");
    for (int i = 0; i < choice->count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        spec_json_print_operator(&set->specs[choice->ops[i]]);
    }
    printf("],\n\"rulings\": [");
    for (int i = 0; i < set->ruling_count && choice->whole; i++) {
        cmd_json_pair(i ? ",\n {" : "\n {", "id", set->rulings[i].id);
        cmd_json_pair(", ", "text", set->rulings[i].text);
        if (*set->rulings[i].unused)
            cmd_json_pair(", ", "unused", set->rulings[i].unused);
        putchar('}');
    }
    printf("]}\n");
}
