/* link.h: the judge's end of the device's process: requests, answers, shared memory. What the device says is copied out
 * of exchange.h's memory and checked by the caller. */
#ifndef WORKER_LINK_H
#define WORKER_LINK_H

#include "harness/host/exchange.h"
#include "harness/spec/spec.h"
#include "harness/trial/arena.h"

struct link {
    int socket;
    struct exchange *exchange;
    size_t heap_used;
    uint64_t serial; /* of the last request */
    bool checking;   /* its check has not been answered */
    uint8_t *rest;   /* reserved addresses after the exchange */
    uint64_t rest_size;
    void (*forged)(void *context); /* called when the device's process sends what it cannot have been asked for, */
    void (*gone)(void *context);   /* and when it is gone. Neither returns */
    void *context;
};

/* Size of the file that holds the exchange. */
size_t link_exchange_size(void);

/* Reserves the addresses, here and in the device's process, and maps the exchange. The caller has set `socket`,
 * `forged`, `gone` and `context`. False: no address space. */
bool link_open(struct link *link, int exchange_file);

/* For an arena that shares its memory with the device's process. The link must outlive it. */
struct arena_sharing link_sharing(struct link *link);

/* Memory in exchange.heap, aligned to 16; null: it is full. link_clear() frees all. */
void *link_take(struct link *link, size_t size);
void link_clear(struct link *link);

/* Lays out a description in that memory, as the documented structs. False: there is no room. */
bool link_describe(struct link *link, const struct spec *spec, const struct opdesc *desc, DML_EXECUTION_FLAGS flags,
                   struct exchange_creation *out);

/* Sends a request; the check of the last one must have been waited for. */
void link_send(struct link *link, enum host_call call, uint32_t count, bool check);

/* Waits for its answer, or for its check. */
void link_wait(struct link *link);
void link_wait_check(struct link *link);

/* Waits until the device's process has ended. */
void link_wait_end(struct link *link);

#endif
