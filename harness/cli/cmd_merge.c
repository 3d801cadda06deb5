#include "harness/cli/cmd.h"
#include "harness/results/store.h"
#include "harness/base/text.h"
#include "harness/base/fileuse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 65536 /* shards in one database */ };

/* A run of one input. */
struct part {
    const char *path;
    struct history *history;
    struct history_run run;
    int64_t results; /* cases with a status other than incomplete */
    bool handled;    /* together with the other runs on its device */
};

struct parts {
    struct part *items;
    size_t count;
    uint64_t statuses[STATUS_COUNT];
};

/* ---- reading the inputs */

static int merge_count_result(void *context, const struct history_result *result)
{
    struct part *part = context;
    part->results += result->status != STATUS_INCOMPLETE;
    return 0;
}

/* Adds the shards of a database. If it has none, the error says which runs it has instead. */
static int add_runs(struct parts *parts, const char *path, struct history *history, struct error *error)
{
    struct history_run *runs = calloc(RUNS_MAX, sizeof *runs), last;
    int count = 0, result = runs ? history_shards(history, runs, RUNS_MAX, &count, error)
                                 : error_set(error, EXIT_HARNESS, "out of memory");
    if (result == 0 && count == 0 && (result = history_last_run(history, NULL, 0, &last, error)) == 0)
        result = error_set(error, EXIT_USAGE, "%s: its run on '%s' is whole; expected one of `assay run --shard M/N`",
                           path, last.device);
    struct part *larger = result ? NULL : realloc(parts->items, (parts->count + (size_t)count) * sizeof *larger);
    if (result == 0 && !larger)
        result = error_set(error, EXIT_HARNESS, "out of memory");
    parts->items = larger ? larger : parts->items;
    for (int i = 0; i < count && result == 0; i++) {
        struct part *part = &parts->items[parts->count++];
        *part = (struct part){.path = path, .history = history, .run = runs[i]};
        result = history_results(history, part->run.id, merge_count_result, part, error);
    }
    free(runs);
    return result;
}

/* ---- checking that the parts make one run */

static int merge_check_complete(const struct part *part, struct error *error)
{
    const struct history_run *run = &part->run;
    if (part->results == run->planned && strcmp(run->state, "complete") == 0)
        return 0;
    return error_set(error, EXIT_INCOMPLETE,
                     "%s: shard %u/%u on '%s': %" PRId64 " of its %" PRId64
                     " cases have no result; `assay run --resume --db %s` runs them",
                     part->path, run->shard, run->shards, run->device, run->planned - part->results, run->planned,
                     part->path);
}

/* Returns the property in which two runs differ that must agree; null: they agree. */
static const char *merge_difference(const struct history_run *a, const struct history_run *b)
{
    const bool hashes = *a->device_hash && *b->device_hash;
    const struct {
        bool differs;
        const char *name;
    } properties[] = {{a->shards != b->shards, "number of shards"},
                      {a->seed != b->seed, "seed"},
                      {a->plan_hash != b->plan_hash, "plan of cases"},
                      {strcmp(a->version, b->version) != 0, "version of assay"},
                      {strcmp(a->device_name, b->device_name) != 0, "device's name"},
                      {strcmp(a->device_driver, b->device_driver) != 0, "driver"},
                      {strcmp(a->device_version, b->device_version) != 0, "device's version"},
                      {strcmp(a->feature_level, b->feature_level) != 0, "feature level"},
                      {strcmp(a->purpose, b->purpose) != 0, "purpose"},
                      {a->half != b->half, "precision: one was made with --half"},
                      {hashes && strcmp(a->device_hash, b->device_hash) != 0, "content of the device's file"}};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (properties[i].differs)
            return properties[i].name;
    return NULL;
}

static int check_pair(const struct part *a, const struct part *b, struct error *error)
{
    const char *differs = merge_difference(&a->run, &b->run);
    if (differs)
        return error_set(error, EXIT_USAGE, "%s and %s: not shards of one run on '%s': different %s", a->path, b->path,
                         a->run.device, differs);
    if (a->run.shard == b->run.shard)
        return error_set(error, EXIT_USAGE, "%s and %s: both have shard %u/%u on '%s'", a->path, b->path, a->run.shard,
                         a->run.shards, a->run.device);
    return 0;
}

/* The parts are in the order of their shards, which all differ. A stranger's database may claim billions of shards. */
static int check_all_there(const struct part *const *chosen, size_t count, struct error *error)
{
    enum { NAMED_MAX = 20 };
    char missing[NAMED_MAX * 24] = "";
    const unsigned shards = chosen[0]->run.shards;
    unsigned shard = 1, lacking = 0;
    for (size_t i = 0; shard <= shards && lacking < NAMED_MAX; shard++) {
        size_t used = strlen(missing);
        if (i < count && chosen[i]->run.shard == shard) {
            i++;
            continue;
        }
        lacking++;
        snprintf(missing + used, sizeof missing - used, "%s%u/%u", used ? ", " : "", shard, shards);
    }
    if (lacking == 0)
        return 0;
    return error_set(error, EXIT_INCOMPLETE, "'%s': missing: shard %s%s", chosen[0]->run.device, missing,
                     lacking == NAMED_MAX && shard <= shards ? " and perhaps more" : "");
}

/* Chooses the parts on the device of `first`, the first such part, in order of shards, and checks them. */
static int merge_choose(struct parts *parts, struct part *first, const struct part **chosen, size_t *count,
                        struct error *error)
{
    int result = 0;
    *count = 0;
    for (struct part *part = first; part < parts->items + parts->count && result == 0; part++) {
        if (strcmp(part->run.device, first->run.device) != 0)
            continue;
        part->handled = true;
        result = merge_check_complete(part, error);
        for (size_t i = 0; i < *count && result == 0; i++)
            result = check_pair(chosen[i], part, error);
        size_t at = (*count)++;
        for (; at > 0 && chosen[at - 1]->run.shard > part->run.shard; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = part;
    }
    return result ? result : check_all_there(chosen, *count, error);
}

/* ---- merging */

static int count_status(void *context, const struct history_result *result)
{
    ((uint64_t *)context)[result->status]++;
    return 0;
}

static int print_merged(const struct part *const *chosen, size_t count, struct error *error)
{
    uint64_t statuses[STATUS_COUNT] = {0}, all = 0;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = history_results(chosen[i]->history, chosen[i]->run.id, count_status, statuses, error);
    for (int s = 0; s < STATUS_COUNT; s++)
        all += statuses[s];
    text_print(stdout, chosen[0]->run.device);
    printf(": %zu shards, %" PRIu64 " cases:", count, all);
    const char *comma = " ";
    for (int s = 0; s < STATUS_COUNT; s++)
        if (statuses[s]) {
            printf("%s%" PRIu64 " %s", comma, statuses[s], status_name((enum status)s));
            comma = ", ";
        }
    putchar('\n');
    return result;
}

/* Returns the run that an earlier merge made of these shards; 0: none. */
static int find_merged(struct store *store, const struct part *const *chosen, size_t count, int64_t *run_id,
                       struct error *error)
{
    const char *started = chosen[0]->run.started, *ended = chosen[0]->run.ended;
    for (size_t i = 1; i < count; i++) {
        started = strcmp(chosen[i]->run.started, started) < 0 ? chosen[i]->run.started : started;
        ended = strcmp(chosen[i]->run.ended, ended) > 0 ? chosen[i]->run.ended : ended;
    }
    return store_find_merged(store, &chosen[0]->run, started, ended, run_id, error);
}

static int merge_device(struct store *store, const struct part *const *chosen, size_t count, struct error *error)
{
    int64_t merged;
    int result = find_merged(store, chosen, count, &merged, error);
    if (result)
        return result;
    if (merged) {
        text_print(stdout, chosen[0]->run.device);
        printf(": these shards are already merged, as run %" PRId64 "; not added again\n", merged);
        return 0;
    }
    struct store_shard *shards = calloc(count, sizeof *shards);
    if (!shards)
        return error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < count; i++)
        shards[i] = (struct store_shard){chosen[i]->history, chosen[i]->run.id};
    result = store_merge(store, shards, count, error);
    free(shards);
    return result ? result : print_merged(chosen, count, error);
}

/* Checks the parts of every device; with a store, also merges them. */
static int for_devices(struct parts *parts, struct store *store, struct error *error)
{
    const struct part **chosen = calloc(parts->count + 1, sizeof *chosen);
    int result = chosen ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < parts->count; i++)
        parts->items[i].handled = false;
    for (size_t i = 0; i < parts->count && result == 0; i++) {
        size_t count;
        if (parts->items[i].handled)
            continue;
        result = merge_choose(parts, &parts->items[i], chosen, &count, error);
        if (result == 0 && store)
            result = merge_device(store, chosen, count, error);
    }
    free(chosen);
    return result;
}

static int merge_into(struct parts *parts, const char *path, struct error *error)
{
    struct store *store;
    int result = for_devices(parts, NULL, error);
    if (result == 0)
        result = store_open(path, &store, error);
    if (result)
        return result;
    result = for_devices(parts, store, error);
    int closed = store_close(store, result ? NULL : error);
    return result ? result : closed;
}

static int cmd_merge_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const char *const *paths = arguments->items;
    struct parts parts = {0};
    struct fileuse files = {0};
    (void)values;
    if (arguments->count < 2)
        return error_set(error, EXIT_USAGE, "merge takes databases: assay merge OUT.db IN.db…");
    fileuse_add(&files, FILEUSE_STORE, "OUT.db", paths[0]);
    for (size_t i = 1; i < arguments->count; i++)
        fileuse_add(&files, FILEUSE_SOURCE, "IN.db", paths[i]);
    int result = fileuse_check(&files, error);
    if (result)
        return result;
    struct history **histories = calloc(arguments->count, sizeof *histories);
    if (!histories)
        return error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 1; i < arguments->count && result == 0; i++) {
        result = history_open(paths[i], &histories[i], error);
        if (result == 0)
            result = add_runs(&parts, paths[i], histories[i], error);
    }
    if (result == 0)
        result = merge_into(&parts, paths[0], error);
    for (size_t i = 1; i < arguments->count; i++)
        history_close(histories[i]);
    free(histories);
    free(parts.items);
    return result;
}

static const struct option options[] = {{0}};

const struct command cmd_merge = {
    .name = "merge",
    .arguments = "OUT.db IN.db…",
    .summary = "make one run of the shards of `assay run --shard`",
    .examples = "assay run -d reference --shard 1/2 --db one.db\n"
                "assay run -d reference --shard 2/2 --db two.db\n"
                "assay merge results.db one.db two.db\n",
    .notes =
        "Takes from each IN.db the newest run of each shard, for every device whose last run in it is a shard, merges "
        "them device by device, and adds the merged runs to OUT.db. One IN.db may hold several shards. They "
        "must be of the same plan, seed, device, device file and version, and each shard must be there once and be "
        "complete. If a shard is missing or incomplete, merge names it and merges nothing: exit status 5. Shards that "
        "OUT.db has merged before are not "
        "added again. The merged run is row for row the one that would have been made in one piece; `assay expect "
        "check` says which lines of an expectation file are stale in it.\n",
    .options = options,
    .values_size = 1,
    .run = cmd_merge_run};
