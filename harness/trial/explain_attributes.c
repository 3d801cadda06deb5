/* Explanations of attributes: a number of the description is taken for another one. */
#include "harness/trial/explain_internal.h"

#include "harness/check/check.h"

static bool is_attribute(const struct explainer *x, int field)
{
    enum field_kind kind = x->spec->fields[field].kind;
    return kind == FIELD_UINT || kind == FIELD_BOOL || kind == FIELD_ENUM;
}

/* Whether the formulas say what the outputs are. Where there are none, the reference device rejects what is illegal. */
static bool explain_attributes_is_legal(const struct explainer *x, const struct opdesc *desc)
{
    return !trial_is_computed(x->t) || rules_check(x->spec, desc, x->spec->levels[x->t->c.table].level, NULL, 0) == 0;
}

/* Predicts for attribute `field` with each other small number, or constant. Those that the tensors do not allow are
 * left out: what a device does then is its own affair, so that nothing can be predicted. */
static void try_numbers(struct explainer *x, int field)
{
    enum { MOST = 11 }; /* of the constants that one operator takes: those of a function */
    struct opdesc desc;
    opdesc_copy(&desc, x->t->c.desc);
    for (int64_t number = 0; number <= MOST; number++) {
        desc.values[field].number = number;
        if (number != opdesc_scalar(x->t->c.desc, field) && !explain_is_done(x, EXPLAIN_ATTRIBUTE_MISREAD) &&
            explain_attributes_is_legal(x, &desc) && explain_run_as(x, &desc))
            explain_check(x, EXPLAIN_ATTRIBUTE_MISREAD);
    }
}

void explain_attributes(struct explainer *x)
{
    for (int i = 0; i < x->spec->field_count; i++)
        if (is_attribute(x, i))
            try_numbers(x, i);
}
