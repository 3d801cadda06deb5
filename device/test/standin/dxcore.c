/* dxcore.c: a machine with two adapters. */
#include "device/test/standin/standin.h"

#include <stdlib.h>
#include <string.h>

struct standin_adapter {
    struct standin base;
    uint32_t number;
};

static const char *const adapter_names[] = {"Stand-in GPU", "Stand-in NPU"};
enum { ADAPTERS = sizeof adapter_names / sizeof *adapter_names };

static int same_guid(const GUID *a, const GUID *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---- IDXCoreAdapter */

STANDIN_UNKNOWN(IDXCoreAdapter)

/* The second adapter computes only. */
static bool adapter_has_attribute(IDXCoreAdapter *self, REFGUID attribute)
{
    const struct standin_adapter *adapter = (struct standin_adapter *)self;
    return same_guid(attribute, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE) ||
           (adapter->number == 0 && same_guid(attribute, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS));
}

static size_t property_bytes(const struct standin_adapter *adapter, uint32_t property)
{
    switch (property) {
    case DXCORE_PROPERTY_DRIVER_DESCRIPTION:
        return strlen(adapter_names[adapter->number]) + 1;
    case DXCORE_PROPERTY_DRIVER_VERSION:
    case DXCORE_PROPERTY_DEDICATED_MEMORY:
        return sizeof(uint64_t);
    default:
        return 0;
    }
}

static bool adapter_has_property(IDXCoreAdapter *self, uint32_t property)
{
    return property_bytes((struct standin_adapter *)self, property) > 0;
}

static HRESULT adapter_property_size(IDXCoreAdapter *self, uint32_t property, size_t *size)
{
    *size = property_bytes((struct standin_adapter *)self, property);
    return *size ? S_OK : DXGI_ERROR_INVALID_CALL;
}

static HRESULT adapter_property(IDXCoreAdapter *self, uint32_t property, size_t size, void *data)
{
    const struct standin_adapter *adapter = (struct standin_adapter *)self;
    const uint64_t version = 31ull << 48 | 2ull << 32 | 3ull << 16 | 4;
    const uint64_t memory = adapter->number == 0 ? 4 * STANDIN_LARGEST_BUFFER : 0;
    size_t needed = property_bytes(adapter, property);
    if (needed == 0)
        return DXGI_ERROR_INVALID_CALL;
    if (size < needed)
        return E_INVALIDARG;
    if (property == DXCORE_PROPERTY_DRIVER_DESCRIPTION)
        memcpy(data, adapter_names[adapter->number], needed);
    else if (property == DXCORE_PROPERTY_DRIVER_VERSION)
        memcpy(data, &version, needed);
    else
        memcpy(data, &memory, needed);
    return S_OK;
}

static const struct IDXCoreAdapterVtbl adapter_table = {
    STANDIN_UNKNOWN_METHODS(IDXCoreAdapter),     .IsAttributeSupported = adapter_has_attribute,
    .IsPropertySupported = adapter_has_property, .GetProperty = adapter_property,
    .GetPropertySize = adapter_property_size,
};

/* ---- IDXCoreAdapterList */

STANDIN_UNKNOWN(IDXCoreAdapterList)

static HRESULT list_adapter(IDXCoreAdapterList *self, uint32_t index, REFIID iid, void **out)
{
    (void)self;
    *out = NULL;
    if (index >= ADAPTERS)
        return E_INVALIDARG;
    struct standin_adapter *adapter = standin_make(sizeof *adapter, STANDIN_ADAPTER, &adapter_table, NULL);
    if (adapter)
        adapter->number = index;
    return standin_give(adapter, iid, out);
}

static uint32_t list_count(IDXCoreAdapterList *self)
{
    (void)self;
    const char *text = getenv("STANDIN_ADAPTERS"); /* "0": a machine without adapters */
    return text && *text == '0' ? 0 : ADAPTERS;
}

static HRESULT list_sort(IDXCoreAdapterList *self, uint32_t count, const uint32_t *preferences)
{
    (void)self;
    return count == 0 || !preferences ? E_INVALIDARG : S_OK;
}

static const struct IDXCoreAdapterListVtbl list_table = {
    STANDIN_UNKNOWN_METHODS(IDXCoreAdapterList),
    .GetAdapter = list_adapter,
    .GetAdapterCount = list_count,
    .Sort = list_sort,
};

/* ---- IDXCoreAdapterFactory */

STANDIN_UNKNOWN(IDXCoreAdapterFactory)

static HRESULT factory_list(IDXCoreAdapterFactory *self, uint32_t count, const GUID *attributes, REFIID iid, void **out)
{
    (void)self;
    *out = NULL;
    HRESULT result = standin_injected(NULL, "CreateAdapterList");
    if (FAILED(result))
        return result;
    if (count != 1 || !attributes || !same_guid(attributes, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE))
        return E_INVALIDARG;
    return standin_give(standin_make(sizeof(struct standin), STANDIN_LIST_OF_ADAPTERS, &list_table, NULL), iid, out);
}

static const struct IDXCoreAdapterFactoryVtbl factory_table = {
    STANDIN_UNKNOWN_METHODS(IDXCoreAdapterFactory),
    .CreateAdapterList = factory_list,
};

STANDIN_EXPORT HRESULT DXCoreCreateAdapterFactory(REFIID iid, void **out);
HRESULT DXCoreCreateAdapterFactory(REFIID iid, void **out)
{
    *out = NULL;
    HRESULT result = standin_injected(NULL, "DXCoreCreateAdapterFactory");
    if (FAILED(result))
        return result;
    return standin_give(standin_make(sizeof(struct standin), STANDIN_FACTORY, &factory_table, NULL), iid, out);
}
