/* These explanations are about updates, which are left out, or added to the elements of the input; and about contents
 * that a second dispatch keeps from the first. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/case/fill.h"
#include "harness/case/indices.h"

#include <string.h>

static void invalidate(void *context, const struct index_place *place)
{
    (void)context;
    indices_set_invalid(place);
}

/* A fitting finds out if every element of an output fits an explanation. */
struct fitting {
    const struct explainer *x;
    const struct opdesc_tensor *t;
    const uint8_t *expected, *got, *base;
    unsigned width;         /* the width of an element, in bits */
    struct prefill prefill; /* the old contents of the output */
    bool added, missed;     /* the explanation holds for all elements so far */
    bool base_seen;         /* some element is as without updates */
};

static uint64_t explain_updates_sum_of(unsigned type, uint64_t a, uint64_t b)
{
    uint64_t bits = 0;
    if (!datatype_of(type)->is_float)
        return a + b;
    datatype_from_double(type, datatype_to_double(type, &a) + datatype_to_double(type, &b), &bits);
    return bits;
}

static bool fit_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct fitting *f = context;
    uint64_t got = element_get(f->width, f->got, offset), expected = element_get(f->width, f->expected, offset);
    uint64_t base = element_get(f->width, f->base, offset), sum = 0;
    bool bytewise = true;
    (void)number, (void)coordinates;
    if (got == expected)
        return true;
    element_put(f->width, &sum, 0, explain_updates_sum_of(f->t->data_type, base, expected));
    for (unsigned shift = 0; shift < f->width; shift += 8) {
        uint64_t byte = f->width < 8 ? 15 : 255;
        bytewise &= (got >> shift & byte) == (((base >> shift) + (expected >> shift)) & byte);
    }
    f->added &= bytewise || got == sum;
    f->missed &= got == base || got == compare_prefill_element(&f->prefill, f->width, offset);
    f->base_seen |= got == base;
    return f->added || f->missed;
}

/* Compares the outputs with those that the input gives without any update. */
static void try_base(struct explainer *x)
{
    bool added = true, missed = true, base_seen = false;
    for (int i = 0; i < x->spec->index_count; i++)
        indices_each(&x->t->c, spec_item(x->spec, x->spec->indices[i].field),
                     x->rewritten[spec_item(x->spec, x->spec->indices[i].field)], invalidate, NULL);
    if (!explain_run(x))
        return;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->predicted[i])
            continue;
        const struct opdesc_tensor *t = explain_tensor(x, i);
        struct fitting f = {.x = x,
                            .t = t,
                            .expected = x->expected[i],
                            .got = x->got[i],
                            .base = x->predicted[i],
                            .width = datatype_of(t->data_type)->bits,
                            .prefill = trial_prefill(x->t, i),
                            .added = added,
                            .missed = missed};
        elements_each(t, fit_element, &f);
        added = f.added;
        missed = f.missed;
        base_seen |= f.base_seen;
    }
    explain_note(x, EXPLAIN_UPDATES_ADDED, added);
    explain_note(x, EXPLAIN_UPDATES_MISSED, missed && base_seen);
}

void explain_updates(struct explainer *x)
{
    if (!x->updates)
        return;
    if (!explain_is_done(x, EXPLAIN_UPDATES_ADDED))
        try_base(x);
}

/* ---- state */

/* Fills one input in `rewritten`, or all of them (-1), with its contents in the first dispatch. */
static void fill_first(struct explainer *x, int item)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && (item < 0 || item == i))
            fill_input(&x->t->c, x->t->seed, i, x->rewritten[i], explain_tensor(x, i)->total);
}

/* Tries if the device wrote the count of this dispatch plus that of the first. */
static void try_count(struct explainer *x)
{
    int of = spec_item(x->spec, x->spec->rows.count_field);
    uint64_t sum = datatype_bits(explain_tensor(x, of)->data_type, x->expected[of]);
    fill_first(x, -1);
    if (!explain_run(x))
        return;
    sum += datatype_bits(explain_tensor(x, of)->data_type, x->predicted[of]);
    if (elements_equal(datatype_of(explain_tensor(x, of)->data_type)->bits, x->got[of], &sum, 1))
        explanation_add(&x->found, EXPLAIN_COUNT_ADDED);
}

void explain_state(struct explainer *x)
{
    if (x->t->dispatch_index == 0)
        return;
    if (x->rows && !explain_is_done(x, EXPLAIN_COUNT_ADDED))
        try_count(x);
    int item = -1;
    do {
        if (explain_is_done(x, EXPLAIN_FIRST_DISPATCH))
            return;
        fill_first(x, item);
        if (explain_run(x))
            explain_check_each(x, EXPLAIN_FIRST_DISPATCH);
    } while ((item = explain_next(x, item)) >= 0);
}
