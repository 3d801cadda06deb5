/* Reads a bundle that may be a stranger's, and draws cases from it. */
#include "harness/results/bundle.h"

#include "harness/base/random.h"
#include "harness/results/guard.h"
#include "harness/results/row.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- opening */

/* Sets an error if an object has a member that none of `names` is; the list ends with a null. */
static int check_members(const json_t *object, const char *what, const char *const *names, struct error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        int at = 0;
        while (names[at] && strcmp(names[at], key) != 0)
            at++;
        if (!names[at])
            return error_set(error, EXIT_HARNESS, "%s has the member '%.100s', which no bundle of format 1 has", what,
                             key);
    }
    return 0;
}

static const char *bundle_open_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Checks that the manifest is one, and that its hashes are those of the other members. */
static int check_manifest(const struct bundle *bundle, const char *path, const json_t *manifest, struct error *error)
{
    static const char *const members[] = {"bundle", "claim", "suite", "files", NULL};
    const char *files[BUNDLE_MEMBERS] = {NULL};
    char hash[17];
    if (json_integer_value(json_object_get(manifest, "bundle")) != 1 ||
        !json_is_object(json_object_get(manifest, "claim")) || !json_is_object(json_object_get(manifest, "suite")))
        return error_set(error, EXIT_HARNESS, "%s: its manifest.json is not one of a bundle of format 1", path);
    for (int i = BUNDLE_MANIFEST + 1; i < BUNDLE_MEMBERS; i++)
        files[i - BUNDLE_MANIFEST - 1] = bundle_names[i];
    if (check_members(manifest, "its manifest.json", members, error) ||
        check_members(json_object_get(manifest, "claim"), "its claim", bundle_claim_members, error) ||
        check_members(json_object_get(manifest, "suite"), "its suite", bundle_suite_members, error) ||
        check_members(json_object_get(manifest, "files"), "its list of files", files, error)) {
        error_context(error, "%s", path);
        return EXIT_HARNESS;
    }
    for (int i = BUNDLE_MANIFEST + 1; i < BUNDLE_MEMBERS; i++) {
        snprintf(hash, sizeof hash, "%016" PRIx64,
                 (uint64_t)XXH3_64bits(bundle->members[i].bytes, bundle->members[i].size));
        if (strcmp(bundle_open_text_of(json_object_get(manifest, "files"), bundle_names[i]), hash) != 0)
            return error_set(error, EXIT_HARNESS, "%s: %s is not the file that manifest.json has the hash of", path,
                             bundle_names[i]);
    }
    return 0;
}

/* Writes the results to a file in a folder of their own, and opens it. */
static int open_results(struct bundle *bundle, const char *path, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    const struct bundle_data *data = &bundle->members[BUNDLE_RESULTS];
    char file[sizeof bundle->folder + 16];
    snprintf(bundle->folder, sizeof bundle->folder, "%s/assay-bundle-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(bundle->folder)) {
        error_set(error, EXIT_HARNESS, "no folder for the results of the bundle: %s: %m", bundle->folder);
        *bundle->folder = '\0';
        return EXIT_HARNESS;
    }
    snprintf(file, sizeof file, "%s/results.db", bundle->folder);
    FILE *out = fopen(file, "wxe");
    bool good = out && fwrite(data->bytes, 1, data->size, out) == data->size;
    if (!out || fclose(out) != 0 || !good)
        return error_set(error, EXIT_HARNESS, "%s: %m", file);
    struct error inner = {0};
    int result = history_open(file, &bundle->history, &inner);
    const char *reason = strncmp(inner.text, file, strlen(file)) == 0 ? inner.text + strlen(file) : inner.text;
    return result ? error_set(error, EXIT_HARNESS, "%s: results.db%s", path, reason) : 0;
}

int bundle_open(struct bundle *bundle, const char *path, struct error *error)
{
    *bundle = (struct bundle){0};
    int result = bundle_zip_read(path, bundle->members, error);
    json_t *manifest = NULL;
    if (result == 0) {
        manifest = json_loadb(bundle->members[BUNDLE_MANIFEST].bytes, bundle->members[BUNDLE_MANIFEST].size,
                              JSON_REJECT_DUPLICATES, NULL);
        result = check_manifest(bundle, path, manifest, error);
    }
    if (result == 0)
        result = open_results(bundle, path, error);
    if (result == 0 &&
        history_last_run(bundle->history, bundle_open_text_of(json_object_get(manifest, "claim"), "device"), 0,
                         &bundle->run, NULL) != 0)
        result = error_set(error, EXIT_HARNESS, "%s: its results have no run of the device of its claim", path);
    json_decref(manifest);
    return result;
}

void bundle_close(struct bundle *bundle)
{
    static const char *const files[] = {"results.db", "results.db-wal", "results.db-shm"};
    char path[sizeof bundle->folder + 20];
    history_close(bundle->history);
    for (size_t i = 0; i < sizeof files / sizeof *files && *bundle->folder; i++) {
        snprintf(path, sizeof path, "%s/%s", bundle->folder, files[i]);
        unlink(path);
    }
    if (*bundle->folder)
        rmdir(bundle->folder);
    bundle_data_free(bundle->members);
    *bundle = (struct bundle){0};
}

/* ---- drawing cases */

static uint32_t bundle_status(struct row *row)
{
    enum status status = status_find(row_text(row, "status"));
    return status < STATUS_COUNT ? 1u << status : 0;
}

static int bundle_open_add_case(struct bundle_case **cases, size_t *count, struct row *row, struct error *error)
{
    const char *name = row_text(row, "case_name");
    if ((*count & (*count - 1)) == 0) {
        struct bundle_case *larger = realloc(*cases, (*count ? 2 * *count : 1) * sizeof *larger);
        if (!larger)
            return error_set(error, EXIT_HARNESS, "out of memory");
        *cases = larger;
    }
    (*cases)[*count] =
        (struct bundle_case){.name = strdup(name),
                             .outcome = strdup(row_text(row, "outcome")),
                             .statuses = row_int(row, "flaky") ? bundle_statuses(row) : bundle_status(row),
                             .seed = strtoull(row_text(row, "seed"), NULL, 0)};
    if (!(*cases)[*count].name || !(*cases)[*count].outcome || (*cases)[*count].statuses == 0)
        return error_set(error, EXIT_HARNESS, "the bundle has a verdict that is none, or out of memory");
    ++*count;
    return 0;
}

static int by_seed(const void *a, const void *b)
{
    const struct bundle_case *x = a, *y = b;
    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    return strcmp(x->name, y->name);
}

int bundle_sample(const struct bundle *bundle, size_t count, uint64_t seed, struct bundle_case **cases, size_t *drawn,
                  size_t *all, struct error *error)
{
    struct random random = {.key = seed};
    struct row row;
    int code, result = 0;
    *cases = NULL;
    *all = *drawn = 0;
    if (row_prepare(&row, history_database(bundle->history),
                    "SELECT case_name, outcome, status, flaky, runs.seed AS seed, " BUNDLE_STATUSES
                    " FROM current_results JOIN runs USING (run_id) WHERE as_of = ?1 AND status <> 'incomplete' "
                    "ORDER BY case_name") != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "the results cannot be read: %s",
                         guard_message(history_database(bundle->history)));
    sqlite3_bind_int64(row.statement, 1, bundle->run.id);
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW && result == 0)
        result = bundle_open_add_case(cases, all, &row, error);
    row_close(&row);
    *drawn = *all;
    if (result == 0 && code != SQLITE_DONE)
        result = error_set(error, EXIT_HARNESS, "the results cannot be read to their end");
    for (size_t i = 0; i < *all && i < count && result == 0; i++) { /* the first ones of a shuffle */
        size_t other = i + random_below(&random, (uint32_t)(*all - i));
        struct bundle_case swapped = (*cases)[i];
        (*cases)[i] = (*cases)[other];
        (*cases)[other] = swapped;
    }
    for (; *drawn > count && result == 0; --*drawn) {
        free((*cases)[*drawn - 1].name);
        free((*cases)[*drawn - 1].outcome);
    }
    if (result == 0 && *drawn > 0)
        qsort(*cases, *drawn, sizeof **cases, by_seed);
    return result;
}

void bundle_sample_free(struct bundle_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(cases[i].name);
        free(cases[i].outcome);
    }
    free(cases);
}
