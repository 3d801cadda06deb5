/* These explanations are about rows: an output lists elements, and another output counts the rows. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <stdlib.h>
#include <string.h>

/* The values are those of an output's rows, packed, in logical order. */
struct rows {
    uint64_t *values;
    uint64_t width; /* the values of a row */
    uint64_t count; /* the rows that are defined */
    uint64_t room;  /* the rows that the output has room for */
};

struct reader {
    const struct opdesc_tensor *t;
    const uint8_t *memory;
    struct rows *rows;
};

static bool visit(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct reader *r = context;
    (void)coordinates;
    if (number >= r->rows->width * r->rows->room)
        return false;
    r->rows->values[number] = element_get(datatype_of(r->t->data_type)->bits, r->memory, offset);
    return true;
}

static bool explain_rows_read(const struct opdesc_tensor *t, const uint8_t *memory, uint64_t count, struct rows *rows)
{
    rows->width = t->sizes[t->dims - 1];
    rows->room = (uint64_t)opdesc_elements(t) / rows->width;
    rows->count = count < rows->room ? count : rows->room;
    rows->values = malloc(rows->width * rows->room * sizeof *rows->values);
    struct reader r = {.t = t, .memory = memory, .rows = rows};
    if (rows->values)
        elements_each(t, visit, &r);
    return rows->values != NULL;
}

/* These lists of rows are compared with each other. */
struct lists {
    struct explainer *x;
    int item, count_item;
    struct rows expected, got, unwritten;
    uint64_t count; /* the count that the device wrote */
};

static void explain_rows_found(const struct lists *l, enum explanation explanation)
{
    explanation_add(&l->x->found, explanation);
}

static bool same_row(const struct rows *a, uint64_t i, const struct rows *b, uint64_t j)
{
    return memcmp(a->values + i * a->width, b->values + j * b->width, a->width * sizeof *a->values) == 0;
}

static bool same_rows(const struct rows *a, const struct rows *b, uint64_t count)
{
    return memcmp(a->values, b->values, a->width * count * sizeof *a->values) == 0;
}

static int by_values(const void *a, const void *b, void *width)
{
    const uint64_t *x = a, *y = b;
    uint64_t i = 0;
    while (i + 1 < *(uint64_t *)width && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}

/* Tries if the device wrote the same rows in another order. */
static void try_order(const struct lists *l)
{
    struct rows a = l->expected, b = l->got;
    size_t row = a.width * sizeof *a.values;
    if (l->count != a.count || a.count == 0 || same_rows(&a, &b, a.count))
        return;
    a.values = malloc(row * a.count);
    b.values = malloc(row * a.count);
    if (a.values && b.values) {
        memcpy(a.values, l->expected.values, row * a.count);
        memcpy(b.values, l->got.values, row * a.count);
        qsort_r(a.values, a.count, row, by_values, &a.width);
        qsort_r(b.values, a.count, row, by_values, &b.width);
        if (same_rows(&a, &b, a.count))
            explain_rows_found(l, EXPLAIN_ROW_ORDER);
    }
    free(a.values);
    free(b.values);
}

/* Tries if the device wrote right rows, but too few of them; or right rows and a wrong count. */
static void try_missing(const struct lists *l)
{
    uint64_t i = 0, j = 0;
    if (l->count != l->expected.count && same_rows(&l->expected, &l->got, l->expected.count))
        explain_rows_found(l, EXPLAIN_COUNT_WRONG);
    if (l->count >= l->expected.count)
        return;
    for (; i < l->expected.count && j < l->count; i++)
        j += same_row(&l->expected, i, &l->got, j);
    if (j < l->count)
        return;
    explain_rows_found(l, EXPLAIN_ROWS_MISSING);
    bool unwritten = true;
    for (uint64_t k = l->count * l->got.width; k < l->expected.count * l->got.width; k++)
        unwritten &= l->got.values[k] == l->unwritten.values[k];
    if (unwritten && same_rows(&l->expected, &l->got, l->count))
        explain_rows_found(l, EXPLAIN_ROWS_TRUNCATED);
}

/* Tries if the device wrote the rows as columns, or with another distance between the starts of rows. */
static void try_places(const struct lists *l, enum explanation explanation, bool transposed, uint64_t distance)
{
    struct explainer *x = l->x;
    struct rows rows = l->unwritten;
    size_t size = rows.width * rows.room * sizeof *rows.values;
    rows.values = malloc(size);
    if (!rows.values)
        return;
    memcpy(rows.values, l->unwritten.values, size);
    for (uint64_t row = 0; row < l->expected.count; row++)
        for (uint64_t i = 0; i < rows.width; i++) {
            uint64_t place = transposed ? i * rows.room + row : row * distance + i;
            if (place < rows.width * rows.room)
                rows.values[place] = l->expected.values[row * rows.width + i];
        }
    if (!same_rows(&rows, &l->expected, l->expected.count) && same_rows(&rows, &l->got, l->expected.count) &&
        l->count == l->expected.count)
        explanation_add(&x->found, explanation);
    free(rows.values);
}

/* Tries if `cut` makes each value that the device wrote from the expected value. */
static void try_cut(const struct lists *l, uint64_t (*cut)(uint64_t value))
{
    bool same = l->count == l->expected.count, changed = false;
    for (uint64_t n = 0; n < l->expected.count * l->expected.width && same; n++) {
        same = l->got.values[n] == cut(l->expected.values[n]);
        changed |= l->got.values[n] != l->expected.values[n];
    }
    if (same && changed)
        explain_rows_found(l, EXPLAIN_ROW_CUT);
}

static uint64_t cut_8(uint64_t value)
{
    return value & 0xff;
}

static uint64_t cut_16(uint64_t value)
{
    return value & 0xffff;
}

static uint64_t cut_half(uint64_t value)
{
    uint16_t half;
    datatype_from_double(DML_TENSOR_DATA_TYPE_FLOAT16, (double)value, &half);
    double wide = datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &half);
    return wide > 4e9 ? UINT32_MAX : (uint64_t)wide;
}

/* Reads all coordinates of the listed elements: the reference device lists them in rows as wide as the input has
 * dimensions. */
static bool read_wide(const struct lists *l, const struct opdesc_tensor *input, struct rows *wide)
{
    const struct explainer *x = l->x;
    struct opdesc desc;
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    opdesc_copy(&desc, x->t->c.desc);
    struct opdesc_tensor *t = &desc.items[l->item].tensor;
    t->has_strides = false;
    t->sizes[t->dims - 1] = input->dims;
    t->total = (uint64_t)opdesc_implied(t);
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = x->rewritten[i] ? x->rewritten[i] : x->predicted[i];
    tensors[l->item] = calloc(1, t->total + 64);
    wide->values = NULL;
    bool good = tensors[l->item] && SUCCEEDED(oracle_run(x->setup->reference, x->spec, &desc, tensors)) &&
                explain_rows_read(t, tensors[l->item], l->expected.count, wide);
    free(tensors[l->item]);
    return good;
}

/* Tries if the device wrote other coordinates of the elements, or the elements' numbers. */
static void try_columns(const struct lists *l)
{
    const struct opdesc_tensor *input = NULL;
    struct rows wide;
    for (int i = -1; !input && (i = explain_next(l->x, i)) >= 0;)
        input = l->x->rewritten[i] ? explain_tensor(l->x, i) : NULL;
    if (l->count != l->expected.count || !input || !read_wide(l, input, &wide))
        return;
    for (uint64_t first = 0; first < wide.width; first++) {
        bool same = first + l->got.width != wide.width; /* the last columns are the right ones */
        for (uint64_t row = 0; row < l->count && same; row++)
            for (uint64_t i = 0; i < l->got.width; i++) {
                uint64_t at = row * l->got.width + i;
                same &= l->got.values[at] ==
                        (first + i < wide.width ? wide.values[row * wide.width + first + i] : l->unwritten.values[at]);
            }
        if (same)
            explain_rows_found(l, EXPLAIN_ROW_COLUMNS);
    }
    bool flat = true;
    for (uint64_t row = 0; row < l->count && flat; row++) {
        uint64_t number = 0;
        for (uint32_t d = 0; d < input->dims; d++)
            number = number * input->sizes[d] + wide.values[row * wide.width + d];
        flat = l->got.values[row * l->got.width + l->got.width - 1] == number;
    }
    if (flat)
        explain_rows_found(l, EXPLAIN_ROW_FLAT);
    free(wide.values);
}

static void explain_rows_try_all(struct lists *l)
{
    try_order(l);
    try_missing(l);
    try_places(l, EXPLAIN_ROW_TRANSPOSED, true, 0);
    for (uint64_t distance = 1; distance <= OPDESC_MAX_DIMENSIONS; distance++)
        if (distance != l->expected.width)
            try_places(l, EXPLAIN_ROW_DISTANCE, false, distance);
    try_cut(l, cut_8);
    try_cut(l, cut_16);
    try_cut(l, cut_half);
    try_columns(l);
}

void explain_rows(struct explainer *x)
{
    struct lists l = {.x = x};
    if (!x->rows)
        return;
    l.item = spec_item(x->spec, x->spec->rows.field);
    l.count_item = spec_item(x->spec, x->spec->rows.count_field);
    const struct opdesc_tensor *t = explain_tensor(x, l.item);
    unsigned type = explain_tensor(x, l.count_item)->data_type;
    uint64_t count = datatype_bits(type, x->expected[l.count_item]);
    l.count = datatype_bits(type, x->got[l.count_item]);
    explain_unwritten(x);
    if (explain_rows_read(t, x->predicted[l.item], count, &l.unwritten) &&
        explain_rows_read(t, x->expected[l.item], count, &l.expected) &&
        explain_rows_read(t, x->got[l.item], count, &l.got))
        explain_rows_try_all(&l);
    free(l.unwritten.values);
    free(l.expected.values);
    free(l.got.values);
}
