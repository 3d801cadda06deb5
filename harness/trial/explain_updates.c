/* Explanations of updates: they are left out, added, or go onto something else than the input. And of what a second
 * dispatch keeps from the first. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/elements.h"
#include "harness/case/fill.h"
#include "harness/case/indices.h"

#include <string.h>

static void invalidate(void *context, const struct index_place *place)
{
    (void)context;
    indices_set_invalid(place);
}

/* Whether every element fits: one context for all outputs. */
struct fitting {
    const struct explainer *x;
    const struct opdesc_tensor *t;
    const uint8_t *expected, *got, *base;
    size_t bytes;
    struct prefill prefill; /* of the output */
    bool added, missed;     /* explains all elements so far */
    bool base_seen;         /* some element is as without updates */
};

static uint64_t sum_of(unsigned type, uint64_t a, uint64_t b)
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
    const uint8_t *got = f->got + offset * f->bytes, *expected = f->expected + offset * f->bytes;
    const uint8_t *base = f->base + offset * f->bytes;
    unsigned type = f->t->data_type;
    bool bytewise = true, written = false;
    (void)number, (void)coordinates;
    if (memcmp(got, expected, f->bytes) == 0)
        return true;
    uint64_t sum = sum_of(type, datatype_bits(type, base), datatype_bits(type, expected));
    uint8_t before[8];
    compare_prefill_element(&f->prefill, offset * f->bytes, before, f->bytes);
    for (size_t i = 0; i < f->bytes; i++) {
        written |= got[i] != before[i];
        bytewise &= got[i] == (uint8_t)(base[i] + expected[i]);
    }
    f->added &= bytewise || memcmp(&sum, got, f->bytes) == 0;
    f->missed &= !written || memcmp(base, got, f->bytes) == 0;
    f->base_seen |= memcmp(base, got, f->bytes) == 0;
    return f->added || f->missed;
}

/* Compares with what the output is without any update. */
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
                            .bytes = datatype_of(t->data_type)->bits / 8,
                            .prefill = trial_prefill(x->t, i),
                            .added = added,
                            .missed = missed};
        elements_each(t, fit_element, &f);
        added = f.added;
        missed = f.missed;
        base_seen |= f.base_seen;
    }
    x->found |= added ? (uint64_t)1 << EXPLAIN_UPDATES_ADDED : 0;
    x->found |= missed && base_seen ? (uint64_t)1 << EXPLAIN_UPDATES_MISSED : 0;
}

/* A data input that is all zero, with all others as they are. */
static void try_zero(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && !fill_is_index(x->spec, i) && !explain_is_done(x, EXPLAIN_INPUT_AS_ZERO)) {
            memset(x->rewritten[i], 0, explain_tensor(x, i)->total);
            explain_inputs(x, EXPLAIN_INPUT_AS_ZERO);
        }
}

void explain_updates(struct explainer *x)
{
    if (!x->updates)
        return;
    if (!explain_is_done(x, EXPLAIN_UPDATES_ADDED))
        try_base(x);
    try_zero(x);
}

/* ---- state */

/* Fills `rewritten` with the contents of the first dispatch: one input, or all (-1). */
static void fill_first(struct explainer *x, int item)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && (item < 0 || item == i))
            fill_input(&x->t->c, x->t->seed, i, x->rewritten[i], explain_tensor(x, i)->total);
}

/* The count of this dispatch plus that of the first. */
static void try_count(struct explainer *x)
{
    int of = spec_item(x->spec, x->spec->rows.count_field);
    uint64_t sum = datatype_bits(explain_tensor(x, of)->data_type, x->expected[of]);
    fill_first(x, -1);
    if (!explain_run(x))
        return;
    sum += datatype_bits(explain_tensor(x, of)->data_type, x->predicted[of]);
    if (memcmp(x->got[of], &sum, datatype_of(explain_tensor(x, of)->data_type)->bits / 8) == 0)
        x->found |= (uint64_t)1 << EXPLAIN_COUNT_ADDED;
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
