/* process.h: the harness's end of one worker: starts it, exchanges messages without blocking, finds out how it ended. A
 * worker is one process, which runs a task on a device; or two, a judge and, in the sandbox, the device's process. */
#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include "harness/host/exchange.h"
#include "harness/worker/sandbox.h"
#include "harness/worker/wire.h"

#include <sys/types.h>

struct process {
    pid_t pid;   /* of the process that the device runs in; 0: not running */
    int pidfd;   /* readable once that process has ended, even if another process still holds its socket */
    int status;  /* from waitpid() */
    bool stuck;  /* in the kernel: it could not be killed */
    pid_t judge; /* 0: the device runs in the worker itself */
    int judge_status;
    bool closed; /* the worker has closed its end of the socket */
    bool debugged;
    bool failed; /* the judge ended by itself although the device's process had not */
    int socket;  /* to the worker; non-blocking */
    int output;  /* file that takes what the device prints */
    struct sandbox_process sandbox;
    struct progress *progress;       /* shared memory */
    const struct exchange *exchange; /* shared memory that the device's process can write; null: there is no judge */
    size_t progress_size;
    char *out; /* bytes still to be sent */
    size_t out_used, out_done, out_size;
    char *in; /* bytes received and not yet dropped */
    size_t in_used, in_size;
};

/* What a worker is started with. */
struct process_config {
    const char *device, *specs; /* as in struct worker_config */
    const struct spec_set *set; /* of that folder, which the worker need not check again; null: not loaded yet */
    struct sandbox *sandbox;
    bool dump, half, profile, repeated; /* as in struct worker_config */
    bool spare; /* it opens the device when process_open() says so; for a worker that judges only */
    unsigned measure_ms;
    /* A program with its arguments, ended by a null, to which those of the device's process are added: it starts that
     * process, with the standard files of the harness, in the foreground of the terminal. Null: none. For a worker that
     * judges only. */
    char *const *debugger;
    size_t shared_size; /* bytes of progress.shared, for its task; 0: it judges batches */
};

/* Starts a worker for a device. False: no process could be started, as the error says: EXIT_HARNESS. */
bool process_start(struct process *p, const struct process_config *config, struct error *error);

/* Has a spare worker open its device. False: it has died while it waited. */
bool process_open(struct process *p);

/* What a worker is doing. */
struct process_activity {
    uint32_t stage; /* enum stage */
    uint32_t index; /* of the case, for the stages that concern one */
    uint32_t step;  /* of the judge; grows */
    bool calling;   /* the device's process is creating or destroying the case */
};
struct process_activity process_activity(const struct process *p);

/* Whether it has advanced from `before` to `now`. A device can only claim to have moved on to later cases. */
bool process_advanced(const struct process_activity *before, const struct process_activity *now);

/* Peak memory of its processes in KiB, together. */
uint64_t process_memory(const struct process *p);

/* Room for `size` more bytes to send. The caller fills it in before the next call; process_pump() sends it. Null: no
 * memory. */
void *process_send(struct process *p, size_t size);

/* Sends as much as is possible without blocking. */
void process_flush(struct process *p);

/* Sends and receives as much as is possible without blocking. False: the worker has closed its end. */
bool process_pump(struct process *p);

/* The first message received, if it is complete: its header and, until process_drop_message(), its body. False: none is
 * complete yet. */
bool process_message(const struct process *p, struct wire_header *header, const char **body);

/* Removes the first message, which must be complete. */
void process_drop_message(struct process *p);

/* Whether the device made the worker give up; `why` says what it did. After process_stop(). */
bool process_harmed(const struct process *p, char *why, size_t size);

/* Sends SIGTERM to the device's process and its group. It may ignore that. */
void process_terminate(const struct process *p);

/* Continues the process if a signal has stopped it. Returns that signal, or 0. */
int process_continue(const struct process *p);

/* Ends the worker: closes the socket, waits `grace_ms` for it to exit, then kills it and the group of the device.
 * `progress` stays readable until process_close(). True: it exited by itself, with status 0. A judge that had to be
 * killed may still be freeing its memory; its device's process is gone. */
bool process_stop(struct process *p, unsigned grace_ms);

/* Waits for such judges: nothing is left of workers then. */
void process_wait_judges(void);

/* After process_stop(): the end of what the process printed, OUTPUT_TEXT bytes (output.h). */
void process_printed(const struct process *p, char *text);

/* After process_stop(): writes `why` or, if that is null, how the process ended: "killed by SIGSEGV (touched …)",
 * "exited with status 3". With `output`, the last of what it printed follows. */
void process_describe(const struct process *p, const char *why, bool output, char *how, size_t size);

/* After process_stop(): frees everything. */
void process_close(struct process *p);

/* Kills all children of the harness that are not workers: they outlived the worker that started them. Returns how many,
 * and writes the name of the first to `name`, which may be null if `size` is 0. */
int process_kill_orphans(char *name, size_t size);

/* Appends the last of what a process printed to the file `output` to the sentence in `how`: "; it printed: …". Appends
 * nothing if it printed nothing. */
void process_describe_output(int output, char *how, size_t size);

/* Bounds the memory that the process's printed output takes; keeps the end of it. Call now and then. */
void process_trim_output(struct process *p);

#endif
