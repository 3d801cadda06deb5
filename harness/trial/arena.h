/* arena.h: guarded memory for the tensors that a device gets.
 *
 * Each tensor has its own pages, mapped twice: writable, for the harness and for outputs, and read-only, for inputs on
 * the device. The pages are between two guard pages, which are not mapped. The tensor ends as close to the second one
 * as its alignment allows, and canaries fill the bytes around it. So the arena detects writes to inputs, writes around
 * a tensor, and reads from the guard pages, without a system call per case. Pages are reused for later tensors, except
 * those of tensors above 16 MiB, which arena_reset() unmaps. */
#ifndef TRIAL_ARENA_H
#define TRIAL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { ARENA_MAX_ALIGNMENT = 4096 };

/* The memory of one tensor. */
struct block {
    struct arena_slot *slot;
    uint64_t offset;     /* bytes from the start of its pages to the tensor */
    uint64_t size;       /* bytes */
    uint8_t *write;      /* the tensor, writable */
    const uint8_t *read; /* the same bytes, read-only */
};

/* Null: out of memory. */
struct arena *arena_new(void);

/* Frees the arena and all of its blocks. Null is allowed and does nothing. */
void arena_free(struct arena *arena);

/* A request for a block. */
struct arena_request {
    uint64_t size;      /* bytes of the tensor */
    uint64_t after;     /* bytes beyond the tensor that a binding may include; they hold canaries, too */
    uint32_t alignment; /* 0 or a power of two, at most ARENA_MAX_ALIGNMENT */
    const char *name;   /* for arena_locate(); not copied */
    bool input;
};

/* Takes a block whose start is a multiple of 16 and of the alignment, and never the first byte of its pages. Sets the
 * canaries; the tensor's own bytes are undefined. False: out of memory, or the alignment is too large. */
bool arena_take(struct arena *arena, const struct arena_request *request, struct block *out);

/* Returns all blocks to the arena. */
void arena_reset(struct arena *arena);

/* Whether the canaries around the tensor are intact. If not, sets `where` to the position of a changed one: negative
 * before the start, 0 and up past the end. */
bool arena_intact(const struct block *block, int64_t *where);

/* Describes an address for a message: "byte 12 of the read-only input 'InputTensor'", "3 bytes past the end of
 * 'OutputTensor'". False: the address is not in the arena. Called in signal handlers: takes no lock and no memory. */
bool arena_locate(const struct arena *arena, const void *address, char *text, size_t size);

#endif
