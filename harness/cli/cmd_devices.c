#include "harness/cli/cmd_devices.h"

#include "harness/cli/cmd_run.h"
#include "harness/base/clock.h"
#include "harness/base/datatype.h"
#include "harness/worker/process.h"
#include "harness/base/text.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT 5  /* seconds for a case, unless the user says otherwise */
#define OPENING 12 /* time limit for opening a device, in time limits of a case: it may compile shaders */
enum {
    CLOSE_MS = 5000,
    POLL_MS = 100, /* the time between checks for an interrupt */
    DEVICES_MAX = 64
};

struct values {
    struct cmd_source source;
    uint64_t timeout;
    bool json;
};

/* Opens the device in a worker, like a run, and waits for its hello. If that fails, returns false and sets
 * hello->status and hello->message; EXIT_HARNESS: the device is not to blame. */
static bool devices_ask(const char *device, const struct cmd_plan *plan, struct sandbox *sandbox, unsigned limit_ms,
                        struct wire_hello *hello)
{
    struct process process;
    struct wire_header header;
    const char *body;
    bool alive = true, heard = false;
    const struct process_config config = {
        .device = device, .specs = plan->specs_folder, .set = &plan->specs, .sandbox = sandbox};
    struct error error = {0};
    if (!process_start(&process, &config, &error)) {
        snprintf(hello->message, sizeof hello->message, "%.*s", (int)sizeof hello->message - 1, error.text);
        hello->status = EXIT_HARNESS;
        return false;
    }
    const uint64_t deadline = clock_ns() + limit_ms * (uint64_t)1000000;
    while (alive && !heard && clock_ns() < deadline && !runner_interrupted()) {
        struct pollfd wait[] = {{.fd = process.socket, .events = POLLIN}, {.fd = process.pidfd, .events = POLLIN}};
        bool judge;
        process_continue(&process, &judge);
        if (poll(wait, 2, POLL_MS) <= 0)
            continue;
        alive = process_pump(&process) && !wait[1].revents;
        heard = process_message(&process, &header, &body);
    }
    heard = heard && header.size == sizeof *hello;
    if (heard)
        memcpy(hello, body, sizeof *hello);
    char how[900] = "", late[64];
    snprintf(late, sizeof late, "no answer within %u s", limit_ms / 1000);
    process_stop(&process, heard ? CLOSE_MS : 0);
    char harm[400];
    bool harmed = process_harmed(&process, harm, sizeof harm);
    if (!heard)
        hello->status = process.failed && !harmed ? EXIT_HARNESS : EXIT_NO_DEVICE;
    const char *reason = harmed ? harm : NULL;
    if (alive && !heard)
        reason = late;
    process_describe(&process, reason, true, how, sizeof how);
    process_close(&process);
    process_wait_judges();
    process_kill_orphans(NULL, 0);
    if (runner_interrupted())
        snprintf(hello->message, sizeof hello->message, "interrupted");
    else if (!heard)
        snprintf(hello->message, sizeof hello->message, "device '%s': %s while opening it", device, how);
    return heard && hello->status == EXIT_AS_EXPECTED;
}

/* ---- output for people */

/* Prints a text that may contain any bytes, since it is the device's. */
static void devices_print_text(const char *what, const char *text)
{
    if (!*text)
        return;
    printf("  %-15s ", what);
    text_print(stdout, text);
    putchar('\n');
}

static void devices_print_hello(const struct cmd_devices_answer *a, const struct sandbox *sandbox)
{
    char held[256];
    const assay_device_info *info = &a->hello.info;
    if (!a->open) {
        printf("  not available: ");
        text_print(stdout, a->hello.message);
        putchar('\n');
        return;
    }
    devices_print_text("name", info->name);
    devices_print_text("driver", info->driver);
    devices_print_text("version", info->version);
    printf("  interface       ABI %u\n", ASSAY_DEVICE_ABI); /* devices with another ABI are not opened */
    printf("  feature level   %s\n", info->feature_level ? level_name(info->feature_level) : "none promised");
    printf("  data types     ");
    for (unsigned type = 1; type < DATATYPE_COUNT; type++)
        if (a->hello.data_types >> type & 1)
            printf(" %s", datatype_of(type)->name);
    printf("\n  largest tensor  ");
    if (info->max_tensor_bytes)
        printf("%llu bytes\n", (unsigned long long)info->max_tensor_bytes);
    else
        puts("as memory allows");
    printf("  batch           %u\n", info->max_batch);
    sandbox_describe(sandbox, held, sizeof held);
    printf("  sandbox         %s\n", held);
}

/* Returns the data types in the tables of the probed operators, as bits. */
static uint32_t devices_types_of(const struct probe *probe, const struct spec_set *specs)
{
    uint32_t types = 0;
    for (int i = 0; i < probe->operator_count; i++)
        for (int g = 0; g < specs->specs[i].group_count && probe->operators[i].planned; g++)
            types |= specs->specs[i].levels[probe->operators[i].table].types[g];
    return types;
}

/* The widths of the columns with names of operators and of groups. */
struct widths {
    int name, group;
};

static void devices_widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    if (*width < length)
        *width = length;
}

static struct widths widths_of(const struct probe *probe, const struct spec_set *specs)
{
    struct widths widths = {20, 7};
    for (int i = 0; i < probe->operator_count; i++) {
        const struct probe_operator *op = &probe->operators[i];
        if (op->wanted)
            devices_widen(&widths.name, specs->specs[i].name);
        for (int g = 0; op->planned && g < specs->specs[i].group_count; g++)
            devices_widen(&widths.group, specs->specs[i].groups[g]);
    }
    return widths;
}

static void devices_print_row(const struct spec *spec, const struct probe_operator *op, int group, uint32_t types,
                              struct widths widths)
{
    printf("  %-*s %-*s", widths.name, group == 0 ? spec->name : "", widths.group, spec->groups[group]);
    for (unsigned type = 1; type < DATATYPE_COUNT; type++) {
        const char *answer = probe_answer(&op->types[group][type]);
        int width = types >> (type + 1) ? (int)strlen(datatype_of(type)->name) : 0; /* no spaces at the end */
        if (!*answer)
            answer = spec->levels[op->table].types[group] >> type & 1 ? "?" : ".";
        if (types >> type & 1)
            printf(" %-*s", width, answer);
    }
    putchar('\n');
}

static void devices_print_table(const struct probe *probe, const struct spec_set *specs)
{
    uint32_t types = devices_types_of(probe, specs);
    struct widths widths = widths_of(probe, specs);
    printf("\n  %-*s %-*s", widths.name, "operator", widths.group, "tensors");
    for (unsigned type = 1; type < DATATYPE_COUNT; type++)
        if (types >> type & 1)
            printf(" %s", datatype_of(type)->name);
    putchar('\n');
    for (int i = 0; i < probe->operator_count; i++) {
        const struct spec *spec = &specs->specs[i];
        if (probe->operators[i].table < 0 && probe->operators[i].wanted) {
            printf("  %-*s from feature level %s on\n", widths.name, spec->name, level_name(spec->since));
            continue;
        }
        for (int g = 0; g < spec->group_count && probe->operators[i].planned; g++)
            devices_print_row(spec, &probe->operators[i], g, types, widths);
    }
}

/* Prints the DimensionCounts whose answer differs from that of others, if there are any. */
static void print_dims(const struct spec *spec, const struct probe_operator *op)
{
    static const char *const answers[] = {"no", "some", "bad"};
    const char *lead = "";
    for (size_t a = 0; a < sizeof answers / sizeof *answers; a++) {
        bool any = false, others = false;
        for (size_t d = 1; d <= DML_TENSOR_DIMENSION_COUNT_MAX1; d++) {
            const char *answer = probe_answer(&op->dims[d]);
            any |= strcmp(answer, answers[a]) == 0;
            others |= *answer && strcmp(answer, answers[a]) != 0;
        }
        if (!any || !others)
            continue;
        printf("%s%s", *lead ? lead : "\n  ", *lead ? "" : spec->name);
        printf("%s DimensionCount", *lead ? "" : ":");
        for (size_t d = 1; d <= DML_TENSOR_DIMENSION_COUNT_MAX1; d++)
            if (strcmp(probe_answer(&op->dims[d]), answers[a]) == 0)
                printf(" %zu", d);
        printf(" %s", answers[a]);
        lead = ";";
    }
    if (*lead)
        putchar('\n');
}

/* Prints the first case of each status except pass. */
static void print_first(const struct spec *spec, const struct probe_operator *op)
{
    unsigned tried = 0;
    for (int s = 0; s < STATUS_COUNT; s++) {
        const struct probe_first *first = op->first[s];
        tried += op->counts[s];
        if (!first)
            continue;
        printf("\n  %s: %u %s, the first %s\n    ", spec->name, op->counts[s], status_name((enum status)s),
               first->case_name);
        text_print(stdout, first->message);
        putchar('\n');
        if (status_is_failure((enum status)s)) {
            printf("    reproduce  ");
            text_print(stdout, first->reproduce);
            putchar('\n');
        }
    }
    if (op->gave_up)
        printf("  %s: given up, %u of %u cases were not tried\n", spec->name, op->planned - tried, op->planned);
}

static void print_probe(const struct probe *probe, const struct spec_set *specs)
{
    unsigned counts[STATUS_COUNT] = {0}, tried = 0;
    devices_print_table(probe, specs);
    for (int i = 0; i < probe->operator_count; i++) {
        print_dims(&specs->specs[i], &probe->operators[i]);
        print_first(&specs->specs[i], &probe->operators[i]);
        for (int s = 0; s < STATUS_COUNT; s++) {
            counts[s] += probe->operators[i].counts[s];
            tried += probe->operators[i].counts[s];
        }
    }
    printf("\n  %u small legal cases tried:", tried);
    const char *comma = " ";
    for (int s = 0; s < STATUS_COUNT; s++)
        if (counts[s]) {
            printf("%s%u %s", comma, counts[s], status_name((enum status)s));
            comma = ", ";
        }
    putchar('\n');
    if (*probe->closing) {
        printf("  its process ");
        text_print(stdout, probe->closing);
        putchar('\n');
    }
}

/* ---- the command */

struct job {
    const struct values *values;
    struct cmd_plan plan;
    struct sandbox *sandbox;
    bool tries; /* run cases on the devices; otherwise only open them */
};

static int examine(const struct job *job, const char *device, bool first, int *status, struct error *error)
{
    struct cmd_devices_answer a = {.device = device};
    int result = 0;
    if (!job->values->json) { /* printed first, since opening may take long */
        text_print(stdout, device);
        putchar('\n');
        fflush(stdout);
    }
    const unsigned limit_ms = (unsigned)job->values->timeout * 1000 * OPENING;
    for (int try = 0; try < RUNNER_JUDGES && !a.open && (try == 0 || a.hello.status == EXIT_HARNESS); try++)
        a.open = devices_ask(device, &job->plan, job->sandbox, limit_ms, &a.hello);
    if (!a.open)
        *status = a.hello.status == EXIT_HARNESS ? EXIT_HARNESS : EXIT_NO_DEVICE;
    if (!job->values->json)
        devices_print_hello(&a, job->sandbox);
    fflush(stdout);
    if (a.open && job->tries) {
        struct probe_config config = {.plan = &job->plan.plan,
                                      .specs = &job->plan.specs,
                                      .specs_folder = job->plan.specs_folder,
                                      .device = device,
                                      .sandbox = job->sandbox,
                                      .declared = a.hello.info.feature_level,
                                      .timeout_ms = (unsigned)job->values->timeout * 1000};
        result = probe_run(&a.probe, &config, error);
        a.probed = result == 0;
        if (a.probed && probe_is_broken(&a.probe) && *status == 0)
            *status = EXIT_FAILURES;
    }
    if (job->values->json && result == 0)
        cmd_devices_json(&a, &job->plan.specs, first);
    else if (a.probed)
        print_probe(&a.probe, &job->plan.specs);
    probe_free(&a.probe);
    fflush(stdout);
    sandbox_report(job->sandbox, device);
    return result;
}

static int cmd_devices_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    const char *names[DEVICES_MAX], *pattern = probe_pattern;
    const char *const *devices = arguments->items;
    size_t count = arguments->count;
    struct word_list patterns = {.items = &pattern, .count = 1};
    struct job job = {.values = v, .tries = count > 0};
    int status = 0;
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    int result =
        job.tries ? cmd_load(&v->source, &patterns, &job.plan, error) : cmd_load_specs(&v->source, &job.plan, error);
    if (result == 0)
        result = cmd_sandbox(&v->source.allow, &job.sandbox, error);
    if (result) {
        cmd_unload(&job.plan);
        return result;
    }
    if (!job.tries) {
        count = (size_t)paths_devices(names, DEVICES_MAX);
        devices = names;
    }
    if (v->json)
        printf("{\"devices\": [");
    runner_catch_signals();
    for (size_t i = 0; i < count && result == 0 && !runner_interrupted(); i++) {
        if (i > 0 && !v->json && job.tries)
            putchar('\n');
        result = examine(&job, devices[i], i == 0, &status, error);
    }
    if (v->json) {
        char sandbox[256];
        sandbox_describe(job.sandbox, sandbox, sizeof sandbox);
        printf("], \"sandbox\": ");
        text_print_json(stdout, sandbox);
        puts("}");
    }
    sandbox_free(job.sandbox);
    cmd_unload(&job.plan);
    if (runner_interrupted())
        return error_set(error, EXIT_INCOMPLETE, "interrupted");
    if (result == 0 && job.tries)
        result = status;
    return result;
}

static const struct values defaults = {.timeout = TIMEOUT};

static const struct option options[] = {
    {0, "json", NULL, OPTION_FLAG, offsetof(struct values, json), "print JSON"},
    {0, "timeout", "SECONDS", OPTION_UINT, offsetof(struct values, timeout),
     "time limit for one case " CMD_DEFAULT(TIMEOUT) "; opening a device may take " CMD_TEXT(OPENING) " times as long"},
    CMD_ALLOW_OPTION(struct values, source.allow),
    {'o', "operator", "OPERATOR", OPTION_LIST, offsetof(struct values, source.operators),
     "only this operator (repeatable)"},
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, source.specs), CMD_SPECS_HELP},
    {0, "cases", "PATH", OPTION_LIST, offsetof(struct values, source.cases), CMD_CASES_HELP},
    {0}};

const struct command cmd_devices = {
    .name = "devices",
    .arguments = "[DEVICE…]",
    .summary = "print devices and what they support",
    .examples = "assay devices\n"
                "assay devices ./mydevice.so\n"
                "assay devices --json vulkan:device=llvmpipe\n",
    .notes =
        "Without arguments, prints what the shipped devices report. A device that is named is also tried with small "
        "legal cases: each data type and DimensionCount in the newest tables up to its feature level, or in those of "
        "all levels if it declares none.\n\n"
        "In the table, \"yes\" means correct, \"no\" unsupported, as the device reports and may, \"some\" yes for one "
        "case and no for another, \"bad\" broken: wrong outputs, a legal description rejected, support promised by "
        "the feature level missing, a crash, no answer. A dot means that the documents' tables do not have the "
        "combination. Below the table is the first case of each status except pass, with a command that reproduces "
        "failures.\n\n"
        "Exit status: 0; 1 if something is broken; 3 if a process of assay's own fails; 6 if a named device cannot be "
        "opened.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = cmd_devices_run};
