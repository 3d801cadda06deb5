/* sandbox.h: restricts a device, which is somebody else's code: it may read everything, and write only into a scratch
 * folder and a cache of its own. Denials are reported, except for a few calls that programs do without. */
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

/* Returns the actions that the sandbox cannot deny on this machine, with the reason ("files may be written: the kernel
 * has no Landlock"); "" if the sandbox denies everything that it should. */
const char *sandbox_missing(const struct sandbox *sandbox);

/* Describes the permissions of processes, in one line for the user. */
void sandbox_describe(const struct sandbox *sandbox, char *text, size_t size);

/* Prints the denials since the last call to standard error, each one once. */
void sandbox_report(struct sandbox *sandbox, const char *device);

/* ---- one process */

/* Shared memory that tells a process the action that was just denied to its first thread. Denials of other threads and
 * child processes cannot be attributed to the current work: they are only kept for sandbox_report(). */
struct sandbox_notice {
    _Atomic uint32_t pending; /* 1: `text` is set; the reader sets 0 */
    char text[256];           /* "tried to write /etc/passwd" */
};

/* A process in the sandbox, as its parent sees it. */
struct sandbox_process {
    char scratch[128];            /* the scratch folder; "": there is none */
    char cache[256];              /* the cache folder that later processes of this device share; "": there is none */
    struct sandbox_watch *watch;  /* null: denials are not reported */
    int scratch_held, cache_held; /* locks, of leftovers_hold() */
};

/* Makes the scratch folder, in $TMPDIR or /tmp, and, where possible, the cache of the device, in assay/ of the user's
 * cache folder. The first call in a process removes scratch folders whose programs were killed, and caches that have
 * not been used for a month. Returns false, and sets the error, if the scratch folder could not be made. */
bool sandbox_prepare(const char *device, struct sandbox_process *process, struct error *error);

/* Puts this process and all its children into the sandbox, which they cannot leave; sets TMPDIR to the scratch folder
 * and the variables for caches to the cache. The new process calls this function itself, before it has threads.
 * `socket` leads to the parent, which calls sandbox_supervise(). Ends the process if it cannot be restricted. */
void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_process *process, int socket);

/* Waits until the process is in the sandbox or gone, then starts to answer and record its system calls. The parent
 * calls this function once, after the fork. `notice` may be null. */
void sandbox_supervise(struct sandbox *sandbox, struct sandbox_process *process, pid_t pid, int socket,
                       struct sandbox_notice *notice);

/* Removes the scratch folder and all its files. The parent calls this function after the process has ended. If the
 * parent is killed, the folder stays until another program prepares a process. */
void sandbox_clean_up(struct sandbox_process *process);

#endif
