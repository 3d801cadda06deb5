/* Measures the limits of the machine, with which figures of the harness can be compared: bench_machine [BYTES] [ROWS]
 * The least work for a case: three tensors of so many bytes are allocated, written, copied and compared. The least work
 * for a row: nine numbers go into a table of SQLite, prepared, 10,000 to a transaction. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TENSORS = 3, COMMIT = 10000 };

static double bench_machine_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns cases a second. */
static double bench_machine_copy(size_t bytes)
{
    double start = bench_machine_seconds(), spent = 0;
    unsigned cases = 0, different = 0;
    for (; spent < 1; spent = bench_machine_seconds() - start)
        for (int i = 0; i < 1000; i++, cases++)
            for (int t = 0; t < TENSORS; t++) {
                char *volatile from = malloc(bytes), *volatile to = malloc(bytes);
                if (!from || !to)
                    exit(1);
                memset(from, (int)cases, bytes);
                memcpy(to, from, bytes);
                different += memcmp(to, from, bytes) != 0;
                free(from);
                free(to);
            }
    return different ? 0 : cases / spent;
}

/* Returns rows a second; 0: it did not work. */
static double bench_machine_insert(unsigned rows)
{
    char folder[] = "/tmp/bench_machine.XXXXXX", path[64];
    sqlite3 *database = NULL;
    sqlite3_stmt *put = NULL;
    bool good = mkdtemp(folder) && snprintf(path, sizeof path, "%s/rows.db", folder) > 0;
    good = good && sqlite3_open(path, &database) == SQLITE_OK &&
           sqlite3_exec(database,
                        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                        "CREATE TABLE result (a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER, f INTEGER, "
                        "g INTEGER, h INTEGER, i INTEGER, PRIMARY KEY (a, b, c)) WITHOUT ROWID; BEGIN",
                        NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(database, "INSERT INTO result VALUES (1, ?1, 1, ?1, 0, 0, 0, ?1, NULL)", -1, &put,
                              NULL) == SQLITE_OK;
    double start = bench_machine_seconds();
    for (unsigned i = 0; i < rows && good; i++) {
        sqlite3_bind_int64(put, 1, i);
        good = sqlite3_step(put) == SQLITE_DONE && sqlite3_reset(put) == SQLITE_OK;
        if (i % COMMIT == COMMIT - 1)
            good = good && sqlite3_exec(database, "COMMIT; BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    }
    good = good && sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    double spent = bench_machine_seconds() - start;
    sqlite3_finalize(put);
    sqlite3_close(database);
    unlink(path);
    rmdir(folder);
    return good ? rows / spent : 0;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096;
    unsigned rows = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000000;
    double copied = bench_machine_copy(bytes), inserted = bench_machine_insert(rows);
    printf("machine: %.0f times a second %d tensors of %zu bytes allocated, written, copied, compared; "
           "%.0f rows a second into SQLite\n",
           copied, TENSORS, bytes, inserted);
    return copied > 0 && inserted > 0 ? 0 : 1;
}
