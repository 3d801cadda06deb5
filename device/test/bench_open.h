/* bench_open.h: opens the device that a bench measures. */
#ifndef BENCH_OPEN_H
#define BENCH_OPEN_H

#include "device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Opens the device. Returns 0, or the exit status after a line on standard error that begins with the name of the
 * bench. */
static int bench_open(const char *bench, const char *path, const char *arguments, const assay_device_api **api,
                      assay_device **device)
{
    const assay_device_api *(*entry)(uint32_t);
    char message[512] = "";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL),
         *symbol = library ? dlsym(library, "assay_device_entry") : NULL;
    if (!symbol) {
        fprintf(stderr, "%s: %s\n", bench, dlerror());
        return 2;
    }
    memcpy(&entry, &symbol, sizeof entry);
    *api = entry(ASSAY_DEVICE_ABI);
    const assay_device_config config = {.size = sizeof config, .arguments = arguments};
    if (!*api || FAILED((*api)->create_device(&config, device, message, sizeof message))) {
        fprintf(stderr, "%s: %s: %s\n", bench, path, *api ? message : "another version of the interface");
        return 1;
    }
    return 0;
}

#endif
