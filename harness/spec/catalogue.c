#include "harness/spec/catalogue.h"

const struct spec_layout *catalogue_layout(const struct catalogue *catalogue, uint32_t type)
{
    return type >= 1 && type <= (uint32_t)catalogue->count ? &catalogue->operators[type - 1].layout : NULL;
}
