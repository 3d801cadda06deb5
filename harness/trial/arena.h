/* arena.h: the memory that tensors live in while a device has them.
 *
 * Each tensor gets pages of its own, mapped twice: once to write, for us and for outputs, and once read-only, which is
 * what a device gets of an input. The page before and the page after are not mapped, and the tensor ends as close to the
 * page after as its alignment allows; the bytes around it hold canaries. So reading or writing past the end, writing an
 * input, and writing before the start are all noticed, and without a system call per case. Pages are kept for the next
 * tensors, but for those above 16 MiB, which arena_reset() returns. */
#ifndef TRIAL_ARENA_H
#define TRIAL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { ARENA_MAX_ALIGNMENT = 4096 };

/* Where one tensor is. */
struct block {
    struct arena_slot *slot;
    uint64_t offset;     /* of the tensor from the start of its pages */
    uint64_t size;       /* bytes */
    uint8_t *write;      /* the tensor, writable */
    const uint8_t *read; /* the same bytes, read-only */
};

struct arena *arena_new(void);
void arena_free(struct arena *arena);

/* What is asked of arena_take(). */
struct arena_wish {
    uint64_t size;      /* bytes of the tensor */
    uint64_t after;     /* bytes that a binding may say to have beyond it; canaries all the same */
    uint32_t alignment; /* 0 or a power of two, at most ARENA_MAX_ALIGNMENT */
    const char *name;   /* for arena_locate(); not copied */
    bool input;
};

/* A block whose start is a multiple of 16 and of the alignment, and never the first byte of its pages. Canaries are set;
 * the tensor's own bytes are whatever they were. False: no memory. */
bool arena_take(struct arena *arena, const struct arena_wish *wish, struct block *out);

/* Gives all blocks back; they may be taken again. */
void arena_reset(struct arena *arena);

/* Whether the bytes around the tensor still hold the canaries; else how far out the first wrong one is: negative before
 * the start, from 0 on past the end. */
bool arena_intact(const struct block *block, int64_t *where);

/* What an address is, for a message: "read-only input 'InputTensor', at byte 12", "past the end of 'OutputTensor'". False:
 * nothing of the arena. Safe in a signal handler. */
bool arena_locate(const struct arena *arena, const void *address, char *text, size_t size);

#endif
