#include "harness/worker/progress.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct progress *progress_map(size_t *size)
{
    struct stat file;
    if (fstat(WIRE_PROGRESS, &file) != 0)
        return NULL;
    *size = (size_t)file.st_size;
    void *memory = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, WIRE_PROGRESS, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void progress_beat(struct progress *progress)
{
    atomic_store_explicit(&progress->step, atomic_load_explicit(&progress->step, memory_order_relaxed) + 1,
                          memory_order_release);
}

void progress_enter(struct progress *progress, enum stage stage, size_t index)
{
    atomic_store_explicit(&progress->index, (uint32_t)index, memory_order_relaxed);
    atomic_store_explicit(&progress->stage, stage, memory_order_relaxed);
    progress_beat(progress);
}

bool progress_hello(const struct plugin *device, const struct error *error)
{
    struct {
        struct wire_header header;
        struct wire_hello hello;
    } message = {
        .header = {.type = WIRE_HELLO, .count = 1, .size = sizeof message.hello},
        .hello = {
            .status = error->status, .info = device->info, .data_types = device->data_types, .denied = device->denied}};
    _Static_assert(sizeof message == sizeof message.header + sizeof message.hello, "no gap, no rest");
    snprintf(message.hello.message, sizeof message.hello.message, "%s", error->text);
    return wire_write(WIRE_SOCKET, &message, sizeof message);
}
