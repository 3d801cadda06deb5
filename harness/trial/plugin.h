/* plugin.h: finds and opens devices by name: shipped devices, paths, and devices that are part of the program. */
#ifndef TRIAL_PLUGIN_H
#define TRIAL_PLUGIN_H

#include "harness/base/paths.h"
#include "harness/host/open_device.h"
#include "harness/load/load.h"

/* Splits "NAME[:ARGUMENTS]": copies the name, and returns the arguments, which point into `text`; "" if there are
 * none. */
const char *plugin_split(const char *text, char *name, size_t size);

/* Finds the library of a device as given with -d. Errors are those of paths_device(). */
int plugin_find(const char *text, char path[PATHS_SIZE], struct error *error);

/* A device that is part of the program and works from the specs. `create` replaces the create_device of `api`, which is
 * null. The specs must outlive the device. */
struct builtin_device {
    const char *name; /* for -d */
    bool functions;   /* the device runs the functions of the specs */
    const assay_device_api *api;
    HRESULT(*create)
    (const struct spec_set *specs, const assay_device_config *config, assay_device **out, char *message,
     size_t message_size);
};

/* Returns the device of `builtins` (a list that ends with null, or null) that -d names; null if -d names a library. */
const struct builtin_device *plugin_builtin(const struct builtin_device *const *builtins, const char *text);

/* Loads the specs: with their functions if a device of the program (null: it is a library) runs those, otherwise as
 * spec_set_open() does. */
int plugin_load_specs(struct spec_set *specs, const struct builtin_device *builtin, const char *folder,
                      struct error *error);

/* Loads and opens the device that -d names, a built-in one or a library. The error is EXIT_NO_DEVICE, with the expected
 * names. */
int plugin_open(struct plugin *plugin, const char *text, const struct spec_set *specs,
                const struct builtin_device *const *builtins, struct error *error);

/* Opens a device of the program. */
int plugin_open_builtin(struct plugin *plugin, const struct builtin_device *builtin, const char *arguments,
                        const struct spec_set *specs, struct error *error);

/* Returns 0 if a device declares a feature level that exists, or none; otherwise EXIT_NO_DEVICE. */
int plugin_check_level(const assay_device_info *info, struct error *error);

/* Opens the reference device that is part of the program. */
int plugin_open_reference(struct plugin *plugin, struct error *error);

/* A compiled operator of a device in this process. */
struct plugin_operator {
    const struct plugin *plugin;
    const struct spec *spec;
    const struct opdesc *desc;
    assay_operator *op;
    assay_compiled *compiled;
};

/* Creates and compiles the operator. Returns the first failure. Call plugin_destroy() in either case. */
HRESULT plugin_make(const struct plugin *p, const struct spec *spec, const struct opdesc *desc,
                    struct plugin_operator *out);

/* Dispatches the operator once. `tensors` are by field, each at least TotalTensorSizeInBytes long. */
HRESULT plugin_run(const struct plugin_operator *o, uint8_t *const tensors[]);

void plugin_destroy(struct plugin_operator *o);

#endif
