/* These mistakes are about elements, which are changed as they are read or written, taken for another type, or left
 * out. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/spec/elements.h"
#include "harness/trial/selection.h"

#include <string.h>

struct rewriter {
    uint64_t (*rewrite)(unsigned type, uint64_t bits);
    unsigned type;
    uint8_t *to;
    const uint8_t *from; /* the original elements: a broadcast element is visited several times */
};

static bool mistake_elements_rewrite(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct rewriter *r = context;
    unsigned width = datatype_of(r->type)->bits;
    (void)number, (void)coordinates;
    element_put(width, r->to, offset, r->rewrite(r->type, element_get(width, r->from, offset)));
    return true;
}

void mistake_rewrite(const struct opdesc_tensor *t, uint64_t (*rewrite)(unsigned type, uint64_t bits),
                     const uint8_t *from, uint8_t *to)
{
    struct rewriter r = {rewrite, t->data_type, to, from};
    elements_each(t, mistake_elements_rewrite, &r);
}

/* ---- elements that are read */

static void mistake_elements_read(struct explainer *x, const struct mistake *m)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i] && !fill_is_index(x->spec, i))
            mistake_rewrite(explain_tensor(x, i), m->as.rewrite, x->inputs[i], x->rewritten[i]);
}

enum prediction mistake_reads(struct explainer *x, const struct mistake *m, int site)
{
    if (site > 0 || x->rows)
        return PREDICTS_NO_SITE;
    mistake_elements_read(x, m);
    return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

enum prediction mistake_counts(struct explainer *x, const struct mistake *m, int site)
{
    if (site > 0 || !x->rows)
        return PREDICTS_NO_SITE;
    mistake_elements_read(x, m);
    return explain_run(x) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* ---- elements that are written */

/* Rewrites the outputs in `predicted`. Returns true if one of them differs from the expected output. */
static bool mistake_elements_write(struct explainer *x, const struct mistake *m)
{
    bool changed = false;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i]) {
            mistake_rewrite(explain_tensor(x, i), m->as.rewrite, x->predicted[i], x->predicted[i]);
            changed |= memcmp(x->predicted[i], x->expected[i], explain_tensor(x, i)->total) != 0;
        }
    return changed;
}

enum prediction mistake_writes(struct explainer *x, const struct mistake *m, int site)
{
    if (site > 0 || x->rows || !trial_is_computed(x->t))
        return PREDICTS_NO_SITE;
    explain_expect(x);
    return mistake_elements_write(x, m) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* Returns true if m->more is not 0 and an output has another type. */
static bool has_other_output(const struct explainer *x, const struct mistake *m)
{
    bool other = false;
    for (int i = -1; m->more && (i = explain_next(x, i)) >= 0;)
        other |= x->predicted[i] && explain_tensor(x, i)->data_type != m->more;
    return other;
}

enum prediction mistake_computes(struct explainer *x, const struct mistake *m, int site)
{
    if (site > 0 || !trial_is_computed(x->t) || has_other_output(x, m))
        return PREDICTS_NO_SITE;
    mistake_elements_read(x, m);
    if (!explain_run(x))
        explain_expect(x);
    return mistake_elements_write(x, m) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* The mistake changes the values of a selection after they were selected, so their order stays the same. */
enum prediction mistake_selects(struct explainer *x, const struct mistake *m, int site)
{
    if (site > 0 || !selection_applies(x->spec))
        return PREDICTS_NO_SITE;
    if (x->before)
        explain_expect(x);
    else if (!explain_select(x))
        return PREDICTS_NOTHING;
    int item = spec_item(x->spec, x->spec->selection.values);
    mistake_rewrite(explain_tensor(x, item), m->as.rewrite, x->predicted[item], x->predicted[item]);
    return memcmp(x->predicted[item], x->expected[item], explain_tensor(x, item)->total) != 0 ? PREDICTS_OUTPUTS
                                                                                              : PREDICTS_NOTHING;
}

/* ---- types */

static unsigned other_sign(unsigned type)
{
    static const unsigned pairs[][2] = {{DML_TENSOR_DATA_TYPE_UINT4, DML_TENSOR_DATA_TYPE_INT4},
                                        {DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_DATA_TYPE_INT8},
                                        {DML_TENSOR_DATA_TYPE_UINT16, DML_TENSOR_DATA_TYPE_INT16},
                                        {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32},
                                        {DML_TENSOR_DATA_TYPE_UINT64, DML_TENSOR_DATA_TYPE_INT64}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int n = 0; n < 2; n++)
            if (pairs[i][n] == type)
                return pairs[i][!n];
    return type;
}

enum prediction mistake_floats(struct explainer *x, const struct mistake *m, int site)
{
    const struct folding_slip slip = {.kind = SLIP_IN_FLOAT};
    (void)m;
    if (site > 0 || !trial_is_computed(x->t))
        return PREDICTS_NO_SITE;
    return explain_run_formulas(x, x->spec, x->t->c.desc, &slip) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* Returns true if an input has an element for each block of the output: along a dimension, more elements than one, and
 * fewer than the output. */
static bool mistake_has_blocks(const struct explainer *x)
{
    int output = -1;
    bool has = false;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        output = explain_is_output(x, i) ? i : output;
    for (int i = -1; output >= 0 && (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i), *to = explain_tensor(x, output);
        for (uint32_t d = 0; t->dims == to->dims && d < t->dims; d++)
            has |= t->sizes[d] > 1 && t->sizes[d] < to->sizes[d];
    }
    return has;
}

enum prediction mistake_blocks(struct explainer *x, const struct mistake *m, int site)
{
    const struct folding_slip slip = {.kind = SLIP_BLOCKS};
    (void)m;
    if (site > 0 || !trial_is_computed(x->t) || spec_folds(x->spec) || !mistake_has_blocks(x))
        return PREDICTS_NO_SITE;
    return explain_run_formulas(x, x->spec, x->t->c.desc, &slip) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* The sites are all tensors, all inputs, then each input. */
enum prediction mistake_retypes(struct explainer *x, const struct mistake *m, int site)
{
    struct opdesc desc;
    int count = 0;
    bool changed = false;
    if (!trial_is_computed(x->t) || (m->as.number && site > 0))
        return PREDICTS_NO_SITE;
    opdesc_copy(&desc, x->t->c.desc);
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        bool input = !explain_is_output(x, i);
        unsigned *type = &desc.items[i].tensor.data_type, other = other_sign(*type);
        bool meant = !m->as.number || (input && datatype_of(*type)->is_signed == (m->as.number == 2));
        if (meant && (site == 0 || (input && site == 1) || (input && site == 2 + count)) && other != *type) {
            *type = other;
            changed = true;
        }
        count += input;
    }
    if (site > 1 && (count < 2 || site - 2 >= count))
        return PREDICTS_NO_SITE;
    return changed && explain_run_formulas(x, x->spec, &desc, NULL) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* ---- elements that are left out */

struct skipper {
    const struct mistake *m;
    const struct opdesc_tensor *t;
    uint64_t count;
    uint8_t *to;
    const uint8_t *from;
};

static bool write_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct skipper *s = context;
    unsigned width = datatype_of(s->t->data_type)->bits;
    uint32_t last = s->t->dims - 1;
    if (!s->m->as.skips(number, s->count, coordinates[last], s->t->sizes[last], width))
        element_put(width, s->to, offset, element_get(width, s->from, offset));
    return true;
}

enum prediction mistake_skips(struct explainer *x, const struct mistake *m, int site)
{
    bool changed = false;
    if (site > 0)
        return PREDICTS_NO_SITE;
    explain_unwritten(x);
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i]) {
            const struct opdesc_tensor *t = explain_tensor(x, i);
            struct skipper s = {m, t, (uint64_t)opdesc_elements(t), x->predicted[i], x->expected[i]};
            elements_each(t, write_element, &s);
            changed |= memcmp(x->predicted[i], x->expected[i], t->total) != 0;
        }
    return changed ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}
