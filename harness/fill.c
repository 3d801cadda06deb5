#include "harness/fill.h"

#include "harness/datatype.h"
#include "harness/indices.h"
#include "harness/random.h"

#include <string.h>

void fill_each(const struct opdesc_tensor *t, fill_visit visit, void *context)
{
    uint32_t coordinates[OPDESC_MAX_DIMENSIONS] = {0}, strides[OPDESC_MAX_DIMENSIONS];
    uint64_t offset = 0, number = 0;
    opdesc_strides(t, strides);
    for (;;) {
        if (!visit(context, number++, coordinates, offset))
            return;
        uint32_t d = t->dims;
        while (d-- > 0) {
            if (++coordinates[d] < t->sizes[d]) {
                offset += strides[d];
                break;
            }
            offset -= (uint64_t)(t->sizes[d] - 1) * strides[d];
            coordinates[d] = 0;
        }
        if (d == UINT32_MAX)
            return;
    }
}

/* ---- data */

static uint64_t float_bits(unsigned type, uint64_t random)
{
    /* Exponents around 1, so that neither NaN, infinity nor denormal comes out; all other bits random. */
    switch (type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return (random & 0x83ff) | (1 + (random >> 20) % 30) << 10;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return (random & 0x807fffff) | (1 + (random >> 32) % 254) << 23;
    default:
        return (random & 0x800fffffffffffff) | (1 + random_mix(random) % 2046) << 52;
    }
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

/* Ten neighbours have all of them. */
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

static uint64_t denormal(unsigned type, uint64_t random)
{
    const struct datatype *t = datatype_of(type);
    unsigned fraction = t->bits == 16 ? 10 : t->bits == 32 ? 23 : 52;
    uint64_t sign = (random >> 8 & 1) << (t->bits - 1), most = ((uint64_t)1 << fraction) - 1;
    if (!t->is_float || random % 4 == 0)
        return ordinary(type, random_mix(random));
    return sign | (random % 4 == 1 ? 1 : random % 4 == 2 ? most : random_mix(random) & most);
}

static uint64_t counting(unsigned type, uint64_t value)
{
    uint64_t bits = 0;
    datatype_from_integer(type, (int64_t)value, &bits);
    return bits;
}

/* No two alike, none zero: for floats the normal numbers from the smallest on. */
static uint64_t distinct(unsigned type, uint64_t number)
{
    static const struct {
        unsigned type;
        uint64_t first;
    } smallest[] = {{DML_TENSOR_DATA_TYPE_FLOAT16, 0x0400},
                    {DML_TENSOR_DATA_TYPE_FLOAT32, 0x00800000},
                    {DML_TENSOR_DATA_TYPE_FLOAT64, 0x0010000000000000}};
    for (size_t i = 0; i < sizeof smallest / sizeof *smallest; i++)
        if (smallest[i].type == type)
            return smallest[i].first + number;
    return 1 + number;
}

bool fill_is_index(const struct spec *spec, int field)
{
    for (int i = 0; i < spec->index_count; i++)
        if (spec->indices[i].field == field)
            return true;
    return false;
}

/* Elements of the data inputs before a field. */
static uint64_t elements_before(const struct testcase *c, int field)
{
    uint64_t count = 0;
    for (int i = 0; i < field; i++)
        if (c->spec->fields[i].kind == FIELD_INPUT && !fill_is_index(c->spec, i))
            count += (uint64_t)opdesc_elements(&c->desc->fields[i].tensor);
    return count;
}

bool fill_can_be_distinct(const struct testcase *c)
{
    uint64_t count = elements_before(c, c->spec->field_count);
    for (int i = 0; i < c->spec->field_count; i++) {
        unsigned type = c->desc->fields[i].tensor.data_type;
        if (c->spec->fields[i].kind != FIELD_INPUT || fill_is_index(c->spec, i))
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

static uint64_t data_bits(const struct testcase *c, int field, uint64_t key, uint64_t number)
{
    unsigned type = c->desc->fields[field].tensor.data_type;
    uint64_t random = random_at(key, number);
    bool sparse = c->spec->sparse >> field & 1;
    switch (c->fill) {
    case FILL_SPARSE:
        return random >> 63 && sparse ? zero(type, random) : ordinary(type, random);
    case FILL_SPECIAL:
        return special(type, key + number);
    case FILL_DENORMAL:
        return denormal(type, random);
    case FILL_ZERO:
        return zero(type, random);
    case FILL_ONE:
        return counting(type, 1);
    case FILL_COUNTING:
        return counting(type, number);
    case FILL_DISTINCT:
        return distinct(type, number + elements_before(c, field));
    case FILL_PATTERNS:
        return number;
    case FILL_ORDINARY:
    case FILL_COUNT:
        return ordinary(type, random);
    default:
        if (sparse && !is_nonzero(c->fill, number, (uint64_t)opdesc_elements(&c->desc->fields[field].tensor)))
            return zero(type, random);
        return datatype_of(type)->is_float ? ordinary(type, random) : random | 1;
    }
}

/* ---- a tensor */

struct data_filler {
    const struct testcase *c;
    int field;
    uint64_t key;
    uint8_t *memory;
    size_t bytes;
};

static bool fill_data(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct data_filler *f = context;
    (void)coordinates;
    uint64_t bits = data_bits(f->c, f->field, f->key, number);
    memcpy(f->memory + offset * f->bytes, &bits, f->bytes);
    return true;
}

static bool copy_literal(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct data_filler *f = context;
    const struct literal *literal = &f->c->literals[f->field];
    (void)coordinates;
    if (number >= literal->count)
        return false;
    memcpy(f->memory + offset * f->bytes, (const char *)literal->data + number * f->bytes, f->bytes);
    return true;
}

void fill_literal(const struct testcase *c, int field, uint8_t *memory)
{
    const struct opdesc_tensor *t = &c->desc->fields[field].tensor;
    struct data_filler f = {.c = c, .field = field, .memory = memory, .bytes = datatype_of(t->data_type)->bits / 8};
    fill_each(t, copy_literal, &f);
}

void fill_input(const struct testcase *c, uint64_t seed, int field, uint8_t *memory, uint64_t bytes)
{
    const struct opdesc_tensor *t = &c->desc->fields[field].tensor;
    struct data_filler f = {.c = c, .field = field, .memory = memory, .bytes = datatype_of(t->data_type)->bits / 8};
    f.key = random_at(seed, (uint64_t)field);
    memset(memory, 0x7B, bytes); /* as an index far out of range, as a float large: not to be read */
    if (c->literals && c->literals[field].data)
        fill_literal(c, field, memory);
    else if (!indices_fill(c, f.key, field, memory))
        fill_each(t, fill_data, &f);
}
