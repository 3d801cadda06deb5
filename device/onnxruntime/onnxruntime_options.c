#include "device/onnxruntime/onnxruntime_options.h"

#include "device/common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256 };

static HRESULT onnxruntime_read_pair(void *context, const char *key, const char *value, char *message,
                                     size_t message_size)
{
    struct options *out = context;
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
    return options_read(text, onnxruntime_read_pair, out, message, message_size);
}
