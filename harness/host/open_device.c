#include "harness/host/open_device.h"

#include "harness/base/dml_names.h"
#include "harness/host/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

typedef const assay_device_api *(*entry_function)(uint32_t abi);

static int check_api(const assay_device_api *api, struct error *error)
{
    if (api->abi != ASSAY_DEVICE_ABI)
        return error_set(error, EXIT_NO_DEVICE, "has device ABI %u, expected %u", api->abi, ASSAY_DEVICE_ABI);
    if (api->size < offsetof(assay_device_api, supports_operator))
        return error_set(error, EXIT_NO_DEVICE, "its function table has %u bytes, expected %zu", api->size,
                         sizeof *api);
    if (!api->create_device || !api->destroy_device || !api->describe || !api->supports_data_type ||
        !api->create_operator || !api->destroy_operator || !api->compile_operator || !api->destroy_compiled ||
        !api->dispatch || !api->message)
        return error_set(error, EXIT_NO_DEVICE, "a function is missing from its table");
    return 0;
}

bool plugin_measures(const struct plugin *plugin)
{
    const assay_device_api *api = plugin->api;
    return api->size >= offsetof(assay_device_api, measure) + sizeof api->measure && api->measure;
}

/* Asks the device which operators it implements. A device built against an older header has no function for that. */
static void ask_operators(struct plugin *plugin)
{
    const assay_device_api *api = plugin->api;
    if (api->size < offsetof(assay_device_api, supports_operator) + sizeof api->supports_operator ||
        !api->supports_operator)
        return;
    for (unsigned type = 1; type < 8 * sizeof plugin->denied; type++)
        if (dml_operator_name((DML_OPERATOR_TYPE)type) &&
            !api->supports_operator(plugin->device, (DML_OPERATOR_TYPE)type))
            plugin->denied.words[type / 32] |= 1u << type % 32;
}

int plugin_describe(struct plugin *plugin, HRESULT status, const char *message, struct error *error)
{
    char name[32];
    if (FAILED(status) || !plugin->device)
        return error_set(error, EXIT_NO_DEVICE, "%s (%s)", *message ? message : "it could not be opened",
                         dml_error_name(status, name));
    struct {
        assay_device_info info;
        uint8_t past[256]; /* a device must not write this; cases of the interface check that */
    } memory = {.info = {.size = sizeof memory.info}};
    status = plugin->api->describe(plugin->device, &memory.info);
    plugin->info = memory.info;
    if (FAILED(status))
        return error_set(error, EXIT_NO_DEVICE, "it could not describe itself (%s)", dml_error_name(status, name));
    plugin->info.name[sizeof plugin->info.name - 1] = '\0';
    plugin->info.driver[sizeof plugin->info.driver - 1] = '\0';
    plugin->info.version[sizeof plugin->info.version - 1] = '\0';
    for (int type = 1; type < 32; type++)
        if (plugin->api->supports_data_type(plugin->device, (DML_TENSOR_DATA_TYPE)type))
            plugin->data_types |= 1u << type;
    ask_operators(plugin);
    return 0;
}

int plugin_create(struct plugin *plugin, const char *arguments, struct error *error)
{
    char message[512] = "";
    const assay_device_config config = {.size = sizeof config, .arguments = arguments};
    int result = check_api(plugin->api, error);
    if (result)
        return result;
    HRESULT status = plugin->api->create_device(&config, &plugin->device, message, sizeof message);
    message[sizeof message - 1] = '\0';
    return plugin_describe(plugin, status, message, error);
}

int plugin_load(struct plugin *plugin, const char *path, const char *arguments, struct error *error)
{
    entry_function entry;
    struct stat status;
    *plugin = (struct plugin){.api = NULL};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) /* opening a pipe would block */
        return error_set(error, EXIT_NO_DEVICE, "expected a regular file, a shared library");
    int result = library_check(path, error);
    if (result)
        return result;
    plugin->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->library) {
        const char *why = dlerror();
        return error_set(error, EXIT_NO_DEVICE, "not a library that can be loaded: %s", why ? why : "unknown reason");
    }
    void *symbol = dlsym(plugin->library, "assay_device_entry");
    if (!symbol)
        return error_set(error, EXIT_NO_DEVICE, "not an assay device: it has no function assay_device_entry");
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from object to function pointer */
    plugin->api = entry(ASSAY_DEVICE_ABI);
    if (!plugin->api)
        return error_set(error, EXIT_NO_DEVICE, "does not speak device ABI %u", ASSAY_DEVICE_ABI);
    return plugin_create(plugin, arguments, error);
}

void plugin_name_limit(struct error *error)
{
    struct rlimit limit;
    size_t used = strlen(error->text);
    if (error->status != EXIT_AS_EXPECTED && strcasestr(error->text, "memory") && getrlimit(RLIMIT_DATA, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        snprintf(error->text + used, sizeof error->text - used, "; the process may use %llu MiB (--allow memory=MIB)",
                 (unsigned long long)(limit.rlim_cur >> 20));
}

void plugin_close(struct plugin *plugin)
{
    if (plugin->device)
        plugin->api->destroy_device(plugin->device);
    if (plugin->library)
        dlclose(plugin->library);
    *plugin = (struct plugin){0};
}
