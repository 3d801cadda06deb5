/* runner_internal.h: types and functions that the files of the runner share. */
#ifndef RUN_RUNNER_INTERNAL_H
#define RUN_RUNNER_INTERNAL_H

#include "harness/run/runner.h"
#include "harness/worker/output.h"
#include "harness/worker/process.h"

enum {
    QUEUED = 2, /* batches that a worker has at most: the current one and the next one */
    BATCH_MAX = EXCHANGE_CASES,
    START_TIMES = 12 /* a device has this many times the limit of a case to open: it may compile shaders */
};

struct batch {
    uint32_t *cases; /* indices of the plan; owned */
    uint32_t count;
    uint64_t bytes; /* the bytes of their tensors */
};

/* A worker process, or a slot for one. */
struct runner_worker {
    struct process process;
    struct process ended; /* the process before, which has died and is to be closed; its pid is 0: there is none */
    bool ready;           /* the worker has sent its hello */
    bool begun;           /* the worker was ready at the last wait for events: it runs its first cases */
    bool used;            /* the worker has been sent a batch */
    bool shrinking;       /* that batch asks for a part of a sequence: the worker gets no other batch */
    bool spent;           /* its device is lost, or leaks: the worker runs no more cases */
    bool late;            /* the worker was asked to end because it missed its deadline */
    bool slow_reported;   /* the current stage and case have been reported as slow */
    struct batch batches[QUEUED]; /* the first one is being run */
    int queued;                   /* number of batches */
    size_t next; /* position in the order: the worker has been given all earlier cases of its operators */
    struct process_activity at; /* the activity seen last */
    uint64_t since, deadline;   /* the begin and deadline of that activity; clock_ns() */
};

/* The symptoms and texts of a result that has any. */
struct detail {
    struct symptoms symptoms;
    size_t dump, printed; /* offsets in `text` */
    char text[];          /* the message, the dump and the device's output, each with a terminating zero */
};

/* The end of a batch of several cases that killed its worker, lost the device or wrote forbidden memory. Its cases are
 * run again, each alone. If none of them explains the end, each gets an attempt with this result. */
struct batch_failure {
    struct verdict verdict;
    struct detail *detail; /* the message; owned */
    uint32_t waiting;      /* cases that have not ended alone yet */
    bool explained;        /* a case did such a thing alone, too */
};

/* A sequence of calls that has ended the device's process: it is shrunk to the fewest calls that do, in a new process
 * for each part that is tried. */
struct shrinking {
    enum status status;        /* the first end of the process: crash or timeout */
    enum promise promise;      /* the promise that this end breaks */
    char how[900];             /* the message about this end */
    char printed[OUTPUT_TEXT]; /* the output of the device */
    uint64_t start, end;       /* clock_ns(): the begin, and the time from which no more parts are tried */
    struct sequence_parts parts;
};

/* One case, and the result of its current or last attempt. */
struct case_state {
    bool done;              /* the attempt has its result */
    bool kept;              /* the attempt was passed to keep() before its turn */
    bool given;             /* the case has been given to a worker */
    bool alone;             /* the case is to be run in a batch of its own */
    bool queued;            /* the case is in runner.rerun */
    bool slow;              /* the attempt took longer than slow_ms */
    uint32_t batch_failure; /* the batch failure that this attempt follows: index in runner.failures + 1; 0: none */
    uint8_t worker;         /* the worker that has been given the case, from 1; 0: none */
    uint8_t judges_lost;    /* judges that died while they had the case */
    struct verdict verdict;
    struct detail *detail;       /* or null */
    struct measured *measured;   /* or null; owned */
    struct shrinking *shrinking; /* the case has its result and is being shrunk; or null; owned */
    struct case_state *earlier;  /* attempts before this one */
    unsigned attempts;           /* the number of earlier attempts */
};

struct runner {
    const struct runner_config *config;
    struct error *error;
    struct runner_worker *workers;
    struct process
        spare;     /* for the worker that is started next, see runner_keep_spare(); its pid is 0: there is none */
    bool no_spare; /* no spare can be started */
    bool replaced; /* a worker has been ended before the end of the run */
    struct case_state *cases; /* cases in the order of the plan */
    uint32_t *rerun;          /* stack of cases to run once more */
    size_t rerun_count;
    uint8_t *owners; /* for each operator, as in the specs: the worker that runs its cases, from 1; 0: none yet */
    size_t next;     /* the first position in the order that has not been given to a worker */
    size_t reached;  /* no case of this index or a higher one has been given to a worker, or settled without one */
    size_t recorded; /* cases whose records have been handed over, in plan order */
    size_t batches;  /* the number of batches sent so far */
    struct wire_hello hello;
    bool started; /* config->started() has been called */
    /* The first result has come, or takes long: the other workers are started, too. Before, they would only slow the
     * first one down. */
    bool under_way;
    uint32_t failure_count;
    struct batch_failure *failures;
    bool ending;                    /* the run ends early: no case waits for others any more */
    unsigned deaths_without_result; /* workers in a row that died without any result */
    uint64_t shrinking_ns;          /* the time that shrinking has taken so far */
    unsigned consecutive_deaths;    /* cases in a row that killed their worker */
    bool judge_lost;                /* the last worker that died did so because its judge died */
    uint64_t last_pulse;            /* clock_ns() */
    char last_death[1024];          /* the end of the last worker that died */
    uint64_t new_failures;          /* cases that make the run fail, without those of an earlier part of the run */
    struct runner_total *total;
};

/* ---- runner_workers.c: the start and the end of worker processes */

/* Starts a process for the worker, or takes over the prestarted one. False: as for process_start(). */
bool runner_start_worker(struct runner *r, struct runner_worker *w);

/* Starts a spare worker, which waits to take the place of another one, if there is none yet and a spare is likely to
 * pay: it then only needs to open the device. It does not open the device before, so no more devices are open than
 * workers. */
void runner_keep_spare(struct runner *r);

/* Ends a worker that died, missed its deadline or sent nonsense. Blames the case that was running, if that is known,
 * and queues its other cases again. `why` is the message; null: the message says how the process ended. */
void runner_handle_death(struct runner *r, struct runner_worker *w, const char *why);

/* Closes the processes of workers that have died. This waits for a thread; the next worker does not wait for it. */
void runner_close_ended(struct runner *r);

/* Ends a worker that is spent and queues its remaining cases again. */
void runner_retire_worker(struct runner *r, struct runner_worker *w);

/* Ends all workers. `in_order`: the run is complete, so that devices get time to close, and the harm that they do in
 * that time is reported in runner_total.closing. */
void runner_close_workers(struct runner *r, bool in_order);

/* ---- runner_records.c: results on their way to the record */

/* Returns a new detail of these texts, without symptoms. Null: no memory. */
struct detail *runner_detail(const char *message, const char *dump, const char *printed);

/* Ends an attempt at a case without a result from a worker. `printed` is the device's output; "": none. `format` makes
 * the message. */
__attribute__((format(printf, 5, 6))) void runner_settle(struct runner *r, size_t index, enum status status,
                                                         const char *printed, const char *format, ...);

/* Passes finished cases to record(), in plan order, up to the first case that is not finished, or until `most` attempts
 * have been passed on. */
int runner_hand_over(struct runner *r, size_t most);

/* Returns true if the next case in plan order is finished, and may be handed over. */
bool runner_may_hand_over(const struct runner *r);

/* Returns true if as many cases have failed as may fail. */
bool runner_has_failed(const struct runner *r);

/* Passes finished cases that wait for their turn to keep(). */
int runner_keep(struct runner *r);

/* Ends the run early: gives all cases that are not done a record. `why` is part of the message. */
int runner_settle_rest(struct runner *r, const char *why);

/* Returns true if an earlier part of the run has finished the case. */
bool runner_is_finished(const struct runner *r, size_t index);

/* Frees the attempts and texts of a case. */
void runner_free_case(struct case_state *state);

/* ---- runner_batches.c: the cases that workers get, and their deadlines */

/* Takes the cases of the next batch. `count` 0: none is left; `cases` null: no memory, or an error that has been set.
 */
struct batch runner_next_batch(struct runner *r, struct runner_worker *w);

/* Sends a batch, which the worker then owns. False: no memory. */
bool runner_send(struct runner *r, struct runner_worker *w, struct batch batch);

/* Frees the worker's first batch, which is done. */
void runner_drop_first(struct runner *r, struct runner_worker *w);

/* Returns true if the worker is dispatching several cases together. */
bool runner_runs_many(const struct runner_worker *w);

/* Returns the milliseconds that a worker has to open its device. */
unsigned runner_start_ms(const struct runner *r);

/* Returns the case that a worker is running, or the first of the cases that it runs together; -1: none. */
int64_t runner_case_at(const struct runner_worker *w);

/* Returns the milliseconds that the worker's current case has; if there are several cases, the longest time. */
unsigned runner_timeout(const struct runner *r, const struct runner_worker *w);

/* Returns the nanoseconds that a worker has for its current stage if one case has `limit_ms`. The limit starts anew
 * with each case; cases that are dispatched together add a tenth each, and large tensors add time. */
uint64_t runner_limit(const struct runner_worker *w, unsigned limit_ms);

/* Returns the milliseconds that large tensors add to the limit. */
uint64_t runner_more_time(const struct runner_worker *w);

/* Returns true if a worker has missed its deadline; moves the deadline if the worker has made progress. */
bool runner_is_late(const struct runner *r, struct runner_worker *w);

/* ---- runner_shrink.c: sequences of calls that end the device's process */

/* The end of the worker that was running a case; its judge may have ended it. */
struct death {
    enum status status;
    enum promise promise;               /* the promise that the end breaks */
    const char *how;                    /* the message */
    const char *printed;                /* the device's output; "": none */
    const struct sequence_parts *parts; /* the parts of the sequence that the judge has left */
};

/* Returns true if the case is to be sent to another worker, which must be a new one. False: the case is not shrunk, or
 * no further. */
bool runner_shrinks_on(struct runner *r, size_t index, const struct death *death);

/* Returns true if more cases wait to be shrunk than workers are new or about to be new. */
bool runner_wants_new_worker(const struct runner *r);

/* Returns the milliseconds that a worker has for the part of the calls that it tries. `timeout_ms` is the time of a
 * case. */
unsigned runner_part_timeout(const struct runner_worker *w, unsigned timeout_ms);

/* Ends the shrinking of a case: a worker has named the fewest calls in its result, which becomes the case's result. */
void runner_end_shrinking(struct runner *r, size_t index);

/* Gives the case the result that it would have if it were not shrunk. */
void runner_give_up_shrinking(struct runner *r, size_t index);

/* ---- runner_results.c: results of workers, and cases that are run again */

/* Takes all messages that a worker has sent, up to the loss of its device. False: a message is malformed. */
bool runner_take(struct runner *r, struct runner_worker *w);

/* Ends an attempt at a case that has its result: queues another attempt if the case is to have one. */
void runner_end_attempt(struct runner *r, uint32_t index);

/* Queues the cases of a batch that are not done. */
void runner_run_again(struct runner *r, const struct batch *batch);

/* Queues the cases of a batch that are not done, each in a batch of its own: any of them may have done harm. The other
 * parameters describe the end of the batch. */
void runner_run_alone(struct runner *r, const struct batch *batch, enum status status, enum cause cause,
                      const char *how);

/* Queues the cases of a batch whose judge has died, each in a batch of its own. False: a case has lost too many judges;
 * it may be the cause. */
bool runner_judge_again(struct runner *r, const struct batch *batch);

/* Returns true if all cases that shared a batch failure with an attempt at the case have ended. */
bool runner_is_decided(const struct runner *r, const struct case_state *state);

#endif
