/* Expectation files: malformed lines and their messages, the line that decides, stale lines, updates. */
#include "harness/run/expect.h"
#include "harness/results/expect_update.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a plan without specs: only the names matter here */

static struct testcase cases[] = {
    {.name = "gather.types.fl3_0.int8.d1", .tier = ""},  {.name = "gather.types.fl3_0.int8.d2", .tier = ""},
    {.name = "gather.types.fl3_0.int16.d1", .tier = ""}, {.name = "gather.values.fl3_0.int8.d1", .tier = ""},
    {.name = "gather-x.types.fl3_0.int8", .tier = ""},   {.name = "gather_nd.types.fl3_0.int8.d1", .tier = ""},
};
enum { CASES = sizeof cases / sizeof *cases };
static const struct plan plan = {.cases = cases, .count = CASES};
static const struct expect_device device = {"vulkan:device=0", "llvmpipe (LLVM 15)", "Mesa 22: lavapipe", "1.2",
                                            DML_FEATURE_LEVEL_4_0};

static int test_expect_load(struct expect *e, const char *text, size_t size, struct error *error)
{
    char *copy = malloc(size + 1); /* exactly this size, so that address sanitizer finds an overrun */
    memcpy(copy, text, size);
    copy[size] = '\0';
    *error = (struct error){0};
    int result = expect_load_text(e, "known.txt", false, copy, size, error);
    free(copy);
    return result;
}

/* ---- malformed lines */

#define FORM "; expected PATTERN [broken=RULE] STATUS[,STATUS…] # REASON"
#define FAILURES "; expected fail, crash, timeout or device_lost"
#define STATUSES "; expected pass, warn, fail, crash, timeout, device_lost or skip"

static const struct {
    const char *line, *message;
} malformed[] = {
    {"gather", "'gather' has no status" FORM},
    {"gather # why", "'gather' has no status" FORM},
    {"gather fail", "the reason is missing" FORM},
    {"gather fail #", "the reason is missing" FORM},
    {"gather fail #  \t", "the reason is missing" FORM},
    {"gather fial # why", "'fial' is not a status; did you mean fail?"},
    {"gather FAIL # why", "'FAIL' is not a status; did you mean fail?"},
    {"gather broken # why", "'broken' cannot be expected" STATUSES},
    {"gather skip,fail # why", "expected skip alone"},
    {"gather broken=axis-range # why", "'gather' has no status" FORM},
    {"gather broken= fail # why", "'broken=': expected the id of a rule after it"},
    {"gather broken=a/b fail # why", "'a/b' is not the id of a rule; expected letters, digits and _ - ."},
    {"gather broken=axis-range pass # why", "a line with a broken rule is about failures" FAILURES},
    {"gather broken=axis-range skip # why", "a line with a broken rule is about failures" FAILURES},
    {"gather fail broken=axis-range # why", "'broken=axis-range ' after the statuses" FORM},
    {"gather incomplete # why", "'incomplete' cannot be expected" STATUSES},
    {"gather harness_error # why", "'harness_error' cannot be expected" STATUSES},
    {"gather fail,fail # why", "the status fail occurs twice"},
    {"gather fail, # why", "'' cannot be expected" STATUSES},
    {"gather ,fail # why", "'' cannot be expected" STATUSES},
    {"gather fail, crash # why", "'crash ' after the statuses" FORM},
    {"gather fail why", "'why' after the statuses" FORM},
    {"gather/types fail # why",
     "'gather/types' is not a pattern for case names; expected letters, digits and _ - . * ?"},
    {"g\xc3\xa4ther fail # why", "is not a pattern for case names"},
    {"\x1b[31m fail # why", "'\\x1b[31m' is not a pattern"},
    {"[device=x", "a section without its ]; expected [KEY=VALUE …]"},
    {"[device=x] gather fail # why", "'gather fail # why' after a section; expected nothing but a comment"},
    {"[devise=x]", "'devise' is not a condition; expected device, name, driver, version or level"},
    {"[=x]", "'' is not a condition"},
    {"[device]", "'device': expected device, then = or !=, then a pattern"},
    {"[device<x]", "'device<x': expected device, then = or !=, then a pattern"},
    {"[device==x]", "'device==x': expected device, then = or !=, then a pattern"},
    {"[device=]", "'device=': expected a value after it"},
    {"[level=<3_0]", "'level=<3_0': expected level, then one of = != < <= > >=, then a feature level"},
    {"[level>=3_9]", "'3_9' is not a feature level; expected 1_0 to 6_4"},
    {"[device=a device=b device=c device=d device=e device=f device=g device=h device=i]", "more than 8 conditions"},
};

static void test_malformed(void)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct expect e = {0};
        struct error error;
        char text[512];
        int length = snprintf(text, sizeof text, "# first\n\ngather fail # why\n%s\ngather\n", malformed[i].line);
        int result = test_expect_load(&e, text, (size_t)length, &error);
        bool good = result == EXIT_HARNESS && strncmp(error.text, "known.txt:4: ", 13) == 0 &&
                    strstr(error.text, malformed[i].message) && !strchr(error.text, '\n');
        if (!ok(good, "refused: %s", malformed[i].message))
            note("got: %d, %s", result, error.text);
        expect_free(&e);
        length = snprintf(text, sizeof text, "%s", malformed[i].line); /* alone, without an end of line */
        ok(test_expect_load(&e, text, (size_t)length, &error) == EXIT_HARNESS &&
               strncmp(error.text, "known.txt:1: ", 13) == 0,
           "  also as the only line");
        expect_free(&e);
    }
    struct expect e = {0};
    struct error error;
    ok(test_expect_load(&e, "gather fail\0 # why\n", 19, &error) == EXIT_HARNESS &&
           strstr(error.text, ":1: a zero byte"),
       "refused: a zero byte");
    expect_free(&e);
    char *wide = calloc(1, 100001);
    memset(wide, 'x', 100000);
    ok(test_expect_load(&e, wide, 100000, &error) == EXIT_HARNESS && strlen(error.text) < sizeof error.text,
       "refused: a line of 100000 letters");
    expect_free(&e);
    free(wide);
    error = (struct error){0};
    ok(expect_load(&e, "/nowhere/known.txt", false, &error) == EXIT_USAGE && strstr(error.text, "No such file"),
       "no file: %s", error.text);
    expect_free(&e);
    error = (struct error){0};
    ok(expect_load(&e, "/", false, &error) == EXIT_HARNESS && strstr(error.text, "/: Is a directory"), "a folder: %s",
       error.text);
    expect_free(&e);
}

/* ---- sections, and which line decides */

static const struct {
    const char *section;
    bool holds;
} sections[] = {
    {"[]", true},
    {"[ ] # all", true},
    {"[device=vulkan]", true},
    {"[device=vulkan:device=0]", true},
    {"[device=vulk]", false},
    {"[device=vulk*]", true},
    {"[device=reference]", false},
    {"[device!=reference]", true},
    {"[device!=vulkan]", false},
    {"[name=llvmpipe*]", true},
    {"[name=llvmpipe?(LLVM?15)]", true},
    {"[driver=Mesa?22]", true},
    {"[version=1.2]", true},
    {"[version=1]", true}, /* a prefix up to a dot matches, as with case names */
    {"[version=2.*]", false},
    {"[level=4_0]", true},
    {"[level!=4_0]", false},
    {"[level<4_0]", false},
    {"[level<=4_0]", true},
    {"[level>3_1]", true},
    {"[level>=4_1]", false},
    {"[device=vulkan level>=3_0]", true},
    {"[device=vulkan  level>=5_0]", false},
};

static void test_sections(void)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct expect e = {0};
        struct error error;
        char text[256];
        int length = snprintf(text, sizeof text, "[device=nothing]\n  %s\ngather fail # why\r\n", sections[i].section);
        int result = test_expect_load(&e, text, (size_t)length, &error);
        if (result == 0)
            expect_use(&e, &plan, &device);
        if (!ok(result == 0 && (expect_find(&e, "gather.x") != NULL) == sections[i].holds, "%s %s", sections[i].section,
                sections[i].holds ? "holds" : "does not hold"))
            note("%s", error.text);
        expect_free(&e);
    }
    struct expect e = {0};
    struct error error;
    const struct expect_device none = {"x", "", "", "", 0};
    test_expect_load(&e, "[level>=6_4]\ngather fail # why\n", 32, &error);
    expect_use(&e, &plan, &none);
    ok(expect_find(&e, "gather") != NULL, "a device without a level counts as of the highest");
    expect_free(&e);
}

static void test_decision(void)
{
    static const char text[] = "gather.types fail # 1\n"
                               "*.int8.* crash # 2\n"
                               "gather.types.fl3_0.int8.d2 timeout # 3\n"
                               "gather.typ fail # 4\n"
                               "gather-x fail # 5\n"
                               "gather-x.*.int? pass # 6\n"
                               "gather.types.fl3_0.int16 warn # 7\n"
                               "gather.types.fl3_0.int16 fail # 8\n";
    static const unsigned expected[CASES] = {2, 3, 8, 2, 6, 2};
    struct expect e = {0};
    struct error error;
    ok(test_expect_load(&e, text, sizeof text - 1, &error) == 0, "eight lines");
    expect_use(&e, &plan, &device);
    for (size_t i = 0; i < CASES; i++) {
        const struct expect_line *line = expect_of_case(&e, i);
        ok(line && line->number == expected[i], "%s: line %u decides", cases[i].name, expected[i]);
    }
    ok(!expect_find(&e, "scatter.types"), "no line decides a name that none matches");
    expect_free(&e);
}

/* ---- judging */

static void test_judging(void)
{
    static const struct {
        enum status status;
        uint32_t statuses; /* 0: one attempt, with `status` */
        enum standing standing;
        const char *message;
    } ends[] = {
        {STATUS_FAIL, 0, STANDING_EXPECTED, "said"},
        {STATUS_PASS, 0, STANDING_UNEXPECTED, "passed; expected fail,crash (known.txt:1)"},
        {STATUS_CRASH, 0, STANDING_EXPECTED, "said"},
        {STATUS_TIMEOUT, 0, STANDING_UNEXPECTED, "said; expected fail,crash (known.txt:1)"},
        {STATUS_WARN, 0, STANDING_UNEXPECTED, "said; expected fail,crash (known.txt:1)"},
        {STATUS_FAIL, 1 << STATUS_FAIL | 1 << STATUS_CRASH, STANDING_EXPECTED, "said"},
        {STATUS_PASS, 1 << STATUS_FAIL | 1 << STATUS_PASS, STANDING_UNEXPECTED,
         "passed; expected fail,crash (known.txt:1)"},
        {STATUS_SKIP, 0, STANDING_NONE, "said"},
        {STATUS_UNSUPPORTED, 0, STANDING_NONE, "said"},
        {STATUS_INCOMPLETE, 0, STANDING_NONE, "said"},
        {STATUS_HARNESS_ERROR, 0, STANDING_NONE, "said"},
    };
    struct expect e = {0};
    struct error error;
    test_expect_load(&e, "gather fail,crash # why\n", 24, &error);
    expect_use(&e, &plan, &device);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct record record = {.verdict.status = ends[i].status,
                                .statuses = ends[i].statuses ? ends[i].statuses : 1u << ends[i].status,
                                .message = ends[i].status == STATUS_PASS ? "" : "said"};
        expect_judge(&e, 0, &record);
        bool reason = record.reason && strcmp(record.reason, "why") == 0;
        if (!ok(record.standing == ends[i].standing && strcmp(record.message, ends[i].message) == 0 &&
                    reason == (ends[i].standing != STANDING_NONE),
                "%s: %s", status_name(ends[i].status), ends[i].message))
            note("%d, %s", record.standing, record.message);
    }
    struct record other = {.verdict.status = STATUS_FAIL, .statuses = 1u << STATUS_FAIL, .message = ""};
    expect_judge(&e, CASES - 1, &other);
    ok(other.standing == STANDING_NONE && record_is_failure(&other), "a failure that no line matches is one");
    expect_free(&e);
}

/* ---- stale lines */

static char said[1024];

static void test_expect_say(void *context, const struct expect_line *line, const char *what)
{
    size_t used = strlen(said);
    (void)context;
    snprintf(said + used, sizeof said - used, "%u: %s\n", line->number, what);
}

static void test_stale(void)
{
    static const char text[] = "gather.types fail # 1\n"
                               "gather.tpyes fail # 2\n"
                               "gather.values fail # 3\n"
                               "gather.values.* pass # 4\n"
                               "nothing.* fail # 5\n"
                               "gather_nd crash # 6\n"
                               "gather-x fail # 7: of this, nothing is run\n"
                               "[device=other]\n"
                               "nothing fail # 9\n";
    struct expect e = {0};
    struct error error;
    const struct plan part = {.cases = cases, .count = CASES - 1}; /* without gather_nd */
    test_expect_load(&e, text, sizeof text - 1, &error);
    expect_use(&e, &part, &device);
    ok(expect_in_doubt(&e), "before anything is judged all lines are in doubt");
    for (size_t i = 0; i < part.count; i++) {
        enum status status = i == 3 ? STATUS_PASS : STATUS_FAIL;
        if (i == 4)
            status = STATUS_SKIP;
        struct record record = {.verdict.status = status, .statuses = 1u << status, .message = ""};
        expect_judge(&e, i, &record);
    }
    size_t count = expect_stale(&e, &plan, NULL, false, test_expect_say, NULL);
    if (!ok(count == 3 && strcmp(said, "2: no case matches 'gather.tpyes'; did you mean gather.types?\n"
                                       "3: later lines decide all cases that 'gather.values' matches\n"
                                       "5: no case matches 'nothing.*'\n") == 0,
            "stale: lines that match nothing, and lines whose cases later lines decide"))
        note("%zu: %s", count, said);
    struct record record = {.verdict.status = STATUS_PASS, .statuses = 1u << STATUS_PASS, .message = ""};
    *said = '\0';
    expect_use(&e, &plan, &device);
    for (size_t i = 0; i < 2 * CASES; i++) { /* first before its turn, as behind a slow case, then in its turn */
        record.kept = i >= CASES;
        expect_judge(&e, i % CASES, &record);
    }
    record.kept = false;
    expect_stale(&e, &plan, NULL, false, test_expect_say, NULL);
    ok(strstr(said, "1: none of the 3 cases that 'gather.types' decides ended as fail\n") &&
           strstr(said, "6: none of the 1 cases that 'gather_nd' decides ended as crash\n") && !strstr(said, "4: "),
       "stale: lines none of whose cases ended as expected");
    expect_free(&e);
    *said = '\0';
    char found[] = "nothing fail # 1\ngather fail # 2\ngather pass # 3\n";
    error = (struct error){0};
    expect_load_text(&e, "x.expected", true, found, sizeof found - 1, &error);
    expect_use(&e, &plan, &device);
    for (size_t i = 0; i < CASES; i++)
        expect_judge(&e, i, &record);
    ok(expect_stale(&e, &plan, NULL, true, test_expect_say, NULL) == 0 &&
           expect_stale(&e, &plan, NULL, false, test_expect_say, NULL) == 2,
       "lenient: a file that was found may be about other cases");
    expect_free(&e);
}

/* A shard that has all cases but the first two. */
static void test_shard(void)
{
    static const char text[] = "gather.types fail # one case here, two elsewhere\n"
                               "gather.values fail # all of it here\n"
                               "gather-x fail # all of it here, and met\n";
    const struct plan shard = {.cases = cases + 2, .count = CASES - 2};
    const struct record pass = {.verdict.status = STATUS_PASS, .statuses = 1u << STATUS_PASS, .message = ""};
    struct expect e = {0};
    struct error error;
    test_expect_load(&e, text, sizeof text - 1, &error);
    expect_use(&e, &shard, &device);
    expect_use_shard(&e, &plan);
    for (size_t i = 0; i < shard.count; i++) {
        struct record record = pass;
        record.statuses |= i == 2 ? 1u << STATUS_FAIL : 0;
        expect_judge(&e, i, &record);
    }
    *said = '\0';
    ok(expect_stale(&e, &plan, NULL, false, test_expect_say, NULL) == 1 &&
           strncmp(said, "2: none of the 1 cases", 22) == 0,
       "in a shard only lines all of whose cases are in it can be stale");
    expect_free(&e);
}

/* A line about a broken rule decides the failures that break it, and no pass. Later lines come before earlier ones. */
static void test_broken_rules(void)
{
    static const struct {
        size_t index;
        enum status status;
        const char *broken;
        enum standing standing;
        unsigned line;
    } ends[] = {
        {0, STATUS_FAIL, "axis-range", STANDING_EXPECTED, 1},
        {0, STATUS_FAIL, "other", STANDING_NONE, 0},
        {0, STATUS_FAIL, "", STANDING_NONE, 0},
        {0, STATUS_PASS, "", STANDING_NONE, 0},
        {0, STATUS_WARN, "axis-range", STANDING_NONE, 0},
        {0, STATUS_CRASH, "axis-range", STANDING_UNEXPECTED, 1},
        {3, STATUS_FAIL, "axis-range", STANDING_EXPECTED, 2},
        {3, STATUS_PASS, "", STANDING_UNEXPECTED, 2},
        {5, STATUS_FAIL, "same-type", STANDING_UNEXPECTED, 4},
        {5, STATUS_CRASH, "axis-range", STANDING_EXPECTED, 3},
    };
    static const char text[] = "gather broken=axis-range fail # 1\n"
                               "gather.values fail # 2\n"
                               "gather_nd crash # 3\n"
                               "* broken=same-type timeout # 4\n";
    struct expect e = {0};
    struct error error;
    ok(test_expect_load(&e, text, sizeof text - 1, &error) == 0, "lines about broken rules: %s", error.text);
    expect_use(&e, &plan, &device);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *name = cases[ends[i].index].name;
        struct record record = {.case_name = name,
                                .verdict.status = ends[i].status,
                                .statuses = 1u << ends[i].status,
                                .broken = ends[i].broken,
                                .message = ""};
        const struct expect_line *line = expect_of_result(&e, ends[i].index, name, record.statuses, record.broken);
        expect_judge(&e, ends[i].index, &record);
        ok(record.standing == ends[i].standing && (line ? line->number : 0) == ends[i].line, "%s: %s, broken %s", name,
           status_name(ends[i].status), ends[i].broken);
    }
    *said = '\0';
    ok(expect_stale(&e, &plan, NULL, false, test_expect_say, NULL) == 1, "one of them is stale");
    ok(strcmp(said, "4: none of the 10 cases that '*' matches broke same-type and ended as timeout\n") == 0, "  %s",
       said);
    expect_free(&e);
}

/* ---- updates */

enum { PASS = 1 << STATUS_PASS, FAIL = 1 << STATUS_FAIL, CRASH = 1 << STATUS_CRASH, SKIP = 1 << STATUS_SKIP };

static const struct {
    const char *what, *before;
    uint32_t statuses[CASES];
    const char *after;
} updates[] = {
    {"nothing known, all passes", "", {PASS, PASS, PASS, PASS, PASS, PASS}, ""},
    {"one failure",
     "",
     {PASS, FAIL, PASS, PASS, PASS, PASS},
     "gather.types.fl3_0.int8.d2 fail # new: 1 case: said 1\n"},
    {"a failure in each of a front part, one of another",
     "# known\n",
     {FAIL, FAIL, PASS, PASS, FAIL, PASS},
     "# known\ngather.types.fl3_0.int8 fail # new: 2 cases: said 0\ngather-x.types.fl3_0.int8 fail # new: 1 case: said "
     "4\n"},
    {"all of an operator, but not in the same way",
     "",
     {FAIL, FAIL, FAIL, CRASH, PASS, PASS},
     "gather.types.fl3_0 fail # new: 3 cases: said 0\ngather.values.fl3_0.int8.d1 crash # new: 1 case: said 3\n"},
    {"all of an operator", "", {FAIL, FAIL, FAIL, FAIL, PASS, PASS}, "gather fail # new: 4 cases: said 0\n"},
    {"a line may cover skipped cases, but no cases outside the run",
     "",
     {FAIL, FAIL, SKIP, 0, PASS, PASS},
     "gather.types.fl3_0.int8 fail # new: 2 cases: said 0\n"},
    {"everything", "", {FAIL, FAIL, FAIL, FAIL, FAIL, FAIL}, "* fail # new: 6 cases: said 0\n"},
    {"flaky",
     "",
     {PASS | FAIL, PASS, PASS, PASS, PASS, PASS},
     "gather.types.fl3_0.int8.d1 pass,fail # new: 1 case: said 0\n"},
    {"as expected: byte for byte the same",
     "\n  # known\ngather.types   fail   #   why  \n[device=other]\ngather fail # theirs\n[]\ngather_nd fail,pass # "
     "flaky\n",
     {FAIL, FAIL, FAIL, PASS, PASS, PASS},
     "\n  # known\ngather.types   fail   #   why\n[device=other]\ngather fail # theirs\n[]\ngather_nd fail,pass # "
     "flaky\n"},
    {"passes now", "# a\ngather.types fail # why\n# b\n", {PASS, PASS, PASS, PASS, PASS, PASS}, "# a\n# b\n"},
    {"fails otherwise now",
     "gather.types  fail # why\n",
     {CRASH, CRASH, CRASH, PASS, PASS, PASS},
     "gather.types crash # why\n"},
    {"fails in several ways now",
     "gather.types fail # why\n",
     {CRASH, FAIL, FAIL, PASS, PASS, PASS},
     "gather.types fail,crash # why\n"},
    {"passes in part now",
     "gather.types fail # why\n# end\n",
     {FAIL, FAIL, PASS, PASS, PASS, PASS},
     "gather.types.fl3_0.int8 fail # why\n# end\n"},
    {"passes in part, but not all of it is in the run",
     "gather.types fail # why\n",
     {PASS, PASS, 0, PASS, PASS, PASS},
     "gather.types fail # why\n"},
    {"skipped", "gather.types fail # why\n", {SKIP, SKIP, SKIP, PASS, PASS, PASS}, "gather.types fail # why\n"},
    {"an exception stays an exception",
     "gather fail # why\ngather.values pass # but\n",
     {FAIL, FAIL, FAIL, FAIL, PASS, PASS},
     "gather fail # why\ngather.values fail # but\n"},
    {"matches nothing, or later lines decide all of it",
     "nothing fail # why\ngather.types fail # why\ngather fail # all\n",
     {FAIL, FAIL, FAIL, FAIL, PASS, PASS},
     "gather fail # all\n"},
    {"the last section is for other devices",
     "[device=other]\ngather fail # theirs\n",
     {PASS, PASS, PASS, PASS, PASS, FAIL},
     "[device=other]\ngather fail # theirs\n[device=vulkan:device=0]\ngather_nd.types.fl3_0.int8.d1 fail # new: 1 "
     "case: said 5\n"},
    {"the last section is for this device",
     "[level=4_0]\ngather-x fail # ours\n",
     {PASS, PASS, PASS, PASS, FAIL, FAIL},
     "[level=4_0]\ngather-x fail # ours\ngather_nd.types.fl3_0.int8.d1 fail # new: 1 case: said 5\n"},
};

static void test_updates(void)
{
    static const char *const messages[CASES] = {"said 0", "said 1", "said 2", "said 3", "said 4", "said 5"};
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        struct expect e = {0}, again = {0};
        struct error error;
        struct expect_changes changes;
        uint32_t statuses[CASES];
        char *text = NULL, *second = NULL;
        size_t size, second_size;
        memcpy(statuses, updates[i].statuses, sizeof statuses);
        struct expect_run run = {
            .device = device, .statuses = statuses, .messages = (const char **)(uintptr_t)messages};
        bool good = test_expect_load(&e, updates[i].before, strlen(updates[i].before), &error) == 0;
        FILE *out = open_memstream(&text, &size);
        expect_update(&e, &run, 1, &plan, out, &changes);
        fclose(out);
        if (!ok(good && strcmp(text, updates[i].after) == 0, "update: %s", updates[i].what))
            note("%s: got %s", error.text, text);
        good = test_expect_load(&again, text, size, &error) == 0;
        out = open_memstream(&second, &second_size);
        expect_update(&again, &run, 1, &plan, out, &changes);
        fclose(out);
        ok(good && strcmp(text, second) == 0 && changes.changed + changes.removed + changes.added == 0,
           "  which another update leaves as it is");
        expect_free(&e);
        expect_free(&again);
        free(text);
        free(second);
    }
}

/* Lines are about the broken rule if the names of failing cases do not tell them from passing ones. */
static const struct {
    const char *what, *before;
    uint32_t statuses[CASES];
    const char *broken[CASES], *after;
} rule_updates[] = {
    {"names that take one line stay",
     "",
     {FAIL, FAIL, PASS, PASS, PASS, PASS},
     {"r", "r", "", "", "", ""},
     "gather.types.fl3_0.int8 fail # new: 2 cases: said 0\n"},
    {"names that take several lines become a line about the rule",
     "",
     {PASS, FAIL, FAIL, PASS, PASS, PASS},
     {"", "r", "r", "", "", ""},
     "gather broken=r fail # new: 2 cases: said 1\n"},
    {"of an operator that is not known as a whole, about a strategy",
     "",
     {PASS, FAIL, FAIL, 0, PASS, PASS},
     {"", "r", "r", "", "", ""},
     "gather.types broken=r fail # new: 2 cases: said 1\n"},
    {"of a strategy that is not, about names",
     "",
     {0, FAIL, FAIL, PASS, PASS, PASS},
     {"", "r", "r", "", "", ""},
     "gather.types.fl3_0.int8.d2 fail # new: 1 case: said 1\n"
     "gather.types.fl3_0.int16.d1 fail # new: 1 case: said 2\n"},
    {"another line may decide such a failure: names",
     "gather.values fail # why\n",
     {PASS, FAIL, FAIL, FAIL, PASS, PASS},
     {"", "r", "r", "r", "", ""},
     "gather.values fail # why\ngather.types.fl3_0.int8.d2 fail # new: 1 case: said 1\n"
     "gather.types.fl3_0.int16.d1 fail # new: 1 case: said 2\n"},
    {"such a line stays while a failure breaks the rule",
     "gather broken=r fail # why\n",
     {PASS, PASS, FAIL, PASS, PASS, PASS},
     {"", "", "r", "", "", ""},
     "gather broken=r fail # why\n"},
    {"  gets other statuses",
     "gather broken=r fail # why\n",
     {PASS, PASS, CRASH, PASS, PASS, PASS},
     {"", "", "r", "", "", ""},
     "gather broken=r crash # why\n"},
    {"  stays while it is not known",
     "gather broken=r fail # why\n",
     {PASS, PASS, 0, PASS, PASS, PASS},
     {"", "", "", "", "", ""},
     "gather broken=r fail # why\n"},
    {"  and goes when none does",
     "gather broken=r fail # why\n",
     {PASS, PASS, FAIL, PASS, PASS, PASS},
     {"", "", "s", "", "", ""},
     "gather.types.fl3_0.int16.d1 fail # new: 1 case: said 2\n"},
};

static void test_update_rules(void)
{
    static const char *const messages[CASES] = {"said 0", "said 1", "said 2", "said 3", "said 4", "said 5"};
    for (size_t i = 0; i < sizeof rule_updates / sizeof *rule_updates; i++) {
        struct expect e = {0};
        struct error error;
        struct expect_changes changes;
        uint32_t statuses[CASES];
        char *text = NULL;
        size_t size;
        memcpy(statuses, rule_updates[i].statuses, sizeof statuses);
        struct expect_run run = {.device = device,
                                 .statuses = statuses,
                                 .messages = (const char **)(uintptr_t)messages,
                                 .broken = (const char **)(uintptr_t)rule_updates[i].broken};
        bool good = test_expect_load(&e, rule_updates[i].before, strlen(rule_updates[i].before), &error) == 0;
        FILE *out = open_memstream(&text, &size);
        expect_update(&e, &run, 1, &plan, out, &changes);
        fclose(out);
        if (!ok(good && strcmp(text, rule_updates[i].after) == 0, "update: %s", rule_updates[i].what))
            note("%s: got %s", error.text, text);
        expect_free(&e);
        free(text);
    }
}

int main(void)
{
    test_malformed();
    test_sections();
    test_decision();
    test_judging();
    test_stale();
    test_shard();
    test_broken_rules();
    test_updates();
    test_update_rules();
    return tap_done();
}
