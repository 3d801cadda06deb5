/* com.h: the interfaces of DXCore, Direct3D 12 and DirectML, in C.
 *
 * Debian's directx-headers-dev declares Direct3D 12 for C, and DXCore for C++ alone. The package lacks DirectML. This
 * file declares the two others: names, identifiers and the order of methods are those of the public documents. A table
 * of functions in C has the layout that the C++ ABI of Linux gives to a table of virtual methods. */
#ifndef COM_H
#define COM_H

#include "device/dml.h"

#include <stdbool.h>

/* BOOL is unsigned in these headers, and signed in dml.h. They also redefine LONG_MAX. */
#define BOOL headers_BOOL
#include <basetsd.h>
#undef BOOL
#include <unknwn.h>
#include <d3d12.h>
#include <d3d12sdklayers.h>

/* Calls a method: COM(queue, Signal, fence, 1). */
#define COM(object, method, ...) (object)->lpVtbl->method((object), ##__VA_ARGS__)

/* Releases an object; null is allowed. Every interface begins with the methods of IUnknown. */
static inline void com_release(void *object)
{
    IUnknown *unknown = object;
    if (unknown)
        COM(unknown, Release);
}

/* The formatter takes tables of functions apart. */
/* clang-format off */

#define COM_UNKNOWN_METHODS(interface)                                                                                 \
    HRESULT (*QueryInterface)(interface *self, REFIID iid, void **out);                                                \
    ULONG (*AddRef)(interface *self);                                                                                  \
    ULONG (*Release)(interface *self)

/* ---- DXCore */

typedef struct IDXCoreAdapter IDXCoreAdapter;
typedef struct IDXCoreAdapterList IDXCoreAdapterList;
typedef struct IDXCoreAdapterFactory IDXCoreAdapterFactory;

enum {
    DXCORE_PROPERTY_DRIVER_VERSION = 1,     /* uint64_t: four parts of 16 bits */
    DXCORE_PROPERTY_DRIVER_DESCRIPTION = 2, /* text */
    DXCORE_PROPERTY_DEDICATED_MEMORY = 7    /* uint64_t: bytes */
};
enum { DXCORE_PREFERENCE_HARDWARE = 0, DXCORE_PREFERENCE_HIGH_PERFORMANCE = 2 };

struct IDXCoreAdapter {
    const struct IDXCoreAdapterVtbl {
        COM_UNKNOWN_METHODS(IDXCoreAdapter);
        bool (*IsValid)(IDXCoreAdapter *self);
        bool (*IsAttributeSupported)(IDXCoreAdapter *self, REFGUID attribute);
        bool (*IsPropertySupported)(IDXCoreAdapter *self, uint32_t property);
        HRESULT (*GetProperty)(IDXCoreAdapter *self, uint32_t property, size_t size, void *data);
        HRESULT (*GetPropertySize)(IDXCoreAdapter *self, uint32_t property, size_t *size);
        bool (*IsQueryStateSupported)(IDXCoreAdapter *self, uint32_t state);
        HRESULT (*QueryState)(IDXCoreAdapter *self, uint32_t state, size_t in_size, const void *in, size_t out_size,
                              void *out);
        bool (*IsSetStateSupported)(IDXCoreAdapter *self, uint32_t state);
        HRESULT (*SetState)(IDXCoreAdapter *self, uint32_t state, size_t in_size, const void *in, size_t data_size,
                            const void *data);
        HRESULT (*GetFactory)(IDXCoreAdapter *self, REFIID iid, void **out);
    } *lpVtbl;
};

struct IDXCoreAdapterList {
    const struct IDXCoreAdapterListVtbl {
        COM_UNKNOWN_METHODS(IDXCoreAdapterList);
        HRESULT (*GetAdapter)(IDXCoreAdapterList *self, uint32_t index, REFIID iid, void **out);
        uint32_t (*GetAdapterCount)(IDXCoreAdapterList *self);
        bool (*IsStale)(IDXCoreAdapterList *self);
        HRESULT (*GetFactory)(IDXCoreAdapterList *self, REFIID iid, void **out);
        HRESULT (*Sort)(IDXCoreAdapterList *self, uint32_t count, const uint32_t *preferences);
        bool (*IsAdapterPreferenceSupported)(IDXCoreAdapterList *self, uint32_t preference);
    } *lpVtbl;
};

struct IDXCoreAdapterFactory {
    const struct IDXCoreAdapterFactoryVtbl {
        COM_UNKNOWN_METHODS(IDXCoreAdapterFactory);
        HRESULT (*CreateAdapterList)(IDXCoreAdapterFactory *self, uint32_t count, const GUID *attributes, REFIID iid,
                                     void **out);
        HRESULT (*GetAdapterByLuid)(IDXCoreAdapterFactory *self, const LUID *luid, REFIID iid, void **out);
        bool (*IsNotificationTypeSupported)(IDXCoreAdapterFactory *self, uint32_t type);
        HRESULT (*RegisterEventNotification)(IDXCoreAdapterFactory *self, IUnknown *object, uint32_t type, void (*callback)(uint32_t, IUnknown *, void *),
         void *context, uint32_t *cookie);
        HRESULT (*UnregisterEventNotification)(IDXCoreAdapterFactory *self, uint32_t cookie);
    } *lpVtbl;
};

DEFINE_GUID(IID_IDXCoreAdapterFactory, 0x78ee5945, 0xc36e, 0x4b13, 0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06);
DEFINE_GUID(IID_IDXCoreAdapterList, 0x526c7776, 0x40e9, 0x459b, 0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28);
DEFINE_GUID(IID_IDXCoreAdapter, 0xf0db4c7f, 0xfe5a, 0x42a2, 0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e);
DEFINE_GUID(DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS, 0x0c9ece4d, 0x2f6e, 0x4f01, 0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b,
            0x47, 0xb1);
DEFINE_GUID(DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE, 0x248e2800, 0xa793, 0x4724, 0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b,
            0xe0, 0x90);

/* ---- DirectML: structures with pointers to interfaces, and queries, which dml.h lacks */

typedef struct IDMLDevice IDMLDevice;
typedef struct IDMLOperator IDMLOperator;
typedef struct IDMLDispatchable IDMLDispatchable; /* a compiled operator or an initialiser */
typedef struct IDMLCompiledOperator IDMLCompiledOperator;
typedef struct IDMLOperatorInitializer IDMLOperatorInitializer;
typedef struct IDMLBindingTable IDMLBindingTable;
typedef struct IDMLCommandRecorder IDMLCommandRecorder;

typedef struct DML_BINDING_PROPERTIES {
    UINT RequiredDescriptorCount;
    UINT64 TemporaryResourceSize;
    UINT64 PersistentResourceSize;
} DML_BINDING_PROPERTIES;

typedef struct DML_BINDING_DESC {
    DML_BINDING_TYPE Type;
    const void *Desc;
} DML_BINDING_DESC;

typedef struct DML_BUFFER_BINDING {
    ID3D12Resource *Buffer;
    UINT64 Offset;
    UINT64 SizeInBytes;
} DML_BUFFER_BINDING;

typedef struct DML_BUFFER_ARRAY_BINDING {
    UINT BindingCount;
    const DML_BUFFER_BINDING *Bindings;
} DML_BUFFER_ARRAY_BINDING;

typedef struct DML_BINDING_TABLE_DESC {
    IDMLDispatchable *Dispatchable;
    D3D12_CPU_DESCRIPTOR_HANDLE CPUDescriptorHandle;
    D3D12_GPU_DESCRIPTOR_HANDLE GPUDescriptorHandle;
    UINT SizeInDescriptors;
} DML_BINDING_TABLE_DESC;

typedef struct DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT {
    DML_TENSOR_DATA_TYPE DataType;
} DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT;

typedef struct DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT {
    BOOL IsSupported;
} DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT;

typedef struct DML_FEATURE_QUERY_FEATURE_LEVELS {
    UINT RequestedFeatureLevelCount;
    const DML_FEATURE_LEVEL *RequestedFeatureLevels;
} DML_FEATURE_QUERY_FEATURE_LEVELS;

typedef struct DML_FEATURE_DATA_FEATURE_LEVELS {
    DML_FEATURE_LEVEL MaxSupportedFeatureLevel;
} DML_FEATURE_DATA_FEATURE_LEVELS;

/* ---- DirectML: interfaces */

#define COM_OBJECT_METHODS(interface)                                                                                  \
    COM_UNKNOWN_METHODS(interface);                                                                                    \
    HRESULT (*GetPrivateData)(interface *self, REFGUID guid, UINT * size, void *data);                                 \
    HRESULT (*SetPrivateData)(interface *self, REFGUID guid, UINT size, const void *data);                             \
    HRESULT (*SetPrivateDataInterface)(interface *self, REFGUID guid, IUnknown * data);                                \
    HRESULT (*SetName)(interface *self, const WCHAR *name)

#define COM_CHILD_METHODS(interface)                                                                                   \
    COM_OBJECT_METHODS(interface);                                                                                     \
    HRESULT (*GetDevice)(interface *self, REFIID iid, void **out)

#define COM_DISPATCHABLE_METHODS(interface)                                                                            \
    COM_CHILD_METHODS(interface);                                                                                      \
    DML_BINDING_PROPERTIES (*GetBindingProperties)(interface *self)

struct IDMLOperator {
    const struct IDMLOperatorVtbl {
        COM_CHILD_METHODS(IDMLOperator);
    } *lpVtbl;
};

struct IDMLDispatchable {
    const struct IDMLDispatchableVtbl {
        COM_DISPATCHABLE_METHODS(IDMLDispatchable);
    } *lpVtbl;
};

struct IDMLCompiledOperator {
    const struct IDMLCompiledOperatorVtbl {
        COM_DISPATCHABLE_METHODS(IDMLCompiledOperator);
    } *lpVtbl;
};

struct IDMLOperatorInitializer {
    const struct IDMLOperatorInitializerVtbl {
        COM_DISPATCHABLE_METHODS(IDMLOperatorInitializer);
        HRESULT (*Reset)(IDMLOperatorInitializer *self, UINT count, IDMLCompiledOperator *const *operators);
    } *lpVtbl;
};

struct IDMLBindingTable {
    const struct IDMLBindingTableVtbl {
        COM_CHILD_METHODS(IDMLBindingTable);
        void (*BindInputs)(IDMLBindingTable *self, UINT count, const DML_BINDING_DESC *bindings);
        void (*BindOutputs)(IDMLBindingTable *self, UINT count, const DML_BINDING_DESC *bindings);
        void (*BindTemporaryResource)(IDMLBindingTable *self, const DML_BINDING_DESC *binding);
        void (*BindPersistentResource)(IDMLBindingTable *self, const DML_BINDING_DESC *binding);
        HRESULT (*Reset)(IDMLBindingTable *self, const DML_BINDING_TABLE_DESC *desc);
    } *lpVtbl;
};

struct IDMLCommandRecorder {
    const struct IDMLCommandRecorderVtbl {
        COM_CHILD_METHODS(IDMLCommandRecorder);
        void (*RecordDispatch)(IDMLCommandRecorder *self, ID3D12CommandList *list, IDMLDispatchable *dispatchable,
                               IDMLBindingTable *bindings);
    } *lpVtbl;
};

struct IDMLDevice {
    const struct IDMLDeviceVtbl {
        COM_OBJECT_METHODS(IDMLDevice);
        HRESULT (*CheckFeatureSupport)(IDMLDevice *self, DML_FEATURE feature, UINT query_size, const void *query,
                                       UINT answer_size, void *answer);
        HRESULT (*CreateOperator)(IDMLDevice *self, const DML_OPERATOR_DESC *desc, REFIID iid, void **out);
        HRESULT (*CompileOperator)(IDMLDevice *self, IDMLOperator *op, DML_EXECUTION_FLAGS flags, REFIID iid,
                                   void **out);
        HRESULT (*CreateOperatorInitializer)(IDMLDevice *self, UINT count, IDMLCompiledOperator *const *operators,
                                             REFIID iid, void **out);
        HRESULT (*CreateCommandRecorder)(IDMLDevice *self, REFIID iid, void **out);
        HRESULT (*CreateBindingTable)(IDMLDevice *self, const DML_BINDING_TABLE_DESC *desc, REFIID iid, void **out);
        HRESULT (*Evict)(IDMLDevice *self, UINT count, void *const *objects);
        HRESULT (*MakeResident)(IDMLDevice *self, UINT count, void *const *objects);
        HRESULT (*GetDeviceRemovedReason)(IDMLDevice *self);
        HRESULT (*GetParentDevice)(IDMLDevice *self, REFIID iid, void **out);
    } *lpVtbl;
};

DEFINE_GUID(IID_IDMLDevice, 0x6dbd6437, 0x96fd, 0x423f, 0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f);
DEFINE_GUID(IID_IDMLOperator, 0x26caae7a, 0x3081, 0x4633, 0x95, 0x81, 0x22, 0x6f, 0xbe, 0x57, 0x69, 0x5d);
DEFINE_GUID(IID_IDMLDispatchable, 0xdcb821a8, 0x1039, 0x441e, 0x9f, 0x1c, 0xb1, 0x75, 0x9c, 0x2f, 0x3c, 0xec);
DEFINE_GUID(IID_IDMLCompiledOperator, 0x6b15e56a, 0xbf5c, 0x4902, 0x92, 0xd8, 0xda, 0x3a, 0x65, 0x0a, 0xfe, 0xa4);
DEFINE_GUID(IID_IDMLOperatorInitializer, 0x427c1113, 0x435c, 0x469c, 0x86, 0x76, 0x4d, 0x5d, 0xd0, 0x72, 0xf8, 0x13);
DEFINE_GUID(IID_IDMLBindingTable, 0x29c687dc, 0xde74, 0x4e3b, 0xab, 0x00, 0x11, 0x68, 0xf2, 0xfc, 0x3c, 0xfc);
DEFINE_GUID(IID_IDMLCommandRecorder, 0xe6857a76, 0x2e3e, 0x4fdd, 0xbf, 0xf4, 0x5d, 0x2b, 0xa1, 0x0f, 0xb4, 0x53);

/* clang-format on */

/* ---- the functions that the three libraries export */

typedef HRESULT (*dxcore_create_factory)(REFIID iid, void **out);
typedef HRESULT (*dml_create_device)(ID3D12Device *device, DML_CREATE_DEVICE_FLAGS flags, DML_FEATURE_LEVEL lowest,
                                     REFIID iid, void **out);

#endif
