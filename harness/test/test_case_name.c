/* Names of cases: writing and parsing agree, on all cases of the plan and on names that no strategy makes. */
#include "harness/plan/case_name.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <stdio.h>
#include <string.h>

static bool equal_parts(const struct case_name *a, const struct case_name *b)
{
    bool equal = true;
    for (int p = 0; p < CASE_PARTS; p++) {
        const struct case_text *x = &a->parts[p], *y = &b->parts[p];
        equal &= x->length == y->length && (x->length == 0 || memcmp(x->text, y->text, x->length) == 0);
    }
    return equal;
}

/* Returns true if the name is that of its parts again. */
static bool survives(const char *name)
{
    char again[CASE_NAME_SIZE];
    const struct case_name parts = case_name_parse(name);
    case_name_write(&parts, again);
    const struct case_name twice = case_name_parse(again);
    return strcmp(name, again) == 0 && equal_parts(&parts, &twice);
}

/* Returns true if the parts are what the case is. */
static bool tells(const struct testcase *c, const struct spec *interface)
{
    static const char *const endings[] = {[EXPECT_RESULTS] = "twin",
                                          [EXPECT_ACCEPTED] = "twin",
                                          [EXPECT_REJECTED] = "rejected",
                                          [EXPECT_EITHER] = "either"};
    const struct case_name name = case_name_parse(c->name);
    const struct case_text *parts = name.parts;
    bool violation = strcmp(c->strategy, "violations") == 0 || strcmp(c->strategy, "corners") == 0;
    char types[TESTCASE_TYPES_SIZE];
    if (!case_text_is(parts[CASE_OPERATOR], c->spec->lower) || !case_text_is(parts[CASE_STRATEGY], c->strategy))
        return false;
    if (c->spec == interface)
        return parts[CASE_LABEL].length > 0 && parts[CASE_LEVEL].length == 0;
    return case_text_is(parts[CASE_LEVEL], c->spec->levels[c->table].name) &&
           case_text_is(parts[CASE_TYPES], testcase_types(c->spec, c->desc, types)) &&
           parts[CASE_PARAMETERS].length > 0 && case_text_is(parts[CASE_ENDING], violation ? endings[c->expect] : "");
}

static void test_plan_names(const struct plan *plan, const struct spec *interface)
{
    size_t lost = 0, wrong = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        if (!survives(c->name) && lost++ < 5)
            printf("# parse and write change %s\n", c->name);
        if (!tells(c, interface) && wrong++ < 5)
            printf("# the parts of %s are not what the case is\n", c->name);
    }
    ok(plan->count > 100000, "the plan has all cases");
    ok(lost == 0, "each name is that of its parts");
    ok(wrong == 0, "each name tells operator, strategy, level, types and ending of its case");
}

/* Parts of a name, and the name. */
struct example {
    const char *parts[CASE_PARTS];
    const char *name;
};

static void test_examples(void)
{
    static const struct example examples[] = {
        {{"gather_nd", "violations", "rank.axis-4", "3_0", "int8-uint32", "d2p2q2", "kn", "twin"},
         "gather_nd.violations.rank.axis-4.fl3_0.int8-uint32.d2p2q2.kn.twin"},
        {{"unfold", "corners", "level.fl-x", "6_4", "", "dxa12", "", "rejected"},
         "unfold.corners.level.fl-x.fl6_4.dxa12.rejected"},
        {{"join", "cover", "", "1_0", "unknown", "d4", "nnn", ""}, "join.cover.fl1_0.unknown.d4.nnn"},
        {{"interface", "lifecycle", "mixed-01", "", "", "", "", ""}, "interface.lifecycle.mixed-01"},
        {{"slice", "", "", "", "", "", "", ""}, "slice"}};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        struct case_name parts;
        char name[CASE_NAME_SIZE];
        for (int p = 0; p < CASE_PARTS; p++)
            parts.parts[p] = case_text(e->parts[p]);
        case_name_write(&parts, name);
        const struct case_name parsed = case_name_parse(name);
        ok(strcmp(name, e->name) == 0, "writes %s (%s)", e->name, name);
        ok(equal_parts(&parts, &parsed), "parses %s", e->name);
    }
}

static void test_strangers(void)
{
    static const char *const names[] = {"a.b.c.d.e.f.g.h.i.j",   "mine.fl1_0.fl2_0.fl3_0",          "a.fl1_0",
                                        "x.y.fl6_4.kn.kn.d2.d3", "x.y.z.fl1_0.d2.d3.n.k.twin.twin", "x.y.fl1_0.f32.d",
                                        "x.y.flat.fl_1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ok(survives(names[i]), "%s is the name of its parts", names[i]);
    char longest[2 * CASE_NAME_SIZE], cut[CASE_NAME_SIZE];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const struct case_name parts = case_name_parse(longest);
    case_name_write(&parts, cut);
    ok(strlen(cut) == CASE_NAME_SIZE - 1 && !case_name_is_legal(cut), "a name without room is cut, and not legal");
}

static void test_fronts(void)
{
    static const char name[] = "gather.examples.one.fl1_0";
    ok(case_name_next_front(name, 0) == 6 && case_name_next_front(name, 6) == 15, "the next front has a piece more");
    ok(case_name_next_front(name, sizeof name - 1) == sizeof name - 1, "no front is longer than the name");
    ok(case_name_front(name, "x") == 6 && case_name_front(name, "x.y.z") == 19, "a front has as many pieces as a text");
    ok(case_name_front(name, "a.b.c.d.e.f") == sizeof name - 1, "the whole name is the front of many pieces");
}

int main(void)
{
    struct spec_set specs;
    struct plan plan;
    struct error error = {0};
    struct plan_filter everything = {.cache = kept_plan()};
    test_examples();
    test_strangers();
    test_fronts();
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &everything, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_plan_names(&plan, specs.interface);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
