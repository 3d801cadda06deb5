/* wrapper.h: a device that tests compile from a few lines of C: another device, some of whose functions they replace.
 * They define wrapper_replace(), which sets these functions in the table. `inner` is the table of the other device.
 * Its library is INNER: a macro with the path, or else the environment variable of that name. */
#ifndef WRAPPER_H
#define WRAPPER_H

#include "device/device.h"

#include <dlfcn.h>
#include <stdlib.h>

#ifndef INNER
#define INNER getenv("INNER")
#endif

static const assay_device_api *inner;

static void wrapper_replace(assay_device_api *api);

ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    static assay_device_api api;
    void *library = dlopen(INNER, RTLD_NOW | RTLD_LOCAL);
    void *entry = library ? dlsym(library, "assay_device_entry") : NULL;
    inner = entry ? (*(const assay_device_api *(**)(uint32_t)) & entry)(abi) : NULL;
    if (!inner)
        return NULL;
    api = *inner;
    wrapper_replace(&api);
    return &api;
}
#endif
