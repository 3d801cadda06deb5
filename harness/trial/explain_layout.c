/* Explanations of memory: elements of tensors are read or written at the wrong place. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <stdlib.h>
#include <string.h>

/* A wrong way to find the place of an element. */
struct addressing {
    enum { PACKED, LAST_ONE, FIRST_PACKED, MASKED, FROM_RANK, MERGED, COLLAPSED } kind;
    uint64_t number;
};

static uint64_t explain_layout_place_of(const struct addressing *a, const struct opdesc_tensor *t, const uint32_t *c)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS], from = 0;
    uint64_t place = 0, packed = 1, merged = 0, number = a->number;
    opdesc_strides(t, strides);
    for (uint32_t d = t->dims; d-- > 0; packed *= t->sizes[d])
        if (a->kind == PACKED || (a->kind == FIRST_PACKED && d == 0))
            strides[d] = (uint32_t)packed;
    if (a->kind == LAST_ONE)
        strides[t->dims - 1] = 1;
    if (a->kind == FROM_RANK && t->dims > number)
        from = t->dims - (uint32_t)number;
    if (a->kind == MERGED && t->dims > number) {
        from = t->dims - (uint32_t)number + 1;
        for (uint32_t d = 0; d < from; d++)
            merged = merged * t->sizes[d] + c[d];
        place = merged * strides[from - 1];
    }
    for (uint32_t d = from; d < t->dims; d++)
        if (a->kind != COLLAPSED || !(number >> d & 1))
            place += (uint64_t)c[d] * strides[d];
    return a->kind == MASKED ? place & (((uint64_t)1 << number) - 1) : place;
}

struct mover {
    const struct addressing *addressing;
    const struct opdesc_tensor *t;
    const uint8_t *from;
    uint8_t *to;
    unsigned width; /* of an element, in bits */
    bool writes;    /* moves elements to wrong places, rather than from them */
    bool inside;    /* all places are in the tensor */
};

static bool move_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct mover *m = context;
    uint64_t place = explain_layout_place_of(m->addressing, m->t, coordinates);
    (void)number;
    m->inside = elements_bytes(m->width, place + 1) <= m->t->total;
    if (m->inside && m->writes)
        element_put(m->width, m->to, place, element_get(m->width, m->from, offset));
    else if (m->inside)
        element_put(m->width, m->to, offset, element_get(m->width, m->from, place));
    return m->inside;
}

static bool explain_layout_move(const struct addressing *a, const struct opdesc_tensor *t, const uint8_t *from,
                                uint8_t *to, bool writes)
{
    struct mover m = {a, t, from, to, datatype_of(t->data_type)->bits, writes, true};
    elements_each(t, move_element, &m);
    return m.inside;
}

/* A set of tensors, which are more than a word has bits. */
typedef unsigned __int128 item_set;

static item_set one(int item)
{
    return (item_set)1 << item;
}

/* Applies the addressing to the tensors in the set: the inputs are read so, and the outputs written. */
static void try_addressing(struct explainer *x, struct addressing a, item_set set, enum explanation explanation)
{
    bool inside = true, changed = false;
    if (set == 0 || explain_is_done(x, explanation))
        return;
    for (int i = -1; inside && (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && set >> i & 1) {
            inside = explain_layout_move(&a, explain_tensor(x, i), x->inputs[i], x->rewritten[i], false);
            changed |= memcmp(x->inputs[i], x->rewritten[i], explain_tensor(x, i)->total) != 0;
        }
    if (!inside || (changed && !explain_run(x))) {
        explain_restore(x);
        return;
    }
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i] && !changed)
            memcpy(x->predicted[i], x->expected[i], explain_tensor(x, i)->total);
    for (int i = -1; inside && (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        uint8_t *right = x->predicted[i] && set >> i & 1 ? malloc(t->total) : NULL;
        if (!right)
            continue;
        memcpy(right, x->predicted[i], t->total);
        const struct prefill prefill = trial_prefill(x->t, i);
        compare_prefill(&prefill, x->predicted[i], t->total);
        inside = explain_layout_move(&a, t, right, x->predicted[i], true);
        free(right);
    }
    if (inside && (a.kind != COLLAPSED || explain_is_telling(x))) /* many are tried: one may fit by chance */
        explain_check(x, explanation);
}

static bool is_broadcast(const struct opdesc_tensor *t)
{
    for (uint32_t d = 0; d < t->dims; d++)
        if (t->has_strides && t->sizes[d] > 1 && t->strides[d] == 0)
            return true;
    return false;
}

/* Strides as a device without strides reads them: for one tensor, for all, for those of a kind. */
static void try_strides(struct explainer *x, struct addressing a, enum explanation explanation)
{
    item_set strided = 0, inputs = 0, broadcast = 0, dense = 0;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        if (!t->has_strides)
            continue;
        strided |= one(i);
        inputs |= x->rewritten[i] ? one(i) : 0;
        broadcast |= is_broadcast(t) ? one(i) : 0;
        dense |= opdesc_extent(t) == opdesc_elements(t) ? one(i) : 0;
    }
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        try_addressing(x, a, strided & one(i), explanation);
    try_addressing(x, a, strided, explanation);
    try_addressing(x, a, inputs, explanation);
    try_addressing(x, a, broadcast, explanation);
    try_addressing(x, a, dense, explanation);
}

/* Coordinates of one input that are read as 0: a range of dimensions, or all but one. */
static void try_dimensions(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->rewritten[i])
            continue;
        const struct opdesc_tensor *t = explain_tensor(x, i);
        struct addressing a = {.kind = COLLAPSED};
        for (uint32_t first = 0; first < t->dims; first++)
            for (uint32_t last = first; last < t->dims; last++) {
                a.number = ((uint64_t)2 << last) - ((uint64_t)1 << first);
                if (t->sizes[first] > 1 && t->sizes[last] > 1)
                    try_addressing(x, a, one(i), EXPLAIN_DIMENSION_IGNORED);
            }
        for (uint32_t d = 0; d < t->dims; d++) {
            a.number = ~((uint64_t)1 << d);
            if (t->sizes[d] > 1)
                try_addressing(x, a, one(i), EXPLAIN_DIMENSION_IGNORED);
        }
    }
}

/* An input read from `bytes` before its start on, where the binding has canaries. */
static void explain_layout_read_before(struct explainer *x, int item, uint64_t bytes)
{
    uint64_t total = explain_tensor(x, item)->total, before = bytes < total ? bytes : total;
    memset(x->rewritten[item], ARENA_CANARY, before);
    memcpy(x->rewritten[item] + before, x->inputs[item], total - before);
}

/* Inputs read at their bindings with offsets rounded down to `alignment`; 0: at the base of their bindings. One input,
 * or all (item -1). */
static void try_offset(struct explainer *x, int item, uint64_t alignment, enum explanation explanation)
{
    int input = 0;
    if (explain_is_done(x, explanation))
        return;
    for (int i = -1; (i = spec_next_tensor(x->t->c.spec, x->t->c.desc, i)) >= 0;) {
        if (!field_is_input(spec_tensor_field(x->t->c.spec, i)))
            continue;
        uint64_t offset = x->t->inputs[input++].offset; /* absent inputs have bindings, too */
        if (x->rewritten[i] && (item < 0 || item == i))
            explain_layout_read_before(x, i, alignment ? offset % alignment : offset);
    }
    explain_inputs(x, explanation);
}

static void try_offsets(struct explainer *x)
{
    int item = -1;
    do {
        if (item >= 0 && !x->rewritten[item])
            continue;
        try_offset(x, item, 0, EXPLAIN_OFFSET_IGNORED);
        for (uint64_t alignment = 4; alignment <= 4096; alignment *= 2)
            try_offset(x, item, alignment, EXPLAIN_OFFSET_ROUNDED);
    } while ((item = explain_next(x, item)) >= 0);
}

void explain_layout(struct explainer *x)
{
    item_set all = 0;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        all |= one(i);
    try_strides(x, (struct addressing){.kind = PACKED}, EXPLAIN_STRIDES_IGNORED);
    try_strides(x, (struct addressing){.kind = LAST_ONE}, EXPLAIN_STRIDE_IGNORED);
    try_strides(x, (struct addressing){.kind = FIRST_PACKED}, EXPLAIN_STRIDE_IGNORED);
    try_offsets(x);
    for (uint64_t bits = 8; bits <= 16; bits += 8)
        try_addressing(x, (struct addressing){.kind = MASKED, .number = bits}, all, EXPLAIN_PLACE_CUT);
    for (uint64_t rank = 4; rank <= 7; rank++) {
        try_addressing(x, (struct addressing){.kind = FROM_RANK, .number = rank}, all, EXPLAIN_RANK_LIMITED);
        try_addressing(x, (struct addressing){.kind = MERGED, .number = rank}, all, EXPLAIN_RANK_LIMITED);
    }
    try_dimensions(x);
}
