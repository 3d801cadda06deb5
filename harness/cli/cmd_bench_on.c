/* Measures cases on one device. */
#include "harness/cli/cmd_bench.h"

#include "harness/base/statistics.h"
#include "harness/case/fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The run that the runner's callbacks serve. */
struct context {
    const struct cmd_bench *bench;
    struct cmd_bench_result *result;
    const struct plan *plan;    /* the plan that is run now */
    struct cmd_bench_row *rows; /* one per case of the plan */
    size_t next;
    bool headed; /* the head of the table has been printed */
};

uint64_t cmd_bench_bytes(const struct testcase *c)
{
    uint64_t bytes = 0, largest = 0;
    bool selects = false;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        uint64_t total = c->desc->items[i].tensor.total;
        if (field_is_output(spec_tensor_field(c->spec, i)) && total > largest)
            largest = total;
        selects |= fill_is_index(c->spec, i);
    }
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        uint64_t total = c->desc->items[i].tensor.total;
        bytes += selects && !fill_is_index(c->spec, i) && total > largest ? largest : total;
    }
    return bytes;
}

/* ---- figures */

static void bench_on_sum_up(const struct measured *m, bool device, struct cmd_bench_times *out)
{
    double times[MEASURE_MOST];
    bool known = true;
    for (uint32_t i = 0; i < m->count; i++) {
        times[i] = (double)(device ? m->samples[i].device_ns : m->samples[i].host_ns);
        known &= times[i] > 0;
    }
    *out = (struct cmd_bench_times){0};
    if (!known)
        return;
    statistics_quartiles(times, m->count, out->quartiles);
    out->outliers = statistics_outliers(times, m->count, out->quartiles);
}

static double speed_of(const struct cmd_bench_row *row, const struct cmd_bench_times *times)
{
    return times->quartiles[1] > 0 ? (double)row->bytes / times->quartiles[1] : 0;
}

double cmd_bench_speed(const struct cmd_bench_row *row)
{
    double speed = speed_of(row, &row->device);
    return speed > 0 ? speed : speed_of(row, &row->host);
}

double cmd_bench_share(const struct cmd_bench_result *result, const struct cmd_bench_row *row)
{
    const struct cmd_bench_row *copy = &result->copy;
    bool both = row->device.quartiles[1] > 0 && copy->device.quartiles[1] > 0;
    double copied = both ? speed_of(copy, &copy->device) : speed_of(copy, &copy->host);
    double speed = both ? speed_of(row, &row->device) : speed_of(row, &row->host);
    return copied > 0 ? speed / copied : 0;
}

/* Prints a row at once, if people read it. */
static void bench_on_show(struct context *c, const struct cmd_bench_row *row)
{
    if (c->bench->json)
        return;
    if (!c->headed)
        cmd_bench_print_head(c->bench, c->result);
    c->headed = true;
    cmd_bench_print_row(c->result, row);
    fflush(stdout);
}

/* ---- what the runner calls */

/* Begins the run in the database, which the copies are not part of. */
static int bench_on_begin_run(const struct context *c, const assay_device_info *info, struct error *error)
{
    const struct cmd_bench *b = c->bench;
    struct origin origin;
    origin_find(&origin, c->result->device, &b->origin);
    const struct store_run run = {.version = ASSAY_VERSION,
                                  .seed = b->seed,
                                  .planned = c->plan->count,
                                  .plan_hash = plan_hash(c->plan),
                                  .command = "assay bench",
                                  .device = c->result->device,
                                  .device_name = info->name,
                                  .device_driver = info->driver,
                                  .device_version = info->version,
                                  .feature_level = info->feature_level ? level_name(info->feature_level) : "none",
                                  .shared_validation = info->flags & ASSAY_DEVICE_SHARED_VALIDATION,
                                  .scope = b->scope,
                                  .origin = &origin};
    return store_begin_run(b->store, &run, &c->result->run_id, error);
}

static int bench_on_started(void *context, const assay_device_info *info, struct error *error)
{
    struct context *c = context;
    struct cmd_bench_result *r = c->result;
    if (c->bench->store && c->rows == r->rows) {
        int result = bench_on_begin_run(c, info, error);
        if (result)
            return result;
    }
    if (r->name)
        return 0;
    r->name = pool_string(&r->pool, info->name);
    r->driver = pool_string(&r->pool, info->driver);
    r->version = pool_string(&r->pool, info->version);
    return 0;
}

/* Returns the reason why a case that ended well was not measured. */
static const char *why_not(const struct testcase *c)
{
    if (spec_is_interface(c->spec))
        return "not measured: it is a sequence of calls";
    return c->expect == EXPECT_RESULTS ? "not measured: it runs in place" : "not measured: it is not dispatched";
}

/* Stores the result, the samples and the comparison with the copy of a case; a share of 0 is none. */
static int bench_on_store(const struct cmd_bench *b, const struct record *record, double share, struct error *error)
{
    struct record sample = *record;
    int result = store_add(b->store, record, error);
    for (uint32_t i = 0; record->measured && i < record->measured->count && result == 0; i++) {
        sample.verdict.host_ns = record->measured->samples[i].host_ns;
        sample.verdict.device_ns = record->measured->samples[i].device_ns;
        result = store_add_sample(b->store, &sample, i + 1, error);
    }
    if (share > 0 && result == 0)
        result = store_add_share(b->store, record, share, error);
    return result;
}

static int bench_on_record(void *context, const struct record *record, struct error *error)
{
    struct context *c = context;
    struct cmd_bench_result *r = c->result;
    const struct testcase *testcase = &c->plan->cases[c->next];
    struct cmd_bench_row *row = &c->rows[c->next++];
    *row = (struct cmd_bench_row){.name = testcase->name,
                                  .status = record->verdict.status,
                                  .bytes = cmd_bench_bytes(testcase),
                                  .message = pool_string(&r->pool, record->message)};
    if (record->measured) {
        row->measured = malloc(sizeof *row->measured);
        if (!row->measured)
            return error_set(error, EXIT_HARNESS, "out of memory for samples");
        memcpy(row->measured, record->measured, sizeof *row->measured);
        bench_on_sum_up(row->measured, false, &row->host);
        bench_on_sum_up(row->measured, true, &row->device);
        if (*row->measured->state)
            r->state = row->measured->state;
    } else if (!*row->message)
        row->message = why_not(testcase);
    if (row == &r->copy)
        return 0;
    bench_on_show(c, row);
    if (!c->bench->store)
        return 0;
    return bench_on_store(c->bench, record, row->measured ? cmd_bench_share(r, row) : 0, error);
}

/* ---- runs */

static int bench_on_run_plan(struct context *c, struct runner_total *total, struct error *error)
{
    const struct cmd_bench *b = c->bench;
    const struct cmd_plan *loaded = c->plan == &b->plan->plan ? b->plan : b->copies;
    struct runner_config config = {.plan = c->plan,
                                   .specs = &loaded->specs,
                                   .specs_folder = loaded->specs_folder,
                                   .device = c->result->device,
                                   .half = b->source->half,
                                   .measure_ms = b->measure_ms,
                                   .seed = b->seed,
                                   .jobs = 1,
                                   .batch = 1,
                                   .timeout_ms = b->timeout_ms,
                                   .sandbox = b->sandbox,
                                   .reproduce_options = b->reproduce_options,
                                   .started = bench_on_started,
                                   .record = bench_on_record,
                                   .context = c};
    c->next = 0;
    int result = runner_run(&config, total, error);
    sandbox_report(b->sandbox, config.device);
    return result;
}

/* Measures the largest copy that the device can make. The copies are ordered by size. */
static int measure_copy(struct context *c, struct error *error)
{
    const struct plan *copies = &c->bench->copies->plan;
    int result = 0;
    for (size_t i = 0; i < copies->count && result == 0 && !c->result->copy.measured && !runner_interrupted(); i++) {
        const struct plan one = {.cases = &copies->cases[i], .count = 1};
        struct runner_total total;
        if (cmd_bench_bytes(&copies->cases[i]) / 2 > c->bench->copy_bytes)
            continue;
        c->plan = &one;
        c->rows = &c->result->copy;
        result = bench_on_run_plan(c, &total, error);
        if (status_is_failure(c->result->copy.status)) /* other failures are counted with the cases */
            record_add_total(&c->result->total.records, &total.records);
    }
    return result;
}

int cmd_bench_on(const struct cmd_bench *bench, const char *device, struct cmd_bench_result *out, struct error *error)
{
    struct runner_total total = {0};
    struct context c = {.bench = bench, .result = out};
    *out = (struct cmd_bench_result){.device = device, .state = ""};
    out->count = bench->plan->plan.count;
    out->rows = calloc(out->count + 1, sizeof *out->rows);
    if (!out->rows)
        return error_set(error, EXIT_HARNESS, "out of memory for %zu cases", out->count);
    int result = measure_copy(&c, error);
    if (result)
        return result;
    if (out->copy.name)
        bench_on_show(&c, &out->copy);
    c.plan = &bench->plan->plan;
    c.rows = out->rows;
    result = bench_on_run_plan(&c, &total, error);
    record_add_total(&total.records, &out->total.records);
    out->total = total;
    if (result == 0 && bench->store)
        result = store_clocks(bench->store, out->state, error);
    if (result == 0 && bench->store)
        result = store_end_run(bench->store, total.records.counts[STATUS_INCOMPLETE] == 0, error);
    if (c.headed && result == 0)
        cmd_bench_print_end(out);
    return result;
}

void cmd_bench_free(struct cmd_bench_result *result)
{
    for (size_t i = 0; result->rows && i < result->count; i++)
        free(result->rows[i].measured);
    free(result->copy.measured);
    free(result->rows);
    pool_clear(&result->pool);
}
