/* The plan cache: reading it gives the same as planning, and a cache that is not valid is ignored. */
#include "harness/plan/plan.h"
#include "harness/test/sampled.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fields of every kind, and contents that cases have of their own, in few operators: all are planned many times. They
 * have enough cases for several threads to read. */
enum { FILES = 8, SAMPLED_FILES = 4 }; /* a sample has the first files */
static const char *const files[FILES] = {
    "gather.lua", "gather_nd.lua", "scatter_nd.lua",        "element_wise_clip.lua",
    "moves.lua",  "one_hot.lua",   "element_wise_add1.lua", "nonzero_coordinates.lua"};
static struct spec_folder of_files;
static struct spec_set specs;
static char folder[] = "/tmp/assay-cache-XXXXXX", cache[64], cases[64], strategy[80];

static void test_plan_cache_write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, size, 1, file) != 1 || fclose(file) != 0)
        exit(3);
}

static size_t test_plan_cache_read_file(const char *path, char **text)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(3);
    size_t size = (size_t)ftell(file);
    rewind(file);
    if (!(*text = malloc(size + 1)) || fread(*text, 1, size, file) != size)
        exit(3);
    fclose(file);
    (*text)[size] = '\0';
    return size;
}

static bool test_plan_cache_same_literals(const struct testcase *a, const struct testcase *b)
{
    for (int i = -1; a->literals && b->literals && (i = testcase_next_tensor(a, i)) >= 0;)
        if (a->literals[i].count != b->literals[i].count || !a->literals[i].data != !b->literals[i].data ||
            (a->literals[i].count && memcmp(a->literals[i].data, b->literals[i].data, a->literals[i].count) != 0))
            return false;
    return !a->literals == !b->literals;
}

static bool test_plan_cache_same_case(const struct testcase *a, const struct testcase *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->strategy, b->strategy) == 0 && strcmp(a->tier, b->tier) == 0 &&
           a->spec == b->spec && a->table == b->table && a->rule == b->rule && a->expect == b->expect &&
           a->fill == b->fill && a->index_fill == b->index_fill && a->negative_indices == b->negative_indices &&
           a->soft == b->soft && a->dispatch_twice == b->dispatch_twice &&
           memcmp(a->desc, b->desc, a->desc->size) == 0 && test_plan_cache_same_literals(a, b);
}

/* Plans with the cache, which has the same cases as a plan without it. */
static void compare_with(const struct plan *made, struct plan_filter filter)
{
    struct error error = {0};
    struct plan read;
    size_t changed = 0;
    filter.cache = cache;
    if (!ok(plan_make(&read, &specs, cases, &filter, &error) == 0, "they are read %s", error.text))
        return;
    ok(read.is_kept && !made->is_kept, "from the file");
    for (size_t i = 0; i < made->count && i < read.count; i++)
        changed += !test_plan_cache_same_case(&made->cases[i], &read.cases[i]);
    ok(made->count == read.count && made->count > 0 && changed == 0, "the same %zu cases", made->count);
    ok(plan_hash(made) == plan_hash(&read), "with the same hash");
    plan_free(&read);
}

/* Plans with the cache and without it. */
static void test_plan_cache_compare(const char *what, struct plan_filter filter)
{
    struct error error = {0};
    struct plan made;
    if (!ok(plan_make(&made, &specs, cases, &filter, &error) == 0, "%s are planned %s", what, error.text))
        return;
    compare_with(&made, filter);
    plan_free(&made);
}

/* Reads all cases when they are asked for: one by one up to case `single`, then the rest. */
static void compare_later(const struct plan *made, size_t single)
{
    struct plan_filter filter = {.cache = cache, .later = true};
    struct error error = {0};
    struct plan read;
    size_t changed = 0, other = 0;
    if (!ok(plan_make(&read, &specs, cases, &filter, &error) == 0, "the cases are left for later %s", error.text))
        return;
    ok(read.is_kept && read.reading && read.count == made->count, "of which the plan has %zu", read.count);
    ok(plan_hash(made) == plan_hash(&read), "the hash is known");
    for (size_t i = 0; i < read.count; i++)
        other += plan_spec(&read, i) != made->cases[i].spec;
    ok(other == 0, "and so is the operator of each");
    for (size_t i = 0; i < read.count; i++)
        changed += !plan_await(&read, i < single ? i + 1 : read.count) ||
                   !test_plan_cache_same_case(&made->cases[i], &read.cases[i]) ||
                   plan_spec(&read, i) != made->cases[i].spec;
    ok(changed == 0, "the same cases are read, those before case %zu one by one", single);
    plan_free(&read);
}

/* Only a plan of all cases is read later. */
static void test_not_later(void)
{
    const char *patterns[] = {"gather_nd"};
    struct plan_filter filter = {.cache = cache, .later = true, .patterns = patterns, .pattern_count = 1};
    struct error error = {0};
    struct plan plan;
    ok(plan_make(&plan, &specs, cases, &filter, &error) == 0 && plan.is_kept && !plan.reading,
       "some of the cases are read at once %s", error.text);
    plan_free(&plan);
}

/* The file changes while it is read. */
static void test_damage_later(void)
{
    struct plan_filter filter = {.cache = cache, .later = true};
    struct error error = {0};
    struct plan plan;
    char *text;
    size_t size = test_plan_cache_read_file(cache, &text);
    FILE *file = fopen(cache, "r+b");
    if (!file || plan_make(&plan, &specs, cases, &filter, &error) || !plan.reading)
        exit(3);
    for (size_t i = 100; i < size; i++)
        text[i] ^= 1;
    if (fwrite(text, 1, size, file) != size || fflush(file) != 0)
        exit(3);
    ok(!plan_await(&plan, 1) && !plan_await(&plan, 1) && !plan_await(&plan, plan.count),
       "no case of a file that has changed is used");
    ok(plan_damaged(&error) == EXIT_HARNESS && strstr(error.text, "damaged"), "which is an error: %s", error.text);
    for (size_t i = 100; i < size; i++)
        text[i] ^= 1;
    rewind(file);
    if (fwrite(text, 1, size, file) != size || fclose(file) != 0)
        exit(3);
    plan_free(&plan);
    free(text);
}

/* The cache is not valid for these specs and cases: they are planned. */
static void ignored(const char *what, const struct spec_set *of)
{
    for (int later = 0; later < 2; later++) {
        struct plan_filter filter = {.cache = cache, .later = later};
        struct error error = {0};
        struct plan plan;
        if (!ok(plan_make(&plan, of, cases, &filter, &error) == 0, "with %s, the cases are planned %s", what,
                error.text))
            return;
        ok(!plan.is_kept && !plan.reading && plan.count > 0, "and the cache is ignored");
        plan_free(&plan);
    }
}

/* The cache has no cases of a tier. */
static void planned_tier(void)
{
    struct plan_filter filter = {.cache = cache, .tier = "large"};
    struct error error = {0};
    struct plan plan;
    ok(plan_make(&plan, &specs, cases, &filter, &error) == 0 && plan.count > 0 && !plan.is_kept,
       "a tier is planned without the cache %s", error.text);
    plan_free(&plan);
}

static void unknown_tier(void)
{
    struct plan_filter filter = {.cache = cache, .tier = "huge"};
    struct error error = {0};
    struct plan plan;
    ok(plan_make(&plan, &specs, cases, &filter, &error) == EXIT_USAGE && strstr(error.text, "'huge'"),
       "an unknown tier is refused");
}

static void make_all(struct plan *made)
{
    struct plan_filter without_tier = {0};
    struct error error = {0};
    if (plan_make(made, &specs, cases, &without_tier, &error))
        exit(3);
}

static void write_cache(void)
{
    struct error error = {0};
    struct plan plan;
    make_all(&plan);
    ok(plan_cache_write(&plan, &specs, cases, cache, &error) == 0, "the cache of %zu cases is written %s", plan.count,
       error.text);
    plan_free(&plan);
}

static void copy_examples(void)
{
    char *text;
    size_t size = test_plan_cache_read_file("cases/examples.lua", &text);
    if (mkdir(cases, 0700) != 0)
        exit(3);
    test_plan_cache_write_file(strategy, text, size);
    free(text);
}

/* A damaged cache is not valid. */
static void test_plan_cache_damage(void)
{
    char *text;
    size_t size = test_plan_cache_read_file(cache, &text);
    static const size_t places[] = {0, 17, 25, 33, 41, 49, 57, 100};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        text[places[i]] ^= 1;
        test_plan_cache_write_file(cache, text, size);
        text[places[i]] ^= 1;
        ignored("a byte changed", &specs);
    }
    text[size - 1] ^= 1;
    test_plan_cache_write_file(cache, text, size);
    text[size - 1] ^= 1;
    ignored("its last byte changed", &specs);
    test_plan_cache_write_file(cache, text, size - 16);
    ignored("its end missing", &specs);
    test_plan_cache_write_file(cache, text, 20);
    ignored("only its first bytes left", &specs);
    unlink(cache);
    ignored("no such file", &specs);
    test_plan_cache_write_file(cache, text, size);
    free(text);
}

/* Specs that differ by a comment only. */
static void test_other_specs(void)
{
    char copy[64], command[256];
    struct error error = {0};
    struct spec_set other;
    snprintf(copy, sizeof copy, "%s/specs", folder);
    snprintf(command, sizeof command, "cp -rL %s %s && echo '-- more' >>%s/gather.lua", of_files.path, copy, copy);
    if (system(command) != 0)
        exit(3);
    ok(spec_set_load(&other, copy, &error) == 0, "other specs load %s", error.text);
    ignored("other specs", &other);
    spec_set_free(&other);
    snprintf(command, sizeof command, "rm -r %s", copy);
    if (system(command) != 0)
        exit(3);
}

static void test_other_strategies(void)
{
    char *text, other[sizeof strategy + 8];
    size_t size = test_plan_cache_read_file(strategy, &text);
    text[size] = '\n';
    test_plan_cache_write_file(strategy, text, size + 1);
    ignored("one more empty line in a strategy", &specs);
    test_plan_cache_write_file(strategy, text, size);
    snprintf(other, sizeof other, "%s/z.json", cases);
    test_plan_cache_write_file(other, "{\"cases\": []}\n", 14);
    ignored("one more file", &specs);
    unlink(other);
    snprintf(other, sizeof other, "%s/z.lua", cases);
    if (rename(strategy, other) != 0)
        exit(3);
    ignored("a file renamed", &specs);
    if (rename(other, strategy) != 0)
        exit(3);
    free(text);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    static const char *patterns[] = {"gather_nd", "*.examples.*"}, *quick[] = {"element_wise_clip", "gather_nd.types"},
                      *levels[] = {"3_0"}, *early[] = {"1_0"}, *operators[] = {"SCATTER_ND"};
    struct error error = {0};
    struct plan made;
    spec_folder_make(&of_files);
    for (size_t i = 0; i < (sampled_whole ? FILES : SAMPLED_FILES); i++)
        spec_folder_link(&of_files, "specs", files[i]);
    if (!mkdtemp(folder) || !ok(spec_set_load(&specs, of_files.path, &error) == 0, "specs load %s", error.text))
        return 3;
    snprintf(cache, sizeof cache, "%s/plan", folder);
    strcpy(cases, "cases");
    make_all(&made);
    if (sampled_whole) /* planned once more, and the same */
        write_cache();
    else
        ok(plan_cache_write(&made, &specs, cases, cache, &error) == 0, "the cache is written %s", error.text);
    compare_with(&made, (struct plan_filter){0});
    compare_later(&made, 0);
    compare_later(&made, 2000);
    compare_later(&made, SIZE_MAX);
    plan_free(&made);
    test_not_later();
    test_damage_later();
    planned_tier();
    unknown_tier();
    test_plan_cache_compare("those of two patterns",
                            (struct plan_filter){.patterns = sampled_whole ? patterns : quick, .pattern_count = 2});
    test_plan_cache_compare("those of a level",
                            (struct plan_filter){.levels = sampled_whole ? levels : early, .level_count = 1});
    test_plan_cache_compare("those of an operator and a pattern", (struct plan_filter){.operators = operators,
                                                                                       .operator_count = 1,
                                                                                       .patterns = patterns + 1,
                                                                                       .pattern_count = 1});
    snprintf(cases, sizeof cases, "%s/cases", folder); /* the rest: one strategy, which is planned quickly */
    snprintf(strategy, sizeof strategy, "%s/examples.lua", cases);
    copy_examples();
    ignored("other strategies", &specs);
    write_cache();
    test_plan_cache_compare("the examples", (struct plan_filter){0});
    test_plan_cache_damage();
    test_plan_cache_compare("the examples", (struct plan_filter){0});
    test_other_specs();
    test_other_strategies();
    test_plan_cache_compare("the examples", (struct plan_filter){0});
    spec_set_free(&specs);
    spec_folder_remove(&of_files);
    unlink(strategy);
    unlink(cache);
    ok(rmdir(cases) == 0 && rmdir(folder) == 0, "nothing is left behind");
    return tap_done();
}
