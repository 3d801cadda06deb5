/* The limit on the time of queries: the time that counts, and that reports of intact databases stay far below the
 * limit. */
#include "harness/base/clock.h"
#include "harness/results/history_internal.h"
#include "harness/results/store.h"
#include "harness/results/report.h"
#include "harness/test/sql.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two databases with many small runs of two devices, as nights of filtered runs leave them. */
enum { RUNS = 400, CASES = 50 };

/* A tenth of what their limit, 21 s, allows at 20 ns a step. Steps and not seconds are compared, because a busy machine
 * takes longer for the same. */
enum { STEPS_ALLOWED = 105000000 };

static const uint64_t MS = 1000000;
static char paths[2][500];

/* No run is of the whole plan: the state of a device is made of all of its runs. */
static void test_guard_make(const char *path)
{
    static const char rows[] =
        "BEGIN;"
        "CREATE TEMP TABLE number AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
        "SELECT i FROM n;"
        "INSERT INTO device SELECT i, 'device' || i, '', '', '', '6_4' FROM number WHERE i <= 2;"
        "INSERT INTO judgement VALUES (1, 'axis-range', 'must', 'A6', 'results', 'the outputs', '');"
        "INSERT INTO test_case SELECT i, 'gather.x' || i, 'GATHER', '3_0', 'float32', 'x' FROM number WHERE i <= %d;"
        "INSERT INTO run (id, device_id, version, seed, planned, plan_hash, shard, shards, command, started, state) "
        "SELECT i, i %% 2 + 1, '1', 0, %d, 7, 1, 1, 'assay run', printf('2026-01-01T%%02d:%%02d:00.000Z', i / 60, i %% "
        "60), 'complete' FROM number WHERE i <= %d;"
        "INSERT INTO result SELECT run.id, test_case.id, 1, iif((run.id / 8 + test_case.id) %% 5, 'pass', 'fail'), 1, "
        "5, "
        "NULL, 0, 0, NULL, NULL FROM run JOIN test_case;"
        "INSERT INTO detail (run_id, case_id, attempt, message, wrong_count, wrong_tensor, wrong_coordinates, "
        "wrong_got, "
        "wrong_expected, reproduce, cause) SELECT run_id, case_id, 1, 'it is wrong', 0, '', '', '', '', 'assay repro "
        "x', "
        "'wrong result' FROM result WHERE status = 'fail';"
        "COMMIT";
    struct store *store;
    struct error error = {0};
    char sql[4096];
    ok(store_open(path, &store, &error) == 0 && store_close(store, &error) == 0, "an empty database");
    snprintf(sql, sizeof sql, rows, CASES, CASES, RUNS);
    sql_alter(path, sql);
}

static void test_report(void)
{
    const char *const databases[2] = {paths[0], paths[1]};
    struct report report;
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int result = report_open(&report, databases, 2, NULL, 0, &error);
    if (result == 0)
        result = report_json.write(&report, out, &error);
    fclose(out);
    if (ok(result == 0, "a report of %d runs", 2 * RUNS)) {
        const struct guard *guard = &report.history->guard;
        ok(strstr(text, "\"x50\"") && guard->used_ns > MS, "has the cases");
        ok(guard->steps > 0 && guard->steps < STEPS_ALLOWED, "its queries take less than a tenth of what they may");
        note("%.1f of %d million steps, %.3f of %.0f s", (double)guard->steps / 1e6, STEPS_ALLOWED / 1000000,
             (double)guard->used_ns / 1e9, (double)guard->limit_ns / 1e9);
    } else {
        note("%s", error.text);
    }
    report_close(&report);
    free(text);
}

static const char endless[] = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

static void test_guard_work(uint64_t ns)
{
    for (uint64_t end = clock_thread_ns() + ns; clock_thread_ns() < end;)
        ;
}

/* The changes that the thread makes between queries do not count; those that it makes during a query do. */
static void test_time(void)
{
    struct history *history;
    struct error error = {0};
    sqlite3_stmt *row = NULL;
    int64_t number = 0;
    if (!ok(history_open(paths[0], &history, &error) == 0, "a database opens"))
        return;
    struct guard *guard = &history->guard;
    uint64_t before = guard->used_ns;
    test_guard_work(200 * MS);
    ok(history_number(history, "SELECT 1", NULL, &number, &error) == 0, "a query after other work");
    ok(guard->used_ns - before < 100 * MS, "other work does not count");
    before = guard->used_ns;
    ok(sqlite3_prepare_v2(history->db, "SELECT id FROM run", -1, &row, NULL) == SQLITE_OK &&
           sqlite3_step(row) == SQLITE_ROW,
       "a query that stays open");
    ok(history_number(history, "SELECT 1", NULL, &number, &error) == 0, "one during it");
    test_guard_work(200 * MS);
    sqlite3_finalize(row);
    ok(guard->used_ns - before >= 200 * MS && guard->used_ns - before < 400 * MS, "counts once");
    guard->limit_ns = guard->used_ns + 50 * MS;
    before = clock_thread_ns();
    ok(history_number(history, endless, NULL, &number, &error) != 0, "a query without end ends");
    ok(strstr(error.text, "its queries take longer than those of an intact database can") != NULL, "with a message");
    ok(clock_thread_ns() - before < 1000 * MS, "in time");
    history_close(history);
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/guard%d.%d.db", folder ? folder : "/tmp", i, (int)getpid());
        test_guard_make(paths[i]);
    }
    test_time();
    test_report();
    unlink(paths[0]);
    unlink(paths[1]);
    return tap_done();
}
