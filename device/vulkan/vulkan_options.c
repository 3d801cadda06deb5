#include "device/vulkan/vulkan_options.h"

#include "device/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    DML_FEATURE_LEVEL level;
} levels[] = {
    {"1_0", DML_FEATURE_LEVEL_1_0}, {"2_0", DML_FEATURE_LEVEL_2_0}, {"2_1", DML_FEATURE_LEVEL_2_1},
    {"3_0", DML_FEATURE_LEVEL_3_0}, {"3_1", DML_FEATURE_LEVEL_3_1}, {"4_0", DML_FEATURE_LEVEL_4_0},
    {"4_1", DML_FEATURE_LEVEL_4_1}, {"5_0", DML_FEATURE_LEVEL_5_0}, {"5_1", DML_FEATURE_LEVEL_5_1},
    {"5_2", DML_FEATURE_LEVEL_5_2}, {"6_0", DML_FEATURE_LEVEL_6_0}, {"6_1", DML_FEATURE_LEVEL_6_1},
    {"6_2", DML_FEATURE_LEVEL_6_2}, {"6_3", DML_FEATURE_LEVEL_6_3}, {"6_4", DML_FEATURE_LEVEL_6_4},
};

static int read_level(const char *value, DML_FEATURE_LEVEL *out)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (!strcmp(levels[i].name, value)) {
            *out = levels[i].level;
            return 1;
        }
    }
    return 0;
}

static int read_number(const char *value, uint32_t low, uint32_t high, uint32_t *out)
{
    char *end;
    unsigned long number = value ? strtoul(value, &end, 10) : 0;
    if (!value || *end || *value < '0' || *value > '9' || number < low || number > high)
        return 0;
    *out = (uint32_t)number;
    return 1;
}

static HRESULT read_flag(const char *key, const char *value, int *out, char *message, size_t message_size)
{
    if (!value || !strcmp(value, "0") || !strcmp(value, "1")) {
        *out = !value || *value == '1';
        return S_OK;
    }
    snprintf(message, message_size, "the option %s needs 0 or 1, not \"%s\"", key, value);
    return E_INVALIDARG;
}

static enum tuning read_tuning(const char *value)
{
    if (value && !strcmp(value, "gpu"))
        return TUNING_GPU;
    return value && !strcmp(value, "cpu") ? TUNING_CPU : TUNING_AUTO;
}

static HRESULT vulkan_read_pair(void *context, const char *key, const char *value, char *message, size_t message_size)
{
    struct options *out = context;
    if (!strcmp(key, "device")) {
        if (value && *value && strlen(value) < sizeof out->device) {
            strcpy(out->device, value);
            return S_OK;
        }
        snprintf(message, message_size, "the option device needs a number or a part of a device's name");
    } else if (!strcmp(key, "level")) {
        if (value && read_level(value, &out->level))
            return S_OK;
        snprintf(message, message_size, "the option level needs a feature level such as 3_0 or 6_4, not \"%s\"",
                 value ? value : "");
    } else if (!strcmp(key, "validation")) {
        return read_flag(key, value, &out->validation, message, message_size);
    } else if (!strcmp(key, "staging")) {
        return read_flag(key, value, &out->staging, message, message_size);
    } else if (!strcmp(key, "repeat")) {
        if (read_number(value, 1, REPEAT_MAX, &out->repeat))
            return S_OK;
        snprintf(message, message_size, "the option repeat needs a number from 1 to %d, not \"%s\"", REPEAT_MAX,
                 value ? value : "");
    } else if (!strcmp(key, "tuning")) {
        out->tuning = read_tuning(value);
        if (out->tuning != TUNING_AUTO)
            return S_OK;
        snprintf(message, message_size, "the option tuning needs gpu or cpu, not \"%s\"", value ? value : "");
    } else if (!strcmp(key, "cache")) {
        if (read_number(value, 1, CACHE_MAX, &out->cache_kib))
            return S_OK;
        snprintf(message, message_size, "the option cache needs a number of KiB from 1 to %d, not \"%s\"", CACHE_MAX,
                 value ? value : "");
    } else {
        snprintf(message, message_size,
                 "unknown option \"%s\"; the options are cache, device, level, repeat, staging, tuning and validation",
                 key);
    }
    return E_INVALIDARG;
}

HRESULT vulkan_options_read(const char *text, struct options *out, char *message, size_t message_size)
{
    *out = (struct options){.level = DML_FEATURE_LEVEL_6_4, .repeat = 1};
    return options_read(text, vulkan_read_pair, out, message, message_size);
}
