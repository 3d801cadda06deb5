/* place.h: where a tensor is, for messages about an address. */
#ifndef HOST_PLACE_H
#define HOST_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACE_PAGE = 4096 };

/* Pages that hold one tensor, between two pages that are not mapped. */
struct place {
    const uint8_t *pages;
    uint64_t capacity;     /* bytes of the pages */
    uint64_t offset, size; /* of the tensor in them */
    const char *name;      /* of the tensor; null: the pages are free */
    bool input;
};

/* How far an address is from the tensor, 0: in it. UINT64_MAX: the address is neither in the pages nor in those around
 * them. Two places may have one page between them, which is around both. Safe in signal handlers. */
uint64_t place_distance(const struct place *place, const void *address);

/* Describes an address for a message: "byte 12 of the read-only input 'InputTensor'", "3 bytes past the end of
 * 'OutputTensor'". False: the address is neither in the pages nor in those around them. Safe in signal handlers. */
bool place_describe(const struct place *place, const void *address, char *text, size_t size);

#endif
