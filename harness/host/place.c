#include "harness/host/place.h"

#include <stdio.h>

uint64_t place_distance(const struct place *place, const void *address)
{
    const uint8_t *at = address, *start = place->pages + place->offset;
    if (!place->name || at < place->pages - PLACE_PAGE || at >= place->pages + place->capacity + PLACE_PAGE)
        return UINT64_MAX;
    if (at < start)
        return (uint64_t)(start - at);
    return at < start + place->size ? 0 : (uint64_t)(at - start) - place->size + 1;
}

bool place_describe(const struct place *place, const void *address, char *text, size_t size)
{
    if (place_distance(place, address) == UINT64_MAX)
        return false;
    int64_t from = (const uint8_t *)address - (place->pages + place->offset);
    if (from < 0)
        snprintf(text, size, "%lld bytes before the start of '%s'", (long long)-from, place->name);
    else if ((uint64_t)from >= place->size)
        snprintf(text, size, "%lld bytes past the end of '%s'", (long long)from - (long long)place->size, place->name);
    else
        snprintf(text, size, "byte %lld of %s'%s'", (long long)from, place->input ? "the read-only input " : "",
                 place->name);
    return true;
}
