/* explain_internal.h: the files that explain a wrong result share these declarations. */
#ifndef TRIAL_EXPLAIN_INTERNAL_H
#define TRIAL_EXPLAIN_INTERNAL_H

#include "harness/trial/mistake.h"
#include "harness/trial/trial_internal.h"

enum { EXPLAIN_WORK = 48 << 20 }; /* bytes of outputs that may be predicted: explainer.work at first */

/* An explainer holds one failed dispatch that is being explained. All memory is by tensor item, and laid out as the
 * tensors of the case. */
struct explainer {
    struct trial_setup *setup;
    struct trial *t;
    const struct spec *spec;
    const uint8_t *inputs[OPDESC_MAX_TENSORS];   /* the inputs as the device got them */
    const uint8_t *expected[OPDESC_MAX_TENSORS]; /* the right outputs */
    const uint8_t *got[OPDESC_MAX_TENSORS];      /* the outputs that the device wrote */
    uint8_t *rewritten[OPDESC_MAX_TENSORS];      /* copies of the inputs, for an explanation to change */
    uint8_t *predicted[OPDESC_MAX_TENSORS];      /* the outputs that a mistake gives */
    const uint8_t *const *before; /* the outputs before the dispatch; null: as the trial has filled them */
    const uint8_t *tensors[OPDESC_MAX_TENSORS];    /* the inputs, and the outputs that the device wrote */
    struct computed_fit *fits[OPDESC_MAX_TENSORS]; /* the first wrong elements of the outputs; null: not found yet */
    struct spec *edited;   /* the operator with a mistake in a formula; null: none is made yet */
    explanation_set found; /* the explanations that hold */
    uint64_t bytes;        /* the size of all tensors */
    uint64_t cost;         /* the work of computing the outputs once: `bytes`, and more for elements of stages */
    uint64_t work;         /* the work that may still be done */
    uint64_t end;          /* the time to stop at, clock_ns() */
    bool late;             /* some mistake was not tried, since the time was over */
    bool indexed;          /* the operator has indices */
    bool updates;          /* the operator replaces elements */
    bool ignores;          /* an index out of range has no effect */
    bool rows;             /* the operator writes counted rows */
};

/* Returns the next tensor that the case gives, as testcase_next_tensor() does. */
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

/* Notes that the explanation holds, if it does. */
static inline void explain_note(struct explainer *x, enum explanation explanation, bool holds)
{
    if (holds)
        explanation_add(&x->found, explanation);
}

/* Returns true if the time is over, so that no further mistake may be tried. */
bool explain_is_over(struct explainer *x);

/* Returns true if no further mistake is to be tried for the explanation: the explanation holds already, or the work or
 * the time is used up. */
bool explain_is_done(struct explainer *x, enum explanation explanation);

/* Takes the cost of computing the outputs once from the work that may still be done. */
void explain_charge(struct explainer *x);

/* Makes `rewritten` equal to the inputs again. */
void explain_restore(struct explainer *x);

/* Runs the reference device on `rewritten` into `predicted`, and restores `rewritten`. Returns false if the device
 * fails, or if the rewritten inputs equal the inputs, so that no outputs are predicted. */
bool explain_run(struct explainer *x);

/* Runs the reference device on another description of tensors of the same sizes. `rewritten` stays as it is. */
bool explain_run_as(struct explainer *x, const struct opdesc *desc);

/* Computes `predicted` by the formulas of `spec`, a changed copy of the operator's, with a slip in its folds (null:
 * none). Returns false if a few wrong elements show already that the device did something else, or if `predicted` is as
 * expected. */
bool explain_run_formulas(struct explainer *x, const struct spec *spec, const struct opdesc *desc,
                          const struct folding_slip *slip);

/* Copies the expected outputs to `predicted`. */
void explain_expect(struct explainer *x);

/* Returns true if the outputs in `predicted` are the expected ones. */
bool explain_is_expected(const struct explainer *x);

/* Fills `predicted`, or one output of it, with the contents that the outputs had before the dispatch. */
void explain_unwritten(struct explainer *x);
void explain_unwritten_item(struct explainer *x, int item);

/* Returns true if `predicted` says more than that results are special: enough elements that are neither as expected nor
 * like their neighbour are finite and not zero. An output without a formula always says enough. */
bool explain_is_telling(const struct explainer *x);

/* Returns true if the elements that the prediction changes are much nearer to `predicted` than to the right outputs. */
bool explain_is_nearer(const struct explainer *x);

/* Notes the explanation if the device wrote the outputs in `predicted`. */
void explain_check(struct explainer *x, enum explanation explanation);

/* Notes the explanation if each output is as predicted or right, and one output is as predicted. */
void explain_check_each(struct explainer *x, enum explanation explanation);

/* Runs the reference device and checks the outputs, for an explanation that changes only inputs. */
void explain_inputs(struct explainer *x, enum explanation explanation);

/* Copies the elements of one input into `rewritten` of another one, whatever their strides. Returns false, and copies
 * no element, if the inputs differ in type or sizes. */
bool explain_copy_input(struct explainer *x, int to, int from);

/* These explanations depend on the elements that the device wrote, so no prediction can be made without them. */
void explain_in_place(struct explainer *x);
void explain_updates(struct explainer *x);
void explain_rows(struct explainer *x);
void explain_selection(struct explainer *x);

/* Tries the known mistakes in formulas of the operator. For a warning, only those that get no more than a warning: a
 * process loads specs for each mistake once, which a warning is not worth otherwise. */
void explain_known(struct explainer *x);

/* Each kind of mistake has a function that predicts the outputs for an entry of the table. */
/* Rewrites inputs with as.rewrite. */
enum prediction mistake_reads(struct explainer *x, const struct mistake *m, int site);
/* Rewrites inputs with as.rewrite before they are searched. */
enum prediction mistake_counts(struct explainer *x, const struct mistake *m, int site);
/* Rewrites selected values with as.rewrite. */
enum prediction mistake_selects(struct explainer *x, const struct mistake *m, int site);
/* Rewrites outputs with as.rewrite. */
enum prediction mistake_writes(struct explainer *x, const struct mistake *m, int site);
/* Rewrites inputs and outputs with as.rewrite. */
enum prediction mistake_computes(struct explainer *x, const struct mistake *m, int site);
/* Computes integers in FLOAT32. */
enum prediction mistake_floats(struct explainer *x, const struct mistake *m, int site);
/* Reads a smaller tensor at coordinates modulo its sizes, not by blocks. */
enum prediction mistake_blocks(struct explainer *x, const struct mistake *m, int site);
/* Takes signed integers for unsigned ones, and the reverse; as.number 1 or 2: unsigned or signed inputs alone. */
enum prediction mistake_retypes(struct explainer *x, const struct mistake *m, int site);
/* Leaves out the elements of outputs that as.skips() names. */
enum prediction mistake_skips(struct explainer *x, const struct mistake *m, int site);
/* Swaps two inputs. */
enum prediction mistake_swaps(struct explainer *x, const struct mistake *m, int site);
/* Reads one input in place of another one, too. */
enum prediction mistake_doubles(struct explainer *x, const struct mistake *m, int site);
/* Swaps two outputs. */
enum prediction mistake_exchanges(struct explainer *x, const struct mistake *m, int site);
/* Ignores an optional part of the description. */
enum prediction mistake_omits(struct explainer *x, const struct mistake *m, int site);
/* Reads an input as zero. */
enum prediction mistake_clears(struct explainer *x, const struct mistake *m, int site);
/* Makes a slip in folds. */
enum prediction mistake_slips(struct explainer *x, const struct mistake *m, int site);
/* Changes a formula. */
enum prediction mistake_edits(struct explainer *x, const struct mistake *m, int site);
/* Misreads indices. */
enum prediction mistake_misreads(struct explainer *x, const struct mistake *m, int site);
/* Finds wrong places for elements in memory. */
enum prediction mistake_misplaces(struct explainer *x, const struct mistake *m, int site);
/* Reads the first element of each broadcast input in place of all. */
enum prediction mistake_flattens(struct explainer *x, const struct mistake *m, int site);
/* Exchanges two dimensions of a tensor, or reverses one. */
enum prediction mistake_reorders(struct explainer *x, const struct mistake *m, int site);
/* Ignores dimensions of an input. */
enum prediction mistake_collapses(struct explainer *x, const struct mistake *m, int site);
/* Rounds the offsets of bindings. */
enum prediction mistake_offsets(struct explainer *x, const struct mistake *m, int site);
/* Takes an integer attribute for another number. */
enum prediction mistake_numbers(struct explainer *x, const struct mistake *m, int site);
/* Takes a real attribute for another number. */
enum prediction mistake_reals(struct explainer *x, const struct mistake *m, int site);
/* Rounds the real attributes to integers with as.round. */
enum prediction mistake_rounds(struct explainer *x, const struct mistake *m, int site);
/* Swaps two real attributes. */
enum prediction mistake_trades(struct explainer *x, const struct mistake *m, int site);
/* Misreads an array of integers. */
enum prediction mistake_lists(struct explainer *x, const struct mistake *m, int site);

/* An entry of one of these kinds has one of these numbers. */
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
    INDEX_END_TO_LAST, /* these five are about indices out of range */
    INDEX_NEAREST,
    INDEX_OUTSIDE_TO_FIRST,
    INDEX_OUTSIDE_TO_LAST,
    INDEX_WRAPPED,
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
    PLACE_EXCHANGED,
    PLACE_REVERSED,
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
    LIST_NEXT, /* FLOATs: half more; they are coordinates and scales */
    LIST_BEFORE,
    LIST_NEGATED,
    LIST_INVERTED, /* FLOATs alone */
    LIST_FLOORED
};

/* Rewrites the elements of a tensor: `from` and `to` have its layout. */
void mistake_rewrite(const struct opdesc_tensor *t, uint64_t (*rewrite)(unsigned type, uint64_t bits),
                     const uint8_t *from, uint8_t *to);

/* Frees the changed copy of the operator, which a mistake in a formula has made. */
void mistake_free_edited(struct explainer *x);

/* Fills `predicted` with the positions that the device wrote, and with the elements at these positions. Returns false
 * if the operator selects no elements, or if the positions themselves are wrong. */
bool explain_select(struct explainer *x);
void explain_reused(struct explainer *x);
void explain_state(struct explainer *x);

/* Finds the explanations that the wrong elements alone show, so it works for tensors of any size. Counts the wrong
 * elements in the diagnosis, and describes to `shared` the places and values that they have in common. */
void explain_observe(struct explainer *x, char *shared, size_t size);

#endif
