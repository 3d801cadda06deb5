/* onnxruntime_options.h: the options of the ONNX Runtime device, `key=value` pairs separated by commas. */
#ifndef ONNXRUNTIME_OPTIONS_H
#define ONNXRUNTIME_OPTIONS_H

#include "device/dml.h"

#include <stddef.h>

struct options {
    int threads;       /* number of threads that share the work of one operator */
    char library[512]; /* path; "": the library beside the device, or else the system's */
};

/* Reads `text`; null reads as "". Returns E_INVALIDARG, with a sentence in `message`, for an unknown key or a bad
 * value. */
HRESULT onnxruntime_options_read(const char *text, struct options *out, char *message, size_t message_size);

#endif
