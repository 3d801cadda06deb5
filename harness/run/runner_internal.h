/* runner_internal.h: what the files of the runner share. */
#ifndef RUN_RUNNER_INTERNAL_H
#define RUN_RUNNER_INTERNAL_H

#include "harness/worker/process.h"
#include "harness/run/runner.h"

enum {
    QUEUED = 2,     /* batches a worker has: one to run, one to go on with */
    BATCH_MAX = 256 /* cases */
};

struct batch {
    uint32_t *cases;
    uint32_t count;
};

struct runner_worker {
    struct process process;
    bool ready;
    bool lost;                    /* its device is: it can do no more */
    bool late;                    /* it has been asked to end */
    bool slow_said;               /* of what it does now */
    struct batch batches[QUEUED]; /* first: the one it works on */
    int queued;
    uint64_t since, deadline; /* of what it does now; clock_ns() */
    uint32_t stage, index;    /* what that is, as last seen */
};

/* What there is to say of a case beyond its status. */
struct detail {
    struct wrong wrong;
    size_t dump; /* where it begins in `text`; it ends with it */
    char text[]; /* the message, its zero, the dump, its zero */
};

struct ending {
    bool done, kept;        /* kept: handed over before its turn */
    bool alone;             /* to be run in a batch of its own */
    bool queued;            /* is in `again` */
    bool slow;              /* took longer than it should */
    uint32_t incident;      /* the death of a batch that it was in, from 1 on; 0: none */
    uint8_t status, choice; /* enum status, enum outcome */
    uint8_t cause;          /* enum cause */
    uint64_t host_ns, device_ns, checksum;
    struct detail *detail;
    struct ending *earlier; /* attempts before this one */
    unsigned attempts;      /* how many of them */
};

struct runner {
    const struct runner_config *config;
    struct error *error;
    struct runner_worker *workers;
    struct ending *outcomes; /* by case */
    uint32_t *again;         /* cases to run once more, a stack */
    size_t again_count;
    size_t next;     /* first place in the order not yet given to a worker */
    size_t recorded; /* cases handed over, in order */
    size_t batches;  /* sent so far */
    struct wire_hello hello;
    bool started;
    uint32_t incidents;              /* batches that died or lost the device as a whole */
    bool *explained;                 /* per incident: one of its cases did the same alone */
    unsigned workers_without_result; /* workers in a row that brought no result */
    unsigned fatal_cases;            /* cases in a row that took their worker with them */
    uint64_t pulse;                  /* when what is running was last reported */
    char last_death[1024];
    struct runner_total *total;
};

/* ---- runner_records.c: what came of cases */

/* An attempt at a case is over, because of what happened to its worker, or there was nothing to run. */
__attribute__((format(printf, 4, 5))) void runner_settle(struct runner *r, size_t index, enum status status,
                                                         const char *format, ...);

/* Hands over what is done, in the order of the plan, as far as it goes. */
int runner_hand_over(struct runner *r);

/* What is done out of turn is made safe meanwhile. */
int runner_keep(struct runner *r);

/* The run ends early: what was not run gets its row, too. */
int runner_settle_rest(struct runner *r, const char *why);

/* Whether an earlier part of the run has done the case. */
bool runner_knows(const struct runner *r, size_t index);

/* Frees what is known of a case. */
void runner_forget(struct ending *o);

/* ---- runner_batches.c: what workers are given, and how long for */

/* The cases of the next batch; none if none is left, null `cases` if there is no memory. */
struct batch runner_next_batch(struct runner *r);
bool runner_send(struct runner *r, struct runner_worker *w, struct batch batch);
void runner_drop_first(struct runner *r, struct runner_worker *w);

bool runner_runs_many(const struct runner_worker *w);
int64_t runner_case_at(const struct runner_worker *w);

/* Nanoseconds that a worker has for what it does, if one case has `limit_ms`; milliseconds of it for large tensors. */
uint64_t runner_limit(const struct runner *r, const struct runner_worker *w, unsigned limit_ms);
uint64_t runner_more_time(const struct runner *r, const struct runner_worker *w);
bool runner_is_late(const struct runner *r, struct runner_worker *w);

/* ---- runner_results.c: what workers say, and what is run again */

/* Takes all that a worker has sent. False: it sent nonsense. */
bool runner_take(struct runner *r, struct runner_worker *w);
void runner_end_attempt(struct runner *r, uint32_t index);

/* The cases of a batch that are not done; `alone`: it is not known which of them did harm. */
void runner_run_again(struct runner *r, const struct batch *batch, bool alone);

#endif
