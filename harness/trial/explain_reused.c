/* Explains outputs of an operator that the device compiled for another description: its key lacks a part. */
#include "harness/trial/explain_internal.h"

#include "harness/describe/field_kind.h"

#include <string.h>

/* Returns true if two descriptions agree in a field; data types count elsewhere. */
static bool reused_same_field(const struct spec *spec, const struct opdesc *a, const struct opdesc *b, int field)
{
    struct opdesc with;
    opdesc_copy(&with, b);
    for (int i = -1; (i = spec_next_tensor(spec, &with, i)) >= 0;) {
        with.items[i].tensor.total = a->items[i].tensor.total;
        with.items[i].tensor.data_type = a->items[i].tensor.data_type;
    }
    const struct field_ref in_a = field_ref(spec, a, field), in_b = field_ref(spec, &with, field);
    return field_kind(&in_a)->same(&in_a, &in_b);
}

/* Returns the number of parts in which two descriptions differ: fields, and the data types of a group of tensors. */
static int reused_count_parts(const struct spec *spec, const struct opdesc *a, const struct opdesc *b)
{
    uint32_t groups = 0;
    int parts = 0;
    for (int i = 0; i < spec->field_count; i++)
        parts += !reused_same_field(spec, a, b, i);
    for (int i = -1; (i = spec_next_tensor(spec, a, i)) >= 0;) {
        const uint32_t group = 1u << spec_tensor_field(spec, i)->group;
        parts += a->items[i].tensor.data_type != b->items[i].tensor.data_type && !(groups & group);
        groups |= a->items[i].tensor.data_type != b->items[i].tensor.data_type ? group : 0;
    }
    return parts;
}

/* Returns true if the case's memory has room for the tensors of the other description. */
static bool reused_fits(const struct spec *spec, const struct opdesc *desc, const struct opdesc *other)
{
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor, *of_other = &other->items[i].tensor;
        if (t->present != of_other->present || (t->present && of_other->total > t->total))
            return false;
    }
    return true;
}

void trial_remember(struct trial_recent *recent, const struct testcase *c)
{
    if (c->expect != EXPECT_RESULTS)
        return;
    struct trial_described *described = &recent->list[recent->count++ % TRIAL_RECENT];
    described->spec = c->spec;
    opdesc_copy(&described->desc, c->desc);
}

void explain_reused(struct explainer *x)
{
    const struct trial_recent *recent = x->setup->recent;
    const struct opdesc *desc = x->t->c.desc;
    for (uint32_t i = 0; recent && i < recent->count && i < TRIAL_RECENT; i++) {
        const struct trial_described *other = &recent->list[i];
        if (explain_is_done(x, EXPLAIN_OPERATOR_REUSED))
            return;
        if (other->spec != x->spec || reused_count_parts(x->spec, desc, &other->desc) != 1 ||
            !reused_fits(x->spec, desc, &other->desc))
            continue;
        explain_unwritten(x);
        if (explain_run_as(x, &other->desc) && !explain_is_expected(x))
            explain_check(x, EXPLAIN_OPERATOR_REUSED);
    }
}
