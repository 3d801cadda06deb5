/* link.h: the judge's end of the connection to the device's process: requests, answers, shared memory. The link copies
 * the device's answers out of exchange.h's memory; the caller checks them. */
#ifndef TRIAL_LINK_H
#define TRIAL_LINK_H

#include "harness/host/exchange.h"
#include "harness/spec/spec.h"
#include "harness/trial/arena.h"

struct link {
    int socket;
    struct exchange *exchange;
    size_t heap_used;
    uint64_t serial; /* the serial number of the last request */
    bool checking;   /* the device's process has not answered the check of that request */
    uint8_t *rest;   /* reserved addresses after the exchange */
    uint64_t rest_size;
    /* Called when the device's process sends an answer without a request, and when the process is gone. Neither
     * returns. */
    void (*forged)(void *context);
    void (*gone)(void *context);
    void *context;
};

/* Returns the size of the file that holds the exchange. */
size_t link_exchange_size(void);

enum { LINK_LEAST_GIB = 32 }; /* the address space that link_open() reserves at least */

/* Reserves the addresses, here and in the device's process, and maps the exchange. The caller has set `socket`,
 * `forged`, `gone` and `context`. Returns false if the address space is too small. */
bool link_open(struct link *link, int exchange_file);

/* Returns the functions for an arena that shares its memory with the device's process. The link must outlive the
 * arena. */
struct arena_sharing link_sharing(struct link *link);

/* link_take() returns memory in exchange.heap, aligned to 16; null if the heap is full. link_clear() frees all of
 * it. */
void *link_take(struct link *link, size_t size);
void link_clear(struct link *link);

/* Lays out a description in that memory, as the documented structs. Returns false if the heap has no room. */
bool link_describe(struct link *link, const struct spec *spec, const struct opdesc *desc, DML_EXECUTION_FLAGS flags,
                   struct exchange_creation *out);

/* Sends a request. The caller has waited for the check of the last request. */
void link_send(struct link *link, enum host_call call, uint32_t count, bool check);

/* link_wait() waits for the answer to the request; link_wait_check() waits for its check. */
void link_wait(struct link *link);
void link_wait_check(struct link *link);

/* Waits until the device's process has ended. */
void link_wait_end(struct link *link);

#endif
