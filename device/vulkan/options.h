/* options.h: the `key=value,...` text that create_device() is given. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

struct options {
    char device[128];        /* number, or part of the name, of the physical device; "": the first that will do */
    DML_FEATURE_LEVEL level; /* highest level to claim */
    int validation;          /* turn VK_LAYER_KHRONOS_validation on */
};

/* Reads `text` (null is ""). E_INVALIDARG with a sentence in `message` for a key or value that it does not know. */
HRESULT options_read(const char *text, struct options *out, char *message, size_t message_size);
#endif
