/* What came of cases, on its way to the record. */
#include "harness/run/runner_internal.h"

#include "harness/run/applicability.h"
#include "harness/run/attempts.h"
#include "harness/spec/outcome.h"
#include "harness/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 4, 5))) void runner_settle(struct runner *r, size_t index, enum status status,
                                                         const char *format, ...)
{
    struct ending *o = &r->outcomes[index];
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    o->done = true;
    o->status = (uint8_t)status;
    o->cause = CAUSE_CONDUCT; /* unless the status says more */
    o->detail = *text ? calloc(1, sizeof *o->detail + strlen(text) + 2) : NULL;
    if (o->detail) {
        strcpy(o->detail->text, text);
        o->detail->dump = strlen(text) + 1;
    }
}

static const struct rule no_rule = {.id = "", .pages = "", .ruling = ""};

/* One attempt at a case: passed on in its turn, or to be kept before that. */
static int hand_over_attempt(struct runner *r, size_t index, const struct ending *o, bool in_turn,
                             struct attempts *attempts)
{
    const struct testcase *c = &r->config->plan->cases[index];
    const struct rule *rule = testcase_rule(c) ? testcase_rule(c) : &no_rule;
    bool last = o == &r->outcomes[index];
    char reproduce[2048] = "", quoted[1024], pages[512], types[TESTCASE_TYPES_SIZE];
    struct record record = {.case_name = c->name,
                            .operator_name = c->spec->name,
                            .feature_level = c->spec->levels[c->table].name,
                            .data_types = testcase_types(c->spec, c->desc, types),
                            .device = r->config->device,
                            .rule = rule->id,
                            .strength = rule != &no_rule ? strength_name(rule->strength) : "",
                            .expected = testcase_expected(c),
                            .outcome = outcome_name((enum outcome)o->choice),
                            .message = o->detail ? o->detail->text : "",
                            .dump = o->detail ? o->detail->text + o->detail->dump : "",
                            .status = (enum status)o->status,
                            .cause = cause_of((enum status)o->status, (enum cause)o->cause),
                            .slow = o->slow,
                            .kept = r->outcomes[index].kept,
                            .seed = plan_case_seed(r->config->seed, c->name),
                            .host_ns = o->host_ns,
                            .device_ns = o->device_ns,
                            .checksum = o->checksum,
                            .last = last};
    snprintf(pages, sizeof pages, "%s%s%s", rule->pages, *rule->pages && *rule->ruling ? ", " : "", rule->ruling);
    record.pages = pages;
    if (o->detail)
        record.wrong = o->detail->wrong;
    attempts_add(attempts, &record);
    if (last && r->config->judge)
        r->config->judge(r->config->context, index, &record);
    if (record.status != STATUS_PASS || record.flaky)
        snprintf(reproduce, sizeof reproduce, "%s repro %s -d %s --seed %llu%s", program_invocation_name, c->name,
                 text_quoted(quoted, sizeof quoted, r->config->device), (unsigned long long)r->config->seed,
                 r->config->reproduce_options);
    record.reproduce = reproduce;
    if (in_turn && last)
        record_add(&r->total->records, &record);
    if (in_turn && o->incident && status_is_failure((enum status)o->status))
        r->explained[o->incident] = true;
    return in_turn ? r->config->record(r->config->context, &record, r->error)
                   : r->config->keep(r->config->context, &record, r->error);
}

static int hand_over(struct runner *r, size_t index, bool in_turn)
{
    struct ending *o = &r->outcomes[index];
    struct attempts attempts = {0};
    int result = 0;
    for (unsigned i = 0; i < o->attempts && result == 0; i++)
        result = hand_over_attempt(r, index, &o->earlier[i], in_turn, &attempts);
    return result ? result : hand_over_attempt(r, index, o, in_turn, &attempts);
}

void runner_forget(struct ending *o)
{
    for (unsigned i = 0; i < o->attempts; i++)
        free(o->earlier[i].detail);
    free(o->earlier);
    free(o->detail);
    o->earlier = NULL;
    o->detail = NULL;
    o->attempts = 0;
}

bool runner_knows(const struct runner *r, size_t index)
{
    return r->started && r->config->known && r->config->known[index];
}

int runner_hand_over(struct runner *r)
{
    int result = 0;
    for (; result == 0 && r->recorded < r->config->plan->count; r->recorded++) {
        struct ending *o = &r->outcomes[r->recorded];
        if (runner_knows(r, r->recorded)) {
            result = r->config->recall(r->config->context, r->recorded, &r->total->records, r->error);
            continue;
        }
        if (!o->done)
            break;
        result = hand_over(r, r->recorded, true);
        runner_forget(o);
    }
    return result;
}

/* While a slow case holds up those behind it, what is known of them is made safe. */
int runner_keep(struct runner *r)
{
    int result = 0;
    for (size_t i = r->recorded; r->config->keep && result == 0 && i < r->config->plan->count; i++)
        if (r->outcomes[i].done && !r->outcomes[i].kept) {
            result = hand_over(r, i, false);
            r->outcomes[i].kept = true;
        }
    return result;
}

/* What was not run gets its row too. */
int runner_settle_rest(struct runner *r, const char *why)
{
    for (size_t i = r->recorded; i < r->config->plan->count; i++) {
        struct ending *o = &r->outcomes[i];
        if (o->done || runner_knows(r, i))
            continue;
        unsigned attempts = o->attempts;
        if (attempts > 0 && !r->total->interrupted) { /* what there is must do */
            struct ending *earlier = o->earlier;
            *o = earlier[--attempts];
            o->earlier = earlier;
            o->attempts = attempts;
        } else {
            runner_forget(o); /* all of them are made when the run is resumed */
            runner_settle(r, i, STATUS_INCOMPLETE, "not run%s: %s", attempts ? " as often as it should" : "", why);
        }
    }
    return runner_hand_over(r);
}
