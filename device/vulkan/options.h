/* options.h: the options of the Vulkan device, `key=value` pairs separated by commas. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

enum { REPEAT_MAX = 1000, CACHE_MAX = 1 << 20 };

enum tuning { TUNING_AUTO, TUNING_GPU, TUNING_CPU };

struct options {
    char device[128];        /* number, or part of the name, of the physical device; "": the first suitable one */
    DML_FEATURE_LEVEL level; /* the highest level to claim */
    int validation;          /* enable VK_LAYER_KHRONOS_validation */
    uint32_t repeat;         /* how often a batch runs; device_ns is of the last time, with clocks and caches warm */
    enum tuning tuning;      /* plan as for this kind of device; TUNING_AUTO: as for the kind that it is */
    int staging;             /* the processor does not touch the device's memory, even where it could */
    uint32_t cache_kib;      /* what indices reach over at a time; 0: as tuned */
};

/* Reads `text`; null reads as "". Returns E_INVALIDARG, with a sentence in `message`, for an unknown key or value. */
HRESULT options_read(const char *text, struct options *out, char *message, size_t message_size);
#endif
