/* Formulas: their values in real numbers and in integers, their texts, and the values that they take if rounding inside
 * of them is allowed, compared with a thousand places. */
#include "harness/base/random.h"
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/formula/formula_image.h"
#include "harness/formula/operands.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/assay-formula-XXXXXX";
static struct spec_set specs;
static struct error error;

/* Loads a spec with the inputs A and B, the attribute Axis and the output Out, all of `type`, and this result. */
static bool test_formula_load(const char *type, const char *result)
{
    char path[64];
    snprintf(path, sizeof path, "%s/catalogue.lua", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(3);
    fprintf(
        file,
        "local row = { { %s }, 1, 8 }\n"
        "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
        "  fields = { { \"input\", \"A\" }, { \"input\", \"B\" }, { \"output\", \"Out\" }, { \"uint\", \"Axis\" },\n"
        "    { \"float\", \"Min\" }, { \"scale_bias\", \"ScaleBias\", optional = true } },\n"
        "  levels = { { \"1_0\", A = row, B = row, Out = row } },\n"
        "  same = { { \"DataType\", \"A\", \"B\", \"Out\" } } } } }\n",
        type);
    fclose(file);
    snprintf(path, sizeof path, "%s/element_wise_identity.lua", folder);
    file = fopen(path, "w");
    if (!file)
        exit(3);
    fprintf(file,
            "local a, b, axis = element \"A\", element \"B\", attribute \"Axis\"\n"
            "return operator \"ELEMENT_WISE_IDENTITY\" { page = \"X\", parameters = {}, rules = {},\n"
            "  results = { result \"Out\" { %s } } }\n",
            result);
    fclose(file);
    spec_set_free(&specs);
    error = (struct error){0};
    return spec_set_load(&specs, folder, &error) == 0;
}

static const struct formula *formula(void)
{
    return &specs.specs[0].results[0].value;
}

/* ---- values */

static void test_real(const char *text, double a, double b, double right)
{
    struct formula_reals of = {.type = DML_TENSOR_DATA_TYPE_FLOAT32, .elements = {a, b}, .attributes = {[3] = 2}};
    if (!ok(test_formula_load("\"FLOAT32\"", text), "%s loads: %s", text, error.text))
        return;
    double value = formula_real(formula(), &of);
    ok(value == right || (isnan(value) && isnan(right)) || fabs(value - right) <= 1e-15 * fabs(right),
       "%s of %g and %g is %.17g (%.17g)", text, a, b, right, value);
}

static void test_reals(void)
{
    const double pi = 3.14159265358979323846, e = 2.71828182845904523536, nan = (double)NAN, inf = (double)INFINITY;
    test_real("a + b * 3 - 1", 2, 5, 16);
    test_real("(a + b) / -axis", 2, 5, -3.5);
    test_real("abs(a) + min(a, b) * max(a, b)", -2, 5, -8);
    test_real("min(a, b)", nan, 5, 5);
    test_real("sqrt(a)", 2, 0, 1.41421356237309504880);
    test_real("exp(a) - expm1(a)", 1, 0, 1);
    test_real("log(a) + log1p(b)", e, e - 1, 2);
    test_real("sin(a) + cos(a)", pi / 6, 0, 0.5 + 0.86602540378443864676);
    test_real("tan(a)", pi / 4, 0, 1);
    test_real("asin(a) + acos(a)", 0.3, 0, pi / 2);
    test_real("atan(a) * 4", 1, 0, pi);
    test_real("atan2(a, b)", 1, -1, 3 * pi / 4);
    test_real("cosh(a) * cosh(a) - sinh(a) * sinh(a)", 0.5, 0, 1);
    test_real("tanh(atanh(a))", 0.75, 0, 0.75);
    test_real("asinh(a) - acosh(b)", 0, 1, 0);
    test_real("erf(a)", 0.5, 0, 0.52049987781304653768);
    test_real("pow(a, b)", -2, 3, -8);
    test_real("pow(a, b)", -8, 0.5, nan);
    test_real("round_even(a) + round_even(b)", 2.5, 3.5, 6);
    test_real("round_even(a) + round_even(b)", -2.5, 0.49999999999999994, -2);
    test_real("round_away(a) + trunc(b)", 2.5, -2.9, 1);
    test_real("floor(a) + ceil(b)", -0.5, -0.5, -1);
    test_real("choose(lt(a, b), a, b)", 1, nan, nan);
    test_real("choose(is_nan(b), a, b)", 1, nan, 1);
    test_real("choose(negated(either(eq(a, b), is_inf(b))), 7, 8)", 1, inf, 8);
    test_real("both(gt(a, b), ge(a, 1)) + ne(a, b) + le(a, b)", 1, 0, 2);
    test_real("within(a, b)", 1, 5, 1);
    test_real("spacing(a)", 1, 0, 0x1p-23);
    test_real("spacing(a)", 0, 0, 0x1p-149);
    test_real("u * largest", 0, 0, 0x1p-24 * 3.4028234663852886e38);
    test_real("y", 1, 1, 0);
}

static void test_whole(const char *text, int64_t a, int64_t b, bool defined, int64_t right)
{
    struct formula_integers of = {.type = DML_TENSOR_DATA_TYPE_INT64, .elements = {a, b}, .attributes = {[3] = 2}};
    formula_integer value;
    if (!ok(test_formula_load("\"INT64\", \"UINT8\"", text), "%s loads: %s", text, error.text))
        return;
    ok(formula_whole(formula(), &of, &value) == defined && (!defined || value == right),
       defined ? "%s of %lld and %lld is %lld" : "%s of %lld and %lld is undefined", text, (long long)a, (long long)b,
       (long long)right);
}

/* The description that formulas see. */
static void test_operands(void)
{
    struct formula_reals reals = {0};
    struct formula_integers integers = {0};
    struct opdesc desc;
    formula_integer whole;
    if (!ok(test_formula_load("\"INT8\", \"FLOAT16\"",
                              "cast \"Min\" + attribute \"ScaleBias\" * 10 + bias \"ScaleBias\" + axis"),
            "attributes %s", error.text))
        return;
    const struct spec *spec = &specs.specs[0];
    const char *text = "ELEMENT_WISE_IDENTITY A=INT8[1] B=INT8[1] Out=INT8[1] Axis=2 Min=-1.9 ScaleBias=[3,0.5]";
    ok(desc_text_parse(&specs, text, &desc, &error) == 0, "%s %s", text, error.text);
    operands_of(spec, &desc, DML_TENSOR_DATA_TYPE_FLOAT16, &reals, &integers);
    ok(formula_real(formula(), &reals) == -1.900390625 + 30 + 0.5 + 2, "a limit is rounded to FLOAT16");
    operands_of(spec, &desc, DML_TENSOR_DATA_TYPE_INT8, &reals, &integers);
    ok(!formula_whole(formula(), &integers, &whole), "a Bias with a fraction has no value in integers");
    desc.values[5].scale_bias.bias = 4;
    desc.values[4].real = -3e38F;
    operands_of(spec, &desc, DML_TENSOR_DATA_TYPE_INT8, &reals, &integers);
    ok(formula_whole(formula(), &integers, &whole) && whole == -128 + 30 + 4 + 2, "a limit saturates in INT8");
    ok(reals.present == 0x3f && reals.floats == 0 && integers.present == reals.present, "all fields are given");
    OPDESC_TENSOR(&desc, 1)->data_type = DML_TENSOR_DATA_TYPE_FLOAT16;
    desc.given &= ~(1u << 5);
    operands_of(spec, &desc, DML_TENSOR_DATA_TYPE_INT8, &reals, &integers);
    ok(reals.floats == 2 && integers.floats == 2 && reals.present == 0x1f, "a tensor of floats; no ScaleBias");
}

static void test_formula_integers(void)
{
    test_whole("saturate(a + b) - a + fits(a) * 10 + fits(a + b)", INT64_MAX, 1, true, 10);
    test_whole("saturate(a * b)", INT64_MIN, 3, true, INT64_MIN);
    test_whole("wrapped(a + b)", INT64_MAX, 1, true, INT64_MIN);
    test_whole("within(a, b) + spacing(a) + u", 5, 7, true, 6);
    test_whole("is_float \"A\" + ~a", 5, 7, true, -6);
    test_whole("a * b + axis", -3, 5, true, -13);
    test_whole("a / b", -7, 2, true, -3);
    test_whole("a / b", 7, 0, false, 0);
    test_whole("choose(eq(b, 0), 9, a / b)", 7, 0, true, 9);
    test_whole("choose(eq(b, 0), 9, a / b)", 7, 2, true, 3);
    test_whole("pow(a, b)", -3, 5, true, -243);
    test_whole("pow(a, b)", 3, -1, false, 0);
    test_whole("pow(a, b)", -1, INT64_MAX, true, -1);
    test_whole("pow(a, b)", 0, INT64_MAX, true, 0);
    test_whole("wrapped(pow(a, b)) + gt(pow(a, b), largest)", 3, 81, true, -5278486589563110205 + 1);
    test_whole("wrapped(pow(a, b)) + lt(pow(a, b), lowest)", -3, 81, true, 5278486589563110205 + 1);
    test_whole("pow(a, b) * 0 + wrapped(pow(a, b)) + lt(pow(a, b), lowest)", -2, 201, true, 1);
    test_whole("(a & b) + (a | b) - (a ~ b)", 12, 10, true, 8 + 14 - 6);
    test_whole("a << b", 3, 7, true, 384);
    test_whole("a >> b", 384, 7, true, 3);
    test_whole("a >> b", 384, 128, false, 0);
    test_whole("bit_count(a)", 255, 0, true, 8);
    test_whole("min(a, b) - max(a, b) + abs(a) - -b", -4, 9, true, -13 + 4 + 9);
    test_whole("lt(a, b) + le(a, a) + both(a, 0) + either(a, 0) + negated(b)", 1, 2, true, 3);
    test_whole("floor(a) + round_even(b) + is_nan(a)", 5, 6, true, 11);
    test_whole("lt(a, inf) + lt(-inf, a)", 5, 0, true, 2);
    test_whole("a + nan", 5, 0, false, 0);
}

/* ---- texts and errors */

static void test_texts(void)
{
    static const char *const same[] = {"(A + B) * 2 - (A - B)", "A / (B * 2)", "-(A + B)", "sqrt(abs(A))"};
    static const char *const written[] = {"(a + b) * 2 - (a - b)", "a / (b * 2)", "-(a + b)", "sqrt(abs(a))"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ok(test_formula_load("\"FLOAT32\"", written[i]) && strcmp(formula()->text, same[i]) == 0, "the text is %s",
           same[i]);
    ok(test_formula_load("\"FLOAT32\"", "sqrt(a + b) * sqrt(a + b)") && formula()->count == 5,
       "an operation that occurs twice is done once");
}

static void test_formula_fails(const char *type, const char *result, const char *says)
{
    bool loaded = test_formula_load(type, result);
    ok(!loaded && strstr(error.text, says) && !strchr(error.text, '\n'), "%s: %s", result, says);
    if (loaded || !strstr(error.text, says))
        note("%s", error.text);
}

static void test_formula_errors(void)
{
    test_formula_fails("\"FLOAT32\"", "element \"Out\"", "'Out' is not an input");
    test_formula_fails("\"FLOAT32\"", "element \"C\"", "no field is named 'C'");
    test_formula_fails("\"FLOAT32\"", "attr \"Axis\"", "expected a formula");
    test_formula_fails("\"FLOAT32\"", "sqrt(attribute \"A\")", "'A' is not a number");
    test_formula_fails("\"FLOAT32\"", "{}", "expected a formula");
    test_formula_fails("\"FLOAT32\"", "sqrt(a, b)", "sqrt: expected 1 operands, got 2");
    test_formula_fails("\"FLOAT32\"", "sqrt \"A\"", "sqrt: expected a number or a formula, got string");
    test_formula_fails("\"FLOAT32\"", "a << b", "'shift_left' has no meaning for real numbers");
    test_formula_fails("\"INT32\"", "sqrt(a)", "'sqrt' has no meaning for integers");
    test_formula_fails("\"FLOAT32\"", "a, bits = true, FLOAT32 = {}", "expected a formula, or { soft =, must = }");
    test_formula_fails("\"FLOAT32\"", "a, zeros = \"both\"", "zeros: 'both' is not one of its words");
    test_formula_fails("\"FLOAT32\"", "term(4)", "term: expected a number below 4");
}

/* ---- images */

/* Checks that the image holds every value that a thousand places of WITHIN give, and ends at such values. */
static void test_image(const char *text, double a, double b, int pieces)
{
    struct formula_reals of = {.type = DML_TENSOR_DATA_TYPE_FLOAT32, .elements = {a, b}, .attributes = {[3] = 2}};
    struct formula_image image;
    bool inside = true;
    double low = INFINITY, high = -INFINITY;
    if (!ok(test_formula_load("\"FLOAT32\"", text), "%s loads: %s", text, error.text))
        return;
    formula_image(formula(), &of, &image);
    for (int i = -1000; i <= 1000; i++) {
        bool found = false;
        of.shift = i / 1000.0;
        double value = formula_real(formula(), &of), slack = 1e-6 * fabs(b);
        for (int p = 0; p < image.count; p++)
            found |= isnan(value) ? isnan(image.pieces[p].low)
                                  : value >= image.pieces[p].low - slack * slack &&
                                        value <= image.pieces[p].high + slack * slack;
        inside &= found;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    ok(inside, "%s around %g: all values are in the image", text, a);
    double least = INFINITY, most = -INFINITY;
    for (int p = 0; p < image.count; p++) {
        least = fmin(least, image.pieces[p].low);
        most = fmax(most, image.pieces[p].high);
    }
    ok(fabs(least - low) <= 0.002 * fabs(b) && fabs(most - high) <= 0.002 * fabs(b) && image.count == pieces,
       "%s around %g: the image is from %g to %g, in %d pieces (%g to %g in %d)", text, a, low, high, pieces, least,
       most, image.count);
}

/* Checks the ends of the first pieces of the image of a formula around `a`, 0.25 to both sides. */
static void test_pieces(const char *text, double a, int count, const double ends[][2])
{
    struct formula_reals of = {.type = DML_TENSOR_DATA_TYPE_FLOAT32, .elements = {a, 0.25}};
    struct formula_image image;
    bool right = test_formula_load("\"FLOAT32\"", text);
    if (right) {
        formula_image(formula(), &of, &image);
        right = image.count == count;
        for (int i = 0; i < image.count; i++)
            note("%.9g to %.9g", image.pieces[i].low, image.pieces[i].high);
        for (int i = 0; right && i < count; i++) {
            const double got[] = {image.pieces[i].low, image.pieces[i].high};
            for (int end = 0; end < 2; end++)
                right &= isnan(ends[i][end]) ? isnan(got[end]) != 0
                                             : got[end] == ends[i][end] || fabs(got[end] - ends[i][end]) < 1e-6;
        }
    }
    ok(right, "%s around %g: %d pieces", text, a, count);
}

static void test_poles(void)
{
    const double inf = INFINITY, nan = (double)NAN;
    test_pieces("1 / within(a, b)", 0.05, 2, (const double[][2]){{-inf, -5}, {1 / 0.3, inf}});
    test_pieces("1 / (within(a, b) * 3 + 1)", -0.3, 2, (const double[][2]){{-inf, -1 / 0.65}, {1 / 0.85, inf}});
    test_pieces("1 / within(a, b)", 1, 1, (const double[][2]){{0.8, 1 / 0.75}});
    test_pieces("(a - a) / within(a, b)", 0.05, 3, (const double[][2]){{0, 0}, {nan, nan}, {0, 0}});
    test_pieces("within(a, b) / within(a, b)", 0.05, 3, (const double[][2]){{1, 1}, {nan, nan}, {1, 1}});
    test_pieces("pow(within(a, b), -1)", 0.05, 2, (const double[][2]){{-inf, -5}, {1 / 0.3, inf}});
    test_pieces("pow(within(a, b), -2)", 0.05, 1, (const double[][2]){{1 / 0.09, inf}});
    test_pieces("log(within(a, b) * 3 + 1)", -0.3, 2, (const double[][2]){{nan, nan}, {-inf, log(0.85)}});
    test_pieces("1 / (1 + exp(-1 / within(a, b)))", 0.05, 2,
                (const double[][2]){{0, 1 / (1 + exp(5))}, {1 / (1 + exp(-1 / 0.3)), 1}});
    test_pieces("tan(within(a, b))", 1.5, 2, (const double[][2]){{tan(1.25), inf}, {-inf, tan(1.75)}});
    test_pieces("log(within(a, b / 0 - b / 0))", 2, 3, (const double[][2]){{nan, nan}, {log(2), log(2)}, {nan, nan}});
    test_pieces("tan(within(a, b * 800))", 1.5, 2, (const double[][2]){{tan(-198.5), inf}, {-inf, inf}});
    test_pieces("atanh(within(a, b))", 0.9, 2, (const double[][2]){{atanh(0.65), inf}, {nan, nan}});
    test_pieces("atan2(within(a, b), -1)", 0.05, 2,
                (const double[][2]){{-M_PI, atan2(-0.2, -1)}, {atan2(0.3, -1), M_PI}});
    test_pieces("choose(eq(within(a, b), 1), 7, 2)", 1.1, 3, (const double[][2]){{2, 2}, {7, 7}, {2, 2}});
    test_pieces("choose(ne(within(a, b) * 2, 1), 7, 2)", 0.45, 3, (const double[][2]){{7, 7}, {2, 2}, {7, 7}});
    test_pieces("choose(eq(within(a, b), 1), 7, 2)", 2, 1, (const double[][2]){{2, 2}});
    test_pieces("eq(pow(within(a, b), 2), 1)", 1.1, 3, (const double[][2]){{0, 0}, {1, 1}, {0, 0}});
}

static void test_images(void)
{
    test_image("within(a, b) * 2", 1, 0.25, 1);
    test_image("abs(within(a, b))", 0.1, 0.25, 1);
    test_image("within(a, b) * within(a, b)", 0.1, 0.25, 1);
    test_image("max(0, within(a, b))", 0.1, 0.25, 1);
    test_image("choose(gt(within(a, b), 1), within(a, b), 0)", 1.1, 0.25, 2);
    test_image("choose(gt(within(a, b), 1), within(a, b), 0)", 2, 0.25, 1);
    test_image("round_even(within(a, b))", 2.5, 0.25, 1);
    test_image("sqrt(within(a, b))", 0.1, 0.25, 2); /* a NaN below 0 */
    test_image("1 / (1 + exp(-within(a, b)))", 1, 0.25, 1);
    test_image("within(a, b) * (1 + erf(within(a, b) / 1.4))", -0.1, 8, 1); /* a turn between the samples */
    test_image("within(a, b) * (1 + erf(within(a, b) / 1.4))", -0.1, 1000, 1);
    test_image("within(a, b) / (within(a, b) * within(a, b) + 1)", 0.3, 50, 1); /* a turn to both sides */
    test_image("within(a, b) * exp(-within(a, b))", 1, 0.25, 1);
    test_poles();
    struct formula_reals of = {.elements = {1, 0.25}};
    struct formula_image image;
    ok(test_formula_load("\"FLOAT32\"", "a * 2") && (formula_image(formula(), &of, &image), image.count == 1) &&
           image.pieces[0].low == 2 && image.pieces[0].high == 2,
       "without WITHIN, the image is one value");
    ok(test_formula_load("\"FLOAT32\"", "choose(ge(within(a, 1), a + b), 1, 0)") &&
           (formula_image(formula(), &of, &image), image.count == 2) && image.pieces[0].high == 0 &&
           image.pieces[1].low == 1,
       "values between the sides of a jump are not in the image");
}

int main(void)
{
    char path[64];
    if (!mkdtemp(folder))
        return 3;
    test_reals();
    test_formula_integers();
    test_operands();
    test_texts();
    test_formula_errors();
    test_images();
    spec_set_free(&specs);
    snprintf(path, sizeof path, "%s/element_wise_identity.lua", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/catalogue.lua", folder);
    unlink(path);
    rmdir(folder);
    return tap_done();
}
