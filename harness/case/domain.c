#include "harness/case/domain.h"

#include "harness/base/datatype.h"
#include "harness/base/real.h"

#include <math.h>

enum { MAGNITUDES = 20 }; /* powers of two that floats are spread over, below a bound on a side that reaches 0 */

static const struct spec_domain usual = {.given = true, .low = -1024, .high = 1024};

/* Return the bits of the largest finite value of a float type that is at most `x`, and of the smallest that is at least
 * `x`, for x > 0. */
static uint64_t at_most(unsigned type, double x)
{
    uint64_t bits = 0;
    datatype_from_double(type, fmin(x, real_largest(type)), &bits);
    return datatype_to_double(type, &bits) > x ? bits - 1 : bits;
}

static uint64_t at_least(unsigned type, double x)
{
    uint64_t bits = 0;
    datatype_from_double(type, fmin(x, real_largest(type)), &bits);
    return datatype_to_double(type, &bits) < fmin(x, real_largest(type)) ? bits + 1 : bits;
}

/* Sets a side of floats of one sign to magnitudes from `least`, 0 if it reaches 0, to `most`. */
static void set_magnitudes(struct domain *out, unsigned type, bool negative, double least, double most)
{
    if (least == 0)
        least = fmin(fmax(ldexp(most, -MAGNITUDES), real_smallest_normal(type)), most);
    uint64_t first = at_least(type, least), last = at_most(type, most);
    uint64_t sign = negative ? (uint64_t)1 << (datatype_of(type)->bits - 1) : 0;
    out->sides[negative].first = sign | first;
    out->sides[negative].count = last < first ? 1 : last - first + 1;
}

static struct domain of_floats(const struct spec_domain *range, unsigned type)
{
    struct domain out = {0};
    if (range->high > 0 || range->low >= 0)
        set_magnitudes(&out, type, false, fmax(range->low, 0), range->high);
    if (range->low < 0)
        set_magnitudes(&out, type, true, fmax(-range->high, 0), -range->low);
    if (out.sides[0].count == 0)
        out.sides[0] = out.sides[1];
    if (out.sides[1].count == 0)
        out.sides[1] = out.sides[0];
    return out;
}

/* Returns the bits of a number that is whole, as an integer of the type, whose numbers are below `past`. */
static uint64_t whole_bits(const struct datatype *type, double value, double past)
{
    if (value >= past)
        return UINT64_MAX >> type->is_signed;
    return value < 0 ? -(uint64_t)-value : (uint64_t)value;
}

static struct domain of_integers(const struct spec_domain *range, unsigned type)
{
    const struct datatype *t = datatype_of(type);
    double least = t->is_signed ? -ldexp(1, (int)t->bits - 1) : 0; /* the bounds are exact; the last one is excluded */
    double past = ldexp(1, (int)t->bits - t->is_signed);
    struct domain out = {0};
    if (range->given && !(range->low <= least && range->high >= past - 1)) {
        double low = fmin(fmax(ceil(range->low), least), past - 1),
               high = fmax(fmin(floor(range->high), past - 1), low);
        /* past - 1 of a 64-bit type is `past` in a double */
        uint64_t first = whole_bits(t, low, past), last = whole_bits(t, high, past);
        out.sides[0].first = first;
        out.sides[0].count = last - first + 1;
    } else if (t->bits < 64) {
        out.sides[0].first = least < 0 ? -(uint64_t)-least : 0;
        out.sides[0].count = (uint64_t)1 << t->bits;
    }
    out.sides[1] = out.sides[0];
    return out;
}

/* Leaves 0 out of a domain of consecutive integers: the numbers above it and those below it become the two sides. */
static void leave_out_zero(struct domain *domain, unsigned type)
{
    const struct datatype *t = datatype_of(type);
    uint64_t mask = t->bits < 64 ? ((uint64_t)1 << t->bits) - 1 : UINT64_MAX;
    uint64_t first = domain->sides[0].first & mask, count = domain->sides[0].count; /* a count of 0: 2^64 */
    uint64_t below = first == 0 || !(t->is_signed && first >> (t->bits - 1)) ? 0 : mask - first + 1;
    if (!t->is_signed || count == 0)
        below = t->is_signed ? (uint64_t)1 << 63 : 0;
    uint64_t above = (count == 0 ? UINT64_MAX : count - 1) - below; /* without the 0 */
    if (first > 0 && below == 0)
        return; /* all numbers are above 0 */
    if (count != 0 && below >= count)
        return; /* all are below it */
    domain->sides[0].first = 1;
    domain->sides[0].count = above;
    domain->sides[1] = domain->sides[0];
    if (below > 0) {
        domain->sides[1].first = (uint64_t)0 - below;
        domain->sides[1].count = below;
    }
    if (above == 0)
        domain->sides[0] = domain->sides[1];
}

struct domain domain_of(const struct spec *spec, const struct opdesc *desc, int field, unsigned data_type)
{
    const struct spec_domain *range = spec_domain_of(spec, desc, field);
    if (datatype_of(data_type)->is_float)
        return of_floats(range->given ? range : &usual, data_type);
    struct domain out = of_integers(range, data_type);
    if (range->nonzero)
        leave_out_zero(&out, data_type);
    return out;
}
