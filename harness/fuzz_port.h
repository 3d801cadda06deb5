/* fuzz_port.h: a worker process of the fuzzer, as the harness sees it. */
#ifndef FUZZ_PORT_H
#define FUZZ_PORT_H

#include "harness/error.h"
#include "harness/fuzz.h"
#include "harness/process.h"

struct fuzz_port {
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
int fuzz_port_open(struct fuzz_port *port, struct error *error);
void fuzz_port_close(struct fuzz_port *port);

/* Sends a request; `seeds` must outlive its work. EXIT_HARNESS: no memory. */
int fuzz_port_ask(struct fuzz_port *port, const struct fuzz_request *request, const struct opdesc *seeds,
                  struct error *error);

enum fuzz_port_news { FUZZ_PORT_WORKING, FUZZ_PORT_DONE, FUZZ_PORT_DEAD, FUZZ_PORT_LATE };

/* How far it is, without waiting. */
enum fuzz_port_news fuzz_port_look(struct fuzz_port *port);

/* Buries a process that is dead or late, starts another one with the same state, and tells how the first ended. */
int fuzz_port_replace(struct fuzz_port *port, char *how, size_t size, struct error *error);

/* What the device does with one description: crashes and hangs are verdicts, too. `data`: dispatch it with that, if it is
 * legal and accepted; null: do not. */
int fuzz_port_probe(struct fuzz_port *port, const struct fuzz_rules *rules, const struct fuzz_data *data,
                    const struct opdesc *desc, struct fuzz_finding *out, struct error *error);

extern const char fuzz_port_late[]; /* what a hang is told as */

/* Of a process that is dead or late: what that makes of the description it was at. */
enum fuzz_verdict fuzz_port_verdict(const struct fuzz_port *port, enum fuzz_port_news news);

static inline struct fuzz_state *fuzz_port_state(const struct fuzz_port *port)
{
    return &port->process.progress->fuzz;
}

#endif
