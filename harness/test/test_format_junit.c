/* Checks JUnit's results, standings, conformance statement and groups. */
#include "harness/test/format_print.h"

static void test_junit(void)
{
    const struct record records[] = {
        record_of(STATUS_PASS, "a.pass", ""),          record_of(STATUS_FAIL, "b.fail", "S_OK"),
        record_of(STATUS_WARN, "c.warn", "differs"),   record_of(STATUS_UNSUPPORTED, "d.unsupported", "no FLOAT64"),
        record_of(STATUS_SKIP, "e.skip", "level 6_4"), record_of(STATUS_INCOMPLETE, "f.incomplete", "interrupted"),
    };
    static const char expected[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"assay\">\n"
        "  <testsuite name=\"GATHER\" package=\"reference\" tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"2\" "
        "time=\"0.000006\">\n"
        "    <properties>\n"
        "      <property name=\"version\" value=\"0.1.0\"/>\n"
        "      <property name=\"device\" value=\"reference\"/>\n"
        "      <property name=\"device-name\" value=\"Reference\"/>\n"
        "      <property name=\"feature-level\" value=\"6_4\"/>\n"
        "      <property name=\"seed\" value=\"0x7\"/>\n"
        "      <property name=\"known-failures\" value=\"0\"/>\n    </properties>\n"
        "    <testcase name=\"a.pass\" classname=\"reference.GATHER\" time=\"0.000001\">\n"
        "    </testcase>\n"
        "    <testcase name=\"b.fail\" classname=\"reference.GATHER\" time=\"0.000001\">\n"
        "      <failure type=\"fail\" message=\"S_OK\">"
        "rule: axis-range\nstrength: must\npages: bed83-115, A6\nexpected: E_INVALIDARG\nmessage: S_OK\n"
        "wrong tensor: OutputTensor\nat: {0,1}\ngot: 1.5 (0x3fc00000)\nexpected there: 2 (0x40000000)\ninputs: Input "
        "{0} 2\n"
        "wrong elements: 3\nseed: 0x00000000000000ff\nreproduce: assay repro &apos;x&apos; -d reference\n</failure>\n"
        "    </testcase>\n"
        "    <testcase name=\"c.warn\" classname=\"reference.GATHER\" time=\"0.000001\">\n"
        "      <system-out>warn\n"
        "rule: axis-range\nstrength: must\npages: bed83-115, A6\nexpected: E_INVALIDARG\nmessage: differs\n"
        "seed: 0x00000000000000ff\nreproduce: assay repro &apos;x&apos; -d reference\n</system-out>\n"
        "    </testcase>\n"
        "    <testcase name=\"d.unsupported\" classname=\"reference.GATHER\" time=\"0.000001\">\n"
        "      <skipped message=\"unsupported: no FLOAT64\"/>\n"
        "    </testcase>\n"
        "    <testcase name=\"e.skip\" classname=\"reference.GATHER\" time=\"0.000001\">\n"
        "      <skipped message=\"level 6_4\"/>\n"
        "    </testcase>\n"
        "    <testcase name=\"f.incomplete\" classname=\"reference.GATHER\" time=\"0.000001\">\n"
        "      <error type=\"incomplete\" message=\"interrupted\">"
        "rule: axis-range\nstrength: must\npages: bed83-115, A6\nexpected: E_INVALIDARG\nmessage: interrupted\n"
        "seed: 0x00000000000000ff\nreproduce: assay repro &apos;x&apos; -d reference\n</error>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n";
    expect("junit", print("junit", records, 6, false, false, NULL), expected);
    expect_valid("junit", xmllint, print("junit", records, 6, false, false, NULL));
    expect_valid("junit: nothing to run", xmllint, print("junit", records, 0, false, false, NULL));
}

/* An expected failure is skipped with its reason; an unexpected or flaky result fails, whatever its status. */
static void test_junit_standings(void)
{
    struct record records[] = {record_of(STATUS_CRASH, "a", "gone"), record_of(STATUS_PASS, "b", ""),
                               record_of(STATUS_PASS, "c", ""), record_of(STATUS_CRASH, "d", "gone")};
    records[0].standing = STANDING_EXPECTED;
    records[0].reason = "issue <7>";
    records[1].standing = STANDING_UNEXPECTED;
    records[1].reason = "fixed?";
    records[2].flaky = true;
    records[3].standing = STANDING_UNEXPECTED;
    char *text = print("junit", records, 4, false, false, NULL);
    ok(strstr(text, "tests=\"4\" failures=\"2\" errors=\"1\" skipped=\"1\"") != NULL,
       "junit: counts of what was expected");
    ok(strstr(text, "<skipped message=\"expected crash: issue &lt;7&gt;\"/>") != NULL,
       "  an expected crash is skipped");
    ok(strstr(text, "<failure type=\"pass\" message=\"unexpected: fixed?\">") != NULL, "  an unexpected pass fails");
    ok(strstr(text, "<failure type=\"pass\" message=\"flaky: \">") != NULL, "  a flaky pass fails");
    ok(strstr(text, "<error type=\"crash\" message=\"unexpected: gone\">") != NULL,
       "  an unexpected crash is an error");
    expect_valid("junit: what was expected", xmllint, print("junit", records, 4, false, false, NULL));
    free(text);
}

/* The statement of a run of the whole plan: in JUnit next to the other properties of a device, in TAP a remark. */
static void test_format_junit_conformance(void)
{
    const struct record records[] = {record_of(STATUS_PASS, "a", ""), record_of(STATUS_FAIL, "b", "S_OK")};
    struct conformance conformance = {0};
    statement = &conformance;
    conformance_add(&conformance, &records[0]);
    char *text = print("junit", records, 2, false, false, NULL);
    ok(strstr(text, "\"conformance-level\" value=\"none\"/>") && strstr(text, "\"operators-complete\" value=\"1\"/>") &&
           strstr(text, "\"operators-failing\" value=\"0\"/>") &&
           strstr(text, "\"operators-without-cases\" value=\"176\"/>") &&
           strstr(text, "\"conformance-6_4\" value=\"1 of 177 operators complete; 176 without cases: "),
       "junit: the conformance statement");
    expect_valid("junit: the conformance statement", xmllint, text);
    conformance_add(&conformance, &records[1]);
    text = print("junit", records, 2, false, false, NULL);
    ok(strstr(text, "\"conformance-level\" value=\"none\"/>") && strstr(text, "\"operators-failing\" value=\"1\"/>") &&
           strstr(text, "\"conformance-6_4\" value=\"0 of 177 operators complete; 1 failing: GATHER; 176 without "),
       "junit: no level is complete");
    free(text);
    text = print("tap", records, 2, false, false, NULL);
    const char *remark = strstr(text, "\n# conformance at feature level 6_4: 0 of 177 operators complete; 1 failing: "
                                      "GATHER; 176 without cases: ELEMENT_WISE_IDENTITY, ");
    ok(remark && strstr(text, "\n# total: ") < remark, "tap: the conformance statement after the total");
    free(text);
    statement = NULL;
    conformance_free(&conformance);
    text = print("junit", records, 2, false, false, NULL);
    ok(!strstr(text, "conformance") && !strstr(text, "operators-"), "junit: of a part of the plan there is none");
    free(text);
}

/* Groups of failures and warnings: a property each, and a line at each of their cases. */
static void test_junit_groups(void)
{
    struct record records[] = {record_of(STATUS_FAIL, "b", "S_OK"), record_of(STATUS_WARN, "c", "S_OK"),
                               record_of(STATUS_FAIL, "a", "S_OK"), record_of(STATUS_WARN, "d", "E_FAIL")};
    struct cause_case cases[] = {
        {.name = "b", .ran = true}, {.name = "c", .ran = true}, {.name = "a", .ran = true}, {.name = "d", .ran = true}};
    struct causes all = {0};
    struct cause_group *made;
    records[1].operator_name = "SCATTER";
    for (size_t i = 0; i < 4; i++)
        causes_add(&all, &records[i], i);
    group_count = causes_group(&all, cases, 4, &made);
    groups = made;
    causes = &all;
    ok(group_count == 3, "failures are a group, warnings two");
    char *text = print("junit", records, 4, false, false, NULL);
    char *scatter = strstr(text, "<testsuite name=\"SCATTER\"");
    const char *title = "wrong accept: S_OK";
    char failure[120], warning[120];
    snprintf(failure, sizeof failure, " message=\"S_OK\">group 1: %s\nrule: ", title);
    snprintf(warning, sizeof warning, "<system-out>warn\ngroup 2: %s\nrule: ", title);
    const char *first = strstr(text, failure), *second = first ? strstr(first + 1, failure) : NULL;
    ok(second && !strstr(second + 1, failure) && strstr(text, "</failure>\n    </testcase>\n    <testcase name=\"d\""),
       "junit: each failure names its group");
    ok(scatter && strstr(scatter, warning) && strstr(text, "<system-out>warn\ngroup 3: wrong accept: E_FAIL\nrule: "),
       "  each warning, too");
    ok(strstr(text, "<property name=\"group-1\" value=\"2 failures: wrong accept: S_OK; all B or A\"/>") &&
           strstr(text, "<property name=\"group-3\" value=\"1 warning: wrong accept: E_FAIL; all D\"/>"),
       "  and so do the properties");
    ok(scatter && !strstr(scatter, "name=\"group-1\"") && !strstr(scatter, "name=\"group-3\"") &&
           strstr(scatter, "<property name=\"group-2\" value=\"1 warning: wrong accept: S_OK; all C\"/>") ==
               strstr(text, "<property name=\"group-2\""),
       "  those of a suite only about groups of its own cases");
    expect_valid("junit: groups", xmllint, text);
    groups = NULL;
    causes = NULL;
    group_count = 0;
    free(made);
    causes_free(&all);
}

/* A failure that a group only counts is in none. */
static void test_junit_besides(void)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct record records[4];
    struct causes all = {0};
    struct cause_group *made;
    for (size_t i = 0; i < 4; i++) {
        records[i] = record_of(STATUS_FAIL, names[i], "wrong");
        records[i].verdict.cause = CAUSE_RESULT;
        explanations_parse(i == 1 ? "" : "signed-zero-counted", &records[i].symptoms.diagnosis);
        records[i].symptoms.diagnosis.wrong_elements = 8;
        causes_add(&all, &records[i], i);
    }
    group_count = causes_group(&all, NULL, 0, &made);
    groups = made;
    causes = &all;
    ok(group_count == 1 && made[0].cases == 3 && made[0].besides == 1, "one group, and one failure besides");
    char *text = print("junit", records, 4, false, false, NULL);
    int lines = 0;
    for (const char *at = text; (at = strstr(at, ">group 1: -0.0 is taken")); at++)
        lines++;
    ok(lines == 3 && strstr(text, "message=\"wrong\">rule: "), "junit: the one besides names no group");
    free(text);
    groups = NULL;
    causes = NULL;
    group_count = 0;
    free(made);
    causes_free(&all);
}

int main(void)
{
    test_junit();
    test_junit_standings();
    test_format_junit_conformance();
    test_junit_groups();
    test_junit_besides();
    return tap_done();
}
