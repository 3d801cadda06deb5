/* directml_options.h: the arguments of the device. */
#ifndef DIRECTML_OPTIONS_H
#define DIRECTML_OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

struct directml_options {
    char adapter[128];   /* a number, or a part of an adapter's name; "": the first */
    char libraries[256]; /* folder of the three libraries; "": the usual places */
    int validation;      /* debug layers of Direct3D 12 and DirectML */
};

/* Reads `key=value` pairs, separated by commas. */
HRESULT directml_options_read(const char *text, struct directml_options *out, char *message, size_t message_size);

#endif
