/* nametable.h: names to numbers, in memory. A name is one string or several. Names are not kept, only 96 bits of their hash: two of 2^32 names look the
 * same to it once in 2^33 such tables. */
#ifndef BASE_NAMETABLE_H
#define BASE_NAMETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nametable_entry {
    uint64_t low;
    uint32_t high;
    uint32_t number; /* 0: the place is free */
};

/* Zeroed is empty. */
struct nametable {
    struct nametable_entry *entries;
    size_t places; /* 0 or a power of two */
    size_t count;
};

/* The number of a name of `count` strings, or 0. */
uint32_t nametable_find(const struct nametable *table, const char *const *name, size_t count);

/* Adds a name that is not there, `number` not 0. False: no memory, or no 32-bit number; the table is as it was. */
bool nametable_add(struct nametable *table, const char *const *name, size_t count, int64_t number);

void nametable_destroy(struct nametable *table);

#endif
