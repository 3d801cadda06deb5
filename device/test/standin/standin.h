/* standin.h: stand-ins for libdxcore, libd3d12 and libdirectml in one library, over the reference device.
 *
 * They check every documented precondition of the calls that the device directml makes, and compute nothing before the
 * host waits for a fence. A breach is "trouble": its sentence goes to standard error and to the messages of the debug
 * layer, and the device is removed.
 *
 * A test that loads this library calls the functions at the end of this file. */
#ifndef STANDIN_H
#define STANDIN_H

#include "device/device.h"
#include "device/common/descriptor.h"
#include "device/directml/com.h"

#include <stddef.h>

#define STANDIN_EXPORT __attribute__((visibility("default")))

enum standin_kind {
    STANDIN_FACTORY,
    STANDIN_LIST_OF_ADAPTERS,
    STANDIN_ADAPTER,
    STANDIN_DEBUG,
    STANDIN_DEVICE,
    STANDIN_MESSAGES,
    STANDIN_QUEUE,
    STANDIN_ALLOCATOR,
    STANDIN_COMMANDS,
    STANDIN_FENCE,
    STANDIN_RESOURCE,
    STANDIN_DESCRIPTORS,
    STANDIN_QUERIES,
    STANDIN_DML,
    STANDIN_OPERATOR,
    STANDIN_COMPILED,
    STANDIN_INITIALISER,
    STANDIN_TABLE,
    STANDIN_RECORDER,
    STANDIN_KINDS
};

/* The start of every object. `references` are the caller's. `uses` are those of commands and of other objects here: an
 * object that is released stays in memory as long as it has any. */
struct standin {
    const void *table;
    enum standin_kind kind;
    long references, uses;
    long pending;           /* submitted commands that use the object and have not run */
    struct standin *parent; /* its device, which it keeps alive; null: none */
};

struct standin_device {
    struct standin base;
    HRESULT removed; /* S_OK: no */
    int has_debug_layer;
    char messages[8][512]; /* the first ones that nobody cleared */
    UINT message_count;
};

struct standin_resource {
    struct standin base;
    D3D12_HEAP_TYPE heap;
    D3D12_RESOURCE_FLAGS flags;
    D3D12_RESOURCE_STATES state; /* of the last command that ran */
    UINT64 bytes;
    unsigned char *allocation, *memory; /* `memory`: its first address with the alignment of a buffer */
    int is_mapped;
    UINT64 dirty_begin, dirty_end; /* bytes that dispatches wrote */
    uint64_t dirty_epoch;          /* the UAV barriers of all resources before they did */
};

struct standin_descriptors {
    struct standin base;
    UINT count;
    int is_visible;
    uint64_t handle;       /* of its first descriptor */
    uint64_t *generations; /* of each descriptor: how often it was written */
};

enum { STANDIN_DESCRIPTOR_BYTES = 32 };
#define STANDIN_LARGEST_BUFFER (1ull << 30) /* bytes: a quarter of the adapter's memory */

struct standin_queries {
    struct standin base;
    UINT count;
    UINT64 *values;
    unsigned char *is_ended;
};

enum { STANDIN_USES = DESCRIPTOR_MAX_INPUTS + 8 };

/* One recorded command. `run` computes it, when the host waits for it; `forget` frees its data. */
struct standin_command {
    void (*run)(struct standin_device *device, struct standin_command *command);
    void (*forget)(struct standin_command *command); /* may be null */
    struct standin *uses[STANDIN_USES];              /* different objects that the command uses, then nulls */
    UINT64 numbers[4];
    void *data;
};

struct standin_commands {
    struct standin base;
    int is_open;
    D3D12_COMMAND_LIST_TYPE type;
    struct standin_allocator *allocator; /* that the list records to */
    struct standin_descriptors *heap;    /* set on the list */
    struct standin_command *commands;
    size_t count, capacity;
};

struct standin_allocator {
    struct standin base;
    D3D12_COMMAND_LIST_TYPE type;
    struct standin_commands *recording; /* the open list; null: none */
};

/* ---- objects (objects.c) */

/* Makes an object of `size` bytes with one reference, the caller's; null if there is no memory. */
void *standin_make(size_t size, enum standin_kind kind, const void *table, void *parent);
HRESULT standin_query(void *object, REFIID iid, void **out);
ULONG standin_add_reference(void *object);
ULONG standin_release(void *object);
void standin_use(void *object);
void standin_unuse(void *object);

/* Sets `*out` to the object if `iid` is its interface; otherwise releases it. Null: no memory. */
HRESULT standin_give(void *object, REFIID iid, void **out);

/* Returns the device of an object of Direct3D. */
struct standin_device *standin_device_of(void *object);

/* Reports a breach. `device`: null if there is none. */
void standin_trouble(struct standin_device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the error that the test wants from this call of `method`; S_OK: none. */
HRESULT standin_injected(struct standin_device *device, const char *method);

/* Defines the three methods of IUnknown for an interface. */
#define STANDIN_UNKNOWN(interface)                                                                                     \
    static HRESULT interface##_query(interface *self, REFIID iid, void **out)                                          \
    {                                                                                                                  \
        return standin_query(self, iid, out);                                                                          \
    }                                                                                                                  \
    static ULONG interface##_add_reference(interface *self)                                                            \
    {                                                                                                                  \
        return standin_add_reference(self);                                                                            \
    }                                                                                                                  \
    static ULONG interface##_release(interface *self)                                                                  \
    {                                                                                                                  \
        return standin_release(self);                                                                                  \
    }
#define STANDIN_UNKNOWN_METHODS(interface)                                                                             \
    .QueryInterface = interface##_query, .AddRef = interface##_add_reference, .Release = interface##_release

/* Each frees what an object of its kind holds. */
void standin_free_d3d(struct standin *object);
void standin_free_dml(struct standin *object);

/* ---- Direct3D 12 (d3d.c, commands.c) */

extern const ID3D12GraphicsCommandListVtbl standin_commands_table;
extern const ID3D12CommandAllocatorVtbl standin_allocator_table;
extern const ID3D12CommandQueueVtbl standin_queue_table;
extern const ID3D12FenceVtbl standin_fence_table;
void standin_free_commands(struct standin_commands *list);

/* Returns 1 if a live resource, list or heap is this object. */
int standin_is(const void *object, enum standin_kind kind);

/* Finds the heap of a handle and the number of its descriptor; null if there is none. */
struct standin_descriptors *standin_find_descriptors(uint64_t handle, UINT *number);

/* Records a command. */
void standin_record(struct standin_commands *list, const struct standin_command *command);

/* Makes a command's access to a resource: it promotes the state, or reports trouble. */
void standin_access(struct standin_device *device, struct standin_resource *resource, D3D12_RESOURCE_STATES state,
                    const char *what);

/* A read or write of bytes by a dispatch; a read or write of bytes that an earlier dispatch wrote, without a barrier,
 * is trouble. */
void standin_touch(struct standin_device *device, struct standin_resource *resource, UINT64 begin, UINT64 end);
void standin_dirty(struct standin_resource *resource, UINT64 begin, UINT64 end);

/* ---- for tests */

STANDIN_EXPORT long standin_live(void);                 /* objects that have not been released */
STANDIN_EXPORT const char *standin_first_trouble(void); /* "": none */
STANDIN_EXPORT void standin_forget_trouble(void);

/* The call number `number` (from 1 on) of `method` fails with `result`, once. Null: none does. At the start, the
 * variable STANDIN_FAIL has these three, separated by colons: "CompileOperator:2:8007000e". */
STANDIN_EXPORT void standin_fail(const char *method, long number, HRESULT result);

#endif
