/* Explanations of attributes: a number of the description is taken for another one. */
#include "harness/trial/explain_internal.h"

#include <string.h>

static bool is_attribute(const struct explainer *x, int field)
{
    return x->spec->fields[field].kind == FIELD_UINT;
}

/* Predicts for attribute `field` with each other small number. The reference device rejects those that the sizes of
 * the tensors do not allow: what a device does then is its own affair, so that nothing can be predicted. */
static void try_numbers(struct explainer *x, int field)
{
    struct opdesc desc;
    opdesc_copy(&desc, x->t->c.desc);
    for (int64_t number = 0; number <= OPDESC_MAX_DIMENSIONS; number++) {
        desc.values[field].number = number;
        if (number != opdesc_scalar(x->t->c.desc, field) && !explain_is_done(x, EXPLAIN_ATTRIBUTE_MISREAD) &&
            explain_run_as(x, &desc))
            explain_check(x, EXPLAIN_ATTRIBUTE_MISREAD);
    }
}

void explain_attributes(struct explainer *x)
{
    for (int i = 0; i < x->spec->field_count; i++)
        if (is_attribute(x, i))
            try_numbers(x, i);
}
