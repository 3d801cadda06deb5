/* The comparator: it notices every single wrong bit of every type, tolerates only what the rulings name, and ignores
 * undefined elements. test_mutation.sh shows that this test fails if the comparator is broken. */
#include "harness/base/datatype.h"
#include "harness/trial/compare.h"
#include "tools/tap.h"

#include <inttypes.h>
#include <string.h>

/* The layout of the floats, independent of datatype.h. */
static const struct {
    uint32_t type;
    unsigned bytes, fraction, exponent; /* bits of the latter two; 0: integers */
} types[] = {
    {DML_TENSOR_DATA_TYPE_FLOAT64, 8, 52, 11}, {DML_TENSOR_DATA_TYPE_FLOAT32, 4, 23, 8},
    {DML_TENSOR_DATA_TYPE_FLOAT16, 2, 10, 5},  {DML_TENSOR_DATA_TYPE_UINT64, 8, 0, 0},
    {DML_TENSOR_DATA_TYPE_UINT32, 4, 0, 0},    {DML_TENSOR_DATA_TYPE_UINT16, 2, 0, 0},
    {DML_TENSOR_DATA_TYPE_UINT8, 1, 0, 0},     {DML_TENSOR_DATA_TYPE_INT64, 8, 0, 0},
    {DML_TENSOR_DATA_TYPE_INT32, 4, 0, 0},     {DML_TENSOR_DATA_TYPE_INT16, 2, 0, 0},
    {DML_TENSOR_DATA_TYPE_INT8, 1, 0, 0},
};

enum { TYPES = sizeof types / sizeof *types, VALUES_MAX = 64 };

static const struct prefill random_prefill = {.pattern = PREFILL_RANDOM, .key = 1};

static const char *const agreements[] = {"agrees", "agrees softly", "differs"};

static bool test_compare_is_nan(size_t type, uint64_t bits)
{
    uint64_t exponent = ((uint64_t)1 << types[type].exponent) - 1, fraction = ((uint64_t)1 << types[type].fraction) - 1;
    return types[type].fraction > 0 && (bits >> types[type].fraction & exponent) == exponent && (bits & fraction) != 0;
}

static enum agreement right_answer(size_t type, uint64_t expected, uint64_t got)
{
    if (expected == got)
        return AGREES;
    if (test_compare_is_nan(type, expected) && test_compare_is_nan(type, got))
        return AGREES_SOFTLY;
    if (types[type].type == DML_TENSOR_DATA_TYPE_FLOAT32 && (got & 0x7fffffff) == 0 && (expected & 0x7f800000) == 0 &&
        (expected & 0x7fffff) != 0)
        return AGREES_SOFTLY;
    return DIFFERS;
}

/* Compares one element. `strides`: with strides, which the comparator treats differently. */
static enum agreement compare_one(size_t type, uint64_t expected, uint64_t got, bool strides)
{
    struct opdesc_tensor t = {.present = true,
                              .has_sizes = true,
                              .has_strides = strides,
                              .type = DML_TENSOR_TYPE_BUFFER,
                              .data_type = types[type].type,
                              .dims = 1,
                              .total = 8,
                              .sizes = {1},
                              .strides = {1}};
    struct comparison comparison;
    uint8_t a[8] = {0}, b[8] = {0};
    memcpy(a, &expected, sizeof a);
    memcpy(b, &got, sizeof b);
    compare_output(&t, &random_prefill, a, b, UINT64_MAX, &comparison);
    return comparison.compared == 1 && comparison.wrong == (comparison.agreement == DIFFERS) ? comparison.agreement
                                                                                             : (enum agreement)99;
}

/* Makes zeros, ones, extremes, and for floats infinities, NaNs and denormals, each with its neighbours. */
static size_t make_values(size_t type, uint64_t values[VALUES_MAX])
{
    unsigned bits = 8 * types[type].bytes, fraction = types[type].fraction;
    uint64_t mask = UINT64_MAX >> (64 - bits), top = (uint64_t)1 << (bits - 1);
    uint64_t infinity = fraction ? (((uint64_t)1 << types[type].exponent) - 1) << fraction : 0x5a;
    uint64_t one = fraction ? infinity >> 1 & infinity : 1;
    const uint64_t seeds[] = {0,
                              top,
                              one,
                              infinity,
                              infinity | top,
                              fraction ? (uint64_t)1 << fraction : 2,
                              0x5555555555555555,
                              0xaaaaaaaaaaaaaaaa,
                              infinity + ((uint64_t)1 << (fraction / 2)),
                              infinity | infinity >> 1};
    size_t count = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        for (int step = -1; step <= 1; step++)
            values[count++] = (seeds[i] + (uint64_t)step) & mask;
    return count;
}

static void test_compare_values(size_t type)
{
    uint64_t values[VALUES_MAX];
    size_t count = make_values(type, values), bad = 0, pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count + 8 * types[type].bytes; j++)
            for (int strides = 0; strides < 2; strides++, pairs++) {
                uint64_t got = j < count ? values[j] : values[i] ^ (uint64_t)1 << (j - count);
                enum agreement right = right_answer(type, values[i], got);
                enum agreement answer = compare_one(type, values[i], got, strides);
                if (answer != right && bad++ < 5)
                    note("expected 0x%" PRIx64 ", got 0x%" PRIx64 ": the answer is not '%s'", values[i], got,
                         agreements[right]);
            }
    ok(bad == 0 && pairs > 1000, "type %u: %zu pairs of values, every flipped bit among them",
       (unsigned)types[type].type, pairs);
}

/* ---- which elements */

enum { ROOM = 64 };

struct fixture {
    struct opdesc_tensor t;
    uint8_t expected[ROOM], got[ROOM];
    struct comparison result;
};

static void make_fixture(struct fixture *f, const uint32_t sizes[2], const uint32_t *strides)
{
    *f = (struct fixture){.t = {.present = true,
                                .has_sizes = true,
                                .type = DML_TENSOR_TYPE_BUFFER,
                                .data_type = DML_TENSOR_DATA_TYPE_UINT8,
                                .dims = 2,
                                .total = ROOM}};
    f->t.has_strides = strides != NULL;
    memcpy(f->t.sizes, sizes, 2 * sizeof *sizes);
    if (strides)
        memcpy(f->t.strides, strides, 2 * sizeof *strides);
    for (int i = 0; i < ROOM; i++)
        f->expected[i] = f->got[i] = (uint8_t)(i * 7);
}

/* Makes each byte wrong in turn. It is noticed, with its coordinates, if and only if it is one of the first `count`
 * elements. */
static void test_compare_places(const uint32_t sizes[2], const uint32_t *strides, uint64_t count, const char *what)
{
    const uint32_t packed[2] = {sizes[1], 1}, *use = strides ? strides : packed;
    struct fixture f;
    int bad = 0;
    for (uint32_t place = 0; place < ROOM; place++) {
        char where[32] = "";
        uint64_t hits = 0;
        for (uint32_t i = 0; i < sizes[0]; i++)
            for (uint32_t j = 0; j < sizes[1]; j++)
                if (i * use[0] + j * use[1] == place && (uint64_t)i * sizes[1] + j < count && hits++ == 0)
                    snprintf(where, sizeof where, "{%u,%u}", i, j);
        make_fixture(&f, sizes, strides);
        f.got[place] ^= 0x10;
        compare_output(&f.t, &random_prefill, f.expected, f.got, count, &f.result);
        bad += f.result.wrong != hits || f.result.agreement != (hits ? DIFFERS : AGREES) || f.result.unwritten != 0 ||
               strcmp(f.result.first.coordinates, where) != 0 || f.result.first.count != hits;
    }
    ok(bad == 0, "%s: exactly the defined elements are compared", what);
}

static void test_compare_layouts(void)
{
    const uint32_t sizes[2] = {3, 5};
    test_compare_places(sizes, NULL, UINT64_MAX, "packed");
    test_compare_places(sizes, NULL, 7, "packed, 7 elements defined");
    test_compare_places(sizes, NULL, 0, "packed, nothing defined");
    test_compare_places(sizes, (const uint32_t[]){5, 1}, UINT64_MAX, "packed strides");
    test_compare_places(sizes, (const uint32_t[]){17, 3}, UINT64_MAX, "holes");
    test_compare_places(sizes, (const uint32_t[]){17, 3}, 11, "holes, 11 elements defined");
    test_compare_places(sizes, (const uint32_t[]){1, 3}, UINT64_MAX, "permuted");
    test_compare_places(sizes, (const uint32_t[]){1, 3}, 4, "permuted, 4 elements defined");
    test_compare_places(sizes, (const uint32_t[]){0, 2}, UINT64_MAX, "overlapping");
}

static void test_compare_unwritten(void)
{
    struct fixture f;
    make_fixture(&f, (const uint32_t[]){3, 5}, NULL);
    uint8_t before[ROOM];
    compare_prefill(&random_prefill, before, sizeof before);
    memcpy(f.got + 4, before + 4, 5);
    f.got[12] ^= 1;
    compare_output(&f.t, &random_prefill, f.expected, f.got, UINT64_MAX, &f.result);
    ok(f.result.wrong == 6 && f.result.unwritten == 5, "unwritten elements are counted apart from wrong ones");
    ok(strcmp(f.result.first.coordinates, "{0,4}") == 0, "the first wrong element is shown");
}

/* A device that writes a NaN may write the one that the output held before. */
static void test_compare_prefilled_nan(void)
{
    struct opdesc_tensor t = {.present = true,
                              .has_sizes = true,
                              .type = DML_TENSOR_TYPE_BUFFER,
                              .data_type = DML_TENSOR_DATA_TYPE_FLOAT16,
                              .dims = 1,
                              .total = 8,
                              .sizes = {4}};
    struct prefill prefill = {.pattern = PREFILL_RANDOM, .key = 0};
    const uint16_t expected[4] = {0x7e00, 1, 2, 3};
    uint16_t got[4] = {0, 1, 2, 3};
    struct comparison comparison;
    while ((compare_prefill_element(&prefill, 16, 0) & 0x7fff) <= 0x7c00)
        prefill.key++;
    got[0] = (uint16_t)compare_prefill_element(&prefill, 16, 0);
    compare_output(&t, &prefill, (const uint8_t *)expected, (const uint8_t *)got, UINT64_MAX, &comparison);
    ok(comparison.agreement == AGREES_SOFTLY && comparison.wrong == 0 && comparison.unwritten == 0,
       "a NaN that the output held before counts as one that the device wrote");
}

/* The previous contents of an output do not depend on the expected ones, so they may be right by chance. */
static void test_prefill(void)
{
    const struct prefill inverted = {.pattern = PREFILL_INVERTED, .key = 1}, ones = {.pattern = PREFILL_ONES},
                         other = {.pattern = PREFILL_RANDOM, .key = 2};
    uint8_t random[ROOM], memory[ROOM];
    int same = 0, agree = 0, not_ones = 0;
    struct fixture f;
    compare_prefill(&random_prefill, random, sizeof random);
    compare_prefill(&inverted, memory, sizeof memory);
    for (int i = 0; i < ROOM; i++)
        same += (memory[i] ^ random[i]) != 0xFF;
    compare_prefill(&other, memory, sizeof memory);
    for (int i = 0; i < ROOM; i++)
        agree += memory[i] == random[i];
    compare_prefill(&ones, memory, sizeof memory);
    for (int i = 0; i < ROOM; i++)
        not_ones += memory[i] != 0xFF;
    ok(same == 0 && agree < 8 && not_ones == 0, "prefills: inverted in every bit, different by key, all ones");
    compare_prefill(&random_prefill, memory, 13);
    ok(memcmp(memory, random, 13) == 0 && memory[13] == 0xFF, "  of any size");
    make_fixture(&f, (const uint32_t[]){1, 5}, NULL);
    memcpy(f.expected, random, ROOM);
    memcpy(f.got, random, ROOM);
    compare_output(&f.t, &random_prefill, f.expected, f.got, 5, &f.result);
    ok(f.result.agreement == AGREES, "an output may be right before it is written");
    ok(compare_untouched(&f.t, &random_prefill, f.got, 5) == PERHAPS_UNTOUCHED, "  then it is perhaps untouched");
    ok(compare_untouched(&f.t, &inverted, f.got, 5) == TOUCHED, "  but not if it was something else before");
    compare_prefill(&inverted, f.got, sizeof f.got);
    ok(compare_untouched(&f.t, &inverted, f.got, 5) == UNTOUCHED, "  the second time, that is certain");
    f.t.sizes[1] = 8;
    ok(compare_untouched(&f.t, &random_prefill, random, 8) == UNTOUCHED, "  and of 8 bytes at once");
    random[4] ^= 1;
    ok(compare_untouched(&f.t, &random_prefill, random, 8) == TOUCHED &&
           compare_untouched(&f.t, &random_prefill, random, 4) == PERHAPS_UNTOUCHED,
       "one element that differs shows a write, if it is defined");
    ok(compare_untouched(&f.t, &random_prefill, random, 0) == TOUCHED, "nothing is untouched if nothing is defined");
}

static void test_soft_before_wrong(void)
{
    struct fixture f;
    uint32_t values[2] = {0x7fc00001, 0x3f800000};
    make_fixture(&f, (const uint32_t[]){1, 2}, NULL);
    f.t.data_type = DML_TENSOR_DATA_TYPE_FLOAT32;
    memcpy(f.expected, values, sizeof values);
    values[0] ^= 2;
    values[1] ^= 1;
    memcpy(f.got, values, sizeof values);
    compare_output(&f.t, &random_prefill, f.expected, f.got, UINT64_MAX, &f.result);
    ok(f.result.agreement == DIFFERS && f.result.wrong == 1 && strcmp(f.result.first.coordinates, "{0,1}") == 0,
       "a wrong element is shown rather than an earlier NaN");
    compare_output(&f.t, &random_prefill, f.expected, f.got, 1, &f.result);
    ok(f.result.agreement == AGREES_SOFTLY && f.result.wrong == 0, "  and the NaN alone agrees softly");
}

/* Two elements of 4 bits share a byte. Makes each half byte wrong in turn: the comparator notices it, with its
 * coordinates and its bits, if and only if it is one of the first `count` elements. The half byte after an odd count is
 * free. */
static void test_half_bytes(const uint32_t sizes[2], const uint32_t *strides, uint64_t count, const char *what)
{
    const uint32_t packed[2] = {sizes[1], 1}, *use = strides ? strides : packed;
    const struct datatype *type = datatype_of(DML_TENSOR_DATA_TYPE_INT4);
    struct fixture f;
    int bad = 0;
    for (uint32_t place = 0; place < 2 * ROOM; place++) {
        char where[32] = "", value[32] = "";
        uint64_t hits = 0;
        make_fixture(&f, sizes, strides);
        f.t.data_type = DML_TENSOR_DATA_TYPE_INT4;
        f.got[place / 2] ^= place % 2 ? 0x50 : 0x05;
        int bits = f.got[place / 2] >> place % 2 * 4 & 15;
        for (uint32_t i = 0; i < sizes[0]; i++)
            for (uint32_t j = 0; j < sizes[1]; j++)
                if (i * use[0] + j * use[1] == place && (uint64_t)i * sizes[1] + j < count && hits++ == 0) {
                    snprintf(where, sizeof where, "{%u,%u}", i, j);
                    snprintf(value, sizeof value, "%d (0x%x)", bits < 8 ? bits : bits - 16, bits);
                }
        compare_output(&f.t, &random_prefill, f.expected, f.got, count, &f.result);
        bad += f.result.wrong != hits || f.result.agreement != (hits ? DIFFERS : AGREES) ||
               strcmp(f.result.first.coordinates, where) != 0 || strcmp(f.result.first.got, value) != 0;
    }
    ok(bad == 0, "4 bits, %s: exactly the defined elements are compared", what);
    ok(elements_bytes(type->bits, 15) == 8 && elements_bytes(type->bits, 16) == 8, "15 and 16 of them have 8 bytes");
}

static void test_unwritten_half_bytes(void)
{
    struct fixture f;
    make_fixture(&f, (const uint32_t[]){3, 5}, NULL);
    f.t.data_type = DML_TENSOR_DATA_TYPE_UINT4;
    compare_prefill(&random_prefill, f.got, sizeof f.got);
    for (int i = 0; i < ROOM; i++)
        f.expected[i] = f.got[i] ^ 0x11;
    compare_output(&f.t, &random_prefill, f.expected, f.got, UINT64_MAX, &f.result);
    ok(f.result.wrong == 15 && f.result.unwritten == 15, "elements of 4 bits that were not written are recognised");
    f.t.sizes[1] = 2;
    ok(compare_untouched(&f.t, &random_prefill, f.got, 6) == PERHAPS_UNTOUCHED, "  3 bytes may be untouched by chance");
    f.got[1] ^= 0x40;
    ok(compare_untouched(&f.t, &random_prefill, f.got, 6) == TOUCHED &&
           compare_untouched(&f.t, &random_prefill, f.got, 3) == PERHAPS_UNTOUCHED,
       "  one half byte that differs shows a write");
}

int main(void)
{
    const uint32_t sizes[2] = {3, 5};
    for (size_t i = 0; i < TYPES; i++)
        test_compare_values(i);
    test_half_bytes(sizes, NULL, UINT64_MAX, "packed");
    test_half_bytes(sizes, NULL, 7, "packed, 7 elements defined");
    test_half_bytes(sizes, (const uint32_t[]){17, 3}, UINT64_MAX, "odd strides");
    test_unwritten_half_bytes();
    test_compare_layouts();
    test_compare_unwritten();
    test_compare_prefilled_nan();
    test_prefill();
    test_soft_before_wrong();
    return tap_done();
}
