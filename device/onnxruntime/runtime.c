#include "device/onnxruntime/runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The oldest version of the API that has all functions called here. Later libraries have it, too: versions only add
 * functions. */
enum { OLDEST_API = 11 };

#define LIBRARY "libonnxruntime.so.1"

struct session {
    size_t input_count, output_count;
    OrtSession *session;
    size_t size;
    uint8_t model[]; /* bytes of the model */
};

typedef const OrtApiBase *(*base_function)(void);

/* Turns ONNX Runtime's status into an HRESULT and a message, and releases it. A model is invalid if ONNX does not have
 * the node for these types. */
static HRESULT check_status(const struct runtime *runtime, OrtStatus *status, char *message, size_t message_size)
{
    if (!status)
        return S_OK;
    OrtErrorCode code = runtime->api->GetErrorCode(status);
    snprintf(message, message_size, "ONNX Runtime: %s", runtime->api->GetErrorMessage(status));
    message[strcspn(message, "\n")] = 0;
    runtime->api->ReleaseStatus(status);
    return code == ORT_NOT_IMPLEMENTED || code == ORT_INVALID_GRAPH ? DXGI_ERROR_UNSUPPORTED : E_FAIL;
}

/* ---- opening */

/* Loads the named library; without a name, the one beside this device, or else the system's. */
static void *load_onnxruntime(const char *named)
{
    char path[1024];
    Dl_info self;
    static const char here;
    if (*named)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (dladdr(&here, &self) && self.dli_fname && strrchr(self.dli_fname, '/')) {
        int folder = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
        snprintf(path, sizeof path, "%.*s/" LIBRARY, folder, self.dli_fname);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static HRESULT find_api(struct runtime *runtime, const char *named, char *message, size_t message_size)
{
    base_function base;
    runtime->library = load_onnxruntime(named);
    if (!runtime->library) {
        snprintf(message, message_size, "the library of ONNX Runtime cannot be loaded: %s", dlerror());
        return DXGI_ERROR_UNSUPPORTED;
    }
    void *symbol = dlsym(runtime->library, "OrtGetApiBase");
    if (!symbol) {
        snprintf(message, message_size, "%s is not ONNX Runtime: it has no OrtGetApiBase", *named ? named : LIBRARY);
        return DXGI_ERROR_UNSUPPORTED;
    }
    memcpy(&base, &symbol, sizeof base); /* ISO C has no cast from object to function pointer */
    runtime->version = base()->GetVersionString();
    runtime->api = base()->GetApi(OLDEST_API);
    if (runtime->api)
        return S_OK;
    snprintf(message, message_size, "ONNX Runtime %s is too old: it lacks version %d of its API", runtime->version,
             OLDEST_API);
    return DXGI_ERROR_UNSUPPORTED;
}

/* ONNX Runtime sends telemetry and leaves files in the home folder unless this variable is set when its environment is
 * created. There is no other way to stop it. The variable is restored afterwards. */
#define NO_TELEMETRY "ORT_DISABLE_TELEMETRY"

static OrtStatus *make_without_telemetry(struct runtime *runtime, const OrtThreadingOptions *threading)
{
    const char *given = getenv(NO_TELEMETRY);
    char *before = given ? strdup(given) : NULL;
    setenv(NO_TELEMETRY, "1", 1);
    /* ONNX Runtime logs only fatal errors: other lines would only repeat the statuses that calls return. */
    OrtStatus *status =
        runtime->api->CreateEnvWithGlobalThreadPools(ORT_LOGGING_LEVEL_FATAL, "assay", threading, &runtime->env);
    if (before)
        setenv(NO_TELEMETRY, before, 1);
    else
        unsetenv(NO_TELEMETRY);
    free(before);
    return status;
}

/* Makes the environment. All sessions share its threads: there are hundreds of sessions. */
static OrtStatus *make_ort_environment(struct runtime *runtime, int threads)
{
    const OrtApi *api = runtime->api;
    OrtThreadingOptions *threading = NULL;
    OrtStatus *status = api->CreateThreadingOptions(&threading);
    if (!status)
        status = api->SetGlobalIntraOpNumThreads(threading, threads);
    if (!status)
        status = api->SetGlobalInterOpNumThreads(threading, 1);
    if (!status)
        status = api->SetGlobalSpinControl(threading, 0);
    if (!status)
        status = make_without_telemetry(runtime, threading);
    if (threading)
        api->ReleaseThreadingOptions(threading);
    return status;
}

/* Makes options that test the kernels unchanged: no graph optimizations. Sessions keep no memory. */
static OrtStatus *make_options(struct runtime *runtime)
{
    const OrtApi *api = runtime->api;
    OrtStatus *status = api->CreateSessionOptions(&runtime->options);
    if (!status)
        status = api->DisablePerSessionThreads(runtime->options);
    if (!status)
        status = api->SetSessionGraphOptimizationLevel(runtime->options, ORT_DISABLE_ALL);
    if (!status)
        status = api->DisableMemPattern(runtime->options);
    if (!status)
        status = api->DisableCpuMemArena(runtime->options);
    if (!status)
        status = api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &runtime->memory);
    return status;
}

HRESULT runtime_open(struct runtime *runtime, const struct options *options, char *message, size_t message_size)
{
    HRESULT result = find_api(runtime, options->library, message, message_size);
    if (SUCCEEDED(result))
        result = check_status(runtime, make_ort_environment(runtime, options->threads), message, message_size);
    if (SUCCEEDED(result))
        result = check_status(runtime, make_options(runtime), message, message_size);
    return result;
}

void runtime_close(struct runtime *runtime)
{
    const OrtApi *api = runtime->api;
    for (size_t i = 0; i < runtime->session_room; i++)
        if (runtime->sessions[i]) {
            api->ReleaseSession(runtime->sessions[i]->session);
            free(runtime->sessions[i]);
        }
    free(runtime->sessions);
    if (runtime->memory)
        api->ReleaseMemoryInfo(runtime->memory);
    if (runtime->options)
        api->ReleaseSessionOptions(runtime->options);
    if (runtime->env)
        api->ReleaseEnv(runtime->env);
    if (runtime->library)
        dlclose(runtime->library);
    *runtime = (struct runtime){0};
}

/* ---- sessions */

/* Returns the slot of the model's session, or the free slot for it. `room`, a power of two, exceeds the number of
 * sessions. */
static struct session **find_slot(struct session **sessions, size_t room, const uint8_t *model, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = hash * 31 + model[i];
    size_t at = (size_t)(hash * 0x9E3779B97F4A7C15u >> 32) & (room - 1);
    while (sessions[at] && (sessions[at]->size != size || memcmp(sessions[at]->model, model, size) != 0))
        at = (at + 1) & (room - 1);
    return &sessions[at];
}

static int make_room_for_session(struct runtime *runtime)
{
    size_t room = runtime->session_room ? runtime->session_room * 2 : 64;
    if (runtime->session_count * 2 < runtime->session_room)
        return 1;
    struct session **sessions = calloc(room, sizeof(*sessions));
    if (!sessions)
        return 0;
    for (size_t i = 0; i < runtime->session_room; i++)
        if (runtime->sessions[i])
            *find_slot(sessions, room, runtime->sessions[i]->model, runtime->sessions[i]->size) = runtime->sessions[i];
    free(runtime->sessions);
    runtime->sessions = sessions;
    runtime->session_room = room;
    return 1;
}

HRESULT runtime_session(struct runtime *runtime, const struct model *model, struct session **out, char *message,
                        size_t message_size)
{
    uint8_t bytes[MODEL_SIZE];
    if (!make_room_for_session(runtime))
        return E_OUTOFMEMORY;
    size_t size = model_encode(model, bytes);
    struct session **slot = find_slot(runtime->sessions, runtime->session_room, bytes, size);
    if (!*slot) {
        struct session *session = malloc(sizeof *session + size);
        if (!session)
            return E_OUTOFMEMORY;
        session->input_count = (size_t)model->input_count;
        session->output_count = (size_t)model->output_count;
        session->size = size;
        memcpy(session->model, bytes, size);
        HRESULT result = check_status(
            runtime,
            runtime->api->CreateSessionFromArray(runtime->env, bytes, size, runtime->options, &session->session),
            message, message_size);
        if (FAILED(result)) {
            free(session);
            return result;
        }
        *slot = session;
        runtime->session_count++;
    }
    *out = *slot;
    return S_OK;
}

/* ---- running */

OrtValue *runtime_tensor(struct runtime *runtime, void *data, size_t size, const int64_t *sizes, size_t rank,
                         int element_type, char *message, size_t message_size)
{
    OrtValue *value = NULL;
    OrtStatus *status = runtime->api->CreateTensorWithDataAsOrtValue(runtime->memory, data, size, sizes, rank,
                                                                     (ONNXTensorElementDataType)element_type, &value);
    return SUCCEEDED(check_status(runtime, status, message, message_size)) ? value : NULL;
}

static uint64_t runtime_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

HRESULT runtime_run(struct runtime *runtime, struct session *session, OrtValue *const *inputs, OrtValue **outputs,
                    uint64_t *took, char *message, size_t message_size)
{
    uint64_t start = runtime_now();
    OrtStatus *status = runtime->api->Run(session->session, NULL, model_inputs, (const OrtValue *const *)inputs,
                                          session->input_count, model_outputs, session->output_count, outputs);
    *took = runtime_now() - start + 1; /* 0 would mean that there is no clock */
    return check_status(runtime, status, message, message_size);
}
