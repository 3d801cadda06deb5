/* The conformance statement: the state of an operator at each level, and the printed text. */
#include "harness/run/conformance.h"
#include "harness/load/load.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
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
    while (strcmp(specs.catalogue->operators[op].layout.name, name) != 0)
        op++;
    while (strcmp(level_names[index], level) != 0)
        index++;
    return conformance_of(&statement, op, index);
}

static void test_conformance_begin(void)
{
    conformance_free(&statement);
    statement.catalogue = specs.catalogue;
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
    test_conformance_begin();
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
        test_conformance_begin();
        test_conformance_add("GATHER", "1_0", STATUS_PASS, false);
        test_conformance_add("GATHER", "1_0", failures[i], false);
        ok(state("GATHER", "1_0") == CONFORMANCE_FAILING, "%s: failing", status_name(failures[i]));
    }
    test_conformance_begin();
    test_conformance_add("GATHER", "1_0", STATUS_PASS, true);
    ok(state("GATHER", "1_0") == CONFORMANCE_FAILING, "flaky: failing");
    test_conformance_add("NO_OPERATOR", "1_0", STATUS_PASS, false);
    test_conformance_add("GATHER", "0_9", STATUS_PASS, false);
    ok(!statement.failed, "unknown operators and levels are ignored");
}

static void test_print(void)
{
    test_conformance_begin();
    ok(*test_conformance_printed((DML_FEATURE_LEVEL)0, false) == '\0' ||
           strcmp(test_conformance_printed((DML_FEATURE_LEVEL)0, true), "[]") == 0,
       "nothing was tried: no statement");
    test_conformance_add("GATHER", "1_0", STATUS_PASS, false);
    test_conformance_add("GATHER_ND", "2_1", STATUS_UNSUPPORTED, false);
    const char *text = test_conformance_printed(DML_FEATURE_LEVEL_6_4, false);
    ok(strstr(text,
              "conformance at feature level 6_4: 1 operator complete; 1 missing: GATHER_ND; complete up to 2_0; ") ==
           text,
       "%.*s", (int)strcspn(text, "\n"), text);
    text = test_conformance_printed(DML_FEATURE_LEVEL_1_0, false);
    ok(strstr(text, "conformance at feature level 1_0: 1 operator complete; ") == text && !strstr(text, "missing"),
       "%.*s", (int)strcspn(text, "\n"), text);
    test_conformance_add("GATHER", "1_0", STATUS_FAIL, false);
    ok(strstr(test_conformance_printed(DML_FEATURE_LEVEL_6_4, false),
              "1 failing: GATHER; 1 missing: GATHER_ND; no level is complete") != NULL,
       "%.*s", (int)strcspn(test_conformance_printed(DML_FEATURE_LEVEL_6_4, false), "\n"),
       test_conformance_printed(DML_FEATURE_LEVEL_6_4, false));
    ok(strstr(test_conformance_printed(DML_FEATURE_LEVEL_2_1, true),
              "{\"feature_level\":\"2_1\",\"complete\":0,\"failing\":[\"GATHER\"]"
              ",\"missing\":[\"GATHER_ND\"],\"partial\":[],") &&
           !strstr(test_conformance_printed(DML_FEATURE_LEVEL_2_1, true), "3_0"),
       "JSON has each level up to the declared one");
}

/* Without a catalogue, the operators are those of the records, at every level. */
static void test_no_catalogue(void)
{
    int counts[CONFORMANCE_STATES];
    conformance_free(&statement);
    test_conformance_add("GATHER_ND", "2_1", STATUS_PASS, false);
    test_conformance_add("NO_OPERATOR", "3_0", STATUS_FAIL, false);
    test_conformance_add("GATHER_ND", "6_4", STATUS_UNSUPPORTED, false);
    conformance_count(&statement, conformance_top(DML_FEATURE_LEVEL_2_1), counts);
    ok(statement.count == 2 && counts[CONFORMANCE_COMPLETE] == 1 && counts[CONFORMANCE_NO_CASES] == 1,
       "without a catalogue, records name the operators");
    ok(conformance_complete_up_to(&statement, conformance_top(DML_FEATURE_LEVEL_6_4)) ==
               conformance_top(DML_FEATURE_LEVEL_2_1) &&
           conformance_complete_up_to(&statement, conformance_top(DML_FEATURE_LEVEL_1_0)) == -1,
       "  complete up to the level before a failure, if it has an operator");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    conformance_print_level(&statement, conformance_top(DML_FEATURE_LEVEL_6_4), 0, out);
    fclose(out);
    ok(!strcmp(text, "0 operators complete; 1 failing and 1 more; 1 partly supported and 1 more"), "%s", text);
    free(text);
}

int main(void)
{
    struct error error = {0};
    if (spec_set_load(&specs, "specs", &error) != 0) {
        printf("Bail out! %s\n", error.text);
        return 3;
    }
    test_states();
    test_print();
    test_no_catalogue();
    conformance_free(&statement);
    spec_set_free(&specs);
    return tap_done();
}
