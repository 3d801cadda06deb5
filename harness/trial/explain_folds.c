/* Explanations of operators that fold many elements to one: elements are left out or taken twice, a product begins with
 * 0. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <math.h>

/* Whether the elements that a slip changes are much nearer to what is predicted than to what is right. Tolerances alone
 * are no proof: those of long sums of FLOAT16 are wider than an element. */
struct nearing {
    const uint8_t *predicted, *expected, *got;
    const struct datatype *type;
    unsigned number;  /* of the type */
    bool some, every; /* of the changed elements are nearer */
};

static bool near_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    enum { MUCH = 16 };
    struct nearing *n = context;
    uint64_t right = element_get(n->type->bits, n->expected, offset), got = element_get(n->type->bits, n->got, offset),
             predicted = element_get(n->type->bits, n->predicted, offset);
    (void)number, (void)coordinates;
    if (predicted == right || got == right) /* explain_check() judges it, by the tolerance */
        return true;
    double value = datatype_to_double(n->number, &got);
    double away = fabs(value - datatype_to_double(n->number, &right));
    bool nearer = got == predicted || fabs(value - datatype_to_double(n->number, &predicted)) * MUCH <= away;
    n->some |= nearer;
    n->every &= nearer;
    return nearer;
}

static bool is_nearer(const struct explainer *x)
{
    struct nearing n = {.every = true};
    for (int i = -1; n.every && (i = explain_next(x, i)) >= 0;) {
        if (!x->predicted[i])
            continue;
        n.number = explain_tensor(x, i)->data_type;
        n.type = datatype_of(n.number);
        n.predicted = x->predicted[i];
        n.expected = x->expected[i];
        n.got = x->got[i];
        elements_each(explain_tensor(x, i), near_element, &n);
    }
    return n.some && n.every;
}

static void try_slip(struct explainer *x, enum explanation explanation, enum folding_slip_kind kind, int64_t tile)
{
    const struct folding_slip slip = {kind, tile};
    if (explain_is_done(x, explanation))
        return;
    explain_run_slipped(x, &slip);
    if (is_nearer(x))
        explain_check(x, explanation);
}

void explain_folds(struct explainer *x)
{
    enum { FIRST_TILE = 32, LAST_TILE = 1024 };
    if (!trial_is_computed(x->t) || !spec_folds(x->spec))
        return;
    try_slip(x, EXPLAIN_FOLD_MISSED, SLIP_LAST_MISSED, 0);
    try_slip(x, EXPLAIN_FOLD_MISSED, SLIP_FIRST_MISSED, 0);
    try_slip(x, EXPLAIN_FOLD_TWICE, SLIP_FIRST_TWICE, 0);
    try_slip(x, EXPLAIN_FOLD_TWICE, SLIP_LAST_TWICE, 0);
    try_slip(x, EXPLAIN_FOLD_FROM_ZERO, SLIP_FROM_ZERO, 0);
    for (int64_t tile = FIRST_TILE; tile <= LAST_TILE; tile *= 2) {
        try_slip(x, EXPLAIN_FOLD_MISSED, SLIP_EDGES_MISSED, tile);
        try_slip(x, EXPLAIN_FOLD_TWICE, SLIP_EDGES_TWICE, tile);
    }
}
