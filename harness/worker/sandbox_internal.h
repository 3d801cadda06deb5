/* sandbox_internal.h: the files of the sandbox share these structures and functions. */
#ifndef WORKER_SANDBOX_INTERNAL_H
#define WORKER_SANDBOX_INTERNAL_H

#include "harness/worker/sandbox.h"

#include <limits.h>
#include <linux/filter.h>
#include <pthread.h>

enum { ROOTS_MAX = 64, DENIALS_MAX = 16, DENIAL_SIZE = 256 };

/* The Landlock ABI versions that introduced the features which the sandbox uses. */
enum { LANDLOCK_REFERS = 2, LANDLOCK_TRUNCATES = 3, LANDLOCK_NETWORK = 4, LANDLOCK_IOCTL = 5, LANDLOCK_SCOPES = 6 };

/* An action of a process that the sandbox denied. */
struct sandbox_denial {
    char text[DENIAL_SIZE]; /* "tried to write /etc/passwd" */
    char *allow;            /* the options that permit it, "--allow write=/etc/passwd"; owned, null: no memory */
};

struct sandbox {
    bool all, network;
    bool caches;            /* the user's cache folder may be written */
    uint64_t memory;        /* bytes; 0: no limit */
    char *roots[ROOTS_MAX]; /* real paths of folders and files that processes may write, with everything below */
    int root_count;
    int landlock;                       /* Landlock's ABI version; 0: the kernel has none */
    struct sock_fprog refusing, asking; /* seccomp filters; empty: the kernel does not accept such a filter */
    char missing[256];
    pthread_mutex_t lock; /* protects the members below */
    struct sandbox_denial denials[DENIALS_MAX];
    int denial_count;                   /* the number of distinct denials */
    bool unwatched, unwatched_reported; /* the denials of some process could not be watched */
};

/* Returns true if a real path is at or below a folder; no path is below "". */
bool sandbox_is_below(const char *path, const char *folder);

/* Returns true if processes may write a real path. */
bool sandbox_may_write(const struct sandbox *sandbox, const char *path);

/* Writes the path of the user's cache folder. */
void sandbox_user_cache(char path[PATH_MAX]);

/* ---- sandbox_filter.c: system calls */

/* A system call that changes files or other processes, or opens connections. */
struct sandbox_call {
    int number;
    enum { CALL_WRITE, CALL_CHANGE, CALL_PROCESS, CALL_SOCKET, CALL_CONNECT } kind;
    int8_t folder, path;   /* numbers of the arguments with the path; -1: none */
    int8_t folder2, path2; /* numbers of the arguments with a second path */
    int8_t flags;          /* number of the argument with open flags: the filter asks only if they write; -1: none */
    int8_t process;        /* CALL_PROCESS: number of the argument with the process or thread */
    int8_t who;            /* CALL_PROCESS: the first argument, if it must say that the other is a process; -1: no */
    const char *what;      /* "remove" */
};

/* Returns the system call of that number; null if the filter does not ask about it. */
const struct sandbox_call *sandbox_call_of(int number);

/* Makes both filters: `asking` asks the parent, `refusing` refuses by itself. A filter that the kernel does not accept
 * stays empty. */
void sandbox_filters_make(struct sandbox *sandbox);

/* Loads one filter into this process: `asking` if possible, else `refusing`. `*listener` becomes the descriptor through
 * which the filter asks; -1 if the filter does not ask. Returns false if no filter could be loaded. */
bool sandbox_filter_load(const struct sandbox *sandbox, int *listener);

/* ---- sandbox_watch.c: a thread that answers the questions of the filter and records denials */

/* Starts the thread, which takes over `listener`. Returns null if the thread could not be started; calls that the
 * filter asks about then fail. */
struct sandbox_watch *sandbox_watch_start(struct sandbox *sandbox, int listener, const struct sandbox_process *process,
                                          pid_t pid, struct sandbox_notice *notice);

/* Ends the thread and frees everything; null is allowed. */
void sandbox_watch_stop(struct sandbox_watch *watch);

#endif
