/* device.h: the interface between assay and an implementation of DirectML's operators.
 *
 * A device is a shared library that exports one function, assay_device_entry(), and hides every other symbol. A device
 * needs this header and dml.h, and nothing else of this project.
 *
 * "Must" is a requirement: a device that breaks it fails a case, or cannot be opened. "Should" is a recommendation: a
 * device that ignores it gets a warning. "May" is a permission.
 *
 * ORDER OF CALLS. The order of calls is the documented one:
 *
 *     create_device → describe → supports_data_type …
 *         create_operator → compile_operator → dispatch … → destroy_compiled → destroy_operator
 *     destroy_device
 *
 * There is no initialisation: assay creates and compiles an operator with inputs that are DML_TENSOR_FLAG_OWNED_BY_DML,
 * but never dispatches it.
 *
 * assay may keep many operators alive at a time. assay may dispatch a compiled operator many times, each time with
 * other bindings and other contents. A compiled operator must keep no state between dispatches. assay may compile an
 * operator more than once. assay may call destroy_operator() before destroy_compiled(): a compiled operator must not
 * depend on the operator that it was made from. assay may make several devices at a time, and make one again after
 * destroy_device().
 *
 * A device must free the memory, mappings, descriptors and threads of every object that assay destroys: their number
 * must not grow if assay makes, dispatches and destroys the same operators again and again.
 *
 * THREADS. assay calls a device from one thread at a time, not always the same thread. Two threads may call two devices
 * of one library at once. A device may run threads of its own. Those threads must not touch a tensor outside
 * dispatch(). Those threads must have ended when destroy_device() returns.
 *
 * THE PROCESS. assay runs a device in a process of its own, which shares with assay only the memory of tensors and
 * descriptions. Other processes of assay hold the expected results and judge the outputs. A crash fails the case that
 * was running, and the run goes on. `assay fuzz` and `assay dispatch` run the device in a process with their own code.
 *
 * A device must leave process-wide state as it was when it was called: signal handlers and masks, the locale, the
 * floating-point mode (rounding, flush-to-zero, traps), file descriptors 0 to 3, the working directory, the umask, the
 * environment variables, the priority and the resource limits. assay checks them after its calls and restores them. A
 * change fails the case; a change made while the device is opened fails the run.
 *
 * A device must not end the process. A device must not fork, except to start another program. A program that
 * create_device(), describe() or supports_data_type() starts may run until destroy_device() returns. A program that a
 * later call starts must have ended when that call returns. A device may print to standard error: assay shows the end
 * of the text with a failure. A device must not print to standard output.
 *
 * THE MACHINE. A device, and every program that it starts, may read files. It may write below the folder that TMPDIR
 * names: the folder belongs to this process alone, and assay removes it when the process ends. It may write below the
 * folder that XDG_CACHE_HOME names: later processes of the same device find the files again. It may use drivers through
 * their files in /dev. It cannot gain privileges. assay denies every other change of files and every socket except
 * pairs of AF_UNIX streams, with EACCES or EPERM. assay denies signals to other processes, with EPERM, if the kernel
 * can (Linux 6.12). assay denies memory beyond a limit, with ENOMEM. The user may lift these denials (--allow). If the
 * thread in which assay calls the device tries to change a file or to open a socket and is denied, the case fails.
 *
 * ERRORS are HRESULTs with the documented meanings:
 *
 *     S_OK                        done. A device must return no other code for a success
 *     E_INVALIDARG                the description breaks a documented rule
 *     DXGI_ERROR_UNSUPPORTED      legal, but beyond this device: the case counts as unsupported, not failed,
 *                                 unless the declared feature level promises it
 *     E_OUTOFMEMORY               legal, but too large for the memory there is. From dispatch(), it counts as
 *                                 unsupported if the item's tensors have 256 MiB or more together. From
 *                                 create_operator() and compile_operator() of an operator that assay never dispatches,
 *                                 it counts as DXGI_ERROR_UNSUPPORTED. Otherwise it fails the case
 *     DXGI_ERROR_DEVICE_REMOVED   the device is lost: every later call that returns an HRESULT must return this, too
 *     E_FAIL                      any other failure, explained by message() or in the item's result
 *
 * An output pointer is null when assay calls. A function that fails must leave its output pointer null. A function that
 * succeeds must set it. A function that does otherwise fails the case, whatever outcome was expected.
 *
 * REJECTING. Each documented rule has a strength, which `assay spec OPERATOR` prints. A device must reject a
 * description that breaks a rule of strength `must` or `reject`. A device should reject a description that breaks a
 * `soft` rule: if the device accepts it, the case passes with a warning. A device may accept or reject a description
 * that breaks an `open` rule: assay records the decision.
 *
 * A device must accept a description that breaks no rule, unless one of the errors above excuses it.
 *
 * A device should reject in create_operator(), with E_INVALIDARG. A rejection in compile_operator() gets a warning. A
 * rejection with another error gets a warning; but DXGI_ERROR_UNSUPPORTED counts as unsupported unless the declared
 * feature level promises the operator and its data types. */
#ifndef ASSAY_DEVICE_H
#define ASSAY_DEVICE_H

#include "dml.h"

#include <stddef.h>
#include <stdint.h>

/* The version of this interface. It is raised when a change would break a device built against an older header. */
#define ASSAY_DEVICE_ABI 2u

#ifdef __cplusplus
extern "C" {
#endif

/* The device defines these three. assay never looks inside them. */
typedef struct assay_device assay_device;     /* made by create_device() */
typedef struct assay_operator assay_operator; /* made by create_operator() */
typedef struct assay_compiled assay_compiled; /* made by compile_operator() */

/* The argument of create_device(). It is valid until create_device() returns. */
typedef struct assay_device_config {
    uint32_t size;         /* bytes of this struct, as assay knows it: a member at or past it does not exist */
    const char *arguments; /* the text after the device's name and a ':' on the command line; "" if there is none, never
                            * null. By convention `key=value` pairs, separated by commas; a device should reject an
                            * unknown key with E_INVALIDARG */
} assay_device_config;

/* The result of describe(). Text must be UTF-8, must end with a zero byte, and may be empty. */
typedef struct assay_device_info {
    uint32_t size;                   /* bytes of this struct, set by assay: a device must write nothing at or past it */
    DML_FEATURE_LEVEL feature_level; /* the highest level that the device promises, with all of its tables. 0: the
                                      * device promises no level; the newest level's tables judge it, but a case that it
                                      * calls unsupported never fails */
    char name[128];                  /* for a person: "llvmpipe (LLVM 15.0.6, 256 bits)" */
    char driver[128];                /* for a person: "Mesa 22.3.6 (LLVM 15.0.6)" */
    char version[64];                /* version of the device library */
    uint64_t max_tensor_bytes;       /* largest TotalTensorSizeInBytes that the device takes; 0: no limit */
    uint32_t max_batch;              /* most items that one dispatch() gains from; 1: batches gain nothing. It must not
                                      * be 0 */
    uint32_t flags;                  /* ASSAY_DEVICE_… bits; 0: none */
} assay_device_info;

/* A flag of assay_device_info: create_operator() validates with assay's own code (device/common), so that a rejection
 * says nothing about the implementation behind the device. assay counts passes in which outputs were compared apart
 * from the other passes of such a device. */
#define ASSAY_DEVICE_SHARED_VALIDATION 1u

/* The memory of a tensor: `size` bytes at `base` + `offset`, as in DML_BUFFER_BINDING. `size` is the tensor's
 * TotalTensorSizeInBytes or more. `offset` is a multiple of 16 and of the tensor's GuaranteedBaseOffsetAlignment, and
 * may be 0. `base` + `offset` is aligned in the same way. `base` is null if an optional tensor is absent.
 *
 * assay owns the memory, which is valid until dispatch() returns. assay takes the outputs when dispatch() returns: a
 * later write counts as a failure. Inputs may be mapped read-only. The page after a tensor may be unmapped. The memory
 * may be absent in a child process. A device must not write an input, except in place (see assay_dispatch_item). A
 * device must not read outside the `size` bytes. A device must not write outside an output's TotalTensorSizeInBytes,
 * even if the binding is larger. assay checks the bytes around a tensor.
 *
 * A device may write every byte within TotalTensorSizeInBytes, also the gaps between strides and the bytes after the
 * last element. The contents of an output before dispatch() are arbitrary, and say nothing about the expected result:
 * they may be NaNs; in place they are the input's. A byte that a device does not write must keep its value. A device
 * that works on copies of the tensors must therefore copy an output in before it copies it out, unless it writes every
 * byte. */
typedef struct assay_binding {
    void *base;
    uint64_t offset; /* bytes */
    uint64_t size;   /* bytes */
} assay_binding;

/* One execution of an operator. Bindings are in the order of the fields of the operator's documented struct: one array
 * for the inputs, one for the outputs. An optional tensor has a binding, also if it is absent: its base is null, and
 * its size 0. An array of tensors has one binding for each element. A description within the description has no
 * binding. Inputs may share memory with each other. An output shares memory with no other output, and with an input
 * only in place.
 *
 * IN PLACE. If the documents say that an operator supports in-place execution, then an input may have the memory of an
 * output. Both bindings are then equal (base, offset and size), and both tensors have the same data type, sizes,
 * strides, TotalTensorSizeInBytes and alignment. Both inputs of ELEMENT_WISE_ADD, _ADD1, _BIT_AND, _BIT_OR and _BIT_XOR
 * may have the memory of the output at once; one input of another operator may. An input never overlaps an output in
 * any other way. The result must be the same as in memory of its own. So a device that works in the memory that it is
 * given must read an element of such an input before it writes the output's element at the same coordinates, or
 * anything else there: it fails if it clears the output first, if it copies another operand to the output first, or if
 * it writes more elements than it has read. A device that copies all inputs before it writes an output need do nothing.
 * A device that cannot tell which of its steps read first can compare the addresses, and copy such an input. assay does
 * not check that input afterwards; the other inputs must be unchanged. */
typedef struct assay_dispatch_item {
    assay_compiled *compiled;
    const assay_binding *inputs;
    const assay_binding *outputs;
    uint32_t input_count;
    uint32_t output_count;
} assay_dispatch_item;

/* The result of one item. */
typedef struct assay_dispatch_result {
    HRESULT status;
    uint32_t reserved;  /* must be 0 */
    uint64_t device_ns; /* nanoseconds that this item alone took, by the device's own clock; 0: it has no clock. assay
                         * takes no more than the call took by assay's clock */
    char message[240];  /* if the item failed: one sentence about this item, zero-terminated; "": none. assay sets it
                         * to "" before it calls dispatch() */
} assay_dispatch_result;

/* The request to measure(), and its answer. */
typedef struct assay_measurement {
    uint32_t size;       /* bytes of this struct, as assay knows it: a member at or past it does not exist */
    uint32_t count;      /* number of runs of the item, at least 1 */
    uint64_t *device_ns; /* `count` numbers, which are 0: a device sets each to the nanoseconds of one run, by the
                          * device's own clock, or to the mean of a few adjacent runs, if reading the clock takes as
                          * long as a share of a run; 0: it has no clock */
    uint64_t host_ns;    /* nanoseconds from the start of the first run to the end of the last one, by a clock of the
                          * host, without the transfers of the tensors to the device's memory and back. assay takes no
                          * more than the call took by assay's clock */
    char state[128];     /* clocks and power state of the device after the last run, for a person: "1980 MHz, P0";
                          * "": not known */
} assay_measurement;

/* The device's functions. A device must set every pointer but the last two. The table must stay valid while the library
 * is loaded. */
typedef struct assay_device_api {
    uint32_t abi;  /* ASSAY_DEVICE_ABI of the header that the device was compiled with */
    uint32_t size; /* sizeof(assay_device_api) of that header */

    /* Creates a device. If it fails, it should write one zero-terminated sentence to `message` (`message_size` bytes)
     * that names the missing part: a loader, a driver, a feature. DXGI_ERROR_UNSUPPORTED means "not on this
     * machine". */
    HRESULT (*create_device)(const assay_device_config *config, assay_device **out, char *message, size_t message_size);

    /* Destroys a device. Every destroy function must accept null, and then do nothing. */
    void (*destroy_device)(assay_device *device);

    /* Fills in `info`, whose members are all 0 but `size`. A failure means that the device cannot be used. assay may
     * ask again: the answer must be the same. */
    HRESULT (*describe)(assay_device *device, assay_device_info *info);

    /* DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT: returns nonzero if tensors may have this type. assay asks after describe(),
     * about each type, and about numbers that are no data type: a device must deny those numbers. A case with a type
     * that the device denies is unsupported, whatever the feature level promises. A device must not accept an operator
     * with a type that it denies. */
    BOOL (*supports_data_type)(assay_device *device, DML_TENSOR_DATA_TYPE type);

    /* Validates a description. Neither `desc` nor desc->Desc is null. A device must copy the parts that it needs: assay
     * overwrites the description, and all that it points to, when the call returns.
     *
     * A description may be malformed in any way that its types allow. A tensor, its Desc or its Sizes may be a null
     * pointer. Counts and enumerations may have any value. A device must reject such a description, and must not crash.
     * Reading `DimensionCount` entries of Sizes, or of Strides that are not null, is safe up to a count of 8.
     *
     * Members arrive in the documented struct of the operator. A member gives the number of elements of an array;
     * whatever that number is, the array may be a null pointer. Reading that many elements is safe up to a count of 8:
     * a device must check a higher count against the tensors before it reads further. An array of tensors is always as
     * long as its count says, and assay keeps that count at 16 or below. A missing element of an array of tensors has a
     * null Desc. All 8 bytes of a DML_SCALAR_UNION can be read. A description within the description, such as
     * FusedActivation, may have any Type, and a null Desc; another Desc has the struct of its Type, or is zeros if the
     * Type is no operator's. Its tensors are null, as documented, or else are small FLOAT32 tensors.
     *
     * A device must return DXGI_ERROR_UNSUPPORTED for an operator that it does not implement. */
    HRESULT (*create_operator)(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out);
    void (*destroy_operator)(assay_device *device, assay_operator *op);

    /* Compiles an operator. assay destroys the operator, also if compiling fails.
     *
     * With ALLOW_HALF_PRECISION_COMPUTATION (`assay run --half`), a device may compute FLOAT32 outputs as if their
     * operands, the attributes and the result were FLOAT16: the bounds of FLOAT16 count, for the operands as they are
     * or rounded to FLOAT16. Copied, compared or converted results must be those without the flag. Without it, the
     * bounds of FLOAT32 count. `assay dispatch` passes on the flags that a model names; a device may ignore every
     * flag. */
    /* clang-format off */
    HRESULT (*compile_operator)(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags, assay_compiled **out);
    /* clang-format on */
    void (*destroy_compiled)(assay_device *device, assay_compiled *compiled);

    /* Runs `count` items and returns when all are done. Items are independent: a device may run them in any order, or
     * at once. A device must set all `count` results in `out`. It must return S_OK unless the device as a whole failed:
     * an item's own failure belongs in its result. */
    /* clang-format off */
    HRESULT (*dispatch)(assay_device *device, const assay_dispatch_item *items, uint32_t count, assay_dispatch_result *out);
    /* clang-format on */

    /* Returns one sentence for a person about the last call that failed: which rule, which tensor. It may be "". It
     * must not be null, and must be UTF-8. The device owns the text, which must stay valid until the next call. A
     * sentence about an item of a dispatch() that returned S_OK belongs in the item's result: assay uses this text
     * instead only if the item's is "" and no other item of the call failed. */
    const char *(*message)(assay_device *device);

    /* Returns nonzero if the device implements operators of this type. assay asks once for each documented type, after
     * describe(). The cases of an operator that the device denies are unsupported, whatever the feature level promises,
     * and are not run; the conformance statement names the operator as missing. This pointer may be null, and a device
     * that was built against a header without it need not be rebuilt: an operator that such a device does not implement
     * fails the cases that its feature level promises. */
    BOOL (*supports_operator)(assay_device *device, DML_OPERATOR_TYPE type);

    /* Runs one item measurement->count times, each run after the one before it has ended, on tensors that stay in the
     * device's memory (`assay bench`). When it returns, the outputs must be as after dispatch(). Every run must do the
     * whole work of the item. The item is never in place. The promises of dispatch() hold for measure(), too. A device
     * may return DXGI_ERROR_UNSUPPORTED: assay then measures by calling dispatch() again and again. assay does so, too,
     * if this pointer is null, or if the device was built against a header without it. */
    HRESULT (*measure)(assay_device *device, const assay_dispatch_item *item, assay_measurement *measurement);
} assay_device_api;

#if defined(_WIN32)
#define ASSAY_DEVICE_EXPORT __declspec(dllexport)
#else
#define ASSAY_DEVICE_EXPORT __attribute__((visibility("default")))
#endif

/* The one exported function: returns the device's functions. `abi` is assay's ASSAY_DEVICE_ABI. A device that does not
 * implement that version must return null. */
ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif
