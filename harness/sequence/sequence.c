/* sequence.c: the verdict on a sequence of calls: control runs, threads that stay. */
#include "harness/base/random.h"
#include "harness/plan/ordinary.h"
#include "harness/sequence/sequence_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    DRAWS = 64,       /* tries to draw a description that the device supports */
    ENDING_WAITS = 50 /* milliseconds: a thread that has ended stays in the list for a moment */
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

/* Draws the description of a known operator. Returns false if the device does not support it. */
static bool draw_of(const struct spec_set *specs, const struct plugin *device, uint64_t drawn, int op,
                    struct testcase *c, struct opdesc *desc)
{
    DML_FEATURE_LEVEL level = device->info.feature_level ? device->info.feature_level : level_all[SPEC_MAX_LEVELS - 1];
    int table = spec_table(&specs->specs[op], level);
    return table >= 0 && ordinary_case(specs, op, table, drawn, c, desc) && supports(device, c);
}

/* Returns the operator of a draw among those that are not denied; -1: all are. */
static int sequence_operator(const struct spec_set *specs, const struct denied_operators *denied, uint64_t drawn)
{
    unsigned allowed = 0;
    int op = -1;
    for (int i = 0; i < specs->count; i++)
        allowed += !is_denied(denied, (uint32_t)specs->specs[i].type);
    if (allowed == 0)
        return -1;
    for (uint64_t left = drawn % allowed + 1; left > 0; left -= !is_denied(denied, (uint32_t)specs->specs[op].type))
        op++;
    return op;
}

bool sequence_draw_desc(const struct spec_set *specs, const struct plugin *device,
                        const struct denied_operators *denied, uint64_t seed, unsigned index,
                        struct sequence_draw *drawn, struct testcase *c, struct opdesc *desc)
{
    for (int i = 0; i < DRAWS; i++, drawn->number++) {
        uint64_t random = random_at(random_at(seed, index), drawn->number);
        int op = sequence_operator(specs, denied, random);
        if (op >= 0 && draw_of(specs, device, random, op, c, desc)) {
            drawn->op = (uint16_t)op;
            return true;
        }
    }
    return false;
}

/* Draws a description of an operator that the device did not refuse before. Returns false if there is none. */
static bool draw_desc(struct sequence *s, int index, const struct denied_operators *denied)
{
    struct sequence_draw *drawn = &s->x->parts->drawn[index];
    return sequence_draw_desc(s->x->specs, s->x->setup->device, denied, s->seed, (unsigned)index, drawn,
                              &s->descs[index], &s->desc_memory[index]);
}

/* Draws a description as draw_desc() drew it in an earlier process. */
static bool draw_desc_again(struct sequence *s, int index)
{
    const struct sequence_draw *drawn = &s->x->parts->drawn[index];
    uint64_t random = random_at(random_at(s->seed, (unsigned)index), drawn->number);
    return draw_of(s->x->specs, s->x->setup->device, random, drawn->op, &s->descs[index], &s->desc_memory[index]);
}

/* Runs a description alone, on tensors with given contents (0: any contents). Returns true if its results are right.
 * Another failure stays set. */
static bool is_right_alone(struct sequence *s, int desc, uint64_t contents)
{
    s->count = lifecycle_alone((unsigned)desc, s->steps);
    s->contents = contents;
    sequence_run(s);
    s->contents = 0;
    bool right = !s->failure.failed;
    s->failure.failed &= s->failure.promise != PROMISE_INDEPENDENT;
    return right;
}

/* Draws description `index` and tries it alone. If the device refuses it, other operators are tried: a device without
 * supports_operator() does not say which operators it has. Returns false if it is not usable: none was found, or its
 * results are wrong, which other cases are about. */
static bool draw_usable(struct sequence *s, int index, struct denied_operators *denied)
{
    s->x->parts->drawn[index] = (struct sequence_draw){0};
    while ((s->usable[index] = draw_desc(s, index, denied))) {
        if (is_right_alone(s, index, 0))
            return true;
        if (!s->failure.refused)
            return false;
        deny(denied, (uint32_t)s->descs[index].spec->type);
        s->x->parts->drawn[index].number++;
    }
    return false;
}

/* Takes the description of a case of one operator, whose results are right; or draws the descriptions. Returns the
 * number of usable ones. */
static int draw_descs(struct sequence *s, const struct trial *t)
{
    struct denied_operators denied = s->x->setup->device->denied;
    int usable = 0;
    if (!spec_is_interface(t->c.spec)) {
        s->descs[0] = t->c;
        s->descs[0].lifecycle.kind = LIFECYCLE_NONE;
        s->usable[0] = true;
        return 1;
    }
    for (int i = 0; i < LIFECYCLE_DESCS && !s->failure.failed; i++) {
        s->x->parts->tried++;
        usable += s->usable[i] = draw_usable(s, i, &denied);
        s->x->parts->usable |= (uint8_t)(s->usable[i] << i);
    }
    return usable;
}

/* ---- threads */

static void sequence_run_once(struct sequence *s)
{
    if (!s->failure.failed)
        sequence_run(s);
    if (!s->failure.failed)
        sequence_measure(s);
}

/* Runs the calls twice: the second time no more threads may be left than the first time. */
static void judge_threads(struct sequence *s)
{
    sequence_run_once(s);
    uint32_t before = s->usage.threads;
    s->x->parts->rounds++;
    sequence_run_once(s);
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

/* ---- the verdict */

static unsigned count_left(const struct sequence *s)
{
    struct lifecycle_step step;
    unsigned left = 0;
    for (size_t i = 0; i < s->count; i++)
        left += sequence_step(s, i, &step);
    return left;
}

static void print_calls(const struct sequence *s, struct trial *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = s->x->setup->dump ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    sequence_print(s, out);
    fclose(out);
    free(t->dump);
    t->dump = text;
}

static void sequence_report(struct sequence *s, struct trial *t)
{
    t->judged = false;
    if (s->failure.promise == PROMISE_FREES)
        trial_blame(t, PROMISE_FREES, "%s", s->failure.text);
    else
        trial_blame(t, sequence_broken_promise(s), "%s; shrunk to %u call%s", s->failure.text, count_left(s),
                    count_left(s) == 1 ? "" : "s");
    t->verdict.status = s->failure.status;
    t->symptoms.wrong = s->failure.wrong;
    print_calls(s, t);
}

/* Makes the list of calls of the case: the calls of one operator, or of many. */
static void draw_steps(struct sequence *s, const struct trial *t)
{
    s->count =
        spec_is_interface(t->c.spec) ? lifecycle_draw(&t->c.lifecycle, t->seed, s->steps) : lifecycle_of_one(s->steps);
}

/* Makes the calls of the case. Returns true if an item is wrong whose description would be wrong alone, too; this
 * description is then no longer used. */
static bool judge_calls(struct sequence *s, const struct trial *t)
{
    draw_steps(s, t);
    s->x->parts->rounds++;
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
    draw_steps(s, t);
    s->failure = failure;
    sequence_shrink(s);
    return false;
}

/* ---- calls that have ended a process */

/* Adds the calls, except those that create operators whose results are not right alone. */
static void add_steps(struct sequence *s, const struct lifecycle_step *steps, size_t count, unsigned usable)
{
    for (size_t i = 0; i < count && s->count < LIFECYCLE_STEPS; i++)
        if (steps[i].step.call != STEP_CREATE || usable >> steps[i].desc & 1)
            s->steps[s->count++] = steps[i];
}

/* Puts together all calls that the process has been asked for. */
static bool restore_calls(struct sequence *s, const struct trial *t)
{
    const struct sequence_parts *parts = s->x->parts;
    struct lifecycle_step *steps = calloc(LIFECYCLE_STEPS, sizeof *steps);
    s->count = 0;
    for (unsigned i = 0; steps && i < parts->tried && i < LIFECYCLE_DESCS; i++)
        if ((s->usable[i] = draw_desc_again(s, (int)i)))
            add_steps(s, steps, lifecycle_alone(i, steps), ~0u);
    size_t count = steps && parts->rounds ? lifecycle_draw(&t->c.lifecycle, t->seed, steps) : 0;
    for (int i = 0; i < parts->rounds && s->count + count <= LIFECYCLE_STEPS; i++)
        add_steps(s, steps, count, parts->usable);
    free(steps);
    return steps != NULL;
}

/* Tries a part of the calls, or reports the fewest calls that end the process. */
static void judge_parts(struct sequence *s, struct trial *t)
{
    if (!restore_calls(s, t))
        return;
    sequence_try_part(s);
    if (s->x->parts->stage != SEQUENCE_SHRUNK) {
        snprintf(t->message, sizeof t->message, "%s",
                 s->x->parts->stage == SEQUENCE_SLOW ? "; not shrunk: its calls take long"
                                                     : "; the same calls alone do not end a new process");
        return;
    }
    t->verdict.promise = sequence_broken_promise(s);
    snprintf(t->message, sizeof t->message, "; shrunk to %u call%s", count_left(s), count_left(s) == 1 ? "" : "s");
    print_calls(s, t);
}

void sequence_judge(const struct sequence_context *context, struct trial *t)
{
    struct sequence *s = calloc(1, sizeof *s);
    t->judged = true;
    t->verdict.status = STATUS_HARNESS_ERROR;
    snprintf(t->message, sizeof t->message, "no memory for the calls");
    if (!s)
        return;
    s->x = context;
    s->seed = t->seed;
    t->verdict.status = STATUS_PASS;
    *t->message = '\0';
    if (context->parts->stage != SEQUENCE_JUDGED) {
        judge_parts(s, t);
        free(s);
        return;
    }
    *context->parts = (struct sequence_parts){.stage = SEQUENCE_JUDGED};
    if (draw_descs(s, t) == 0 && !s->failure.failed && t->verdict.status == STATUS_PASS) {
        t->verdict.status = STATUS_UNSUPPORTED;
        snprintf(t->message, sizeof t->message, "no operator of the sequence works alone");
    }
    while (!s->failure.failed && judge_calls(s, t))
        ;
    if (s->failure.failed)
        sequence_report(s, t);
    free(s);
}
