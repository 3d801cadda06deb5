/* wire.h: what the harness and a worker say to each other over a socket, and the page of memory they share. Both are this
 * program: no versions, no byte order. */
#ifndef WORKER_WIRE_H
#define WORKER_WIRE_H

#include "device/device.h"
#include "harness/base/profile.h"
#include "harness/trial/verdict.h"
#include "harness/worker/sandbox.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that a worker is given at its start, beside the usual ones. */
enum {
    WIRE_SOCKET = 3,  /* of the socket to the harness */
    WIRE_PROGRESS = 4 /* of the shared struct progress */
};

enum wire_type {
    WIRE_HELLO,    /* worker: struct wire_hello; the device is open, or why not */
    WIRE_BATCH,    /* harness: encoded cases (testcase.h), one after the other */
    WIRE_RESULTS,  /* worker: struct wire_result for each case of the batch, in order */
    WIRE_TASK,     /* harness: a request for the task of the worker (worker.h) */
    WIRE_TASK_DONE /* worker: what came of it is in progress.shared; no body */
};

struct wire_header {
    uint32_t type;  /* enum wire_type */
    uint32_t count; /* cases or results */
    uint64_t size;  /* bytes that follow */
};

struct wire_hello {
    uint32_t status;     /* enum exit_status; 0: open */
    uint32_t data_types; /* bit n: DML_TENSOR_DATA_TYPE n is supported */
    assay_device_info info;
    char message[1024]; /* why it is not open; or what opening it changed of the process, "" if nothing */
};

/* A result; where there is something to say, struct wrong and the message (`message_size` bytes, with its zero) follow, then, if asked
 * for, the outputs as text (`dump_size` bytes, likewise). */
struct wire_result {
    uint8_t status; /* enum status */
    uint8_t has_wrong;
    uint8_t outcome; /* enum outcome */
    uint8_t cause;   /* enum cause */
    uint8_t unsure;  /* if it was not alone in its batch, it is to be run again alone */
    uint16_t message_size;
    uint32_t dump_size;
    uint64_t host_ns, device_ns, checksum;
};

/* Where a worker is: written by it, read by the harness when it is gone or late. */
struct progress {
    _Atomic uint32_t stage;              /* enum stage */
    _Atomic uint32_t index;              /* of the case in the batch, for the stages of one case */
    char fault[400];                     /* what the death was about, "" if that is not known */
    struct sandbox_notice notice;        /* of what the device was denied, until it is said of a case */
    struct profile profile;              /* if it was asked for */
    _Alignas(16) unsigned char shared[]; /* for the task: as many bytes as struct process_config says */
};

enum stage {
    STAGE_START,    /* loading the device */
    STAGE_IDLE,     /* waiting for a batch */
    STAGE_CASE,     /* creating, compiling, judging one case */
    STAGE_DISPATCH, /* running the batch */
    STAGE_AGAIN,    /* running some of its cases a second time */
    STAGE_REPORT,   /* sending results: no case in particular */
    STAGE_HARMED,   /* giving up: `fault` says what the device did to the process */
    STAGE_TASK      /* doing its task: `shared` says how far it is */
};

/* Whole messages. False: the other side is gone. */
bool wire_write(int fd, const void *data, size_t size);
bool wire_read(int fd, void *data, size_t size);

#endif
