/* Several attempts at a case: flaky, not deterministic, or as the last one ended. */
#include "harness/run/attempts.h"
#include "tools/tap.h"

#include <string.h>

struct attempt {
    enum status status;
    uint64_t checksum;
};

static const struct {
    const char *what;
    struct attempt attempts[4];
    int count;
    bool open, flaky, failure;
    enum status status;
    const char *message;
} cases[] = {
    {"one pass", {{STATUS_PASS, 7}}, 1, false, false, false, STATUS_PASS, ""},
    {"one failure", {{STATUS_FAIL, 7}}, 1, false, false, true, STATUS_FAIL, "said 1"},
    {"the same twice", {{STATUS_PASS, 7}, {STATUS_PASS, 7}}, 2, false, false, false, STATUS_PASS, ""},
    {"fails, then passes",
     {{STATUS_FAIL, 7}, {STATUS_PASS, 8}},
     2,
     false,
     true,
     true,
     STATUS_PASS,
     "the attempts ended as fail, pass; the first failure: said 1"},
    {"passes, then crashes",
     {{STATUS_PASS, 7}, {STATUS_CRASH, 0}},
     2,
     false,
     true,
     true,
     STATUS_CRASH,
     "the attempts ended as pass, crash; the first failure: said 2"},
    {"passes, then warns",
     {{STATUS_PASS, 7}, {STATUS_WARN, 7}},
     2,
     false,
     true,
     true,
     STATUS_WARN,
     "the attempts ended as pass, warn"},
    {"never passes",
     {{STATUS_CRASH, 0}, {STATUS_FAIL, 7}, {STATUS_TIMEOUT, 0}},
     3,
     false,
     false,
     true,
     STATUS_TIMEOUT,
     "said 3"},
    {"other bits",
     {{STATUS_PASS, 7}, {STATUS_PASS, 7}, {STATUS_PASS, 8}},
     3,
     false,
     false,
     true,
     STATUS_FAIL,
     "not deterministic: attempt 3 wrote other bits than attempt 1"},
    {"other bits, after one without",
     {{STATUS_WARN, 0}, {STATUS_WARN, 7}, {STATUS_WARN, 8}, {STATUS_WARN, 7}},
     4,
     false,
     false,
     true,
     STATUS_FAIL,
     "not deterministic: attempt 3 wrote other bits than attempt 2; said 4"},
    {"other wrong bits",
     {{STATUS_FAIL, 7}, {STATUS_FAIL, 8}},
     2,
     false,
     false,
     true,
     STATUS_FAIL,
     "not deterministic: attempt 2 wrote other bits than attempt 1; said 2"},
    {"other bits where there is a choice",
     {{STATUS_PASS, 7}, {STATUS_PASS, 8}},
     2,
     true,
     false,
     false,
     STATUS_PASS,
     ""},
};

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct attempts attempts = {0};
        struct record record = {0};
        char message[32];
        bool numbered = true;
        for (int j = 0; j < cases[i].count; j++) {
            snprintf(message, sizeof message, "said %d", j + 1);
            record = (struct record){.verdict.status = cases[i].attempts[j].status,
                                     .verdict.checksum = cases[i].attempts[j].checksum,
                                     .message = cases[i].attempts[j].status == STATUS_PASS ? "" : message,
                                     .strength = cases[i].open ? "open" : "must",
                                     .last = j + 1 == cases[i].count};
            attempts_add(&attempts, &record);
            numbered &= record.attempt == (unsigned)j + 1;
        }
        bool good = numbered && record.flaky == cases[i].flaky && record.verdict.status == cases[i].status &&
                    record_is_failure(&record) == cases[i].failure && strcmp(record.message, cases[i].message) == 0;
        if (!ok(good, "%s", cases[i].what))
            note("%s, %s%s: %s", status_name(record.verdict.status), record.flaky ? "flaky, " : "",
                 record_is_failure(&record) ? "a failure" : "no failure", record.message);
    }
}

static void test_attempts_many(void)
{
    struct attempts attempts = {0};
    struct record record = {0};
    for (int i = 0; i < 1000; i++) {
        record = (struct record){.verdict.status = i % 2 ? STATUS_DEVICE_LOST : STATUS_PASS,
                                 .message = i % 2 ? "gone" : "",
                                 .strength = "",
                                 .last = i == 999};
        attempts_add(&attempts, &record);
    }
    const char *start = "the attempts ended as pass, device_lost, pass, device_lost, ";
    ok(record.attempt == 1000 && strncmp(record.message, start, strlen(start)) == 0 &&
           strstr(record.message, "…; the first failure: gone"),
       "a thousand attempts fit");
}

int main(void)
{
    test_cases();
    test_attempts_many();
    return tap_done();
}
