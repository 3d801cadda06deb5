/* Devices that are broken on purpose: the reference device with one fault put between it and the caller. They show that
 * the harness notices, and lives.
 *
 *     -d mutants:fault=NAME[,every=N][,level=LEVEL]
 *
 * The fault strikes at every N-th call of the kind that it is about (1: at each). */
#include "device/device.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fault;

struct assay_device {
    const assay_device_api *api; /* of the reference device */
    assay_device *inner;
    void *library;
    const struct fault *fault;
    unsigned every, calls;
    const char *message;
};

/* The hooks a fault may have; the others stay null. */
struct fault {
    const char *name, *what;
    void (*on_open)(void);
    /* Instead of the reference's answer to create_operator(), whose result is given. */
    HRESULT (*on_create)(HRESULT right);
    HRESULT (*on_compile)(HRESULT right);
    /* Before and after the reference runs an item; `before` may return a failure to run it no further. */
    HRESULT (*before)(const assay_dispatch_item *item);
    HRESULT (*after)(const assay_dispatch_item *item);
};

static uint8_t *tensor(const assay_binding *binding)
{
    return (uint8_t *)binding->base + binding->offset;
}

/* ---- wrong results */

static HRESULT flip_bit(const assay_dispatch_item *item)
{
    tensor(&item->outputs[0])[0] ^= 1;
    return S_OK;
}

static HRESULT flip_last(const assay_dispatch_item *item)
{
    /* The last four bytes: past the elements of small types in a tensor that is rounded up, so in all of them. */
    for (uint64_t i = 0; i < 4; i++)
        tensor(&item->outputs[0])[item->outputs[0].size - 1 - i] ^= 0x10;
    return S_OK;
}

static HRESULT do_nothing(const assay_dispatch_item *item)
{
    (void)item;
    return S_FALSE;
}

static HRESULT zero_output(const assay_dispatch_item *item)
{
    memset(tensor(&item->outputs[0]), 0, item->outputs[0].size);
    return S_OK;
}

/* ---- memory */

static HRESULT write_past_end(const assay_dispatch_item *item)
{
    tensor(&item->outputs[0])[item->outputs[0].size] = 0;
    return S_OK;
}

static HRESULT write_far_past_end(const assay_dispatch_item *item)
{
    tensor(&item->outputs[0])[item->outputs[0].size + 100] = 0;
    return S_OK;
}

static HRESULT write_before_start(const assay_dispatch_item *item)
{
    tensor(&item->outputs[0])[-1] = 0;
    return S_OK;
}

static HRESULT write_input(const assay_dispatch_item *item)
{
    tensor(&item->inputs[0])[0] = 0;
    return S_OK;
}

static HRESULT read_past_end(const assay_dispatch_item *item)
{
    volatile uint8_t byte = tensor(&item->inputs[0])[item->inputs[0].size + 16];
    return byte == 0 ? S_OK : S_OK;
}

/* ---- the process */

static HRESULT crash(const assay_dispatch_item *item)
{
    (void)item;
    fputs("about to touch a null pointer\n", stderr);
    *(volatile int *)NULL = 1;
    return S_OK;
}

static HRESULT abort_process(const assay_dispatch_item *item)
{
    (void)item;
    abort();
}

static HRESULT exit_process(const assay_dispatch_item *item)
{
    (void)item;
    _exit(3);
}

static volatile int forever = 1;

static HRESULT hang(const assay_dispatch_item *item)
{
    (void)item;
    while (forever)
        pause();
    return S_OK;
}

static HRESULT overflow_stack(const assay_dispatch_item *item)
{
    volatile char frame[65536];
    frame[0] = (char)item->input_count;
    frame[sizeof frame - 1] = forever ? (char)overflow_stack(item) : 0;
    return frame[0] == frame[sizeof frame - 1] ? S_OK : S_FALSE;
}

static HRESULT kill_self(const assay_dispatch_item *item)
{
    (void)item;
    raise(SIGKILL);
    return S_OK;
}

static void crash_open(void)
{
    crash(NULL);
}

static HRESULT crash_create(HRESULT right)
{
    crash(NULL);
    return right;
}

/* ---- answers */

static HRESULT lose_device(const assay_dispatch_item *item)
{
    (void)item;
    return DXGI_ERROR_DEVICE_REMOVED;
}

static HRESULT fail_dispatch(const assay_dispatch_item *item)
{
    (void)item;
    return E_FAIL;
}

static HRESULT reject_all(HRESULT right)
{
    (void)right;
    return E_INVALIDARG;
}

static HRESULT support_nothing(HRESULT right)
{
    (void)right;
    return DXGI_ERROR_UNSUPPORTED;
}

static HRESULT other_error(HRESULT right)
{
    return FAILED(right) ? E_FAIL : right;
}

static HRESULT accept_all(HRESULT right)
{
    return FAILED(right) ? S_FALSE : right; /* S_FALSE: accepted, with nothing behind it */
}

static const struct fault faults[] = {
    {.name = "none", .what = "as the reference device"},
    {.name = "flip-bit", .what = "the first bit of the first output is wrong", .after = flip_bit},
    {.name = "flip-last", .what = "a bit in each of the last bytes of the first output is wrong", .after = flip_last},
    {.name = "do-nothing", .what = "outputs are never written", .before = do_nothing},
    {.name = "zero-output", .what = "the first output is all zero", .after = zero_output},
    {.name = "write-past-end", .what = "the byte after the first output is written", .after = write_past_end},
    {.name = "write-far-past-end", .what = "a byte in the page after the first output", .after = write_far_past_end},
    {.name = "write-before-start", .what = "the byte before the first output is written", .after = write_before_start},
    {.name = "write-input", .what = "the first input is written", .after = write_input},
    {.name = "read-past-end", .what = "the page after the first input is read", .after = read_past_end},
    {.name = "crash", .what = "a null pointer is written in dispatch", .before = crash},
    {.name = "abort", .what = "abort() in dispatch", .before = abort_process},
    {.name = "exit", .what = "_exit(3) in dispatch", .before = exit_process},
    {.name = "kill", .what = "SIGKILL in dispatch", .before = kill_self},
    {.name = "hang", .what = "dispatch never returns", .before = hang},
    {.name = "overflow-stack", .what = "endless recursion in dispatch", .before = overflow_stack},
    {.name = "crash-open", .what = "a null pointer is written while the device is opened", .on_open = crash_open},
    {.name = "crash-create", .what = "a null pointer is written in create_operator", .on_create = crash_create},
    {.name = "lose-device", .what = "dispatch returns DXGI_ERROR_DEVICE_REMOVED", .before = lose_device},
    {.name = "fail-dispatch", .what = "dispatch returns E_FAIL", .before = fail_dispatch},
    {.name = "reject-all", .what = "every description is rejected", .on_create = reject_all},
    {.name = "reject-late", .what = "every description is rejected when compiled", .on_compile = reject_all},
    {.name = "support-nothing", .what = "create_operator returns DXGI_ERROR_UNSUPPORTED", .on_create = support_nothing},
    {.name = "other-error", .what = "rejections return E_FAIL", .on_create = other_error},
    {.name = "accept-all", .what = "no description is rejected", .on_create = accept_all},
};

enum { FAULTS = sizeof faults / sizeof *faults };

static int strikes(assay_device *device)
{
    return ++device->calls % device->every == 0;
}

/* What is handed out where there is nothing behind it. */
static char hollow;

/* ---- the interface */

static int parse(assay_device *device, const char *arguments, char *level, size_t size, char *message, size_t room)
{
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", arguments);
    device->every = 1;
    device->fault = &faults[0];
    for (char *key; (key = strsep(&rest, ","));) {
        char *value = strchr(key, '=');
        if (*key == '\0')
            continue;
        if (value)
            *value++ = '\0';
        if (value && strcmp(key, "every") == 0 && atoi(value) > 0) {
            device->every = (unsigned)atoi(value);
        } else if (value && strcmp(key, "level") == 0) {
            snprintf(level, size, "level=%s", value);
        } else if (value && strcmp(key, "fault") == 0) {
            size_t i = 0;
            while (i < FAULTS && strcmp(faults[i].name, value) != 0)
                i++;
            if (i == FAULTS) {
                snprintf(message, room, "no fault is named '%s'", value);
                return 0;
            }
            device->fault = &faults[i];
        } else {
            snprintf(message, room, "'%s': expected fault=NAME, every=N or level=LEVEL", key);
            return 0;
        }
    }
    return 1;
}

/* The reference device's library stands beside this one. */
static int load_reference(assay_device *device, const char *arguments, char *message, size_t size)
{
    char path[4096];
    Dl_info info;
    void *symbol;
    const assay_device_api *(*entry)(uint32_t abi);
    if (!dladdr(&faults, &info))
        return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/reference.so", slash ? (int)(slash - info.dli_fname) : 1,
             slash ? info.dli_fname : ".");
    device->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = device->library ? dlsym(device->library, "assay_device_entry") : NULL;
    if (!symbol) {
        snprintf(message, size, "%s: the reference device is not there", path);
        return 0;
    }
    memcpy(&entry, &symbol, sizeof entry);
    device->api = entry(ASSAY_DEVICE_ABI);
    assay_device_config config = {.size = sizeof config, .arguments = arguments};
    return device->api && SUCCEEDED(device->api->create_device(&config, &device->inner, message, size));
}

static void destroy_device(assay_device *device)
{
    if (!device)
        return;
    if (device->inner)
        device->api->destroy_device(device->inner);
    if (device->library)
        dlclose(device->library);
    free(device);
}

static HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    char level[64] = "";
    assay_device *device = calloc(1, sizeof *device);
    *out = NULL;
    if (!device)
        return E_OUTOFMEMORY;
    if (!parse(device, config->arguments, level, sizeof level, message, size) ||
        !load_reference(device, level, message, size)) {
        destroy_device(device);
        return E_INVALIDARG;
    }
    device->message = "";
    if (device->fault->on_open)
        device->fault->on_open();
    *out = device;
    return S_OK;
}

static HRESULT describe(assay_device *device, assay_device_info *info)
{
    HRESULT result = device->api->describe(device->inner, info);
    snprintf(info->name, sizeof info->name, "reference, broken: %s", device->fault->what);
    return result;
}

static BOOL supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    return device->api->supports_data_type(device->inner, type);
}

static HRESULT create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    HRESULT result = device->api->create_operator(device->inner, desc, out);
    device->message = FAILED(result) ? device->api->message(device->inner) : "";
    if (!device->fault->on_create || !strikes(device))
        return result;
    HRESULT instead = device->fault->on_create(result);
    if (FAILED(instead) && *out) {
        device->api->destroy_operator(device->inner, *out);
        *out = NULL;
    } else if (instead == S_FALSE) {
        *out = (assay_operator *)(void *)&hollow;
    }
    return instead;
}

static void destroy_operator(assay_device *device, assay_operator *op)
{
    if ((void *)op != (void *)&hollow)
        device->api->destroy_operator(device->inner, op);
}

static HRESULT compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                assay_compiled **out)
{
    HRESULT result = S_OK;
    *out = (assay_compiled *)(void *)&hollow;
    if ((void *)op != (void *)&hollow)
        result = device->api->compile_operator(device->inner, op, flags, out);
    if (!device->fault->on_compile || !strikes(device))
        return result;
    HRESULT instead = device->fault->on_compile(result);
    if (FAILED(instead) && (void *)*out != (void *)&hollow)
        device->api->destroy_compiled(device->inner, *out);
    if (FAILED(instead))
        *out = NULL;
    return instead;
}

static void destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    if ((void *)compiled != (void *)&hollow)
        device->api->destroy_compiled(device->inner, compiled);
}

static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out)
{
    for (uint32_t i = 0; i < count; i++) {
        int struck = (device->fault->before || device->fault->after) && strikes(device);
        HRESULT early = struck && device->fault->before ? device->fault->before(&items[i]) : S_OK;
        out[i] = (assay_dispatch_result){.status = early == S_FALSE ? S_OK : early};
        if (early != S_OK || (void *)items[i].compiled == (void *)&hollow)
            continue;
        HRESULT result = device->api->dispatch(device->inner, &items[i], 1, &out[i]);
        if (FAILED(result))
            return result;
        if (struck && device->fault->after)
            out[i].status = device->fault->after(&items[i]);
    }
    return S_OK;
}

static const char *message(assay_device *device)
{
    return device->message;
}

ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI,
                                         .size = sizeof(assay_device_api),
                                         .create_device = create_device,
                                         .destroy_device = destroy_device,
                                         .describe = describe,
                                         .supports_data_type = supports_data_type,
                                         .create_operator = create_operator,
                                         .destroy_operator = destroy_operator,
                                         .compile_operator = compile_operator,
                                         .destroy_compiled = destroy_compiled,
                                         .dispatch = dispatch,
                                         .message = message};
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
