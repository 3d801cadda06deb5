/* process.h: one worker process as the harness sees it: starting it, talking to it without ever waiting on it, and
 * finding out how it ended. */
#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include "harness/worker/sandbox.h"
#include "harness/worker/wire.h"

#include <sys/types.h>

struct process {
    pid_t pid;  /* 0: not running */
    int handle; /* of the process; readable when it has ended, whoever still has its socket */
    int status; /* as waitpid() tells it */
    bool stuck; /* in the kernel: it could not be killed */
    int socket; /* non-blocking */
    int output; /* file that takes what the device prints */
    struct sandbox_guest guest;
    struct progress *progress;
    size_t progress_size;
    char *out; /* bytes still to be sent */
    size_t out_used, out_done, out_size;
    char *in; /* bytes received, not yet taken */
    size_t in_used, in_size;
};

/* What a worker is started with. */
struct process_config {
    const char *device, *specs;
    struct sandbox *sandbox;
    bool dump, profile; /* as in worker_main() */
    size_t shared_size; /* bytes of progress.shared, for its task */
};

/* Starts `assay worker` for a device. False: no process could be made. */
bool process_start(struct process *p, const struct process_config *config);

/* Room for `size` more bytes to send; filled in by the caller, gone with process_pump(). Null: no memory. */
void *process_send(struct process *p, size_t size);

/* Moves bytes both ways as far as they go now. False: the worker has closed its end. */
bool process_pump(struct process *p);

/* A whole message that has come: its header, and the body at `body` until process_taken(). False: not yet. */
bool process_message(const struct process *p, struct wire_header *header, const char **body);
void process_taken(struct process *p);

/* Asks it to end, and whatever is in its group. It need not obey. */
void process_ask_to_end(const struct process *p);

/* Makes it go on if a signal has stopped it; returns that signal, 0: none. */
int process_continue(const struct process *p);

/* Ends the process: closes the socket, waits `grace_ms`, kills it and its group. `progress` stays as it was at the end.
 * True: it ended by itself, with status 0. */
bool process_stop(struct process *p, unsigned grace_ms);

/* After process_stop(): says `why` (null: "killed by SIGSEGV (touched …)", "exited with status 3", as it was) and the last
 * of what it printed; frees everything. `how` may be null. */
void process_end(struct process *p, const char *why, char *how, size_t size);

/* Ends what outlived its worker, also in a session of its own. Returns how many those are; the name of the first goes to `name`,
 * which may be null. */
int process_end_strays(char *name, size_t size);

/* Adds the last of what a process has printed to the file `output` to a sentence: "; it printed: …"; nothing if it has
 * not. */
void process_describe_output(int output, char *how, size_t size);

/* Keeps what the process has printed from growing without end. */
void process_trim(struct process *p);

#endif
