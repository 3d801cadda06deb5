/* exchange.h: the data that the judge and the device's process exchange: requests and answers over a socket, and the
 * memory that both map at the same address. The device can write all of this memory and send any message: the judge
 * copies each part that it reads, then checks the copy, and never reads back a part that it wrote itself. */
#ifndef HOST_EXCHANGE_H
#define HOST_EXCHANGE_H

#include "harness/host/calls.h"
#include "harness/host/place.h"
#include "harness/host/steps.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptors that the device's process starts with, besides the standard ones. */
enum { HOST_SOCKET = 3 /* SOCK_SEQPACKET, to the judge */ };

enum {
    EXCHANGE_CASES = 256,        /* most cases of one batch */
    EXCHANGE_HARMED = 0x48415245 /* value of exchange.harmed with which the process gives up */
};

/* The requests. The process answers each one once, and once more if the request asks for a check; but it does not
 * answer the first four. */
enum host_call {
    HOST_BUILTIN, /* the device is part of the program assay: the process executes that program */
    HOST_RESERVE, /* reserve address space, whose first bytes are the exchange; the descriptor comes with the request */
    HOST_MAP,     /* map memory for tensors; the descriptor comes with the request */
    HOST_UNMAP,
    HOST_OPEN,     /* open the device of exchange.path and .arguments */
    HOST_CREATE,   /* create the operators of exchange.creations; slots 0 to count - 1 take the objects */
    HOST_DISPATCH, /* dispatch exchange.items */
    HOST_MEASURE,  /* measure the first of exchange.items, exchange.times times */
    HOST_DESTROY,  /* destroy the objects of slots 0 to count - 1 */
    HOST_STEPS,    /* run exchange.steps in order; the last step may be a dispatch, of exchange.items */
    HOST_REPEAT,   /* run all exchange.steps exchange.times times; then store the use of resources in exchange.used */
    HOST_CLOSE     /* close the device and end the process */
};

struct host_request {
    uint32_t call; /* enum host_call */
    uint32_t count;
    uint32_t check;    /* check the process state after the answer, then answer once more */
    uint32_t writable; /* for HOST_MAP */
    uint64_t serial;
    uint64_t address, size; /* HOST_RESERVE, HOST_MAP, HOST_UNMAP: the range, or its first piece */
    uint64_t exchange_size; /* for HOST_RESERVE */
    uint64_t step;          /* HOST_MAP: distance of pieces in memory; in the file they are adjacent */
};

struct host_answer {
    uint64_t serial;
    uint64_t checked; /* 1: exchange.changed is the result of the check */
};

/* The result of opening the device. */
struct exchange_opened {
    uint32_t status; /* enum exit_status */
    uint32_t data_types;
    struct denied_operators denied;
    assay_device_info info;
    char message[1024]; /* the reason that it is not open */
    char changed[320];  /* changes to the process that opening made */
};

/* A description: its `memory` is overwritten when create_operator() has returned. */
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
    /* The next members are from the device's process. */
    _Atomic uint32_t at; /* the case that the process is creating or destroying; EXCHANGE_CASES: none */
    uint32_t harmed;     /* EXCHANGE_HARMED: `fault` has the harm that the device did to the process */
    char fault[400];     /* the reason that the process died; "" if unknown */
    char changed[320];   /* changes that process_state_check() found; "" */
    struct exchange_opened opened;
    HRESULT dispatched;
    char message[CALL_MESSAGE]; /* as calls_dispatch() stores it */
    struct call_answer created[EXCHANGE_CASES];
    uint64_t destroy_ns[EXCHANGE_CASES];
    assay_dispatch_result results[EXCHANGE_CASES]; /* by item */
    struct call_measured measured;
    struct step_answer answers[STEPS_MAX];
    uint32_t repeated;    /* HOST_REPEAT: number of runs in which every call succeeded */
    uint64_t repeated_ns; /* the time of these, without the time in which other processes had the processors */
    struct step_usage used;
    /* The next members are from the judge; pointers lead into `heap` or to tensors. */
    const char *path, *arguments;
    struct exchange_creation creations[EXCHANGE_CASES];
    struct exchange_item items[EXCHANGE_CASES]; /* in HOST_STEPS, `slot` is the number of a compiled operator */
    struct exchange_step {
        struct step step;
        uint32_t first_item;               /* STEP_DISPATCH: its first item in `items` */
        struct exchange_creation creation; /* for STEP_CREATE and STEP_COMPILE */
    } steps[STEPS_MAX];
    uint32_t times;             /* HOST_REPEAT, HOST_MEASURE */
    const struct place *places; /* the tensors of the last dispatch, for messages */
    uint64_t place_count;
    _Alignas(16) unsigned char heap[];
};

#endif
