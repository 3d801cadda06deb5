#include "harness/base/nametable.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static struct nametable_entry nametable_entry_of(const char *const *name, size_t count)
{
    XXH128_hash_t hash = {0};
    for (size_t i = 0; i < count; i++)
        hash = XXH3_128bits_withSeed(name[i], strlen(name[i]), hash.low64);
    return (struct nametable_entry){.low = hash.low64, .high = (uint32_t)hash.high64};
}

/* Returns the slot of the entry, or the free slot for it. */
static struct nametable_entry *slot_of(const struct nametable *table, const struct nametable_entry *entry)
{
    size_t mask = table->slots - 1, i = entry->low & mask;
    while (table->entries[i].number && (table->entries[i].low != entry->low || table->entries[i].high != entry->high))
        i = (i + 1) & mask;
    return &table->entries[i];
}

static bool nametable_grow(struct nametable *table)
{
    struct nametable larger = {.slots = table->slots ? 2 * table->slots : 1024, .count = table->count};
    larger.entries = calloc(larger.slots, sizeof *larger.entries);
    if (!larger.entries)
        return false;
    for (size_t i = 0; i < table->slots; i++)
        if (table->entries[i].number)
            *slot_of(&larger, &table->entries[i]) = table->entries[i];
    free(table->entries);
    *table = larger;
    return true;
}

uint32_t nametable_find(const struct nametable *table, const char *const *name, size_t count)
{
    if (!table->slots)
        return 0;
    struct nametable_entry entry = nametable_entry_of(name, count);
    return slot_of(table, &entry)->number;
}

bool nametable_add(struct nametable *table, const char *const *name, size_t count, int64_t number)
{
    if (number <= 0 || number > UINT32_MAX)
        return false;
    if (2 * (table->count + 1) > table->slots && !nametable_grow(table))
        return false;
    struct nametable_entry entry = nametable_entry_of(name, count);
    entry.number = (uint32_t)number;
    *slot_of(table, &entry) = entry;
    table->count++;
    return true;
}

void nametable_destroy(struct nametable *table)
{
    free(table->entries);
    *table = (struct nametable){0};
}
