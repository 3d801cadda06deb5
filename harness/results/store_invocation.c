/* Begins and resumes calls of `assay run`, and resumes their runs. */
#include "harness/results/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prepares a statement and binds numbers to it, from ?1 on. */
static int store_invocation_prepare(struct store *store, const char *sql, struct row *out, const int64_t *numbers,
                                    int count, struct error *error)
{
    if (row_prepare(out, store->db, sql) != SQLITE_OK)
        return store_fail(store, error);
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(out->statement, 1 + i, numbers[i]);
    return 0;
}

/* Closes a statement after its last step, which returned `code`. */
static int store_invocation_finish(struct store *store, struct row *row, int code, struct error *error)
{
    int status = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : store_fail(store, error);
    row_close(row);
    return status;
}

/* Runs a statement that changes rows. */
static int store_invocation_change(struct store *store, const char *sql, const int64_t *numbers, int count,
                                   struct error *error)
{
    struct row statement;
    int status = store_begin(store, error);
    if (status || (status = store_invocation_prepare(store, sql, &statement, numbers, count, error)))
        return status;
    return store_invocation_finish(store, &statement, sqlite3_step(statement.statement), error);
}

/* Returns the signed number with the same bits: SQLite has no unsigned ones. */
static int64_t as_stored(uint64_t bits)
{
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- begin and resume */

int store_begin_invocation(struct store *store, char *const *words, size_t count, unsigned runs, struct error *error)
{
    struct store_invocation *invocation = &store->invocation;
    const int64_t number = runs;
    struct row add;
    int status = store_invocation_change(
        store, "INSERT INTO invocation (started, runs) VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?1)", &number, 1,
        error);
    if (status)
        return status;
    *invocation = (struct store_invocation){.id = sqlite3_last_insert_rowid(store->db)};
    for (size_t i = 0; i < count && status == 0; i++) {
        const int64_t numbers[] = {invocation->id, (int64_t)i + 1};
        status = store_invocation_prepare(store, "INSERT INTO argument VALUES (?1, ?2, ?3)", &add, numbers, 2, error);
        if (status)
            return status;
        sqlite3_bind_blob(add.statement, 3, words[i], (int)strlen(words[i]), SQLITE_STATIC);
        status = store_invocation_finish(store, &add, sqlite3_step(add.statement), error);
    }
    return status ? status : store_flush(store, error);
}

static int read_words(struct store *store, int64_t id, char ***words, size_t *count, struct error *error)
{
    struct row row;
    int code = SQLITE_DONE,
        status = store_invocation_prepare(store,
                                          "SELECT word, length(word) AS size FROM argument WHERE invocation_id = ?1 "
                                          "ORDER BY position",
                                          &row, &id, 1, error);
    if (status)
        return status;
    while (status == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        char **larger = realloc(*words, (*count + 1) * sizeof *larger),
             *copy = strndup(row_text(&row, "word"), (size_t)row_count(&row, "size"));
        *words = larger ? larger : *words;
        if (larger && copy)
            larger[(*count)++] = copy;
        else
            status = error_set(error, EXIT_HARNESS, "out of memory");
    }
    int ended = store_invocation_finish(store, &row, code, error);
    return status ? status : ended;
}

static int find_invocation(struct store *store, bool force, char ***words, size_t *count, bool *complete,
                           struct error *error)
{
    static const char sql[] =
        "SELECT max(id) AS id, (SELECT max(id) FROM invocation) AS last FROM invocation WHERE runs > "
        "(SELECT count(*) FROM run WHERE run.invocation_id = invocation.id AND run.state = 'complete')";
    struct store_invocation *invocation = &store->invocation;
    struct row last;
    int status = store_invocation_prepare(store, sql, &last, NULL, 0, error);
    if (status)
        return status;
    int code = sqlite3_step(last.statement);
    int64_t id = code == SQLITE_ROW ? row_int(&last, "id") : 0, whole = code == SQLITE_ROW ? row_int(&last, "last") : 0;
    if ((status = store_invocation_finish(store, &last, code, error)))
        return status;
    *complete = !id && whole;
    if (*complete)
        return read_words(store, whole, words, count, error);
    if (!id)
        return error_set(error, EXIT_NO_MATCH, "%s: nothing to resume: it has no run of `assay run`", store->path);
    *invocation = (struct store_invocation){.id = id, .resumed = true, .force = force};
    return read_words(store, id, words, count, error);
}

int store_resume(struct store *store, bool force, char ***words, size_t *count, bool *complete, struct error *error)
{
    struct guard guard;
    *words = NULL;
    *count = 0;
    guard_begin(&guard, store->db);
    int status = guard_check_content(store->db, store->path, error);
    if (status == 0)
        status = find_invocation(store, force, words, count, complete, error);
    guard_end(&guard);
    return status;
}

int64_t store_resumed_run(struct store *store)
{
    const int64_t id = store->invocation.id;
    struct row row;
    if (store_invocation_prepare(store, "SELECT min(id) AS id FROM run WHERE invocation_id = ?1", &row, &id, 1, NULL))
        return 0;
    int64_t first = sqlite3_step(row.statement) == SQLITE_ROW ? row_int(&row, "id") : 0;
    row_close(&row);
    return first;
}

/* ---- resuming a run */

/* Compares the stored run with the one that is to continue it. Describes the first difference in `what`; false:
 * none. */
static bool store_invocation_differs(struct row *row, const struct store_run *run, char *what, size_t size)
{
    const struct {
        const char *title, *column, *now;
        bool always; /* compared even if the device did not describe itself in one of the runs */
    } texts[] = {{"device", "device", run->device, true},
                 {"device's name", "device_name", run->device_name, false},
                 {"driver", "device_driver", run->device_driver, false},
                 {"device's version", "device_version", run->device_version, false},
                 {"feature level", "feature_level", run->feature_level, false},
                 {"version of assay", "version", run->version, true}};
    unsigned shard = run->shards ? run->shard : 1, shards = run->shards ? run->shards : 1;
    /* A run that was interrupted before its device was open has no description of the device. */
    bool described = *run->device_name && *row_text(row, "device_name");
    if (row_int(row, "seed") != as_stored(run->seed))
        snprintf(what, size, "the seed is 0x%llx, it was 0x%llx", (unsigned long long)run->seed,
                 (unsigned long long)row_int(row, "seed"));
    else if (row_int(row, "shard") != shard || row_int(row, "shards") != shards)
        snprintf(what, size, "the shard is %u/%u, it was %lld/%lld", shard, shards, (long long)row_int(row, "shard"),
                 (long long)row_int(row, "shards"));
    else if (row_flag(row, "half") != run->scope.half)
        snprintf(what, size, "it is made with%s --half, it was with%s", run->scope.half ? "" : "out",
                 run->scope.half ? "out" : "");
    else if (row_int(row, "plan_hash") != as_stored(run->plan_hash))
        snprintf(what, size, "other cases are planned now: %llu, there were %lld", (unsigned long long)run->planned,
                 (long long)row_int(row, "planned"));
    else if (run->origin && *run->origin->device_hash && *row_text(row, "device_hash") &&
             strcmp(row_text(row, "device_hash"), run->origin->device_hash) != 0)
        snprintf(what, size, "the device's file has other contents: its hash is %s, it was %s",
                 run->origin->device_hash, row_text(row, "device_hash"));
    else
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if ((described || texts[i].always) && strcmp(row_text(row, texts[i].column), texts[i].now) != 0) {
                snprintf(what, size, "the %s is '%.100s', it was '%.100s'", texts[i].title, texts[i].now,
                         row_text(row, texts[i].column));
                return true;
            }
    return *what != '\0';
}

/* Makes the stored run that of `run`: its device with origin, version, seed, plan and shard. If either was made with
 * --half, it counts as made so. */
static int adopt(struct store *store, int64_t id, const struct store_run *run, struct error *error)
{
    const char *texts[] = {run->device,         run->device_name,   run->device_driver,
                           run->device_version, run->feature_level, run->version};
    const char *const sqls[] = {"INSERT OR IGNORE INTO device (device, name, driver, version, feature_level) "
                                "VALUES (?1, ?2, ?3, ?4, ?5)",
                                "UPDATE run SET version = ?6, seed = ?8, planned = ?9, plan_hash = ?10, shard = ?11, "
                                "shards = ?12, (" STORE_ORIGIN_COLUMNS
                                ") = (?13, ?14, ?15, ?16, ?17, ?18, ?19), half = max(half, ?20), "
                                "device_id = (SELECT id FROM device WHERE "
                                "(device, name, driver, version, feature_level) = (?1, ?2, ?3, ?4, ?5)) WHERE id = ?7"};
    const int64_t numbers[] = {id,
                               as_stored(run->seed),
                               (int64_t)run->planned,
                               as_stored(run->plan_hash),
                               run->shards ? run->shard : 1,
                               run->shards ? run->shards : 1};
    int status = store_begin(store, error);
    for (int i = 0; i < 2 && status == 0; i++) {
        struct row row;
        sqlite3_stmt *statement;
        if ((status = store_invocation_prepare(store, sqls[i], &row, NULL, 0, error)))
            return status;
        statement = row.statement;
        for (int j = 0; j < 6; j++)
            sqlite3_bind_text(statement, 1 + j, texts[j], -1, SQLITE_STATIC);
        for (int j = 0; j < 6; j++)
            sqlite3_bind_int64(statement, 7 + j, numbers[j]);
        store_bind_origin(statement, 13, run->origin);
        sqlite3_bind_int(statement, 20, run->scope.half);
        status = store_invocation_finish(store, &row, sqlite3_step(statement), error);
    }
    return status;
}

int store_resume_run(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error)
{
    static const char *const changes[] = {
        ("DELETE FROM detail WHERE run_id = ?1 AND (case_id, attempt) IN "
         "(SELECT case_id, attempt FROM result WHERE run_id = ?1 AND status = 'incomplete')"),
        "DELETE FROM result WHERE run_id = ?1 AND status = 'incomplete'", "DELETE FROM running WHERE run_id = ?1",
        "UPDATE run SET state = 'running', ended = NULL WHERE id = ?1"};
    struct store_invocation *invocation = &store->invocation;
    const int64_t numbers[] = {invocation->id, invocation->last_run};
    char what[300] = "";
    struct row row;
    *run_id = 0;
    if (!invocation->resumed)
        return 0;
    int status = store_invocation_prepare(
        store,
        "SELECT run.id AS id, seed, shard, shards, plan_hash, planned, device.device AS device, "
        "device.name AS device_name, device.driver AS device_driver, "
        "device.version AS device_version, device.feature_level AS feature_level, "
        "run.version AS version, device_hash, half FROM run JOIN device ON device.id = device_id "
        "WHERE invocation_id = ?1 AND run.id > ?2 ORDER BY run.id LIMIT 1",
        &row, numbers, 2, error);
    if (status)
        return status;
    int code = sqlite3_step(row.statement);
    int64_t id = code == SQLITE_ROW ? row_int(&row, "id") : 0;
    bool different = id && store_invocation_differs(&row, run, what, sizeof what),
         undescribed = id && !*row_text(&row, "device_name");
    if ((status = store_invocation_finish(store, &row, code, error)) || !id)
        return status;
    if (different && !invocation->force)
        return error_set(error, EXIT_USAGE, "%s: run %lld cannot be resumed: %s; --force goes on all the same",
                         store->path, (long long)id, what);
    if (different || undescribed)
        status = adopt(store, id, run, error);
    for (size_t i = 0; i < sizeof changes / sizeof *changes && status == 0; i++)
        status = store_invocation_change(store, changes[i], &id, 1, error);
    *run_id = invocation->last_run = id;
    return status ? status : store_flush(store, error);
}
