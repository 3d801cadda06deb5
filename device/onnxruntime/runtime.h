/* runtime.h: ONNX Runtime: its library, loaded when the device is created, and its sessions, created on first use and
 * kept. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "device/onnxruntime/model.h"
#include "device/onnxruntime/onnxruntime_options.h"

#include <onnxruntime_c_api.h>

struct session; /* one model, loaded; owned by the runtime, valid until runtime_close() */

struct runtime {
    void *library;
    const char *version; /* "1.30.0"; the library's own text */
    const OrtApi *api;
    OrtEnv *env;
    OrtSessionOptions *options;
    OrtMemoryInfo *memory;
    struct session **sessions; /* hash table, open addressing */
    size_t session_count, session_room;
};

/* Loads and starts ONNX Runtime. Returns DXGI_ERROR_UNSUPPORTED, with a sentence in `message`, if the library is
 * missing, too old or not ONNX Runtime. Call runtime_close() also after a failure. */
HRESULT runtime_open(struct runtime *runtime, const struct options *options, char *message, size_t message_size);
void runtime_close(struct runtime *runtime);

/* Returns the session of a model. Returns DXGI_ERROR_UNSUPPORTED, with ONNX Runtime's own text in `message`, if ONNX
 * does not have the node for these types, or ONNX Runtime has no kernel. */
HRESULT runtime_session(struct runtime *runtime, const struct model *model, struct session **out, char *message,
                        size_t message_size);

/* Makes a tensor in the caller's memory, to be released with ReleaseValue(). Returns null, with a sentence in
 * `message`, if it fails. */
OrtValue *runtime_tensor(struct runtime *runtime, void *data, size_t size, const int64_t *sizes, size_t rank,
                         int element_type, char *message, size_t message_size);

/* Runs the model. Writes to the tensors `outputs`; creates those that are null for the caller, who releases them.
 * `*took`: nanoseconds that ONNX Runtime took. */
HRESULT runtime_run(struct runtime *runtime, struct session *session, OrtValue *const *inputs, OrtValue **outputs,
                    uint64_t *took, char *message, size_t message_size);

#endif
