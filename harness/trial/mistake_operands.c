/* These mistakes are about operands: two operands change places, an optional operand is ignored, an input is zero. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/spec/elements.h"

#include <string.h>

/* A copier copies the elements of one tensor into another tensor of the same type and sizes, whatever their strides. */
struct copier {
    uint8_t *to;
    const uint8_t *from;
    uint32_t strides[OPDESC_MAX_DIMENSIONS]; /* the strides of `from` */
    uint32_t dims;
    unsigned width; /* the width of an element, in bits */
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

static void copy_tensor(const struct opdesc_tensor *t, uint8_t *to, const struct opdesc_tensor *from_t,
                        const uint8_t *from)
{
    struct copier c = {.to = to, .from = from, .dims = t->dims, .width = datatype_of(t->data_type)->bits};
    opdesc_strides(from_t, c.strides);
    elements_each(t, copy_element, &c);
}

bool explain_copy_input(struct explainer *x, int to, int from)
{
    const struct opdesc_tensor *t = explain_tensor(x, from);
    if (!are_alike(t, explain_tensor(x, to)))
        return false;
    copy_tensor(explain_tensor(x, to), x->rewritten[to], t, x->inputs[from]);
    return true;
}

/* Finds pair number `site` of inputs, or of outputs, that are alike; the last pairs come first. Returns false if there
 * is none. */
static bool find_pair(const struct explainer *x, bool outputs, int site, int pair[2])
{
    int items[OPDESC_MAX_TENSORS], count = 0;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (explain_is_output(x, i) == outputs)
            items[count++] = i;
    for (int b = count; b-- > 1;)
        for (int a = b; a-- > 0;)
            if (are_alike(explain_tensor(x, items[a]), explain_tensor(x, items[b])) && site-- == 0) {
                pair[0] = items[a];
                pair[1] = items[b];
                return true;
            }
    return false;
}

enum prediction mistake_swaps(struct explainer *x, const struct mistake *m, int site)
{
    int pair[2];
    (void)m;
    if (!trial_is_computed(x->t) || !find_pair(x, false, site, pair))
        return PREDICTS_NO_SITE;
    explain_copy_input(x, pair[0], pair[1]);
    explain_copy_input(x, pair[1], pair[0]);
    return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

enum prediction mistake_doubles(struct explainer *x, const struct mistake *m, int site)
{
    int pair[2];
    (void)m;
    if (!trial_is_computed(x->t) || !find_pair(x, false, site, pair))
        return PREDICTS_NO_SITE;
    explain_copy_input(x, pair[1], pair[0]);
    return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

enum prediction mistake_exchanges(struct explainer *x, const struct mistake *m, int site)
{
    int pair[2];
    (void)m;
    if (!trial_is_computed(x->t) || !find_pair(x, true, site, pair))
        return PREDICTS_NO_SITE;
    explain_expect(x);
    for (int i = 0; i < 2; i++)
        copy_tensor(explain_tensor(x, pair[i]), x->predicted[pair[i]], explain_tensor(x, pair[!i]),
                    x->expected[pair[!i]]);
    return explain_is_expected(x) ? PREDICTS_NOTHING : PREDICTS_OUTPUTS;
}

/* ---- operands that are left out */

static bool may_be_left_out(const struct spec_field *field)
{
    return field->optional &&
           (field->kind == FIELD_INPUT || field->kind == FIELD_SCALE_BIAS || field->kind == FIELD_OPERATOR);
}

enum prediction mistake_omits(struct explainer *x, const struct mistake *m, int site)
{
    struct opdesc desc;
    int field = -1;
    (void)m;
    if (!trial_is_computed(x->t))
        return PREDICTS_NO_SITE;
    do
        field++;
    while (field < x->spec->field_count && (!may_be_left_out(&x->spec->fields[field]) || site-- > 0));
    if (field == x->spec->field_count)
        return PREDICTS_NO_SITE;
    bool tensor = x->spec->fields[field].kind == FIELD_INPUT;
    if (!(tensor ? OPDESC_TENSOR(x->t->c.desc, field)->present : opdesc_present(x->t->c.desc, field)))
        return PREDICTS_NOTHING;
    opdesc_copy(&desc, x->t->c.desc);
    if (tensor)
        OPDESC_TENSOR(&desc, field)->present = false;
    else
        desc.given &= ~(1u << field);
    return explain_run_as(x, &desc) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

enum prediction mistake_clears(struct explainer *x, const struct mistake *m, int site)
{
    (void)m;
    if (!trial_is_computed(x->t) && !x->updates)
        return PREDICTS_NO_SITE;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->rewritten[i] || fill_is_index(x->spec, i) || site-- > 0)
            continue;
        memset(x->rewritten[i], 0, explain_tensor(x, i)->total);
        return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
    }
    return PREDICTS_NO_SITE;
}
