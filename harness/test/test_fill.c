/* The contents of all planned inputs together: every FLOAT16 pattern, the extremes of each type, non-zero elements
 * where they were requested. */
#include "harness/spec/elements.h"
#include "harness/base/datatype.h"
#include "harness/case/domain.h"
#include "harness/case/fill.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"
#include "tools/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;

struct seen {
    uint32_t type;
    const uint8_t *memory;
    uint8_t *patterns; /* 1 for each of 65,536 FLOAT16 patterns that was seen */
    uint64_t nonzero, wrong, count, number;
    enum fill fill;
    unsigned extremes; /* a bit per extreme that was seen */
};

static bool see_pattern(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct seen *s = context;
    uint16_t bits;
    (void)number;
    (void)coordinates;
    memcpy(&bits, s->memory + offset * sizeof bits, sizeof bits);
    s->patterns[bits] = 1;
    return true;
}

/* The numbers of FLOAT16 patterns in the inputs, and in the expected outputs, of cases of the fill "patterns". */
static size_t patterns_of(const struct spec *spec, bool inputs)
{
    struct arena *arena = arena_new();
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena};
    struct seen seen = {.patterns = calloc(65536, 1)};
    size_t count = 0;
    for (size_t n = 0; n < plan.count; n++) {
        if (plan.cases[n].spec != spec || plan.cases[n].fill != FILL_PATTERNS)
            continue;
        struct trial t = {.c = plan.cases[n], .seed = 1};
        trial_prepare(&setup, &t);
        for (int i = -1; (i = testcase_next_tensor(&t.c, i)) >= 0;) {
            const struct opdesc_tensor *tensor = &t.c.desc->items[i].tensor;
            if (field_is_input(spec_tensor_field(spec, i)) != inputs ||
                tensor->data_type != DML_TENSOR_DATA_TYPE_FLOAT16)
                continue;
            seen.memory = inputs ? t.blocks[testcase_memory_of(&t.c, i)].read : t.expected[i].read;
            elements_each(tensor, see_pattern, &seen);
        }
        trial_finish(&setup, &t);
        arena_reset(arena);
    }
    for (size_t i = 0; i < 65536; i++)
        count += seen.patterns[i];
    free(seen.patterns);
    arena_free(arena);
    return count;
}

/* Returns the first input that holds data, or its tensor's number in a case (the first one of an array); -1: there is
 * none. */
static int data_field(const struct spec *spec)
{
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) && field_is_input(&spec->fields[i]) && !fill_is_index(spec, i))
            return i;
    return -1;
}

static int data_item(const struct testcase *c)
{
    int field = data_field(c->spec), item = field < 0 ? -1 : spec_item(c->spec, field);
    return item >= 0 && c->desc->items[item].tensor.present ? item : -1;
}

/* Returns the data types that the first tensor may have, if it is an input. */
static uint32_t test_fill_types_of(const struct spec *spec)
{
    return field_is_input(&spec->fields[0]) ? spec->levels[spec->level_count - 1].types[spec->fields[0].group] : 0;
}

static void test_fill_patterns(void)
{
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        if (!sample_takes_operator(op) || !(test_fill_types_of(spec) >> DML_TENSOR_DATA_TYPE_FLOAT16 & 1))
            continue;
        size_t inputs = patterns_of(spec, true);
        /* The solver finds no long first input of these: windows and output would have to grow with it. */
        bool is_short = spec->type == DML_OPERATOR_SLICE_GRAD || spec->type == DML_OPERATOR_AVERAGE_POOLING_GRAD;
        ok(inputs == 65536 || is_short, "%s: %zu FLOAT16 patterns in the inputs", spec->name, inputs);
        if (spec_is_plain(spec)) /* what it selects need not be all patterns */
            continue;
        size_t outputs = patterns_of(spec, false);
        ok(outputs == (spec->sparse ? 0 : 65536), "%s: %zu FLOAT16 patterns in the outputs", spec->name, outputs);
    }
}

static bool see_extreme(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct seen *s = context;
    unsigned width = datatype_of(s->type)->bits;
    uint64_t bits = element_get(width, s->memory, offset), top = (uint64_t)1 << (width - 1);
    uint64_t infinity = width == 32 ? 0x7f800000 : 0x7ff0000000000000;
    if (width == 16)
        infinity = 0x7c00;
    const uint64_t of_integers[] = {0, 1, top, top - 1, top + 1, top | (top - 1)};
    const uint64_t of_floats[] = {0, top, infinity, infinity | top, infinity - 1, infinity | infinity >> 1 | 1};
    (void)number;
    (void)coordinates;
    for (int i = 0; i < 6; i++)
        s->extremes |= (unsigned)((datatype_of(s->type)->is_float ? of_floats[i] : of_integers[i]) == bits) << i;
    if (datatype_is_nan(s->type, bits))
        s->extremes |= 1u << 5;
    return true;
}

static void test_fill_extremes(void)
{
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        uint32_t wanted = 0; /* what runs: types that the documents leave open do not */
        unsigned seen[32] = {0}, missing = 0;
        for (size_t i = 0; i < plan.count; i++) {
            const struct testcase *c = &plan.cases[i];
            int item = c->spec == spec && c->expect == EXPECT_RESULTS ? data_item(c) : -1;
            if (item < 0)
                continue;
            const struct opdesc_tensor *t = &c->desc->items[item].tensor;
            wanted |= 1u << t->data_type;
            if (c->fill != FILL_SPECIAL && c->fill != FILL_PAIRS)
                continue;
            uint8_t *memory = malloc(t->total);
            struct seen s = {.type = t->data_type, .memory = memory};
            fill_input(c, plan_case_seed(0, c->name), item, memory, t->total);
            elements_each(t, see_extreme, &s);
            seen[t->data_type] |= s.extremes;
            free(memory);
        }
        for (unsigned type = 0; type < 32; type++)
            missing += wanted >> type & 1 && seen[type] != 0x3f;
        ok(missing == 0, "%s: zeros, least, greatest, infinities and NaN of each type in the inputs", spec->name);
    }
}

static bool see_nonzero(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct seen *s = context;
    uint64_t bits = element_get(datatype_of(s->type)->bits, s->memory, offset);
    bool is = datatype_to_double(s->type, &bits) != 0, should = false;
    (void)coordinates;
    static const uint64_t chunks[FILL_COUNT] = {[FILL_NONZERO_EDGES_32] = 32,
                                                [FILL_NONZERO_EDGES_64] = 64,
                                                [FILL_NONZERO_EDGES_256] = 256,
                                                [FILL_NONZERO_EDGES_1024] = 1024};
    uint64_t chunk = chunks[s->fill];
    if (chunk > 0)
        should = number % chunk == 0 || number % chunk == 1 || number % chunk == chunk - 1;
    should |= s->fill == FILL_NONZERO_FIRST && number == 0;
    should |= s->fill == FILL_NONZERO_LAST && number == s->count - 1;
    should |= s->fill == FILL_NONZERO_MIDDLE && number == s->count / 2;
    should |= s->fill == FILL_NONZERO_ALTERNATING && number % 2 == 1;
    should |= s->fill == FILL_ONE;
    s->wrong += is != should;
    s->nonzero += is;
    return true;
}

static void test_zeros(void)
{
    size_t wrong = 0, cases[FILL_COUNT] = {0}, few = SIZE_MAX;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        int item = data_item(c);
        const struct opdesc_tensor *t = &c->desc->items[item < 0 ? 0 : item].tensor;
        if (item < 0 || strcmp(c->strategy, "zeros") != 0 || c->expect != EXPECT_RESULTS || c->fill == FILL_SPARSE)
            continue;
        uint8_t *memory = malloc(t->total);
        struct seen s = {
            .type = t->data_type, .memory = memory, .fill = c->fill, .count = (uint64_t)opdesc_elements(t)};
        fill_input(c, plan_case_seed(0, c->name), item, memory, t->total);
        elements_each(t, see_nonzero, &s);
        wrong += s.wrong > 0;
        cases[c->fill]++;
        free(memory);
    }
    for (int fill = FILL_NONZERO_FIRST; fill < FILL_COUNT; fill++)
        few = cases[fill] < few ? cases[fill] : few;
    ok(wrong == 0 && few > 20, "non-zero elements are where they were requested, in at least %zu cases per fill", few);
}

enum { ROWS = 64, ROW_MOST = 4096 };

struct rows {
    unsigned type, width;
    const uint8_t *memory;
    uint32_t longest, others;        /* dimensions: that of the rows, and the one beside it that numbers them */
    uint64_t wrong, of_row[2][ROWS]; /* elements that are neither 0, 1 nor 2; how many are 0 and 2 in each row */
    bool seen[2][ROW_MOST];          /* where a row has them */
};

static bool see_peak(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct rows *r = context;
    uint64_t bits = element_get(r->width, r->memory, offset);
    double value = datatype_to_double(r->type, &bits);
    (void)number;
    if (value == 0 || value == 2) {
        r->of_row[value == 2][coordinates[r->others]]++;
        r->seen[value == 2][coordinates[r->longest]] = true;
    }
    r->wrong += value != 0 && value != 1 && value != 2;
    return true;
}

/* Returns true if a place is the end of a row, or next to the edge of a tile of 32, 64, 128, … elements. */
static bool is_border(uint64_t place, uint64_t length)
{
    bool is = place == 0 || place + 1 == length;
    for (uint64_t tile = 32; tile < length; tile *= 2)
        is |= place == tile || place == tile - 1;
    return is;
}

/* One case: each row has one peak and one dip, and the rows together have both at each border and nowhere else. */
static bool has_peaks(const struct testcase *c)
{
    int item = data_item(c);
    const struct opdesc_tensor *t = &c->desc->items[item].tensor;
    struct rows *r = calloc(1, sizeof *r);
    uint8_t *memory = malloc(t->total);
    *r = (struct rows){.type = t->data_type, .width = datatype_of(t->data_type)->bits, .memory = memory};
    for (uint32_t i = 0; i < t->dims; i++)
        r->longest = t->sizes[i] > t->sizes[r->longest] ? i : r->longest;
    r->others = r->longest - 1;
    bool good = r->longest > 0 && t->sizes[r->longest] <= ROW_MOST && t->sizes[r->others] <= ROWS &&
                t->sizes[r->longest] * t->sizes[r->others] == opdesc_elements(t);
    if (good) {
        fill_input(c, plan_case_seed(0, c->name), item, memory, t->total);
        elements_each(t, see_peak, r);
    }
    for (int peak = 0; peak < 2 && good; peak++) {
        for (uint32_t row = 0; row < t->sizes[r->others]; row++)
            r->wrong += r->of_row[peak][row] != 1;
        for (uint32_t place = 0; place < t->sizes[r->longest]; place++)
            r->wrong += r->seen[peak][place] != is_border(place, t->sizes[r->longest]);
    }
    good &= r->wrong == 0;
    free(memory);
    free(r);
    return good;
}

static void test_peaks(void)
{
    size_t cases = 0, wrong = 0;
    for (size_t i = 0; i < plan.count; i++)
        if (plan.cases[i].fill == FILL_PEAKS) {
            cases++;
            wrong += data_item(&plan.cases[i]) < 0 || !has_peaks(&plan.cases[i]);
        }
    ok(cases > 20 && wrong == 0,
       "peaks: rows have their extremes at their ends and at edges, in all but %zu of %zu cases", wrong, cases);
}

/* Returns true if a float is not one that the contents have. */
static bool is_foreign(enum fill fill, unsigned type, double value)
{
    double step = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 8 : 0.5;
    switch (fill) {
    case FILL_FAR_BELOW:
        return !(value >= -10000 && value <= -10000 + 7 * step);
    case FILL_FAR_ABOVE:
        return !(value >= 10000 && value <= 10000 + 7 * step);
    case FILL_MASKED:
        return !isfinite(value);
    case FILL_MASKED_OUT:
        return isnan(value) || value == INFINITY;
    case FILL_CLOSE:
        return !(value >= 1 && value < 1.001);
    case FILL_SMALL:
        return !(fabs(value) < 0.001 && value * 0x1p14 == trunc(value * 0x1p14));
    case FILL_HUNDRED:
        return !(fabs(value) <= 110 && value * 8 == trunc(value * 8));
    default:
        return false;
    }
}

/* Returns minus infinity or infinity, or the end of an integer type. */
static double end_of(unsigned type, bool least)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        return least ? -INFINITY : INFINITY;
    if (least)
        return t->is_signed ? -ldexp(1, (int)t->bits - 1) : 0;
    return ldexp(1, (int)t->bits - t->is_signed) - 1;
}

static bool see_slice(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct seen *s = context;
    uint64_t bits = element_get(datatype_of(s->type)->bits, s->memory, offset);
    double value = datatype_to_double(s->type, &bits), eighths = (value - 200) * 8;
    (void)coordinates;
    if (number == 0)
        s->number = bits;
    s->wrong += s->fill == FILL_CONSTANT && bits != s->number;
    s->wrong += s->fill == FILL_OFFSET && !(eighths >= 0 && eighths < 8 && eighths == (int)eighths);
    s->wrong += s->fill == FILL_SPIKES && value != 0 && value != 24;
    s->wrong += datatype_of(s->type)->is_float && is_foreign(s->fill, s->type, value);
    if (s->fill == FILL_LEAST || s->fill == FILL_GREATEST)
        s->wrong += value != end_of(s->type, s->fill == FILL_LEAST);
    bool is_odd = s->fill == FILL_NOT_FINITE ? !isfinite(value) : value != 0;
    if (s->fill == FILL_HUGE) /* ordinary elements of some operators are larger */
        is_odd = fabs(value) == (s->type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 30000 : 0x1p60);
    s->nonzero += is_odd;
    return true;
}

/* The first input is one number; or 200 and eighths; or zeros, or ordinary, but for one element of each longest row; or
 * its floats are near a number. */
static void test_fill_slices(void)
{
    static const enum fill fills[] = {FILL_CONSTANT,  FILL_OFFSET,  FILL_SPIKES,     FILL_NOT_FINITE, FILL_FAR_BELOW,
                                      FILL_FAR_ABOVE, FILL_MASKED,  FILL_MASKED_OUT, FILL_HUGE,       FILL_CLOSE,
                                      FILL_SMALL,     FILL_HUNDRED, FILL_LEAST,      FILL_GREATEST};
    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
        size_t cases = 0, wrong = 0;
        for (size_t i = 0; i < plan.count; i++) {
            const struct testcase *c = &plan.cases[i];
            int item = data_item(c);
            if (c->fill != fills[f] || item < 0)
                continue;
            const struct opdesc_tensor *t = &c->desc->items[item].tensor;
            uint8_t *memory = malloc(t->total);
            uint64_t longest = 1;
            struct seen s = {.type = t->data_type, .memory = memory, .fill = c->fill};
            for (uint32_t d = 0; d < t->dims; d++)
                longest = t->sizes[d] > longest ? t->sizes[d] : longest;
            fill_input(c, plan_case_seed(0, c->name), item, memory, t->total);
            elements_each(t, see_slice, &s);
            bool one_a_row = c->fill == FILL_SPIKES || c->fill == FILL_NOT_FINITE ||
                             (c->fill == FILL_HUGE && datatype_of(t->data_type)->is_float);
            s.wrong += one_a_row && s.nonzero != (uint64_t)opdesc_elements(t) / longest;
            wrong += s.wrong > 0;
            if (s.wrong)
                note("%s: %" PRIu64 " elements", c->name, s.wrong);
            cases++;
            free(memory);
        }
        ok(cases > 20 && wrong == 0, "%s: %zu inputs, %zu have other elements", fill_names[fills[f]], cases, wrong);
    }
}

struct halves {
    unsigned width;
    const uint8_t *memory;
    size_t elements, upper; /* with the highest bit set */
};

static bool see_half(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct halves *h = context;
    (void)number, (void)coordinates;
    h->upper += element_get(h->width, h->memory, offset) >> (h->width - 1) & 1;
    h->elements++;
    return true;
}

/* Integers of all inputs are spread over their types, also those that have a domain. */
static void test_any_integers(void)
{
    struct halves h = {0};
    size_t cases = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        cases += c->fill == FILL_ANY_INTEGERS;
        for (int item = -1; c->fill == FILL_ANY_INTEGERS && (item = testcase_next_tensor(c, item)) >= 0;) {
            const struct opdesc_tensor *t = &c->desc->items[item].tensor;
            if (!field_is_input(spec_tensor_field(c->spec, item)) || datatype_of(t->data_type)->is_float)
                continue;
            uint8_t *memory = malloc(t->total);
            fill_input(c, plan_case_seed(0, c->name), item, memory, t->total);
            h.width = datatype_of(t->data_type)->bits;
            h.memory = memory;
            elements_each(t, see_half, &h);
            free(memory);
        }
    }
    ok(cases > 20 && h.upper > h.elements * 2 / 5 && h.upper < h.elements * 3 / 5,
       "any-integers: %zu cases, %zu of %zu integers are in the upper half of their type", cases, h.upper, h.elements);
}

/* Rows of every width from the effective rank to the rank, for every rank and count of leading ones. */
static void test_leading(void)
{
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        bool seen[9][9][9] = {{{false}}};
        size_t there = 0, wanted = 0;
        int field = spec->rows.field;
        if (field < 0)
            continue;
        for (size_t i = 0; i < plan.count; i++) {
            const struct testcase *c = &plan.cases[i];
            if (c->spec != spec || c->expect != EXPECT_RESULTS)
                continue;
            const struct opdesc_tensor *in = OPDESC_TENSOR(c->desc, 0), *rows = OPDESC_TENSOR(c->desc, field);
            if (rows->sizes[rows->dims - 1] <= 8)
                seen[in->dims][opdesc_effective_rank(in)][rows->sizes[rows->dims - 1]] = true;
        }
        for (uint32_t dims = 1; dims <= 8; dims++)
            for (uint32_t rank = 0; rank <= dims; rank++)
                for (uint32_t width = rank ? rank : 1; width <= dims; width++, wanted++)
                    there += seen[dims][rank][width];
        ok(there == wanted, "%s: %zu of %zu widths of a row", spec->name, there, wanted);
    }
}

/* If all 64-bit elements differ, both of their halves differ, so that no two elements make a third one by halves. */
static void test_halves(void)
{
    size_t tensors = 0, wrong = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        int item = data_item(c);
        const struct opdesc_tensor *t = &c->desc->items[item < 0 ? 0 : item].tensor;
        if (item < 0 || c->fill != FILL_DISTINCT || datatype_of(t->data_type)->bits != 64 || t->has_strides)
            continue;
        uint32_t *memory = calloc(1, t->total);
        fill_input(c, 1, item, (uint8_t *)memory, t->total);
        for (int64_t n = 1; n < opdesc_elements(t); n++)
            wrong += memory[2 * n] == memory[2 * n - 2] || memory[2 * n + 1] == memory[2 * n - 1];
        free(memory);
        tensors++;
    }
    ok(tensors > 100 && wrong == 0, "halves of 64-bit elements differ: %zu tensors, %zu are equal", tensors, wrong);
}

struct shared {
    const struct opdesc_tensor *t;
    const uint8_t *broadcast, *packed;
    size_t bytes, wrong;
};

/* The element of a broadcast tensor whose value stays has the value that it has in a packed tensor. */
static bool see_shared(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct shared *s = context;
    bool stays = true;
    for (uint32_t d = 0; d < s->t->dims; d++)
        stays &= s->t->strides[d] != 0 || coordinates[d] + 1 == s->t->sizes[d];
    s->wrong += stays && memcmp(s->broadcast + offset * s->bytes, s->packed + number * s->bytes, s->bytes) != 0;
    return true;
}

static void test_fill_shared(void)
{
    size_t tensors = 0;
    struct shared s = {0};
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        struct testcase other = *c;
        struct opdesc packed;
        int item = data_item(c);
        s.t = &c->desc->items[item < 0 ? 0 : item].tensor;
        if (item < 0 || !strstr(c->strategy, "strides") || !s.t->has_strides ||
            opdesc_extent(s.t) >= opdesc_elements(s.t) || datatype_of(s.t->data_type)->bits < 8)
            continue;
        opdesc_copy(&packed, c->desc);
        packed.items[item].tensor.has_strides = false;
        other.desc = &packed;
        s.bytes = datatype_of(s.t->data_type)->bits / 8;
        uint64_t total = (uint64_t)opdesc_elements(s.t) * s.bytes;
        uint8_t *one = malloc(s.t->total), *two = malloc(total);
        fill_input(c, 1, item, one, s.t->total);
        fill_input(&other, 1, item, two, total);
        s.broadcast = one;
        s.packed = two;
        elements_each(s.t, see_shared, &s);
        free(one);
        free(two);
        tensors++;
    }
    ok(tensors > 50 && s.wrong == 0, "%zu broadcast inputs: the last of elements that share memory stays, %zu do not",
       tensors, s.wrong);
}

/* No ordinary integer divisor is 0; signed ones are of both signs. */
static void test_divisors(void)
{
    static const char *const names[] = {"ELEMENT_WISE_DIVIDE", "ELEMENT_WISE_MODULUS_FLOOR",
                                        "ELEMENT_WISE_MODULUS_TRUNCATE"};
    unsigned zeros = 0, one_sided = 0, types = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct spec *spec = &specs.specs[spec_set_find(&specs, names[i])];
        int field = spec_find_field(spec, "BTensor");
        const uint32_t listed = spec->levels[spec->level_count - 1].types[spec->fields[field].group];
        for (unsigned type = 0; type < DATATYPE_COUNT; type++) {
            if (!(listed >> type & 1) || datatype_of(type)->is_float)
                continue;
            const struct domain domain = domain_of(spec, spec->blank, field, type);
            unsigned negative = 0, count = 20000;
            for (uint64_t n = 0; n < count; n++) {
                uint64_t bits = domain_draw(&domain, random_at(type, n));
                zeros += datatype_bits(type, &bits) == 0;
                negative += datatype_of(type)->is_signed && datatype_to_double(type, &bits) < 0;
            }
            one_sided += datatype_of(type)->is_signed ? negative < count / 4 || negative > count / 4 * 3 : negative > 0;
            types++;
        }
    }
    ok(types >= 3 * 6 && zeros == 0, "ordinary divisors of %u types: %u zeros", types, zeros);
    ok(one_sided == 0, "  signed ones are of both signs");
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    if (!ok(kept_specs(&specs, &error) == 0 && plan_make(&plan, &specs, "cases", &everything, &error) == 0 &&
                plugin_open_reference(&reference, &error) == 0,
            "set-up %s", error.text))
        return tap_done();
    test_fill_patterns();
    test_fill_extremes();
    test_zeros();
    test_peaks();
    test_fill_slices();
    test_any_integers();
    test_leading();
    test_halves();
    test_fill_shared();
    test_divisors();
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
