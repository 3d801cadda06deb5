#include "harness/base/pool.h"

#include "harness/base/apart.h"
#include "harness/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { POOL_BLOCK = 64 * 1024 };

struct pool_block {
    struct pool_block *next;
    size_t used, size;
    max_align_t data[];
};

/* `limit`: bytes that the pool may have, 0 if only the machine's memory limits it. */
static _Noreturn void no_memory(size_t limit)
{
    apart_no_memory(limit);
    fputs("assay: out of memory\n", stderr);
    exit(EXIT_HARNESS);
}

void *pool_alloc(struct pool *pool, size_t size)
{
    struct pool_block *block = pool->blocks;
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (pool->shared) {
        if (pool->shared_size - pool->shared_used < size)
            no_memory(pool->shared_size);
        pool->shared_used += size;
        return pool->shared + pool->shared_used - size;
    }
    if (!block || block->size - block->used < size) {
        size_t capacity = size > POOL_BLOCK ? size : POOL_BLOCK;
        block = calloc(1, sizeof *block + capacity);
        if (!block)
            no_memory(0);
        block->size = capacity;
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

bool pool_share(struct pool *pool, size_t size)
{
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    pool->shared = memory;
    pool->shared_used = 0;
    pool->shared_size = size;
    return true;
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

void pool_clear(struct pool *pool)
{
    if (pool->shared)
        munmap(pool->shared, pool->shared_size);
    pool->shared = NULL;
    while (pool->blocks) {
        struct pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
