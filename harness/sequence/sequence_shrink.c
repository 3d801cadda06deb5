/* sequence_shrink.c: leaves calls out as long as the others fail. One algorithm has two ways to find out if they do: in
 * this process, or, if they end it, in a new process each time. */
#include "harness/base/clock.h"
#include "harness/sequence/sequence_internal.h"

#include <string.h>

enum {
    RUNS = 400,    /* the number of runs in this process, at most, */
    RUNS_MS = 2000 /* and the time of all these runs */
};

struct shrinking {
    bool (*fails)(struct sequence *s, struct shrinking *shrinking);
    uint64_t end; /* the end of the time in this process */
    int runs;
};

static bool fails_here(struct sequence *s, struct shrinking *shrinking)
{
    struct sequence_failure failure = s->failure;
    if (shrinking->runs++ >= RUNS || clock_ns() > shrinking->end)
        return false;
    sequence_run(s);
    if (s->failure.failed && s->failure.status == failure.status)
        return true;
    s->failure = failure;
    return false;
}

/* Makes the calls, which ends the device's process or this worker; or takes the answer of the worker that made them. */
static bool ends_process(struct sequence *s, struct shrinking *shrinking)
{
    struct sequence_parts *parts = s->x->parts;
    if (shrinking->runs >= parts->answer_count) {
        sequence_run(s);
        s->x->survived(s->x->context);
    }
    return parts->answers[shrinking->runs++];
}

static bool fails_apart(struct sequence *s, struct shrinking *shrinking)
{
    return shrinking->runs < s->x->parts->end && ends_process(s, shrinking);
}

/* Leaves out the steps that the model does not allow without the calls that are left out. */
static void leave_out_idle(struct sequence *s)
{
    memset(&s->model, 0, sizeof s->model);
    for (size_t i = 0; i < s->count; i++)
        if (!s->left_out[i])
            s->left_out[i] = (s->steps[i].step.call == STEP_CREATE && !s->usable[s->steps[i].desc]) ||
                             !lifecycle_apply(&s->model, &s->steps[i]);
}

/* Returns true if the calls still fail without the `count` steps from `start`; these steps then stay left out. */
static bool fails_without(struct sequence *s, struct shrinking *shrinking, size_t start, size_t count)
{
    bool before[LIFECYCLE_STEPS], any = false;
    memcpy(before, s->left_out, sizeof before);
    for (size_t i = start; i < start + count && i < s->count; i++) {
        any |= !s->left_out[i];
        s->left_out[i] = true;
    }
    if (any && shrinking->fails(s, shrinking)) {
        leave_out_idle(s);
        return true;
    }
    memcpy(s->left_out, before, sizeof before);
    return false;
}

static bool fails_with(struct sequence *s, struct shrinking *shrinking, size_t step,
                       const struct lifecycle_step *smaller)
{
    struct lifecycle_step before = s->steps[step];
    s->steps[step] = *smaller;
    if (shrinking->fails(s, shrinking))
        return true;
    s->steps[step] = before;
    return false;
}

/* Leaves items out of the dispatches, and gives the others memory of their own. */
static void shrink_items(struct sequence *s, struct shrinking *shrinking)
{
    for (size_t i = 0; i < s->count; i++)
        for (uint32_t n = s->left_out[i] || s->steps[i].step.call != STEP_DISPATCH ? 0 : s->steps[i].step.item_count;
             n-- > 0 && s->steps[i].step.item_count > 1;) {
            struct lifecycle_step smaller = s->steps[i];
            smaller.step.item_count--;
            memmove(&smaller.items[n], &smaller.items[n + 1], (LIFECYCLE_ITEMS - 1 - n) * sizeof *smaller.items);
            fails_with(s, shrinking, i, &smaller);
        }
    for (size_t i = 0; i < s->count; i++)
        for (uint32_t n = 0;
             !s->left_out[i] && s->steps[i].step.call == STEP_DISPATCH && n < s->steps[i].step.item_count; n++) {
            struct lifecycle_step simpler = s->steps[i];
            simpler.items[n].memory = MEMORY_NEW;
            simpler.items[n].one_base = false;
            if (memcmp(&simpler, &s->steps[i], sizeof simpler) != 0)
                fails_with(s, shrinking, i, &simpler);
        }
}

/* Makes all calls on one device, if they then still fail. */
static void shrink_devices(struct sequence *s, struct shrinking *shrinking)
{
    struct lifecycle_step before[LIFECYCLE_STEPS];
    bool left_out[LIFECYCLE_STEPS], any = false;
    memcpy(before, s->steps, sizeof before);
    memcpy(left_out, s->left_out, sizeof left_out);
    for (size_t i = 0; i < s->count; i++) {
        struct step *step = &s->steps[i].step;
        any |= step->device != 0;
        s->left_out[i] |= step->call == STEP_OPEN || step->call == STEP_CLOSE;
        step->device = 0;
    }
    if (any && shrinking->fails(s, shrinking))
        return;
    memcpy(s->steps, before, sizeof before);
    memcpy(s->left_out, left_out, sizeof left_out);
}

static void shrink(struct sequence *s, struct shrinking *shrinking)
{
    shrink_devices(s, shrinking);
    for (size_t size = s->count / 2; size > 0; size = size > 1 ? size / 2 : 0)
        for (size_t end = s->count; end > 0; end = end > size ? end - size : 0)
            fails_without(s, shrinking, end > size ? end - size : 0, end > size ? size : end);
    shrink_items(s, shrinking);
    for (size_t i = s->count; i-- > 0;)
        if (!s->left_out[i])
            fails_without(s, shrinking, i, 1);
}

void sequence_shrink(struct sequence *s)
{
    struct shrinking here = {.fails = fails_here, .end = clock_ns() + RUNS_MS * 1000000ull};
    fails_without(s, &here, s->failure.step + 1, s->count); /* the calls after the failure were never made */
    shrink(s, &here);
}

enum parts_end sequence_shrink_parts(struct sequence *s)
{
    struct sequence_parts *parts = s->x->parts;
    struct shrinking apart = {.fails = fails_apart};
    s->failure.promise = PROMISE_INDEPENDENT;
    s->to_the_end = true;
    parts->whole_time = parts->hangs;
    if (!fails_apart(s, &apart))
        return PARTS_SURVIVED;
    int confirmed = apart.runs;
    parts->whole_time = false;
    shrink(s, &apart);
    parts->whole_time = parts->hangs;
    bool tried = apart.runs > confirmed; /* a part was tried in less time */
    return !parts->hangs || !tried || ends_process(s, &apart) ? PARTS_SHRUNK : PARTS_SLOW;
}

enum promise sequence_broken_promise(const struct sequence *s)
{
    bool destroyed[STEP_OBJECTS] = {false};
    uint16_t made_from[STEP_OBJECTS] = {0};
    bool opened = false, orphan = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct lifecycle_step *step = &s->steps[i];
        if (s->left_out[i])
            continue;
        opened |= step->step.call == STEP_OPEN;
        if (step->step.call == STEP_CREATE)
            destroyed[step->step.op] = false;
        if (step->step.call == STEP_DESTROY_OPERATOR)
            destroyed[step->step.op] = true;
        if (step->step.call == STEP_COMPILE)
            made_from[step->step.compiled] = step->step.op;
        for (uint32_t n = 0; step->step.call == STEP_DISPATCH && n < step->step.item_count; n++)
            orphan |= destroyed[made_from[step->items[n].compiled]];
    }
    if (s->failure.promise != PROMISE_INDEPENDENT)
        return s->failure.promise;
    if (opened)
        return PROMISE_DEVICES;
    return orphan ? PROMISE_OPERATOR_FIRST : PROMISE_INDEPENDENT;
}
