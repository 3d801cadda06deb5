/* Makes the statements of a bundle from the results. The same code makes a bundle and checks one. */
#include "harness/results/bundle.h"

#include "harness/base/cachekey.h"
#include "harness/base/text.h"
#include "harness/results/guard.h"
#include "harness/results/record_row.h"
#include "harness/run/conformance.h"
#include "harness/run/expect.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { FORMAT = 1 };

/* The numbers of cases by their ends. */
struct counts {
    uint64_t statuses[STATUS_COUNT], flaky; /* each case counts in one of these */
    uint64_t failures;                      /* cases that make the run fail */
    uint64_t known;                         /* failures that an expectation file lists */
};

static int bundle_unreadable(struct history *history, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(history_database(history)));
}

static int bundle_no_memory(struct error *error)
{
    return error_set(error, EXIT_HARNESS, "out of memory");
}

static json_t *hexadecimal(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}

/* ---- statements that follow from the rows */

uint32_t bundle_statuses(struct row *row)
{
    uint32_t statuses = 0;
    const char *word = row_text(row, "statuses");
    for (size_t length; *word; word += length + (word[length] == ',')) {
        char name[32];
        length = strcspn(word, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        enum status status = status_find(name);
        statuses |= status < STATUS_COUNT ? 1u << status : 0;
    }
    return statuses;
}

/* Prints a known failure as a line of an expectation file. */
static void bundle_print_known(const struct record *record, uint32_t statuses, FILE *out)
{
    char words[200];
    expect_statuses(statuses, words, sizeof words);
    text_print(out, record->case_name);
    fprintf(out, "  %s  # ", words);
    text_print(out, record_text(record->reason));
    putc('\n', out);
}

/* Sets the texts of statement and expectations, and counts the verdicts. Unless the whole plan was run, there is no
 * statement: most operators may not have been tried as a whole. */
static int bundle_read_rows(struct history *history, const struct history_run *run, bool whole, FILE *says,
                            FILE *statement, FILE *expectations, struct counts *counts, struct error *error)
{
    struct conformance conformance = {0};
    struct row row;
    int code;
    if (row_prepare(&row, history_database(history),
                    "SELECT " RECORD_ROW ", " BUNDLE_STATUSES
                    " FROM current_results WHERE as_of = ?1 ORDER BY case_name") != SQLITE_OK)
        return bundle_unreadable(history, error);
    sqlite3_bind_int64(row.statement, 1, run->id);
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        struct record record;
        record_row(&row, &record);
        if (record.flaky)
            counts->flaky++;
        else
            counts->statuses[record.verdict.status < STATUS_COUNT ? record.verdict.status : STATUS_HARNESS_ERROR]++;
        counts->failures += record_is_failure(&record);
        conformance_add(&conformance, &record);
        if (record_is_known(&record)) {
            bundle_print_known(&record, bundle_statuses(&row), expectations);
            counts->known++;
        }
    }
    row_close(&row);
    fprintf(statement, "{\"whole_plan\": %s, \"levels\": ", whole ? "true" : "false");
    if (whole)
        conformance_print_json(&conformance, level_find(run->feature_level), statement);
    fputs(whole ? "}\n" : "[]}\n", statement);
    if (whole)
        conformance_print(&conformance, level_find(run->feature_level), "", says);
    else
        fputs("partial: no whole run of the default plan; nothing is claimed but about the cases that ran\n", says);
    fprintf(says, "%" PRIu64 " known failures, %" PRIu64 " unsupported, %" PRIu64 " skipped\n", counts->known,
            counts->statuses[STATUS_UNSUPPORTED], counts->statuses[STATUS_SKIP]);
    bool failed = conformance.failed;
    conformance_free(&conformance);
    if (code != SQLITE_DONE)
        return bundle_unreadable(history, error);
    return failed ? bundle_no_memory(error) : 0;
}

const char *const bundle_claim_members[] = {"assay",         "device",      "name",         "driver",     "library",
                                            "feature_level", "device_hash", "device_build", "revision",   "machine",
                                            "cpu",           "seed",        "plan",         "whole_plan", "started",
                                            "verdicts",      "failures",    "says",         NULL};
const char *const bundle_suite_members[] = {"version", "build", "specs", "cases", "mustpass", NULL};

static json_t *make_claim(const struct history_run *run, const struct counts *counts, bool whole, const char *says,
                          const char *machine, const char *cpu)
{
    json_t *verdicts = json_object();
    for (int s = 0; s < STATUS_COUNT; s++)
        if (counts->statuses[s])
            json_object_set_new(verdicts, status_name((enum status)s), json_integer((json_int_t)counts->statuses[s]));
    if (counts->flaky)
        json_object_set_new(verdicts, "flaky", json_integer((json_int_t)counts->flaky));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:s, s:o, s:I, s:s}",
                     "assay", run->version, "device", run->device, "name", run->device_name, "driver",
                     run->device_driver, "library", run->device_version, "feature_level", run->feature_level,
                     "device_hash", run->device_hash, "device_build", run->device_build, "revision", run->revision,
                     "machine", machine, "cpu", cpu, "seed", hexadecimal(run->seed), "plan",
                     hexadecimal(run->plan_hash), "whole_plan", (int)whole, "started", run->started, "verdicts",
                     verdicts, "failures", (json_int_t)counts->failures, "says", says);
}

/* Makes the claim, as JSON, and the texts of the two members that follow from the rows. */
static int read_claim(struct history *history, const struct history_run *run, json_t **claim,
                      struct bundle_data *statement, struct bundle_data *expectations, struct error *error)
{
    struct counts counts = {0};
    struct history_summary summary;
    struct row row;
    struct bundle_data says = {0};
    *claim = NULL;
    int result = history_summary(history, run->id, &summary, error);
    FILE *files[] = {open_memstream(&statement->bytes, &statement->size),
                     open_memstream(&expectations->bytes, &expectations->size),
                     open_memstream(&says.bytes, &says.size)};
    if (!files[0] || !files[1] || !files[2])
        result = bundle_no_memory(error);
    if (result == 0)
        result = bundle_read_rows(history, run, summary.whole_run != 0, files[2], files[0], files[1], &counts, error);
    for (int i = 0; i < 3; i++)
        if (files[i] && fclose(files[i]) != 0 && result == 0)
            result = bundle_no_memory(error);
    if (result == 0 &&
        row_prepare(&row, history_database(history), "SELECT machine, cpu FROM runs WHERE run_id = ?1") != SQLITE_OK)
        result = bundle_unreadable(history, error);
    if (result) {
        free(says.bytes);
        return result;
    }
    sqlite3_bind_int64(row.statement, 1, run->id);
    if (sqlite3_step(row.statement) == SQLITE_ROW) {
        char *machine = strdup(row_text(&row, "machine"));
        *claim = machine ? make_claim(run, &counts, summary.whole_run != 0, says.bytes, machine, row_text(&row, "cpu"))
                         : NULL;
        free(machine);
    }
    row_close(&row);
    free(says.bytes);
    return *claim ? 0 : error_set(error, EXIT_HARNESS, "a text of the results is no UTF-8, or out of memory");
}

/* ---- the suite */

/* Returns the hash of each mustpass list, by its version. */
static json_t *mustpass_lists(const char *cases_folder)
{
    static const char ending[] = ".txt.gz";
    static const char *const endings[] = {ending, NULL};
    json_t *lists = json_object();
    char *folder = NULL, *path = NULL;
    if (asprintf(&folder, "%s/mustpass", cases_folder) < 0)
        return lists;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || length < sizeof ending ||
            strcmp(entry->d_name + length - (sizeof ending - 1), ending) != 0 ||
            asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            continue;
        json_t *version = json_stringn(entry->d_name, length - (sizeof ending - 1));
        if (version)
            json_object_set_new(lists, json_string_value(version), hexadecimal(cachekey_folder(FORMAT, path, endings)));
        json_decref(version);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(folder);
    return lists;
}

static json_t *make_suite(const struct bundle_suite *suite)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "version", ASSAY_VERSION, "build", hexadecimal(suite->build), "specs",
                     hexadecimal(suite->specs), "cases", hexadecimal(suite->cases), "mustpass",
                     mustpass_lists(suite->cases_folder));
}

/* ---- making */

static int make_manifest(struct bundle_data members[BUNDLE_MEMBERS], json_t *claim, const struct bundle_suite *suite,
                         struct error *error)
{
    json_t *files = json_object();
    for (int i = BUNDLE_MANIFEST + 1; i < BUNDLE_MEMBERS; i++)
        json_object_set_new(files, bundle_names[i], hexadecimal(XXH3_64bits(members[i].bytes, members[i].size)));
    json_t *manifest =
        json_pack("{s:i, s:O, s:o, s:o}", "bundle", FORMAT, "claim", claim, "suite", make_suite(suite), "files", files);
    char *text = manifest ? json_dumps(manifest, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
    json_decref(manifest);
    if (!text)
        return bundle_no_memory(error);
    members[BUNDLE_MANIFEST] = (struct bundle_data){text, strlen(text)};
    return 0;
}

int bundle_make(struct history *history, const struct history_run *run, const struct bundle_suite *suite,
                struct bundle_data members[BUNDLE_MEMBERS], struct error *error)
{
    json_t *claim = NULL;
    sqlite3_int64 size = 0;
    memset(members, 0, BUNDLE_MEMBERS * sizeof *members);
    if (strcmp(run->version, ASSAY_VERSION) != 0)
        return error_set(error, EXIT_USAGE,
                         "the results are of assay %.40s; a bundle needs that version, not " ASSAY_VERSION,
                         run->version);
    int result = read_claim(history, run, &claim, &members[BUNDLE_STATEMENT], &members[BUNDLE_EXPECTATIONS], error);
    unsigned char *image = result ? NULL : sqlite3_serialize(history_database(history), "main", &size, 0);
    if (image) { /* free() frees it like the others */
        members[BUNDLE_RESULTS].bytes = malloc((size_t)size + 1);
        members[BUNDLE_RESULTS].size = (size_t)size;
    }
    if (members[BUNDLE_RESULTS].bytes)
        memcpy(members[BUNDLE_RESULTS].bytes, image, (size_t)size);
    else if (result == 0)
        result = bundle_no_memory(error);
    sqlite3_free(image);
    if (result == 0)
        result = make_manifest(members, claim, suite, error);
    json_decref(claim);
    return result;
}

/* ---- checking */

/* Prints a line for each member of `here` that `there` lacks or has with another value; returns their number. */
static int bundle_compare(const char *what, const json_t *there, const json_t *here, const char *besides, FILE *out)
{
    const char *key;
    json_t *value;
    int differences = 0;
    json_object_foreach((json_t *)(uintptr_t)here, key, value)
    {
        const json_t *other = json_object_get(there, key);
        if (json_equal(other, value))
            continue;
        char *texts[] = {other ? json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL,
                         json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS)};
        fprintf(out, "  %s %s: the bundle has ", what, key);
        text_print(out, texts[0] ? texts[0] : "none");
        fprintf(out, ", here it is ");
        text_print(out, texts[1] ? texts[1] : "");
        putc('\n', out);
        free(texts[0]);
        free(texts[1]);
        differences += strcmp(key, besides) != 0;
    }
    return differences;
}

static int compare_text(const struct bundle *bundle, enum bundle_member member, const struct bundle_data *here,
                        FILE *out)
{
    const struct bundle_data *there = &bundle->members[member];
    bool same = there->size == here->size && memcmp(there->bytes, here->bytes, here->size) == 0;
    if (!same)
        fprintf(out, "  %s does not follow from the results\n", bundle_names[member]);
    return !same;
}

int bundle_check(const struct bundle *bundle, const struct bundle_suite *suite, FILE *out, struct error *error)
{
    struct bundle_data statement = {0}, expectations = {0};
    json_t *claim = NULL, *here = make_suite(suite);
    json_t *manifest =
        json_loadb(bundle->members[BUNDLE_MANIFEST].bytes, bundle->members[BUNDLE_MANIFEST].size, 0, NULL);
    int count = -1;
    if (read_claim(bundle->history, &bundle->run, &claim, &statement, &expectations, error) == 0) {
        const char *says = json_string_value(json_object_get(claim, "says"));
        for (size_t length; *says; says += length + 1) {
            length = strcspn(says, "\n");
            fprintf(out, "  %.*s\n", (int)length, says);
        }
        count = bundle_compare("claim:", json_object_get(manifest, "claim"), claim, "", out) +
                compare_text(bundle, BUNDLE_STATEMENT, &statement, out) +
                compare_text(bundle, BUNDLE_EXPECTATIONS, &expectations, out) +
                bundle_compare("suite:", json_object_get(manifest, "suite"), here, "build", out);
    }
    json_decref(claim);
    json_decref(here);
    json_decref(manifest);
    free(statement.bytes);
    free(expectations.bytes);
    return count;
}
