/* exchange.h: what the judge and the device's process exchange: requests and answers over a socket, and the memory that
 * both map at the same address. The device can write all of this memory and send any message: the judge copies what it
 * reads, then checks it, and never reads back what it wrote. */
#ifndef HOST_EXCHANGE_H
#define HOST_EXCHANGE_H

#include "harness/host/calls.h"
#include "harness/host/place.h"
#include "harness/host/steps.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that the device's process is started with, besides the standard ones. */
enum { HOST_SOCKET = 3 /* SOCK_SEQPACKET, to the judge */ };

enum {
    EXCHANGE_CASES = 256,        /* of one batch, at most */
    EXCHANGE_HARMED = 0x48415245 /* exchange.harmed: the process gives up */
};

/* The requests. Each is answered once, and once more if it asks for a check; but the first four are not. */
enum host_call {
    HOST_BUILTIN, /* the device is part of the program assay: become that program */
    HOST_RESERVE, /* reserve address space; the first bytes are the exchange, whose descriptor comes with the request */
    HOST_MAP,     /* map memory for tensors, whose descriptor comes with the request */
    HOST_UNMAP,
    HOST_OPEN,     /* exchange.path and .arguments */
    HOST_CREATE,   /* exchange.creations; slots 0 to count - 1 take what the device makes */
    HOST_DISPATCH, /* exchange.items */
    HOST_MEASURE,  /* the first of exchange.items, exchange.times times */
    HOST_DESTROY,  /* slots 0 to count - 1 */
    HOST_STEPS,    /* exchange.steps, one after the other; the last one may be a dispatch, of exchange.items */
    HOST_REPEAT,   /* exchange.steps, all of them exchange.times times; then exchange.used is what the process uses */
    HOST_CLOSE     /* close the device and end */
};

struct host_request {
    uint32_t call; /* enum host_call */
    uint32_t count;
    uint32_t check;    /* check the process state after the answer, then answer once more */
    uint32_t writable; /* for HOST_MAP */
    uint64_t serial;
    uint64_t address, size; /* for HOST_RESERVE, HOST_MAP, HOST_UNMAP: of the range, or of the first piece */
    uint64_t exchange_size; /* for HOST_RESERVE */
    uint64_t step;          /* for HOST_MAP: from piece to piece in memory; in the file they are adjacent */
};

struct host_answer {
    uint64_t serial;
    uint64_t checked; /* 1: exchange.changed is the result of the check */
};

/* How opening the device ended. */
struct exchange_opened {
    uint32_t status; /* enum exit_status */
    uint32_t data_types;
    struct denied_operators denied;
    assay_device_info info;
    char message[1024]; /* why it is not open */
    char changed[320];  /* what opening it changed in the process */
};

/* A description: `memory` is overwritten when create_operator() has returned. */
struct exchange_creation {
    const DML_OPERATOR_DESC *desc;
    DML_EXECUTION_FLAGS flags; /* for compile_operator() */
    void *memory;
    uint64_t size;
};

struct exchange_item {
    uint32_t slot, input_count, output_count;
    const assay_binding *inputs, *outputs;
};

struct exchange {
    /* from the device's process */
    _Atomic uint32_t at; /* the case that it is creating or destroying; EXCHANGE_CASES: none */
    uint32_t harmed;     /* EXCHANGE_HARMED: `fault` says what the device did to the process */
    char fault[400];     /* what killed the process, "" if that is not known */
    char changed[320];   /* what process_state_check() found; "" */
    struct exchange_opened opened;
    HRESULT dispatched;
    char message[CALL_MESSAGE]; /* of calls_dispatch() */
    struct call_answer created[EXCHANGE_CASES];
    uint64_t destroy_ns[EXCHANGE_CASES];
    assay_dispatch_result results[EXCHANGE_CASES]; /* by item */
    struct call_measured measured;
    struct step_answer answers[STEPS_MAX];
    uint32_t repeated;    /* HOST_REPEAT: how many times every call succeeded */
    uint64_t repeated_ns; /* how long that took, without the time in which other processes had the processors */
    struct step_usage used;
    /* from the judge; pointers lead into `heap` or to tensors */
    const char *path, *arguments;
    struct exchange_creation creations[EXCHANGE_CASES];
    struct exchange_item items[EXCHANGE_CASES]; /* of HOST_STEPS: `slot` is the number of a compiled operator */
    struct exchange_step {
        struct step step;
        uint32_t first_item;               /* of STEP_DISPATCH, in `items` */
        struct exchange_creation creation; /* for STEP_CREATE and STEP_COMPILE */
    } steps[STEPS_MAX];
    uint32_t times;             /* HOST_REPEAT, HOST_MEASURE */
    const struct place *places; /* of the tensors of the last dispatch, for messages */
    uint64_t place_count;
    _Alignas(16) unsigned char heap[];
};

#endif
