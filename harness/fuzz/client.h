/* client.h: the harness's end of a fuzzing worker: a worker process whose task is fuzz_task(). */
#ifndef FUZZ_CLIENT_H
#define FUZZ_CLIENT_H

#include "harness/base/error.h"
#include "harness/fuzz/state.h"
#include "harness/worker/process.h"

struct fuzz_client {
    const char *device, *specs_folder;
    const struct spec_set *specs; /* of that folder */
    struct sandbox *sandbox;
    unsigned timeout_ms; /* for one description */
    bool half;           /* as in struct worker_config */
    struct process process;
    struct wire_hello hello;
    struct fuzz_request request; /* the last one sent */
    const struct opdesc *seeds;  /* of that request */
    bool busy;                   /* it has not been answered */
    uint32_t index;              /* fuzz_state.index as last seen, */
    uint64_t since;              /* and when that was; clock_ns() */
};

/* Starts the process and opens the device. EXIT_NO_DEVICE: it cannot be opened; `error` says why. The caller sets
 * device, specs_folder, specs, sandbox, timeout_ms and half. */
int fuzz_client_open(struct fuzz_client *client, struct error *error);

/* Ends the process, if there is one. */
void fuzz_client_close(struct fuzz_client *client);

/* Sends a request; `seeds` must stay until it is answered. EXIT_HARNESS: no memory. */
int fuzz_client_send(struct fuzz_client *client, const struct fuzz_request *request, const struct opdesc *seeds,
                     struct error *error);

enum fuzz_client_event { FUZZ_CLIENT_WORKING, FUZZ_CLIENT_DONE, FUZZ_CLIENT_DEAD, FUZZ_CLIENT_LATE };

/* Returns true if the request is answered; does not wait. */
enum fuzz_client_event fuzz_client_poll(struct fuzz_client *client);

/* Ends a process that is dead or late, writes how it ended to `how`, and starts another with the same shared state. */
int fuzz_client_replace(struct fuzz_client *client, char *how, size_t size, struct error *error);

/* Tries one description on the device. Crashes and hangs are verdicts, too; the process is then replaced. If `data` is
 * not null and the description is legal and accepted, it is dispatched with that data. */
int fuzz_client_probe(struct fuzz_client *client, const struct fuzz_rules *rules, const struct fuzz_data *data,
                      const struct opdesc *desc, struct fuzz_finding *out, struct error *error);

extern const char fuzz_client_timeout_message[]; /* of a hang */

/* Returns the verdict on the description that a process was trying when it died or was late. */
enum fuzz_verdict fuzz_client_verdict(const struct fuzz_client *client, enum fuzz_client_event event);

/* Returns the state that the process shares. A device can have written to it: fuzz_check_state() must accept it
 * first. */
static inline struct fuzz_state *fuzz_client_state(const struct fuzz_client *client)
{
    return (struct fuzz_state *)(void *)client->process.progress->shared;
}

#endif
