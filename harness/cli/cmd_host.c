/* The process that a device of the program runs in: assay-device executes this command in its place. */
#include "harness/cli/builtins.h"
#include "harness/cli/cmd.h"
#include "harness/host/host.h"

struct values {
    const char *device, *specs;
};

struct context {
    const struct values *values;
    struct spec_set specs;
};

static int open_builtin(void *context, struct plugin *plugin, const char *path, const char *arguments,
                        struct error *error)
{
    struct context *c = context;
    (void)path;
    const struct builtin_device *builtin = plugin_builtin(builtins, c->values->device);
    int result = plugin_load_specs(&c->specs, builtin, c->values->specs, error);
    return result ? result : plugin_open_builtin(plugin, builtin, arguments, &c->specs, error);
}

static int cmd_host_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct context context = {.values = v};
    const struct host_config config = {.open = open_builtin, .context = &context};
    (void)arguments;
    if (!v->device || !v->specs)
        return error_set(error, EXIT_USAGE, "the command 'host' is for assay's own use");
    int result = host_main(&config);
    spec_set_free(&context.specs);
    return result;
}

static const struct option options[] = {
    {0, "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), "device to open"},
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), CMD_SPECS_HELP},
    {0}};

const struct command cmd_host = {.name = "host",
                                 .arguments = "",
                                 .summary = "run a device of the program in a process of its own",
                                 .options = options,
                                 .values_size = sizeof(struct values),
                                 .hidden = true,
                                 .run = cmd_host_run};
