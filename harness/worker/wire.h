/* wire.h: the messages between the harness and a worker, and the memory that they share. Both ends are this program, so
 * the messages have no version and no byte order. A device in a process of its own has no access to either. */
#ifndef WORKER_WIRE_H
#define WORKER_WIRE_H

#include "harness/base/profile.h"
#include "harness/host/open_device.h"
#include "harness/sequence/sequence_parts.h"
#include "harness/trial/verdict.h"
#include "harness/worker/sandbox.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptors of a worker, besides the standard ones. */
enum {
    WIRE_SOCKET = 3,   /* socket to the harness */
    WIRE_PROGRESS = 4, /* the shared struct progress */
    WIRE_DEVICE = 5,   /* socket to the device's process, if it has one of its own */
    WIRE_EXCHANGE = 6, /* the memory that is shared with that process (host/exchange.h) */
    WIRE_SPECS = 7     /* the file of the specs, if the harness has read them from one: for spec_image_take() */
};

enum wire_type {
    WIRE_HELLO,     /* worker: struct wire_hello; the device is open, or the message gives the reason */
    WIRE_BATCH,     /* harness: encoded cases (testcase.h), one after the other */
    WIRE_RESULTS,   /* worker: struct wire_result for each case of the batch, in order */
    WIRE_TASK,      /* harness: a request for the worker's task (worker.h) */
    WIRE_TASK_DONE, /* worker: the result is in progress.shared; no body */
    WIRE_OPEN       /* harness: a spare worker is to open the device now; no body */
};

struct wire_header {
    uint32_t type;                  /* enum wire_type */
    uint32_t count;                 /* cases or results */
    uint64_t size;                  /* bytes that follow */
    _Alignas(16) uint64_t limit_ms; /* the shortest limit of the cases of a batch */
};

struct wire_hello {
    uint32_t status;     /* enum exit_status; 0: open */
    uint32_t data_types; /* bit n: DML_TENSOR_DATA_TYPE n is supported */
    struct denied_operators denied;
    assay_device_info info;
    char message[1024]; /* why the device is not open; else the changes that opening made in the process, or "" */
};

/* A result. It is followed by struct symptoms if `has_symptoms`; by the message (`message_size` bytes, terminating zero
 * included; 0: none); by the outputs as text if they were asked for (`dump_size` bytes, counted the same way); by the
 * text that the device printed if the case failed (`printed_size` bytes, too); and by `measured_size` bytes of struct
 * measured if the case was measured. */
struct wire_result {
    struct verdict verdict;
    bool has_symptoms;
    bool rerun_alone; /* another case of the batch may have caused the failure; if so, the case runs again alone */
    uint16_t message_size, printed_size;
    uint32_t dump_size, measured_size;
};

/* The activity of a worker. The worker writes it; the harness reads it when the worker is dead or late. */
struct progress {
    _Atomic uint32_t stage; /* enum stage */
    _Atomic uint32_t index; /* the index in the batch, for the stages that concern one case */
    _Atomic uint32_t step;  /* grows with every change of the two above */
    _Atomic uint32_t call,
        call_count; /* enum host_call: the call that the device's process has been asked for and has not answered */
    _Atomic uint32_t
        promise;     /* enum promise: the behaviour that a death of the device's process breaks; 0: not known */
    char fault[400]; /* the cause of the process's death, "" if that is not known */
    struct sequence_parts parts;         /* the state of the sequence of calls that is judged */
    struct sandbox_notice notice;        /* the last denial, until it is reported with a case */
    struct profile profile;              /* the times of the profile, if the harness has asked for them */
    _Alignas(16) unsigned char shared[]; /* memory for the task: process_config.shared_size bytes */
};

enum stage {
    STAGE_START,    /* loading the device */
    STAGE_IDLE,     /* waiting for a message */
    STAGE_CASE,     /* creating, compiling, judging or destroying one case */
    STAGE_DISPATCH, /* running the batch */
    STAGE_AGAIN,    /* running some of its cases a second time */
    STAGE_REPORT,   /* sending results: no particular case */
    STAGE_HARMED,   /* giving up: `fault` names the device's deed */
    STAGE_TASK      /* running its task, whose state is in `shared` */
};

/* Transfer exactly `size` bytes, blocking. Return false if the other side is gone. */
bool wire_write(int fd, const void *data, size_t size);
bool wire_read(int fd, void *data, size_t size);

#endif
