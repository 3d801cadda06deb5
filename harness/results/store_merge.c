/* Shards of a run become one run. */
#include "harness/results/store_internal.h"

#include <string.h>

/* Rows go from one database to the other, as `get` gives them and `put` takes them. In `get`, ?1 is the run there; in
 * `put`, ?1 is the run here and the columns follow. */
struct table {
    const char *get, *put;
};

static const struct table first = {
    "SELECT device.device, name, driver, device.version, feature_level, run.version, seed, plan_hash, command, started "
    "FROM run JOIN device ON device.id = device_id WHERE run.id = ?1",
    "INSERT INTO run (device_id, version, seed, planned, plan_hash, shard, shards, command, started, ended, state) "
    "SELECT id, ?7, ?8, 0, ?9, 1, 1, ?10, ?11, '', 'running' FROM device "
    "WHERE ?1 = 0 AND (device, name, driver, version, feature_level) = (?2, ?3, ?4, ?5, ?6)"};

static const struct table tables[] = {
    {"SELECT name, operator, feature_level, data_types FROM test_case "
     "WHERE id IN (SELECT case_id FROM result WHERE run_id = ?1) ORDER BY id",
     "INSERT OR IGNORE INTO test_case (name, operator, feature_level, data_types) SELECT ?2, ?3, ?4, ?5 WHERE ?1"},
    {"SELECT rule, strength, pages, expected, outcome FROM judgement "
     "WHERE id IN (SELECT judgement_id FROM result WHERE run_id = ?1) ORDER BY id",
     "INSERT OR IGNORE INTO judgement (rule, strength, pages, expected, outcome) "
     "SELECT ?2, ?3, ?4, ?5, ?6 WHERE ?1"},
    {"SELECT name, attempt, status, host_ns, device_ns, seed, slow, rule, strength, pages, expected, outcome "
     "FROM result JOIN test_case ON test_case.id = case_id JOIN judgement ON judgement.id = judgement_id "
     "WHERE run_id = ?1 ORDER BY case_id, attempt",
     "INSERT INTO result (run_id, case_id, attempt, status, judgement_id, host_ns, device_ns, seed, slow) "
     "VALUES (?1, (SELECT id FROM test_case WHERE name = ?2), ?3, ?4, (SELECT id FROM judgement "
     "WHERE (rule, strength, pages, expected, outcome) = (?9, ?10, ?11, ?12, ?13)), ?5, ?6, ?7, ?8)"},
    {"SELECT name, attempt, message, wrong_count, wrong_tensor, wrong_coordinates, wrong_got, wrong_expected, "
     "reproduce, flaky, expectation, reason, cause FROM detail JOIN test_case ON test_case.id = case_id WHERE run_id = "
     "?1",
     "INSERT INTO detail (run_id, case_id, attempt, message, wrong_count, wrong_tensor, wrong_coordinates, wrong_got, "
     "wrong_expected, reproduce, flaky, expectation, reason, cause) "
     "VALUES (?1, (SELECT id FROM test_case WHERE name = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"},
    {"SELECT planned, started, ended FROM run WHERE id = ?1",
     "UPDATE run SET planned = planned + ?2, started = min(started, ?3), ended = max(ended, ?4), state = 'complete' "
     "WHERE id = ?1"},
};

static const struct table device = {
    "SELECT device.device, name, driver, device.version, feature_level FROM run JOIN device ON device.id = device_id "
    "WHERE run.id = ?1",
    "INSERT OR IGNORE INTO device (device, name, driver, version, feature_level) "
    "SELECT ?2, ?3, ?4, ?5, ?6 WHERE ?1 = 0"};

static int fail_to_read(const struct store_shard *shard, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: %s; nothing was merged", history_path(shard->history),
                     sqlite3_errmsg(history_database(shard->history)));
}

/* Text is made fit to print again: the database may come from anybody. */
static void bind(sqlite3_stmt *put, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++)
        if (sqlite3_column_type(row, i) == SQLITE_TEXT)
            store_bind_text(put, 2 + i, (const char *)sqlite3_column_text(row, i));
        else
            sqlite3_bind_value(put, 2 + i, sqlite3_column_value(row, i));
}

static int copy(struct store *store, const struct store_shard *shard, int64_t run_id, const struct table *table,
                struct error *error)
{
    sqlite3_stmt *get = NULL, *put = NULL;
    int code = SQLITE_DONE, result = 0;
    if (sqlite3_prepare_v2(history_database(shard->history), table->get, -1, &get, NULL) != SQLITE_OK)
        return fail_to_read(shard, error);
    if (sqlite3_prepare_v2(store_database(store), table->put, -1, &put, NULL) != SQLITE_OK)
        result = store_fail(store, error);
    sqlite3_bind_int64(get, 1, shard->run);
    while (result == 0 && (code = sqlite3_step(get)) == SQLITE_ROW) {
        sqlite3_bind_int64(put, 1, run_id);
        bind(put, get);
        if (sqlite3_step(put) != SQLITE_DONE)
            result = store_fail(store, error);
        sqlite3_reset(put);
    }
    if (result == 0 && code != SQLITE_DONE)
        result = fail_to_read(shard, error);
    sqlite3_finalize(get);
    sqlite3_finalize(put);
    return result;
}

int store_merge(struct store *store, const struct store_shard *shards, size_t count, struct error *error)
{
    int result = store_begin(store, error);
    if (result == 0)
        result = copy(store, &shards[0], 0, &device, error);
    if (result == 0)
        result = copy(store, &shards[0], 0, &first, error);
    int64_t run_id = sqlite3_last_insert_rowid(store_database(store));
    for (size_t i = 0; i < count && result == 0; i++)
        for (size_t t = 0; t < sizeof tables / sizeof *tables && result == 0; t++)
            result = copy(store, &shards[i], run_id, &tables[t], error);
    if (result == 0)
        result = store_flush(store, error);
    else
        store_abandon(store);
    return result;
}
