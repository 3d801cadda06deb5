/* sequence_shrink.c: the parts that shrinking (base/shrink.h) leaves out of a sequence of calls, and two ways to try
 * the others: in this process; or, if the calls end it, in a new process each time. */
#include "harness/base/clock.h"
#include "harness/sequence/sequence_internal.h"

#include <string.h>

enum {
    RUNS = 400,    /* the number of runs, in this process or in new ones, at most */
    RUNS_MS = 2000 /* the time of all runs in this process */
};

/* Each step has one part of each kind, so that steps are tried before their items are. After the last step follows the
 * part that stands for all further devices. */
enum { PART_STEP, PART_ITEM, PART_MEMORY = PART_ITEM + LIFECYCLE_ITEMS, PART_KINDS = PART_MEMORY + LIFECYCLE_ITEMS };
_Static_assert(PART_KINDS *LIFECYCLE_STEPS + 1 <= SHRINK_PARTS, "the parts of the longest sequence fit");

static uint8_t *part_of(const struct sequence *s, size_t step, size_t kind)
{
    return &s->x->parts->shrink.parts[PART_KINDS * step + kind];
}

static uint32_t part_count(const struct sequence *s)
{
    return PART_KINDS * (uint32_t)s->count + 1;
}

bool sequence_step(const struct sequence *s, size_t i, struct lifecycle_step *step)
{
    bool one_device = *part_of(s, s->count, 0) != SHRINK_KEPT;
    uint32_t count = 0;
    *step = s->steps[i];
    if (*part_of(s, i, PART_STEP) || (one_device && (step->step.call == STEP_OPEN || step->step.call == STEP_CLOSE)))
        return false;
    step->step.device = one_device ? 0 : step->step.device;
    for (uint32_t n = 0; step->step.call == STEP_DISPATCH && n < s->steps[i].step.item_count; n++) {
        struct lifecycle_item item = step->items[n];
        if (*part_of(s, i, PART_MEMORY + n))
            item = (struct lifecycle_item){.compiled = item.compiled, .memory = MEMORY_NEW};
        if (!*part_of(s, i, PART_ITEM + n))
            step->items[count++] = item;
    }
    step->step.item_count = count;
    return true;
}

/* Leaves out the parts without effect: steps and items that the model does not allow without the calls that are left
 * out, and whatever belongs to them alone. */
static void leave_out_idle(struct sequence *s)
{
    bool devices = false;
    memset(&s->model, 0, sizeof s->model);
    for (size_t i = 0; i < s->count; i++) {
        struct lifecycle_step step, all = s->steps[i];
        bool made = sequence_step(s, i, &step) && (step.step.call != STEP_CREATE || s->usable[step.desc]) &&
                    lifecycle_apply(&s->model, &step);
        all.step.device = step.step.device;
        devices |= made && step.step.device != 0;
        if (!made)
            *part_of(s, i, PART_STEP) = SHRINK_OUT;
        for (uint32_t n = 0; n < LIFECYCLE_ITEMS; n++) {
            if (!made || !lifecycle_has_item(&s->model, &all, n))
                *part_of(s, i, PART_ITEM + n) = SHRINK_OUT;
            if (*part_of(s, i, PART_ITEM + n) || (all.items[n].memory == MEMORY_NEW && !all.items[n].one_base))
                *part_of(s, i, PART_MEMORY + n) = SHRINK_OUT;
        }
    }
    if (!devices)
        *part_of(s, s->count, 0) = SHRINK_OUT;
}

static bool still_fails(struct sequence *s)
{
    const struct sequence_failure failure = s->failure;
    sequence_run(s);
    bool same = s->failure.failed && s->failure.status == failure.status;
    if (!same)
        s->failure = failure;
    return same;
}

void sequence_shrink(struct sequence *s)
{
    struct shrink *shrink = &s->x->parts->shrink;
    const uint64_t end = clock_ns() + RUNS_MS * (uint64_t)1000000;
    shrink_start(shrink, part_count(s), part_count(s) / 2, RUNS);
    for (size_t i = s->failure.step + 1; i < s->count; i++)
        *part_of(s, i, PART_STEP) = SHRINK_TRIED; /* the calls after the failure were never made */
    do {
        shrink_answer(shrink, still_fails(s));
        leave_out_idle(s);
    } while (clock_ns() <= end && shrink_next(shrink));
}

void sequence_try_part(struct sequence *s)
{
    struct sequence_parts *parts = s->x->parts;
    s->failure.promise = PROMISE_INDEPENDENT;
    s->to_the_end = true;
    if (parts->stage == SEQUENCE_WHOLE)
        shrink_start(&parts->shrink, part_count(s), part_count(s) / 2, RUNS);
    else
        leave_out_idle(s);
    if (parts->stage == SEQUENCE_PART && !shrink_next(&parts->shrink))
        parts->stage = parts->hangs && parts->shrink.tests > 0 ? SEQUENCE_AGAIN : SEQUENCE_SHRUNK;
    if (parts->stage >= SEQUENCE_SHRUNK)
        return;
    sequence_run(s);
    s->x->survived(s->x->context);
}

bool sequence_answer(struct sequence_parts *parts, bool ended)
{
    parts->survived = false;
    switch (parts->stage) {
    case SEQUENCE_WHOLE:
        parts->stage = ended ? SEQUENCE_PART : SEQUENCE_SURVIVED;
        return true;
    case SEQUENCE_PART:
        shrink_answer(&parts->shrink, ended);
        return parts->shrink.tests <= parts->shrink.most;
    case SEQUENCE_AGAIN:
        parts->stage = ended ? SEQUENCE_SHRUNK : SEQUENCE_SLOW;
        return true;
    default:
        return false;
    }
}

enum promise sequence_broken_promise(const struct sequence *s)
{
    bool destroyed[STEP_OBJECTS] = {false};
    uint16_t made_from[STEP_OBJECTS] = {0};
    bool opened = false, orphan = false;
    struct lifecycle_step at;
    for (size_t i = 0; i < s->count; i++) {
        if (!sequence_step(s, i, &at))
            continue;
        const struct step *step = &at.step;
        opened |= step->call == STEP_OPEN;
        if (step->call == STEP_CREATE)
            destroyed[step->op] = false;
        if (step->call == STEP_DESTROY_OPERATOR)
            destroyed[step->op] = true;
        if (step->call == STEP_COMPILE)
            made_from[step->compiled] = step->op;
        for (uint32_t n = 0; step->call == STEP_DISPATCH && n < step->item_count; n++)
            orphan |= destroyed[made_from[at.items[n].compiled]];
    }
    if (s->failure.promise != PROMISE_INDEPENDENT)
        return s->failure.promise;
    if (opened)
        return PROMISE_DEVICES;
    return orphan ? PROMISE_OPERATOR_FIRST : PROMISE_INDEPENDENT;
}
