/* options.h: the options of the Vulkan device, `key=value` pairs separated by commas. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

struct options {
    char device[128];        /* number, or part of the name, of the physical device; "": the first suitable one */
    DML_FEATURE_LEVEL level; /* the highest level to claim */
    int validation;          /* enable VK_LAYER_KHRONOS_validation */
};

/* Reads `text`; null reads as "". Returns E_INVALIDARG, with a sentence in `message`, for an unknown key or value. */
HRESULT options_read(const char *text, struct options *out, char *message, size_t message_size);
#endif
