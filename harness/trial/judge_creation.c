/* judge_creation.c: decides the verdict of a case that creating or compiling its operator settles: rejections,
 * acceptances, unsupported cases. */
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/check/check.h"
#include "harness/spec/catalogue.h"
#include "harness/trial/trial_internal.h"

#include <stdio.h>

/* Writes a sentence: "CreateOperator returned E_INVALIDARG: its message". */
static void describe_failure(const struct call_answer *answer, char *text, size_t size)
{
    char name[32];
    snprintf(text, size, "%s returned %s%s%s", answer->compiling ? "CompileOperator" : "CreateOperator",
             dml_error_name(answer->result, name), *answer->message ? ": " : "", answer->message);
}

static bool judge_creation_is_too_large(const struct trial_setup *setup, const struct trial *t)
{
    uint64_t max = setup->device->info.max_tensor_bytes;
    for (int i = -1; max > 0 && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (t->c.desc->items[i].tensor.total > max)
            return true;
    return false;
}

/* Returns the name of a data type of the case that the device does not support; null if it supports all. */
static const char *denied_type(const struct trial_setup *setup, const struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        uint32_t type = t->c.desc->items[i].tensor.data_type;
        if (!(setup->device->data_types >> type & 1))
            return datatype_of(type)->name;
    }
    return NULL;
}

/* Returns true if the device must be able to run the case: the feature level that it declares includes the case, its
 * limits allow the tensors, and it supports the data types. No level promises an operator of one's own. */
static bool is_promised(const struct trial_setup *setup, const struct trial *t)
{
    DML_FEATURE_LEVEL declared = setup->device->info.feature_level;
    return declared != 0 && !catalogue_is_own((uint32_t)t->c.spec->type) &&
           t->c.spec->levels[t->c.table].level <= declared && !judge_creation_is_too_large(setup, t) &&
           !denied_type(setup, t);
}

void trial_judge_unsupported(const struct trial_setup *setup, struct trial *t, const char *text)
{
    if (is_promised(setup, t))
        trial_deviates(t, CAUSE_SUPPORT, false, "%s; the declared feature level %s promises it", text,
                       level_name(setup->device->info.feature_level));
    else
        trial_verdict(t, STATUS_UNSUPPORTED, "%s", text);
}

/* Judges a case that must or may be rejected. A rejection should come from CreateOperator, with E_INVALIDARG; other
 * errors, and rejections by CompileOperator, are warnings. */
static void judge_rejection(const struct trial_setup *setup, struct trial *t, const struct call_answer *answer)
{
    const struct rule *rule = t->c.rule >= 0 ? &t->c.spec->rules[t->c.rule] : NULL;
    char text[CALL_MESSAGE + 64];
    const bool compiling = answer->compiling && FAILED(answer->result);
    describe_failure(answer, text, sizeof text);
    t->verdict.outcome = outcome_of_rejection(t->created, compiling);
    if (t->created == DXGI_ERROR_DEVICE_REMOVED)
        trial_verdict(t, STATUS_DEVICE_LOST, "%s", text);
    else if (t->created == DXGI_ERROR_UNSUPPORTED && !is_promised(setup, t))
        trial_verdict(t, STATUS_UNSUPPORTED, "%s", text); /* the device need not have looked at the description */
    else if (t->c.expect == EXPECT_EITHER)
        trial_verdict(t, STATUS_PASS, "%s", "");
    else if (SUCCEEDED(t->created) && t->c.soft && testcase_has_outputs(&t->c))
        return; /* the case is run first: its outputs are compared with the given ones */
    else if (SUCCEEDED(t->created))
        trial_deviates(t, CAUSE_ACCEPT, t->c.soft, "accepted, although %s", rule ? rule->text : "it is not legal");
    else if (compiling)
        trial_deviates(t, CAUSE_ERROR, true, "rejected only when compiled: %s", text);
    else if (t->created != E_INVALIDARG)
        trial_deviates(t, CAUSE_ERROR, true, "rejected, but not with E_INVALIDARG: %s", text);
    else
        trial_verdict(t, STATUS_PASS, "%s", "");
}

/* Returns true if the documents leave it open if the description of a case with results is legal: then a rejection is
 * as right as the results. The rules that the description breaks are open (plan/plan_attributes.c). */
static bool breaks_open_rule(const struct trial *t)
{
    return t->c.expect == EXPECT_RESULTS &&
           rules_check(t->c.spec, t->c.desc, t->c.spec->levels[t->c.table].level, NULL, 0) > 0;
}

/* Judges a case, legal or open, that the device did not accept. */
static void judge_failure(const struct trial_setup *setup, struct trial *t, const struct call_answer *answer)
{
    char text[CALL_MESSAGE + 64];
    describe_failure(answer, text, sizeof text);
    if (t->created == DXGI_ERROR_DEVICE_REMOVED)
        trial_verdict(t, STATUS_DEVICE_LOST, "%s", text);
    else if (denied_type(setup, t) || t->created == DXGI_ERROR_UNSUPPORTED ||
             (t->created == E_OUTOFMEMORY && t->c.expect == EXPECT_ACCEPTED))
        trial_judge_unsupported(setup, t, text);
    else if (breaks_open_rule(t)) {
        t->verdict.outcome = outcome_of_rejection(t->created, answer->compiling);
        trial_verdict(t, STATUS_PASS, "%s", "");
    } else
        trial_deviates(t, CAUSE_REJECT, t->c.soft, "rejected, although legal: %s", text);
}

void trial_judge_creation(const struct trial_setup *setup, struct trial *t, const struct call_answer *answer)
{
    if (t->c.expect >= EXPECT_EITHER)
        judge_rejection(setup, t, answer);
    else if (FAILED(t->created))
        judge_failure(setup, t, answer);
    else if (denied_type(setup, t))
        trial_deviates(t, CAUSE_SUPPORT, false, "accepted, although the device says that it does not support %s",
                       denied_type(setup, t));
    else if (t->c.expect == EXPECT_ACCEPTED)
        trial_verdict(t, STATUS_PASS, "%s", "");
}
