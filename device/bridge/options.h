/* options.h: what followed "bridge:", as options and a command. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

enum { OPTIONS_TIMEOUT = 60 };

struct options {
    unsigned timeout;    /* seconds */
    const char *command; /* within the text that was read */
};

/* Options `key=value,` stand in front; the rest is the command as it is, commas and colons included. E_INVALIDARG, with
 * a sentence in `message`, for a bad value and for no command. */
HRESULT options_read(const char *text, struct options *out, char *message, size_t message_size);

#endif
