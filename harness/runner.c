#include "harness/runner.h"

#include "harness/attempts.h"
#include "harness/datatype.h"
#include "harness/outcome.h"
#include "harness/process.h"
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
    DEATHS_MOST = 8         /* workers in a row that brought no result: the device is broken */
};

struct batch {
    uint32_t *cases;
    uint32_t count;
};

struct worker {
    struct process process;
    bool ready;
    bool lost;                    /* its device is: it can do no more */
    struct batch batches[QUEUED]; /* first: the one it works on */
    int queued;
    uint64_t deadline;     /* of what it does now; trial_clock() */
    uint32_t stage, index; /* what that was when the deadline was set */
};

/* What there is to say of a case beyond its status. */
struct detail {
    struct wrong wrong;
    size_t dump; /* where it begins in `text`; it ends with it */
    char text[]; /* the message, its zero, the dump, its zero */
};

struct ending {
    bool done, alone;       /* alone: to be run in a batch of its own */
    bool queued;            /* is in `again` */
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
    uint32_t incidents; /* batches that died or lost the device as a whole */
    bool *explained;    /* per incident: one of its cases did the same alone */
    unsigned deaths;
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

/* The rule that a record names: the one tested, or else the first thing that the operator must do. */
static const struct rule *rule_of(const struct testcase *c)
{
    if (c->rule >= 0)
        return &c->spec->rules[c->rule];
    for (int i = 0; i < c->spec->rule_count && c->expect == EXPECT_RESULTS; i++)
        if (c->spec->rules[i].behaviour)
            return &c->spec->rules[i];
    return NULL;
}

static const char *expected_of(const struct testcase *c)
{
    switch (c->expect) {
    case EXPECT_REJECTED:
        return "rejection with E_INVALIDARG";
    case EXPECT_EITHER:
        return "acceptance or rejection";
    case EXPECT_ACCEPTED:
        return "acceptance";
    default:
        return testcase_has_outputs(c) ? "the documented outputs" : "the outputs of the reference device";
    }
}

/* One attempt at a case. */
static int hand_over_attempt(struct runner *r, size_t index, struct ending *o, bool last, struct attempts *attempts)
{
    const struct testcase *c = &r->config->plan->cases[index];
    const struct rule *rule = rule_of(c);
    char reproduce[2048] = "", quoted[1024], pages[512] = "";
    struct record record = {.case_name = c->name,
                            .operator_name = c->spec->name,
                            .feature_level = c->spec->levels[c->table].name,
                            .device = r->config->device,
                            .rule = rule ? rule->id : "",
                            .strength = rule ? strength_name(rule->strength) : "",
                            .expected = expected_of(c),
                            .outcome = outcome_name((enum outcome)o->choice),
                            .message = o->detail ? o->detail->text : "",
                            .dump = o->detail ? o->detail->text + o->detail->dump : "",
                            .status = (enum status)o->status,
                            .seed = plan_case_seed(r->config->seed, c->name),
                            .host_ns = o->host_ns,
                            .device_ns = o->device_ns,
                            .checksum = o->checksum,
                            .last = last};
    if (rule)
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
    if (last)
        record_add(&r->total->records, &record);
    if (o->incident && status_is_failure((enum status)o->status))
        r->explained[o->incident] = true;
    int result = r->config->record(r->config->context, &record, r->error);
    free(o->detail);
    o->detail = NULL;
    return result;
}

static int hand_over(struct runner *r, size_t index)
{
    struct ending *o = &r->outcomes[index];
    struct attempts attempts = {0};
    int result = 0;
    for (unsigned i = 0; i < o->attempts && result == 0; i++)
        result = hand_over_attempt(r, index, &o->earlier[i], false, &attempts);
    return result ? result : hand_over_attempt(r, index, o, true, &attempts);
}

static int hand_over_done(struct runner *r)
{
    int result = 0;
    while (result == 0 && r->recorded < r->config->plan->count && r->outcomes[r->recorded].done)
        result = hand_over(r, r->recorded++);
    return result;
}

/* ---- which cases apply to the device */

static DML_FEATURE_LEVEL effective_level(const struct runner *r)
{
    DML_FEATURE_LEVEL level = r->hello.info.feature_level;
    return level ? level : level_all[SPEC_MAX_LEVELS - 1]; /* one that promises nothing may do anything */
}

static bool settle_too_large(struct runner *r, size_t index)
{
    const struct testcase *c = &r->config->plan->cases[index];
    uint64_t most = r->hello.info.max_tensor_bytes;
    for (int i = 0; i < c->spec->field_count && most > 0; i++)
        if (c->spec->fields[i].kind != FIELD_UINT && c->desc->fields[i].tensor.total > most) {
            settle(r, index, STATUS_UNSUPPORTED, "%s has %llu bytes, the device takes %llu", c->spec->fields[i].name,
                   (unsigned long long)c->desc->fields[i].tensor.total, (unsigned long long)most);
            return true;
        }
    return false;
}

/* Settles the case if there is nothing to run. */
static void settle_inapplicable(struct runner *r, size_t index)
{
    const struct testcase *c = &r->config->plan->cases[index];
    DML_FEATURE_LEVEL level = effective_level(r);
    const char *declared = level_name(level);
    bool too_early = c->expect == EXPECT_REJECTED && c->rule >= 0 &&
                     rule_check(c->spec, c->rule, c->desc, level) == BROKEN && spec_table(c->spec, level) < 0;
    if (!too_early && (c->spec->levels[c->table].level > level || level < c->spec->since)) {
        settle(r, index, STATUS_SKIP, "needs feature level %s, the device declares %s", c->spec->levels[c->table].name,
               declared);
        return;
    }
    if (c->expect == EXPECT_REJECTED) {
        if (rules_check(c->spec, c->desc, level, NULL, 0) == 0)
            settle(r, index, STATUS_SKIP, "legal at the feature level %s that the device declares", declared);
        return;
    }
    if (c->expect == EXPECT_RESULTS && settle_too_large(r, index))
        return;
    for (int i = 0; i < c->spec->field_count; i++) {
        uint32_t type = c->desc->fields[i].tensor.data_type;
        if (c->spec->fields[i].kind != FIELD_UINT && type < 32 && !(r->hello.data_types >> type & 1)) {
            settle(r, index, STATUS_UNSUPPORTED, "the device does not support the data type %s",
                   datatype_of(type)->name);
            return;
        }
    }
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
        settle_inapplicable(r, index);
        if (!r->outcomes[index].done) {
            bytes += case_bytes(&r->config->plan->cases[index]);
            if (batch.count > 0 && bytes > BATCH_BYTES)
                break;
            batch.cases[batch.count++] = (uint32_t)index;
        }
        r->next++;
    }
    return batch;
}

/* Milliseconds for what a worker does now, beyond the limit for a case: large tensors take their time. */
static uint64_t more_time(const struct runner *r, const struct worker *w)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; w->queued > 0 && i < w->batches[0].count; i++)
        bytes += case_bytes(&r->config->plan->cases[w->batches[0].cases[i]]);
    return bytes / BYTES_A_MS;
}

/* The limit is for one case. A worker that goes from case to case gets it anew each time; cases that are dispatched
 * together add a tenth each. */
static void set_deadline(const struct runner *r, struct worker *w)
{
    uint64_t limit = (uint64_t)r->config->timeout_ms * 1000000u;
    w->stage = atomic_load(&w->process.progress->stage);
    w->index = atomic_load(&w->process.progress->index);
    w->deadline = trial_clock() + limit + more_time(r, w) * 1000000u;
    if ((w->stage == STAGE_DISPATCH || w->stage == STAGE_AGAIN) && w->queued > 0)
        w->deadline += limit / 10 * (w->batches[0].count - 1);
}

static bool is_late(const struct runner *r, struct worker *w)
{
    if ((w->queued == 0 && w->ready) || trial_clock() <= w->deadline)
        return false;
    if (!w->ready ||
        (w->stage == atomic_load(&w->process.progress->stage) && w->index == atomic_load(&w->process.progress->index)))
        return true;
    set_deadline(r, w); /* it moved */
    return false;
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
            r->deaths = 0;
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

/* Charges the case that was running, and puts the others back. */
static void bury(struct runner *r, struct worker *w, bool late)
{
    char how[900];
    struct progress *progress = w->process.progress;
    uint32_t stage = atomic_load(&progress->stage), index = atomic_load(&progress->index);
    bool was_ready = w->ready;
    process_end(&w->process, late, how, sizeof how);
    if (late)
        snprintf(how, sizeof how, "no answer within %llu ms",
                 (unsigned long long)(r->config->timeout_ms + more_time(r, w)));
    snprintf(r->last_death, sizeof r->last_death, "%s", how);
    r->deaths++;
    for (int i = w->queued - 1; i >= 0; i--) {
        struct batch *batch = &w->batches[i];
        uint32_t culprit = UINT32_MAX;
        if (i == 0 && was_ready && batch->count == 1 && stage != STAGE_IDLE)
            culprit = 0;
        else if (i == 0 && was_ready && stage == STAGE_CASE && index < batch->count)
            culprit = index;
        if (culprit != UINT32_MAX) {
            settle(r, batch->cases[culprit], late ? STATUS_TIMEOUT : STATUS_CRASH, "%s", how);
            r->deaths = 0; /* there is a result: this case's */
        }
        run_again(r, batch, i == 0 && (stage == STAGE_DISPATCH || stage == STAGE_AGAIN || stage == STAGE_REPORT));
        if (culprit != UINT32_MAX)
            end_attempt(r, batch->cases[culprit]);
        free(batch->cases);
    }
    w->queued = 0;
    w->ready = false;
}

/* Ends a worker whose device is lost; another takes its place while there is work. */
static void retire(struct runner *r, struct worker *w)
{
    process_end(&w->process, true, NULL, 0);
    for (int i = w->queued - 1; i >= 0; i--) {
        run_again(r, &w->batches[i], false);
        free(w->batches[i].cases);
    }
    w->queued = 0;
    w->ready = w->lost = false;
}

static int open_failed(struct runner *r, const char *how)
{
    return error_set(r->error, EXIT_NO_DEVICE, "device '%s': its process was %s while opening it", r->config->device,
                     how);
}

/* ---- the loop */

static bool start_worker(struct runner *r, struct worker *w)
{
    w->ready = w->lost = false;
    w->queued = 0;
    w->deadline = trial_clock() + START_MS * (uint64_t)1000000;
    return process_start(&w->process, r->config->device, r->config->specs_folder, r->config->dump);
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
    snprintf(r->total->opening, sizeof r->total->opening, "%.190s", r->hello.message);
    return r->config->started(r->config->context, &r->hello.info, r->error);
}

static int serve_worker(struct runner *r, struct worker *w, bool woken)
{
    bool alive = true;
    if (w->process.pid == 0)
        return 0;
    if (woken)
        alive = process_pump(&w->process);
    bool sense = take_messages(r, w);
    int result = check_hello(r, w);
    if (result)
        return result;
    bool late = alive && is_late(r, w);
    if (w->lost) {
        retire(r, w);
    } else if (!alive || !sense || late) {
        bury(r, w, late || !sense);
        if (!r->started)
            return open_failed(r, r->last_death);
    }
    return 0;
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
        if (w->process.pid != 0 && (w->queued > 0 || !w->ready) && w->deadline < first)
            first = w->deadline;
    }
    return first <= now ? 0 : (int)((first - now) / 1000000 + 1);
}

static int step(struct runner *r, struct pollfd *polls)
{
    int result = 0;
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        struct worker *w = &r->workers[i];
        if (w->process.pid == 0 && work_left(r) && (i == 0 || r->started) && !start_worker(r, w))
            return error_set(r->error, EXIT_HARNESS, "no worker process can be started: %m");
        if (r->started)
            result = feed(r, w);
        polls[i] = (struct pollfd){.fd = w->process.pid ? w->process.socket : -1, .events = POLLIN};
        if (w->process.out_done < w->process.out_used)
            polls[i].events |= POLLOUT;
    }
    if (result == 0)
        result = hand_over_done(r); /* while the workers work */
    if (result || !busy(r))
        return result;
    int ready = poll(polls, r->config->jobs, 100);
    if (ready == 0 && (result = r->config->idle(r->config->context, r->error)) == 0)
        ready = poll(polls, r->config->jobs, wait_ms(r)); /* a slow case: what there is is safe */
    if (ready < 0 && errno != EINTR)
        return error_set(r->error, EXIT_HARNESS, "poll: %m");
    for (unsigned i = 0; i < r->config->jobs && result == 0; i++) {
        process_trim(&r->workers[i].process);
        result = serve_worker(r, &r->workers[i], polls[i].revents != 0);
    }
    return result;
}

/* What was not run gets its row too. */
static int settle_rest(struct runner *r, const char *why)
{
    for (size_t i = r->recorded; i < r->config->plan->count; i++) {
        struct ending *o = &r->outcomes[i];
        if (!o->done && o->attempts > 0) { /* the attempts that there were stand */
            struct ending *earlier = o->earlier;
            unsigned attempts = o->attempts - 1;
            *o = earlier[attempts];
            o->earlier = earlier;
            o->attempts = attempts;
        } else if (!o->done) {
            settle(r, i, STATUS_INCOMPLETE, "not run: %s", why);
        }
    }
    return hand_over_done(r);
}

/* A device that dies while it is closed has done its cases: that is said beside them. */
static void close_worker(struct runner *r, struct worker *w, bool kill_it)
{
    char how[700];
    bool good = process_end(&w->process, kill_it, how, sizeof how);
    if (!good && !kill_it)
        snprintf(r->total->closing, sizeof r->total->closing, "%s", how);
}

int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error)
{
    struct runner r = {.config = config, .error = error, .total = total};
    struct pollfd *polls = calloc(config->jobs, sizeof *polls);
    uint64_t start = trial_clock();
    int result = 0;
    *total = (struct runner_total){0};
    r.workers = calloc(config->jobs, sizeof *r.workers);
    r.outcomes = calloc(config->plan->count, sizeof *r.outcomes);
    r.again = calloc(config->plan->count, sizeof *r.again);
    if (!polls || !r.workers || !r.outcomes || !r.again)
        result = error_set(error, EXIT_HARNESS, "out of memory");
    while (result == 0 && !interrupted && r.deaths < DEATHS_MOST && (busy(&r) || !r.started))
        result = step(&r, polls);
    if (result == 0 && r.deaths >= DEATHS_MOST) {
        char why[1200];
        snprintf(why, sizeof why,
                 "the device is broken: %d worker processes in a row ended without a result, the last %s", DEATHS_MOST,
                 r.last_death);
        result = settle_rest(&r, why);
    } else if (result == 0 && interrupted) {
        total->interrupted = true;
        if (!r.started) /* nothing is known of the device */
            result = config->started(config->context, &(assay_device_info){0}, error);
        if (result == 0)
            result = settle_rest(&r, "interrupted");
    }
    if (result == 0)
        result = hand_over_done(&r);
    for (unsigned i = 0; r.workers && i < config->jobs; i++) {
        struct worker *w = &r.workers[i];
        for (int j = 0; j < w->queued; j++)
            free(w->batches[j].cases);
        if (w->process.pid != 0)
            close_worker(&r, w, interrupted || result != 0);
    }
    for (size_t i = 0; r.outcomes && i < config->plan->count; i++) {
        for (unsigned j = 0; j < r.outcomes[i].attempts; j++)
            free(r.outcomes[i].earlier[j].detail);
        free(r.outcomes[i].earlier);
        free(r.outcomes[i].detail);
    }
    for (uint32_t i = 1; i <= r.incidents; i++)
        total->unexplained += !r.explained[i];
    free(r.explained);
    total->elapsed_ns = trial_clock() - start;
    free(r.workers);
    free(r.outcomes);
    free(r.again);
    free(polls);
    return result;
}
