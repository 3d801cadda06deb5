/* process.h: one worker process as the harness sees it: starting it, talking to it without ever waiting on it, and
 * finding out how it ended. */
#ifndef PROCESS_H
#define PROCESS_H

#include "harness/wire.h"

#include <sys/types.h>

struct process {
    pid_t pid;  /* 0: not running */
    int socket; /* non-blocking */
    int output; /* file that takes what the device prints */
    struct progress *progress;
    char *out; /* bytes still to be sent */
    size_t out_used, out_done, out_size;
    char *in; /* bytes received, not yet taken */
    size_t in_used, in_size;
};

/* Starts `assay worker` for a device; `dump` as in worker_main(). False: no process could be made. */
bool process_start(struct process *p, const char *device, const char *specs, bool dump);

/* Room for `size` more bytes to send; filled in by the caller, gone with process_pump(). Null: no memory. */
void *process_send(struct process *p, size_t size);

/* Moves bytes both ways as far as they go now. False: the worker has closed its end. */
bool process_pump(struct process *p);

/* A whole message that has come: its header, and the body at `body` until process_taken(). False: not yet. */
bool process_message(const struct process *p, struct wire_header *header, const char **body);
void process_taken(struct process *p);

/* Kills the process and whatever it started, if it still runs; says how it ended: "killed by SIGSEGV (touched …)",
 * "exited with status 3", and the last of what it printed. Frees everything. True: it ended by itself, with status 0. */
bool process_end(struct process *p, bool kill_it, char *how, size_t size);

/* Keeps what the process has printed from growing without end. */
void process_trim(struct process *p);

#endif
