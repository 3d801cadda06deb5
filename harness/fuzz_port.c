#include "harness/fuzz_port.h"

#include "harness/fuzz_check.h"
#include "harness/trial.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START_MS = 30000, CLOSE_MS = 2000, HOW_SIZE = 900 };

static void wait_for(const struct fuzz_port *port, int ms)
{
    struct pollfd item = {.fd = port->process.socket, .events = POLLIN};
    if (port->process.out_done < port->process.out_used)
        item.events |= POLLOUT;
    poll(&item, 1, ms);
}

static void end(struct fuzz_port *port, unsigned grace_ms, const char *why, char *how, size_t size)
{
    process_stop(&port->process, grace_ms);
    process_end(&port->process, why, how, size);
    process_end_strays(NULL, 0);
}

int fuzz_port_open(struct fuzz_port *port, struct error *error)
{
    struct wire_header header;
    const char *body;
    char how[HOW_SIZE];
    uint64_t deadline = trial_clock() + START_MS * (uint64_t)1000000;
    const struct process_config config = {
        .device = port->device, .specs = port->specs_folder, .sandbox = port->sandbox, .fuzz = true};
    if (!process_start(&port->process, &config))
        return error_set(error, EXIT_HARNESS, "no worker process can be started: %m");
    bool alive = true, come = false;
    while (alive && !come && trial_clock() < deadline) {
        wait_for(port, 100);
        alive = process_pump(&port->process);
        come = process_message(&port->process, &header, &body);
    }
    if (!come || header.type != WIRE_HELLO) {
        char late[64];
        snprintf(late, sizeof late, "no answer within %d s", START_MS / 1000);
        end(port, 0, alive && !come ? late : NULL, how, sizeof how);
        return error_set(error, EXIT_NO_DEVICE, "device '%s': %s while opening it", port->device, how);
    }
    memcpy(&port->hello, body, sizeof port->hello);
    process_taken(&port->process);
    port->busy = false;
    if (port->hello.status == EXIT_AS_EXPECTED)
        return 0;
    end(port, CLOSE_MS, NULL, NULL, 0);
    return error_set(error, (enum exit_status)port->hello.status, "%s", port->hello.message);
}

void fuzz_port_close(struct fuzz_port *port)
{
    if (port->process.pid > 0)
        end(port, port->busy ? 0 : CLOSE_MS, NULL, NULL, 0);
}

int fuzz_port_ask(struct fuzz_port *port, const struct fuzz_request *request, const struct opdesc *seeds,
                  struct error *error)
{
    struct wire_header header = {.type = WIRE_FUZZ, .size = sizeof *request + request->seeds * sizeof *seeds};
    char *room = process_send(&port->process, sizeof header + header.size);
    if (!room)
        return error_set(error, EXIT_HARNESS, "out of memory");
    memcpy(room, &header, sizeof header);
    memcpy(room + sizeof header, request, sizeof *request);
    memcpy(room + sizeof header + sizeof *request, seeds, request->seeds * sizeof *seeds);
    port->request = *request;
    port->seeds = seeds;
    port->busy = true;
    port->since = trial_clock();
    atomic_store(&fuzz_port_state(port)->index, FUZZ_CHUNK);
    process_pump(&port->process);
    return 0;
}

enum fuzz_port_news fuzz_port_look(struct fuzz_port *port)
{
    struct wire_header header;
    const char *body;
    bool alive = process_pump(&port->process);
    if (process_message(&port->process, &header, &body)) {
        process_taken(&port->process);
        port->busy = false;
        return FUZZ_PORT_DONE;
    }
    process_trim(&port->process);
    uint32_t index = atomic_load_explicit(&fuzz_port_state(port)->index, memory_order_acquire);
    if (index != port->index) {
        port->index = index;
        port->since = trial_clock();
    }
    struct pollfd ended = {.fd = port->process.handle, .events = POLLIN};
    alive = alive && poll(&ended, 1, 0) <= 0; /* whoever else has its socket */
    bool late = trial_clock() - port->since > port->timeout_ms * (uint64_t)1000000;
    return !alive ? FUZZ_PORT_DEAD : late ? FUZZ_PORT_LATE : FUZZ_PORT_WORKING;
}

int fuzz_port_replace(struct fuzz_port *port, char *how, size_t size, struct error *error)
{
    struct fuzz_state *kept = malloc(sizeof *kept);
    if (!kept)
        return error_set(error, EXIT_HARNESS, "out of memory");
    memcpy(kept, fuzz_port_state(port), sizeof *kept);
    end(port, 0, NULL, how, size);
    int result = fuzz_port_open(port, error);
    if (result == 0)
        memcpy(fuzz_port_state(port), kept, sizeof *kept);
    free(kept);
    return result;
}

const char fuzz_port_late[] = "no answer in time";

enum fuzz_verdict fuzz_port_verdict(const struct fuzz_port *port, enum fuzz_port_news news)
{
    if (news == FUZZ_PORT_LATE)
        return FUZZ_HANG;
    return atomic_load(&port->process.progress->stage) == STAGE_HARMED ? FUZZ_HARMED : FUZZ_CRASH;
}

int fuzz_port_probe(struct fuzz_port *port, const struct fuzz_rules *rules, const struct fuzz_data *data,
                    const struct opdesc *desc, struct fuzz_finding *out, struct error *error)
{
    struct fuzz_request request = {
        .what = FUZZ_PROBE, .op = desc->op, .level = rules->level, .execute = data != NULL, .watch = true, .seeds = 1};
    if (data)
        request.data = *data;
    enum fuzz_port_news news = FUZZ_PORT_WORKING;
    char how[HOW_SIZE];
    int result = fuzz_port_ask(port, &request, desc, error);
    while (result == 0 && news == FUZZ_PORT_WORKING) {
        wait_for(port, 100);
        news = fuzz_port_look(port);
    }
    if (result)
        return result;
    if (news == FUZZ_PORT_DONE && fuzz_check_finding(rules, &fuzz_port_state(port)->probed)) {
        *out = fuzz_port_state(port)->probed;
        return 0;
    }
    uint8_t executing; /* whatever a device has written there */
    memcpy(&executing, &fuzz_port_state(port)->executing, sizeof executing);
    *out = (struct fuzz_finding){
        .verdict = fuzz_port_verdict(port, news), .executed = data && executing, .data = request.data};
    result = fuzz_port_replace(port, how, sizeof how, error);
    snprintf(out->message, sizeof out->message, "%.199s", out->verdict == FUZZ_HANG ? fuzz_port_late : how);
    return result;
}
