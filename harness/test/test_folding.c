/* Folds: windows with padding, products of two inputs, a fold within another, also of other places, long rows; the
 * bounds of folds; ties and NaNs. */
#include "harness/base/datatype.h"
#include "harness/describe/desc_text.h"
#include "harness/formula/branches.h"
#include "harness/formula/folding_internal.h"
#include "harness/formula/operands.h"
#include "harness/load/load.h"
#include "harness/solve/solve.h"
#include "harness/trial/computed_internal.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, ROW = 1000 };

static char folder[] = "/tmp/assay-folding-XXXXXX";
static struct spec_set specs;
static struct error error;
static struct opdesc desc;
static uint8_t memory[3][ROOM], expected[ROOM];
static uint8_t *tensors[OPDESC_MAX_TENSORS] = {memory[0], memory[1], memory[2]};

static FILE *test_folding_create(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(3);
    return file;
}

static const char *stages = ""; /* the stages of the specs that follow */

/* Loads a spec with the inputs A and B and the output Out, one-dimensional, the stages and this result. */
static bool test_folding_load(const char *result)
{
    FILE *file = test_folding_create("catalogue.lua");
    fputs("local row = { { \"FLOAT32\", \"FLOAT16\", \"INT32\" }, 1, 8 }\n"
          "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
          "  fields = { { \"input\", \"A\" }, { \"input\", \"B\" }, { \"output\", \"Out\" } },\n"
          "  levels = { { \"1_0\", A = row, B = row, Out = row } },\n"
          "  same = { { \"DataType\", \"A\", \"B\", \"Out\" } } } } }\n",
          file);
    fclose(file);
    file = test_folding_create("element_wise_identity.lua");
    fprintf(file,
            "local a, b, at = element \"A\", element \"B\", place \"Out\"\n"
            "local all, three = sizes \"A\", filled(3, 1)\n"
            "return operator \"ELEMENT_WISE_IDENTITY\" { page = \"X\", parameters = {}, rules = {},\n"
            "  stages = { %s },\n"
            "  results = { result \"Out\" { %s } } }\n",
            stages, result);
    fclose(file);
    spec_set_free(&specs);
    error = (struct error){0};
    return spec_set_load(&specs, folder, &error) == 0;
}

static void test_folding_put(int item, uint64_t at, double value)
{
    unsigned type = desc.items[item].tensor.data_type;
    uint64_t bits = 0;
    datatype_from_double(type, value, &bits);
    element_put(datatype_of(type)->bits, memory[item], at, bits);
}

static double test_folding_at(int item, uint64_t index)
{
    unsigned type = desc.items[item].tensor.data_type;
    uint64_t bits = element_get(datatype_of(type)->bits, memory[item], index);
    return datatype_to_double(type, &bits);
}

/* Describes tensors of so many elements, and fills A with 1, 2, 3, … and B with 1, 10, 100, … */
static void test_folding_describe(const char *type, int a, int b, int out)
{
    char text[256];
    snprintf(text, sizeof text, "ELEMENT_WISE_IDENTITY A=%s[%d] B=%s[%d] Out=%s[%d]", type, a, type, b, type, out);
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
    for (int i = 0; i < a; i++)
        test_folding_put(0, (uint64_t)i, i + 1);
    for (int i = 0; i < b; i++)
        test_folding_put(1, (uint64_t)i, pow(10, i));
}

static bool test_folding_gives(const double *values, int count)
{
    bool good = true;
    computed_run(&specs.specs[0], &desc, tensors);
    memcpy(expected, memory[2], sizeof expected);
    for (int i = 0; i < count; i++)
        if (test_folding_at(2, (uint64_t)i) != values[i] &&
            !(isnan(values[i]) && isnan(test_folding_at(2, (uint64_t)i)))) {
            note("element %d is %.9g, not %.9g", i, test_folding_at(2, (uint64_t)i), values[i]);
            good = false;
        }
    return good;
}

/* Judges an element as a device left it. */
static enum agreement test_folding_judge(uint64_t number, double value)
{
    test_folding_put(2, number, value);
    const struct computed_output output = {.spec = &specs.specs[0],
                                           .desc = &desc,
                                           .item = 2,
                                           .tensors = (const uint8_t *const *)tensors,
                                           .expected = expected,
                                           .got = memory[2],
                                           .rule = -1};
    struct comparison comparison;
    computed_compare(&output, &comparison);
    memcpy(memory[2], expected, sizeof expected);
    return comparison.agreement;
}

static void test_folding_places(void)
{
    ok(test_folding_load("over { sizes = three, at = { A = at * 2 + step(three) - 1 }, fold = \"sum\", a }"),
       "windows: %s", error.text);
    test_folding_describe("FLOAT32", 7, 1, 4);
    ok(test_folding_gives((double[]){3, 9, 15, 13}, 4), "  elements in the padding do not take part");
    test_folding_load(
        "over { sizes = sizes \"B\", at = { A = at + step(sizes \"B\"), B = step(sizes \"B\") }, fold = \"sum\", a * "
        "b }");
    test_folding_describe("INT32", 5, 3, 3);
    ok(test_folding_gives((double[]){321, 432, 543}, 3), "two inputs, each at coordinates of its own, in integers");
    test_folding_load("over { sizes = all, at = { A = step(all) }, fold = \"sum\",\n"
                      "  a - over { sizes = all, at = { A = step(all) }, fold = \"max\", a } }");
    test_folding_describe("FLOAT32", 4, 1, 1);
    ok(test_folding_gives((double[]){-6}, 1), "a fold of what another fold is");
    ok(!test_folding_load("over { sizes = all, at = { A = at * step(all) }, fold = \"sum\", a }"),
       "coordinates are linear");
    ok(!test_folding_load("over { sizes = all, at = { A = step(all) }, fold = \"median\", a }"),
       "an unknown fold is an error");
}

/* Element 2 k + q of A is at place k of window q. */
static void test_divisions(void)
{
    ok(test_folding_load(
           "over { sizes = three, fold = \"sum\", a, at = { A = step(three) * entry(weights(concat(5, 2)), 0)\n"
           "  + divided(at - step(three), filled(2, 1), filled(2, 1)) } }"),
       "what divides exactly: %s", error.text);
    test_folding_describe("FLOAT32", 6, 1, 6);
    ok(test_folding_gives((double[]){1, 3, 7, 4, 6, 0}, 6), "  windows that have a place at one of theirs");
    test_folding_describe("INT32", 6, 1, 6);
    ok(test_folding_gives((double[]){1, 3, 7, 4, 6, 0}, 6), "  in integers");
    test_folding_load(
        "over { sizes = three, fold = \"sum\", a, at = { A = divided(step(three) * 2 - at, filled(1, 1), all) } }");
    test_folding_describe("FLOAT32", 6, 1, 6);
    ok(test_folding_gives((double[]){9, 6, 4, 2, 1, 0}, 6), "  a limit that grows with the step");
    test_folding_load(
        "over { sizes = three, fold = \"sum\", a, at = { A = divided(at + step(three), filled(1, 1), all * 0) } }");
    test_folding_describe("FLOAT32", 6, 1, 6);
    ok(test_folding_gives((double[]){0, 0, 0, 0, 0, 0}, 6), "  below no number there is none");
    ok(!test_folding_load(
           "over { sizes = all, at = { A = divided(at, all, all) + divided(at, all, three) }, fold = \"sum\", a }"),
       "there is one division at most");
    ok(!test_folding_load(
           "over { sizes = three, at = { A = divided(at * step(three), three, three) }, fold = \"sum\", a }"),
       "what is divided is linear");
    ok(!test_folding_load("over { sizes = three, at = { A = divided(at, three, at) }, fold = \"sum\", a }"),
       "its limit is known");
}

/* `s` is the sum of each element and its neighbours, which `result` may name. */
static bool load_sums(const char *result)
{
    char text[1024];
    snprintf(text, sizeof text,
             "(function()\n"
             "  local s = over { sizes = three, at = { A = at + step(three) - 1 }, fold = \"sum\", a }\n"
             "  local function windows(fold, formula)\n"
             "    return over { sizes = three, at = { A = at + step(three) - 1 }, fold = fold, formula }\n"
             "  end\n"
             "  local there = at + step(three) - 1\n"
             "  return %s\n"
             "end)()",
             result);
    return test_folding_load(text);
}

static void test_elsewhere(void)
{
    ok(load_sums("windows(\"sum\", elsewhere(s, there))"), "sums of the sums around: %s", error.text);
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){9, 18, 22, 16}, 4), "  each is of its own place");
    test_folding_describe("INT32", 4, 1, 4);
    ok(test_folding_gives((double[]){9, 18, 22, 16}, 4), "  in integers");
    load_sums("windows(\"max\", elsewhere(part(s, \"count\"), there) * 10 + a)");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){32, 33, 33, 33}, 4), "a part, beside an element of the step");
    test_folding_describe("INT32", 4, 1, 4);
    ok(test_folding_gives((double[]){32, 33, 33, 33}, 4), "  in integers");
    load_sums("windows(\"max\", elsewhere(part(s, \"peak\"), there))");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){6, 9, 9, 9}, 4), "a part that values do not need");
    load_sums("over { sizes = three, at = { B = step(three) }, fold = \"sum\", elsewhere(s, at + step(three)) }");
    test_folding_describe("FLOAT32", 4, 3, 4);
    ok(test_folding_gives((double[]){18, 22, 16, 7}, 4), "a step that leads to no place does not take part");
    test_folding_describe("INT32", 4, 3, 4);
    ok(test_folding_gives((double[]){18, 22, 16, 7}, 4), "  in integers");
    load_sums("over { sizes = all, at = { A = step(all) }, fold = \"sum\", a * elsewhere(s, all - 1 - step(all)) }");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){7 + 2 * 9 + 3 * 6 + 4 * 3, 55, 55, 55}, 4), "places from the other end");
    load_sums("windows(\"sum\", elsewhere(s, there)) - s + 1000 * a");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){1006, 2012, 3013, 4009}, 4),
       "beside the same fold of the place, and the element there");
    load_sums("windows(\"sum\", elsewhere(windows(\"sum\", a * s), there) + 1000 * s)");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){9 + 36 + 6000, 126 + 18000, 166 + 27000, 130 + 14000}, 4),
       "a fold that names one of its place");
    test_folding_describe("INT32", 4, 1, 4);
    ok(test_folding_gives((double[]){9 + 36 + 6000, 126 + 18000, 166 + 27000, 130 + 14000}, 4), "  in integers");
    load_sums("windows(\"sum\", elsewhere(s, there) * 100 + elsewhere(windows(\"sum\", elsewhere(s, there)), there))");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){927, 1849, 2256, 1638}, 4), "a fold that has other places itself");
    test_folding_describe("INT32", 4, 1, 4);
    ok(test_folding_gives((double[]){927, 1849, 2256, 1638}, 4), "  in integers");
    load_sums("windows(\"sum\", choose(gt(elsewhere(s, there), 0), 5, 7))");
    test_folding_describe("FLOAT32", 4, 1, 4);
    for (uint64_t i = 0; i < 4; i++)
        test_folding_put(0, i, 1e-40);
    ok(test_folding_gives((double[]){10, 15, 15, 10}, 4) && test_folding_judge(1, 21) == AGREES_SOFTLY &&
           test_folding_judge(1, 17) == DIFFERS,
       "denormals that count as zeros do so elsewhere, too");
    ok(!load_sums("elsewhere(s, at)") && strstr(error.text, "only the formula of a fold"), "  only in a fold");
    ok(!load_sums("windows(\"sum\", elsewhere(s, at * step(three)))") && strstr(error.text, "linear"), "  linear");
    ok(!load_sums("windows(\"sum\", elsewhere(windows(\"sum\", a * number), there))") &&
           strstr(error.text, "inputs alone"),
       "  nor of one that depends on its place otherwise");
    ok(!load_sums("windows(\"sum\", elsewhere(a, there))") && strstr(error.text, "expected a fold"), "  of a fold");
    ok(!load_sums(
           "windows(\"sum\", elsewhere(s, there) + elsewhere(s, at) + elsewhere(s, at + 1) + elsewhere(s, at + 2))") &&
           strstr(error.text, "more than"),
       "  at few places");
}

static void test_rows(void)
{
    double values[ROW];
    for (int down = 0; down < 2; down++) {
        char text[512], fold[128];
        snprintf(fold, sizeof fold, "over { sizes = all, at = { A = at %c step(all) }, fold = \"sum\", a }",
                 down ? '+' : '-');
        snprintf(text, sizeof text, "%s, FLOAT32 = rounded(%s).FLOAT32", fold, fold);
        test_folding_load(text);
        test_folding_describe("FLOAT32", ROW, 1, ROW);
        for (int i = 0; i < ROW; i++)
            values[i] = down ? (ROW - i) * (ROW + i + 1) / 2.0 : (i + 1) * (i + 2) / 2.0;
        ok(test_folding_gives(values, ROW), "long rows: sums %s an element", down ? "from" : "up to");
        ok(test_folding_judge(ROW - 1, values[ROW - 1] + 1) == DIFFERS,
           "  one more is wrong, since every order is exact");
        test_folding_put(0, 5, 6.1);
        test_folding_gives(values, 0);
        uint64_t number = down ? 0 : 700; /* its sum has element 5 */
        ok(test_folding_judge(number, test_folding_at(2, number) * (1 + 0x1p-22)) == AGREES,
           "  with a fraction, errors are within the bound");
        ok(test_folding_judge(number, test_folding_at(2, number) + 100) == DIFFERS, "  not a large one twice");
    }
}

static void test_folding_bounds(void)
{
    test_folding_load("over { sizes = all, at = { A = step(all) }, fold = \"sum\", a },\n"
                      "FLOAT16 = rounded(over { sizes = all, at = { A = step(all) }, fold = \"sum\", a }).FLOAT16");
    test_folding_describe("FLOAT16", 3, 1, 1);
    test_folding_put(0, 0, 1024);
    test_folding_gives(NULL, 0);
    ok(test_folding_at(2, 0) == 1029 && test_folding_judge(0, 1030) == DIFFERS, "FLOAT16: exact data, an exact sum");
    test_folding_put(0, 1, 0.25);
    test_folding_put(0, 2, 0.5);
    test_folding_gives(NULL, 0);
    ok(test_folding_at(2, 0) == 1025 && test_folding_judge(0, 1024) == AGREES_SOFTLY,
       "  what FLOAT16 loses inside is a warning");
    ok(test_folding_judge(0, 1028) == DIFFERS, "  beyond that it is wrong");
    test_folding_load("over { sizes = all, at = { A = step(all) }, fold = \"product\", a },\n"
                      "FLOAT32 = rounded(over { sizes = all, at = { A = step(all) }, fold = \"product\", a }).FLOAT32");
    test_folding_describe("FLOAT32", 3, 1, 1);
    test_folding_put(0, 0, 1.1);
    test_folding_put(0, 1, 0);
    ok(test_folding_gives((double[]){0}, 1) && test_folding_judge(0, 1e-44) == DIFFERS,
       "a product with a factor 0 is 0");
}

static void test_folding_extremes(void)
{
    static const double elements[] = {3, NAN, 1, 7, 1, 7};
    static const struct {
        const char *fold;
        double right;
    } cases[] = {{"fold = \"min\"", 1},
                 {"fold = \"max\"", 7},
                 {"fold = \"place_of_min\"", 2},
                 {"fold = \"place_of_max\"", 3},
                 {"fold = \"place_of_min\", last = dims \"A\"", 4},
                 {"fold = \"place_of_max\", last = dims \"A\"", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "over { sizes = all, at = { A = step(all) }, %s, a }", cases[i].fold);
        test_folding_load(text);
        test_folding_describe("FLOAT32", 6, 1, 1);
        for (uint64_t n = 0; n < 6; n++)
            test_folding_put(0, n, elements[n]);
        ok(test_folding_gives(&cases[i].right, 1), "%s: NaNs are no extremes", cases[i].fold);
    }
    test_folding_load("part(over { sizes = all, at = { A = step(all) }, fold = \"min\", a }, \"first_nan\")");
    test_folding_describe("FLOAT32", 6, 1, 1);
    test_folding_put(0, 4, NAN);
    ok(test_folding_gives((double[]){4}, 1), "the place of a NaN is known");
    static const char *const ends[] = {"first_nan", "last_nan"};
    for (int i = 0; i < 2; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "part(over { sizes = all, at = { A = at + step(all) }, fold = \"min\", a }, \"%s\")", ends[i]);
        test_folding_load(text);
        test_folding_describe("FLOAT32", ROW, 1, 1);
        test_folding_put(0, 5, NAN);
        test_folding_put(0, 700, NAN);
        ok(test_folding_gives((double[]){i == 0 ? 5 : 700}, 1), "%s of a long row", ends[i]);
    }
}

/* Folds that all places share, beside the element at the place. */
static void test_folding_shared(void)
{
    bool kept = true;
    test_folding_load("a / over { sizes = all, at = { A = step(all) }, fold = \"sum\", a }");
    test_folding_describe("FLOAT32", 3, 1, 3);
    test_folding_put(0, 2, 5);
    ok(test_folding_gives((double[]){0.125, 0.25, 0.625}, 3), "an element beside a fold that it takes part in");
    test_folding_load(
        "choose(eq(over { sizes = all, at = { A = step(all) }, fold = \"place_of_max\", a },\n"
        "  part(over { sizes = all, at = { A = step(all) }, fold = \"place_of_max\", a }, \"own\")), 1, 0)");
    test_folding_describe("FLOAT32", 3, 1, 3);
    ok(test_folding_gives((double[]){0, 0, 1}, 3), "the step at the place of the element");
    test_folding_load("over { sizes = all, at = { A = step(all) }, fold = \"sum\", choose(eq(a, 0), 1, 0) }");
    test_folding_describe("FLOAT32", 3, 1, 3);
    test_folding_put(0, 1, 0x1p-140);
    test_folding_gives((double[]){0, 0, 0}, 3);
    for (uint64_t i = 0; i < 3; i++)
        kept &= test_folding_judge(i, 1) == AGREES_SOFTLY && test_folding_judge(i, 0) == AGREES &&
                test_folding_judge(i, 2) == DIFFERS;
    ok(kept, "a fold is kept for each way to read the elements");
}

/* Returns the folds that an element needs: bit n is fold n. */
static uint32_t test_folding_wanted(const char *condition)
{
    struct formula_reals reals = {0};
    struct formula_integers integers = {0};
    char result[512];
    snprintf(result, sizeof result,
             "choose(%s, over { sizes = all, at = { A = step(all) }, fold = \"sum\", a },\n"
             "  over { sizes = all, at = { B = step(all) }, fold = \"sum\", b })",
             condition);
    test_folding_load(result);
    test_folding_describe("FLOAT32", 3, 3, 1);
    const struct spec *spec = &specs.specs[0];
    operands_of(spec, &desc, DML_TENSOR_DATA_TYPE_FLOAT32, &reals, &integers);
    struct folding *folding =
        folding_new(spec, &desc, &spec->results[0], 2, (const uint8_t *const *)tensors, &reals, UINT32_MAX);
    uint32_t wanted = folding ? folding->wanted[FOLDING_ALL] : 0;
    folding_free(folding);
    return wanted;
}

/* A description takes one branch of a condition about its fields; elements take either. */
static void test_branches(void)
{
    ok(test_folding_wanted("present \"A\"") == 1, "the fold of the branch that is taken");
    ok(test_folding_wanted("negated(present \"A\")") == 2, "  and that of the other");
    ok(test_folding_wanted("gt(a, 0)") == 3, "  both, if elements decide");
    ok(test_folding_gives((double[]){6}, 1), "  and the value");
    test_folding_wanted("negated(present \"A\")");
    ok(test_folding_gives((double[]){111}, 1), "  of either");
}

/* Returns true if a spec with these stages does not load, for the reason in the message. */
static bool is_refused(const char *text, const char *message)
{
    stages = text;
    bool loaded = test_folding_load("a");
    if (!loaded && !strstr(error.text, message))
        note("%s", error.text);
    return !loaded && strstr(error.text, message);
}

/* Returns true if the place chooses these folds, and the value of their branch is `value`. */
static bool test_folding_chooses(struct branches *branches, struct folding *folding, struct formula_reals *reals,
                                 uint32_t at, uint32_t folds, double value)
{
    reals->coordinates[0] = at;
    uint32_t chosen = branches_choose(branches, reals);
    folding_some(folding, &at, chosen, false, NULL, reals);
    return chosen == folds && branches_real(branches, reals) == value;
}

/* An element needs the folds of one branch alone if its place decides the condition. */
static void test_placed_branches(void)
{
    struct formula_reals reals = {0};
    struct formula_integers integers = {0};
    struct branches branches;
    test_folding_load("choose(either(eq(coordinate(-1), 0), eq(coordinate(-1), 3)),\n"
                      "  over { sizes = all, at = { A = step(all) }, fold = \"sum\", a },\n"
                      "  1 + over { sizes = all, at = { B = step(all) }, fold = \"sum\", b })");
    test_folding_describe("FLOAT32", 2, 2, 4);
    test_folding_put(0, 0, 8);
    const struct spec *spec = &specs.specs[0];
    operands_of(spec, &desc, DML_TENSOR_DATA_TYPE_FLOAT32, &reals, &integers);
    const uint8_t *const *inputs = (const uint8_t *const *)tensors;
    struct folding *folding = folding_new(spec, &desc, &spec->results[0], 2, inputs, &reals, UINT32_MAX);
    struct folding *sums = folding_new(spec, &desc, &spec->results[0], 2, inputs, &reals, UINT32_MAX);
    uint32_t place = 0;
    folding_reals(sums, &place, FOLDING_ALL, NULL, &reals);
    double a = reals.folds[0].parts[FOLD_VALUE], b = 1 + reals.folds[1].parts[FOLD_VALUE];
    branches_prepare(&branches, &spec->results[0], &reals);
    ok(a > 8 && a != b && test_folding_chooses(&branches, folding, &reals, 0, 1, a), "the fold that the place takes");
    ok(test_folding_chooses(&branches, folding, &reals, 1, 2, b) &&
           test_folding_chooses(&branches, folding, &reals, 2, 2, b) &&
           test_folding_chooses(&branches, folding, &reals, 3, 1, a),
       "  and those of other places");
    folding_free(folding);
    folding_free(sums);
    test_folding_load("choose(coordinate(-1), over { sizes = all, at = { B = step(all) }, fold = \"sum\", b },\n"
                      "  over { sizes = all, at = { A = step(all) }, fold = \"sum\", a })");
    spec = &specs.specs[0];
    folding = folding_new(spec, &desc, &spec->results[0], 2, inputs, &reals, UINT32_MAX);
    branches_prepare(&branches, &spec->results[0], &reals);
    ok(test_folding_chooses(&branches, folding, &reals, 0, 2, a) &&
           test_folding_chooses(&branches, folding, &reals, 1, 1, b - 1) &&
           test_folding_chooses(&branches, folding, &reals, 0, 2, a),
       "  also where the coordinate itself is the condition");
    folding_free(folding);
}

/* Loads a result with `count` different folds. */
static bool test_folding_of_many(int count)
{
    char result[8192] = "0";
    for (int i = 1; i <= count; i++)
        snprintf(result + strlen(result), sizeof result - strlen(result),
                 " + over { sizes = filled(%d, 1), at = { A = 0 * step(filled(%d, 1)) }, fold = \"sum\", a }", i, i);
    return test_folding_load(result);
}

static void test_many_folds(void)
{
    ok(test_folding_of_many(FORMULA_MAX_FOLDS), "a result of %d folds: %s", FORMULA_MAX_FOLDS, error.text);
    test_folding_describe("FLOAT32", 1, 1, 1);
    ok(FORMULA_MAX_FOLDS == 32 && test_folding_gives((double[]){32 * 33 / 2}, 1), "  all of which it adds");
    ok(!test_folding_of_many(FORMULA_MAX_FOLDS + 1) && strstr(error.text, "more than 32 different folds"),
       "a result of one more is refused");
}

/* The stages that are computed for values: neither those of tolerances, nor those that no formula names. */
static void test_needed_stages(void)
{
    stages = "stage \"P\" { sizes = sizes \"A\", a + 1 },\n"
             "stage \"Q\" { sizes = sizes \"A\", b },\n"
             "stage \"S\" { sizes = sizes \"A\", 2 * element \"P\" },\n"
             "stage \"T\" { sizes = sizes \"A\", over { sizes = all, at = { S = step(all) }, fold = \"sum\",\n"
             "  element \"S\" } }";
    test_folding_load("element \"S\", FLOAT32 = element \"Q\" + element \"T\"");
    test_folding_describe("FLOAT32", 3, 3, 3);
    ok(computed_stages_needed(&specs.specs[0], &desc) == 5, "the stages that values need");
    ok(test_folding_gives((double[]){4, 6, 8}, 3) && test_folding_judge(1, 7) == AGREES &&
           test_folding_judge(1, 6 + 30) == DIFFERS,
       "  and those of a tolerance");
    test_folding_load("element \"T\"");
    ok(computed_stages_needed(&specs.specs[0], &desc) == 13, "  also of folds");
    stages = "";
}

/* Returns the memory of the first stage of the description. */
static const uint8_t *stage_memory(const struct folding_slip *slip)
{
    const struct spec *spec = &specs.specs[0];
    struct stages *open = computed_stages_open(spec, &desc, (const uint8_t *const *)tensors, UINT32_MAX, slip);
    const uint8_t *elements = open ? open->tensors[spec_stage_item(spec, 0)] : NULL;
    computed_stages_close(open);
    return elements;
}

/* The elements of stages are kept for the same contents of the inputs, and not for others. */
static void test_kept_stages(void)
{
    stages = "stage \"P\" { sizes = sizes \"A\", over { sizes = all, at = { A = step(all) }, fold = \"sum\", a } }";
    test_folding_load("element \"P\"");
    test_folding_describe("FLOAT32", 3, 3, 3);
    const uint8_t *first = stage_memory(NULL);
    ok(first && stage_memory(NULL) == first, "stages are computed once for the same inputs");
    stage_memory(&(struct folding_slip){.kind = SLIP_LAST_MISSED});
    ok(stage_memory(NULL) == first, "  also if others with a slip were");
    test_folding_put(0, 0, 50);
    ok(stage_memory(NULL) != first, "  and once more for others");
    stages = "";
}

static void test_stages(void)
{
    static const char of_s[] =
        "over { sizes = filled(1, 1), at = { S = at + 0 * step(filled(1, 1)) }, fold = \"sum\",\n"
        "  element \"S\" }";
    stages = "stage \"S\" { sizes = sizes \"A\", a + over { sizes = filled(1, 1), fold = \"sum\", element \"S\",\n"
             "  at = { S = place \"S\" - 1 + step(filled(1, 1)) } } }";
    ok(test_folding_load(of_s), "a stage of its own earlier elements: %s", error.text);
    test_folding_describe("FLOAT32", 5, 1, 4);
    ok(test_folding_gives((double[]){1, 3, 6, 10}, 4), "  a recurrence; the output has other sizes");
    ok(test_folding_judge(2, 6) == AGREES && test_folding_judge(2, 7) == DIFFERS, "  which judges a device");
    test_folding_describe("INT32", 5, 1, 4);
    ok(test_folding_gives((double[]){1, 3, 6, 10}, 4), "  of integers, too");
    test_folding_load("element \"S\"");
    test_folding_describe("FLOAT32", 4, 1, 4);
    ok(test_folding_gives((double[]){1, 3, 6, 10}, 4), "  its element at the place of the output");
    stages = "stage \"S\" { sizes = sizes \"A\", a + over { sizes = filled(1, 1), fold = \"sum\", element \"S\",\n"
             "  at = { S = place \"S\" + 1 + step(filled(1, 1)) } } }";
    test_folding_load(of_s);
    test_folding_describe("FLOAT32", 3, 1, 3);
    ok(test_folding_gives((double[]){NAN, NAN, 3}, 3), "an element that is not computed yet is a NaN");
    stages = "stage \"P\" { sizes = concat(size(\"A\", 0), size(\"B\", 0)),\n"
             "  over { sizes = filled(1, 1), at = { A = concat(entry(place \"P\", 0)),\n"
             "    B = concat(entry(place \"P\", 1)) + 0 * step(filled(1, 1)) }, fold = \"sum\", a * b } },\n"
             "stage \"S\" { sizes = sizes \"A\", over { sizes = sizes \"B\", fold = \"sum\", element \"P\",\n"
             "  at = { P = concat(entry(place \"S\", 0), entry(step(sizes \"B\"), 0)) } } }";
    ok(test_folding_load("element \"S\""), "a stage of a stage with more dimensions: %s", error.text);
    test_folding_describe("FLOAT32", 3, 2, 3);
    ok(test_folding_gives((double[]){11, 22, 33}, 3), "  the sums of its rows");
    ok(solve_work(&specs.specs[0], &desc) == 6, "  its multiplications count as work");
    computed_run_slipped(&specs.specs[0], &desc, tensors, &(struct folding_slip){.kind = SLIP_LAST_MISSED, .tile = 1});
    ok(test_folding_at(2, 0) == 1 && test_folding_at(2, 2) == 3, "  and a slip of its folds");
    ok(is_refused("stage \"A\" { sizes = sizes \"A\", a }", "'A' is already a field or a stage") &&
           is_refused("stage \"S\" { sizes = dims \"A\", a }", "sizes: expected a list") &&
           is_refused("stage \"S\" { sizes = sizes \"A\", a & 1 }", "has no meaning in a stage") &&
           is_refused("stage \"S\" { sizes = sizes \"A\", element \"T\" },\n"
                      "stage \"T\" { sizes = sizes \"A\", a }",
                      "no field is named 'T'"),
       "wrong stages are refused");
    stages = "";
}

/* Loads a spec that sums A at coordinates, given a stage S with a row for each element of B. */
static bool gathers(const char *row, const char *sizes, const char *at)
{
    char stage[512], result[256];
    snprintf(stage, sizeof stage, "stage \"S\" { sizes = concat(size(\"B\", 0), 1), %s }", row);
    snprintf(result, sizeof result, "over { sizes = %s, at = { A = %s }, fold = \"sum\", a }", sizes, at);
    stages = stage;
    bool loaded = test_folding_load(result);
    stages = "";
    return loaded;
}

static void test_gatherings(void)
{
    ok(gathers("number * 2 - 1", "filled(2, 1)", "gathered(\"S\", at) + step(filled(2, 1))"),
       "coordinates that a stage holds: %s", error.text);
    test_folding_describe("FLOAT32", 5, 4, 4);
    ok(test_folding_gives((double[]){1, 5, 9, 0}, 4), "  the elements around them, without those outside");
    test_folding_describe("INT32", 5, 4, 4);
    ok(test_folding_gives((double[]){1, 5, 9, 0}, 4), "  in integers");
    gathers("number * 2 - 1", "sizes \"B\"", "gathered(\"S\", step(sizes \"B\"))");
    test_folding_describe("FLOAT32", 5, 4, 1);
    ok(test_folding_gives((double[]){6}, 1), "  of a row for each step");
    gathers("number * 2 - 1", "sizes \"B\"", "gathered(\"S\", step(sizes \"B\") + at * 2)");
    test_folding_describe("FLOAT32", 5, 4, 3);
    ok(test_folding_gives((double[]){6, 4, 0}, 3), "  without the rows that the stage has not");
    gathers("number / 2", "filled(1, 1)", "gathered(\"S\", at) + 0 * step(filled(1, 1))");
    test_folding_describe("FLOAT32", 5, 4, 4);
    ok(test_folding_gives((double[]){1, 0, 2, 0}, 4), "  only where they are whole numbers");
    gathers("choose(eq(number, 1), nan, choose(eq(number, 2), inf, 4))", "filled(1, 1)", "gathered(\"S\", at)");
    test_folding_describe("FLOAT32", 5, 4, 4);
    ok(test_folding_gives((double[]){5, 0, 0, 5}, 4), "  and finite");
    ok(gathers("0", "filled(1, 1)", "gathered(\"B\", filled(0, 0)) + at"), "coordinates that an input holds: %s",
       error.text);
    test_folding_describe("INT32", 5, 1, 4);
    ok(test_folding_gives((double[]){2, 3, 4, 5}, 4), "  moved by the place");
    ok(gathers("choose(eq(number, 0), 1, over { sizes = filled(1, 1), fold = \"sum\", a,\n"
               "  at = { A = gathered(\"S\", prefix(place \"S\", 1) - 1) } })",
               "filled(1, 1)", "gathered(\"S\", at)"),
       "coordinates that earlier elements of the stage hold: %s", error.text);
    test_folding_describe("FLOAT32", 5, 4, 4);
    ok(test_folding_gives((double[]){2, 3, 4, 5}, 4), "  a recurrence");
    ok(!gathers("0", "filled(1, 1)", "gathered(\"Out\", filled(0, 0))") && strstr(error.text, "Out"),
       "an output holds none");
    ok(!gathers("0", "all", "gathered(\"S\", at) + gathered(\"S\", step(all))"), "there is one gathering at most");
    ok(!gathers("0", "all", "gathered(\"S\", gathered(\"S\", at))"), "a row is not found by another one");
    ok(!gathers("0", "all", "gathered(\"S\", at * step(all))"), "the place of a row is linear");
}

static void unlink_all(void)
{
    static const char *const names[] = {"catalogue.lua", "element_wise_identity.lua"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 3;
    test_folding_places();
    test_divisions();
    test_elsewhere();
    test_rows();
    test_folding_bounds();
    test_folding_extremes();
    test_folding_shared();
    test_branches();
    test_placed_branches();
    test_many_folds();
    test_needed_stages();
    test_kept_stages();
    test_stages();
    test_gatherings();
    spec_set_free(&specs);
    unlink_all();
    return tap_done();
}
