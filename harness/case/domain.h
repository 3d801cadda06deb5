/* domain.h: ordinary elements of the inputs of operators that compute: they lie in the domain that the spec gives. */
#ifndef CASE_DOMAIN_H
#define CASE_DOMAIN_H

#include "harness/base/random.h"
#include "harness/spec/spec.h"

#include <stdint.h>

/* The values of one data type in a domain. Floats are spread over the magnitudes from 2^-20 of the bound on, with
 * both signs where the domain has both; without a domain they are at most 1024. Integers are uniform; without a
 * domain they are all integers of the type. If the spec says so, no integer is 0: then the sides are above and below
 * it. If the domain has no value of the type, the side has the nearest value. */
struct domain {
    struct {
        uint64_t first, count; /* bits of consecutive values; a count of 0: all 2^64 */
    } sides[2];                /* floats: at least 0, and below it; equal if there is one side only */
};

struct domain domain_of(const struct spec *spec, const struct opdesc *desc, int field, unsigned data_type);

/* Returns the bits of a value; only the lowest ones belong to the type. */
static inline uint64_t domain_draw(const struct domain *domain, uint64_t random)
{
    uint64_t first = domain->sides[random & 1].first, count = domain->sides[random & 1].count;
    return count == 0 ? random : first + (uint64_t)((unsigned __int128)random * count >> 64);
}

#endif
