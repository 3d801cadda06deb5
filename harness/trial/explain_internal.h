/* explain_internal.h: what the files that explain a wrong result share. */
#ifndef TRIAL_EXPLAIN_INTERNAL_H
#define TRIAL_EXPLAIN_INTERNAL_H

#include "harness/trial/mistake.h"
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
    const uint8_t *const *before;           /* outputs before the dispatch; null: as the trial has filled them */
    struct spec *edited;                    /* of mistakes in formulas: the operator with one of them; null: none yet */
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

/* Computes `predicted` by the formulas of `spec`, a changed copy of the operator's, with a slip in its folds (null:
 * none). False: a few wrong elements show already that the device did something else. */
bool explain_run_formulas(struct explainer *x, const struct spec *spec, const struct opdesc *desc,
                          const struct folding_slip *slip);

/* Copies the expected outputs to `predicted`. */
void explain_expect(struct explainer *x);

/* Whether `predicted` is as expected. */
bool explain_is_expected(const struct explainer *x);

/* Fills `predicted` with what the outputs held before the dispatch. */
void explain_unwritten(struct explainer *x);
void explain_unwritten_item(struct explainer *x, int item);

/* Whether `predicted` says more than that results are special: of an output with a formula, enough elements that are
 * neither as expected nor like their neighbour are finite and not zero. Of other outputs: always. */
bool explain_is_telling(const struct explainer *x);

/* Notes the explanation if `predicted` equals what the device wrote. */
void explain_check(struct explainer *x, enum explanation explanation);

/* The same if each output is as predicted or right, and one of them is as predicted. */
void explain_check_each(struct explainer *x, enum explanation explanation);

/* Runs and checks, for explanations that change only inputs. */
void explain_inputs(struct explainer *x, enum explanation explanation);

/* Copies the elements of one input into `rewritten` of another one, whatever their strides. False, with nothing copied:
 * they differ in type or sizes. */
bool explain_copy_input(struct explainer *x, int to, int from);

/* Explanations that depend on what the device wrote, so that no prediction can be made without it. */
void explain_in_place(struct explainer *x);
void explain_updates(struct explainer *x);
void explain_rows(struct explainer *x);
void explain_selection(struct explainer *x);

/* The kinds of mistakes: how an entry of the table predicts. */
enum prediction mistake_reads(struct explainer *x, const struct mistake *m, int site);    /* inputs, as.rewrite */
enum prediction mistake_counts(struct explainer *x, const struct mistake *m, int site);   /* the same before a search */
enum prediction mistake_selects(struct explainer *x, const struct mistake *m, int site);  /* selected values */
enum prediction mistake_writes(struct explainer *x, const struct mistake *m, int site);   /* outputs, as.rewrite */
enum prediction mistake_computes(struct explainer *x, const struct mistake *m, int site); /* both */
enum prediction mistake_floats(struct explainer *x, const struct mistake *m, int site);   /* integers in FLOAT32 */
enum prediction mistake_retypes(struct explainer *x, const struct mistake *m, int site);  /* signed or unsigned */
enum prediction mistake_skips(struct explainer *x, const struct mistake *m, int site);    /* outputs, as.skips */
enum prediction mistake_swaps(struct explainer *x, const struct mistake *m, int site);    /* inputs, with each other */
enum prediction mistake_doubles(struct explainer *x, const struct mistake *m, int site);  /* an input for two */
enum prediction mistake_exchanges(struct explainer *x, const struct mistake *m, int site); /* outputs */
enum prediction mistake_omits(struct explainer *x, const struct mistake *m, int site);     /* what is optional */
enum prediction mistake_clears(struct explainer *x, const struct mistake *m, int site);    /* an input */
enum prediction mistake_slips(struct explainer *x, const struct mistake *m, int site);     /* in folds */
enum prediction mistake_edits(struct explainer *x, const struct mistake *m, int site);     /* a formula */
enum prediction mistake_misreads(struct explainer *x, const struct mistake *m, int site);  /* indices */
enum prediction mistake_misplaces(struct explainer *x, const struct mistake *m, int site); /* elements in memory */
enum prediction mistake_collapses(struct explainer *x, const struct mistake *m, int site); /* dimensions */
enum prediction mistake_offsets(struct explainer *x, const struct mistake *m, int site);   /* of bindings */
enum prediction mistake_numbers(struct explainer *x, const struct mistake *m, int site);   /* attributes: integers */
enum prediction mistake_reals(struct explainer *x, const struct mistake *m, int site);     /* … real numbers */
enum prediction mistake_trades(struct explainer *x, const struct mistake *m, int site);    /* … with each other */
enum prediction mistake_lists(struct explainer *x, const struct mistake *m, int site);     /* … arrays of integers */

/* The numbers of entries of these kinds. */
enum mistake_edit {
    EDIT_STEP_MISSING,
    EDIT_STEP_WRONG,
    EDIT_STEP_ORDER,
    EDIT_OPERANDS,
    EDIT_CONDITION,
    EDIT_CONSTANT,
    EDIT_EXTREME,
    EDIT_UNSHIFTED
};
enum mistake_index {
    INDEX_ABSOLUTE,
    INDEX_ZERO,
    INDEX_UNSIGNED,
    INDEX_BASE_RANK,
    INDEX_BASE_SIZE,
    INDEX_BASE_FACTOR,
    INDEX_BASE_SHORT,
    INDEX_BASE_SIZES,
    INDEX_LOST,
    INDEX_LOST_BUT_MINUS_ONE,
    INDEX_LOST_BUT_FIRST,
    INDEX_LOST_BUT_LAST,
    INDEX_LOST_LOWEST,
    INDEX_TYPE,
    INDEX_LOW_HALF,
    INDEX_LOW_HALF_SIGNED,
    INDEX_WORDS,
    INDEX_WORDS_NARROW,
    INDEX_MASKED,
    INDEX_HALF,
    INDEX_FLOAT,
    INDEX_LAST_LOST,
    INDEX_LAST_TO_FIRST,
    INDEX_REVERSED,
    INDEX_SHIFTED,
    INDEX_FIRST_ONLY
};
enum mistake_place {
    PLACE_PACKED,
    PLACE_LAST_ONE,
    PLACE_FIRST_PACKED,
    PLACE_MASKED,
    PLACE_FROM_RANK,
    PLACE_MERGED,
    PLACE_COLLAPSED,
    PLACE_NIBBLES
};
enum mistake_list {
    LIST_REVERSED,
    LIST_FIRST,
    LIST_LAST,
    LIST_ZEROS,
    LIST_ONES,
    LIST_ABSOLUTE,
    LIST_TRADED,
    LIST_ONLY_FIRST,
    LIST_ONLY_LAST,
    LIST_LAST_DIMENSION,
    LIST_ALL_DIMENSIONS,
    LIST_NEXT,
    LIST_BEFORE
};

/* Changes elements of a tensor: `from` and `to` have its layout. */
void mistake_rewrite(const struct opdesc_tensor *t, uint64_t (*rewrite)(unsigned type, uint64_t bits),
                     const uint8_t *from, uint8_t *to);

/* Frees the changed copy of the operator that mistakes in formulas have made. */
void mistake_free_edited(struct explainer *x);

/* Fills `predicted` with the positions that the device wrote and the elements at these. False: the operator selects
 * nothing, or the positions themselves are wrong. */
bool explain_select(struct explainer *x);
void explain_state(struct explainer *x);

/* Works from the wrong elements alone, so for tensors of any size. Counts them in the diagnosis, and writes what they
 * share to `shared`. */
void explain_observe(struct explainer *x, char *shared, size_t size);

#endif
