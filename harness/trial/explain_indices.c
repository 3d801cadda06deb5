/* Explanations of indices: they are read wrongly, so that other positions are meant. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/indices.h"

#include <string.h>

/* One way to misread indices. */
struct misreading {
    const struct explainer *x;
    enum misreading_kind {
        ABSOLUTE,    /* -3 is 3 */
        ZERO,        /* negative ones are 0 */
        UNSIGNED,    /* negative ones are too large */
        BASE,        /* negative ones count from `number` */
        BASE_FACTOR, /* … from `number` times the size */
        BASE_SHORT,  /* … from the size less `number` */
        BASE_SIZES,  /* … from the size of dimension `number` plus the component, of tensor `sizes_of` */
        LOST,        /* negative ones are out of range */
        LOST_BUT_MINUS_ONE,
        LOST_BUT_FIRST,
        LOST_BUT_LAST,
        LOST_LOWEST, /* minus the size is out of range */
        TYPE,        /* another integer type, `number` */
        LOW_HALF,
        LOW_HALF_SIGNED,
        WORDS, /* read at `number` bytes from each other instead of 8, 8 or 4 bytes wide */
        WORDS_NARROW,
        MASKED, /* cut to `number` bits */
        HALF,   /* rounded to FLOAT16 */
        LAST_LOST,
        LAST_TO_FIRST,
        REVERSED, /* the components of a tuple */
        SHIFTED,
        FIRST_ONLY
    } kind;
    int item; /* the index tensor */
    int64_t number;
    int sizes_of;   /* BASE_SIZES: the tensor */
    uint32_t width; /* of a tuple */
};

/* The element at `offset` of the index tensor, as an integer. */
static int64_t original(const struct misreading *m, unsigned type, uint64_t offset)
{
    uint64_t bits = element_get(datatype_of(type)->bits, m->x->inputs[m->item], offset);
    return datatype_to_integer(type, &bits);
}

/* The value of another component of the same tuple. */
static int64_t component(const struct misreading *m, const struct index_place *place, int64_t wanted)
{
    const struct opdesc_tensor *t = explain_tensor(m->x, m->item);
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    opdesc_strides(t, strides);
    int64_t steps = (wanted - place->component) * strides[t->dims - 1];
    return original(m, t->data_type, place->offset + (uint64_t)steps);
}

/* Reads an index where it would be if indices were 4 bytes apart. */
static int64_t explain_indices_read_word(const struct misreading *m, const struct index_place *place)
{
    const struct opdesc_tensor *t = explain_tensor(m->x, m->item);
    uint64_t offset = place->offset * 4;
    int64_t value = 0;
    if (offset + 8 > t->total)
        return place->value;
    memcpy(&value, m->x->inputs[m->item] + offset, m->kind == WORDS ? 8 : 4);
    return value;
}

/* Reads the tensor's elements as those of another integer type. What is out of range is the nearest index, or no
 * update. */
static void explain_indices_read_as(const struct misreading *m, const struct index_place *place)
{
    const struct opdesc_tensor *t = explain_tensor(m->x, m->item);
    const struct datatype *other = datatype_of((unsigned)m->number);
    if (elements_bytes(other->bits, place->offset + 1) > t->total)
        return;
    int64_t value = original(m, (unsigned)m->number, place->offset);
    if (other->is_signed && value < 0 && value >= -place->size)
        value += place->size;
    bool low = other->is_signed && value < 0;
    if (value >= 0 && value < place->size)
        indices_set(place, value);
    else if (m->x->updates)
        indices_set_invalid(place);
    else
        indices_set(place, low ? 0 : place->size - 1);
}

static int64_t through_half(int64_t value)
{
    uint16_t half;
    datatype_from_double(DML_TENSOR_DATA_TYPE_FLOAT16, (double)value, &half);
    return (int64_t)datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &half);
}

/* Puts a position that a negative index is taken for: one below 0 is out of range. */
static void explain_indices_put(const struct misreading *m, const struct index_place *place, int64_t value)
{
    if (value >= 0)
        indices_set(place, value);
    else if (m->x->updates)
        indices_set_invalid(place);
    else
        indices_set(place, 0);
}

static int64_t base_of(const struct misreading *m, const struct index_place *place)
{
    if (m->kind == BASE_FACTOR)
        return m->number * place->size;
    if (m->kind == BASE_SHORT)
        return place->size - m->number;
    if (m->kind == BASE)
        return m->number;
    const struct opdesc_tensor *t = explain_tensor(m->x, m->sizes_of);
    int64_t dimension = m->number + place->component;
    return dimension < t->dims ? t->sizes[dimension] : place->size;
}

static void misread_negative(const struct misreading *m, const struct index_place *place)
{
    bool right = (m->kind == LOST_BUT_MINUS_ONE && place->value == -1) ||
                 (m->kind == LOST_BUT_FIRST && place->component == 0) ||
                 (m->kind == LOST_BUT_LAST && place->component + 1 == m->width) ||
                 (m->kind == LOST_LOWEST && place->value != -place->size);
    if (m->kind == ABSOLUTE)
        indices_set(place, -place->value);
    else if (m->kind == ZERO)
        indices_set(place, 0);
    else if (m->kind == UNSIGNED || (m->kind == LOST_LOWEST && !right))
        indices_set(place, m->x->updates ? INT32_MIN : place->size - 1);
    else if (m->kind <= BASE_SIZES)
        explain_indices_put(m, place, place->value + base_of(m, place));
    else if (!right)
        explain_indices_put(m, place, -1);
}

static void misread_tuple(const struct misreading *m, const struct index_place *place)
{
    int64_t k = place->component, last = m->width - 1;
    if (m->kind == REVERSED)
        indices_set(place, component(m, place, last - k));
    else if (m->kind == SHIFTED)
        indices_set(place, component(m, place, k < last ? k + 1 : last));
    else if (m->kind == FIRST_ONLY && k > 0)
        indices_set(place, 0);
}

static void misread(void *context, const struct index_place *place)
{
    const struct misreading *m = context;
    bool wide = datatype_of(place->data_type)->bits == 64;
    int64_t value = place->value, normal = value < 0 && place->in_range ? value + place->size : value;
    if (m->kind <= LOST_LOWEST) {
        if (value < 0 && datatype_of(place->data_type)->is_signed)
            misread_negative(m, place);
    } else if (m->kind >= REVERSED) {
        misread_tuple(m, place);
    } else if (m->kind == TYPE) {
        explain_indices_read_as(m, place);
    } else if (m->kind == LOW_HALF && wide) {
        indices_set(place, (int64_t)(uint32_t)value);
    } else if (m->kind == LOW_HALF_SIGNED && wide) {
        indices_set(place, (int32_t)value);
    } else if ((m->kind == WORDS || m->kind == WORDS_NARROW) && wide) {
        indices_set(place, explain_indices_read_word(m, place));
    } else if (m->kind == MASKED && normal > 0) {
        indices_set(place, normal & (((int64_t)1 << m->number) - 1));
    } else if (m->kind == HALF && normal >= 0 && normal < 65504) {
        indices_set(place, through_half(normal));
    } else if (m->kind == LAST_LOST && normal == place->size - 1) {
        indices_set_invalid(place);
    } else if (m->kind == LAST_TO_FIRST && normal == place->size - 1) {
        indices_set(place, 0);
    }
}

static void try_kind(struct explainer *x, struct misreading m, int kind, int64_t number, enum explanation explanation)
{
    if (explain_is_done(x, explanation))
        return;
    m.kind = (enum misreading_kind)kind;
    m.number = number;
    indices_each(&x->t->c, m.item, x->rewritten[m.item], misread, &m);
    explain_inputs(x, explanation);
}

/* Negative indices that count from the end of something else than their dimension. */
static void try_bases(struct explainer *x, struct misreading m)
{
    try_kind(x, m, BASE_FACTOR, 2, EXPLAIN_NEGATIVE_BASE);
    try_kind(x, m, BASE_SHORT, 1, EXPLAIN_NEGATIVE_BASE);
    try_kind(x, m, BASE_SHORT, -1, EXPLAIN_NEGATIVE_BASE);
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->rewritten[i])
            continue;
        const struct opdesc_tensor *t = explain_tensor(x, i);
        m.sizes_of = i;
        try_kind(x, m, BASE, t->dims, EXPLAIN_NEGATIVE_BASE);
        for (uint32_t d = 0; d < t->dims; d++) {
            try_kind(x, m, BASE, t->sizes[d], EXPLAIN_NEGATIVE_BASE);
            if (m.width > 1)
                try_kind(x, m, BASE_SIZES, d, EXPLAIN_NEGATIVE_BASE);
        }
    }
}

static void try_types(struct explainer *x, struct misreading m)
{
    static const unsigned types[] = {DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_UINT32,
                                     DML_TENSOR_DATA_TYPE_INT64, DML_TENSOR_DATA_TYPE_UINT64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] != explain_tensor(x, m.item)->data_type)
            try_kind(x, m, TYPE, types[i], EXPLAIN_INDEX_TYPE);
}

void explain_indices(struct explainer *x)
{
    for (int i = 0; i < x->spec->index_count; i++) {
        const struct spec_index *index = &x->spec->indices[i];
        int item = spec_item(x->spec, index->field);
        const struct opdesc_tensor *t = explain_tensor(x, item);
        struct misreading m = {.x = x, .item = item, .width = 1};
        m.width = index->tuple ? t->sizes[t->dims - 1] : 1;
        try_kind(x, m, ABSOLUTE, 0, EXPLAIN_SIGN_IGNORED);
        try_kind(x, m, ZERO, 0, EXPLAIN_NEGATIVE_AS_ZERO);
        try_kind(x, m, UNSIGNED, 0, EXPLAIN_NEGATIVE_LOST);
        for (int kind = LOST; kind <= LOST_LOWEST; kind++)
            if (m.width > 1 || (kind != LOST_BUT_FIRST && kind != LOST_BUT_LAST))
                try_kind(x, m, kind, 0, EXPLAIN_NEGATIVE_LOST);
        try_bases(x, m);
        try_types(x, m);
        try_kind(x, m, LOW_HALF, 0, EXPLAIN_INDEX_LOW_HALF);
        try_kind(x, m, LOW_HALF_SIGNED, 0, EXPLAIN_INDEX_LOW_HALF);
        try_kind(x, m, WORDS, 4, EXPLAIN_INDEX_WORDS);
        try_kind(x, m, WORDS_NARROW, 4, EXPLAIN_INDEX_WORDS);
        try_kind(x, m, MASKED, 8, EXPLAIN_INDEX_CUT);
        try_kind(x, m, MASKED, 16, EXPLAIN_INDEX_CUT);
        try_kind(x, m, HALF, 0, EXPLAIN_INDEX_ROUNDED);
        try_kind(x, m, LAST_LOST, 0, EXPLAIN_INDEX_LAST_LOST);
        try_kind(x, m, LAST_TO_FIRST, 0, EXPLAIN_INDEX_LAST_LOST);
        for (int kind = REVERSED; kind <= FIRST_ONLY && m.width > 1; kind++)
            try_kind(x, m, kind, 0, EXPLAIN_TUPLE_MIXED);
    }
}
