/* com.c: the identifiers that com.h and the headers of Direct3D declare. */
#define INITGUID
#include "device/directml/com.h"
