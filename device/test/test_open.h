/* test_open.h: opens the device that a test's arguments name, PATH.so and its own arguments; runs operators. */
#ifndef TEST_OPEN_H
#define TEST_OPEN_H

#include "device/device.h"
#include "tools/tap.h"

#include <dlfcn.h>
#include <string.h>

/* Opens the device: without a path, the one that the test links. Returns 0, after a failed check or with the rest
 * skipped, if there is no device. */
static int open_by_arguments(int argc, char **argv, const assay_device_api **api, assay_device **device)
{
    char message[512] = "";
    const assay_device_api *(*entry)(uint32_t) = assay_device_entry;
    if (argc > 1) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "assay_device_entry") : NULL;
        if (!ok(symbol != NULL, "%s is a device", argv[1]))
            return 0;
        memcpy(&entry, &symbol, sizeof entry);
    }
    *api = entry(ASSAY_DEVICE_ABI);
    assay_device_config config = {sizeof config, argc > 2 ? argv[2] : ""};
    HRESULT result = *api ? (*api)->create_device(&config, device, message, sizeof message) : E_FAIL;
    if (result == DXGI_ERROR_UNSUPPORTED) {
        skip_rest("%s", message);
        return 0;
    }
    return ok(result == S_OK, "the device opens%s%s", *message ? ": " : "", message);
}

/* Creates, compiles, runs and destroys an operator. `item`: its bindings. Returns the first status that is not S_OK. */
static inline HRESULT compute_once(const assay_device_api *api, assay_device *device, const DML_OPERATOR_DESC *desc,
                                   assay_dispatch_item *item)
{
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_dispatch_result result = {.status = E_FAIL};
    HRESULT status = api->create_operator(device, desc, &op);
    if (status == S_OK)
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    item->compiled = compiled;
    if (status == S_OK)
        status = api->dispatch(device, item, 1, &result);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return status == S_OK ? result.status : status;
}

#endif
