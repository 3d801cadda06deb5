/* judge_given.c: decides about a case that gives its outputs: the outputs must not contradict the reference device. If
 * they do not, devices are compared with the given outputs if the file gives a tolerance for them; otherwise with the
 * reference device's, which then hold the same elements wherever the documents settle one. */
#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/trial/trial_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void contradicts(struct trial *t, const char *format, ...)
{
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trial_verdict(t, STATUS_HARNESS_ERROR, "%s contradict%s the reference: %s",
                  t->c.from_file ? "the file" : "the documented outputs", t->c.from_file ? "s" : "", text);
    t->verdict.cause = CAUSE_FILE;
}

/* Judges the case by the first element that contradicts. `first` has the given value as the one that a device got.
 * `worst`: what trial_print_error() prints, or "". */
static void contradicts_at(struct trial *t, const char *tensor, const struct wrong *first, uint64_t count,
                           const char *worst)
{
    contradicts(t, "%llu element%s of %s; the first is %s, given as %s; the reference computes %s%s",
                (unsigned long long)count, count == 1 ? "" : "s", tensor, first->coordinates, first->got,
                first->expected, worst);
}

static bool judge_given_gives(const struct trial *t, int field)
{
    return field_is_output(spec_tensor_field(t->c.spec, field)) && t->c.literals[field].data;
}

/* Returns true if an output gives all elements that the given count of rows, or the reference device's count,
 * defines. */
static bool judge_rows(struct trial *t, int field, const uint8_t *const given[])
{
    uint64_t defined = interpretation_defined_count(&t->c, field, given);
    if (t->c.literals[field].count >= defined)
        return true;
    contradicts(t, "%s has %llu defined elements, and %u are given", t->c.spec->tensor_names[field],
                (unsigned long long)defined, t->c.literals[field].count);
    return false;
}

/* Notes that devices get a warning for such elements as the file gives. */
static void remark(struct trial *t, int field, const struct comparison *found)
{
    const char *tensor = t->c.spec->tensor_names[field];
    const char *rule = found->soft_rule >= 0 ? t->c.spec->rules[found->soft_rule].id : "";
    char worst[96];
    size_t used = (size_t)snprintf(t->remark, sizeof t->remark, "the file gives %llu element%s of %s ",
                                   (unsigned long long)found->soft, found->soft == 1 ? "" : "s", tensor);
    if (*rule)
        snprintf(t->remark + used, sizeof t->remark - used, "by the outcome '%s' of the soft rule '%s'",
                 found->soft_outcome, rule);
    else {
        trial_print_error(t, field, &found->error, "must bound", worst);
        snprintf(t->remark + used, sizeof t->remark - used, "beyond the soft bound%s", worst);
    }
}

/* Judges an output of which nothing is open: every defined element must agree, at least softly. */
static void judge_settled(struct trial *t, int field, const uint8_t *const given[])
{
    struct comparison comparison;
    char worst[96] = "";
    trial_compare(t, field, NULL, given, &comparison);
    if (comparison.error.measured && comparison.error.share > 0)
        trial_print_error(t, field, &comparison.error, "bound", worst);
    if (comparison.agreement == DIFFERS)
        contradicts_at(t, t->c.spec->tensor_names[field], &comparison.first, comparison.wrong, worst);
    else if (comparison.soft > 0 && t->c.from_file && !*t->remark)
        remark(t, field, &comparison);
}

/* Judges outputs that the documents leave open: the given outputs must match an outcome that the rule allows. */
static void judge_given_judge_open(struct trial *t, const uint8_t *const given[])
{
    const struct rule *rule = &t->c.spec->rules[t->c.rule];
    struct open_comparison found;
    enum outcome outcome = interpretations_find(t->interpretations, &t->c, given);
    if (outcome != OUTCOME_OTHER)
        return; /* an outcome that the rule only reports differs softly */
    trial_compare_open(t, given, &found);
    if (found.wrong > 0)
        contradicts_at(t, found.first.tensor, &found.first, found.wrong, "");
    else if (!(rule->accepts >> OUTCOME_OTHER & 1) && (found.unmatched > 0 || rule->anywhere))
        contradicts(t,
                    "%s: the outputs given are none that a device may have; the first to differ is %s %s, given as %s",
                    rule->id, found.first.tensor, found.first.coordinates, found.first.got);
}

void trial_judge_given(const struct trial_setup *setup, struct trial *t)
{
    uint8_t *given[OPDESC_MAX_TENSORS] = {0};
    const uint8_t *outputs[OPDESC_MAX_TENSORS] = {0};
    bool good = true;
    for (int i = -1; good && (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        if (!field_is_output(spec_tensor_field(t->c.spec, i)))
            continue;
        outputs[i] = t->expected[i].write;
        if (!judge_given_gives(t, i))
            continue;
        good = (given[i] = malloc(t->expected[i].size + 1)) != NULL;
        if (!good)
            continue;
        memcpy(given[i], t->expected[i].write, t->expected[i].size);
        fill_literal(&t->c, i, given[i]);
        outputs[i] = given[i];
    }
    if (!good)
        trial_verdict(t, STATUS_HARNESS_ERROR, "%s", "out of memory for the given outputs");
    for (int i = -1; good && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        good = !judge_given_gives(t, i) || judge_rows(t, i, outputs);
    if (good && t->interpretations)
        judge_given_judge_open(t, outputs);
    for (int i = -1; good && !t->interpretations && !t->judged && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (judge_given_gives(t, i))
            judge_settled(t, i, outputs);
    for (int i = -1; good && !t->judged && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (trial_tolerance(t, i) && judge_given_gives(t, i))
            memcpy(t->expected[i].write, given[i], t->expected[i].size);
    if (setup->dump && t->judged)
        trial_dump_given(t, (const uint8_t *const *)given);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(given[i]);
}
