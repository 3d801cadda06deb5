/* profile.h: what a process spends its time on. Off unless it is asked for; then a clock is read at each change. */
#ifndef BASE_PROFILE_H
#define BASE_PROFILE_H

#include <stdint.h>
#include <stdio.h>

enum profile_stage {
    PROFILE_OTHER,  /* batches, records, messages */
    PROFILE_WAIT,   /* for the other side */
    PROFILE_PLAN,   /* specs, cases */
    PROFILE_TENSOR, /* inputs, poison, guards */
    PROFILE_DEVICE, /* its calls */
    PROFILE_ORACLE, /* what is right, and whether it is that */
    PROFILE_WATCH,  /* what belongs to the process */
    PROFILE_STORE,  /* rows */
    PROFILE_PRINT,  /* formats */
    PROFILE_STAGES
};

struct profile {
    uint64_t ns[PROFILE_STAGES];
    uint64_t since; /* when it came to `now` */
    enum profile_stage now;
};

/* That of this process, null: nothing is measured. */
extern struct profile *profile_here;

/* From now on the time of this process is added up in `profile`, which stays. */
void profile_start(struct profile *profile);

enum profile_stage profile_change(enum profile_stage stage);

/* What comes now is of that stage. Returns the stage so far, to go back to. */
static inline enum profile_stage profile_enter(enum profile_stage stage)
{
    return profile_here ? profile_change(stage) : PROFILE_OTHER;
}

void profile_add(struct profile *sum, const struct profile *one);

/* A line: `who`, seconds in all, the most memory, and what part of the time each stage has. */
void profile_print(FILE *file, const char *who, const struct profile *profile, uint64_t kib);

/* The most memory, in KiB, that a process ever had at a time; 0: there is no such process. */
uint64_t profile_memory(int pid);

#endif
