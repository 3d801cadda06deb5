/* options.h: the options of the ONNX Runtime device, `key=value` with commas between. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

struct options {
    int threads;       /* that share the work of one operator */
    char library[512]; /* path; "": the one beside the device, or else the system's */
};

/* E_INVALIDARG, with a sentence in `message`, for what is no option. */
HRESULT options_read(const char *text, struct options *out, char *message, size_t message_size);

#endif
