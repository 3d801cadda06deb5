#include "harness/run/probe.h"

#include "harness/run/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This strategy has every combination of data types and rank in the table of every feature level, on small tensors. */
const char probe_pattern[] = "*.types.*";

/* The limits for each operator: every timeout or death takes long, and a few suffice. */
enum { TIMEOUTS_MAX = 2, DEATHS_MAX = 32 };

/* The trial of one operator. */
struct context {
    struct probe_operator *op;
    struct plan plan; /* the cases to try */
    size_t next;      /* index of the next record's case */
    bool *failed;     /* by case: it failed, and nothing is blamed for the failure yet */
};

static int first_tensor(const struct spec *spec)
{
    int field = 0;
    while (!field_is_tensor(&spec->fields[field]))
        field++;
    return field;
}

static void count(struct probe_count *c, enum status status)
{
    if (status == STATUS_PASS || status == STATUS_WARN)
        c->right++;
    else if (status == STATUS_UNSUPPORTED)
        c->unsupported++;
    else if (status_is_failure(status))
        c->broken++;
}

enum { PROPERTIES_MAX = OPDESC_MAX_TENSORS + 1 };

/* Finds the counts that a case belongs to: those of the data types of each group, and of the DimensionCount. Tensors of
 * one group may differ in type if the field is an array. Returns the number of counts. */
static int counts_of(struct probe_operator *op, const struct testcase *t, struct probe_count *counts[PROPERTIES_MAX])
{
    const struct spec *spec = t->spec;
    uint32_t seen[SPEC_MAX_GROUPS] = {0};
    int count = 0;
    for (int i = -1; (i = spec_next_tensor(spec, t->desc, i)) >= 0;) {
        const int group = spec_tensor_field(spec, i)->group;
        const uint32_t type = t->desc->items[i].tensor.data_type;
        if (seen[group] >> type & 1)
            continue;
        seen[group] |= 1u << type;
        counts[count++] = &op->types[group][type];
    }
    counts[count++] = &op->dims[OPDESC_TENSOR(t->desc, first_tensor(spec))->dims];
    return count;
}

/* Returns true if a larger share of the cases with one property fails than of the cases with the other. Failures that
 * another property is blamed for do not count. */
static bool fails_more(const struct probe_count *one, const struct probe_count *other)
{
    return (uint64_t)one->left * (other->left + other->right) > (uint64_t)other->left * (one->left + one->right);
}

/* Counts the failures that nothing is blamed for yet. Returns the property with the largest share of them. */
static struct probe_count find_worst(struct context *c)
{
    struct probe_count *counts[PROPERTIES_MAX], worst = {.right = 1};
    for (size_t i = 0; i < c->next; i++)
        for (int n = counts_of(c->op, &c->plan.cases[i], counts); n-- > 0;)
            counts[n]->left = 0;
    for (size_t i = 0; i < c->next; i++)
        for (int n = c->failed[i] ? counts_of(c->op, &c->plan.cases[i], counts) : 0; n-- > 0;)
            counts[n]->left++;
    for (size_t i = 0; i < c->next; i++)
        for (int n = c->failed[i] ? counts_of(c->op, &c->plan.cases[i], counts) : 0; n-- > 0;)
            worst = fails_more(counts[n], &worst) ? *counts[n] : worst;
    return worst;
}

/* Blames one property for each failure: of the properties of its case, the one with the largest share of failing cases.
 * If FLOAT16 is broken, each rank has failures, though no rank is to blame. So the failures of the worst property are
 * left out before the next one is searched. */
static void probe_blame(struct context *c)
{
    struct probe_count *counts[PROPERTIES_MAX], worst;
    while ((worst = find_worst(c)).left > 0)
        for (size_t i = 0; i < c->next; i++) {
            int count = c->failed[i] ? counts_of(c->op, &c->plan.cases[i], counts) : 0;
            bool blamed = false;
            for (int n = 0; n < count; n++)
                blamed |= !fails_more(&worst, counts[n]);
            for (int n = 0; blamed && n < count; n++)
                counts[n]->elsewhere += fails_more(&worst, counts[n]);
            c->failed[i] = c->failed[i] && !blamed;
        }
}

static void keep_first(struct probe_operator *op, const struct record *record)
{
    if (record->verdict.status == STATUS_PASS || op->first[record->verdict.status])
        return;
    struct probe_first *first = calloc(1, sizeof *first);
    if (!first)
        return;
    snprintf(first->case_name, sizeof first->case_name, "%s", record->case_name);
    snprintf(first->message, sizeof first->message, "%s", record->message);
    snprintf(first->reproduce, sizeof first->reproduce, "%s", record->reproduce);
    op->first[record->verdict.status] = first;
}

/* Records come in the order of the plan. */
static int probe_on_record(void *context, const struct record *record, struct error *error)
{
    struct context *c = context;
    struct probe_operator *op = c->op;
    struct probe_count *counts[PROPERTIES_MAX];
    int properties = counts_of(op, &c->plan.cases[c->next], counts);
    (void)error;
    for (int i = 0; i < properties; i++)
        count(counts[i], record->verdict.status);
    c->failed[c->next++] = status_is_failure(record->verdict.status);
    op->counts[record->verdict.status]++;
    keep_first(op, record);
    op->gave_up = op->counts[STATUS_TIMEOUT] >= TIMEOUTS_MAX ||
                  op->counts[STATUS_CRASH] + op->counts[STATUS_DEVICE_LOST] >= DEATHS_MAX;
    return op->gave_up ? EXIT_INCOMPLETE : 0; /* the status ends the run */
}

static int probe_on_started(void *context, const assay_device_info *info, struct error *error)
{
    (void)context;
    (void)info;
    (void)error;
    return 0;
}

/* Returns the newest table up to the declared level, or the newest of all if no level is declared. */
static int table_to_try(const struct spec *spec, DML_FEATURE_LEVEL declared)
{
    return declared ? spec_table(spec, declared) : spec->level_count - 1;
}

static int try_operator(struct probe *probe, int op, const struct probe_config *config, struct error *error)
{
    struct probe_operator *tried = &probe->operators[op];
    const struct spec *spec = &config->specs->specs[op];
    struct context context = {.op = tried,
                              .plan.cases = calloc(config->plan->count + 1, sizeof(struct testcase)),
                              .failed = calloc(config->plan->count + 1, sizeof(bool))};
    struct runner_total total = {0};
    if (!context.plan.cases || !context.failed) {
        free(context.plan.cases);
        free(context.failed);
        return error_set(error, EXIT_HARNESS, "out of memory");
    }
    tried->table = table_to_try(spec, config->declared);
    for (size_t i = 0; i < config->plan->count; i++) {
        bool of_operator = config->plan->cases[i].spec == spec;
        tried->wanted |= of_operator;
        if (of_operator && config->plan->cases[i].table == tried->table)
            context.plan.cases[context.plan.count++] = config->plan->cases[i];
    }
    tried->planned = (unsigned)context.plan.count;
    struct runner_config run = {.plan = &context.plan,
                                .specs = config->specs,
                                .specs_folder = config->specs_folder,
                                .device = config->device,
                                .sandbox = config->sandbox,
                                .jobs = 1,
                                .batch = 1, /* a case that hangs delays no other */
                                .timeout_ms = config->timeout_ms,
                                .reproduce_options = "",
                                .started = probe_on_started,
                                .record = probe_on_record,
                                .context = &context};
    int result = context.plan.count > 0 ? runner_run(&run, &total, error) : 0;
    if (*total.closing)
        snprintf(probe->closing, sizeof probe->closing, "%s", total.closing);
    probe_blame(&context);
    free(context.plan.cases);
    free(context.failed);
    return tried->gave_up ? 0 : result;
}

int probe_run(struct probe *probe, const struct probe_config *config, struct error *error)
{
    int result = 0;
    *probe = (struct probe){.operators = calloc((size_t)config->specs->count + 1, sizeof *probe->operators)};
    if (!probe->operators)
        return error_set(error, EXIT_HARNESS, "out of memory");
    probe->operator_count = config->specs->count;
    for (int i = 0; i < config->specs->count && result == 0; i++)
        result = try_operator(probe, i, config, error);
    return result;
}

void probe_free(struct probe *probe)
{
    for (int i = 0; i < probe->operator_count; i++)
        for (int s = 0; s < STATUS_COUNT; s++)
            free(probe->operators[i].first[s]);
    free(probe->operators);
    *probe = (struct probe){0};
}

const char *probe_answer(const struct probe_count *count)
{
    if (count->broken > count->elsewhere)
        return "bad";
    if (count->right)
        return count->unsupported ? "some" : "yes";
    return count->unsupported ? "no" : "";
}

bool probe_is_broken(const struct probe *probe)
{
    for (int i = 0; i < probe->operator_count; i++)
        for (int s = 0; s < STATUS_COUNT; s++)
            if (probe->operators[i].counts[s] && status_is_failure((enum status)s))
                return true;
    return *probe->closing != '\0';
}
