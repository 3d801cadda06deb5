#include "device/directml/directml_options.h"

#include <stdio.h>
#include <string.h>

/* Reads one `key=value`, or one `key`: then `value` is null. */
static HRESULT directml_read_pair(const char *key, const char *value, struct directml_options *out, char *message,
                                  size_t message_size)
{
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
    while (text && *text) {
        char pair[320];
        size_t length = strcspn(text, ",");
        if (length >= sizeof pair) {
            snprintf(message, message_size, "an option is longer than %zu bytes", sizeof pair - 1);
            return E_INVALIDARG;
        }
        memcpy(pair, text, length);
        pair[length] = 0;
        char *equals = strchr(pair, '=');
        if (equals)
            *equals = 0;
        HRESULT result = directml_read_pair(pair, equals ? equals + 1 : NULL, out, message, message_size);
        if (FAILED(result))
            return result;
        text += length + (text[length] == ',');
    }
    return S_OK;
}
