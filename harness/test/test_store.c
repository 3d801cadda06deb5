/* The store: what it writes, what it refuses to write to, and what is left when it cannot. */
#include "harness/results/store.h"
#include "harness/test/sql.h"

#include <fcntl.h>
#include <signal.h>
#include <glob.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[256], path[300];

static const struct store_run run = {
    .version = "0.1.0",
    .seed = UINT64_MAX,
    .planned = 4,
    .plan_hash = 0x8000000000000001u,
    .command = "assay run -d reference",
    .device = "reference",
    .device_name = "Reference",
    .device_driver = "none",
    .device_version = "1",
    .feature_level = "6_4",
};

static struct record record_of(const char *name, enum status status, const char *message)
{
    return (struct record){.case_name = name,
                           .operator_name = "GATHER",
                           .feature_level = "3_0",
                           .data_types = "float32-uint32",
                           .device = "reference",
                           .rule = status == STATUS_PASS ? "" : "axis-range",
                           .pages = "bed83-115, A6",
                           .strength = "must",
                           .outcome = "",
                           .expected = "outputs as the reference device",
                           .message = message,
                           .reproduce = *message ? "assay repro x" : "",
                           .status = status,
                           .cause = cause_of(status, CAUSE_REJECT),
                           .last = true,
                           .seed = 255,
                           .host_ns = 1234};
}

/* ---- helpers */

/* Runs a query on the database at `path`. */
static const char *ask(const char *sql)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
    const char *text = code == SQLITE_OK ? sql_ask(db, sql) : "error: it cannot be opened";
    sqlite3_close(db);
    return text;
}

static int asked(const char *sql, const char *expected)
{
    const char *got = ask(sql);
    int good = ok(!strcmp(got, expected), "%s", sql);
    if (!good)
        note("got %s", got);
    return good;
}

/* The files in the folder, joined by spaces. */
static const char *files(void)
{
    static char text[1024];
    char pattern[300];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", folder);
    text[0] = 0;
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", strrchr(found.gl_pathv[i], '/') + 1);
        }
    globfree(&found);
    return text;
}

static void clear(void)
{
    char name[600], list[1024];
    snprintf(list, sizeof list, "%s", files());
    for (char *file = strtok(list, " "); file; file = strtok(NULL, " ")) {
        snprintf(name, sizeof name, "%s/%s", folder, file);
        if (unlink(name))
            rmdir(name);
    }
}

/* Makes a database with one run of a few results. */
static void make(const struct record *records, size_t count)
{
    struct error error = {0};
    struct store *store;
    int64_t id;
    int status = store_open(path, &store, &error);
    if (!status)
        status = store_begin_run(store, &run, &id, &error);
    for (size_t i = 0; !status && i < count; i++)
        status = store_add(store, &records[i], &error);
    if (!status)
        status = store_end_run(store, true, &error);
    if (store)
        store_close(store, &error);
    if (error.status)
        ok(0, "made a database: %s", error.text);
}

static void patch(long offset, const void *bytes, size_t size)
{
    int file = open(path, O_RDWR);
    if (file < 0 || pwrite(file, bytes, size, offset) != (ssize_t)size)
        ok(0, "patched a file");
    close(file);
}

static uint64_t checksum(void)
{
    uint64_t sum = 14695981039346656037u;
    FILE *file = fopen(path, "rb");
    for (int byte; file && (byte = getc(file)) != EOF;)
        sum = (sum ^ (unsigned)byte) * 1099511628211u;
    if (file)
        fclose(file);
    return sum;
}

/* Whether an error is one line that names the file and says EXIT_HARNESS. */
static bool is_clear(const struct error *error)
{
    return error->status == EXIT_HARNESS && strstr(error->text, path) && !strchr(error->text, '\n') &&
           strlen(error->text) > strlen(path) + 10;
}

/* Checks that opening fails, gives the reason, and leaves the folder unchanged. */
static void refused(const char *what, const char *why)
{
    char before[1024];
    snprintf(before, sizeof before, "%s", files());
    uint64_t sum = checksum();
    struct error error = {0};
    struct store *store;
    int status = store_open(path, &store, &error);
    ok(status == EXIT_HARNESS && !store && is_clear(&error) && strstr(error.text, why), "%s: %s", what, error.text);
    if (store)
        store_close(store, NULL);
    if (!ok(!strcmp(before, files()) && checksum() == sum, "%s: nothing changed", what))
        note("before: %s; after: %s", before, files());
}

/* ---- what is written */

static void test_content(void)
{
    struct record records[] = {
        record_of("a.pass", STATUS_PASS, ""),
        record_of("b.fail", STATUS_FAIL, "two\nlines \x1b[31m \xff \xc3\xa9"),
        record_of("c.crash", STATUS_CRASH, "signal 11"),
        record_of("d.skip", STATUS_SKIP, "level"),
    };
    records[0].device_ns = 77;
    records[1].wrong = (struct wrong){"OutputTensor", "{0,1}", "1.5 (0x3fc00000)", "2 (0x40000000)", 3};
    clear();
    make(records, 4);
    ok(!strcmp(files(), "results.db"), "one file is left");
    asked("PRAGMA integrity_check", "ok");
    asked("PRAGMA foreign_key_check", "");
    asked("PRAGMA application_id", "1634951545");
    asked("PRAGMA user_version", "6");
    asked("PRAGMA journal_mode", "delete");
    asked("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%'", "");
    asked("SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_info('results') LIMIT 11)",
          "run_id, device, case_name, operator, feature_level, status, rule, message, host_ns, device_ns, seed");
    asked("SELECT run_id, device, case_name, operator, feature_level, status, rule, message, host_ns, device_ns, seed "
          "FROM results",
          "1|reference|a.pass|GATHER|3_0|pass|||1234|77|0x00000000000000ff\n"
          "1|reference|b.fail|GATHER|3_0|fail|axis-range|two\\nlines \\x1b[31m \\xff \xc3\xa9|1234|NULL|"
          "0x00000000000000ff\n"
          "1|reference|c.crash|GATHER|3_0|crash|axis-range|signal 11|1234|NULL|0x00000000000000ff\n"
          "1|reference|d.skip|GATHER|3_0|skip|axis-range|level|1234|NULL|0x00000000000000ff");
    asked("SELECT pages, expected, wrong_tensor, wrong_coordinates, wrong_got, wrong_expected, wrong_count, reproduce, "
          "attempt FROM results LIMIT 2",
          "bed83-115, A6|outputs as the reference device|||||0||1\n"
          "bed83-115, A6|outputs as the reference device|OutputTensor|{0,1}|1.5 (0x3fc00000)|2 (0x40000000)|3|"
          "assay repro x|1");
    asked("SELECT case_name FROM failures", "b.fail\nc.crash");
    asked("SELECT * FROM summary", "1|GATHER|crash|1\n1|GATHER|fail|1\n1|GATHER|pass|1\n1|GATHER|skip|1");
    asked("SELECT run_id, device, state, planned, device_name, device_driver, device_version, feature_level, version, "
          "seed, plan_hash, command FROM runs",
          "1|reference|complete|4|Reference|none|1|6_4|0.1.0|0xffffffffffffffff|0x8000000000000001|"
          "assay run -d reference");
    asked("SELECT started GLOB '20[0-9][0-9]-*T*Z' AND ended >= started FROM runs", "1");
}

static void test_history(void)
{
    const struct record first[] = {record_of("a", STATUS_PASS, ""), record_of("b", STATUS_PASS, "")};
    const struct record second[] = {record_of("b", STATUS_FAIL, "once"), record_of("c", STATUS_PASS, ""),
                                    record_of("b", STATUS_PASS, ""), record_of("c", STATUS_CRASH, "then")};
    clear();
    make(first, 2);
    make(second, 4);
    asked("SELECT count(*) FROM test_case", "3");
    asked("SELECT count(*) FROM device", "1");
    asked("SELECT run_id, case_name, status, message, attempt FROM results ORDER BY 1, 2",
          "1|a|pass||1\n1|b|pass||1\n2|b|pass||2\n2|c|crash|then|2");
    asked("SELECT run_id, case_id, attempt, status FROM result WHERE run_id = 2",
          "2|2|1|fail\n2|2|2|pass\n2|3|1|pass\n2|3|2|crash");
    asked("SELECT run_id, sum(count) FROM summary GROUP BY run_id", "1|2\n2|2");
    asked(
        "INSERT INTO result VALUES (1, 1, 2, 'perhaps', 1, 0, 0, 0, 0, NULL, NULL)",
        "error: CHECK constraint failed: status = 'pass' OR status IN ('fail', 'warn', 'crash', 'timeout', "
        "'device_lost',\n                                      'unsupported', 'skip', 'harness_error', 'incomplete')");
}

/* Rows are written several at a time, also if some of them are further attempts at cases that have rows, and the
 * details belong to the attempt that they say. */
static void test_many(void)
{
    enum { CASES = 10, TURNS = 7 };
    struct record records[CASES * TURNS];
    char names[CASES][16], messages[CASES * TURNS][16];
    for (int i = 0; i < CASES * TURNS; i++) {
        snprintf(names[i % CASES], sizeof names[0], "c%d", i % CASES);
        snprintf(messages[i], sizeof messages[0], "t%d", i / CASES + 1);
        bool fails = i % 9 == 0;
        records[i] = record_of(names[i % CASES], fails ? STATUS_FAIL : STATUS_PASS, fails ? messages[i] : "");
        records[i].host_ns = (uint64_t)i / CASES + 1;
    }
    clear();
    make(records, CASES * TURNS);
    asked("SELECT count(*), count(DISTINCT case_id), min(attempt = host_ns), max(attempt) FROM result", "70|10|1|7");
    asked("SELECT count(*), min(message = 't' || attempt) FROM detail", "8|1");
    asked("SELECT count(*) FROM detail JOIN result USING (run_id, case_id, attempt) WHERE status = 'fail'", "8");
}

/* Runs that take turns: a result belongs to the run that it was added in, whichever run is the current one when it is
 * written. */
static void test_turns(void)
{
    struct error error = {0};
    struct store *store;
    int64_t first = 0, second = 0;
    struct record pass = record_of("c1", STATUS_PASS, ""), other = record_of("c2", STATUS_PASS, "");
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
    asked("SELECT run_id, count(*), max(attempt) FROM result GROUP BY run_id", "1|1|1\n2|2|1");
}

static void test_every_status(void)
{
    struct record records[STATUS_COUNT];
    char names[STATUS_COUNT][8], expected[256] = "";
    for (int i = 0; i < STATUS_COUNT; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        records[i] = record_of(names[i], (enum status)i, "");
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s|%d", i ? "\n" : "", status_name((enum status)i),
                 status_is_failure((enum status)i) != 0);
    }
    clear();
    make(records, STATUS_COUNT);
    asked("SELECT status, case_name IN (SELECT case_name FROM failures) FROM results ORDER BY case_key",
          "error: no such "
          "column: case_key");
    asked("SELECT status, case_name IN (SELECT case_name FROM failures) FROM results ORDER BY case_name", expected);
}

/* The view and the program agree on what makes a run fail. */
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
                records[count] = record_of(names[count], (enum status)status, flaky ? "fail, then not" : "");
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
    asked("SELECT count(*) FROM failures", expected);
    char whole[2300];
    snprintf(whole, sizeof whole,
             "WITH known (name, failure) AS (VALUES %s) "
             "SELECT count(*) FROM known WHERE failure <> (name IN (SELECT case_name FROM failures))",
             query);
    asked(whole, "0");
    asked("SELECT flaky, expectation, reason FROM results WHERE case_name IN ('c0', 'c3', 'c4')",
          "0||\n1|expected|why\\n\n0|unexpected|why\\n");
}

/* ---- what is refused */

static void test_refused_files(void)
{
    char kept[sizeof path];
    memcpy(kept, path, sizeof path);
    clear();
    snprintf(path, sizeof path, "%s/nowhere/results.db", folder);
    refused("no folder", "expected its folder to be there");
    snprintf(path, sizeof path, "%s", folder);
    refused("a folder", "expected a database file");
    snprintf(path, sizeof path, "/dev/null");
    refused("a device file", "not a plain file");
    memcpy(path, kept, sizeof path);

    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < 100; i++)
        fprintf(file, "this is line %d of no database at all\n", i);
    if (file)
        fclose(file);
    refused("a text file", "not a database; expected an assay database");
    truncate(path, 5);
    refused("a short text file", "not a database; expected an assay database");
    truncate(path, 0);
    struct error error = {0};
    struct store *store;
    ok(!store_open(path, &store, &error) && !store_close(store, &error), "an empty file is as good as none");

    truncate(path, 0);
    ask("CREATE TABLE t (x)");
    refused("another program's database", "of some other program; expected an assay database");
    ask("PRAGMA user_version = 6");
    refused("another program's database with a version", "of some other program");
    clear();
    make(NULL, 0);
    ask("PRAGMA user_version = 9");
    refused("another version", "schema version 9; expected version 6");
    ask("PRAGMA user_version = 6");
    ask("DROP TABLE detail");
    refused("a table that lacks", "27 of 28 tables and views of schema version 6");
    clear();
}

static void test_refused_modes(void)
{
    clear();
    make(NULL, 0);
    chmod(path, 0444);
    refused("a read-only file", "it is read-only; expected a writable file");
    chmod(path, 0644);
    chmod(folder, 0555);
    refused("a read-only folder", "its folder is read-only; expected");
    chmod(folder, 0755);
    clear();
    chmod(folder, 0555);
    refused("a read-only folder without the file", "its folder is read-only; expected");
    chmod(folder, 0755);
    if (getuid() != 0)
        return;
    make(NULL, 0);
    chmod(path, 0600);
    if (!seteuid(65534)) {
        refused("somebody else's file", "Permission denied; expected");
        if (seteuid(0))
            abort();
    }
}

static void test_refused_damage(void)
{
    struct stat status;
    const struct record records[] = {record_of("a", STATUS_PASS, ""), record_of("b", STATUS_FAIL, "no")};
    clear();
    make(records, 2);
    patch(0, "SQLite fromat 3", 16);
    refused("a damaged magic number", "not a database");
    clear();
    make(records, 2);
    patch(16, "\x12\x34", 2);
    refused("a damaged page size", "not a database");
    clear();
    make(records, 2);
    stat(path, &status);
    truncate(path, status.st_size / 2);
    refused("half a file", "damaged");
    clear();
    make(records, 2);
    patch(100, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    refused("a damaged schema", "damaged");
}

/* Randomly changed bytes never crash the store: it writes, or reports an error. */
static void test_random_damage(void)
{
    enum { ROUNDS = 300 };
    const struct record records[] = {record_of("a", STATUS_PASS, ""), record_of("b", STATUS_FAIL, "no"),
                                     record_of("c", STATUS_WARN, "so")};
    unsigned long long state = 1;
    int bad = 0, failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct stat file;
        struct error error = {0};
        struct store *store;
        int64_t id;
        clear();
        make(records, 2);
        stat(path, &file);
        for (int i = 0; i < 1 + round % 40; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            unsigned char byte = (unsigned char)(state >> 56);
            long page = (long)(state >> 33) % (file.st_size / 16384) * 16384;
            patch(page + (long)(state >> 40) % (round % 2 ? 120 : 16384), &byte, 1);
        }
        int status = store_open(path, &store, &error);
        if (!status) {
            status = store_begin_run(store, &run, &id, &error);
            for (int i = 0; !status && i < 3; i++)
                status = store_add(store, &records[i], &error);
            if (!status)
                status = store_end_run(store, true, &error);
            int closed = store_close(store, &error);
            status = status ? status : closed;
        }
        failed += status != 0;
        if (status && !is_clear(&error))
            note("round %d: %d %s", round, status, error.text), bad++;
    }
    ok(!bad && failed, "%d damaged files: %d refused, in clear words", ROUNDS, failed);
}

static void test_second_writer(void)
{
    struct error error = {0};
    struct store *store;
    clear();
    if (!ok(!store_open(path, &store, &error), "opened"))
        return;
    struct error second = {0};
    struct store *other;
    ok(store_open(path, &other, &second) == EXIT_HARNESS && !other && is_clear(&second) &&
           strstr(second.text, "another assay is writing it"),
       "a second writer is refused: %s", second.text);
    ok(!strncmp(ask("SELECT count(*) FROM runs"), "0", 1), "a reader is not");
    store_close(store, &error);
    ok(!store_open(path, &store, &error) && !store_close(store, &error), "and it can be opened when the first is done");
    ok(!store_close(NULL, &error), "closing nothing is nothing");
}

/* Another program holds the database locked. The wait takes seconds, so this runs in parallel with the other tests. */
static pid_t start_locked(void)
{
    pid_t child = fork();
    if (child)
        return child;
    struct error error = {0};
    struct store *store;
    sqlite3 *db;
    snprintf(path, sizeof path, "%s.locked", folder);
    if (store_open(path, &store, &error) || store_close(store, &error) || sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
        _exit(2);
    int status = store_open(path, &store, &error);
    sqlite3_close(db);
    unlink(path);
    if (status != EXIT_HARNESS || !is_clear(&error) || !strstr(error.text, "locked by another program"))
        fprintf(stderr, "%d %s\n", status, error.text), _exit(1);
    _exit(0);
}

/* ---- what a failure leaves */

static void add_until_error(struct error *error)
{
    struct store *store;
    int64_t id;
    char name[64], message[512];
    memset(message, 'm', sizeof message - 1);
    message[sizeof message - 1] = 0;
    if (store_open(path, &store, error))
        return;
    int status = store_begin_run(store, &run, &id, error);
    for (int i = 0; !status && i < 100000; i++) {
        snprintf(name, sizeof name, "case.%d", i);
        const struct record record = record_of(name, STATUS_FAIL, message);
        status = store_add(store, &record, error);
        if (!status && i % 100 == 99)
            status = store_flush(store, error);
    }
    store_close(store, error);
}

static void check_left(const char *what)
{
    int rows = atoi(ask("SELECT count(*) FROM result"));
    ok(rows > 0 && rows % 100 == 0, "%s: %d rows are there, whole batches", what, rows);
    asked("PRAGMA integrity_check", "ok");
    asked("PRAGMA foreign_key_check", "");
}

/* Children end with _exit(), since only the parent prints TAP. */
static void test_file_limit(void)
{
    static const rlim_t limits[] = {1, 40000, 600000, 3000000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        clear();
        pid_t child = fork();
        if (!child) {
            struct error error = {0};
            struct rlimit limit = {limits[i], limits[i]};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            add_until_error(&error);
            if (!is_clear(&error))
                fprintf(stderr, "# %d %s\n", error.status, error.text);
            _exit(!is_clear(&error));
        }
        int status;
        waitpid(child, &status, 0);
        ok(WIFEXITED(status) && !WEXITSTATUS(status), "files of %lu bytes at most: an error in clear words",
           (unsigned long)limits[i]);
        if (limits[i] > 500000)
            check_left("a file at its limit");
        else
            ok(!strcmp(files(), ""), "no room for the schema: no file is left");
    }
}

static void test_full_disk(void)
{
    char mounted[sizeof folder + 8], kept[sizeof path];
    memcpy(kept, path, sizeof path);
    clear();
    snprintf(mounted, sizeof mounted, "%s/full", folder);
    if (mkdir(mounted, 0755) || mount("none", mounted, "tmpfs", 0, "size=2m")) {
        skip_rest("full disk: may not mount a small one");
        rmdir(mounted);
        return;
    }
    struct error error = {0};
    snprintf(path, sizeof path, "%s/results.db", mounted);
    add_until_error(&error);
    ok(is_clear(&error) && strstr(error.text, "the disk is full"), "full disk: %s", error.text);
    check_left("full disk");
    umount2(mounted, MNT_DETACH);
    mount("none", mounted, "tmpfs", 0, "size=64k");
    error = (struct error){0};
    add_until_error(&error);
    ok(is_clear(&error) && strstr(error.text, "the disk is full"), "full from the start: %s", error.text);
    ok(access(path, F_OK) != 0, "full from the start: no file is left");
    umount2(mounted, MNT_DETACH);
    rmdir(mounted);
    memcpy(path, kept, sizeof path);
}

/* Kills a writer after a while; `late`: only after it reported progress. Returns the number of rows that it reported as
 * committed. */
static int kill_writer(long nanoseconds, bool late)
{
    int ends[2], rows = 0, said;
    if (pipe(ends))
        return -1;
    pid_t child = fork();
    if (!child) {
        struct error error = {0};
        struct store *store;
        int64_t id;
        close(ends[0]);
        if (store_open(path, &store, &error) || store_begin_run(store, &run, &id, &error))
            _exit(1);
        for (int i = 0;; i++) {
            char name[32];
            snprintf(name, sizeof name, "case.%d", i);
            const struct record record = record_of(name, STATUS_FAIL, "no");
            if (store_add(store, &record, &error) || (i % 50 == 49 && store_flush(store, &error)))
                _exit(1);
            said = i + 1;
            if (i % 50 == 49 && write(ends[1], &said, sizeof said) < 0)
                _exit(1);
        }
    }
    close(ends[1]);
    fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    if (late && read(ends[0], &said, sizeof said) == sizeof said)
        rows = said;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    while (read(ends[0], &said, sizeof said) == sizeof said)
        rows = said;
    close(ends[0]);
    return rows;
}

static void test_killed(void)
{
    enum { ROUNDS = 25 };
    int lost = 0, damaged = 0, not_reopened = 0, max = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct error error = {0};
        struct store *store;
        clear();
        int said = kill_writer(1000000L * (1 + round * 4), round % 2);
        if (!*files())
            continue; /* the file did not exist yet */
        if (said) {
            int there = atoi(ask("SELECT count(*) FROM results WHERE run_id = 1"));
            lost += there < said;
            damaged += strcmp(ask("PRAGMA integrity_check"), "ok") != 0 || *ask("PRAGMA foreign_key_check") != 0;
            max = there > max ? there : max;
        }
        if (store_open(path, &store, &error) || store_close(store, &error))
            not_reopened++, note("%s", error.text);
        else if (said && strcmp(ask("SELECT state FROM runs"), "incomplete") != 0)
            not_reopened++, note("state %s", ask("SELECT state FROM runs"));
    }
    ok(!lost && max > 0, "killed %d times: no committed row is lost of up to %d", ROUNDS, max);
    ok(!damaged, "killed: no damage");
    ok(!not_reopened, "killed: opens again, the run is incomplete");
    ok(!strcmp(files(), "results.db"), "killed: one file again after that");
}

static void test_reader_at_close(void)
{
    struct error error = {0};
    struct store *store;
    sqlite3 *reader;
    int64_t id;
    const struct record record = record_of("a", STATUS_PASS, "");
    clear();
    int status = store_open(path, &store, &error);
    if (!ok(!status, "opened"))
        return;
    status = store_begin_run(store, &run, &id, &error);
    sqlite3_open(path, &reader);
    sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM runs", NULL, NULL, NULL);
    status = status || store_add(store, &record, &error) || store_end_run(store, true, &error);
    ok(!status && !store_close(store, &error), "closing while somebody reads: %s", error.text);
    asked("SELECT case_name, status FROM results", "a|pass");
    sqlite3_close(reader);
    ok(!store_open(path, &store, &error) && !store_close(store, &error) && !strcmp(files(), "results.db"),
       "the next writer leaves one file again: %s", files());
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
        const struct record record = record_of(name, STATUS_PASS, "");
        store_add(store, &record, &error);
        seen = atoi(ask("SELECT count(*) FROM results"));
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    ok(seen > 0, "a reader sees rows while they are added");
    const struct record record = record_of("last", STATUS_PASS, "");
    store_add(store, &record, &error);
    ok(!store_flush(store, &error) && !store_flush(store, &error), "flushing, also twice");
    asked("SELECT case_name FROM results WHERE case_name = 'last'", "last");
    ok(!store_end_run(store, false, &error) && store_add(store, &record, &error) == EXIT_HARNESS,
       "a result outside of a run is refused");
    store_close(store, NULL);
    asked("SELECT state FROM runs", "incomplete");
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/test_store.XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    chmod(folder, 0755);
    pid_t locked = start_locked();
    snprintf(path, sizeof path, "%s/results.db", folder);
    test_content();
    test_history();
    test_many();
    test_turns();
    test_every_status();
    test_failures();
    test_refused_files();
    test_refused_modes();
    test_refused_damage();
    test_random_damage();
    test_second_writer();
    test_file_limit();
    test_full_disk();
    test_killed();
    test_reader_at_close();
    test_batches();
    int status;
    waitpid(locked, &status, 0);
    ok(WIFEXITED(status) && !WEXITSTATUS(status), "a lock that somebody keeps is an error in clear words");
    clear();
    rmdir(folder);
    return tap_done();
}
