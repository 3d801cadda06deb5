/* apart.h: work that obeys a stranger's script, in a child process with limits on time and memory. Limits inside of Lua
 * do not suffice: one call of a library function can take hours, and instruction counts miss it.
 *
 * The work runs in a fork of this process, so that it sees everything that this process has in memory. It leaves a
 * status, an error, and whatever it writes to memory or a file that both processes share. Whoever reads that must check
 * it: a script that breaks out of Lua can have written anything there. */
#ifndef BASE_APART_H
#define BASE_APART_H

#include "harness/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Limits on the work. */
struct apart_limits {
    unsigned step_ms;  /* CPU time of one step, in milliseconds, of the thread that calls work() */
    unsigned total_ms; /* CPU time of all steps and threads, in milliseconds */
    uint64_t memory;   /* bytes of address space beyond those that this process has */
};

/* 5 s for a step, 2 minutes in all, 4 GiB; four times as long with the address sanitizer. */
extern const struct apart_limits apart_usual;

/* Runs work(context, error) in a child and waits for its end. Returns the status of work(), with its error;
 * EXIT_HARNESS if it passed a limit or died, with the step that it was at; EXIT_INCOMPLETE if a signal from the
 * terminal ended it, or interrupt_is_set() here. The child ends with this process, and leaves no process behind. */
int apart_run(const struct apart_limits *limits, int (*work)(void *context, struct error *error), void *context,
              struct error *error);

/* A child that works. */
struct apart_child {
    struct apart *shared; /* null: there is no child */
    const struct apart_limits *limits;
    int pid;
};

/* Do what apart_run() does for several children at once: the first starts a child, the second waits for it. The limits
 * must outlive the child. Every child that was started must be waited for. apart_cancel() ends one that has no result
 * any more. */
int apart_start(struct apart_child *child, const struct apart_limits *limits,
                int (*work)(void *context, struct error *error), void *context, struct error *error);
int apart_wait(struct apart_child *child, struct error *error);
void apart_cancel(struct apart_child *child);

/* Begins a step of the work: its time limit starts anew. `what`, a file perhaps followed by more, stands in the message
 * if the step passes a limit. The function does nothing in a process that apart_run() did not start. */
void apart_step(const char *what);

/* Ends a process that apart_run() started because it needs more than `limit` bytes of memory; 0: more than its limits
 * allow. The function does nothing in other processes. */
void apart_no_memory(size_t limit);

#endif
