/* Adds runs and rows to a store. */
#include "harness/plan/case_name.h"
#include "harness/results/record_row.h"
#include "harness/results/store_internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BATCH_MS = 250 /* time between commits */, RESULT_COLUMNS = 11 };

/* With OR FAIL, SQLite need not copy each page to a journal first to take a statement's first rows back. */
#define RESULT_INTO                                                                                                    \
    "INSERT OR FAIL INTO result (run_id, case_id, attempt, status, judgement_id, host_ns, device_ns, seed, slow, "     \
    "error_ulps, error_share) VALUES "
#define RESULT_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define RESULT_ROWS_4 RESULT_ROW ", " RESULT_ROW ", " RESULT_ROW ", " RESULT_ROW

#define PLACEHOLDER(name, kind, member, json) ", ?"

const char *const store_statement_sql[STORE_STATEMENTS] = {
    [STORE_BEGIN] = "BEGIN IMMEDIATE",
    [STORE_COMMIT] = "COMMIT",
    [STORE_FIND_CASE] = "SELECT id FROM test_case WHERE name = ?1",
    [STORE_ADD_CASE] = "INSERT INTO test_case (name, operator, feature_level, data_types, strategy) "
                       "VALUES (?1, ?2, ?3, ?4, ?5)",
    [STORE_FIND_JUDGEMENT] = "SELECT id FROM judgement WHERE (" JUDGEMENT_COLUMNS ") = (?1, ?2, ?3, ?4, ?5, ?6)",
    [STORE_ADD_JUDGEMENT] = "INSERT INTO judgement (" JUDGEMENT_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [STORE_ADD_RESULT] = RESULT_INTO RESULT_ROW,
    [STORE_ADD_RESULTS] =
        RESULT_INTO RESULT_ROWS_4 ", " RESULT_ROWS_4 ", " RESULT_ROWS_4 ", " RESULT_ROWS_4, /* STORE_ROWS */
    [STORE_ADD_DETAIL] = "INSERT INTO detail (run_id, case_id, attempt" RECORD_COLUMNS(
        RECORD_COLUMN_NAME) ") VALUES (?, ?, ?" RECORD_COLUMNS(PLACEHOLDER) ")",
    [STORE_LAST_ATTEMPT] = "SELECT max(attempt) FROM result WHERE run_id = ?1 AND case_id = ?2",
    [STORE_ADD_SAMPLE] =
        "INSERT INTO timing_sample (run_id, case_id, repeat, host_ns, device_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
    [STORE_ADD_SHARE] = "INSERT INTO copy_share (run_id, case_id, share) VALUES (?1, ?2, ?3)",
};

static int store_add_step(struct store *store, enum store_statement which, struct error *error)
{
    int code = sqlite3_step(store->statements[which]);
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        store_fail(store, error); /* before the reset, which may overwrite the message */
    sqlite3_reset(store->statements[which]);
    return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : EXIT_HARNESS;
}

static void bind_device_ns(sqlite3_stmt *statement, int index, uint64_t ns)
{
    if (ns)
        store_bind_count(statement, index, ns);
    else
        sqlite3_bind_null(statement, index);
}

/* ---- rows of table result */

/* Sets the number of the next attempt at a case that has a result in its run. */
static int next_attempt(struct store *store, struct store_result *row, struct error *error)
{
    sqlite3_stmt *last = store->statements[STORE_LAST_ATTEMPT];
    sqlite3_bind_int64(last, 1, row->run_id);
    sqlite3_bind_int64(last, 2, row->case_id);
    int code = sqlite3_step(last);
    row->attempt = code == SQLITE_ROW ? sqlite3_column_int64(last, 0) + 1 : 1;
    int status = code == SQLITE_ROW ? 0 : store_fail(store, error);
    sqlite3_reset(last);
    return status;
}

/* Binds both columns; null if nothing was measured. */
static void bind_error(sqlite3_stmt *add, int index, const struct largest_error *error)
{
    const double values[] = {error->ulps, error->share};
    for (int i = 0; i < 2; i++)
        if (error->measured)
            sqlite3_bind_double(add, index + i, values[i]);
        else
            sqlite3_bind_null(add, index + i);
}

static void bind_row(sqlite3_stmt *add, int index, const struct store_result *row)
{
    sqlite3_bind_int64(add, index, row->run_id);
    sqlite3_bind_int64(add, index + 1, row->case_id);
    sqlite3_bind_int64(add, index + 2, row->attempt);
    sqlite3_bind_text(add, index + 3, status_name(row->status), -1, SQLITE_STATIC);
    sqlite3_bind_int64(add, index + 4, row->judgement_id);
    store_bind_count(add, index + 5, row->host_ns);
    bind_device_ns(add, index + 6, row->device_ns);
    store_bind_bits(add, index + 7, row->seed);
    sqlite3_bind_int(add, index + 8, row->slow);
    bind_error(add, index + 9, &row->error);
}

/* Steps a statement that adds results. `exists`: one of them does; those before it have been added, as many as
 * sqlite3_changes() says. */
static int step_results(struct store *store, enum store_statement which, bool *exists, struct error *error)
{
    int code = sqlite3_step(store->statements[which]), status = 0;
    *exists = code != SQLITE_DONE && sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_PRIMARYKEY;
    if (code != SQLITE_DONE && !*exists)
        status = store_fail(store, error); /* before the reset, which may overwrite the message */
    sqlite3_reset(store->statements[which]);
    return status;
}

static int write_row(struct store *store, struct store_result *row, struct error *error)
{
    bool exists;
    bind_row(store->statements[STORE_ADD_RESULT], 1, row);
    int status = step_results(store, STORE_ADD_RESULT, &exists, error);
    if (exists && (status = next_attempt(store, row, error)) == 0) {
        sqlite3_bind_int64(store->statements[STORE_ADD_RESULT], 3, row->attempt);
        status = store_add_step(store, STORE_ADD_RESULT, error);
    }
    if (store->last.run == row->run_id && store->last.case_id == row->case_id)
        store->last.attempt = row->attempt;
    return status;
}

/* Writes the rows that wait: together, which takes half the time of one by one. */
static int store_add_write_rows(struct store *store, struct error *error)
{
    int count = store->row_count, added = 0, status = 0;
    if (count == STORE_ROWS) {
        bool exists;
        for (int i = 0; i < count; i++)
            bind_row(store->statements[STORE_ADD_RESULTS], 1 + i * RESULT_COLUMNS, &store->rows[i]);
        status = step_results(store, STORE_ADD_RESULTS, &exists, error);
        added = exists ? sqlite3_changes(store->db) : count;
    }
    for (int i = added; i < count && status == 0; i++)
        status = write_row(store, &store->rows[i], error);
    store->row_count = 0;
    return status;
}

/* ---- batches */

static int begin_batch(struct store *store, struct error *error)
{
    if (store->broken)
        return error_set(error, EXIT_HARNESS, "%s: not written any more after an earlier error", store->path);
    if (store->in_batch)
        return 0;
    int status = store_add_step(store, STORE_BEGIN, error);
    store->in_batch = !status;
    return status;
}

int store_begin(struct store *store, struct error *error)
{
    int status = begin_batch(store, error);
    return status ? status : store_add_write_rows(store, error);
}

int store_flush(struct store *store, struct error *error)
{
    if (!store->in_batch || store->broken)
        return 0;
    int status = store_add_write_rows(store, error);
    if (status)
        return status;
    store->in_batch = false;
    store->committed_ms = store_now_ms();
    return store_add_step(store, STORE_COMMIT, error);
}

void store_abandon(struct store *store)
{
    store->in_batch = false;
    store->row_count = 0;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Commits if BATCH_MS have passed since the last commit. */
static int flush_in_time(struct store *store, struct error *error)
{
    return store_now_ms() - store->committed_ms < BATCH_MS ? 0 : store_flush(store, error);
}

void store_bind_origin(sqlite3_stmt *statement, int index, const struct origin *origin)
{
    static const struct origin unknown;
    origin = origin ? origin : &unknown;
    const char *const texts[STORE_ORIGIN_TEXTS] = {origin->device_hash, origin->device_build, origin->machine,
                                                   origin->cpu,         origin->label,        origin->revision,
                                                   origin->branch};
    for (int i = 0; i < STORE_ORIGIN_TEXTS; i++)
        store_bind_text(statement, index + i, texts[i]);
}

enum { SCOPE_VALUES = 8 };

static void bind_scope(sqlite3_stmt *statement, int index, const struct store_scope *scope)
{
    const char *const texts[] = {scope->purpose ? scope->purpose : "conformance",
                                 scope->filters,
                                 scope->operators,
                                 scope->levels,
                                 scope->tier,
                                 scope->source};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (int i = 0; i < TEXTS; i++)
        store_bind_text(statement, index + i, texts[i]);
    sqlite3_bind_int(statement, index + TEXTS, scope->whole_plan);
    sqlite3_bind_int(statement, index + TEXTS + 1, scope->half);
}

/* Runs a statement on tables device and run: ?1 to ?5 identify the device, ?6 and up describe the run. */
static int store_add_run_once(struct store *store, const char *sql, const struct store_run *run, struct error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_fail(store, error);
    const char *texts[] = {run->device, run->device_name, run->device_driver, run->device_version, run->feature_level};
    for (int i = 0; i < 5; i++)
        store_bind_text(statement, 1 + i, texts[i]);
    if (sqlite3_bind_parameter_count(statement) > 5) {
        store_bind_text(statement, 6, run->version);
        store_bind_bits(statement, 7, run->seed);
        store_bind_count(statement, 8, run->planned);
        store_bind_bits(statement, 9, run->plan_hash);
        store_bind_text(statement, 10, run->command);
        sqlite3_bind_int64(statement, 11, run->shards ? run->shard : 1);
        sqlite3_bind_int64(statement, 12, run->shards ? run->shards : 1);
        sqlite3_bind_int64(statement, 13, store->invocation.id);
        store_bind_origin(statement, 14, run->origin);
        bind_scope(statement, 14 + STORE_ORIGIN_TEXTS, &run->scope);
        sqlite3_bind_int64(statement, 14 + STORE_ORIGIN_TEXTS + SCOPE_VALUES, run->shared_validation);
    }
    int status = sqlite3_step(statement) == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_finalize(statement);
    return status;
}

int store_begin_run(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error)
{
    int status = store_resume_run(store, run, run_id, error);
    if (status || *run_id) {
        store->run_id = *run_id;
        return status;
    }
    if ((status = store_begin(store, error)) ||
        (status = store_add_run_once(store,
                                     "INSERT OR IGNORE INTO device (device, name, driver, version, feature_level) "
                                     "VALUES (?1, ?2, ?3, ?4, ?5)",
                                     run, error)) ||
        (status = store_add_run_once(
             store,
             "INSERT INTO run (device_id, version, seed, planned, plan_hash, command, shard, shards, "
             "invocation_id, started, state, " STORE_ORIGIN_COLUMNS ", purpose, filters, operators, "
             "levels, tier, source, whole_plan, half, shared_validation) SELECT id, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
             "nullif(?13, 0), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'running', ?14, ?15, ?16, ?17, ?18, "
             "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29 "
             "FROM device WHERE (device, name, driver, version, feature_level) = (?1, ?2, ?3, ?4, ?5)",
             run, error)))
        return status;
    store->run_id = store->invocation.last_run = sqlite3_last_insert_rowid(store->db);
    *run_id = store->run_id;
    return store_flush(store, error);
}

/* Runs a query for an id by `count` texts. The id is 0 if no row matches. */
static int select_id(struct store *store, enum store_statement which, const char *const *texts, int count, int64_t *id,
                     struct error *error)
{
    sqlite3_stmt *find = store->statements[which];
    for (int i = 0; i < count; i++)
        store_bind_text(find, 1 + i, texts[i]);
    int code = sqlite3_step(find);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    int status = code == SQLITE_ROW || code == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_reset(find);
    return status;
}

static int insert_texts(struct store *store, enum store_statement which, const char *const *texts, int count,
                        int64_t *id, struct error *error)
{
    for (int i = 0; i < count; i++)
        store_bind_text(store->statements[which], 1 + i, texts[i]);
    int status = store_add_step(store, which, error);
    *id = sqlite3_last_insert_rowid(store->db);
    return status;
}

static int store_add_find_case(struct store *store, const struct record *record, int64_t *id, struct error *error)
{
    struct case_text part = case_name_parse(record->case_name).parts[CASE_STRATEGY];
    char strategy[CASE_NAME_SIZE];
    snprintf(strategy, sizeof strategy, "%.*s", (int)part.length, part.text);
    const char *const texts[] = {record->case_name, record->operator_name, record->feature_level, record->data_types,
                                 strategy};
    int status;
    *id = nametable_find(&store->cases, texts, 1);
    if (*id)
        return 0;
    if (!store->all_cases_seen && (status = select_id(store, STORE_FIND_CASE, texts, 1, id, error)))
        return status;
    if (!*id && (status = insert_texts(store, STORE_ADD_CASE, texts, 5, id, error)))
        return status;
    if (!nametable_add(&store->cases, texts, 1, *id))
        store->all_cases_seen = false;
    return 0;
}

static int find_judgement(struct store *store, const struct record *record, int64_t *id, struct error *error)
{
    const char *const texts[] = {record->rule,     record->strength, record->pages, expectation_name(record->expects),
                                 record->expected, record->outcome};
    int status;
    *id = nametable_find(&store->judgements, texts, JUDGEMENT_TEXTS);
    if (*id)
        return 0;
    if ((status = select_id(store, STORE_FIND_JUDGEMENT, texts, JUDGEMENT_TEXTS, id, error)) ||
        (!*id && (status = insert_texts(store, STORE_ADD_JUDGEMENT, texts, JUDGEMENT_TEXTS, id, error))))
        return status;
    nametable_add(&store->judgements, texts, JUDGEMENT_TEXTS,
                  *id); /* if it fails, the next call queries the database */
    return 0;
}

/* Adds a row to table result, as the first attempt at the case, or as the next one after those that exist. */
static int store_add_result(struct store *store, const struct record *record, int64_t case_id,
                            struct store_result **row, struct error *error)
{
    int64_t judgement_id;
    int status = find_judgement(store, record, &judgement_id, error);
    if (status)
        return status;
    bool again = store->last.run == store->run_id && store->last.case_id == case_id;
    *row = &store->rows[store->row_count++];
    **row = (struct store_result){.run_id = store->run_id,
                                  .case_id = case_id,
                                  .attempt = again ? store->last.attempt + 1 : 1,
                                  .judgement_id = judgement_id,
                                  .status = record->verdict.status,
                                  .slow = record->slow,
                                  .host_ns = record->verdict.host_ns,
                                  .device_ns = record->verdict.device_ns,
                                  .seed = record->seed,
                                  .error = record->verdict.error};
    store->last.run = store->run_id;
    store->last.case_id = case_id;
    store->last.attempt = (*row)->attempt;
    return store->row_count == STORE_ROWS ? store_add_write_rows(store, error) : 0;
}

static void bind_column(sqlite3_stmt *add, int index, const struct record *record, const struct record_column *column)
{
    struct record_value value;
    record_value(record, column, &value);
    if (value.text == value.buffer)
        sqlite3_bind_text(add, index, value.text, -1, SQLITE_TRANSIENT);
    else if (value.text)
        store_bind_text(add, index, value.text);
    else
        store_bind_count(add, index, value.number);
}

/* Adds a row to table detail; a pass without an error has none. */
static int store_add_detail(struct store *store, const struct record *record, int64_t case_id,
                            const struct store_result *row, struct error *error)
{
    const struct wrong *wrong = &record->symptoms.wrong;
    if (!*record->message && !*record->reproduce && !*wrong->tensor && !wrong->count &&
        !*record->symptoms.error_place && record->standing == STANDING_NONE)
        return 0;
    int status = store_add_write_rows(store, error); /* from now on the number of the attempt is known */
    if (status)
        return status;
    sqlite3_stmt *add = store->statements[STORE_ADD_DETAIL];
    sqlite3_bind_int64(add, 1, store->run_id);
    sqlite3_bind_int64(add, 2, case_id);
    sqlite3_bind_int64(add, 3, row->attempt);
    for (int i = 0; i < record_column_count; i++)
        bind_column(add, 4 + i, record, &record_columns[i]);
    return store_add_step(store, STORE_ADD_DETAIL, error);
}

int store_add(struct store *store, const struct record *record, struct error *error)
{
    struct store_result *row;
    int64_t case_id;
    int status;
    if (!store->run_id)
        return error_set(error, EXIT_HARNESS, "%s: a result outside of a run", store->path);
    if ((status = begin_batch(store, error)) || (status = store_add_find_case(store, record, &case_id, error)) ||
        (status = store_add_result(store, record, case_id, &row, error)) ||
        (status = store_add_detail(store, record, case_id, row, error)))
        return status;
    return record->last ? flush_in_time(store, error) : 0;
}

int store_add_sample(struct store *store, const struct record *record, unsigned repeat, struct error *error)
{
    int64_t case_id;
    int status;
    if (!store->run_id)
        return error_set(error, EXIT_HARNESS, "%s: a sample outside of a run", store->path);
    if ((status = store_begin(store, error)) || (status = store_add_find_case(store, record, &case_id, error)))
        return status;
    sqlite3_stmt *add = store->statements[STORE_ADD_SAMPLE];
    sqlite3_bind_int64(add, 1, store->run_id);
    sqlite3_bind_int64(add, 2, case_id);
    sqlite3_bind_int64(add, 3, repeat);
    store_bind_count(add, 4, record->verdict.host_ns);
    bind_device_ns(add, 5, record->verdict.device_ns);
    return (status = store_add_step(store, STORE_ADD_SAMPLE, error)) ? status : flush_in_time(store, error);
}

int store_add_share(struct store *store, const struct record *record, double share, struct error *error)
{
    int64_t case_id;
    int status;
    if (!store->run_id)
        return error_set(error, EXIT_HARNESS, "%s: a share outside of a run", store->path);
    if ((status = store_begin(store, error)) || (status = store_add_find_case(store, record, &case_id, error)))
        return status;
    sqlite3_stmt *add = store->statements[STORE_ADD_SHARE];
    sqlite3_bind_int64(add, 1, store->run_id);
    sqlite3_bind_int64(add, 2, case_id);
    sqlite3_bind_double(add, 3, share);
    return store_add_step(store, STORE_ADD_SHARE, error);
}

void store_go_on(struct store *store, int64_t run_id)
{
    store->run_id = run_id;
}

static int add_coverage(struct store *store, sqlite3_stmt *add, const struct store_coverage *row, struct error *error)
{
    store_bind_text(add, 2, row->version);
    store_bind_bits(add, 3, row->plan_hash);
    store_bind_text(add, 4, row->operator_name);
    sqlite3_bind_int(add, 5, row->ways);
    store_bind_count(add, 6, row->covered);
    store_bind_count(add, 7, row->missed);
    store_bind_count(add, 8, row->undecided);
    store_bind_count(add, 9, row->impossible);
    int status = sqlite3_step(add) == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_reset(add);
    return status;
}

int store_add_coverage(struct store *store, const struct store_coverage *rows, size_t count, struct error *error)
{
    static const char sql[] = "INSERT INTO coverage (measured, version, plan_hash, operator, ways, covered, missed, "
                              "undecided, impossible) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    sqlite3_stmt *add;
    char measured[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(measured, sizeof measured, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int status = store_begin(store, error);
    if (status)
        return status;
    if (sqlite3_prepare_v2(store->db, sql, -1, &add, NULL) != SQLITE_OK)
        return store_fail(store, error);
    store_bind_text(add, 1, measured);
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_coverage(store, add, &rows[i], error);
    sqlite3_finalize(add);
    return status ? status : store_flush(store, error);
}

int store_clocks(struct store *store, const char *clocks, struct error *error)
{
    sqlite3_stmt *set;
    int status = store_begin(store, error);
    if (status)
        return status;
    if (sqlite3_prepare_v2(store->db, "UPDATE run SET clocks = ?2 WHERE id = ?1", -1, &set, NULL) != SQLITE_OK)
        return store_fail(store, error);
    sqlite3_bind_int64(set, 1, store->run_id);
    store_bind_text(set, 2, clocks);
    status = sqlite3_step(set) == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_finalize(set);
    return status;
}

int store_end_run(struct store *store, bool complete, struct error *error)
{
    int status = store_begin(store, error);
    if (status)
        return status;
    char sql[256];
    snprintf(sql, sizeof sql,
             "DELETE FROM running WHERE run_id = %lld; "
             "UPDATE run SET state = '%s', ended = strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now') WHERE id = %lld",
             (long long)store->run_id, complete ? "complete" : "incomplete", (long long)store->run_id);
    if ((status = store_execute(store, sql, error)))
        return status;
    store->run_id = 0;
    return store_flush(store, error);
}
