/* These mistakes are about indices, which are read wrongly, so that they mean other positions. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/indices.h"

#include <string.h>

/* A misreading is one way to misread indices. */
struct misreading {
    const struct explainer *x;
    enum mistake_index kind;
    int item;       /* the index tensor */
    int64_t number; /* a number that the kind needs */
    int sizes_of;   /* the tensor whose sizes count, if it is a wrong one */
    uint32_t width; /* the number of indices of a tuple */
};

/* Returns the element at `offset` of the index tensor, as an integer. */
static int64_t original(const struct misreading *m, unsigned type, uint64_t offset)
{
    uint64_t bits = element_get(datatype_of(type)->bits, m->x->inputs[m->item], offset);
    return datatype_to_integer(type, &bits);
}

/* Returns the value of another component of the same tuple. */
static int64_t component(const struct misreading *m, const struct index_place *place, int64_t wanted)
{
    const struct opdesc_tensor *t = explain_tensor(m->x, m->item);
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    opdesc_strides(t, strides);
    int64_t steps = (wanted - place->component) * strides[t->dims - 1];
    return original(m, t->data_type, place->offset + (uint64_t)steps);
}

/* Reads an index from the place that it has if indices are 4 bytes apart. */
static int64_t explain_indices_read_word(const struct misreading *m, const struct index_place *place)
{
    const struct opdesc_tensor *t = explain_tensor(m->x, m->item);
    uint64_t offset = place->offset * 4;
    int64_t value = 0;
    if (offset + 8 > t->total)
        return place->value;
    memcpy(&value, m->x->inputs[m->item] + offset, m->kind == INDEX_WORDS ? 8 : 4);
    return value;
}

/* Reads an index as an element of another integer type. A value out of range becomes the nearest index, or has no
 * effect. An index that has the same value in both types is not misread, even if it is out of range. */
static void explain_indices_read_as(const struct misreading *m, const struct index_place *place)
{
    const struct opdesc_tensor *t = explain_tensor(m->x, m->item);
    const struct datatype *other = datatype_of((unsigned)m->number);
    if (elements_bytes(other->bits, place->offset + 1) > t->total)
        return;
    int64_t value = original(m, (unsigned)m->number, place->offset);
    if (value == place->value && (value >= 0 || other->is_signed == datatype_of(place->data_type)->is_signed))
        return;
    if (other->is_signed && value < 0 && value >= -place->size)
        value += place->size;
    bool low = other->is_signed && value < 0;
    if (value >= 0 && value < place->size)
        indices_set(place, value);
    else if (m->x->ignores)
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

/* Sets the position that a negative index is taken for. A position below 0 is out of range. */
static void explain_indices_put(const struct misreading *m, const struct index_place *place, int64_t value)
{
    if (value >= 0)
        indices_set(place, value);
    else if (m->x->ignores)
        indices_set_invalid(place);
    else
        indices_set(place, 0);
}

/* Sets the valid index that an index out of range is taken for. */
static void misread_outside(const struct misreading *m, const struct index_place *place)
{
    const int64_t last = place->size - 1;
    const bool is_signed = datatype_of(place->data_type)->is_signed;
    if (m->kind == INDEX_END_TO_LAST && place->value != place->size)
        return;
    if (m->kind == INDEX_NEAREST)
        indices_set(place, is_signed && place->value < 0 ? 0 : last);
    else if (m->kind == INDEX_OUTSIDE_TO_FIRST)
        indices_set(place, 0);
    else if (m->kind == INDEX_OUTSIDE_TO_LAST || m->kind == INDEX_END_TO_LAST)
        indices_set(place, last);
    else if (is_signed)
        indices_set(place, (place->value % place->size + place->size) % place->size);
    else
        indices_set(place, (int64_t)((uint64_t)place->value % (uint64_t)place->size));
}

static int64_t base_of(const struct misreading *m, const struct index_place *place)
{
    if (m->kind == INDEX_BASE_FACTOR)
        return m->number * place->size;
    if (m->kind == INDEX_BASE_SHORT)
        return place->size - m->number;
    const struct opdesc_tensor *t = explain_tensor(m->x, m->sizes_of);
    if (m->kind == INDEX_BASE_RANK)
        return t->dims;
    if (m->kind == INDEX_BASE_SIZE)
        return t->sizes[m->number];
    int64_t dimension = m->number + place->component;
    return dimension < t->dims ? t->sizes[dimension] : place->size;
}

static void misread_negative(const struct misreading *m, const struct index_place *place)
{
    bool right = (m->kind == INDEX_LOST_BUT_MINUS_ONE && place->value == -1) ||
                 (m->kind == INDEX_LOST_BUT_FIRST && place->component == 0) ||
                 (m->kind == INDEX_LOST_BUT_LAST && place->component + 1 == m->width) ||
                 (m->kind == INDEX_LOST_LOWEST && place->value != -place->size);
    if (m->kind == INDEX_ABSOLUTE)
        indices_set(place, -place->value);
    else if (m->kind == INDEX_ZERO)
        indices_set(place, 0);
    else if (m->kind == INDEX_UNSIGNED || (m->kind == INDEX_LOST_LOWEST && !right))
        indices_set(place, m->x->ignores ? INT32_MIN : place->size - 1);
    else if (m->kind <= INDEX_BASE_SIZES)
        explain_indices_put(m, place, place->value + base_of(m, place));
    else if (!right)
        explain_indices_put(m, place, -1);
}

static void misread_tuple(const struct misreading *m, const struct index_place *place)
{
    int64_t k = place->component, last = m->width - 1;
    if (m->kind == INDEX_REVERSED)
        indices_set(place, component(m, place, last - k));
    else if (m->kind == INDEX_SHIFTED)
        indices_set(place, component(m, place, k < last ? k + 1 : last));
    else if (m->kind == INDEX_FIRST_ONLY && k > 0)
        indices_set(place, 0);
}

/* Sets an index that has been counted from the start of its dimension, if it changes: an index that stays the same may
 * share its memory with an index of another dimension. */
static void set_changed(const struct index_place *place, int64_t normal, int64_t changed)
{
    if (changed != normal)
        indices_set(place, changed);
}

static void misread(void *context, const struct index_place *place)
{
    const struct misreading *m = context;
    bool wide = datatype_of(place->data_type)->bits == 64;
    int64_t value = place->value, normal = value < 0 && place->in_range ? value + place->size : value;
    if (m->kind <= INDEX_LOST_LOWEST) {
        if (value < 0 && datatype_of(place->data_type)->is_signed)
            misread_negative(m, place);
    } else if (m->kind >= INDEX_REVERSED) {
        misread_tuple(m, place);
    } else if (m->kind >= INDEX_END_TO_LAST && m->kind <= INDEX_WRAPPED) {
        if (!place->in_range)
            misread_outside(m, place);
    } else if (m->kind == INDEX_TYPE) {
        explain_indices_read_as(m, place);
    } else if (m->kind == INDEX_LOW_HALF && wide) {
        indices_set(place, (int64_t)(uint32_t)value);
    } else if (m->kind == INDEX_LOW_HALF_SIGNED && wide) {
        indices_set(place, (int32_t)value);
    } else if ((m->kind == INDEX_WORDS || m->kind == INDEX_WORDS_NARROW) && wide) {
        indices_set(place, explain_indices_read_word(m, place));
    } else if (m->kind == INDEX_MASKED && normal > 0) {
        set_changed(place, normal, normal & (((int64_t)1 << m->number) - 1));
    } else if (m->kind == INDEX_HALF && normal >= 0 && normal < 65504) {
        set_changed(place, normal, through_half(normal));
    } else if (m->kind == INDEX_FLOAT && normal >= 0 && normal <= INT32_MAX) {
        set_changed(place, normal, (int64_t)(float)normal);
    } else if (m->kind == INDEX_LAST_LOST && normal == place->size - 1) {
        indices_set_invalid(place);
    } else if (m->kind == INDEX_LAST_TO_FIRST && normal == place->size - 1) {
        indices_set(place, 0);
    }
}

/* A lost index predicts no elements where formulas judge: it leaves them open. */
static enum prediction run_misread(struct explainer *x, struct misreading m)
{
    if ((m.kind == INDEX_LAST_LOST || m.kind == INDEX_LAST_TO_FIRST) && trial_is_computed(x->t))
        return PREDICTS_NOTHING;
    indices_each(&x->t->c, m.item, x->rewritten[m.item], misread, &m);
    return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* Finds number `site` of the wrong tensors and sizes that negative indices may count from the end of. Returns false if
 * there is none. */
static bool find_base(const struct explainer *x, struct misreading *m, int site)
{
    bool single = m->kind == INDEX_BASE_RANK;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        int count = single ? 1 : (int)explain_tensor(x, i)->dims;
        if (!x->rewritten[i])
            continue;
        if (site < count) {
            m->sizes_of = i;
            m->number = site;
            return true;
        }
        site -= count;
    }
    return false;
}

static const unsigned index_types[] = {DML_TENSOR_DATA_TYPE_INT32, DML_TENSOR_DATA_TYPE_UINT32,
                                       DML_TENSOR_DATA_TYPE_INT64, DML_TENSOR_DATA_TYPE_UINT64};

/* Returns true if the misreading has part number `part`, and sets the members that the part gives. */
static bool find_part(const struct explainer *x, struct misreading *m, int part)
{
    enum { TYPES = sizeof index_types / sizeof *index_types };
    if (m->kind == INDEX_BASE_RANK || m->kind == INDEX_BASE_SIZE || m->kind == INDEX_BASE_SIZES)
        return find_base(x, m, part);
    if (m->kind != INDEX_TYPE)
        return part < 1;
    if (part < TYPES)
        m->number = index_types[part];
    return part < TYPES;
}

/* A site is an index tensor with one of the ways to misread it. */
enum prediction mistake_misreads(struct explainer *x, const struct mistake *mistake, int site)
{
    struct misreading m = {.x = x, .kind = (enum mistake_index)mistake->as.number, .number = mistake->more};
    int tensors = x->spec->index_count, part = tensors ? site / tensors : 0;
    if (tensors == 0)
        return PREDICTS_NO_SITE;
    m.item = spec_item(x->spec, x->spec->indices[site % tensors].field);
    const struct opdesc_tensor *t = explain_tensor(x, m.item);
    m.width = t->present && x->spec->indices[site % tensors].tuple ? t->sizes[t->dims - 1] : 1;
    if (!find_part(x, &m, part))
        return PREDICTS_NO_SITE;
    if (!t->present)
        return PREDICTS_NOTHING;
    if (m.kind == INDEX_TYPE && index_types[part] == t->data_type)
        return PREDICTS_NOTHING;
    bool of_tuple = m.kind == INDEX_LOST_BUT_FIRST || m.kind == INDEX_LOST_BUT_LAST || m.kind == INDEX_BASE_SIZES ||
                    m.kind >= INDEX_REVERSED;
    return of_tuple && m.width <= 1 ? PREDICTS_NOTHING : run_misread(x, m);
}
