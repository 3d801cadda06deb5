/* device.h: the interface between assay and an implementation of DirectML's operators.
 *
 * A device is a shared library that exports one function, assay_device_entry(), and hides every other symbol.
 * It includes this header and dml.h and nothing else of this project.
 *
 * ORDER OF CALLS. The documented one:
 *
 *     create_device → describe
 *         create_operator → compile_operator → dispatch … → destroy_compiled → destroy_operator
 *     destroy_device
 *
 * There is no initialisation: an operator with inputs that are DML_TENSOR_FLAG_OWNED_BY_DML is created and compiled, and
 * never dispatched.
 *
 * Many operators may be alive at a time. A compiled operator may be dispatched many times, each time with other bindings
 * and other contents, and owes nothing to the times before. destroy_operator may come before destroy_compiled: a compiled operator does not lean on the operator it was made from.
 *
 * THREADS. One thread calls one device at a time, not always the same thread. Two devices made by one library may be
 * called at once by two threads. A device may run threads of its own as long as none of them touches a tensor outside
 * dispatch(), and all of them are gone when destroy_device() returns.
 *
 * THE PROCESS. A device must leave alone what belongs to the process: signal handlers and masks, the locale, the
 * floating-point mode (a device that sets flush-to-zero restores it before it returns), file descriptors 0 to 2, the
 * working directory, the umask, environment variables. Each is looked at after its calls and put right; a case in which
 * one was changed fails, and so does a run in which opening the device did. It does not exit, and does not fork, but to
 * start another program, which has ended when destroy_device() returns. What it prints to standard error is kept
 * and shown when it crashes. It runs in a process of its own: a crash is recorded, not forgiven.
 *
 * THE MACHINE. A device, and any program that it starts, may read files, write below the folder that TMPDIR names, which is
 * its own and goes with it, and use drivers through their files in /dev. All else that changes files, all sockets but pairs,
 * and memory beyond a limit are denied, with EACCES, EPERM and ENOMEM, unless the user allows them; a case in which a device
 * tries fails.
 *
 * ERRORS are HRESULTs with the documented meanings:
 *
 *     S_OK                        done
 *     E_INVALIDARG                the description breaks a documented rule
 *     DXGI_ERROR_UNSUPPORTED      legal, but more than this device can do; the case counts as unsupported, not failed,
 *                                 unless the declared feature level promises it
 *     E_OUTOFMEMORY               legal, but too large for the memory there is; from dispatch, of large tensors only
 *     DXGI_ERROR_DEVICE_REMOVED   the device is lost: from then on every call but the destroying ones returns this
 *     E_FAIL                      anything else; say more in message()
 *
 * A function that fails leaves its output pointer null, which it is when it is called; one that succeeds does not. The
 * other way round fails the case, whatever was expected. */
#ifndef ASSAY_DEVICE_H
#define ASSAY_DEVICE_H

#include "dml.h"

#include <stddef.h>
#include <stdint.h>

/* Raised when a change would break a device built against an older header. */
#define ASSAY_DEVICE_ABI 1u

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_device assay_device;     /* the device's own; assay never looks inside */
typedef struct assay_operator assay_operator; /* likewise: what create_operator() made */
typedef struct assay_compiled assay_compiled; /* likewise: what compile_operator() made */

/* What create_device() is told. `size` is sizeof of the struct as assay knows it: a member at or past it is not there. */
typedef struct assay_device_config {
    uint32_t size;
    const char *arguments; /* what followed the device's name and a ':' on the command line, "" if nothing did. By
                            * convention `key=value` pairs with commas between; an unknown key is E_INVALIDARG */
} assay_device_config;

/* What describe() fills in. Text is UTF-8, ends with a zero, and may be empty. */
typedef struct assay_device_info {
    uint32_t size;                   /* set by assay: write nothing at or past it */
    DML_FEATURE_LEVEL feature_level; /* the highest level the device claims: a promise to do all of its tables */
    char name[128];                  /* what a person calls it: "llvmpipe (LLVM 15.0.6, 256 bits)" */
    char driver[128];                /* what runs it: "Mesa 22.3.6 (LLVM 15.0.6)" */
    char version[64];                /* of the device library */
    uint64_t max_tensor_bytes;       /* largest TotalTensorSizeInBytes it takes; 0: no limit but memory */
    uint32_t max_batch;              /* how many items one dispatch() can use to advantage; 1: batches gain nothing */
    uint32_t reserved;
} assay_device_info;

/* Where a tensor is: at `base` + `offset`, `size` bytes long, as in DML_BUFFER_BINDING. `size` is the tensor's
 * TotalTensorSizeInBytes or more, `offset` a multiple of 16 and of the tensor's GuaranteedBaseOffsetAlignment, 0 or not,
 * and `base` + `offset` is aligned to the same. `base` is null where an optional tensor is absent.
 *
 * The memory is assay's and is valid until dispatch() returns. Inputs may be mapped read-only, the bytes around a tensor
 * are watched, and the page after it may not exist. A device never writes an input, never reads outside
 * [offset, offset + size), and writes no byte beyond an output's TotalTensorSizeInBytes, even where its binding is larger.
 * Within it may write any byte, holes between strides and the tail included. What an output holds beforehand is arbitrary
 * and means nothing: NaN, too. A byte that a device does not write must keep its value, as if the device worked in place: a device with memory of its own copies the
 * output's bytes in before it copies them out. */
typedef struct assay_binding {
    void *base;
    uint64_t offset; /* bytes */
    uint64_t size;   /* bytes */
} assay_binding;

/* One execution. Bindings stand in the order of the fields of the operator's documented struct, inputs and outputs each
 * numbered on their own; a tensor array takes one binding for each element. Inputs may share memory with each other,
 * an output shares with nothing. */
typedef struct assay_dispatch_item {
    assay_compiled *compiled;
    const assay_binding *inputs;
    const assay_binding *outputs;
    uint32_t input_count;
    uint32_t output_count;
} assay_dispatch_item;

/* What became of one item. */
typedef struct assay_dispatch_result {
    HRESULT status;
    uint32_t reserved;
    uint64_t device_ns; /* the device's own clock, nanoseconds for this item alone; 0: it has no clock */
} assay_dispatch_result;

/* The device's functions. All pointers are set; assay checks that. */
typedef struct assay_device_api {
    uint32_t abi;  /* ASSAY_DEVICE_ABI as compiled */
    uint32_t size; /* sizeof(assay_device_api) as compiled */

    /* Makes a device. On failure `message` (of `message_size` bytes, zero-terminated by the device) says in one sentence
     * what is missing: a loader, a driver, a feature; DXGI_ERROR_UNSUPPORTED then means "not on this machine". */
    HRESULT (*create_device)(const assay_device_config *config, assay_device **out, char *message, size_t message_size);
    void (*destroy_device)(assay_device *device); /* null: nothing happens; so for every destroy function */

    HRESULT (*describe)(assay_device *device, assay_device_info *info);

    /* DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT: nonzero if tensors may have this type. A type that a device denies is
     * unsupported whatever its feature level; it must not take it then. Asked once, after describe(). */
    BOOL (*supports_data_type)(assay_device *device, DML_TENSOR_DATA_TYPE type);

    /* Validates and copies `desc`: nothing that it points to is kept, it is overwritten afterwards. A description may be
     * malformed in any way that its types allow: a tensor, its Desc or its Sizes may be a null pointer, counts and
     * enumerations any number. It is to be rejected then; reading `DimensionCount` entries of Sizes, or of Strides that
     * are not null, is always safe up to a count of 8. */
    HRESULT (*create_operator)(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out);
    void (*destroy_operator)(assay_device *device, assay_operator *op);

    /* clang-format off */
    HRESULT (*compile_operator)(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags, assay_compiled **out);
    /* clang-format on */
    void (*destroy_compiled)(assay_device *device, assay_compiled *compiled);

    /* Runs `count` items, writes `count` results to `out`, and returns when all are done. Items are independent: they
     * may run in any order, or at once. Every result is set. Returns S_OK unless the device as a whole failed; an item's own failure is in its result. */
    /* clang-format off */
    HRESULT (*dispatch)(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out);
    /* clang-format on */

    /* One sentence on the last call that failed, for a person: which rule, which tensor. "" if there is nothing to say,
     * never null. The device's, valid until its next call. */
    const char *(*message)(assay_device *device);
} assay_device_api;

#if defined(_WIN32)
#define ASSAY_DEVICE_EXPORT __declspec(dllexport)
#else
#define ASSAY_DEVICE_EXPORT __attribute__((visibility("default")))
#endif

/* The one exported function. `abi` is assay's ASSAY_DEVICE_ABI; a device that cannot speak it returns null. */
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif
