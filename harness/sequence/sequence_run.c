/* sequence_run.c: makes the calls of a sequence in the device's process, and judges each answer. */
#include "harness/base/clock.h"
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/sequence/sequence_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_FACTOR = 24 /* repeats may take this many times the device's work by the clock, on a busy machine */ };

__attribute__((format(printf, 4, 5))) static void sequence_run_fail(struct sequence *s, uint32_t index,
                                                                    enum promise promise, const char *format, ...)
{
    struct sequence_failure *failure = &s->failure;
    va_list arguments;
    if (failure->failed)
        return;
    *failure = (struct sequence_failure){
        .failed = true, .status = STATUS_FAIL, .promise = promise, .step = s->pending_at[index]};
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
}

/* ---- descriptions */

static bool sequence_run_describe(struct sequence *s, uint32_t desc, struct exchange_creation *out)
{
    const struct testcase *c = &s->descs[desc];
    return link_describe(s->x->link, c->spec, c->desc, trial_flags(s->x->setup), out);
}

/* ---- tensors */

static uint64_t sequence_run_alignment_of(const struct testcase *c, int item)
{
    uint32_t alignment = c->desc->items[item].tensor.alignment;
    return alignment > 16 ? alignment : 16;
}

/* Names the same address by another base, if the offset is then legal. */
static void sequence_run_rebase(assay_binding *binding, const uint8_t *base, uint64_t alignment)
{
    const uint8_t *at = (const uint8_t *)binding->base + binding->offset;
    if (!binding->base || !base || at < base || (uint64_t)(at - base) % alignment != 0 ||
        (uintptr_t)base % alignment != 0)
        return;
    binding->base = (void *)(uintptr_t)base;
    binding->offset = (uint64_t)(at - base);
}

/* Returns the binding of a tensor of the trial. */
static assay_binding *binding_of(struct trial *t, int item)
{
    int inputs = 0, outputs = 0;
    for (int i = -1; (i = spec_next_tensor(t->c.spec, t->c.desc, i)) >= 0;) {
        bool input = field_is_input(spec_tensor_field(t->c.spec, i));
        if (i == item)
            return input ? &t->inputs[inputs] : &t->outputs[outputs];
        *(input ? &inputs : &outputs) += 1;
    }
    return NULL;
}

static void move_to_last(struct trial *t, const struct last_dispatch *last)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        memcpy(last->blocks[i].write, t->blocks[i].write, t->blocks[i].size);
        t->blocks[i] = last->blocks[i];
    }
    memcpy(t->inputs, last->inputs, sizeof t->inputs);
    memcpy(t->outputs, last->outputs, sizeof t->outputs);
}

static void share_bases(struct trial *t, const struct last_dispatch *last, const struct lifecycle_item *item)
{
    const uint8_t *lowest = NULL;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        assay_binding *binding = binding_of(t, i);
        bool input = field_is_input(spec_tensor_field(t->c.spec, i));
        if (item->memory == MEMORY_OFFSET && last->given)
            sequence_run_rebase(binding,
                                (input ? last->inputs : last->outputs)[binding - (input ? t->inputs : t->outputs)].base,
                                sequence_run_alignment_of(&t->c, i));
        if (input && (!lowest || (const uint8_t *)binding->base < lowest))
            lowest = binding->base;
    }
    for (int i = -1; item->one_base && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(t->c.spec, i)))
            sequence_run_rebase(binding_of(t, i), lowest, sequence_run_alignment_of(&t->c, i));
}

uint64_t sequence_item_seed(uint64_t seed, const struct lifecycle_step *step, uint32_t index)
{
    return random_at(random_at(seed, step->number), index);
}

/* Makes the tensors of an item at the places that the step wants. Returns false if that failed. */
static bool make_item(struct sequence *s, const struct lifecycle_step *step, uint32_t index)
{
    const struct lifecycle_item *item = &step->items[index];
    struct last_dispatch *last = &s->last[item->compiled];
    struct trial *t = &s->items[index];
    bool again = false; /* set within one dispatch: two items must not have the same outputs */
    for (uint32_t i = 0; i < index; i++)
        again |= step->items[i].compiled == item->compiled;
    memset(t, 0, sizeof *t);
    t->c = s->descs[s->model.compiled[item->compiled].desc];
    t->seed = s->contents ? s->contents : sequence_item_seed(s->seed, step, index);
    t->half = s->x->setup->half;
    trial_make_tensors(s->x->setup, t);
    if (t->judged)
        return false;
    if (item->memory == MEMORY_SAME && last->given && !again)
        move_to_last(t, last);
    else
        share_bases(t, last, item);
    last->given = true;
    memcpy(last->blocks, t->blocks, sizeof last->blocks);
    memcpy(last->inputs, t->inputs, sizeof last->inputs);
    memcpy(last->outputs, t->outputs, sizeof last->outputs);
    return true;
}

static void *copy_to_exchange(struct sequence *s, const void *from, size_t size)
{
    void *to = link_take(s->x->link, size);
    if (to)
        memcpy(to, from, size);
    return to;
}

static bool sequence_run_place_items(struct sequence *s, const struct lifecycle_step *step, uint32_t first)
{
    struct exchange *exchange = s->x->link->exchange;
    struct place *places = link_take(s->x->link, LIFECYCLE_ITEMS * OPDESC_MAX_TENSORS * sizeof *places);
    uint64_t count = 0;
    for (uint32_t i = 0; places && i < step->step.item_count; i++) {
        const struct trial *t = &s->items[i];
        struct exchange_item item = {.slot = step->items[i].compiled,
                                     .input_count = (uint32_t)t->input_count,
                                     .output_count = (uint32_t)t->output_count};
        item.inputs = copy_to_exchange(s, t->inputs, item.input_count * sizeof *t->inputs);
        item.outputs = copy_to_exchange(s, t->outputs, item.output_count * sizeof *t->outputs);
        exchange->items[first + i] = item;
        if (!item.inputs || !item.outputs)
            return false;
        for (int at = -1; (at = testcase_next_tensor(&t->c, at)) >= 0;) {
            places[count] = arena_place(&t->blocks[at]);
            places[count].name = copy_to_exchange(s, places[count].name, strlen(places[count].name) + 1);
            count++;
        }
    }
    exchange->places = places;
    exchange->place_count = count;
    return places != NULL;
}

/* ---- answers */

static bool is_text(const char *text, size_t size)
{
    uint32_t point;
    size_t step;
    if (strnlen(text, size) == size)
        return false;
    for (; *text; text += step)
        if ((step = text_sequence(text, &point)) == 0)
            return false;
    return true;
}

/* Returns the first fault of an answer to describe(), as a sentence; null if there is none. */
static const char *fault_of_description(const struct step_answer *answer, const assay_device_info *was)
{
    const assay_device_info *is = &answer->info;
    if (!is_text(is->name, sizeof is->name) || !is_text(is->driver, sizeof is->driver) ||
        !is_text(is->version, sizeof is->version))
        return "a text is not UTF-8, or does not end";
    if (is->max_batch == 0)
        return "max_batch is 0";
    if (is->size != was->size)
        return "the size of the struct is another one afterwards";
    if (answer->wrote_past)
        return "it wrote past the struct";
    if (is->feature_level != was->feature_level || is->max_tensor_bytes != was->max_tensor_bytes ||
        is->max_batch != was->max_batch || is->flags != was->flags || strcmp(is->name, was->name) != 0 ||
        strcmp(is->driver, was->driver) != 0 || strcmp(is->version, was->version) != 0)
        return "it says something else than the first time";
    return NULL;
}

static void judge_described(struct sequence *s, uint32_t index, const struct step_answer *answer)
{
    const struct plugin *known = s->x->setup->device;
    const char *wrong = fault_of_description(answer, &known->info);
    if (wrong)
        sequence_run_fail(s, index, PROMISE_DESCRIBES, "describe: %s", wrong);
    uint32_t documented = ((1u << DATATYPE_COUNT) - 1) & ~1u;
    if (answer->data_types & ~documented)
        sequence_run_fail(s, index, PROMISE_DATA_TYPES,
                          "supports_data_type: a number that is no data type is supported");
    else if (answer->data_types != (known->data_types & documented))
        sequence_run_fail(s, index, PROMISE_DATA_TYPES,
                          "supports_data_type: it says something else than the first time");
}

static void sequence_run_judge_items(struct sequence *s, uint32_t index, const struct lifecycle_step *step)
{
    static assay_dispatch_result result;
    const struct exchange *exchange = s->x->link->exchange;
    for (uint32_t i = 0; i < step->step.item_count; i++) {
        struct trial *t = &s->items[i];
        memcpy(&result, &exchange->results[i], sizeof result);
        trial_judge(s->x->setup, t, &result);
        if (t->judged && (status_is_failure(t->verdict.status) && t->verdict.status != STATUS_HARNESS_ERROR) &&
            !s->failure.failed) {
            sequence_run_fail(s, index, t->verdict.promise ? t->verdict.promise : PROMISE_INDEPENDENT,
                              "item %u of the dispatch, %s: %.200s", i, t->c.spec->name, t->message);
            s->failure.wrong = t->symptoms.wrong;
            s->failure.contents = t->seed;
            s->failure.desc = s->model.compiled[step->items[i].compiled].desc;
            if (t->verdict.status == STATUS_DEVICE_LOST)
                s->failure.status = t->verdict.status;
        }
        trial_end(t);
        free(t->dump);
        t->dump = NULL;
    }
}

/* Judges the answer to a step. The model forgets an object that was not made. */
static void judge_answer(struct sequence *s, uint32_t index)
{
    static const char *const names[STEP_CALLS] = {[STEP_OPEN] = "create_device",
                                                  [STEP_DESCRIBE] = "describe",
                                                  [STEP_CREATE] = "create_operator",
                                                  [STEP_COMPILE] = "compile_operator",
                                                  [STEP_DISPATCH] = "dispatch"};
    const struct lifecycle_step *step = &s->pending[index];
    struct step_answer answer;
    char name[32];
    memcpy(&answer, &s->x->link->exchange->answers[index], sizeof answer);
    answer.message[sizeof answer.message - 1] = '\0';
    if (answer.skipped) {
        s->cannot_open |= step->step.call == STEP_OPEN; /* the device is part of the program */
        s->model.opened[step->step.device] &= !s->cannot_open;
        return;
    }
    bool makes = step->step.call == STEP_OPEN || step->step.call == STEP_CREATE || step->step.call == STEP_COMPILE;
    const char *call = step->step.call <= STEP_DISPATCH ? names[step->step.call] : "";
    if (answer.result > 0)
        sequence_run_fail(s, index, PROMISE_SUCCESS, "%s returned %s: a success must be S_OK", call,
                          dml_error_name(answer.result, name));
    if (makes && SUCCEEDED(answer.result) != (answer.has_result != 0))
        sequence_run_fail(s, index, PROMISE_POINTERS, "%s returned %s, and its result is %s", call,
                          dml_error_name(answer.result, name), answer.has_result ? "not null" : "null");
    if (answer.null_message)
        sequence_run_fail(s, index, PROMISE_MESSAGE, "message() is null after %s", call);
    else if (!is_text(answer.message, sizeof answer.message))
        sequence_run_fail(s, index, PROMISE_MESSAGE, "message() is not UTF-8 after %s", call);
    if (FAILED(answer.result))
        sequence_run_fail(s, index, step->step.call == STEP_OPEN ? PROMISE_DEVICES : PROMISE_INDEPENDENT,
                          "%s returned %s%s%.120s", call, dml_error_name(answer.result, name),
                          *answer.message ? ": " : "", answer.message);
    s->failure.refused |= FAILED(answer.result) && makes && step->step.call != STEP_OPEN;
    if (FAILED(answer.result) && answer.result == DXGI_ERROR_DEVICE_REMOVED)
        s->failure.status = STATUS_DEVICE_LOST;
    bool made = SUCCEEDED(answer.result) && answer.has_result;
    if (step->step.call == STEP_OPEN)
        s->model.opened[step->step.device] &= made;
    else if (step->step.call == STEP_CREATE)
        s->model.operators[step->step.op].alive &= made;
    else if (step->step.call == STEP_COMPILE)
        s->model.compiled[step->step.compiled].alive &= made;
    else if (step->step.call == STEP_DESCRIBE && SUCCEEDED(answer.result))
        judge_described(s, index, &answer);
    else if (step->step.call == STEP_DISPATCH && SUCCEEDED(answer.result))
        sequence_run_judge_items(s, index, step);
    else if (step->step.call == STEP_MEASURE || step->step.call == STEP_CLOSE)
        s->usage = answer.usage;
}

/* ---- steps */

static void sequence_run_flush(struct sequence *s)
{
    uint32_t count = s->pending_count;
    if (count == 0)
        return;
    const struct lifecycle_step *last = &s->pending[count - 1];
    enum promise promise = last->step.hide ? PROMISE_TENSORS_IN_DISPATCH : PROMISE_INDEPENDENT;
    if (last->step.call == STEP_DESTROY_NULL)
        promise = PROMISE_DESTROY_NULL;
    s->x->ask(s->x->context, count, promise);
    for (uint32_t i = 0; last->step.call == STEP_DISPATCH && i < last->step.item_count; i++)
        trial_collect(s->x->setup, &s->items[i]);
    for (uint32_t i = 0; i < count; i++)
        judge_answer(s, i);
    s->pending_count = 0;
    link_clear(s->x->link);
}

/* Returns true if a step is asked for at once: the judge takes its outputs, or the next steps need its object, or the
 * step may end the process and must then be the only one to blame. */
static bool is_urgent(const struct step *step)
{
    return step->call == STEP_DISPATCH || step->call == STEP_OPEN || step->call == STEP_DESTROY_NULL;
}

/* Adds a step that the model allows to the steps that wait. */
static void sequence_run_add(struct sequence *s, struct lifecycle_step step, size_t at)
{
    struct exchange *exchange = s->x->link->exchange;
    if (step.step.call == STEP_CREATE && !s->usable[step.desc])
        return;
    if (is_urgent(&step.step))
        sequence_run_flush(s); /* the answers may change which objects exist */
    if (s->failure.failed || !lifecycle_apply(&s->model, &step))
        return;
    for (uint32_t i = 0; step.step.call == STEP_DISPATCH && i < step.step.item_count; i++)
        if (!make_item(s, &step, i))
            return;
    if (step.step.call == STEP_COMPILE)
        s->last[step.step.compiled].given = false;
    uint32_t index = s->pending_count;
    exchange->steps[index].step = step.step;
    exchange->steps[index].first_item = 0;
    exchange->steps[index].creation.flags = trial_flags(s->x->setup);
    if ((step.step.call == STEP_CREATE && !sequence_run_describe(s, step.desc, &exchange->steps[index].creation)) ||
        (step.step.call == STEP_DISPATCH && !sequence_run_place_items(s, &step, 0)))
        return;
    if (step.step.call == STEP_OPEN)
        exchange->arguments = copy_to_exchange(s, s->x->arguments, strlen(s->x->arguments) + 1);
    s->pending[index] = step;
    s->pending_at[index] = at;
    if (++s->pending_count == STEPS_MAX || is_urgent(&step.step))
        sequence_run_flush(s);
}

/* Destroys the objects that are left, also after a failure. */
static void clean_up(struct sequence *s)
{
    struct sequence_failure failure = s->failure;
    sequence_run_flush(s);
    s->failure.failed = false;
    for (uint16_t i = 0; i < STEP_OBJECTS; i++) {
        struct step compiled = {.call = STEP_DESTROY_COMPILED, .device = s->model.compiled[i].device, .compiled = i};
        struct step op = {.call = STEP_DESTROY_OPERATOR, .device = s->model.operators[i].device, .op = i};
        if (s->model.compiled[i].alive)
            sequence_run_add(s, (struct lifecycle_step){.step = compiled}, s->count);
        if (s->model.operators[i].alive)
            sequence_run_add(s, (struct lifecycle_step){.step = op}, s->count);
    }
    for (uint8_t i = 1; i < STEP_DEVICES; i++)
        sequence_run_add(s, (struct lifecycle_step){.step = {.call = STEP_CLOSE, .device = i}}, s->count);
    sequence_run_flush(s);
    if (failure.failed)
        s->failure = failure;
}

void sequence_run(struct sequence *s)
{
    memset(&s->model, 0, sizeof s->model);
    s->failure.failed = s->failure.refused = false;
    s->pending_count = 0;
    link_clear(s->x->link);
    arena_reset(s->x->setup->arena);
    struct lifecycle_step step;
    for (size_t i = 0; i < s->count && !s->failure.failed; i++) {
        if (sequence_step(s, i, &step))
            sequence_run_add(s, step, i);
        s->failure.failed &= !s->to_the_end;
    }
    sequence_run_flush(s);
    if (!s->to_the_end)
        clean_up(s);
}

void sequence_measure(struct sequence *s)
{
    sequence_run_add(s, (struct lifecycle_step){.step = {.call = STEP_MEASURE}}, s->count);
    sequence_run_flush(s);
}

/* ---- the same again and again */

/* Adds a step that the model allows to the laid out steps, which have `items` so far. */
static bool sequence_run_lay_out(struct sequence *s, struct lifecycle_step step, uint32_t *items)
{
    struct exchange *exchange = s->x->link->exchange;
    bool good = true;
    if ((step.step.call == STEP_CREATE && !s->usable[step.desc]) || (step.step.call == STEP_OPEN && s->cannot_open) ||
        !lifecycle_apply(&s->model, &step))
        return true;
    if (s->repeat_count == STEPS_MAX || *items + step.step.item_count > EXCHANGE_CASES)
        return false;
    struct exchange_step *to = &exchange->steps[s->repeat_count++];
    *to = (struct exchange_step){.step = step.step, .first_item = *items, .creation.flags = trial_flags(s->x->setup)};
    if (step.step.call == STEP_CREATE)
        return sequence_run_describe(s, step.desc, &to->creation);
    if (step.step.call == STEP_OPEN)
        exchange->arguments = copy_to_exchange(s, s->x->arguments, strlen(s->x->arguments) + 1);
    if (step.step.call != STEP_DISPATCH)
        return true;
    uint32_t made = 0;
    while (made < step.step.item_count && good)
        if ((good = make_item(s, &step, made)))
            made++;
    good = good && sequence_run_place_items(s, &step, *items);
    *items += step.step.item_count;
    for (uint32_t i = 0; i < made; i++)
        trial_end(&s->items[i]);
    return good;
}

bool sequence_lay_out(struct sequence *s)
{
    uint32_t items = 0;
    bool good = true;
    memset(&s->model, 0, sizeof s->model);
    s->repeat_count = 0;
    s->repeat_ns = 0;
    link_clear(s->x->link);
    arena_reset(s->x->setup->arena);
    struct lifecycle_step step;
    for (size_t i = 0; i < s->count && good; i++)
        if (sequence_step(s, i, &step))
            good = sequence_run_lay_out(s, step, &items);
    return good;
}

/* Returns the time that the device claims to have worked, within the bounds that the harness's clock sets. */
static uint64_t believable_ns(uint64_t said, uint64_t took)
{
    if (said > took)
        return took;
    return said < took / IDLE_FACTOR ? took / IDLE_FACTOR : said;
}

bool sequence_repeat(struct sequence *s, uint32_t times)
{
    struct exchange *exchange = s->x->link->exchange;
    uint64_t start = clock_ns();
    s->x->repeat(s->x->context, s->repeat_count, times);
    s->usage = exchange->used;
    s->repeat_ns += believable_ns(exchange->repeated_ns, clock_ns() - start);
    return exchange->repeated == times;
}
