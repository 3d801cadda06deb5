#include "harness/worker/worker.h"

#include "harness/base/clock.h"
#include "harness/spec/load.h"
#include "harness/trial/trial.h"
#include "harness/worker/fault.h"
#include "harness/worker/process_state.h"
#include "harness/worker/wire.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHANGE_SIZE = 320 /* for the text of process_state_check() */ };

struct worker {
    worker_task task;
    struct trial_setup setup;
    struct spec_set specs;
    struct plugin device, reference;
    struct process_state *process_state;
    struct progress *progress;
    size_t progress_size;
    struct trial *trials;       /* of the batch */
    assay_dispatch_item *items; /* of the trials that are dispatched */
    assay_dispatch_result *results;
    uint32_t *item_trial; /* index of each item's trial */
    size_t capacity;      /* of these arrays */
};

static bool send_hello(const struct worker *w, const struct error *error)
{
    struct wire_hello hello = {.status = error->status, .info = w->device.info, .data_types = w->device.data_types};
    struct wire_header header = {.type = WIRE_HELLO, .count = 1, .size = sizeof hello};
    snprintf(hello.message, sizeof hello.message, "%s", error->text);
    return wire_write(WIRE_SOCKET, &header, sizeof header) && wire_write(WIRE_SOCKET, &hello, sizeof hello);
}

static bool grow(struct worker *w, size_t count)
{
    if (count <= w->capacity)
        return true;
    free(w->trials);
    free(w->items);
    free(w->results);
    free(w->item_trial);
    w->trials = calloc(count, sizeof *w->trials);
    w->items = calloc(count, sizeof *w->items);
    w->results = calloc(count, sizeof *w->results);
    w->item_trial = calloc(count, sizeof *w->item_trial);
    w->capacity = count;
    return w->trials && w->items && w->results && w->item_trial;
}

static void enter(struct worker *w, enum stage stage, size_t index)
{
    atomic_store_explicit(&w->progress->index, (uint32_t)index, memory_order_relaxed);
    atomic_store_explicit(&w->progress->stage, stage, memory_order_release);
}

static void add_item(struct worker *w, int item, uint32_t trial)
{
    const struct trial *t = &w->trials[trial];
    w->item_trial[item] = trial;
    w->results[item] = (assay_dispatch_result){.status = E_FAIL};
    w->items[item] = (assay_dispatch_item){.compiled = t->compiled,
                                           .inputs = t->inputs,
                                           .outputs = t->outputs,
                                           .input_count = (uint32_t)t->input_count,
                                           .output_count = (uint32_t)t->output_count};
}

/* Decodes and prepares the cases of a batch. Returns how many to dispatch, or -1 if the batch is malformed. */
static int prepare(struct worker *w, const char *batch, size_t size, uint32_t count)
{
    int items = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct trial *t = &w->trials[i];
        uint32_t case_size;
        memset(t, 0, sizeof *t);
        if (size < 16)
            return -1;
        memcpy(&case_size, batch + 8, sizeof case_size); /* where testcase_encode() writes it */
        if (case_size > size ||
            !testcase_decode(batch, case_size, w->specs.specs, w->specs.count, &t->c, t->literals, &t->seed))
            return -1;
        batch += case_size;
        size -= case_size;
        enter(w, STAGE_CASE, i);
        trial_prepare(&w->setup, t);
        if (t->judged)
            continue;
        add_item(w, items++, i);
    }
    return items;
}

static void run_items(struct worker *w, int count, enum stage stage)
{
    if (count == 0)
        return;
    enter(w, stage, count == 1 ? w->item_trial[0] : 0);
    profile_enter(PROFILE_DEVICE);
    uint64_t start = clock_ns();
    HRESULT status = w->device.api->dispatch(w->device.device, w->items, (uint32_t)count, w->results);
    profile_enter(PROFILE_OTHER);
    uint64_t share = (clock_ns() - start) / (uint64_t)count;
    int failed = 0;
    for (int i = 0; i < count && SUCCEEDED(status); i++)
        failed += FAILED(w->results[i].status);
    w->setup.shared_message = failed > 1;
    for (int i = 0; i < count; i++) {
        struct trial *t = &w->trials[w->item_trial[i]];
        enter(w, STAGE_CASE, w->item_trial[i]);
        t->host_ns += stage == STAGE_DISPATCH ? share : 0;
        if (FAILED(status))
            w->results[i].status = status;
        trial_judge(&w->setup, t, &w->results[i]);
    }
}

/* Makes items of the dispatched trials that want a second dispatch. Returns how many. */
static int prepare_again(struct worker *w, int count)
{
    int items = 0;
    for (int i = 0; i < count; i++) {
        enter(w, STAGE_CASE, w->item_trial[i]);
        if (trial_prepare_second(&w->setup, &w->trials[w->item_trial[i]]))
            add_item(w, items++, w->item_trial[i]);
    }
    return items;
}

/* Sends all results in one message; frees the dumps. */
static bool send_results(struct worker *w, uint32_t count)
{
    size_t size = 0, used = 0;
    for (uint32_t i = 0; i < count; i++)
        size += sizeof(struct wire_result) + sizeof(struct wrong) + sizeof(struct diagnosis) +
                sizeof w->trials[i].message + (w->trials[i].dump ? strlen(w->trials[i].dump) + 1 : 0);
    char *out = malloc(sizeof(struct wire_header) + size);
    if (!out)
        return false;
    char *body = out + sizeof(struct wire_header);
    for (uint32_t i = 0; i < count; i++) {
        const struct trial *t = &w->trials[i];
        struct wire_result result = {.status = (uint8_t)t->status,
                                     .has_wrong = *t->wrong.tensor != '\0',
                                     .outcome = (uint8_t)t->outcome,
                                     .cause = (uint8_t)t->cause,
                                     .has_diagnosis = t->diagnosis.given,
                                     .rerun_alone = t->rerun_alone,
                                     .message_size = *t->message ? (uint16_t)(strlen(t->message) + 1) : 0,
                                     .dump_size = t->dump ? (uint32_t)strlen(t->dump) + 1 : 0,
                                     .host_ns = t->host_ns,
                                     .device_ns = t->device_ns,
                                     .checksum = t->checksum};
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
        free(t->dump);
    }
    struct wire_header header = {.type = WIRE_RESULTS, .count = count, .size = used};
    memcpy(out, &header, sizeof header);
    bool good = wire_write(WIRE_SOCKET, out, sizeof header + used);
    free(out);
    return good;
}

/* True: the device changed process state, which has been restored. If it cannot be restored, ends the process. */
static bool is_harmed(struct worker *w, const char *when, char *what, size_t size)
{
    profile_enter(PROFILE_WATCH);
    enum process_state_change state = process_state_check(w->process_state, what, size);
    profile_enter(PROFILE_OTHER);
    if (state == PROCESS_STATE_LOST) {
        snprintf(w->progress->fault, sizeof w->progress->fault, "%s, while %s", what, when);
        enter(w, STAGE_HARMED, 0);
        _exit(EXIT_HARNESS);
    }
    return state == PROCESS_STATE_RESTORED;
}

/* Blames all cases of the batch: it is not known which one changed the state. */
static void check_process_state(struct worker *w, uint32_t count, const char *when)
{
    char what[CHANGE_SIZE];
    bool harmed = is_harmed(w, when, what, sizeof what);
    for (uint32_t i = 0; i < count && harmed; i++) {
        trial_blame(&w->trials[i], "%s, while %s", what, when);
        w->trials[i].rerun_alone = true;
    }
}

/* Blames all cases of the batch for a denial: the action did not happen, but a case must not attempt it. */
static void check_denial(struct worker *w, uint32_t count, const char *when)
{
    struct sandbox_notice *notice = &w->progress->notice;
    if (!atomic_load(&notice->pending))
        return;
    for (uint32_t i = 0; i < count; i++) {
        trial_blame(&w->trials[i], "%s, which was denied, while %s", notice->text, when);
        w->trials[i].rerun_alone = true;
    }
    atomic_store(&notice->pending, 0);
}

static void check(struct worker *w, uint32_t count, const char *when)
{
    check_denial(w, count, when);
    check_process_state(w, count, when);
}

struct trial_setup *worker_setup(struct worker *w)
{
    return &w->setup;
}

const struct spec_set *worker_specs(const struct worker *w)
{
    return &w->specs;
}

bool worker_is_harmed(struct worker *w, const char *when, char *text, size_t size)
{
    struct sandbox_notice *notice = &w->progress->notice;
    if (is_harmed(w, when, text, size) || !atomic_load(&notice->pending))
        return *text != '\0';
    snprintf(text, size, "%.250s, which was denied", notice->text);
    atomic_store(&notice->pending, 0);
    return true;
}

void worker_protect_shared(struct worker *w, bool on)
{
    mprotect(w->progress, w->progress_size, on ? PROT_READ : PROT_READ | PROT_WRITE);
}

static bool serve_task(struct worker *w, const struct wire_header *asked)
{
    const struct wire_header header = {.type = WIRE_TASK_DONE};
    void *request = w->task ? aligned_alloc(16, (asked->size + 16) / 16 * 16) : NULL;
    bool good = request && wire_read(WIRE_SOCKET, request, asked->size);
    if (good) {
        enter(w, STAGE_TASK, 0);
        good = w->task(w, request, asked->size, w->progress->shared);
        enter(w, STAGE_REPORT, 0);
    }
    free(request);
    return good && wire_write(WIRE_SOCKET, &header, sizeof header);
}

/* Serves one message. False: the harness is gone, or the message is malformed. */
static bool serve(struct worker *w)
{
    struct wire_header header;
    enter(w, STAGE_IDLE, 0);
    profile_enter(PROFILE_WAIT);
    bool asked = wire_read(WIRE_SOCKET, &header, sizeof header);
    profile_enter(PROFILE_OTHER);
    if (!asked)
        return false;
    if (header.type == WIRE_TASK)
        return serve_task(w, &header);
    if (header.type != WIRE_BATCH)
        return false;
    char *batch = aligned_alloc(16, header.size ? header.size : 16); /* the size is a multiple of 16 */
    bool good = batch && wire_read(WIRE_SOCKET, batch, header.size) && grow(w, header.count);
    int items = good ? prepare(w, batch, header.size, header.count) : -1;
    if (items >= 0) {
        check(w, header.count, "operators were created");
        run_items(w, items, STAGE_DISPATCH);
        run_items(w, prepare_again(w, items), STAGE_AGAIN);
        check(w, header.count, "they were dispatched");
        for (uint32_t i = 0; i < header.count; i++) {
            enter(w, STAGE_CASE, i);
            trial_finish(&w->setup, &w->trials[i]);
        }
        check(w, header.count, "they were destroyed");
        arena_reset(w->setup.arena);
        enter(w, STAGE_REPORT, 0);
        good = send_results(w, header.count);
    }
    free(batch);
    return good && items >= 0;
}

/* Adds the limit of memory to an error that it may have caused. */
static void name_limit(struct error *error)
{
    struct rlimit limit;
    size_t used = strlen(error->text);
    if (error->status != EXIT_AS_EXPECTED && strcasestr(error->text, "memory") && getrlimit(RLIMIT_DATA, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        snprintf(error->text + used, sizeof error->text - used, "; the process may use %llu MiB (--allow memory=MIB)",
                 (unsigned long long)(limit.rlim_cur >> 20));
}

int worker_main(const struct worker_config *config)
{
    struct worker w = {.task = config->task};
    struct error error = {0};
    char changed[CHANGE_SIZE];
    struct stat progress;
    if (fstat(WIRE_PROGRESS, &progress) != 0)
        return EXIT_HARNESS;
    w.progress_size = (size_t)progress.st_size;
    w.progress = mmap(NULL, w.progress_size, PROT_READ | PROT_WRITE, MAP_SHARED, WIRE_PROGRESS, 0);
    if (w.progress == MAP_FAILED)
        return EXIT_HARNESS;
    if (config->profile)
        profile_start(&w.progress->profile);
    profile_enter(PROFILE_PLAN);
    signal(SIGINT, SIG_IGN); /* the harness handles Ctrl-C */
    enter(&w, STAGE_START, 0);
    w.setup.arena = arena_new();
    fault_catch(w.setup.arena, w.progress->fault, sizeof w.progress->fault);
    w.process_state = process_state_new();
    if (spec_set_load(&w.specs, config->specs, &error) == 0 && plugin_open_reference(&w.reference, &error) == 0)
        plugin_open(&w.device, config->device, &w.specs, config->builtins, &error);
    name_limit(&error);
    atomic_store(&w.progress->notice.pending, 0); /* the harness reports at the end what opening was denied */
    w.setup = (struct trial_setup){
        .device = &w.device, .reference = &w.reference, .arena = w.setup.arena, .dump = config->dump};
    if (w.process_state && w.device.device) {
        process_state_note_helpers(w.process_state);
        if (process_state_check(w.process_state, changed, sizeof changed) != PROCESS_STATE_UNCHANGED)
            snprintf(error.text, sizeof error.text, "%s", changed); /* with status 0: the hello message */
    }
    profile_enter(PROFILE_OTHER);
    if (w.process_state && send_hello(&w, &error) && error.status == EXIT_AS_EXPECTED)
        while (serve(&w))
            ;
    plugin_close(&w.device);
    plugin_close(&w.reference);
    spec_set_free(&w.specs);
    arena_free(w.setup.arena);
    process_state_free(w.process_state);
    free(w.trials);
    free(w.items);
    free(w.results);
    free(w.item_trial);
    return (int)error.status;
}
