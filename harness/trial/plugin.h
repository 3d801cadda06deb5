/* plugin.h: a device, loaded and opened. For worker processes only, since a device may crash. The reference device,
 * which is part of the program, may be opened anywhere. */
#ifndef TRIAL_PLUGIN_H
#define TRIAL_PLUGIN_H

#include "device/device.h"
#include "harness/base/paths.h"
#include "harness/base/error.h"
#include "harness/spec/load.h"

struct plugin {
    const assay_device_api *api;
    assay_device *device;
    assay_device_info info;
    uint32_t data_types; /* bit n: the device says that it supports DML_TENSOR_DATA_TYPE n */
    void *library;       /* null for devices that are part of the program */
};

/* Splits "NAME[:ARGUMENTS]": copies the name, and returns the arguments, which point into `text`; "" if there are
 * none. */
const char *plugin_split(const char *text, char *name, size_t size);

/* Finds the library of a device as given with -d. Errors are those of paths_device(). */
int plugin_find(const char *text, char path[PATHS_SIZE], struct error *error);

/* A device that is part of the program and works from the specs. `create` replaces the create_device of `api`, which is
 * null. The specs must outlive the device. */
struct builtin_device {
    const char *name; /* for -d */
    const assay_device_api *api;
    HRESULT(*create)
    (const struct spec_set *specs, const assay_device_config *config, assay_device **out, char *message,
     size_t message_size);
};

/* Loads and opens the device that -d names: one of `builtins` (a list that ends with null, or null), otherwise a
 * library. EXIT_NO_DEVICE, with what was expected: there is no such library, it is not a device, its ABI differs,
 * functions are missing, the device cannot be created. */
int plugin_open(struct plugin *plugin, const char *text, const struct spec_set *specs,
                const struct builtin_device *const *builtins, struct error *error);

/* Destroys the device and unloads its library. A zeroed plugin is allowed. */
void plugin_close(struct plugin *plugin);

/* Opens the reference device that is part of the program. */
int plugin_open_reference(struct plugin *plugin, struct error *error);

/* Creates, compiles, dispatches and destroys one operator. `tensors` are by field, each at least TotalTensorSizeInBytes
 * long. Returns the first failure, or the status of the dispatch. */
HRESULT plugin_run(const struct plugin *p, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[]);

#endif
