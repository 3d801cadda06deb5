#include "harness/trial/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = ARENA_MAX_ALIGNMENT,
    CLASSES = 40, /* powers of two, from one page up */
    CANARY = 0xA5,
    CANARY_BEFORE = 64, /* least number of bytes before a tensor */
    KEPT_CLASS = 12     /* 16 MiB: larger blocks are unmapped at each reset */
};

struct arena_slot {
    struct arena_slot *next;
    uint8_t *write, *read; /* the first page of each mapping */
    uint64_t capacity;
    const char *name; /* of the tensor in it, null while free */
    uint64_t offset, size;
    int class;
    bool input;
};

struct arena {
    struct arena_slot *free[CLASSES];
    struct arena_slot *used;
};

struct arena *arena_new(void)
{
    return calloc(1, sizeof(struct arena));
}

/* Maps `capacity` bytes of `fd` between two guard pages. Null: out of memory. */
static uint8_t *map_view(int fd, uint64_t capacity, int protection)
{
    uint8_t *around = mmap(NULL, capacity + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (around == MAP_FAILED)
        return NULL;
    if (mmap(around + PAGE, capacity, protection, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(around, capacity + 2 * PAGE);
        return NULL;
    }
    return around + PAGE;
}

static void slot_free(struct arena_slot *slot)
{
    if (slot->write)
        munmap(slot->write - PAGE, slot->capacity + 2 * PAGE);
    if (slot->read)
        munmap(slot->read - PAGE, slot->capacity + 2 * PAGE);
    free(slot);
}

/* Pages for `room` bytes: as many as the class has, or only as many as needed if they will not be kept. */
static struct arena_slot *slot_new(int class, uint64_t room)
{
    struct arena_slot *slot = calloc(1, sizeof *slot);
    int fd = memfd_create("tensor", MFD_CLOEXEC);
    if (!slot || fd < 0)
        goto failed;
    slot->class = class;
    slot->capacity = class > KEPT_CLASS ? (room + PAGE - 1) / PAGE * PAGE : (uint64_t)PAGE << class;
    if (ftruncate(fd, (off_t)slot->capacity) != 0)
        goto failed;
    slot->write = map_view(fd, slot->capacity, PROT_READ | PROT_WRITE);
    slot->read = map_view(fd, slot->capacity, PROT_READ);
    if (!slot->write || !slot->read)
        goto failed;
    close(fd);
    return slot;
failed:
    if (fd >= 0)
        close(fd);
    if (slot)
        slot_free(slot);
    return NULL;
}

bool arena_take(struct arena *arena, const struct arena_request *request, struct block *out)
{
    int class = 0;
    uint64_t alignment = request->alignment < 16 ? 16 : request->alignment;
    uint64_t room = request->size + request->after + CANARY_BEFORE + alignment;
    while (class < CLASSES && (uint64_t)PAGE << class < room)
        class ++;
    if (class == CLASSES || alignment > ARENA_MAX_ALIGNMENT)
        return false;
    struct arena_slot *slot = arena->free[class];
    if (slot)
        arena->free[class] = slot->next;
    else if (!(slot = slot_new(class, room)))
        return false;
    slot->next = arena->used;
    arena->used = slot;
    slot->name = request->name;
    slot->input = request->input;
    slot->size = request->size;
    slot->offset = (slot->capacity - request->size - request->after) / alignment * alignment;
    memset(slot->write, CANARY, slot->offset);
    memset(slot->write + slot->offset + slot->size, CANARY, slot->capacity - slot->offset - slot->size);
    *out = (struct block){.slot = slot,
                          .offset = slot->offset,
                          .size = slot->size,
                          .write = slot->write + slot->offset,
                          .read = slot->read + slot->offset};
    return true;
}

void arena_reset(struct arena *arena)
{
    while (arena->used) {
        struct arena_slot *slot = arena->used;
        arena->used = slot->next;
        if (slot->class > KEPT_CLASS) {
            slot_free(slot);
            continue;
        }
        slot->name = NULL;
        slot->next = arena->free[slot->class];
        arena->free[slot->class] = slot;
    }
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    arena_reset(arena);
    for (int class = 0; class < CLASSES; class ++)
        while (arena->free[class]) {
            struct arena_slot *slot = arena->free[class];
            arena->free[class] = slot->next;
            slot_free(slot);
        }
    free(arena);
}

bool arena_intact(const struct block *block, int64_t *where)
{
    const struct arena_slot *slot = block->slot;
    const uint8_t *start = slot->write + block->offset;
    uint64_t after = slot->capacity - block->offset - block->size;
    /* Memory that equals itself shifted by one byte holds the same byte everywhere. */
    bool whole = slot->write[0] == CANARY && memcmp(slot->write, slot->write + 1, block->offset - 1) == 0;
    for (int64_t i = 1; !whole && i <= (int64_t)block->offset; i++)
        if (start[-i] != CANARY) {
            *where = -i;
            return false;
        }
    for (uint64_t i = 0; i < after; i++)
        if (start[block->size + i] != CANARY) {
            *where = (int64_t)i;
            return false;
        }
    return true;
}

bool arena_locate(const struct arena *arena, const void *address, char *text, size_t size)
{
    const uint8_t *at = address;
    for (const struct arena_slot *slot = arena->used; slot; slot = slot->next)
        for (int view = 0; view < 2; view++) {
            const uint8_t *pages = view ? slot->read : slot->write;
            if (at < pages - PAGE || at >= pages + slot->capacity + PAGE)
                continue;
            int64_t from = at - (pages + slot->offset);
            if (from < 0)
                snprintf(text, size, "%lld bytes before the start of '%s'", (long long)-from, slot->name);
            else if ((uint64_t)from >= slot->size)
                snprintf(text, size, "%lld bytes past the end of '%s'", (long long)from - (long long)slot->size,
                         slot->name);
            else
                snprintf(text, size, "byte %lld of %s'%s'", (long long)from, slot->input ? "the read-only input " : "",
                         slot->name);
            return true;
        }
    return false;
}
