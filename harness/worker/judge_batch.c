/* judge_batch.c: creates the operators of a batch of cases, dispatches or measures them, and destroys them. */
#include "harness/worker/judge_process.h"

#include "harness/base/clock.h"

#include <string.h>

enum {
    CLOCK_SLACK = 2, /* a device's clock may run faster than the harness's */
    EARLY_BYTES =
        1 << 20 /* bytes of tensors: the tensors of a larger case are made only when its operator has been accepted */
};

/* ---- creating */

bool judge_decode(struct judge *j, const char *batch, size_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct trial *t = &j->trials[i];
        uint32_t case_size;
        if (size < 16)
            return false;
        memcpy(&case_size, batch + 8, sizeof case_size); /* testcase_encode() writes the size there */
        if (case_size > size || !testcase_decode(batch, case_size, j->specs.specs, spec_set_size(&j->specs), &t->c,
                                                 t->literals, NULL, &t->seed))
            return false;
        trial_clear(t, t->c.desc);
        t->key = j->setup.memo ? trial_memo_key_of(batch, case_size) : (struct trial_memo_key){0};
        batch += case_size;
        size -= case_size;
    }
    return true;
}

/* Makes the tensors of cases that are expected to be run, while the device creates their operators. */
static void make_early(struct judge *j, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct trial *t = &j->trials[i];
        if (t->c.expect != EXPECT_RESULTS || trial_bytes(t) > EARLY_BYTES)
            continue;
        judge_enter(j, STAGE_CASE, i);
        trial_make_tensors(&j->setup, t);
    }
}

static void judge_created(struct judge *j, uint32_t index, uint64_t *limit_ns)
{
    struct trial *t = &j->trials[index];
    const struct call_answer *said = &j->link.exchange->created[index];
    struct call_answer answer = {
        .result = said->result, .compiling = said->compiling != 0, .has_result = said->has_result != 0, .ns = said->ns};
    if (FAILED(answer.result))
        judge_copy_text(answer.message, sizeof answer.message, said->message, sizeof said->message);
    bool made = t->made && !t->judged;
    t->verdict.host_ns += judge_claimed(limit_ns, answer.ns);
    trial_judge_created(&j->setup, t, &answer);
    if (!t->judged && !made)
        trial_make_tensors(&j->setup, t);
}

int judge_prepare(struct judge *j, uint32_t count)
{
    int items = 0;
    link_clear(&j->link);
    for (uint32_t i = 0; i < count; i++)
        if (!link_describe(&j->link, j->trials[i].c.spec, j->trials[i].c.desc, trial_flags(&j->setup),
                           &j->link.exchange->creations[i]))
            return -1;
    for (uint32_t i = 0; i < count; i++)
        trial_remember(j->setup.recent, &j->trials[i].c);
    judge_enter(j, STAGE_CASE, 0);
    uint64_t start = clock_ns();
    judge_ask(j, HOST_CREATE, count);
    make_early(j, count);
    judge_wait(j);
    uint64_t limit = clock_ns() - start;
    for (uint32_t i = 0; i < count; i++) {
        judge_enter(j, STAGE_CASE, i);
        judge_created(j, i, &limit);
        if (!j->trials[i].judged)
            j->item_trials[items++] = i;
    }
    return items;
}

/* ---- dispatching */

/* Tells the device's process the places of a trial's tensors, for the message of a crash. */
static uint64_t place_tensors(struct judge *j, const struct trial *t, struct place *places)
{
    uint64_t count = 0;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        if (testcase_output_of(&t->c, i) >= 0)
            continue; /* the place is the output's */
        struct place place = arena_place(&t->blocks[i]);
        place.name = judge_copy_to_exchange(j, place.name, strlen(place.name) + 1);
        places[count++] = place;
    }
    return count;
}

static bool judge_batch_place_items(struct judge *j, uint32_t count)
{
    struct exchange *exchange = j->link.exchange;
    struct place *places;
    size_t tensors = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct trial *t = &j->trials[j->item_trials[i]];
        tensors += (size_t)(t->input_count + t->output_count);
    }
    exchange->place_count = 0;
    exchange->places = places = link_take(&j->link, tensors * sizeof *places);
    for (uint32_t i = 0; i < count; i++) {
        const struct trial *t = &j->trials[j->item_trials[i]];
        struct exchange_item item = {.slot = j->item_trials[i],
                                     .input_count = (uint32_t)t->input_count,
                                     .output_count = (uint32_t)t->output_count};
        item.inputs = judge_copy_to_exchange(j, t->inputs, item.input_count * sizeof *t->inputs);
        item.outputs = judge_copy_to_exchange(j, t->outputs, item.output_count * sizeof *t->outputs);
        exchange->items[i] = item;
        if (!places || !item.inputs || !item.outputs)
            return false;
        tensors = place_tensors(j, t, places);
        places += tensors;
        exchange->place_count += tensors;
    }
    return true;
}

/* Dispatches items and takes their outputs. Returns the time that the dispatch took by the harness's clock. */
static uint64_t judge_batch_dispatch(struct judge *j, uint32_t count, enum stage stage)
{
    if (!judge_batch_place_items(j, count))
        judge_give_up(j, "no room for the batch");
    link_wait_check(&j->link);
    judge_enter(j, stage, count == 1 ? j->item_trials[0] : 0);
    uint64_t start = clock_ns();
    judge_ask(j, HOST_DISPATCH, count);
    judge_wait(j);
    uint64_t ns = clock_ns() - start;
    profile_enter(PROFILE_TENSOR);
    for (uint32_t i = 0; i < count; i++)
        trial_collect(&j->setup, &j->trials[j->item_trials[i]]);
    profile_enter(PROFILE_OTHER);
    return ns;
}

static void judge_batch_judge_items(struct judge *j, uint32_t count, enum stage stage, uint64_t ns)
{
    const struct exchange *exchange = j->link.exchange;
    HRESULT status = exchange->dispatched;
    judge_copy_text(j->message, sizeof j->message, exchange->message, sizeof exchange->message);
    j->setup.message = j->message;
    for (uint32_t i = 0; i < count; i++) {
        struct trial *t = &j->trials[j->item_trials[i]];
        judge_enter(j, STAGE_CASE, j->item_trials[i]);
        t->verdict.host_ns += stage == STAGE_DISPATCH ? ns / count : 0;
        if (t->judged)
            continue; /* its outputs could not be taken */
        memcpy(&j->result, &exchange->results[i], sizeof j->result);
        if (FAILED(status))
            j->result.status = status;
        uint64_t said_ns = j->result.device_ns;
        if (said_ns > ns)
            j->result.device_ns = ns;
        trial_judge(&j->setup, t, &j->result);
        if (said_ns / CLOCK_SLACK > ns)
            trial_blame(t, PROMISE_CLOCK, "device_ns is %llu; the call took %llu ns", (unsigned long long)said_ns,
                        (unsigned long long)ns);
    }
}

/* ---- measuring */

/* Makes one round of runs. Each run has the time of a case. */
static uint64_t measure_round(void *context, uint32_t count, struct call_measured *said)
{
    struct judge *j = context;
    link_wait_check(&j->link);
    judge_enter(j, STAGE_DISPATCH, j->item_trials[0]);
    j->link.exchange->times = count;
    uint64_t start = clock_ns();
    judge_ask(j, HOST_MEASURE, 1);
    judge_wait(j);
    uint64_t ns = clock_ns() - start;
    memcpy(said, &j->link.exchange->measured, sizeof *said);
    judge_check(j, 1, "it was measured");
    return ns;
}

/* Returns true if the only item is to be measured. An operator that changes its own input is not measured: its later
 * runs are other cases. */
static bool is_measured(const struct judge *j, uint32_t items)
{
    const struct testcase *c = &j->trials[j->item_trials[0]].c;
    bool in_place = false;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        in_place |= testcase_output_of(c, i) >= 0;
    return j->measure_ns > 0 && items == 1 && !in_place;
}

/* Measures an item instead of dispatching it once. The outputs of the last run are judged. */
static void measure_item(struct judge *j)
{
    struct trial *t = &j->trials[j->item_trials[0]];
    struct measured *m = &j->measured;
    if (!judge_batch_place_items(j, 1))
        judge_give_up(j, "no room for the batch");
    j->rounds.run = measure_round;
    j->rounds.context = j;
    bool measured = measure_make(&j->rounds, j->measure_ns, m);
    profile_enter(PROFILE_TENSOR);
    trial_collect(&j->setup, t);
    profile_enter(PROFILE_OTHER);
    judge_enter(j, STAGE_CASE, j->item_trials[0]);
    judge_copy_text(j->message, sizeof j->message, j->rounds.said.message, sizeof j->rounds.said.message);
    j->setup.message = j->message;
    j->result = j->rounds.said.result;
    j->result.device_ns = measured ? m->samples[m->count - 1].device_ns : 0;
    t->verdict.host_ns += measured ? m->samples[m->count - 1].host_ns : 0;
    if (!t->judged)
        trial_judge(&j->setup, t, &j->result);
    if (j->rounds.claimed_ns)
        trial_blame(t, PROMISE_CLOCK, "the runs took %llu ns by device_ns; the call took %llu ns",
                    (unsigned long long)j->rounds.claimed_ns, (unsigned long long)j->rounds.took_ns);
}

/* ---- dispatching again */

/* Makes items of the dispatched trials that want a second dispatch. Returns the number of items. */
static uint32_t prepare_again(struct judge *j, uint32_t count)
{
    uint32_t items = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = j->item_trials[i];
        judge_enter(j, STAGE_CASE, index);
        if (trial_prepare_second(&j->setup, &j->trials[index]))
            j->item_trials[items++] = index;
    }
    return items;
}

/* ---- all of a batch */

static void run_items(struct judge *j, uint32_t count, uint32_t items)
{
    uint64_t ns;
    if (is_measured(j, items))
        measure_item(j);
    else {
        ns = judge_batch_dispatch(j, items, STAGE_DISPATCH);
        judge_batch_judge_items(j, items, STAGE_DISPATCH, ns);
        judge_check(j, count, "they were dispatched");
    }
    items = prepare_again(j, items);
    if (items == 0)
        return;
    ns = judge_batch_dispatch(j, items, STAGE_AGAIN);
    judge_batch_judge_items(j, items, STAGE_AGAIN, ns);
    judge_check(j, count, "they were dispatched");
}

static void judge_batch_finish(struct judge *j, uint32_t count)
{
    judge_enter(j, STAGE_CASE, 0);
    uint64_t start = clock_ns();
    judge_ask(j, HOST_DESTROY, count);
    judge_wait(j);
    uint64_t limit = clock_ns() - start;
    for (uint32_t i = 0; i < count; i++) {
        judge_enter(j, STAGE_CASE, i);
        j->trials[i].verdict.host_ns += judge_claimed(&limit, j->link.exchange->destroy_ns[i]);
        trial_end(&j->trials[i]);
    }
    judge_check(j, count, "they were destroyed");
    arena_reset(j->setup.arena);
    trial_memo_trim(j->setup.memo);
}

void judge_run_batch(struct judge *j, uint32_t count, uint32_t items)
{
    judge_check(j, count, "operators were created");
    if (items > 0)
        run_items(j, count, items);
    judge_batch_finish(j, count);
    if (count == 1 && j->trials[0].c.lifecycle.kind && j->trials[0].verdict.status == STATUS_PASS)
        judge_run_sequence(j);
}
