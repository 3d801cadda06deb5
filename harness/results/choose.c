/* Chooses the cases of a run by their results in a database. */
#include "harness/results/choose.h"

#include "harness/base/nametable.h"
#include "harness/results/history.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct names {
    struct nametable table;
    bool full; /* out of memory */
};

static void choose_add(struct names *names, const char *name)
{
    if (nametable_find(&names->table, &name, 1) == 0 && !nametable_add(&names->table, &name, 1, 1))
        names->full = true;
}

struct failed {
    struct names *names;
    int64_t newest; /* run that a verdict on one of them comes from; 0: none */
};

static int add_failed(void *context, const struct history_result *result)
{
    struct failed *failed = context;
    if (!result->failure && result->status != STATUS_INCOMPLETE && !result->not_run)
        return 0;
    choose_add(failed->names, result->case_name);
    failed->newest = result->run > failed->newest ? result->run : failed->newest;
    return 0;
}

static int choose_add_case(void *context, const char *name)
{
    choose_add(context, name);
    return 0;
}

/* Reads the names of the cases that fail in the current state of the device, and the seed. The device needs no run if
 * new cases are wanted, too. */
static int read_failed(const struct choose_wanted *wanted, struct history *history, const char *device,
                       struct names *failed, uint64_t *seed, struct error *error)
{
    struct history_run last;
    int result = history_last_run(history, device, wanted->before, &last, wanted->fresh ? NULL : error);
    if (result)
        return wanted->fresh && result == EXIT_NO_MATCH ? 0 : result;
    struct failed found = {.names = failed};
    result = history_state(history, last.id, HISTORY_ALL, add_failed, &found, error);
    if (result || *seed != 0)
        return result;
    result = found.newest ? history_run(history, found.newest, &last, error) : 0;
    *seed = last.seed;
    return result;
}

static int keep_wanted(const struct choose_wanted *wanted, const struct plan *plan, const struct names *failed,
                       const struct names *known, struct plan *chosen, struct error *error)
{
    chosen->cases = calloc(plan->count + 1, sizeof *chosen->cases);
    if (!chosen->cases || failed->full || known->full)
        return error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        const char *const *name = &plan->cases[i].name;
        if ((wanted->failed && nametable_find(&failed->table, name, 1)) ||
            (wanted->fresh && !nametable_find(&known->table, name, 1)))
            chosen->cases[chosen->count++] = plan->cases[i];
    }
    return 0;
}

static int choose_by_database(const struct choose_wanted *wanted, const struct plan *plan, const char *device,
                              struct plan *chosen, uint64_t *seed, struct error *error)
{
    struct history *history = NULL;
    struct names failed = {0}, known = {0};
    bool nothing_yet = wanted->fresh && !wanted->failed && access(wanted->database, F_OK) != 0;
    int result = nothing_yet ? 0 : history_open(wanted->database, &history, error);
    if (result == 0 && wanted->failed)
        result = read_failed(wanted, history, device, &failed, seed, error);
    if (result == 0 && wanted->fresh && !nothing_yet)
        result = history_cases(history, wanted->before, choose_add_case, &known, error);
    if (result == 0)
        result = keep_wanted(wanted, plan, &failed, &known, chosen, error);
    history_close(history);
    nametable_destroy(&failed.table);
    nametable_destroy(&known.table);
    return result;
}

/* Moves the cases that fail in the device's current state to the front. The order stays if there is no run of it. */
static int put_failed_first(const struct choose_wanted *wanted, const struct plan *plan, const char *device,
                            struct plan *chosen, struct error *error)
{
    const struct choose_wanted any = {.database = wanted->database, .before = wanted->before, .fresh = true};
    struct history *history = NULL;
    struct names failed = {0};
    uint64_t seed = 1; /* any but 0: the seed of that run is not asked for */
    if (access(wanted->database, F_OK) != 0)
        return 0;
    int result = history_open(wanted->database, &history, error);
    if (result == 0)
        result = read_failed(&any, history, device, &failed, &seed, error);
    struct testcase *cases = result == 0 ? calloc(chosen->count + 1, sizeof *cases) : NULL;
    size_t count = 0;
    for (int later = 0; later < 2 && cases; later++)
        for (size_t i = 0; i < chosen->count; i++)
            if ((nametable_find(&failed.table, &chosen->cases[i].name, 1) == 0) == later)
                cases[count++] = chosen->cases[i];
    if (cases) {
        if (chosen->cases != plan->cases)
            free(chosen->cases);
        chosen->cases = cases;
    } else if (result == 0) {
        result = error_set(error, EXIT_HARNESS, "out of memory for %zu cases", chosen->count);
    }
    history_close(history);
    nametable_destroy(&failed.table);
    return result;
}

int choose_wanted_cases(const struct choose_wanted *wanted, const struct plan *plan, const char *device,
                        struct plan *chosen, uint64_t *hash, size_t *all, uint64_t *seed, struct error *error)
{
    *chosen = *plan;
    if (wanted->failed || wanted->fresh) {
        *chosen = (struct plan){0};
        int result = choose_by_database(wanted, plan, device, chosen, seed, error);
        if (result)
            return result;
    }
    *hash = plan_hash(chosen);
    *all = chosen->count;
    if (wanted->shards > 0) {
        struct plan shard = plan_shard(chosen, wanted->shard, wanted->shards);
        if (chosen->cases != plan->cases)
            free(chosen->cases);
        *chosen = shard;
        if (!shard.cases)
            return error_set(error, EXIT_HARNESS, "out of memory for %zu cases", plan->count);
    }
    return wanted->failed_first ? put_failed_first(wanted, plan, device, chosen, error) : 0;
}
