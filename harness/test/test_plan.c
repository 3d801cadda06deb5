/* The plan: names, coverage of the specs, filters, messages about wrong strategies, and the encoding of cases for
 * workers. */
#include "harness/check/check.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "tools/tap.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct spec_set specs;

/* A plan of all operators takes seconds: these operators are enough to compare plans with each other, and for the tier
 * deep. */
enum { FEW = 7, SAMPLED = 3 }; /* a sample is without the last ones, which take longer */
static const char *few[FEW] = {"GATHER",     "NONZERO_COORDINATES", "SLICE", "SLICE1", "ELEMENT_WISE_DIVIDE",
                               "GATHER_ND1", "ELEMENT_WISE_POW"};
static struct plan_filter of_few = {.operators = few, .operator_count = SAMPLED};
static char folder[] = "/tmp/assay-plan-XXXXXX";

static int test_plan_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void test_names(const struct plan *plan)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    const char **names = calloc(plan->count, sizeof *names);
    size_t twice = 0, illegal = 0, unmatched = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        char start[256], level[32];
        names[i] = c->name;
        snprintf(start, sizeof start, "%s.%s.", c->spec->lower, c->strategy);
        snprintf(level, sizeof level, ".fl%s.", c->spec->levels[c->table].name);
        illegal += strspn(c->name, letters) != strlen(c->name) || strstr(c->name, "..") || strlen(c->name) > 200;
        unmatched +=
            strncmp(c->name, start, strlen(start)) != 0 || (!spec_is_interface(c->spec) && !strstr(c->name, level));
    }
    qsort(names, plan->count, sizeof *names, test_plan_by_name);
    for (size_t i = 1; i < plan->count; i++)
        twice += strcmp(names[i - 1], names[i]) == 0;
    free(names);
    ok(plan->count >= 2000, "the plan has %zu cases", plan->count);
    ok(twice == 0, "no name occurs twice");
    ok(illegal == 0, "names have legal characters only");
    ok(unmatched == 0, "names contain operator, strategy and level");
}

/* Returns true if the case, of a behaviour or an example, shows results of a description that one open rule lets a
 * device reject. */
static bool is_left_open(const struct testcase *c, int broken, int count)
{
    bool shows = c->rule >= 0 ? c->spec->rules[c->rule].behaviour : strcmp(c->strategy, "examples") == 0;
    return count == 1 && shows && c->expect == EXPECT_RESULTS && c->spec->rules[broken].strength == STRENGTH_OPEN;
}

/* The description of a case is legal, or breaks exactly the rule that the case tests; results of a behaviour may need a
 * description that breaks an open rule. */
static void test_descriptions(const struct plan *plan)
{
    size_t wrong = 0, rejected = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        struct opdesc desc;
        int broken = -1;
        opdesc_copy(&desc, c->desc);
        int count = rules_check(c->spec, &desc, c->spec->levels[c->table].level, &broken, 1);
        bool introduced = c->rule >= 0 && strcmp(c->spec->rules[c->rule].id, "introduced") == 0;
        bool reject = c->rule >= 0 && !c->spec->rules[c->rule].behaviour && c->expect >= EXPECT_EITHER &&
                      !introduced; /* a legal description, for a device of a lower level */
        rejected += reject;
        if (reject ? count != 1 || broken != c->rule : count != 0 && !is_left_open(c, broken, count)) {
            note("%s breaks %d rules, the first %d", c->name, count, broken);
            wrong++;
        }
    }
    ok(wrong == 0 && rejected > 500, "descriptions are legal, or break only the rule that they test: %zu", rejected);
}

/* Returns the DimensionCounts that the spec's tables allow for any tensor, a bit each. */
static uint32_t ranks_of(const struct spec *spec)
{
    uint32_t ranks = 0;
    for (int table = 0; table < spec->level_count; table++)
        for (int f = 0; f < spec->field_count; f++)
            for (int64_t d = spec->levels[table].dims[f].low;
                 field_is_tensor(&spec->fields[f]) && d <= spec->levels[table].dims[f].high; d++)
                ranks |= 1u << d;
    return ranks;
}

/* Each operator has these cases, counted by table and by rule. */
struct covered {
    uint32_t types[SPEC_MAX_LEVELS][SPEC_MAX_GROUPS], ranks;
    size_t *rejected;
};

static void cover(struct covered *covered, const struct testcase *c)
{
    if (c->rule >= 0 && !c->spec->rules[c->rule].behaviour)
        covered->rejected[c->rule] += c->expect >= EXPECT_EITHER;
    for (int item = -1; c->expect == EXPECT_RESULTS && (item = testcase_next_tensor(c, item)) >= 0;) {
        const struct opdesc_tensor *t = &c->desc->items[item].tensor;
        covered->types[c->table][spec_tensor_field(c->spec, item)->group] |= 1u << t->data_type;
        covered->ranks |= 1u << t->dims;
    }
}

static void test_coverage(const struct plan *plan)
{
    struct covered *all = calloc((size_t)specs.count, sizeof *all);
    for (int op = 0; op < specs.count; op++)
        all[op].rejected = calloc((size_t)specs.specs[op].rule_count, sizeof *all[op].rejected);
    for (size_t i = 0; i < plan->count; i++)
        cover(&all[plan->cases[i].spec - specs.specs], &plan->cases[i]);
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        uint32_t missing_types = 0, missing_rules = 0;
        for (int table = 0; table < spec->level_count; table++)
            for (int g = 0; g < spec->group_count; g++)
                missing_types |= spec->levels[table].types[g] & ~all[op].types[table][g];
        for (int rule = 0; rule < spec->rule_count; rule++) {
            size_t hits = all[op].rejected[rule];
            bool expected = !spec->rules[rule].behaviour && !*spec->rules[rule].untested;
            if ((hits > 0) != expected)
                note("%s: %s has %zu cases that must be rejected", spec->name, spec->rules[rule].id, hits);
            missing_rules += (hits > 0) != expected;
        }
        ok(missing_types == 0, "%s: every data type of every level has a case", spec->name);
        ok(all[op].ranks == ranks_of(spec), "%s: every rank of its tables has a case", spec->name);
        ok(missing_rules == 0, "%s: every rule has a case that breaks it", spec->name);
        free(all[op].rejected);
    }
    free(all);
}

/* The largest numbers in the cases of an operator that a device runs. */
struct reach {
    int64_t count, offset, stride, position; /* of output elements; of any tensor; that an index names */
    uint64_t bytes;
    bool sizes[131]; /* that occur in tensors of two dimensions above 1 at least */
};

static void reach_tensor(struct reach *reach, const struct opdesc_tensor *t, bool is_output)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS], dims = 0;
    opdesc_strides(t, strides);
    if (is_output && opdesc_elements(t) > reach->count)
        reach->count = opdesc_elements(t);
    if (opdesc_extent(t) - 1 > reach->offset)
        reach->offset = opdesc_extent(t) - 1;
    for (uint32_t i = 0; i < t->dims; i++) {
        dims += t->sizes[i] > 1;
        if (t->sizes[i] > 1 && strides[i] > reach->stride)
            reach->stride = strides[i];
    }
    for (uint32_t i = 0; i < t->dims && dims > 1; i++)
        if (t->sizes[i] <= 130)
            reach->sizes[t->sizes[i]] = true;
    reach->bytes += t->total;
}

static struct reach test_plan_reach_of(const struct plan *plan, const struct spec *spec)
{
    struct reach reach = {0};
    uint64_t most = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        if (c->spec != spec || c->expect != EXPECT_RESULTS)
            continue;
        reach.bytes = 0;
        for (int f = 0; f < spec->field_count; f++)
            if (field_is_tensor(&spec->fields[f]) && OPDESC_TENSOR(c->desc, f)->present)
                reach_tensor(&reach, OPDESC_TENSOR(c->desc, f), field_is_output(&spec->fields[f]));
        most = reach.bytes > most ? reach.bytes : most;
        for (int f = 0; f < spec->index_count && c->index_fill == INDEX_DESCENDING; f++) {
            struct expr_list into;
            if (expr_list(spec->nodes, spec->indices[f].into, c->desc, &into))
                for (int k = 0; k < into.count; k++)
                    reach.position = into.items[k] - 1 > reach.position ? into.items[k] - 1 : reach.position;
        }
    }
    reach.bytes = most;
    return reach;
}

/* The tier deep has cases of its own. A row of coordinates has at least 4 bytes, so 65,535 groups of 256 threads are
 * beyond the tensors that run there. */
static void test_deep_sizes(void)
{
    for (size_t op = 0; op < of_few.operator_count; op++) {
        const struct spec *spec = &specs.specs[spec_set_find(&specs, few[op])];
        char pattern[64];
        const char *patterns[] = {pattern};
        const struct plan_filter deep = {
            .patterns = patterns, .pattern_count = 1, .tier = "deep", .cache = kept_plan()};
        struct error error;
        struct plan plan;
        snprintf(pattern, sizeof pattern, "%s.sizes", spec->lower);
        if (spec->rows.field >= 0 ||
            !ok(plan_make(&plan, &specs, "cases", &deep, &error) == 0, "%s is planned", pattern))
            continue;
        const struct reach reach = test_plan_reach_of(&plan, spec);
        ok(reach.count > 65535 * 256 && reach.count > 1 << 24, "  %lld elements", (long long)reach.count);
        ok(reach.bytes <= 64 << 20, "  in at most %llu bytes", (unsigned long long)reach.bytes);
        plan_free(&plan);
    }
}

/* The coverage of a default plan. Operators without indices need less: their kernels find coordinates alike. */
static void test_plan_sizes(const struct plan *plan)
{
    static const bool enough[131] = {
        [1] = true,  [3] = true,  [5] = true,  [7] = true,  [9] = true,  [11] = true,  [13] = true,  [17] = true,
        [31] = true, [33] = true, [63] = true, [65] = true, [97] = true, [100] = true, [127] = true, [129] = true};
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        const struct reach reach = test_plan_reach_of(plan, spec);
        bool plain = spec_is_plain(spec), recurs = spec->index_count && spec->stage_count;
        int missing = 0;
        for (int size = 1; size <= 130; size++) {
            bool lacks = !reach.sizes[size] && (!plain || enough[size]);
            if (lacks)
                note("%s: no size of %d", spec->name, size);
            missing += lacks;
        }
        ok(reach.count > (plain ? 65536 : 65535 * 64), "%s: %lld elements", spec->name, (long long)reach.count);
        ok(reach.offset >= (plain ? 1 << 16 : 1 << 24) && reach.stride >= 1 << 16, "  offset %lld, stride %lld",
           (long long)reach.offset, (long long)reach.stride);
        ok(reach.position >= (spec->index_count && !recurs ? 1 << 20 : 0), "  index %lld", (long long)reach.position);
        ok(missing == 0, "  sizes up to 130 divide: %d do not", missing);
        ok(reach.bytes <= 64 << 20, "  in at most %llu bytes", (unsigned long long)reach.bytes);
    }
}

static bool test_plan_same_case(const struct testcase *a, const struct testcase *b)
{
    return strcmp(a->name, b->name) == 0 && a->expect == b->expect && a->rule == b->rule && a->fill == b->fill &&
           a->index_fill == b->index_fill && a->dispatch_twice == b->dispatch_twice &&
           memcmp(a->desc, b->desc, a->desc->size) == 0;
}

/* Plans once more on a single processor, where no other threads make covering arrays. */
static void test_repeatable(const struct plan *plan)
{
    cpu_set_t usual, one;
    size_t cpu = 0;
    if (sched_getaffinity(0, sizeof usual, &usual) != 0)
        exit(3);
    while (!CPU_ISSET(cpu, &usual))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    struct error error = {0};
    struct spec_set other;
    struct plan again;
    size_t changed = 0;
    bool planned =
        spec_set_load(&other, "specs", &error) == 0 && plan_make(&again, &other, "cases", &of_few, &error) == 0;
    sched_setaffinity(0, sizeof usual, &usual);
    if (!ok(planned, "the cases are planned again %s", error.text))
        return;
    for (size_t i = 0; i < plan->count && i < again.count; i++)
        changed += !test_plan_same_case(&plan->cases[i], &again.cases[i]);
    ok(again.count == plan->count && changed == 0, "with the same cases");
    ok(plan_hash(&again) == plan_hash(plan), "and the same hash");
    plan_free(&again);
    spec_set_free(&other);
}

/* Fills `folder` with links to the files in cases/, except for one. */
static void link_cases(const char *left_out)
{
    char cwd[512], from[1100], to[1100];
    DIR *dir = opendir("cases");
    if (!dir || !getcwd(cwd, sizeof cwd))
        exit(3);
    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(from, sizeof from, "%s/cases/%s", cwd, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", folder, entry->d_name);
        if (*entry->d_name != '.' && strcmp(entry->d_name, left_out) != 0 && symlink(from, to) != 0)
            exit(3);
    }
    closedir(dir);
}

static void empty_folder(void)
{
    char path[1100];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
}

/* Without one strategy, the cases of the others are the same. */
static void test_without(const struct plan *plan, const char *left_out)
{
    struct error error = {0};
    struct plan less;
    size_t at = 0, missing = 0;
    link_cases(left_out);
    if (ok(plan_make(&less, &specs, folder, &of_few, &error) == 0, "the cases are planned without %s %s", left_out,
           error.text)) {
        for (size_t i = 0; i < less.count; i++) {
            while (at < plan->count && strcmp(plan->cases[at].name, less.cases[i].name) != 0)
                at++;
            missing += at == plan->count || !test_plan_same_case(&plan->cases[at], &less.cases[i]);
        }
        ok(missing == 0 && less.count < plan->count, "the other %zu cases are the same without %s", less.count,
           left_out);
        plan_free(&less);
    }
    empty_folder();
}

/* With a case file after all strategies, their cases are the same. The cases of covering arrays are added last: they
 * must not become unlimited, as the cases of the file are. */
static void test_with_file(const struct plan *plan)
{
    struct error error = {0};
    struct plan more;
    char path[1100];
    size_t changed = 0;
    link_cases("");
    snprintf(path, sizeof path, "%s/zz.json", folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs("{\"cases\": []}\n", file) < 0 || fclose(file) != 0)
        exit(3);
    if (ok(plan_make(&more, &specs, folder, &of_few, &error) == 0, "the cases are planned with a case file %s",
           error.text)) {
        for (size_t i = 0; i < plan->count && i < more.count; i++)
            changed += !test_plan_same_case(&plan->cases[i], &more.cases[i]);
        ok(more.count == plan->count && changed == 0, "the cases of the strategies are the same: %zu differ", changed);
        plan_free(&more);
    }
    empty_folder();
}

/* ---- filters */

static size_t count_with(const struct plan_filter *filter, struct error *error)
{
    struct plan plan;
    *error = (struct error){0};
    if (plan_make(&plan, &specs, "cases", filter, error) != 0)
        return 0;
    size_t count = plan.count;
    plan_free(&plan);
    return count;
}

static void test_matching(void)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {{"gather", "gather.types.a", true},
                 {"gather", "gather_nd.types.a", false},
                 {"gather.types", "gather.types.a", true},
                 {"gather.type", "gather.types.a", false},
                 {"gather.types.a", "gather.types.a", true},
                 {"gather.types.a.b", "gather.types.a", false},
                 {"gather*", "gather_nd.types.a", true},
                 {"*.a", "gather.types.a", true},
                 {"*.b", "gather.types.a", false},
                 {"*t?pes*", "gather.types.a", true},
                 {"gather.*", "gather", false},
                 {"*", "", true},
                 {"*a*b*c", "aXbXcXc", true},
                 {"*a*b*c", "aXbXcXd", false},
                 {"?", "", false},
                 {"", "gather", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(plan_matches(cases[i].pattern, cases[i].name) == cases[i].matches, "'%s' %s '%s'", cases[i].pattern,
           cases[i].matches ? "matches" : "does not match", cases[i].name);
}

/* A filtered plan has the cases of the full plan that the filter wants, in the same order. */
static void test_filtered(const struct plan *plan, const char *pattern, const char *level)
{
    struct plan_filter filter = of_few;
    filter.patterns = &pattern;
    filter.pattern_count = pattern ? 1 : 0;
    filter.levels = &level;
    filter.level_count = level ? 1 : 0;
    struct error error = {0};
    struct plan some;
    size_t at = 0, wrong = 0;
    if (!ok(plan_make(&some, &specs, "cases", &filter, &error) == 0, "the cases are planned for %s, %s %s",
            pattern ? pattern : "all names", level ? level : "all levels", error.text))
        return;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        if ((pattern && !plan_matches(pattern, c->name)) ||
            (level && spec_table(c->spec, level_find(level)) != c->table))
            continue;
        wrong += at >= some.count || !test_plan_same_case(c, &some.cases[at]);
        at++;
    }
    ok(wrong == 0 && at == some.count, "with the %zu cases of the full plan", at);
    plan_free(&some);
}

static void test_starts(void)
{
    static const struct {
        const char *pattern, *start;
        bool may;
    } starts[] = {{"gather", "gather.types", true},
                  {"gather", "gather_nd.types", false},
                  {"gather.types", "gather.types", true},
                  {"gather.types.a", "gather.types", true},
                  {"gather.typesa", "gather.types", false},
                  {"gather.type", "gather.types", false},
                  {"gather.values.a", "gather.types", false},
                  {"*", "gather.types", true},
                  {"*.a", "gather.types", true},
                  {"gather.t*", "gather.types", true},
                  {"gather.v*", "gather.types", false},
                  {"gather?types.*", "gather.types", true},
                  {"gather_*", "gather.types", false},
                  {"gather.type?", "gather.types", true},
                  {"gather.?", "gather.types", false}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        ok(plan_may_match(starts[i].pattern, starts[i].start) == starts[i].may, "'%s' %s names that begin with '%s'",
           starts[i].pattern, starts[i].may ? "may match" : "cannot match", starts[i].start);
}

static void test_filters(const struct plan *plan)
{
    enum { FOR_SAMPLE = 7 }; /* the others need the last operators, take long, or are like one of these */
    static const char *const some[] = {"gather",
                                       "nonzero_coordinates.*",
                                       "slice",
                                       "?ather.strides*",
                                       "*.twin",
                                       "nonzero*.cover.fl4_0*",
                                       "gather.memory.slack-4.fl2_1",
                                       "*.fl3_0.*",
                                       "slice*.types.*",
                                       "g*nd1.types.*",
                                       "gather_*.types.*",
                                       "*nd1.splits*",
                                       "gather_nd1.violations.tuple*",
                                       "*.shapes.*-64.*"};
    size_t count = sampled_whole ? sizeof some / sizeof *some : FOR_SAMPLE;
    for (size_t i = 0; i < count; i++)
        test_filtered(plan, some[i], i == 0 || i == 2 ? "3_1" : NULL);
    test_filtered(plan, NULL, "2_1");
    for (size_t i = 0; i < plan->count; i += plan->count / 7)
        test_filtered(plan, plan->cases[i].name, NULL);
    const char *patterns[] = {"gather.types", "*.fl3_0.*"},
               *operators[] = {"DML_OPERATOR_GATHER", "nonzero_coordinates"};
    const char *levels[] = {"3_0"}, *one[] = {plan->cases[plan->count / 2].name};
    struct error error;
    size_t wanted = 0, of_operators = 0, of_level = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        wanted += plan_matches(patterns[0], c->name) || plan_matches(patterns[1], c->name);
        of_operators += strcmp(c->spec->name, "GATHER") == 0 || strcmp(c->spec->name, "NONZERO_COORDINATES") == 0;
        of_level += spec_table(c->spec, level_find("3_0")) == c->table;
    }
    struct plan_filter filter = of_few;
    filter.patterns = patterns;
    filter.pattern_count = 2;
    ok(count_with(&filter, &error) == wanted, "two patterns: %zu cases", wanted);
    filter = (struct plan_filter){.patterns = one, .pattern_count = 1};
    ok(count_with(&filter, &error) == 1, "a whole name: one case");
    filter = (struct plan_filter){.operators = operators, .operator_count = 2};
    ok(count_with(&filter, &error) == of_operators, "two operators: %zu cases", of_operators);
    filter = of_few;
    filter.levels = levels;
    filter.level_count = 1;
    ok(count_with(&filter, &error) == of_level, "a level: %zu cases", of_level);
}

static void test_plan_refuses(const char *what, struct plan_filter filter, enum exit_status status, const char *says)
{
    struct error error;
    ok(count_with(&filter, &error) == 0 && error.status == status && strstr(error.text, says), "%s: %s", what,
       error.text);
}

static void test_wrong_filters(void)
{
    const char *operators[] = {"GATHERND"}, *levels[] = {"3.0"}, *patterns[] = {"gather", "nothing.at.all"};
    const char *other[] = {"scatter_nd.*"}, *gather[] = {"GATHER"};
    test_plan_refuses("an unknown operator", (struct plan_filter){.operators = operators, .operator_count = 1},
                      EXIT_USAGE, "GATHER_ND?");
    test_plan_refuses("an unknown level", (struct plan_filter){.levels = levels, .level_count = 1}, EXIT_USAGE, "3_0?");
    test_plan_refuses("a pattern that matches nothing", (struct plan_filter){.patterns = patterns, .pattern_count = 2},
                      EXIT_NO_MATCH, "'nothing.at.all'");
    test_plan_refuses(
        "filters that exclude each other",
        (struct plan_filter){.patterns = other, .pattern_count = 1, .operators = gather, .operator_count = 1},
        EXIT_NO_MATCH, "'scatter_nd.*'");
}

/* ---- wrong strategies */

static void test_plan_fails(const char *what, const char *text, const char *line, const char *says)
{
    struct plan_filter all = {0};
    struct error error = {0};
    struct plan plan;
    char path[256];
    snprintf(path, sizeof path, "%s/a.lua", folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(3);
    bool failed = plan_make(&plan, &specs, folder, &all, &error) != 0;
    ok(failed && error.status == EXIT_HARNESS && strstr(error.text, path) &&
           strncmp(strstr(error.text, path) + strlen(path), line, strlen(line)) == 0 && strstr(error.text, says) &&
           !strchr(error.text, '\n'),
       "%s: %s", what, error.text);
    if (!failed)
        plan_free(&plan);
    unlink(path);
}

/* The same for a strategy whose line 2 is `op:emit` and this text. */
static void fails_request(const char *what, const char *request, const char *says)
{
    char text[1024];
    snprintf(text, sizeof text, "return strategy \"a\" { plan = \"p\", cases = function(op)\nop:emit %s\nend }",
             request);
    test_plan_fails(what, text, ":2: ", says);
}

static void test_wrong_strategies(void)
{
    test_plan_fails("an empty file", "", ":1: ", "expected the file to return strategy");
    test_plan_fails("a number", "return 7", ":1: ", "expected the file to return strategy");
    test_plan_fails("a forged strategy", "return { kind = \"strategy\" }",
                    ":1: ", "expected the file to return strategy");
    test_plan_fails("no plan", "local s = strategy \"a\" { cases = function() end }\nreturn s", ":1: ", "plan");
    test_plan_fails("no cases", "local s = strategy \"a\" { plan = \"p\" }\nreturn s", ":1: ", "cases");
    test_plan_fails("an unknown key", "local s = strategy \"a\" { plan = \"p\", case = 1 }\nreturn s",
                    ":1: ", "'case'");
    test_plan_fails("a tier that is not text",
                    "local s = strategy \"a\" { plan = \"p\", tier = 7, cases = function() end }\nreturn s",
                    ":1: ", "tier");
    test_plan_fails("an error in the function",
                    "return strategy \"a\" { plan = \"p\", cases = function(op)\nop.nothing.at = 1\nend }",
                    ":2: ", "nothing");
    test_plan_fails("an illegal name",
                    "return strategy \"a b\" { plan = \"p\", cases = function(op)\nop:emit {}\nend }",
                    ":2: ", "expected 1 to 200 letters");
    test_plan_fails("an empty part", "return strategy \"a..b\" { plan = \"p\", cases = function(op)\nop:emit {}\nend }",
                    ":2: ", "a..b");
    test_plan_fails("two cases of one name",
                    "return strategy \"a\" { plan = \"p\", cases = function(op)\nop:emit {} op:emit {}\nend }",
                    ":2: ", "two cases are named");
    fails_request("no request", "(7)", "expected a table");
    fails_request("a list", "{ 1 }", "expected names and values");
    fails_request("an unknown word", "{ lable = \"x\" }", "'lable'");
    fails_request("a label that is a table", "{ label = {} }", "expected a text");
    fails_request("a label with a space", "{ label = \"a b\" }", "expected 1 to 200 letters");
    fails_request("an unknown level", "{ level = \"9_9\" }", "9_9");
    fails_request("types of a number", "{ types = 7 }", "types: expected a table");
    fails_request("an unknown group", "{ types = { dada = \"FLOAT32\" } }", "'dada'");
    fails_request("an attribute that does not exist", "{ attributes = { Nothing = \"x\" } }",
                  "no enumeration 'Nothing'");
    fails_request("an unknown type", "{ types = { [op.tensors[1].group] = \"FLOAT99\" } }", "FLOAT99");
    fails_request("an unknown parameter", "{ parameters = { zz = 1 } }", "'zz'");
    fails_request("a parameter below 0", "{ parameters = { d = -1 } }", "from 0");
    fails_request("a parameter that is text", "{ parameters = { d = \"x\" } }", "expected an integer");
    fails_request("an unknown tensor", "{ strides = { Input = \"packed\" } }", "'Input'");
    fails_request("an unknown kind of strides", "{ strides = { InputTensor = \"odd\" } }", "'odd'");
    fails_request("leading ones of nothing", "{ leading = { ones = 1 } }", "expected { tensor = NAME, ones = N }");
    fails_request("leading ones of an attribute", "{ leading = { tensor = \"Axis\", ones = 1 } }", "'Axis'");
    fails_request("too many leading ones", "{ leading = { tensor = \"InputTensor\", ones = 9 } }", "from 0 to 8");
    fails_request("an unknown limit", "{ limit = { atom = 100000, high = true } }", "limit");
    fails_request("a limit without atom", "{ limit = {} }", "limit");
    fails_request("an unknown rule", "{ tests = \"nothing\" }", "'nothing'");
    fails_request("an unknown fill", "{ fill = \"odd\" }", "'odd'");
    fails_request("unknown indices", "{ indices = \"odd\" }", "'odd'");
    fails_request("a slack below 0", "{ slack = -4 }", "from 0");
    fails_request("an alignment too large", "{ alignment = 1 << 33 }", "from 0");
    fails_request("owned that is not a boolean", "{ owned = \"all\" }", "expected true or false");
    fails_request("in_place that is no table", "{ in_place = true }", "in_place: expected a table");
    fails_request("in_place of an attribute", "{ in_place = { Axis = \"OutputTensor\" } }", "'Axis'");
    fails_request("in_place of an output", "{ in_place = { OutputTensor = \"InputTensor\" } }",
                  "in_place: expected { INPUT = OUTPUT }");
    fails_request("a largest size of 0", "{ largest = 0 }", "from 1");
    fails_request("no elements", "{ elements = 0 }", "from 1");
}

/* ---- encoded cases */

static bool test_plan_same_literals(const struct testcase *a, const struct testcase *b)
{
    if (!a->literals != !b->literals)
        return false;
    for (int i = -1; a->literals && (i = testcase_next_tensor(a, i)) >= 0;) {
        bool some = a->literals[i].data && a->literals[i].count > 0;
        if (some != (b->literals[i].data != NULL) || (some && a->literals[i].count != b->literals[i].count) ||
            (some && memcmp(a->literals[i].data, b->literals[i].data, a->literals[i].count) != 0))
            return false;
    }
    return true;
}

static void test_encoding(const struct plan *plan)
{
    static _Alignas(16) char bytes[65536];
    struct literal literals[OPDESC_MAX_TENSORS];
    size_t wrong = 0, cut = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        struct testcase back;
        uint64_t seed = 0;
        size_t size = testcase_encode(c, specs.specs, 1000 + i, bytes, sizeof bytes);
        bool good = size <= sizeof bytes && size % 16 == 0 &&
                    testcase_decode(bytes, size, specs.specs, spec_set_size(&specs), &back, literals, NULL, &seed);
        good = good && seed == 1000 + i && back.spec == c->spec && back.table == c->table && back.rule == c->rule &&
               back.expect == c->expect && back.fill == c->fill && back.index_fill == c->index_fill &&
               back.negative_indices == c->negative_indices && back.soft == c->soft &&
               back.dispatch_twice == c->dispatch_twice && test_plan_same_literals(c, &back) &&
               back.lifecycle.kind == c->lifecycle.kind && back.lifecycle.steps == c->lifecycle.steps &&
               testcase_same_in_place(c, &back) && memcmp(back.desc, c->desc, c->desc->size) == 0;
        wrong += !good;
        for (size_t less = 0; less < size; less += 16)
            cut += testcase_decode(bytes, less, specs.specs, spec_set_size(&specs), &back, literals, NULL, &seed);
    }
    ok(wrong == 0, "every case is decoded as it was encoded");
    ok(cut == 0, "no block that was cut short is decoded");
    ok(testcase_encode(plan->cases, specs.specs, 1, bytes, 16) > 16, "without room, the size needed is returned");
}

static void test_parts(void)
{
    struct error error = {0};
    struct plan plan;
    if (!ok(plan_make(&plan, &specs, "cases", &of_few, &error) == 0, "cases of a few operators are planned %s",
            error.text))
        return;
    test_repeatable(&plan);
    if (sampled_whole)
        test_without(&plan, "types.lua");
    test_without(&plan, "cover.lua");
    test_with_file(&plan);
    test_filters(&plan);
    plan_free(&plan);
}

/* Returns true if the field cannot be varied, since it follows from others in every legal description: the length of a
 * list, the type of a scalar, and those that `follow` names, among them tensors of one element and one type. */
static bool test_plan_follows(const struct spec *spec, int field)
{
    static const char *const follow[] = {"VALUE_SCALE_2D/ChannelCount",
                                         "ADAM_OPTIMIZER/TrainingStepTensor",
                                         "CONVOLUTION/OutputPadding",
                                         "SLICE/Sizes",
                                         "RANDOM_GENERATOR/Type",
                                         "DYNAMIC_QUANTIZE_LINEAR/OutputScaleTensor",
                                         "DYNAMIC_QUANTIZE_LINEAR/OutputZeroPointTensor",
                                         "ELEMENT_WISE_QUANTIZED_LINEAR_ADD/AScaleTensor",
                                         "ELEMENT_WISE_QUANTIZED_LINEAR_ADD/BScaleTensor",
                                         "ELEMENT_WISE_QUANTIZED_LINEAR_ADD/OutputScaleTensor"};
    char name[120];
    bool found = false;
    snprintf(name, sizeof name, "%s/%s", spec->name, spec->fields[field].name);
    for (size_t i = 0; i < sizeof follow / sizeof *follow; i++)
        found |= strcmp(name, follow[i]) == 0;
    for (int i = 0; i < spec->field_count; i++)
        found |= spec->fields[i].count_field == field || spec->fields[i].typed_by == field;
    return found;
}

/* The strategy "parts" varies every field of every operator: a case has its name after the number of the copy. */
static void test_varied(const struct plan *plan)
{
    size_t missing = 0, bases = 0;
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        for (int field = 0; field < spec->field_count; field++) {
            char part[120];
            bool found = test_plan_follows(spec, field);
            snprintf(part, sizeof part, "-%s", spec->fields[field].name);
            const size_t length = strlen(part);
            for (size_t i = 0; i < plan->count && !found; i++) {
                const struct testcase *c = &plan->cases[i];
                const char *at = c->spec == spec && strcmp(c->strategy, "parts") == 0 ? strstr(c->name, part) : NULL;
                found = at && (at[length] == '-' || at[length] == '.');
            }
            if (!found)
                printf("# %s: no case varies %s\n", spec->name, spec->fields[field].name);
            missing += !found;
        }
        for (size_t i = 0; i < plan->count; i++)
            if (plan->cases[i].spec == spec && strcmp(plan->cases[i].strategy, "parts") == 0 &&
                strstr(plan->cases[i].name, "-base.")) {
                bases++;
                break;
            }
    }
    ok(missing == 0, "every field of every operator is varied: %zu are not", missing);
    ok(bases == (size_t)specs.count, "every operator has a description that others differ from");
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    of_few.operator_count = sampled_whole ? FEW : SAMPLED;
    struct plan_filter all = {.cache = kept_plan()};
    struct error error = {0};
    struct plan plan;
    if (!mkdtemp(folder))
        return 3;
    if (!ok(spec_set_load(&specs, "specs", &error) == 0, "specs load %s", error.text) ||
        !ok(plan_make(&plan, &specs, "cases", &all, &error) == 0, "cases are planned %s", error.text))
        return tap_done();
    test_names(&plan);
    test_descriptions(&plan);
    test_coverage(&plan);
    test_varied(&plan);
    test_plan_sizes(&plan);
    test_deep_sizes();
    test_matching();
    test_starts();
    test_wrong_filters();
    test_wrong_strategies();
    test_encoding(&plan);
    test_parts();
    ok(plan_case_seed(1, "a") == plan_case_seed(1, "a") && plan_case_seed(1, "a") != plan_case_seed(2, "a") &&
           plan_case_seed(1, "a") != plan_case_seed(1, "b"),
       "a case's seed depends on the run's seed and the name");
    plan_free(&plan);
    spec_set_free(&specs);
    ok(rmdir(folder) == 0, "nothing is left behind");
    return tap_done();
}
