/* Formulas that see more than the elements at one place: blocks and arrays of inputs, other outputs, whole inputs, the
 * number of the element, fused activations; with the specs of operators that need them. */
#include "harness/base/datatype.h"
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/trial/computed.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 };

static struct spec_set specs;
static struct opdesc desc;
static const struct spec *spec;
static uint8_t memory[OPDESC_MAX_TENSORS][ROOM], expected[OPDESC_MAX_TENSORS][ROOM];
static uint8_t *tensors[OPDESC_MAX_TENSORS];

static void test_computed_words_describe(const char *text)
{
    struct error error = {0};
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
    spec = &specs.specs[desc.op];
    memset(memory, 0, sizeof memory);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        tensors[i] = i < desc.tensor_count ? memory[i] : NULL;
}

static void test_computed_words_put(int item, uint64_t at, double value)
{
    uint64_t bits = 0;
    datatype_from_double(desc.items[item].tensor.data_type, value, &bits);
    element_put(datatype_of(desc.items[item].tensor.data_type)->bits, memory[item], at, bits);
}

static void test_computed_words_fill(int item, const double *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        test_computed_words_put(item, i, values[i]);
}

static double test_computed_words_at(int item, uint64_t index)
{
    uint64_t bits = element_get(datatype_of(desc.items[item].tensor.data_type)->bits, memory[item], index);
    return datatype_to_double(desc.items[item].tensor.data_type, &bits);
}

static void test_computed_words_run(void)
{
    computed_run(spec, &desc, tensors);
    memcpy(expected, memory, sizeof memory);
}

static bool are(int item, const double *values, uint64_t count, double tolerance)
{
    bool good = true;
    for (uint64_t i = 0; i < count; i++)
        if (!(fabs(test_computed_words_at(item, i) - values[i]) <= tolerance)) {
            note("element %llu is %.9g, not %.9g", (unsigned long long)i, test_computed_words_at(item, i), values[i]);
            good = false;
        }
    return good;
}

/* Judges the memory as a device left it. */
static struct comparison test_computed_words_judge(int item)
{
    const struct computed_output output = {.spec = spec,
                                           .desc = &desc,
                                           .item = item,
                                           .tensors = (const uint8_t *const *)tensors,
                                           .expected = expected[item],
                                           .got = memory[item],
                                           .rule = -1};
    struct comparison comparison;
    computed_compare(&output, &comparison);
    return comparison;
}

static void test_outputs(void)
{
    test_computed_words_describe(
        "DYNAMIC_QUANTIZE_LINEAR InputTensor=FLOAT32[4] OutputTensor=UINT8[4] OutputScaleTensor=FLOAT32[1] "
        "OutputZeroPointTensor=UINT8[1]");
    test_computed_words_fill(0, (double[]){0, 2, -3, 1.5}, 4);
    test_computed_words_run();
    ok(are(1, (double[]){153, 255, 0, 229}, 4, 1) && are(2, (double[]){5.0 / 255}, 1, 1e-8) &&
           are(3, (double[]){153}, 1, 0),
       "an output is computed from other outputs, and those from a whole input");
    ok(test_computed_words_judge(1).agreement == AGREES && test_computed_words_judge(2).agreement == AGREES &&
           test_computed_words_judge(3).agreement == AGREES,
       "  all are right");
    test_computed_words_put(2, 0, 10.0 / 255);
    ok(test_computed_words_judge(2).agreement == DIFFERS, "a wrong scale is wrong");
    ok(test_computed_words_judge(1).agreement == DIFFERS && test_computed_words_judge(1).wrong == 3,
       "  and so is what does not fit it, though as expected: %llu",
       (unsigned long long)test_computed_words_judge(1).wrong);
    test_computed_words_fill(1, (double[]){153, 204, 76, 191}, 4);
    ok(test_computed_words_judge(1).agreement == AGREES, "  while what fits the device's own scale is right");
    test_computed_words_put(0, 3, (double)NAN);
    ok(test_computed_words_judge(2).agreement != DIFFERS, "a NaN anywhere leaves the scale open");
}

static void test_blocks(void)
{
    test_computed_words_describe(
        "QUANTIZE InputTensor=FLOAT32[2,4] QuantizationType=SCALE_ZERO_POINT QuantizationTensorCount=2 "
        "QuantizationTensors=[FLOAT32[1,2],INT4[1,2]] OutputTensor=INT4[2,4]");
    int scale = spec_item(spec, spec_find_field(spec, "QuantizationTensors")), out = desc.tensor_count - 1;
    test_computed_words_fill(0, (double[]){1, 2, 3, 4, -1, -2, -3, -100}, 8);
    test_computed_words_fill(scale, (double[]){1, 2}, 2);
    test_computed_words_fill(scale + 1, (double[]){0, 1}, 2);
    test_computed_words_run();
    ok(are(out, (double[]){1, 2, 3, 3, -1, -2, -1, -8}, 8, 0), "an input of fewer elements has one for each block");
    ok(test_computed_words_judge(out).agreement == AGREES, "  next to a tie: as expected");
    test_computed_words_put(out, 2, 2);
    ok(test_computed_words_judge(out).agreement == AGREES_SOFTLY, "  the other integer of a tie (3 / 2 + 1) is soft");
    test_computed_words_put(out, 1, 3);
    ok(test_computed_words_judge(out).agreement == AGREES_SOFTLY && test_computed_words_judge(out).soft == 2,
       "  and so is one more elsewhere");
    test_computed_words_put(out, 1, 4);
    ok(test_computed_words_judge(out).agreement == DIFFERS, "  but not two more");
}

static void test_numbers(void)
{
    test_computed_words_describe(
        "FILL_VALUE_SEQUENCE OutputTensor=INT8[2,3]:strides[1,2] ValueDataType=INT8 ValueStart=INT8(5) "
        "ValueDelta=INT8(-2)");
    test_computed_words_run();
    ok(are(0, (double[]){5, -1, 3, -3, 1, -5}, 6, 0), "the number of an element is that of its coordinates");
}

static void test_activations(void)
{
    static const struct {
        const char *text;
        double y[3];
    } cases[] = {
        {"null", {-1, 0.5, 3}},
        {"ACTIVATION_RELU()", {0, 0.5, 3}},
        {"ACTIVATION_LINEAR(Alpha=2,Beta=1)", {-1, 2, 7}},
        {"ACTIVATION_ELU(Alpha=0.5)", {-0.31606028, 0.5, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "ELEMENT_WISE_ADD1 ATensor=FLOAT32[3] BTensor=FLOAT32[3] OutputTensor=FLOAT32[3] FusedActivation=%s",
                 cases[i].text);
        test_computed_words_describe(text);
        test_computed_words_fill(0, (double[]){-2, 0.25, 1}, 3);
        test_computed_words_fill(1, (double[]){1, 0.25, 2}, 3);
        test_computed_words_run();
        ok(are(2, cases[i].y, 3, 1e-7) && test_computed_words_judge(2).agreement == AGREES, "FusedActivation=%s",
           cases[i].text);
        test_computed_words_put(2, 2, cases[i].y[2] * (1 + 0x1p-20));
        ok(test_computed_words_judge(2).agreement == DIFFERS, "  8 ULP are too many");
    }
}

int main(void)
{
    struct error error = {0};
    if (kept_specs(&specs, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        return 3;
    }
    test_outputs();
    test_blocks();
    test_numbers();
    test_activations();
    spec_set_free(&specs);
    return tap_done();
}
