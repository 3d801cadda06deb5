/* Calls of `assay run`, begun and resumed. */
#include "harness/results/store_internal.h"
#include "harness/results/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prepares a statement and binds numbers to it, from ?1 on. */
static int prepare(struct store *store, const char *sql, sqlite3_stmt **out, const int64_t *numbers, int count,
                   struct error *error)
{
    if (sqlite3_prepare_v2(store_database(store), sql, -1, out, NULL) != SQLITE_OK)
        return store_fail(store, error);
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(*out, 1 + i, numbers[i]);
    return 0;
}

/* Ends a statement after its last step. */
static int finish(struct store *store, sqlite3_stmt *statement, int code, struct error *error)
{
    int status = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : store_fail(store, error);
    sqlite3_finalize(statement);
    return status;
}

static int change(struct store *store, const char *sql, const int64_t *numbers, int count, struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_begin(store, error);
    if (status || (status = prepare(store, sql, &statement, numbers, count, error)))
        return status;
    return finish(store, statement, sqlite3_step(statement), error);
}

static int64_t as_stored(uint64_t bits)
{
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- begin and resume */

int store_begin_invocation(struct store *store, char *const *words, size_t count, unsigned runs, struct error *error)
{
    struct store_invocation *invocation = store_invocation_of(store);
    const int64_t number = runs;
    sqlite3_stmt *add;
    int status =
        change(store, "INSERT INTO invocation (started, runs) VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?1)",
               &number, 1, error);
    if (status)
        return status;
    *invocation = (struct store_invocation){.id = sqlite3_last_insert_rowid(store_database(store))};
    for (size_t i = 0; i < count && status == 0; i++) {
        const int64_t numbers[] = {invocation->id, (int64_t)i + 1};
        status = prepare(store, "INSERT INTO argument VALUES (?1, ?2, ?3)", &add, numbers, 2, error);
        if (status)
            return status;
        sqlite3_bind_blob(add, 3, words[i], (int)strlen(words[i]), SQLITE_STATIC);
        status = finish(store, add, sqlite3_step(add), error);
    }
    return status ? status : store_flush(store, error);
}

static int read_words(struct store *store, int64_t id, char ***words, size_t *count, struct error *error)
{
    sqlite3_stmt *rows;
    int code = SQLITE_DONE,
        status = prepare(store, "SELECT word FROM argument WHERE invocation_id = ?1 ORDER BY position", &rows, &id, 1,
                         error);
    if (status)
        return status;
    while (status == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *word = sqlite3_column_blob(rows, 0);
        char **larger = realloc(*words, (*count + 1) * sizeof *larger),
             *copy = strndup(word ? word : "", (size_t)sqlite3_column_bytes(rows, 0));
        *words = larger ? larger : *words;
        if (larger && copy)
            larger[(*count)++] = copy;
        else
            status = error_set(error, EXIT_HARNESS, "out of memory");
    }
    int ended = finish(store, rows, code, error);
    return status ? status : ended;
}

int store_resume(struct store *store, bool force, char ***words, size_t *count, struct error *error)
{
    static const char sql[] =
        "SELECT max(id) FROM invocation WHERE runs > "
        "(SELECT count(*) FROM run WHERE run.invocation_id = invocation.id AND run.state = 'complete')";
    struct store_invocation *invocation = store_invocation_of(store);
    sqlite3_stmt *last;
    *words = NULL;
    *count = 0;
    int status = prepare(store, sql, &last, NULL, 0, error);
    if (status)
        return status;
    int code = sqlite3_step(last);
    int64_t id = code == SQLITE_ROW ? sqlite3_column_int64(last, 0) : 0;
    if ((status = finish(store, last, code, error)))
        return status;
    if (!id)
        return error_set(error, EXIT_NO_MATCH, "%s: nothing to resume: no run in it was broken off",
                         store_path_of(store));
    *invocation = (struct store_invocation){.id = id, .resumed = true, .force = force};
    return read_words(store, id, words, count, error);
}

int64_t store_resumed_run(struct store *store)
{
    const int64_t id = store_invocation_of(store)->id;
    sqlite3_stmt *row;
    if (prepare(store, "SELECT min(id) FROM run WHERE invocation_id = ?1", &row, &id, 1, NULL))
        return 0;
    int64_t first = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return first;
}

/* ---- taking up a run */

/* What is other than it was; false: nothing. */
static bool differs(sqlite3_stmt *row, const struct store_run *run, char *what, size_t size)
{
    static const char *const names[] = {"device",           "device's name", "driver",
                                        "device's version", "feature level", "version of assay"};
    const char *now[] = {run->device,         run->device_name,   run->device_driver,
                         run->device_version, run->feature_level, run->version};
    unsigned shard = run->shards ? run->shard : 1, shards = run->shards ? run->shards : 1;
    bool known =
        *run->device_name && *row_text(row, 7); /* interrupted before it was open, it has said nothing of itself */
    if (sqlite3_column_int64(row, 2) != as_stored(run->seed))
        snprintf(what, size, "the seed is 0x%llx, it was 0x%llx", (unsigned long long)run->seed,
                 (unsigned long long)sqlite3_column_int64(row, 2));
    else if (sqlite3_column_int(row, 3) != (int)shard || sqlite3_column_int(row, 4) != (int)shards)
        snprintf(what, size, "the shard is %u/%u, it was %d/%d", shard, shards, sqlite3_column_int(row, 3),
                 sqlite3_column_int(row, 4));
    else if (sqlite3_column_int64(row, 1) != as_stored(run->plan_hash))
        snprintf(what, size, "other cases are planned now: %llu, there were %lld", (unsigned long long)run->planned,
                 (long long)sqlite3_column_int64(row, 5));
    else
        for (int i = 0; i < 6; i++)
            if (strcmp(row_text(row, 6 + i), now[i]) != 0 && (known || i == 0 || i == 5)) {
                snprintf(what, size, "the %s is '%.100s', it was '%.100s'", names[i], now[i], row_text(row, 6 + i));
                return true;
            }
    return *what != '\0';
}

/* The run is what is run now. */
static int adopt(struct store *store, int64_t id, const struct store_run *run, struct error *error)
{
    const char *texts[] = {run->device,         run->device_name,   run->device_driver,
                           run->device_version, run->feature_level, run->version};
    const char *const sqls[] = {"INSERT OR IGNORE INTO device (device, name, driver, version, feature_level) "
                                "VALUES (?1, ?2, ?3, ?4, ?5)",
                                "UPDATE run SET version = ?6, seed = ?8, planned = ?9, plan_hash = ?10, shard = ?11, "
                                "shards = ?12, device_id = (SELECT id FROM device WHERE "
                                "(device, name, driver, version, feature_level) = (?1, ?2, ?3, ?4, ?5)) WHERE id = ?7"};
    const int64_t numbers[] = {id,
                               as_stored(run->seed),
                               (int64_t)run->planned,
                               as_stored(run->plan_hash),
                               run->shards ? run->shard : 1,
                               run->shards ? run->shards : 1};
    int status = store_begin(store, error);
    for (int i = 0; i < 2 && status == 0; i++) {
        sqlite3_stmt *statement;
        if ((status = prepare(store, sqls[i], &statement, NULL, 0, error)))
            return status;
        for (int j = 0; j < 6; j++)
            sqlite3_bind_text(statement, 1 + j, texts[j], -1, SQLITE_STATIC);
        for (int j = 0; j < 6; j++)
            sqlite3_bind_int64(statement, 7 + j, numbers[j]);
        status = finish(store, statement, sqlite3_step(statement), error);
    }
    return status;
}

int store_take_up(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error)
{
    static const char *const changes[] = {
        ("DELETE FROM detail WHERE run_id = ?1 AND (case_id, attempt) IN "
         "(SELECT case_id, attempt FROM result WHERE run_id = ?1 AND status = 'incomplete')"),
        "DELETE FROM result WHERE run_id = ?1 AND status = 'incomplete'", "DELETE FROM running WHERE run_id = ?1",
        "UPDATE run SET state = 'running', ended = NULL WHERE id = ?1"};
    struct store_invocation *invocation = store_invocation_of(store);
    const int64_t numbers[] = {invocation->id, invocation->last_run};
    char what[300] = "";
    sqlite3_stmt *row;
    *run_id = 0;
    if (!invocation->resumed)
        return 0;
    int status = prepare(store,
                         "SELECT run.id, plan_hash, seed, shard, shards, planned, device.device, device.name, "
                         "device.driver, device.version, device.feature_level, run.version "
                         "FROM run JOIN device ON device.id = device_id "
                         "WHERE invocation_id = ?1 AND run.id > ?2 ORDER BY run.id LIMIT 1",
                         &row, numbers, 2, error);
    if (status)
        return status;
    int code = sqlite3_step(row);
    int64_t id = code == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    bool other = id && differs(row, run, what, sizeof what), news = id && !*row_text(row, 7);
    if ((status = finish(store, row, code, error)) || !id)
        return status;
    if (other && !invocation->force)
        return error_set(error, EXIT_USAGE, "%s: run %lld cannot be resumed: %s; --force goes on all the same",
                         store_path_of(store), (long long)id, what);
    if (other || news)
        status = adopt(store, id, run, error);
    for (size_t i = 0; i < sizeof changes / sizeof *changes && status == 0; i++)
        status = change(store, changes[i], &id, 1, error);
    *run_id = invocation->last_run = id;
    return status ? status : store_flush(store, error);
}
