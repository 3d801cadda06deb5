#include "harness/case/fill.h"

#include "harness/case/elements.h"
#include "harness/base/datatype.h"
#include "harness/case/indices.h"
#include "harness/base/random.h"

#include <string.h>

/* ---- data */

static inline uint64_t float_bits(unsigned type, uint64_t random)
{
    /* No NaN, infinity or denormal: the exponent is neither 0 nor the largest. All other bits are random. */
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return (random & 0x83ff) | (1 + (random >> 20) % 30) << 10;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return (random & 0x807fffff) | (1 + (random >> 32) % 254) << 23;
    default:
        return (random & 0x800fffffffffffff) | (1 + random_mix(random) % 2046) << 52;
    }
}

/* An element of one byte: eight numbers share what `random_at` gives, so that long tensors are filled quickly. */
static inline uint8_t byte_at(uint64_t key, uint64_t number)
{
    return (uint8_t)(random_at(key, number / 8) >> number % 8 * 8);
}

static void fill_bytes(uint8_t *to, uint64_t key, uint64_t number, uint64_t count)
{
    for (; count > 0 && number % 8 != 0; count--)
        *to++ = byte_at(key, number++);
    for (; count >= 8; count -= 8, number += 8, to += 8) {
        uint64_t bits = random_at(key, number / 8); /* the lowest byte first, as byte_at() */
        memcpy(to, &bits, 8);
    }
    for (; count > 0; count--)
        *to++ = byte_at(key, number++);
}

static uint64_t ordinary(unsigned type, uint64_t random)
{
    return datatype_of(type)->is_float ? float_bits(type, random) : random;
}

static uint64_t zero(unsigned type, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    return t->is_float && random & 1 ? (uint64_t)1 << (t->bits - 1) : 0;
}

/* Ten consecutive numbers give all special values of a floating-point type. */
static uint64_t special(unsigned type, uint64_t number)
{
    static const uint64_t halves[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d55, 0x3c00, 0x7bff, 0x0400};
    static const uint64_t singles[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0xffc12345, 0x7fa00001, 0x3f800000, 0x7f7fffff, 0x00800000};
    static const uint64_t doubles[] = {0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                       0x7ff8000000000000, 0xfff8123456789abc, 0x7ff4000000000001, 0x3ff0000000000000,
                                       0x7fefffffffffffff, 0x0010000000000000};
    unsigned pick = (unsigned)(number % 10);
    uint64_t top = (uint64_t)1 << (datatype_of(type)->bits - 1);
    const uint64_t integers[] = {0, 1, UINT64_MAX, top, top - 1, top + 1, 2, 0x55555555aaaaaaaa, top >> 1, 0};
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return halves[pick];
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return singles[pick];
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        return doubles[pick];
    default:
        return integers[pick];
    }
}

static unsigned fraction_bits(unsigned type)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 10 : type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 23 : 52;
}

static uint64_t denormal(unsigned type, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    unsigned fraction = fraction_bits(type);
    uint64_t sign = (random >> 8 & 1) << (t->bits - 1), max = ((uint64_t)1 << fraction) - 1;
    if (!t->is_float || random % 4 == 0)
        return ordinary(type, random_mix(random));
    return sign | (random % 4 == 1 ? 1 : random % 4 == 2 ? max : random_mix(random) & max);
}

/* The highest bit of the fraction is 0, and another one is 1. */
static uint64_t signalling_nan(unsigned type, uint64_t random)
{
    unsigned bits = datatype_of(type)->bits, fraction = fraction_bits(type);
    uint64_t exponent = ((uint64_t)1 << (bits - 1 - fraction)) - 1, payload = ((uint64_t)1 << (fraction - 1)) - 1;
    if (!datatype_of(type)->is_float)
        return ordinary(type, random);
    return (random >> 63) << (bits - 1) | exponent << fraction | (random & payload) | 1;
}

static uint64_t only_denormal(unsigned type, uint64_t random)
{
    if (!datatype_of(type)->is_float)
        return ordinary(type, random);
    uint64_t sign = (random >> 63) << (datatype_of(type)->bits - 1), max = ((uint64_t)1 << fraction_bits(type)) - 1;
    return sign | (random % 4 == 0 ? 1 : random % 4 == 1 ? max : random_mix(random) % max + 1);
}

static uint64_t counting(unsigned type, uint64_t value)
{
    uint64_t bits = 0;
    datatype_from_integer(type, (int64_t)value, &bits);
    return bits;
}

/* A different nonzero value for every number: of floats, the normal ones from the smallest on. Both halves of 64 bits
 * differ, so that an element put together from halves of two others is none of them. */
static uint64_t distinct(unsigned type, uint64_t number)
{
    uint64_t high = datatype_of(type)->bits == 64 ? number << 32 : 0;
    static const struct {
        unsigned type;
        uint64_t first;
    } smallest[] = {{DML_TENSOR_DATA_TYPE_FLOAT16, 0x0400},
                    {DML_TENSOR_DATA_TYPE_FLOAT32, 0x00800000},
                    {DML_TENSOR_DATA_TYPE_FLOAT64, 0x0010000000000000}};
    for (size_t i = 0; i < sizeof smallest / sizeof *smallest; i++)
        if (smallest[i].type == type)
            return smallest[i].first + number + high;
    return 1 + number + high;
}

bool fill_is_index(const struct spec *spec, int field)
{
    for (int i = 0; i < spec->index_count; i++)
        if (spec_is(spec, field, spec->indices[i].field))
            return true;
    return false;
}

/* How many elements the data inputs before a field have. */
static uint64_t elements_before(const struct testcase *c, int field)
{
    uint64_t count = 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0 && i < field;)
        if (field_is_input(spec_tensor_field(c->spec, i)) && !fill_is_index(c->spec, i))
            count += (uint64_t)opdesc_elements(&c->desc->items[i].tensor);
    return count;
}

bool fill_can_be_distinct(const struct testcase *c)
{
    uint64_t count = elements_before(c, c->desc->tensor_count);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        unsigned type = c->desc->items[i].tensor.data_type;
        if (!field_is_input(spec_tensor_field(c->spec, i)) || fill_is_index(c->spec, i))
            continue;
        if (count > (type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 0x7800
                     : datatype_of(type)->bits >= 32      ? 0x7f000000
                                                          : (1u << datatype_of(type)->bits) - 1))
            return false;
    }
    return true;
}

static bool is_nonzero(enum fill fill, uint64_t number, uint64_t count)
{
    static const unsigned chunks[] = {32, 64, 256, 1024};
    switch (fill) {
    case FILL_NONZERO_FIRST:
        return number == 0;
    case FILL_NONZERO_MIDDLE:
        return number == count / 2;
    case FILL_NONZERO_LAST:
        return number + 1 == count;
    case FILL_NONZERO_ALTERNATING:
        return number % 2 == 1;
    default:
        return (number + 1) % chunks[fill - FILL_NONZERO_EDGES_32] < 3;
    }
}

/* ---- a tensor */

struct data_filler {
    const struct testcase *c;
    int field;
    unsigned type;
    bool sparse;
    uint64_t key, before, count; /* elements of the data inputs before this one, and of this one */
    uint8_t *memory;
    unsigned width; /* of an element, in bits */
};

static uint64_t data_bits(const struct data_filler *f, uint64_t number)
{
    uint64_t random = random_at(f->key, number);
    switch (f->c->fill) {
    case FILL_SPARSE:
        return random >> 63 && f->sparse ? zero(f->type, random) : ordinary(f->type, random);
    case FILL_SPECIAL:
        return special(f->type, f->key + number);
    case FILL_DENORMAL:
        return denormal(f->type, random);
    case FILL_SIGNALLING_NANS:
        return signalling_nan(f->type, random);
    case FILL_DENORMALS:
        return only_denormal(f->type, random);
    case FILL_ZERO:
        return zero(f->type, random);
    case FILL_ONE:
        return counting(f->type, 1);
    case FILL_COUNTING:
        return counting(f->type, number);
    case FILL_DISTINCT:
        return distinct(f->type, number + f->before);
    case FILL_PATTERNS:
        return number;
    case FILL_ORDINARY:
    case FILL_COUNT:
        return ordinary(f->type, random);
    default:
        if (f->sparse && !is_nonzero(f->c->fill, number, f->count))
            return zero(f->type, random);
        return datatype_of(f->type)->is_float ? ordinary(f->type, random) : random | 1;
    }
}

static bool fill_data(void *context, const struct element_row *row)
{
    const struct data_filler *f = context;
    for (uint64_t i = 0; i < row->count; i++)
        element_put(f->width, f->memory, row->offset + i * row->step, data_bits(f, row->number + i * row->apart));
    return true;
}

/* Most inputs are ordinary, so each float type has its own loop. */
static bool fill_ordinary(void *context, const struct element_row *row)
{
    const struct data_filler *f = context;
    const uint64_t key = f->key, apart = row->apart, step = row->step;
    uint64_t number = row->number, at = row->offset;
    uint8_t *memory = f->memory;
    switch (f->type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(16, memory, at, float_bits(DML_TENSOR_DATA_TYPE_FLOAT16, random_at(key, number)));
        break;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(32, memory, at, float_bits(DML_TENSOR_DATA_TYPE_FLOAT32, random_at(key, number)));
        break;
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(64, memory, at, float_bits(DML_TENSOR_DATA_TYPE_FLOAT64, random_at(key, number)));
        break;
    case DML_TENSOR_DATA_TYPE_INT8:
    case DML_TENSOR_DATA_TYPE_UINT8:
        if (step == 1 && apart == 1)
            fill_bytes(memory + at, key, number, row->count);
        for (uint64_t i = 0; (step != 1 || apart != 1) && i < row->count; i++, at += step, number += apart)
            memory[at] = byte_at(key, number);
        break;
    default:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(f->width, memory, at, random_at(key, number));
    }
    return true;
}

static bool copy_literal(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct data_filler *f = context;
    const struct literal *literal = &f->c->literals[f->field];
    (void)coordinates;
    if (number >= literal->count)
        return false;
    element_put(f->width, f->memory, offset, element_get(f->width, literal->data, number));
    return true;
}

void fill_literal(const struct testcase *c, int field, uint8_t *memory)
{
    const struct opdesc_tensor *t = &c->desc->items[field].tensor;
    struct data_filler f = {.c = c, .field = field, .memory = memory, .width = datatype_of(t->data_type)->bits};
    elements_each(t, copy_literal, &f);
}

void fill_input(const struct testcase *c, uint64_t seed, int field, uint8_t *memory, uint64_t bytes)
{
    const struct opdesc_tensor *t = &c->desc->items[field].tensor;
    struct data_filler f = {.c = c,
                            .field = field,
                            .type = t->data_type,
                            .sparse = c->spec->sparse >> field & 1,
                            .key = random_at(seed, (uint64_t)field),
                            .before = elements_before(c, field),
                            .count = (uint64_t)opdesc_elements(t),
                            .memory = memory,
                            .width = datatype_of(t->data_type)->bits};
    memset(memory, 0x7B, bytes); /* gaps: far out of range as an index, large as a float */
    if (c->literals && c->literals[field].data)
        fill_literal(c, field, memory);
    else if (!indices_fill(c, f.key, field, memory))
        elements_rows(t, c->fill == FILL_ORDINARY ? fill_ordinary : fill_data, &f);
}
