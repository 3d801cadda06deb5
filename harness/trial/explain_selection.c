/* These explanations are about selections: elements of an input in order, with their positions. Lines with NaNs are
 * left out, since a NaN may stand anywhere. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/trial/selection.h"

#include <stdlib.h>
#include <string.h>

/* An ordering returns a number that grows with the element, as a device may see it. */
typedef uint64_t (*ordering)(unsigned type, uint64_t bits);

static uint64_t explain_selection_sign_of(unsigned type)
{
    return (uint64_t)1 << (datatype_of(type)->bits - 1);
}

static uint64_t without_sign(unsigned type, uint64_t bits)
{
    if (datatype_of(type)->is_float)
        return bits & ~explain_selection_sign_of(type);
    return datatype_of(type)->is_signed && bits & explain_selection_sign_of(type)
               ? (0 - bits) & (2 * explain_selection_sign_of(type) - 1)
               : bits;
}

static uint64_t as_signed(unsigned type, uint64_t bits)
{
    return bits ^ explain_selection_sign_of(type);
}

static uint64_t as_unsigned(unsigned type, uint64_t bits)
{
    (void)type;
    return bits;
}

static uint64_t as_float(unsigned type, uint64_t bits)
{
    uint64_t less = 0;
    datatype_from_double(DML_TENSOR_DATA_TYPE_FLOAT32, (double)(float)datatype_to_double(type, &bits), &less);
    return selection_rank(DML_TENSOR_DATA_TYPE_FLOAT32, less);
}

/* Returns the position that is written for the element at `position` of a line. The element's number in the whole input
 * is first + position * step. */
typedef uint64_t (*placed)(uint64_t position, uint64_t first, uint64_t step);

static uint64_t explain_selection_kept(uint64_t position, uint64_t first, uint64_t step)
{
    (void)first, (void)step;
    return position;
}

static uint64_t flat(uint64_t position, uint64_t first, uint64_t step)
{
    return first + position * step;
}

static uint64_t explain_selection_low_byte(uint64_t position, uint64_t first, uint64_t step)
{
    (void)first, (void)step;
    return position & 0xff;
}

static uint64_t low_word(uint64_t position, uint64_t first, uint64_t step)
{
    (void)first, (void)step;
    return position & 0xffff;
}

enum equals { IN_ORDER, LAST_FIRST, SAME_POSITION };

/* A disorder is one mistake in the order of a selection. */
struct disorder {
    enum explanation explanation;
    ordering key;
    bool opposite;      /* the other end of the order is selected */
    enum equals equals; /* the order of equal elements */
    bool any_order;     /* the selected elements may be in any order */
    placed placed;
};

static const struct disorder no_disorder = {EXPLAIN_COUNT, selection_rank, false,
                                            IN_ORDER,      false,          explain_selection_kept};

static const struct disorder disorders[] = {
    {EXPLAIN_ORDER_OPPOSITE, selection_rank, true, IN_ORDER, false, explain_selection_kept},
    {EXPLAIN_ORDER_KEY, without_sign, false, IN_ORDER, false, explain_selection_kept},
    {EXPLAIN_ORDER_KEY, as_signed, false, IN_ORDER, false, explain_selection_kept},
    {EXPLAIN_ORDER_KEY, as_unsigned, false, IN_ORDER, false, explain_selection_kept},
    {EXPLAIN_ORDER_KEY, as_float, false, IN_ORDER, false, explain_selection_kept},
    {EXPLAIN_EQUAL_MIXED, selection_rank, false, LAST_FIRST, false, explain_selection_kept},
    {EXPLAIN_EQUAL_MIXED, selection_rank, false, SAME_POSITION, false, explain_selection_kept},
    {EXPLAIN_ROW_ORDER, selection_rank, false, IN_ORDER, true, explain_selection_kept},
    {EXPLAIN_ROW_FLAT, selection_rank, false, IN_ORDER, false, flat},
    {EXPLAIN_INDEX_CUT, selection_rank, false, IN_ORDER, false, explain_selection_low_byte},
    {EXPLAIN_INDEX_CUT, selection_rank, false, IN_ORDER, false, low_word},
};

struct element {
    uint64_t key, bits, position;
};

struct selecting {
    struct explainer *x;
    int input, values, positions; /* the items of the tensors */
    uint32_t axis, strides[OPDESC_MAX_TENSORS][OPDESC_MAX_DIMENSIONS];
    bool descending;
    uint64_t size, count;  /* the numbers of elements of a line, and of selected ones */
    struct element *line;  /* the line in the order of the mistake */
    struct element *found; /* the elements that the device wrote */
    const struct disorder *disorder;
    bool equal; /* so far the device wrote the elements that the mistake predicts */
};

static uint64_t explain_selection_bits_at(const struct selecting *s, const uint8_t *memory, int item,
                                          const uint32_t *line, uint64_t along)
{
    const struct opdesc_tensor *t = explain_tensor(s->x, item);
    uint64_t offset = along * s->strides[item][s->axis];
    for (uint32_t d = 0; d < t->dims; d++)
        offset += d == s->axis ? 0 : (uint64_t)line[d] * s->strides[item][d];
    return element_get(datatype_of(t->data_type)->bits, memory, offset);
}

static int by_key(const void *left, const void *right)
{
    const struct element *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? 1 : -1;
    return (a->position > b->position) - (a->position < b->position);
}

static int by_key_last(const void *left, const void *right)
{
    const struct element *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? 1 : -1;
    return (a->position < b->position) - (a->position > b->position);
}

static int explain_selection_by_position(const void *left, const void *right)
{
    const struct element *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

/* Reads a line, and the elements that the device selected of it. Returns false if the line has a NaN. */
static bool explain_selection_read_line(const struct selecting *s, const uint32_t *at)
{
    const struct explainer *x = s->x;
    unsigned type = explain_tensor(x, s->input)->data_type;
    for (uint64_t i = 0; i < s->size; i++) {
        uint64_t bits = explain_selection_bits_at(s, x->inputs[s->input], s->input, at, i),
                 key = s->disorder->key(type, bits);
        if (datatype_of(type)->is_float && datatype_is_nan(type, bits))
            return false;
        s->line[i] = (struct element){s->descending != s->disorder->opposite ? ~key : key, bits, i};
    }
    for (uint64_t i = 0; i < s->count; i++)
        s->found[i] =
            (struct element){.bits = explain_selection_bits_at(s, x->got[s->values], s->values, at, i),
                             .position = explain_selection_bits_at(s, x->got[s->positions], s->positions, at, i)};
    return true;
}

static bool compare_line(void *context, uint64_t number, const uint32_t *at, uint64_t offset)
{
    struct selecting *s = context;
    const struct opdesc_tensor *t = explain_tensor(s->x, s->input);
    uint64_t first = 0, step = 1;
    (void)number, (void)offset;
    if (explain_is_over(s->x))
        s->equal = false;
    if (!s->equal || !explain_selection_read_line(s, at))
        return s->equal;
    for (uint32_t d = 0; d < t->dims; d++) {
        first = first * t->sizes[d] + (d == s->axis ? 0 : at[d]);
        step *= d > s->axis ? t->sizes[d] : 1;
    }
    qsort(s->line, s->size, sizeof *s->line, s->disorder->equals == LAST_FIRST ? by_key_last : by_key);
    for (uint64_t i = 1; i < s->count && s->disorder->equals == SAME_POSITION; i++)
        if (s->line[i].key == s->line[i - 1].key)
            s->line[i].position = s->line[i - 1].position;
    if (s->disorder->any_order) {
        qsort(s->line, s->count, sizeof *s->line, explain_selection_by_position);
        qsort(s->found, s->count, sizeof *s->found, explain_selection_by_position);
    }
    for (uint64_t i = 0; i < s->count && s->equal; i++)
        s->equal = s->line[i].bits == s->found[i].bits &&
                   s->disorder->placed(s->line[i].position, first, step) == s->found[i].position;
    return s->equal;
}

/* Returns true if the device wrote the elements that the mistake predicts. */
static bool is_as(struct selecting *s, const struct disorder *disorder)
{
    struct opdesc_tensor lines = *explain_tensor(s->x, s->input);
    lines.sizes[s->axis] = 1;
    s->disorder = disorder;
    s->equal = true;
    explain_charge(s->x);
    elements_each(&lines, compare_line, s);
    return s->equal;
}

/* Finds the tensors and the axis of the selection. Returns false if the operator selects no elements. */
static bool explain_selection_prepare(struct selecting *s, struct explainer *x)
{
    const struct spec_selection *selection = &x->spec->selection;
    int64_t axis = 0, descending = 0;
    *s = (struct selecting){.x = x, .equal = true};
    if (!selection_applies(x->spec))
        return false;
    s->input = spec_item(x->spec, selection->of);
    s->values = spec_item(x->spec, selection->values);
    s->positions = spec_item(x->spec, selection->positions);
    if (!expr_number(x->spec->nodes, selection->along, x->t->c.desc, &axis) ||
        !expr_number(x->spec->nodes, selection->descending, x->t->c.desc, &descending) || axis < 0 ||
        axis >= explain_tensor(x, s->input)->dims)
        return false;
    s->axis = (uint32_t)axis;
    s->descending = descending != 0;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        opdesc_strides(explain_tensor(x, i), s->strides[i]);
    s->size = explain_tensor(x, s->input)->sizes[axis];
    s->count = explain_tensor(x, s->values)->sizes[axis];
    return true;
}

static bool select_element(void *context, uint64_t number, const uint32_t *at, uint64_t offset)
{
    struct selecting *s = context;
    const struct explainer *x = s->x;
    uint64_t position = explain_selection_bits_at(s, x->got[s->positions], s->positions, at, at[s->axis]);
    (void)number;
    s->equal = position < s->size;
    if (s->equal)
        element_put(datatype_of(explain_tensor(x, s->values)->data_type)->bits, x->predicted[s->values], offset,
                    explain_selection_bits_at(s, x->inputs[s->input], s->input, at, position));
    return s->equal;
}

bool explain_select(struct explainer *x)
{
    const uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    struct selection_findings findings;
    struct selecting s;
    if (!explain_selection_prepare(&s, x))
        return false;
    memcpy(x->predicted[s.positions], x->got[s.positions], explain_tensor(x, s.positions)->total);
    elements_each(explain_tensor(x, s.values), select_element, &s);
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = explain_is_output(x, i) ? x->predicted[i] : x->inputs[i];
    if (s.equal)
        selection_judge(x->spec, x->t->c.desc, tensors, x->expected, &findings);
    return s.equal && findings.wrong == 0;
}

void explain_selection(struct explainer *x)
{
    struct selecting s;
    if (!explain_selection_prepare(&s, x))
        return;
    s.line = malloc((s.size + s.count) * sizeof *s.line);
    if (!s.line)
        return;
    s.found = s.line + s.size;
    bool nothing = is_as(&s, &no_disorder); /* only lines with NaNs are wrong */
    for (size_t i = 0; i < sizeof disorders / sizeof *disorders && !nothing; i++)
        if (!explain_is_done(x, disorders[i].explanation) && is_as(&s, &disorders[i]))
            explanation_add(&x->found, disorders[i].explanation);
    free(s.line);
}
