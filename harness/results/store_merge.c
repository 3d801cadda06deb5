/* Merges the shards of a run into one run. */
#include "harness/results/copy_rows.h"
#include "harness/results/store_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* Adds the run. Its values are those of the first shard; `add_run` below adds up the values in which shards differ. */
static int store_merge_begin_run(struct store *store, const struct store_shard *first, int64_t *run_id,
                                 struct error *error)
{
    struct copy copy = {.from = first->history, .to = store->db};
    int result = copy_rows(&copy, "device", "id = (SELECT device_id FROM run WHERE id = ?1)", first->run, error);
    if (result == 0)
        result = copy_rows(&copy, "run", "id = ?1", first->run, error);
    *run_id = result == 0 && copy.ids[COPY_RUN].count ? copy.ids[COPY_RUN].items[0].to : 0;
    copy_free(&copy);
    if (result)
        return result;
    char sql[160];
    snprintf(sql, sizeof sql,
             "UPDATE run SET planned = 0, shard = 1, shards = 1, ended = '', state = 'complete' WHERE id = %lld",
             (long long)*run_id);
    return store_execute(store, sql, error);
}

/* Adds the planned cases of a shard to the run, and makes its times include those of the shard. */
static int store_merge_add_run(struct store *store, const struct store_shard *shard, int64_t run_id,
                               struct error *error)
{
    struct row from, to;
    if (row_prepare(&from, history_database(shard->history), "SELECT planned, started, ended FROM run WHERE id = ?1") !=
        SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "%s: %s; nothing was merged", history_path(shard->history),
                         guard_message(history_database(shard->history)));
    int result = 0;
    sqlite3_bind_int64(from.statement, 1, shard->run);
    if (sqlite3_step(from.statement) != SQLITE_ROW) {
        result = error_set(error, EXIT_HARNESS, "%s: %s; nothing was merged", history_path(shard->history),
                           guard_message(history_database(shard->history)));
    } else if (row_prepare(&to, store->db,
                           "UPDATE run SET planned = planned + ?2, started = min(started, ?3), ended = max(ended, ?4) "
                           "WHERE id = ?1") != SQLITE_OK) {
        result = store_fail(store, error);
    } else {
        sqlite3_bind_int64(to.statement, 1, run_id);
        sqlite3_bind_int64(to.statement, 2, row_int(&from, "planned"));
        store_bind_text(to.statement, 3, row_text(&from, "started"));
        store_bind_text(to.statement, 4, row_text(&from, "ended"));
        if (sqlite3_step(to.statement) != SQLITE_DONE)
            result = store_fail(store, error);
        row_close(&to);
    }
    row_close(&from);
    return result;
}

static int add_shard(struct store *store, const struct store_shard *shard, int64_t run_id, struct error *error)
{
    static const struct {
        const char *table, *where;
    } tables[] = {
        {"test_case", "id IN (SELECT case_id FROM result WHERE run_id = ?1)"},
        {"judgement", "id IN (SELECT judgement_id FROM result WHERE run_id = ?1)"},
        {"result", "run_id = ?1"},
        {"detail", "run_id = ?1"},
    };
    struct copy copy = {.from = shard->history, .to = store->db};
    int result = store_merge_add_run(store, shard, run_id, error);
    if (result == 0 && !copy_add_id(&copy, COPY_RUN, shard->run, run_id))
        result = error_set(error, EXIT_HARNESS, "%s: out of memory", store->path);
    for (size_t t = 0; t < sizeof tables / sizeof *tables && result == 0; t++)
        result = copy_rows(&copy, tables[t].table, tables[t].where, shard->run, error);
    copy_free(&copy);
    return result;
}

int store_find_merged(struct store *store, const struct history_run *shard, const char *started, const char *ended,
                      int64_t *run_id, struct error *error)
{
    static const char sql[] =
        "SELECT max(run.id) AS id FROM run JOIN device ON device.id = device_id WHERE shards = 1 AND invocation_id IS "
        "NULL "
        "AND run.seed = ?1 AND plan_hash = ?2 AND run.version = ?3 AND started = ?4 AND ended = ?5 AND device = ?6";
    const char *const texts[] = {shard->version, started, ended, shard->device};
    struct row row;
    if (row_prepare(&row, store->db, sql) != SQLITE_OK)
        return store_fail(store, error);
    store_bind_bits(row.statement, 1, shard->seed);
    store_bind_bits(row.statement, 2, shard->plan_hash);
    for (int i = 0; i < 4; i++)
        store_bind_text(row.statement, 3 + i, texts[i]);
    int code = sqlite3_step(row.statement), result = code == SQLITE_ROW ? 0 : store_fail(store, error);
    *run_id = code == SQLITE_ROW ? row_int(&row, "id") : 0;
    row_close(&row);
    return result;
}

int store_merge(struct store *store, const struct store_shard *shards, size_t count, struct error *error)
{
    int64_t run_id;
    int result = store_begin(store, error);
    if (result == 0)
        result = store_merge_begin_run(store, &shards[0], &run_id, error);
    for (size_t i = 0; i < count && result == 0; i++)
        result = add_shard(store, &shards[i], run_id, error);
    if (result == 0)
        result = store_flush(store, error);
    else
        store_abandon(store);
    return result;
}
