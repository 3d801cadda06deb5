#include "harness/fuzz/client.h"

#include "harness/base/clock.h"
#include "harness/fuzz/check_state.h"
#include "harness/trial/trial.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START_MS = 30000, CLOSE_MS = 2000, HOW_SIZE = 900 };

static void client_wait_for(const struct fuzz_client *client, int ms)
{
    struct pollfd item = {.fd = client->process.socket, .events = POLLIN};
    if (client->process.out_done < client->process.out_used)
        item.events |= POLLOUT;
    poll(&item, 1, ms);
}

static void end_process(struct fuzz_client *client, unsigned grace_ms, const char *why, char *how, size_t size)
{
    process_stop(&client->process, grace_ms);
    if (how)
        process_describe(&client->process, why, true, how, size);
    process_close(&client->process);
    process_kill_orphans(NULL, 0);
}

int fuzz_client_open(struct fuzz_client *client, struct error *error)
{
    struct wire_header header;
    const char *body;
    char how[HOW_SIZE];
    uint64_t deadline = clock_ns() + START_MS * (uint64_t)1000000;
    const struct process_config config = {.device = client->device,
                                          .specs = client->specs_folder,
                                          .set = client->specs,
                                          .sandbox = client->sandbox,
                                          .half = client->half,
                                          .shared_size = sizeof(struct fuzz_state)};
    if (!process_start(&client->process, &config, error))
        return EXIT_HARNESS;
    bool alive = true, received = false, judge;
    while (alive && !received && clock_ns() < deadline) {
        client_wait_for(client, 100);
        process_continue(&client->process, &judge);
        alive = process_pump(&client->process);
        received = process_message(&client->process, &header, &body);
    }
    if (!received || header.type != WIRE_HELLO) {
        char late[64];
        snprintf(late, sizeof late, "no answer within %d s", START_MS / 1000);
        end_process(client, 0, alive && !received ? late : NULL, how, sizeof how);
        return error_set(error, EXIT_NO_DEVICE, "device '%s': %s while opening it", client->device, how);
    }
    memcpy(&client->hello, body, sizeof client->hello);
    process_drop_message(&client->process);
    client->busy = false;
    if (client->hello.status == EXIT_AS_EXPECTED)
        return 0;
    end_process(client, CLOSE_MS, NULL, NULL, 0);
    return error_set(error, (enum exit_status)client->hello.status, "%s", client->hello.message);
}

void fuzz_client_close(struct fuzz_client *client)
{
    if (client->process.pid > 0)
        end_process(client, client->busy ? 0 : CLOSE_MS, NULL, NULL, 0);
}

int fuzz_client_send(struct fuzz_client *client, const struct fuzz_request *request, const struct opdesc *seeds,
                     struct error *error)
{
    struct wire_header header = {.type = WIRE_TASK, .size = sizeof *request + request->seeds * sizeof *seeds};
    char *room = process_send(&client->process, sizeof header + header.size);
    if (!room)
        return error_set(error, EXIT_HARNESS, "out of memory");
    memcpy(room, &header, sizeof header);
    memcpy(room + sizeof header, request, sizeof *request);
    memcpy(room + sizeof header + sizeof *request, seeds, request->seeds * sizeof *seeds);
    client->request = *request;
    client->seeds = seeds;
    client->busy = true;
    client->since = clock_ns();
    atomic_store(&fuzz_client_state(client)->index, FUZZ_CHUNK);
    atomic_store(&fuzz_client_state(client)->kept_index, FUZZ_CHUNK);
    process_pump(&client->process);
    return 0;
}

enum fuzz_client_event fuzz_client_poll(struct fuzz_client *client)
{
    struct wire_header header;
    const char *body;
    bool alive = process_pump(&client->process), judge;
    process_continue(&client->process, &judge); /* a signal that stops the process is no deed of the description */
    if (process_message(&client->process, &header, &body)) {
        process_drop_message(&client->process);
        client->busy = false;
        return FUZZ_CLIENT_DONE;
    }
    process_trim_output(&client->process);
    uint32_t index = atomic_load_explicit(&fuzz_client_state(client)->index, memory_order_acquire);
    if (index != client->index) {
        client->index = index;
        client->since = clock_ns();
    }
    struct pollfd ended = {.fd = client->process.pidfd, .events = POLLIN};
    alive = alive && poll(&ended, 1, 0) <= 0; /* another process may still hold its socket */
    bool late = clock_ns() - client->since > client->timeout_ms * (uint64_t)1000000;
    if (!alive)
        return FUZZ_CLIENT_DEAD;
    return late ? FUZZ_CLIENT_LATE : FUZZ_CLIENT_WORKING;
}

int fuzz_client_replace(struct fuzz_client *client, char *how, size_t size, struct error *error)
{
    struct fuzz_state *kept = calloc(1, sizeof *kept);
    if (!kept)
        return error_set(error, EXIT_HARNESS, "out of memory");
    fuzz_state_copy(kept, fuzz_client_state(client));
    end_process(client, 0, NULL, how, size);
    int result = fuzz_client_open(client, error);
    if (result == 0)
        fuzz_state_copy(fuzz_client_state(client), kept);
    free(kept);
    return result;
}

const char fuzz_client_timeout_message[] = "no answer in time";

enum fuzz_verdict fuzz_client_verdict(const struct fuzz_client *client, enum fuzz_client_event event)
{
    if (event == FUZZ_CLIENT_LATE)
        return FUZZ_HANG;
    return atomic_load(&client->process.progress->stage) == STAGE_HARMED ? FUZZ_HARMED : FUZZ_CRASH;
}

int fuzz_client_probe(struct fuzz_client *client, const struct fuzz_rules *rules, const struct fuzz_data *data,
                      const struct opdesc *desc, struct fuzz_finding *out, struct error *error)
{
    struct fuzz_request request = {
        .what = FUZZ_PROBE, .op = desc->op, .level = rules->level, .execute = data != NULL, .watch = true, .seeds = 1};
    if (data)
        request.data = *data;
    enum fuzz_client_event event = FUZZ_CLIENT_WORKING;
    char how[HOW_SIZE];
    int result = fuzz_client_send(client, &request, desc, error);
    while (result == 0 && event == FUZZ_CLIENT_WORKING) {
        client_wait_for(client, 100);
        event = fuzz_client_poll(client);
    }
    if (result)
        return result;
    if (event == FUZZ_CLIENT_DONE && fuzz_check_finding(rules, &fuzz_client_state(client)->probed)) {
        *out = fuzz_client_state(client)->probed;
        return 0;
    }
    uint8_t executing; /* not a bool: a device may have written any byte there */
    memcpy(&executing, &fuzz_client_state(client)->executing, sizeof executing);
    *out = (struct fuzz_finding){
        .verdict = fuzz_client_verdict(client, event), .executed = data && executing, .data = request.data};
    end_process(client, 0, NULL, how, sizeof how);
    result = fuzz_client_open(client, error); /* with an empty state: no chunk is being searched */
    snprintf(out->message, sizeof out->message, "%.199s",
             out->verdict == FUZZ_HANG ? fuzz_client_timeout_message : how);
    return result;
}
