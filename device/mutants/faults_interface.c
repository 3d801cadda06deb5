/* faults_interface.c: broken promises of device.h: state kept over many calls, wrong answers to describe(), changes of
 * the process. */
#include "device/mutants/faults.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the item with other inputs. */
static HRESULT run_with(const struct strike *s, const assay_binding *inputs)
{
    assay_dispatch_item item = *s->item;
    item.inputs = inputs;
    naive_run(s->descriptor, &item, BUG_NONE);
    return S_FALSE;
}

/* ---- state of many dispatches */

static HRESULT third_input(const struct strike *s)
{
    struct history *h = s->history;
    assay_binding in[8];
    if (h->dispatches == 1)
        h->input = s->item->inputs[0];
    if (h->dispatches < 3 || s->item->input_count == 0 || s->item->input_count > 8)
        return S_OK;
    memcpy(in, s->item->inputs, s->item->input_count * sizeof *in);
    in[0] = h->input;
    return run_with(s, in);
}

static bool same(const assay_binding *a, const assay_binding *b)
{
    return a->base == b->base && a->offset == b->offset && a->size == b->size;
}

static HRESULT skip_same(const struct strike *s)
{
    struct history *h = s->history;
    bool again = h->dispatches > 1 && s->item->input_count && same(&h->input, &s->item->inputs[0]) &&
                 same(&h->output, &s->item->outputs[0]);
    h->input = s->item->input_count ? s->item->inputs[0] : (assay_binding){0};
    h->output = s->item->outputs[0];
    return again ? S_FALSE : S_OK;
}

static HRESULT first_offset(const struct strike *s)
{
    struct history *h = s->history;
    assay_binding in[8];
    if (s->item->input_count == 0 || s->item->input_count > 8)
        return S_OK;
    memcpy(in, s->item->inputs, s->item->input_count * sizeof *in);
    if (h->dispatches == 1)
        h->input = in[0];
    if (in[0].base != h->input.base)
        return S_OK;
    in[0].offset = h->input.offset;
    return run_with(s, in);
}

/* Does nothing if the first two inputs are one memory. */
static HRESULT skip_one_memory(const struct strike *s)
{
    const assay_binding *in = s->item->inputs;
    return s->item->input_count >= 2 && in[0].base && same(&in[0], &in[1]) ? S_FALSE : S_OK;
}

static HRESULT share_offset(const struct strike *s)
{
    assay_binding in[8];
    if (s->item->input_count < 2 || s->item->input_count > 8)
        return S_OK;
    memcpy(in, s->item->inputs, s->item->input_count * sizeof *in);
    for (uint32_t i = 1; i < s->item->input_count; i++)
        if (in[i].base == in[0].base)
            in[i].offset = in[0].offset;
    return run_with(s, in);
}

/* ---- answers */

static void call_success(assay_dispatch_result *result)
{
    if (result->status == S_OK)
        result->status = S_FALSE;
}

static void claim_time(assay_dispatch_result *result)
{
    result->device_ns = 1000000000000000000u;
}

static void use_reserved(assay_dispatch_result *result)
{
    result->reserved = 1;
}

static void no_batch(assay_device_info *info, unsigned n)
{
    (void)n;
    info->max_batch = 0;
}

static void another_level(assay_device_info *info, unsigned n)
{
    if (n > 1)
        info->feature_level = DML_FEATURE_LEVEL_5_0;
}

static void endless_name(assay_device_info *info, unsigned n)
{
    (void)n;
    memset(info->name, 'x', sizeof info->name);
}

static void latin_name(assay_device_info *info, unsigned n)
{
    (void)n;
    snprintf(info->name, sizeof info->name, "f\xfcr alle");
}

static void write_past(assay_device_info *info, unsigned n)
{
    (void)n;
    memset((uint8_t *)info + info->size, 1, 8);
}

/* ---- threads that touch tensors too late */

static void *read_on(void *input)
{
    for (int i = 0; i < 200; i++) {
        *(volatile uint8_t *)input;
        usleep(50);
    }
    return NULL;
}

static HRESULT read_late(const struct strike *s)
{
    pthread_t thread;
    void *input = fault_start_of(&s->item->inputs[0]);
    if (s->item->input_count && input && pthread_create(&thread, NULL, read_on, input) == 0)
        pthread_detach(thread);
    return S_OK;
}

/* ---- the process */

/* Forks a child that ends at once: it is gone when the call returns. */
static HRESULT fork_and_wait(const struct strike *s)
{
    (void)s;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child > 0 && waitpid(child, NULL, 0) == child ? S_OK : E_FAIL;
}

/* Forks a child whose child works on, for a moment, and ends by itself. */
static HRESULT fork_twice(const struct strike *s)
{
    (void)s;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            usleep(1000);
        _exit(0);
    }
    return child > 0 && waitpid(child, NULL, 0) == child ? S_OK : E_FAIL;
}

static HRESULT fork_to_create(HRESULT right, const struct descriptor *d)
{
    (void)d;
    return fork_and_wait(NULL) == S_OK ? right : E_FAIL;
}

/* Starts a program, which is allowed: the child becomes another program, which has ended when the call returns. */
static HRESULT run_program(const struct strike *s)
{
    (void)s;
    pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    return child > 0 && waitpid(child, NULL, 0) == child ? S_OK : E_FAIL;
}

static HRESULT lower_priority(const struct strike *s)
{
    (void)s;
    return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1) == 0 ? S_OK : E_FAIL;
}

static HRESULT lower_limit(const struct strike *s)
{
    struct rlimit limit;
    (void)s;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_cur > 200 ? 200 : 199;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? S_OK : E_FAIL;
}

static void on_realtime_signal(int signal)
{
    (void)signal;
}

static HRESULT take_real_time(const struct strike *s)
{
    (void)s;
    signal(SIGRTMIN + 3, on_realtime_signal);
    return S_OK;
}

static HRESULT set_thread_locale(const struct strike *s)
{
    static locale_t locale;
    (void)s;
    if (!locale)
        locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    uselocale(locale);
    return S_OK;
}

static HRESULT print_now(const struct strike *s)
{
    (void)s;
    return write(STDOUT_FILENO, "done\n", 5) == 5 ? S_OK : E_FAIL;
}

static HRESULT print_buffered(const struct strike *s)
{
    (void)s;
    fputs("done\n", stdout);
    return S_OK;
}

const struct fault interface_faults[] = {
    {.name = "slots-16",
     .cause = "rule:independent",
     .what = "more than 16 operators alive share slots",
     .special = SPECIAL_SLOTS,
     .slots = 16},
    {.name = "slots-256",
     .cause = "rule:independent",
     .what = "more than 256 operators alive share slots",
     .special = SPECIAL_SLOTS,
     .slots = 256},
    {.name = "third-input",
     .cause = "rule:independent",
     .what = "from the third dispatch on, the first input is the first one's",
     .before = third_input},
    {.name = "skip-same",
     .cause = "rule:independent",
     .what = "dispatch does nothing if the bindings are those of the last dispatch",
     .before = skip_same},
    {.name = "first-offset",
     .cause = "rule:independent",
     .what = "the first dispatch's offset is used while the base is the same",
     .before = first_offset},
    {.name = "skip-one-memory",
     .cause = "not-written",
     .what = "dispatch does nothing if the first two inputs have one memory",
     .before = skip_one_memory},
    {.name = "share-offset",
     .cause = "rule:independent",
     .what = "inputs with one base share the first one's offset",
     .before = share_offset},
    {.name = "second-program",
     .cause = "rule:independent",
     .what = "the second program compiled from an operator does nothing",
     .special = SPECIAL_SECOND_PROGRAM},
    {.name = "batch-once",
     .cause = "rule:independent",
     .what = "a program that occurs twice in a batch is run once",
     .special = SPECIAL_BATCH_ONCE},
    {.name = "lean-on-operator",
     .cause = "rule:operator-first",
     .what = "a program does nothing once its operator is destroyed",
     .special = SPECIAL_LEAN},
    {.name = "one-device",
     .cause = "rule:devices",
     .what = "a second device beside the first cannot be made",
     .special = SPECIAL_ONE_DEVICE},
    {.name = "one-device-ever",
     .cause = "rule:devices",
     .what = "a third device cannot be made, whatever devices were destroyed",
     .special = SPECIAL_ONE_DEVICE_EVER},
    {.name = "success-false",
     .cause = "rule:success",
     .what = "the status of every item is S_FALSE",
     .on_result = call_success},
    {.name = "claim-time", .cause = "rule:clock", .what = "an item takes 10^18 ns", .on_result = claim_time},
    {.name = "use-reserved", .cause = "rule:clock", .what = "the reserved member is 1", .on_result = use_reserved},
    {.name = "no-batch", .cause = "rule:describes", .what = "max_batch is 0", .on_describe = no_batch},
    {.name = "another-level",
     .cause = "rule:describes",
     .what = "the second describe() tells another level",
     .on_describe = another_level},
    {.name = "endless-name", .cause = "rule:describes", .what = "the name has no zero", .on_describe = endless_name},
    {.name = "latin-name", .cause = "rule:describes", .what = "the name is not UTF-8", .on_describe = latin_name},
    {.name = "write-past-info",
     .cause = "rule:describes",
     .what = "describe() writes past the struct",
     .on_describe = write_past},
    {.name = "any-type",
     .cause = "rule:data-types",
     .what = "every number is a data type",
     .special = SPECIAL_ANY_TYPE},
    {.name = "null-message",
     .cause = "rule:message",
     .what = "message() returns null",
     .special = SPECIAL_NULL_MESSAGE},
    {.name = "latin-message", .cause = "rule:message", .what = "message() is not UTF-8", .message = "f\xfcr alle"},
    {.name = "null-crash",
     .cause = "rule:destroy-null",
     .what = "destroy functions crash on null",
     .special = SPECIAL_NULL_CRASH},
    {.name = "full-table",
     .cause = "rule:independent",
     .what = "the table of operators has room for 80: the next one ends the process",
     .special = SPECIAL_FULL_TABLE,
     .slots = 80},
    {.name = "kept-lock",
     .cause = "rule:independent",
     .what = "destroy_operator() keeps its lock unless the operator is the oldest: the next call hangs",
     .special = SPECIAL_KEPT_LOCK},
    {.name = "lean-crash",
     .cause = "rule:operator-first",
     .what = "a program ends the process once its operator is destroyed",
     .special = SPECIAL_LEAN_CRASH},
    {.name = "read-late",
     .cause = "rule:tensors-in-dispatch",
     .what = "a thread reads an input after dispatch",
     .after = read_late},
    {.name = "fork-and-wait",
     .cause = "rule:fork",
     .what = "dispatch forks a child, which ends at once",
     .after = fork_and_wait},
    {.name = "fork-twice",
     .cause = "rule:fork",
     .what = "dispatch forks a child, which forks one, and both end",
     .after = fork_twice},
    {.name = "fork-to-create",
     .cause = "rule:fork",
     .what = "create_operator forks a child, which ends at once",
     .on_create = fork_to_create},
    {.name = "run-program",
     .kind = BUG_OPEN,
     .what = "dispatch runs another program, and waits for it",
     .after = run_program},
    {.name = "lower-priority",
     .cause = "rule:process-state",
     .what = "dispatch lowers the priority",
     .after = lower_priority},
    {.name = "lower-limit",
     .cause = "rule:process-state",
     .what = "dispatch lowers a resource limit",
     .after = lower_limit},
    {.name = "take-real-time",
     .cause = "rule:process-state",
     .what = "dispatch installs a handler of a real-time signal",
     .after = take_real_time},
    {.name = "thread-locale",
     .cause = "rule:process-state",
     .what = "dispatch sets the locale of the thread",
     .after = set_thread_locale},
    {.name = "print-now", .cause = "rule:output", .what = "dispatch prints to standard output", .after = print_now},
    {.name = "print-buffered",
     .cause = "rule:output",
     .what = "dispatch prints to the buffer of standard output",
     .after = print_buffered},
};

const unsigned interface_fault_count = sizeof interface_faults / sizeof *interface_faults;
