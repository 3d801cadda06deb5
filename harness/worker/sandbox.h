/* sandbox.h: restricts what a device, somebody else's code, may do to the machine: it may read everything and write
 * only into a scratch folder and a cache of its own. Denials are reported, except for a few calls that programs do
 * without. */
#ifndef WORKER_SANDBOX_H
#define WORKER_SANDBOX_H

#include "harness/base/error.h"
#include "harness/base/words.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Permissions, and the denials not yet reported; shared by all processes of a command. */
struct sandbox;

/* Makes a sandbox from the values of --allow:
 *     write=PATH   files at or below PATH may be written
 *     read=PATH    has no effect here: devices may read everything; case files may name files at or below PATH
 *     network      sockets may be opened
 *     memory=MIB   limit on the data of each process and on the size of a file; 0: no limit. Default: 7/8 of the
 *                  machine's memory
 *     all          nothing is denied or limited
 * EXIT_USAGE: another value, or no such path. Free with sandbox_free(), which accepts null. */
int sandbox_new(const struct word_list *allow, struct sandbox **out, struct error *error);
void sandbox_free(struct sandbox *sandbox);

/* The values of --allow as help texts show them, ended by null. */
extern const char *const sandbox_permissions[];

/* What the sandbox cannot deny on this machine, and why ("files may be written: the kernel has no Landlock"); "" if it
 * denies everything that it should. */
const char *sandbox_missing(const struct sandbox *sandbox);

/* Describes what processes may do, in one line for the user. */
void sandbox_describe(const struct sandbox *sandbox, char *text, size_t size);

/* Prints what was denied since the last call to standard error, each thing once. */
void sandbox_report(struct sandbox *sandbox, const char *device);

/* ---- one process */

/* Shared memory that tells a process what was just denied to its first thread. What other threads and child processes
 * try cannot be attributed to the current work, and is only kept for sandbox_report(). */
struct sandbox_notice {
    _Atomic uint32_t pending; /* 1: `text` is set; the reader sets 0 */
    char text[256];           /* "tried to write /etc/passwd" */
};

/* A process in the sandbox, as its parent sees it. */
struct sandbox_process {
    char scratch[128];            /* its scratch folder; "": there is none */
    char cache[256];              /* cache folder that later processes of this device share; "": there is none */
    struct sandbox_watch *watch;  /* null: denials are not reported */
    int scratch_held, cache_held; /* locks, of leftovers_hold() */
};

/* Makes the scratch folder, in $TMPDIR or /tmp, and, where possible, the cache of the device, in assay/ of the user's
 * cache folder. The first call in a process removes scratch folders whose programs were killed, and caches that have
 * not been used for a month. False: the scratch folder could not be made, as the error says. */
bool sandbox_prepare(const char *device, struct sandbox_process *process, struct error *error);

/* In the new process itself, before it has threads: puts it and all that it starts into the sandbox, which it cannot
 * leave, and sets TMPDIR to the scratch folder and the variables for caches to the cache. `socket` leads to the parent,
 * which calls sandbox_supervise(). Ends the process if it cannot be restricted. */
void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_process *process, int socket);

/* In the parent, once, after the fork: waits until the process is in the sandbox or gone, then starts to answer and
 * record what it tries. `notice` may be null. */
void sandbox_supervise(struct sandbox *sandbox, struct sandbox_process *process, pid_t pid, int socket,
                       struct sandbox_notice *notice);

/* After the process has ended: removes the scratch folder and all in it. If the parent is killed, the folder stays
 * until another program prepares a process. */
void sandbox_clean_up(struct sandbox_process *process);

#endif
