/* nametable.h: a hash table from names to numbers. A name is one string or several. The table stores only 96 bits of
 * the hash of each name: with 2^32 names, the chance that two of them collide is 1 in 2^33. */
#ifndef BASE_NAMETABLE_H
#define BASE_NAMETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nametable_entry {
    uint64_t low;
    uint32_t high;
    uint32_t number; /* 0: the slot is free */
};

/* A zeroed table is empty. */
struct nametable {
    struct nametable_entry *entries;
    size_t slots; /* 0 or a power of two */
    size_t count;
};

/* Returns the number of a name of `count` strings, or 0. */
uint32_t nametable_find(const struct nametable *table, const char *const *name, size_t count);

/* Adds a name that is not in the table. Returns false, with the table unchanged, if memory runs out or `number` is not
 * from 1 to 2^32 - 1. */
bool nametable_add(struct nametable *table, const char *const *name, size_t count, int64_t number);

void nametable_destroy(struct nametable *table);

#endif
