/* faults_leaks.c: leaks of memory, address space, mappings, descriptors and threads; and legal behaviour that looks
 * like a leak for a while: caches that become full at some time, garbage that is collected at some time. */
#include "device/mutants/faults.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- leaks */

static HRESULT leak(size_t size)
{
    uint8_t *memory = malloc(size);
    if (memory)
        *(volatile uint8_t *)memory = 1;
    return S_OK;
}

static HRESULT leak_item(const struct strike *s)
{
    (void)s;
    return leak(4096);
}

static HRESULT leak_little(const struct strike *s)
{
    (void)s;
    return leak(48);
}

static HRESULT leak_operator(HRESULT right, const struct descriptor *d)
{
    (void)d;
    return SUCCEEDED(right) ? leak(256 << 10) : right;
}

static HRESULT leak_program(HRESULT right)
{
    leak(600);
    return right;
}

/* Leaks every third time. */
static HRESULT leak_often(const struct strike *s)
{
    static unsigned items;
    (void)s;
    return ++items % 3 == 0 ? leak(3000) : S_OK;
}

static HRESULT leak_file(HRESULT right)
{
    return dup(2) < 0 ? E_FAIL : right;
}

static HRESULT leak_event(const struct strike *s)
{
    (void)s;
    return eventfd(0, EFD_CLOEXEC) < 0 ? E_FAIL : S_OK;
}

static void *map(size_t size, int protection)
{
    void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Leaks a mapping. Every other page has another protection, or the mappings would be one. */
static HRESULT leak_mapping(const struct strike *s)
{
    static unsigned items;
    (void)s;
    return map(4096, items++ % 2 ? PROT_READ : PROT_READ | PROT_WRITE) ? S_OK : E_OUTOFMEMORY;
}

static HRESULT leak_space(const struct strike *s)
{
    (void)s;
    return map(128 << 10, PROT_NONE) ? S_OK : E_OUTOFMEMORY;
}

/* Leaks from an allocator of its own, which takes memory by the megabyte: the C library knows nothing of it. */
static HRESULT leak_from_pool(const struct strike *s)
{
    enum { CHUNK = 16 << 20, PIECE = 6000 };
    static uint8_t *chunk;
    static size_t used = CHUNK;
    (void)s;
    if (used + PIECE > CHUNK) {
        chunk = map(CHUNK, PROT_READ | PROT_WRITE);
        used = 0;
    }
    if (!chunk)
        return E_OUTOFMEMORY;
    memset(chunk + used, 1, PIECE);
    used += PIECE;
    return S_OK;
}

static void *wait_forever(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

static void leave_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    if (pthread_create(&thread, &attributes, wait_forever, NULL) == 0)
        pthread_detach(thread);
    pthread_attr_destroy(&attributes);
}

static HRESULT leak_thread(HRESULT right)
{
    leave_thread();
    return right;
}

static void leak_device(void)
{
    leak(2000);
}

/* ---- no leaks */

/* Keeps an entry for each of the last 200 items. */
static HRESULT keep_log(const struct strike *s)
{
    enum { PLACES = 200, SIZE = 5000 };
    static void *places[PLACES];
    static unsigned items;
    void **place = &places[items++ % PLACES];
    (void)s;
    free(*place);
    *place = malloc(SIZE);
    if (*place)
        memset(*place, 1, SIZE);
    return S_OK;
}

/* Keeps memory of destroyed programs for the next ones, up to a limit that takes long to reach. */
static HRESULT keep_pool(HRESULT right)
{
    enum { PLACES = 1000 };
    static void *places[PLACES];
    static unsigned count;
    if (count < PLACES)
        places[count++] = malloc(1024);
    return places[0] ? right : E_OUTOFMEMORY;
}

/* Frees garbage only when there is a lot of it. */
static HRESULT collect_late(const struct strike *s)
{
    enum { PLACES = 700, SIZE = 2000 };
    static void *garbage[PLACES];
    static unsigned count;
    (void)s;
    if (count == PLACES)
        while (count > 0)
            free(garbage[--count]);
    garbage[count++] = malloc(SIZE);
    return S_OK;
}

static HRESULT keep_files(const struct strike *s)
{
    static unsigned count;
    (void)s;
    if (count >= 60)
        return S_OK;
    count++;
    return eventfd(0, EFD_CLOEXEC) < 0 ? E_FAIL : S_OK;
}

#define LEAK(fault_name, says, ...)                                                                                    \
    {                                                                                                                  \
        .name = fault_name, .cause = "rule:frees", .what = says, __VA_ARGS__                                           \
    }
#define KEEP(fault_name, says, ...)                                                                                    \
    {                                                                                                                  \
        .name = fault_name, .kind = BUG_OPEN, .what = says, __VA_ARGS__                                                \
    }

const struct fault leak_faults[] = {
    LEAK("leak-item", "every item leaks 4 KiB", .after = leak_item),
    LEAK("leak-little", "every item leaks 48 bytes", .after = leak_little),
    LEAK("leak-often", "every third item leaks 3,000 bytes", .after = leak_often),
    LEAK("leak-operator", "every operator leaks 256 KiB", .on_create = leak_operator),
    LEAK("leak-program", "every program leaks 600 bytes", .on_compile = leak_program),
    LEAK("leak-file", "every program leaks a descriptor", .on_compile = leak_file),
    LEAK("leak-event", "every item leaks a descriptor", .after = leak_event),
    LEAK("leak-mapping", "every item leaks a mapping of a page", .after = leak_mapping),
    LEAK("leak-space", "every item leaks 128 KiB of address space, which cannot be used", .after = leak_space),
    LEAK("leak-pool", "every item leaks 6,000 bytes of an allocator of its own", .after = leak_from_pool),
    LEAK("leak-thread", "every program leaks a thread", .on_compile = leak_thread),
    LEAK("leak-device", "every device leaks 2,000 bytes", .on_open = leak_device),
    {.name = "leave-thread",
     .cause = "rule:threads",
     .what = "a thread outlives destroy_device",
     .on_open = leave_thread},
    KEEP("keep-log", "5,000 bytes of each of the last 200 items are kept", .after = keep_log),
    KEEP("keep-pool", "1 KiB of each of the first 1,000 programs is kept", .on_compile = keep_pool),
    KEEP("keep-files", "60 descriptors are kept, one for each of the first items", .after = keep_files),
    KEEP("collect-late", "2,000 bytes of an item are freed when 700 items have left theirs", .after = collect_late),
};

const unsigned leak_fault_count = sizeof leak_faults / sizeof *leak_faults;
