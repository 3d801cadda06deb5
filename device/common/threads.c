#include "device/common/threads.h"

#include <pthread.h>
#include <stdlib.h>

struct threads {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    void (*work)(void *argument); /* null: the threads end */
    void *argument;
    uint64_t round;   /* counts calls of threads_run() */
    uint32_t working; /* threads that have not finished this round */
    uint32_t count;
    pthread_t ids[];
};

static void *wait_and_work(void *of)
{
    struct threads *threads = of;
    uint64_t done = 0;
    pthread_mutex_lock(&threads->lock);
    for (;;) {
        while (threads->round == done)
            pthread_cond_wait(&threads->begin, &threads->lock);
        done = threads->round;
        if (!threads->work)
            break;
        pthread_mutex_unlock(&threads->lock);
        threads->work(threads->argument);
        pthread_mutex_lock(&threads->lock);
        if (--threads->working == 0)
            pthread_cond_signal(&threads->end);
    }
    pthread_mutex_unlock(&threads->lock);
    return NULL;
}

struct threads *threads_create(uint32_t count)
{
    struct threads *threads = calloc(1, sizeof *threads + count * sizeof *threads->ids);
    if (!threads)
        return NULL;
    pthread_mutex_init(&threads->lock, NULL);
    pthread_cond_init(&threads->begin, NULL);
    pthread_cond_init(&threads->end, NULL);
    while (threads->count < count && !pthread_create(&threads->ids[threads->count], NULL, wait_and_work, threads))
        threads->count++;
    return threads;
}

static void start_round(struct threads *threads, void (*work)(void *argument), void *argument)
{
    pthread_mutex_lock(&threads->lock);
    threads->work = work;
    threads->argument = argument;
    threads->working = threads->count;
    threads->round++;
    pthread_cond_broadcast(&threads->begin);
    pthread_mutex_unlock(&threads->lock);
}

void threads_run(struct threads *threads, void (*work)(void *argument), void *argument)
{
    if (threads)
        start_round(threads, work, argument);
    work(argument);
    if (!threads)
        return;
    pthread_mutex_lock(&threads->lock);
    while (threads->working > 0)
        pthread_cond_wait(&threads->end, &threads->lock);
    pthread_mutex_unlock(&threads->lock);
}

void threads_destroy(struct threads *threads)
{
    if (!threads)
        return;
    start_round(threads, NULL, NULL);
    for (uint32_t i = 0; i < threads->count; i++)
        pthread_join(threads->ids[i], NULL);
    pthread_cond_destroy(&threads->end);
    pthread_cond_destroy(&threads->begin);
    pthread_mutex_destroy(&threads->lock);
    free(threads);
}
