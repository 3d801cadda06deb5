/* The steps of a trial: creates and compiles, prepares a second dispatch, destroys. judge_creation.c and judge.c decide
 * the verdict; this file decides only what is wrong whatever the case expects (CAUSE_CONDUCT). */
#include "harness/base/clock.h"
#include "harness/base/dml_names.h"
#include "harness/base/profile.h"
#include "harness/spec/marshal.h"
#include "harness/trial/trial_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- steps */

/* How the returned HRESULT and the returned object contradict each other; null: they do not. */
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
    opdesc_copy(&desc, t->c.desc);
    marshal_desc(t->c.spec, &desc, &m);
    profile_enter(PROFILE_DEVICE);
    uint64_t start = clock_ns();
    t->created = p->api->create_operator(p->device, &m.op, &t->op);
    memset(&m, 0xEE, sizeof m); /* a device that kept a pointer into the description finds this */
    memset(&desc, 0xEE, t->c.spec->blank->size);
    const char *wrong = find_contradiction(t->created, t->op);
    if (SUCCEEDED(t->created) && !wrong) {
        compiling = true;
        t->created = p->api->compile_operator(p->device, t->op, DML_EXECUTION_FLAG_NONE, &t->compiled);
        wrong = find_contradiction(t->created, t->compiled);
    }
    t->host_ns += clock_ns() - start;
    profile_enter(PROFILE_OTHER);
    if (FAILED(t->created)) { /* never destroy what a failed call left behind */
        t->compiled = NULL;
        t->op = compiling ? t->op : NULL;
    }
    if (wrong)
        trial_deviates(t, CAUSE_CONDUCT, false, "%s %s (%s)", compiling ? "compile_operator" : "create_operator", wrong,
                       dml_error_name(t->created, name));
    else
        trial_judge_creation(setup, t, compiling);
}

void trial_prepare(struct trial_setup *setup, struct trial *t)
{
    create(setup, t);
    profile_enter(PROFILE_TENSOR);
    if (!t->judged)
        trial_make_tensors(setup, t);
    profile_enter(PROFILE_OTHER);
}

bool trial_prepare_second(struct trial_setup *setup, struct trial *t)
{
    if (!t->c.dispatch_twice || t->status != STATUS_PASS)
        return false;
    t->dispatch_index++;
    t->judged = false;
    t->input_count = t->output_count = 0;
    profile_enter(PROFILE_TENSOR);
    trial_make_tensors(setup, t);
    profile_enter(PROFILE_OTHER);
    return !t->judged;
}

/* A device must not write outputs after dispatch has returned. */
static void judge_late_writes(struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (t->hashes_after[i] && trial_hash(&t->blocks[i]) != t->hashes_after[i])
            trial_blame(t, "wrote %s after dispatch had returned", t->c.spec->tensor_names[i]);
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
    judge_late_writes(t);
    profile_enter(PROFILE_OTHER);
}
