/* steps.h: single calls, in any order, on several devices: the steps of a sequence of the interface. The caller gives
 * numbers to the objects. */
#ifndef HOST_STEPS_H
#define HOST_STEPS_H

#include "harness/host/open_device.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    STEPS_MAX = 64,    /* most steps of one request */
    STEP_DEVICES = 3,  /* number 0 is the device that is always open */
    STEP_OBJECTS = 512 /* numbers of operators, and of compiled operators */
};

enum step_call {
    STEP_OPEN, /* create_device() */
    STEP_DESCRIBE,
    STEP_CREATE,
    STEP_COMPILE,
    STEP_DISPATCH,
    STEP_DESTROY_COMPILED,
    STEP_DESTROY_OPERATOR,
    STEP_CLOSE,        /* destroy_device(); then measures the resources of the process */
    STEP_DESTROY_NULL, /* destroy_compiled(), destroy_operator() and destroy_device(), each with null */
    STEP_MEASURE,      /* no call: measures the resources of the process */
    STEP_CALLS
};

struct step {
    uint8_t call, device; /* enum step_call; the number of the device */
    uint8_t hide;         /* after STEP_DISPATCH: hide the tensors for a moment */
    uint16_t op, compiled;
    uint32_t item_count; /* STEP_DISPATCH */
};

/* The outcome of a step. Only the members that its call concerns are set. */
struct step_answer {
    HRESULT result;
    uint8_t skipped;      /* an object that the call needs was not made, so that there was no call */
    uint8_t has_result;   /* the call returned a pointer that is not null */
    uint8_t wrote_past;   /* describe() wrote past the struct */
    uint8_t null_message; /* message() returned null after the call had failed, or after describe() */
    uint32_t data_types;  /* bit n: DML_TENSOR_DATA_TYPE n is supported; bit 0: so is a number that is no type */
    assay_device_info info;
    char message[240];
    struct step_usage {
        uint64_t bytes;                  /* bytes that the C library has given out */
        uint64_t private_kib, space_kib; /* pages of the process alone, and its address space */
        uint32_t mappings, files, threads;
    } usage;
};

#endif
