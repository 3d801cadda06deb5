/* No code here keeps a device from harming this process. The judge checks whatever this process says. */
#include "harness/host/host.h"

#include "harness/host/exchange.h"
#include "harness/host/fault.h"
#include "harness/host/process_state.h"
#include "harness/host/call_script.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEAP_KEPT = 64 << 20, /* bytes: the process keeps so much memory that a device frees, for the next batch */
    HEAP_STEP = 1 << 20,  /* bytes: the heap grows by steps of this size */
    HEAP_BLOCK = 32 << 20 /* bytes: a block of this size or more has a mapping of its own, and freeing it unmaps it */
};

struct host {
    const struct host_config *config;
    struct exchange *exchange;
    struct plugin plugin;
    struct process_state *process_state;
    struct call_objects slots[EXCHANGE_CASES];
    assay_dispatch_item items[EXCHANGE_CASES];
    pid_t pid;
    bool orphaned; /* the judge has closed its end of the socket */
};

/* ---- messages */

/* Returns false if the judge is gone. `file` becomes the descriptor that came with the request, or -1. */
static bool host_receive(struct host *h, struct host_request *request, int *file)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *file = -1;
    ssize_t got = TEMP_FAILURE_RETRY(recvmsg(HOST_SOCKET, &message, MSG_CMSG_CLOEXEC));
    h->orphaned = got == 0 || (got < 0 && errno == ECONNRESET);
    if (got != (ssize_t)sizeof *request)
        return false;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(file, CMSG_DATA(header), sizeof *file);
    return true;
}

static bool host_answer(struct host *h, const struct host_request *request, bool checked)
{
    const struct host_answer message = {.serial = request->serial, .checked = checked};
    ssize_t sent = TEMP_FAILURE_RETRY(send(HOST_SOCKET, &message, sizeof message, MSG_NOSIGNAL));
    h->orphaned = sent < 0 && (errno == EPIPE || errno == ECONNRESET);
    return sent == (ssize_t)sizeof message;
}

/* ---- memory */

static bool host_locate(const void *context, const void *address, char *text, size_t size)
{
    const struct exchange *exchange = context;
    const struct place *nearest = NULL;
    for (uint64_t i = 0; i < exchange->place_count; i++)
        if (!nearest || place_distance(&exchange->places[i], address) < place_distance(nearest, address))
            nearest = &exchange->places[i];
    return nearest && place_describe(nearest, address, text, size);
}

static _Noreturn void host_fail(const char *what)
{
    fprintf(stderr, "assay-device: %s: %s\n", what, strerror(errno));
    _exit(EXIT_HARNESS);
}

static void host_reserve(struct host *h, const struct host_request *request, int file)
{
    void *at = (void *)(uintptr_t)request->address;
    if (mmap(at, request->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) !=
            at ||
        mmap(at, request->exchange_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != at ||
        madvise(at, request->exchange_size, MADV_DONTFORK) != 0)
        host_fail("the addresses for tensors are taken");
    h->exchange = at;
}

/* Records the state of the process before the device is opened: a spare process does it long before. */
static void get_ready(struct host *h)
{
    fault_catch(host_locate, h->exchange, h->exchange->fault, sizeof h->exchange->fault);
    signal(SIGINT, SIG_IGN); /* the harness handles Ctrl-C */
    process_state_own_output();
    h->process_state = process_state_new();
    if (!h->process_state)
        host_fail("no process state");
}

/* Children of the device do not inherit tensors: a child that returns from a call must not do the rest of the work,
 * too. */
static void host_map(const struct host_request *request, int file)
{
    const int protection = request->writable ? PROT_READ | PROT_WRITE : PROT_READ;
    /* A large tensor comes alone. A device is likely to write all of an output, so all its pages are made at once. */
    const int populate = request->writable && request->count == 1 ? MAP_POPULATE : 0;
    for (uint32_t i = 0; i < request->count; i++) {
        void *at = (void *)(uintptr_t)(request->address + i * request->step);
        if (mmap(at, request->size, protection, MAP_SHARED | MAP_FIXED | populate, file, (off_t)(i * request->size)) !=
                at ||
            madvise(at, request->size, MADV_DONTFORK) != 0)
            host_fail("no memory for tensors");
    }
}

static void host_unmap(const struct host_request *request)
{
    void *at = (void *)(uintptr_t)request->address;
    if (mmap(at, request->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != at)
        host_fail("no address space");
}

/* ---- the device */

static void host_open_device(struct host *h)
{
    struct exchange *exchange = h->exchange;
    struct exchange_opened *opened = &exchange->opened;
    struct error error = {0};
    h->config->open(h->config->context, &h->plugin, exchange->path, exchange->arguments, &error);
    plugin_name_limit(&error);
    if (h->plugin.device) {
        process_state_note_helpers(h->process_state);
        process_state_check(h->process_state, true, opened->changed, sizeof opened->changed);
    }
    opened->status = error.status;
    opened->info = h->plugin.info;
    opened->data_types = h->plugin.data_types;
    opened->denied = h->plugin.denied;
    memcpy(opened->message, error.text, sizeof opened->message);
}

static void host_create(struct host *h, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct exchange_creation *creation = &h->exchange->creations[i];
        atomic_store_explicit(&h->exchange->at, i, memory_order_relaxed);
        calls_create(&h->plugin, creation->desc, creation->flags, creation->memory, creation->size, &h->slots[i],
                     &h->exchange->created[i]);
    }
    atomic_store(&h->exchange->at, EXCHANGE_CASES);
}

static void host_place_items(struct host *h, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct exchange_item *item = &h->exchange->items[i];
        h->items[i] = (assay_dispatch_item){.compiled = h->slots[item->slot % EXCHANGE_CASES].compiled,
                                            .inputs = item->inputs,
                                            .outputs = item->outputs,
                                            .input_count = item->input_count,
                                            .output_count = item->output_count};
    }
}

static void host_dispatch(struct host *h, uint32_t count)
{
    host_place_items(h, count);
    h->exchange->dispatched = calls_dispatch(&h->plugin, h->items, count, h->exchange->results, h->exchange->message);
}

static void host_measure(struct host *h)
{
    uint32_t times = h->exchange->times;
    host_place_items(h, 1);
    calls_measure(&h->plugin, h->items, times < CALL_RUNS ? times : CALL_RUNS, &h->exchange->measured);
}

static void destroy(struct host *h, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        atomic_store_explicit(&h->exchange->at, i, memory_order_relaxed);
        h->exchange->destroy_ns[i] = calls_destroy(&h->plugin, &h->slots[i]);
    }
    atomic_store(&h->exchange->at, EXCHANGE_CASES);
}

/* Runs a step. Returns false if the call failed. */
static bool host_make_step(struct host *h, uint32_t index,
                           bool (*step)(const struct plugin *, struct exchange *, uint32_t))
{
    bool good = step(&h->plugin, h->exchange, index);
    if (h->exchange->steps[index].step.call == STEP_OPEN) /* the new device may have started programs, too */
        process_state_note_helpers(h->process_state);
    if (getpid() != h->pid) /* a child that returned from the call must not go on */
        _exit(EXIT_HARNESS);
    return good;
}

static void repeat(struct host *h, uint32_t count)
{
    uint32_t times = h->exchange->times, done = 0;
    bool good = script_repeat_start(h->exchange, count);
    for (; good && done < times; done += good)
        for (uint32_t i = 0; good && i < count; i++)
            good = host_make_step(h, i, script_repeat_step);
    script_repeat_end(h->exchange, count);
    h->exchange->repeated = done;
}

/* Checks the process state. Ends the process if it cannot be restored. */
static void host_check(struct host *h, bool whole, const char *when)
{
    struct exchange *exchange = h->exchange;
    if (process_state_check(h->process_state, whole, exchange->changed, sizeof exchange->changed) != PROCESS_STATE_LOST)
        return;
    snprintf(exchange->fault, sizeof exchange->fault, "%s, while %s", exchange->changed, when);
    exchange->harmed = EXCHANGE_HARMED;
    _exit(EXIT_HARNESS);
}

/* Serves one request. Returns false if the judge is gone. */
static bool host_serve(struct host *h, const struct host_request *request)
{
    static const char *const when[] = {
        [HOST_OPEN] = "the device was opened",    [HOST_CREATE] = "operators were created",
        [HOST_DISPATCH] = "they were dispatched", [HOST_DESTROY] = "they were destroyed",
        [HOST_STEPS] = "the calls were made",     [HOST_REPEAT] = "the calls were made again and again",
        [HOST_CLOSE] = "the device was closed",   [HOST_MEASURE] = "it was measured"};
    uint32_t count = request->count < EXCHANGE_CASES ? request->count : EXCHANGE_CASES;
    switch (request->call) {
    case HOST_OPEN:
        host_open_device(h);
        break;
    case HOST_CREATE:
        host_create(h, count);
        break;
    case HOST_DISPATCH:
        host_dispatch(h, count);
        break;
    case HOST_MEASURE:
        host_measure(h);
        break;
    case HOST_DESTROY:
        destroy(h, count);
        break;
    case HOST_STEPS:
        for (uint32_t i = 0; i < count && i < STEPS_MAX; i++)
            host_make_step(h, i, script_step);
        break;
    case HOST_REPEAT:
        repeat(h, count < STEPS_MAX ? count : STEPS_MAX);
        break;
    case HOST_CLOSE:
        plugin_close(&h->plugin);
        break;
    default:
        return false;
    }
    if (getpid() != h->pid) /* a child that returned from the call must not go on */
        _exit(EXIT_HARNESS);
    bool answered = host_answer(h, request, false);
    if (request->check || !answered)
        host_check(h, request->call >= HOST_STEPS, when[request->call]); /* the device may have closed the socket */
    return answered && (!request->check || host_answer(h, request, true));
}

/* A batch makes its operators, then destroys them all: without these options the C library would return their pages to
 * the system each time, and the next batch would fault them in again one by one. */
static void keep_heap(void)
{
    mallopt(M_TRIM_THRESHOLD, HEAP_KEPT);
    mallopt(M_TOP_PAD, HEAP_STEP);
    mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK);
}

int host_main(const struct host_config *config)
{
    struct host *h = calloc(1, sizeof *h);
    struct host_request request;
    int file;
    if (!h)
        return EXIT_HARNESS;
    keep_heap();
    h->config = config;
    h->pid = getpid();
    bool good = true, closed = false;
    while (good && !closed && (good = host_receive(h, &request, &file))) {
        closed = request.call == HOST_CLOSE;
        if (request.call == HOST_BUILTIN && config->builtin)
            execv(*config->builtin, config->builtin + 1);
        else if (request.call == HOST_RESERVE) {
            host_reserve(h, &request, file);
            get_ready(h);
        } else if (request.call == HOST_MAP)
            host_map(&request, file);
        else if (request.call == HOST_UNMAP)
            host_unmap(&request);
        else
            good = host_serve(h, &request);
        if (file >= 0)
            close(file);
    }
    int status = good ? EXIT_AS_EXPECTED : EXIT_HARNESS;
    if (h->orphaned)
        status = HOST_ORPHANED;
    plugin_close(&h->plugin);
    process_state_free(h->process_state);
    free(h);
    return status;
}
