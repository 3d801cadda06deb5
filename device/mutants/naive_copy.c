/* naive_copy.c: the gathers and the scatters. */
#include "device/mutants/naive.h"

#include <string.h>

/* All of them find the far place (in the input of a gather, in the output of a scatter) that belongs to a near place
 * (in the output of a gather, in the updates of a scatter). */
struct search {
    const struct naive *n;
    struct memory indices;
    const struct tensor *near, *far;
    uint64_t lead_number; /* the tuple's number in row-major order */
    int gather;
};

/* Keeps wrong coordinates within the tensor: bugs give wrong values, not wrong addresses. */
static void naive_copy_keep_inside(const struct tensor *tensor, uint32_t *at)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (at[i] >= tensor->sizes[i])
            at[i] = tensor->sizes[i] - 1;
}

static uint32_t effective_rank(const struct tensor *tensor)
{
    uint32_t leading = 0;
    while (leading + 1 < tensor->rank && tensor->sizes[leading] == 1)
        leading++;
    return tensor->rank - leading;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Reads the index at `at`, which indexes `dimension` of the far tensor. Returns 0 if it is out of range. */
static int look_up(const struct search *s, uint32_t component, uint32_t tuple, uint32_t dimension, uint32_t *at,
                   uint32_t *out)
{
    struct naive_index index = {.indices = &s->indices,
                                .component = component,
                                .tuple = tuple,
                                .dimension = dimension,
                                .far = s->far,
                                .gather = s->gather};
    naive_copy_keep_inside(s->indices.tensor, at);
    int64_t value = naive_index(s->n, &index, at);
    *out = value < 0 ? 0 : (uint32_t)value;
    return value >= 0;
}

static uint32_t axis_of(const struct naive *n, uint32_t rank)
{
    uint32_t axis = n->d->axis;
    switch (n->bug) {
    case BUG_AXIS_FIRST:
        return 0;
    case BUG_AXIS_LAST:
        return rank - 1;
    case BUG_AXIS_PLUS_ONE:
        return (axis + 1) % rank;
    case BUG_AXIS_MIRRORED:
        return rank - 1 - axis;
    default:
        return axis;
    }
}

/* ---- GATHER: the output is {input before the axis, indices, input after the axis}, aligned right */

static int naive_copy_find_block(const struct search *s, const uint32_t *c, uint32_t *far)
{
    uint32_t rank = s->far->rank, axis = axis_of(s->n, rank), taken = s->n->d->index_dimensions;
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, all[2 * DESCRIPTOR_MAX_DIMENSIONS] = {0};
    if (s->n->bug == BUG_GATHER_RANK_STRIPPED)
        taken = smaller(taken, effective_rank(s->indices.tensor));
    if (s->n->bug == BUG_GATHER_SCALAR && taken == 0)
        taken = 1;
    for (uint32_t i = 0; i < rank - 1 + taken; i++)
        all[i] = i + 1 < taken ? 0 : c[i + 1 - taken]; /* excess dimensions on the left have size 1 */
    for (uint32_t i = 0; i < taken; i++)
        at[rank - taken + i] = all[axis + i];
    if (s->n->bug == BUG_GATHER_INDEX_ROW)
        memset(at, 0, (rank - 1) * sizeof *at);
    if (s->n->bug == BUG_GATHER_BY_ELEMENT)
        memcpy(at, c, rank * sizeof *at);
    memset(far, 0, rank * sizeof *far);
    for (uint32_t i = 0; i < rank; i++)
        if (i != axis)
            far[i] = all[i < axis ? i : i - 1 + taken];
    return look_up(s, 0, 1, axis, at, &far[axis]);
}

/* ---- GATHER_ELEMENTS, SCATTER_ELEMENTS: the same coordinates, except on the axis */

static int find_element(const struct search *s, const uint32_t *c, uint32_t *far)
{
    const struct tensor *indices = s->indices.tensor;
    uint32_t rank = s->far->rank, axis = axis_of(s->n, rank), at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    memcpy(at, c, rank * sizeof *at);
    memcpy(far, c, rank * sizeof *far);
    if (s->n->bug == BUG_ELEMENTS_LINE)
        for (uint32_t i = 0; i < rank; i++)
            at[i] = i == axis ? c[i] : 0;
    if (s->n->bug == BUG_ELEMENTS_BY_INPUT) {
        uint64_t number = 0;
        for (uint32_t i = 0; i < rank; i++)
            number = number * s->far->sizes[i] + c[i];
        for (uint32_t i = rank; i-- > 0; number /= indices->sizes[i])
            at[i] = (uint32_t)(number % indices->sizes[i]);
    }
    return look_up(s, 0, 1, axis, at, &far[axis]);
}

/* ---- GATHER_ND, GATHER_ND1, SCATTER_ND: {batch, tuple, block} of the input; {batch and other leading sizes, tuple} of
 * the indices; {leading sizes, block} of the near tensor */

struct counts {
    uint32_t rank, p, q, b, k, lead, tail;
};

static struct counts counts_of(const struct search *s)
{
    const struct descriptor *d = s->n->d;
    struct counts x = {.rank = s->far->rank,
                       .p = d->input_dimension_count,
                       .q = d->indices_dimension_count,
                       .b = d->batch_dimension_count,
                       .k = s->indices.tensor->sizes[s->far->rank - 1]};
    if (s->n->bug == BUG_INPUT_RANK_STRIPPED && effective_rank(s->far) >= x.b + x.k)
        x.p = smaller(x.p, effective_rank(s->far));
    if (s->n->bug == BUG_INDICES_RANK_STRIPPED && effective_rank(s->indices.tensor) > x.b)
        x.q = smaller(x.q, effective_rank(s->indices.tensor));
    if (s->n->bug == BUG_BATCH_IGNORED)
        x.b = 0;
    if (s->n->bug == BUG_BATCH_FIRST_ONLY)
        x.b = smaller(x.b, 1);
    x.lead = x.q - 1;
    x.tail = d->input_dimension_count - d->batch_dimension_count - x.k;
    if (s->n->bug == BUG_TUPLE_IS_LEAD && x.lead > 0)
        x.k = smaller(x.lead, x.k);
    if (s->n->bug == BUG_TAIL_LITERAL)
        x.tail = smaller(x.k, x.rank - smaller(x.rank, x.lead));
    x.lead = smaller(x.lead, x.rank - x.tail);
    return x;
}

/* The component of the tuple for the k-th indexed dimension; -1: none. */
static int component_of(const struct search *s, const struct counts *x, uint32_t k)
{
    uint32_t ones = 0;
    switch (s->n->bug) {
    case BUG_TUPLE_SKIPS_ONES:
        for (uint32_t i = 0; i < k; i++)
            ones += s->far->sizes[x->rank - x->p + x->b + i] == 1;
        return s->far->sizes[x->rank - x->p + x->b + k] == 1 ? -1 : (int)(k - ones);
    default:
        return (int)k;
    }
}

static void batch_coordinates(const struct search *s, const struct counts *x, const uint32_t *c, uint32_t *far)
{
    for (uint32_t i = 0; i < x->b; i++) {
        uint32_t from = x->rank - x->tail - x->lead + i;
        if (s->n->bug == BUG_BATCH_FROM_END)
            from = x->rank - x->tail - x->b + i;
        if (s->n->bug == BUG_BATCH_FROM_OUTPUT)
            from = i;
        far[x->rank - x->p + i] = c[from];
    }
}

static int find_tuple(const struct search *s, const uint32_t *c, uint32_t *far)
{
    struct counts x = counts_of(s);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, lead = x.rank - x.tail - x.lead;
    int found = 1;
    memset(far, 0, x.rank * sizeof *far);
    batch_coordinates(s, &x, c, far);
    for (uint32_t i = 0; i < x.lead; i++)
        if (s->n->bug != BUG_LEAD_LAST_ONLY || i + 1 == x.lead)
            at[x.rank - 1 - x.lead + i] = c[lead + i];
    for (uint32_t k = 0; k < x.k && x.rank - x.p + x.b + k < x.rank; k++) {
        int component = component_of(s, &x, k);
        uint32_t *to = &far[x.rank - x.p + x.b + k];
        at[x.rank - 1] = (uint32_t)component;
        if (component >= 0)
            found &= look_up(s, k, x.k, x.rank - x.p + x.b + k, at, to);
    }
    for (uint32_t i = x.rank - x.tail; i < x.rank; i++)
        far[i] = s->n->bug == BUG_TAIL_ROW_ONLY && i + 1 < x.rank ? 0 : c[i];
    return found;
}

/* Finds the far coordinates. Returns 0 if an index is out of range. */
static int naive_copy_find(const struct search *s, const uint32_t *c, uint32_t *far)
{
    DML_OPERATOR_TYPE type = s->n->d->type;
    int found;
    if (type == DML_OPERATOR_GATHER)
        found = naive_copy_find_block(s, c, far);
    else if (type == DML_OPERATOR_GATHER_ELEMENTS || type == DML_OPERATOR_SCATTER_ELEMENTS)
        found = find_element(s, c, far);
    else
        found = find_tuple(s, c, far);
    naive_copy_keep_inside(s->far, far);
    return found;
}

/* ---- gathers */

void naive_gather(const struct naive *n)
{
    struct memory input = naive_input(n, 0), output = naive_output(n, 0);
    struct search s = {.n = n, .indices = naive_input(n, 1), .near = output.tensor, .far = input.tensor, .gather = 1};
    uint32_t c[DESCRIPTOR_MAX_DIMENSIONS] = {0}, far[DESCRIPTOR_MAX_DIMENSIONS];
    uint64_t number = 0;
    do {
        uint8_t *to = naive_at(&output, c);
        if (naive_skips(n, output.tensor, number++, c))
            continue;
        if (naive_copy_find(&s, c, far))
            naive_move(input.tensor->type, to, naive_at(&input, far));
        else
            memset(to, n->bug == BUG_GATHER_FOREIGN ? 0x5A : 0, input.tensor->element_size);
    } while (naive_step(output.tensor, c));
}

/* ---- scatters */

static void copy_input(const struct naive *n, const struct memory *input, const struct memory *output)
{
    uint32_t c[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t number = 0, count = input->tensor->count;
    if (n->bug == BUG_SCATTER_NO_COPY)
        return;
    if (n->bug == BUG_SCATTER_COPY_TOTAL && memcmp(input->strides, output->strides, sizeof input->strides) == 0) {
        memcpy(output->data, input->data, input->tensor->bytes);
        return;
    }
    do {
        uint8_t *to = naive_at(output, c);
        if (naive_skips(n, output->tensor, number++, c) || (n->bug == BUG_SCATTER_COPY_SHORT && number == count))
            continue;
        naive_move(input->tensor->type, to, naive_at(input, c));
        if (n->bug == BUG_SCATTER_ONTO_ZERO)
            memset(to, 0, input->tensor->element_size);
        if (n->bug == BUG_SCATTER_COPY_LONG && number == count)
            memset(to + input->tensor->element_size, 0, input->tensor->element_size);
    } while (naive_step(output->tensor, c));
}

/* The update of a near place, or the one that the bug reads instead. */
static uint8_t *find_update(const struct search *s, const struct memory *updates, const uint32_t *c,
                            const uint32_t *far)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS];
    memcpy(at, c, updates->tensor->rank * sizeof *at);
    if (s->n->bug == BUG_SCATTER_BY_TARGET)
        memcpy(at, far, updates->tensor->rank * sizeof *at);
    if (s->n->bug == BUG_LEAD_LINEAR && s->n->d->type == DML_OPERATOR_SCATTER_ND) {
        struct counts x = counts_of(s);
        uint32_t first = x.rank - x.tail - x.lead, number = 0;
        for (uint32_t i = 0; i < x.lead; i++) {
            number = number * s->near->sizes[first + i] + c[first + i];
            at[first + i] = i == 0 ? at[first] : 0;
        }
        if (x.lead > 0)
            at[first] = number;
    }
    naive_copy_keep_inside(updates->tensor, at);
    return naive_at(updates, at);
}

static void write_update(const struct naive *n, const struct memory *output, uint8_t *to, const uint8_t *from)
{
    uint32_t size = output->tensor->element_size;
    uint8_t old[8], sum = 0;
    memcpy(old, to, size);
    if (n->bug == BUG_SCATTER_WORDS && size < 4) {
        uint64_t word = (uint64_t)(to - output->data) / 4 * 4;
        memset(output->data + word, 0, 4);
    }
    naive_move(output->tensor->type, to, from);
    for (uint32_t i = 0; n->bug == BUG_SCATTER_ADDS && i < size; i++) {
        sum = (uint8_t)(old[i] + to[i]);
        to[i] = sum;
    }
}

/* Returns true if an earlier update went to the same place. Takes time proportional to the number of updates. */
static int is_taken(const struct search *s, const uint32_t *until, const uint32_t *far)
{
    uint32_t c[DESCRIPTOR_MAX_DIMENSIONS] = {0}, other[DESCRIPTOR_MAX_DIMENSIONS], rank = s->far->rank;
    for (; memcmp(c, until, rank * sizeof *c) != 0; naive_step(s->near, c))
        if (naive_copy_find(s, c, other) && memcmp(other, far, rank * sizeof *far) == 0)
            return 1;
    return 0;
}

void naive_scatter(const struct naive *n)
{
    struct memory input = naive_input(n, 0), updates = naive_input(n, 2), output = naive_output(n, 0);
    struct search s = {.n = n, .indices = naive_input(n, 1), .near = updates.tensor, .far = output.tensor};
    uint32_t c[DESCRIPTOR_MAX_DIMENSIONS] = {0}, far[DESCRIPTOR_MAX_DIMENSIONS];
    uint64_t number = 0;
    copy_input(n, &input, &output);
    do {
        int skips = naive_skips(n, updates.tensor, number++, c);
        if (skips || (n->bug == BUG_SCATTER_LAST_LOST && number == updates.tensor->count) ||
            !naive_copy_find(&s, c, far))
            continue;
        if (n->bug == BUG_SCATTER_FIRST_WINS && number <= 128 && is_taken(&s, c, far))
            continue;
        uint8_t *to = naive_at(&output, far), *from = find_update(&s, &updates, c, far);
        if (n->bug == BUG_SCATTER_TORN && output.tensor->element_size == 8 && number <= 128 && is_taken(&s, c, far))
            memcpy(to + 4, from + 4, 4);
        else
            write_update(n, &output, to, from);
    } while (naive_step(updates.tensor, c));
}
