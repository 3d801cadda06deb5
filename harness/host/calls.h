/* calls.h: the calls that one case makes, on a device in this process. */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include "harness/host/open_device.h"

#include <stdbool.h>

enum {
    CALL_MESSAGE = 400,
    CALL_RUNS = 1000 /* of one calls_measure(), at most */
};

/* What the device made of a description. */
struct call_answer {
    HRESULT result;             /* of the last call made */
    uint8_t compiling;          /* compile_operator() was called */
    uint8_t has_result;         /* the last call left a pointer that is not null */
    uint64_t ns;                /* that the calls took */
    char message[CALL_MESSAGE]; /* if the last call failed: what message() says; zero-terminated */
};

/* How long an item took that was run again and again. */
struct call_measured {
    assay_dispatch_result result; /* of the item: status, reserved and message */
    char message[CALL_MESSAGE];   /* as of calls_dispatch() */
    char state[sizeof((assay_measurement *)0)->state];
    uint8_t by_dispatch;           /* the device does not measure: it was dispatched again and again */
    uint64_t host_ns;              /* that all runs took together */
    uint64_t device_ns[CALL_RUNS]; /* that each run took; 0: the device has no clock */
};

/* What the device made; both are null if it failed. */
struct call_objects {
    assay_operator *op;
    assay_compiled *compiled;
};

/* Creates an operator, compiles it with `flags`, and overwrites the `size` bytes at `memory`, which hold the
 * description, as soon as create_operator() has returned: a device that kept a pointer into them finds 0xEE. */
void calls_create(const struct plugin *p, const DML_OPERATOR_DESC *desc, DML_EXECUTION_FLAGS flags, void *memory,
                  size_t size, struct call_objects *objects, struct call_answer *answer);

/* Dispatches. Items whose results the device does not set fail with E_FAIL. `message` becomes what message() says if it
 * can only be about one failure, that of the call or of its only failed item; otherwise "". */
HRESULT calls_dispatch(const struct plugin *p, const assay_dispatch_item *items, uint32_t count,
                       assay_dispatch_result *results, char message[CALL_MESSAGE]);

/* Has the device run an item `count` times, CALL_RUNS at most. The first failure ends that. */
void calls_measure(const struct plugin *p, const assay_dispatch_item *item, uint32_t count, struct call_measured *out);

/* Destroys what exists. Returns the nanoseconds that it took. */
uint64_t calls_destroy(const struct plugin *p, struct call_objects *objects);

#endif
