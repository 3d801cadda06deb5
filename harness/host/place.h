/* place.h: the place of a tensor in memory, for messages about an address. */
#ifndef HOST_PLACE_H
#define HOST_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACE_PAGE = 4096 };

/* The pages that hold one tensor, between two pages that are not mapped. */
struct place {
    const uint8_t *pages;
    uint64_t capacity;     /* size of the pages in bytes */
    uint64_t offset, size; /* the tensor's place in the pages, in bytes */
    const char *name;      /* name of the tensor; null: the pages are free */
    bool input;
};

/* Returns the distance of an address from the tensor in bytes, 0 within it; UINT64_MAX if the address is neither in the
 * pages nor in the two around them. Two places may have one page between them, which is around both. Safe in signal
 * handlers. */
uint64_t place_distance(const struct place *place, const void *address);

/* Describes an address for a message: "byte 12 of the read-only input 'InputTensor'", "3 bytes past the end of
 * 'OutputTensor'". Returns false if the address is neither in the pages nor in the two around them. Safe in signal
 * handlers. */
bool place_describe(const struct place *place, const void *address, char *text, size_t size);

#endif
