#include "harness/cli/cmd_compare.h"
#include "harness/cli/cmd_run.h"
#include "harness/base/fileuse.h"
#include "harness/base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct session {
    const struct cmd_compare_session *asked;
    const struct cmd_plan *plan;
    struct changes_side *sides[2];
    enum changes_clock clock;
    struct store *store;     /* null: no database */
    struct sandbox *sandbox; /* for both devices */
    int64_t run_ids[2];      /* 0: not begun */
    struct plan timed;       /* the cases that pass on both devices */
    size_t *indices;         /* per timed case: its index in the plan */
    size_t lost;             /* samples that are missing because a timed case did not pass */
};

/* One pass over a plan on one of the devices. */
struct pass {
    struct session *session;
    int side;
    unsigned repeat; /* 0: the first pass, which warms up and decides the statuses */
    size_t next;     /* index of the next timed case */
};

/* ---- what the runner calls */

static void describe_run(struct changes_side *side, const struct session *session, int which,
                         const assay_device_info *info)
{
    char started[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    side->database = session->asked->database ? session->asked->database : "";
    side->run = (struct history_run){.device = session->asked->devices[which],
                                     .state = "running",
                                     .started = pool_string(&side->pool, started),
                                     .ended = "",
                                     .device_name = pool_string(&side->pool, info->name),
                                     .device_driver = pool_string(&side->pool, info->driver),
                                     .device_version = pool_string(&side->pool, info->version),
                                     .feature_level = info->feature_level ? level_name(info->feature_level) : "none",
                                     .version = ASSAY_VERSION,
                                     .purpose = "timing",
                                     .command = "assay compare --time",
                                     .partial = true,
                                     .half = session->asked->source->half,
                                     .device_hash = "",
                                     .device_build = "",
                                     .label = "",
                                     .revision = "",
                                     .branch = "",
                                     .seed = session->asked->seed,
                                     .planned = (int64_t)session->plan->plan.count};
}

static int compare_time_on_started(void *context, const assay_device_info *info, struct error *error)
{
    const struct pass *pass = context;
    struct session *s = pass->session;
    struct history_run *run = &s->sides[pass->side]->run;
    if (pass->repeat > 0) {
        if (s->store)
            store_go_on(s->store, s->run_ids[pass->side]);
        return 0;
    }
    describe_run(s->sides[pass->side], s, pass->side, info);
    struct origin origin;
    origin_find(&origin, run->device, &(struct origin_given){0});
    run->device_hash = pool_string(&s->sides[pass->side]->pool, origin.device_hash);
    run->device_build = pool_string(&s->sides[pass->side]->pool, origin.device_build);
    run->revision = pool_string(&s->sides[pass->side]->pool, origin.revision);
    run->branch = pool_string(&s->sides[pass->side]->pool, origin.branch);
    if (!s->store)
        return 0;
    struct pool texts = {0};
    struct store_scope scope = cmd_run_scope(&texts, s->asked->source, s->asked->filters);
    scope.purpose = "timing";
    struct store_run stored = {.version = run->version,
                               .seed = run->seed,
                               .planned = s->plan->plan.count,
                               .plan_hash = plan_hash(&s->plan->plan),
                               .command = "assay compare --time",
                               .device = run->device,
                               .device_name = run->device_name,
                               .device_driver = run->device_driver,
                               .device_version = run->device_version,
                               .feature_level = run->feature_level,
                               .scope = scope,
                               .origin = &origin};
    int result = store_begin_run(s->store, &stored, &s->run_ids[pass->side], error);
    run->id = s->run_ids[pass->side];
    pool_clear(&texts);
    return result;
}

static int add_first_result(struct session *s, int side, const struct record *record, struct error *error)
{
    const struct history_result result = {.case_name = record->case_name,
                                          .operator_name = record->operator_name,
                                          .rule = record->rule,
                                          .message = record->message,
                                          .reproduce = record->reproduce,
                                          .outcome = record->outcome,
                                          .status = record->verdict.status};
    if (!changes_add(s->sides[side], &result))
        return error_set(error, EXIT_HARNESS, "out of memory for the results of a run");
    return s->store ? store_add(s->store, record, error) : 0;
}

static bool passes(enum status status)
{
    return status == STATUS_PASS || status == STATUS_WARN;
}

static int compare_time_on_record(void *context, const struct record *record, struct error *error)
{
    struct pass *pass = context;
    struct session *s = pass->session;
    if (pass->repeat == 0)
        return add_first_result(s, pass->side, record, error);
    struct changes_case *c = &s->sides[pass->side]->cases[s->indices[pass->next++]];
    uint64_t ns = s->clock == CLOCK_HOST ? record->verdict.host_ns : record->verdict.device_ns;
    if (!passes(record->verdict.status)) {
        s->lost += record->verdict.status != STATUS_INCOMPLETE;
        return 0;
    }
    if (ns > 0)
        changes_add_sample(s->sides[pass->side], c, (double)ns);
    return s->store ? store_add_sample(s->store, record, pass->repeat, error) : 0;
}

static int compare_time_on_pulse(void *context, const struct runner_now *now, unsigned count, struct error *error)
{
    const struct pass *pass = context;
    (void)now;
    (void)count;
    return pass->session->store ? store_flush(pass->session->store, error) : 0;
}

/* ---- passes */

static int run_pass(struct session *s, const struct plan *plan, int side, unsigned repeat, struct error *error)
{
    struct pass pass = {.session = s, .side = side, .repeat = repeat};
    struct runner_total total;
    char options[CMD_REPRODUCE_OPTIONS];
    cmd_run_reproduce_options(s->asked->source, options);
    struct runner_config config = {.plan = plan,
                                   .specs = &s->plan->specs,
                                   .specs_folder = s->plan->specs_folder,
                                   .device = s->asked->devices[side],
                                   .half = s->asked->source->half,
                                   .seed = s->asked->seed,
                                   .jobs = 1,
                                   .batch = 1, /* a batch has one time for all its cases */
                                   .timeout_ms = s->asked->timeout_ms,
                                   .sandbox = s->sandbox,
                                   .reproduce_options = options,
                                   .started = compare_time_on_started,
                                   .record = compare_time_on_record,
                                   .pulse = compare_time_on_pulse,
                                   .context = &pass};
    int result = runner_run(&config, &total, error);
    sandbox_report(s->sandbox, config.device);
    return result == 0 && total.interrupted ? EXIT_INCOMPLETE : result;
}

/* Chooses the cases to be timed: those that pass on both sides, whose cases are still in plan order here. */
static int choose_timed(struct session *s, struct error *error)
{
    size_t count = s->plan->plan.count;
    s->timed.cases = calloc(count + 1, sizeof *s->timed.cases);
    s->indices = calloc(count + 1, sizeof *s->indices);
    if (!s->timed.cases || !s->indices)
        return error_set(error, EXIT_HARNESS, "out of memory for %zu cases", count);
    for (size_t i = 0; i < count; i++)
        if (passes(s->sides[0]->cases[i].status) && passes(s->sides[1]->cases[i].status)) {
            s->indices[s->timed.count] = i;
            s->timed.cases[s->timed.count++] = s->plan->plan.cases[i];
        }
    return 0;
}

static void compare_time_show_progress(unsigned done, unsigned all)
{
    if (!isatty(STDERR_FILENO))
        return;
    char line[64];
    snprintf(line, sizeof line, "repeat %u of %u", done + 1, all);
    if (done < all)
        fprintf(stderr, "\r%.*s", terminal_columns(stderr) - 1, line);
    else
        fputs("\r\033[K", stderr);
}

/* The devices take turns, and take turns at being first, so that drift affects both. */
static int compare_time_measure(struct session *s, struct error *error)
{
    int result = 0;
    for (int side = 0; side < 2 && result == 0; side++)
        result = run_pass(s, &s->plan->plan, side, 0, error);
    if (result == 0)
        result = choose_timed(s, error);
    for (unsigned repeat = 1; repeat <= s->asked->repeats && result == 0 && s->timed.count > 0; repeat++) {
        compare_time_show_progress(repeat - 1, s->asked->repeats);
        for (int turn = 0; turn < 2 && result == 0; turn++)
            result = run_pass(s, &s->timed, (turn + (int)repeat) % 2, repeat, error);
    }
    compare_time_show_progress(s->asked->repeats, s->asked->repeats);
    if (s->lost > 0)
        fprintf(stderr, "assay: %zu samples are missing: cases that had passed did not pass again\n", s->lost);
    return result;
}

static int end_runs(struct session *s, bool complete, struct error *error)
{
    int result = 0;
    for (int side = 0; side < 2; side++) {
        s->sides[side]->run.state = complete ? "complete" : "incomplete";
        if (!s->store || !s->run_ids[side])
            continue;
        store_go_on(s->store, s->run_ids[side]);
        int ended = store_end_run(s->store, complete, error);
        result = result ? result : ended;
    }
    return result;
}

int cmd_compare_time(const struct cmd_compare_session *asked, struct cmd_compare *compare, struct error *error)
{
    struct cmd_plan plan;
    struct session s = {
        .asked = asked, .plan = &plan, .sides = {&compare->before, &compare->after}, .clock = compare->clock};
    struct fileuse files = {0};
    for (int side = 0; side < 2; side++)
        fileuse_add_device(&files, asked->devices[side]);
    fileuse_add_plan(&files, asked->source->specs, &asked->source->cases);
    fileuse_add(&files, FILEUSE_STORE, "--db", asked->database);
    int result = fileuse_check(&files, error);
    if (result == 0)
        result = cmd_load(asked->source, asked->filters, &plan, error);
    if (result)
        return result;
    runner_catch_signals();
    result = cmd_sandbox(&asked->source->allow, &s.sandbox, error);
    if (result == 0 && asked->database)
        result = store_open(asked->database, &s.store, error);
    if (result == 0)
        result = compare_time_measure(&s, error);
    int ended = end_runs(&s, result == 0, error), closed = store_close(s.store, error);
    changes_sort(&compare->before);
    changes_sort(&compare->after);
    sandbox_free(s.sandbox);
    free(s.timed.cases);
    free(s.indices);
    cmd_unload(&plan);
    if (result == EXIT_INCOMPLETE && compare->after.count == 0)
        error_set(error, EXIT_INCOMPLETE, "interrupted before both devices had run");
    if (result == 0)
        result = ended;
    return result ? result : closed;
}
