/* Kinds of change of cases, and tests of the times of operators. */
#include "harness/results/changes.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct timing_limits limits = {.effect = 0.1, .rate = 0.05};

static struct changes_case *test_changes_add(struct changes_side *side, const char *name, const char *operator_name,
                                             enum status status)
{
    const struct history_result result = {.case_name = name,
                                          .operator_name = operator_name,
                                          .rule = "",
                                          .message = "",
                                          .reproduce = "",
                                          .outcome = "",
                                          .status = status};
    return changes_add(side, &result);
}

static enum change_kind test_changes_kind(enum status before, enum status after)
{
    struct changes_side a = {0}, b = {0};
    struct changes changes;
    test_changes_add(&a, "x", "GATHER", before);
    test_changes_add(&b, "x", "GATHER", after);
    enum change_kind found = changes_make(&changes, &a, &b, &limits, NULL) == 0 ? changes.items[0].kind : CHANGE_KINDS;
    changes_free(&changes);
    changes_side_free(&a);
    changes_side_free(&b);
    return found;
}

/* The statuses from best to worst, as documented. */
static const enum status order[] = {STATUS_PASS,        STATUS_SKIP,          STATUS_UNSUPPORTED, STATUS_WARN,
                                    STATUS_INCOMPLETE,  STATUS_HARNESS_ERROR, STATUS_FAIL,        STATUS_TIMEOUT,
                                    STATUS_DEVICE_LOST, STATUS_CRASH};
enum { FIRST_FAILING = 5 };

static void test_kinds(void)
{
    int wrong = 0, regressions = 0, fixes = 0;
    for (int i = 0; i < STATUS_COUNT; i++)
        for (int j = 0; j < STATUS_COUNT; j++) {
            bool failed = i >= FIRST_FAILING, fails = j >= FIRST_FAILING, good = j == 0 || order[j] == STATUS_WARN;
            enum change_kind expected = j > i ? CHANGE_WORSE : CHANGE_BETTER;
            if (i == j)
                expected = CHANGE_NONE;
            else if (!failed && fails)
                expected = CHANGE_REGRESSION;
            else if (failed && good)
                expected = CHANGE_FIX;
            enum change_kind found = test_changes_kind(order[i], order[j]);
            if (found != expected)
                note("%s to %s is %d", status_name(order[i]), status_name(order[j]), (int)found);
            wrong += found != expected;
            regressions += found == CHANGE_REGRESSION;
            fixes += found == CHANGE_FIX;
        }
    ok(wrong == 0 && regressions == 25 && fixes == 10, "all 100 changes of status: 25 regressions, 10 fixes");
    ok(test_changes_kind(STATUS_PASS, STATUS_WARN) == CHANGE_WORSE, "pass to warn is for the worse, and no regression");
    ok(test_changes_kind(STATUS_FAIL, STATUS_SKIP) == CHANGE_BETTER, "fail to skip is for the better, and no fix");
    ok(test_changes_kind(STATUS_FAIL, STATUS_CRASH) == CHANGE_WORSE, "fail to crash is for the worse");
}

static void test_changes_pairs(void)
{
    static const char *const before[] = {"d", "b", "a.x", "c"}, *const after[] = {"b", "e", "a", "c", "f"};
    static const enum change_kind kinds[] = {CHANGE_NEW,  CHANGE_GONE, CHANGE_NONE, CHANGE_REGRESSION,
                                             CHANGE_GONE, CHANGE_NEW,  CHANGE_NEW};
    struct changes_side a = {0}, b = {0};
    struct changes changes;
    for (int i = 0; i < 4; i++)
        test_changes_add(&a, before[i], "GATHER", STATUS_PASS);
    for (int i = 0; i < 5; i++)
        test_changes_add(&b, after[i], "GATHER", strcmp(after[i], "c") == 0 ? STATUS_FAIL : STATUS_PASS);
    changes_sort(&a);
    changes_sort(&b);
    int good = changes_make(&changes, &a, &b, &limits, NULL) == 0 && changes.count == 7;
    for (size_t i = 0; i < 7 && good; i++)
        good = changes.items[i].kind == kinds[i];
    ok(good, "cases are paired by name, in any order");
    ok(changes_in_both(&changes) == 2 && changes.kinds[CHANGE_NEW] == 3 && changes.kinds[CHANGE_GONE] == 2 &&
           changes.kinds[CHANGE_REGRESSION] == 1,
       "and counted");
    changes_free(&changes);
    struct changes_side none = {0};
    ok(changes_make(&changes, &none, &none, &limits, NULL) == 0 && changes.count == 0 && changes.group_count == 0,
       "nothing and nothing");
    changes_free(&changes);
    changes_side_free(&a);
    changes_side_free(&b);
}

/* Two operators of three cases; the cases of the second are 12 % slower each, under a spread of 100 %. */
static void test_changes_fill(struct changes_side *side, bool second, unsigned samples)
{
    char name[16];
    for (int c = 0; c < 6; c++) {
        snprintf(name, sizeof name, "case%d", c);
        struct changes_case *added = test_changes_add(side, name, c < 3 ? "GATHER" : "SCATTER_ND", STATUS_PASS);
        for (unsigned r = 0; r < samples; r++) {
            double spread = 1 + (double)((r * 7 + (unsigned)c * 5) % 15) / 15;
            changes_add_sample(side, added, 1000 * (c + 1) * spread * (second && c >= 3 ? 1.12 : 1));
        }
    }
    test_changes_add(side, "unmeasured", "GATHER", STATUS_FAIL);
}

static void test_groups(void)
{
    struct changes_side a = {0}, b = {0};
    struct changes changes;
    test_changes_fill(&a, false, 15);
    test_changes_fill(&b, true, 15);
    ok(changes_make(&changes, &a, &b, &limits, NULL) == 0 && changes.verdicts[TIMING_UNTESTED] == 1 &&
           changes.verdicts[TIMING_SLOWER] == 0,
       "no case stands out of its noise");
    const struct changes_group *g = changes.groups;
    if (ok(changes.group_count == 3 && g[2].name == NULL && g[2].cases == 6, "two operators, and all")) {
        ok(strcmp(g[0].name, "GATHER") == 0 && g[0].cases == 3 && g[0].timing.verdict == TIMING_SAME,
           "one operator is as before");
        ok(strcmp(g[1].name, "SCATTER_ND") == 0 && g[1].cases == 3 && g[1].timing.verdict == TIMING_SLOWER &&
               fabs(g[1].timing.ratio - 1.12) < 0.02,
           "the other is slower, by its cases together (%.3f, q %.3g)", g[1].timing.ratio, g[1].timing.q);
    }
    ok(changes_any(&changes, TIMING_SLOWER) && !changes_any(&changes, TIMING_FASTER), "something is slower");
    changes_free(&changes);
    changes_side_free(&b);
    test_changes_fill(&b, true, 4);
    ok(changes_make(&changes, &a, &b, &limits, NULL) == 0 && changes.group_count == 0 &&
           changes.verdicts[TIMING_UNTESTED] == 7,
       "four samples on one side: nothing is tested");
    changes_free(&changes);
    changes_side_free(&a);
    changes_side_free(&b);
}

int main(void)
{
    test_kinds();
    test_changes_pairs();
    test_groups();
    return tap_done();
}
