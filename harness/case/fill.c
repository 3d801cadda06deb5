#include "harness/case/fill.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/case/choice.h"
#include "harness/case/element_bits.h"
#include "harness/spec/elements.h"
#include "harness/case/grid.h"
#include "harness/case/indices.h"

#include <string.h>

/* ---- data */

/* Eight elements of one byte share the bits of `random_at`, so that long tensors are filled quickly. */
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

bool fill_is_index(const struct spec *spec, int field)
{
    for (int i = 0; i < spec->index_count; i++)
        if (spec_is(spec, field, spec->indices[i].field))
            return true;
    return false;
}

/* Returns the number of elements that the data inputs before a field have. */
static uint64_t elements_before(const struct testcase *c, int field)
{
    uint64_t count = 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0 && i < field;)
        if (field_is_input(spec_tensor_field(c->spec, i)) && !fill_is_index(c->spec, i))
            count += (uint64_t)opdesc_elements(&c->desc->items[i].tensor);
    return count;
}

static bool can_be_distinct(const struct testcase *c)
{
    uint64_t count = elements_before(c, c->desc->tensor_count);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        unsigned type = c->desc->items[i].tensor.data_type;
        if (!field_is_input(spec_tensor_field(c->spec, i)) || fill_is_index(c->spec, i))
            continue;
        unsigned values = datatype_of(type)->bits >= 32 ? 0x7f000000 : (1u << datatype_of(type)->bits) - 1;
        if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
            values = 0x7800;
        if (count > values)
            return false;
    }
    return true;
}

uint64_t fill_combinations(const struct testcase *c)
{
    int64_t elements = 0;
    unsigned bits = 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct opdesc_tensor *t = &c->desc->items[i].tensor;
        if (!field_is_input(spec_tensor_field(c->spec, i)))
            continue;
        if (fill_is_index(c->spec, i) || (elements > 0 && opdesc_elements(t) != elements))
            return 0;
        elements = opdesc_elements(t);
        bits += datatype_of(t->data_type)->bits;
    }
    return bits > 0 && bits <= FILL_EACH_BITS ? (uint64_t)1 << bits : 0;
}

/* Returns true if the case has combinations of bits from its first one on, and no combination twice. */
static bool can_have_each(const struct testcase *c)
{
    const uint64_t combinations = fill_combinations(c);
    const int first = testcase_next_tensor(c, -1);
    return c->first < combinations && (uint64_t)opdesc_elements(&c->desc->items[first].tensor) <= combinations;
}

bool fill_is_possible(const struct testcase *c)
{
    switch (c->fill) {
    case FILL_EACH:
        return can_have_each(c);
    case FILL_DISTINCT:
        return can_be_distinct(c);
    case FILL_CHOICE:
    case FILL_SETTLED:
        return choice_is_possible(c);
    default:
        return true;
    }
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

/* The longest rows of a tensor: `length` elements, `apart` from one to the next in row-major order. */
struct long_rows {
    uint64_t length, apart;
};

static struct long_rows long_rows_of(const struct opdesc_tensor *t)
{
    struct long_rows rows = {1, 1};
    uint64_t apart = 1;
    for (uint32_t i = t->dims; i-- > 0; apart *= t->sizes[i])
        if (t->sizes[i] > rows.length)
            rows = (struct long_rows){t->sizes[i], apart};
    return rows;
}

enum { ROW_BASE = 1, ROW_PEAK = 2, ROW_DIP = 0, ROW_SPIKE = 24 };

/* Each row has its peak and its dip at two neighbouring places; every second row has them exchanged. The rows begin
 * with the ends and go on with the edges of tiles that are shorter than a row. */
static uint64_t peak_or_dip(const struct long_rows *rows, uint64_t number)
{
    enum { FIRST_TILE = 32 };
    uint64_t place = number / rows->apart % rows->length, edges = 1;
    uint64_t row = number / (rows->apart * rows->length) * rows->apart + number % rows->apart;
    while ((uint64_t)FIRST_TILE << (edges - 1) < rows->length)
        edges++;
    uint64_t edge = row / 2 % edges, high = rows->length - 1, low = 0;
    if (edge > 0) {
        high = (uint64_t)FIRST_TILE << (edge - 1);
        low = high - 1;
    }
    if (place != high && place != low)
        return ROW_BASE;
    return (place == high) == (row % 2 == 0) ? ROW_PEAK : ROW_DIP;
}

/* ---- a tensor */

/* The contents of an input depend on the inputs before it: together the inputs show every combination. */
struct pairing {
    unsigned shift;                /* bits of the elements of the inputs before this one */
    uint64_t stride, combinations; /* of interesting values: in the inputs before this one; in all */
    uint64_t key;                  /* the same for all inputs */
    struct interesting values;
};

struct data_filler {
    const struct testcase *c;
    int field, input; /* the tensor; its number among the inputs of the choice */
    unsigned type;
    bool sparse;
    bool computes;               /* numbers: the elements are in the domain */
    bool first;                  /* of all inputs with data */
    bool together;               /* inputs are computed with each other, element by element */
    uint64_t key, before, count; /* elements of the data inputs before this one, and of this one */
    struct domain domain;        /* of operators that compute */
    struct long_rows rows;
    struct choice *choice; /* null: the contents need none */
    const struct pairing *pairing;
    uint8_t *memory;
    unsigned width; /* of an element, in bits */
};

static uint64_t ordinary(const struct data_filler *f, uint64_t random)
{
    return f->computes ? domain_draw(&f->domain, random) : bits_of_any(f->type, random);
}

/* Counts in bits. Where inputs are computed with each other, they count together if 16 bits are enough for them;
 * otherwise each in an order of its own. */
static uint64_t pattern(const struct data_filler *f, uint64_t number)
{
    if (!f->together || f->pairing->shift + f->width <= 16)
        return number >> f->pairing->shift;
    return number * (2 * random_mix((uint64_t)f->field) + 1);
}

/* A combination of interesting values: every one in turn, or, if the tensor has not enough elements, some. */
static uint64_t paired(const struct data_filler *f, uint64_t number)
{
    const struct pairing *p = f->pairing;
    uint64_t combination = p->combinations > f->count ? random_at(p->key, number) % p->combinations : number;
    return p->values.bits[combination / p->stride % (uint64_t)p->values.count];
}

static uint64_t fill_chosen(const struct data_filler *f, uint64_t number)
{
    uint64_t bits[CHOICE_INPUTS];
    choice_draw(f->choice, number, bits);
    return bits[f->input];
}

/* Returns an element of contents whose elements are all near some number. */
static uint64_t bits_near(const struct data_filler *f, uint64_t random)
{
    switch (f->c->fill) {
    case FILL_FAR_BELOW:
        return bits_of_far(f->type, -1, random);
    case FILL_FAR_ABOVE:
        return bits_of_far(f->type, 1, random);
    case FILL_CLOSE:
        return bits_of_close(f->type, random);
    case FILL_SMALL:
        return bits_of_small(f->type, random);
    default:
        return bits_of_hundred(f->type, random);
    }
}

static uint64_t data_bits(const struct data_filler *f, uint64_t number)
{
    uint64_t random = random_at(f->key, number);
    switch (f->c->fill) {
    case FILL_SPARSE:
        return random >> 63 && f->sparse ? bits_of_zero(f->type, random) : ordinary(f, random);
    case FILL_SPECIAL:
        return bits_of_special(f->type, f->key + number);
    case FILL_DENORMAL:
        return bits_of_some_denormal(f->type, random, ordinary(f, random_mix(random)));
    case FILL_SIGNALLING_NANS:
        return bits_of_signalling_nan(f->type, random, ordinary(f, random));
    case FILL_DENORMALS:
        return bits_of_denormal(f->type, random, ordinary(f, random));
    case FILL_ZERO:
        return bits_of_zero(f->type, random);
    case FILL_ONE:
        return bits_of_number(f->type, 1);
    case FILL_COUNTING:
        return bits_of_number(f->type, number);
    case FILL_DISTINCT:
        return bits_of_distinct(f->type, number + f->before);
    case FILL_PATTERNS:
        return pattern(f, number);
    case FILL_DYADIC: {
        uint64_t bits = bits_of_dyadic(f->type, random);
        bool avoided = spec_domain_of(f->c->spec, f->c->desc, f->c->spec->tensor_fields[f->field])->nonzero;
        return bits == 0 && avoided && !datatype_of(f->type)->is_float ? bits_of_number(f->type, 1) : bits;
    }
    case FILL_UNITS:
        return bits_of_unit(f->type, number, random);
    case FILL_PEAKS:
        return bits_of_number(f->type, peak_or_dip(&f->rows, number));
    case FILL_ANY_INTEGERS:
        return datatype_of(f->type)->is_float ? ordinary(f, random) : random;
    case FILL_SPIKES:
        if (!f->first)
            return ordinary(f, random);
        return bits_of_number(f->type, peak_or_dip(&f->rows, number) == ROW_PEAK ? ROW_SPIKE : 0);
    case FILL_CONSTANT:
        return ordinary(f, f->first ? random_at(f->key, 0) : random);
    case FILL_NOT_FINITE:
        if (!f->first || !datatype_of(f->type)->is_float || peak_or_dip(&f->rows, number) != ROW_PEAK)
            return ordinary(f, random);
        return bits_of_not_finite(f->type, random);
    case FILL_OFFSET:
        return f->first ? bits_of_offset(f->type, random) : ordinary(f, random);
    case FILL_FAR_BELOW:
    case FILL_FAR_ABOVE:
    case FILL_CLOSE:
    case FILL_SMALL:
    case FILL_HUNDRED:
        return f->first ? bits_near(f, random) : ordinary(f, random);
    case FILL_MASKED:
    case FILL_MASKED_OUT:
        if (!f->first || random >> 63)
            return ordinary(f, random_mix(random));
        return f->c->fill == FILL_MASKED_OUT ? bits_of_minus_infinity(f->type) : bits_of_far(f->type, -1, 0);
    case FILL_LEAST:
    case FILL_GREATEST:
        return f->first ? bits_of_end(f->type, f->c->fill == FILL_LEAST) : ordinary(f, random);
    case FILL_HUGE:
        if (!f->first || peak_or_dip(&f->rows, number) != ROW_PEAK)
            return ordinary(f, random);
        return bits_of_huge(f->type, random);
    case FILL_PAIRS:
        return paired(f, number);
    case FILL_CHOICE:
    case FILL_SETTLED:
        return f->choice ? fill_chosen(f, number) : ordinary(f, random);
    case FILL_ORDINARY:
    case FILL_COUNT:
        return ordinary(f, random);
    default:
        if (f->sparse && !is_nonzero(f->c->fill, number, f->count))
            return bits_of_zero(f->type, random);
        return datatype_of(f->type)->is_float ? ordinary(f, random) : random | 1;
    }
}

static bool fill_data(void *context, const struct element_row *row)
{
    const struct data_filler *f = context;
    for (uint64_t i = 0; i < row->count; i++)
        element_put(f->width, f->memory, row->offset + i * row->step, data_bits(f, row->number + i * row->apart));
    return true;
}

static bool fill_each(void *context, const struct element_row *row)
{
    const struct data_filler *f = context;
    const uint64_t first = f->c->first + row->number;
    for (uint64_t i = 0; i < row->count; i++)
        element_put(f->width, f->memory, row->offset + i * row->step, (first + i * row->apart) >> f->pairing->shift);
    return true;
}

static bool fill_domain(const struct data_filler *f, const struct element_row *row)
{
    for (uint64_t i = 0; i < row->count; i++)
        element_put(f->width, f->memory, row->offset + i * row->step,
                    domain_draw(&f->domain, random_at(f->key, row->number + i * row->apart)));
    return true;
}

/* Most inputs are ordinary, so each float type has its own loop. */
static bool fill_ordinary(void *context, const struct element_row *row)
{
    const struct data_filler *f = context;
    if (f->computes)
        return fill_domain(f, row);
    const uint64_t key = f->key, apart = row->apart, step = row->step;
    uint64_t number = row->number, at = row->offset;
    uint8_t *memory = f->memory;
    switch (f->type) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(16, memory, at, bits_of_float(DML_TENSOR_DATA_TYPE_FLOAT16, random_at(key, number)));
        break;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(32, memory, at, bits_of_float(DML_TENSOR_DATA_TYPE_FLOAT32, random_at(key, number)));
        break;
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        for (uint64_t i = 0; i < row->count; i++, at += step, number += apart)
            element_put(64, memory, at, bits_of_float(DML_TENSOR_DATA_TYPE_FLOAT64, random_at(key, number)));
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

/* Counts the bits, the combinations and the elements of the inputs before this one. */
static void fill_pair(struct pairing *pairing, const struct testcase *c, uint64_t seed, int field)
{
    *pairing = (struct pairing){.stride = 1, .combinations = 1, .key = seed};
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        struct interesting values;
        if (!field_is_input(spec_tensor_field(c->spec, i)) || fill_is_index(c->spec, i))
            continue;
        if (i < field)
            pairing->shift += datatype_of(c->desc->items[i].tensor.data_type)->bits;
        if (c->fill != FILL_PAIRS)
            continue;
        interesting_list(c, i, i == field ? &pairing->values : &values);
        uint64_t count = (uint64_t)(i == field ? pairing->values.count : values.count);
        pairing->stride *= i < field ? count : 1;
        pairing->combinations *= count;
    }
}

/* Prepares the choice that the contents need. Returns the number of the input among those of the choice, -1:
 * ordinary. */
static int fill_choose(struct choice *choice, const struct testcase *c, uint64_t seed, int field)
{
    int input = choice_begin(choice, c, seed) ? choice->input_count - 1 : -1;
    while (input >= 0 && choice->inputs[input].item != field)
        input--;
    return input;
}

static void fill_elements(struct data_filler *f, uint64_t seed)
{
    const struct opdesc_tensor *t = &f->c->desc->items[f->field].tensor;
    struct pairing pairing = {0};
    struct choice choice;
    if (f->c->fill == FILL_PAIRS || f->c->fill == FILL_EACH || (f->c->fill == FILL_PATTERNS && f->together))
        fill_pair(&pairing, f->c, seed, f->field);
    f->pairing = &pairing;
    f->rows = long_rows_of(t);
    if (f->c->fill == FILL_CHOICE || f->c->fill == FILL_SETTLED)
        f->choice = (f->input = fill_choose(&choice, f->c, seed, f->field)) >= 0 ? &choice : NULL;
    if (f->c->fill == FILL_EACH)
        elements_rows(t, fill_each, f);
    else
        elements_rows(t, f->c->fill == FILL_ORDINARY ? fill_ordinary : fill_data, f);
}

void fill_input(const struct testcase *c, uint64_t seed, int field, uint8_t *memory, uint64_t bytes)
{
    if (testcase_output_of(c, field) >= 0)
        field = testcase_input_of(c, testcase_output_of(c, field)); /* inputs of one memory hold the same */
    else
        field = testcase_memory_of(c, field);
    const struct opdesc_tensor *t = &c->desc->items[field].tensor;
    struct data_filler f = {.c = c,
                            .field = field,
                            .type = t->data_type,
                            .sparse = c->spec->sparse >> c->spec->tensor_fields[field] & 1,
                            .computes = spec_computes(c->spec),
                            .first = elements_before(c, field) == 0,
                            .together = c->spec->result_count > 0,
                            .key = random_at(seed, (uint64_t)field),
                            .before = elements_before(c, field),
                            .count = (uint64_t)opdesc_elements(t),
                            .memory = memory,
                            .width = datatype_of(t->data_type)->bits};
    memset(memory, 0x7B, bytes); /* gaps: far out of range as an index, large as a float */
    if (c->literals && c->literals[field].data)
        fill_literal(c, field, memory);
    else if (!indices_fill(c, f.key, field, memory) && !grid_fill(c, f.key, field, memory)) {
        if (f.computes)
            f.domain = domain_of(c->spec, c->desc, c->spec->tensor_fields[field], t->data_type);
        fill_elements(&f, seed);
    }
}
