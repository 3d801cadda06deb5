#include "harness/case/indices.h"

#include "harness/spec/elements.h"
#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <string.h>

/* A divisor with its reciprocal, since multiplying is faster than dividing. */
struct divisor {
    uint64_t number, inverse;
};

/* A bijection of [0, n) that a key chooses. */
struct permutation {
    uint64_t n, key, mask, factor[3], term[3];
    unsigned shift;
};

/* An index tensor of a case. */
struct index_tensor {
    const struct testcase *c;
    const struct spec_index *index;
    const struct opdesc_tensor *t;
    struct expr_list into;
    uint64_t room; /* product of `into`: the number of targets */
    struct divisor by_room, by_width, by_size[EXPR_MAX_LIST];
    int64_t along;  /* dimension along which targets are distinct, -1: all */
    uint64_t width; /* components of a tuple */
    enum { SIGNS_POSITIVE, SIGNS_BOTH, SIGNS_NEGATIVE } signs;
    uint64_t key;
    uint64_t repeats;                    /* tuples per target, for duplicates */
    uint64_t outside;                    /* a tuple that is out of range if any is */
    struct permutation targets, doubles; /* as last used */
    /* For fill_line(): the coordinates of the previous line, and the key after each coordinate. */
    uint32_t strides[OPDESC_MAX_DIMENSIONS], before[OPDESC_MAX_DIMENSIONS];
    uint64_t keys[OPDESC_MAX_DIMENSIONS + 1];
    uint8_t *memory;
    unsigned width_of_element; /* in bits */
    void (*visit)(void *context, const struct index_place *place);
    void *context;
};

static struct divisor divisor_of(uint64_t number)
{
    return (struct divisor){number ? number : 1, UINT64_MAX / (number ? number : 1)};
}

/* Returns x / d, and stores the remainder. */
static inline uint64_t indices_divide(uint64_t x, const struct divisor *d, uint64_t *left)
{
    uint64_t quotient = (uint64_t)((unsigned __int128)x * d->inverse >> 64); /* exact or one too small */
    uint64_t rest = x - quotient * d->number, more = rest >= d->number;
    *left = rest - (d->number & -more);
    return quotient + more;
}

static bool find_tensor(const struct testcase *c, int field, uint8_t *memory, struct index_tensor *out)
{
    *out = (struct index_tensor){.c = c, .along = -1, .memory = memory, .room = 1};
    for (int i = 0; i < c->spec->index_count; i++)
        if (spec_is(c->spec, field, c->spec->indices[i].field))
            out->index = &c->spec->indices[i];
    if (!out->index || !expr_list(c->spec->nodes, out->index->into, c->desc, &out->into) || out->into.count == 0)
        return false;
    out->t = &c->desc->items[field].tensor;
    if (!out->t->present)
        return false;
    out->width_of_element = datatype_of(out->t->data_type)->bits;
    out->width = out->index->tuple ? out->t->sizes[out->t->dims - 1] : 1;
    for (int k = 0; k < out->into.count; k++) {
        out->room *= (uint64_t)out->into.items[k];
        out->by_size[k] = divisor_of((uint64_t)out->into.items[k]);
    }
    out->by_room = divisor_of(out->room);
    out->by_width = divisor_of(out->width);
    return out->index->along < 0 || expr_number(c->spec->nodes, out->index->along, c->desc, &out->along);
}

/* Returns the number of tuples of one line, which may have the same targets. */
static uint64_t tuples_of_line(const struct index_tensor *x)
{
    return x->along >= 0 ? x->t->sizes[x->along] : (uint64_t)opdesc_elements(x->t) / x->width;
}

static uint64_t line_of(const struct index_tensor *x, const uint32_t *coordinates)
{
    uint64_t line = 0;
    for (uint32_t d = 0; d < x->t->dims && x->along >= 0; d++)
        if (d != (uint64_t)x->along)
            line = line * x->t->sizes[d] + coordinates[d];
    return line;
}

/* ---- filling */

static void indices_choose(struct permutation *p, uint64_t n, uint64_t key)
{
    unsigned bits = n < 2 ? 1 : 64 - (unsigned)__builtin_clzll(n - 1);
    *p = (struct permutation){.n = n, .key = key, .shift = bits / 2 + 1};
    p->mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    for (unsigned round = 0; round < 3; round++) {
        p->factor[round] = random_at(key, 2 * round) | 1;
        p->term[round] = random_at(key, 2 * round + 1);
    }
}

/* Three rounds, each a bijection of [0, next power of two), repeated until the result is below n. */
static inline uint64_t permute(struct permutation *p, uint64_t x, uint64_t n, uint64_t key)
{
    if (p->n != n || p->key != key)
        indices_choose(p, n, key);
    do {
        for (unsigned round = 0; round < 3; round++) {
            x = (x * p->factor[round] + p->term[round]) & p->mask;
            x ^= x >> p->shift;
        }
    } while (x >= n);
    return x;
}

/* A tuple's position in its line, and the key that orders the line. */
struct line_place {
    uint64_t number, key;
};

/* Returns the target that a tuple points to. */
static inline uint64_t target_of(struct index_tensor *x, uint64_t tuple, struct line_place at)
{
    uint64_t target;
    if (x->c->index_fill == INDEX_DESCENDING) {
        indices_divide(x->index->distinct ? at.number : tuple, &x->by_room, &target);
        return x->room - 1 - target;
    }
    if (x->index->distinct) { /* each line has its own permutation */
        if (x->c->index_fill == INDEX_DUPLICATES)
            at.number = permute(&x->doubles, at.number, tuples_of_line(x), ~at.key) / x->repeats;
        return permute(&x->targets, at.number < x->room ? at.number : at.number % x->room, x->room, at.key);
    }
    if (x->c->index_fill == INDEX_FIRST)
        return 0;
    if (x->c->index_fill == INDEX_LAST)
        return x->room - 1;
    indices_divide(x->c->index_fill == INDEX_EACH ? tuple : random_at(x->key, tuple), &x->by_room, &target);
    return target;
}

/* Returns an index far out of range: arithmetic with too few bits or the wrong sign turns it into `valid`, or it is an
 * end of the type. */
static int64_t far_value(unsigned type, int64_t valid, int64_t size, uint64_t random)
{
    bool wide = datatype_of(type)->bits == 64, is_signed = datatype_of(type)->is_signed;
    int64_t high = (int64_t)1 << 32, top = (int64_t)1 << 31;
    switch (random % (wide ? 6 : 3)) {
    case 0: /* the negative form in an unsigned type, 2^32 - size + valid; INT32_MIN in a signed one */
        return is_signed ? -top : high - size + valid;
    case 1: /* the highest bit, with the valid index below it */
        return is_signed ? top - 1 - valid : top + valid;
    case 2:
        return is_signed ? -top + valid : high - 1;
    case 3: /* beyond 32 bits */
        return high + valid;
    case 4:
        return is_signed ? -high + valid : INT64_MIN + valid; /* unsigned: 2^63 + valid */
    default:
        return is_signed ? INT64_MIN + valid : -size + valid; /* unsigned: 2^64 - size + valid */
    }
}

/* Returns true if this component of the tuple is out of range. At least one tuple and about half of the others are, in
 * one component of a size above 1. */
static bool indices_is_outside(const struct index_tensor *x, uint64_t tuple, uint64_t component)
{
    if (!indices_out_of_range(x->c->index_fill))
        return false;
    uint64_t random = random_at(x->key ^ 0x6f7574, tuple), choices = 0, choice;
    if ((random & 1 && tuple != x->outside) || x->into.items[component] < 2)
        return false;
    for (uint64_t k = 0; k < x->width; k++)
        choices += x->into.items[k] > 1;
    choice = (random >> 8) % choices;
    for (uint64_t k = 0; k < component; k++)
        choice -= x->into.items[k] > 1; /* wraps around once an earlier component was chosen */
    return choice == 0;
}

static int64_t outside_value(const struct index_tensor *x, int64_t valid, int64_t size, uint64_t random)
{
    switch (x->c->index_fill) {
    case INDEX_ABOVE:
        return size + (int64_t)(random % 3);
    case INDEX_BELOW:
        return -size - 1 - (int64_t)(random % 3);
    default:
        return far_value(x->t->data_type, valid, size, random);
    }
}

static inline void put_index(struct index_tensor *x, uint64_t number, const struct line_place *in_line, uint64_t offset)
{
    uint64_t component = 0, rest, tuple = x->width == 1 ? number : indices_divide(number, &x->by_width, &component);
    uint64_t target = target_of(x, tuple, in_line ? *in_line : (struct line_place){tuple, x->key});
    for (int k = x->into.count - 1; k > (int)component; k--)
        target = indices_divide(target, &x->by_size[k], &rest);
    if (component > 0)
        indices_divide(target, &x->by_size[component], &target);
    int64_t size = x->into.items[component], value = (int64_t)target;
    if (indices_is_outside(x, tuple, component))
        value = outside_value(x, value, size, random_at(x->key, number));
    else if (x->signs)
        value -= size & -(int64_t)(random_at(x->key, ~number) >> 63 | (x->signs == SIGNS_NEGATIVE));
    element_put(x->width_of_element, x->memory, offset, (uint64_t)value);
}

static bool fill_index(void *context, const struct element_row *row)
{
    for (uint64_t i = 0; i < row->count; i++)
        put_index(context, row->number + i * row->apart, NULL, row->offset + i * row->step);
    return true;
}

/* Fills a whole line along one dimension. `coordinates` are those of its first element, or 0 where strides are 0: if
 * lines share memory, the last one stays. */
static bool fill_line(void *context, uint64_t line, const uint32_t *coordinates, uint64_t offset)
{
    struct index_tensor *x = context;
    uint32_t own[OPDESC_MAX_DIMENSIONS];
    for (uint32_t d = 0; d < x->t->dims; d++)
        own[d] = x->strides[d] == 0 ? x->t->sizes[d] - 1 : coordinates[d];
    coordinates = own;
    uint64_t first = 0, step = 1; /* number of the first element, and from one to the next */
    uint32_t same = 0;            /* leading dimensions with the same coordinates as the previous line */
    while (line > 0 && same + 1 < x->t->dims && coordinates[same] == x->before[same])
        same++;
    for (uint32_t d = 0; d < x->t->dims; d++) {
        first = first * x->t->sizes[d] + coordinates[d];
        step *= d > (uint64_t)x->along ? x->t->sizes[d] : 1;
        if (d >= same)
            x->keys[d + 1] = d != (uint64_t)x->along ? random_at(x->keys[d], coordinates[d]) : x->keys[d];
        x->before[d] = coordinates[d];
    }
    struct line_place at = {.key = x->keys[x->t->dims]};
    for (; at.number < x->t->sizes[x->along]; at.number++)
        put_index(x, first + at.number * step, &at, offset + at.number * x->strides[x->along]);
    return true;
}

static void fill_lines(struct index_tensor *x)
{
    struct opdesc_tensor lines = *x->t;
    opdesc_strides(x->t, x->strides);
    memcpy(lines.strides, x->strides, sizeof lines.strides);
    lines.has_strides = true;
    for (uint32_t d = 0; d < lines.dims; d++)
        if (d == (uint64_t)x->along || x->strides[d] == 0)
            lines.sizes[d] = 1;
    x->keys[0] = x->key;
    elements_each(&lines, fill_line, x);
}

/* Makes an index fit that a coordinate with a larger size wrote to the same memory. Visiting all coordinates once is
 * enough: an index only moves towards 0 or -1, so it stays in range for those visited before. */
static void fit_index(void *context, const struct index_place *place)
{
    const struct index_tensor *x = context;
    if (place->in_range)
        return;
    if (x->c->index_fill == INDEX_LAST)
        indices_set(place, place->size - 1);
    else
        indices_set(place, place->value < 0 ? -1 - (-1 - place->value) % place->size : place->value % place->size);
}

/* Returns true if coordinates of tuples share memory, so that one cell is an index into dimensions of different
 * sizes. */
static bool shares_components(const struct index_tensor *x)
{
    return x->width > 1 && x->t->has_strides && opdesc_overlaps(x->t);
}

bool indices_fill(const struct testcase *c, uint64_t key, int field, uint8_t *memory)
{
    struct index_tensor x;
    if (!find_tensor(c, field, memory, &x))
        return false;
    uint64_t tuples = tuples_of_line(&x);
    bool shared = !indices_out_of_range(c->index_fill) && shares_components(&x);
    x.key = key;
    x.outside = key % ((uint64_t)opdesc_elements(x.t) / x.width);
    if (c->negative_indices && c->index_fill != INDEX_POSITIVE && c->index_fill != INDEX_DESCENDING)
        x.signs = c->index_fill == INDEX_NEGATIVE ? SIGNS_NEGATIVE : SIGNS_BOTH;
    if (shared && c->index_fill == INDEX_FIRST)
        x.signs = SIGNS_POSITIVE; /* the negative form of the first position depends on the size */
    x.repeats = key % 4 == 0 ? INDICES_REPEATS : 2 + key % 5; /* of a small tensor, sometimes all tuples */
    if (x.repeats > tuples)
        x.repeats = tuples;
    if (x.index->distinct && x.along >= 0)
        fill_lines(&x);
    else
        elements_rows(x.t, fill_index, &x);
    if (shared)
        indices_each(c, field, memory, fit_index, &x);
    return true;
}

bool indices_out_of_range(enum index_fill fill)
{
    return fill == INDEX_ABOVE || fill == INDEX_BELOW || fill == INDEX_FAR;
}

/* Returns true if tuples that must have different targets share memory. Lines may share all of theirs. */
static bool shares_distinct(const struct index_tensor *x)
{
    struct opdesc_tensor t = *x->t;
    if (!x->index->distinct || !t.has_strides)
        return false;
    for (uint32_t d = 0; d < t.dims; d++)
        if (x->along >= 0 && d != (uint64_t)x->along && t.strides[d] == 0)
            t.sizes[d] = 1;
    return opdesc_overlaps(&t);
}

bool indices_possible(const struct testcase *c)
{
    bool outside = indices_out_of_range(c->index_fill), has_signed = false, any = false;
    bool own = outside || c->index_fill == INDEX_DUPLICATES; /* each index needs memory of its own */
    for (int i = 0; i < c->spec->index_count; i++) {
        struct index_tensor x;
        if (!find_tensor(c, spec_item(c->spec, c->spec->indices[i].field), NULL, &x)) {
            if (own)
                return false;
            continue;
        }
        if (own ? opdesc_overlaps(x.t) : shares_distinct(&x))
            return false;
        any |= outside ? x.room > 1 : x.index->distinct && tuples_of_line(&x) > 1;
        has_signed |= datatype_of(x.t->data_type)->is_signed;
    }
    return !own || (any && (c->index_fill != INDEX_BELOW || has_signed));
}

/* ---- reading */

static bool visit_index(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct index_tensor *x = context;
    uint64_t component, tuple = indices_divide(number, &x->by_width, &component);
    struct index_place place = {.memory = x->memory,
                                .offset = offset,
                                .data_type = x->t->data_type,
                                .tuple = tuple,
                                .component = (uint32_t)component,
                                .line = line_of(x, coordinates)};
    bool is_signed = datatype_of(x->t->data_type)->is_signed;
    place.size = x->into.items[place.component];
    uint64_t bits = element_get(x->width_of_element, x->memory, offset);
    place.value = datatype_to_integer(x->t->data_type, &bits);
    place.in_range = place.value < place.size && place.value >= (is_signed ? -place.size : 0);
    x->visit(x->context, &place);
    return true;
}

void indices_each(const struct testcase *c, int field, uint8_t *memory,
                  void (*visit)(void *context, const struct index_place *place), void *context)
{
    struct index_tensor x;
    if (!find_tensor(c, field, memory, &x))
        return;
    x.visit = visit;
    x.context = context;
    elements_each(x.t, visit_index, &x);
}

void indices_set(const struct index_place *place, int64_t value)
{
    element_put(datatype_of(place->data_type)->bits, place->memory, place->offset, (uint64_t)value);
}

void indices_set_invalid(const struct index_place *place)
{
    const struct datatype *type = datatype_of(place->data_type);
    uint64_t max = type->bits == 64 ? UINT64_MAX : ((uint64_t)1 << type->bits) - 1;
    indices_set(place, (int64_t)(type->is_signed ? (max >> 1) + 1 : max)); /* the lowest, or the highest */
}
