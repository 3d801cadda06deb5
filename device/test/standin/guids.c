/* guids.c: the identifiers of all interfaces. */
#define INITGUID
#include "device/directml/com.h"
