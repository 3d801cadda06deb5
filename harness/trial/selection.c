#include "harness/trial/selection.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/trial/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An element of a line. */
struct element {
    uint64_t bits;
    uint64_t rank;  /* grows in the order of the selection; zeros of both signs have one */
    uint64_t class; /* the same as `rank`, but denormals have that of the zeros */
    uint64_t position;
    bool is_nan, selected;
};

struct judging {
    const struct spec *spec;
    const struct opdesc *desc;
    const uint8_t *const *tensors, *const *expected;
    int input, values, positions; /* their items */
    uint32_t axis, strides[OPDESC_MAX_TENSORS][OPDESC_MAX_DIMENSIONS];
    bool descending;
    uint64_t size, count;            /* the number of elements of the line, and of the selected ones */
    struct element *line, *found;    /* all elements, and the selected ones in their order */
    const uint32_t *at;              /* the coordinates of the line's first element */
    bool wrong, soft, has_nan, open; /* properties of the line */
    struct selection_findings *out;
};

static const struct opdesc_tensor *selection_tensor_of(const struct judging *j, int item)
{
    return &j->desc->items[item].tensor;
}

static uint64_t selection_bits_at(const struct judging *j, const uint8_t *memory, int item, uint64_t along)
{
    const struct opdesc_tensor *t = selection_tensor_of(j, item);
    uint64_t offset = along * j->strides[item][j->axis];
    for (uint32_t d = 0; d < t->dims; d++)
        offset += d == j->axis ? 0 : (uint64_t)j->at[d] * j->strides[item][d];
    return element_get(datatype_of(t->data_type)->bits, memory, offset);
}

uint64_t selection_rank(unsigned type, uint64_t bits)
{
    unsigned width = datatype_of(type)->bits;
    uint64_t sign = (uint64_t)1 << (width - 1);
    if (datatype_of(type)->is_float)
        return bits & sign ? sign - (bits ^ sign) : sign + bits;
    return datatype_of(type)->is_signed ? bits ^ sign : bits;
}

static struct element element_at(const struct judging *j, uint64_t position)
{
    unsigned type = selection_tensor_of(j, j->input)->data_type;
    struct element e = {.bits = selection_bits_at(j, j->tensors[j->input], j->input, position), .position = position};
    bool is_float = datatype_of(type)->is_float;
    e.is_nan = is_float && datatype_is_nan(type, e.bits);
    e.rank = selection_rank(type, e.bits);
    e.class = is_float && datatype_is_denormal(type, e.bits) ? selection_rank(type, 0) : e.rank;
    if (j->descending) {
        e.rank = ~e.rank;
        e.class = ~e.class;
    }
    return e;
}

/* Notes a fault of the line, at place `along` of an output. */
static void selection_note(struct judging *j, bool soft, const char *what, int item, uint64_t along)
{
    uint32_t at[OPDESC_MAX_DIMENSIONS];
    bool first = soft ? j->out->wrong + j->out->soft == 0 && !j->wrong && !j->soft : j->out->wrong == 0 && !j->wrong;
    *(soft ? &j->soft : &j->wrong) = true;
    if (!first)
        return;
    memcpy(at, j->at, sizeof at);
    at[j->axis] = (uint32_t)along;
    j->out->what = what;
    compare_note(selection_tensor_of(j, item), at, selection_bits_at(j, j->expected[item], item, along),
                 selection_bits_at(j, j->tensors[item], item, along), &j->out->first);
    snprintf(j->out->first.tensor, sizeof j->out->first.tensor, "%s", j->spec->tensor_names[item]);
}

/* ---- positions and values */

static void take_selected(struct judging *j, uint64_t i)
{
    unsigned type = selection_tensor_of(j, j->input)->data_type;
    uint64_t position = selection_bits_at(j, j->tensors[j->positions], j->positions, i);
    uint64_t value = selection_bits_at(j, j->tensors[j->values], j->values, i);
    if (position >= j->size) {
        selection_note(j, false, "a position is out of range", j->positions, i);
        return;
    }
    struct element *e = &j->line[position];
    if (e->selected)
        selection_note(j, false, "a position occurs twice", j->positions, i);
    e->selected = true;
    j->found[i] = *e;
    if (value == e->bits)
        return;
    bool flushed = type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, e->bits) && value << 33 == 0;
    if (e->is_nan && datatype_is_nan(type, value))
        selection_note(j, true, "the payload of a NaN was changed", j->values, i);
    else if (flushed)
        selection_note(j, true, "a denormal was flushed to zero", j->values, i);
    else
        selection_note(j, false, "a value is not the element at its position", j->values, i);
}

/* ---- order */

static void add_outcome(enum outcome *all, enum outcome one)
{
    *all = *all == OUTCOME_NONE || *all == one ? one : OUTCOME_EACH;
}

/* Judges the order of two selected elements that follow each other. */
static void judge_pair(struct judging *j, uint64_t i)
{
    const struct element *a = &j->found[i], *b = &j->found[i + 1];
    bool falls = a->position > b->position;
    if (a->is_nan || b->is_nan)
        return;
    if (a->class > b->class)
        selection_note(j, false, "values are not in order", j->values, i + 1);
    else if (a->class == b->class && a->bits != b->bits && (a->rank > b->rank || (a->rank == b->rank && falls)))
        selection_note(j, true, "zeros or denormals are not in order", j->values, i + 1);
    if (a->bits != b->bits || j->has_nan)
        return;
    add_outcome(&j->out->ties, falls ? OUTCOME_LAST : OUTCOME_FIRST);
    if (falls)
        selection_note(j, false, "of equal elements, the one with the higher position comes first", j->positions,
                       i + 1);
}

/* Judges an element that is left out: it may not belong before the last selected number, `last`. */
static void judge_left_out(struct judging *j, const struct element *e, const struct element *last)
{
    uint64_t end = j->count - 1;
    if (e->class < last->class)
        selection_note(j, j->has_nan, "an element that is left out belongs before this one", j->values, end);
    if (e->class != last->class || j->has_nan)
        return;
    if (e->bits == last->bits && e->position < last->position) {
        add_outcome(&j->out->ties, OUTCOME_LAST);
        selection_note(j, false, "an equal element with a lower position is left out", j->positions, end);
    } else if (e->bits == last->bits) {
        add_outcome(&j->out->ties, OUTCOME_FIRST);
    } else if (e->rank < last->rank || (e->rank == last->rank && e->position < last->position)) {
        selection_note(j, true, "a zero or denormal that is left out belongs before this one", j->values, end);
    }
}

/* Notes the places of a line's NaNs among the selected elements. */
static void judge_nans(struct judging *j)
{
    uint64_t nans = 0, numbers = 0, found = 0, before = 0;
    for (uint64_t i = 0; i < j->size; i++)
        *(j->line[i].is_nan ? &nans : &numbers) += 1;
    for (uint64_t i = 0; i < j->count; i++) {
        found += j->found[i].is_nan;
        before += j->found[i].is_nan && found == i + 1;
    }
    if (nans == 0 || numbers == 0)
        return;
    bool first = before == found && (found == nans || found == j->count);
    bool last = (found == 0 || before == 0) && (found == 0 || j->count - found == numbers);
    for (uint64_t i = numbers; last && i < j->count; i++)
        last = j->found[i].is_nan;
    enum outcome otherwise = last ? OUTCOME_LAST : OUTCOME_OTHER;
    add_outcome(&j->out->nans, first ? OUTCOME_FIRST : otherwise);
}

static void judge_order(struct judging *j)
{
    const struct element *last = NULL;
    for (uint64_t i = 0; i + 1 < j->count; i++)
        judge_pair(j, i);
    for (uint64_t i = 0; i < j->count; i++)
        if (!j->found[i].is_nan && (!last || j->found[i].class >= last->class))
            last = &j->found[i];
    for (uint64_t i = 0; last && i < j->size; i++)
        if (!j->line[i].selected && !j->line[i].is_nan)
            judge_left_out(j, &j->line[i], last);
    judge_nans(j);
}

/* ---- lines */

static void selection_read_line(struct judging *j, const uint32_t *coordinates)
{
    j->at = coordinates;
    j->wrong = j->soft = j->has_nan = false;
    for (uint64_t i = 0; i < j->size; i++) {
        j->line[i] = element_at(j, i);
        j->has_nan |= j->line[i].is_nan;
    }
}

static bool judge_line(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct judging *j = context;
    (void)number, (void)offset;
    selection_read_line(j, coordinates);
    for (uint64_t i = 0; i < j->count; i++)
        take_selected(j, i);
    if (!j->wrong)
        judge_order(j);
    j->out->lines++;
    j->out->wrong += j->wrong;
    j->out->soft += j->soft && !j->wrong;
    return true;
}

static bool is_open_line(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct judging *j = context;
    const struct element *zero = NULL;
    bool is_float = datatype_of(selection_tensor_of(j, j->input)->data_type)->is_float;
    (void)number, (void)offset;
    selection_read_line(j, coordinates);
    j->open |= j->has_nan;
    for (uint64_t i = 0; i < j->size && is_float; i++) {
        const struct element *e = &j->line[i];
        if (e->class != (j->descending ? ~selection_rank(selection_tensor_of(j, j->input)->data_type, 0)
                                       : selection_rank(selection_tensor_of(j, j->input)->data_type, 0)))
            continue;
        j->open |= (zero && zero->bits != e->bits) || e->class != e->rank;
        zero = e;
    }
    return !j->open;
}

/* Calls `visit` for each line. Returns false if memory runs out or there are no lines. */
static bool each_line(struct judging *j, elements_visit visit)
{
    const struct spec_selection *selection = &j->spec->selection;
    int64_t axis = 0, descending = 0;
    j->input = spec_item(j->spec, selection->of);
    j->values = spec_item(j->spec, selection->values);
    j->positions = spec_item(j->spec, selection->positions);
    struct opdesc_tensor lines = *selection_tensor_of(j, j->input);
    if (!expr_number(j->spec->nodes, selection->along, j->desc, &axis) || axis < 0 || axis >= lines.dims ||
        !expr_number(j->spec->nodes, selection->descending, j->desc, &descending))
        return false;
    j->axis = (uint32_t)axis;
    j->descending = descending != 0;
    for (int i = 0; i < j->desc->tensor_count; i++)
        opdesc_strides(selection_tensor_of(j, i), j->strides[i]);
    j->size = lines.sizes[axis];
    j->count = selection_tensor_of(j, j->values)->sizes[axis];
    j->line = malloc((j->size + j->count) * sizeof *j->line);
    if (!j->line)
        return false;
    j->found = j->line + j->size;
    lines.sizes[axis] = 1;
    elements_each(&lines, visit, j);
    free(j->line);
    return true;
}

void selection_judge(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                     const uint8_t *const expected[], struct selection_findings *out)
{
    struct judging j = {.spec = spec, .desc = desc, .tensors = tensors, .expected = expected, .out = out};
    *out = (struct selection_findings){.what = ""};
    if (!each_line(&j, judge_line)) {
        out->wrong = 1; /* no line was judged */
        out->what = "there is no memory to judge the selection";
    }
    out->first.count = out->wrong;
}

bool selection_is_open(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[])
{
    struct judging j = {.spec = spec, .desc = desc, .tensors = tensors};
    return !each_line(&j, is_open_line) || j.open;
}
