#include "harness/host/place.h"

#include <stdio.h>

bool place_describe(const struct place *place, const void *address, char *text, size_t size)
{
    const uint8_t *at = address;
    if (!place->name || at < place->pages - PLACE_PAGE || at >= place->pages + place->capacity + PLACE_PAGE)
        return false;
    int64_t from = at - (place->pages + place->offset);
    if (from < 0)
        snprintf(text, size, "%lld bytes before the start of '%s'", (long long)-from, place->name);
    else if ((uint64_t)from >= place->size)
        snprintf(text, size, "%lld bytes past the end of '%s'", (long long)from - (long long)place->size, place->name);
    else
        snprintf(text, size, "byte %lld of %s'%s'", (long long)from, place->input ? "the read-only input " : "",
                 place->name);
    return true;
}
