#include "device/onnxruntime/onnxruntime_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256 };

static HRESULT onnxruntime_read_pair(const char *key, const char *value, struct options *out, char *message,
                                     size_t message_size)
{
    if (!strcmp(key, "threads")) {
        char *end = NULL;
        long threads = value ? strtol(value, &end, 10) : 0;
        if (threads >= 1 && threads <= THREADS_MAX && !*end) {
            out->threads = (int)threads;
            return S_OK;
        }
        snprintf(message, message_size, "the option threads needs a number from 1 to %d, not \"%s\"", THREADS_MAX,
                 value ? value : "");
    } else if (!strcmp(key, "library")) {
        if (value && *value && strlen(value) < sizeof out->library) {
            strcpy(out->library, value);
            return S_OK;
        }
        snprintf(message, message_size, "the option library needs the path of a libonnxruntime.so");
    } else {
        snprintf(message, message_size, "unknown option \"%s\"; the options are threads and library", key);
    }
    return E_INVALIDARG;
}

HRESULT onnxruntime_options_read(const char *text, struct options *out, char *message, size_t message_size)
{
    *out = (struct options){.threads = 1};
    while (text && *text) {
        char pair[600];
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
        HRESULT result = onnxruntime_read_pair(pair, equals ? equals + 1 : NULL, out, message, message_size);
        if (FAILED(result))
            return result;
        text += length + (text[length] == ',');
    }
    return S_OK;
}
