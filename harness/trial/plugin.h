/* plugin.h: a device, loaded and opened. In worker processes only: a device may crash. (The reference, which is part of the
 * program, may be asked anywhere.) */
#ifndef TRIAL_PLUGIN_H
#define TRIAL_PLUGIN_H

#include "device/device.h"
#include "harness/base/error.h"
#include "harness/spec/load.h"

struct plugin {
    const assay_device_api *api;
    assay_device *device;
    assay_device_info info;
    uint32_t data_types; /* bit n: it says that tensors may have DML_TENSOR_DATA_TYPE n */
    void *library;
};

/* Splits "NAME[:ARGUMENTS]"; returns the arguments, "" if there are none. */
const char *plugin_split(const char *text, char *name, size_t size);

/* A device that is part of the program and works from the specs. `api` has no create_device: `create` takes its place.
 * The specs outlive the device. */
struct builtin_device {
    const char *name; /* as -d names it */
    const assay_device_api *api;
    HRESULT(*create)
    (const struct spec_set *specs, const assay_device_config *config, assay_device **out, char *message,
     size_t message_size);
};

/* Loads and opens what -d names: one of `builtins` (ended by null; the list may be null), else a library. Everything that
 * can be wrong with a library is EXIT_NO_DEVICE with what was expected: no library, no entry, another ABI, functions
 * missing, no such hardware. */
int plugin_open(struct plugin *plugin, const char *text, const struct spec_set *specs,
                const struct builtin_device *const *builtins, struct error *error);
void plugin_close(struct plugin *plugin);

/* The reference device that is part of the program. */
int plugin_open_reference(struct plugin *plugin, struct error *error);

/* One operator from creation to destruction on tensors by field, each of its TotalTensorSizeInBytes at least. */
HRESULT plugin_run(const struct plugin *p, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[]);

#endif
