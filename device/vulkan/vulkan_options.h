/* vulkan_options.h: the options of the Vulkan device, `key=value` pairs separated by commas. */
#ifndef VULKAN_OPTIONS_H
#define VULKAN_OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

enum { REPEAT_MAX = 1000, CACHE_MAX = 1 << 20 };

enum tuning { TUNING_AUTO, TUNING_GPU, TUNING_CPU };

struct options {
    char device[128];        /* number, or part of the name, of the physical device; "": the first suitable one */
    DML_FEATURE_LEVEL level; /* the highest level to claim */
    int validation;          /* enable VK_LAYER_KHRONOS_validation */
    uint32_t repeat;         /* number of runs of a batch; device_ns is the last run's, with warm clocks and caches */
    enum tuning tuning;      /* the kind of device to plan for; TUNING_AUTO: the kind that it is */
    int staging;             /* the processor does not touch the device's memory, even where it could */
    uint32_t cache_kib;      /* bytes / 1024 that indices should reach over at a time; 0: the tuned value */
};

/* Reads `text`; null reads as "". Returns E_INVALIDARG, with a sentence in `message`, for an unknown key or value. */
HRESULT vulkan_options_read(const char *text, struct options *out, char *message, size_t message_size);
#endif
