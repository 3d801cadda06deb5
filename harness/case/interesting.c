#include "harness/case/interesting.h"

#include "harness/base/datatype.h"
#include "harness/formula/evaluate.h"
#include "harness/formula/operands.h"
#include "harness/base/real.h"

#include <math.h>
#include <string.h>

static void interesting_add_bits(struct interesting *out, uint64_t bits)
{
    unsigned width = datatype_of(out->type)->bits;
    bits &= width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
    for (int i = 0; i < out->count; i++)
        if (out->bits[i] == bits)
            return;
    if (out->count < INTERESTING_MAX)
        out->bits[out->count++] = bits;
}

/* Returns true if the type holds numbers as large as this one, after truncation. */
static bool interesting_holds(unsigned type, double x)
{
    const struct datatype *t = datatype_of(type);
    double past = ldexp(1, (int)t->bits - t->is_signed);
    return x < past && (t->is_signed ? x >= -past : x > -1);
}

/* Adds a number: a float is rounded; an integer is truncated, and left out beyond its type. */
static void interesting_add(struct interesting *out, double x)
{
    uint64_t bits = 0;
    if (datatype_of(out->type)->is_float)
        datatype_from_double(out->type, x, &bits);
    else if (isnan(x) || !interesting_holds(out->type, x))
        return;
    else
        bits = x < 0 ? -(uint64_t)-x : (uint64_t)x;
    interesting_add_bits(out, bits);
}

/* Adds a number and the values of the type next to it. */
static void add_around(struct interesting *out, double x)
{
    double step = datatype_of(out->type)->is_float && isfinite(x) ? real_spacing(out->type, x) : 1;
    interesting_add(out, x);
    interesting_add(out, x - step);
    interesting_add(out, x + step);
}

/* ---- by the input's own type */

static void add_float_type(struct interesting *out)
{
    static const double numbers[] = {1, 0.5, 1.5, 2, 2.5, 3, 4, 10, 0.25, 1.5707963267948966, 64};
    unsigned type = out->type, bits = datatype_of(type)->bits;
    unsigned fraction = bits == 32 ? 23 : 52;
    if (bits == 16)
        fraction = 10;
    uint64_t normal = (uint64_t)1 << fraction, infinity = ((uint64_t)1 << (bits - 1)) - normal;
    const uint64_t magnitudes[] = {0, 1, normal - 1, normal, infinity - 1, infinity, infinity | normal >> 1};
    for (size_t i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        interesting_add_bits(out, magnitudes[i]);
        interesting_add_bits(out, magnitudes[i] | (uint64_t)1 << (bits - 1));
    }
    interesting_add_bits(out, infinity | 1); /* signalling */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        interesting_add(out, numbers[i]);
        interesting_add(out, -numbers[i]);
    }
    add_around(out, 1);
    interesting_add(out, 0.5 - real_spacing(type, 0.25)); /* rounds to 1 if 0.5 is added to it */
    interesting_add(out, 1 / real_roundoff(type) - 1);    /* the largest odd integer, and integers without a fraction */
    interesting_add(out, 0.5 / real_roundoff(type) + 1);
    interesting_add(out, 0.25 / real_roundoff(type) + 0.5);
}

static void add_integer_type(struct interesting *out)
{
    static const double numbers[] = {0,  1,  2,  3,  7,  8,  9,  15,  16,   17,   31,    32,       33,
                                     63, 64, 65, -1, -2, -3, -7, 100, -100, 2049, 65505, 16777217, 0x1p53 + 2};
    unsigned bits = datatype_of(out->type)->bits;
    uint64_t top = (uint64_t)1 << (bits - 1);
    const uint64_t patterns[] = {top,
                                 top - 1,
                                 top + 1,
                                 top - 2,
                                 UINT64_MAX,
                                 UINT64_MAX - 1,
                                 top >> 1,
                                 (uint64_t)1 << bits / 2,
                                 0x5555555555555555};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        interesting_add(out, numbers[i]);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        interesting_add_bits(out, patterns[i]);
}

/* ---- by what else the case has */

/* The limits of an integer type with the halves and neighbours around them, for conversions to that type. */
static void add_integer_limits(struct interesting *out, unsigned type)
{
    const struct datatype *t = datatype_of(type);
    double past = ldexp(1, (int)t->bits - t->is_signed), low = t->is_signed ? -past : 0;
    const double numbers[] = {low - 1, low - 0.5, low, past - 1, past - 0.5, past, past + 1, 2 * past, 2 * past - 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        interesting_add(out, numbers[i]);
    if (datatype_of(out->type)->is_float) {
        interesting_add(out, past - real_spacing(out->type, past / 2));
        interesting_add(out, low - 1 + real_spacing(out->type, low - 1));
    }
}

/* Where a conversion to a float type rounds, overflows and underflows. */
static void add_float_limits(struct interesting *out, unsigned type)
{
    double largest = real_largest(type), overflow = largest + real_spacing(type, largest) / 2;
    double u = real_roundoff(type), least = real_spacing(type, 0);
    const double numbers[] = {
        largest,   overflow,  -overflow,   overflow - (overflow - largest) / 2,    1 + u,     1 + 3 * u,
        1 - u / 2, least / 2, least * 1.5, real_smallest_normal(type) - least / 2, 1 / u + 1, 1 / u + 3};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        interesting_add(out, numbers[i]);
    if (datatype_of(out->type)->is_float && isfinite(overflow))
        interesting_add(out, overflow - real_spacing(out->type, overflow));
}

/* The numbers that formulas compare with. */
static void add_constants(struct interesting *out, const struct formula *formula)
{
    for (int i = 0; i < formula->count; i++)
        if (formula->nodes[i].op == FORMULA_CONST && isfinite(formula->nodes[i].value)) {
            add_around(out, formula->nodes[i].value);
            add_around(out, -formula->nodes[i].value);
        }
}

static void add_conditions(struct interesting *out, const struct testcase *c)
{
    for (int r = 0; r < c->spec->result_count; r++)
        for (int i = 0; i < c->spec->results[r].choice_count; i++)
            add_constants(out, &c->spec->results[r].choices[i].when);
}

static void add_attributes(struct interesting *out, const struct testcase *c)
{
    struct formula_reals reals;
    struct formula_integers integers;
    memset(&reals, 0, sizeof reals);
    memset(&integers, 0, sizeof integers);
    operands_of(c->spec, c->desc, out->type, &reals, &integers);
    for (int i = 0; i < c->spec->field_count; i++) {
        enum field_kind kind = c->spec->fields[i].kind;
        if (kind == FIELD_FLOAT || kind == FIELD_SCALAR || kind == FIELD_INT || kind == FIELD_UINT)
            add_around(out, reals.attributes[i]);
        if (kind == FIELD_SCALE_BIAS && reals.present >> i & 1 && reals.attributes[i] != 0)
            interesting_add(out, -reals.biases[i] / reals.attributes[i]); /* the scaled number becomes 0 */
    }
}

void interesting_list(const struct testcase *c, int item, struct interesting *out)
{
    const struct spec_domain *domain = spec_domain_of(c->spec, c->desc, c->spec->tensor_fields[item]);
    *out = (struct interesting){.type = c->desc->items[item].tensor.data_type};
    if (datatype_of(out->type)->is_float)
        add_float_type(out);
    else
        add_integer_type(out);
    if (domain->given) {
        add_around(out, domain->low);
        add_around(out, domain->high);
    }
    add_attributes(out, c);
    add_conditions(out, c);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        unsigned type = c->desc->items[i].tensor.data_type;
        if (!field_is_output(spec_tensor_field(c->spec, i)) || type == out->type)
            continue;
        if (datatype_of(type)->is_float)
            add_float_limits(out, type);
        else
            add_integer_limits(out, type);
    }
}
