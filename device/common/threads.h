/* threads.h: threads that wait for work, so that a call need not start them. */
#ifndef ASSAY_THREADS_H
#define ASSAY_THREADS_H

#include <stdint.h>

struct threads;

/* Starts `count` threads, or fewer if the system has no more. Returns null without memory. The caller ends them with
 * threads_destroy(). */
struct threads *threads_create(uint32_t count);

/* Null is allowed. */
void threads_destroy(struct threads *threads);

/* Calls work(argument) in every thread, and in this one, at the same time. Returns when all calls have. One call at a
 * time. Null: in this one alone. */
void threads_run(struct threads *threads, void (*work)(void *argument), void *argument);
#endif
