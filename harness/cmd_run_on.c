#include "harness/cmd_run.h"

#include <string.h>

struct context {
    const struct cmd_run_on *run;
    const char *device;
    char name[128], driver[128], version[64], level[8];
};

static int on_started(void *context, const assay_device_info *info, struct error *error)
{
    struct context *c = context;
    const struct cmd_run_on *run = c->run;
    const char *level = info->feature_level ? level_name(info->feature_level) : "none";
    struct format_run format = {.version = ASSAY_VERSION,
                                .device = c->device,
                                .device_name = info->name,
                                .device_driver = info->driver,
                                .feature_level = level,
                                .database = run->database,
                                .seed = run->seed,
                                .planned = run->plan->plan.count};
    struct store_run stored = {.version = ASSAY_VERSION,
                               .seed = run->seed,
                               .planned = run->plan->plan.count,
                               .plan_hash = plan_hash(&run->plan->plan),
                               .command = run->command,
                               .device = c->device,
                               .device_name = info->name,
                               .device_driver = info->driver,
                               .device_version = info->version,
                               .feature_level = level};
    int64_t id;
    if (run->store && store_begin_run(run->store, &stored, &id, error))
        return EXIT_HARNESS;
    outputs_begin_run(run->outputs, &format);
    return 0;
}

static int on_record(void *context, const struct record *record, struct error *error)
{
    struct context *c = context;
    const struct cmd_run_on *run = c->run;
    int result = outputs_result(run->outputs, record, error);
    if (result)
        return result;
    return run->store ? store_add(run->store, record, error) : 0;
}

static int on_idle(void *context, struct error *error)
{
    const struct context *c = context;
    return c->run->store ? store_flush(c->run->store, error) : 0;
}

int cmd_run_on(const struct cmd_run_on *run, const char *device, struct runner_total *total, struct error *error)
{
    struct context context = {.run = run, .device = device};
    struct runner_config config = {.plan = &run->plan->plan,
                                   .specs = &run->plan->specs,
                                   .specs_folder = run->plan->specs_folder,
                                   .device = device,
                                   .seed = run->seed,
                                   .jobs = run->jobs ? run->jobs : 1,
                                   .batch = run->batch,
                                   .timeout_ms = run->timeout_ms,
                                   .dump = run->dump,
                                   .reproduce_options = run->reproduce_options,
                                   .started = on_started,
                                   .record = on_record,
                                   .idle = on_idle,
                                   .context = &context};
    int result = runner_run(&config, total, error);
    if (result)
        return result;
    if (total->unexplained)
        fprintf(stderr,
                "assay: device '%s': %llu batches died as a whole, while each of their cases ended well alone\n",
                device, (unsigned long long)total->unexplained);
    if (*total->closing)
        fprintf(stderr, "assay: device '%s': its process was %s while closing it, after the last case\n", device,
                total->closing);
    struct format_total format = {.elapsed_ns = total->elapsed_ns};
    memcpy(format.counts, total->counts, sizeof format.counts);
    outputs_end_run(run->outputs, &format);
    return run->store ? store_end_run(run->store, total->counts[STATUS_INCOMPLETE] == 0, error) : 0;
}

int cmd_run_status(const struct runner_total *total)
{
    const uint64_t *counts = total->counts;
    uint64_t failures = total->unexplained + (*total->closing != '\0'),
             judged = counts[STATUS_PASS] + counts[STATUS_WARN];
    for (int s = 0; s < STATUS_COUNT; s++)
        failures += status_is_failure((enum status)s) ? counts[s] : 0;
    if (total->interrupted)
        return EXIT_INCOMPLETE;
    if (failures > 0)
        return EXIT_FAILURES;
    if (counts[STATUS_INCOMPLETE] > 0)
        return EXIT_INCOMPLETE;
    return judged > 0 ? EXIT_AS_EXPECTED : EXIT_NO_DEVICE;
}
