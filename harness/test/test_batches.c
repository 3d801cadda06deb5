/* The batches that workers get: an operator's cases go to one worker, while that worker has not too much to do. */
#include "harness/run/runner_internal.h"
#include "harness/load/load.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3 };

static struct runner_worker workers[WORKERS];
static bool has_run[WORKERS][1000]; /* by operator, as in the specs */

/* Takes a batch for a worker. Returns its number of cases; -1: one of them has been taken before. `shared`: adds the
 * cases whose operator another worker has. */
static int test_batches_take(struct runner *r, int worker, uint8_t *takers, size_t *shared)
{
    struct batch batch = runner_next_batch(r, &workers[worker]);
    int count = (int)batch.count;
    for (uint32_t i = 0; i < batch.count && count >= 0; i++) {
        size_t index = batch.cases[i];
        const struct spec *spec = r->config->plan->cases[index].spec;
        ptrdiff_t op = spec - r->config->specs->specs;
        *shared += r->owners[op] != worker + 1;
        has_run[worker][op] = true;
        if (takers[index] != 0)
            count = -1;
        takers[index] = 1;
    }
    r->batches++;
    free(batch.cases);
    return count;
}

/* Counts the cases that no worker got and that have no result without one. */
static size_t missing(const struct runner *r, const uint8_t *takers)
{
    size_t count = 0;
    for (size_t i = 0; i < r->config->plan->count; i++)
        count += (takers[i] != 0) == r->cases[i].done;
    return count;
}

static int workers_with_operators(const struct runner *r)
{
    unsigned has = 0;
    for (int i = 0; i < r->config->specs->count; i++)
        has |= r->owners[i] ? 1u << r->owners[i] : 0;
    return __builtin_popcount(has);
}

/* Returns true if each worker has run cases of each operator that has one. */
static bool all_mixed(const struct runner *r)
{
    bool mixed = true;
    for (int op = 0; op < r->config->specs->count; op++)
        for (int worker = 0; r->owners[op] && worker < WORKERS; worker++)
            mixed &= has_run[worker][op];
    return mixed;
}

static bool test_batches_begin(struct runner *r, const struct runner_config *config)
{
    *r = (struct runner){.config = config, .workers = workers, .started = true};
    r->hello.info = (assay_device_info){.feature_level = UINT32_MAX, .max_batch = 64};
    r->cases = calloc(config->plan->count, sizeof *r->cases);
    r->owners = calloc((size_t)config->specs->count + 1, 1);
    for (int i = 0; i < WORKERS; i++)
        workers[i].next = 0;
    memset(has_run, 0, sizeof has_run);
    return r->cases && r->owners;
}

static void test_batches_end(struct runner *r)
{
    for (size_t i = 0; r->cases && i < r->config->plan->count; i++)
        runner_free_case(&r->cases[i]);
    free(r->cases);
    free(r->owners);
}

/* Three workers of the same speed: each case is given once, most to the worker of their operator. */
static void test_even(const struct runner_config *config, const char *what)
{
    size_t count = config->plan->count, shared = 0;
    uint8_t *takers = calloc(count, 1);
    struct runner r;
    int got = 0;
    if (takers && test_batches_begin(&r, config)) {
        for (int worker = 0; got >= 0 && r.next < count; worker = (worker + 1) % WORKERS)
            got = test_batches_take(&r, worker, takers, &shared);
        ok(got >= 0 && missing(&r, takers) == 0, "%s: each of %zu cases is given once", what, count);
        ok(shared < count / 3, "  %zu of them to a worker that does not have their operator", shared);
        ok(workers_with_operators(&r) == WORKERS, "  every worker has operators");
        ok(all_mixed(&r), "  and runs some cases of all others");
    }
    test_batches_end(&r);
    free(takers);
}

/* Two workers, of which one never asks again: the other gets all cases. */
static void test_slow(const struct runner_config *config)
{
    size_t count = config->plan->count, shared = 0;
    uint8_t *takers = calloc(count, 1);
    struct runner r;
    if (takers && test_batches_begin(&r, config)) {
        int got = test_batches_take(&r, 0, takers, &shared);
        size_t own = shared;
        while (got >= 0 && r.next < count)
            got = test_batches_take(&r, 1, takers, &shared);
        ok(got >= 0 && missing(&r, takers) == 0 && own == 0,
           "one worker gets all cases but the first batch of another");
        ok(shared > 0, "  %zu of them help the other", shared);
    }
    test_batches_end(&r);
    free(takers);
}

/* If every case is repeated, the workers do not get far from each other. */
static void test_near(struct runner_config config)
{
    enum { NEAR = 16 };
    size_t count = config.plan->count, farthest = 0, shared = 0;
    uint8_t *takers = calloc(count, 1);
    struct runner r;
    config.repeat = 16384 / NEAR;
    if (takers && test_batches_begin(&r, &config)) {
        for (int i = 0; i < 100; i++)
            test_batches_take(&r, i % WORKERS, takers, &shared);
        for (size_t i = 0; i < count; i++)
            farthest = takers[i] ? i : farthest;
        ok(farthest > 100 && farthest < r.next + NEAR, "cases that are repeated are given nearly in order");
    }
    test_batches_end(&r);
    free(takers);
}

/* Each case gets three attempts, as --repeat asks, and no more. */
static void test_repeats(struct runner_config config)
{
    size_t count = config.plan->count, given = 0, wrong = 0;
    uint8_t *times = calloc(count, 1);
    struct runner r;
    config.repeat = 3;
    if (times && test_batches_begin(&r, &config) && (r.rerun = calloc(count, sizeof *r.rerun))) {
        for (int worker = 0; given <= 3 * count && (r.next < count || r.rerun_count > 0);
             worker = (worker + 1) % WORKERS) {
            struct batch batch = runner_next_batch(&r, &workers[worker]);
            for (uint32_t i = 0; i < batch.count; i++) {
                r.cases[batch.cases[i]].done = true;
                times[batch.cases[i]]++;
                runner_end_attempt(&r, batch.cases[i]);
            }
            given += batch.count;
            workers[worker].used = true;
            r.batches++;
            free(batch.cases);
        }
        for (size_t i = 0; i < count; i++)
            wrong += times[i] == 0 ? !r.cases[i].done : times[i] != 3;
        ok(wrong == 0, "each of %zu cases is given three times, if it is to be", count);
        free(r.rerun);
    }
    test_batches_end(&r);
    free(times);
}

int main(void)
{
    static const char *few[] = {"GATHER", "GATHER_ND1", "NONZERO_COORDINATES", "ONE_HOT", "CAST", "TOP_K"};
    const struct plan_filter filter = {
        .operators = few, .operator_count = sizeof few / sizeof *few, .cache = kept_plan()};
    struct spec_set specs;
    struct plan plan = {0};
    struct error error;
    if (!ok(kept_specs(&specs, &error) == 0 && plan_make(&plan, &specs, "cases", &filter, &error) == 0,
            "the plan is made"))
        return note("%s", error.text), tap_done();
    uint32_t *backwards = calloc(plan.count, sizeof *backwards);
    for (size_t i = 0; backwards && i < plan.count; i++)
        backwards[i] = (uint32_t)(plan.count - 1 - i);
    struct runner_config config = {.plan = &plan, .specs = &specs, .jobs = WORKERS};
    test_even(&config, "in the order of the plan");
    config.order = backwards;
    test_even(&config, "in another order");
    test_slow(&config);
    config.order = NULL;
    test_repeats(config);
    test_near(config);
    free(backwards);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
