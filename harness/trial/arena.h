/* arena.h: guarded memory for the tensors of a device, and for data that only the harness sees.
 *
 * Each tensor has its own pages, between two guard pages, which are not mapped. The tensor ends as close to the second
 * guard page as its alignment allows, or starts right after the first one; canaries fill the bytes around it. The
 * device cannot write an input: in its own process the pages are mapped read-only; in the harness's process they are
 * mapped a second time, for the device. So the arena detects writes to inputs, writes around a tensor, and reads from
 * the guard pages, without a system call per case. Pages are reused for later tensors of the same kind, except those of
 * tensors above 16 MiB, which arena_reset() unmaps. */
#ifndef TRIAL_ARENA_H
#define TRIAL_ARENA_H

#include "harness/host/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { ARENA_MAX_ALIGNMENT = PLACE_PAGE, ARENA_CANARY = 0xC5 };

/* The memory of one tensor. */
struct block {
    struct arena_slot *slot;
    uint64_t offset;     /* bytes from the start of its pages to the tensor */
    uint64_t size;       /* bytes */
    uint8_t *write;      /* the tensor, writable */
    const uint8_t *read; /* the same bytes where the device finds an input */
};

/* The functions that map the arena's memory in another process, which runs the device. The addresses are the same in
 * both processes. */
struct arena_sharing {
    uint8_t *base; /* address space that both processes have reserved for the arena */
    uint64_t size;
    /* Maps `count` pieces of the file, of `size` bytes each and adjacent in it, at `address`, `address` + `step`, …;
     * inputs read-only. Returns false if the process is gone. */
    bool (*map)(void *context, int file, uint8_t *address, uint64_t size, uint64_t step, uint32_t count, bool input);
    void (*unmap)(void *context, uint8_t *address, uint64_t size);
    void *context;
};

/* Return an arena for a device in this process, or in the process that `sharing` leads to (the structure is copied);
 * null if memory runs out. */
struct arena *arena_new(void);
struct arena *arena_new_shared(const struct arena_sharing *sharing);

/* Frees the arena and all of its blocks; the memory of a shared arena goes with the process. Null is allowed and does
 * nothing. */
void arena_free(struct arena *arena);

/* A request for a block. */
struct arena_request {
    uint64_t size;      /* bytes of the tensor */
    uint64_t after;     /* bytes beyond the tensor that a binding may include; they hold canaries, too */
    uint32_t alignment; /* 0 or a power of two, at most ARENA_MAX_ALIGNMENT */
    const char *name;   /* for arena_locate(); not copied */
    bool input;         /* the device must not write the tensor */
    bool first;         /* the tensor is at the start of its pages: the memory before it is not mapped */
    bool secret;        /* only the harness has the memory, not a device in a process of its own; no canaries */
};

/* Takes a block whose start is a multiple of 16 and of the alignment, and the first byte of its pages only if the
 * request says so. Sets the canaries; the tensor's own bytes are undefined. Returns false if memory runs out or the
 * alignment is too large. */
bool arena_take(struct arena *arena, const struct arena_request *request, struct block *out);

/* Returns all blocks to the arena. */
void arena_reset(struct arena *arena);

/* Returns true if the canaries around the tensor are intact. If not, sets `where` to the position of a changed one:
 * negative before the start, 0 and up past the end. */
bool arena_intact(const struct block *block, int64_t *where);

/* Returns the place of a block, as the device sees it. */
struct place arena_place(const struct block *block);

/* Describes an address, as place_describe() does, if it is in the arena. Signal handlers call this function: it takes
 * no lock and no memory. */
bool arena_locate(const void *arena, const void *address, char *text, size_t size);

#endif
