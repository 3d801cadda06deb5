/* explain_internal.h: what the files that explain a wrong result share. */
#ifndef TRIAL_EXPLAIN_INTERNAL_H
#define TRIAL_EXPLAIN_INTERNAL_H

#include "harness/trial/explain.h"
#include "harness/trial/trial_internal.h"

/* One failed dispatch that is being explained. All memory is by tensor item, and laid out as the tensors
 * of the case. */
struct explainer {
    struct trial_setup *setup;
    struct trial *t;
    const struct spec *spec;
    const uint8_t *inputs[OPDESC_MAX_TENSORS]; /* as the device got them */
    const uint8_t *expected[OPDESC_MAX_TENSORS];
    const uint8_t *got[OPDESC_MAX_TENSORS];
    uint8_t *rewritten[OPDESC_MAX_TENSORS]; /* copies of the inputs, for an explanation to change */
    uint8_t *predicted[OPDESC_MAX_TENSORS]; /* outputs */
    explanation_set found;                  /* explanations that hold */
    uint64_t bytes, work;                   /* of all tensors; that may be done, in bytes */
    uint64_t end;                           /* when to stop, clock_ns() */
    bool late;                              /* something was not tried, since the time was over */
    bool indexed, updates, rows;            /* the operator has indices; replaces elements; writes counted rows */
};

/* The tensors that the case gives, as testcase_next_tensor(). */
static inline int explain_next(const struct explainer *x, int at)
{
    return testcase_next_tensor(&x->t->c, at);
}

static inline const struct opdesc_tensor *explain_tensor(const struct explainer *x, int item)
{
    return &x->t->c.desc->items[item].tensor;
}

static inline bool explain_is_output(const struct explainer *x, int item)
{
    return field_is_output(spec_tensor_field(x->spec, item));
}

/* Whether the time is over, for what would be tried next. */
bool explain_is_over(struct explainer *x);

/* Whether nothing more is to be tried for the explanation: it holds already, or the work or the time is used up. */
bool explain_is_done(struct explainer *x, enum explanation explanation);

/* Makes `rewritten` equal to the inputs again. */
void explain_restore(struct explainer *x);

/* Runs the reference device on `rewritten` into `predicted`, and restores `rewritten`. False: it failed, or the
 * rewritten inputs equal the inputs, so that nothing is predicted. */
bool explain_run(struct explainer *x);

/* The same for another description of tensors of the same sizes, and the inputs as they are. */
bool explain_run_as(struct explainer *x, const struct opdesc *desc);

/* The same with a slip in the folds of its formulas; all outputs have some. */
void explain_run_slipped(struct explainer *x, const struct folding_slip *slip);

/* Fills `predicted` with what the outputs held before the dispatch. */
void explain_unwritten(struct explainer *x);

/* Whether `predicted` says more than that results are special: of an output with a formula, enough elements that are
 * neither as expected nor like their neighbour are finite and not zero. Of other outputs: always. */
bool explain_is_telling(const struct explainer *x);

/* Notes the explanation if `predicted` equals what the device wrote. */
void explain_check(struct explainer *x, enum explanation explanation);

/* The same if each output is as predicted or right, and one of them is as predicted. */
void explain_check_each(struct explainer *x, enum explanation explanation);

/* Both: for explanations that change only inputs. */
void explain_inputs(struct explainer *x, enum explanation explanation);

/* Copies the elements of one input into `rewritten` of another one, whatever their strides. False, with nothing copied:
 * they differ in type or sizes. */
bool explain_copy_input(struct explainer *x, int to, int from);

/* A data input that is all zero, with all others as they are. */
void explain_zero(struct explainer *x);

/* The explanations of each file. */
void explain_in_place(struct explainer *x);
void explain_values(struct explainer *x);
void explain_numbers(struct explainer *x);
void explain_folds(struct explainer *x);
void explain_indices(struct explainer *x);
void explain_layout(struct explainer *x);
void explain_attributes(struct explainer *x);
void explain_updates(struct explainer *x);
void explain_rows(struct explainer *x);
void explain_selection(struct explainer *x);

/* Fills `predicted` with the positions that the device wrote and the elements at these. False: the operator selects
 * nothing, or the positions themselves are wrong. */
bool explain_select(struct explainer *x);
void explain_state(struct explainer *x);

/* Works from the wrong elements alone, so for tensors of any size. Counts them in the diagnosis, and writes what they
 * share to `shared`. */
void explain_observe(struct explainer *x, char *shared, size_t size);

#endif
