/* options.h: the arguments of a device, `key=value` pairs separated by commas. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

/* Reads one pair into `out`. `value` is null if the pair is a key alone. E_INVALIDARG, with a sentence in `message`:
 * the key is unknown, or the value is wrong. */
typedef HRESULT options_read_pair(void *out, const char *key, const char *value, char *message, size_t message_size);

/* Reads each pair of `text` in order, up to the first that is wrong; null reads as "". Returns E_INVALIDARG, with a
 * sentence in `message`, if one is wrong or longer than 599 bytes. */
HRESULT options_read(const char *text, options_read_pair *read, void *out, char *message, size_t message_size);

#endif
