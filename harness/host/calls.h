/* calls.h: the calls that one case makes, on a device in this process. */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include "harness/host/open_device.h"

#include <stdbool.h>

enum {
    CALL_MESSAGE = 400,
    CALL_RUNS = 1000 /* most runs of one calls_measure() */
};

/* The device's answer to a description. */
struct call_answer {
    HRESULT result;             /* result of the last call made */
    uint8_t compiling;          /* compile_operator() was called */
    uint8_t has_result;         /* the last call returned a pointer that is not null */
    uint64_t ns;                /* duration of the calls */
    char message[CALL_MESSAGE]; /* the text of message() if the last call failed; zero-terminated */
};

/* The measured time of an item that ran several times. */
struct call_measured {
    assay_dispatch_result result; /* the item's status, reserved and message */
    char message[CALL_MESSAGE];   /* as calls_dispatch() stores it */
    char state[sizeof((assay_measurement *)0)->state];
    uint8_t by_dispatch;           /* the device has no measure(): calls_measure() dispatched the item repeatedly */
    uint64_t host_ns;              /* duration of all runs together */
    uint64_t device_ns[CALL_RUNS]; /* duration of each run by the device's clock; 0: the device has no clock */
};

/* The objects that the device made; both are null if it failed. */
struct call_objects {
    assay_operator *op;
    assay_compiled *compiled;
};

/* Creates an operator and compiles it with `flags`. As soon as create_operator() has returned, the function overwrites
 * the `size` bytes at `memory`, which hold the description: a device that kept a pointer into them finds 0xEE. */
void calls_create(const struct plugin *p, const DML_OPERATOR_DESC *desc, DML_EXECUTION_FLAGS flags, void *memory,
                  size_t size, struct call_objects *objects, struct call_answer *answer);

/* Dispatches items. An item whose result the device does not set fails with E_FAIL. `message` becomes the text of
 * message() if it can only be about one failure, that of the call or of its only failed item; otherwise "". */
HRESULT calls_dispatch(const struct plugin *p, const assay_dispatch_item *items, uint32_t count,
                       assay_dispatch_result *results, char message[CALL_MESSAGE]);

/* Lets the device run an item `count` times, at most CALL_RUNS; the first failure ends this. */
void calls_measure(const struct plugin *p, const assay_dispatch_item *item, uint32_t count, struct call_measured *out);

/* Destroys the objects that exist. Returns the duration in nanoseconds. */
uint64_t calls_destroy(const struct plugin *p, struct call_objects *objects);

#endif
