/* trial.c: the steps of a trial. judge_creation.c and judge_outputs.c decide the verdict; this file decides only about
 * deeds that are wrong in every case (CAUSE_CONDUCT). */
#include "harness/base/dml_names.h"
#include "harness/base/profile.h"
#include "harness/describe/marshal.h"
#include "harness/trial/trial_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void trial_end_with(struct trial *t, enum status status, enum cause cause, const char *format, va_list arguments)
{
    vsnprintf(t->message, sizeof t->message, format, arguments);
    t->verdict.status = status;
    t->verdict.cause = cause;
    t->judged = true;
}

void trial_verdict(struct trial *t, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    trial_end_with(t, status, CAUSE_NONE, format, arguments);
    va_end(arguments);
}

void trial_deviates(struct trial *t, enum cause cause, bool soft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    trial_end_with(t, soft ? STATUS_WARN : STATUS_FAIL, cause, format, arguments);
    va_end(arguments);
}

void trial_blame(struct trial *t, enum promise broken, const char *format, ...)
{
    char text[sizeof t->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (t->judged && status_is_failure(t->verdict.status))
        return;
    trial_deviates(t, CAUSE_CONDUCT, false, "%s", text);
    t->verdict.promise = broken;
}

/* ---- steps */

void trial_clear(struct trial *t, const struct opdesc *desc)
{
    const size_t tensors = desc->tensor_count;
    memset(&t->judged, 0, offsetof(struct trial, literals) - offsetof(struct trial, judged));
    memset(t->inputs, 0, tensors * sizeof *t->inputs);
    memset(t->outputs, 0, tensors * sizeof *t->outputs);
    memset(t->blocks, 0, tensors * sizeof *t->blocks);
    memset(t->expected, 0, tensors * sizeof *t->expected);
    memset(t->got, 0, tensors * sizeof *t->got);
    memset(t->input_hashes, 0, tensors * sizeof *t->input_hashes);
}

DML_EXECUTION_FLAGS trial_flags(const struct trial_setup *setup)
{
    return setup->half ? DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION : DML_EXECUTION_FLAG_NONE;
}

/* Returns the contradiction between the returned HRESULT and the returned object, as a sentence; null if there is
 * none. */
static const char *find_contradiction(const struct call_answer *answer)
{
    if (answer->result > 0)
        return "returned a success that is not S_OK";
    if (SUCCEEDED(answer->result))
        return answer->has_result ? NULL : "succeeded, and left no result";
    return answer->has_result ? "failed, yet its result is not null" : NULL;
}

void trial_judge_created(const struct trial_setup *setup, struct trial *t, const struct call_answer *answer)
{
    char name[32];
    const char *wrong = find_contradiction(answer);
    t->judged = false; /* the verdict of making its tensors does not count */
    t->created = answer->result;
    t->half = setup->half;
    if (wrong)
        trial_blame(t, t->created > 0 ? PROMISE_SUCCESS : PROMISE_POINTERS, "%s %s (%s)",
                    answer->compiling ? "compile_operator" : "create_operator", wrong,
                    dml_error_name(t->created, name));
    else
        trial_judge_creation(setup, t, answer);
}

bool trial_collect(struct trial_setup *setup, struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        const struct arena_request request = {.size = t->blocks[i].size, .name = "", .secret = true};
        if (!field_is_output(spec_tensor_field(t->c.spec, i)))
            continue;
        if (!arena_take(setup->arena, &request, &t->got[i])) {
            trial_verdict(t, STATUS_HARNESS_ERROR, "no memory for a copy of %s", t->c.spec->tensor_names[i]);
            return false;
        }
        memcpy(t->got[i].write, t->blocks[i].write, t->blocks[i].size);
    }
    t->collected = true;
    return true;
}

bool trial_prepare_second(struct trial_setup *setup, struct trial *t)
{
    if (t->verdict.status != STATUS_PASS ? !t->unproven || t->verdict.status != STATUS_WARN
                                         : !t->unproven && !t->c.dispatch_twice)
        return false;
    t->dispatch_index++;
    t->judged = t->made = t->collected = false;
    trial_make_tensors(setup, t);
    return !t->judged;
}

/* Fails the case if the device wrote an output after dispatch had returned. */
static void judge_late_writes(struct trial *t)
{
    for (int i = -1; t->collected && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)) &&
            memcmp(t->got[i].write, t->blocks[i].write, t->blocks[i].size) != 0)
            trial_blame(t, PROMISE_TENSORS_IN_DISPATCH, "wrote %s after dispatch had returned",
                        t->c.spec->tensor_names[i]);
}

void trial_drop_interpretations(struct trial *t)
{
    if (t->interpretations && !t->borrows) {
        interpretations_free(t->interpretations);
        free(t->interpretations);
    }
    t->interpretations = NULL;
    t->borrows = false;
}

void trial_end(struct trial *t)
{
    trial_drop_interpretations(t);
    profile_enter(PROFILE_ORACLE);
    judge_late_writes(t);
    profile_enter(PROFILE_OTHER);
}

/* ---- a device in this process */

void trial_prepare(struct trial_setup *setup, struct trial *t)
{
    struct {
        struct marshal m;
        struct opdesc desc;
    } memory;
    struct call_answer answer;
    opdesc_copy(&memory.desc, t->c.desc);
    marshal_desc(t->c.spec, &memory.desc, &memory.m);
    profile_enter(PROFILE_DEVICE);
    calls_create(setup->device, &memory.m.op, trial_flags(setup), &memory, sizeof memory.m + t->c.desc->size,
                 &t->objects, &answer);
    t->verdict.host_ns += answer.ns;
    profile_enter(PROFILE_OTHER);
    trial_judge_created(setup, t, &answer);
    if (!t->judged)
        trial_make_tensors(setup, t);
}

void trial_finish(struct trial_setup *setup, struct trial *t)
{
    profile_enter(PROFILE_DEVICE);
    t->verdict.host_ns += calls_destroy(setup->device, &t->objects);
    profile_enter(PROFILE_OTHER);
    trial_end(t);
}
