/* Checks the output of each format, byte for byte, and that prove can read it. test_format_junit.c has JUnit. */
#include "harness/test/format_print.h"

static void test_tap(void)
{
    const struct record records[] = {
        record_of(STATUS_PASS, "a.pass", ""),
        record_of(STATUS_FAIL, "b.fail", "S_OK"),
        record_of(STATUS_WARN, "c.warn", "differs"),
        record_of(STATUS_UNSUPPORTED, "d.unsupported", "no FLOAT64"),
        record_of(STATUS_SKIP, "e.skip", "feature level 6_4"),
        record_of(STATUS_INCOMPLETE, "f.incomplete", "interrupted"),
    };
    static const char expected[] = "1..6\n"
                                   "# assay: 0.1.0\n# device: reference\n# name: Reference\n# feature level: 6_4\n"
                                   "# cases: 6\n# seed: 0x7\n"
                                   "ok 1 - a.pass\n"
                                   "not ok 2 - b.fail\n"
                                   "  ---\n"
                                   "  message: \"S_OK\"\n"
                                   "  severity: \"fail\"\n"
                                   "  status: \"fail\"\n"
                                   "  device: \"reference\"\n"
                                   "  operator: \"GATHER\"\n"
                                   "  feature_level: \"3_0\"\n"
                                   "  rule: \"axis-range\"\n"
                                   "  strength: \"must\"\n"
                                   "  pages: \"bed83-115, A6\"\n"
                                   "  expected: \"E_INVALIDARG\"\n"
                                   "  wrong:\n"
                                   "    tensor: \"OutputTensor\"\n"
                                   "    at: \"{0,1}\"\n"
                                   "    got: \"1.5 (0x3fc00000)\"\n"
                                   "    expected: \"2 (0x40000000)\"\n"
                                   "    inputs: \"Input {0} 2\"\n"
                                   "    count: 3\n"
                                   "  seed: \"0x00000000000000ff\"\n"
                                   "  host_ns: 1000\n"
                                   "  reproduce: \"assay repro 'x' -d reference\"\n"
                                   "  ...\n"
                                   "ok 3 - c.warn\n"
                                   "  ---\n"
                                   "  message: \"differs\"\n"
                                   "  severity: \"warning\"\n"
                                   "  status: \"warn\"\n"
                                   "  device: \"reference\"\n"
                                   "  operator: \"GATHER\"\n"
                                   "  feature_level: \"3_0\"\n"
                                   "  rule: \"axis-range\"\n"
                                   "  strength: \"must\"\n"
                                   "  pages: \"bed83-115, A6\"\n"
                                   "  expected: \"E_INVALIDARG\"\n"
                                   "  seed: \"0x00000000000000ff\"\n"
                                   "  host_ns: 1000\n"
                                   "  reproduce: \"assay repro 'x' -d reference\"\n"
                                   "  ...\n"
                                   "ok 4 - d.unsupported # SKIP unsupported: no FLOAT64\n"
                                   "ok 5 - e.skip # SKIP feature level 6_4\n"
                                   "not ok 6 - f.incomplete\n"
                                   "  ---\n"
                                   "  message: \"interrupted\"\n"
                                   "  status: \"incomplete\"\n"
                                   "  ...\n"
                                   "# total: 1 pass, 1 fail, 1 warn, 1 unsupported, 1 skip, 1 incomplete\n";
    char *whole;
    if (asprintf(&whole, "TAP version 13\n%s", expected) > 0)
        expect("tap", print("tap", records, 6, false, false, NULL), whole);
    free(whole);
    if (asprintf(&whole, "TAP version 14\n%s", expected) > 0)
        expect("tap14", print("tap14", records, 6, true, true, NULL), whole);
    free(whole);
    expect("tap: nothing to run", print("tap", records, 0, false, false, NULL),
           "TAP version 13\n1..0 # SKIP no case to run\n"
           "# assay: 0.1.0\n# device: reference\n# name: Reference\n# feature level: 6_4\n# cases: 0\n# seed: 0x7\n"
           "# total: nothing\n");
}

static void test_tap_hostile(void)
{
    const struct record records[] = {hostile(STATUS_FAIL), hostile(STATUS_SKIP)};
    char *text = print("tap", records, 2, false, false, NULL);
    ok(harmless(text), "tap: nothing acts on a terminal");
    ok(strstr(text, "\nnot ok 1 - x.\\#y\\\\z\\\\nok 9 - forged \\# SKIP\n") != NULL, "tap: # and \\ escaped in names");
    ok(strstr(text,
              "\n  message: \"a\\nnot ok 1\\n\\x1b[31m \\\"quoted\\\" \\\\ # TODO \\\\xff\xc3\xa9\\u202e\\x01\\x7f "
              "...\\n---\"\n") != NULL,
       "tap: YAML quotes whatever a message holds");
    ok(strstr(text, "\n  rule: \"a: b\\n- c\"\n") && strstr(text, "\n    got: \"\\t\\\"\\n\"\n"),
       "tap: so for all texts");
    ok(strstr(text, "\nok 2 - x.\\#y\\\\z\\\\nok 9 - forged \\# SKIP # SKIP a\\\\nnot ok 1\\\\n") != NULL,
       "tap: # and \\ escaped in reasons");
    free(text);
}

static int prove(const char *text, char *said, size_t size)
{
    return judge("env -u HARNESS_OPTIONS -u PERL5OPT prove -v -e cat", text, said, size);
}

static void test_prove(void)
{
    static char said[65536];
    const struct record good[] = {record_of(STATUS_PASS, "a", ""), record_of(STATUS_WARN, "b", "w"),
                                  record_of(STATUS_SKIP, "c", "s"), hostile(STATUS_SKIP), hostile(STATUS_WARN)};
    const struct record bad[] = {record_of(STATUS_PASS, "a", ""), hostile(STATUS_FAIL), hostile(STATUS_INCOMPLETE),
                                 hostile(STATUS_CRASH)};
    char *text = print("tap", good, 5, false, false, NULL);
    int status = prove(text, said, sizeof said);
    if (!ok(status == 0 && strstr(said, "Result: PASS") && strstr(said, "Tests=5"), "prove passes what passed"))
        fprintf(stderr, "%s", said);
    ok(!strstr(said, "TODO passed"), "prove takes no directive from a device");
    free(text);
    text = print("tap", bad, 4, false, false, NULL);
    status = prove(text, said, sizeof said);
    if (!ok(status == 1 && strstr(said, "Failed tests:  2-4") && !strstr(said, "Parse errors"),
            "prove fails what failed"))
        fprintf(stderr, "%s", said);
    free(text);
    text = print("tap", good, 0, false, false, NULL);
    status = prove(text, said, sizeof said);
    if (!ok(status == 0 && strstr(said, "skipped: no case to run"), "prove takes an empty plan"))
        fprintf(stderr, "%s", said);
    free(text);
}

static void test_format_json(void)
{
    struct record records[] = {record_of(STATUS_FAIL, "b.fail", "S_OK"), record_of(STATUS_PASS, "a.pass", "")};
    records[1].outcome = "clamped";
    records[1].verdict.device_ns = 5;
    records[0].attempt = 1;
    records[1].attempt = 2;
    records[1].flaky = true;
    records[1].standing = STANDING_EXPECTED;
    records[1].reason = "it rains";
    static const char expected[] =
        "{\"type\":\"begin\",\"version\":1,\"assay\":\"" ASSAY_VERSION "\",\"planned\":2}\n"
        "{\"type\":\"run\",\"device\":\"reference\",\"name\":\"Reference\",\"driver\":\"\",\"feature_level\":\"6_4\","
        "\"database\":\"\",\"expectations\":\"\",\"purpose\":\"conformance\",\"partial\":false,\"half\":false,"
        "\"device_hash\":\"\",\"device_build\":\"\",\"label\":\"\",\"revision\":\"\",\"branch\":\"\",\"shared_"
        "validation\":false,"
        "\"seed\":\"0x0000000000000007\",\"planned\":2}\n"
        "{\"type\":\"result\",\"case\":\"b.fail\",\"device\":\"reference\",\"status\":\"fail\",\"failure\":true,"
        "\"attempts\":1,\"operator\":\"GATHER\",\"feature_level\":\"3_0\",\"data_types\":\"float32-uint32\","
        "\"rule\":\"axis-range\",\"rule_text\":\"\",\"broken_text\":\"\",\"strength\":\"must\","
        "\"pages\":\"bed83-115, A6\",\"expected\":\"E_INVALIDARG\",\"outcome\":\"\",\"message\":\"S_OK\","
        "\"reproduce\":\"assay repro 'x' -d reference\",\"flaky\":false,\"expectation\":\"\",\"reason\":\"\","
        "\"cause\":\"wrong accept\",\"broken\":\"\",\"explanations\":\"\",\"shared\":\"\",\"wrong_elements\":0,"
        "\"wrong\":{\"tensor\":\"OutputTensor\",\"at\":\"{0,1}\",\"got\":\"1.5 (0x3fc00000)\","
        "\"expected\":\"2 (0x40000000)\",\"inputs\":\"Input {0} "
        "2\",\"count\":3},\"seed\":\"0x00000000000000ff\",\"host_ns\":1000}\n"
        "{\"type\":\"result\",\"case\":\"a.pass\",\"device\":\"reference\",\"status\":\"pass\",\"failure\":false,"
        "\"attempts\":2,\"operator\":\"GATHER\",\"feature_level\":\"3_0\",\"data_types\":\"float32-uint32\","
        "\"rule\":\"axis-range\",\"strength\":\"must\",\"pages\":\"bed83-115, A6\",\"expected\":\"E_INVALIDARG\","
        "\"outcome\":\"clamped\",\"message\":\"\",\"reproduce\":\"\",\"flaky\":true,\"expectation\":\"expected\","
        "\"reason\":\"it "
        "rains\",\"cause\":\"\",\"broken\":\"\",\"explanations\":\"\",\"shared\":\"\",\"wrong_elements\":0,"
        "\"seed\":\"0x00000000000000ff\",\"host_ns\":1000,\"device_ns\":5}\n"
        "{\"type\":\"total\",\"counts\":{\"pass\":1,\"fail\":1},\"failures\":1,\"as_expected\":1,\"unexpected\":0,"
        "\"flaky\":1,\"compared\":1,\"elapsed_ns\":1500000000,\"causes\":[]}\n"
        "{\"type\":\"end\",\"results\":2}\n";
    expect("json", print("json", records, 2, false, false, NULL), expected);
    expect_valid("json", jsonlint, print("json", records, 2, false, false, NULL));
    expect_valid("json: nothing to run", jsonlint, print("json", records, 0, false, false, NULL));
    static char said[4096];
    ok(judge(jsonlint, "{\"type\":\"begin\",\"version\":2,\"assay\":\"\",\"planned\":0}\n", said, sizeof said) == 1,
       "json: another version is not valid");
}

/* Characters that XML and JSON files must not contain, and those that end their strings and elements. */
static void test_format_hostile(void)
{
    enum { LONG = 300000 };
    static char large[LONG + 1];
    memset(large, '<', LONG);
    memcpy(large + LONG - 2, "\xe2\x82", 2); /* cut within a character */
    struct record records[STATUS_COUNT + 1];
    for (int status = 0; status < STATUS_COUNT; status++) {
        static char names[STATUS_COUNT][80];
        records[status] = hostile((enum status)status);
        snprintf(names[status], sizeof names[status], "%d %s", status, records[status].case_name);
        records[status].case_name = names[status];
        records[status].outcome = records[status].message = "]]>&amp;<!-- \xc0\x80 \xed\xa0\x80 \xef\xbf\xbe '\"\\";
        records[status].operator_name = status % 2 ? "\" forged=\"\x01\xff" : "GATHER";
    }
    records[STATUS_COUNT] = record_of(STATUS_FAIL, "long", large);
    expect_valid("junit of hostile text", xmllint, print("junit", records, STATUS_COUNT + 1, true, true, NULL));
    char *text = print("junit", records, STATUS_COUNT + 1, true, true, NULL);
    ok(harmless(text), "junit: nothing acts on a terminal");
    ok(!strstr(text, "]]>") && strstr(text, "]]&gt;&amp;amp;&lt;!-- \\xc0\\x80 \\xed\\xa0\\x80 \\ufffe &apos;&quot;\\"),
       "junit: everything is escaped");
    ok(strlen(text) < 60000 && strstr(text, "bytes more]") != NULL, "junit: a long text is cut, which is said");
    free(text);
    expect_valid("json of hostile text", jsonlint, print("json", records, STATUS_COUNT + 1, true, true, NULL));
    text = print("json", records, STATUS_COUNT + 1, true, true, NULL);
    ok(harmless(text), "json: nothing acts on a terminal");
    ok(strstr(text, "\"message\":\"]]>&amp;<!-- \\\\xc0\\\\x80 \\\\xed\\\\xa0\\\\x80 \\ufffe '\\\"\\\\\"") != NULL,
       "json: everything is escaped");
    ok(strlen(text) > LONG, "json: nothing is left out");
    free(text);
}

static void test_causes(void)
{
    const struct record record = record_of(STATUS_FAIL, "a.case", ""), both[] = {record, record};
    const struct cause_group group = {.cases = 3,
                                      .besides = 2,
                                      .name = "zeros",
                                      .title = "a \x1b title\nnot ok 7",
                                      .broken = "gathers",
                                      .tensors = "OutputTensor",
                                      .where = "GATHER",
                                      .such = 4,
                                      .first_case = "a.case",
                                      .reproduce = "assay repro a.case"};
    groups = &group;
    group_count = 1;
    char *text = print("human", &record, 1, false, false, NULL);
    ok(!strstr(text, "one cause"), "human: of one case, the cause is with its result");
    free(text);
    text = print("human", both, 2, false, false, NULL);
    ok(strstr(text, "\n5 failures, one cause:\n      3  a \\x1b title\\nnot ok 7\n         broken     gathers\n") &&
           strstr(text, "\n         where      all GATHER; none of the others: 3 of the 4 such cases\n"),
       "human: the causes of failures");
    free(text);
    text = print("tap", &record, 1, false, false, NULL);
    ok(strstr(text, "\n# 5 failures, one cause:\n#       3  a \\x1b title") && !strstr(text, "\nnot ok 7"),
       "tap: in comments");
    free(text);
    text = print("json", &record, 1, false, false, NULL);
    ok(strstr(text, "\"causes\":[{\"kind\":\"failure\",\"cases\":3,\"besides\":2,\"such\":4,\"cause\":\"zeros\",") !=
           NULL,
       "json: with the totals");
    free(text);
    expect_valid("json with causes", jsonlint, print("json", &record, 1, false, false, NULL));
    groups = NULL;
    group_count = 0;
}

static void test_aborted(const char *name, const char *command, const char *last)
{
    const struct format *format;
    char *text = NULL;
    size_t size = 0;
    struct record record = record_of(STATUS_FAIL, "a.case", "");
    struct format_run here = run;
    struct format_stream stream = {.out = open_memstream(&text, &size), .planned = 2, .aborted = "disk \x1b full"};
    format_find(name, &format, NULL);
    here.planned = 1;
    format->begin(&stream);
    format->begin_run(&stream, &here);
    format->result(&stream, &record);
    format->end(&stream);
    fclose(stream.out);
    ok(strstr(text, "a.case") && strlen(text) >= strlen(last) && !strcmp(text + strlen(text) - strlen(last), last),
       "%s: an aborted run ends as one", name);
    if (command)
        expect_valid(name, command, strdup(text));
    free(text);
}

static void test_several(const char *name, const char *first, const char *second)
{
    const struct format *format;
    char *text = NULL;
    size_t size = 0;
    struct format_total total = {.records.counts = {[STATUS_FAIL] = 1}};
    struct record record = record_of(STATUS_FAIL, "a.case", "");
    struct format_run here = run;
    struct format_stream stream = {.out = open_memstream(&text, &size), .planned = 2};
    format_find(name, &format, NULL);
    here.planned = 1;
    format->begin(&stream);
    for (int i = 0; i < 2; i++) {
        record.device = here.device = i ? "vulkan" : "reference";
        format->begin_run(&stream, &here);
        format->result(&stream, &record);
        format->end_run(&stream, &total);
    }
    format->end(&stream);
    fclose(stream.out);
    ok(strstr(text, first) && strstr(text, second), "%s: results of two devices do not mix", name);
    free(text);
}

static void test_human(void)
{
    const struct record records[] = {
        record_of(STATUS_PASS, "a.pass", ""),
        record_of(STATUS_FAIL, "b.fail", "S_OK"),
        record_of(STATUS_WARN, "c.warn", "differs"),
        record_of(STATUS_CRASH, "d.crash", "signal 11"),
    };
    static const char failures[] = "  rule       axis-range, must (bed83-115, A6)\n"
                                   "  expected   E_INVALIDARG\n"
                                   "  message    S_OK\n"
                                   "  wrong      OutputTensor {0,1}: got 1.5 (0x3fc00000), expected 2 (0x40000000); "
                                   "the first of 3\n"
                                   "  inputs     Input {0} 2\n"
                                   "  reproduce  assay repro 'x' -d reference\n";
    char *expected;
    if (asprintf(&expected,
                 "reference: Reference, feature level 6_4; 4 cases, seed 0x7\n"
                 "fail b.fail\n%s"
                 "crash d.crash\n"
                 "  rule       axis-range, must (bed83-115, A6)\n"
                 "  expected   E_INVALIDARG\n"
                 "  message    signal 11\n"
                 "  reproduce  assay repro 'x' -d reference\n"
                 "reference: 4 cases in 1.5 s: 1 pass, 1 fail, 1 warn, 1 crash\n"
                 "\noperator  reference\n"
                 "GATHER    1 pass, 1 fail, 1 warn, 1 crash\n"
                 "all       1 pass, 1 fail, 1 warn, 1 crash\n",
                 failures) > 0)
        expect("human", print("human", records, 4, false, false, NULL), expected);
    free(expected);
    char *text = print("human", records, 4, false, true, NULL);
    ok(strstr(text, "\npass a.pass\nfail b.fail\n") && strstr(text, "\nwarn c.warn\n"), "human: verbose shows all");
    free(text);
    text = print("human", records, 4, true, false, NULL);
    ok(strstr(text, "\n\x1b[31mfail\x1b[0m b.fail\n") && strstr(text, "\x1b[31m1 fail\x1b[0m, 1 warn,"),
       "human: in color");
    free(text);
    text = print("human", records, 1, true, false, NULL);
    ok(strstr(text, ": \x1b[32m1 pass\x1b[0m\n") != NULL, "human: green when nothing failed");
    free(text);
    const struct record bad[] = {hostile(STATUS_FAIL)};
    text = print("human", bad, 1, false, true, NULL);
    ok(harmless(text) &&
           strstr(text, "\n  message    a\\nnot ok 1\\n\\x1b[31m \"quoted\" \\ # TODO \\xff\xc3\xa9\\u202e"),
       "human: nothing acts on a terminal");
    free(text);
}

static void test_expected(void)
{
    struct record records[] = {
        record_of(STATUS_FAIL, "a.expected", "S_OK"),    record_of(STATUS_PASS, "b.unexpected", ""),
        record_of(STATUS_CRASH, "c.unexpected", "died"), record_of(STATUS_PASS, "d.flaky", ""),
        record_of(STATUS_PASS, "e.may-fail", ""),        record_of(STATUS_PASS, "f.flaky-ok", ""),
    };
    static const char *const reasons[] = {"#1 \n", "two", "three", NULL, "five", "six"};
    for (size_t i = 0; i < 6; i++) {
        records[i].reason = reasons[i];
        records[i].standing = i == 1 || i == 2 ? STANDING_UNEXPECTED : STANDING_EXPECTED;
        if (i == 3)
            records[i].standing = STANDING_NONE;
        records[i].flaky = i == 3 || i == 5;
    }
    char *text = print("human", records, 6, false, false, NULL);
    ok(!strstr(text, "a.expected") && strstr(text, "\npass b.unexpected, unexpected\n") &&
           strstr(text, "\ncrash c.unexpected, unexpected\n") && strstr(text, "\n  reason     three\n") &&
           strstr(text, "\npass d.flaky, flaky\n") && !strstr(text, "e.may-fail") && !strstr(text, "f.flaky-ok"),
       "human: what is as expected is not shown");
    ok(strstr(text, ": 4 pass, 1 fail, 1 crash; as expected: 2; unexpected: 2; flaky: 2\n") != NULL,
       "human: but counted");
    free(text);
    text = print("human", records, 6, false, true, NULL);
    ok(strstr(text, "\nfail a.expected, expected\n") && strstr(text, "\npass f.flaky-ok, flaky, expected\n"),
       "human: verbose shows it");
    free(text);
    text = print("tap", records, 6, false, false, NULL);
    ok(strstr(text, "\nnot ok 1 - a.expected # TODO \\#1 \\\\n\n  ---\n") &&
           strstr(text, "\nnot ok 2 - b.unexpected\n  ---\n") && strstr(text, "\nnot ok 4 - d.flaky\n  ---\n") &&
           strstr(text, "\nok 5 - e.may-fail\nok 6 - f.flaky-ok\n  ---\n") && strstr(text, "\n  flaky: true\n") &&
           strstr(text, "\n  expectation: \"unexpected\"\n  reason: \"three\"\n") &&
           strstr(text, "\n# as expected: 2, unexpected: 2, flaky: 2\n"),
       "tap: what is expected is to be done");
    static char said[65536];
    int status = prove(text, said, sizeof said);
    if (!ok(status == 1 && strstr(said, "Failed tests:  2-4") && !strstr(said, "TODO passed"),
            "prove fails what is not as expected, alone"))
        fprintf(stderr, "%s", said);
    free(text);
}

static void test_progress(void)
{
    char *line = NULL;
    size_t size = 0;
    FILE *progress = open_memstream(&line, &size);
    const struct record records[] = {record_of(STATUS_PASS, "a", ""), record_of(STATUS_FAIL, "b", "S_OK")};
    struct record many[200];
    for (size_t i = 0; i < 200; i++)
        many[i] = records[i == 199];
    char *text = print("human", many, 200, false, false, progress);
    fclose(progress);
    ok(!strncmp(line, "\r1/200  ", 8), "progress: count of all planned first");
    ok(strchr(text, '\r') == NULL && strchr(line, '\n') == NULL, "progress: on a stream of its own, on one line");
    size_t shown = 0;
    for (const char *c = line; *c; c++)
        shown += *c == '/';
    ok(shown >= 1 && shown < 20, "progress: %zu times for 200 results", shown);
    ok(size > 1 && line[size - 1] == '\r' && strspn(line + size - 1 - 8, " ") == 8, "progress: blank at the end");
    free(text);
    free(line);
}

static void test_left(void)
{
    static const struct {
        double elapsed, part, given, left;
    } times[] = {{10, 0.5, 0, 10},  {10, 0.9, 0.8, 10}, {1, 0.75, 0.5, 1}, {5, 1, 0, 0},
                 {5, 0.5, 0.5, -1}, {5, 0, 0, -1},      {0, 0.5, 0, -1},   {5, 1.5, 0, -1}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double left = format_left(times[i].elapsed, times[i].part, times[i].given), off = left - times[i].left;
        ok(off < 1e-9 && off > -1e-9, "%g s for %g after %g: %g left", times[i].elapsed, times[i].part, times[i].given,
           left);
    }
    /* Results of an earlier part of the run took no time now, so they do not count for the estimate. */
    char *line = NULL;
    size_t size = 0;
    struct record many[100];
    FILE *progress = open_memstream(&line, &size);
    for (size_t i = 0; i < 100; i++) {
        many[i] = record_of(STATUS_PASS, "a", "");
        many[i].recalled = true;
    }
    free(print("human", many, 100, false, false, progress));
    fclose(progress);
    ok(!strncmp(line, "\r1/100  0 a second", 18) && !strstr(line, " left"), "recalled results count for no time");
    free(line);
}

static void test_find(void)
{
    const struct format *format;
    struct error error = {0};
    for (const struct format *const *each = format_all; *each; each++)
        ok(!format_find((*each)->name, &format, &error) && format == *each && *format->help, "%s is found",
           (*each)->name);
    ok(format_find("tpa", &format, &error) == EXIT_USAGE && !format && strstr(error.text, "did you mean tap?") &&
           strstr(error.text, "human, tap, tap14, junit, json"),
       "an unknown format: %s", error.text);
}

static void test_text(void)
{
    static const struct {
        const char *text, *visible;
    } cases[] = {
        {"", ""},
        {"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\x01\x1b\x7f\r\n\t", "\\x01\\x1b\\x7f\\r\\n\\t"},
        {"\xc2\x9b", "\\u009b"},                       /* C1: CSI */
        {"\xc0\x80", "\\xc0\\x80"},                    /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           /* surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  /* beyond Unicode */
        {"\xe2\x82", "\\xe2\\x82"},                    /* cut short */
        {"\xe2\x81\xa6\xef\xbb\xbf", "\\u2066\\ufeff"} /* directional, byte order */
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = text_visible(out, sizeof out, cases[i].text);
        ok(!strcmp(out, cases[i].visible) && length == strlen(out), "visible: %s", cases[i].visible);
    }
    ok(text_visible(out, 6,
                    "abc\x1b"
                    "d") == 8 &&
           !strcmp(out, "abc"),
       "visible: cut at a whole character");
    ok(text_visible(NULL, 0, "ab") == 2, "visible: measured");
    ok(strcmp(text_quoted(out, sizeof out, "a 'b' c"), "'a '\\''b'\\'' c'") == 0, "quoted: a word for a shell");
    ok(strcmp(text_quoted(out, 10, "abcdefghij"), "'abc'") == 0, "quoted: cut, with its quotes");
    ok(strcmp(text_quoted(out, sizeof out, "\xff'\\ \xc3\xa9\n"), "$'\\xff\\'\\\\ \\xc3\\xa9\\x0a'") == 0,
       "quoted: bytes that are not UTF-8 in a form that can be printed: %s", out);
    ok(strcmp(text_quoted(out, sizeof out, "\xc3\xa9"), "'\xc3\xa9'") == 0, "quoted: UTF-8 as it is");
}

int main(void)
{
    test_find();
    test_text();
    test_tap();
    test_tap_hostile();
    test_prove();
    test_human();
    test_expected();
    test_progress();
    test_left();
    test_format_json();
    test_format_hostile();
    test_causes();
    test_aborted("human", NULL, "reproduce  assay repro 'x' -d reference\n");
    test_aborted("tap", NULL, "\nBail out! disk \\x1b full\n");
    test_aborted("junit", xmllint, "  </testsuite>\n</testsuites>\n");
    test_aborted("json", jsonlint, "\n{\"type\":\"end\",\"results\":1,\"aborted\":\"disk \\u001b full\"}\n");
    test_several("junit", "classname=\"reference.GATHER\"", "classname=\"vulkan.GATHER\"");
    test_several("json", "\"device\":\"reference\",\"status\":\"fail\"", "\"device\":\"vulkan\",\"status\":\"fail\"");
    test_several("tap", "\nnot ok 1 - a.case on reference\n", "\nnot ok 2 - a.case on vulkan\n");
    test_several("human", "\nfail a.case on reference\n", "\nfail a.case on vulkan\n");
    return tap_done();
}
