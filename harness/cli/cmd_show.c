#include "harness/check/check.h"
#include "harness/cli/cmd.h"
#include "harness/base/datatype.h"
#include "harness/case/fill_text.h"
#include "harness/describe/field_kind.h"
#include "harness/describe/field_text.h"
#include "harness/trial/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_SHOWN = 16 };

struct values {
    struct cmd_source source;
    uint64_t seed;
};

static void show_print_numbers(const uint32_t *numbers, uint32_t count)
{
    putchar('{');
    for (uint32_t i = 0; i < count; i++)
        printf("%s%u", i ? "," : "", numbers[i]);
    putchar('}');
}

static void show_print_tensor(const char *name, const struct opdesc_tensor *t)
{
    printf("  %-24s", name);
    if (!t->present) {
        puts("null");
        return;
    }
    if (datatype_of(t->data_type)->bits > 0)
        printf("%s ", datatype_of(t->data_type)->name);
    else
        printf("DataType %u ", t->data_type);
    if (t->has_sizes)
        show_print_numbers(t->sizes, t->dims);
    else
        printf("%u dimensions, Sizes null", t->dims);
    if (t->has_strides) {
        printf(" Strides ");
        show_print_numbers(t->strides, t->dims);
    }
    printf(" TotalTensorSizeInBytes %" PRIu64, t->total);
    if (t->alignment)
        printf(" GuaranteedBaseOffsetAlignment %u", t->alignment);
    if (t->flags)
        printf(" Flags 0x%x", t->flags);
    if (t->type != DML_TENSOR_TYPE_BUFFER)
        printf(" Type %u", t->type);
    putchar('\n');
}

/* A tensor, or each of an array, in words; any other field as desc_text.h has it. */
static void print_field(const struct testcase *c, int field)
{
    const struct field_ref ref = field_ref(c->spec, c->desc, field);
    char text[512] = "";
    struct text_writer out = {text, sizeof text, 0};
    if (field_is_tensor(&c->spec->fields[field])) {
        for (int i = -1; (i = spec_next_tensor(c->spec, c->desc, i)) >= 0;)
            if (c->spec->tensor_fields[i] == field)
                show_print_tensor(c->spec->tensor_names[i], &c->desc->items[i].tensor);
        return;
    }
    field_kind(&ref)->print(&ref, &out);
    printf("  %-24s%s\n", c->spec->fields[field].name, text);
}

static void print_contents(const struct testcase *c, uint64_t seed)
{
    puts("inputs (first elements, row-major):");
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        if (!field_is_input(spec_tensor_field(c->spec, i)))
            continue;
        printf("  %-24s", c->spec->tensor_names[i]);
        if (!fill_text_input(stdout, c, seed, i, ELEMENTS_SHOWN))
            printf("out of memory");
        putchar('\n');
    }
    for (int i = -1; c->literals && (i = testcase_next_tensor(c, i)) >= 0;) {
        if (!field_is_output(spec_tensor_field(c->spec, i)) || !c->literals[i].data)
            continue;
        printf("%s output:\n  %-24s", c->from_file ? "given" : "documented", c->spec->tensor_names[i]);
        fill_text_literal(stdout, c, i, ELEMENTS_SHOWN);
        putchar('\n');
    }
}

static void show_print_rule(const struct testcase *c, int index, const char *device_broke)
{
    const struct rule *rule = &c->spec->rules[index];
    DML_FEATURE_LEVEL level = c->spec->levels[c->table].level;
    bool holds = rule->behaviour || rule_check(c->spec, index, c->desc, level) != BROKEN;
    if (!rule->behaviour && !rule_applies(rule, level))
        return;
    bool by_device = device_broke && strcmp(device_broke, rule->id) == 0;
    printf("%s%s%s %-24s %-7s %s", by_device ? "!" : " ", rule == testcase_rule(c) ? "→" : " ", holds ? " " : "✗",
           rule->id, strength_name(rule->strength), rule->text);
    if (*rule->pages || *rule->ruling)
        printf(" [%s%s%s]", rule->pages, *rule->pages && *rule->ruling ? ", " : "", rule->ruling);
    putchar('\n');
    for (int i = 0; !holds && i < rule->atom_count; i++)
        if (atom_check(c->spec, rule->first_atom + i, c->desc, c->table) == BROKEN)
            printf("      broken: %s\n", c->spec->atoms[rule->first_atom + i].text);
}

void cmd_print_case(const struct testcase *c, uint64_t seed, const char *broken)
{
    printf("%s\n", c->name);
    if (spec_is_interface(c->spec)) {
        printf(
            "interface: a random sequence of about %u calls, of the kind '%s', on operators that the device supports\n"
            "expected: %s\nbehaviours that it can show to be broken:\n",
            c->lifecycle.steps, lifecycle_names[c->lifecycle.kind], testcase_expected(c));
        for (int i = 0; i < c->spec->rule_count; i++)
            if (c->spec->rules[i].evidence.lifecycle)
                printf("%s %-24s%s [%s]\n", broken && strcmp(broken, c->spec->rules[i].id) == 0 ? "!" : " ",
                       c->spec->rules[i].id, c->spec->rules[i].text, c->spec->rules[i].pages);
        return;
    }
    printf("operator: DML_OPERATOR_%s, tables of feature level %s%s%s\n", c->spec->name, c->spec->levels[c->table].name,
           *c->spec->levels[c->table].pages ? ", " : "", c->spec->levels[c->table].pages);
    printf("expected: %s%s\n", testcase_expected(c), c->soft ? "; a deviation is a warning" : "");
    if (c->lifecycle.kind)
        puts("calls: operators are made, compiled, dispatched and destroyed again and again; the resources of the "
             "process must level off");
    if (c->rule >= 0)
        printf("tests: %s\n", c->spec->rules[c->rule].id);
    puts("description:");
    for (int i = 0; i < c->spec->field_count; i++)
        print_field(c, i);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (testcase_output_of(c, i) >= 0)
            printf("in place: %s has the memory of %s\n", c->spec->tensor_names[i],
                   c->spec->tensor_names[testcase_output_of(c, i)]);
        else if (testcase_memory_of(c, i) != i)
            printf("one memory: %s has the memory of %s\n", c->spec->tensor_names[i],
                   c->spec->tensor_names[testcase_memory_of(c, i)]);
    if (testcase_may_run(c))
        print_contents(c, seed);
    printf("rules that apply (→: the case tests it; ✗: the description breaks it%s):\n",
           broken && *broken ? "; !: the device broke it" : "");
    for (int i = 0; i < c->spec->rule_count; i++)
        show_print_rule(c, i, broken);
}

static int cmd_show_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    const struct testcase *c;
    struct cmd_plan plan;
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "show takes the name of one case; `assay list` prints the names");
    int result = cmd_load_case(&v->source, arguments->items[0], &plan, &c, error);
    if (result)
        return result;
    cmd_print_case(c, plan_case_seed(v->seed, c->name), NULL);
    cmd_unload(&plan);
    return 0;
}

static const struct option options[] = {
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of the run whose contents to show (default: 0)"},
    CMD_READ_OPTION(struct values, source.allow),
    CMD_SOURCE_OPTIONS(struct values),
    {0}};

const struct command cmd_show = {.name = "show",
                                 .arguments = "CASE",
                                 .summary = "print one case: description, inputs, rules, what is expected",
                                 .examples = "assay show nonzero_coordinates.examples.matrix.fl3_0.float32.d4n3\n",
                                 .options = options,
                                 .values_size = sizeof(struct values),
                                 .run = cmd_show_run};
