/* open_device.h: loads and opens a device in this process. A device may crash: only a process that may end can load
 * one. trial/plugin.h finds devices by name. */
#ifndef HOST_OPEN_DEVICE_H
#define HOST_OPEN_DEVICE_H

#include "device/device.h"
#include "harness/base/error.h"

#include <stdbool.h>

/* A set of operators by DML_OPERATOR_TYPE: bit type % 32 of word type / 32. Zeroed: empty. */
struct denied_operators {
    uint32_t words[8];
};

static inline bool is_denied(const struct denied_operators *denied, uint32_t type)
{
    return type / 32 < 8 && denied->words[type / 32] >> type % 32 & 1;
}

static inline void deny(struct denied_operators *denied, uint32_t type)
{
    if (type / 32 < 8)
        denied->words[type / 32] |= 1u << type % 32;
}

struct plugin {
    const assay_device_api *api;
    assay_device *device;
    assay_device_info info;
    uint32_t data_types;            /* bit n: the device says that it supports DML_TENSOR_DATA_TYPE n */
    struct denied_operators denied; /* operators that the device does not implement, as it says */
    void *library;                  /* null for a device that is part of the program */
};

/* Loads a library and opens its device. Returns EXIT_NO_DEVICE, with the expectation in the message, if the file is no
 * library or no device, its ABI differs, functions are missing, or the device cannot be created. Call plugin_close() in
 * any case. */
int plugin_load(struct plugin *plugin, const char *path, const char *arguments, struct error *error);

/* Opens a device of the program, with `api` and `device` set. If `status`, the result of its create_device, is a
 * failure, `message` has the reason. */
int plugin_describe(struct plugin *plugin, HRESULT status, const char *message, struct error *error);

/* Creates a device by the create_device of `api`, which is set, and asks for its description. */
int plugin_create(struct plugin *plugin, const char *arguments, struct error *error);

/* Returns true if the device has the optional function measure(). */
bool plugin_measures(const struct plugin *plugin);

/* Adds this process's limit of memory to an error that it may have caused. */
void plugin_name_limit(struct error *error);

/* Destroys the device and unloads its library. A zeroed plugin is allowed. */
void plugin_close(struct plugin *plugin);

#endif
