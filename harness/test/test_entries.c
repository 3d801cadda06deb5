/* Entries of arrays of FLOATs, and of operator descriptions, in formulas: the entry that a coordinate chooses,
 * coordinates past the end, FLOAT16 rounding. */
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/formula/operands.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/assay-entries-XXXXXX";
static struct spec_set specs;
static struct error error;
static struct opdesc desc;

static void test_entries_write_file(const char *name, const char *text, const char *result)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(3);
    fprintf(file, text, result);
    fclose(file);
}

/* Loads a spec with the input A, the output Out, an array of FLOATs, and this result. */
static bool test_entries_load(const char *result)
{
    test_entries_write_file(
        "catalogue.lua",
        "local row = { { \"FLOAT32\", \"FLOAT16\" }, 1, 8 }\n"
        "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
        "  fields = { { \"input\", \"A\" }, { \"output\", \"Out\" }, { \"uint\", \"Count\" },\n"
        "    { \"floats\", \"List\", count = \"Count\" }, { \"float\", \"Factor\" }, { \"uint\", \"Few\" },\n"
        "    { \"operators\", \"Descs\", count = \"Few\" } },\n"
        "  levels = { { \"1_0\", A = row, Out = row } }, same = { { \"DataType\", \"A\", \"Out\" } } },\n"
        "  { name = \"ELEMENT_WISE_ABS\", ordinal = 2, since = \"1_0\", fields = { { \"input\", \"InputTensor\" },\n"
        "    { \"output\", \"OutputTensor\" }, { \"float\", \"Alpha\" } },\n"
        "    levels = { { \"1_0\", InputTensor = row, OutputTensor = row } } } } } -- %s\n",
        "");
    test_entries_write_file("element_wise_identity.lua",
                            "local a = element \"A\"\n"
                            "return operator \"ELEMENT_WISE_IDENTITY\" { page = \"X\", parameters = {}, rules = {},\n"
                            "  results = { result \"Out\" { %s } } }\n",
                            result);
    spec_set_free(&specs);
    error = (struct error){0};
    return spec_set_load(&specs, folder, &error) == 0;
}

static void test_entries_describe(const char *list)
{
    char text[256];
    snprintf(text, sizeof text, "ELEMENT_WISE_IDENTITY A=FLOAT32[2,3] Out=FLOAT32[2,3] %s%s Factor=1", list,
             strstr(list, "Few") ? "" : " Few=0 Descs=null");
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
}

static bool test_entries_gives(const float right[6])
{
    float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {(uint8_t *)in, (uint8_t *)out};
    bool good = true;
    computed_run(&specs.specs[0], &desc, tensors);
    for (int i = 0; i < 6; i++)
        good &= out[i] == right[i] || (isnan(out[i]) && isnan(right[i]));
    return good;
}

static void test_entries_values(void)
{
    ok(test_entries_load("a + entry(\"List\", coordinate(-1))"), "an entry by the last coordinate: %s", error.text);
    test_entries_describe("Count=3 List=[10,20.5,-30]");
    ok(test_entries_gives((const float[]){11, 22.5f, -27, 14, 25.5f, -24}), "  is added");
    test_entries_describe("Count=2 List=[10,20.5]");
    ok(test_entries_gives((const float[]){11, 22.5f, NAN, 14, 25.5f, NAN}), "  past the end it is a NaN");
    test_entries_describe("Count=2 List=null");
    ok(test_entries_gives((const float[]){NAN, NAN, NAN, NAN, NAN, NAN}), "  and so it is without an array");
    test_entries_load("entry(\"List\", coordinate(-2) - 1)");
    test_entries_describe("Count=1 List=[7]");
    ok(test_entries_gives((const float[]){NAN, NAN, NAN, 7, 7, 7}), "and before the begin");
    test_entries_load("entry(\"List\", 1)");
    test_entries_describe("Count=2 List=[1,0.3]");
    struct formula_reals reals = {0};
    struct formula_integers integers = {0};
    operands_of(&specs.specs[0], &desc, DML_TENSOR_DATA_TYPE_FLOAT32, &reals, &integers);
    const struct formula *formula = &specs.specs[0].results[0].value;
    ok(formula_real(formula, &reals) == (double)0.3f, "an entry is a FLOAT");
    reals.attributes_halved = true;
    ok(formula_real(formula, &reals) == 0.300048828125, "  which may be rounded to FLOAT16");
    ok(strcmp(formula->text, "List[1]") == 0, "  its text");
}

static void test_entries_nested(void)
{
    ok(test_entries_load("a + member_of(\"Descs\", coordinate(-1) - 1, \"ELEMENT_WISE_ABS\", \"Alpha\")"),
       "a FLOAT of a description in an array, by the last coordinate: %s", error.text);
    test_entries_describe("Count=0 List=[] Few=2 Descs=[ELEMENT_WISE_ABS(Alpha=0.5),ELEMENT_WISE_ABS(Alpha=8)]");
    ok(test_entries_gives((const float[]){NAN, 2.5f, 11, NAN, 5.5f, 14}), "  is added; before the begin it is a NaN");
    test_entries_describe("Count=0 List=[] Few=1 Descs=[ELEMENT_WISE_ABS(Alpha=0.5)]");
    ok(test_entries_gives((const float[]){NAN, 2.5f, NAN, NAN, 5.5f, NAN}), "  past the end it is a NaN");
    ok(test_entries_load("type_of(\"Descs\", 0) + 0 * a"), "the type of a description: %s", error.text);
    test_entries_describe("Count=0 List=[] Few=1 Descs=[ELEMENT_WISE_ABS(Alpha=0.5)]");
    const float number = (float)DML_OPERATOR_ELEMENT_WISE_ABS;
    ok(test_entries_gives((const float[]){number, number, number, number, number, number}), "  is a number");
    ok(strcmp(specs.specs[0].results[0].value.text, "Descs[0].Type + 0 * A") == 0, "  its text: %s",
       specs.specs[0].results[0].value.text);
}

/* Compares outputs with the formula's results of inputs 1 to 6. */
static enum agreement test_entries_agreement(const float got[6], bool half)
{
    float in[6] = {1, 2, 3, 4, 5, 6}, right[6];
    uint8_t *const tensors[OPDESC_MAX_TENSORS] = {(uint8_t *)in, (uint8_t *)right};
    computed_run(&specs.specs[0], &desc, tensors);
    struct computed_output output = {.spec = &specs.specs[0],
                                     .desc = &desc,
                                     .item = 1,
                                     .tensors = (const uint8_t *const *)tensors,
                                     .expected = (const uint8_t *)right,
                                     .got = (const uint8_t *)got,
                                     .rule = -1,
                                     .half = half};
    struct comparison comparison;
    computed_compare(&output, &comparison);
    return comparison.agreement;
}

static void test_entries_tolerances(void)
{
    test_entries_load("a, FLOAT32 = coordinate(-1)");
    test_entries_describe("Count=1 List=[1]");
    ok(test_entries_agreement((const float[]){1, 3, 5, 4, 4, 8}, false) == AGREES,
       "a tolerance by the last coordinate");
    ok(test_entries_agreement((const float[]){1, 2, 3, 4.5f, 5, 6}, false) == DIFFERS,
       "  which is 0 in the first column");
    test_entries_load("a, FLOAT32 = number");
    test_entries_describe("Count=1 List=[1]");
    ok(test_entries_agreement((const float[]){1, 3, 5, 7, 9, 11}, false) == AGREES,
       "a tolerance by the number of the element");
}

static void test_half(void)
{
    const float got[6] = {1, 2, 3, 4, 5, 6};
    test_entries_load("a * entry(\"List\", 0), FLOAT32 = 0, FLOAT16 = ulp(1)");
    test_entries_describe("Count=1 List=[1.0002]");
    ok(test_entries_agreement(got, false) == DIFFERS, "a rounded entry is wrong");
    ok(test_entries_agreement(got, true) == AGREES, "  but right in half precision");
}

static void test_entries_fails(const char *result, const char *says)
{
    bool loaded = test_entries_load(result);
    if (!ok(!loaded && strstr(error.text, says), "%s: %s", result, says))
        note("%s", error.text);
}

static void test_entries_errors(void)
{
    test_entries_fails("entry(\"Count\", 0)", "'Count' is no array of FLOATs");
    test_entries_fails("entry(\"Factor\", 0)", "'Factor' is no array of FLOATs");
    test_entries_fails("entry(\"Nothing\", 0)", "no field is named 'Nothing'");
    test_entries_fails("type_of(\"List\", 0)", "'List' is no array of operator descriptions");
    test_entries_fails("member_of(\"Descs\", 0, \"ELEMENT_WISE_ABS\", \"Beta\")", "the activation has no FLOAT 'Beta'");
    test_entries_fails("member_of(\"Descs\", 0, \"NOTHING\", \"Alpha\")", "'NOTHING' is no operator");
    test_entries_fails("entry(1, 0)", "entry: expected a list, or the name of an array of FLOATs");
    test_entries_fails("entry(\"List\", \"A\")", "entry: expected a number or a formula");
    test_entries_fails("entry(sizes \"A\", 0)", "no field is named ''");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 3;
    test_entries_values();
    test_entries_nested();
    test_entries_tolerances();
    test_half();
    test_entries_errors();
    spec_set_free(&specs);
    static const char *const names[] = {"catalogue.lua", "element_wise_identity.lua"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return tap_done();
}
