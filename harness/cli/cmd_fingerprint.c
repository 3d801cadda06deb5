#include "harness/cli/cmd_run.h"
#include "harness/trial/interpretation.h"
#include "harness/base/text.h"
#include "harness/base/fileuse.h"

#include <stdlib.h>
#include <string.h>

struct values {
    struct cmd_source source;
    const char *device, *against, *database;
    uint64_t seed, timeout;
};

/* The choices of one device, per case of the plan: an outcome, or the status of a case without one. The texts are
 * constants. */
struct choices {
    const char **list;
    size_t count;
};

/* A line of the table: how often, and in which operators, the device made a choice that a rule leaves. */
struct line {
    const struct rule *rule;
    const char *chosen, *other; /* other: what the device of --against chose, or null */
    uint64_t count;
    bool *operators; /* the operators in which it did, by place in the plan's specs */
};

/* ---- running: an output format that collects the choices */

static void fingerprint_nothing(struct format_stream *stream)
{
    (void)stream;
}

static void fingerprint_begin_run(struct format_stream *stream, const struct format_run *run)
{
    printf("%s: ", run->device);
    text_print(stdout, run->device_name);
    if (*run->device_driver) {
        printf(", driver ");
        text_print(stdout, run->device_driver);
    }
    printf(", feature level %s; %llu cases\n", run->feature_level, (unsigned long long)run->planned);
    (void)stream;
}

static void fingerprint_collect(struct format_stream *stream, const struct record *record)
{
    struct choices *choices = stream->state;
    choices->list[choices->count++] = *record->outcome ? record->outcome : status_name(record->verdict.status);
}

static void fingerprint_end_run(struct format_stream *stream, const struct format_total *total)
{
    (void)stream, (void)total;
}

static const struct format collecting = {.name = "fingerprint",
                                         .begin = fingerprint_nothing,
                                         .begin_run = fingerprint_begin_run,
                                         .result = fingerprint_collect,
                                         .end_run = fingerprint_end_run,
                                         .end = fingerprint_nothing};

static int fingerprint_run_on(const struct values *v, const struct cmd_plan *plan, const struct store_scope *scope,
                              const char *device, struct store *store, struct choices *out, struct error *error)
{
    struct runner_total total;
    struct sandbox *sandbox;
    struct reporters reporters = {.items = {{.format = &collecting,
                                             .file = {.out = stdout},
                                             .stream = {.out = stdout, .planned = plan->plan.count, .state = out}}},
                                  .count = 1};
    struct session_config on = {.runner = {.plan = &plan->plan,
                                           .specs = &plan->specs,
                                           .specs_folder = plan->specs_folder,
                                           .device = device,
                                           .reproduce_options = "",
                                           .seed = v->seed,
                                           .jobs = 1,
                                           .timeout_ms = (unsigned)v->timeout * 1000},
                                .reporters = &reporters,
                                .store = store,
                                .database = v->database ? v->database : "",
                                .command = "assay fingerprint",
                                .scope = *scope,
                                .plan_hash = plan_hash(&plan->plan),
                                CMD_RUN_PRINTING};
    out->list = calloc(plan->plan.count, sizeof *out->list);
    if (!out->list)
        return error_set(error, EXIT_HARNESS, "out of memory");
    int result = cmd_sandbox(&v->source.allow, &sandbox, error);
    if (result)
        return result;
    on.runner.sandbox = sandbox;
    result = session_run(&on, &total, error);
    sandbox_free(sandbox);
    if (result == 0 && (out->count < plan->plan.count || total.records.counts[STATUS_INCOMPLETE] > 0))
        result = EXIT_INCOMPLETE;
    return result;
}

/* ---- which cases leave a choice */

static bool leaves_choice(const struct testcase *c)
{
    return c->expect >= EXPECT_EITHER || interpretation_applies(c);
}

static void keep_choices(struct plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (leaves_choice(&plan->cases[i]))
            plan->cases[kept++] = plan->cases[i];
    plan->count = kept;
}

/* ---- the table */

/* Returns the name of a rule's choice. All rejections that the documents demand share one: the choice of the error. */
static const char *topic(const struct rule *rule)
{
    return rule->strength == STRENGTH_REJECT ? "rejections" : rule->id;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->rule->strength != y->rule->strength)
        return x->rule->strength < y->rule->strength ? 1 : -1;
    int order = strcmp(topic(x->rule), topic(y->rule));
    if (order)
        return order;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->chosen, y->chosen);
}

static bool is_line(const struct line *line, const struct rule *rule, const char *chosen, const char *other)
{
    return strcmp(topic(line->rule), topic(rule)) == 0 && line->rule->strength == rule->strength &&
           line->chosen == chosen && line->other == other;
}

static void free_lines(struct line *lines, int count)
{
    for (int i = 0; i < count; i++)
        free(lines[i].operators);
    free(lines);
}

/* Makes the lines for all cases, or with `b` for those in which the devices differ. Returns how many; -1: out of
 * memory. The caller frees them with free_lines(). */
static int make_lines(const struct cmd_plan *plan, const struct choices *a, const struct choices *b, struct line **out)
{
    int count = 0;
    *out = calloc(plan->plan.count + 1, sizeof **out);
    for (size_t i = 0; *out && i < plan->plan.count; i++) {
        const struct testcase *c = &plan->plan.cases[i];
        const struct rule *rule = &c->spec->rules[c->rule];
        const char *other = b ? b->list[i] : NULL;
        int at = 0;
        if (b && strcmp(a->list[i], other) == 0)
            continue;
        while (at < count && !is_line(&(*out)[at], rule, a->list[i], other))
            at++;
        if (at == count) {
            bool *operators = calloc((size_t)plan->specs.count, sizeof *operators);
            if (!operators) {
                free_lines(*out, count);
                return -1;
            }
            (*out)[count++] = (struct line){.rule = rule, .chosen = a->list[i], .other = other, .operators = operators};
        }
        (*out)[at].count++;
        (*out)[at].operators[c->spec - plan->specs.specs] = true;
    }
    if (*out)
        qsort(*out, (size_t)count, sizeof **out, compare_lines);
    return *out ? count : -1;
}

/* Names the first few; a line of 78 names helps nobody. */
static void fingerprint_print_operators(const struct cmd_plan *plan, const bool *operators)
{
    enum { SHOWN = 4 };
    int count = 0;
    for (int i = 0; i < plan->specs.count; i++)
        if (operators[i] && count++ < SHOWN)
            printf("  %s", plan->specs.specs[i].name);
    if (count > SHOWN)
        printf("  and %d more", count - SHOWN);
}

static int fingerprint_print_lines(const struct values *v, const struct cmd_plan *plan, const struct choices *a,
                                   const struct choices *b)
{
    struct line *lines;
    int count = make_lines(plan, a, b, &lines);
    if (count < 0)
        return EXIT_HARNESS;
    if (b && count == 0)
        printf("\n%s and %s choose the same in all %zu cases\n", v->device, v->against, plan->plan.count);
    else if (b)
        printf("\n%-22s %-9s %-36s %-36s %8s\n", "choice", "strength", v->device, v->against, "cases");
    else
        printf("\n%-22s %-9s %-36s %8s\n", "choice", "strength", "outcome", "cases");
    for (int i = 0; i < count; i++) {
        printf("%-22s %-9s %-36s ", topic(lines[i].rule), strength_name(lines[i].rule->strength), lines[i].chosen);
        if (b)
            printf("%-36s ", lines[i].other);
        printf("%8llu", (unsigned long long)lines[i].count);
        fingerprint_print_operators(plan, lines[i].operators);
        putchar('\n');
    }
    free_lines(lines, count);
    return b && count > 0 ? EXIT_FAILURES : EXIT_AS_EXPECTED;
}

static int fingerprint_take(const struct values *v, struct cmd_plan *plan, const struct store_scope *scope,
                            struct error *error)
{
    struct choices a = {0}, b = {0};
    struct store *store = NULL;
    keep_choices(&plan->plan);
    if (plan->plan.count == 0)
        return error_set(error, EXIT_NO_MATCH, "the documents leave no choice in any of these cases");
    int result = v->database ? store_open(v->database, &store, error) : 0;
    if (result == 0)
        result = fingerprint_run_on(v, plan, scope, v->device, store, &a, error);
    if (result == 0 && v->against)
        result = fingerprint_run_on(v, plan, scope, v->against, store, &b, error);
    int closed = store_close(store, result == 0 ? error : NULL);
    if (result == 0)
        result = closed;
    if (result == 0)
        result = fingerprint_print_lines(v, plan, &a, v->against ? &b : NULL);
    free(a.list);
    free(b.list);
    return result;
}

static int cmd_fingerprint_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_plan plan;
    if (!v->device)
        return error_set(error, EXIT_USAGE, "which device? -d NAME; `assay devices` lists them");
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    struct fileuse files = {0};
    fileuse_add_device(&files, v->device);
    if (v->against)
        fileuse_add_device(&files, v->against);
    fileuse_add_plan(&files, v->source.specs, &v->source.cases);
    fileuse_add(&files, FILEUSE_STORE, "--db", v->database);
    int result = fileuse_check(&files, error);
    if (result == 0)
        result = cmd_load(&v->source, arguments, &plan, error);
    if (result)
        return result;
    struct pool texts = {0};
    struct store_scope scope = cmd_run_scope(&texts, &v->source, arguments);
    scope.purpose = "fingerprint";
    scope.whole_plan = false;
    result = fingerprint_take(v, &plan, &scope, error);
    pool_clear(&texts);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), CMD_DEVICE_HELP},
    {0, "against", "DEVICE", OPTION_STRING, offsetof(struct values, against),
     "print where this device chooses differently; exit status 1 if it does"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database), "add the results to this database"},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of all tensor contents (default: 0)"},
    CMD_TIMEOUT_OPTION(struct values, "time limit for one case"),
    CMD_ALLOW_OPTION(struct values, source.allow),
    CMD_SOURCE_OPTIONS(struct values),
    CMD_CHOICE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.timeout = RUNNER_TIMEOUT};

const struct command cmd_fingerprint = {.name = "fingerprint",
                                        .arguments = "-d DEVICE [FILTER…]",
                                        .summary = "print what a device chooses where the documents leave a choice",
                                        .notes = "The choices are: indices out of range, several updates of one "
                                                 "element, NaNs and denormals, descriptions that may be accepted or "
                                                 "rejected, and which error a rejection returns.\n",
                                        .examples = "assay fingerprint -d vulkan\n"
                                                    "assay fingerprint -d vulkan --against reference gather_nd\n",
                                        .options = options,
                                        .values_size = sizeof(struct values),
                                        .defaults = &defaults,
                                        .run = cmd_fingerprint_run};
