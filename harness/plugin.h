/* plugin.h: a device, loaded and opened. In worker processes only: a device may crash. (The reference, which is part of the
 * program, may be asked anywhere.) */
#ifndef PLUGIN_H
#define PLUGIN_H

#include "device/device.h"
#include "harness/error.h"
#include "harness/spec_load.h"

struct plugin {
    const assay_device_api *api;
    assay_device *device;
    assay_device_info info;
    uint32_t data_types; /* bit n: it says that tensors may have DML_TENSOR_DATA_TYPE n */
    void *library;
};

/* Splits "NAME[:ARGUMENTS]"; returns the arguments, "" if there are none. */
const char *plugin_split(const char *text, char *name, size_t size);

/* Loads and opens what -d names. `specs` serve the device "meaning". Everything that can be wrong with a library is
 * EXIT_NO_DEVICE with what was expected: no library, no entry, another ABI, functions missing, no such hardware. */
int plugin_open(struct plugin *plugin, const char *text, struct spec_set *specs, struct error *error);
void plugin_close(struct plugin *plugin);

/* The reference device that is part of the program. */
int plugin_open_reference(struct plugin *plugin, struct error *error);

/* One operator from creation to destruction on tensors by field, each of its TotalTensorSizeInBytes at least. */
HRESULT plugin_run(const struct plugin *p, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[]);

#endif
