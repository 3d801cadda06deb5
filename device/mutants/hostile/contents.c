/* contents.c: tricks with the contents of memory before the dispatch, and with writing at other times. */
#include "device/mutants/hostile/hostile.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint8_t *hostile_start_of(const assay_binding *binding)
{
    return (uint8_t *)binding->base + binding->offset;
}

static void complement(const assay_dispatch_item *item)
{
    for (uint32_t i = 0; i < item->output_count; i++)
        for (uint64_t at = 0; at < item->outputs[i].size; at++)
            hostile_start_of(&item->outputs[i])[at] ^= 0xFF;
}

static void zero(const assay_dispatch_item *item)
{
    for (uint32_t i = 0; i < item->output_count; i++)
        memset(hostile_start_of(&item->outputs[i]), 0, item->outputs[i].size);
}

/* Copies the expected output to an output, if memory has it: the output holds the complement of it. */
static void find_complement(const assay_binding *output)
{
    char line[512];
    unsigned long from, to;
    uint8_t wanted[16], *start = hostile_start_of(output);
    size_t size = output->size < sizeof wanted ? output->size : sizeof wanted;
    FILE *maps = fopen("/proc/self/maps", "r");
    for (size_t i = 0; i < size; i++)
        wanted[i] = (uint8_t)~start[i];
    for (const uint8_t *found = NULL; maps && !found && fgets(line, sizeof line, maps);) {
        if (sscanf(line, "%lx-%lx rw", &from, &to) != 2 || !strstr(line, " rw") || to - from > 1 << 26)
            continue;
        for (const uint8_t *at = (const uint8_t *)from; at && (at = memmem(at, to - (uintptr_t)at, wanted, size)); at++)
            if (at != wanted && to - (uintptr_t)at >= output->size) {
                memcpy(start, found = at, output->size);
                break;
            }
    }
    if (maps)
        fclose(maps);
}

static void expected(const assay_dispatch_item *item)
{
    for (uint32_t i = 0; i < item->output_count; i++)
        find_complement(&item->outputs[i]);
}

/* ---- a thread that goes on writing when dispatch has returned: zeros, the complement, zeros, … */

static assay_binding current;
static atomic_int current_set;

static void *write_on(void *context)
{
    (void)context;
    for (int turn = 0;; turn++) {
        if (!atomic_load(&current_set))
            continue;
        for (uint64_t at = 0; at < current.size; at++)
            ((volatile uint8_t *)hostile_start_of(&current))[at] =
                turn % 2 ? 0 : (uint8_t)~hostile_start_of(&current)[at];
    }
    return NULL;
}

static void start_writer(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_on, NULL);
}

static void note(const assay_dispatch_item *item)
{
    atomic_store(&current_set, 0);
    current = item->outputs[0];
    atomic_store(&current_set, 1);
}

/* Writes zeros to the inputs, whatever their protection, before and while outputs are zero: zeros are the gather of
 * zeros. */
static void clear_inputs(const assay_dispatch_item *item)
{
    const uintptr_t page = 4095;
    int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    for (uint32_t i = 0; i < item->input_count; i++) {
        uint8_t *start = hostile_start_of(&item->inputs[i]);
        uintptr_t first = (uintptr_t)start & ~page;
        uint64_t size = item->inputs[i].size;
        if (mprotect((void *)first, (uintptr_t)start + size - first, PROT_READ | PROT_WRITE) == 0)
            memset(start, 0, size);
        for (uint64_t at = 0; memory >= 0 && at < size; at++)
            if (pwrite(memory, "", 1, (off_t)((uintptr_t)start + at)) != 1)
                break;
    }
    if (memory >= 0)
        close(memory);
    zero(item);
}

const struct trick memory_tricks[] = {
    {.name = "complement", .what = "an output has its old contents, inverted", .run = complement},
    {.name = "zero", .what = "every output is zero", .run = zero},
    {.name = "expected", .what = "an output is copied from memory that has its complement", .run = expected},
    {.name = "write-on", .what = "a thread goes on writing outputs", .open = start_writer, .run = note},
    {.name = "clear-inputs", .what = "inputs and outputs become zero", .run = clear_inputs},
    {.name = NULL}};
