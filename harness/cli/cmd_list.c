#include "harness/cli/cmd.h"
#include "harness/base/datatype.h"

#include <stdio.h>

struct values {
    struct cmd_source source;
    bool count, json;
};

/* Names have only letters, digits and -_. so they need no escaping. */
static void list_print_json(const struct testcase *c)
{
    static const char *const expectations[] = {[EXPECT_RESULTS] = "results",
                                               [EXPECT_ACCEPTED] = "accepted",
                                               [EXPECT_EITHER] = "either",
                                               [EXPECT_REJECTED] = "rejected"};
    const char *mark = "";
    printf(
        "{\"v\":1,\"case\":\"%s\",\"operator\":\"%s\",\"strategy\":\"%s\",\"feature_level\":\"%s\",\"expect\":\"%s\","
        "\"rule\":\"%s\",\"tensors\":{",
        c->name, testcase_operator(c), c->strategy, c->unread ? "" : c->spec->levels[c->table].name,
        expectations[c->expect], c->rule >= 0 ? c->spec->rules[c->rule].id : "");
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct opdesc_tensor *t = &c->desc->items[i].tensor;
        printf("%s\"%s\":{\"DataType\":\"%s\",\"Sizes\":[", mark, c->spec->tensor_names[i],
               datatype_of(t->data_type)->name);
        for (uint32_t d = 0; d < t->dims; d++)
            printf("%s%u", d ? "," : "", t->sizes[d]);
        printf("]}");
        mark = ",";
    }
    printf("},\"soft\":%s}\n", c->soft ? "true" : "false");
}

static int cmd_list_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_plan plan;
    struct cmd_source source = v->source;
    source.unread = true;
    int result = cmd_load(&source, arguments, &plan, error);
    if (result)
        return result;
    if (v->count)
        printf("%zu\n", plan.plan.count);
    for (size_t i = 0; i < plan.plan.count && !v->count; i++) {
        if (v->json)
            list_print_json(&plan.plan.cases[i]);
        else
            puts(plan.plan.cases[i].name);
    }
    result = plan.plan.wrong > 0 ? EXIT_HARNESS : 0;
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    CMD_READ_OPTION(struct values, source.allow),
    CMD_KEEP_GOING_OPTION(struct values),
    CMD_SOURCE_OPTIONS(struct values),
    CMD_CHOICE_OPTIONS(struct values),
    {'c', "count", NULL, OPTION_FLAG, offsetof(struct values, count), "print only the number of cases"},
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print one JSON object per line"},
    {0}};

const struct command cmd_list = {.name = "list",
                                 .arguments = "[FILTER…]",
                                 .summary = "print the names of cases, without running them",
                                 .examples = "assay list gather_nd\n"
                                             "assay list 'scatter_*.violations.*' --count\n"
                                             "assay list gather not gather.violations >cases.txt\n"
                                             "assay list --operator GATHER --level 2_1 --json\n",
                                 .notes = CMD_FILTER_NOTES "The list can be given to --case-list.\n",
                                 .options = options,
                                 .values_size = sizeof(struct values),
                                 .run = cmd_list_run};
