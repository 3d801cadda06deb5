#include "harness/trial/arena.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = ARENA_MAX_ALIGNMENT,
    SMALL_CLASS = 4, /* 64 KiB: up to here a device in another process gets several slots at a time */
    STEPS = 4,       /* classes from one power of two to the next, above that */
    CLASSES = 128,
    CANARY_BEFORE = 64,                   /* least number of bytes before a tensor, or after one that is first */
    KEPT_CLASS = SMALL_CLASS + 9 * STEPS, /* 32 MiB: larger blocks are unmapped at each reset */
    SHARED_SLOTS = 16,
    CHUNK_SLOTS = 64,
    LINE = 64 /* bytes of a processor's cache */
};

/* Slots of different kinds never change places: the kind of a slot settles the device's access to the pages when they
 * are mapped. */
enum kind { KIND_OUTPUT, KIND_INPUT, KIND_SECRET, KINDS };

struct arena_slot {
    struct arena_slot *next;
    uint8_t *write; /* the first page of each mapping */
    struct place place;
    int class;
    enum kind kind;
    bool sealed; /* neither the device nor any other code in its process can write the slot */
    bool clean;  /* a sealed slot: all bytes but those of the last tensor are known to be canaries */
};

/* Slots lie side by side: a batch visits all of its slots one after the other. */
struct chunk {
    struct chunk *next;
    struct arena_slot slots[CHUNK_SLOTS];
};

struct arena {
    struct chunk *chunks;
    struct arena_slot *spare; /* slots without pages */
    struct arena_slot *free[KINDS][CLASSES];
    struct arena_slot *used;
    bool is_shared;
    struct arena_sharing sharing;
    uint64_t kept, large; /* bytes of the shared addresses in use: from the start, and from the end */
};

struct arena *arena_new(void)
{
    return calloc(1, sizeof(struct arena));
}

struct arena *arena_new_shared(const struct arena_sharing *sharing)
{
    struct arena *arena = arena_new();
    if (!arena)
        return NULL;
    arena->is_shared = true;
    arena->sharing = *sharing;
    return arena;
}

/* ---- slots */

/* Returns the bytes of a class: powers of two from one page up; above SMALL_CLASS with steps between them, so that few
 * bytes are left around a large tensor, since all of them are filled and inspected. */
static uint64_t arena_size_of(int class)
{
    if (class <= SMALL_CLASS)
        return (uint64_t)PAGE << class;
    int above = class - SMALL_CLASS, power = SMALL_CLASS + above / STEPS;
    return ((uint64_t)PAGE << power) / STEPS * (uint64_t)(STEPS + above % STEPS);
}

static uint64_t room_of(int class, uint64_t room)
{
    return class > KEPT_CLASS ? (room + PAGE - 1) / PAGE * PAGE : arena_size_of(class);
}

static void add_free(struct arena *arena, struct arena_slot *slot)
{
    slot->place.name = NULL;
    slot->next = arena->free[slot->kind][slot->class];
    arena->free[slot->kind][slot->class] = slot;
}

static void add_spare(struct arena *arena, struct arena_slot *slot)
{
    slot->next = arena->spare;
    arena->spare = slot;
}

/* Returns a slot without pages; null if memory runs out. */
static struct arena_slot *new_slot(struct arena *arena)
{
    if (!arena->spare) {
        struct chunk *chunk = calloc(1, sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        for (int i = CHUNK_SLOTS; i-- > 0;)
            add_spare(arena, &chunk->slots[i]);
    }
    struct arena_slot *slot = arena->spare;
    arena->spare = slot->next;
    return slot;
}

static bool add_slot(struct arena *arena, enum kind kind, int class, uint64_t capacity, uint8_t *write, uint8_t *read)
{
    struct arena_slot *slot = new_slot(arena);
    if (!slot)
        return false;
    *slot = (struct arena_slot){
        .write = write,
        .class = class,
        .kind = kind,
        .place = {.pages = kind == KIND_INPUT ? read : write, .capacity = capacity, .input = kind == KIND_INPUT}};
    add_free(arena, slot);
    return true;
}

/* The pages of a large tensor are made at once, which is faster than one by one when they are touched. */
static int map_populate(uint64_t capacity)
{
    return capacity > arena_size_of(SMALL_CLASS) ? MAP_POPULATE : 0;
}

/* Maps `capacity` bytes of `file`, or of no file, between two guard pages. Returns null if memory runs out. */
static uint8_t *map_view(int file, uint64_t capacity, int protection)
{
    const int flags = MAP_FIXED | map_populate(capacity) | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    uint8_t *around = mmap(NULL, capacity + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (around == MAP_FAILED)
        return NULL;
    if (mmap(around + PAGE, capacity, protection, flags, file, 0) == MAP_FAILED) {
        munmap(around, capacity + 2 * PAGE);
        return NULL;
    }
    return around + PAGE;
}

static void unmap_view(uint8_t *pages, uint64_t capacity)
{
    if (pages)
        munmap(pages - PAGE, capacity + 2 * PAGE);
}

static int file_new(uint64_t size)
{
    int file = memfd_create("tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, (off_t)size) == 0)
        return file;
    close(file);
    return -1;
}

/* Adds a slot of this process: a secret one, or one for a device in this process, which gets a second view of an
 * input. */
static bool add_own(struct arena *arena, enum kind kind, int class, uint64_t capacity)
{
    int file = kind == KIND_SECRET ? -1 : file_new(capacity);
    if (kind != KIND_SECRET && file < 0)
        return false;
    uint8_t *write = map_view(file, capacity, PROT_READ | PROT_WRITE);
    uint8_t *read = kind == KIND_INPUT ? map_view(file, capacity, PROT_READ) : write;
    if (file >= 0)
        close(file);
    if (write && read && add_slot(arena, kind, class, capacity, write, read))
        return true;
    unmap_view(write, capacity);
    unmap_view(read == write ? NULL : read, capacity);
    return false;
}

/* Takes the addresses of `count` slots, each followed by a guard page; another guard page precedes them. Returns null
 * if none are left. */
static uint8_t *take_addresses(struct arena *arena, int class, uint64_t step, uint32_t count)
{
    const struct arena_sharing *sharing = &arena->sharing;
    uint64_t size = PAGE + count * step;
    if (size > sharing->size - arena->kept - arena->large)
        return NULL;
    uint64_t *used = class > KEPT_CLASS ? &arena->large : &arena->kept;
    *used += size;
    return sharing->base + (class > KEPT_CLASS ? sharing->size - arena->large : arena->kept - size) + PAGE;
}

/* Adds slots that a device in another process maps, too. The device cannot resize the file, and never write an input:
 * neither by a mapping nor by the descriptor. */
static bool add_shared(struct arena *arena, enum kind kind, int class, uint64_t capacity)
{
    const struct arena_sharing *sharing = &arena->sharing;
    const uint32_t count = class > SMALL_CLASS ? 1 : SHARED_SLOTS;
    const uint64_t step = capacity + PAGE;
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (kind == KIND_INPUT ? F_SEAL_FUTURE_WRITE : 0);
    uint8_t *at = take_addresses(arena, class, step, count);
    int file = at ? file_new(capacity * count) : -1;
    bool good = file >= 0;
    for (uint32_t i = 0; i < count && good; i++)
        good = mmap(at + i * step, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | map_populate(capacity),
                    file, (off_t)(i * capacity)) != MAP_FAILED;
    good = good && fcntl(file, F_ADD_SEALS, seals) == 0 &&
           sharing->map(sharing->context, file, at, capacity, step, count, kind == KIND_INPUT);
    for (uint32_t i = count; i-- > 0 && good;)
        if ((good = add_slot(arena, kind, class, capacity, at + i * step, at + i * step)))
            arena->free[kind][class]->sealed = kind == KIND_INPUT;
    if (file >= 0)
        close(file);
    return good;
}

static void remove_slot(struct arena *arena, struct arena_slot *slot)
{
    if (!arena->is_shared || slot->kind == KIND_SECRET) {
        unmap_view(slot->write, slot->place.capacity);
        if (slot->place.pages != slot->write)
            unmap_view((uint8_t *)(uintptr_t)slot->place.pages, slot->place.capacity);
    } else {
        arena->sharing.unmap(arena->sharing.context, slot->write, slot->place.capacity);
        mmap(slot->write, slot->place.capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0);
    }
    add_spare(arena, slot);
}

/* ---- blocks */

/* Fills the bytes around the tensor; in a clean slot, only those of the last tensor. */
static void surround(struct arena_slot *slot, uint64_t offset, uint64_t size)
{
    if (slot->clean) {
        memset(slot->write + slot->place.offset, ARENA_CANARY, slot->place.size);
        return;
    }
    memset(slot->write, ARENA_CANARY, offset);
    memset(slot->write + offset + size, ARENA_CANARY, slot->place.capacity - offset - size);
}

bool arena_take(struct arena *arena, const struct arena_request *request, struct block *out)
{
    int class = 0;
    enum kind kind = request->input ? KIND_INPUT : KIND_OUTPUT;
    if (request->secret)
        kind = KIND_SECRET;
    uint64_t alignment = request->alignment < 16 ? 16 : request->alignment;
    uint64_t room = request->size + request->after + CANARY_BEFORE + alignment;
    while (class < CLASSES && arena_size_of(class) < room)
        class ++;
    if (class == CLASSES || alignment > ARENA_MAX_ALIGNMENT)
        return false;
    if (!arena->free[kind][class] &&
        !(arena->is_shared && kind != KIND_SECRET ? add_shared : add_own)(arena, kind, class, room_of(class, room)))
        return false;
    struct arena_slot *slot = arena->free[kind][class];
    struct place *place = &slot->place;
    arena->free[kind][class] = slot->next;
    slot->next = arena->used;
    arena->used = slot;
    uint64_t offset = request->first ? 0 : (place->capacity - request->size - request->after) / alignment * alignment;
    if (!request->secret)
        surround(slot, offset, request->size);
    slot->clean = false;
    place->name = request->name;
    place->size = request->size;
    place->offset = offset;
    *out = (struct block){.slot = slot,
                          .offset = place->offset,
                          .size = place->size,
                          .write = slot->write + place->offset,
                          .read = place->pages + place->offset};
    return true;
}

void arena_reset(struct arena *arena)
{
    while (arena->used) {
        struct arena_slot *slot = arena->used;
        arena->used = slot->next;
        if (slot->class > KEPT_CLASS)
            remove_slot(arena, slot);
        else
            add_free(arena, slot);
    }
    arena->large = 0;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    arena_reset(arena);
    for (int kind = 0; kind < KINDS; kind++)
        for (int class = 0; class < CLASSES; class ++)
            while (arena->free[kind][class]) {
                struct arena_slot *slot = arena->free[kind][class];
                arena->free[kind][class] = slot->next;
                if (!arena->is_shared)
                    remove_slot(arena, slot);
            }
    while (arena->chunks) {
        struct chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
    free(arena);
}

/* The canaries are read-only, so that no device changes them. */
static const _Alignas(LINE) uint8_t canaries[PAGE + LINE] = {[0 ... PAGE + LINE - 1] = ARENA_CANARY};

/* Returns true if all bytes are canaries. The compared canaries are as far from the beginning of a cache line as the
 * bytes are. */
static bool holds_canaries(const uint8_t *from, uint64_t size)
{
    while (size > PAGE && memcmp(from, canaries + (uintptr_t)from % LINE, PAGE) == 0) {
        from += PAGE;
        size -= PAGE;
    }
    return size <= PAGE && memcmp(from, canaries + (uintptr_t)from % LINE, size) == 0;
}

bool arena_intact(const struct block *block, int64_t *where)
{
    struct arena_slot *slot = block->slot;
    const uint8_t *start = slot->write + block->offset, *end = start + block->size;
    uint64_t after = slot->place.capacity - block->offset - block->size;
    slot->clean = false;
    if (!holds_canaries(slot->write, block->offset))
        for (int64_t i = 1; i <= (int64_t)block->offset; i++)
            if (start[-i] != ARENA_CANARY) {
                *where = -i;
                return false;
            }
    if (!holds_canaries(end, after))
        for (uint64_t i = 0; i < after; i++)
            if (end[i] != ARENA_CANARY) {
                *where = (int64_t)i;
                return false;
            }
    slot->clean = slot->sealed;
    return true;
}

struct place arena_place(const struct block *block)
{
    return block->slot->place;
}

bool arena_locate(const void *context, const void *address, char *text, size_t size)
{
    const struct arena *arena = context;
    for (const struct arena_slot *slot = arena ? arena->used : NULL; slot; slot = slot->next) {
        struct place written = slot->place;
        written.pages = slot->write;
        if (place_describe(&slot->place, address, text, size) || place_describe(&written, address, text, size))
            return true;
    }
    return false;
}
