/* store_folder.h: a folder for tests of the store with a database in it, at `path`. */
#ifndef TEST_STORE_FOLDER_H
#define TEST_STORE_FOLDER_H

#include "harness/results/store.h"
#include "harness/test/sql.h"

#include <glob.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static inline struct record store_folder_record(const char *name, enum status status, const char *message)
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
                           .verdict.status = status,
                           .verdict.cause = cause_of(status, CAUSE_REJECT),
                           .last = true,
                           .seed = 255,
                           .verdict.host_ns = 1234};
}

/* Runs a query on the database at `path`. */
static inline const char *ask(const char *sql)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
    const char *text = code == SQLITE_OK ? sql_ask(db, sql) : "error: it cannot be opened";
    sqlite3_close(db);
    return text;
}

static inline int store_folder_asked(const char *sql, const char *expected)
{
    const char *got = ask(sql);
    int good = ok(!strcmp(got, expected), "%s", sql);
    if (!good)
        note("got %s", got);
    return good;
}

/* Returns the files in the folder, joined by spaces. */
static inline const char *files(void)
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

static inline void clear(void)
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
static inline void make(const struct record *records, size_t count)
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

/* Returns true if an error is one line that names the file and says EXIT_HARNESS. */
static inline bool is_clear(const struct error *error)
{
    return error->status == EXIT_HARNESS && strstr(error->text, path) && !strchr(error->text, '\n') &&
           strlen(error->text) > strlen(path) + 10;
}

/* Makes the folder. False: it cannot. */
static inline bool begin(const char *program)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/%s.XXXXXX", base ? base : "/tmp", program);
    if (!mkdtemp(folder))
        return false;
    chmod(folder, 0755);
    snprintf(path, sizeof path, "%s/results.db", folder);
    return true;
}

/* Removes it, and reports to TAP. */
static inline int end(void)
{
    clear();
    rmdir(folder);
    return tap_done();
}

#endif
