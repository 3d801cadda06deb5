/* Outputs with formulas, judged as a whole: strides, broadcast inputs, which elements count, the largest error, and the
 * outcome of the tested behaviour. */
#include "harness/base/working.h"
#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/load/load.h"
#include "harness/spec/outcome.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/assay-computed-XXXXXX";
static struct spec_set specs;

static void test_computed_write_file(const char *name, const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(3);
}

static void test_computed_load(void)
{
    struct error error = {0};
    if (!mkdtemp(folder))
        exit(3);
    test_computed_write_file(
        "catalogue.lua",
        "local types = { \"FLOAT32\", \"FLOAT16\", \"INT8\" }\n"
        "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
        "  fields = { { \"input\", \"A\" }, { \"input\", \"B\" }, { \"output\", \"Out\" } },\n"
        "  levels = { { \"1_0\", A = { types, 1, 8 }, B = { types, 1, 8 }, Out = { types, 1, 8 } } },\n"
        "  same = { { \"DataType\", \"A\", \"B\", \"Out\" } } } } }\n");
    test_computed_write_file("element_wise_identity.lua",
                             "local a, b = element \"A\", element \"B\"\n"
                             "return operator \"ELEMENT_WISE_IDENTITY\" { page = \"X\", parameters = {}, rules = {},\n"
                             "  results = { result \"Out\" { a + b, FLOAT32 = { soft = ulp(1), must = ulp(4) } } },\n"
                             "  behaviours = { behaviour \"adds\" { text = \"a sum\" },\n"
                             "    behaviour \"one\" { strength = \"open\", text = \"where a is 1\", when = eq(a, 1),\n"
                             "      gives = { { \"left\", a }, { \"right\", b } } },\n"
                             "    behaviour \"two\" { strength = \"soft\", text = \"where a is 2\", when = eq(a, 2),\n"
                             "      gives = { { \"nothing\", 0 * b } } } } }\n");
    if (spec_set_load(&specs, folder, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
}

enum { A, B, OUT, ROOM = 64 };

static struct opdesc desc;
static uint8_t memory[3][ROOM * 4], got[ROOM * 4];
static uint8_t *const tensors[] = {memory[A], memory[B], memory[OUT]};

/* A tensor of {2, 3} with the strides; without strides it is packed. */
static void shape(int item, unsigned type, const uint32_t *strides)
{
    struct opdesc_tensor *t = &desc.items[item].tensor;
    *t = (struct opdesc_tensor){.present = true,
                                .has_sizes = true,
                                .has_strides = strides != NULL,
                                .type = DML_TENSOR_TYPE_BUFFER,
                                .data_type = type,
                                .dims = 2,
                                .sizes = {2, 3}};
    if (strides)
        memcpy(t->strides, strides, 2 * sizeof *strides);
    t->total = (uint64_t)opdesc_implied(t);
}

static void shapes(unsigned type, const uint32_t *a, const uint32_t *b, const uint32_t *out)
{
    spec_blank(&specs.specs[0], &desc);
    shape(A, type, a);
    shape(B, type, b);
    shape(OUT, type, out);
    memset(memory, 0, sizeof memory);
}

static void test_computed_put(uint8_t *to, unsigned type, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        datatype_from_double(type, values[i], to + (size_t)i * datatype_of(type)->bits / 8);
}

/* Computes the expected elements, and gives exactly these to the device. */
static void test_computed_run(void)
{
    computed_run(&specs.specs[0], &desc, tensors);
    memcpy(got, memory[OUT], sizeof got);
}

static float test_computed_expected_at(size_t at)
{
    float value;
    memcpy(&value, memory[OUT] + at * sizeof value, sizeof value);
    return value;
}

/* Moves the device's element by so many ULP. */
static void miss(size_t at, int ulps)
{
    int32_t bits;
    memcpy(&bits, got + at * sizeof bits, sizeof bits);
    bits += ulps;
    memcpy(got + at * sizeof bits, &bits, sizeof bits);
}

static struct comparison test_computed_judge(const char *rule, const struct prefill *prefill)
{
    const struct computed_output output = {.spec = &specs.specs[0],
                                           .desc = &desc,
                                           .item = OUT,
                                           .tensors = (const uint8_t *const *)tensors,
                                           .expected = memory[OUT],
                                           .got = got,
                                           .prefill = prefill,
                                           .rule = spec_find_rule(&specs.specs[0], rule)};
    struct comparison comparison;
    computed_compare(&output, &comparison);
    return comparison;
}

static void test_computed_layouts(void)
{
    const uint32_t columns[] = {1, 2}, rows[] = {0, 1}, gaps[] = {5, 1};
    shapes(DML_TENSOR_DATA_TYPE_FLOAT32, columns, rows, gaps);
    test_computed_put(memory[A], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){10, 20, 30, 40, 50, 60}, 6);
    test_computed_put(memory[B], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){3, 4, 5}, 3);
    test_computed_run();
    const float first[] = {13, 34, 55}, second[] = {23, 44, 65};
    ok(memcmp(memory[OUT], first, sizeof first) == 0 &&
           memcmp(memory[OUT] + 5 * sizeof *second, second, sizeof second) == 0,
       "each input has strides of its own, and so has the output");
    ok(test_computed_expected_at(3) == 0 && test_computed_expected_at(4) == 0, "  gaps are left alone");
    struct comparison c = test_computed_judge("adds", NULL);
    ok(c.agreement == AGREES && c.compared == 6 && c.error.measured && c.error.share == 0, "  it agrees with itself");
    memset(got + 3 * sizeof(float), 0x55, 2 * sizeof(float));
    ok(test_computed_judge("adds", NULL).agreement == AGREES, "  gaps are not compared");
    miss(7, 5);
    c = test_computed_judge("adds", NULL);
    ok(c.agreement == DIFFERS && c.wrong == 1 && strcmp(c.first.coordinates, "{1,2}") == 0,
       "  the last element is compared: %s", c.first.coordinates);
}

static void count_one(void *context)
{
    ++*(int *)context;
}

static void test_computed_reports(void)
{
    int reports = 0;
    shapes(DML_TENSOR_DATA_TYPE_FLOAT32, NULL, NULL, NULL);
    working_set(count_one, &reports);
    for (int i = 0; i < 100; i++)
        test_computed_run();
    ok(reports >= 2, "computing 600 elements reports %d times: that time is not the device's", reports);
    reports = 0;
    for (int i = 0; i < 6; i++)
        miss((size_t)i, 1);
    for (int i = 0; i < 100; i++)
        test_computed_judge("adds", NULL);
    ok(reports >= 2, "  and so does judging 600 that are not as expected: %d times", reports);
    working_set(NULL, NULL);
}

static void test_computed_bounds(void)
{
    shapes(DML_TENSOR_DATA_TYPE_FLOAT32, NULL, NULL, NULL);
    test_computed_put(memory[A], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 6);
    test_computed_put(memory[B], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){0.7, 0.8, 0.9, 1.1, 1.2, 1.3}, 6);
    test_computed_run();
    miss(1, 1);
    struct comparison c = test_computed_judge("adds", NULL);
    ok(c.agreement != DIFFERS && c.error.ulps > 0.4 && c.error.ulps < 1.6 && c.error.share > 0.1 && c.error.share < 0.4,
       "one ULP of four: %.3g ULP, %.3g of the bound", c.error.ulps, c.error.share);
    miss(3, -3);
    c = test_computed_judge("adds", NULL);
    ok(c.agreement == AGREES_SOFTLY && c.soft >= 1 && c.wrong == 0 && c.soft_rule == -1,
       "three of four are beyond the soft bound, and not wrong");
    ok(c.error.ulps > 2.4 && c.error.share > 0.6 && c.error.share < 0.9, "  the largest error counts: %.3g ULP, %.3g",
       c.error.ulps, c.error.share);
    miss(4, 6);
    c = test_computed_judge("adds", NULL);
    ok(c.agreement == DIFFERS && c.wrong == 1 && strcmp(c.first.coordinates, "{1,1}") == 0 && c.error.share > 1,
       "six are wrong, and shown rather than an earlier soft one: %s, %.3g of the bound", c.first.coordinates,
       c.error.share);
    ok(c.checksum != 0 && test_computed_judge("adds", NULL).checksum == c.checksum, "  the wrong bits have a checksum");
}

static void test_computed_unwritten(void)
{
    const struct prefill prefill = {.pattern = PREFILL_RANDOM, .key = 7};
    shapes(DML_TENSOR_DATA_TYPE_FLOAT32, NULL, NULL, NULL);
    test_computed_put(memory[A], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){1, 2, 3, 4, 5, 6}, 6);
    test_computed_run();
    element_put(32, got, 2, compare_prefill_element(&prefill, 32, 2));
    struct comparison c = test_computed_judge("adds", &prefill);
    ok(c.wrong == 1 && c.unwritten == 1, "an element that holds what it held before was not written");
    miss(2, 1);
    c = test_computed_judge("adds", &prefill);
    ok(c.wrong == 1 && c.unwritten == 0, "  another wrong value was");
}

static void test_outcomes(void)
{
    shapes(DML_TENSOR_DATA_TYPE_FLOAT32, NULL, NULL, NULL);
    test_computed_put(memory[A], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){1, 5, 1, 5, 1, 5}, 6);
    test_computed_put(memory[B], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){8, 8, 8, 8, 8, 8}, 6);
    test_computed_run();
    struct comparison c = test_computed_judge("one", NULL);
    ok(c.agreement == AGREES && strcmp(c.outcome, "expected") == 0, "the formula's own result: '%s'", c.outcome);
    test_computed_put(got, DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){8, 13, 8, 13, 8, 13}, 6);
    c = test_computed_judge("one", NULL);
    ok(c.agreement == AGREES && strcmp(c.outcome, "right") == 0, "an alternative in all elements: '%s'", c.outcome);
    ok(*test_computed_judge("adds", NULL).outcome == '\0', "  a case of another rule has no outcome");
    test_computed_put(got, DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){8, 13, 1, 13, 8, 13}, 6);
    ok(strcmp(test_computed_judge("one", NULL).outcome, "each") == 0, "several alternatives: '%s'",
       test_computed_judge("one", NULL).outcome);
    test_computed_put(got, DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){3, 13, 3, 13, 3, 13}, 6);
    c = test_computed_judge("one", NULL);
    ok(c.wrong == 3 && strcmp(c.outcome, "other") == 0, "none of them: %d wrong, '%s'", (int)c.wrong, c.outcome);
    test_computed_put(got, DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){9, 8, 9, 13, 9, 13}, 6);
    ok(test_computed_judge("one", NULL).wrong == 1, "an alternative where its condition does not hold is wrong");
    test_computed_put(memory[A], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){2, 5, 2, 5, 2, 5}, 6);
    test_computed_run();
    test_computed_put(got, DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){0, 13, 0, 13, 10, 13}, 6);
    c = test_computed_judge("adds", NULL);
    ok(c.agreement == AGREES_SOFTLY && c.soft == 2 && c.soft_rule == spec_find_rule(&specs.specs[0], "two") &&
           strcmp(c.soft_outcome, "nothing") == 0,
       "a soft alternative names its behaviour: %s", c.soft_outcome);
}

static void test_computed_integers(void)
{
    const unsigned type = DML_TENSOR_DATA_TYPE_INT8;
    shapes(type, NULL, NULL, NULL);
    test_computed_put(memory[A], type, (double[]){100, 5, -100, 7, 3, -128}, 6);
    test_computed_put(memory[B], type, (double[]){100, 5, -100, -7, -4, 127}, 6);
    test_computed_run();
    struct comparison c = test_computed_judge("adds", NULL);
    ok(c.agreement == AGREES && !c.error.measured, "integers wrap, and have no error");
    const int8_t wrapped[] = {-56, 10, 56, 0, -1, -1}, saturated[] = {127, 10, -128, 0, -1, -1};
    ok(memcmp(memory[OUT], wrapped, sizeof wrapped) == 0, "  as expected");
    memcpy(got, saturated, sizeof saturated);
    c = test_computed_judge("adds", NULL);
    ok(c.agreement == AGREES && strcmp(c.outcome, "saturated") == 0, "8 bits may saturate: '%s'", c.outcome);
    got[0] = 0;
    ok(test_computed_judge("adds", NULL).wrong == 1, "  but not become 0");
}

static void test_words(void)
{
    const struct spec *spec = &specs.specs[0];
    unsigned left = outcome_of_word(spec, "left"), nothing = outcome_of_word(spec, "nothing");
    ok(left >= OUTCOME_COUNT && nothing >= OUTCOME_COUNT && left != nothing &&
           strcmp(outcome_word(spec, left), "left") == 0 && strcmp(outcome_word(spec, nothing), "nothing") == 0,
       "outcomes have the words of the operator");
    ok(outcome_of_word(spec, "saturated") == OUTCOME_SATURATED &&
           strcmp(outcome_word(spec, OUTCOME_SATURATED), "saturated") == 0,
       "  and those that all operators have");
    ok(outcome_of_word(spec, "sideways") == OUTCOME_NONE && *outcome_word(spec, 60000) == '\0',
       "  no other word, no other number");
}

static float freely(struct computed_liberty liberty, size_t at)
{
    memset(memory[OUT], 0, sizeof memory[OUT]);
    ok(computed_run_freely(&specs.specs[0], &desc, tensors, &liberty), "a device takes a liberty");
    return test_computed_expected_at(at);
}

static void test_liberties(void)
{
    const struct computed_liberty first = {.choices = CHOICES_OPEN}, second = {.choices = CHOICES_OPEN, .turn = 1},
                                  soft = {.choices = CHOICES_SOFT}, none = {.choices = CHOICES_NONE};
    shapes(DML_TENSOR_DATA_TYPE_FLOAT32, NULL, NULL, NULL);
    test_computed_put(memory[A], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){1, 2, 3, 0x1.8p-24, 1, 1}, 6);
    test_computed_put(memory[B], DML_TENSOR_DATA_TYPE_FLOAT32, (double[]){8, 8, 8, 1, 8, 8}, 6);
    ok(freely(first, 0) == 1, "  the first alternative of an open behaviour");
    ok(freely(second, 0) == 8, "  its second");
    ok(freely(first, 1) == 10 && freely(first, 2) == 11, "  no other behaviour, and no other element");
    ok(freely((struct computed_liberty){.choices = CHOICES_OPEN, .turn = 2}, 0) == 1, "  and round again");
    ok(freely(soft, 1) == 0 && freely(soft, 0) == 9, "  that of a soft behaviour");
    ok(freely(none, 0) == 9 && freely(none, 1) == 10, "  none");
    const struct computed_liberty halves = {.rounds = DML_TENSOR_DATA_TYPE_FLOAT16};
    ok(freely(none, 3) == 1 + 0x1p-23F && freely(halves, 3) == 1, "  each operation rounds to a smaller type");
}

int main(void)
{
    test_computed_load();
    test_liberties();
    test_computed_reports();
    test_computed_layouts();
    test_computed_bounds();
    test_computed_unwritten();
    test_outcomes();
    test_computed_integers();
    test_words();
    spec_set_free(&specs);
    return tap_done();
}
