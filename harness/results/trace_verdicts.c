#include "harness/results/trace.h"

#include "harness/results/history.h"
#include "harness/base/nametable.h"
#include "harness/base/text.h"

#include <string.h>

/* Orders statuses for a reader: the most severe first, a skip last. */
static int weight(int status)
{
    if (status < 0)
        return -2;
    return status == STATUS_SKIP ? -1 : status_severity((enum status)status);
}

bool trace_outweighs(int verdict, int other)
{
    return weight(verdict) > weight(other);
}

struct context {
    struct trace *trace;
    struct nametable cases; /* case name to index in the plan, + 1 */
    int device;
};

/* Returns true if a result decides about a part of the specs. A pass or a skip does if the case tests the part. A case
 * that ends badly counts against the rule that it shows to be broken, even if it tests another one. A wrong answer to a
 * description counts against a level, and a wrong result does not. Any case of an example can break it. */
static bool trace_verdicts_counts(const struct carrier *carrier, const struct testcase *tested,
                                  const struct history_result *result)
{
    bool tests = carrier_evidence(carrier, tested) != EVIDENCE_NONE;
    if (result->cause == CAUSE_NONE || carrier->kind == CARRIER_EXAMPLE)
        return tests;
    if (carrier->kind == CARRIER_LEVEL)
        return tests && result->cause != CAUSE_RESULT && result->cause != CAUSE_MEMORY;
    return strcmp(result->broken, carrier->spec->rules[carrier->index].id) == 0;
}

static int trace_verdicts_add_result(void *context, const struct history_result *result)
{
    const struct context *c = context;
    uint32_t number = nametable_find(&c->cases, &result->case_name, 1);
    const struct testcase *tested = number > 0 ? &c->trace->plan->cases[number - 1] : NULL;
    for (int i = -1; tested && (i = trace_next(c->trace, tested, i)) >= 0;) {
        struct carrier *carrier = &c->trace->carriers[i];
        if (trace_verdicts_counts(carrier, tested, result) &&
            trace_outweighs((int)result->status, carrier->verdicts[c->device]))
            carrier->verdicts[c->device] = (int)result->status;
    }
    return 0;
}

static int read_history(struct context *c, struct history *history, struct error *error)
{
    struct history_run runs[TRACE_MAX_DEVICES];
    struct trace *trace = c->trace;
    char name[256];
    int result = history_last_runs(history, runs, TRACE_MAX_DEVICES, &trace->device_count, error);
    for (int i = 0; i < trace->device_count && result == 0; i++) {
        text_visible(name, sizeof name, runs[i].device);
        trace->devices[i] = pool_string(&trace->pool, name);
        c->device = i;
        result = history_state(history, runs[i].id, HISTORY_ALL, trace_verdicts_add_result, c, error);
    }
    return result;
}

int trace_verdicts(struct trace *trace, const char *path, struct error *error)
{
    struct history *history = NULL;
    struct context context = {.trace = trace};
    int result = 0;
    for (size_t i = 0; i < trace->plan->count && result == 0; i++)
        if (!nametable_add(&context.cases, &trace->plan->cases[i].name, 1, (int64_t)i + 1))
            result = error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", trace->plan->count);
    if (result == 0 && (result = history_open(path, &history, error)) == 0)
        result = read_history(&context, history, error);
    history_close(history);
    nametable_destroy(&context.cases);
    return result;
}
