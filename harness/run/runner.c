/* The main loop: gives work to workers, takes results, ends workers that are late. */
#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/base/processors.h"
#include "harness/run/runner_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRACE_MS = 2000, /* between SIGTERM and SIGKILL for a worker that is late */
    PULSE_MS = 250,  /* between two reports of the running cases */
    HAND_OVER = 256, /* attempts passed on at once: those of a batch, repeated, may take as long as ten batches */
    DEATHS_WITHOUT_RESULT_MAX = 8 /* after this many workers in a row the device counts as broken */
};

bool runner_interrupted(void)
{
    return interrupt_is_set();
}

static void runner_on_signal(int signal)
{
    (void)signal;
    interrupt_set();
}

void runner_catch_signals(void)
{
    struct sigaction action = {.sa_handler = runner_on_signal}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* ignored under nohup, and stays so */
        sigaction(SIGHUP, &action, NULL);
}

/* ---- workers and processors */

unsigned runner_jobs(uint64_t asked, uint64_t planned)
{
    enum { CASES_A_JOB = 256 };
    uint64_t jobs = (uint64_t)processors();
    uint64_t useful = planned / CASES_A_JOB;
    if (asked > 0)
        return (unsigned)asked;
    jobs = jobs < useful ? jobs : useful;
    if (jobs < 1)
        return 1;
    return (unsigned)(jobs < RUNNER_JOBS_AUTO ? jobs : RUNNER_JOBS_AUTO);
}

void runner_share_processors(unsigned jobs)
{
    unsigned share = (unsigned)processors() / jobs;
    char threads[16];
    snprintf(threads, sizeof threads, "%u", share > 1 ? share : 0);
    if (jobs > 1)
        setenv("LP_NUM_THREADS", threads, 0);
}

/* ---- slow and late workers */

static void report_slow(struct runner *r, struct runner_worker *w)
{
    uint64_t waited = clock_ns() - w->since;
    int64_t index = runner_case_at(w);
    if (!r->config->slow || w->slow_reported || (index < 0 && w->ready) || !r->config->slow_ms || r->config->debugger ||
        waited < runner_limit(w, r->config->slow_ms))
        return;
    w->slow_reported = true;
    if (index < 0) {
        r->config->slow(r->config->context, &(struct runner_now){.count = 1, .ns = waited});
        return;
    }
    bool single = !runner_runs_many(w);
    r->cases[index].slow |= single;
    struct runner_now now = {r->config->plan->cases[index].name, single ? 1 : w->batches[0].count, waited};
    r->config->slow(r->config->context, &now);
}

/* Continues a worker that a signal has stopped. */
static void resume_stopped(const struct runner *r, const struct runner_worker *w)
{
    bool judge;
    int signal = process_continue(&w->process, &judge);
    if (signal != 0)
        fprintf(stderr, "assay: device '%s': %s process was stopped by SIG%s; it continues\n", r->config->device,
                judge ? "assay's own" : "its", sigabbrev_np(signal));
}

static void terminate(struct runner_worker *w)
{
    w->late = true;
    w->deadline = clock_ns() + GRACE_MS * (uint64_t)1000000;
    process_terminate(&w->process);
}

/* Passes on finished cases and the running cases. */
static int pulse(struct runner *r)
{
    struct runner_now now[RUNNER_JOBS_MAX];
    unsigned count = 0;
    uint64_t clock = clock_ns();
    r->last_pulse = clock;
    for (unsigned i = 0; i < r->config->jobs; i++) {
        const struct runner_worker *w = &r->workers[i];
        int64_t index = runner_case_at(w);
        if (index >= 0)
            now[count++] = (struct runner_now){r->config->plan->cases[index].name,
                                               runner_runs_many(w) ? w->batches[0].count : 1, clock - w->since};
    }
    int result = runner_may_hand_over(r) ? 0 : runner_keep(r); /* cases in turn do not wait for a slow case */
    return result || !r->config->pulse ? result : r->config->pulse(r->config->context, now, count, r->error);
}

/* Sets an error if a worker has died that was to open the device; but the device is not to blame for its judge. */
static int check_opening(struct runner *r, const struct runner_worker *w)
{
    if (r->started || w->process.pid != 0 || (r->judge_lost && r->deaths_without_result < RUNNER_JUDGES))
        return 0;
    return error_set(r->error, r->judge_lost ? EXIT_HARNESS : EXIT_NO_DEVICE, "device '%s': %s while opening it",
                     r->config->device, r->last_death);
}

/* ---- the loop */

static bool work_left(const struct runner *r)
{
    return r->rerun_count > 0 || r->next < r->config->plan->count;
}

static int feed(struct runner *r, struct runner_worker *w)
{
    while (w->ready && w->queued < QUEUED && work_left(r)) {
        if (w->used && (w->shrinking || runner_wants_new_worker(r))) {
            if (w->queued == 0)
                runner_retire_worker(r, w);
            break;
        }
        struct batch batch = runner_next_batch(r, w);
        if (batch.count == 0) {
            free(batch.cases);
            return batch.cases ? 0 : error_set(r->error, EXIT_HARNESS, "out of memory");
        }
        bool alone = r->cases[batch.cases[0]].alone;
        if (!runner_send(r, w, batch))
            return error_set(r->error, EXIT_HARNESS, "out of memory");
        process_flush(&w->process);
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

/* Results that a worker sends after it was asked to end are ignored. */
static void serve_late(struct runner *r, struct runner_worker *w, bool alive)
{
    char why[64];
    if (alive && clock_ns() <= w->deadline)
        return;
    snprintf(why, sizeof why, "no answer within %llu ms",
             (unsigned long long)(w->ready ? runner_timeout(r, w) + runner_more_time(w) : runner_start_ms(r)));
    runner_handle_death(r, w, why);
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
        return check_opening(r, w);
    }
    resume_stopped(r, w);
    bool well_formed = runner_take(r, w);
    int result = check_hello(r, w);
    if (result)
        return result;
    if (w->spent)
        runner_retire_worker(r, w);
    else if (!well_formed)
        runner_handle_death(r, w, "its process sent a malformed message");
    else if (!alive)
        runner_handle_death(r, w, NULL);
    else if (runner_is_late(r, w))
        terminate(w);
    else
        report_slow(r, w);
    return check_opening(r, w);
}

static bool is_busy(const struct runner *r)
{
    for (unsigned i = 0; i < r->config->jobs; i++)
        if (r->workers[i].queued > 0)
            return true;
    return work_left(r);
}

static int runner_wait_ms(const struct runner *r)
{
    uint64_t now = clock_ns(), first = now + 200000000u; /* often enough to trim the output of devices */
    for (unsigned i = 0; i < r->config->jobs; i++) {
        const struct runner_worker *w = &r->workers[i];
        if (w->process.pid != 0 && (w->queued > 0 || !w->ready || w->late) && w->deadline < first)
            first = w->deadline;
    }
    return first <= now ? 0 : (int)((first - now) / 1000000 + 1);
}

static int runner_step(struct runner *r, struct pollfd *polls)
{
    int result = 0;
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        struct runner_worker *w = &r->workers[i];
        bool needed = r->started ? work_left(r) && (i == 0 || r->under_way) : i == 0;
        if (w->process.pid == 0 && needed && !runner_start_worker(r, w))
            return EXIT_HARNESS;
        if (r->started)
            result = feed(r, w);
        polls[i] = (struct pollfd){.fd = w->process.pid ? w->process.socket : -1, .events = POLLIN};
        if (w->process.out_done < w->process.out_used)
            polls[i].events |= POLLOUT;
        polls[r->config->jobs + i] = (struct pollfd){.fd = w->process.pid ? w->process.pidfd : -1, .events = POLLIN};
    }
    runner_close_ended(r);
    if (result == 0)
        result = runner_hand_over(r, HAND_OVER); /* while the workers work */
    if (result || runner_has_failed(r) || (r->started && !is_busy(r)))
        return result;
    runner_keep_spare(r);
    bool starts_more = !r->under_way && r->recorded > 0 && r->config->jobs > 1;
    bool waits = !starts_more && !runner_may_hand_over(r);
    profile_enter(PROFILE_WAIT);
    int ready = poll(polls, 2 * r->config->jobs, waits ? 100 : 0);
    profile_enter(PROFILE_OTHER);
    r->under_way |= starts_more || (ready == 0 && waits && r->started);
    if (ready < 0 && errno != EINTR)
        return error_set(r->error, EXIT_HARNESS, "poll: %m");
    if ((ready <= 0 && waits) || clock_ns() > r->last_pulse + PULSE_MS * (uint64_t)1000000)
        result = pulse(r);
    profile_enter(PROFILE_WAIT);
    if (ready == 0 && waits && result == 0)
        ready = poll(polls, 2 * r->config->jobs, runner_wait_ms(r)); /* a slow case: all finished cases are stored */
    profile_enter(PROFILE_OTHER);
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        process_trim_output(&r->workers[i].process);
        r->workers[i].begun = r->workers[i].ready;
        result = serve_worker(r, &r->workers[i], polls[i].revents != 0, polls[r->config->jobs + i].revents != 0);
    }
    return result;
}

/* Returns true if the run must end before its last case, with the reason in `why`. */
static bool runner_is_over(struct runner *r, char *why, size_t size)
{
    bool late = r->config->end_ns && clock_ns() > r->config->end_ns;
    r->total->interrupted = runner_interrupted() || late;
    if (late)
        snprintf(why, size, "the time for the whole run is over");
    else if (runner_interrupted())
        snprintf(why, size, "interrupted");
    else if (runner_has_failed(r))
        snprintf(why, size, "the run ended after %llu failure%s, as --max-fail says",
                 (unsigned long long)r->config->max_failures, r->config->max_failures == 1 ? "" : "s");
    else if (r->deaths_without_result >= DEATHS_WITHOUT_RESULT_MAX)
        snprintf(why, size, "%s: %d worker processes in a row ended without a result, the last %s",
                 r->judge_lost ? "assay is disturbed" : "the device is broken", DEATHS_WITHOUT_RESULT_MAX,
                 r->last_death);
    else if (r->config->max_deaths && r->consecutive_deaths >= r->config->max_deaths)
        snprintf(why, size, "the device is broken: %u cases in a row killed its process, the last %s",
                 r->consecutive_deaths, r->last_death);
    else
        return false;
    return true;
}

static int runner_run_cases(struct runner *r, struct pollfd *polls)
{
    char why[1200];
    int result = 0;
    bool over = false;
    while (result == 0 && !(over = runner_is_over(r, why, sizeof why)) && (is_busy(r) || !r->started))
        result = runner_step(r, polls);
    if (result == 0 && !over && (result = runner_hand_over(r, SIZE_MAX)) == 0 && runner_has_failed(r))
        over = runner_is_over(r, why, sizeof why);
    if (result == 0 && over && !r->started) { /* the device has not been opened */
        r->started = true;
        result = r->config->started(r->config->context, &(assay_device_info){0}, r->error);
    }
    if (result == 0 && over)
        result =
            plan_await(r->config->plan, r->config->plan->count) ? runner_settle_rest(r, why) : plan_damaged(r->error);
    return result;
}

static void runner_release(struct runner *r)
{
    for (size_t i = 0; r->cases && i < r->config->plan->count; i++)
        runner_free_case(&r->cases[i]);
    for (uint32_t i = 0; i < r->failure_count; i++)
        free(r->failures[i].detail);
    free(r->failures);
    free(r->workers);
    free(r->cases);
    free(r->rerun);
    free(r->owners);
}

int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error)
{
    struct runner r = {.config = config, .error = error, .total = total, .last_pulse = clock_ns()};
    struct pollfd *polls = calloc(2 * (size_t)config->jobs, sizeof *polls);
    uint64_t start = clock_ns();
    *total = (struct runner_total){0};
    r.workers = calloc(config->jobs, sizeof *r.workers);
    r.cases = calloc(config->plan->count, sizeof *r.cases);
    r.rerun = calloc(config->plan->count, sizeof *r.rerun);
    r.owners = calloc((size_t)config->specs->count + 1, sizeof *r.owners);
    bool room = polls && r.workers && r.cases && r.rerun && r.owners;
    int result = room ? runner_run_cases(&r, polls) : error_set(error, EXIT_HARNESS, "out of memory");
    if (room)
        runner_close_workers(&r, result == 0 && !total->interrupted);
    for (uint32_t i = 0; i < r.failure_count; i++)
        total->unexplained += r.failures[i].waiting == 0 && !r.failures[i].explained;
    total->elapsed_ns = clock_ns() - start;
    runner_release(&r);
    free(polls);
    return result;
}

int runner_exit_status(const struct runner_total *total)
{
    const uint64_t *counts = total->records.counts;
    uint64_t failures = total->records.failures + (*total->opening != '\0') + (*total->closing != '\0'),
             judged = counts[STATUS_PASS] + counts[STATUS_WARN] + total->records.expected, all = 0;
    for (int s = 0; s < STATUS_COUNT; s++)
        all += counts[s];
    if (total->interrupted)
        return EXIT_INCOMPLETE;
    if (failures > 0)
        return failures == total->records.harness_errors ? EXIT_HARNESS : EXIT_FAILURES;
    if (counts[STATUS_INCOMPLETE] > 0)
        return EXIT_INCOMPLETE;
    return judged > 0 || all == 0 /* an empty shard */ ? EXIT_AS_EXPECTED : EXIT_NO_DEVICE;
}
