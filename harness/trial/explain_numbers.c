/* Explanations of arithmetic: operands change places, what is optional is ignored, an input is zero. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/case/fill.h"

#include <string.h>

/* Copies the elements of one input into another one of the same type and sizes, whatever their strides. */
struct copier {
    uint8_t *to;
    const uint8_t *from;
    uint32_t strides[OPDESC_MAX_DIMENSIONS]; /* of `from` */
    uint32_t dims;
    unsigned width; /* of an element, in bits */
};

static bool copy_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct copier *c = context;
    uint64_t from = 0;
    (void)number;
    for (uint32_t d = 0; d < c->dims; d++)
        from += (uint64_t)coordinates[d] * c->strides[d];
    element_put(c->width, c->to, offset, element_get(c->width, c->from, from));
    return true;
}

static bool are_alike(const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    return a->data_type == b->data_type && a->dims == b->dims &&
           memcmp(a->sizes, b->sizes, a->dims * sizeof *a->sizes) == 0;
}

bool explain_copy_input(struct explainer *x, int to, int from)
{
    const struct opdesc_tensor *t = explain_tensor(x, from);
    if (!are_alike(t, explain_tensor(x, to)))
        return false;
    struct copier c = {
        .to = x->rewritten[to], .from = x->inputs[from], .dims = t->dims, .width = datatype_of(t->data_type)->bits};
    opdesc_strides(t, c.strides);
    elements_each(explain_tensor(x, to), copy_element, &c);
    return true;
}

/* The last two inputs. False: they differ in type or sizes, or there are fewer. */
static bool find_operands(const struct explainer *x, int operands[2])
{
    int count = 0;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (explain_is_output(x, i))
            continue;
        operands[0] = operands[1];
        operands[1] = i;
        count++;
    }
    return count > 1 && are_alike(explain_tensor(x, operands[0]), explain_tensor(x, operands[1]));
}

static void try_operands(struct explainer *x)
{
    int operands[2] = {-1, -1};
    if (!find_operands(x, operands))
        return;
    if (!explain_is_done(x, EXPLAIN_OPERANDS_SWAPPED)) {
        explain_copy_input(x, operands[0], operands[1]);
        explain_copy_input(x, operands[1], operands[0]);
        explain_inputs(x, EXPLAIN_OPERANDS_SWAPPED);
    }
    if (!explain_is_done(x, EXPLAIN_OPERAND_TWICE)) {
        explain_copy_input(x, operands[1], operands[0]);
        explain_inputs(x, EXPLAIN_OPERAND_TWICE);
    }
}

void explain_zero(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && !fill_is_index(x->spec, i) && !explain_is_done(x, EXPLAIN_INPUT_AS_ZERO)) {
            memset(x->rewritten[i], 0, explain_tensor(x, i)->total);
            explain_inputs(x, EXPLAIN_INPUT_AS_ZERO);
        }
}

/* The outputs of the description without this field: a pointer, or a tensor. */
static void try_without(struct explainer *x, int field)
{
    struct opdesc desc;
    bool tensor = x->spec->fields[field].kind == FIELD_INPUT;
    if (explain_is_done(x, EXPLAIN_OPTIONAL_IGNORED))
        return;
    if (!(tensor ? OPDESC_TENSOR(x->t->c.desc, field)->present : opdesc_present(x->t->c.desc, field)))
        return;
    opdesc_copy(&desc, x->t->c.desc);
    if (tensor)
        OPDESC_TENSOR(&desc, field)->present = false;
    else
        desc.given &= ~(1u << field);
    if (explain_run_as(x, &desc))
        explain_check(x, EXPLAIN_OPTIONAL_IGNORED);
}

void explain_numbers(struct explainer *x)
{
    if (!trial_is_computed(x->t))
        return;
    try_operands(x);
    for (int i = 0; i < x->spec->field_count; i++) {
        const struct spec_field *field = &x->spec->fields[i];
        if (field->optional &&
            (field->kind == FIELD_INPUT || field->kind == FIELD_SCALE_BIAS || field->kind == FIELD_OPERATOR))
            try_without(x, i);
    }
    explain_zero(x);
}
