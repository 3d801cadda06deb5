/* bridge_options.h: the text after "bridge:", which has options and a command. */
#ifndef BRIDGE_OPTIONS_H
#define BRIDGE_OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

enum { OPTIONS_TIMEOUT = 60 };

struct options {
    unsigned timeout;    /* seconds */
    const char *command; /* points into the text that was read */
};

/* Reads options, `key=value,` each; the rest of the text is the command, commas and colons included. Returns
 * E_INVALIDARG, with a sentence in `message`, if a value is bad or the command is missing. */
HRESULT bridge_options_read(const char *text, struct options *out, char *message, size_t message_size);

#endif
