/* process.h: the harness's end of one worker: it starts the worker, exchanges messages without blocking, and finds out
 * how the worker ended. A worker is one process, which runs a task on a device; or two processes, a judge and, in the
 * sandbox, the device's process. */
#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include "harness/host/exchange.h"
#include "harness/worker/sandbox.h"
#include "harness/worker/wire.h"

#include <sys/types.h>

struct process {
    pid_t pid;   /* the process that the device runs in; 0: it does not run */
    int pidfd;   /* readable once that process has ended, even if another process still holds its socket */
    int status;  /* the status from waitpid() */
    bool stuck;  /* the process hangs in the kernel and could not be killed */
    pid_t judge; /* 0: the device runs in the worker itself */
    int judge_status;
    bool closed; /* the worker has closed its end of the socket */
    bool debugged;
    bool failed;    /* the judge ended by itself, before the device's process or by a signal */
    bool in_order;  /* the device's process closed the device and ended, perhaps since the judge had ended */
    bool starved;   /* the kernel killed the process, since the control group had no memory left */
    uint64_t kills; /* processes of the control group that the kernel had killed when this one began */
    int socket;     /* the socket to the worker; non-blocking */
    int output;     /* the file that takes the device's printed text */
    struct sandbox_process sandbox;
    struct progress *progress;       /* shared memory */
    const struct exchange *exchange; /* shared memory that the device's process can write; null: there is no judge */
    size_t progress_size;
    char *out; /* bytes still to be sent */
    size_t out_used, out_done, out_size;
    char *in; /* bytes received and not yet dropped */
    size_t in_used, in_size;
};

/* The settings of a worker. */
struct process_config {
    const char *device, *specs; /* as in struct worker_config */
    const struct spec_set *set; /* specs of that folder, which the worker need not check again; null: not loaded yet */
    struct sandbox *sandbox;
    bool dump, half, profile, repeated; /* as in struct worker_config */
    bool spare; /* the worker opens the device when process_open() tells it to; only for a worker that judges */
    unsigned measure_ms;
    /* A debugger: a program with its arguments, ended by a null. The harness adds the arguments of the device's
     * process. The debugger starts that process, with the standard files of the harness, in the foreground of the
     * terminal. Null: there is no debugger. Only for a worker that judges. */
    char *const *debugger;
    size_t shared_size; /* bytes of progress.shared for the worker's task; 0: the worker judges batches */
};

/* Starts a worker for a device. Returns false if no process could be started, and sets the error: EXIT_HARNESS. */
bool process_start(struct process *p, const struct process_config *config, struct error *error);

/* Has a spare worker open its device. Returns false if the worker has died while it waited. */
bool process_open(struct process *p);

/* The present activity of a worker. */
struct process_activity {
    uint32_t stage; /* enum stage */
    uint32_t index; /* the index of the case, for the stages that concern one */
    uint32_t step;  /* the judge's step; grows */
    bool calling;   /* the device's process is creating or destroying the case */
};
struct process_activity process_activity(const struct process *p);

/* Returns true if the worker has advanced from `before` to `now`. A device can only claim to have moved on to later
 * cases. */
bool process_advanced(const struct process_activity *before, const struct process_activity *now);

/* Returns the peak memory of the worker's processes in KiB, together. */
uint64_t process_memory(const struct process *p);

/* Returns room for `size` more bytes to send; null if memory runs out. The caller fills the room before the next call;
 * process_pump() sends the bytes. */
void *process_send(struct process *p, size_t size);

/* Sends as much as is possible without blocking. */
void process_flush(struct process *p);

/* Sends and receives as much as is possible without blocking. Returns false if the worker has closed its end. */
bool process_pump(struct process *p);

/* Gets the first received message: its header and its body, which is valid until process_drop_message(). Returns false
 * if no message is complete yet. */
bool process_message(const struct process *p, struct wire_header *header, const char **body);

/* Removes the first message, which must be complete. */
void process_drop_message(struct process *p);

/* Returns true if the device made the worker give up; `why` names the device's deed. Call it after process_stop(). */
bool process_harmed(const struct process *p, char *why, size_t size);

/* Sends SIGTERM to the device's process and its group. The process may ignore the signal. */
void process_terminate(const struct process *p);

/* Continues the worker's processes if a signal has stopped them. Returns that signal, or 0. `judge` becomes true if it
 * stopped the judge. */
int process_continue(const struct process *p, bool *judge);

/* Ends the worker: closes the socket, waits `grace_ms` for the worker to exit, then kills it and the group of the
 * device. `progress` stays readable until process_close(). Returns true if the worker exited by itself, with status 0.
 * A judge that had to be killed may still be freeing its memory; its device's process is gone. */
bool process_stop(struct process *p, unsigned grace_ms);

/* Waits for a child of this process, at most `most_ms` by the clock: a signal or a debugger that interrupts the wait
 * does not shorten it. Returns false if the child still runs; otherwise sets `status`, as waitpid() does. */
bool process_wait_for(pid_t pid, int *status, unsigned most_ms);

/* Waits for the judges that were killed. After that, no process of a worker is left. */
void process_wait_judges(void);

/* Writes the end of the process's printed text to `text`, OUTPUT_TEXT bytes (output.h). Call it after
 * process_stop(). */
void process_printed(const struct process *p, char *text);

/* Writes `why` or, if that is null, how the process ended: "killed by SIGSEGV (touched …)", "exited with status 3".
 * With `output`, the end of the process's printed text follows. Call it after process_stop(). */
void process_describe(const struct process *p, const char *why, bool output, char *how, size_t size);

/* Frees everything. Call it after process_stop(). */
void process_close(struct process *p);

/* Kills all children of the harness that are not workers: such a child has outlived the worker that started it. Returns
 * the number of killed children, and writes the name of the first to `name`, which may be null if `size` is 0. */
int process_kill_orphans(char *name, size_t size);

/* Appends the end of the text that a process printed to the file `output` to the sentence in `how`: "; it printed: …".
 * Appends nothing if the process printed nothing. */
void process_describe_output(int output, char *how, size_t size);

/* Bounds the memory that the process's printed text takes: keeps the end of the text. Call it now and then. */
void process_trim_output(struct process *p);

#endif
