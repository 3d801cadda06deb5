/* Contents of the inputs of operators whose outputs have formulas: domains, exact data, special values in every
 * combination, and elements that meet the condition of the behaviour under test. The operators are the test's own. */
#include "harness/spec/elements.h"
#include "harness/case/fill.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char binary_rules[] =
    "  parameters = { { \"d\", dims \"ATensor\" } },\n"
    "  rules = { rule \"same-dims\" { same \"DimensionCount\" },\n"
    "    rule \"same-sizes\" { same \"Sizes\" }, rule \"same-type\" { same \"DataType\" } },\n";
static const char unary_rules[] = "  parameters = { { \"d\", dims \"InputTensor\" } },\n"
                                  "  rules = { rule \"same-dims\" { same \"DimensionCount\" },\n"
                                  "    rule \"same-sizes\" { same \"Sizes\" } },\n";

/* Loads specs with these texts between the first and the last line; `name` and `rules` differ between them. */
static struct spec_set test_contents_load(const char *const texts[][3], size_t count, struct error *error)
{
    struct spec_folder folder;
    struct spec_set specs = {0};
    *error = (struct error){0};
    spec_folder_make(&folder);
    for (size_t i = 0; i < count; i++) {
        char file[80], text[4096];
        snprintf(file, sizeof file, "%s.lua", texts[i][0]);
        snprintf(text, sizeof text, "return operator \"%s\" {\n%s%s}\n", texts[i][0], texts[i][1], texts[i][2]);
        spec_folder_write(&folder, file, text);
    }
    spec_set_load(&specs, folder.path, error);
    spec_folder_remove(&folder);
    return specs;
}

static const char *const operators[][3] = {
    {"ELEMENT_WISE_ADD", binary_rules,
     "  results = { result \"OutputTensor\" { element \"ATensor\" + element \"BTensor\" } },\n"
     "  behaviours = { behaviour \"adds\" { text = \"a + b\" },\n"
     "    behaviour \"cancels\" { text = \"a = -b\", strength = \"open\", gives = \"anything\",\n"
     "      when = both(eq(element \"ATensor\", -element \"BTensor\"), ne(element \"ATensor\", 0)) },\n"
     "    behaviour \"not-a-number\" { text = \"inf - inf\", strength = \"open\", gives = \"anything\",\n"
     "      when = both(both(negated(is_nan(element \"ATensor\")), negated(is_nan(element \"BTensor\"))),\n"
     "        is_nan(element \"ATensor\" + element \"BTensor\")) } }\n"},
    {"ELEMENT_WISE_DIVIDE", binary_rules,
     "  results = { result \"OutputTensor\" { element \"ATensor\" / element \"BTensor\" } },\n"
     "  behaviours = { behaviour \"divides\" { text = \"a / b\" },\n"
     "    behaviour \"least\" { text = \"least by -1\", strength = \"open\", gives = \"anything\",\n"
     "      when = both(eq(element \"ATensor\", -2147483648.0), eq(element \"BTensor\", -1)) } }\n"},
    {"ELEMENT_WISE_ACOS", unary_rules,
     "  domains = { InputTensor = { -1, 1 } },\n"
     "  results = { result \"OutputTensor\" { acos(element \"InputTensor\"), FLOAT32 = 1e-3, FLOAT16 = 2e-3 } }\n"},
    {"ELEMENT_WISE_SQRT", unary_rules,
     "  domains = { InputTensor = { 0.5, 3 } }, results = { result \"OutputTensor\" { sqrt(element \"InputTensor\") } "
     "}\n"},
    {"ELEMENT_WISE_NEGATE", unary_rules,
     "  domains = { InputTensor = { -300, 7.5 } },\n"
     "  results = { result \"OutputTensor\" { -element \"InputTensor\" } }\n"},
    {"ELEMENT_WISE_BIT_AND", binary_rules,
     "  results = { result \"OutputTensor\" { element \"ATensor\" & element \"BTensor\", bits = true } }\n"},
    {"CAST", unary_rules, "  results = { result \"OutputTensor\" { element \"InputTensor\", overflow = \"open\" } }\n"},
};
static struct spec_set specs;
static struct plan plan;

/* ---- the elements of a case */

struct reading {
    const uint8_t *memory;
    unsigned type;
    uint64_t *bits;
};

static bool test_contents_read_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct reading *r = context;
    (void)coordinates;
    r->bits[number] = datatype_bits(r->type, r->memory + offset * datatype_of(r->type)->bits / 8);
    return true;
}

/* Returns the elements of an input in row-major order; the caller frees them. */
static uint64_t *elements_of(const struct testcase *c, uint64_t seed, int item)
{
    const struct opdesc_tensor *t = &c->desc->items[item].tensor;
    uint8_t *memory = malloc(t->total);
    struct reading r = {memory, t->data_type, calloc((size_t)opdesc_elements(t), sizeof(uint64_t))};
    if (!memory || !r.bits)
        exit(3);
    fill_input(c, seed, item, memory, t->total);
    elements_each(t, test_contents_read_element, &r);
    free(memory);
    return r.bits;
}

static double test_contents_number_of(unsigned type, uint64_t bits)
{
    return datatype_to_double(type, &bits);
}

static unsigned test_contents_type_of(const struct testcase *c)
{
    return c->desc->items[0].tensor.data_type;
}

static uint64_t test_contents_count_of(const struct testcase *c)
{
    return (uint64_t)opdesc_elements(&c->desc->items[0].tensor);
}

static bool is_of(const struct testcase *c, const char *op, enum fill fill)
{
    return strcmp(c->spec->name, op) == 0 && c->fill == fill && c->expect == EXPECT_RESULTS;
}

/* ---- domains */

struct range {
    unsigned type;
    double least, most, least_magnitude;
    uint64_t count, below, above; /* elements; below 0; from 0 on */
};

/* Returns the range of the ordinary elements of a type in all cases of an operator. */
static struct range range_of(const char *op, unsigned type)
{
    struct range range = {type, INFINITY, -INFINITY, INFINITY, 0, 0, 0};
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        if (!is_of(c, op, FILL_ORDINARY) || test_contents_type_of(c) != type || test_contents_count_of(c) > 4096)
            continue;
        uint64_t *bits = elements_of(c, 3, 0);
        for (uint64_t n = 0; n < test_contents_count_of(c); n++) {
            double x = test_contents_number_of(type, bits[n]);
            range.least = fmin(range.least, isnan(x) ? -INFINITY : x);
            range.most = fmax(range.most, isnan(x) ? INFINITY : x);
            range.least_magnitude = fmin(range.least_magnitude, fabs(x));
            range.below += x < 0;
            range.above += x >= 0;
            range.count++;
        }
        free(bits);
    }
    return range;
}

static void test_domains(void)
{
    static const struct {
        const char *op;
        unsigned type;
        double least, most, magnitude; /* the latter is reached but for a factor of 2; 0: any */
        bool below, above;
    } wanted[] = {
        {"ELEMENT_WISE_ADD", DML_TENSOR_DATA_TYPE_FLOAT32, -1024, 1024, 0x1p-10, true, true},
        {"ELEMENT_WISE_ADD", DML_TENSOR_DATA_TYPE_FLOAT16, -1024, 1024, 0x1p-10, true, true},
        {"ELEMENT_WISE_ADD", DML_TENSOR_DATA_TYPE_INT8, -128, 127, 0, true, true},
        {"ELEMENT_WISE_ADD", DML_TENSOR_DATA_TYPE_UINT8, 0, 255, 0, false, true},
        {"ELEMENT_WISE_ADD", DML_TENSOR_DATA_TYPE_INT64, -0x1p63, 0x1p63, 0, true, true},
        {"ELEMENT_WISE_ADD", DML_TENSOR_DATA_TYPE_UINT64, 0, 0x1p64, 0, false, true},
        {"ELEMENT_WISE_ACOS", DML_TENSOR_DATA_TYPE_FLOAT32, -1, 1, 0x1p-20, true, true},
        {"ELEMENT_WISE_ACOS", DML_TENSOR_DATA_TYPE_FLOAT16, -1, 1, 0x1p-14, true, true}, /* the smallest normal one */
        {"ELEMENT_WISE_SQRT", DML_TENSOR_DATA_TYPE_FLOAT32, 0.5, 3, 0.5, false, true},
        {"ELEMENT_WISE_NEGATE", DML_TENSOR_DATA_TYPE_FLOAT32, -300, 7.5, 7.5 * 0x1p-20, true, true},
        {"ELEMENT_WISE_NEGATE", DML_TENSOR_DATA_TYPE_INT32, -300, 7, 0, true, true},
        {"ELEMENT_WISE_NEGATE", DML_TENSOR_DATA_TYPE_INT8, -128, 7, 0, true, true},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct range r = range_of(wanted[i].op, wanted[i].type);
        const char *type = datatype_of(wanted[i].type)->name;
        double width = wanted[i].most - wanted[i].least;
        ok(r.count > 1000 && r.least >= wanted[i].least && r.most <= wanted[i].most,
           "%s, %s: %llu elements in [%g, %g]", wanted[i].op, type, (unsigned long long)r.count, wanted[i].least,
           wanted[i].most);
        ok(r.least < wanted[i].least + width / 16 && r.most > wanted[i].most - width / 16, "  from %g to %g", r.least,
           r.most);
        ok((r.below > 0) == wanted[i].below && (r.above > 0) == wanted[i].above, "  with the signs of the domain");
        ok(wanted[i].magnitude == 0 ||
               (r.least_magnitude >= wanted[i].magnitude && r.least_magnitude <= 2 * wanted[i].magnitude),
           "  of magnitudes from %g on: %g", wanted[i].magnitude, r.least_magnitude);
    }
}

static void test_wrong_domains(void)
{
    static const struct {
        const char *domains, *message;
    } wrong[] = {
        {"{ Nothing = { 0, 1 } }", "domains: 'Nothing' is no input, number or array of numbers"},
        {"{ OutputTensor = { 0, 1 } }", "domains: 'OutputTensor' is no input, number or array"},
        {"{ InputTensor = 1 }", "domains: InputTensor: expected { low, high }"},
        {"{ InputTensor = { 1 } }", "domains: InputTensor: expected { low, high }, finite numbers"},
        {"{ InputTensor = { 1, 0 } }", "domains: InputTensor: expected { low, high }, finite numbers"},
        {"{ InputTensor = { 0, 1 / 0 } }", "domains: InputTensor: expected { low, high }, finite numbers"},
        {"{ { 0, 1 } }", "domains: '' is no input, number or array"},
        {"{ InputTensor = { 0, 1, usual = 1 } }", "domains: InputTensor: expected a range that the field can have"},
        {"7", "domains: expected { InputTensor = { low, high }, … }"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        struct error error;
        snprintf(text, sizeof text, "  domains = %s\n", wrong[i].domains);
        const char *const one[][3] = {{"ELEMENT_WISE_ACOS", unary_rules, text}};
        struct spec_set set = test_contents_load(one, 1, &error);
        ok(strstr(error.text, wrong[i].message) != NULL, "domains = %s: %s", wrong[i].domains, error.text);
        spec_set_free(&set);
    }
}

/* ---- choices */

/* The conditions of the behaviours above, written anew. */
static bool cancels(unsigned type, uint64_t a, uint64_t b)
{
    if (datatype_of(type)->is_float)
        return test_contents_number_of(type, a) == -test_contents_number_of(type, b) &&
               test_contents_number_of(type, a) != 0;
    bool is_signed = datatype_of(type)->is_signed;
    __int128 x = is_signed ? datatype_to_integer(type, &a) : (__int128)a;
    __int128 y = is_signed ? datatype_to_integer(type, &b) : (__int128)b;
    return x == -y && x != 0;
}

static bool makes_nan(unsigned type, uint64_t a, uint64_t b)
{
    double x = test_contents_number_of(type, a), y = test_contents_number_of(type, b);
    return isinf(x) && isinf(y) && x == -y;
}

static bool is_least(unsigned type, uint64_t a, uint64_t b)
{
    return test_contents_number_of(type, a) == -0x1p31 && test_contents_number_of(type, b) == -1;
}

typedef bool condition(unsigned type, uint64_t a, uint64_t b);

/* Returns the number of elements of a case with two inputs that meet a condition. */
static uint64_t count_meeting(const struct testcase *c, condition *holds)
{
    uint64_t met = 0, *a = elements_of(c, 5, 0), *b = elements_of(c, 5, 1);
    for (uint64_t n = 0; n < test_contents_count_of(c); n++)
        met += holds(test_contents_type_of(c), a[n], b[n]);
    free(a);
    free(b);
    return met;
}

static void test_contents_choices(void)
{
    enum {
        FLOATS = 1 << DML_TENSOR_DATA_TYPE_FLOAT32 | 1 << DML_TENSOR_DATA_TYPE_FLOAT16,
        SIGNED = 1 << DML_TENSOR_DATA_TYPE_INT64 | 1 << DML_TENSOR_DATA_TYPE_INT32,
        SHORT = 1 << DML_TENSOR_DATA_TYPE_INT16 | 1 << DML_TENSOR_DATA_TYPE_INT8
    };
    static const struct {
        const char *op, *rule;
        condition *holds;
        unsigned types; /* for which some elements meet it */
    } wanted[] = {{"ELEMENT_WISE_ADD", "cancels", cancels, FLOATS | SIGNED | SHORT},
                  {"ELEMENT_WISE_ADD", "not-a-number", makes_nan, FLOATS},
                  {"ELEMENT_WISE_DIVIDE", "least", is_least, FLOATS | SIGNED}}; /* the types in which -2^31 is exact */
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        unsigned types = 0, all = wanted[w].types;
        uint64_t met = 0, count = 0;
        for (size_t i = 0; i < plan.count; i++) {
            const struct testcase *c = &plan.cases[i];
            if (!is_of(c, wanted[w].op, FILL_CHOICE) || strcmp(c->spec->rules[c->rule].id, wanted[w].rule) != 0)
                continue;
            types |= 1u << test_contents_type_of(c);
            met += count_meeting(c, wanted[w].holds);
            count += test_contents_count_of(c);
        }
        if (strcmp(wanted[w].rule, "least") == 0) /* too large for a FLOAT16 */
            all &= ~(1u << DML_TENSOR_DATA_TYPE_FLOAT16);
        ok(count > 100 && met == count, "%s, %s: the condition holds for %llu of %llu elements", wanted[w].op,
           wanted[w].rule, (unsigned long long)met, (unsigned long long)count);
        ok(types == all, "  of each type that has such elements: %#x of %#x", types, all);
    }
}

static void test_settled(void)
{
    uint64_t count = 0, met = 0, special = 0;
    unsigned types = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        if (!is_of(c, "ELEMENT_WISE_ADD", FILL_SETTLED))
            continue;
        types |= 1u << test_contents_type_of(c);
        count += test_contents_count_of(c);
        met += count_meeting(c, cancels) + count_meeting(c, makes_nan);
        uint64_t *a = elements_of(c, 5, 0);
        for (uint64_t n = 0; n < test_contents_count_of(c) && datatype_of(test_contents_type_of(c))->is_float; n++)
            special += isfinite(test_contents_number_of(test_contents_type_of(c), a[n])) ? 0 : 1;
        free(a);
    }
    ok(count > 1000 && met == 0, "settled: no behaviour leaves a choice for %llu elements, but for %llu",
       (unsigned long long)count, (unsigned long long)met);
    ok(special > 100 && __builtin_popcount(types) == 10, "  with %llu special values; in %d types",
       (unsigned long long)special, __builtin_popcount(types));
}

/* ---- every combination */

/* Returns true if two inputs hold every combination of their values; stores the number of values of the first input. */
static bool has_all_pairs(const struct testcase *c, uint64_t *values)
{
    uint64_t count = test_contents_count_of(c), *a = elements_of(c, 9, 0), *b = elements_of(c, 9, 1);
    uint64_t in_a[128], in_b[128], as = 0, bs = 0, together = 0;
    static uint8_t seen[128][128];
    memset(seen, 0, sizeof seen);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t x = 0, y = 0;
        while (x < as && in_a[x] != a[n])
            x++;
        while (y < bs && in_b[y] != b[n])
            y++;
        if (x == 128 || y == 128)
            break;
        in_a[x] = a[n];
        in_b[y] = b[n];
        as += x == as;
        bs += y == bs;
        together += !seen[x][y];
        seen[x][y] = 1;
    }
    free(a);
    free(b);
    *values = as;
    return together == as * bs && as > 10 && bs > 10;
}

static bool test_contents_has_value(const struct testcase *c, int item, uint64_t bits)
{
    uint64_t *all = elements_of(c, 9, item);
    bool has = false;
    for (uint64_t n = 0; n < test_contents_count_of(c); n++)
        has |= all[n] == bits;
    free(all);
    return has;
}

static void test_contents_pairs(void)
{
    static const struct {
        unsigned type;
        uint64_t bits[8];
    } specials[] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x7f7fffff, 0x00800000}},
        {DML_TENSOR_DATA_TYPE_FLOAT16, {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 1, 0x7bff, 0x0400}},
        {DML_TENSOR_DATA_TYPE_INT8, {0, 1, 0xff, 0x80, 0x7f, 0x81, 2, 0xfe}},
        {DML_TENSOR_DATA_TYPE_UINT64, {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)1 << 63, 2, 31, 64}},
    };
    uint64_t values, cases = 0, wrong = 0, missing = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        if (!is_of(c, "ELEMENT_WISE_ADD", FILL_PAIRS))
            continue;
        bool all = has_all_pairs(c, &values);
        if (!all)
            note("%s: %llu values", c->name, (unsigned long long)values);
        cases++;
        wrong += !all;
        for (size_t s = 0; s < sizeof specials / sizeof *specials; s++)
            for (int k = 0; specials[s].type == test_contents_type_of(c) && k < 8; k++)
                missing += !test_contents_has_value(c, 0, specials[s].bits[k]) ||
                           !test_contents_has_value(c, 1, specials[s].bits[k]);
    }
    ok(cases == 10 && wrong == 0, "pairs: every combination of special values in %llu cases, but for %llu",
       (unsigned long long)cases, (unsigned long long)wrong);
    ok(missing == 0, "  zeros, infinities, a NaN, limits and denormals are among them: %llu are not",
       (unsigned long long)missing);
}

/* Limits of the type that CAST converts to, halves, and their neighbours. */
static void test_boundaries(void)
{
    static const struct {
        unsigned from, to;
        double numbers[5];
    } wanted[] = {
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_UINT8, {255, 255.5, 256, -0.5, -1}},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_INT8, {127, 127.5, 128, -128.5, -129}},
        {DML_TENSOR_DATA_TYPE_FLOAT64, DML_TENSOR_DATA_TYPE_INT32, {2147483647.5, 2147483648., -2147483649., 0.5, 2.5}},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_INT32, {2147483520, 2147483648., -2147483648., 0.5, 2.5}},
        {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT16, {65504, 65520, -65520, 0x1p-25, 1 + 0x1p-11}},
        {DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_UINT8, {255, 256, -1, 511, 0}},
        {DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_FLOAT32, {16777217, 16777219, 2147483647, -2147483648., 0}},
        {DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_FLOAT16, {2049, 2051, 65504, 65520, -65520}},
        {DML_TENSOR_DATA_TYPE_UINT64, DML_TENSOR_DATA_TYPE_INT64, {0x1p63, 1, 0, 2, 100}},
    };
    unsigned pairs = 0;
    for (size_t i = 0; i < plan.count; i++)
        pairs += is_of(&plan.cases[i], "CAST", FILL_PAIRS);
    ok(pairs == 121, "boundaries: %u pairs of types of CAST", pairs);
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        unsigned found = 0, missing = 0;
        for (size_t i = 0; i < plan.count; i++) {
            const struct testcase *c = &plan.cases[i];
            if (!is_of(c, "CAST", FILL_PAIRS) || test_contents_type_of(c) != wanted[w].from ||
                c->desc->items[1].tensor.data_type != wanted[w].to)
                continue;
            found++;
            for (int k = 0; k < 5; k++) {
                uint64_t bits = 0;
                if (datatype_of(wanted[w].from)->is_float)
                    datatype_from_double(wanted[w].from, wanted[w].numbers[k], &bits);
                else
                    datatype_from_integer(wanted[w].from,
                                          wanted[w].numbers[k] >= 0x1p63 ? INT64_MIN : (int64_t)wanted[w].numbers[k],
                                          &bits);
                missing += !test_contents_has_value(c, 0, bits);
                if (!test_contents_has_value(c, 0, bits))
                    note("%s: no %.9g", c->name, wanted[w].numbers[k]);
            }
        }
        ok(found == 1 && missing == 0, "  %s to %s", datatype_of(wanted[w].from)->name,
           datatype_of(wanted[w].to)->name);
    }
}

/* ---- patterns and exact data */

static void test_contents_patterns(void)
{
    unsigned halves = 0, bytes = 0;
    uint8_t *seen = malloc(65536);
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        bool byte = datatype_of(test_contents_type_of(c))->bits == 8;
        if (c->fill != FILL_PATTERNS || c->spec->input_count != 2 || datatype_of(test_contents_type_of(c))->bits > 16)
            continue;
        uint64_t *a = elements_of(c, 1, 0), *b = elements_of(c, 1, 1), pairs = 0, firsts = 0, seconds = 0, equal = 0;
        memset(seen, 0, 65536);
        for (uint64_t n = 0; n < test_contents_count_of(c); n++) {
            uint64_t pair = byte ? a[n] | b[n] << 8 : a[n];
            pairs += !(seen[pair] & 1);
            seen[pair] |= 1;
            firsts += !(seen[a[n]] & 2);
            seen[a[n]] |= 2;
            seconds += !(seen[b[n]] & 4);
            seen[b[n]] |= 4;
            equal += a[n] == b[n];
        }
        halves += !byte && pairs == 65536 && seconds == 65536 && equal < 1000;
        bytes += byte && pairs == 65536 && firsts == 256 && seconds == 256;
        free(a);
        free(b);
    }
    free(seen);
    ok(bytes == 2 * 3, "patterns: every pair of bytes in %u cases", bytes); /* ADD, DIVIDE, BIT_AND */
    ok(halves == 3 * 3, "  every 16-bit pattern in both inputs, in different orders, in %u cases", halves);
}

static void test_dyadic(void)
{
    uint64_t inexact = 0, count = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        if (!is_of(c, "ELEMENT_WISE_ADD", FILL_DYADIC))
            continue;
        uint64_t *a = elements_of(c, 2, 0), *b = elements_of(c, 2, 1), bits = 0;
        for (uint64_t n = 0; n < test_contents_count_of(c); n++) {
            double x = test_contents_number_of(test_contents_type_of(c), a[n]),
                   y = test_contents_number_of(test_contents_type_of(c), b[n]);
            const double results[] = {x + y, x * y, (x - y) * (x - y)};
            bool is_float = datatype_of(test_contents_type_of(c))->is_float;
            for (int k = 0; k < (is_float ? 3 : 2); k++) {
                datatype_from_double(test_contents_type_of(c), results[k], &bits);
                inexact += is_float
                               ? test_contents_number_of(test_contents_type_of(c), bits) != results[k]
                               : fabs(results[k]) >= ldexp(1, (int)datatype_of(test_contents_type_of(c))->bits - 1);
            }
            count++;
        }
        free(a);
        free(b);
    }
    ok(count > 1000 && inexact == 0, "dyadic: sums, products and squares of %llu pairs are exact, but for %llu",
       (unsigned long long)count, (unsigned long long)inexact);
}

/* ---- the plan */

static void test_contents_sizes(void)
{
    struct plan_filter all = {.tier = "all", .cache = kept_plan()};
    struct error error = {0};
    struct plan deep;
    size_t counts[16] = {0}, most = 0;
    for (size_t i = 0; i < plan.count; i++)
        counts[plan.cases[i].spec - specs.specs]++;
    for (int op = 0; op < specs.count; op++) {
        note("%s: %zu cases", specs.specs[op].name, counts[op]);
        most = counts[op] > most ? counts[op] : most;
    }
    ok(most <= 1300, "the plan: at most %zu cases for an operator", most);
    if (ok(plan_make(&deep, &specs, "cases", &all, &error) == 0, "  all tiers are planned together %s", error.text)) {
        ok(deep.count > 2 * plan.count, "  %zu cases in all tiers, %zu without one", deep.count, plan.count);
        plan_free(&deep);
    }
}

int main(void)
{
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    specs = test_contents_load(operators, sizeof operators / sizeof *operators, &error);
    if (!ok(specs.count > 0 && plan_make(&plan, &specs, "cases", &everything, &error) == 0, "set-up %s", error.text))
        return tap_done();
    test_domains();
    test_wrong_domains();
    test_contents_choices();
    test_settled();
    test_contents_pairs();
    test_boundaries();
    test_contents_patterns();
    test_dyadic();
    test_contents_sizes();
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
