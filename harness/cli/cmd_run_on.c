#include "harness/cli/cmd_run.h"

#include "harness/base/text.h"
#include "harness/run/causes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct context {
    const struct cmd_run_on *run;
    bool *known;   /* per case, as in struct runner_config */
    uint64_t done; /* cases, in order of the plan */
    struct cmd_run_times times;
    struct causes causes;
    struct cause_case *cases; /* the cases of the plan that are done */
    struct cmd_run_slowest slowest;
    struct conformance conformance;
    DML_FEATURE_LEVEL declared;      /* the level that the device declares; 0: none */
    uint32_t *timeouts_ms, *retries; /* per case of the plan; null: as in struct cmd_run_on */
    const char *device;
    char name[128], driver[128], version[64], level[8];
};

static int run_on_started(void *context, const assay_device_info *info, struct error *error)
{
    struct context *c = context;
    const struct cmd_run_on *run = c->run;
    const char *level = info->feature_level ? level_name(info->feature_level) : "none";
    struct origin origin;
    c->declared = info->feature_level;
    origin_find(&origin, c->device, &run->origin);
    struct format_run format = {.version = ASSAY_VERSION,
                                .device = c->device,
                                .device_name = info->name,
                                .device_driver = info->driver,
                                .feature_level = level,
                                .database = run->database,
                                .seed = run->seed,
                                .planned = run->plan->plan.count,
                                .shared_validation = info->flags & ASSAY_DEVICE_SHARED_VALIDATION,
                                .shuffle = run->shuffle ? &run->shuffle : NULL,
                                .purpose = run->scope.purpose ? run->scope.purpose : "conformance",
                                .half = run->scope.half,
                                .partial = !run->scope.whole_plan || run->shards > 1,
                                .device_hash = origin.device_hash,
                                .device_build = origin.device_build,
                                .label = origin.label,
                                .revision = origin.revision,
                                .branch = origin.branch};
    struct store_run stored = {.version = ASSAY_VERSION,
                               .seed = run->seed,
                               .planned = run->plan->plan.count,
                               .plan_hash = run->plan_hash,
                               .command = run->command,
                               .device = c->device,
                               .device_name = info->name,
                               .device_driver = info->driver,
                               .device_version = info->version,
                               .feature_level = level,
                               .shared_validation = info->flags & ASSAY_DEVICE_SHARED_VALIDATION,
                               .shard = run->shard,
                               .shards = run->shards,
                               .scope = run->scope,
                               .origin = &origin};
    bool ahead =
        (run->expect && run->expect->expect.count > 0) || (run->store && reporters_show_progress(run->reporters));
    if (ahead && !plan_await(&run->plan->plan, run->plan->plan.count))
        return plan_damaged(error);
    if (run->expect) {
        const struct expect_device facts = {c->device, info->name, info->driver, info->version, info->feature_level};
        expect_use(&run->expect->expect, &run->plan->plan, &facts);
        if (run->shards > 0)
            expect_use_shard(&run->expect->expect, run->whole);
        format.expectations = *run->expect->sources ? run->expect->sources : NULL;
    }
    int result = run->store ? cmd_run_begin(run, &stored, c->known, error) : 0;
    if (result)
        return result;
    reporters_begin_run(run->reporters, &format);
    if (run->store && reporters_show_progress(run->reporters))
        cmd_run_times_load(&c->times, run->store, &run->plan->plan, c->device);
    return 0;
}

static bool on_skips(void *context, size_t index, char *why, size_t size)
{
    const struct cmd_run_on *run = ((struct context *)context)->run;
    return run->expect && expect_skips(&run->expect->expect, index, why, size);
}

static enum runner_again on_again(void *context, size_t index, enum status status, unsigned attempts)
{
    const struct context *c = context;
    const struct cmd_run_on *run = c->run;
    if (run->repeat)
        return attempts < run->repeat ? RUNNER_AGAIN : RUNNER_DONE;
    bool failed = status_is_failure(status) && status != STATUS_HARNESS_ERROR;
    if (run->expect && expect_allows(expect_of_case(&run->expect->expect, index), 1u << status))
        return RUNNER_DONE;
    return failed && c->retries && attempts <= c->retries[index] ? RUNNER_ALONE : RUNNER_DONE;
}

static void on_judge(void *context, size_t index, struct record *record)
{
    const struct cmd_run_on *run = ((struct context *)context)->run;
    if (run->expect)
        expect_judge(&run->expect->expect, index, record);
    if (run->flaky_ok && record->flaky && record->standing == STANDING_NONE) {
        record->standing = STANDING_EXPECTED;
        record->reason = "--flaky ok";
    }
}

/* Stores a record, and counts the time to the store's stage of the profile. */
static int run_on_store(const struct cmd_run_on *run, const struct record *record, struct error *error)
{
    profile_enter(PROFILE_STORE);
    int result = store_add(run->store, record, error);
    profile_enter(PROFILE_OTHER);
    return result;
}

static int run_on_record(void *context, const struct record *record, struct error *error)
{
    struct context *c = context;
    const struct cmd_run_on *run = c->run;
    if (record->last) {
        const struct testcase *planned = &run->plan->plan.cases[c->done];
        bool ran = record->verdict.status != STATUS_SKIP && record->verdict.status != STATUS_UNSUPPORTED &&
                   record->verdict.status != STATUS_INCOMPLETE;
        c->cases[c->done] = (struct cause_case){.name = planned->name, .ran = ran, .testcase = planned};
        if (record->verdict.status != STATUS_PASS || record_is_failure(record))
            causes_add(&c->causes, record, c->done);
        conformance_add(&c->conformance, record);
        cmd_run_times_add(&c->times, c->done++, record->recalled, run->reporters);
    }
    if (record->last && run->seen)
        run->seen(run->seen_context, record);
    if (record->last && !record->recalled)
        cmd_run_slowest_add(&c->slowest, record);
    profile_enter(PROFILE_PRINT);
    int result = record->last ? reporters_result(run->reporters, record, error) : 0;
    profile_enter(PROFILE_OTHER);
    if (result)
        return result;
    return run->store && !record->kept ? run_on_store(run, record, error) : 0;
}

static int on_keep(void *context, const struct record *record, struct error *error)
{
    const struct context *c = context;
    return c->run->store ? run_on_store(c->run, record, error) : 0;
}

static void on_slow(void *context, const struct runner_now *now)
{
    cmd_run_say_slow(((const struct context *)context)->device, now);
}

/* The context of on_recalled(), which takes the records of a case that an earlier part of the run finished. The records
 * keep their standing. */
struct recalling {
    struct context *context;
    size_t index;
    struct record_total *total;
};

static int on_recalled(void *context, const struct record *record, struct error *error)
{
    const struct recalling *r = context;
    struct cmd_run_expect *expect = r->context->run->expect;
    struct record again = *record;
    if (expect) /* counts for the line that expects it, which would be stale otherwise */
        expect_judge(&expect->expect, r->index, &again);
    record_add(r->total, record);
    again = *record;
    again.recalled = true;
    return run_on_record(r->context, &again, error);
}

static int on_recall(void *context, size_t index, struct record_total *total, struct error *error)
{
    struct context *c = context;
    struct recalling recalling = {c, index, total};
    return store_recall(c->run->store, c->run->plan->plan.cases[index].name, c->device, on_recalled, &recalling, error);
}

static int run_on_pulse(void *context, const struct runner_now *now, unsigned count, struct error *error)
{
    const struct context *c = context;
    struct store_running running[RUNNER_JOBS_MAX];
    for (unsigned i = 0; i < count; i++)
        running[i] = (struct store_running){now[i].case_name, now[i].count, (double)now[i].ns * 1e-9};
    cmd_run_answer(c->device, c->done, c->run->plan->plan.count, now, count);
    profile_enter(PROFILE_STORE);
    int result = c->run->store ? store_note_running(c->run->store, running, count, error) : 0;
    profile_enter(PROFILE_PRINT);
    if (result == 0)
        result = reporters_flush(c->run->reporters, error);
    profile_enter(PROFILE_OTHER);
    return result;
}

void cmd_run_print_profile(const char *who, const struct profile *profile, uint64_t kib)
{
    fprintf(stderr, "assay: profile: ");
    profile_print(stderr, who, profile, kib);
}

/* Prints a message about a device; `text` may contain the device's own words. */
static void run_on_say(const char *device, const char *what, const char *text)
{
    if (!*text)
        return;
    fprintf(stderr, "assay: device '%s': %s ", device, what);
    text_print(stderr, text);
    fputc('\n', stderr);
}

/* Prints messages about the device and its process when the device is done. */
static void report_device(const struct cmd_run_on *run, const char *device, const struct runner_total *total)
{
    if (total->unexplained)
        fprintf(
            stderr,
            "assay: device '%s': %llu batches died as a whole, while each of their cases ended well alone: these cases "
            "are flaky\n",
            device, (unsigned long long)total->unexplained);
    run_on_say(device, "opening it", total->opening);
    run_on_say(device, "its process", total->closing);
    if (run->profile)
        cmd_run_print_profile(run->jobs == 1 ? "1 worker" : "workers", &total->workers, total->workers_kib);
}

/* Groups the failures, and has the groups printed with the totals. */
static int run_on_end_run(struct context *c, const struct runner_total *total, struct error *error)
{
    const struct cmd_run_on *run = c->run;
    struct format_total format = {.records = total->records, .elapsed_ns = total->elapsed_ns};
    struct cause_group *groups = NULL;
    int result = 0;
    c->causes.seed = run->seed;
    if (c->causes.count > 0)
        format.group_count = causes_group(&c->causes, c->cases, c->done, &groups);
    format.groups = groups;
    format.causes = &c->causes;
    /* Otherwise most operators were not tried as a whole, or not as precisely as they must be. */
    if (run->scope.whole_plan && run->shards <= 1 && !run->scope.half)
        format.conformance = &c->conformance;
    format.declared = c->declared;
    if (c->causes.failed)
        result = error_set(error, EXIT_HARNESS, "out of memory for the causes of failures");
    reporters_end_run(run->reporters, &format);
    profile_enter(PROFILE_STORE);
    free(groups);
    if (run->store && result == 0)
        result = store_end_run(run->store, total->records.counts[STATUS_INCOMPLETE] == 0, error);
    return result;
}

int cmd_run_on(const struct cmd_run_on *run, const char *device, struct runner_total *total, struct error *error)
{
    const size_t count = run->plan->plan.count;
    struct context context = {.run = run, .device = device, .known = calloc(count, sizeof *context.known)};
    context.conformance.catalogue = run->plan->specs.catalogue;
    context.cases = calloc(count + 1, sizeof *context.cases);
    uint32_t *order = run->shuffle ? plan_shuffled(&run->plan->plan, run->shuffle) : NULL;
    bool room = cmd_run_slowest_init(&context.slowest, run->durations) && context.known;
    if (run->timeouts && run->timeouts->patterns.count > 0)
        room &= (context.timeouts_ms = cmd_run_limits(run->timeouts, &run->plan->plan, 1000)) != NULL;
    if (run->retries && (run->retries->number > 0 || run->retries->patterns.count > 0))
        room &= (context.retries = cmd_run_limits(run->retries, &run->plan->plan, 1)) != NULL;
    struct runner_config config = {.prestarted = run->prestarted,
                                   .plan = &run->plan->plan,
                                   .specs = &run->plan->specs,
                                   .specs_folder = run->plan->specs_folder,
                                   .device = device,
                                   .seed = run->seed,
                                   .jobs = run->jobs ? run->jobs : 1,
                                   .batch = run->batch,
                                   .timeout_ms = run->timeout_ms,
                                   .timeouts_ms = context.timeouts_ms,
                                   .max_failures = run->max_failures,
                                   .repeat = run->repeat,
                                   .slow_ms = run->slow_ms,
                                   .sandbox = run->sandbox,
                                   .debugger = run->debugger,
                                   .max_deaths = run->max_deaths,
                                   .end_ns = run->end_ns,
                                   .dump = run->dump,
                                   .half = run->scope.half,
                                   .profile = run->profile,
                                   .reproduce_options = run->reproduce_options,
                                   .order = order,
                                   .skips = on_skips,
                                   .again = on_again,
                                   .judge = on_judge,
                                   .started = run_on_started,
                                   .record = run_on_record,
                                   .keep = on_keep,
                                   .finished = context.known,
                                   .recall = on_recall,
                                   .slow = on_slow,
                                   .pulse = run_on_pulse,
                                   .context = &context};
    int result =
        room && context.cases ? runner_run(&config, total, error) : error_set(error, EXIT_HARNESS, "out of memory");
    sandbox_report(run->sandbox, device);
    if (result == 0)
        cmd_run_slowest_print(&context.slowest, device);
    cmd_run_slowest_free(&context.slowest);
    cmd_run_times_free(&context.times);
    free(context.known);
    free(context.timeouts_ms);
    free(context.retries);
    free(order);
    if (result == 0) {
        report_device(run, device, total);
        result = run_on_end_run(&context, total, error);
    }
    causes_free(&context.causes);
    conformance_free(&context.conformance);
    free(context.cases);
    return result;
}

static void run_on_signal(int signal)
{
    (void)signal;
    runner_interrupt();
}

void cmd_run_catch_signals(void)
{
    struct sigaction action = {.sa_handler = run_on_signal}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* ignored under nohup, and stays so */
        sigaction(SIGHUP, &action, NULL);
}

void cmd_run_reproduce_options(const struct cmd_source *source, char text[CMD_REPRODUCE_OPTIONS])
{
    char quoted[CMD_REPRODUCE_OPTIONS];
    *text = '\0';
    if (source->specs)
        snprintf(text, CMD_REPRODUCE_OPTIONS, " --specs %s", text_quoted(quoted, sizeof quoted, source->specs));
    for (size_t i = 0; i < source->cases.count; i++)
        snprintf(text + strlen(text), CMD_REPRODUCE_OPTIONS - strlen(text), " --cases %s",
                 text_quoted(quoted, sizeof quoted, source->cases.items[i]));
    for (size_t i = 0; i < source->allow.count; i++)
        snprintf(text + strlen(text), CMD_REPRODUCE_OPTIONS - strlen(text), " --allow %s",
                 text_quoted(quoted, sizeof quoted, source->allow.items[i]));
    if (source->half)
        snprintf(text + strlen(text), CMD_REPRODUCE_OPTIONS - strlen(text), " --half");
}

int cmd_run_status(const struct runner_total *total)
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
