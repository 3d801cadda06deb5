#include "harness/host/call_script.h"

#include "harness/base/clock.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { HIDE_MS = 2 /* in this time a running thread of the device is likely to touch a tensor */ };

static struct {
    assay_device *devices[STEP_DEVICES];
    assay_operator *operators[STEP_OBJECTS];
    assay_compiled *compiled[STEP_OBJECTS];
} made;

static void script_wait_ms(unsigned ms)
{
    const struct timespec time = {.tv_nsec = (long)ms * 1000000};
    nanosleep(&time, NULL);
}

/* ---- the resources that the process uses */

static uint32_t count_entries(const char *path)
{
    uint32_t count = 0;
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static uint32_t count_lines(const char *path)
{
    uint32_t count = 0;
    char part[4096];
    FILE *file = fopen(path, "re");
    for (size_t size; file && (size = fread(part, 1, sizeof part, file)) > 0;)
        for (size_t i = 0; i < size; i++)
            count += part[i] == '\n';
    if (file)
        fclose(file);
    return count;
}

/* A program with a sanitizer has this function of its allocator. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static uint64_t allocated(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void script_measure(struct step_usage *usage)
{
    unsigned long long size = 0, resident = 0, shared = 0;
    usage->bytes = allocated();
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%llu %llu %llu", &size, &resident, &shared) == 3) {
        uint64_t kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
        usage->private_kib = (resident - shared) * kib;
        usage->space_kib = size * kib;
    }
    if (file)
        fclose(file);
    usage->mappings = count_lines("/proc/self/maps");
    usage->files = count_entries("/proc/self/fd");
    usage->threads = count_entries("/proc/self/task");
}

/* ---- how long calls take */

/* Durations of the process, in nanoseconds. */
struct durations {
    uint64_t clock;
    uint64_t processor; /* CPU time of all threads */
    uint64_t delays;    /* in which threads could have run, but other processes had the processors */
};

static uint64_t processor_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Returns how long threads that still live were delayed; 0 where the kernel does not count it. */
static uint64_t delays_ns(void)
{
    uint64_t sum = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[64];
        unsigned long long delay;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", entry->d_name);
        FILE *file = *entry->d_name == '.' ? NULL : fopen(path, "re");
        if (file && fscanf(file, "%*u %llu", &delay) == 1)
            sum += delay;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return sum;
}

static struct durations durations_now(void)
{
    return (struct durations){.clock = clock_ns(), .processor = processor_ns(), .delays = delays_ns()};
}

/* Returns how long the device has worked since then: its waits count (for a GPU, for a program that it has started),
 * delays by other processes do not. */
static uint64_t charged_since(struct durations then)
{
    const struct durations now = durations_now();
    uint64_t clock = now.clock - then.clock, processor = now.processor - then.processor;
    uint64_t delays = now.delays > then.delays ? now.delays - then.delays : 0;
    uint64_t work = clock > delays ? clock - delays : 0;
    work = work > processor ? work : processor; /* delays of several threads at once are counted several times */
    return work < clock ? work : clock;
}

/* ---- calls */

static void take_message(const struct plugin *p, assay_device *device, struct step_answer *answer)
{
    const char *text = p->api->message(device);
    answer->null_message = text == NULL;
    snprintf(answer->message, sizeof answer->message, "%s", text ? text : "");
}

static void script_open_device(const struct plugin *p, const char *arguments, const struct step *step,
                               struct step_answer *answer)
{
    const assay_device_config config = {.size = sizeof config, .arguments = arguments};
    assay_device *device = NULL;
    answer->result = p->api->create_device(&config, &device, answer->message, sizeof answer->message);
    answer->message[sizeof answer->message - 1] = '\0';
    answer->has_result = device != NULL;
    made.devices[step->device] = SUCCEEDED(answer->result) ? device : NULL;
}

static void script_describe(const struct plugin *p, assay_device *device, struct step_answer *answer)
{
    static const uint32_t none[] = {0, 31, 255, 0x7fffffff, 0xffffffff};
    struct {
        assay_device_info info;
        uint8_t past[256];
    } memory = {.info = {.size = sizeof memory.info}};
    answer->result = p->api->describe(device, &memory.info);
    for (size_t i = 0; i < sizeof memory.past; i++)
        answer->wrote_past |= memory.past[i] != 0;
    answer->info = memory.info;
    for (uint32_t type = 1; type < 31; type++)
        if (p->api->supports_data_type(device, (DML_TENSOR_DATA_TYPE)type))
            answer->data_types |= 1u << type;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        answer->data_types |= p->api->supports_data_type(device, (DML_TENSOR_DATA_TYPE)none[i]) != 0;
    take_message(p, device, answer);
}

/* Takes the tensors of the last dispatch away for a moment: a running thread that touches one ends the process. */
static void hide(const struct exchange *exchange)
{
    for (int hidden = 1; hidden >= 0; hidden--) {
        for (uint64_t i = 0; i < exchange->place_count; i++) {
            const struct place *place = &exchange->places[i];
            int usual = place->input ? PROT_READ : PROT_READ | PROT_WRITE;
            mprotect((void *)(uintptr_t)place->pages, place->capacity, hidden ? PROT_NONE : usual);
        }
        if (hidden)
            script_wait_ms(HIDE_MS);
    }
}

static void script_dispatch(const struct plugin *p, struct exchange *exchange, const struct step *step, uint32_t first,
                            struct step_answer *answer)
{
    static assay_dispatch_item items[EXCHANGE_CASES];
    uint32_t room = EXCHANGE_CASES - (first < EXCHANGE_CASES ? first : EXCHANGE_CASES);
    uint32_t count = step->item_count < room ? step->item_count : room;
    struct plugin on = *p;
    on.device = made.devices[step->device];
    for (uint32_t i = 0; i < count; i++) {
        const struct exchange_item *item = &exchange->items[first + i];
        items[i] = (assay_dispatch_item){.compiled = made.compiled[item->slot % STEP_OBJECTS],
                                         .inputs = item->inputs,
                                         .outputs = item->outputs,
                                         .input_count = item->input_count,
                                         .output_count = item->output_count};
    }
    exchange->dispatched = calls_dispatch(&on, items, count, exchange->results + first, exchange->message);
    answer->result = exchange->dispatched;
    if (step->hide)
        hide(exchange);
}

static void close_device(const struct plugin *p, const struct step *step, bool measures, struct step_answer *answer)
{
    p->api->destroy_device(made.devices[step->device]);
    made.devices[step->device] = NULL;
    if (measures)
        script_measure(&answer->usage);
}

/* Returns true if a call, and all items of a dispatch, succeeded. */
static bool succeeded(const struct exchange *exchange, uint32_t index)
{
    const struct exchange_step *at = &exchange->steps[index];
    bool good = SUCCEEDED(exchange->answers[index].result) && !exchange->answers[index].skipped;
    for (uint32_t i = at->first_item; i < at->first_item + at->step.item_count && i < EXCHANGE_CASES; i++)
        good &= at->step.call != STEP_DISPATCH || SUCCEEDED(exchange->results[i].status);
    return good;
}

static void script_make_step(const struct plugin *p, struct exchange *exchange, uint32_t index, bool measures)
{
    struct exchange_step *at = &exchange->steps[index];
    const struct step step = at->step;
    struct step_answer *answer = &exchange->answers[index];
    assay_operator **op = &made.operators[step.op % STEP_OBJECTS];
    assay_compiled **compiled = &made.compiled[step.compiled % STEP_OBJECTS];
    made.devices[0] = p->device;
    assay_device *device = made.devices[step.device % STEP_DEVICES];
    memset(answer, 0, sizeof *answer);
    if (step.call == STEP_OPEN
            ? !p->api->create_device
            : !device || (!*op && step.call == STEP_COMPILE) || (!*op && step.call == STEP_DESTROY_OPERATOR) ||
                  (!*compiled && step.call == STEP_DESTROY_COMPILED)) {
        answer->skipped = 1;
        return;
    }
    switch (step.call) {
    case STEP_OPEN:
        script_open_device(p, exchange->arguments, &step, answer);
        break;
    case STEP_DESCRIBE:
        script_describe(p, device, answer);
        break;
    case STEP_CREATE:
        *op = NULL;
        answer->result = p->api->create_operator(device, at->creation.desc, op);
        answer->has_result = *op != NULL;
        memset(at->creation.memory, 0xEE, at->creation.size);
        break;
    case STEP_COMPILE:
        *compiled = NULL;
        answer->result = p->api->compile_operator(device, *op, at->creation.flags, compiled);
        answer->has_result = *compiled != NULL;
        break;
    case STEP_DISPATCH:
        script_dispatch(p, exchange, &step, at->first_item, answer);
        break;
    case STEP_DESTROY_COMPILED:
        p->api->destroy_compiled(device, *compiled);
        *compiled = NULL;
        break;
    case STEP_DESTROY_OPERATOR:
        p->api->destroy_operator(device, *op);
        *op = NULL;
        break;
    case STEP_CLOSE:
        close_device(p, &step, measures, answer);
        break;
    case STEP_DESTROY_NULL:
        p->api->destroy_compiled(device, NULL);
        p->api->destroy_operator(device, NULL);
        p->api->destroy_device(NULL);
        break;
    case STEP_MEASURE:
        script_measure(&answer->usage);
        break;
    default:
        break;
    }
    if (FAILED(answer->result) && device && step.call != STEP_DISPATCH)
        take_message(p, device, answer);
}

bool script_step(const struct plugin *p, struct exchange *exchange, uint32_t index)
{
    script_make_step(p, exchange, index, true);
    return succeeded(exchange, index);
}

/* ---- repeated steps */

/* Copies of the descriptions: the device's calls overwrite the originals. */
static void *saved[STEPS_MAX];
static struct durations repeat_start;

bool script_repeat_start(const struct exchange *exchange, uint32_t count)
{
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct exchange_creation *creation = &exchange->steps[i].creation;
        if (exchange->steps[i].step.call != STEP_CREATE)
            continue;
        saved[i] = malloc(creation->size);
        good &= saved[i] != NULL;
        if (saved[i])
            memcpy(saved[i], creation->memory, creation->size);
    }
    repeat_start = durations_now();
    return good;
}

bool script_repeat_step(const struct plugin *p, struct exchange *exchange, uint32_t index)
{
    const struct exchange_step *at = &exchange->steps[index];
    if (saved[index])
        memcpy(at->creation.memory, saved[index], at->creation.size);
    script_make_step(p, exchange, index, false);
    return succeeded(exchange, index);
}

void script_repeat_end(struct exchange *exchange, uint32_t count)
{
    exchange->repeated_ns = charged_since(repeat_start);
    for (uint32_t i = 0; i < count; i++) {
        if (saved[i])
            memcpy(exchange->steps[i].creation.memory, saved[i], exchange->steps[i].creation.size);
        free(saved[i]);
        saved[i] = NULL;
    }
    script_measure(&exchange->used);
}
