/* peer.h: a process with a descriptor for requests and one for answers, and messages to and from it.
 *
 * No peer can harm this side: no wait exceeds the time limit, no more bytes are read than were requested, and no more
 * memory is used than the caller provides. The first error ends the process and is described in `problem`; every later
 * call fails. Functions that return int return 1 for success and 0 for failure. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PEER_HEADER = 16, PEER_JSON_MAX = 16 << 20, PEER_BUFFER = 64 * 1024 };

struct peer {
    pid_t pid;    /* 0: no process */
    int in;       /* leads to the process's ASSAY_BRIDGE_IN: requests */
    int out;      /* leads from its ASSAY_BRIDGE_OUT: answers */
    int log;      /* a file with its standard output and standard error */
    int shared;   /* memory that both processes can map: the process's ASSAY_BRIDGE_MEMORY */
    char *mapped; /* that memory; null: not used yet */
    size_t mapped_size;
    int timeout_ms;
    bool has_answered; /* a byte of an answer has come */
    char problem[512]; /* the first error; "": none */
    size_t at, used;   /* begin and end of the bytes in `buffer` that are not taken yet */
    unsigned char buffer[PEER_BUFFER];
};

/* Bytes to send. */
struct peer_bytes {
    const void *at;
    size_t size;
};

/* Starts `command`: a program and its arguments in a shell's syntax. Its environment names its descriptors for
 * requests, answers and shared memory; its standard input is empty, and its output is kept for error messages.
 * `timeout`: seconds without a byte moving after which the peer is lost. */
int peer_start(struct peer *peer, const char *command, unsigned timeout);

/* Ends the process: closes its input, waits up to two seconds for it to end, then kills it. */
void peer_stop(struct peer *peer);

/* Sends a message: the header, `json`, and `parts` one after the other. */
int peer_send(struct peer *peer, const char *json, size_t json_size, const struct peer_bytes *parts, size_t count);

/* Receives the header and the JSON of a message. Returns the JSON, zero-terminated, which the caller frees; null:
 * failure. */
char *peer_receive(struct peer *peer, size_t *json_size, uint64_t *data_size);

/* Returns at least `size` bytes of the memory that this process shares with the peer, which grows if need be; valid
 * until the next call. The peer may change them at any time. Returns null if there is no memory. */
char *peer_memory(struct peer *peer, size_t size);

/* Reads the next `size` bytes of a message's data. */
int peer_take(struct peer *peer, void *to, size_t size);

/* Tells, after a whole message, that the peer has sent no further bytes; otherwise the peer is lost. */
int peer_is_quiet(struct peer *peer);

/* Reports an error that only the caller can see. Always returns 0. */
int peer_lose(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
