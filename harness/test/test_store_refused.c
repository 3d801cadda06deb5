/* Checks that the store refuses some files. */
#include "harness/test/store_folder.h"

#include <fcntl.h>
#include <sys/wait.h>

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

/* Checks that opening fails, gives the reason, and leaves the folder unchanged. */
static void test_store_refused_because(const char *what, const char *why)
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

static void test_refused_files(void)
{
    char kept[sizeof path];
    memcpy(kept, path, sizeof path);
    clear();
    snprintf(path, sizeof path, "%s/nowhere/results.db", folder);
    test_store_refused_because("no folder", "expected its folder to be there");
    snprintf(path, sizeof path, "%s", folder);
    test_store_refused_because("a folder", "expected a database file");
    snprintf(path, sizeof path, "/dev/null");
    test_store_refused_because("a device file", "not a plain file");
    memcpy(path, kept, sizeof path);

    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < 100; i++)
        fprintf(file, "this is line %d of no database at all\n", i);
    if (file)
        fclose(file);
    test_store_refused_because("a text file", "not a database; expected an assay database");
    truncate(path, 5);
    test_store_refused_because("a short text file", "not a database; expected an assay database");
    truncate(path, 0);
    struct error error = {0};
    struct store *store;
    ok(!store_open(path, &store, &error) && !store_close(store, &error), "an empty file is as good as none");

    truncate(path, 0);
    ask("CREATE TABLE t (x)");
    test_store_refused_because("another program's database", "of some other program; expected an assay database");
    ask("PRAGMA user_version = 9");
    test_store_refused_because("another program's database with a version", "of some other program");
    clear();
    make(NULL, 0);
    ask("PRAGMA user_version = 10");
    test_store_refused_because("another version", "schema version 10; expected version 9");
    ask("PRAGMA user_version = 9");
    ask("DROP TABLE detail");
    test_store_refused_because("a table that lacks", "28 of 29 tables and views of schema version 9");
    clear();
}

static void test_refused_modes(void)
{
    clear();
    make(NULL, 0);
    chmod(path, 0444);
    test_store_refused_because("a read-only file", "it is read-only; expected a writable file");
    chmod(path, 0644);
    chmod(folder, 0555);
    test_store_refused_because("a read-only folder", "its folder is read-only; expected");
    chmod(folder, 0755);
    clear();
    chmod(folder, 0555);
    test_store_refused_because("a read-only folder without the file", "its folder is read-only; expected");
    chmod(folder, 0755);
    if (getuid() != 0)
        return;
    make(NULL, 0);
    chmod(path, 0600);
    if (!seteuid(65534)) {
        test_store_refused_because("somebody else's file", "Permission denied; expected");
        if (seteuid(0))
            abort();
    }
}

static void test_refused_damage(void)
{
    struct stat status;
    const struct record records[] = {store_folder_record("a", STATUS_PASS, ""),
                                     store_folder_record("b", STATUS_FAIL, "no")};
    clear();
    make(records, 2);
    patch(0, "SQLite fromat 3", 16);
    test_store_refused_because("a damaged magic number", "not a database");
    clear();
    make(records, 2);
    patch(16, "\x12\x34", 2);
    test_store_refused_because("a damaged page size", "not a database");
    clear();
    make(records, 2);
    stat(path, &status);
    truncate(path, status.st_size / 2);
    test_store_refused_because("half a file", "damaged");
    clear();
    make(records, 2);
    patch(100, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    test_store_refused_because("a damaged schema", "damaged");
}

/* Randomly changed bytes never crash the store: it writes, or reports an error. */
static void test_random_damage(void)
{
    enum { ROUNDS = 300 };
    const struct record records[] = {store_folder_record("a", STATUS_PASS, ""),
                                     store_folder_record("b", STATUS_FAIL, "no"),
                                     store_folder_record("c", STATUS_WARN, "so")};
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

int main(void)
{
    if (!begin("test_store_refused"))
        return 1;
    pid_t locked = start_locked();
    test_refused_files();
    test_refused_modes();
    test_refused_damage();
    test_random_damage();
    test_second_writer();
    int status;
    waitpid(locked, &status, 0);
    ok(WIFEXITED(status) && !WEXITSTATUS(status), "a lock that somebody keeps is an error in clear words");
    return end();
}
