/* peer.h: a process on the other side of two pipes, and messages to and from it.
 *
 * Nothing that it does, or fails to do, harms this side: no wait is longer than the limit, no more is read than was
 * asked for, no more memory taken than the caller says. The first thing that goes wrong ends the process, and is told in
 * `problem`; every call fails from then on. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PEER_HEADER = 16, PEER_JSON_MAX = 16 << 20, PEER_BUFFER = 64 * 1024 };

struct peer {
    pid_t pid; /* 0: there is none */
    int in;    /* its standard input */
    int out;   /* its standard output */
    int log;   /* a file: its standard error */
    int timeout_ms;
    char problem[512]; /* "": none */
    size_t at, used;   /* of what was read and not yet taken */
    unsigned char buffer[PEER_BUFFER];
};

/* A stretch of bytes to send. */
struct peer_bytes {
    const void *at;
    size_t size;
};

/* Starts `command`, a program and its arguments as one writes them in a shell. `timeout`, in seconds: how long not a byte may move while one is waited for. */
int peer_start(struct peer *peer, const char *command, unsigned timeout);

/* Ends it: it is to go by itself when its input ends; if it does not within a second or two it is killed. */
void peer_stop(struct peer *peer);

/* Sends a message: the header, `json`, and `parts` one after the other. */
int peer_send(struct peer *peer, const char *json, size_t json_size, const struct peer_bytes *parts, size_t count);

/* Receives header and JSON of a message. Returns the JSON, to be freed, zero-terminated; null: `problem`. */
char *peer_receive(struct peer *peer, size_t *json_size, uint64_t *data_size);

/* The next bytes of a message's data. */
int peer_take(struct peer *peer, void *to, size_t size);

/* After a whole message: fails if there are bytes that nobody asked for. */
int peer_is_quiet(struct peer *peer);

/* Something is wrong with it that only the caller can see. Always returns 0. */
int peer_lose(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
