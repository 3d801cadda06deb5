#include "harness/compare.h"

#include "harness/datatype.h"
#include "harness/fill.h"
#include "harness/random.h"

#include <stdio.h>
#include <string.h>

struct comparing {
    const struct opdesc_tensor *t;
    const uint8_t *expected, *got;
    uint64_t count;
    size_t bytes;
    struct comparison *out;
};

static bool is_soft(unsigned type, uint64_t expected, uint64_t got)
{
    uint64_t sign = (uint64_t)1 << (datatype_of(type)->bits - 1);
    if (datatype_is_nan(type, expected))
        return datatype_is_nan(type, got);
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, expected) && (got == 0 || got == sign);
}

static void note_first(struct comparing *c, const uint32_t *coordinates, uint64_t offset)
{
    struct wrong *first = &c->out->first;
    size_t used = 0;
    for (uint32_t d = 0; d < c->t->dims; d++)
        used += (size_t)snprintf(first->coordinates + used, sizeof first->coordinates - used, "%s%u", d ? "," : "{",
                                 coordinates[d]);
    snprintf(first->coordinates + used, sizeof first->coordinates - used, "}");
    datatype_print(c->t->data_type, c->got + offset, first->got, sizeof first->got);
    datatype_print(c->t->data_type, c->expected + offset, first->expected, sizeof first->expected);
}

static bool compare_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct comparing *c = context;
    if (number >= c->count)
        return false;
    offset *= c->bytes;
    c->out->compared++;
    if (memcmp(c->expected + offset, c->got + offset, c->bytes) == 0)
        return true;
    uint64_t expected = datatype_bits(c->t->data_type, c->expected + offset);
    uint64_t got = datatype_bits(c->t->data_type, c->got + offset);
    uint64_t mask = c->bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * c->bytes) - 1;
    c->out->checksum = random_mix(random_mix(c->out->checksum + number + 1) + got);
    enum agreement agreement = is_soft(c->t->data_type, expected, got) ? AGREES_SOFTLY : DIFFERS;
    if (agreement > c->out->agreement) { /* a wrong element is shown rather than a soft one before it */
        c->out->agreement = agreement;
        note_first(c, coordinates, offset);
    }
    c->out->wrong += agreement == DIFFERS;
    c->out->unwritten += agreement == DIFFERS && got == (~expected & mask);
    return true;
}

void compare_output(const struct opdesc_tensor *t, const uint8_t *expected, const uint8_t *got, uint64_t count,
                    struct comparison *out)
{
    struct comparing c = {.t = t, .expected = expected, .got = got, .count = count, .out = out};
    uint64_t elements = (uint64_t)opdesc_elements(t);
    *out = (struct comparison){.agreement = AGREES};
    c.bytes = datatype_of(t->data_type)->bits / 8;
    c.count = count < elements ? count : elements;
    if (!t->has_strides && memcmp(expected, got, c.count * c.bytes) == 0)
        out->compared = c.count;
    else
        fill_each(t, compare_element, &c);
    out->first.count = out->wrong;
}
