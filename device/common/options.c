#include "device/common/options.h"

#include <stdio.h>
#include <string.h>

HRESULT options_read(const char *text, options_read_pair *read, void *out, char *message, size_t message_size)
{
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
        HRESULT result = read(out, pair, equals ? equals + 1 : NULL, message, message_size);
        if (FAILED(result))
            return result;
        text += length + (text[length] == ',');
    }
    return S_OK;
}
