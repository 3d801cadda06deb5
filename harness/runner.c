#include "harness/runner.h"

#include "harness/applies.h"
#include "harness/attempts.h"
#include "harness/outcome.h"
#include "harness/process.h"
#include "harness/strays.h"
#include "harness/text.h"
#include "harness/trial.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUEUED = 2,             /* batches a worker has: one to run, one to go on with */
    BATCH_MOST = 256,       /* cases */
    BATCH_BYTES = 32 << 20, /* of tensors */
    BATCH_FIRST = 16,       /* the first batches are small: results show soon */
    BYTES_A_MS = 16384,     /* of large tensors, made, run and judged */
    START_MS = 120000,      /* to open a device: a first use may compile shaders */
    GRACE_MS = 2000,        /* from being asked to end to being killed, */
    ASKED_MS = 500,         /* the same, when the run is broken off, */
    CLOSE_MS = 5000,        /* and to close a device */
    PULSE_MS = 250,         /* between two reports of what is running */
    FRUITLESS_MOST = 8      /* workers in a row that brought no result: the device is broken */
};

struct batch {
    uint32_t *cases;
    uint32_t count;
};

struct worker {
    struct process process;
    bool ready;
    bool lost;                    /* its device is: it can do no more */
    bool late;                    /* it has been asked to end */
    bool slow_said;               /* of what it does now */
    struct batch batches[QUEUED]; /* first: the one it works on */
    int queued;
    uint64_t since, deadline; /* of what it does now; trial_clock() */
    uint32_t stage, index;    /* what that is, as last seen */
};

/* What there is to say of a case beyond its status. */
struct detail {
    struct wrong wrong;
    size_t dump; /* where it begins in `text`; it ends with it */
    char text[]; /* the message, its zero, the dump, its zero */
};

struct ending {
    bool done, kept;        /* kept: handed over before its turn */
    bool alone;             /* to be run in a batch of its own */
    bool queued;            /* is in `again` */
    bool slow;              /* took longer than it should */
    uint32_t incident;      /* the death of a batch that it was in, from 1 on; 0: none */
    uint8_t status, choice; /* enum status, enum outcome */
    uint64_t host_ns, device_ns, checksum;
    struct detail *detail;
    struct ending *earlier; /* attempts before this one */
    unsigned attempts;      /* how many of them */
};

struct runner {
    const struct runner_config *config;
    struct error *error;
    struct worker *workers;
    struct ending *outcomes; /* by case */
    uint32_t *again;         /* cases to run once more, a stack */
    size_t again_count;
    size_t next;     /* first place in the order not yet given to a worker */
    size_t recorded; /* cases handed over, in order */
    size_t batches;  /* sent so far */
    struct wire_hello hello;
    bool started;
    uint32_t incidents;   /* batches that died or lost the device as a whole */
    bool *explained;      /* per incident: one of its cases did the same alone */
    unsigned fruitless;   /* workers in a row that brought no result */
    unsigned fatal_cases; /* cases in a row that took their worker with them */
    uint64_t pulse;       /* when what is running was last reported */
    char last_death[1024];
    struct runner_total *total;
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

/* ---- outcomes */

__attribute__((format(printf, 4, 5))) static void settle(struct runner *r, size_t index, enum status status,
                                                         const char *format, ...)
{
    struct ending *o = &r->outcomes[index];
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    o->done = true;
    o->status = (uint8_t)status;
    o->detail = *text ? calloc(1, sizeof *o->detail + strlen(text) + 2) : NULL;
    if (o->detail) {
        strcpy(o->detail->text, text);
        o->detail->dump = strlen(text) + 1;
    }
}

static const struct rule no_rule = {.id = "", .pages = "", .ruling = ""};

/* One attempt at a case: passed on in its turn, or to be kept before that. */
static int hand_over_attempt(struct runner *r, size_t index, const struct ending *o, bool in_turn,
                             struct attempts *attempts)
{
    const struct testcase *c = &r->config->plan->cases[index];
    const struct rule *rule = applies_rule(c) ? applies_rule(c) : &no_rule;
    bool last = o == &r->outcomes[index];
    char reproduce[2048] = "", quoted[1024], pages[512];
    struct record record = {.case_name = c->name,
                            .operator_name = c->spec->name,
                            .feature_level = c->spec->levels[c->table].name,
                            .device = r->config->device,
                            .rule = rule->id,
                            .strength = rule != &no_rule ? strength_name(rule->strength) : "",
                            .expected = applies_expected(c),
                            .outcome = outcome_name((enum outcome)o->choice),
                            .message = o->detail ? o->detail->text : "",
                            .dump = o->detail ? o->detail->text + o->detail->dump : "",
                            .status = (enum status)o->status,
                            .slow = o->slow,
                            .kept = r->outcomes[index].kept,
                            .seed = plan_case_seed(r->config->seed, c->name),
                            .host_ns = o->host_ns,
                            .device_ns = o->device_ns,
                            .checksum = o->checksum,
                            .last = last};
    snprintf(pages, sizeof pages, "%s%s%s", rule->pages, *rule->pages && *rule->ruling ? ", " : "", rule->ruling);
    record.pages = pages;
    if (o->detail)
        record.wrong = o->detail->wrong;
    attempts_add(attempts, &record);
    if (last && r->config->judge)
        r->config->judge(r->config->context, index, &record);
    if (record.status != STATUS_PASS || record.flaky)
        snprintf(reproduce, sizeof reproduce, "%s repro %s -d %s --seed %llu%s", program_invocation_name, c->name,
                 text_quoted(quoted, sizeof quoted, r->config->device), (unsigned long long)r->config->seed,
                 r->config->reproduce_options);
    record.reproduce = reproduce;
    if (in_turn && last)
        record_add(&r->total->records, &record);
    if (in_turn && o->incident && status_is_failure((enum status)o->status))
        r->explained[o->incident] = true;
    return in_turn ? r->config->record(r->config->context, &record, r->error)
                   : r->config->keep(r->config->context, &record, r->error);
}

static int hand_over(struct runner *r, size_t index, bool in_turn)
{
    struct ending *o = &r->outcomes[index];
    struct attempts attempts = {0};
    int result = 0;
    for (unsigned i = 0; i < o->attempts && result == 0; i++)
        result = hand_over_attempt(r, index, &o->earlier[i], in_turn, &attempts);
    return result ? result : hand_over_attempt(r, index, o, in_turn, &attempts);
}

static void forget_attempts(struct ending *o)
{
    for (unsigned i = 0; i < o->attempts; i++)
        free(o->earlier[i].detail);
    free(o->earlier);
    free(o->detail);
    o->earlier = NULL;
    o->detail = NULL;
    o->attempts = 0;
}

static bool is_known(const struct runner *r, size_t index)
{
    return r->started && r->config->known && r->config->known[index];
}

static int hand_over_done(struct runner *r)
{
    int result = 0;
    for (; result == 0 && r->recorded < r->config->plan->count; r->recorded++) {
        struct ending *o = &r->outcomes[r->recorded];
        if (is_known(r, r->recorded)) {
            result = r->config->recall(r->config->context, r->recorded, &r->total->records, r->error);
            continue;
        }
        if (!o->done)
            break;
        result = hand_over(r, r->recorded, true);
        forget_attempts(o);
    }
    return result;
}

/* While a slow case holds up those behind it, what is known of them is made safe. */
static int keep_done(struct runner *r)
{
    int result = 0;
    for (size_t i = r->recorded; r->config->keep && result == 0 && i < r->config->plan->count; i++)
        if (r->outcomes[i].done && !r->outcomes[i].kept) {
            result = hand_over(r, i, false);
            r->outcomes[i].kept = true;
        }
    return result;
}

/* ---- batches */

static uint64_t case_bytes(const struct testcase *c)
{
    uint64_t bytes = 0;
    for (int i = 0; i < c->spec->field_count && c->expect == EXPECT_RESULTS; i++)
        if (c->spec->fields[i].kind != FIELD_UINT)
            bytes += c->desc->fields[i].tensor.total * (c->spec->fields[i].kind == FIELD_OUTPUT ? 2 : 1);
    return bytes;
}

static uint32_t batch_limit(const struct runner *r)
{
    uint32_t most = r->config->batch ? r->config->batch : r->hello.info.max_batch > 1 ? r->hello.info.max_batch : 64;
    if (r->batches < r->config->jobs * QUEUED && most > BATCH_FIRST)
        most = BATCH_FIRST;
    return most < BATCH_MOST ? most : BATCH_MOST;
}

/* Settles the case if there is nothing to run. */
static bool is_to_run(struct runner *r, size_t index)
{
    const struct applies_to to = {.level = r->hello.info.feature_level,
                                  .data_types = r->hello.data_types,
                                  .most_bytes = r->hello.info.max_tensor_bytes};
    enum status status;
    char why[200];
    if (is_known(r, index))
        return false;
    bool applicable = applies(&r->config->plan->cases[index], &to, &status, why, sizeof why);
    if (!applicable)
        settle(r, index, status, "%s", why);
    return applicable;
}

/* The cases of the next batch. */
static struct batch next_batch(struct runner *r)
{
    struct batch batch = {.cases = malloc(BATCH_MOST * sizeof *batch.cases)};
    uint32_t limit = batch_limit(r);
    uint64_t bytes = 0;
    while (batch.cases && batch.count < limit && r->again_count > 0) {
        uint32_t index = r->again[r->again_count - 1];
        if (r->outcomes[index].alone && batch.count > 0)
            break;
        r->again_count--;
        r->outcomes[index].queued = false;
        batch.cases[batch.count++] = index;
        if (r->outcomes[index].alone)
            return batch;
    }
    while (batch.cases && batch.count < limit && r->next < r->config->plan->count) {
        size_t index = r->config->order ? r->config->order[r->next] : r->next;
        if (is_to_run(r, index)) {
            bytes += case_bytes(&r->config->plan->cases[index]);
            if (batch.count > 0 && bytes > BATCH_BYTES)
                break;
            batch.cases[batch.count++] = (uint32_t)index;
        }
        r->next++;
    }
    return batch;
}

static bool runs_many(const struct worker *w)
{
    return (w->stage == STAGE_DISPATCH || w->stage == STAGE_AGAIN) && w->queued > 0 && w->batches[0].count > 1;
}

/* Milliseconds for what a worker does now, beyond the limit for a case: large tensors take their time. */
static uint64_t more_time(const struct runner *r, const struct worker *w)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; w->queued > 0 && i < w->batches[0].count; i++)
        bytes += case_bytes(&r->config->plan->cases[w->batches[0].cases[i]]);
    return bytes / BYTES_A_MS;
}

/* A limit is for one case. A worker that goes from case to case gets it anew each time; cases that are dispatched together
 * add a tenth each. */
static uint64_t limit_of(const struct runner *r, const struct worker *w, unsigned limit_ms)
{
    uint64_t limit = (uint64_t)limit_ms * 1000000u;
    return limit + more_time(r, w) * 1000000u + (runs_many(w) ? limit / 10 * (w->batches[0].count - 1) : 0);
}

static void set_deadline(const struct runner *r, struct worker *w)
{
    w->stage = atomic_load(&w->process.progress->stage);
    w->index = atomic_load(&w->process.progress->index);
    w->since = trial_clock();
    w->deadline = w->since + limit_of(r, w, r->config->timeout_ms);
    w->slow_said = false;
}

static bool is_late(const struct runner *r, struct worker *w)
{
    if (w->queued == 0 && w->ready)
        return false;
    if (w->ready &&
        (w->stage != atomic_load(&w->process.progress->stage) || w->index != atomic_load(&w->process.progress->index)))
        set_deadline(r, w); /* it moved */
    return trial_clock() > w->deadline;
}

/* The case that a worker is at, or the first one of those that it runs together; -1: none. */
static int64_t case_at(const struct worker *w)
{
    if (w->queued == 0 || !w->ready)
        return -1;
    return w->batches[0].cases[w->stage == STAGE_CASE && w->index < w->batches[0].count ? w->index : 0];
}

static bool send_batch(struct runner *r, struct worker *w, struct batch batch)
{
    size_t size = 0;
    for (uint32_t i = 0; i < batch.count; i++)
        size += testcase_encode(&r->config->plan->cases[batch.cases[i]], r->config->specs->specs, 0, NULL, 0);
    char *message = process_send(&w->process, sizeof(struct wire_header) + size);
    if (!message)
        return false;
    struct wire_header header = {.type = WIRE_BATCH, .count = batch.count, .size = size};
    memcpy(message, &header, sizeof header);
    message += sizeof header;
    for (uint32_t i = 0; i < batch.count; i++) {
        const struct testcase *c = &r->config->plan->cases[batch.cases[i]];
        message += testcase_encode(c, r->config->specs->specs, plan_case_seed(r->config->seed, c->name), message, size);
    }
    w->batches[w->queued++] = batch;
    if (w->queued == 1)
        set_deadline(r, w);
    r->batches++;
    return true;
}

static void drop_first_batch(struct runner *r, struct worker *w)
{
    free(w->batches[0].cases);
    w->queued--;
    for (int i = 0; i < w->queued; i++)
        w->batches[i] = w->batches[i + 1];
    if (w->queued > 0)
        set_deadline(r, w);
}

/* ---- results */

static bool new_incident(struct runner *r)
{
    bool *larger = realloc(r->explained, (r->incidents + 2) * sizeof *larger);
    if (!larger)
        return false;
    r->explained = larger;
    r->explained[++r->incidents] = false;
    return true;
}

static void queue_again(struct runner *r, uint32_t index)
{
    if (!r->outcomes[index].queued)
        r->again[r->again_count++] = index;
    r->outcomes[index].queued = true;
}

/* An attempt at a case is over: it is put by where another one is wanted. */
static void end_attempt(struct runner *r, uint32_t index)
{
    struct ending *o = &r->outcomes[index];
    enum runner_again again = RUNNER_DONE;
    if (r->config->again)
        again = r->config->again(r->config->context, index, (enum status)o->status, o->attempts + 1);
    struct ending *more = again ? realloc(o->earlier, (o->attempts + 1) * sizeof *more) : NULL;
    if (!more)
        return; /* what there is must do */
    more[o->attempts] = *o;
    *o = (struct ending){.alone = again == RUNNER_ALONE, .earlier = more, .attempts = o->attempts + 1};
    queue_again(r, index);
}

static void run_again(struct runner *r, const struct batch *batch, bool alone)
{
    if (alone && !new_incident(r))
        alone = false;
    for (uint32_t i = batch->count; i-- > 0;) {
        uint32_t index = batch->cases[i];
        if (r->outcomes[index].done || r->outcomes[index].queued)
            continue;
        r->outcomes[index].alone |= alone;
        if (alone)
            r->outcomes[index].incident = r->incidents;
        queue_again(r, index);
    }
}

/* The cases of a batch that has its results, if some of them are not known to be their own. */
static void run_unsure(struct runner *r, const struct batch *batch)
{
    bool unsure = false;
    for (uint32_t i = 0; i < batch->count; i++)
        unsure |= !r->outcomes[batch->cases[i]].done;
    if (unsure)
        run_again(r, batch, true);
}

static bool take_result(struct runner *r, size_t index, bool alone, const char **at, const char *end)
{
    struct wire_result result;
    struct ending *o = &r->outcomes[index];
    if ((size_t)(end - *at) < sizeof result)
        return false;
    memcpy(&result, *at, sizeof result);
    *at += sizeof result;
    size_t more = (result.has_wrong ? sizeof(struct wrong) : 0) + result.message_size + result.dump_size;
    if ((size_t)(end - *at) < more || result.status >= STATUS_COUNT || result.outcome >= OUTCOME_COUNT)
        return false;
    o->done =
        alone || (result.status != STATUS_DEVICE_LOST && !result.unsure); /* of many, it is not known which it was */
    o->status = result.status;
    o->slow |= r->config->slow_ms && result.host_ns > (uint64_t)r->config->slow_ms * 1000000u;
    o->choice = result.outcome;
    o->host_ns = result.host_ns;
    o->device_ns = result.device_ns;
    o->checksum = result.checksum;
    if (more > 0 && o->done && (o->detail = calloc(1, sizeof *o->detail + more + 2))) {
        const char *text = *at + (result.has_wrong ? sizeof(struct wrong) : 0);
        if (result.has_wrong)
            memcpy(&o->detail->wrong, *at, sizeof o->detail->wrong);
        o->detail->dump = result.message_size ? result.message_size : 1;
        memcpy(o->detail->text, text, result.message_size);
        memcpy(o->detail->text + o->detail->dump, text + result.message_size, result.dump_size);
    }
    *at += more;
    return true;
}

/* Everything a worker has sent, up to the loss of its device: what came after it was in no case's hand. False: it sent
 * nonsense. */
static bool take_messages(struct runner *r, struct worker *w)
{
    struct wire_header header;
    const char *body;
    while (!w->lost && process_message(&w->process, &header, &body)) {
        if (!w->ready) {
            if (header.type != WIRE_HELLO || header.size != sizeof r->hello)
                return false;
            memcpy(&r->hello, body, sizeof r->hello);
            r->hello.message[sizeof r->hello.message - 1] = '\0';
            w->ready = true;
        } else {
            const char *at = body;
            if (header.type != WIRE_RESULTS || w->queued == 0 || header.count != w->batches[0].count)
                return false;
            for (uint32_t i = 0; i < header.count; i++) {
                size_t index = w->batches[0].cases[i];
                if (!take_result(r, index, header.count == 1, &at, body + header.size))
                    return false;
                w->lost |= r->outcomes[index].status == STATUS_DEVICE_LOST;
            }
            r->fruitless = r->fatal_cases = 0;
            if (header.count > 1)
                run_unsure(r, &w->batches[0]);
            for (uint32_t i = header.count; i-- > 0;)
                if (r->outcomes[w->batches[0].cases[i]].done)
                    end_attempt(r, w->batches[0].cases[i]);
            drop_first_batch(r, w);
        }
        process_taken(&w->process);
    }
    return true;
}

/* ---- death of a worker */

/* Ends what outlived its worker, also in a session of its own. */
static int end_strays(struct runner *r, char *name, size_t size)
{
    pid_t known[RUNNER_JOBS_MOST];
    int count = 0;
    for (unsigned i = 0; i < r->config->jobs; i++)
        if (r->workers[i].process.pid > 0)
            known[count++] = r->workers[i].process.pid;
    return strays_end(known, count, name, size);
}

/* Which case of its first batch has killed a worker; UINT32_MAX: that is not known. */
static uint32_t culprit_of(const struct worker *w, uint32_t stage, uint32_t index)
{
    if (w->queued == 0 || !w->ready || stage == STAGE_IDLE)
        return UINT32_MAX;
    if (w->batches[0].count == 1)
        return 0;
    return stage == STAGE_CASE && index < w->batches[0].count ? index : UINT32_MAX;
}

/* Charges the case that was running, and puts the others back. `why`: null, or why it had to be ended. */
static void bury(struct runner *r, struct worker *w, const char *why)
{
    char how[900], harm[sizeof w->process.progress->fault];
    const struct progress *progress = w->process.progress;
    process_stop(&w->process, why ? 0 : ASKED_MS);
    uint32_t stage = w->late ? w->stage : atomic_load(&progress->stage),
             index = w->late ? w->index : atomic_load(&progress->index), culprit = culprit_of(w, stage, index);
    bool harmed = !why && stage == STAGE_HARMED;
    enum status status = w->late ? STATUS_TIMEOUT : harmed ? STATUS_FAIL : STATUS_CRASH;
    snprintf(harm, sizeof harm, "%s", progress->fault);
    process_end(&w->process, harmed ? harm : why, how, sizeof how);
    end_strays(r, NULL, 0);
    snprintf(r->last_death, sizeof r->last_death, "%s", how);
    r->fruitless++;
    for (int i = w->queued - 1; i >= 0; i--) {
        struct batch *batch = &w->batches[i];
        bool charged = i == 0 && culprit != UINT32_MAX;
        if (charged) {
            settle(r, batch->cases[culprit], status, "%s", how);
            r->fruitless = 0; /* there is a result: this case's */
            r->fatal_cases++;
        }
        run_again(r, batch, i == 0 && w->ready && !charged && stage != STAGE_IDLE);
        if (charged)
            end_attempt(r, batch->cases[culprit]);
        free(batch->cases);
    }
    w->queued = 0;
    w->ready = w->late = false;
}

/* Ends a worker whose device is lost; another takes its place while there is work. */
static void retire(struct runner *r, struct worker *w)
{
    process_stop(&w->process, 0);
    process_end(&w->process, NULL, NULL, 0);
    end_strays(r, NULL, 0);
    for (int i = w->queued - 1; i >= 0; i--) {
        run_again(r, &w->batches[i], false);
        free(w->batches[i].cases);
    }
    w->queued = 0;
    w->ready = w->lost = false;
}

/* ---- what takes too long */

static void say_slow(struct runner *r, struct worker *w)
{
    uint64_t waited = trial_clock() - w->since;
    int64_t index = case_at(w);
    if (!r->config->slow || w->slow_said || index < 0 || !r->config->slow_ms ||
        waited < limit_of(r, w, r->config->slow_ms))
        return;
    w->slow_said = true;
    bool single = !runs_many(w);
    r->outcomes[index].slow |= single;
    struct runner_now now = {r->config->plan->cases[index].name, single ? 1 : w->batches[0].count, waited};
    r->config->slow(r->config->context, &now);
}

/* A worker that something has stopped goes on. */
static void keep_going(const struct runner *r, const struct worker *w)
{
    int signal = process_continue(&w->process);
    if (signal != 0)
        fprintf(stderr, "assay: device '%s': its process was stopped by SIG%s; it goes on\n", r->config->device,
                sigabbrev_np(signal));
}

static void ask_to_end(struct worker *w)
{
    w->late = true;
    w->deadline = trial_clock() + GRACE_MS * (uint64_t)1000000;
    process_ask_to_end(&w->process);
}

/* Now and then all that is known is handed over, and what is running told. */
static int pulse(struct runner *r)
{
    struct runner_now now[RUNNER_JOBS_MOST];
    unsigned count = 0;
    uint64_t clock = trial_clock();
    r->pulse = clock;
    for (unsigned i = 0; i < r->config->jobs; i++) {
        const struct worker *w = &r->workers[i];
        int64_t index = case_at(w);
        if (index >= 0)
            now[count++] = (struct runner_now){r->config->plan->cases[index].name,
                                               runs_many(w) ? w->batches[0].count : 1, clock - w->since};
    }
    int result = keep_done(r);
    return result || !r->config->pulse ? result : r->config->pulse(r->config->context, now, count, r->error);
}

static int open_failed(struct runner *r, const char *how)
{
    return error_set(r->error, EXIT_NO_DEVICE, "device '%s': %s while opening it", r->config->device, how);
}

/* ---- the loop */

static bool start_worker(struct runner *r, struct worker *w)
{
    const struct process_config config = {.device = r->config->device,
                                          .specs = r->config->specs_folder,
                                          .dump = r->config->dump,
                                          .memory_mib = r->config->memory_mib};
    w->ready = w->lost = w->late = false;
    w->queued = 0;
    w->deadline = trial_clock() + START_MS * (uint64_t)1000000;
    return process_start(&w->process, &config);
}

static bool work_left(const struct runner *r)
{
    return r->again_count > 0 || r->next < r->config->plan->count;
}

static int feed(struct runner *r, struct worker *w)
{
    while (w->ready && w->queued < QUEUED && work_left(r)) {
        struct batch batch = next_batch(r);
        if (batch.count == 0) {
            free(batch.cases);
            return batch.cases ? 0 : error_set(r->error, EXIT_HARNESS, "out of memory");
        }
        bool alone = r->outcomes[batch.cases[0]].alone;
        if (!send_batch(r, w, batch))
            return error_set(r->error, EXIT_HARNESS, "out of memory");
        if (alone)
            break; /* if it kills the worker, nothing else has to be sorted out */
    }
    return 0;
}

static int check_hello(struct runner *r, struct worker *w)
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
static void serve_late(struct runner *r, struct worker *w, bool alive)
{
    char why[64];
    if (alive && trial_clock() <= w->deadline)
        return;
    snprintf(why, sizeof why, "no answer within %llu ms",
             (unsigned long long)(w->ready ? r->config->timeout_ms + more_time(r, w) : START_MS));
    bury(r, w, why);
}

static int serve_worker(struct runner *r, struct worker *w, bool woken, bool ended)
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
    bool sense = take_messages(r, w);
    int result = check_hello(r, w);
    if (result)
        return result;
    if (w->lost)
        retire(r, w);
    else if (!sense)
        bury(r, w, "its process sent nonsense");
    else if (!alive)
        bury(r, w, NULL);
    else if (is_late(r, w))
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
    uint64_t now = trial_clock(), first = now + 200000000u; /* often enough to look at what devices print */
    for (unsigned i = 0; i < r->config->jobs; i++) {
        const struct worker *w = &r->workers[i];
        if (w->process.pid != 0 && (w->queued > 0 || !w->ready || w->late) && w->deadline < first)
            first = w->deadline;
    }
    return first <= now ? 0 : (int)((first - now) / 1000000 + 1);
}

static int step(struct runner *r, struct pollfd *polls)
{
    int result = 0;
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        struct worker *w = &r->workers[i];
        bool needed = r->started ? work_left(r) : i == 0;
        if (w->process.pid == 0 && needed && !start_worker(r, w))
            return error_set(r->error, EXIT_HARNESS, "no worker process can be started: %m");
        if (r->started)
            result = feed(r, w);
        polls[i] = (struct pollfd){.fd = w->process.pid ? w->process.socket : -1, .events = POLLIN};
        if (w->process.out_done < w->process.out_used)
            polls[i].events |= POLLOUT;
        polls[r->config->jobs + i] = (struct pollfd){.fd = w->process.pid ? w->process.handle : -1, .events = POLLIN};
    }
    if (result == 0)
        result = hand_over_done(r); /* while the workers work */
    if (result || (r->started && !busy(r)))
        return result;
    int ready = poll(polls, 2 * r->config->jobs, 100);
    if (ready <= 0 || trial_clock() > r->pulse + PULSE_MS * (uint64_t)1000000)
        result = pulse(r);
    if (ready == 0 && result == 0)
        ready = poll(polls, 2 * r->config->jobs, wait_ms(r)); /* a slow case: what there is is safe */
    if (ready < 0 && errno != EINTR)
        return error_set(r->error, EXIT_HARNESS, "poll: %m");
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        process_trim(&r->workers[i].process);
        result = serve_worker(r, &r->workers[i], polls[i].revents != 0, polls[r->config->jobs + i].revents != 0);
    }
    return result;
}

/* What was not run gets its row too. */
static int settle_rest(struct runner *r, const char *why)
{
    for (size_t i = r->recorded; i < r->config->plan->count; i++) {
        struct ending *o = &r->outcomes[i];
        if (o->done || is_known(r, i))
            continue;
        unsigned attempts = o->attempts;
        if (attempts > 0 && !r->total->interrupted) { /* what there is must do */
            struct ending *earlier = o->earlier;
            *o = earlier[--attempts];
            o->earlier = earlier;
            o->attempts = attempts;
        } else {
            forget_attempts(o); /* all of them are made when the run is resumed */
            settle(r, i, STATUS_INCOMPLETE, "not run%s: %s", attempts ? " as often as it should" : "", why);
        }
    }
    return hand_over_done(r);
}

/* A device that dies while it is closed has done its cases: that is said beside them. */
static void close_worker(struct runner *r, struct worker *w, bool in_order)
{
    char how[600];
    for (int i = 0; i < w->queued; i++)
        free(w->batches[i].cases);
    if (w->process.pid == 0)
        return;
    bool good = process_stop(&w->process, in_order ? CLOSE_MS : ASKED_MS);
    process_end(&w->process, NULL, how, sizeof how);
    if (!good && in_order)
        snprintf(r->total->closing, sizeof r->total->closing, "was %s while closing it, after the last case", how);
}

static void close_workers(struct runner *r, bool in_order)
{
    char name[64] = "";
    for (unsigned i = 0; i < r->config->jobs && !in_order; i++)
        if (r->workers[i].process.pid != 0)
            process_ask_to_end(&r->workers[i].process);
    for (unsigned i = 0; i < r->config->jobs; i++)
        close_worker(r, &r->workers[i], in_order);
    int strays = end_strays(r, name, sizeof name);
    if (strays > 0 && in_order)
        snprintf(r->total->closing, sizeof r->total->closing, "left %d process%s behind, the first '%s'", strays,
                 strays == 1 ? "" : "es", name);
}

/* Why the run is to end before its last case; false: it is not. */
static bool is_over(struct runner *r, char *why, size_t size)
{
    bool late = r->config->end_ns && trial_clock() > r->config->end_ns;
    r->total->interrupted = interrupted || late;
    if (late)
        snprintf(why, size, "the time for the whole run is over");
    else if (interrupted)
        snprintf(why, size, "interrupted");
    else if (r->fruitless >= FRUITLESS_MOST)
        snprintf(why, size, "the device is broken: %d worker processes in a row ended without a result, the last %s",
                 FRUITLESS_MOST, r->last_death);
    else if (r->config->deaths_most && r->fatal_cases >= r->config->deaths_most)
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
        result = settle_rest(r, why);
    return result ? result : hand_over_done(r);
}

static void release(struct runner *r)
{
    for (size_t i = 0; r->outcomes && i < r->config->plan->count; i++)
        forget_attempts(&r->outcomes[i]);
    free(r->explained);
    free(r->workers);
    free(r->outcomes);
    free(r->again);
}

int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error)
{
    struct runner r = {.config = config, .error = error, .total = total};
    struct pollfd *polls = calloc(2 * (size_t)config->jobs, sizeof *polls);
    uint64_t start = trial_clock();
    *total = (struct runner_total){0};
    strays_adopt();
    r.workers = calloc(config->jobs, sizeof *r.workers);
    r.outcomes = calloc(config->plan->count, sizeof *r.outcomes);
    r.again = calloc(config->plan->count, sizeof *r.again);
    bool room = polls && r.workers && r.outcomes && r.again;
    int result = room ? run_cases(&r, polls) : error_set(error, EXIT_HARNESS, "out of memory");
    if (room)
        close_workers(&r, result == 0 && !total->interrupted);
    for (uint32_t i = 1; i <= r.incidents; i++)
        total->unexplained += !r.explained[i];
    total->elapsed_ns = trial_clock() - start;
    release(&r);
    free(polls);
    return result;
}
