#include "device/bridge/bridge_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_MAX = 86400 };

HRESULT bridge_options_read(const char *text, struct options *out, char *message, size_t message_size)
{
    static const char key[] = "timeout=";
    *out = (struct options){.timeout = OPTIONS_TIMEOUT};
    while (!strncmp(text, key, sizeof key - 1)) {
        const char *value = text + sizeof key - 1;
        size_t length = strcspn(value, ",");
        char *end = NULL;
        unsigned long seconds = *value >= '0' && *value <= '9' ? strtoul(value, &end, 10) : 0;
        if (seconds < 1 || seconds > TIMEOUT_MAX || end != value + length) {
            snprintf(message, message_size, "the option timeout needs a number of seconds from 1 to %d, not \"%.*s\"",
                     TIMEOUT_MAX, (int)(length < 64 ? length : 64), value);
            return E_INVALIDARG;
        }
        out->timeout = (unsigned)seconds;
        text = value + length + (value[length] == ',');
    }
    out->command = text;
    if (text[strspn(text, " \t\n")])
        return S_OK;
    snprintf(message, message_size, "no command; expected bridge:COMMAND or bridge:timeout=SECONDS,COMMAND");
    return E_INVALIDARG;
}
