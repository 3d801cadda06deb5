#include "harness/base/clock.h"
#include "harness/trial/trial_internal.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/spec/marshal.h"
#include "harness/base/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void end(struct trial *t, enum status status, enum cause cause, const char *format, va_list arguments)
{
    vsnprintf(t->message, sizeof t->message, format, arguments);
    t->status = status;
    t->cause = cause;
    t->judged = true;
}

void trial_verdict(struct trial *t, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(t, status, CAUSE_NONE, format, arguments);
    va_end(arguments);
}

void trial_deviates(struct trial *t, enum cause cause, bool soft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(t, soft ? STATUS_WARN : STATUS_FAIL, cause, format, arguments);
    va_end(arguments);
}

void trial_blame(struct trial *t, const char *format, ...)
{
    char text[sizeof t->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!t->judged || !status_is_failure(t->status))
        trial_deviates(t, CAUSE_CONDUCT, false, "%s", text);
}

const char *trial_message(const struct trial_setup *setup)
{
    const char *message = setup->device->api->message(setup->device->device);
    return message ? message : "";
}

/* "CreateOperator returned E_INVALIDARG: its message". */
static void describe_failure(const struct trial_setup *setup, const struct trial *t, bool compiling, char *text,
                             size_t size)
{
    char name[32];
    const char *message = trial_message(setup);
    snprintf(text, size, "%s returned %s%s%s", compiling ? "CompileOperator" : "CreateOperator",
             dml_error_name(t->created, name), *message ? ": " : "", message);
}

/* ---- acceptance */

static bool is_too_large(const struct trial_setup *setup, const struct trial *t)
{
    uint64_t max = setup->device->info.max_tensor_bytes;
    for (int i = 0; max > 0 && i < t->c.spec->field_count; i++)
        if (field_is_tensor(&t->c.spec->fields[i]) && t->c.desc->fields[i].tensor.total > max)
            return true;
    return false;
}

/* A data type of the case that the device says no tensor may have; null: there is none. */
static const char *denied_type(const struct trial_setup *setup, const struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count; i++) {
        const struct datatype *type =
            !field_is_tensor(&t->c.spec->fields[i]) ? NULL : datatype_of(t->c.desc->fields[i].tensor.data_type);
        if (type && !(setup->device->data_types >> t->c.desc->fields[i].tensor.data_type & 1))
            return type->name;
    }
    return NULL;
}

/* Whether the declared feature level has what the case is about, and the device has not denied its data types. */
static bool is_promised(const struct trial_setup *setup, const struct trial *t)
{
    DML_FEATURE_LEVEL declared = setup->device->info.feature_level;
    return declared != 0 && t->c.spec->levels[t->c.table].level <= declared && !is_too_large(setup, t) &&
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

/* A case that must be rejected: any failure will do, at creation and with E_INVALIDARG for preference. */
static void judge_rejection(struct trial_setup *setup, struct trial *t, bool compiling)
{
    const struct rule *rule = t->c.rule >= 0 ? &t->c.spec->rules[t->c.rule] : NULL;
    char text[384];
    describe_failure(setup, t, compiling, text, sizeof text);
    t->outcome = outcome_of_rejection(t->created, compiling);
    if (t->created == DXGI_ERROR_DEVICE_REMOVED)
        trial_verdict(t, STATUS_DEVICE_LOST, "%s", text);
    else if (t->created == DXGI_ERROR_UNSUPPORTED && !is_promised(setup, t))
        trial_verdict(t, STATUS_UNSUPPORTED, "%s", text); /* it may not have looked at the description at all */
    else if (t->c.expect == EXPECT_EITHER)
        trial_verdict(t, STATUS_PASS, "%s", "");
    else if (SUCCEEDED(t->created))
        trial_deviates(t, CAUSE_ACCEPT, t->c.soft, "accepted, although %s", rule ? rule->text : "it is not legal");
    else if (compiling)
        trial_deviates(t, CAUSE_ERROR, true, "rejected only when compiled: %s", text);
    else if (t->created != E_INVALIDARG)
        trial_deviates(t, CAUSE_ERROR, true, "rejected, but not with E_INVALIDARG: %s", text);
    else
        trial_verdict(t, STATUS_PASS, "%s", "");
}

static void judge_failure(struct trial_setup *setup, struct trial *t, bool compiling)
{
    char text[384];
    describe_failure(setup, t, compiling, text, sizeof text);
    if (t->created == DXGI_ERROR_DEVICE_REMOVED)
        trial_verdict(t, STATUS_DEVICE_LOST, "%s", text);
    else if (denied_type(setup, t) || t->created == DXGI_ERROR_UNSUPPORTED ||
             (t->created == E_OUTOFMEMORY && t->c.expect == EXPECT_ACCEPTED))
        trial_judge_unsupported(setup, t, text);
    else
        trial_deviates(t, CAUSE_REJECT, t->c.soft, "rejected, although legal: %s", text);
}

/* ---- calls */

/* How what a function returned and its result do not go together; null: they do. */
static const char *find_contradiction(HRESULT result, const void *out)
{
    if (SUCCEEDED(result))
        return out ? NULL : "succeeded, and left no result";
    return out ? "failed, yet its result is not null" : NULL;
}

static void create(struct trial_setup *setup, struct trial *t)
{
    const struct plugin *p = setup->device;
    struct marshal m;
    struct opdesc desc;
    char name[32];
    bool compiling = false;
    memcpy(&desc, t->c.desc, testcase_desc_size(t->c.spec));
    marshal_desc(t->c.spec, &desc, &m);
    profile_enter(PROFILE_DEVICE);
    uint64_t start = clock_ns();
    t->created = p->api->create_operator(p->device, &m.op, &t->op);
    memset(&m, 0xEE, sizeof m); /* a device that kept a pointer into the description finds this */
    memset(&desc, 0xEE, testcase_desc_size(t->c.spec));
    const char *wrong = find_contradiction(t->created, t->op);
    if (SUCCEEDED(t->created) && !wrong) {
        compiling = true;
        t->created = p->api->compile_operator(p->device, t->op, DML_EXECUTION_FLAG_NONE, &t->compiled);
        wrong = find_contradiction(t->created, t->compiled);
    }
    t->host_ns += clock_ns() - start;
    profile_enter(PROFILE_OTHER);
    if (FAILED(t->created)) { /* whatever was left there is not to be destroyed */
        t->compiled = NULL;
        t->op = compiling ? t->op : NULL;
    }
    if (wrong)
        trial_deviates(t, CAUSE_CONDUCT, false, "%s %s (%s)", compiling ? "compile_operator" : "create_operator", wrong,
                       dml_error_name(t->created, name));
    else if (t->c.expect >= EXPECT_EITHER)
        judge_rejection(setup, t, compiling && FAILED(t->created));
    else if (FAILED(t->created))
        judge_failure(setup, t, compiling);
    else if (denied_type(setup, t))
        trial_deviates(t, CAUSE_SUPPORT, false, "accepted, although the device says that it does not support %s",
                       denied_type(setup, t));
    else if (t->c.expect == EXPECT_ACCEPTED)
        trial_verdict(t, STATUS_PASS, "%s", "");
}

void trial_prepare(struct trial_setup *setup, struct trial *t)
{
    create(setup, t);
    profile_enter(PROFILE_TENSOR);
    if (!t->judged)
        trial_make_tensors(setup, t);
    profile_enter(PROFILE_OTHER);
}

bool trial_again(struct trial_setup *setup, struct trial *t)
{
    if (!t->c.again || t->status != STATUS_PASS)
        return false;
    t->round++;
    t->judged = false;
    t->input_count = t->output_count = 0;
    profile_enter(PROFILE_TENSOR);
    trial_make_tensors(setup, t);
    profile_enter(PROFILE_OTHER);
    return !t->judged;
}

/* Outputs are not written any more once dispatch has returned. */
static void judge_closing(struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->closing[i] && trial_seal(&t->blocks[i]) != t->closing[i])
            trial_blame(t, "wrote %s after dispatch had returned", t->c.spec->fields[i].name);
}

void trial_finish(struct trial_setup *setup, struct trial *t)
{
    const struct plugin *p = setup->device;
    if (t->interpretations)
        interpretations_free(t->interpretations);
    free(t->interpretations);
    t->interpretations = NULL;
    profile_enter(PROFILE_DEVICE);
    uint64_t start = clock_ns();
    if (t->compiled)
        p->api->destroy_compiled(p->device, t->compiled);
    if (t->op)
        p->api->destroy_operator(p->device, t->op);
    t->host_ns += clock_ns() - start;
    profile_enter(PROFILE_ORACLE);
    judge_closing(t);
    profile_enter(PROFILE_OTHER);
}
