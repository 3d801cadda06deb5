#include "harness/base/pool.h"

#include "harness/base/apart.h"
#include "harness/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The first blocks of a pool are small; each later block is as large as all before it together. Blocks of many pages
 * are huge pages where the system has them: a plan of all cases would cost tens of thousands of page faults. */
enum { POOL_BLOCK = 64 * 1024, HUGE_PAGE = 2 << 20, LARGEST_BLOCK = 16 << 20 };

struct pool_block {
    struct pool_block *next;
    size_t used, size;
    size_t mapped; /* size of the block in bytes; 0: calloc() made it */
    max_align_t data[];
};

/* Ends the process. `limit`: bytes that the pool may have; 0 if only the machine's memory limits it. */
static _Noreturn void pool_no_memory(size_t limit)
{
    apart_no_memory(limit);
    fputs("assay: out of memory\n", stderr);
    exit(EXIT_HARNESS);
}

static size_t pool_aligned(size_t size)
{
    return (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

/* Returns zeroed memory at a multiple of HUGE_PAGE, of *size bytes, which become such a multiple, too. */
static void *map_huge(size_t *size)
{
    *size = (*size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *memory = mmap(NULL, *size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)memory % HUGE_PAGE;
    if (before > 0)
        munmap(memory, before);
    munmap(memory + before + *size, HUGE_PAGE - before);
    madvise(memory + before, *size, MADV_HUGEPAGE); /* if it fails, pages are small */
    return memory + before;
}

static struct pool_block *new_block(size_t capacity)
{
    size_t whole = sizeof(struct pool_block) + capacity;
    struct pool_block *block = whole < HUGE_PAGE ? calloc(1, whole) : map_huge(&whole);
    if (!block)
        pool_no_memory(0);
    block->mapped = whole < HUGE_PAGE ? 0 : whole;
    block->size = whole - sizeof *block;
    return block;
}

void *pool_alloc(struct pool *pool, size_t size)
{
    struct pool_block *block = pool->blocks;
    size = pool_aligned(size);
    if (pool->shared) {
        if (pool->shared_size - pool->shared_used < size)
            pool_no_memory(pool->shared_size);
        pool->shared_used += size;
        return pool->shared + pool->shared_used - size;
    }
    if (!block || block->size - block->used < size) {
        size_t capacity = block ? 2 * block->size : POOL_BLOCK;
        if (capacity > LARGEST_BLOCK)
            capacity = LARGEST_BLOCK;
        block = new_block(capacity > size ? capacity : size);
        block->next = pool->blocks;
        pool->blocks = block;
    }
    void *at = (char *)block->data + block->used;
    block->used += size;
    return at;
}

void *pool_copy(struct pool *pool, const void *from, size_t size)
{
    void *copy = pool_alloc(pool, size);
    if (size > 0)
        memcpy(copy, from, size);
    return copy;
}

char *pool_string(struct pool *pool, const char *text)
{
    return pool_copy(pool, text, strlen(text) + 1);
}

char *pool_format(struct pool *pool, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = pool_alloc(pool, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* This address is far from the memory of programs, libraries, stacks and sanitizers, and from the tensors of devices
 * (link.c). */
static void *const shared_place = (void *)0x280000000000;

static char *map_at(void *place, size_t size, int flags)
{
    void *memory = mmap(place, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    if (memory == MAP_FAILED || !place || memory == place)
        return memory == MAP_FAILED ? NULL : memory;
    munmap(memory, size); /* an old kernel takes the address only as a hint */
    return NULL;
}

bool pool_share(struct pool *pool, size_t size)
{
    size = pool_aligned(size);
    pool->shared = map_at(shared_place, size, MAP_SHARED | MAP_FIXED_NOREPLACE);
    if (!pool->shared)
        pool->shared = map_at(NULL, size, MAP_SHARED);
    pool->shared_used = 0;
    pool->shared_size = pool->shared ? size : 0;
    return pool->shared;
}

bool pool_can_be_kept(const struct pool *pool)
{
    return pool->shared == shared_place;
}

bool pool_map(struct pool *pool, int fd, size_t offset, size_t used, size_t room)
{
    struct stat status;
    size_t size = pool_aligned(used + room);
    if (used == 0 || fstat(fd, &status) != 0 || (size_t)status.st_size < offset ||
        (size_t)status.st_size - offset < used)
        return false;
    char *memory = map_at(shared_place, size, MAP_PRIVATE | MAP_FIXED_NOREPLACE);
    if (!memory)
        memory = map_at(NULL, size, MAP_PRIVATE);
    if (!memory)
        return false;
    if (mmap(memory, used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
        munmap(memory, size);
        return false;
    }
    pool->shared = memory;
    pool->shared_used = pool_aligned(used);
    pool->shared_size = size;
    return true;
}

void pool_rebase(const struct pool *pool, void *words, size_t size)
{
    const uintptr_t from = (uintptr_t)shared_place, to = (uintptr_t)pool->shared;
    uintptr_t *word = words;
    for (size_t i = 0; to != from && i < size / sizeof *word; i++)
        if (word[i] - from < pool->shared_size)
            word[i] += to - from;
}

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* kernel headers may be too old to define it */
#endif

void pool_populate(const struct pool *pool)
{
    madvise(pool->shared, pool->shared_used, MADV_POPULATE_READ); /* if it fails, pages are mapped when they are read */
}

void pool_inherit(const struct pool *pool, bool inherited)
{
    madvise(pool->shared, pool->shared_size, inherited ? MADV_DOFORK : MADV_DONTFORK);
}

bool pool_holds(const struct pool *pool, const void *at, size_t size, size_t alignment)
{
    uintptr_t first = (uintptr_t)pool->shared, from = (uintptr_t)at;
    return from >= first && from - first <= pool->shared_size && pool->shared_size - (from - first) >= size &&
           from % alignment == 0;
}

bool pool_holds_text(const struct pool *pool, const char *text)
{
    return pool_holds(pool, text, 1, 1) && memchr(text, '\0', (size_t)(pool->shared + pool->shared_size - text));
}

void pool_join(struct pool *pool, struct pool *more)
{
    struct pool_block **end = &pool->blocks; /* the first block is the one with room */
    while (*end)
        end = &(*end)->next;
    *end = more->blocks;
    more->blocks = NULL;
}

void pool_clear(struct pool *pool)
{
    if (pool->shared)
        munmap(pool->shared, pool->shared_size);
    pool->shared = NULL;
    while (pool->blocks) {
        struct pool_block *next = pool->blocks->next;
        if (pool->blocks->mapped > 0)
            munmap(pool->blocks, pool->blocks->mapped);
        else
            free(pool->blocks);
        pool->blocks = next;
    }
}
