/* wire.h: the messages between the harness and a worker, and the memory they share. Both ends are this program, so
 * there is no version and no byte order. A device in a process of its own has no part in either. */
#ifndef WORKER_WIRE_H
#define WORKER_WIRE_H

#include "harness/base/profile.h"
#include "harness/host/open_device.h"
#include "harness/trial/verdict.h"
#include "harness/worker/sandbox.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that a worker is started with, besides the standard ones. */
enum {
    WIRE_SOCKET = 3,   /* socket to the harness */
    WIRE_PROGRESS = 4, /* the shared struct progress */
    WIRE_DEVICE = 5,   /* socket to the device's process, if it has one of its own */
    WIRE_EXCHANGE = 6, /* the memory that is shared with it (host/exchange.h) */
    WIRE_SPECS = 7     /* the file of the specs, if the harness has read them from one: for spec_image_take() */
};

enum wire_type {
    WIRE_HELLO,     /* worker: struct wire_hello; the device is open, or why not */
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
    _Alignas(16) uint64_t limit_ms; /* of a batch: the least time that one of its cases has */
};

struct wire_hello {
    uint32_t status;     /* enum exit_status; 0: open */
    uint32_t data_types; /* bit n: DML_TENSOR_DATA_TYPE n is supported */
    struct denied_operators denied;
    assay_device_info info;
    char message[1024]; /* why the device is not open; else what opening it changed in the process, "" if nothing */
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

/* What a judge has made of a sequence of calls (sequence.h). When that has ended the device's process, the harness
 * gives it to the next worker, so that the calls are shrunk to the fewest that end it: each worker tries a part of the
 * calls in a new process. Which part is next depends on the answers alone, so that they are all that is kept. */
enum { SEQUENCE_PARTS = 400 };
struct sequence_parts {
    uint8_t tried;         /* descriptions that have been tried alone, */
    uint8_t usable;        /* bit n: description n is right alone */
    uint8_t rounds;        /* how often the calls of the case have been made since, or begun */
    uint8_t shrinking;     /* the harness asks for the next part; all above is what it was, */
    uint8_t hangs;         /* and the process was late: all calls, and the last part, have the time of a case */
    uint16_t end;          /* no more parts are tried after so many, but that last one */
    uint16_t answer_count; /* of the parts that have been tried: */
    uint8_t answers[SEQUENCE_PARTS + 1]; /* whether it ended the process in the same way */
    uint8_t survived;                    /* the judge: the part that was tried did not end the process */
    uint8_t whole_time;                  /* the judge: this part has the time of a case */
};

/* What a worker is doing: written by it, read by the harness when the worker is dead or late. */
struct progress {
    _Atomic uint32_t stage;              /* enum stage */
    _Atomic uint32_t index;              /* in the batch, for the stages that concern one case */
    _Atomic uint32_t step;               /* grows with every change of the two above */
    _Atomic uint32_t call, call_count;   /* enum host_call: what the device's process has been asked and not answered */
    _Atomic uint32_t promise;            /* enum promise: what a death of the device's process breaks; 0: not known */
    char fault[400];                     /* what killed the process, "" if that is not known */
    struct sequence_parts parts;         /* of the sequence of calls that is judged */
    struct sandbox_notice notice;        /* what the device was denied, until it is reported with a case */
    struct profile profile;              /* if it was asked for */
    _Alignas(16) unsigned char shared[]; /* for the task: process_config.shared_size bytes */
};

enum stage {
    STAGE_START,    /* loading the device */
    STAGE_IDLE,     /* waiting for a message */
    STAGE_CASE,     /* creating, compiling, judging or destroying one case */
    STAGE_DISPATCH, /* running the batch */
    STAGE_AGAIN,    /* running some of its cases a second time */
    STAGE_REPORT,   /* sending results: no particular case */
    STAGE_HARMED,   /* giving up: `fault` says what the device did */
    STAGE_TASK      /* running its task: `shared` says how far it is */
};

/* Transfer exactly `size` bytes, blocking. False: the other side is gone. */
bool wire_write(int fd, const void *data, size_t size);
bool wire_read(int fd, void *data, size_t size);

#endif
