#include "device/directml/adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_property(IDXCoreAdapter *from, uint32_t property, void *to, size_t size)
{
    size_t needed = 0;
    if (COM(from, IsPropertySupported, property) && SUCCEEDED(COM(from, GetPropertySize, property, &needed)) &&
        needed <= size)
        COM(from, GetProperty, property, needed, to);
}

/* Sets the members of `out` from its adapter. */
static void describe_adapter(struct adapter *out)
{
    uint64_t version = 0;
    snprintf(out->name, sizeof out->name, "an adapter without a name");
    read_property(out->adapter, DXCORE_PROPERTY_DRIVER_DESCRIPTION, out->name, sizeof out->name);
    out->name[sizeof out->name - 1] = 0;
    read_property(out->adapter, DXCORE_PROPERTY_DRIVER_VERSION, &version, sizeof version);
    read_property(out->adapter, DXCORE_PROPERTY_DEDICATED_MEMORY, &out->memory, sizeof out->memory);
    snprintf(out->version, sizeof out->version, "%u.%u.%u.%u", (unsigned)(version >> 48),
             (unsigned)(version >> 32 & 0xffff), (unsigned)(version >> 16 & 0xffff), (unsigned)(version & 0xffff));
    out->has_graphics = COM(out->adapter, IsAttributeSupported, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS);
}

static int adapter_matches(const struct adapter *adapter, uint32_t number, const char *choice)
{
    char *end;
    unsigned long wanted = strtoul(choice, &end, 10);
    if (!*choice || (*choice >= '0' && *choice <= '9' && !*end && wanted == number))
        return 1;
    return strcasestr(adapter->name, choice) != NULL;
}

/* Finds the adapter in the list. `names`: receives the names of those that do not match. */
static HRESULT find_adapter(struct adapter *out, IDXCoreAdapterList *list, const char *choice, char *names, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < COM(list, GetAdapterCount); i++) {
        HRESULT result = COM(list, GetAdapter, i, &IID_IDXCoreAdapter, (void **)&out->adapter);
        if (FAILED(result))
            return result;
        describe_adapter(out);
        if (adapter_matches(out, i, choice))
            return S_OK;
        if (used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%u: %s", i ? ", " : "", i, out->name);
        adapter_close(out);
    }
    return DXGI_ERROR_NOT_FOUND;
}

HRESULT adapter_open(struct adapter *adapter, const struct libraries *libraries, const char *choice, char *message,
                     size_t message_size)
{
    static const uint32_t preferences[] = {DXCORE_PREFERENCE_HARDWARE, DXCORE_PREFERENCE_HIGH_PERFORMANCE};
    IDXCoreAdapterFactory *factory = NULL;
    IDXCoreAdapterList *list = NULL;
    char others[320] = "none";
    *adapter = (struct adapter){0};
    HRESULT result = libraries->create_factory(&IID_IDXCoreAdapterFactory, (void **)&factory);
    if (SUCCEEDED(result))
        result = COM(factory, CreateAdapterList, 1, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE,
                     &IID_IDXCoreAdapterList, (void **)&list);
    if (SUCCEEDED(result))
        COM(list, Sort, sizeof preferences / sizeof *preferences, preferences); /* unsorted is good enough */
    if (SUCCEEDED(result))
        result = find_adapter(adapter, list, choice, others, sizeof others);
    if (result == DXGI_ERROR_NOT_FOUND && *choice)
        snprintf(message, message_size, "no adapter is \"%s\"; there are: %s", choice, others);
    else if (result == DXGI_ERROR_NOT_FOUND)
        snprintf(message, message_size, "DXCore lists no adapter for Direct3D 12; is /dev/dxg there?");
    else if (FAILED(result))
        snprintf(message, message_size, "DXCore cannot list the adapters: error 0x%08x", (unsigned)result);
    com_release(list);
    com_release(factory);
    return FAILED(result) ? DXGI_ERROR_UNSUPPORTED : S_OK;
}

void adapter_close(struct adapter *adapter)
{
    com_release(adapter->adapter);
    *adapter = (struct adapter){0};
}
