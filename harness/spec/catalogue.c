#include "harness/spec/catalogue.h"

#include <string.h>

enum { NAME_MAX_LENGTH = 63 };

bool catalogue_is_name(const char *name, bool is_upper)
{
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower[] = "abcdefghijklmnopqrstuvwxyz",
                      rest[] = "0123456789_";
    size_t length = 0;
    while (length <= NAME_MAX_LENGTH && name[length] &&
           (strchr(upper, name[length]) || (!is_upper && strchr(lower, name[length])) ||
            (length > 0 && strchr(rest, name[length]))))
        length++;
    return length > 0 && length <= NAME_MAX_LENGTH && !name[length];
}

/* Returns the place of an operator of one's own among the operators, or the place that the number would have. */
static int own_place(const struct catalogue *catalogue, uint32_t type)
{
    int low = catalogue->documented, high = catalogue->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if ((uint32_t)catalogue->operators[middle].layout.type < type)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct catalogue_entry *catalogue_entry(const struct catalogue *catalogue, uint32_t type)
{
    if (!catalogue_is_own(type))
        return type >= 1 && type <= (uint32_t)catalogue->documented ? &catalogue->operators[type - 1] : NULL;
    const struct catalogue_entry *found = &catalogue->operators[own_place(catalogue, type)];
    return found < catalogue->operators + catalogue->count && (uint32_t)found->layout.type == type ? found : NULL;
}

const struct catalogue_entry *catalogue_named(const struct catalogue *catalogue, const char *name)
{
    for (int i = 0; i < catalogue->count; i++)
        if (strcmp(catalogue->operators[i].layout.name, name) == 0)
            return &catalogue->operators[i];
    return NULL;
}

const struct spec_layout *catalogue_layout(const struct catalogue *catalogue, uint32_t type)
{
    const struct catalogue_entry *entry = catalogue_entry(catalogue, type);
    return entry ? &entry->layout : NULL;
}
