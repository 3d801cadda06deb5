#include "device/common/catalogue.h"

#define TYPE(name) (1u << DML_TENSOR_DATA_TYPE_##name)
#include "generated/catalogue.h"

const struct catalogue_operator *catalogue_find(uint32_t type)
{
    return type < sizeof operators / sizeof *operators && operators[type].name ? &operators[type] : NULL;
}
