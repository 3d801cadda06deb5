/* objects.c: references, trouble and errors on request. */
#include "device/test/standin/standin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const IID *iid;
} kinds[STANDIN_KINDS] = {
    [STANDIN_FACTORY] = {"IDXCoreAdapterFactory", &IID_IDXCoreAdapterFactory},
    [STANDIN_LIST_OF_ADAPTERS] = {"IDXCoreAdapterList", &IID_IDXCoreAdapterList},
    [STANDIN_ADAPTER] = {"IDXCoreAdapter", &IID_IDXCoreAdapter},
    [STANDIN_DEBUG] = {"ID3D12Debug", &IID_ID3D12Debug},
    [STANDIN_DEVICE] = {"ID3D12Device", &IID_ID3D12Device},
    [STANDIN_MESSAGES] = {"ID3D12InfoQueue", &IID_ID3D12InfoQueue},
    [STANDIN_QUEUE] = {"ID3D12CommandQueue", &IID_ID3D12CommandQueue},
    [STANDIN_ALLOCATOR] = {"ID3D12CommandAllocator", &IID_ID3D12CommandAllocator},
    [STANDIN_COMMANDS] = {"ID3D12GraphicsCommandList", &IID_ID3D12GraphicsCommandList},
    [STANDIN_FENCE] = {"ID3D12Fence", &IID_ID3D12Fence},
    [STANDIN_RESOURCE] = {"ID3D12Resource", &IID_ID3D12Resource},
    [STANDIN_DESCRIPTORS] = {"ID3D12DescriptorHeap", &IID_ID3D12DescriptorHeap},
    [STANDIN_QUERIES] = {"ID3D12QueryHeap", &IID_ID3D12QueryHeap},
    [STANDIN_DML] = {"IDMLDevice", &IID_IDMLDevice},
    [STANDIN_OPERATOR] = {"IDMLOperator", &IID_IDMLOperator},
    [STANDIN_COMPILED] = {"IDMLCompiledOperator", &IID_IDMLCompiledOperator},
    [STANDIN_INITIALISER] = {"IDMLOperatorInitializer", &IID_IDMLOperatorInitializer},
    [STANDIN_TABLE] = {"IDMLBindingTable", &IID_IDMLBindingTable},
    [STANDIN_RECORDER] = {"IDMLCommandRecorder", &IID_IDMLCommandRecorder},
};

/* ---- trouble and errors on request */

static char first_trouble[512];
static long live;

static struct {
    char method[64];
    long number;
    HRESULT result;
    int is_read; /* the variable was read */
} wanted;

void standin_trouble(struct standin_device *device, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "stand-in: %s\n", text);
    if (!*first_trouble)
        memcpy(first_trouble, text, sizeof text);
    if (!device)
        return;
    if (device->has_debug_layer && device->message_count < sizeof device->messages / sizeof *device->messages)
        memcpy(device->messages[device->message_count++], text, sizeof text);
    if (SUCCEEDED(device->removed))
        device->removed = DXGI_ERROR_INVALID_CALL;
}

const char *standin_first_trouble(void)
{
    return first_trouble;
}

void standin_forget_trouble(void)
{
    *first_trouble = 0;
}

void standin_fail(const char *method, long number, HRESULT result)
{
    snprintf(wanted.method, sizeof wanted.method, "%s", method ? method : "");
    wanted.number = number;
    wanted.result = result;
    wanted.is_read = 1;
}

static void read_variable(void)
{
    char method[64];
    long number;
    unsigned result;
    const char *text = getenv("STANDIN_FAIL");
    if (!wanted.is_read && text && sscanf(text, "%63[^:]:%ld:%x", method, &number, &result) == 3)
        standin_fail(method, number, (HRESULT)result);
    wanted.is_read = 1;
}

HRESULT standin_injected(struct standin_device *device, const char *method)
{
    read_variable();
    if (device && FAILED(device->removed))
        return DXGI_ERROR_DEVICE_REMOVED;
    if (!*wanted.method || strcmp(wanted.method, method) != 0 || --wanted.number != 0)
        return S_OK;
    *wanted.method = 0;
    if (device && wanted.result == DXGI_ERROR_DEVICE_REMOVED)
        device->removed = DXGI_ERROR_DEVICE_HUNG;
    return wanted.result;
}

long standin_live(void)
{
    return live;
}

/* ---- references */

struct standin_device *standin_device_of(void *object)
{
    struct standin *each = object;
    while (each && each->kind != STANDIN_DEVICE)
        each = each->parent;
    return (struct standin_device *)each;
}

void *standin_make(size_t size, enum standin_kind kind, const void *table, void *parent)
{
    struct standin *object = calloc(1, size);
    if (!object)
        return NULL;
    *object = (struct standin){.table = table, .kind = kind, .references = 1, .parent = parent};
    if (parent)
        standin_use(parent);
    live++;
    return object;
}

/* Objects that were freed last keep their memory for a while, so that a further release is noticed. */
static struct standin *quarantine[256];
static size_t quarantined;

static void free_later(struct standin *object)
{
    struct standin **place = &quarantine[quarantined++ % (sizeof quarantine / sizeof *quarantine)];
    free(*place);
    *place = object;
}

__attribute__((destructor)) static void free_quarantine(void)
{
    for (size_t i = 0; i < sizeof quarantine / sizeof *quarantine; i++)
        free(quarantine[i]);
}

static void standin_free(struct standin *object)
{
    struct standin *parent = object->parent;
    if (object->kind >= STANDIN_DML)
        standin_free_dml(object);
    else if (object->kind >= STANDIN_DEVICE)
        standin_free_d3d(object);
    object->parent = NULL;
    free_later(object);
    if (parent)
        standin_unuse(parent);
}

void standin_use(void *object)
{
    ((struct standin *)object)->uses++;
}

void standin_unuse(void *object)
{
    struct standin *each = object;
    if (--each->uses == 0 && each->references == 0)
        standin_free(each);
}

ULONG standin_add_reference(void *object)
{
    return (ULONG)++((struct standin *)object)->references;
}

ULONG standin_release(void *object)
{
    struct standin *each = object;
    if (each->references <= 0) {
        standin_trouble(standin_device_of(object), "%s is released too often", kinds[each->kind].name);
        return 0;
    }
    if (--each->references > 0)
        return (ULONG)each->references;
    live--;
    if (each->pending > 0 && SUCCEEDED(standin_device_of(object)->removed)) /* the GPU has dropped its work otherwise */
        standin_trouble(standin_device_of(object), "%s is released while the GPU uses it", kinds[each->kind].name);
    if (each->uses == 0)
        standin_free(each);
    return 0;
}

HRESULT standin_query(void *object, REFIID iid, void **out)
{
    struct standin *each = object;
    *out = NULL;
    if (memcmp(iid, kinds[each->kind].iid, sizeof *iid) != 0 && memcmp(iid, &IID_IUnknown, sizeof *iid) != 0)
        return E_NOINTERFACE;
    standin_add_reference(object);
    *out = object;
    return S_OK;
}

HRESULT standin_give(void *object, REFIID iid, void **out)
{
    *out = NULL;
    if (!object)
        return E_OUTOFMEMORY;
    HRESULT result = standin_query(object, iid, out);
    standin_release(object);
    return result;
}

int standin_is(const void *object, enum standin_kind kind)
{
    const struct standin *each = object;
    return each && each->kind == kind && each->references > 0;
}
