/* Covering arrays are half of the cost of planning and need no Lua. Other threads make them while the strategies go on;
 * their cases are put in order at the end. The cases do not depend on the number of threads. */
#include "harness/base/apart.h"
#include "harness/base/processors.h"
#include "harness/plan/plan_cover.h"
#include "harness/plan/plan_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 16 };

/* An array that a strategy asked for. */
struct cover_job {
    struct cover_job *next;
    const struct spec *spec;
    const char *strategy, *tier;
    bool unlimited; /* as in struct planner */
    int op, strength;
    size_t before;     /* the number of cases of the plan before it */
    size_t first, end; /* its cases in the plan, once they are added */
    bool made;         /* false: out of memory */
    struct cover_rows rows;
};

struct cover_queue {
    pthread_mutex_t lock;
    struct cover_job *jobs, **end;
    struct cover_job *waiting; /* the first that no thread has taken */
    pthread_t threads[MAX_THREADS];
    int started, running, max; /* threads */
};

/* Takes the next job; null: none is left, and the thread that asks must end. */
static struct cover_job *plan_cover_queue_take(struct cover_queue *queue, bool is_thread)
{
    pthread_mutex_lock(&queue->lock);
    struct cover_job *job = queue->waiting;
    if (job)
        queue->waiting = job->next;
    else if (is_thread)
        queue->running--;
    pthread_mutex_unlock(&queue->lock);
    return job;
}

static void *plan_cover_queue_work(void *context)
{
    struct cover_queue *queue = context;
    for (struct cover_job *job; (job = plan_cover_queue_take(queue, true));)
        job->made = cover_make(job->spec, (unsigned)job->op, job->strength, &job->rows);
    return NULL;
}

/* Starts one more thread if there may be one. If it cannot be started, planner_finish() makes the job. */
static void start_thread(struct cover_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool wanted = queue->running < queue->max && queue->started < MAX_THREADS;
    if (wanted && pthread_create(&queue->threads[queue->started], NULL, plan_cover_queue_work, queue) == 0) {
        queue->started++;
        queue->running++;
    }
    pthread_mutex_unlock(&queue->lock);
}

static struct cover_queue *cover_queue_new(const struct plan_sources *sources)
{
    struct cover_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    pthread_mutex_init(&queue->lock, NULL);
    queue->end = &queue->jobs;
    const int shares = sources->shares > 0 ? (int)sources->shares : 1; /* other processes plan the other shares */
    queue->max = processors() / shares - 1;                            /* this thread uses one */
    return queue;
}

int planner_cover(struct planner *p, lua_State *L, int strength)
{
    struct cover_job *job = calloc(1, sizeof *job);
    if (!p->queue)
        p->queue = cover_queue_new(p->sources);
    if (!job || !p->queue) {
        free(job);
        lua_pushliteral(L, "out of memory for the combinations to cover");
        return -1;
    }
    job->spec = &p->specs->specs[p->op];
    job->strategy = p->strategy;
    job->tier = p->tier;
    job->unlimited = p->unlimited;
    job->op = p->op;
    job->strength = strength;
    job->before = p->plan->count;
    pthread_mutex_lock(&p->queue->lock);
    *p->queue->end = job;
    p->queue->end = &job->next;
    if (!p->queue->waiting)
        p->queue->waiting = job;
    pthread_mutex_unlock(&p->queue->lock);
    start_thread(p->queue);
    return 1;
}

static void begin_step(const struct cover_job *job)
{
    char what[256];
    snprintf(what, sizeof what, "strategy \"%s\": the combinations that it covers on %s", job->strategy,
             job->spec->name);
    apart_step(what);
}

/* Appends the job's cases to the plan. */
static int emit_rows(struct planner *p, lua_State *L, struct cover_job *job, struct error *error)
{
    struct opdesc desc;
    int result = job->made ? 1 : -1;
    if (!job->made)
        lua_pushliteral(L, "out of memory for the combinations to cover");
    p->strategy = job->strategy;
    p->tier = job->tier;
    p->unlimited = job->unlimited;
    p->op = job->op;
    job->first = p->plan->count;
    begin_step(job);
    for (size_t i = 0; i < job->rows.count && result >= 0; i++) {
        const struct cover_row *row = &job->rows.items[i];
        struct case_request request = {.rule = -1, .strides_in_name = true};
        solve_request_init(&request.solve);
        request.solve.table = row->table;
        memcpy(request.solve.strides, row->strides, sizeof row->strides);
        opdesc_copy(&desc, row->desc);
        result = planner_emit(p, L, &request, &desc);
    }
    job->end = p->plan->count;
    if (result >= 0)
        return 0;
    error_set(error, EXIT_HARNESS, "strategy \"%s\" on %s: %s", job->strategy, job->spec->name, lua_tostring(L, -1));
    lua_pop(L, 1);
    return EXIT_HARNESS;
}

/* Moves the jobs' cases, which follow the first `count`, to where they were asked for. */
static int put_in_order(struct plan *plan, const struct cover_job *jobs, size_t count, struct error *error)
{
    struct testcase *ordered = calloc(plan->capacity, sizeof *ordered);
    size_t from = 0, to = 0;
    if (!ordered && plan->capacity > 0)
        return error_set(error, EXIT_HARNESS, "out of memory for the cases");
    for (const struct cover_job *job = jobs; job; job = job->next) {
        for (; from < job->before; from++)
            ordered[to++] = plan->cases[from];
        for (size_t i = job->first; i < job->end; i++)
            ordered[to++] = plan->cases[i];
    }
    for (; from < count; from++)
        ordered[to++] = plan->cases[from];
    free(plan->cases);
    plan->cases = ordered;
    return 0;
}

int planner_finish(struct planner *p, bool wanted, struct error *error)
{
    struct cover_queue *queue = p->queue;
    size_t count = p->plan->count;
    int result = 0;
    if (!queue)
        return 0;
    lua_State *L = script_state(p->specs->script);
    if (!wanted) {
        pthread_mutex_lock(&queue->lock);
        queue->waiting = NULL;
        pthread_mutex_unlock(&queue->lock);
    }
    for (struct cover_job *job; (job = plan_cover_queue_take(queue, false));) {
        begin_step(job);
        job->made = cover_make(job->spec, (unsigned)job->op, job->strength, &job->rows);
    }
    for (int i = 0; i < queue->started; i++)
        pthread_join(queue->threads[i], NULL);
    for (struct cover_job *job = queue->jobs; job && wanted && result == 0; job = job->next)
        result = emit_rows(p, L, job, error);
    if (wanted && result == 0)
        result = put_in_order(p->plan, queue->jobs, count, error);
    while (queue->jobs) {
        struct cover_job *job = queue->jobs;
        queue->jobs = job->next;
        cover_free(&job->rows);
        free(job);
    }
    pthread_mutex_destroy(&queue->lock);
    free(queue);
    p->queue = NULL;
    return result;
}
