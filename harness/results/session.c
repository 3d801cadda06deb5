#include "harness/results/session.h"

#include "harness/results/session_times.h"
#include "harness/run/causes.h"

#include <stdlib.h>

struct session {
    const struct session_config *config;
    const char *device;
    bool *known;   /* per case, as `finished` of struct runner_config */
    uint64_t done; /* cases, in order of the plan */
    struct session_times times;
    struct causes causes;
    struct cause_case *cases; /* the cases of the plan that are done */
    struct conformance conformance;
    DML_FEATURE_LEVEL declared; /* the level that the device declares; 0: none */
};

/* Begins the run in the store, or continues a resumed run: then sets `known` for the cases that have a result in the
 * store. */
static int session_begin(struct session *s, const struct store_run *stored, struct error *error)
{
    struct store *store = s->config->store;
    const struct plan *plan = s->config->runner.plan;
    int64_t id;
    int result = store_begin_run(store, stored, &id, error);
    if (result || !s->config->resumed)
        return result;
    const char **names = calloc(plan->count, sizeof *names);
    for (size_t i = 0; names && i < plan->count; i++)
        names[i] = plan->cases[i].name;
    result =
        names ? store_keep_only(store, names, plan->count, error) : error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < plan->count && result == 0; i++)
        result = store_knows(store, names[i], &s->known[i], error);
    free(names);
    return result;
}

/* Returns true if a line applies to the device. Files that the caller names count even if none does. */
static bool is_for_device(const struct expect *expect)
{
    bool some = false;
    for (size_t i = 0; i < expect->count; i++)
        some |= expect->lines[i].applies || !expect->lines[i].found;
    return some;
}

static int session_started(void *context, const assay_device_info *info, struct error *error)
{
    struct session *s = context;
    const struct session_config *config = s->config;
    const char *level = info->feature_level ? level_name(info->feature_level) : "none";
    struct origin origin;
    s->declared = info->feature_level;
    origin_find(&origin, s->device, &config->origin);
    struct format_run format = {.version = ASSAY_VERSION,
                                .device = s->device,
                                .device_name = info->name,
                                .device_driver = info->driver,
                                .feature_level = level,
                                .database = config->database,
                                .seed = config->runner.seed,
                                .planned = config->runner.plan->count,
                                .shared_validation = info->flags & ASSAY_DEVICE_SHARED_VALIDATION,
                                .shuffle = config->shuffle ? &config->shuffle : NULL,
                                .purpose = config->scope.purpose ? config->scope.purpose : "conformance",
                                .half = config->scope.half,
                                .partial = !config->scope.whole_plan || config->shards > 1,
                                .device_hash = origin.device_hash,
                                .device_build = origin.device_build,
                                .label = origin.label,
                                .revision = origin.revision,
                                .branch = origin.branch};
    struct store_run stored = {.version = ASSAY_VERSION,
                               .seed = config->runner.seed,
                               .planned = config->runner.plan->count,
                               .plan_hash = config->plan_hash,
                               .command = config->command,
                               .device = s->device,
                               .device_name = info->name,
                               .device_driver = info->driver,
                               .device_version = info->version,
                               .feature_level = level,
                               .shared_validation = info->flags & ASSAY_DEVICE_SHARED_VALIDATION,
                               .shard = config->shard,
                               .shards = config->shards,
                               .scope = config->scope,
                               .origin = &origin};
    struct expect *expect = config->runner.expect;
    bool ahead = (expect && expect->count > 0) || (config->store && reporters_show_progress(config->reporters));
    if (ahead && !plan_await(config->runner.plan, config->runner.plan->count))
        return plan_damaged(error);
    if (expect) {
        const struct expect_device facts = {s->device, info->name, info->driver, info->version, info->feature_level};
        expect_use(expect, config->runner.plan, &facts);
        if (config->shards > 0)
            expect_use_shard(expect, config->whole);
        if (config->expect_sources && *config->expect_sources && is_for_device(expect))
            format.expectations = config->expect_sources;
    }
    int result = config->store ? session_begin(s, &stored, error) : 0;
    if (result)
        return result;
    reporters_begin_run(config->reporters, &format);
    if (config->store && reporters_show_progress(config->reporters))
        session_times_load(&s->times, config->store, config->runner.plan, s->device);
    return 0;
}

/* Stores a record, and counts the time to the store's stage of the profile. */
static int session_store(const struct session_config *config, const struct record *record, struct error *error)
{
    profile_enter(PROFILE_STORE);
    int result = store_add(config->store, record, error);
    profile_enter(PROFILE_OTHER);
    return result;
}

static int session_record(void *context, const struct record *record, struct error *error)
{
    struct session *s = context;
    const struct session_config *config = s->config;
    if (record->last) {
        const struct testcase *planned = &config->runner.plan->cases[s->done];
        bool ran = record->verdict.status != STATUS_SKIP && record->verdict.status != STATUS_UNSUPPORTED &&
                   record->verdict.status != STATUS_INCOMPLETE;
        s->cases[s->done] = (struct cause_case){.name = planned->name, .ran = ran, .testcase = planned};
        if (record->verdict.status != STATUS_PASS || record_is_failure(record))
            causes_add(&s->causes, record, s->done);
        conformance_add(&s->conformance, record);
        session_times_add(&s->times, s->done++, record->recalled, config->reporters);
    }
    if (record->last && config->seen)
        config->seen(config->seen_context, record);
    profile_enter(PROFILE_PRINT);
    int result = record->last ? reporters_result(config->reporters, record, error) : 0;
    profile_enter(PROFILE_OTHER);
    if (result)
        return result;
    return config->store && !record->kept ? session_store(config, record, error) : 0;
}

static int session_keep(void *context, const struct record *record, struct error *error)
{
    const struct session *s = context;
    return s->config->store ? session_store(s->config, record, error) : 0;
}

/* The context of session_recalled(), which takes the records of a case that an earlier part of the run finished. The
 * records keep their standing. */
struct recalling {
    struct session *session;
    size_t index;
    struct record_total *total;
};

static int session_recalled(void *context, const struct record *record, struct error *error)
{
    const struct recalling *r = context;
    struct expect *expect = r->session->config->runner.expect;
    struct record again = *record;
    if (expect) /* counts for the line that expects it, which would be stale otherwise */
        expect_judge(expect, r->index, &again);
    record_add(r->total, record);
    again = *record;
    again.recalled = true;
    return session_record(r->session, &again, error);
}

static int session_recall(void *context, size_t index, struct record_total *total, struct error *error)
{
    struct session *s = context;
    struct recalling recalling = {s, index, total};
    return store_recall(s->config->store, s->config->runner.plan->cases[index].name, s->device, session_recalled,
                        &recalling, error);
}

static void session_slow(void *context, const struct runner_now *now)
{
    const struct session *s = context;
    if (s->config->slow)
        s->config->slow(s->device, now);
}

static int session_pulse(void *context, const struct runner_now *now, unsigned count, struct error *error)
{
    const struct session *s = context;
    struct store_running running[RUNNER_JOBS_MAX];
    for (unsigned i = 0; i < count; i++)
        running[i] = (struct store_running){now[i].case_name, now[i].count, (double)now[i].ns * 1e-9};
    if (s->config->watch)
        s->config->watch(s->device, s->done, s->config->runner.plan->count, now, count);
    profile_enter(PROFILE_STORE);
    int result = s->config->store ? store_note_running(s->config->store, running, count, error) : 0;
    profile_enter(PROFILE_PRINT);
    if (result == 0)
        result = reporters_flush(s->config->reporters, error);
    profile_enter(PROFILE_OTHER);
    return result;
}

/* Groups the failures, and has the groups printed with the totals. */
static int session_end_run(struct session *s, const struct runner_total *total, struct error *error)
{
    const struct session_config *config = s->config;
    struct format_total format = {.records = total->records, .elapsed_ns = total->elapsed_ns};
    struct cause_group *groups = NULL;
    int result = 0;
    s->causes.seed = config->runner.seed;
    if (s->causes.count > 0)
        format.group_count = causes_group(&s->causes, s->cases, s->done, &groups);
    format.groups = groups;
    format.causes = &s->causes;
    /* Otherwise most operators were not tried as a whole, or not as precisely as they must be. */
    if (config->scope.whole_plan && config->shards <= 1 && !config->scope.half)
        format.conformance = &s->conformance;
    format.declared = s->declared;
    if (s->causes.failed)
        result = error_set(error, EXIT_HARNESS, "out of memory for the causes of failures");
    reporters_end_run(config->reporters, &format);
    profile_enter(PROFILE_STORE);
    free(groups);
    if (config->store && result == 0)
        result = store_end_run(config->store, total->records.counts[STATUS_INCOMPLETE] == 0, error);
    return result;
}

int session_run(const struct session_config *config, struct runner_total *total, struct error *error)
{
    const struct plan *plan = config->runner.plan;
    struct runner_config runner = config->runner;
    struct session session = {.config = config,
                              .device = runner.device,
                              .known = calloc(plan->count, sizeof *session.known),
                              .cases = calloc(plan->count + 1, sizeof *session.cases)};
    uint32_t *order = config->shuffle ? plan_shuffled(plan, config->shuffle) : NULL;
    runner.half = config->scope.half;
    runner.order = order;
    runner.finished = session.known;
    runner.started = session_started;
    runner.record = session_record;
    runner.keep = session_keep;
    runner.recall = session_recall;
    runner.slow = session_slow;
    runner.pulse = session_pulse;
    runner.context = &session;
    int result = session.known && session.cases ? runner_run(&runner, total, error)
                                                : error_set(error, EXIT_HARNESS, "out of memory");
    sandbox_report(runner.sandbox, runner.device);
    session_times_free(&session.times);
    free(session.known);
    free(order);
    if (result == 0 && config->ended)
        config->ended(config, total);
    if (result == 0)
        result = session_end_run(&session, total, error);
    causes_free(&session.causes);
    conformance_free(&session.conformance);
    free(session.cases);
    return result;
}
