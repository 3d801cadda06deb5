/* Joined databases, the views of case history, the sample queries, and every form of report on valid, hostile and
 * broken databases. */
#include "harness/base/dml_names.h"
#include "harness/results/store.h"
#include "harness/test/report_fixture.h"
#include "harness/test/sql.h"

#include <glob.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[400], first[500], second[500];

static void test_report_clear(void)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char name[600];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", first, suffixes[i]);
        unlink(name);
        snprintf(name, sizeof name, "%s%s", second, suffixes[i]);
        unlink(name);
    }
}

static void asked(sqlite3 *db, const char *sql, const char *expected)
{
    const char *got = sql_ask(db, sql);
    if (!ok(strcmp(got, expected) == 0, "%s", sql))
        note("got %s\n# expected %s", got, expected);
}

/* ---- a history */

struct ending {
    const char *name;
    enum status status;
    uint64_t ns;
    bool flaky;
    enum standing standing;
};

static void test_report_add(struct store *store, const struct ending *ending)
{
    struct record record = {.case_name = ending->name,
                            .operator_name = "GATHER",
                            .feature_level = "3_0",
                            .data_types = "float32-uint32",
                            .rule = "axis-range",
                            .strength = "must",
                            .pages = "bed83-115, A6",
                            .expected = "the outputs of the reference device",
                            .outcome = "",
                            .message = ending->status == STATUS_PASS && !ending->flaky ? "" : "it is wrong",
                            .reproduce = ending->status == STATUS_PASS ? "" : "assay repro x",
                            .verdict.status = ending->status,
                            .verdict.cause = cause_of(ending->status, CAUSE_RESULT),
                            .verdict.error = {.measured = true, .ulps = 2, .share = 0.5},
                            .flaky = ending->flaky,
                            .standing = ending->standing,
                            .reason = "known",
                            .last = true,
                            .verdict.host_ns = ending->ns};
    if (ending->status == STATUS_FAIL)
        record.symptoms.wrong = (struct wrong){"OutputTensor", "{0,1}", "1 (0x1)", "2 (0x2)", 3, "", {0}};
    store_add(store, &record, NULL);
}

static void test_report_make_run(const char *path, const char *device, const struct ending *endings, size_t count)
{
    struct store *store;
    struct error error = {0};
    int64_t id;
    const struct store_run run = {.version = "1",
                                  .planned = count,
                                  .command = "assay run",
                                  .device = device,
                                  .device_name = device,
                                  .device_driver = "",
                                  .device_version = "",
                                  .feature_level = "6_4",
                                  .shard = 1,
                                  .shards = 1};
    if (store_open(path, &store, &error) || store_begin_run(store, &run, &id, &error)) {
        note("%s", error.text);
        return;
    }
    for (size_t i = 0; i < count; i++)
        test_report_add(store, &endings[i]);
    store_end_run(store, true, NULL);
    store_close(store, NULL);
}

/* Four runs of a device and one of another. */
static void make_history(void)
{
    enum status p = STATUS_PASS, f = STATUS_FAIL;
    const struct ending one[] = {{"g.a", p, 100, 0, 0},
                                 {"g.b", f, 100, 0, 0},
                                 {"g.c", f, 9, 0, 0},
                                 {"g.d", p, 100, 0, 0},
                                 {"g.e", STATUS_SKIP, 0, 0, 0}};
    const struct ending two[] = {{"g.a", f, 100, 0, 0},
                                 {"g.b", p, 100, 0, 0},
                                 {"g.c", f, 9, 0, STANDING_EXPECTED},
                                 {"g.d", p, 100, 0, 0},
                                 {"g.e", STATUS_SKIP, 0, 0, 0}};
    const struct ending three[] = {{"g.a", STATUS_CRASH, 100, 0, 0},
                                   {"g.b", p, 100, 1, 0},
                                   {"g.c", f, 9, 0, STANDING_EXPECTED},
                                   {"g.d", p, 100, 0, 0},
                                   {"g.e", STATUS_SKIP, 0, 0, 0}};
    const struct ending four[] = {
        {"g.a", f, 100, 0, 0}, {"g.b", p, 100, 0, 0},         {"g.c", f, 9, 0, STANDING_EXPECTED},
        {"g.d", p, 400, 0, 0}, {"g.e", STATUS_SKIP, 0, 0, 0}, {"g.f", STATUS_UNSUPPORTED, 5, 0, 0}};
    test_report_clear();
    test_report_make_run(first, "one", one, 5);
    test_report_make_run(first, "one", two, 5);
    test_report_make_run(first, "one", three, 5);
    test_report_make_run(first, "one", four, 6);
    test_report_make_run(first, "two", one, 5);
    sql_alter(first, "UPDATE run SET started = '2025-01-0' || id || 'T00:00:00.000Z', ended = '2025-01-0' || id || "
                     "'T00:00:02.000Z'");
}

static void test_views(void)
{
    static const char trends[] =
        "SELECT case_name, runs, bad_runs, first_bad_run, last_good_run, turns, flaky_runs, flake_rate, "
        "substr(expected_since, 1, 10), last_ns, mean_ns_before, slowdown FROM case_trends WHERE device = 'one'";
    sqlite3 *db;
    make_history();
    sqlite3_open(first, &db);
    asked(db, trends,
          "g.a|4|3|2|1|1|0|0.0|NULL|100|100.0|1.0\n"
          "g.b|4|2|NULL|4|3|1|0.25|NULL|100|100.0|1.0\n"
          "g.c|4|1|NULL|4|1|0|0.0|2025-01-02|9|9.0|1.0\n"
          "g.d|4|0|NULL|4|0|0|0.0|NULL|400|100.0|4.0");
    asked(db, "SELECT * FROM current_runs ORDER BY device", "one|4|3\ntwo|5|NULL");
    asked(db, "SELECT run_id, status, failed FROM case_history WHERE device = 'one' AND case_name = 'g.a'",
          "1|pass|0\n2|fail|1\n3|crash|1\n4|fail|1");
    asked(db, "SELECT count(*) FROM case_history WHERE case_name IN ('g.e', 'g.f')", "0");
    glob_t found = {0};
    ok(!glob("reports/*.sql", 0, NULL, &found) && found.gl_pathc >= 10, "there are sample queries");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        static char sql[16384];
        const char *name = found.gl_pathv[i];
        FILE *file = fopen(name, "r");
        size_t size = file ? fread(sql, 1, sizeof sql - 1, file) : 0;
        sql[size] = '\0';
        if (file)
            fclose(file);
        if (strstr(name, "schema"))
            continue;
        const char *rows = sql_ask(db, sql);
        if (!ok(!strncmp(sql, "-- title: ", 10) && *rows && strncmp(rows, "error", 5) != 0, "%s finds something", name))
            note("%s", rows);
    }
    globfree(&found);
    sqlite3_close(db);
}

/* ---- joined databases */

static int test_report_join(struct history **h, struct error *error)
{
    const char *const paths[] = {first, second};
    *error = (struct error){0};
    return history_join(paths, 2, h, error);
}

static void test_join(void)
{
    const struct ending newer[] = {{"g.z", STATUS_FAIL, 1, 0, 0}, {"g.a", STATUS_PASS, 1, 0, 0}};
    struct history *h;
    struct error error;
    make_history();
    test_report_make_run(second, "one", newer, 2);
    sql_alter(second, "UPDATE run SET started = '2025-01-01T12:00:00.000Z'");
    if (!ok(test_report_join(&h, &error) == 0, "two databases are joined")) {
        note("%s", error.text);
        return;
    }
    sqlite3 *db = history_database(h);
    asked(db, "SELECT run_id, substr(database, -8), original FROM source",
          "1|first.db|1\n2|econd.db|1\n3|first.db|2\n4|first.db|3\n5|first.db|4\n6|first.db|5");
    asked(db, "SELECT device, run_id FROM runs", "one|1\none|2\none|3\none|4\none|5\ntwo|6");
    asked(db, "SELECT case_name, status FROM results WHERE run_id = 2 ORDER BY 1", "g.a|pass\ng.z|fail");
    asked(db, "SELECT count(*) FROM test_case", "7");
    asked(db, "SELECT count(*) FROM judgement", "1");
    asked(db, "SELECT count(*), sum(wrong_count) FROM failures", "9|21");
    asked(db, "PRAGMA foreign_key_check", "");
    asked(db, "PRAGMA integrity_check", "ok");
    history_close(h);
}

/* Misleading and damaged databases. */
static void test_report_refused(const char *what, const char *sql, const char *expected)
{
    struct history *h;
    struct error error;
    const struct ending one[] = {{"g.a", STATUS_FAIL, 1, 0, 0}};
    test_report_clear();
    test_report_make_run(first, "one", one, 1);
    test_report_make_run(second, "one", one, 1);
    sql_alter(second, sql);
    int result = test_report_join(&h, &error);
    history_close(result ? NULL : h);
    if (!ok(result == EXIT_HARNESS && error.status == EXIT_HARNESS && strstr(error.text, expected) &&
                strstr(error.text, second),
            "%s is refused: %s", what, error.text))
        note("expected %d and: %s", EXIT_HARNESS, expected);
}

static void test_report_refusals(void)
{
    test_report_refused("a result of no case", "PRAGMA foreign_keys = OFF; DELETE FROM test_case",
                        "table result refers to case 1, which does not exist");
    test_report_refused("a result of no run", "PRAGMA foreign_keys = OFF; UPDATE result SET run_id = 99",
                        "table result refers to run 99, which does not exist");
    test_report_refused("a run of no device", "PRAGMA foreign_keys = OFF; DELETE FROM device",
                        "table run refers to device 1, which does not exist");
    test_report_refused("a status of nobody's",
                        "PRAGMA ignore_check_constraints = ON; UPDATE result SET status = 'splendid'",
                        "table result holds what no assay database does: CHECK constraint failed");
    test_report_refused(
        "bytes in the place of text",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = "
        "'test_case'; PRAGMA writable_schema = RESET; UPDATE test_case SET name = x'00ff'; PRAGMA writable_schema = "
        "ON; UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'test_case'",
        "damaged (non-TEXT value in test_case.name)");
    test_report_refused(
        "a view in the place of a table",
        "PRAGMA foreign_keys = OFF; DROP TABLE detail; CREATE VIEW detail AS WITH RECURSIVE n (i) AS (SELECT 1 "
        "UNION ALL SELECT i + 1 "
        "FROM n) SELECT i FROM n",
        "its view 'detail' is not what this assay makes");
    test_report_refused("another version", "PRAGMA user_version = 3", "schema version 3; this assay reads version 9");
    test_report_refused("another program's", "PRAGMA application_id = 7", "a database of another program");
}

/* ---- forms */

static void test_data(void)
{
    const char *const paths[] = {first};
    const char *baseline = "#1";
    make_history();
    json_t *data = fixture_data_of(paths, 1, NULL, 0);
    ok(data != NULL, "the data is JSON");
    holds(data, "runs.3.counts", "{\"pass\":2,\"fail\":1,\"unsupported\":1,\"skip\":1,\"known\":1}");
    holds(data, "runs.3.failures", "1");
    holds(data, "runs.3.pass_rate", "0.5");
    holds(data, "devices.0",
          "{\"device\":\"one\",\"runs\":[0,1,2,3],\"current\":3,\"baseline\":2,"
          "\"state\":{\"cases\":6,\"ran\":6,\"since\":3,\"counts\":{\"pass\":2,\"fail\":1,\"unsupported\":1,\"skip\":1,"
          "\"known\":1},"
          "\"failures\":1,\"slow\":0,\"host_ns\":614,\"pass_rate\":0.5}}");
    holds(data, "devices.1",
          "{\"device\":\"two\",\"runs\":[4],\"current\":4,\"baseline\":null,"
          "\"state\":{\"cases\":5,\"ran\":5,\"since\":4,\"counts\":{\"pass\":2,\"fail\":2,\"skip\":1},"
          "\"failures\":2,\"slow\":0,\"host_ns\":309,\"pass_rate\":0.5}}");
    holds(data, "cases.parts", "[[\"g\",0,0,0,0,0],[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]]");
    holds(data, "cases.devices.0.status", "\"fpkpsu\"");
    holds(data, "cases.devices.1.status", "\"pffps-\"");
    holds(data, "cases.devices.0.history", "[\"pffps-\",\"fpkps-\",\"cykps-\",\"fpkpsu\"]");
    holds(data, "cases.devices.1.history", "null");
    holds(data, "cases.devices.0.host_ns", "[99,99,9,390,0,5]");
    holds(data, "causes.0.cause", "\"wrong result\"");
    holds(data, "causes.0.cases", "[1,2]");
    holds(data, "causes.1.cases", "[0]");
    holds(data, "causes.1.since", "1");
    holds(data, "causes.1.newest", "1");
    holds(data, "groups.0.since", "1");
    holds(data, "groups.0.newest", "1");
    holds(data, "failures_formula", "\"fail + crash + timeout + device lost + harness error + flaky + unexpected\"");
    holds(data, "changes.0.counts.worse", "0");
    holds(data, "changes.0.better", "[{\"case\":0,\"before\":\"crash\",\"after\":\"fail\"}]");
    holds(data, "changes.0.new", "[{\"case\":5,\"before\":null,\"after\":\"unsupported\"}]");
    holds(data, "trace.0.sentence", "\"A6\"");
    holds(data, "trace.1.sentence", "\"bed83-115\"");
    holds(data, "trace.1.devices.0", "{\"fail\":1,\"known\":1,\"pass\":2,\"skip\":1,\"unsupported\":1}");
    holds(data, "details.0.first_bad", "1");
    holds(data, "details.0.last_good", "0");
    holds(data, "details.0.wrong_coordinates", "\"{0,1}\"");
    holds(data, "details.1.expected_since", "\"2025-01-02T00:00:00.000Z\"");
    holds(data, "details_cut", "0");
    holds(data, "fuzz", "{\"searches\":[],\"matrix\":[],\"findings\":[]}");
    json_decref(data);
    data = fixture_data_of(paths, 1, &baseline, 1);
    holds(data, "devices.0.baseline", "0");
    holds(data, "changes.0.regressions", "[{\"case\":0,\"before\":\"pass\",\"after\":\"fail\"}]");
    holds(data, "changes.0.fixes", "[{\"case\":1,\"before\":\"fail\",\"after\":\"pass\"}]");
    holds(data, "devices.1.baseline", "null");
    json_decref(data);
}

/* The support matrix goes by the kind of answer that a case expects, not by words in the text for people. */
static void test_support(void)
{
    static const struct {
        const char *name, *data_types, *expected;
        enum expectation expects;
    } cases[] = {{"g.results", "float16", "outputs that no rejection explains", EXPECT_RESULTS},
                 {"g.acceptance", "float32", "acceptance", EXPECT_ACCEPTED},
                 {"g.either", "int8", "whatever the device likes", EXPECT_EITHER},
                 {"g.rejection", "int16", "an error", EXPECT_REJECTED}};
    const struct store_run run = {.version = "1",
                                  .planned = 4,
                                  .command = "assay run",
                                  .device = "one",
                                  .device_name = "one",
                                  .device_driver = "",
                                  .device_version = "",
                                  .feature_level = "6_4"};
    const char *const paths[] = {first};
    struct store *store;
    struct error error = {0};
    int64_t id;
    test_report_clear();
    if (!ok(store_open(first, &store, &error) == 0 && store_begin_run(store, &run, &id, &error) == 0, "a run begins"))
        return;
    for (size_t i = 0; i < 4; i++) {
        const struct record record = {.case_name = cases[i].name,
                                      .operator_name = "GATHER",
                                      .feature_level = "3_0",
                                      .data_types = cases[i].data_types,
                                      .rule = "axis-range",
                                      .strength = "must",
                                      .pages = "A6",
                                      .expected = cases[i].expected,
                                      .expects = cases[i].expects,
                                      .outcome = "",
                                      .message = "",
                                      .reproduce = "",
                                      .verdict.status = STATUS_PASS,
                                      .last = true};
        store_add(store, &record, NULL);
    }
    store_end_run(store, true, NULL);
    store_close(store, NULL);
    sqlite3 *db;
    sqlite3_open(first, &db);
    asked(db, "SELECT case_name, expects FROM results ORDER BY case_name",
          "g.acceptance|acceptance\ng.either|either\ng.rejection|rejection\ng.results|results");
    asked(db, "INSERT INTO judgement VALUES (9, '', '', '', 'applause', '', '')",
          "error: CHECK constraint failed: expects IN ('results', 'acceptance', 'either', 'rejection')");
    static char sql[4096];
    FILE *file = fopen("reports/support.sql", "r");
    sql[file ? fread(sql, 1, sizeof sql - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    ok(!strcmp(sql_ask(db, sql), "GATHER|float16|one|passes|1|1|0|0\nGATHER|float32|one|passes|1|1|0|0"),
       "support.sql counts the cases that must be accepted");
    sqlite3_close(db);
    json_t *data = fixture_data_of(paths, 1, NULL, 0);
    holds(data, "matrix",
          "[{\"operator\":\"GATHER\",\"types\":\"float16\",\"level\":\"3_0\",\"device\":0,\"counts\":{\"pass\":1}},"
          "{\"operator\":\"GATHER\",\"types\":\"float32\",\"level\":\"3_0\",\"device\":0,\"counts\":{\"pass\":1}}]");
    json_decref(data);
    char *text = report_fixture_write(&report_markdown, paths, 1, NULL, 0, &error);
    const char *table = text ? strstr(text, "## Support") : NULL;
    ok(table && strstr(table, "| `GATHER` | `float16` | ✓ passes |\n| `GATHER` | `float32` | ✓ passes |\n") &&
           !strstr(table, "int"),
       "the Markdown table holds the cases that must be accepted");
    free(text);
}

/* A run on a device of level 3_1. Each documented operator up to that level has a case of level 1_0 that passes, except
 * those that have cases of their own here. */
static bool make_conformance_run(bool whole, bool good)
{
    static const struct {
        const char *name, *operator_name, *level;
        enum status status;
    } cases[] = {{"a.a", "GATHER", "1_0", STATUS_PASS},
                 {"a.b", "GATHER", "3_0", STATUS_WARN},
                 {"b.a", "GATHER_ND", "2_1", STATUS_PASS},
                 {"b.b", "GATHER_ND", "3_0", STATUS_CRASH},
                 {"c.a", "CAST", "1_0", STATUS_PASS},
                 {"c.b", "CAST", "3_0", STATUS_UNSUPPORTED},
                 {"d.a", "ELEMENT_WISE_BIT_COUNT", "3_0", STATUS_UNSUPPORTED},
                 {"e.a", "GATHER", "6_4", STATUS_SKIP},
                 {"f.a", "INTERFACE", "1_0", STATUS_PASS}};
    const struct store_run run = {.version = "1",
                                  .planned = 200,
                                  .command = "assay run",
                                  .device = "one",
                                  .device_name = "one",
                                  .device_driver = "",
                                  .device_version = "",
                                  .feature_level = "3_1",
                                  .shard = 1,
                                  .shards = 1,
                                  .scope = {.whole_plan = whole}};
    struct store *store;
    struct error error = {0};
    int64_t id;
    test_report_clear();
    if (!ok(store_open(first, &store, &error) == 0 && store_begin_run(store, &run, &id, &error) == 0,
            whole ? "a whole run begins" : "a partial run begins"))
        return false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum status status = good && cases[i].status != STATUS_SKIP ? STATUS_PASS : cases[i].status;
        const struct record record = {.case_name = cases[i].name,
                                      .operator_name = cases[i].operator_name,
                                      .feature_level = cases[i].level,
                                      .data_types = "float32",
                                      .rule = "",
                                      .strength = "",
                                      .pages = "",
                                      .expected = "",
                                      .outcome = "",
                                      .message = status == STATUS_CRASH ? "SIGILL" : "",
                                      .reproduce = "assay repro",
                                      .verdict.status = status,
                                      .verdict.cause = cause_of(status, CAUSE_RESULT),
                                      .last = true};
        store_add(store, &record, NULL);
    }
    DML_OPERATOR_TYPE type = DML_OPERATOR_INVALID;
    while ((type = dml_operator_next(type)) != DML_OPERATOR_INVALID) {
        const char *name = dml_operator_name(type);
        bool named = dml_operator_since(type) > DML_FEATURE_LEVEL_3_1;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            named |= strcmp(cases[i].operator_name, name) == 0;
        char case_name[100];
        snprintf(case_name, sizeof case_name, "%s.x", name);
        const struct record record = {.case_name = case_name,
                                      .operator_name = name,
                                      .feature_level = "1_0",
                                      .data_types = "float32",
                                      .rule = "",
                                      .strength = "",
                                      .pages = "",
                                      .expected = "",
                                      .outcome = "",
                                      .message = "",
                                      .reproduce = "",
                                      .verdict.status = STATUS_PASS,
                                      .last = true};
        if (!named)
            store_add(store, &record, NULL);
    }
    store_end_run(store, true, NULL);
    store_close(store, NULL);
    return true;
}

/* The conformance statement by level, in the data of the page and in JUnit: up to the declared level. JUnit has it only
 * for a device with a whole run that counts. */
static void test_report_conformance(void)
{
    const char *const paths[] = {first};
    struct error error = {0};
    for (int whole = 0; whole < 2; whole++) {
        if (!make_conformance_run(whole, false))
            return;
        json_t *data = fixture_data_of(paths, 1, NULL, 0);
        holds(data, "conformance.0.whole", whole ? "true" : "false");
        holds(data, "conformance.0.complete_up_to", "\"2_1\"");
        holds(data, "conformance.0.levels.0",
              "{\"level\":\"1_0\",\"complete\":78,\"failing\":[],\"missing\":[],\"partial\":[],\"without_cases\":[]}");
        holds(data, "conformance.0.levels.1.complete", "120");
        holds(
            data, "conformance.0.levels.2",
            "{\"level\":\"3_0\",\"complete\":137,\"failing\":[\"GATHER_ND\"],\"missing\":[\"ELEMENT_WISE_BIT_COUNT\"],"
            "\"partial\":[\"CAST\"],\"without_cases\":[]}");
        json_decref(data);
        char *text = report_fixture_write(&report_junit, paths, 1, NULL, 0, &error);
        ok(text && (strstr(text, "conformance-level") != NULL) == whole,
           whole ? "JUnit has the statement" : "JUnit has no statement of a part of the plan");
        static const char expected[] =
            "      <property name=\"conformance-level\" value=\"2_1\"/>\n"
            "      <property name=\"operators-complete\" value=\"143\"/>\n"
            "      <property name=\"operators-failing\" value=\"1\"/>\n"
            "      <property name=\"operators-missing\" value=\"1\"/>\n"
            "      <property name=\"operators-partial\" value=\"1\"/>\n"
            "      <property name=\"operators-without-cases\" value=\"0\"/>\n"
            "      <property name=\"conformance-1_0\" value=\"78 of 78 operators complete\"/>\n"
            "      <property name=\"conformance-2_0\" value=\"96 of 96 operators complete\"/>\n"
            "      <property name=\"conformance-2_1\" value=\"120 of 120 operators complete\"/>\n"
            "      <property name=\"conformance-3_0\" value=\"137 of 140 operators complete; 1 failing: GATHER_ND; "
            "1 missing: ELEMENT_WISE_BIT_COUNT; 1 partly supported: CAST\"/>\n"
            "      <property name=\"conformance-3_1\" value=\"143 of 146 operators complete; 1 failing: GATHER_ND; "
            "1 missing: ELEMENT_WISE_BIT_COUNT; 1 partly supported: CAST\"/>\n"
            "      <property name=\"group-2\" value=\"1 warning: unexplained wrong results; all A, strategy b\"/>\n";
        if (whole && text && !ok(strstr(text, expected) != NULL, "  level by level, up to the declared one"))
            note("%s", text);
        ok(text && strstr(text, "<property name=\"group-1\" value=\"1 failure: crash: SIGILL; all B, strategy b\"/>") &&
               strstr(text, "type=\"crash\" message=\"SIGILL\">group 1: crash: SIGILL\n"),
           "  JUnit names the groups of failures");
        free(text);
        text = report_fixture_write(&report_markdown, paths, 1, NULL, 0, &error);
        ok(text && strstr(text, "| 3_0 | 137 | `GATHER_ND` | `ELEMENT_WISE_BIT_COUNT` | `CAST` | 0 |\n\n## ") &&
               (strstr(text, "; partial: no whole") == NULL) == whole,
           "  so has Markdown, where a part is marked");
        free(text);
    }
    if (!make_conformance_run(true, true))
        return;
    json_t *data = fixture_data_of(paths, 1, NULL, 0);
    holds(data, "conformance.0.complete_up_to", "\"3_1\"");
    json_decref(data);
    char *text = report_fixture_write(&report_junit, paths, 1, NULL, 0, &error);
    ok(text && strstr(text, "\"conformance-level\" value=\"3_1\""),
       "a device that has all is complete up to the level that it declares, where no case is");
    free(text);
    sql_alter(first, "UPDATE device SET feature_level = 'none'"); /* as `assay run` stores it */
    data = fixture_data_of(paths, 1, NULL, 0);
    holds(data, "runs.0.feature_level", "\"\"");
    holds(data, "conformance.0.complete_up_to", "\"3_0\"");
    holds(data, "conformance.0.levels.3.level", "\"6_4\"");
    json_decref(data);
}

static void test_sameness(void)
{
    const char *const paths[] = {first, second};
    const struct ending one[] = {{"g.b", STATUS_FAIL, 1, 0, 0}, {"g.a", STATUS_FAIL, 1, 0, 0}};
    make_history();
    test_report_make_run(second, "three", one, 2);
    for (const struct report_form *const *form = report_forms; *form; form++) {
        struct error error;
        char *a = report_fixture_write(*form, paths, 2, NULL, 0, &error),
             *b = report_fixture_write(*form, paths, 2, NULL, 0, &error);
        ok(a && b && strlen(a) > 100 && strcmp(a, b) == 0, "%s: the same databases give the same bytes", (*form)->name);
        free(a);
        free(b);
    }
}

/* The contents of a database are only ever text. */
static void test_report_hostile(void)
{
    static const char evil[] = "UPDATE test_case SET name = '</script><img src=x onerror=alert(1)>|`\"''&' || char(27) "
                               "|| '[31m' || char(8232) || "
                               "CAST(x'ff0a' AS TEXT) WHERE id = 1; UPDATE detail SET message = (SELECT name FROM "
                               "test_case WHERE id = 1), reproduce = '=cmd|x'; "
                               "UPDATE device SET name = '<!--<script>' || CAST(x'c0' AS TEXT), device = '@' || "
                               "device; UPDATE judgement SET rule = '--><b>'";
    const char *const paths[] = {first};
    make_history();
    sql_alter(first, evil);
    for (const struct report_form *const *form = report_forms; *form; form++) {
        struct error error;
        char *text = report_fixture_write(*form, paths, 1, NULL, 0, &error);
        ok(text != NULL, "%s of a hostile database is made", (*form)->name);
        if (!text)
            continue;
        ok(!strchr(text, 27) && !strstr(text, "\xff") && !strstr(text, "\xc0"),
           "  control characters and bytes are not in it");
        const char *data = strcmp((*form)->name, "html") == 0 ? strstr(text, "id=\"data\">") : NULL;
        if (data) {
            data += strlen("id=\"data\">");
            size_t length = strspn(data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n");
            ok(length > 1000 && strncmp(data + length, "</script>", 9) == 0, "  the data is nothing but base64");
        }
        if (strcmp((*form)->name, "json") == 0)
            ok(strstr(text, "<img src=x") != NULL, "  the data holds what the database says");
        if (strcmp((*form)->name, "junit") == 0)
            ok(!strstr(text, "<img") && strstr(text, "&lt;img"), "  tags are text");
        if (strcmp((*form)->name, "github") == 0)
            ok(strstr(text, "%0A") && !strstr(text, "\n::") == !strchr(text, '\n'), "  each line is a command");
        if (strcmp((*form)->name, "csv") == 0)
            ok(strstr(text, "\"'=cmd|x\"") && strstr(text, "\"'@one\""), "  formulas are text");
        if (strcmp((*form)->name, "markdown") == 0)
            ok(strstr(text, "``</script><img src=x onerror=alert(1)>\\|`") != NULL, "  marks are code");
        free(text);
    }
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s", tmp ? tmp : "/tmp");
    snprintf(first, sizeof first, "%s/first.db", folder);
    snprintf(second, sizeof second, "%s/second.db", folder);
    test_views();
    test_join();
    test_report_refusals();
    test_data();
    test_support();
    test_report_conformance();
    test_sameness();
    test_report_hostile();
    test_report_clear();
    return tap_done();
}
