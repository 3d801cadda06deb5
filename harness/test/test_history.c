/* Reading databases: the contents of our own, and refusal of all others with one sentence. */
#include "harness/results/history.h"
#include "harness/results/store.h"
#include "harness/test/sql.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256], path[300];

/* ---- making databases */

static void test_history_add(struct store *store, const char *name, enum status status)
{
    struct record record = {.case_name = name,
                            .operator_name = "GATHER",
                            .feature_level = "3_0",
                            .data_types = "float32-uint32",
                            .rule = "axis-range",
                            .strength = "must",
                            .pages = "",
                            .expected = "",
                            .outcome = "",
                            .message = status == STATUS_PASS ? "" : "it is\nwrong",
                            .reproduce = "",
                            .verdict.status = status,
                            .verdict.host_ns = 1000,
                            .verdict.device_ns = 0};
    store_add(store, &record, NULL);
    for (unsigned repeat = 1; repeat <= 2; repeat++) {
        record.verdict.host_ns = 100 * repeat;
        record.verdict.device_ns = repeat - 1;
        store_add_sample(store, &record, repeat, NULL);
    }
}

static int64_t test_history_begin(struct store *store, const char *device)
{
    int64_t id = 0;
    const struct store_run run = {.version = "1",
                                  .seed = UINT64_MAX,
                                  .planned = 3,
                                  .command = "",
                                  .device = device,
                                  .device_name = "Name",
                                  .device_driver = "",
                                  .device_version = "",
                                  .feature_level = "6_4"};
    store_begin_run(store, &run, &id, NULL);
    return id;
}

/* Runs 1 and 2 take turns; run 3 is another one of the first device and has a retried case. */
static void test_history_make(void)
{
    struct store *store;
    unlink(path);
    if (store_open(path, &store, NULL))
        return;
    test_history_begin(store, "one");
    test_history_add(store, "gather.b", STATUS_PASS);
    test_history_begin(store, "two");
    test_history_add(store, "gather.b", STATUS_CRASH);
    store_go_on(store, 1);
    test_history_add(store, "gather.a", STATUS_FAIL);
    store_end_run(store, true, NULL);
    store_go_on(store, 2);
    test_history_add(store, "gather.c", STATUS_INCOMPLETE);
    store_end_run(store, false, NULL);
    test_history_begin(store, "one");
    struct record again = {.case_name = "gather.a",
                           .operator_name = "GATHER",
                           .feature_level = "3_0",
                           .data_types = "float32-uint32",
                           .rule = "",
                           .strength = "",
                           .pages = "",
                           .expected = "",
                           .outcome = "",
                           .message = "",
                           .reproduce = "",
                           .verdict.status = STATUS_FAIL};
    store_add(store, &again, NULL);
    again.verdict.status = STATUS_PASS;
    store_add(store, &again, NULL);
    store_end_run(store, true, NULL);
    store_close(store, NULL);
}

static void test_history_alter(const char *sql)
{
    sql_alter(path, sql);
}

/* ---- what is read */

static char seen[1024];

static int see_result(void *context, const struct history_result *result)
{
    (void)context;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s %s %s;", result->case_name, status_name(result->status),
             result->message);
    return 0;
}

static int see_sample(void *context, const struct history_sample *sample)
{
    (void)context;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s %llu %llu;", sample->case_name, (unsigned long long)sample->host_ns,
             (unsigned long long)sample->device_ns);
    return 0;
}

static int see_case(void *context, const char *name)
{
    (void)context;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s;", name);
    return 0;
}

static int test_history_stop(void *context, const struct history_result *result)
{
    (void)result;
    return ++*(int *)context == 1 ? 77 : 0;
}

static const char *results(struct history *h, int64_t run)
{
    static struct error error;
    error.status = EXIT_AS_EXPECTED;
    *seen = '\0';
    return history_results(h, run, see_result, NULL, &error) ? error.text : seen;
}

static int saw(const char *expected, const char *what)
{
    int good = strcmp(seen, expected) == 0;
    if (!ok(good, "%s", what))
        note("got %s, expected %s", seen, expected);
    return good;
}

static void test_reading(void)
{
    struct history *h;
    struct history_run run, last[4];
    struct error error = {0};
    int count = 0;
    test_history_make();
    if (!ok(history_open(path, &h, &error) == 0, "a database of ours is opened"))
        return note("%s", error.text);
    ok(history_run(h, 2, &run, &error) == 0 && strcmp(run.device, "two") == 0 && run.seed == UINT64_MAX &&
           run.planned == 3 && strcmp(run.state, "incomplete") == 0 && strcmp(run.feature_level, "6_4") == 0,
       "a run by its number");
    ok(history_last_run(h, NULL, 0, &run, &error) == 0 && run.id == 3, "the last run");
    ok(history_last_run(h, "two", 0, &run, &error) == 0 && run.id == 2, "the last of a device");
    ok(history_last_run(h, "one", 3, &run, &error) == 0 && run.id == 1, "the one before");
    ok(history_last_run(h, "one", 1, &run, &error) == EXIT_NO_MATCH &&
           strstr(error.text, "no run of device one before"),
       "there is none before the first");
    error.status = EXIT_AS_EXPECTED;
    ok(history_run(h, 9, &run, &error) == EXIT_NO_MATCH && strstr(error.text, "has no run 9; its last is 3"),
       "no such number");
    error.status = EXIT_AS_EXPECTED;
    ok(history_last_runs(h, last, 4, &count, &error) == 0 && count == 2 && last[0].id == 3 && last[1].id == 2,
       "the last of each device");
    ok(history_last_runs(h, last, 1, &count, &error) == 0 && count == 1, "the number that was asked for");
    results(h, 1);
    saw("gather.a fail it is\\nwrong;gather.b pass ;", "results by name, of runs that took turns");
    results(h, 2);
    saw("gather.b crash it is\\nwrong;gather.c incomplete it is\\nwrong;", "the same of the other run");
    results(h, 3);
    saw("gather.a pass ;", "the last attempt counts");
    *seen = '\0';
    history_samples(h, 1, see_sample, NULL, &error);
    saw("gather.a 100 0;gather.a 200 1;gather.b 100 0;gather.b 200 1;", "samples in order");
    *seen = '\0';
    history_cases(h, 0, see_case, NULL, &error);
    ok(strstr(seen, "gather.a;") && strstr(seen, "gather.b;") && !strstr(seen, "gather.c"),
       "cases that were run, and not what was incomplete only");
    int calls = 0;
    ok(history_results(h, 1, test_history_stop, &calls, &error) == 77 && calls == 1, "a callback ends it");
    history_close(h);
    history_close(NULL);
}

/* ---- what is refused */

static void test_history_refused(const char *pattern, const char *what)
{
    struct history *h = NULL;
    struct history_run run;
    struct error error = {0};
    int result = history_open(path, &h, &error);
    if (result == 0 && (result = history_run(h, 1, &run, &error)) == 0)
        results(h, 1); /* not reached: history_open() must refuse the file */
    if (!ok(result == EXIT_HARNESS && strstr(error.text, pattern) && strstr(error.text, path), "%s is refused", what))
        note("status %d: %s", result, error.text);
    history_close(h);
}

static void test_history_write_file(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fwrite(bytes, 1, length, file);
    fclose(file);
}

static void test_history_refusals(void)
{
    unlink(path);
    test_history_refused("No such file", "a file that is not there");
    mkdir(path, 0700);
    test_history_refused("not a plain file", "a folder");
    rmdir(path);
    mkfifo(path, 0600);
    test_history_refused("not a plain file", "a pipe");
    unlink(path);
    test_history_write_file("", 0);
    test_history_refused("another program", "an empty file");
    test_history_write_file(
        "This is no database. It only is a text that is long enough to be one, if it were one: a header is "
        "100 bytes long.",
        113);
    test_history_refused("not a database", "a text");
    unlink(path);
    test_history_alter("CREATE TABLE t (a); PRAGMA application_id = 5");
    test_history_refused("another program", "a database of others");
    test_history_make();
    test_history_alter("PRAGMA user_version = 3");
    test_history_refused("schema version 3; this assay reads version 9", "another version");
    test_history_make();
    test_history_alter("PRAGMA writable_schema = ON; DROP TABLE run");
    test_history_refused("28 of 29 tables and views", "one without a table");
    test_history_make();
    test_history_alter(
        "DROP TABLE result; CREATE VIEW result AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT 1 AS run_id, 1 AS case_id, i AS attempt, 'pass' AS status, 1 AS judgement_id, 1 AS host_ns, "
        "1 AS device_ns, 1 AS seed FROM n");
    test_history_refused("its view 'result' is not what this assay makes", "a view in the place of a table");
    test_history_make();
    test_history_alter("ALTER TABLE device RENAME TO d; CREATE VIRTUAL TABLE Device USING fts5(x)");
    test_history_refused("is not what this assay makes", "a virtual table in the place of a table");
}

static void test_misleading(void)
{
    struct history *h;
    struct error error = {0};
    test_history_make();
    test_history_alter(
        "DROP VIEW results; DROP VIEW runs; CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
        "i + 1 FROM n) SELECT i AS run_id FROM n");
    test_history_refused("its view 'runs' is not what this assay makes", "a view that misleads");
    test_history_make();
    test_history_alter("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM result; END");
    test_history_refused("its trigger 't' is not what this assay makes", "a trigger");
    test_history_make();
    test_history_alter("DROP VIEW samples; DROP TABLE timing_sample");
    test_history_refused("27 of 29 tables and views", "one without samples");
    test_history_make();
    test_history_alter("PRAGMA ignore_check_constraints = ON; UPDATE result SET status = 'odd' WHERE run_id = 3");
    history_open(path, &h, &error);
    ok(strstr(results(h, 3), "status 'odd', which this assay does not know") != NULL, "an unknown status is an error");
    history_close(h);
}

static void test_history_damage(void)
{
    struct stat file;
    test_history_make();
    stat(path, &file);
    char *bytes = malloc((size_t)file.st_size);
    FILE *in = fopen(path, "rb");
    int said = 0, done = 0;
    if (bytes && in && fread(bytes, 1, (size_t)file.st_size, in) == (size_t)file.st_size)
        for (size_t page = 1; page < (size_t)file.st_size / 16384; page++) {
            char *at = bytes + page * 16384, kept[64];
            struct history *h;
            struct error error = {0};
            memcpy(kept, at, sizeof kept);
            memset(at, 0x5a, sizeof kept);
            test_history_write_file(bytes, (size_t)file.st_size);
            memcpy(at, kept, sizeof kept);
            *seen = '\0';
            if (history_open(path, &h, &error) == 0 && history_results(h, 1, see_result, NULL, &error) == 0)
                history_samples(h, 1, see_sample, NULL, &error);
            history_close(h);
            said += error.status == EXIT_HARNESS && strstr(error.text, "damaged") != NULL;
            done++;
        }
    if (in)
        fclose(in);
    ok(done > 5 && said >= 4, "the damaged pages that are read are noticed, out of %d (%d)", done, said);
    if (bytes)
        test_history_write_file(bytes, (size_t)file.st_size / 2);
    test_history_refused("damaged", "half a file");
    free(bytes);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s", tmp ? tmp : "/tmp");
    snprintf(path, sizeof path, "%s/history.db", folder);
    test_reading();
    test_history_refusals();
    test_misleading();
    test_history_damage();
    unlink(path);
    return tap_done();
}
