/* open_device.h: loads and opens a device in this process. A device may crash: only a process that may end loads one.
 * trial/plugin.h finds devices by name. */
#ifndef HOST_OPEN_DEVICE_H
#define HOST_OPEN_DEVICE_H

#include "device/device.h"
#include "harness/base/error.h"

#include <stdbool.h>

/* Operators by DML_OPERATOR_TYPE: bit type % 32 of word type / 32. Zeroed: none. */
struct denied_operators {
    uint32_t words[8];
};

static inline bool is_denied(const struct denied_operators *denied, uint32_t type)
{
    return type / 32 < 8 && denied->words[type / 32] >> type % 32 & 1;
}

struct plugin {
    const assay_device_api *api;
    assay_device *device;
    assay_device_info info;
    uint32_t data_types;            /* bit n: the device says that it supports DML_TENSOR_DATA_TYPE n */
    struct denied_operators denied; /* operators that the device says it does not implement */
    void *library;                  /* null for devices that are part of the program */
};

/* Loads a library and opens its device. EXIT_NO_DEVICE, with what was expected: it is no library, it is not a device,
 * its ABI differs, functions are missing, the device cannot be created. Call plugin_close() in any case. */
int plugin_load(struct plugin *plugin, const char *path, const char *arguments, struct error *error);

/* Opens a device of the program: `api` and `device` are set, unless `status`, what its create_device returned, says why
 * not, in `message`. */
int plugin_describe(struct plugin *plugin, HRESULT status, const char *message, struct error *error);

/* Creates a device by the create_device of `api`, which is set, and describes it. */
int plugin_create(struct plugin *plugin, const char *arguments, struct error *error);

/* Whether the device has the function measure(), which may be missing. */
bool plugin_measures(const struct plugin *plugin);

/* Adds this process's limit of memory to an error that it may have caused. */
void plugin_name_limit(struct error *error);

/* Destroys the device and unloads its library. A zeroed plugin is allowed. */
void plugin_close(struct plugin *plugin);

#endif
