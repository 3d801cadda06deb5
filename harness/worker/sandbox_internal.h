/* sandbox_internal.h: what the files of the sandbox share. */
#ifndef WORKER_SANDBOX_INTERNAL_H
#define WORKER_SANDBOX_INTERNAL_H

#include "harness/worker/sandbox.h"

#include <linux/filter.h>
#include <pthread.h>

enum { ROOTS_MAX = 64, DENIALS_MAX = 16, DENIAL_SIZE = 256 };

/* ABIs of Landlock that brought what is used here. */
enum { LANDLOCK_REFERS = 2, LANDLOCK_TRUNCATES = 3, LANDLOCK_NETWORK = 4, LANDLOCK_IOCTL = 5, LANDLOCK_SCOPES = 6 };

struct sandbox {
    bool all, network;
    bool caches;            /* the usual folder for caches may be written */
    uint64_t memory;        /* bytes; 0: no limit */
    char *roots[ROOTS_MAX]; /* what may be written, at or below; real paths */
    int root_count;
    int landlock;                       /* its ABI; 0: the kernel has none */
    struct sock_fprog refusing, asking; /* empty: the kernel takes none */
    char missing[256];
    pthread_mutex_t lock; /* of what follows */
    char denials[DENIALS_MAX][DENIAL_SIZE];
    int denial_count;         /* different ones */
    bool untold, untold_said; /* a process had to do without being watched */
};

/* Whether a real path is at or below what may be written. */
bool sandbox_may_write(const struct sandbox *sandbox, const char *path);

/* ---- sandbox_filter.c: system calls */

/* A call that changes files, or reaches out. */
struct sandbox_call {
    int number;
    enum { CALL_WRITE, CALL_CHANGE, CALL_SOCKET, CALL_CONNECT } kind;
    int8_t folder, path;   /* which arguments; -1: none */
    int8_t folder2, path2; /* likewise, of a second path */
    int8_t flags;          /* of opening: asked only if they write */
    const char *what;      /* "remove" */
};

/* By number; null: none that is asked about. */
const struct sandbox_call *sandbox_call_of(int number);

/* Makes the two filters, of which one is put on: the one that asks the parent, or the one that just refuses. One that the
 * kernel does not take stays empty. */
void sandbox_filters_make(struct sandbox *sandbox);

/* Puts a filter on; `listener` is the descriptor that it asks through, -1: it does not ask. False: it could not be done. */
bool sandbox_filter_load(const struct sandbox *sandbox, int *listener);

/* ---- sandbox_watch.c: a thread that answers what the filter asks, and keeps what it has denied */

struct sandbox_watch *sandbox_watch_start(struct sandbox *sandbox, int listener, const struct sandbox_guest *guest,
                                          pid_t pid, struct sandbox_notice *notice);
void sandbox_watch_stop(struct sandbox_watch *watch);

#endif
