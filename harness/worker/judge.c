/* A worker that judges batches: the device runs in a process of its own, which link.h leads to. Nothing that it says is
 * believed that it could not say honestly: results of calls, sentences, and times up to what our own clock shows. */
#include "harness/worker/worker.h"

#include "harness/base/clock.h"
#include "harness/spec/image.h"
#include "harness/worker/link.h"
#include "harness/worker/measure.h"
#include "harness/worker/output.h"
#include "harness/worker/progress.h"
#include "harness/worker/sequence.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    CLOCK_SLACK = 2,      /* a device's clock may run faster than ours */
    EARLY_BYTES = 1 << 20 /* of tensors: those of a larger case are made only when its operator has been accepted */
};

struct judge {
    struct trial_setup setup;
    struct spec_set specs;
    struct plugin device, reference; /* of the device only what it says of itself */
    struct link link;
    const char *arguments; /* of the device */
    struct progress *progress;
    struct trial trials[EXCHANGE_CASES];  /* of the batch */
    uint32_t item_trials[EXCHANGE_CASES]; /* index of each item's trial */
    assay_dispatch_result result;         /* of one item */
    char message[CALL_MESSAGE];
    uint64_t measure_ns; /* how long an item is measured; 0: it is dispatched once */
    struct measure_rounds rounds;
    struct measured measured; /* of the last batch, which had one case */
    off_t printed_before;     /* size of what the device had printed before the batch */
    char printed[OUTPUT_TEXT + 40];
};

static void enter(struct judge *j, enum stage stage, size_t index)
{
    progress_enter(j->progress, stage, index);
}

/* ---- requests */

static _Noreturn void give_up(struct judge *j, const char *why)
{
    snprintf(j->progress->fault, sizeof j->progress->fault, "%s", why);
    enter(j, STAGE_HARMED, 0);
    _exit(EXIT_HARNESS);
}

static void on_forged(void *context)
{
    give_up(context, "sent answers that it was not asked for");
}

/* The harness finds out how the device's process ended, then closes the socket. */
static void on_gone(void *context)
{
    char byte;
    (void)context;
    while (wire_read(WIRE_SOCKET, &byte, sizeof byte))
        ;
    _exit(EXIT_HARNESS);
}

static void ask(struct judge *j, enum host_call call, uint32_t count)
{
    link_wait_check(&j->link);
    atomic_store(&j->progress->call_count, count);
    atomic_store(&j->progress->call, call);
    link_send(&j->link, call, count, true);
}

static void wait_for_answer(struct judge *j)
{
    enum profile_stage before = profile_enter(PROFILE_DEVICE);
    link_wait(&j->link);
    atomic_store(&j->progress->call, 0);
    profile_enter(before);
}

/* A text that the device's process has written. */
static void copy_text(char *to, size_t size, const char *from, size_t from_size)
{
    snprintf(to, size, "%.*s", (int)strnlen(from, from_size), from);
}

/* Nanoseconds that the device's process says it took for one of several cases, which all together took `limit`. */
static uint64_t claimed(uint64_t *limit, uint64_t ns)
{
    uint64_t taken = ns < *limit ? ns : *limit;
    *limit -= taken;
    return taken;
}

/* ---- what the device did besides its work */

static void blame_all(struct judge *j, uint32_t count, enum promise broken, const char *what, const char *when)
{
    for (uint32_t i = 0; i < count; i++) {
        trial_blame(&j->trials[i], broken, "%s, while %s", what, when);
        j->trials[i].rerun_alone = true;
    }
}

/* The promise that a text of process_state_check() is about. */
static enum promise broken_by(const char *changed)
{
    static const struct {
        const char *start;
        enum promise promise;
    } starts[] = {{"printed", PROMISE_OUTPUT}, {"forked", PROMISE_FORK}, {"left", PROMISE_PROGRAMS}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(changed, starts[i].start, strlen(starts[i].start)) == 0)
            return starts[i].promise;
    return PROMISE_PROCESS_STATE;
}

/* Blames all cases of the batch, since it is not known which one did it, for a denial, although the action did not
 * happen, and for a change of the process. */
static void check(struct judge *j, uint32_t count, const char *when)
{
    char text[sizeof j->link.exchange->changed];
    struct sandbox_notice *notice = &j->progress->notice;
    enum profile_stage before = profile_enter(PROFILE_WATCH);
    link_wait_check(&j->link);
    profile_enter(before);
    if (atomic_load(&notice->pending)) {
        snprintf(text, sizeof text, "%.250s, which was denied", notice->text);
        blame_all(j, count, PROMISE_SANDBOX, text, when);
        atomic_store(&notice->pending, 0);
    }
    copy_text(text, sizeof text, j->link.exchange->changed, sizeof j->link.exchange->changed);
    if (*text)
        blame_all(j, count, broken_by(text), text, when);
}

/* ---- creating */

static bool decode(struct judge *j, const char *batch, size_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct trial *t = &j->trials[i];
        uint32_t case_size;
        if (size < 16)
            return false;
        memcpy(&case_size, batch + 8, sizeof case_size); /* where testcase_encode() writes it */
        if (case_size > size ||
            !testcase_decode(batch, case_size, j->specs.specs, spec_set_size(&j->specs), &t->c, t->literals, &t->seed))
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
        enter(j, STAGE_CASE, i);
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
        copy_text(answer.message, sizeof answer.message, said->message, sizeof said->message);
    bool made = t->made && !t->judged;
    t->host_ns += claimed(limit_ns, answer.ns);
    trial_judge_created(&j->setup, t, &answer);
    if (!t->judged && !made)
        trial_make_tensors(&j->setup, t);
}

/* Creates the operators of a batch and makes its tensors. Returns how many cases to dispatch, or -1 if there is no
 * room. */
static int prepare(struct judge *j, uint32_t count)
{
    int items = 0;
    link_clear(&j->link);
    for (uint32_t i = 0; i < count; i++)
        if (!link_describe(&j->link, j->trials[i].c.spec, j->trials[i].c.desc, trial_flags(&j->setup),
                           &j->link.exchange->creations[i]))
            return -1;
    enter(j, STAGE_CASE, 0);
    uint64_t start = clock_ns();
    ask(j, HOST_CREATE, count);
    make_early(j, count);
    wait_for_answer(j);
    uint64_t limit = clock_ns() - start;
    for (uint32_t i = 0; i < count; i++) {
        enter(j, STAGE_CASE, i);
        judge_created(j, i, &limit);
        if (!j->trials[i].judged)
            j->item_trials[items++] = i;
    }
    return items;
}

/* ---- dispatching */

static void *copy_to_exchange(struct judge *j, const void *from, size_t size)
{
    void *to = link_take(&j->link, size);
    if (to)
        memcpy(to, from, size);
    return to;
}

/* Says where the tensors of a trial are, for the message of a crash. */
static uint64_t place_tensors(struct judge *j, const struct trial *t, struct place *places)
{
    uint64_t count = 0;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        if (testcase_output_of(&t->c, i) >= 0)
            continue; /* the place is the output's */
        struct place place = arena_place(&t->blocks[i]);
        place.name = copy_to_exchange(j, place.name, strlen(place.name) + 1);
        places[count++] = place;
    }
    return count;
}

static bool place_items(struct judge *j, uint32_t count)
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
        item.inputs = copy_to_exchange(j, t->inputs, item.input_count * sizeof *t->inputs);
        item.outputs = copy_to_exchange(j, t->outputs, item.output_count * sizeof *t->outputs);
        exchange->items[i] = item;
        if (!places || !item.inputs || !item.outputs)
            return false;
        tensors = place_tensors(j, t, places);
        places += tensors;
        exchange->place_count += tensors;
    }
    return true;
}

/* Dispatches items and takes their outputs. Returns how long that took by our clock. */
static uint64_t dispatch(struct judge *j, uint32_t count, enum stage stage)
{
    if (!place_items(j, count))
        give_up(j, "no room for the batch");
    link_wait_check(&j->link);
    enter(j, stage, count == 1 ? j->item_trials[0] : 0);
    uint64_t start = clock_ns();
    ask(j, HOST_DISPATCH, count);
    wait_for_answer(j);
    uint64_t ns = clock_ns() - start;
    profile_enter(PROFILE_TENSOR);
    for (uint32_t i = 0; i < count; i++)
        trial_collect(&j->setup, &j->trials[j->item_trials[i]]);
    profile_enter(PROFILE_OTHER);
    return ns;
}

static void judge_items(struct judge *j, uint32_t count, enum stage stage, uint64_t ns)
{
    const struct exchange *exchange = j->link.exchange;
    HRESULT status = exchange->dispatched;
    copy_text(j->message, sizeof j->message, exchange->message, sizeof exchange->message);
    j->setup.message = j->message;
    for (uint32_t i = 0; i < count; i++) {
        struct trial *t = &j->trials[j->item_trials[i]];
        enter(j, STAGE_CASE, j->item_trials[i]);
        t->host_ns += stage == STAGE_DISPATCH ? ns / count : 0;
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

/* One round of runs. Each has the time of a case. */
static uint64_t measure_round(void *context, uint32_t count, struct call_measured *said)
{
    struct judge *j = context;
    link_wait_check(&j->link);
    enter(j, STAGE_DISPATCH, j->item_trials[0]);
    j->link.exchange->times = count;
    uint64_t start = clock_ns();
    ask(j, HOST_MEASURE, 1);
    wait_for_answer(j);
    uint64_t ns = clock_ns() - start;
    memcpy(said, &j->link.exchange->measured, sizeof *said);
    check(j, 1, "it was measured");
    return ns;
}

/* Whether the only item is to be measured. Runs that change their own input are not those of one case. */
static bool is_measured(const struct judge *j, uint32_t items)
{
    const struct testcase *c = &j->trials[j->item_trials[0]].c;
    bool in_place = false;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        in_place |= testcase_output_of(c, i) >= 0;
    return j->measure_ns > 0 && items == 1 && !in_place;
}

/* Measures an item instead of dispatching it once: what its outputs hold afterwards is judged. */
static void measure_item(struct judge *j)
{
    struct trial *t = &j->trials[j->item_trials[0]];
    struct measured *m = &j->measured;
    if (!place_items(j, 1))
        give_up(j, "no room for the batch");
    j->rounds.run = measure_round;
    j->rounds.context = j;
    bool measured = measure_make(&j->rounds, j->measure_ns, m);
    profile_enter(PROFILE_TENSOR);
    trial_collect(&j->setup, t);
    profile_enter(PROFILE_OTHER);
    enter(j, STAGE_CASE, j->item_trials[0]);
    copy_text(j->message, sizeof j->message, j->rounds.said.message, sizeof j->rounds.said.message);
    j->setup.message = j->message;
    j->result = j->rounds.said.result;
    j->result.device_ns = measured ? m->samples[m->count - 1].device_ns : 0;
    t->host_ns += measured ? m->samples[m->count - 1].host_ns : 0;
    if (!t->judged)
        trial_judge(&j->setup, t, &j->result);
    if (j->rounds.claimed_ns)
        trial_blame(t, PROMISE_CLOCK, "the runs took %llu ns by device_ns; the call took %llu ns",
                    (unsigned long long)j->rounds.claimed_ns, (unsigned long long)j->rounds.took_ns);
}

/* ---- dispatching again */

/* Makes items of the dispatched trials that want a second dispatch. Returns how many. */
static uint32_t prepare_again(struct judge *j, uint32_t count)
{
    uint32_t items = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = j->item_trials[i];
        enter(j, STAGE_CASE, index);
        if (trial_prepare_second(&j->setup, &j->trials[index]))
            j->item_trials[items++] = index;
    }
    return items;
}

/* ---- batches */

/* Reads what the device has printed during the batch: which of its cases it belongs to is not known. */
static void read_printed(struct judge *j, uint32_t count)
{
    char text[OUTPUT_TEXT];
    *j->printed = '\0';
    if (output_read(STDERR_FILENO, j->printed_before, text, sizeof text))
        snprintf(j->printed, sizeof j->printed, count > 1 ? "[%2$u cases at once] %1$s" : "%1$s", text, count);
}

/* Whether the result says what the device printed. */
static bool has_printed(const struct judge *j, const struct trial *t)
{
    return *j->printed && (status_is_failure(t->status) || t->status == STATUS_WARN);
}

/* Bytes of what was measured, if the case is as it should be; otherwise 0. */
static size_t measured_bytes(const struct judge *j, const struct trial *t)
{
    return j->measured.count > 0 && !status_is_failure(t->status) ? measured_size(&j->measured) : 0;
}

/* Sends all results in one message; frees the dumps. */
static bool send_results(struct judge *j, uint32_t count)
{
    size_t size = 0, used = 0;
    read_printed(j, count);
    for (uint32_t i = 0; i < count; i++)
        size += sizeof(struct wire_result) + sizeof(struct wrong) + sizeof(struct diagnosis) +
                sizeof j->trials[i].message + sizeof j->printed + measured_bytes(j, &j->trials[i]) +
                (j->trials[i].dump ? strlen(j->trials[i].dump) + 1 : 0);
    char *out = malloc(sizeof(struct wire_header) + size);
    if (!out)
        return false;
    char *body = out + sizeof(struct wire_header);
    for (uint32_t i = 0; i < count; i++) {
        const struct trial *t = &j->trials[i];
        struct wire_result result = {.status = (uint8_t)t->status,
                                     .has_wrong = *t->wrong.tensor != '\0',
                                     .outcome = (uint16_t)t->outcome,
                                     .cause = (uint8_t)t->cause,
                                     .has_diagnosis = t->diagnosis.given,
                                     .promise = (uint8_t)t->promise,
                                     .rerun_alone = t->rerun_alone,
                                     .message_size = *t->message ? (uint16_t)(strlen(t->message) + 1) : 0,
                                     .printed_size = has_printed(j, t) ? (uint16_t)(strlen(j->printed) + 1) : 0,
                                     .dump_size = t->dump ? (uint32_t)strlen(t->dump) + 1 : 0,
                                     .measured_size = (uint32_t)measured_bytes(j, t),
                                     .host_ns = t->host_ns,
                                     .device_ns = t->device_ns,
                                     .checksum = t->checksum,
                                     .error = t->error};
        memcpy(body + used, &result, sizeof result);
        used += sizeof result;
        if (result.has_wrong) {
            memcpy(body + used, &t->wrong, sizeof t->wrong);
            used += sizeof t->wrong;
        }
        if (result.has_diagnosis) {
            memcpy(body + used, &t->diagnosis, sizeof t->diagnosis);
            used += sizeof t->diagnosis;
        }
        memcpy(body + used, t->message, result.message_size);
        used += result.message_size;
        if (t->dump)
            memcpy(body + used, t->dump, result.dump_size);
        used += result.dump_size;
        memcpy(body + used, j->printed, result.printed_size);
        used += result.printed_size;
        memcpy(body + used, &j->measured, result.measured_size);
        used += result.measured_size;
        free(t->dump);
    }
    struct wire_header header = {.type = WIRE_RESULTS, .count = count, .size = used};
    memcpy(out, &header, sizeof header);
    bool good = wire_write(WIRE_SOCKET, out, sizeof header + used);
    free(out);
    return good;
}

static void run_items(struct judge *j, uint32_t count, uint32_t items)
{
    uint64_t ns;
    if (is_measured(j, items))
        measure_item(j);
    else {
        ns = dispatch(j, items, STAGE_DISPATCH);
        judge_items(j, items, STAGE_DISPATCH, ns);
        check(j, count, "they were dispatched");
    }
    items = prepare_again(j, items);
    if (items == 0)
        return;
    ns = dispatch(j, items, STAGE_AGAIN);
    judge_items(j, items, STAGE_AGAIN, ns);
    check(j, count, "they were dispatched");
}

static void finish(struct judge *j, uint32_t count)
{
    enter(j, STAGE_CASE, 0);
    uint64_t start = clock_ns();
    ask(j, HOST_DESTROY, count);
    wait_for_answer(j);
    uint64_t limit = clock_ns() - start;
    for (uint32_t i = 0; i < count; i++) {
        enter(j, STAGE_CASE, i);
        j->trials[i].host_ns += claimed(&limit, j->link.exchange->destroy_ns[i]);
        trial_end(&j->trials[i]);
    }
    check(j, count, "they were destroyed");
    arena_reset(j->setup.arena);
    trial_memo_trim(j->setup.memo);
}

/* ---- sequences of calls */

static void make_steps(struct judge *j, enum host_call call, uint32_t count, enum promise promise)
{
    enter(j, STAGE_CASE, 0);
    atomic_store(&j->progress->promise, promise);
    ask(j, call, count);
    wait_for_answer(j);
    atomic_store(&j->progress->promise, PROMISE_NONE);
    check(j, 1, call == HOST_STEPS ? "the calls were made" : "the calls were made again and again");
}

static void ask_steps(void *context, uint32_t count, enum promise promise)
{
    make_steps(context, HOST_STEPS, count, promise);
}

static void repeat_steps(void *context, uint32_t count, uint32_t times)
{
    struct judge *j = context;
    j->link.exchange->times = times;
    make_steps(j, HOST_REPEAT, count, PROMISE_FREES);
}

/* The next part of the calls needs a new process. */
static void end_survived(void *context)
{
    struct judge *j = context;
    j->progress->parts.survived = true;
    _exit(EXIT_AS_EXPECTED);
}

/* Judges the calls of a case of the interface; or those of an operator that are made again and again, when the case has
 * passed like any other. */
static void run_sequence(struct judge *j)
{
    const struct sequence_context context = {.setup = &j->setup,
                                             .link = &j->link,
                                             .specs = &j->specs,
                                             .arguments = j->arguments,
                                             .ask = ask_steps,
                                             .repeat = repeat_steps,
                                             .survived = end_survived,
                                             .parts = &j->progress->parts,
                                             .context = j};
    uint64_t start = clock_ns();
    struct trial *t = &j->trials[0];
    enter(j, STAGE_CASE, 0);
    t->half = j->setup.half;
    j->setup.message = NULL;
    j->setup.unexplained = true;
    sequence_judge(&context, t);
    j->setup.unexplained = false;
    t->host_ns = clock_ns() - start;
    arena_reset(j->setup.arena);
}

/* Runs what prepare() has left. */
static void run_batch(struct judge *j, uint32_t count, uint32_t items)
{
    check(j, count, "operators were created");
    if (items > 0)
        run_items(j, count, items);
    finish(j, count);
    if (count == 1 && j->trials[0].c.lifecycle.kind && j->trials[0].status == STATUS_PASS)
        run_sequence(j);
}

/* Serves one message. False: the harness is gone, or the message is malformed. */
static bool serve(struct judge *j)
{
    struct wire_header header;
    enter(j, STAGE_IDLE, 0);
    profile_enter(PROFILE_WAIT);
    bool asked = wire_read(WIRE_SOCKET, &header, sizeof header);
    profile_enter(PROFILE_OTHER);
    if (!asked || header.type != WIRE_BATCH || header.count > EXCHANGE_CASES)
        return false;
    j->printed_before = output_size(STDERR_FILENO);
    j->measured.count = 0;
    char *batch = aligned_alloc(16, header.size ? header.size : 16); /* the size is a multiple of 16 */
    bool good = batch && wire_read(WIRE_SOCKET, batch, header.size) && decode(j, batch, header.size, header.count);
    bool interface = good && header.count == 1 && spec_is_interface(j->trials[0].c.spec);
    if (interface)
        run_sequence(j);
    int items = interface ? 0 : good ? prepare(j, header.count) : -1;
    if (items >= 0) {
        if (!interface)
            run_batch(j, header.count, (uint32_t)items);
        enter(j, STAGE_REPORT, 0);
        good = send_results(j, header.count);
    }
    free(batch);
    return good && items >= 0;
}

/* ---- opening */

static const char *place_text(struct judge *j, const char *text)
{
    return copy_to_exchange(j, text, strlen(text) + 1);
}

/* Takes what the device's process says of the device. */
static void take_opened(struct judge *j, const char *device, struct error *error)
{
    const struct exchange_opened *said = &j->link.exchange->opened;
    struct exchange_opened opened;
    memcpy(&opened, said, sizeof opened);
    opened.message[sizeof opened.message - 1] = opened.changed[sizeof opened.changed - 1] = '\0';
    j->device.info = opened.info;
    j->device.data_types = opened.data_types;
    j->device.denied = opened.denied;
    j->device.info.name[sizeof opened.info.name - 1] = '\0';
    j->device.info.driver[sizeof opened.info.driver - 1] = '\0';
    j->device.info.version[sizeof opened.info.version - 1] = '\0';
    if (error->status != EXIT_AS_EXPECTED)
        return;
    if (opened.status != EXIT_AS_EXPECTED)
        error_set(error, EXIT_NO_DEVICE, "%s", opened.message);
    else
        plugin_check_level(&j->device.info, error);
    error_context(error, "device '%s'", device);
    if (error->status == EXIT_AS_EXPECTED)
        snprintf(error->text, sizeof error->text, "%s", opened.changed);
}

/* Asks the device's process to open the device. */
static void ask_to_open(struct judge *j, const struct worker_config *config, struct error *error)
{
    char path[PATHS_SIZE] = "", name[PATHS_SIZE];
    struct exchange *exchange = j->link.exchange;
    const char *arguments = j->arguments = plugin_split(config->device, name, sizeof name);
    if (!plugin_builtin(config->builtins, config->device) && plugin_find(config->device, path, error))
        return;
    exchange->path = place_text(j, path);
    exchange->arguments = place_text(j, arguments);
    if (!exchange->path || !exchange->arguments) {
        error_set(error, EXIT_NO_DEVICE, "device '%.64s…': its arguments are too long", config->device);
        return;
    }
    link_send(&j->link, HOST_OPEN, 0, false);
}

static int open_specs(struct spec_set *specs, const struct worker_config *config, struct error *error)
{
    bool taken = config->kept && spec_image_take(specs, config->specs, WIRE_SPECS);
    return taken ? 0 : spec_set_open(specs, config->specs, error);
}

/* A spare worker has its device opened when another one has ended. */
static void wait_to_open(void)
{
    struct wire_header header;
    enum profile_stage before = profile_enter(PROFILE_WAIT);
    if (!wire_read(WIRE_SOCKET, &header, sizeof header) || header.type != WIRE_OPEN)
        _exit(EXIT_AS_EXPECTED); /* it is not needed */
    profile_enter(before);
}

/* Gets ready while the device is opened, or before it. */
static void start(struct judge *j, const struct worker_config *config, struct error *error)
{
    if (plugin_builtin(config->builtins, config->device))
        link_send(&j->link, HOST_BUILTIN, 0, false);
    if (!link_open(&j->link, WIRE_EXCHANGE))
        error_set(error, EXIT_HARNESS, "no address space for the tensors");
    else if (!config->spare)
        ask_to_open(j, config, error);
    struct arena_sharing sharing = link_sharing(&j->link);
    j->setup = (struct trial_setup){.device = &j->device,
                                    .reference = &j->reference,
                                    .arena = arena_new_shared(&sharing),
                                    .memo = config->repeated ? trial_memo_new() : NULL,
                                    .dump = config->dump,
                                    .half = config->half};
    j->measure_ns = config->measure_ms * (uint64_t)1000000;
    bool asked = error->status == EXIT_AS_EXPECTED;
    if (asked && open_specs(&j->specs, config, error) == 0)
        plugin_open_reference(&j->reference, error);
    if (asked && config->spare) {
        wait_to_open();
        ask_to_open(j, config, error);
    }
    if (asked) {
        link_wait(&j->link);
        take_opened(j, config->device, error);
    }
    atomic_store(&j->progress->notice.pending, 0); /* the harness reports at the end what opening was denied */
}

/* The last call is checked like any other, but there is no case to blame: the harness reports what it did. */
static void close_device(struct judge *j)
{
    char changed[sizeof j->link.exchange->changed], what[sizeof changed + 40];
    link_send(&j->link, HOST_CLOSE, 0, true);
    link_wait(&j->link);
    link_wait_check(&j->link);
    copy_text(changed, sizeof changed, j->link.exchange->changed, sizeof changed);
    snprintf(what, sizeof what, "%s, while the device was closed", changed);
    if (*changed)
        give_up(j, what);
    link_wait_end(&j->link);
}

int worker_judge(const struct worker_config *config)
{
    struct error error = {0};
    size_t size;
    struct judge *j = calloc(1, sizeof *j);
    prctl(PR_SET_DUMPABLE, 0); /* the device's process cannot reach into this one, even without Landlock */
    if (!j || !(j->progress = progress_map(&size)))
        return EXIT_HARNESS;
    if (config->profile)
        profile_start(&j->progress->profile);
    profile_enter(PROFILE_PLAN);
    signal(SIGINT, SIG_IGN); /* the harness handles Ctrl-C */
    enter(j, STAGE_START, 0);
    j->link = (struct link){.socket = WIRE_DEVICE, .forged = on_forged, .gone = on_gone, .context = j};
    start(j, config, &error);
    profile_enter(PROFILE_OTHER);
    if (progress_hello(&j->device, &error) && error.status == EXIT_AS_EXPECTED)
        while (serve(j))
            ;
    close_device(j);
    plugin_close(&j->reference);
    spec_set_free(&j->specs);
    arena_free(j->setup.arena);
    trial_memo_free(j->setup.memo);
    free(j);
    return (int)error.status;
}
