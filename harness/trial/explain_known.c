/* Explains outputs by the known mistakes in formulas of the operator (mistakes/known.h). */
#include "harness/trial/explain_internal.h"

#include "harness/base/clock.h"
#include "harness/base/working.h"

/* Returns the operator with the mistake; null: it cannot be made. Loading specs takes no time from the explanation. */
static const struct spec *operator_with(struct explainer *x, int mistake)
{
    const uint64_t start = clock_ns();
    const struct spec *spec = known_spec(x->spec, mistake);
    x->end += clock_ns() - start;
    working_report();
    return spec;
}

void explain_known(struct explainer *x)
{
    const bool warns = x->t->verdict.status == STATUS_WARN;
    if (!trial_is_computed(x->t))
        return;
    x->work = EXPLAIN_WORK; /* other mistakes have taken what there was */
    for (int i = 0; i < KNOWN_MAX; i++) {
        if (!(warns ? known_warns(i, x->spec->name) : known_concerns(i, x->spec->name)) ||
            explain_is_done(x, (enum explanation)i))
            continue;
        const struct spec *spec = operator_with(x, i);
        if (spec && explain_run_formulas(x, spec, x->t->c.desc, NULL) && explain_is_nearer(x))
            explain_check(x, (enum explanation)i);
    }
}
