/* Checks the file that the store leaves when it cannot write, or is killed. */
#include "harness/test/store_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

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
        const struct record record = store_folder_record(name, STATUS_FAIL, message);
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
    store_folder_asked("PRAGMA integrity_check", "ok");
    store_folder_asked("PRAGMA foreign_key_check", "");
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
            const struct record record = store_folder_record(name, STATUS_FAIL, "no");
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
    const struct record record = store_folder_record("a", STATUS_PASS, "");
    clear();
    int status = store_open(path, &store, &error);
    if (!ok(!status, "opened"))
        return;
    status = store_begin_run(store, &run, &id, &error);
    sqlite3_open(path, &reader);
    sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM runs", NULL, NULL, NULL);
    status = status || store_add(store, &record, &error) || store_end_run(store, true, &error);
    ok(!status && !store_close(store, &error), "closing while somebody reads: %s", error.text);
    store_folder_asked("SELECT case_name, status FROM results", "a|pass");
    sqlite3_close(reader);
    ok(!store_open(path, &store, &error) && !store_close(store, &error) && !strcmp(files(), "results.db"),
       "the next writer leaves one file again: %s", files());
}

int main(void)
{
    if (!begin("test_store_left"))
        return 1;
    test_file_limit();
    test_full_disk();
    test_killed();
    test_reader_at_close();
    return end();
}
