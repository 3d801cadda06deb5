/* hostile.c: the device around the tricks. */
#include "device/mutants/hostile/hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assay_device {
    const struct trick *trick;
};

static const struct trick *find_trick(const char *name)
{
    static const struct trick none = {.name = "none", .what = "nothing is tried"};
    const struct trick *const tables[] = {memory_tricks, program_tricks, wire_tricks, reach_tricks};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct trick *trick = tables[i]; trick->name; trick++)
            if (strcmp(trick->name, name) == 0)
                return trick;
    return strcmp(name, none.name) == 0 ? &none : NULL;
}

static HRESULT hostile_create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    const struct trick *trick = find_trick(config->arguments);
    *out = trick ? calloc(1, sizeof **out) : NULL;
    if (!*out) {
        snprintf(message, size, "no trick has this name");
        return E_INVALIDARG;
    }
    (*out)->trick = trick;
    if (trick->open)
        trick->open();
    return S_OK;
}

static void hostile_destroy_device(assay_device *device)
{
    free(device);
}

static HRESULT hostile_describe(assay_device *device, assay_device_info *info)
{
    if (hostile_reached)
        snprintf(info->name, sizeof info->name, "hostile: reached process %d", hostile_reached);
    else
        snprintf(info->name, sizeof info->name, "hostile: %s", device->trick->what);
    info->feature_level = DML_FEATURE_LEVEL_6_4;
    info->max_batch = 64;
    return S_OK;
}

static BOOL hostile_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device, (void)type;
    return 1;
}

/* Creates an operator. The operator and the program compiled from it are one object, which compile_operator() passes
 * on. */
static HRESULT hostile_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    assay_compiled *compiled = calloc(1, sizeof *compiled);
    if (compiled && device->trick->create)
        device->trick->create(desc, compiled);
    *out = (assay_operator *)compiled;
    return compiled ? S_OK : E_OUTOFMEMORY;
}

static void hostile_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device, (void)op;
}

static HRESULT hostile_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                        assay_compiled **out)
{
    (void)device, (void)flags;
    *out = (assay_compiled *)op;
    return S_OK;
}

static void hostile_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

static HRESULT hostile_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                assay_dispatch_result *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (device->trick->run)
            device->trick->run(&items[i]);
        out[i].status = S_OK;
    }
    return S_OK;
}

static const char *hostile_message(assay_device *device)
{
    (void)device;
    return "";
}

ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI,
                                         .size = sizeof(assay_device_api),
                                         .create_device = hostile_create_device,
                                         .destroy_device = hostile_destroy_device,
                                         .describe = hostile_describe,
                                         .supports_data_type = hostile_supports_data_type,
                                         .create_operator = hostile_create_operator,
                                         .destroy_operator = hostile_destroy_operator,
                                         .compile_operator = hostile_compile_operator,
                                         .destroy_compiled = hostile_destroy_compiled,
                                         .dispatch = hostile_dispatch,
                                         .message = hostile_message};
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
