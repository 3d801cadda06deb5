#include "harness/trial/plugin.h"

#include "harness/base/dml_names.h"
#include "harness/spec/marshal.h"
#include "harness/trial/library.h"
#include "harness/base/paths.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef const assay_device_api *(*entry_function)(uint32_t abi);

const char *plugin_split(const char *text, char *name, size_t size)
{
    const char *colon = strchr(text, ':');
    snprintf(name, size, "%.*s", (int)(colon ? colon - text : (long)strlen(text)), text);
    return colon ? colon + 1 : "";
}

int plugin_find(const char *text, char path[PATHS_SIZE], struct error *error)
{
    char name[PATHS_SIZE];
    plugin_split(text, name, sizeof name);
    int result = paths_device(name, path, error);
    size_t used = error ? strlen(error->text) : 0;
    if (result && error && strchr(text, ':') && access(text, F_OK) == 0)
        snprintf(error->text + used, sizeof error->text - used,
                 "; ':' begins a device's arguments, so the path of a library cannot have one");
    return result;
}

static int load(struct plugin *plugin, const char *path, struct error *error)
{
    entry_function entry;
    struct stat status;
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
    return plugin->api ? 0 : error_set(error, EXIT_NO_DEVICE, "does not speak device ABI %u", ASSAY_DEVICE_ABI);
}

static int check_api(const assay_device_api *api, struct error *error)
{
    if (api->abi != ASSAY_DEVICE_ABI)
        return error_set(error, EXIT_NO_DEVICE, "has device ABI %u, expected %u", api->abi, ASSAY_DEVICE_ABI);
    if (api->size < sizeof *api)
        return error_set(error, EXIT_NO_DEVICE, "its function table has %u bytes, expected %zu", api->size,
                         sizeof *api);
    if (!api->create_device || !api->destroy_device || !api->describe || !api->supports_data_type ||
        !api->create_operator || !api->destroy_operator || !api->compile_operator || !api->destroy_compiled ||
        !api->dispatch || !api->message)
        return error_set(error, EXIT_NO_DEVICE, "a function is missing from its table");
    return 0;
}

static int open_device(struct plugin *plugin, const char *arguments, const struct builtin_device *builtin,
                       const struct spec_set *specs, struct error *error)
{
    char message[512] = "", name[32];
    assay_device_config config = {.size = sizeof config, .arguments = arguments};
    int result = builtin ? 0 : check_api(plugin->api, error);
    if (result)
        return result;
    HRESULT status = builtin ? builtin->create(specs, &config, &plugin->device, message, sizeof message)
                             : plugin->api->create_device(&config, &plugin->device, message, sizeof message);
    message[sizeof message - 1] = '\0';
    if (FAILED(status) || !plugin->device)
        return error_set(error, EXIT_NO_DEVICE, "%s (%s)", *message ? message : "it could not be opened",
                         dml_error_name(status, name));
    plugin->info = (assay_device_info){.size = sizeof plugin->info};
    status = plugin->api->describe(plugin->device, &plugin->info);
    if (FAILED(status))
        return error_set(error, EXIT_NO_DEVICE, "it could not describe itself (%s)", dml_error_name(status, name));
    plugin->info.name[sizeof plugin->info.name - 1] = '\0';
    plugin->info.driver[sizeof plugin->info.driver - 1] = '\0';
    plugin->info.version[sizeof plugin->info.version - 1] = '\0';
    if (plugin->info.feature_level != 0 && !level_name(plugin->info.feature_level))
        return error_set(error, EXIT_NO_DEVICE, "it declares 0x%x, which is not a feature level",
                         (unsigned)plugin->info.feature_level);
    for (int type = 1; type < 32; type++)
        if (plugin->api->supports_data_type(plugin->device, (DML_TENSOR_DATA_TYPE)type))
            plugin->data_types |= 1u << type;
    return 0;
}

static const struct builtin_device *find_builtin(const struct builtin_device *const *builtins, const char *name)
{
    while (builtins && *builtins && strcmp((*builtins)->name, name) != 0)
        builtins++;
    return builtins ? *builtins : NULL;
}

int plugin_open(struct plugin *plugin, const char *text, const struct spec_set *specs,
                const struct builtin_device *const *builtins, struct error *error)
{
    char name[PATHS_SIZE], path[PATHS_SIZE];
    const char *arguments = plugin_split(text, name, sizeof name);
    const struct builtin_device *builtin = find_builtin(builtins, name);
    *plugin = (struct plugin){.api = builtin ? builtin->api : NULL};
    int result = builtin ? 0 : plugin_find(text, path, error);
    if (result)
        return result;
    if (!builtin)
        result = load(plugin, path, error);
    if (result == 0)
        result = open_device(plugin, arguments, builtin, specs, error);
    if (result) {
        error_context(error, "device '%s'", text);
        plugin_close(plugin);
    }
    return result;
}

int plugin_open_reference(struct plugin *plugin, struct error *error)
{
    *plugin = (struct plugin){.api = assay_device_entry(ASSAY_DEVICE_ABI)};
    return open_device(plugin, "", NULL, NULL, error);
}

void plugin_close(struct plugin *plugin)
{
    if (plugin->device)
        plugin->api->destroy_device(plugin->device);
    if (plugin->library)
        dlclose(plugin->library);
    *plugin = (struct plugin){0};
}

HRESULT plugin_run(const struct plugin *p, const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[])
{
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding inputs[OPDESC_MAX_FIELDS], outputs[OPDESC_MAX_FIELDS];
    assay_dispatch_result result = {.status = E_FAIL};
    struct marshal m;
    int in = 0, out = 0;
    marshal_desc(spec, desc, &m);
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        assay_binding binding = {.base = t->present ? tensors[i] : NULL, .size = t->present ? t->total : 0};
        if (field_is_input(spec_tensor_field(spec, i)))
            inputs[in++] = binding;
        else
            outputs[out++] = binding;
    }
    HRESULT status = p->api->create_operator(p->device, &m.op, &op);
    if (SUCCEEDED(status))
        status = p->api->compile_operator(p->device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    assay_dispatch_item item = {.compiled = compiled,
                                .inputs = inputs,
                                .outputs = outputs,
                                .input_count = (uint32_t)in,
                                .output_count = (uint32_t)out};
    if (SUCCEEDED(status))
        status = p->api->dispatch(p->device, &item, 1, &result);
    if (SUCCEEDED(status))
        status = result.status;
    p->api->destroy_compiled(p->device, compiled);
    p->api->destroy_operator(p->device, op);
    return status;
}
