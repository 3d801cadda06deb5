/* Checks the right values of an element: for every data type and every form of tolerance, the last value inside a bound
 * passes and the first one outside fails; also infinities, NaNs, zeros, denormals, overflow and alternatives. */
#include "harness/base/random.h"
#include "harness/base/real.h"
#include "harness/load/load.h"
#include "harness/trial/accept.h"
#include "tools/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/assay-accept-XXXXXX";
static struct spec_set specs;
static const struct spec_result *result;

/* Loads a spec with the inputs A and B of the types `in`, the output Out of the types `out`, and this result. */
static void test_accept_load(const char *in, const char *out, const char *text, const char *behaviours)
{
    char path[64];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/catalogue.lua", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(3);
    fprintf(file,
            "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
            "  fields = { { \"input\", \"A\" }, { \"input\", \"B\" }, { \"output\", \"Out\" } },\n"
            "  levels = { { \"1_0\", A = { { %s }, 1, 8 }, B = { { %s }, 1, 8 }, Out = { { %s }, 1, 8 } } },\n"
            "  same = { { \"DataType\", \"A\", \"B\" } } } } }\n",
            in, in, out);
    fclose(file);
    snprintf(path, sizeof path, "%s/element_wise_identity.lua", folder);
    file = fopen(path, "w");
    if (!file)
        exit(3);
    fprintf(file,
            "local a, b = element \"A\", element \"B\"\n"
            "return operator \"ELEMENT_WISE_IDENTITY\" { page = \"X\",\n"
            "  parameters = {}, rules = {}, results = { result \"Out\" { %s } }, behaviours = { %s } }\n",
            text, behaviours);
    fclose(file);
    spec_set_free(&specs);
    if (spec_set_load(&specs, folder, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
    result = &specs.specs[0].results[0];
}

static const char *outcome;
static struct accept_error seen;

/* ---- ranges */

/* Returns the place of a number among those of its type; above or below all numbers for a NaN. */
static __int128 test_accept_order_of(unsigned type, uint64_t bits)
{
    const struct datatype *t = datatype_of(type);
    uint64_t sign = (uint64_t)1 << (t->bits - 1);
    if (!t->is_signed && !t->is_float)
        return bits;
    if (!t->is_float)
        return bits & sign ? (__int128)bits - sign - sign : bits;
    return bits & sign ? -(__int128)(bits ^ sign) : bits;
}

static bool is_in(const struct accept_ranges *ranges, uint64_t bits)
{
    bool nan = datatype_is_nan(ranges->type, bits), in = false;
    for (int i = 0; i < ranges->count; i++) {
        uint64_t low = ranges->list[i].low, high = ranges->list[i].high;
        in |= datatype_is_nan(ranges->type, low)
                  ? nan
                  : !nan && test_accept_order_of(ranges->type, low) <= test_accept_order_of(ranges->type, bits) &&
                        test_accept_order_of(ranges->type, bits) <= test_accept_order_of(ranges->type, high);
    }
    return in;
}

static uint64_t held, missed; /* bits that the ranges hold as the judgement does, and others */

static void test_accept_hold(const struct accept_operands *of, const struct accept_ranges *ranges, uint64_t bits)
{
    unsigned width = datatype_of(of->type)->bits;
    struct accept_verdict verdict;
    bits &= width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
    accept_element(result, of, bits, &verdict);
    if (is_in(ranges, bits) == (verdict.acceptance != ACCEPT_WRONG))
        held++;
    else if (missed++ < 20)
        note("0x%" PRIx64 " is %s, %s the ranges", bits, verdict.acceptance == ACCEPT_WRONG ? "wrong" : "right",
             is_in(ranges, bits) ? "in" : "in none of");
}

/* Compares the ranges of an element with the judgement of `bits`, of the ends of all ranges, and of their neighbours;
 * for types of up to 16 bits, for every 512th element, with the judgement of all values. */
static void hold_ranges(const struct accept_operands *of, uint64_t bits)
{
    static struct accept_ranges ranges;
    static unsigned elements;
    if (of->half)
        return;
    elements++;
    accept_ranges(result, of, &ranges);
    test_accept_hold(of, &ranges, bits);
    for (int i = 0; i < ranges.count; i++)
        for (int step = -2; step <= 2; step++) {
            test_accept_hold(of, &ranges, ranges.list[i].low + (uint64_t)step);
            test_accept_hold(of, &ranges, ranges.list[i].high + (uint64_t)step);
        }
    for (uint64_t all = 0; elements % 512 == 0 && datatype_of(of->type)->bits <= 16 && all <= UINT16_MAX; all++)
        test_accept_hold(of, &ranges, all);
}

static void test_ranges(void)
{
    ok(held > 1000000 && missed == 0, "the ranges of an element hold the values that are not wrong: %" PRIu64 " values",
       held);
}

static enum acceptance judge_bits(const struct accept_operands *of, uint64_t bits)
{
    struct accept_verdict verdict;
    hold_ranges(of, bits);
    accept_element(result, of, bits, &verdict);
    outcome = verdict.outcome;
    seen = verdict.error;
    return verdict.acceptance;
}

static enum acceptance test_accept_judge(unsigned type, double a, double b, uint64_t bits)
{
    struct accept_operands of = {.type = type, .reals = {.type = type, .elements = {a, b}}};
    return judge_bits(&of, bits);
}

static enum acceptance judge_number(unsigned type, double a, double b, double got)
{
    uint64_t bits = 0;
    datatype_from_double(type, got, &bits);
    return test_accept_judge(type, a, b, bits);
}

static enum acceptance judge_integer(unsigned type, int64_t a, int64_t b, int64_t got)
{
    struct accept_operands of = {.type = type, .whole = true, .integers = {.elements = {a, b}}};
    uint64_t bits = 0;
    datatype_from_integer(type, got, &bits);
    return judge_bits(&of, bits);
}

/* Returns the next number of the type after `value`, away from 0 or towards it. */
static double test_accept_step(unsigned type, double value, bool up)
{
    uint64_t bits = 0;
    if (value == 0)
        return up ? real_spacing(type, 0) : -real_spacing(type, 0);
    datatype_from_double(type, value, &bits);
    uint64_t sign = bits >> (datatype_of(type)->bits - 1);
    bits += (up != (sign != 0)) ? 1 : (uint64_t)-1;
    return datatype_to_double(type, &bits);
}

static const unsigned floats[] = {DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_DATA_TYPE_FLOAT32,
                                  DML_TENSOR_DATA_TYPE_FLOAT64};
enum { FLOATS = sizeof floats / sizeof *floats };

/* ---- bounds of floats */

/* Returns a result that no type but FLOAT64 holds, so that it lies between two values. */
static double some_result(struct random *r, unsigned type)
{
    double size = ldexp(1 + (double)(random_next(r) >> 11) * 0x1p-53, (int)random_below(r, 20) - 10);
    if (type == DML_TENSOR_DATA_TYPE_FLOAT64)
        size = real_round(DML_TENSOR_DATA_TYPE_FLOAT32, size); /* so that bounds are exact */
    return random_below(r, 2) ? -size : size;
}

/* Returns the last value of the type within `bound` of `value`, above or below it; if none is, the nearest one. */
static double last_inside(unsigned type, double value, double bound, bool up)
{
    double at = real_round(type, up ? value + bound : value - bound), nearest = real_round(type, value);
    while (up ? at > value + bound : at < value - bound)
        at = test_accept_step(type, at, !up);
    return up ? fmax(at, nearest) : fmin(at, nearest);
}

/* Returns true if a value on the edge of a bound, just inside or just outside, is judged by its distance. */
static bool is_right(unsigned type, double value, double got, double soft, double must)
{
    bool tolerated = got >= value - must && got <= value + must;
    bool inside = (got >= value - soft && got <= value + soft) || got == real_round(type, value);
    enum acceptance right = tolerated ? ACCEPT_SOFT : ACCEPT_WRONG;
    if (inside)
        right = ACCEPT_RIGHT;
    if (judge_number(type, value, 0, got) == right)
        return true;
    note("%.17g: %.9g is not %d", value, got, (int)right);
    return false;
}

/* Checks the last value inside `bound`, and the first one outside, on both sides. */
static bool is_sharp(unsigned type, double value, double bound, double soft, double must)
{
    bool sharp = true;
    for (int up = 0; up < 2; up++) {
        double last = last_inside(type, value, bound, up);
        sharp &= is_right(type, value, last, soft, must);
        sharp &= is_right(type, value, test_accept_step(type, last, up), soft, must);
    }
    return sharp;
}

/* Checks a tolerance: `soft` and `must` give its bounds as a person would compute them. */
static void test_accept_bounds(const char *text, double (*soft)(unsigned, double), double (*must)(unsigned, double))
{
    for (size_t t = 0; t < FLOATS; t++) {
        unsigned type = floats[t];
        const char *name = datatype_of(type)->name;
        char declared[160];
        struct random r = {.key = random_hash(text, t)};
        bool soft_sharp = true, must_sharp = true;
        snprintf(declared, sizeof declared, "a, %s = %s", name, text);
        test_accept_load("\"FLOAT64\"", "\"FLOAT64\", \"FLOAT32\", \"FLOAT16\"", declared, "");
        for (int i = 0; i < 500; i++) {
            double value = some_result(&r, type);
            double inner = soft(type, value), outer = must(type, value);
            soft_sharp &= is_sharp(type, value, inner, inner, outer);
            must_sharp &= is_sharp(type, value, outer, inner, outer);
        }
        ok(soft_sharp, "%s, %s: right just inside of the soft bound, a warning just outside", name, text);
        ok(must_sharp, "%s, %s: a warning just inside of the must bound, wrong just outside", name, text);
    }
}

static double ulps(unsigned type, double value, double n)
{
    int precision = type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 24 : 53, exponent;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        precision = 11;
    frexp(value, &exponent);
    return n * ldexp(1, exponent - precision);
}

static double ulp_2(unsigned type, double value)
{
    return ulps(type, value, 2);
}

static double ulp_5(unsigned type, double value)
{
    return ulps(type, value, 5);
}

static double absolute(unsigned type, double value)
{
    return ulps(type, value, 3) > 0.25 ? ulps(type, value, 3) : 0.25;
}

static double absolute_or_relative(unsigned type, double value)
{
    return absolute(type, value) + fabs(value) / 8 + ulps(type, value, 4);
}

static double test_accept_nothing(unsigned type, double value)
{
    (void)type, (void)value;
    return 0;
}

static double of_argument(unsigned type, double value)
{
    return ulps(type, value, 8) + ulps(type, value, 2) * fabs(value);
}

static void test_floats(void)
{
    test_accept_bounds("{ soft = ulp(2), must = ulp(5) }", ulp_2, ulp_5);
    test_accept_bounds("{ soft = max(ulp(3), 0.25), must = max(ulp(3), 0.25) + abs(y) / 8 + ulp(4) }", absolute,
                       absolute_or_relative);
    test_accept_bounds("{ must = ulp(2) }", test_accept_nothing, ulp_2);
    test_accept_bounds("{ soft = ulp(2), must = ulp(8) + 2 * abs(a) * spacing(y) }", ulp_2, of_argument);
}

/* ---- FLOAT32 that may be computed in FLOAT16 */

static enum acceptance judge_halved(double a, double b, double got)
{
    const unsigned single = DML_TENSOR_DATA_TYPE_FLOAT32;
    struct accept_operands of = {
        .type = single, .half = true, .reals = {.type = single, .elements = {a, b}, .types = {single, single}}};
    uint64_t bits = 0;
    datatype_from_double(single, got, &bits);
    return judge_bits(&of, bits);
}

/* Checks the FLOAT32 at the edge of a bound of FLOAT16, and the next one, and that both need the flag. */
static bool is_sharp_halved(double value, double bound, enum acceptance inside, enum acceptance outside)
{
    const unsigned single = DML_TENSOR_DATA_TYPE_FLOAT32;
    bool sharp = true;
    for (int up = 0; up < 2; up++) {
        double last = last_inside(single, value, bound, up);
        sharp &= judge_halved(value, 0, last) == inside &&
                 judge_halved(value, 0, test_accept_step(single, last, up)) == outside &&
                 judge_number(single, value, 0, last) == ACCEPT_WRONG;
    }
    return sharp;
}

static void test_halved_bounds(const char *text, double (*soft)(unsigned, double), double (*must)(unsigned, double))
{
    const unsigned half = DML_TENSOR_DATA_TYPE_FLOAT16;
    char declared[200];
    struct random r = {.key = random_hash(text, 16)};
    bool soft_sharp = true, must_sharp = true, share = true;
    snprintf(declared, sizeof declared, "a + b, FLOAT32 = ulp(4), FLOAT16 = %s", text);
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\", \"FLOAT16\"", declared, "");
    for (int i = 0; i < 500; i++) {
        double value = real_round(half, some_result(&r, half)); /* which needs no rounding */
        double inner = soft(half, value), outer = must(half, value);
        if (inner > 0)
            soft_sharp &= is_sharp_halved(value, inner, ACCEPT_RIGHT, ACCEPT_SOFT);
        must_sharp &= is_sharp_halved(value, outer, ACCEPT_SOFT, ACCEPT_WRONG);
        judge_halved(value, 0, value + outer / 2);
        share &= fabs(seen.share - 0.5) < 1e-4 && fabs(seen.ulps - outer / 2 / ulps(half, value, 1)) < 1e-3 * seen.ulps;
    }
    ok(soft_sharp, "FLOAT32 in FLOAT16, %s: right just inside of the soft bound, a warning just outside", text);
    ok(must_sharp, "FLOAT32 in FLOAT16, %s: a warning just inside of the must bound, wrong just outside", text);
    ok(share, "FLOAT32 in FLOAT16, %s: the error is measured in FLOAT16", text);
}

static void test_halved(void)
{
    const unsigned single = DML_TENSOR_DATA_TYPE_FLOAT32, half = DML_TENSOR_DATA_TYPE_FLOAT16;
    const double third = real_round(single, 1.0 / 3), inf = INFINITY;
    test_halved_bounds("{ soft = ulp(2), must = ulp(5) }", ulp_2, ulp_5);
    test_halved_bounds("{ soft = max(ulp(3), 0.25), must = max(ulp(3), 0.25) + abs(y) / 8 + ulp(4) }", absolute,
                       absolute_or_relative);
    test_halved_bounds("{ must = ulp(2) }", test_accept_nothing, ulp_2);
    test_halved_bounds("{ soft = ulp(2), must = ulp(8) + 2 * abs(a) * spacing(y) }", ulp_2, of_argument);
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\", \"FLOAT16\"", "a - b, FLOAT32 = ulp(1), FLOAT16 = ulp(1)", "");
    double rounded = real_round(half, third) - 0.3125, exact = third - 0.3125;
    ok(fabs(rounded - exact) > ulps(half, exact, 1) && judge_halved(third, 0.3125, rounded) == ACCEPT_RIGHT &&
           judge_halved(third, 0.3125, exact) == ACCEPT_RIGHT &&
           judge_halved(third, 0.3125, rounded - ulps(half, rounded, 1.5)) == ACCEPT_WRONG,
       "operands may be rounded to FLOAT16, so that a difference loses more than its bound");
    ok(judge_halved(1e30, 0, inf) == ACCEPT_RIGHT && judge_halved(1e30, 0, real_round(single, 1e30)) == ACCEPT_RIGHT &&
           judge_halved(1e30, 0, -inf) == ACCEPT_WRONG && judge_number(single, 1e30, 0, inf) == ACCEPT_WRONG,
       "what is beyond FLOAT16 is an infinity, or the number");
    ok(judge_halved(1e-30, 0, 0) == ACCEPT_RIGHT && judge_halved(0x1p-15, 0, 0) == ACCEPT_SOFT &&
           judge_halved(0x1p-14, 0, 0) == ACCEPT_WRONG && judge_number(single, 1e-30, 0, 0) == ACCEPT_WRONG,
       "what is denormal in FLOAT16 may be flushed, with a warning");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\", \"FLOAT16\"", "a, FLOAT32 = ulp(1), FLOAT16 = ulp(1)", "");
    ok(judge_halved(third, 0, real_round(half, third)) == ACCEPT_WRONG, "a copy or a conversion is not arithmetic");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\", \"FLOAT16\"", "a + b", "");
    ok(judge_halved(third, 0, real_round(half, third)) == ACCEPT_WRONG, "nor may what is exact be missed");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\", \"FLOAT16\"", "abs(within(a + b, spacing(a)))", "");
    ok(judge_halved(third, 0, real_round(half, third)) == ACCEPT_RIGHT &&
           judge_halved(third, 0, third + ulps(half, third, 1)) == ACCEPT_RIGHT &&
           judge_halved(third, 0, third + ulps(half, third, 1.01)) == ACCEPT_WRONG,
       "rounding inside of a formula is in FLOAT16, too");
}

/* Without a tolerance, only the correctly rounded result is right. */
static void test_exact(void)
{
    test_accept_load("\"FLOAT64\"", "\"FLOAT64\", \"FLOAT32\", \"FLOAT16\"", "a", "");
    for (size_t t = 0; t < FLOATS; t++) {
        struct random r = {.key = t};
        bool right = true, wrong = true;
        for (int i = 0; i < 500; i++) {
            double value = some_result(&r, floats[t]), rounded = real_round(floats[t], value);
            right &= judge_number(floats[t], value, 0, rounded) == ACCEPT_RIGHT && seen.share == 0;
            wrong &= judge_number(floats[t], value, 0, test_accept_step(floats[t], rounded, true)) == ACCEPT_WRONG &&
                     judge_number(floats[t], value, 0, test_accept_step(floats[t], rounded, false)) == ACCEPT_WRONG;
        }
        ok(right && wrong, "%s without a tolerance: the nearest value is right, both of its neighbours are wrong",
           datatype_of(floats[t])->name);
    }
}

/* ---- special values */

static void test_special(void)
{
    const double inf = INFINITY, nan = NAN;
    const unsigned half = DML_TENSOR_DATA_TYPE_FLOAT16, single = DML_TENSOR_DATA_TYPE_FLOAT32;
    test_accept_load("\"FLOAT64\"", "\"FLOAT64\", \"FLOAT32\", \"FLOAT16\"",
                     "a, FLOAT16 = { soft = ulp(1), must = ulp(2) }, FLOAT32 = { soft = ulp(1), must = ulp(2) }", "");
    ok(judge_number(half, nan, 0, nan) == ACCEPT_RIGHT && test_accept_judge(half, nan, 0, 0xfe01) == ACCEPT_RIGHT,
       "a NaN is right where the result is one, whatever its payload");
    ok(judge_number(half, nan, 0, 0) == ACCEPT_WRONG && judge_number(half, nan, 0, inf) == ACCEPT_WRONG &&
           judge_number(half, 1, 0, nan) == ACCEPT_WRONG,
       "a number is wrong where the result is a NaN, and the other way round");
    ok(judge_number(half, inf, 0, inf) == ACCEPT_RIGHT && judge_number(half, inf, 0, -inf) == ACCEPT_WRONG &&
           judge_number(half, -inf, 0, inf) == ACCEPT_WRONG,
       "an infinity has a sign");
    ok(judge_number(half, 1e6, 0, 65504) == ACCEPT_SOFT && judge_number(half, 1e6, 0, 65472) == ACCEPT_WRONG,
       "the largest number in place of an overflow is a warning, the one before is wrong");
    ok(judge_number(half, inf, 0, 65504) == ACCEPT_WRONG && judge_number(half, -inf, 0, -65504) == ACCEPT_WRONG,
       "the largest number is wrong for an infinite operand");
    ok(judge_number(half, 65520, 0, inf) == ACCEPT_RIGHT && judge_number(half, 65520, 0, 65504) == ACCEPT_RIGHT,
       "half way to overflow, both are within a ULP");
    ok(judge_number(half, 65488, 0, inf) == ACCEPT_RIGHT && judge_number(half, 65487, 0, inf) == ACCEPT_SOFT &&
           judge_number(half, 65455, 0, inf) == ACCEPT_WRONG,
       "an infinity is right as far as the bound reaches to overflow");
    ok(judge_number(single, 0x1p-140, 0, 0) == ACCEPT_SOFT && judge_number(single, -0x1p-140, 0, -0.0) == ACCEPT_SOFT &&
           judge_number(single, 0x1p-126, 0, 0) == ACCEPT_WRONG,
       "a denormal may be flushed, with a warning; a normal number may not");
    ok(judge_number(single, 0x1p-149, 0, 0) == ACCEPT_RIGHT, "but 0 is within a ULP of the smallest denormal");
    ok(judge_number(half, 0.0, 0, -0.0) == ACCEPT_RIGHT, "zeros are equal");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "a / b", "");
    struct accept_operands tiny = {.type = single, .reals = {.type = single, .elements = {1, 0x1p-127}}};
    ok(judge_bits(&tiny, 0x7f800000) == ACCEPT_WRONG, "a quotient is finite, so infinity is wrong");
    tiny.reals.types[1] = (uint8_t)single;
    ok(judge_bits(&tiny, 0x7e800000) == ACCEPT_WRONG && judge_bits(&tiny, 0x7f000000) == ACCEPT_RIGHT &&
           judge_bits(&tiny, 0x7f800000) == ACCEPT_SOFT && strcmp(outcome, "flushed") == 0,
       "but what is right for a divisor that was flushed to zero is a warning");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "a, zeros = \"signed\"", "");
    ok(judge_number(single, 0.0, 0, -0.0) == ACCEPT_SOFT && judge_number(single, -0.0, 0, -0.0) == ACCEPT_RIGHT,
       "unless the spec says that their sign counts");
}

/* ---- rounding inside of a formula */

static void test_within(void)
{
    const unsigned single = DML_TENSOR_DATA_TYPE_FLOAT32, byte = DML_TENSOR_DATA_TYPE_UINT8;
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "exp(within(a, b)), FLOAT32 = { soft = ulp(1), must = ulp(2) }", "");
    double high = exp(1 + 0x1p-20), low = exp(1 - 0x1p-20);
    ok(judge_number(single, 1, 0x1p-20, last_inside(single, high, ulps(single, high, 1), true)) == ACCEPT_RIGHT &&
           judge_number(single, 1, 0x1p-20, last_inside(single, high, ulps(single, high, 2), true)) == ACCEPT_SOFT &&
           judge_number(single, 1, 0x1p-20,
                        test_accept_step(single, last_inside(single, high, ulps(single, high, 2), true), true)) ==
               ACCEPT_WRONG &&
           judge_number(single, 1, 0x1p-20,
                        test_accept_step(single, last_inside(single, low, ulps(single, low, 2), false), false)) ==
               ACCEPT_WRONG,
       "the image of a rounded operand, widened by the bounds");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "cos(within(a, b))", "");
    ok(judge_number(single, 3.125, 0.25, -1) == ACCEPT_RIGHT && judge_number(single, 6.25, 0.25, 1) == ACCEPT_RIGHT &&
           judge_number(single, 6.25, 0.25, cos(6)) == ACCEPT_RIGHT &&
           judge_number(single, 6.25, 0.25, cos(6) - 1e-3) == ACCEPT_WRONG &&
           judge_number(single, 3.125, 0.25, cos(2.875) + 1e-3) == ACCEPT_WRONG,
       "a cosine turns between the ends");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "choose(gt(within(a, 0.125), 1), a, 0)", "");
    ok(judge_number(single, 1, 0, 0) == ACCEPT_RIGHT && judge_number(single, 1, 0, 1) == ACCEPT_RIGHT &&
           judge_number(single, 1, 0, 0.5) == ACCEPT_WRONG && judge_number(single, 1.25, 0, 0) == ACCEPT_WRONG,
       "both sides of a jump, and nothing between them");
    test_accept_load("\"FLOAT32\"", "\"UINT8\"",
                     "min(max(round_even(within(a / b, 0.01)), 0), 255), integers = { soft = 0, must = 1 }", "");
    ok(judge_number(byte, 5.0, 2, 2) == ACCEPT_RIGHT && judge_number(byte, 5.0, 2, 3) == ACCEPT_RIGHT &&
           judge_number(byte, 5.0, 2, 1) == ACCEPT_SOFT && judge_number(byte, 5.0, 2, 5) == ACCEPT_WRONG,
       "quantised at a tie: both neighbours are right");
    ok(judge_number(byte, 5.1, 2, 3) == ACCEPT_RIGHT && judge_number(byte, 5.1, 2, 2) == ACCEPT_SOFT &&
           judge_number(byte, 5.1, 2, 1) == ACCEPT_WRONG,
       "quantised beside a tie: one is right, one step away is a warning");
    ok(judge_number(byte, -9, 2, 0) == ACCEPT_RIGHT && judge_number(byte, 9000, 2, 255) == ACCEPT_RIGHT &&
           judge_number(byte, 9000, 2, 253) == ACCEPT_WRONG,
       "quantised beyond the range");
}

/* ---- integers */

static void test_accept_integers(void)
{
    static const unsigned types[] = {DML_TENSOR_DATA_TYPE_INT8,  DML_TENSOR_DATA_TYPE_UINT8,
                                     DML_TENSOR_DATA_TYPE_INT16, DML_TENSOR_DATA_TYPE_UINT16,
                                     DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_UINT32,
                                     DML_TENSOR_DATA_TYPE_INT64, DML_TENSOR_DATA_TYPE_UINT64};
    const char *all = "\"INT8\", \"UINT8\", \"INT16\", \"UINT16\", \"INT32\", \"UINT32\", \"INT64\", \"UINT64\"";
    test_accept_load(all, all, "a + b", "");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const struct datatype *type = datatype_of(types[t]);
        int64_t most = (int64_t)(((uint64_t)1 << (type->bits - 1)) - 1), least = -most - 1;
        bool narrow = type->bits < 32;
        ok(judge_integer(types[t], 3, 4, 7) == ACCEPT_RIGHT && judge_integer(types[t], 3, 4, 8) == ACCEPT_WRONG,
           "%s: a sum in range is exact", type->name);
        if (!type->is_signed)
            continue;
        ok(judge_integer(types[t], most, 1, least) == ACCEPT_RIGHT && outcome && strcmp(outcome, "wrapped") == 0,
           "%s: a sum out of range wraps", type->name);
        ok(judge_integer(types[t], most, 1, most) == (narrow ? ACCEPT_RIGHT : ACCEPT_SOFT) && outcome &&
               strcmp(outcome, "saturated") == 0,
           "%s: a saturated sum is %s", type->name, narrow ? "right, too" : "a warning");
        ok(judge_integer(types[t], most, 1, 5) == ACCEPT_WRONG, "%s: any other value is wrong", type->name);
    }
    test_accept_load("\"UINT64\"", "\"UINT64\"", "a * b", "");
    ok(judge_integer(DML_TENSOR_DATA_TYPE_UINT64, (1LL << 40) + 3, (1LL << 30) + 5, 15 + (3LL << 30) + (5LL << 40)) ==
           ACCEPT_RIGHT,
       "UINT64: the low 64 bits of a product");
    test_accept_load("\"INT32\"", "\"INT32\"", "a + b, overflow = \"open\"", "");
    ok(judge_integer(DML_TENSOR_DATA_TYPE_INT32, INT32_MAX, 1, 12) == ACCEPT_RIGHT, "overflow that is open");
    test_accept_load("\"UINT8\"", "\"UINT8\"", "a << b, overflow = \"wraps\"", "");
    ok(judge_integer(DML_TENSOR_DATA_TYPE_UINT8, 255, 1, 254) == ACCEPT_RIGHT &&
           judge_integer(DML_TENSOR_DATA_TYPE_UINT8, 255, 1, 255) == ACCEPT_WRONG,
       "overflow that always wraps");
    test_accept_load("\"INT32\"", "\"INT32\"", "a / b", "");
    ok(judge_integer(DML_TENSOR_DATA_TYPE_INT32, 7, 0, 12345) == ACCEPT_RIGHT, "a division by 0: every value");
}

/* Bit patterns of floats. */
static void test_bits(void)
{
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "a & b, bits = true", "");
    struct accept_operands of = {.type = DML_TENSOR_DATA_TYPE_FLOAT32, .whole = true};
    of.integers.elements[0] = 0xffc01234;
    of.integers.elements[1] = 0xff80ffff;
    ok(judge_bits(&of, 0xff801234) == ACCEPT_RIGHT && judge_bits(&of, 0xffc01234) == ACCEPT_WRONG,
       "bit patterns are compared bit for bit, NaNs, too");
}

/* ---- alternatives */

static void test_accept_choices(void)
{
    const unsigned single = DML_TENSOR_DATA_TYPE_FLOAT32;
    const double nan = NAN;
    test_accept_load(
        "\"FLOAT32\"", "\"FLOAT32\"", "max(a, b)",
        "behaviour \"nan\" { strength = \"open\", text = \"x\", ruling = \"A1\", when = ne(is_nan(a), is_nan(b)),"
        " gives = { { \"propagated\", nan }, { \"other\", max(a, b) } } }");
    ok(judge_number(single, nan, 3, nan) == ACCEPT_RIGHT && outcome && strcmp(outcome, "propagated") == 0,
       "an alternative that the spec names");
    ok(judge_number(single, nan, 3, 3) == ACCEPT_RIGHT && judge_number(single, nan, 3, 4) == ACCEPT_WRONG &&
           judge_number(single, 2, 3, nan) == ACCEPT_WRONG,
       "nothing else, and only where its condition holds");
    test_accept_load(
        "\"FLOAT32\"", "\"FLOAT32\"", "a",
        "behaviour \"x\" { strength = \"soft\", text = \"x\", ruling = \"A1\", when = eq(a, 1),"
        " gives = { { \"zero\", 0 } } }, behaviour \"y\" { strength = \"open\", text = \"y\", ruling = \"A1\","
        " when = eq(a, 2), gives = \"anything\" }");
    ok(judge_number(single, 1, 0, 0) == ACCEPT_SOFT && outcome && strcmp(outcome, "zero") == 0 &&
           judge_number(single, 1, 0, 1) == ACCEPT_RIGHT && !*outcome,
       "a soft alternative is a warning");
    ok(judge_number(single, 2, 0, nan) == ACCEPT_RIGHT && judge_number(single, 3, 0, 2) == ACCEPT_WRONG,
       "where everything is right");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "a, FLOAT32 = { soft = 0.25, must = 1 }",
                     "behaviour \"x\" { strength = \"open\", text = \"x\", ruling = \"A1\", when = eq(b, 1),"
                     " gives = { { \"near\", 10 }, { \"exact\", 10.5 } } }");
    ok(judge_number(single, 3, 1, 10.5) == ACCEPT_RIGHT && outcome && strcmp(outcome, "exact") == 0,
       "an alternative that is right counts, also after one that is a warning");
    ok(judge_number(single, 3, 1, 9.5) == ACCEPT_SOFT && outcome && strcmp(outcome, "near") == 0 &&
           judge_number(single, 3, 1, 12) == ACCEPT_WRONG,
       "a warning of one alternative stays if no other is better");
}

/* ---- how far off */

static void test_accept_errors(void)
{
    const unsigned single = DML_TENSOR_DATA_TYPE_FLOAT32;
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "a, FLOAT32 = { soft = ulp(1), must = ulp(4) }", "");
    judge_number(single, 1, 0, 1 + 0x1p-22);
    ok(seen.ulps == 2 && seen.share == 0.5, "2 ULP are half of 4: %g ULP, %g", seen.ulps, seen.share);
    judge_number(single, 1, 0, 1 - 0x1p-22);
    ok(seen.ulps == 2 && seen.share == 0.5, "below, too: %g ULP, %g", seen.ulps, seen.share);
    judge_number(single, 1, 0, 1 + 0x1p-20);
    ok(seen.ulps == 8 && seen.share == 2, "8 ULP are twice of 4: %g ULP, %g", seen.ulps, seen.share);
    judge_number(single, 1, 0, 1);
    ok(seen.ulps == 0 && seen.share == 0, "none");
    test_accept_load("\"FLOAT32\"", "\"FLOAT32\"", "a", "");
    judge_number(single, 1, 0, 1 + 0x1p-22);
    ok(isinf(seen.share), "without a tolerance, any error is infinitely too large");
    uint64_t bits;
    struct accept_operands of = {.type = DML_TENSOR_DATA_TYPE_FLOAT16, .reals = {.elements = {1.0 / 3}}};
    of.reals.type = of.type;
    ok(accept_expected(result, &of, &bits) && bits == 0x3555, "the expected bits are those of the nearest value");
}

int main(void)
{
    char path[64];
    if (!mkdtemp(folder))
        return 3;
    test_floats();
    test_halved();
    test_exact();
    test_special();
    test_within();
    test_accept_integers();
    test_bits();
    test_accept_choices();
    test_accept_errors();
    test_ranges();
    spec_set_free(&specs);
    snprintf(path, sizeof path, "%s/element_wise_identity.lua", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/catalogue.lua", folder);
    unlink(path);
    rmdir(folder);
    return tap_done();
}
