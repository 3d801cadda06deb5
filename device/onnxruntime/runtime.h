/* runtime.h: ONNX Runtime: its library, loaded when the device is made, and the sessions, made when first asked for and
 * kept. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "device/onnxruntime/model.h"
#include "device/onnxruntime/options.h"

#include <onnxruntime_c_api.h>

struct session; /* one model, loaded; the runtime's, alive until runtime_close() */

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

/* Loads and starts it. DXGI_ERROR_UNSUPPORTED with a sentence in `message` if there is no such library. What is left
 * behind by a failure, runtime_close() takes away. */
HRESULT runtime_open(struct runtime *runtime, const struct options *options, char *message, size_t message_size);
void runtime_close(struct runtime *runtime);

/* The session of a model, whose `node` and `attribute` are texts that stay. DXGI_ERROR_UNSUPPORTED with ONNX Runtime's own words in
 * `message` where it has no kernel for these types. */
HRESULT runtime_session(struct runtime *runtime, const struct model *model, struct session **out, char *message,
                        size_t message_size);

/* A tensor in memory that is the caller's. Null, with a message: it could not be made. */
OrtValue *runtime_tensor(struct runtime *runtime, void *data, size_t size, const int64_t *sizes, size_t rank,
                         int element_type, char *message, size_t message_size);

/* Runs the model. `*output` is written to if it is a tensor, made (and then the caller's) if it is null. `*took`:
 * nanoseconds of ONNX Runtime's own. */
HRESULT runtime_run(struct runtime *runtime, struct session *session, OrtValue *const *inputs, OrtValue **output,
                    uint64_t *took, char *message, size_t message_size);

#endif
