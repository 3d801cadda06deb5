/* client.h: a worker process of the fuzzer, as the harness sees it. */
#ifndef FUZZ_CLIENT_H
#define FUZZ_CLIENT_H

#include "harness/base/error.h"
#include "harness/fuzz/fuzz.h"
#include "harness/worker/process.h"

struct fuzz_client {
    const char *device, *specs_folder;
    struct sandbox *sandbox;
    unsigned timeout_ms; /* for one description */
    struct process process;
    struct wire_hello hello;
    struct fuzz_request request; /* that it works on */
    const struct opdesc *seeds;
    bool busy;
    uint32_t index; /* last seen, and since when */
    uint64_t since;
};

/* Starts the process and opens the device. EXIT_NO_DEVICE, with what is wrong, if it cannot be opened. */
int fuzz_client_open(struct fuzz_client *client, struct error *error);
void fuzz_client_close(struct fuzz_client *client);

/* Sends a request; `seeds` must outlive its work. EXIT_HARNESS: no memory. */
int fuzz_client_ask(struct fuzz_client *client, const struct fuzz_request *request, const struct opdesc *seeds,
                    struct error *error);

enum fuzz_client_news { FUZZ_CLIENT_WORKING, FUZZ_CLIENT_DONE, FUZZ_CLIENT_DEAD, FUZZ_CLIENT_LATE };

/* How far it is, without waiting. */
enum fuzz_client_news fuzz_client_look(struct fuzz_client *client);

/* Buries a process that is dead or late, starts another one with the same state, and tells how the first ended. */
int fuzz_client_replace(struct fuzz_client *client, char *how, size_t size, struct error *error);

/* What the device does with one description: crashes and hangs are verdicts, too. `data`: dispatch it with that, if it is
 * legal and accepted; null: do not. */
int fuzz_client_probe(struct fuzz_client *client, const struct fuzz_rules *rules, const struct fuzz_data *data,
                      const struct opdesc *desc, struct fuzz_finding *out, struct error *error);

extern const char fuzz_client_late[]; /* what a hang is told as */

/* Of a process that is dead or late: what that makes of the description it was at. */
enum fuzz_verdict fuzz_client_verdict(const struct fuzz_client *client, enum fuzz_client_news news);

static inline struct fuzz_state *fuzz_client_state(const struct fuzz_client *client)
{
    return (struct fuzz_state *)(void *)client->process.progress->shared;
}

#endif
