/* Details in reports: each device keeps some, however many failures the others have. */
#include "harness/results/store.h"
#include "harness/test/report_fixture.h"

#include <unistd.h>

enum { MANY = 20800 /* more than the page holds details */, LACKS = 6000 };

static char first[500];

static void test_report_details_clear(void)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char name[600];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", first, suffixes[i]);
        unlink(name);
    }
}

/* Cases of one status: "NAME.00000" and so on. */
struct part {
    const char *name;
    size_t count;
    enum status status;
};

/* Half of the cases have one message, the others another. The last one tests a rule of its own; a single one has its
 * name as message. */
static void test_report_details_add_part(struct store *store, const struct part *part)
{
    static const char *const messages[2] = {"it is wrong", "it is not here"};
    char name[40];
    for (size_t i = 0; i < part->count; i++) {
        snprintf(name, sizeof name, "%s.%05zu", part->name, i);
        const char *message = part->count == 1 ? part->name : messages[i % 2];
        const struct record record = {.case_name = name,
                                      .operator_name = i % 2 ? "GATHER" : "GATHER_ND",
                                      .feature_level = "3_0",
                                      .data_types = i % 3 ? "float32" : "float16",
                                      .rule = i == part->count - 1 ? "row-width" : "axis-range",
                                      .strength = "must",
                                      .pages = "A6",
                                      .expected = "the outputs of the reference device",
                                      .outcome = "",
                                      .message = part->status == STATUS_PASS ? "" : message,
                                      .reproduce = "assay repro x",
                                      .verdict.status = part->status,
                                      .verdict.cause = part->status == STATUS_FAIL ? CAUSE_RESULT : CAUSE_NONE,
                                      .last = true};
        store_add(store, &record, NULL);
    }
}

static void test_report_details_make_run(const char *device, const struct part *parts, size_t count)
{
    struct store_run run = {.version = "1",
                            .command = "assay run",
                            .device = device,
                            .device_name = device,
                            .device_driver = "",
                            .device_version = "",
                            .feature_level = "6_4"};
    struct store *store;
    struct error error = {0};
    int64_t id;
    for (size_t i = 0; i < count; i++)
        run.planned += parts[i].count;
    if (!ok(store_open(first, &store, &error) == 0 && store_begin_run(store, &run, &id, &error) == 0, "a run begins"))
        return;
    for (size_t i = 0; i < count; i++)
        test_report_details_add_part(store, &parts[i]);
    store_end_run(store, true, NULL);
    store_close(store, NULL);
}

/* Returns the number of details of a device in which a member has this value; null: all of them. */
static size_t count_details(const json_t *data, int device, const char *member, const char *value)
{
    size_t i, count = 0;
    json_t *detail;
    json_array_foreach(json_object_get(data, "details"), i, detail)
    {
        const char *text = member ? json_string_value(json_object_get(detail, member)) : NULL;
        bool has = !member || (text && strcmp(text, value) == 0);
        count += has && json_integer_value(json_object_get(detail, "device")) == device;
    }
    return count;
}

/* A device with many failures, or one that supports little, leaves room for the others. A new failure is shown first:
 * its details are there, however many others its device has. */
static void test_devices(void)
{
    const char *const paths[] = {first};
    const struct part before[] = {{"g.turned", 1, STATUS_PASS}, {"g.old", 1, STATUS_FAIL}},
                      passed[] = {{"g.new", 1, STATUS_PASS}},
                      many[] = {{"g.fail", MANY, STATUS_FAIL}, {"g.new", 1, STATUS_FAIL}},
                      little[] = {{"g.bad", 1, STATUS_FAIL}, {"g.unsupported", LACKS, STATUS_UNSUPPORTED}},
                      after[] = {{"g.turned", 1, STATUS_FAIL}, {"g.old", 1, STATUS_FAIL}};
    test_report_details_clear();
    test_report_details_make_run("last", before, 2);
    test_report_details_make_run("many", passed, 1);
    test_report_details_make_run("many", many, 2);
    test_report_details_make_run("little", little, 2);
    test_report_details_make_run("last", after, 2);
    json_t *data = fixture_data_of(paths, 1, NULL, 0);
    holds(data, "devices.2.device", "\"last\"");
    ok(count_details(data, 2, NULL, NULL) == 2, "the last of three devices has details of all its failures");
    size_t of_many = count_details(data, 0, NULL, NULL);
    ok(of_many > 1000 && of_many <= 20000, "the first, with %d failures, of %zu", MANY, of_many);
    ok(count_details(data, 0, "rule", "row-width") == 2, "  among them the only failures of a rule, the last by name");
    ok(count_details(data, 0, "message", "g.new") == 1, "  one of which is a regression");
    holds(data, "changes.0.device", "0");
    holds(data, "changes.0.regressions", "[{\"case\":20801,\"before\":\"pass\",\"after\":\"fail\"}]");
    ok(count_details(data, 1, "message", "g.bad") == 1, "the one that supports little of its failure");
    size_t of_little = count_details(data, 1, NULL, NULL);
    ok(count_details(data, 1, "message", "it is wrong") > 1 &&
           count_details(data, 1, "message", "it is not here") > 1 && of_little < 100,
       "  and of some of what it does not support, for each message: %zu", of_little);
    holds(data, "unsupported.0.message", "\"it is not here\"");
    holds(data, "unsupported.0.device", "1");
    holds(data, "unsupported.0.count", "3000");
    holds(data, "unsupported.0.operators", "{\"GATHER\":3000}");
    holds(data, "unsupported.0.types", "[\"float16\",\"float32\"]");
    ok(json_array_size(json_object_get(data, "unsupported")) == 2, "  which is counted by message");
    json_decref(data);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(first, sizeof first, "%s/first.db", tmp ? tmp : "/tmp");
    test_devices();
    test_report_details_clear();
    return tap_done();
}
