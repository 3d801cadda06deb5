/* Folds: windows with padding, products of two inputs, a fold within another, also of other places, long rows; the
 * bounds of folds; ties and NaNs. */
#include "harness/base/datatype.h"
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/trial/computed.h"
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

/* Loads a spec with the inputs A and B and the output Out, one-dimensional, and this result. */
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
            "  results = { result \"Out\" { %s } } }\n",
            result);
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
    spec_set_free(&specs);
    unlink_all();
    return tap_done();
}
