/* The conformance statement: the state of an operator at each level, and the printed text. */
#include "harness/run/conformance.h"
#include "harness/base/dml_names.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct conformance statement;

static void test_conformance_add(const char *name, const char *level, enum status status, bool flaky)
{
    const struct record record = {
        .operator_name = name, .feature_level = level, .verdict.status = status, .flaky = flaky, .last = true};
    conformance_add(&statement, &record);
}

static enum conformance_state state(const char *name, const char *level)
{
    int op = 0, index = 0;
    while (strcmp(statement.operators[op].name, name) != 0)
        op++;
    while (strcmp(level_names[index], level) != 0)
        index++;
    return conformance_of(&statement, op, index);
}

static char *test_conformance_printed(DML_FEATURE_LEVEL declared, bool json)
{
    static char text[65536];
    FILE *out = fmemopen(text, sizeof text, "w");
    if (!out)
        exit(3);
    if (json)
        conformance_print_json(&statement, declared, out);
    else
        conformance_print(&statement, declared, "", out);
    fclose(out);
    return text;
}

static void test_states(void)
{
    conformance_free(&statement);
    test_conformance_add("GATHER", "1_0", STATUS_PASS, false);
    test_conformance_add("GATHER", "3_0", STATUS_FAIL, false);
    test_conformance_add("GATHER", "4_1", STATUS_PASS, false);
    ok(state("GATHER", "1_0") == CONFORMANCE_COMPLETE && state("GATHER", "2_1") == CONFORMANCE_COMPLETE,
       "complete at its level, and at the next ones");
    ok(state("GATHER", "3_0") == CONFORMANCE_FAILING && state("GATHER", "6_4") == CONFORMANCE_FAILING,
       "  failing from the first failure on");
    test_conformance_add("GATHER_ND", "2_1", STATUS_UNSUPPORTED, false);
    test_conformance_add("GATHER_ND", "3_0", STATUS_UNSUPPORTED, false);
    ok(state("GATHER_ND", "6_4") == CONFORMANCE_MISSING, "unsupported as a whole: missing");
    test_conformance_add("GATHER_ND", "3_0", STATUS_WARN, false);
    ok(state("GATHER_ND", "2_1") == CONFORMANCE_MISSING && state("GATHER_ND", "3_0") == CONFORMANCE_PARTIAL,
       "unsupported in part");
    test_conformance_add("SCATTER_ND", "2_1", STATUS_SKIP, false);
    ok(state("SCATTER_ND", "6_4") == CONFORMANCE_NO_CASES, "a skipped case says nothing");
    static const enum status failures[] = {STATUS_CRASH, STATUS_TIMEOUT, STATUS_DEVICE_LOST, STATUS_HARNESS_ERROR,
                                           STATUS_INCOMPLETE};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        conformance_free(&statement);
        test_conformance_add("GATHER", "1_0", STATUS_PASS, false);
        test_conformance_add("GATHER", "1_0", failures[i], false);
        ok(state("GATHER", "1_0") == CONFORMANCE_FAILING, "%s: failing", status_name(failures[i]));
    }
    conformance_free(&statement);
    test_conformance_add("GATHER", "1_0", STATUS_PASS, true);
    ok(state("GATHER", "1_0") == CONFORMANCE_FAILING, "flaky: failing");
    test_conformance_add("NO_OPERATOR", "1_0", STATUS_PASS, false);
    test_conformance_add("GATHER", "0_9", STATUS_PASS, false);
    ok(!statement.failed, "unknown operators and levels are ignored");
}

static void test_print(void)
{
    conformance_free(&statement);
    ok(*test_conformance_printed((DML_FEATURE_LEVEL)0, false) == '\0' ||
           strcmp(test_conformance_printed((DML_FEATURE_LEVEL)0, true), "[]") == 0,
       "nothing was tried: no statement");
    test_conformance_add("OPERATOR_OF_ONES_OWN", "1_0", STATUS_FAIL, false);
    ok(*test_conformance_printed((DML_FEATURE_LEVEL)0, false) == '\0' &&
           strcmp(test_conformance_printed((DML_FEATURE_LEVEL)0, true), "[]") == 0,
       "nothing that is documented was tried: no statement");
    test_conformance_add("GATHER", "1_0", STATUS_PASS, false);
    test_conformance_add("GATHER_ND", "2_1", STATUS_UNSUPPORTED, false);
    const char *text = test_conformance_printed(DML_FEATURE_LEVEL_6_4, false);
    ok(strstr(text, "conformance at feature level 6_4: 1 of 177 operators complete; 1 missing: GATHER_ND; 175 without "
                    "cases: ELEMENT_WISE_IDENTITY, ELEMENT_WISE_ABS, ") == text &&
           strstr(text, " and 170 more; no level is complete\n"),
       "%.*s", (int)strcspn(text, "\n"), text);
    text = test_conformance_printed(DML_FEATURE_LEVEL_1_0, false);
    ok(strstr(text, "conformance at feature level 1_0: 1 of ") == text && !strstr(text, "missing"), "%.*s",
       (int)strcspn(text, "\n"), text);
    test_conformance_add("GATHER", "1_0", STATUS_FAIL, false);
    ok(strstr(test_conformance_printed(DML_FEATURE_LEVEL_6_4, false),
              "1 failing: GATHER; 1 missing: GATHER_ND; 175 without") != NULL,
       "%.*s", (int)strcspn(test_conformance_printed(DML_FEATURE_LEVEL_6_4, false), "\n"),
       test_conformance_printed(DML_FEATURE_LEVEL_6_4, false));
    ok(strstr(test_conformance_printed(DML_FEATURE_LEVEL_2_1, true),
              "{\"feature_level\":\"2_1\",\"complete\":0,\"failing\":[\"GATHER\"]"
              ",\"missing\":[\"GATHER_ND\"],\"partial\":[],") &&
           !strstr(test_conformance_printed(DML_FEATURE_LEVEL_2_1, true), "3_0"),
       "JSON has each level up to the declared one");
}

/* A level is complete if every documented operator up to it is. */
static void test_levels(void)
{
    conformance_free(&statement);
    DML_OPERATOR_TYPE type = DML_OPERATOR_INVALID;
    int first = 0;
    while ((type = dml_operator_next(type)) != DML_OPERATOR_INVALID) {
        bool old = dml_operator_since(type) <= DML_FEATURE_LEVEL_2_0;
        first += old;
        test_conformance_add(dml_operator_name(type), "1_0", old ? STATUS_PASS : STATUS_SKIP, false);
    }
    int level_2_0 = conformance_top(DML_FEATURE_LEVEL_2_0);
    ok(conformance_operators(&statement, level_2_0) == first &&
           conformance_operators(&statement, conformance_top(DML_FEATURE_LEVEL_6_4)) == 177,
       "%d operators of level 2_0, 177 in all", first);
    ok(conformance_complete_up_to(&statement, conformance_top(DML_FEATURE_LEVEL_6_4)) == level_2_0 &&
           conformance_complete_up_to(&statement, conformance_top(DML_FEATURE_LEVEL_1_0)) == 0,
       "  complete up to the level before one with an operator whose cases were all skipped");
    ok(strstr(test_conformance_printed(DML_FEATURE_LEVEL_6_4, false), "; complete up to 2_0\n") != NULL,
       "  and printed so");
    test_conformance_add("GATHER", "1_0", STATUS_FAIL, false);
    ok(conformance_complete_up_to(&statement, level_2_0) == -1, "  none, if an operator of the first level fails");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    conformance_print_level(&statement, 0, 0, out);
    fclose(out);
    ok(strstr(text, " operators complete; 1 failing and 1 more") != NULL, "%s", text);
    free(text);
}

int main(void)
{
    test_states();
    test_print();
    test_levels();
    conformance_free(&statement);
    return tap_done();
}
