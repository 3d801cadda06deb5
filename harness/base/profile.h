/* profile.h: measures the stages that a process spends its time in. A profile is off until profile_start(); then every
 * change of stage reads a clock. */
#ifndef BASE_PROFILE_H
#define BASE_PROFILE_H

#include <stdint.h>
#include <stdio.h>

enum profile_stage {
    PROFILE_OTHER,  /* batches, records, messages */
    PROFILE_WAIT,   /* waiting for another process */
    PROFILE_PLAN,   /* specs, cases */
    PROFILE_TENSOR, /* inputs, poison, guards */
    PROFILE_DEVICE, /* calls of the device */
    PROFILE_ORACLE, /* computing and comparing expected outputs */
    PROFILE_WATCH,  /* checking process state */
    PROFILE_STORE,  /* database */
    PROFILE_PRINT,  /* formats */
    PROFILE_STAGES
};

struct profile {
    uint64_t ns[PROFILE_STAGES];
    uint64_t since; /* clock_ns() when stage `now` began */
    enum profile_stage now;
};

/* The profile of this process; null: it is off. */
extern struct profile *profile_here;

/* Starts adding the time of this process to `profile`, which must be zeroed and stay valid. */
void profile_start(struct profile *profile);

/* Only profile_enter() calls this. */
enum profile_stage profile_change(enum profile_stage stage);

/* Starts a stage. Returns the stage that it ends, so that the caller can go back to it. Not thread-safe. */
static inline enum profile_stage profile_enter(enum profile_stage stage)
{
    return profile_here ? profile_change(stage) : PROFILE_OTHER;
}

/* Adds the times of `one` to `sum`. */
void profile_add(struct profile *sum, const struct profile *one);

/* Prints one line: `who`, total seconds, peak memory (`kib`, in KiB) and the share of each stage. */
void profile_print(FILE *file, const char *who, const struct profile *profile, uint64_t kib);

/* Returns the peak resident memory of a process in KiB; 0 if there is no such process. */
uint64_t profile_memory(int pid);

#endif
