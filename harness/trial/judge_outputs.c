/* judge_outputs.c: decides the verdict of a case that was dispatched: the device's status, forbidden writes, outputs.
 * If the documents leave results open, the outputs are compared with interpretation.h; if the spec has formulas, by
 * them (computed.h); otherwise with the expected outputs, bit for bit. */
#include "harness/base/dml_names.h"
#include "harness/base/profile.h"
#include "harness/base/random.h"
#include "harness/case/indices.h"
#include "harness/trial/memory_origin.h"
#include "harness/trial/selection.h"
#include "harness/trial/trial_internal.h"

#include <stdio.h>
#include <string.h>

/* Sets pointers to the outputs by field, as expected or as the device left them. */
static const uint8_t *const *outputs_of(const struct trial *t, bool expected, const uint8_t *out[OPDESC_MAX_TENSORS])
{
    const struct block *blocks = expected ? t->expected : t->got;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        out[i] = field_is_output(spec_tensor_field(t->c.spec, i)) ? blocks[i].write : NULL;
    return out;
}

uint64_t trial_defined_elements(const struct trial *t, int field)
{
    const uint8_t *expected[OPDESC_MAX_TENSORS];
    return interpretation_defined_count(&t->c, field, outputs_of(t, true, expected));
}

/* Returns true if the memory around a tensor is untouched. If not, fails the case. */
static bool judge_bounds(struct trial *t, int field)
{
    const char *name = t->c.spec->tensor_names[field];
    bool input = field_is_input(spec_tensor_field(t->c.spec, field));
    int64_t where;
    if (arena_intact(&t->blocks[field], &where))
        return true;
    t->rerun_alone |= input;
    if (input)
        trial_deviates(t, CAUSE_MEMORY, false, "wrote outside the input %s", name);
    else
        trial_deviates(t, CAUSE_MEMORY, false, "wrote outside %s: %lld bytes %s", name,
                       (long long)(where < 0 ? -where : where + 1), where < 0 ? "before its start" : "past its end");
    return false;
}

const struct given_tolerance *trial_tolerance(const struct trial *t, int item)
{
    const bool given = t->c.tolerance.given && t->c.literals && t->c.literals[item].data;
    return given && !t->interpretations && !selection_applies(t->c.spec) ? &t->c.tolerance : NULL;
}

void trial_compare(const struct trial *t, int item, const struct prefill *prefill, const uint8_t *const outputs[],
                   struct comparison *out)
{
    const uint8_t *got = outputs[item];
    const uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    struct computed_output output = {.spec = t->c.spec,
                                     .desc = t->c.desc,
                                     .item = item,
                                     .tensors = tensors,
                                     .expected = t->expected[item].write,
                                     .got = got,
                                     .prefill = prefill,
                                     .rule = t->c.rule,
                                     .half = t->half,
                                     .tolerance = trial_tolerance(t, item)};
    if (!trial_is_computed(t)) {
        compare_output_near(&t->c.desc->items[item].tensor, prefill, output.tolerance, output.expected, got,
                            trial_defined_elements(t, item), out);
        return;
    }
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        tensors[i] = field_is_input(spec_tensor_field(t->c.spec, i)) ? t->blocks[i].write : outputs[i];
    computed_compare(&output, out);
}

/* Compares an output with the expected one, and adds the differing bits to the checksum. */
static void compare_field(struct trial *t, int field, struct comparison *comparison)
{
    const struct prefill prefill = trial_prefill(t, field);
    const uint8_t *outputs[OPDESC_MAX_TENSORS];
    trial_compare(t, field, &prefill, outputs_of(t, false, outputs), comparison);
    t->verdict.checksum = random_mix(t->verdict.checksum + 1) + comparison->checksum;
}

/* Returns true if the device did not write an output at all. If that may be chance, a second dispatch is to tell. */
static bool judge_is_untouched(struct trial *t, int field)
{
    const struct prefill prefill = trial_prefill(t, field);
    if (prefill.pattern == PREFILL_INPUT) /* the device need not write if the expected output is the input */
        return false;
    enum untouched untouched = compare_untouched(&t->c.desc->items[field].tensor, &prefill, t->got[field].write,
                                                 trial_defined_elements(t, field));
    t->unproven |= untouched == PERHAPS_UNTOUCHED && t->dispatch_index == 0;
    return untouched == UNTOUCHED;
}

static void deviate_untouched(struct trial *t, int field, const struct comparison *comparison)
{
    trial_deviates(t, CAUSE_RESULT, false, "all %llu elements of %s were never written",
                   (unsigned long long)comparison->compared, t->c.spec->tensor_names[field]);
}

void trial_print_error(const struct trial *t, int field, const struct largest_error *error, const char *bound,
                       char text[96])
{
    const struct datatype *type = datatype_of(t->c.desc->items[field].tensor.data_type);
    int used = snprintf(text, 96, "; the largest error is %.3g%s", error->ulps, type->is_float ? " ULP" : "");
    if (error->share < LARGEST_SHARE)
        snprintf(text + used, 96 - (size_t)used, ", %.3g of the %s", error->share,
                 trial_tolerance(t, field) ? "tolerance" : bound);
}

/* Keeps the largest errors, the place of the largest, and the outcome over all outputs. */
static void add_errors(struct trial *t, const char *tensor, const struct comparison *comparison)
{
    const struct largest_error *error = &comparison->error;
    if (error->share > t->verdict.error.share && *comparison->error_place)
        snprintf(t->symptoms.error_place, sizeof t->symptoms.error_place, "%s %.*s", tensor,
                 (int)(sizeof t->symptoms.error_place - strlen(tensor) - 2), comparison->error_place);
    t->verdict.error.measured |= error->measured;
    t->verdict.error.ulps = error->ulps > t->verdict.error.ulps ? error->ulps : t->verdict.error.ulps;
    t->verdict.error.share = error->share > t->verdict.error.share ? error->share : t->verdict.error.share;
    if (*comparison->outcome)
        t->verdict.outcome = outcome_of_word(t->c.spec, comparison->outcome);
}

/* Judges an output with a formula by the errors of its elements. */
static void judge_computed(struct trial *t, int field, const struct comparison *comparison)
{
    const struct rule *rule = comparison->soft_rule >= 0 ? &t->c.spec->rules[comparison->soft_rule] : NULL;
    const char *name = t->c.spec->tensor_names[field];
    const char *bound = comparison->agreement == AGREES_SOFTLY ? "must bound" : "bound";
    char worst[96] = "";
    add_errors(t, name, comparison);
    if (comparison->error.share > 0)
        trial_print_error(t, field, &comparison->error, bound, worst);
    if (comparison->agreement == AGREES || (comparison->agreement == AGREES_SOFTLY && t->judged))
        return;
    t->symptoms.wrong = comparison->first;
    snprintf(t->symptoms.wrong.tensor, sizeof t->symptoms.wrong.tensor, "%s", name);
    if (comparison->agreement == DIFFERS)
        trial_deviates(t, CAUSE_RESULT, false, "%llu of %llu elements of %s are wrong%s",
                       (unsigned long long)comparison->wrong, (unsigned long long)comparison->compared, name, worst);
    else if (rule)
        trial_deviates(t, CAUSE_RESULT, true, "%s: %llu of %llu elements of %s are of the outcome '%s'", rule->id,
                       (unsigned long long)comparison->soft, (unsigned long long)comparison->compared, name,
                       comparison->soft_outcome);
    else
        trial_deviates(t, CAUSE_RESULT, true, "%llu of %llu elements of %s are beyond the soft bound%s",
                       (unsigned long long)comparison->soft, (unsigned long long)comparison->compared, name, worst);
}

static void judge_output(struct trial *t, int field)
{
    const char *name = t->c.spec->tensor_names[field];
    struct comparison comparison;
    compare_field(t, field, &comparison);
    bool untouched = judge_is_untouched(t, field);
    untouched &= trial_prefill(t, field).pattern != PREFILL_ONES;     /* a device may well write these bytes */
    if (trial_is_computed(t) && untouched && comparison.wrong == 0) { /* any value is right, but none was written */
        deviate_untouched(t, field, &comparison);
        return;
    }
    if (trial_is_computed(t) && (comparison.unwritten < comparison.wrong || comparison.wrong == 0)) {
        judge_computed(t, field, &comparison);
        return;
    }
    if (comparison.agreement == AGREES || (comparison.agreement == AGREES_SOFTLY && t->judged))
        return;
    t->symptoms.wrong = comparison.first;
    snprintf(t->symptoms.wrong.tensor, sizeof t->symptoms.wrong.tensor, "%s", name);
    if (comparison.agreement == AGREES_SOFTLY)
        trial_deviates(t, CAUSE_RESULT, true, "%s: the payload of a NaN was changed, or a denormal flushed to zero",
                       name);
    else if (comparison.unwritten == comparison.wrong)
        trial_deviates(t, CAUSE_RESULT, t->c.expect == EXPECT_REJECTED,
                       "%llu of %llu elements of %s were never written", (unsigned long long)comparison.wrong,
                       (unsigned long long)comparison.compared, name);
    else
        trial_deviates(t, CAUSE_RESULT, t->c.soft, "%llu of %llu elements of %s are wrong",
                       (unsigned long long)comparison.wrong, (unsigned long long)comparison.compared, name);
}

/* Counts the elements of all outputs that come from no tensor, if an index is out of range. Shows the first in
 * t->symptoms.wrong. */
static uint64_t count_foreign(struct trial *t)
{
    uint64_t foreign = 0;
    for (int i = -1; t->interpretations->out_of_range && foreign == 0 && (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        struct wrong first = {.count = 0};
        if (!field_is_output(spec_tensor_field(t->c.spec, i)) || (foreign = origin_count_foreign(t, i, &first)) == 0)
            continue;
        t->symptoms.wrong = first;
        snprintf(t->symptoms.wrong.tensor, sizeof t->symptoms.wrong.tensor, "%s", t->c.spec->tensor_names[i]);
    }
    return foreign;
}

void trial_compare_open(const struct trial *t, const uint8_t *const outputs[], struct open_comparison *out)
{
    bool settled = !t->c.spec->rules[t->c.rule].anywhere;
    *out = (struct open_comparison){.soft = true};
    for (int i = -1; out->wrong == 0 && (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        const uint8_t *alternatives[INTERPRETATIONS_MAX];
        struct comparison comparison;
        if (!field_is_output(spec_tensor_field(t->c.spec, i)))
            continue;
        const struct prefill prefill = trial_prefill(t, i);
        for (int r = 0; r < t->interpretations->count; r++)
            alternatives[r] = t->interpretations->list[r].outputs[i];
        compare_output_open(&t->c.desc->items[i].tensor, &prefill, t->expected[i].write, outputs[i],
                            trial_defined_elements(t, i), alternatives, t->interpretations->count, &comparison);
        out->wrong += settled ? comparison.wrong : 0;
        out->open += comparison.open + (settled ? 0 : comparison.wrong);
        out->unmatched += comparison.unmatched + (settled ? 0 : comparison.wrong);
        out->soft &= comparison.agreement != DIFFERS;
        bool differs = comparison.agreement != AGREES || comparison.open;
        if (out->wrong > 0 || (differs && !*out->first.tensor)) {
            out->first = comparison.first;
            snprintf(out->first.tensor, sizeof out->first.tensor, "%s", t->c.spec->tensor_names[i]);
        }
    }
}

/* Judges outputs that match no single interpretation. Elements that no interpretation changes must be as expected. If
 * each other element follows some interpretation, the outcome is OUTCOME_EACH if the rule accepts that; otherwise it is
 * OUTCOME_OTHER. If the rule accepts the outcome the case passes; a soft rule warns of outcomes that it names, and of
 * elements that follow different ones. Everything else fails. Memory of no tensor in an output is a deviation of its
 * own. */
static void judge_mixed(struct trial *t, const struct rule *rule, const uint8_t *const outputs[])
{
    struct open_comparison found;
    uint64_t foreign;
    const bool is_soft = rule->strength == STRENGTH_SOFT;
    trial_compare_open(t, outputs, &found);
    t->symptoms.wrong = found.first;
    if (found.wrong == 0 && found.unmatched == 0 && found.soft && rule->accepts >> OUTCOME_EACH & 1)
        t->verdict.outcome = OUTCOME_EACH;
    if (found.wrong > 0)
        trial_deviates(t, CAUSE_RESULT, false, "%llu elements of %s are wrong where the documents are definite",
                       (unsigned long long)found.wrong, t->symptoms.wrong.tensor);
    else if (found.unmatched > 0 && (foreign = count_foreign(t)) > 0) {
        t->verdict.outcome = OUTCOME_FOREIGN;
        trial_deviates(t, CAUSE_RESULT, !rule->bounded && !is_soft, "%s: %llu elements of %s come from no tensor",
                       rule->id, (unsigned long long)foreign, t->symptoms.wrong.tensor);
    } else if (rule->accepts >> t->verdict.outcome & 1)
        memset(&t->symptoms.wrong, 0, sizeof t->symptoms.wrong);
    else
        trial_deviates(t, CAUSE_RESULT, is_soft && (found.unmatched == 0 || rule->reports >> OUTCOME_OTHER & 1),
                       "%s: the outputs match no accepted outcome (%llu elements differ)", rule->id,
                       (unsigned long long)(found.open ? found.open : 1));
}

/* Fails a case with an output that the device did not write at all, even if its contents are open. Returns true if it
 * failed the case. The device's own count of rows may define no element: that count is judged, too. */
static bool judge_untouched(struct trial *t, int field)
{
    const uint8_t *outputs[OPDESC_MAX_TENSORS];
    struct comparison comparison;
    compare_field(t, field, &comparison);
    bool untouched = judge_is_untouched(t, field);
    if (trial_prefill(t, field).pattern >= PREFILL_ONES) /* a device may well write these bytes */
        untouched = comparison.compared > 0 && comparison.unwritten == comparison.compared;
    if (!untouched || interpretation_defined_count(&t->c, field, outputs_of(t, false, outputs)) == 0)
        return false;
    deviate_untouched(t, field, &comparison);
    return true;
}

/* Judges outputs that the documents leave open. */
static void judge_judge_open(struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)) && judge_untouched(t, i))
            return;
    const struct rule *rule = &t->c.spec->rules[t->c.rule];
    const uint8_t *outputs[OPDESC_MAX_TENSORS];
    t->verdict.outcome = interpretations_find(t->interpretations, &t->c, outputs_of(t, false, outputs));
    if (t->verdict.outcome == OUTCOME_OTHER)
        judge_mixed(t, rule, outputs);
    else if (!(rule->accepts >> t->verdict.outcome & 1))
        trial_deviates(t, CAUSE_RESULT, true, "%s: the outputs are those of the outcome '%s'", rule->id,
                       outcome_name(t->verdict.outcome));
}

/* Judges outputs that select elements of an input. Equal bits are right; other bits are judged by the relation between
 * values and positions. The case's rule may be about the order of equal elements, which the documents settle, or about
 * the order of NaNs. */
static void judge_selection(struct trial *t)
{
    const uint8_t *tensors[OPDESC_MAX_TENSORS], *expected[OPDESC_MAX_TENSORS];
    const struct rule *rule = t->c.rule >= 0 ? &t->c.spec->rules[t->c.rule] : NULL;
    struct selection_findings found;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)) && judge_untouched(t, i)) {
            struct comparison comparison;
            compare_field(t, i, &comparison);
            t->symptoms.wrong = comparison.first;
            snprintf(t->symptoms.wrong.tensor, sizeof t->symptoms.wrong.tensor, "%s", t->c.spec->tensor_names[i]);
            return;
        }
    outputs_of(t, false, tensors);
    outputs_of(t, true, expected);
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(t->c.spec, i)))
            tensors[i] = t->blocks[i].write;
    selection_judge(t->c.spec, t->c.desc, tensors, expected, &found);
    if (rule && rule->behaviour && rule->accepts)
        t->verdict.outcome = found.nans != OUTCOME_NONE ? found.nans : found.ties;
    if (found.wrong == 0 && found.soft == 0)
        return;
    t->symptoms.wrong = found.first;
    trial_deviates(t, CAUSE_RESULT, found.wrong == 0, "%s: %llu of %llu sequences are %swrong", found.what,
                   (unsigned long long)(found.wrong ? found.wrong : found.soft), (unsigned long long)found.lines,
                   found.wrong ? "" : "softly ");
}

/* Fails a case whose device wrote an input, although the input is mapped read-only: a device in this process may find
 * the other mapping. */
static void judge_unwritable(struct trial *t, int field)
{
    if (!field_is_input(spec_tensor_field(t->c.spec, field)) || trial_hash(&t->blocks[field]) == t->input_hashes[field])
        return;
    t->rerun_alone = true;
    trial_deviates(t, CAUSE_MEMORY, false, "wrote the input %s", t->c.spec->tensor_names[field]);
}

/* Judges all memory except the contents of the outputs. An input in the memory of an output counts as the output. */
static void judge_memory(struct trial *t)
{
    for (int i = -1; !t->judged && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (testcase_output_of(&t->c, i) < 0 && judge_bounds(t, i))
            judge_unwritable(t, i);
}

/* Judges the memory first, then the outputs; a failure of one output hides the others, a warning does not. */
static void judge_tensors(struct trial *t)
{
    judge_memory(t);
    if (!t->judged && selection_applies(t->c.spec) && t->c.expect != EXPECT_REJECTED) {
        judge_selection(t);
        return;
    }
    if (t->interpretations && !t->judged)
        judge_judge_open(t);
    for (int i = -1; !t->interpretations && (!t->judged || t->verdict.status == STATUS_WARN) &&
                     (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)))
            judge_output(t, i);
}

/* Adds to the message that it is about the second dispatch. */
static void mark_second_dispatch(struct trial *t)
{
    char text[sizeof t->message];
    if (t->dispatch_index == 0 || t->verdict.status == STATUS_PASS)
        return;
    snprintf(text, sizeof text, "dispatched a second time, with other %sbindings: %.400s",
             t->unproven ? "" : "contents and ", t->message);
    memcpy(t->message, text, sizeof text);
}

enum { DISPATCH_MESSAGE = 400 };

/* Writes the device's sentence about the failure of an item, preceded by ": "; "" if there is none. If the item has no
 * sentence of its own, that of message() is used. */
static const char *dispatch_message(const struct trial_setup *setup, const assay_dispatch_result *result,
                                    char text[DISPATCH_MESSAGE])
{
    size_t size = strnlen(result->message, sizeof result->message); /* the device may not have terminated it */
    const char *general = setup->message ? setup->message : "", *message = size > 0 ? result->message : general;
    int precision = size > 0 ? (int)size : DISPATCH_MESSAGE - 80;
    snprintf(text, DISPATCH_MESSAGE, "%s%.*s", *message ? ": " : "", precision, message);
    return text;
}

/* Returns true if a soft rule is about this dispatch as a whole, so that a dispatch that fails is a warning. Soft rules
 * about indices that are out of range or repeated are about the whole; those about NaNs and denormals are about single
 * elements. */
static bool may_fail(const struct trial *t)
{
    return t->c.soft && (t->c.expect == EXPECT_REJECTED || indices_out_of_range(t->c.index_fill) ||
                         t->c.index_fill == INDEX_DUPLICATES);
}

/* Ends a case that was to be rejected, by a soft rule, and that the device ran with the given outputs. */
static void judge_run_although(struct trial *t)
{
    if (t->c.expect == EXPECT_REJECTED && !t->judged)
        trial_deviates(t, CAUSE_ACCEPT, t->c.soft, "accepted, although %s; the outputs are those given",
                       t->c.spec->rules[t->c.rule].text);
}

/* Returns true if the case's rule accepts that the dispatch failed: an index is out of range, and the documents do not
 * say that the call succeeds. */
static bool accepts_error(const struct trial *t, HRESULT status)
{
    return t->interpretations && t->interpretations->out_of_range && status != E_OUTOFMEMORY &&
           t->c.spec->rules[t->c.rule].accepts >> OUTCOME_ERROR & 1;
}

void trial_judge(struct trial_setup *setup, struct trial *t, const assay_dispatch_result *result)
{
    char name[32], text[DISPATCH_MESSAGE + 64], message[DISPATCH_MESSAGE];
    profile_enter(PROFILE_ORACLE);
    if (!t->collected && !trial_collect(setup, t))
        return;
    if (t->dispatch_index == 0)
        t->verdict.device_ns = result->device_ns;
    if (result->status == DXGI_ERROR_DEVICE_REMOVED) {
        trial_verdict(t, STATUS_DEVICE_LOST, "dispatch: the device is lost%s",
                      dispatch_message(setup, result, message));
    } else if (result->status == DXGI_ERROR_UNSUPPORTED) {
        snprintf(text, sizeof text, "dispatch returned DXGI_ERROR_UNSUPPORTED%s",
                 dispatch_message(setup, result, message));
        trial_judge_unsupported(setup, t, text);
    } else if (result->status == E_OUTOFMEMORY && trial_bytes(t) >= TRIAL_LARGE) {
        trial_verdict(t, STATUS_UNSUPPORTED, "dispatch returned E_OUTOFMEMORY%s",
                      dispatch_message(setup, result, message));
    } else if (FAILED(result->status) && accepts_error(t, result->status)) {
        t->verdict.outcome = OUTCOME_ERROR;
        judge_memory(t);
    } else if (FAILED(result->status)) {
        trial_deviates(t, CAUSE_ERROR, may_fail(t), "dispatch returned %s%s", dml_error_name(result->status, name),
                       dispatch_message(setup, result, message));
    } else {
        judge_tensors(t);
        judge_run_although(t);
    }
    if (!t->judged && *t->remark) {
        trial_verdict(t, STATUS_WARN, "%s", t->remark);
        t->verdict.cause = CAUSE_FILE;
    } else if (!t->judged)
        trial_verdict(t, STATUS_PASS, "%s", "");
    else if (t->verdict.cause == CAUSE_RESULT && !setup->unexplained) {
        trial_explain(setup, t);
        trial_show_inputs(setup, t);
    }
    if (result->status > 0)
        trial_blame(t, PROMISE_SUCCESS, "the status of the item is %s: a success must be S_OK",
                    dml_error_name(result->status, name));
    if (result->reserved)
        trial_blame(t, PROMISE_CLOCK, "the reserved member of the item's result is %u, not 0", result->reserved);
    if (setup->dump && (t->dispatch_index == 0 || t->verdict.status != STATUS_PASS))
        trial_dump(setup, t);
    mark_second_dispatch(t);
    profile_enter(PROFILE_OTHER);
}
