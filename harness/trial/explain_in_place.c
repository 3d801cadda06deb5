/* These explanations are about cases in which an input has the memory of an output: the device read that memory when it
 * no longer held the input. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <math.h>
#include <string.h>

/* An overwriter replaces the elements of an input that has the memory of an output, of the same layout. */
struct overwriter {
    uint8_t *input;
    const uint8_t *written; /* the elements to take, in the output's layout */
    unsigned width;         /* the width of an element, in bits */
    uint64_t before;        /* the written element before this one, in row-major order */
};

static bool overwrite_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct overwriter *o = context;
    (void)number, (void)coordinates;
    element_put(o->width, o->input, offset, element_get(o->width, o->written, offset));
    return true;
}

static bool overwrite_by_previous(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct overwriter *o = context;
    (void)coordinates;
    if (number > 0)
        element_put(o->width, o->input, offset, o->before);
    o->before = element_get(o->width, o->written, offset);
    return true;
}

/* Calls `visit` for the elements of each input that has the memory of an output; `written` holds the elements to take,
 * by item of the output. */
static void overwrite(struct explainer *x, const uint8_t *const *written, elements_visit visit)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        int output = testcase_output_of(&x->t->c, i);
        if (output < 0)
            continue;
        struct overwriter o = {.input = x->rewritten[i],
                               .written = written[output],
                               .width = datatype_of(explain_tensor(x, i)->data_type)->bits};
        elements_each(explain_tensor(x, i), visit, &o);
    }
}

static void try_cleared(struct explainer *x, int byte)
{
    if (explain_is_done(x, EXPLAIN_IN_PLACE_CLEARED))
        return;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (testcase_output_of(&x->t->c, i) >= 0)
            memset(x->rewritten[i], byte, explain_tensor(x, i)->total);
    explain_inputs(x, EXPLAIN_IN_PLACE_CLEARED);
}

/* Tries if the device copied another input over the input that has the memory of the output. */
static void try_copied(struct explainer *x, int from)
{
    bool possible = testcase_output_of(&x->t->c, from) < 0;
    if (explain_is_done(x, EXPLAIN_IN_PLACE_OVERWRITTEN))
        return;
    for (int i = -1; possible && (i = explain_next(x, i)) >= 0;)
        if (testcase_output_of(&x->t->c, i) >= 0)
            possible = explain_copy_input(x, i, from);
    if (possible)
        explain_inputs(x, EXPLAIN_IN_PLACE_OVERWRITTEN);
    else
        explain_restore(x);
}

/* A chooser keeps one of two predictions for each element: the right value, or the value computed again from the right
 * values. It keeps the prediction that is nearer to the element that the device wrote. */
struct chooser {
    unsigned type;
    const uint8_t *got, *right;
    uint8_t *again;
};

static bool choose_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct chooser *c = context;
    unsigned width = datatype_of(c->type)->bits;
    uint64_t got = element_get(width, c->got, offset), right = element_get(width, c->right, offset),
             again = element_get(width, c->again, offset);
    double x = datatype_to_double(c->type, &got), to_right = fabs(x - datatype_to_double(c->type, &right)),
           to_again = fabs(x - datatype_to_double(c->type, &again));
    (void)number, (void)coordinates;
    if (got == right || (got != again && to_right < to_again))
        element_put(width, c->again, offset, right);
    return true;
}

/* Tries if the device computed some or all elements a second time, from the elements that it had written. */
static void try_again(struct explainer *x)
{
    if (explain_is_done(x, EXPLAIN_IN_PLACE_OVERWRITTEN))
        return;
    overwrite(x, x->expected, overwrite_element);
    if (!explain_run(x))
        return;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        struct chooser c = {explain_tensor(x, i)->data_type, x->got[i], x->expected[i], x->predicted[i]};
        if (testcase_input_of(&x->t->c, i) >= 0)
            elements_each(explain_tensor(x, i), choose_element, &c);
    }
    explain_check(x, EXPLAIN_IN_PLACE_OVERWRITTEN);
}

/* Tries if the device computed each element but the first from the element that it wrote before. */
static void try_previous(struct explainer *x)
{
    if (explain_is_done(x, EXPLAIN_IN_PLACE_OVERWRITTEN))
        return;
    overwrite(x, x->got, overwrite_by_previous);
    explain_inputs(x, EXPLAIN_IN_PLACE_OVERWRITTEN);
}

void explain_in_place(struct explainer *x)
{
    if (!x->t->c.in_place)
        return;
    try_cleared(x, 0);
    try_cleared(x, 0xFF);
    try_again(x);
    try_previous(x);
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (!explain_is_output(x, i))
            try_copied(x, i);
}
