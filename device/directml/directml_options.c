#include "device/directml/directml_options.h"

#include "device/common/options.h"

#include <stdio.h>
#include <string.h>

static HRESULT directml_read_pair(void *context, const char *key, const char *value, char *message, size_t message_size)
{
    struct directml_options *out = context;
    if (!strcmp(key, "adapter")) {
        if (value && *value && strlen(value) < sizeof out->adapter) {
            strcpy(out->adapter, value);
            return S_OK;
        }
        snprintf(message, message_size, "the option adapter needs a number or a part of an adapter's name");
    } else if (!strcmp(key, "libraries")) {
        if (value && *value && strlen(value) < sizeof out->libraries) {
            strcpy(out->libraries, value);
            return S_OK;
        }
        snprintf(message, message_size, "the option libraries needs a folder of fewer than %zu bytes",
                 sizeof out->libraries);
    } else if (!strcmp(key, "validation")) {
        if (!value || !strcmp(value, "0") || !strcmp(value, "1")) {
            out->validation = !value || *value == '1';
            return S_OK;
        }
        snprintf(message, message_size, "the option validation needs 0 or 1, not \"%s\"", value);
    } else {
        snprintf(message, message_size, "unknown option \"%s\"; the options are adapter, libraries and validation",
                 key);
    }
    return E_INVALIDARG;
}

HRESULT directml_options_read(const char *text, struct directml_options *out, char *message, size_t message_size)
{
    *out = (struct directml_options){0};
    return options_read(text, directml_read_pair, out, message, message_size);
}
