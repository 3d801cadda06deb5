#include "harness/base/pool.h"

#include "harness/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_BLOCK = 64 * 1024 };

struct pool_block {
    struct pool_block *next;
    size_t used, size;
    max_align_t data[];
};

void *pool_alloc(struct pool *pool, size_t size)
{
    struct pool_block *block = pool->blocks;
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!block || block->size - block->used < size) {
        size_t capacity = size > POOL_BLOCK ? size : POOL_BLOCK;
        block = calloc(1, sizeof *block + capacity);
        if (!block) {
            fputs("assay: out of memory\n", stderr);
            exit(EXIT_HARNESS);
        }
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

void pool_clear(struct pool *pool)
{
    while (pool->blocks) {
        struct pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
