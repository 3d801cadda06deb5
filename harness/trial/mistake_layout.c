/* These mistakes are about memory: elements of tensors are read or written at the wrong place. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <stdlib.h>
#include <string.h>

/* An addressing is a wrong way to find the place of an element. */
struct addressing {
    enum mistake_place kind;
    uint64_t number, other;
};

/* Returns the place of an element whose dimensions a and b are stored in the other order, without gaps. */
static uint64_t place_exchanged(const struct opdesc_tensor *t, const uint32_t *c, uint32_t a, uint32_t b)
{
    uint64_t place = 0;
    for (uint32_t d = 0; d < t->dims; d++) {
        const uint32_t stored = d != a && d != b ? d : a + b - d;
        place = place * t->sizes[stored] + c[stored];
    }
    return place;
}

static uint64_t mistake_layout_place_of(const struct addressing *a, const struct opdesc_tensor *t, const uint32_t *c)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS], from = 0;
    uint64_t place = 0, packed = 1, merged = 0, number = a->number;
    if (a->kind == PLACE_EXCHANGED)
        return place_exchanged(t, c, (uint32_t)number, (uint32_t)a->other);
    opdesc_strides(t, strides);
    for (uint32_t d = t->dims; d-- > 0; packed *= t->sizes[d])
        if (a->kind == PLACE_PACKED || (a->kind == PLACE_FIRST_PACKED && d == 0))
            strides[d] = (uint32_t)packed;
    if (a->kind == PLACE_LAST_ONE)
        strides[t->dims - 1] = 1;
    if (a->kind == PLACE_FROM_RANK && t->dims > number)
        from = t->dims - (uint32_t)number;
    if (a->kind == PLACE_MERGED && t->dims > number) {
        from = t->dims - (uint32_t)number + 1;
        for (uint32_t d = 0; d < from; d++)
            merged = merged * t->sizes[d] + c[d];
        place = merged * strides[from - 1];
    }
    for (uint32_t d = from; d < t->dims; d++)
        if (a->kind != PLACE_COLLAPSED || !(number >> d & 1))
            place += (uint64_t)(a->kind == PLACE_REVERSED && d == number ? t->sizes[d] - 1 - c[d] : c[d]) * strides[d];
    if (a->kind == PLACE_NIBBLES && datatype_of(t->data_type)->bits == 4)
        place ^= 1;
    return a->kind == PLACE_MASKED ? place & (((uint64_t)1 << number) - 1) : place;
}

struct mover {
    const struct addressing *addressing;
    const struct opdesc_tensor *t;
    const uint8_t *from;
    uint8_t *to;
    unsigned width; /* the width of an element, in bits */
    bool writes;    /* elements move to wrong places, rather than from them */
    bool inside;    /* all places so far are in the tensor */
};

static bool move_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct mover *m = context;
    uint64_t place = mistake_layout_place_of(m->addressing, m->t, coordinates);
    (void)number;
    m->inside = elements_bytes(m->width, place + 1) <= m->t->total;
    if (m->inside && m->writes)
        element_put(m->width, m->to, place, element_get(m->width, m->from, offset));
    else if (m->inside)
        element_put(m->width, m->to, offset, element_get(m->width, m->from, place));
    return m->inside;
}

static bool mistake_layout_move(const struct addressing *a, const struct opdesc_tensor *t, const uint8_t *from,
                                uint8_t *to, bool writes)
{
    struct mover m = {a, t, from, to, datatype_of(t->data_type)->bits, writes, true};
    elements_each(t, move_element, &m);
    return m.inside;
}

/* An item_set is a set of tensors. An operator may have more tensors than a word has bits. */
typedef unsigned __int128 item_set;

static item_set one(int item)
{
    return (item_set)1 << item;
}

/* Applies the addressing to the tensors in the set: it reads the inputs and writes the outputs at the wrong places. */
static enum prediction run_addressing(struct explainer *x, struct addressing a, item_set set)
{
    bool inside = set != 0, changed = false;
    for (int i = -1; inside && (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && set >> i & 1) {
            inside = mistake_layout_move(&a, explain_tensor(x, i), x->inputs[i], x->rewritten[i], false);
            changed |= memcmp(x->inputs[i], x->rewritten[i], explain_tensor(x, i)->total) != 0;
        }
    if (!inside || (changed && !explain_run(x))) {
        explain_restore(x);
        return PREDICTS_NOTHING;
    }
    if (!changed)
        explain_expect(x);
    for (int i = -1; inside && (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        uint8_t *right = x->predicted[i] && set >> i & 1 ? malloc(t->total) : NULL;
        if (!right)
            continue;
        memcpy(right, x->predicted[i], t->total);
        explain_unwritten_item(x, i);
        inside = mistake_layout_move(&a, t, right, x->predicted[i], true);
        free(right);
    }
    return inside ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

static bool is_broadcast(const struct opdesc_tensor *t)
{
    for (uint32_t d = 0; d < t->dims; d++)
        if (t->has_strides && t->sizes[d] > 1 && t->strides[d] == 0)
            return true;
    return false;
}

/* Finds set number `site` of tensors that a mistake may be about, which may be empty. Returns false if there is none. A
 * mistake in strides is about tensors that have strides: all of them, the inputs, the broadcast tensors, the tensors
 * without gaps, then each tensor alone. Another mistake is about all tensors. */
static bool find_set(const struct explainer *x, bool strides, int site, item_set *set)
{
    item_set all = 0, sets[4] = {0};
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        all |= one(i);
        if (!t->has_strides)
            continue;
        sets[0] |= one(i);
        sets[1] |= x->rewritten[i] ? one(i) : 0;
        sets[2] |= is_broadcast(t) ? one(i) : 0;
        sets[3] |= opdesc_extent(t) == opdesc_elements(t) ? one(i) : 0;
    }
    if (!strides) {
        *set = all;
        return site == 0;
    }
    if (site < 4) {
        *set = sets[site];
        return true;
    }
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (site-- == 4) {
            *set = sets[0] & one(i);
            return true;
        }
    return false;
}

enum prediction mistake_misplaces(struct explainer *x, const struct mistake *m, int site)
{
    struct addressing a = {.kind = (enum mistake_place)m->as.number, .number = (uint64_t)m->more};
    bool strides = a.kind == PLACE_PACKED || a.kind == PLACE_LAST_ONE || a.kind == PLACE_FIRST_PACKED;
    item_set set;
    return find_set(x, strides, site, &set) ? run_addressing(x, a, set) : PREDICTS_NO_SITE;
}

enum prediction mistake_flattens(struct explainer *x, const struct mistake *m, int site)
{
    const struct addressing a = {.kind = PLACE_COLLAPSED, .number = UINT64_MAX};
    item_set set = 0;
    (void)m;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        set |= x->rewritten[i] && is_broadcast(explain_tensor(x, i)) ? one(i) : 0;
    return site == 0 ? run_addressing(x, a, set) : PREDICTS_NO_SITE;
}

/* The device reads coordinates of one input as 0. A site is an input with a range of dimensions, or with all dimensions
 * but one. */
enum prediction mistake_collapses(struct explainer *x, const struct mistake *m, int site)
{
    (void)m;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->rewritten[i])
            continue;
        const struct opdesc_tensor *t = explain_tensor(x, i);
        struct addressing a = {.kind = PLACE_COLLAPSED};
        for (uint32_t first = 0; first < t->dims; first++)
            for (uint32_t last = first; last < t->dims; last++) {
                a.number = ((uint64_t)2 << last) - ((uint64_t)1 << first);
                if (t->sizes[first] > 1 && t->sizes[last] > 1 && site-- == 0)
                    return run_addressing(x, a, one(i));
            }
        for (uint32_t d = 0; d < t->dims; d++) {
            a.number = ~((uint64_t)1 << d);
            if (t->sizes[d] > 1 && site-- == 0)
                return run_addressing(x, a, one(i));
        }
    }
    return PREDICTS_NO_SITE;
}

/* The device takes a tensor for one whose dimensions are stored in another order. A site is a tensor with two of its
 * dimensions, which change places (PLACE_EXCHANGED), or with one, which is reversed (PLACE_REVERSED). */
enum prediction mistake_reorders(struct explainer *x, const struct mistake *m, int site)
{
    struct addressing a = {.kind = (enum mistake_place)m->as.number};
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        for (uint32_t first = 0; first < t->dims; first++)
            for (uint32_t last = first; last < t->dims; last++) {
                bool pair = last > first;
                if (pair != (a.kind == PLACE_EXCHANGED) || t->sizes[first] < 2 || t->sizes[last] < 2 || site-- > 0)
                    continue;
                a.number = first;
                a.other = last;
                return run_addressing(x, a, one(i));
            }
    }
    return PREDICTS_NO_SITE;
}

/* Rewrites an input as if it started `bytes` earlier. The binding has canaries there. */
static void mistake_layout_read_before(struct explainer *x, int item, uint64_t bytes)
{
    uint64_t total = explain_tensor(x, item)->total, before = bytes < total ? bytes : total;
    memset(x->rewritten[item], ARENA_CANARY, before);
    memcpy(x->rewritten[item] + before, x->inputs[item], total - before);
}

/* The device rounds the offsets of inputs in their bindings down to multiples of as.number; 0: it takes them for 0. The
 * sites are all inputs, then each input. */
enum prediction mistake_offsets(struct explainer *x, const struct mistake *m, int site)
{
    int input = 0, seen = 0;
    bool any = false;
    for (int i = -1; (i = spec_next_tensor(x->t->c.spec, x->t->c.desc, i)) >= 0;) {
        if (!field_is_input(spec_tensor_field(x->t->c.spec, i)))
            continue;
        uint64_t offset = x->t->inputs[input++].offset; /* an absent input has a binding, too */
        if (!x->rewritten[i] || (site > 0 && ++seen != site))
            continue;
        mistake_layout_read_before(x, i, m->as.number ? offset % (uint64_t)m->as.number : offset);
        any = true;
    }
    if (!any)
        return PREDICTS_NO_SITE;
    return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}
