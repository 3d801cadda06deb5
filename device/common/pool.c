#include "device/common/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct helper {
    struct pool *pool;
    pthread_t thread;
    uint32_t number; /* 1 or more: 0 is the caller */
};

struct pool {
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t starts, ends;
    uint64_t rounds; /* number of rounds started */
    uint32_t count;  /* number of threads that take part in this round */
    uint32_t busy;   /* number of helpers that are not done */
    int closes;
    pool_work *work;
    void *context;
    uint32_t helper_count;
    struct helper helpers[];
};

static void *help(void *argument)
{
    const struct helper *helper = argument;
    struct pool *pool = helper->pool;
    uint64_t rounds = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->rounds == rounds && !pool->closes)
            pthread_cond_wait(&pool->starts, &pool->lock);
        if (pool->closes)
            break;
        rounds = pool->rounds;
        if (helper->number >= pool->count)
            continue;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->context, helper->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->ends);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Starts a helper. It blocks signals: the other threads of the process handle them. */
static int start(struct pool *pool, uint32_t number)
{
    struct helper *helper = &pool->helpers[number - 1];
    sigset_t all, before;
    *helper = (struct helper){.pool = pool, .number = number};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int starts = pthread_create(&helper->thread, NULL, help, helper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return starts;
}

struct pool *pool_new(uint32_t threads)
{
    struct pool *pool = calloc(1, sizeof *pool + (threads - 1) * sizeof *pool->helpers);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->starts, NULL);
    pthread_cond_init(&pool->ends, NULL);
    while (pool->helper_count + 1 < threads) {
        if (!start(pool, pool->helper_count + 1)) {
            pool_free(pool);
            return NULL;
        }
        pool->helper_count++;
    }
    return pool;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closes = 1;
    pthread_cond_broadcast(&pool->starts);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->helper_count; i++)
        pthread_join(pool->helpers[i].thread, NULL);
    pthread_cond_destroy(&pool->ends);
    pthread_cond_destroy(&pool->starts);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void pool_run(struct pool *pool, uint32_t count, pool_work *work, void *context)
{
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->count = count;
    pool->busy = count - 1;
    pool->rounds++;
    pthread_cond_broadcast(&pool->starts);
    pthread_mutex_unlock(&pool->lock);
    work(context, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->ends, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
