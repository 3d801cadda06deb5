#include "harness/trial/plugin.h"

#include "harness/load/image.h"
#include "harness/describe/marshal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

const struct builtin_device *plugin_builtin(const struct builtin_device *const *builtins, const char *text)
{
    char name[PATHS_SIZE];
    plugin_split(text, name, sizeof name);
    while (builtins && *builtins && strcmp((*builtins)->name, name) != 0)
        builtins++;
    return builtins ? *builtins : NULL;
}

int plugin_load_specs(struct spec_set *specs, const struct builtin_device *builtin, const char *folder,
                      struct error *error)
{
    bool functions = builtin && builtin->functions;
    return functions ? spec_set_load(specs, folder, error) : spec_set_open(specs, folder, error);
}

int plugin_check_level(const assay_device_info *info, struct error *error)
{
    if (info->feature_level != 0 && !level_name(info->feature_level))
        return error_set(error, EXIT_NO_DEVICE, "it declares 0x%x, which is not a feature level",
                         (unsigned)info->feature_level);
    return 0;
}

int plugin_open_builtin(struct plugin *plugin, const struct builtin_device *builtin, const char *arguments,
                        const struct spec_set *specs, struct error *error)
{
    char message[512] = "";
    const assay_device_config config = {.size = sizeof config, .arguments = arguments};
    *plugin = (struct plugin){.api = builtin->api};
    HRESULT status = builtin->create(specs, &config, &plugin->device, message, sizeof message);
    message[sizeof message - 1] = '\0';
    return plugin_describe(plugin, status, message, error);
}

int plugin_open(struct plugin *plugin, const char *text, const struct spec_set *specs,
                const struct builtin_device *const *builtins, struct error *error)
{
    char name[PATHS_SIZE], path[PATHS_SIZE];
    const char *arguments = plugin_split(text, name, sizeof name);
    const struct builtin_device *builtin = plugin_builtin(builtins, text);
    *plugin = (struct plugin){.api = NULL};
    int result = builtin ? 0 : plugin_find(text, path, error);
    if (result)
        return result;
    result = builtin ? plugin_open_builtin(plugin, builtin, arguments, specs, error)
                     : plugin_load(plugin, path, arguments, error);
    if (result == 0)
        result = plugin_check_level(&plugin->info, error);
    if (result) {
        error_context(error, "device '%s'", text);
        plugin_close(plugin);
    }
    return result;
}

int plugin_open_reference(struct plugin *plugin, struct error *error)
{
    *plugin = (struct plugin){.api = assay_device_entry(ASSAY_DEVICE_ABI)};
    return plugin_create(plugin, "", error);
}

HRESULT plugin_make(const struct plugin *p, const struct spec *spec, const struct opdesc *desc,
                    struct plugin_operator *out)
{
    struct marshal m;
    *out = (struct plugin_operator){.plugin = p, .spec = spec, .desc = desc};
    marshal_desc(spec, desc, &m);
    HRESULT status = p->api->create_operator(p->device, &m.op, &out->op);
    if (FAILED(status))
        return status;
    return p->api->compile_operator(p->device, out->op, DML_EXECUTION_FLAG_NONE, &out->compiled);
}

HRESULT plugin_run(const struct plugin_operator *o, uint8_t *const tensors[])
{
    assay_binding inputs[OPDESC_MAX_TENSORS], outputs[OPDESC_MAX_TENSORS];
    assay_dispatch_result result = {.status = E_FAIL};
    int in = 0, out = 0;
    for (int i = -1; (i = spec_next_tensor(o->spec, o->desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &o->desc->items[i].tensor;
        assay_binding binding = {.base = t->present ? tensors[i] : NULL, .size = t->present ? t->total : 0};
        if (field_is_input(spec_tensor_field(o->spec, i)))
            inputs[in++] = binding;
        else
            outputs[out++] = binding;
    }
    assay_dispatch_item item = {.compiled = o->compiled,
                                .inputs = inputs,
                                .outputs = outputs,
                                .input_count = (uint32_t)in,
                                .output_count = (uint32_t)out};
    HRESULT status = o->plugin->api->dispatch(o->plugin->device, &item, 1, &result);
    return SUCCEEDED(status) ? result.status : status;
}

void plugin_destroy(struct plugin_operator *o)
{
    o->plugin->api->destroy_compiled(o->plugin->device, o->compiled);
    o->plugin->api->destroy_operator(o->plugin->device, o->op);
}
