/* The verdict on a sequence of calls: control runs, threads that stay, shrinking. */
#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/case/ordinary.h"
#include "harness/worker/sequence_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    DRAWS = 64,        /* of descriptions, to find one that the device supports */
    SHRINK_RUNS = 400, /* at most, */
    SHRINK_MS = 2000,  /* and in no more time */
    ENDING_WAITS = 50  /* milliseconds: a thread that has ended stays in the list for a moment */
};

/* ---- descriptions */

static bool supports(const struct plugin *device, const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct opdesc_tensor *t = &c->desc->items[i].tensor;
        if (!(device->data_types >> t->data_type & 1) ||
            (device->info.max_tensor_bytes && t->total > device->info.max_tensor_bytes))
            return false;
    }
    return true;
}

static bool draw_desc(struct sequence *s, int index)
{
    const struct plugin *device = s->x->setup->device;
    DML_FEATURE_LEVEL level = device->info.feature_level ? device->info.feature_level : level_all[SPEC_MAX_LEVELS - 1];
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t seed = random_at(random_at(s->seed, (uint64_t)index), i);
        int op = (int)(seed % (unsigned)s->x->specs->count);
        int table = spec_table(&s->x->specs->specs[op], level);
        if (table >= 0 && !is_denied(&device->denied, (uint32_t)s->x->specs->specs[op].type) &&
            ordinary_case(s->x->specs, op, table, seed, &s->descs[index], &s->desc_memory[index]) &&
            supports(device, &s->descs[index]))
            return true;
    }
    return false;
}

/* Runs a description alone, on tensors with given contents (0: any). Returns whether its results are right; another
 * failure stays. */
static bool is_right_alone(struct sequence *s, int desc, uint64_t contents)
{
    static const enum step_call calls[] = {STEP_CREATE, STEP_COMPILE, STEP_DISPATCH, STEP_DESTROY_COMPILED,
                                           STEP_DESTROY_OPERATOR};
    s->count = sizeof calls / sizeof *calls;
    for (size_t n = 0; n < s->count; n++)
        s->steps[n] =
            (struct lifecycle_step){.step = {.call = (uint8_t)calls[n], .item_count = 1}, .desc = (uint8_t)desc};
    memset(s->left_out, 0, sizeof s->left_out);
    s->contents = contents;
    sequence_run(s);
    s->contents = 0;
    bool right = !s->failure.failed;
    s->failure.failed &= s->failure.promise != PROMISE_INDEPENDENT;
    return right;
}

/* Takes the description of a case of one operator, whose results are right; or draws the descriptions. An operator that
 * is wrong alone is what other cases are about. Returns how many are left. */
static int draw_descs(struct sequence *s, const struct trial *t)
{
    int usable = 0;
    if (!spec_is_interface(t->c.spec)) {
        s->descs[0] = t->c;
        s->descs[0].lifecycle.kind = LIFECYCLE_NONE;
        s->usable[0] = true;
        return 1;
    }
    for (int i = 0; i < LIFECYCLE_DESCS && !s->failure.failed; i++) {
        if ((s->usable[i] = draw_desc(s, i)))
            usable += s->usable[i] = is_right_alone(s, i, 0);
    }
    return usable;
}

/* ---- threads */

static void run_often(struct sequence *s, int times)
{
    for (int i = 0; i < times && !s->failure.failed; i++)
        sequence_run(s);
    if (!s->failure.failed)
        sequence_measure(s);
}

/* Runs the calls twice: the second time no more threads may be left than the first time. */
static void judge_threads(struct sequence *s)
{
    run_often(s, 1);
    uint32_t before = s->usage.threads;
    run_often(s, 1);
    for (int i = 0; i < ENDING_WAITS && !s->failure.failed && s->usage.threads > before; i++) {
        const struct timespec moment = {.tv_nsec = 1000000};
        nanosleep(&moment, NULL);
        sequence_measure(s);
    }
    if (!s->failure.failed && s->usage.threads > before)
        s->failure = (struct sequence_failure){.failed = true, .status = STATUS_FAIL, .promise = PROMISE_THREADS};
    if (s->failure.promise == PROMISE_THREADS)
        snprintf(s->failure.text, sizeof s->failure.text,
                 "the process has %u threads, and %u after the same calls have been made again", before - 2,
                 s->usage.threads - 2);
}

/* ---- shrinking */

struct shrinking {
    uint64_t end;
    int runs;
};

/* Whether the calls still fail without the `count` steps from `start`; if so, they stay left out. */
static bool fails_without(struct sequence *s, struct shrinking *limit, size_t start, size_t count)
{
    bool before[LIFECYCLE_STEPS], any = false;
    struct sequence_failure failure = s->failure;
    if (limit->runs++ >= SHRINK_RUNS || clock_ns() > limit->end)
        return false;
    memcpy(before, s->left_out, sizeof before);
    for (size_t i = start; i < start + count && i < s->count; i++) {
        any |= !s->left_out[i];
        s->left_out[i] = true;
    }
    if (any) {
        sequence_run(s);
        if (s->failure.failed && s->failure.status == failure.status)
            return true;
    }
    memcpy(s->left_out, before, sizeof before);
    s->failure = failure;
    return false;
}

static bool fails_with(struct sequence *s, struct shrinking *limit, size_t step, const struct lifecycle_step *smaller)
{
    struct lifecycle_step before = s->steps[step];
    struct sequence_failure failure = s->failure;
    if (limit->runs++ >= SHRINK_RUNS || clock_ns() > limit->end)
        return false;
    s->steps[step] = *smaller;
    sequence_run(s);
    if (s->failure.failed && s->failure.status == failure.status)
        return true;
    s->steps[step] = before;
    s->failure = failure;
    return false;
}

/* Leaves items out of the dispatches, and gives the others memory of their own. */
static void shrink_items(struct sequence *s, struct shrinking *limit)
{
    for (size_t i = 0; i < s->count; i++)
        for (uint32_t n = s->left_out[i] || s->steps[i].step.call != STEP_DISPATCH ? 0 : s->steps[i].step.item_count;
             n-- > 0 && s->steps[i].step.item_count > 1;) {
            struct lifecycle_step smaller = s->steps[i];
            smaller.step.item_count--;
            memmove(&smaller.items[n], &smaller.items[n + 1], (LIFECYCLE_ITEMS - 1 - n) * sizeof *smaller.items);
            fails_with(s, limit, i, &smaller);
        }
    for (size_t i = 0; i < s->count; i++)
        for (uint32_t n = 0;
             !s->left_out[i] && s->steps[i].step.call == STEP_DISPATCH && n < s->steps[i].step.item_count; n++) {
            struct lifecycle_step simpler = s->steps[i];
            simpler.items[n].memory = MEMORY_NEW;
            simpler.items[n].one_base = false;
            if (memcmp(&simpler, &s->steps[i], sizeof simpler) != 0)
                fails_with(s, limit, i, &simpler);
        }
}

static void shrink(struct sequence *s)
{
    struct shrinking limit = {.end = clock_ns() + SHRINK_MS * 1000000ull};
    fails_without(s, &limit, s->failure.step + 1, s->count); /* the rest was never called */
    for (size_t size = s->count / 2; size > 0; size = size > 1 ? size / 2 : 0)
        for (size_t end = s->count; end > 0; end = end > size ? end - size : 0)
            fails_without(s, &limit, end > size ? end - size : 0, end > size ? size : end);
    shrink_items(s, &limit);
    for (size_t i = s->count; i-- > 0;)
        if (!s->left_out[i])
            fails_without(s, &limit, i, 1);
}

/* The promise that the calls which are left show to be broken. */
static enum promise broken_promise(const struct sequence *s)
{
    bool destroyed[STEP_OBJECTS] = {false};
    uint16_t made_from[STEP_OBJECTS] = {0};
    bool opened = false, orphan = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct lifecycle_step *step = &s->steps[i];
        if (s->left_out[i])
            continue;
        opened |= step->step.call == STEP_OPEN;
        if (step->step.call == STEP_DESTROY_OPERATOR)
            destroyed[step->step.op] = true;
        if (step->step.call == STEP_COMPILE)
            made_from[step->step.compiled] = step->step.op;
        for (uint32_t n = 0; step->step.call == STEP_DISPATCH && n < step->step.item_count; n++)
            orphan |= destroyed[made_from[step->items[n].compiled]];
    }
    return s->failure.promise != PROMISE_INDEPENDENT ? s->failure.promise
           : opened                                  ? PROMISE_DEVICES
           : orphan                                  ? PROMISE_OPERATOR_FIRST
                                                     : PROMISE_INDEPENDENT;
}

/* ---- the verdict */

static unsigned count_left(const struct sequence *s)
{
    unsigned left = 0;
    for (size_t i = 0; i < s->count; i++)
        left += !s->left_out[i];
    return left;
}

static void report(struct sequence *s, struct trial *t)
{
    char *text = NULL;
    size_t size = 0;
    t->judged = false;
    if (s->failure.promise == PROMISE_FREES)
        trial_blame(t, PROMISE_FREES, "%s", s->failure.text);
    else
        trial_blame(t, broken_promise(s), "%s; shrunk to %u calls", s->failure.text, count_left(s));
    t->status = s->failure.status;
    t->wrong = s->failure.wrong;
    FILE *out = s->x->setup->dump ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    sequence_print(s, out);
    fclose(out);
    free(t->dump);
    t->dump = text;
}

/* The calls of the case: of one operator, or of many. */
static void draw_steps(struct sequence *s, const struct trial *t)
{
    s->count =
        spec_is_interface(t->c.spec) ? lifecycle_draw(&t->c.lifecycle, t->seed, s->steps) : lifecycle_of_one(s->steps);
}

/* Makes the calls of the case. True: an item is wrong that would be wrong alone, too; its description is out now. */
static bool judge_calls(struct sequence *s, const struct trial *t)
{
    memset(s->left_out, 0, sizeof s->left_out);
    draw_steps(s, t);
    if (lifecycle_repeats(&t->c.lifecycle))
        sequence_grow(s);
    else if (t->c.lifecycle.kind == LIFECYCLE_DEVICES)
        judge_threads(s);
    else
        sequence_run(s);
    const struct sequence_failure failure = s->failure;
    if (!failure.failed || failure.status != STATUS_FAIL || failure.promise == PROMISE_FREES ||
        failure.promise == PROMISE_THREADS)
        return false;
    if (failure.contents && failure.promise == PROMISE_INDEPENDENT &&
        !is_right_alone(s, failure.desc, failure.contents)) {
        s->usable[failure.desc] = false;
        return true;
    }
    memset(s->left_out, 0, sizeof s->left_out);
    draw_steps(s, t);
    s->failure = failure;
    shrink(s);
    return false;
}

void sequence_judge(const struct sequence_context *context, struct trial *t)
{
    struct sequence *s = calloc(1, sizeof *s);
    t->judged = true;
    t->status = STATUS_HARNESS_ERROR;
    snprintf(t->message, sizeof t->message, "no memory for the calls");
    if (!s)
        return;
    s->x = context;
    s->seed = t->seed;
    t->status = STATUS_PASS;
    *t->message = '\0';
    if (draw_descs(s, t) == 0 && !s->failure.failed && t->status == STATUS_PASS) {
        t->status = STATUS_UNSUPPORTED;
        snprintf(t->message, sizeof t->message, "no operator of the sequence works alone");
    }
    while (!s->failure.failed && judge_calls(s, t))
        ;
    if (s->failure.failed)
        report(s, t);
    free(s);
}
