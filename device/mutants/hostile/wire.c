/* wire.c: tricks with the descriptors of the process: messages in the place of assay's own code. */
#include "device/mutants/hostile/hostile.h"

#include "harness/host/exchange.h"
#include "harness/worker/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void send_header(uint32_t type, uint32_t count, uint64_t size)
{
    const struct wire_header header = {.type = type, .count = count, .size = size};
    wire_write(WIRE_SOCKET, &header, sizeof header);
}

/* Takes the worker's place: it answers the harness from now on. */
static void be_worker(void)
{
    struct wire_hello hello = {.data_types = UINT32_MAX, .info = {.feature_level = DML_FEATURE_LEVEL_6_4}};
    struct wire_header asked;
    snprintf(hello.info.name, sizeof hello.info.name, "hostile: speaks to the harness");
    send_header(WIRE_HELLO, 1, sizeof hello);
    wire_write(WIRE_SOCKET, &hello, sizeof hello);
    while (wire_read(WIRE_SOCKET, &asked, sizeof asked) && asked.type == WIRE_BATCH && asked.count <= 256) {
        const struct wire_result pass = {.verdict.status = STATUS_PASS};
        char *batch = malloc(asked.size + 1);
        bool good = batch && wire_read(WIRE_SOCKET, batch, asked.size);
        free(batch);
        send_header(WIRE_RESULTS, asked.count, asked.count * sizeof pass);
        for (uint32_t i = 0; i < asked.count && good; i++)
            good = wire_write(WIRE_SOCKET, &pass, sizeof pass);
        if (!good)
            break;
    }
    _exit(0);
}

/* Sends results to every descriptor that takes them. */
static void send_everywhere(const assay_dispatch_item *item)
{
    const struct wire_result pass = {.verdict.status = STATUS_PASS};
    char message[sizeof(struct wire_header) + sizeof pass];
    const struct wire_header header = {.type = WIRE_RESULTS, .count = 1, .size = sizeof pass};
    (void)item;
    memcpy(message, &header, sizeof header);
    memcpy(message + sizeof header, &pass, sizeof pass);
    for (int file = 3; file < 64; file++)
        send(file, message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Reports that all is done, before assay's code reports it when the call returns. */
static void answer_early(const assay_dispatch_item *item)
{
    (void)item;
    for (uint64_t serial = 1; serial < 64; serial++) {
        const struct host_answer answer = {.serial = serial};
        send(HOST_SOCKET, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

const struct trick wire_tricks[] = {
    {.name = "wire", .what = "speaks to the harness in the worker's place", .open = be_worker},
    {.name = "results", .what = "sends results to every descriptor", .run = send_everywhere},
    {.name = "answers", .what = "answers requests before they are made", .run = answer_early},
    {.name = NULL}};
