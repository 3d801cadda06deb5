/* sandbox.h: what the process of a device may do to the machine: read it, and write into a scratch folder of its own. A
 * device is somebody else's code. What is denied is also told. */
#ifndef WORKER_SANDBOX_H
#define WORKER_SANDBOX_H

#include "harness/base/error.h"
#include "harness/base/words.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Permissions, and what was denied so far; for all processes of a command. */
struct sandbox;

/* By what --allow says:
 *     write=PATH   files at or below PATH may be written
 *     network      sockets may be opened
 *     memory=MIB   data that each process may have, and the size of a file; 0: no limit. Without it: 7/8 of what the
 *                  machine has
 *     all          nothing is denied or limited
 * EXIT_USAGE: none of these, or there is no such path. */
int sandbox_new(const struct word_list *allow, struct sandbox **out, struct error *error);
void sandbox_free(struct sandbox *sandbox);

/* What does not hold on this machine, and why, as in "files may be written, by …"; "": all that was asked for holds. */
const char *sandbox_missing(const struct sandbox *sandbox);

/* What processes may do, in one line for a person. */
void sandbox_describe(const struct sandbox *sandbox, char *text, size_t size);

/* Prints to standard error what was denied since the last time, each thing once, and forgets it. */
void sandbox_tell(struct sandbox *sandbox, const char *device);

/* ---- one process */

/* Where a process is told of what was just denied to its first thread; what other threads and programs that it has started
 * try has no place in its work, and is only kept for sandbox_tell(). The memory is shared. */
struct sandbox_notice {
    _Atomic uint32_t come; /* 1: `text` is set; whoever reads it sets 0 */
    char text[256];        /* "tried to write /etc/passwd" */
};

/* A process in the sandbox, as its parent has it. */
struct sandbox_guest {
    char scratch[128];           /* its folder; "": there is none */
    char cache[256];             /* one that stays for the next process of this device; "": there is none */
    struct sandbox_watch *watch; /* null: nothing is told */
};

/* Makes the scratch folder, in $TMPDIR or /tmp, and the cache of the device, in the user's folder for caches, assay/, where
 * such can be. False: there is no scratch folder. */
bool sandbox_prepare(const char *device, struct sandbox_guest *guest);

/* In the process itself, before it has threads: from now on it, and all that it starts, is in the sandbox, cannot leave
 * it, and finds the scratch folder in TMPDIR and the cache where caches are made. `socket`, to the parent, is for
 * sandbox_attend(). */
void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_guest *guest, int socket);

/* In the parent, once, after the process was made: waits until it is in the sandbox, or gone. `notice` may be null. */
void sandbox_attend(struct sandbox *sandbox, struct sandbox_guest *guest, pid_t pid, int socket,
                    struct sandbox_notice *notice);

/* When it has ended: removes the scratch folder and all in it. (One whose parent is killed meanwhile stays in /tmp.) */
void sandbox_dismiss(struct sandbox_guest *guest);

#endif
