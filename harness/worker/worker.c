/* worker.c: a worker that runs tasks: the device is in this process. */
#include "harness/worker/worker.h"

#include "harness/host/fault.h"
#include "harness/host/process_state.h"
#include "harness/load/image.h"
#include "harness/worker/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHANGE_SIZE = 320 /* size of the text of process_state_check() */ };

struct worker {
    worker_task task;
    struct trial_setup setup;
    struct spec_set specs;
    struct plugin device, reference;
    struct process_state *process_state;
    struct progress *progress;
    size_t progress_size;
};

/* Returns true if the device changed process state, which has been restored. Ends the process if the state cannot be
 * restored. */
static bool worker_finds_harm(struct worker *w, const char *when, char *what, size_t size)
{
    enum process_state_change state = process_state_check(w->process_state, false, what, size);
    if (state == PROCESS_STATE_LOST) {
        snprintf(w->progress->fault, sizeof w->progress->fault, "%s, while %s", what, when);
        progress_enter(w->progress, STAGE_HARMED, 0);
        _exit(EXIT_HARNESS);
    }
    return state == PROCESS_STATE_RESTORED;
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
    if (worker_finds_harm(w, when, text, size) || !atomic_load(&notice->pending))
        return *text != '\0';
    snprintf(text, size, "%.250s, which was denied", notice->text);
    atomic_store(&notice->pending, 0);
    return true;
}

void worker_protect_shared(struct worker *w, bool on)
{
    mprotect(w->progress, w->progress_size, on ? PROT_READ : PROT_READ | PROT_WRITE);
}

/* Serves one message. Returns false if the harness is gone or the message is malformed. */
static bool worker_serve(struct worker *w)
{
    const struct wire_header done = {.type = WIRE_TASK_DONE};
    struct wire_header asked;
    progress_enter(w->progress, STAGE_IDLE, 0);
    if (!wire_read(WIRE_SOCKET, &asked, sizeof asked) || asked.type != WIRE_TASK)
        return false;
    void *request = aligned_alloc(16, (asked.size + 16) / 16 * 16);
    bool good = request && wire_read(WIRE_SOCKET, request, asked.size);
    if (good) {
        progress_enter(w->progress, STAGE_TASK, 0);
        good = w->task(w, request, asked.size, w->progress->shared);
        progress_enter(w->progress, STAGE_REPORT, 0);
    }
    free(request);
    return good && wire_write(WIRE_SOCKET, &done, sizeof done);
}

int worker_main(const struct worker_config *config)
{
    struct worker w = {.task = config->task};
    struct error error = {0};
    char changed[CHANGE_SIZE];
    w.progress = progress_map(&w.progress_size);
    if (!w.progress)
        return EXIT_HARNESS;
    signal(SIGINT, SIG_IGN); /* the harness handles Ctrl-C */
    progress_enter(w.progress, STAGE_START, 0);
    w.setup = (struct trial_setup){
        .device = &w.device, .reference = &w.reference, .arena = arena_new(), .half = config->half};
    fault_catch(arena_locate, w.setup.arena, w.progress->fault, sizeof w.progress->fault);
    w.process_state = process_state_new();
    const struct builtin_device *builtin = plugin_builtin(config->builtins, config->device);
    bool taken = !builtin && config->kept && spec_image_take(&w.specs, config->specs, WIRE_SPECS);
    int loaded = taken ? 0 : plugin_load_specs(&w.specs, builtin, config->specs, &error);
    if (loaded == 0 && plugin_open_reference(&w.reference, &error) == 0)
        plugin_open(&w.device, config->device, &w.specs, config->builtins, &error);
    plugin_name_limit(&error);
    atomic_store(&w.progress->notice.pending,
                 0); /* the harness reports at the end which actions were denied while the device was opened */
    if (w.process_state && w.device.device) {
        process_state_note_helpers(w.process_state);
        if (process_state_check(w.process_state, true, changed, sizeof changed) != PROCESS_STATE_UNCHANGED)
            snprintf(error.text, sizeof error.text, "%s", changed); /* with status 0 */
    }
    if (w.process_state && progress_hello(&w.device, &error) && error.status == EXIT_AS_EXPECTED)
        while (worker_serve(&w))
            ;
    plugin_close(&w.device);
    plugin_close(&w.reference);
    spec_set_free(&w.specs);
    arena_free(w.setup.arena);
    process_state_free(w.process_state);
    return (int)error.status;
}
