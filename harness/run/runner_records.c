/* The results of cases on their way to the record. */
#include "harness/run/runner_internal.h"

#include "harness/run/applicability.h"
#include "harness/run/attempts.h"
#include "harness/spec/outcome.h"
#include "harness/trial/explain.h"
#include "harness/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct detail *runner_detail(const char *message, const char *dump, const char *printed)
{
    size_t sizes[] = {strlen(message) + 1, strlen(dump) + 1, strlen(printed) + 1};
    struct detail *detail = calloc(1, sizeof *detail + sizes[0] + sizes[1] + sizes[2]);
    if (!detail)
        return NULL;
    detail->dump = sizes[0];
    detail->printed = sizes[0] + sizes[1];
    memcpy(detail->text, message, sizes[0]);
    memcpy(detail->text + detail->dump, dump, sizes[1]);
    memcpy(detail->text + detail->printed, printed, sizes[2]);
    return detail;
}

__attribute__((format(printf, 5, 6))) void runner_settle(struct runner *r, size_t index, enum status status,
                                                         const char *printed, const char *format, ...)
{
    struct case_state *state = &r->cases[index];
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    state->done = true;
    state->verdict.status = status;
    state->verdict.cause = CAUSE_CONDUCT; /* cause_of() replaces it where the status implies a cause */
    state->detail = *text || *printed ? runner_detail(text, "", printed) : NULL;
}

/* Returns the rule that a failure shows to be broken; "" for a pass, and for a failure that no rule is about. A wrong
 * result has been diagnosed. A wrong answer to a description, or a death, breaks the rule that the case tests. */
static const char *runner_records_broken_rule(const struct testcase *c, const struct record *record,
                                              const struct case_state *state)
{
    const struct diagnosis *diagnosis = state->detail ? &state->detail->symptoms.diagnosis : NULL;
    if (record->verdict.cause == CAUSE_NONE || record->verdict.status == STATUS_INCOMPLETE)
        return "";
    if (diagnosis && diagnosis->given)
        return diagnosis->rule >= 0 && diagnosis->rule < c->spec->rule_count ? c->spec->rules[diagnosis->rule].id : "";
    if (state->verdict.promise)
        return promise_name(state->verdict.promise);
    switch (record->verdict.cause) {
    case CAUSE_MEMORY:
        return spec_find_rule(c->spec, "outside") >= 0 ? "outside" : "";
    case CAUSE_CONDUCT:
    case CAUSE_HARNESS:
    case CAUSE_FILE:
        return "";
    default:
        return record->rule;
    }
}

/* Returns the sentence of a rule of the case's operator, or of the interface; "" if there is none. */
static const char *runner_records_text_of(const struct runner *r, const struct testcase *c, const char *id)
{
    const struct spec *specs[] = {c->spec, r->config->specs ? r->config->specs->interface : NULL};
    for (int i = 0; i < 2; i++) {
        int rule = specs[i] && *id ? spec_find_rule(specs[i], id) : -1;
        if (rule >= 0)
            return specs[i]->rules[rule].text;
    }
    return "";
}

static const struct rule no_rule = {.id = "", .text = "", .pages = "", .ruling = ""};

/* Adds the case's own limit to the command. A case that was late, but not by the usual limit, needs its own limit to be
 * late again. */
static void add_limit(const struct runner *r, size_t index, const struct record *record, char *reproduce, size_t size)
{
    const struct runner_config *config = r->config;
    unsigned limit_ms = config->timeouts_ms ? config->timeouts_ms[index] : config->timeout_ms;
    size_t used = strlen(reproduce);
    if (record->verdict.status == STATUS_TIMEOUT && limit_ms != RUNNER_TIMEOUT_MS)
        snprintf(reproduce + used, size - used, " --timeout %u", limit_ms / 1000);
}

/* A case on its way to the record: the members that its attempts share. */
struct handed {
    size_t index;
    bool in_turn;
    struct record record; /* without the members that an attempt adds */
    struct attempts attempts;
    char pages[512], types[TESTCASE_TYPES_SIZE];
};

static void prepare_handing(const struct runner *r, size_t index, bool in_turn, struct handed *out)
{
    const struct testcase *c = &r->config->plan->cases[index];
    const struct rule *rule = testcase_rule(c) ? testcase_rule(c) : &no_rule;
    out->index = index;
    out->in_turn = in_turn;
    out->attempts = (struct attempts){0};
    out->record = (struct record){.case_name = c->name,
                                  .operator_name = testcase_operator(c),
                                  .feature_level = c->unread ? "" : c->spec->levels[c->table].name,
                                  .data_types = testcase_types(c->spec, c->desc, out->types),
                                  .device = r->config->device,
                                  .rule = rule->id,
                                  .rule_text = rule->text,
                                  .strength = rule != &no_rule ? strength_name(rule->strength) : "",
                                  .pages = out->pages,
                                  .expected = testcase_expected(c),
                                  .expects = c->expect,
                                  .message = "",
                                  .dump = "",
                                  .printed = "",
                                  .kept = r->cases[index].kept,
                                  .seed = plan_case_seed(r->config->seed, c->name)};
    snprintf(out->pages, sizeof out->pages, "%s%s%s", rule->pages, *rule->pages && *rule->ruling ? ", " : "",
             rule->ruling);
}

/* Decides if the last record of a case was expected. */
static void judge_standing(const struct runner_config *config, size_t index, struct record *record)
{
    if (config->expect)
        expect_judge(config->expect, index, record);
    if (config->flaky_ok && record->flaky && record->standing == STANDING_NONE) {
        record->standing = STANDING_EXPECTED;
        record->reason = "--flaky ok";
    }
}

/* Passes one attempt at a case to record() if it is in turn, else to keep(). */
static int hand_over_attempt(struct runner *r, struct handed *handed, const struct case_state *state)
{
    const struct testcase *c = &r->config->plan->cases[handed->index];
    bool last = state == &r->cases[handed->index];
    char reproduce[2048], quoted[1024];
    struct record record = handed->record;
    record.verdict = state->verdict;
    record.verdict.cause = cause_of(record.verdict.status, record.verdict.cause);
    record.outcome = outcome_word(c->spec, record.verdict.outcome);
    record.slow = state->slow;
    record.measured = state->measured;
    record.last = last;
    record.broken = runner_records_broken_rule(c, &record, state);
    record.broken_text = runner_records_text_of(r, c, record.broken);
    if (state->detail) {
        record.symptoms = state->detail->symptoms;
        record.message = state->detail->text;
        record.dump = state->detail->text + state->detail->dump;
        record.printed = state->detail->text + state->detail->printed;
    }
    attempts_add(&handed->attempts, &record);
    if (last)
        judge_standing(r->config, handed->index, &record);
    *reproduce = '\0';
    if (record.verdict.status != STATUS_PASS || record.flaky)
        snprintf(reproduce, sizeof reproduce, "%s repro %s -d %s --seed %llu%s", program_invocation_name, c->name,
                 text_quoted(quoted, sizeof quoted, r->config->device), (unsigned long long)r->config->seed,
                 r->config->reproduce_options);
    add_limit(r, handed->index, &record, reproduce, sizeof reproduce);
    record.reproduce = reproduce;
    if (handed->in_turn && last) {
        record_add(&r->total->records, &record);
        r->new_failures += record_is_failure(&record);
    }
    return handed->in_turn ? r->config->record(r->config->context, &record, r->error)
                           : r->config->keep(r->config->context, &record, r->error);
}

/* Returns the batch failure that an attempt follows, if none of its cases explains it; otherwise null. */
static const struct batch_failure *unexplained_of(const struct runner *r, const struct case_state *attempt)
{
    const struct batch_failure *failure = attempt->batch_failure ? &r->failures[attempt->batch_failure - 1] : NULL;
    return failure && failure->waiting == 0 && !failure->explained ? failure : NULL;
}

/* Hands over the attempts at a case. An attempt that followed an unexplained batch failure comes second: the failure
 * was an attempt, too. */
static int hand_over_case(struct runner *r, size_t index, bool in_turn)
{
    struct case_state *state = &r->cases[index];
    struct handed handed;
    int result = 0;
    prepare_handing(r, index, in_turn, &handed);
    for (unsigned i = 0; i <= state->attempts && result == 0; i++) {
        const struct case_state *attempt = i < state->attempts ? &state->earlier[i] : state;
        const struct batch_failure *failure = unexplained_of(r, attempt);
        if (failure) {
            const struct case_state with_batch = {.verdict = failure->verdict, .detail = failure->detail};
            result = hand_over_attempt(r, &handed, &with_batch);
        }
        if (result == 0)
            result = hand_over_attempt(r, &handed, attempt);
    }
    return result;
}

/* Returns true if the case may be handed over: it is done, and its batch failures are decided. */
static bool runner_records_is_settled(const struct runner *r, const struct case_state *state)
{
    return state->done && (r->ending || runner_is_decided(r, state));
}

static void free_attempt(struct case_state *state)
{
    free(state->detail);
    free(state->measured);
    state->detail = NULL;
    state->measured = NULL;
}

void runner_free_case(struct case_state *state)
{
    for (unsigned i = 0; i < state->attempts; i++)
        free_attempt(&state->earlier[i]);
    free(state->earlier);
    free_attempt(state);
    free(state->shrinking);
    state->earlier = NULL;
    state->shrinking = NULL;
    state->attempts = 0;
}

bool runner_is_finished(const struct runner *r, size_t index)
{
    return r->started && r->config->finished && r->config->finished[index];
}

bool runner_has_failed(const struct runner *r)
{
    return r->config->max_failures > 0 && r->new_failures >= r->config->max_failures;
}

bool runner_may_hand_over(const struct runner *r)
{
    return r->recorded < r->config->plan->count && (r->ending || !runner_has_failed(r)) &&
           (runner_is_finished(r, r->recorded) || runner_records_is_settled(r, &r->cases[r->recorded]));
}

int runner_hand_over(struct runner *r, size_t most)
{
    int result = 0;
    for (size_t passed = 0; result == 0 && passed < most && runner_may_hand_over(r); r->recorded++) {
        struct case_state *state = &r->cases[r->recorded];
        passed += 1 + (size_t)state->attempts;
        if (runner_is_finished(r, r->recorded))
            result = r->config->recall(r->config->context, r->recorded, &r->total->records, r->error);
        else {
            result = hand_over_case(r, r->recorded, true);
            runner_free_case(state);
        }
    }
    return result;
}

/* Stores the records of the cases behind a slow case meanwhile, which delays them. But if the run ends after some
 * failures, the cases behind the last failure have no result. */
int runner_keep(struct runner *r)
{
    int result = 0;
    for (size_t i = r->recorded; r->config->keep && r->config->max_failures == 0 && result == 0 && i < r->reached; i++)
        if (!r->cases[i].kept && runner_records_is_settled(r, &r->cases[i])) {
            result = hand_over_case(r, i, false);
            r->cases[i].kept = true;
        }
    return result;
}

int runner_settle_rest(struct runner *r, const char *why)
{
    r->ending = true;
    for (size_t i = r->recorded; i < r->config->plan->count; i++) {
        struct case_state *state = &r->cases[i];
        if (state->shrinking)
            runner_give_up_shrinking(r, i);
        /* The failure that ends the run is the last result, however many cases other workers have finished. */
        if (runner_is_finished(r, i) || (state->done && (state->kept || !runner_has_failed(r))))
            continue;
        unsigned attempts = state->attempts;
        if (attempts > 0 && !r->total->interrupted && !runner_has_failed(r)) { /* the last attempt made counts */
            struct case_state *earlier = state->earlier;
            *state = earlier[--attempts];
            state->earlier = earlier;
            state->attempts = attempts;
        } else {
            runner_free_case(state); /* resuming the run makes all attempts */
            runner_settle(r, i, STATUS_INCOMPLETE, "", "not run%s: %s", attempts ? " as often as it should" : "", why);
        }
    }
    return runner_hand_over(r, SIZE_MAX);
}
