#include "harness/base/clock.h"
#include "harness/run/runner_internal.h"

#include "harness/trial/trial.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_MS = 120000,             /* to open a device: a first use may compile shaders */
    GRACE_MS = 2000,               /* from being asked to end to being killed, */
    ASKED_MS = 500,                /* the same, when the run is broken off, */
    CLOSE_MS = 5000,               /* and to close a device */
    PULSE_MS = 250,                /* between two reports of what is running */
    WORKERS_WITHOUT_RESULT_MAX = 8 /* workers in a row that brought no result: the device is broken */
};

static volatile sig_atomic_t interrupted;

void runner_interrupt(void)
{
    interrupted = 1;
}

bool runner_interrupted(void)
{
    return interrupted != 0;
}

/* ---- death of a worker */

static bool stop(struct runner *r, struct runner_worker *w, unsigned grace_ms)
{
    uint64_t kib = r->config->profile ? profile_memory(w->process.pid) : 0;
    bool good = process_stop(&w->process, grace_ms);
    if (r->config->profile)
        profile_add(&r->total->workers, &w->process.progress->profile);
    r->total->workers_kib = kib > r->total->workers_kib ? kib : r->total->workers_kib;
    return good;
}

/* Which case of its first batch has killed a worker; UINT32_MAX: that is not known. */
static uint32_t culprit_of(const struct runner_worker *w, uint32_t stage, uint32_t index)
{
    if (w->queued == 0 || !w->ready || stage == STAGE_IDLE)
        return UINT32_MAX;
    if (w->batches[0].count == 1)
        return 0;
    return stage == STAGE_CASE && index < w->batches[0].count ? index : UINT32_MAX;
}

/* Charges the case that was running, and puts the others back. `why`: null, or why it had to be ended. */
static void reap_and_blame(struct runner *r, struct runner_worker *w, const char *why)
{
    char how[900], harm[sizeof w->process.progress->fault];
    const struct progress *progress = w->process.progress;
    stop(r, w, why ? 0 : ASKED_MS);
    uint32_t stage = w->late ? w->stage : atomic_load(&progress->stage),
             index = w->late ? w->index : atomic_load(&progress->index), culprit = culprit_of(w, stage, index);
    bool harmed = !why && stage == STAGE_HARMED;
    enum status status = w->late ? STATUS_TIMEOUT : harmed ? STATUS_FAIL : STATUS_CRASH;
    snprintf(harm, sizeof harm, "%s", progress->fault);
    process_close(&w->process, harmed ? harm : why, how, sizeof how);
    process_kill_orphans(NULL, 0);
    snprintf(r->last_death, sizeof r->last_death, "%s", how);
    r->workers_without_result++;
    for (int i = w->queued - 1; i >= 0; i--) {
        struct batch *batch = &w->batches[i];
        bool charged = i == 0 && culprit != UINT32_MAX;
        if (charged) {
            runner_settle(r, batch->cases[culprit], status, "%s", how);
            r->workers_without_result = 0; /* there is a result: this case's */
            r->fatal_cases++;
        }
        runner_run_again(r, batch, i == 0 && w->ready && !charged && stage != STAGE_IDLE);
        if (charged)
            runner_end_attempt(r, batch->cases[culprit]);
        free(batch->cases);
    }
    w->queued = 0;
    w->ready = w->late = false;
}

/* Ends a worker whose device is lost; another takes its place while there is work. */
static void retire(struct runner *r, struct runner_worker *w)
{
    stop(r, w, 0);
    process_close(&w->process, NULL, NULL, 0);
    process_kill_orphans(NULL, 0);
    for (int i = w->queued - 1; i >= 0; i--) {
        runner_run_again(r, &w->batches[i], false);
        free(w->batches[i].cases);
    }
    w->queued = 0;
    w->ready = w->lost = false;
}

/* ---- what takes too long */

static void say_slow(struct runner *r, struct runner_worker *w)
{
    uint64_t waited = clock_ns() - w->since;
    int64_t index = runner_case_at(w);
    if (!r->config->slow || w->slow_said || index < 0 || !r->config->slow_ms ||
        waited < runner_limit(r, w, r->config->slow_ms))
        return;
    w->slow_said = true;
    bool single = !runner_runs_many(w);
    r->outcomes[index].slow |= single;
    struct runner_now now = {r->config->plan->cases[index].name, single ? 1 : w->batches[0].count, waited};
    r->config->slow(r->config->context, &now);
}

/* A worker that something has stopped goes on. */
static void keep_going(const struct runner *r, const struct runner_worker *w)
{
    int signal = process_continue(&w->process);
    if (signal != 0)
        fprintf(stderr, "assay: device '%s': its process was stopped by SIG%s; it goes on\n", r->config->device,
                sigabbrev_np(signal));
}

static void ask_to_end(struct runner_worker *w)
{
    w->late = true;
    w->deadline = clock_ns() + GRACE_MS * (uint64_t)1000000;
    process_terminate(&w->process);
}

/* Now and then all that is known is handed over, and what is running told. */
static int pulse(struct runner *r)
{
    struct runner_now now[RUNNER_JOBS_MAX];
    unsigned count = 0;
    uint64_t clock = clock_ns();
    r->pulse = clock;
    for (unsigned i = 0; i < r->config->jobs; i++) {
        const struct runner_worker *w = &r->workers[i];
        int64_t index = runner_case_at(w);
        if (index >= 0)
            now[count++] = (struct runner_now){r->config->plan->cases[index].name,
                                               runner_runs_many(w) ? w->batches[0].count : 1, clock - w->since};
    }
    int result = runner_keep(r);
    return result || !r->config->pulse ? result : r->config->pulse(r->config->context, now, count, r->error);
}

static int open_failed(struct runner *r, const char *how)
{
    return error_set(r->error, EXIT_NO_DEVICE, "device '%s': %s while opening it", r->config->device, how);
}

/* ---- the loop */

struct runner_ahead {
    struct process process; /* its pid is 0 once it has been taken */
};

static bool start_process(struct process *process, const struct runner_config *config)
{
    const struct process_config wanted = {.device = config->device,
                                          .specs = config->specs_folder,
                                          .sandbox = config->sandbox,
                                          .dump = config->dump,
                                          .profile = config->profile};
    return process_start(process, &wanted);
}

struct runner_ahead *runner_start_ahead(const struct runner_config *config)
{
    struct runner_ahead *ahead = calloc(1, sizeof *ahead);
    if (ahead && start_process(&ahead->process, config))
        return ahead;
    free(ahead);
    return NULL;
}

void runner_end_ahead(struct runner_ahead *ahead)
{
    if (ahead && ahead->process.pid) {
        process_stop(&ahead->process, 0);
        process_close(&ahead->process, NULL, NULL, 0);
        process_kill_orphans(NULL, 0);
    }
    free(ahead);
}

static bool start_worker(struct runner *r, struct runner_worker *w)
{
    struct runner_ahead *ahead = r->config->ahead;
    w->ready = w->lost = w->late = false;
    w->queued = 0;
    w->deadline = clock_ns() + START_MS * (uint64_t)1000000;
    if (!ahead || !ahead->process.pid)
        return start_process(&w->process, r->config);
    w->process = ahead->process;
    ahead->process.pid = 0;
    return true;
}

static bool work_left(const struct runner *r)
{
    return r->again_count > 0 || r->next < r->config->plan->count;
}

static int feed(struct runner *r, struct runner_worker *w)
{
    while (w->ready && w->queued < QUEUED && work_left(r)) {
        struct batch batch = runner_next_batch(r);
        if (batch.count == 0) {
            free(batch.cases);
            return batch.cases ? 0 : error_set(r->error, EXIT_HARNESS, "out of memory");
        }
        bool alone = r->outcomes[batch.cases[0]].alone;
        if (!runner_send(r, w, batch))
            return error_set(r->error, EXIT_HARNESS, "out of memory");
        if (alone)
            break; /* if it kills the worker, nothing else has to be sorted out */
    }
    return 0;
}

static int check_hello(struct runner *r, struct runner_worker *w)
{
    if (!w->ready || r->started)
        return 0;
    if (r->hello.status != EXIT_AS_EXPECTED)
        return error_set(r->error, (enum exit_status)r->hello.status, "%s", r->hello.message);
    r->started = true;
    snprintf(r->total->opening, sizeof r->total->opening, "%.300s", r->hello.message);
    return r->config->started(r->config->context, &r->hello.info, r->error);
}

/* Nothing that a worker says counts any more once it has been asked to end. */
static void serve_late(struct runner *r, struct runner_worker *w, bool alive)
{
    char why[64];
    if (alive && clock_ns() <= w->deadline)
        return;
    snprintf(why, sizeof why, "no answer within %llu ms",
             (unsigned long long)(w->ready ? r->config->timeout_ms + runner_more_time(r, w) : START_MS));
    reap_and_blame(r, w, why);
}

static int serve_worker(struct runner *r, struct runner_worker *w, bool woken, bool ended)
{
    bool alive = true;
    if (w->process.pid == 0)
        return 0;
    if (woken || ended)
        alive = process_pump(&w->process) && !ended;
    if (w->late) {
        serve_late(r, w, alive);
        return !r->started && w->process.pid == 0 ? open_failed(r, r->last_death) : 0;
    }
    keep_going(r, w);
    bool sense = runner_take(r, w);
    int result = check_hello(r, w);
    if (result)
        return result;
    if (w->lost)
        retire(r, w);
    else if (!sense)
        reap_and_blame(r, w, "its process sent nonsense");
    else if (!alive)
        reap_and_blame(r, w, NULL);
    else if (runner_is_late(r, w))
        ask_to_end(w);
    else
        say_slow(r, w);
    return !r->started && w->process.pid == 0 ? open_failed(r, r->last_death) : 0;
}

static bool busy(const struct runner *r)
{
    for (unsigned i = 0; i < r->config->jobs; i++)
        if (r->workers[i].queued > 0)
            return true;
    return work_left(r);
}

static int wait_ms(const struct runner *r)
{
    uint64_t now = clock_ns(), first = now + 200000000u; /* often enough to look at what devices print */
    for (unsigned i = 0; i < r->config->jobs; i++) {
        const struct runner_worker *w = &r->workers[i];
        if (w->process.pid != 0 && (w->queued > 0 || !w->ready || w->late) && w->deadline < first)
            first = w->deadline;
    }
    return first <= now ? 0 : (int)((first - now) / 1000000 + 1);
}

static int step(struct runner *r, struct pollfd *polls)
{
    int result = 0;
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        struct runner_worker *w = &r->workers[i];
        bool needed = r->started ? work_left(r) : i == 0;
        if (w->process.pid == 0 && needed && !start_worker(r, w))
            return error_set(r->error, EXIT_HARNESS, "no worker process can be started: %m");
        if (r->started)
            result = feed(r, w);
        polls[i] = (struct pollfd){.fd = w->process.pid ? w->process.socket : -1, .events = POLLIN};
        if (w->process.out_done < w->process.out_used)
            polls[i].events |= POLLOUT;
        polls[r->config->jobs + i] = (struct pollfd){.fd = w->process.pid ? w->process.pidfd : -1, .events = POLLIN};
    }
    if (result == 0)
        result = runner_hand_over(r); /* while the workers work */
    if (result || (r->started && !busy(r)))
        return result;
    profile_enter(PROFILE_WAIT);
    int ready = poll(polls, 2 * r->config->jobs, 100);
    profile_enter(PROFILE_OTHER);
    if (ready <= 0 || clock_ns() > r->pulse + PULSE_MS * (uint64_t)1000000)
        result = pulse(r);
    profile_enter(PROFILE_WAIT);
    if (ready == 0 && result == 0)
        ready = poll(polls, 2 * r->config->jobs, wait_ms(r)); /* a slow case: what there is is safe */
    profile_enter(PROFILE_OTHER);
    if (ready < 0 && errno != EINTR)
        return error_set(r->error, EXIT_HARNESS, "poll: %m");
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        process_trim_output(&r->workers[i].process);
        result = serve_worker(r, &r->workers[i], polls[i].revents != 0, polls[r->config->jobs + i].revents != 0);
    }
    return result;
}

/* A device that dies while it is closed has done its cases: that is said beside them. */
static void close_worker(struct runner *r, struct runner_worker *w, bool in_order)
{
    char how[600];
    for (int i = 0; i < w->queued; i++)
        free(w->batches[i].cases);
    if (w->process.pid == 0)
        return;
    bool good = stop(r, w, in_order ? CLOSE_MS : ASKED_MS);
    process_close(&w->process, NULL, how, sizeof how);
    if (!good && in_order)
        snprintf(r->total->closing, sizeof r->total->closing,
                 "ended while the device was closed, after the last case: %s", how);
}

static void close_workers(struct runner *r, bool in_order)
{
    char name[64] = "";
    profile_enter(PROFILE_WAIT);
    for (unsigned i = 0; i < r->config->jobs && !in_order; i++)
        if (r->workers[i].process.pid != 0)
            process_terminate(&r->workers[i].process);
    for (unsigned i = 0; i < r->config->jobs; i++)
        close_worker(r, &r->workers[i], in_order);
    int strays = process_kill_orphans(name, sizeof name);
    profile_enter(PROFILE_OTHER);
    if (strays > 0 && in_order)
        snprintf(r->total->closing, sizeof r->total->closing, "left %d process%s behind, the first '%s'", strays,
                 strays == 1 ? "" : "es", name);
}

/* Why the run is to end before its last case; false: it is not. */
static bool is_over(struct runner *r, char *why, size_t size)
{
    bool late = r->config->end_ns && clock_ns() > r->config->end_ns;
    r->total->interrupted = interrupted || late;
    if (late)
        snprintf(why, size, "the time for the whole run is over");
    else if (interrupted)
        snprintf(why, size, "interrupted");
    else if (r->workers_without_result >= WORKERS_WITHOUT_RESULT_MAX)
        snprintf(why, size, "the device is broken: %d worker processes in a row ended without a result, the last %s",
                 WORKERS_WITHOUT_RESULT_MAX, r->last_death);
    else if (r->config->max_deaths && r->fatal_cases >= r->config->max_deaths)
        snprintf(why, size, "the device is broken: %u cases in a row took its process with them, the last %s",
                 r->fatal_cases, r->last_death);
    else
        return false;
    return true;
}

static int run_cases(struct runner *r, struct pollfd *polls)
{
    char why[1200];
    int result = 0;
    bool over = false;
    while (result == 0 && !(over = is_over(r, why, sizeof why)) && (busy(r) || !r->started))
        result = step(r, polls);
    if (result == 0 && over && !r->started) { /* nothing is known of the device */
        r->started = true;
        result = r->config->started(r->config->context, &(assay_device_info){0}, r->error);
    }
    if (result == 0 && over)
        result = runner_settle_rest(r, why);
    return result ? result : runner_hand_over(r);
}

static void release(struct runner *r)
{
    for (size_t i = 0; r->outcomes && i < r->config->plan->count; i++)
        runner_forget(&r->outcomes[i]);
    free(r->explained);
    free(r->workers);
    free(r->outcomes);
    free(r->again);
}

int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error)
{
    struct runner r = {.config = config, .error = error, .total = total};
    struct pollfd *polls = calloc(2 * (size_t)config->jobs, sizeof *polls);
    uint64_t start = clock_ns();
    *total = (struct runner_total){0};
    r.workers = calloc(config->jobs, sizeof *r.workers);
    r.outcomes = calloc(config->plan->count, sizeof *r.outcomes);
    r.again = calloc(config->plan->count, sizeof *r.again);
    bool room = polls && r.workers && r.outcomes && r.again;
    int result = room ? run_cases(&r, polls) : error_set(error, EXIT_HARNESS, "out of memory");
    if (room)
        close_workers(&r, result == 0 && !total->interrupted);
    for (uint32_t i = 1; i <= r.incidents; i++)
        total->unexplained += !r.explained[i];
    total->elapsed_ns = clock_ns() - start;
    release(&r);
    free(polls);
    return result;
}
