/* Checks the rows that the store writes. */
#include "harness/test/store_folder.h"

#include <time.h>

static void test_content(void)
{
    struct record records[] = {
        store_folder_record("a.pass", STATUS_PASS, ""),
        store_folder_record("b.fail", STATUS_FAIL, "two\nlines \x1b[31m \xff \xc3\xa9"),
        store_folder_record("c.crash", STATUS_CRASH, "signal 11"),
        store_folder_record("d.skip", STATUS_SKIP, "level"),
    };
    records[0].verdict.device_ns = 77;
    records[1].symptoms.wrong =
        (struct wrong){"OutputTensor", "{0,1}", "1.5 (0x3fc00000)", "2 (0x40000000)", 3, "Input {0} 2", {0}};
    clear();
    make(records, 4);
    ok(!strcmp(files(), "results.db"), "one file is left");
    store_folder_asked("PRAGMA integrity_check", "ok");
    store_folder_asked("PRAGMA foreign_key_check", "");
    store_folder_asked("PRAGMA application_id", "1634951545");
    store_folder_asked("PRAGMA user_version", "9");
    store_folder_asked("PRAGMA journal_mode", "delete");
    store_folder_asked("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%'", "");
    store_folder_asked(
        "SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_info('results') LIMIT 11)",
        "run_id, device, case_name, operator, feature_level, status, rule, message, host_ns, device_ns, seed");
    store_folder_asked(
        "SELECT run_id, device, case_name, operator, feature_level, status, rule, message, host_ns, device_ns, seed "
        "FROM results",
        "1|reference|a.pass|GATHER|3_0|pass|||1234|77|0x00000000000000ff\n"
        "1|reference|b.fail|GATHER|3_0|fail|axis-range|two\\nlines \\x1b[31m \\xff \xc3\xa9|1234|NULL|"
        "0x00000000000000ff\n"
        "1|reference|c.crash|GATHER|3_0|crash|axis-range|signal 11|1234|NULL|0x00000000000000ff\n"
        "1|reference|d.skip|GATHER|3_0|skip|axis-range|level|1234|NULL|0x00000000000000ff");
    store_folder_asked(
        "SELECT pages, expected, wrong_tensor, wrong_coordinates, wrong_got, wrong_expected, wrong_count, reproduce, "
        "attempt, wrong_inputs FROM results LIMIT 2",
        "bed83-115, A6|outputs as the reference device|||||0||1|\n"
        "bed83-115, A6|outputs as the reference device|OutputTensor|{0,1}|1.5 (0x3fc00000)|2 (0x40000000)|3|"
        "assay repro x|1|Input {0} 2");
    store_folder_asked("SELECT case_name FROM failures", "b.fail\nc.crash");
    store_folder_asked("SELECT operator, strategy FROM results LIMIT 1", "GATHER|pass");
    store_folder_asked("SELECT * FROM summary", "1|GATHER|crash|1\n1|GATHER|fail|1\n1|GATHER|pass|1\n1|GATHER|skip|1");
    store_folder_asked(
        "SELECT run_id, device, state, planned, device_name, device_driver, device_version, feature_level, version, "
        "seed, plan_hash, command FROM runs",
        "1|reference|complete|4|Reference|none|1|6_4|0.1.0|0xffffffffffffffff|0x8000000000000001|"
        "assay run -d reference");
    store_folder_asked("SELECT started GLOB '20[0-9][0-9]-*T*Z' AND ended >= started FROM runs", "1");
}

static void test_history(void)
{
    const struct record first[] = {store_folder_record("a", STATUS_PASS, ""),
                                   store_folder_record("b", STATUS_PASS, "")};
    const struct record second[] = {
        store_folder_record("b", STATUS_FAIL, "once"), store_folder_record("c", STATUS_PASS, ""),
        store_folder_record("b", STATUS_PASS, ""), store_folder_record("c", STATUS_CRASH, "then")};
    clear();
    make(first, 2);
    make(second, 4);
    store_folder_asked("SELECT count(*) FROM test_case", "3");
    store_folder_asked("SELECT count(*) FROM device", "1");
    store_folder_asked("SELECT run_id, case_name, status, message, attempt FROM results ORDER BY 1, 2",
                       "1|a|pass||1\n1|b|pass||1\n2|b|pass||2\n2|c|crash|then|2");
    store_folder_asked("SELECT run_id, case_id, attempt, status FROM result WHERE run_id = 2",
                       "2|2|1|fail\n2|2|2|pass\n2|3|1|pass\n2|3|2|crash");
    store_folder_asked("SELECT run_id, sum(count) FROM summary GROUP BY run_id", "1|2\n2|2");
    store_folder_asked(
        "INSERT INTO result VALUES (1, 1, 2, 'perhaps', 1, 0, 0, 0, 0, NULL, NULL)",
        "error: CHECK constraint failed: status = 'pass' OR status IN ('fail', 'warn', 'crash', 'timeout', "
        "'device_lost',\n                                      'unsupported', 'skip', 'harness_error', 'incomplete')");
}

/* Rows are written several at a time, also if some of them are further attempts at cases that have rows, and the
 * details belong to the attempt that they name. */
static void test_store_many(void)
{
    enum { CASES = 10, TURNS = 7 };
    struct record records[CASES * TURNS];
    char names[CASES][16], messages[CASES * TURNS][16];
    for (int i = 0; i < CASES * TURNS; i++) {
        snprintf(names[i % CASES], sizeof names[0], "c%d", i % CASES);
        snprintf(messages[i], sizeof messages[0], "t%d", i / CASES + 1);
        bool fails = i % 9 == 0;
        records[i] = store_folder_record(names[i % CASES], fails ? STATUS_FAIL : STATUS_PASS, fails ? messages[i] : "");
        records[i].verdict.host_ns = (uint64_t)i / CASES + 1;
    }
    clear();
    make(records, CASES * TURNS);
    store_folder_asked("SELECT count(*), count(DISTINCT case_id), min(attempt = host_ns), max(attempt) FROM result",
                       "70|10|1|7");
    store_folder_asked("SELECT count(*), min(message = 't' || attempt) FROM detail", "8|1");
    store_folder_asked("SELECT count(*) FROM detail JOIN result USING (run_id, case_id, attempt) WHERE status = 'fail'",
                       "8");
}

/* Runs that take turns: a result belongs to the run to which it was added, whichever run is the current one when it is
 * written. */
static void test_turns(void)
{
    struct error error = {0};
    struct store *store;
    int64_t first = 0, second = 0;
    struct record pass = store_folder_record("c1", STATUS_PASS, ""), other = store_folder_record("c2", STATUS_PASS, "");
    clear();
    if (store_open(path, &store, &error) || store_begin_run(store, &run, &first, &error) ||
        store_add(store, &pass, &error) || store_begin_run(store, &run, &second, &error) ||
        store_add(store, &pass, &error) || store_add(store, &other, &error)) {
        ok(0, "began two runs: %s", error.text);
        return;
    }
    store_go_on(store, first);
    store_end_run(store, true, &error);
    store_go_on(store, second);
    store_end_run(store, true, &error);
    store_close(store, &error);
    store_folder_asked("SELECT run_id, count(*), max(attempt) FROM result GROUP BY run_id", "1|1|1\n2|2|1");
}

static void test_every_status(void)
{
    struct record records[STATUS_COUNT];
    char names[STATUS_COUNT][8], expected[256] = "";
    for (int i = 0; i < STATUS_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        records[i] = store_folder_record(names[i], (enum status)i, "");
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s|%d", i ? "\n" : "", status_name((enum status)i),
                 status_is_failure((enum status)i) != 0);
    }
    clear();
    make(records, STATUS_COUNT);
    store_folder_asked("SELECT status, case_name IN (SELECT case_name FROM failures) FROM results ORDER BY case_key",
                       "error: no such "
                       "column: case_key");
    store_folder_asked("SELECT status, case_name IN (SELECT case_name FROM failures) FROM results ORDER BY case_name",
                       expected);
}

/* The view and the program agree on the cases that make a run fail. */
static void test_failures(void)
{
    enum { MOST = STATUS_COUNT * STANDING_COUNT * 2 };
    struct record records[MOST];
    char names[MOST][16];
    int count = 0, failures = 0;
    for (int status = 0; status < STATUS_COUNT; status++)
        for (int standing = 0; standing < STANDING_COUNT; standing++)
            for (int flaky = 0; flaky < 2; flaky++, count++) {
                snprintf(names[count], sizeof names[count], "c%d", count);
                records[count] = store_folder_record(names[count], (enum status)status, flaky ? "fail, then not" : "");
                records[count].flaky = flaky;
                records[count].standing = (enum standing)standing;
                records[count].reason = standing ? "why\n" : NULL;
                failures += record_is_failure(&records[count]);
            }
    char expected[64], query[2048] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(query);
        snprintf(query + used, sizeof query - used, "%s('c%d',%d)", i ? "," : "", i, record_is_failure(&records[i]));
    }
    clear();
    make(records, (size_t)count);
    snprintf(expected, sizeof expected, "%d", failures);
    store_folder_asked("SELECT count(*) FROM failures", expected);
    char whole[2300];
    snprintf(whole, sizeof whole,
             "WITH known (name, failure) AS (VALUES %s) "
             "SELECT count(*) FROM known WHERE failure <> (name IN (SELECT case_name FROM failures))",
             query);
    store_folder_asked(whole, "0");
    store_folder_asked("SELECT flaky, expectation, reason FROM results WHERE case_name IN ('c0', 'c3', 'c4')",
                       "0||\n1|expected|why\\n\n0|unexpected|why\\n");
}

/* Rows are committed while they are added, not only at the end. */
static void test_batches(void)
{
    struct error error = {0};
    struct store *store;
    int64_t id;
    int seen = 0;
    clear();
    if (!ok(!store_open(path, &store, &error) && !store_begin_run(store, &run, &id, &error), "opened"))
        return;
    for (int i = 0; i < 8 && !seen; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        const struct record record = store_folder_record(name, STATUS_PASS, "");
        store_add(store, &record, &error);
        seen = atoi(ask("SELECT count(*) FROM results"));
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    ok(seen > 0, "a reader sees rows while they are added");
    const struct record record = store_folder_record("last", STATUS_PASS, "");
    store_add(store, &record, &error);
    ok(!store_flush(store, &error) && !store_flush(store, &error), "flushing, also twice");
    store_folder_asked("SELECT case_name FROM results WHERE case_name = 'last'", "last");
    ok(!store_end_run(store, false, &error) && store_add(store, &record, &error) == EXIT_HARNESS,
       "a result outside of a run is refused");
    store_close(store, NULL);
    store_folder_asked("SELECT state FROM runs", "incomplete");
}

int main(void)
{
    if (!begin("test_store"))
        return 1;
    test_content();
    test_history();
    test_store_many();
    test_turns();
    test_every_status();
    test_failures();
    test_batches();
    return end();
}
